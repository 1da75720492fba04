"""On Adult with ARX's hierarchies the release that is found is the best of the whole lattice of generalizations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import floor, log
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discretion.anonymity.releasing.diversity import Closeness, Distinct, Diversity, Entropy, Recursive
from discretion.anonymity.releasing.generalizations import Generalization, identity_generalization, merge_groups
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.search import most_useful_release
from discretion.anonymity.releasing.utility import Utility
from discretion.numerics.equivalence_classes import Column
from discretion.tables.locations import path_of
from support.adult_hierarchies import coarser

KNOWN = ("sex", "age", "race", "marital_status", "education", "native_country", "occupation")
SHARES = [Fraction(0), Fraction(1, 100), Fraction(5, 100)]
LEVELS_OF_K = (3, 5, 10, 50)
Views = Mapping[str, Sequence[Generalization]]
# How many people of each class, and of the input, have each sensitive value → which classes fail.
Fails = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Model(NamedTuple):
    """What a class needs besides k people: of which column, as a goal by its counts in the input, and by definition."""

    sensitive: str | None
    diversity: Callable[[tuple[int, ...]], Sequence[Diversity]]
    fails: Fails


class Node(NamedTuple):
    """A choice of levels: how many people of each class have each sensitive value, and the bits of one's cells."""

    counts: np.ndarray
    bits: np.ndarray


def fewer_values_than(least: int) -> Fails:
    return lambda counts, _: (counts > 0).sum(axis=1) < least


def less_entropy_than(least: float) -> Fails:
    def fails(counts: np.ndarray, _: np.ndarray) -> np.ndarray:
        shares = counts / counts.sum(axis=1, keepdims=True)
        return -(shares * np.log(np.where(counts, shares, 1))).sum(axis=1) < log(least) - 1e-9

    return fails


def too_common(c: int, least: int) -> Fails:
    def fails(counts: np.ndarray, _: np.ndarray) -> np.ndarray:
        falling = np.sort(counts, axis=1)[:, ::-1]
        return falling[:, 0] >= c * falling[:, least - 1 :].sum(axis=1)

    return fails


def farther_than(t: Fraction) -> Fails:
    def fails(counts: np.ndarray, whole: np.ndarray) -> np.ndarray:
        # Half the differences of the shares, times both sizes, so that nothing is rounded.
        sizes, people = counts.sum(axis=1), whole.sum()
        gaps = np.abs(counts * people - sizes[:, None] * whole).sum(axis=1)
        return gaps * t.denominator > 2 * t.numerator * sizes * people

    return fails


FIFTH = Fraction(1, 5)
MODELS = {
    "k alone": Model(None, lambda _: [], lambda counts, _: np.zeros(len(counts), bool)),
    "2 incomes": Model("income", lambda _: [Distinct("income", 2)], fewer_values_than(2)),
    "incomes as in the input": Model(
        "income", lambda whole: [Closeness("income", FIFTH, whole=whole)], farther_than(FIFTH)
    ),
    "the entropy of 1.5 incomes": Model("income", lambda _: [Entropy("income", 1.5)], less_entropy_than(1.5)),
    "recursive (4, 2) incomes": Model("income", lambda _: [Recursive("income", Fraction(4), 2)], too_common(4, 2)),
    "3 occupations": Model("occupation", lambda _: [Distinct("occupation", 3)], fewer_values_than(3)),
    "occupations as in the input": Model(
        "occupation", lambda whole: [Closeness("occupation", FIFTH, whole=whole)], farther_than(FIFTH)
    ),
    "the entropy of 3 occupations": Model("occupation", lambda _: [Entropy("occupation", 3)], less_entropy_than(3)),
    "recursive (2, 3) occupations": Model(
        "occupation", lambda _: [Recursive("occupation", Fraction(2), 3)], too_common(2, 3)
    ),
}  # fmt: skip
CASES = [
    *product(["k alone", "2 incomes", "incomes as in the input"], LEVELS_OF_K),
    ("the entropy of 1.5 incomes", 50),
    ("recursive (4, 2) incomes", 50),
    # Not 10 or 50: a release keeps no value of fewer than k people, and 9 are in the armed forces.
    *((name, 5) for name, model in MODELS.items() if model.sensitive == "occupation"),
]


