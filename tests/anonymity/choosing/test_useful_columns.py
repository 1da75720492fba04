"""Of columns that say the same one counts; what is kept, dropped or guarded is; a search says how it ended."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population
from discretion.anonymity.choosing import selection as choosing
from discretion.anonymity.choosing.selection import Selection, select_columns
from discretion.errors import EngineError
from oracles import selections
from support.lowering import lowered

NAMES = "ruvwxyz"
# Of a letter: itself, which half it is in, its number, one value for all.
VIEWS = {"u": str, "v": lambda a: a in "ab", "w": ord, "x": lambda a: 1}
letters = st.sampled_from("abcd")
some_people = st.lists(
    st.tuples(letters, letters, st.sampled_from("st"), st.sampled_from("mno")), min_size=1, max_size=14
)
budgets = st.fractions(0, 1, max_denominator=12)
kept = st.lists(st.sampled_from(NAMES), max_size=1)
#: Everything level by level; or hardly a level, so that good sets are looked for and then proved.
searches = st.sampled_from([{}, {"MAX_LEVELS_EXAMINED": 3}])


def table_of(people: list[Any]) -> dict[str, list[Any]]:
    """Return a table where v and w follow from u, x tells nothing, and y and z and a secret are by themselves.

    And r is whether u is d, but of the first, so that it nearly follows from u where many are alike.
    """
    columns: dict[str, list[Any]] = {name: [view(p[0]) for p in people] for name, view in VIEWS.items()}
    columns["r"] = [(p[0] == "d") != (place == 0) for place, p in enumerate(people)]
    return columns | {"y": [p[1] for p in people], "z": [p[2] for p in people], "secret": [p[3] for p in people]}


@pytest.mark.long
@settings(max_examples=500, deadline=None)
@given(
    some_people, st.sampled_from([1, 1, 12]), st.integers(1, 6), budgets, kept, kept,
    st.sampled_from(["columns", "bits"]), st.none() | budgets, st.none() | budgets, searches,
)  # fmt: skip
def test_it_is_the_choice_among_all_sets(  # noqa: PLR0917
    people: list[Any], times: int, k: int, budget: Fraction, keep: list[str], drop: list[str],
    by: Literal["columns", "bits"], rise: Fraction | None, certain: Fraction | None, limits: dict[str, int],
) -> None:  # fmt: skip
    table, n = table_of(people * times), len(people) * times
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
    with lowered(**limits):
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


@pytest.mark.parametrize(
    ("most", "functions"), [(6, {"born": "age", "decade": "age", "x": "age"}), (5, {"born": "age"}), (1, {})]
)
def test_of_many_columns_elsewhere_an_engine_is_asked_for_copies_only(most: int, functions: dict[str, str]) -> None:
    ages = ["10", "11", "20", "21"] * 3
    table = {
        "age": ages,
        "born": [str(2020 - int(a)) for a in ages],
        "decade": [a[0] for a in ages],
        "x": [*"fffm"] * 3,
    }
    elsewhere = Population(pa.table(table)).with_rows(lambda rows: replace(rows, arrow=None), None)
    with lowered(MAX_PAIRS_ASKED=most):
        assert select_columns(elsewhere, 0, k=3).functions == functions


def test_what_nearly_follows_from_another_column_counts_once() -> None:
    letters = ["a", "b", "c", "d"] * 100
    half = [letter in "ab" for letter in letters]
    table = {"letter": letters, "half": [not half[0], *half[1:]], "coin": [i % 3 == 0 for i in range(400)]}
    selection = select_columns(Population(pa.table(table)), 0.5, k=2)
    assert selection.columns == ("letter", "half", "coin")
    assert selection.best is not None
    assert selection.best.utility == 2
    assert selection.nearly == {"half": "letter"}
    assert selection.functions == {}


@pytest.mark.long
@given(st.integers(2, 5), st.integers(20, 400), st.sampled_from([0, 0.01, 0.04, 0.1]), st.integers(0, 10**6))
@settings(deadline=None)
def test_what_nearly_follows_is_what_a_double_loop_finds(m: int, n: int, noise: float, seed: int) -> None:
    from random import Random

    draw = Random(seed)
    first = [draw.choice("abcdef") for _ in range(n)]
    table = {"c0": first}
    for j in range(1, m):
        of = table[f"c{draw.randrange(j)}"]
        to = {letter: draw.choice("abcdef"[: 1 + draw.randrange(6)]) for letter in "abcdef"}
        table[f"c{j}"] = [draw.choice("abcdef") if draw.random() < noise else to[value] for value in of]
    selection = select_columns(Population(pa.table(table)), 1, k=2)
    near = selections.nearly_following(table)
    assert selection.nearly == {name: near[name][0] for name in near if name not in selection.functions}


@pytest.mark.long
def test_a_sample_of_the_rows_loses_nothing_that_nearly_follows() -> None:
    from random import Random

    draw = Random(3)
    n = 40_000
    table: dict[str, list[Any]] = {f"c{j}": [draw.randrange(4 + j) for _ in range(n)] for j in range(8)}
    for j in range(8):
        table[f"n{j}"] = [value // 2 if draw.random() > 0.02 else 0 for value in table[f"c{j}"]]
    selection = select_columns(Population(pa.table(table)), 1, k=2, time_limit=2)
    assert selection.nearly == {f"n{j}": f"c{j}" for j in range(8)}
    assert selections.nearly_following(table) == {f"n{j}": [f"c{j}"] for j in range(8)}


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


# Of a letter and of what is guessed: a copy of the secret, what it follows from, what follows from it, one value.
SECRETS = {
    "secret": lambda a, s: s, "again": lambda a, s: s * 2, "finer": lambda a, s: s + a, "half": lambda a, s: s == "m",
    "letter": lambda a, s: a, "one": lambda a, s: 1,
}  # fmt: skip


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(letters, st.sampled_from("mno")), min_size=1, max_size=12), st.permutations(list(SECRETS)),
    st.lists(st.sampled_from(["secret", "again", "half", "one", "finer"]), min_size=1, max_size=3, unique=True),
    st.data(), st.integers(1, 4), budgets, budgets, st.none() | budgets, st.sampled_from(["columns", "bits"]), searches,
)  # fmt: skip
def test_a_sensitive_column_that_is_kept_counts_as_others_do_and_brings_nothing(  # noqa: PLR0917
    people: list[Any], order: list[str], secret: list[str], data: st.DataObject, k: int, budget: Fraction,
    rise: Fraction, certain: Fraction | None, by: Literal["columns", "bits"], limits: dict[str, int],
) -> None:  # fmt: skip
    table, n = {name: [SECRETS[name](*person) for person in people] for name in order}, len(people)
    keep = data.draw(st.lists(st.sampled_from(secret), max_size=3, unique=True))
    facts = selections.facts_of_all(table, order, secret, k, by == "bits")
    commonest = [max(map(table[name].count, table[name])) for name in secret]
    allowed = {
        some: found
        for some, found in facts.items()
        if set(keep) == set(some) & set(secret)
        and found.exposed <= budget * n
        and all(right <= most + rise * n // 1 for right, most in zip(found.guessed, commonest, strict=True))
        and (certain is None or all(sure <= certain * n for sure in found.certain))
    }
    with lowered(**limits):
        chosen = select_columns(
            Population(pa.table(table)), budget, k=k, keep=keep, weights=by,
            sensitive=secret, guess_budget=float(rise), certain_budget=certain,
        )  # fmt: skip
    assert chosen.proved
    assert (chosen.best is None) == (not allowed)
    if chosen.best is None:
        return
    best = tuple(name for name in order if name in chosen.columns)
    assert chosen.best.utility == pytest.approx(float(max(found.worth for found in allowed.values())), abs=1e-12)
    assert chosen.best.utility == pytest.approx(float(allowed[best].worth), abs=1e-12)
    assert allowed[best].exposed == chosen.best.exposure * n
    assert not any(set(best) < set(other) for other in allowed)
    for found in (*chosen.maximal, *chosen.front):
        assert tuple(name for name in order if name in found.columns) in allowed
    if chosen.complete:
        largest = [some for some in allowed if not any(set(some) < set(other) for other in allowed)]
        assert {frozenset(found.columns) for found in chosen.maximal} == set(map(frozenset, largest))


@pytest.mark.parametrize(
    ("secret", "rise", "columns"),
    [
        ("born", 1, {"age", "born", "decade", "same"}),
        ("decade", 1, {"age", "born", "decade", "same"}),
        ("age", 1, {"age", "born", "decade", "same"}),
        ("same", 0, {"age", "born", "decade", "same"}),
        ("born", 0, {"born", "same"}),  # its copy goes out with it no more than what follows from it
        ("decade", 0, {"decade", "same"}),
        ("age", 0, {"age", "same"}),
    ],
)
def test_a_sensitive_column_that_is_kept_and_says_the_same_as_another_counts_once(
    secret: str, rise: int, columns: set[str]
) -> None:
    ages = ["10", "11", "20", "21"] * 3
    table = {
        "age": ages,
        "born": [str(2020 - int(a)) for a in ages],
        "decade": [a[0] for a in ages],
        "same": ["x"] * 12,
    }
    selection = select_columns(
        Population(pa.table(table)), 0, k=3, sensitive=[secret], keep=[secret], guess_budget=rise
    )
    assert {*selection.columns} == columns
    assert selection.best is not None
    assert selection.best.utility == 1
    assert selection.constants == ("same",)


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
    with lowered(MAX_SETS_EXAMINED=2000, MAX_LEVELS_EXAMINED=100):
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
