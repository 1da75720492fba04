"""No set within a budget has more classes, columns apart or columns independent of each other than its people allow."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from discretion.anonymity import Population
from discretion.anonymity.choosing.choices import most_columns_apart
from discretion.anonymity.choosing.constraints import Constraints
from discretion.anonymity.choosing.selection import select_columns
from support.lowering import lowered

Columns = Sequence[Sequence[Any]]


def partitions(size: int) -> Iterator[tuple[int, ...]]:
    """Yield each partition of so many elements, as the number of the block of each."""
    if size == 0:
        yield ()
        return
    for blocks in partitions(size - 1):
        yield from ((*blocks, block) for block in range(max(blocks, default=-1) + 2))


def determines(known: Columns, column: Sequence[Any]) -> bool:
    """Whether who is alike on the known columns is so on another one."""
    rows = list(zip(*known, strict=True)) if known else [()] * len(column)
    return len(set(rows)) == len(set(zip(rows, column, strict=True)))


def most_independent(columns: Columns) -> int:
    """Return how many of the columns there are at most of which none is determined by the others together."""
    for count in range(len(columns), 0, -1):
        for some in combinations(columns, count):
            if not any(determines([*some[:j], *some[j + 1 :]], some[j]) for j in range(count)):
                return count
    return 0


def most_apart(columns: Columns) -> int:
    """Return how many of the columns there are at most of which none is constant or determined by one other."""
    varying = [column for column in columns if len(set(column)) > 1]
    for count in range(len(varying), 0, -1):
        for some in combinations(varying, count):
            if not any(determines([a], b) for a in some for b in some if a is not b):
                return count
    return 0


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 5, *(pytest.param(each, marks=pytest.mark.long) for each in (6, 7))])
def test_the_largest_antichain_of_partitions_is_that_of_dilworth(classes: int) -> None:
    """Its size is the number of partitions less a maximum matching of those that refine each other."""
    every = [each for each in partitions(classes) if max(each) > 0]
    finer = [[float(a != b and determines([a], b)) for b in every] for a in every]
    matched = (maximum_bipartite_matching(csr_array(np.array(finer))) >= 0).sum() if len(every) > 1 else 0
    assert most_columns_apart(classes) == len(every) - matched


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2), min_size=9, max_size=9), min_size=1, max_size=5),
    st.integers(1, 4),
    st.integers(0, 4),
)
def test_what_is_within_the_budget_has_no_more_than_the_bounds(columns: list[list[int]], k: int, exposed: int) -> None:
    classes = Constraints(k, exposed, {}, None).most_classes(9)
    apart = most_columns_apart(classes)
    for count in range(1, len(columns) + 1):
        for some in combinations(columns, count):
            sizes = Counter(zip(*some, strict=True))
            if sum(size for size in sizes.values() if size < k) <= exposed:
                assert len(sizes) <= classes
                assert most_independent(some) <= max(0, classes - 1)
                assert apart is None or most_apart(some) <= apart


@pytest.mark.long
def test_as_many_columns_as_the_bounds_have_there_can_be() -> None:
    people = [group for group in range(5) for _ in range(10)]
    one_hot = {f"is {group}": [mine == group for mine in people] for group in range(4)}
    assert most_independent(list(one_hot.values())) == 4
    chosen = select_columns(Population(pa.table(one_hot)), 0, k=10)
    assert (len(chosen.columns), chosen.independent) == (4, 4)
    thirds = {str(blocks): [blocks[mine] for mine in people] for blocks in partitions(5) if max(blocks) == 2}
    chosen = select_columns(Population(pa.table(thirds)), 0, k=10)
    assert len(chosen.columns) == chosen.bound == most_columns_apart(5) == 25


@pytest.mark.long
@pytest.mark.parametrize("weights", ["columns", "bits"])
@pytest.mark.parametrize("limits", [{}, {"MAX_LEVELS_EXAMINED": 2, "MAX_SETS_EXAMINED": 9}])
def test_a_search_that_ends_early_has_no_bound_beyond_them(weights: Any, limits: dict[str, int]) -> None:
    draw = np.random.default_rng(1)
    table = {f"c{j}": draw.permutation([0] * 20 + [1] * 20) for j in range(40)}
    with lowered(**limits):
        chosen = select_columns(Population(pa.table(table)), 0, k=10, weights=weights)
    most = most_columns_apart(4)
    assert most == 7
    assert chosen.bound <= most
    assert chosen.independent == 3


@pytest.mark.parametrize(("k", "exposed"), list(product([1, 2, 5], [0, 1, 3, 12])))
def test_classes_are_counted_as_by_the_worst_sizes(k: int, exposed: int) -> None:
    def most(left: int, small: int) -> int:
        sizes = [size for size in range(1, left + 1) if size >= k or size <= small]
        return max((1 + most(left - size, small - size * (size < k)) for size in sizes), default=0 if not left else -99)

    assert Constraints(k, exposed, {}, None).most_classes(12) >= most(12, exposed)
    assert Constraints(k, exposed, {}, None).most_classes(12) <= most(12, exposed) + 1
    assert Fraction(Constraints(k, 0, {}, None).most_classes(12)) == 12 // k