def coded(values: Sequence[str]) -> Column:
    labels, codes = np.unique(values, return_inverse=True)
    return Column(codes.astype(np.int32), labels.size)


@cache
def adult() -> Mapping[str, Sequence[str]]:
    """The values of the people who have one in each of the columns."""
    columns = [*KNOWN, "income"]
    table = pq.read_table(path_of("example:adult"), columns=columns)
    texts = pa.table({name: table[name].cast(pa.string()) for name in columns}).to_pylist()
    held = [row for row in texts if not {None, "?"} & {*row.values()}]
    return {name: [row[name] for row in held] for name in columns}


def generalizations(name: str, values: Sequence[str]) -> Iterator[Generalization]:
    """The generalizations of a column but for ``*``, which is no column."""
    finest = identity_generalization(coded(values), sorted({*values}))
    yield finest
    levels = [coarser(name, label) for label in finest.labels]
    for level in range(len(levels[0]) - 1):
        yield merge_groups(finest, f"level {level + 1}", [each[level] for each in levels])


@cache
def views(sensitive: str | None) -> Views:
    return {name: list(generalizations(name, adult()[name])) for name in KNOWN if name != sensitive}


@cache
def lattice(sensitive: str | None) -> Sequence[Node]:
    """Return the choices of levels without those that leave too many people out at every k.

    Those are the finest, with most of the classes. Without a sensitive column all people have the same value.
    """
    people = len(adult()["sex"])
    values = coded([""] * people if sensitive is None else adult()[sensitive])
    nodes: list[Node] = []
    for levels in product(*(range(len(some) + 1) for some in views(sensitive).values())):
        of_columns = zip(views(sensitive).values(), levels, strict=True)
        shown = [some[level] for some, level in of_columns if level < len(some)]
        keys = reduce(lambda key, view: key * view.column.count + view.column.codes, shown, np.zeros(people, np.int64))
        _, first, classes, sizes = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        if sizes[sizes < min(LEVELS_OF_K)].sum() <= max(SHARES) * people:
            counts = np.bincount(classes * values.count + values.codes, minlength=sizes.size * values.count)
            bits = (view.bits_of_codes[view.column.codes[first]] for view in shown)
            nodes.append(Node(counts.reshape(sizes.size, values.count), sum(bits, np.zeros(sizes.size))))
    return nodes


def kept(node: Node, passing: np.ndarray, utility: Utility) -> float:
    """Return the utility of the classes that go out: their information given the sensitive value, or their entropy."""
    counts = node.counts[passing]
    if utility == "entropy":
        return float(counts.sum(axis=1) @ node.bits[passing])
    with_value = np.broadcast_to(counts.sum(axis=0), counts.shape)
    return float((counts[counts > 0] * np.log2(with_value[counts > 0] / counts[counts > 0])).sum())


@pytest.mark.long
@pytest.mark.parametrize("utility", ["information", "entropy"])
@pytest.mark.parametrize(("name", "k"), CASES)
def test_it_is_the_best_of_the_lattice(name: str, k: int, utility: Utility) -> None:
    sensitive, diversity, fails = MODELS[name]
    secrets = {} if sensitive is None else {sensitive: coded(adult()[sensitive])}
    people, whole = len(adult()["sex"]), lattice(sensitive)[0].counts.sum(axis=0)
    goal = ReleaseGoal(k, Fraction(0), diversity(tuple(whole.tolist())), Fraction(1), None)
    # As in ARX, nobody in a class that fails goes out.
    releases: list[tuple[int, float]] = []
    for node in lattice(sensitive):
        failing = (node.counts.sum(axis=1) < k) | fails(node.counts, whole)
        releases.append((int(node.counts[failing].sum()), kept(node, ~failing, utility)))
    for share in SHARES:
        most = floor(share * people)
        release = most_useful_release(
            views(sensitive), secrets, goal, people, most_suppressed=most, utility=utility, guarded=[*secrets]
        )
        assert release is not None
        assert release.kept == pytest.approx(max(worth for out, worth in releases if out <= most), rel=1e-9)
        assert release.kept <= release.bound + 1e-6
