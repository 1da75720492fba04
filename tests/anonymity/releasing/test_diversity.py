"""The classes that fail are those of the definition, and no finer ones have fewer rows that fail than the bound."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity.people.ground_distances import OrderedDistance, TreeDistance
from discretion.anonymity.releasing.diversity import count_class_values
from discretion.numerics.equivalence_classes import Column
from oracles import releases
from support.diversities import COUNTS, DIVERSE, INPUT

secrets = st.text("stu", min_size=1, max_size=12)


def in_order(values: str) -> Column:
    return Column(np.array(["stu".index(value) for value in values], np.int32), 3)


def partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    """Every way to put rows into classes."""
    if not rows:
        yield []
        return
    for rest in partitions(rows[1:]):
        yield [[rows[0]], *rest]
        for i, some in enumerate(rest):
            yield [*rest[:i], [rows[0], *some], *rest[i + 1 :]]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("kind", DIVERSE)
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("stu")), min_size=1, max_size=14))
def test_the_classes_that_fail_are_those_of_the_definition(kind: str, people: list[tuple[int, str]]) -> None:
    diversity, diverse = DIVERSE[kind]
    secret = "".join(value for _, value in people)
    classes = Column(np.array([number for number, _ in people], np.int32), 3)
    fails = diversity.fails(count_class_values(classes, in_order(secret), 0))
    everybody = Counter("stu".index(value) for value in secret)
    for number in {number for number, _ in people}:
        values = [value for own, value in people if own == number]
        assert fails[number] == (not diverse(values, secret))
        assert diversity.holds(Counter("stu".index(value) for value in values), everybody) == diverse(values, secret)


@pytest.mark.long
@pytest.mark.parametrize("kind", DIVERSE)
@settings(max_examples=25, deadline=None)
@given(st.text("stu", min_size=1, max_size=6), st.integers(1, 3), st.integers(0, 2))
def test_no_finer_classes_have_fewer_rows_that_fail(kind: str, secret: str, count: int, leave: int) -> None:
    diversity, diverse = DIVERSE[kind]
    rows = range(len(secret))
    coarse = [[row for row in rows if row % count == number] for number in range(count)]
    classes = Column(np.array([row % count for row in rows], np.int32), count)
    bound = diversity.fewest(count_class_values(classes, in_order(secret), leave))
    fewest = len(secret)
    for out in (set(some) for size in range(leave + 1) for some in combinations(rows, size)):
        whole = [secret[row] for row in rows if row not in out]
        failing = 0
        for some in coarse:
            finer = partitions([row for row in some if row not in out])
            failing += min(
                sum(len(each) for each in split if not diverse([secret[row] for row in each], whole)) for split in finer
            )
        fewest = min(fewest, len(out) + failing)
    assert bound <= fewest


@given(secrets, secrets)
def test_distances_are_the_least_cost_of_moving(values: str, others: str) -> None:
    everybody = values + others
    classes = Column(np.array([0] * len(values) + [1] * len(others), np.int32), 2)
    given_values = count_class_values(classes, in_order(everybody), 0)
    own, whole = (Counter("stu".index(value) for value in some) for some in (values, everybody))
    for distance, costs in (
        (TreeDistance(), {}),
        (TreeDistance(((0, 1, 2), (0, 0, 1))), {("s", "t"): Fraction(1, 2)}),
        (OrderedDistance((0, 1, 2)), {("s", "t"): Fraction(1, 2), ("t", "u"): Fraction(1, 2)}),
    ):
        expected = releases.least_cost(values, everybody, "stu", costs)
        assert float(distance.between(own, whole)) == pytest.approx(expected, abs=1e-9)
        far = distance.from_whole(given_values.cells, given_values.sizes, given_values.whole)
        assert distance.between(own, whole) == Fraction(int(far[0]), distance.scale * len(values) * len(everybody))


def test_the_input_is_what_it_is_called() -> None:
    assert tuple(Counter(INPUT)[value] for value in "stu") == COUNTS
