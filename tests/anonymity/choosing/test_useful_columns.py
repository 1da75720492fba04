"""Of columns that say the same one counts; what is kept, dropped or guarded is; a search says how it ended."""

from fractions import Fraction
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from oracles import selections
from tacit.anonymity import Population
from tacit.anonymity.choosing import selection as choosing
from tacit.anonymity.choosing.selection import Selection, select_columns
from tacit.errors import EngineError
from tacit.limits import Limits, within

NAMES = "uvwxyz"
# Of a letter: itself, which half it is in, its number, one value for all.
VIEWS = {"u": str, "v": lambda a: a in "ab", "w": ord, "x": lambda a: 1}
letters = st.sampled_from("abcd")
some_people = st.lists(
    st.tuples(letters, letters, st.sampled_from("st"), st.sampled_from("mno")), min_size=1, max_size=14
)
budgets = st.fractions(0, 1, max_denominator=12)
kept = st.lists(st.sampled_from(NAMES), max_size=1)
#: Everything level by level; or hardly a level, so that good sets are looked for and then proved.
searches = st.sampled_from([Limits(), Limits(most_levels_examined=3)])


def table_of(people: list[Any]) -> dict[str, list[Any]]:
    """Return a table where v and w follow from u, x tells nothing, and y and z and a secret are by themselves."""
    columns: dict[str, list[Any]] = {name: [view(p[0]) for p in people] for name, view in VIEWS.items()}
    return columns | {"y": [p[1] for p in people], "z": [p[2] for p in people], "secret": [p[3] for p in people]}


