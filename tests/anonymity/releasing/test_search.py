"""The release that is found is the most useful one within its goal, of all views of all columns."""

from fractions import Fraction
from itertools import count, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity.releasing.generalizations import (
    Generalization,
    generalizations_of,
    identity_generalization,
    merge_groups,
)
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.search import BestRelease, most_useful_release
from discretion.anonymity.releasing.suppression import Suppress
from discretion.anonymity.releasing.utility import UTILITIES, Utility
from discretion.errors import InvalidValueError
from discretion.numerics.equivalence_classes import Column
from discretion.numerics.search import explored_ideals
from oracles import coarsened
from oracles.coarsened import Asked
from support.diversities import DIVERSE
from support.lowering import lowered

shares = st.fractions(0, 1, max_denominator=12)
people = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from("abcdef"), st.sampled_from("xyz"), st.sampled_from("stu")),
    min_size=1, max_size=24,
)  # fmt: skip
goals = st.fixed_dictionaries({
    "k": st.integers(1, 6), "budget": shares, "rise": shares, "certain": st.none() | shares,
    "most_suppressed": st.integers(0, 6),
})  # fmt: skip


def column(values: list[Any]) -> tuple[Column, list[Any]]:
    held = list(dict.fromkeys(values))
    return Column(np.array([held.index(value) for value in values], np.int32), len(held)), held


def in_order(values: list[Any], held: str) -> Column:
    return Column(np.array([held.index(value) for value in values], np.int32), len(held))


def rows_of(view: Generalization) -> list[Any]:
    return [view.labels[code] for code in view.column.codes.tolist()]


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(
    people,
    goals,
    st.sampled_from([*DIVERSE]),
    st.sampled_from(UTILITIES),
    st.sampled_from([{}, {"MAX_LEVELS_EXAMINED": 3}]),
)
def test_no_other_choice_of_views_within_the_goal_is_more_useful(
    held: list[Any], numbers: dict[str, Any], kind: str, utility: Utility, some_limits: dict[str, int]
) -> None:
    diversity, diverse = DIVERSE[kind]
    asked = Asked(**numbers, diverse=diverse)
    columns = {name: column([person[j] for person in held]) for j, name in enumerate(("age", "job", "place"))}
    views = {name: generalizations_of(identity_generalization(*each), asked.k)[:3] for name, each in columns.items()}
    secret = [person[3] for person in held]
    goal = ReleaseGoal(asked.k, asked.budget, [diversity], asked.rise, asked.certain)
    with lowered(**some_limits):
        found = most_useful_release(
            views, {"secret": in_order(secret, "stu")}, goal, len(held),
            most_suppressed=asked.most_suppressed, utility=utility,
        )  # fmt: skip
    all_of_them = coarsened.releases(
        {name: [rows_of(view) for view in some] for name, some in views.items()}, [secret], len(held), asked, utility
    )
    assert (found is None) == (not all_of_them)
    if found is None:
        return
    assert found.ended == "proved"
    levels = tuple(
        next((level for level, view in enumerate(some) if found.views.get(name) is view), None)
        for name, some in views.items()
    )
    kept, out = all_of_them[levels]
    assert found.cut.out.sum() == out
    assert found.kept == pytest.approx(kept, rel=1e-9, abs=1e-9)
    assert kept == pytest.approx(max(kept for kept, _ in all_of_them.values()), rel=1e-9, abs=1e-9)
    left = [row for row in range(len(held)) if not found.cut.out[row]]
    shown = [[rows_of(view)[row] for row in left] for view in found.views.values()]
    assert coarsened.meets(shown, [[secret[row] for row in left]], len(left), asked)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(people, goals, st.sampled_from([*DIVERSE]), st.sampled_from(UTILITIES))
def test_cells_left_blank_keep_to_the_goal_and_at_least_as_much_as_rows_left_out(
    held: list[Any], numbers: dict[str, Any], kind: str, utility: Utility
) -> None:
    diversity, diverse = DIVERSE[kind]
    asked = Asked(**numbers, diverse=diverse)
    columns = {name: column([person[j] for person in held]) for j, name in enumerate(("age", "job", "place"))}
    views = {name: generalizations_of(identity_generalization(*each), asked.k)[:3] for name, each in columns.items()}
    secret = [person[3] for person in held]
    goal = ReleaseGoal(asked.k, asked.budget, [diversity], asked.rise, asked.certain)

    def best(suppress: Suppress) -> BestRelease | None:
        return most_useful_release(
            views, {"secret": in_order(secret, "stu")}, goal, len(held),
            most_suppressed=asked.most_suppressed, suppress=suppress, utility=utility,
        )  # fmt: skip

    found, other = best("cells"), best("rows")
    if found is None:
        assert other is None
        return
    assert found.ended == "proved"
    assert found.kept >= (0 if other is None else other.kept) - 1e-9
    assert found.bound >= found.kept - 1e-9
    left = [row for row in range(len(held)) if not found.cut.out[row]]
    shown = [
        [None if blank[row] else rows_of(view)[row] for row in left]
        for view, blank in zip(found.views.values(), found.cut.blank, strict=True)
    ]
    assert coarsened.meets(shown, [[secret[row] for row in left]], len(left), asked)
    touched = [row for row in range(len(held)) if found.cut.out[row] or any(blank[row] for blank in found.cut.blank)]
    assert len(touched) <= asked.most_suppressed
    blanked = [place for place, row in enumerate(left) if row in touched]
    for rows in coarsened.members([[values[place] for place in blanked] for values in shown], len(blanked)):
        assert len(rows) >= asked.k


