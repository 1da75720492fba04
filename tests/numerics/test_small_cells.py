"""What fits through small cells is the least cut, and what a linear programme finds."""

import numpy as np
from hypothesis import given, strategies as st
from scipy.optimize import linprog

from discretion.numerics.small_cells import Margins, most_in_small_cells
from oracles.pairs import least_cut

SUMS = st.lists(st.integers(1, 9), max_size=4)


def margins(tables: list[list[int]]) -> Margins:
    of = [number for number, sums in enumerate(tables) for _ in sums]
    return Margins(np.array(of, np.int64), np.array([each for sums in tables for each in sums], np.int64))


@given(st.lists(st.tuples(SUMS, SUMS), min_size=1, max_size=4), st.integers(1, 12))
def test_it_is_the_least_cut_of_each_table(tables: list[tuple[list[int], list[int]]], most: int) -> None:
    rows, columns = [list(part) for part in zip(*tables, strict=True)]
    found = most_in_small_cells(margins(rows), margins(columns), most, len(tables))
    assert found.tolist() == [least_cut(*table, most) for table in tables]


@given(SUMS.filter(len), SUMS.filter(len), st.integers(1, 9))
def test_it_is_what_a_linear_programme_finds(rows: list[int], columns: list[int], most: int) -> None:
    cells = np.arange(len(rows) * len(columns)).reshape(len(rows), len(columns))
    sums = [*(np.isin(cells.ravel(), row) for row in cells), *(np.isin(cells.ravel(), column) for column in cells.T)]
    best = linprog(-np.ones(cells.size), np.array(sums, float), [*rows, *columns], bounds=(0, most))
    (found,) = most_in_small_cells(margins([rows]), margins([columns]), most, 1)
    assert found == round(-best.fun)


def test_a_cell_may_hold_more_than_there_are() -> None:
    (found,) = most_in_small_cells(margins([[2, 3]]), margins([[4]]), 10**18, 1)
    assert found == 4
