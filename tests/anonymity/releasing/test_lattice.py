"""On Adult with ARX's hierarchies the release that is found is the best of the whole lattice of generalizations."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import floor, log2

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discretion.anonymity.releasing.generalizations import Generalization, identity_generalization, merge_groups
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.search import most_useful_release
from discretion.anonymity.releasing.utility import Utility
from discretion.numerics.equivalence_classes import Column
from discretion.tables.locations import path_of
from support.adult_hierarchies import coarser

COLUMNS = ("sex", "age", "race", "marital_status", "education", "native_country", "occupation")
Views = Mapping[str, Sequence[Generalization]]


@cache
def adult() -> Views:
    """The people with a value in each of the columns, and their generalizations but for ``*``, which is no column."""
    table = pq.read_table(path_of("example:adult"), columns=list(COLUMNS))
    texts = pa.table({name: table[name].cast(pa.string()) for name in COLUMNS}).to_pylist()
    held = [row for row in texts if not {None, "?"} & {*row.values()}]
    return {name: list(generalizations(name, [row[name] for row in held])) for name in COLUMNS}


def generalizations(name: str, values: Sequence[str]) -> Iterator[Generalization]:
    labels, codes = np.unique(values, return_inverse=True)
    finest = identity_generalization(Column(codes.astype(np.int32), labels.size), labels.tolist())
    yield finest
    levels = [coarser(name, label) for label in labels.tolist()]
    for level in range(len(levels[0]) - 1):
        yield merge_groups(finest, f"level {level + 1}", [each[level] for each in levels])


@cache
def lattice() -> dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]]:
    """Of each choice of levels the sizes of the classes, and what the cells of the rows in each carry."""
    views = adult()
    found: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}
    for levels in product(*(range(len(some) + 1) for some in views.values())):
        shown = [some[level] for some, level in zip(views.values(), levels, strict=True) if level < len(some)]
        rows = next(iter(views.values()))[0].column.codes.size
        keys = reduce(lambda key, view: key * view.column.count + view.column.codes, shown, np.zeros(rows, np.int64))
        _, classes, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        carried = sum((view.bits_of_codes[view.column.codes] for view in shown), np.zeros(rows))
        found[levels] = sizes, np.bincount(classes, carried)
    return found


def kept(sizes: np.ndarray, carried: np.ndarray, k: int, most: int, utility: Utility) -> float:
    """Return what is left without the classes of fewer than k, or minus one if these have too many people."""
    large = sizes >= k
    if sizes[~large].sum() > most:
        return -1
    if utility == "entropy":
        return float(carried[large].sum())
    people = int(sizes[large].sum())
    return people * log2(max(people, 1)) - float(sizes[large] @ np.log2(sizes[large]))


@pytest.mark.long
@pytest.mark.parametrize("k", [3, 5, 10, 50])
@pytest.mark.parametrize("utility", ["information", "entropy"])
def test_it_is_the_best_of_the_lattice(k: int, utility: Utility) -> None:
    views = adult()
    people = views["sex"][0].column.codes.size
    goal = ReleaseGoal(k, Fraction(0), [], Fraction(1), None)
    for share in (0, 0.01, 0.05):
        most = floor(share * people)
        found = most_useful_release(views, {}, goal, people, most_suppressed=most, utility=utility)
        assert found is not None
        best = max(kept(*node, k, most, utility) for node in lattice().values())
        assert found.kept == pytest.approx(best, rel=1e-9)
        assert found.kept <= found.bound + 1e-6