def dependent_views(rows: int, columns: int) -> dict[str, tuple[Generalization, ...]]:
    """Return the views of columns of numbers, of which every other one is near the one before."""
    draw = np.random.default_rng(1)
    numbers = draw.integers(0, 60, (columns, rows)) ** 2 // 60
    numbers[1::2] = numbers[::2] + draw.integers(0, 2, (columns // 2, rows))
    return {
        str(j): generalizations_of(identity_generalization(*column(values.tolist())), 5)
        for j, values in enumerate(numbers)
    }


GOAL = ReleaseGoal(5, Fraction(1, 50), [], Fraction(1), None)


@pytest.mark.long
def test_without_a_time_limit_it_is_the_same_however_slow_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    views = dependent_views(2000, 8)
    with lowered(MAX_SETS_EXAMINED=600):
        first = most_useful_release(views, {}, GOAL, 2000, most_suppressed=40)
        monkeypatch.setattr(explored_ideals.time, "monotonic", count(step=1000).__next__)
        again = most_useful_release(views, {}, GOAL, 2000, most_suppressed=40)
    assert first is not None
    assert again is not None
    assert first.ended == again.ended == "sets"
    assert first.views == again.views
    assert (first.kept, first.bound) == (again.kept, again.bound)


@pytest.mark.long
def test_what_is_found_is_at_least_as_useful_as_a_start() -> None:
    views = dependent_views(2000, 8)
    good = most_useful_release(views, {}, GOAL, 2000, most_suppressed=40)
    assert good is not None
    too_much = {name: some[0] for name, some in views.items()}
    with lowered(MAX_SETS_EXAMINED=6):
        found = most_useful_release(views, {}, GOAL, 2000, most_suppressed=40, starts=[too_much, good.views])
        with pytest.raises(InvalidValueError, match="reached its limit before it found a release"):
            most_useful_release(views, {}, GOAL, 2000, most_suppressed=40)
    assert found is not None
    assert good.kept <= found.kept <= found.bound


@given(st.lists(st.none() | st.integers(-50, 50) | st.floats(-9, 9), min_size=1, max_size=40), st.integers(1, 5))
def test_each_view_of_numbers_is_a_function_of_the_one_before(values: list[Any], k: int) -> None:
    check_a_chain(generalizations_of(identity_generalization(*column(values)), k), values, k)


@pytest.mark.parametrize("values", [
    [1_700_000_000_000.0 + i * 37 % 5_000 for i in range(100)], [10**17 + 16 * i for i in range(100)],
    [1e300 * i for i in range(9)], [1e9 + i / 1_000 for i in range(100)], [1e-300 * i for i in range(9)],
])  # fmt: skip
def test_steps_of_far_numbers_have_names_of_their_own(values: list[float]) -> None:
    views = generalizations_of(identity_generalization(*column(values)), 2)
    check_a_chain(views, values, 2)
    assert len(views) > 1


@given(
    st.lists(st.none() | st.sampled_from(["a", "b", "(other)", "c", ""]), min_size=1, max_size=40), st.integers(1, 5)
)
def test_each_view_of_categories_is_a_function_of_the_one_before(values: list[Any], k: int) -> None:
    check_a_chain(generalizations_of(identity_generalization(*column(values)), k), values, k)


def check_a_chain(views: tuple[Generalization, ...], values: list[Any], k: int) -> None:
    assert rows_of(views[0]) == values
    for fine, coarse in pairwise(views):
        pairs = set(zip(fine.column.codes.tolist(), coarse.column.codes.tolist(), strict=True))
        assert len(pairs) == fine.column.count > coarse.column.count > 1
        assert len(coarse.labels) == len(set(coarse.labels)) == coarse.column.count


def test_a_group_is_what_it_is_called() -> None:
    view = merge_groups(identity_generalization(*column(["a", "b", "a"])), "one", ["all", "all"])
    assert (view.column.count, rows_of(view)) == (1, ["all"] * 3)
