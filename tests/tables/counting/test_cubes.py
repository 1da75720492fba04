"""Class sizes from codes are those by counting, however the codes are numbered and whatever groupings are kept."""

from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.numerics.equivalence_classes import Column
from discretion.tables.counting import cubes
from discretion.tables.counting.cubes import class_sizes_in_codes
from oracles import tables

NAMES = "abcd"
# All by cells; all by sorting; with numbers that overflow after each column; with every grouping kept, and with none.
WAYS = [
    {},
    {"_FEW_CELLS": inf},
    {"_FEW_CELLS": 0, "_CELLS_A_GROUP": 0},
    {"_FEW_CELLS": 0, "_CELLS_A_GROUP": 0, "_MIN_SHRINKING": 0},
    {"_LARGEST_SHORT_NUMBER": 4},
    {"_LARGEST_NUMBER": 4},
    {"_LARGEST_NUMBER": 4, "_FEW_CELLS": 0, "_CELLS_A_GROUP": 0, "_MIN_SHRINKING": 0},
    {"_MIN_SHRINKING": 0},
    {"_GROUPINGS_KEPT": 1},
]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("way", WAYS, ids=str)
@settings(max_examples=60)
@given(rows=st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=30), data=st.data())
def test_of_any_sets(way: dict[str, float], rows: list[tuple[int, ...]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sets(st.sampled_from(NAMES), min_size=1).map(frozenset), max_size=15))
    columns = {name: Column(np.array([row[j] for row in rows], np.int32), 4) for j, name in enumerate(NAMES)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in way.items():
            patch.setattr(cubes, name, value)
        found = class_sizes_in_codes(columns, chosen)
    assert found.keys() == set(chosen)
    for names, sizes in found.items():
        places = [NAMES.index(name) for name in sorted(names)]
        assert dict(zip(sizes.sizes.tolist(), sizes.counts.tolist(), strict=True)) == tables.class_sizes(
            tables.restrict(rows, places)
        )


def test_numbers_of_many_wide_columns_do_not_overflow() -> None:
    rng = np.random.default_rng(0)
    columns = {f"c{j}": Column(rng.integers(0, 10**5, 500, np.int32), 10**5) for j in range(8)}
    columns |= {"of two": Column(np.repeat(np.arange(250, dtype=np.int32), 2), 250)}
    sets = [frozenset(names) for names in combinations(columns, 7)]
    for names, sizes in class_sizes_in_codes(columns, sets).items():
        assert sizes.classes == len(set(zip(*(columns[name].codes.tolist() for name in names), strict=True)))


def test_a_billion_people_add_up_exactly() -> None:
    codes = {"a": np.array([0, 1, 0], np.int32)}
    groups = cubes._Groups({"a": 2}, lambda: codes, np.array([10**9 + 1, 7, 10**9]), 3)
    sizes, _ = groups.on(frozenset("a"))
    assert sizes.tolist() == [2 * 10**9 + 1, 7]