@pytest.mark.long
@settings(max_examples=500, deadline=None)
@given(
    some_people, st.integers(1, 6), budgets, kept, kept, st.sampled_from(["columns", "bits"]),
    st.none() | budgets, st.none() | budgets, searches,
)  # fmt: skip
def test_it_is_the_choice_among_all_sets(  # noqa: PLR0917
    people: list[Any], k: int, budget: Fraction, keep: list[str], drop: list[str], by: Literal["columns", "bits"],
    rise: Fraction | None, certain: Fraction | None, limits: Limits,
) -> None:  # fmt: skip
    table, n = table_of(people), len(people)
    drop = [name for name in drop if name not in keep]
    secret = [] if rise is None else ["secret"]
    facts = selections.facts_of_all(table, [name for name in NAMES if name not in drop], secret, k, by == "bits")
    commonest = max(map(table["secret"].count, table["secret"]))

    def fits(found: selections.Facts) -> bool:
        return (
            found.exposed <= budget * n
            and all(right <= commonest + rise * n // 1 for right in found.guessed if rise is not None)
            and (certain is None or all(sure <= certain * n for sure in found.certain))
        )

    allowed = {some: found for some, found in facts.items() if set(keep) <= set(some) and fits(found)}
    with within(limits):
        chosen = select_columns(
            Population(pa.table(table)), budget, k=k, columns=list(NAMES), keep=keep, drop=drop, weights=by,
            sensitive=secret, guess_budget=rise if rise is None else float(rise), certain_budget=certain,
        )  # fmt: skip
    assert chosen.proved
    assert (chosen.best is None) == (not allowed)
    if chosen.best is None:
        return
    worth = max(found.worth for found in allowed.values())
    assert chosen.best.utility == pytest.approx(float(worth), rel=1e-12, abs=1e-12)
    assert chosen.bound >= chosen.best.utility
    best = facts[in_order(chosen.columns)]
    assert best.exposed == chosen.best.exposure * n
    if chosen.complete:
        assert best.bits == pytest.approx(
            max(f.bits for f in allowed.values() if f.worth >= worth - Fraction(1, 10**9))
        )
        largest = [some for some in allowed if not any(set(some) < set(other) for other in allowed)]
        assert {frozenset(found.columns) for found in chosen.maximal} == set(map(frozenset, largest))
        assert chosen.maximal[0] == chosen.best
    for found in (*chosen.maximal, *chosen.front):
        assert in_order(found.columns) in allowed
        assert [right * n for right in found.guesses.values()] == pytest.approx(facts[in_order(found.columns)].guessed)
    points = {(round(float(f.worth), 9), f.exposed) for f in allowed.values()}
    if chosen.complete:
        undominated = {
            (worth, exposed)
            for worth, exposed in points
            if not any(w >= worth and e <= exposed and (w, e) != (worth, exposed) for w, e in points)
        }
        assert {(round(found.utility, 9), round(float(found.exposure) * n)) for found in chosen.front} == undominated


def in_order(columns: Any) -> tuple[str, ...]:
    return tuple(name for name in NAMES if name in columns)


def test_what_follows_from_another_column_goes_out_with_it() -> None:
    ages = ["10", "11", "20", "21"] * 3
    table = {
        "age": ages,
        "born": [str(2020 - int(a)) for a in ages],
        "decade": [a[0] for a in ages],
        "same": ["x"] * 12,
    }
    selection = select_columns(Population(pa.table(table)), 0, k=3)
    assert selection.columns == ("age", "born", "decade", "same")
    assert selection.best is not None
    assert selection.best.utility == 1
    assert selection.functions == {"born": "age", "decade": "age"}
    assert selection.constants == ("same",)


def test_a_date_is_no_less_than_its_month_and_its_day() -> None:
    days = [(month, day) for month in "abc" for day in "pqr"] * 2
    table = {"date": ["".join(d) for d in days], "month": [d[0] for d in days], "day": [d[1] for d in days]}
    selection = select_columns(Population(pa.table(table)), 0, k=2)
    assert selection.columns == ("date", "month", "day")
    assert selection.best is not None
    assert selection.best.utility == 2


def test_a_sensitive_column_goes_out_only_if_it_is_kept() -> None:
    P = Population("example:adult", ["sex", "race", "income"])
    alone = select_columns(P, 0.05, k=10, sensitive=["income"])
    assert alone.columns == ("sex", "race")
    kept = select_columns(P, 0.05, k=10, sensitive=["income"], keep=["income"])
    assert kept.columns == ("sex", "race", "income")
    assert kept.best is not None
    assert alone.best is not None
    assert kept.best.guesses == alone.best.guesses


def wide_table(columns: int = 24, people: int = 3000) -> Population:
    """Return a table of which more sets are within a tenth than are gone through one by one."""
    from random import Random

    draw = Random(4)
    held = {
        f"c{j}": [draw.choices("abcdefgh"[: 2 + j % 7], [20] + [1] * (1 + j % 7))[0] for _ in range(people)]
        for j in range(columns)
    }
    return Population(pa.table(held))


def check_it_claims_no_more_than_it_knows(selection: Selection, ended: str) -> None:
    assert selection.best is not None
    assert (selection.ended, selection.proved, selection.complete) == (ended, False, False)
    assert selection.bound > selection.best.utility
    for found in selection.maximal:
        assert isinstance(found.exposure, float)
        assert found.exposure <= 0.1


@pytest.mark.long
def test_a_search_without_time_left_says_so() -> None:
    check_it_claims_no_more_than_it_knows(select_columns(wide_table(), 0.1, k=10, time_limit=0.3), "time")


@pytest.mark.long
def test_a_search_of_so_many_sets_says_so() -> None:
    with within(Limits(most_sets_examined=2000, most_levels_examined=100)):
        check_it_claims_no_more_than_it_knows(select_columns(wide_table(), 0.1, k=10), "sets")


@pytest.mark.long
def test_an_interrupted_search_keeps_what_it_has() -> None:
    better: list[Any] = []

    def interrupt(columns: Any) -> None:
        better.append(columns)
        if len(columns) == 6:
            raise KeyboardInterrupt

    selection = select_columns(wide_table(), 0.1, k=10, progress=interrupt)
    check_it_claims_no_more_than_it_knows(selection, "interrupted")
    assert len(selection.columns) == len(better[-1]) == 6


@pytest.mark.long
def test_a_limit_of_the_process_is_no_interruption() -> None:
    class Reached(KeyboardInterrupt):
        pass

    def reach(_: Any) -> None:
        raise Reached

    with pytest.raises(Reached):
        select_columns(wide_table(), 0.1, k=10, progress=reach)


def test_an_engine_that_counts_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "exposed_below", lambda sizes, least: -1)
    with pytest.raises(EngineError, match="please report this"):
        select_columns(Population("example:adult", ["sex", "race"]), 0.5, k=10)
