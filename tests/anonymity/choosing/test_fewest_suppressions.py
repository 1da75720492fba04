"""No rules suppress fewer cells than those found, and what they certify holds for the people who follow them."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings, strategies as st

from discretion.anonymity import ClassSizes, Marginals, Population, RedactionRule, exposure, exposure_bound
from discretion.anonymity.choosing.fewest_suppressions import FewestSuppressions, fewest_suppressions
from discretion.anonymity.choosing.redaction import least_decoys, redacted_exposure
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.estimate import Estimate
from discretion.limits import Limits, within
from oracles.fewest_suppressions import REDACTED, exposed_people, fewest_by_cuts, fewest_by_values
from oracles.local_redaction import Rule, expected_exposure, expected_exposure_by_answers

NAMES = "xyz"
Rows = list[tuple[str, str, str]]


@st.composite
def some_people(draw: st.DrawFn, most: int = 30) -> Rows:
    """Draw people with three columns of three values, of which some are rare."""
    value = st.sampled_from(draw(st.sampled_from(["abc", "aabc", "aaaabbc"])))
    return draw(st.lists(st.tuples(value, value, value), min_size=2, max_size=most))


def population_of(rows: Sequence[tuple[Any, ...]]) -> Population:
    return Population(pa.table({name: [row[place] for row in rows] for place, name in enumerate(NAMES)}))


def counted(rows: Rows, places: Sequence[int]) -> Counter[Any]:
    return Counter(tuple(row[place] for place in places) for row in rows)


def marginals_of(rows: Rows, groups: Sequence[tuple[int, ...]] = ()) -> Marginals:
    return Marginals(
        {name: Counter(row[place] for row in rows) for place, name in enumerate(NAMES)},
        groups={tuple(NAMES[place] for place in group): counted(rows, group) for group in groups},
    )


def oracle_rules(rows: Rows, found: FewestSuppressions) -> list[Rule]:
    return [
        Rule(
            NAMES.index(rule.column), Fraction(rule.decoys), rule.rarer_than,
            None if rule.values is None else frozenset(rule.values),
        )
        for rule in found.rules
    ]  # fmt: skip


def cells_of(rows: Rows, rules: Sequence[Rule]) -> float:
    """Add up what every person suppresses of every column, expected."""
    return math.fsum(1 if rule.applies(rows, row) else rule.decoys for row in rows for rule in rules)


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(some_people(), st.integers(2, 5), st.integers(0, 8))
def test_of_a_table_no_set_of_values_suppresses_fewer_cells(rows: Rows, k: int, allowed: int) -> None:
    assume(len(rows) >= k)
    found = fewest_suppressions(population_of(rows), Fraction(min(allowed, len(rows)), len(rows)), k=k)
    rules = oracle_rules(rows, found)
    assert found.proved
    assert found.cells == found.bound == fewest_by_values(rows, k, allowed) == cells_of(rows, rules)
    seen = [tuple(_shown(rules, rows, row)) for row in rows]
    assert exposed_people(seen, k) == round(found.exposure * len(rows)) <= allowed


def _shown(rules: Sequence[Rule], rows: Rows, row: tuple[str, ...]) -> list[str]:
    hidden = {rule.position for rule in rules if rule.applies(rows, row)}
    return [REDACTED if place in hidden else value for place, value in enumerate(row)]


def exposed_alone(k: int, suspicion: float | None) -> Any:
    """How many people are exposed on one column whose values below a cut are suppressed, by the law of the answers."""

    def exposed(counts: Sequence[int], below: int) -> Fraction:
        rows: list[Any] = [(str(place),) for place, count in enumerate(counts) for _ in range(count)]
        have_to, n = sum(count for count in counts if count < below), sum(counts)
        coin = decoys_of(n, k, suspicion)(have_to) if 0 < have_to < n else Fraction(0)
        if coin == 1:
            return Fraction(0)
        return n * expected_exposure_by_answers(rows, [Rule(0, coin, rarer_than=below)] if have_to else [], k)

    return exposed


def decoys_of(n: int, k: int, suspicion: float | None) -> Any:
    return lambda rare: Fraction(0 if suspicion is None else least_decoys(rare, n - rare, k, suspicion))


@pytest.mark.parametrize("suspicion", [None, 0.5])
@settings(max_examples=25, deadline=None)
@given(some_people(40), st.integers(2, 4), st.integers(0, 30))
def test_of_marginals_no_cuts_suppress_fewer_cells(suspicion: float | None, rows: Rows, k: int, allowed: int) -> None:
    assume(len(rows) >= k)
    n, columns = len(rows), [[*counted(rows, [place]).values()] for place in range(3)]
    budget = Fraction(min(allowed, n), n)
    found = fewest_suppressions(marginals_of(rows), budget, k=k, suspicion=suspicion)
    fewest = fewest_by_cuts(columns, {}, k, allowed, decoys_of(n, k, suspicion), exposed_alone(k, suspicion))
    rules = oracle_rules(rows, found)
    assert found.proved
    assert found.cells == pytest.approx(float(fewest), rel=1e-12)
    assert found.cells == pytest.approx(cells_of(rows, rules), rel=1e-12)
    exact = expected_exposure_by_answers(rows, rules, k)
    assert found.exposure.low - 1e-12 <= exact <= found.exposure.high + 1e-12
    assert found.exposure.value <= float(budget) + 1e-12


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(some_people(40), st.integers(2, 4), st.integers(0, 30), st.data())
def test_of_marginals_of_groups_no_cuts_suppress_fewer_cells(rows: Rows, k: int, allowed: int, data: Any) -> None:
    assume(len(rows) >= k)
    groups = data.draw(st.sets(st.sampled_from([(0, 1), (0, 2), (1, 2), (0, 1, 2)]), min_size=1, max_size=2))
    n, columns = len(rows), [[*counted(rows, [place]).values()] for place in range(3)]
    together = {group: [*counted(rows, group).values()] for group in sorted(groups)}
    marginals = marginals_of(rows, sorted(groups))
    found = fewest_suppressions(marginals, Fraction(min(allowed, n), n), k=k, groups=marginals.groups)
    assert found.proved
    assert found.cells == fewest_by_cuts(columns, together, k, allowed, decoys_of(n, k, None), exposed_alone(k, None))
    exact = expected_exposure_by_answers(rows, oracle_rules(rows, found), k)
    assert found.exposure.low - 1e-12 <= exact <= found.exposure.high + 1e-12


@settings(max_examples=15, deadline=None)
@given(some_people(60), st.integers(2, 4), st.integers(0, 20), st.integers(0, 2**32))
def test_what_marginals_certify_holds_for_every_table_with_them(rows: Rows, k: int, allowed: int, seed: int) -> None:
    """The adversary picks the table: any order of the columns' values that a curator of marginals cannot tell apart."""
    assume(len(rows) >= k)
    found = fewest_suppressions(marginals_of(rows), Fraction(min(allowed, len(rows)), len(rows)), k=k)
    rng = np.random.default_rng(seed)
    columns = [[row[place] for row in rows] for place in range(3)]
    spread = [sorted(column, key=lambda value, c=column: c.count(value)) for column in columns]
    tables = [zip(*spread, strict=True), *(zip(*map(rng.permutation, columns), strict=True) for _ in range(20))]
    for table in tables:
        people: Rows = [(str(x), str(y), str(z)) for x, y, z in table]
        rules = oracle_rules(people, found)
        assert expected_exposure_by_answers(people, rules, k) <= found.exposure.high + 1e-12


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(some_people(12), st.integers(2, 3), st.integers(0, 4), st.sampled_from([0.3, 0.5, 1.0]))
def test_with_decoys_a_table_is_within_the_budget_over_all_coins(
    rows: Rows, k: int, allowed: int, suspicion: float
) -> None:
    assume(len(rows) >= k)
    allowed = min(allowed, len(rows))
    found = fewest_suppressions(population_of(rows), Fraction(allowed, len(rows)), k=k, suspicion=suspicion)
    rules = oracle_rules(rows, found)
    assert float(found.exposure) == pytest.approx(float(expected_exposure_by_answers(rows, rules, k)), abs=1e-12)
    assert float(found.exposure) <= allowed / len(rows)
    assert found.cells == pytest.approx(cells_of(rows, rules))
    assert found.bound == max(0, exposed_people(rows, k) - allowed) <= found.cells
    for rule, own in zip(found.rules, rules, strict=True):
        have_to = sum(own.applies(rows, row) for row in rows)
        needed = least_decoys(have_to, len(rows) - have_to, k, suspicion) if have_to < len(rows) else 0
        assert rule.decoys == needed


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(some_people(5), st.integers(2, 3))
def test_the_exposure_over_coins_is_that_of_all_their_outcomes(rows: Rows, k: int) -> None:
    assume(len(rows) >= k)
    found = fewest_suppressions(population_of(rows), 0.3, k=k, suspicion=0.6)
    assert float(found.exposure) == pytest.approx(float(expected_exposure(rows, oracle_rules(rows, found), k)))


def test_a_hundred_thousand_simulated_people_are_exposed_as_often_as_is_said() -> None:
    n, k, rng = 100_000, 10, np.random.default_rng(5)
    codes = np.stack([rng.choice(3, n, p=p) for p in ([0.97, 0.0299, 1e-4], [0.9, 0.0999, 1e-4], [0.99, 0.0095, 5e-4])])
    rows = pa.table({name: [f"{name}{code}" for code in column] for name, column in zip(NAMES, codes, strict=True)})
    found = fewest_suppressions(rows, 0.0001, k=k, suspicion=0.5)
    assert found.rules
    by_name = {rule.column: rule for rule in found.rules}
    shares: list[float] = []
    for _ in range(60):
        seen = codes.copy()
        for column, name in zip(seen, NAMES, strict=True):
            if name in by_name:
                has_to = np.isin(column, [int(str(value)[1:]) for value in by_name[name].values or ()])
                column[has_to | (rng.random(n) < by_name[name].decoys)] = 3
        people = np.bincount(np.ravel_multi_index(tuple(seen), (4, 4, 4)))
        shares.append(float(people[people < k].sum()) / n)
    off = np.mean(shares) - float(found.exposure)
    assert abs(off) <= 5 * np.std(shares, ddof=1) / math.sqrt(len(shares)) + 1e-12


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("rows", "k", "budget", "cells"),
    [
        ([("a", "a", "a")], 1, 0, 0),  # nobody has fewer than 1 alike
        ([("a", "a", "a")] * 3, 3, 0, 0),
        ([("a", "a", "a"), ("b", "a", "a")], 2, 0, 2),
        ([("a", "a", "a"), ("b", "a", "a")], 2, 1, 0),
        ([("a", "a", "a"), ("b", "a", "a")], 2, 0.5, 2),  # one of two is exposed with nobody else
        ([("a", "a", "a"), ("b", "a", "a")], 3, 1, 0),
        ([("a", "b", "c"), ("b", "c", "a")], 2, 0, 6),
        ([*[("a", "a", "a")] * 5, ("b", "a", "a"), ("c", "a", "a")], 2, 0, 2),  # two rare values look alike
        ([*[("a", "a", "a")] * 5, ("b", "a", "a")], 2, 0, 6),  # and one alone is as rare when it is suppressed
    ],
)
def test_at_the_ends(rows: Rows, k: int, budget: float, cells: int) -> None:
    for people in (population_of(rows), marginals_of(rows)):
        found = fewest_suppressions(people, budget, k=k)
        assert (found.cells, found.proved) == (cells, True)
    assert fewest_suppressions(marginals_of(rows), budget, k=k, columns=()).cells == 0


def test_of_marginals_without_rules_the_bound_is_that_of_the_columns() -> None:
    adult = Population("example:adult", columns=["sex", "race", "workclass"]).marginals()
    found = fewest_suppressions(adult, 0.02, k=10)
    assert (found.rules, found.exposure) == ((), exposure_bound(adult, k=10))


def test_counts_of_ten_thousand_million_people() -> None:
    sizes = ClassSizes([1, 10**4, 10**9, 9 * 10**9 - 10**7 - 500], [500, 1000, 1, 1])
    counts = Marginals(dict.fromkeys(NAMES, sizes))
    found = fewest_suppressions(counts, Fraction(1, 10**4), k=10)
    assert isinstance(found.exposure, Estimate)
    assert found.proved
    assert [rule.rarer_than for rule in found.rules] == [10**9, 10**9]  # the third column is shown as it is
    assert found.cells == 2 * (500 + 1000 * 10**4)
    assert found.exposure.value <= 1e-4


@pytest.mark.long
def test_four_columns_of_adult() -> None:
    adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    found = fewest_suppressions(adult, 0, k=10)
    assert (found.cells, found.proved, found.exposure) == (10259, True, 0)
    assert exposure(adult, k=10) * adult.people == pytest.approx(179)
    assert redacted_exposure(adult, found.rules, k=10) == 0


@pytest.mark.long
def test_what_a_search_cut_short_says_holds() -> None:
    rng = np.random.default_rng(2)
    rows: Any = [tuple(f"{code}" for code in row) for row in rng.geometric(0.2, (400, 3))]
    people, counts = population_of(rows), marginals_of(rows)
    soon = fewest_suppressions(people, 0.05, k=3, time_limit=1e-6)
    later = fewest_suppressions(people, 0.05, k=3, time_limit=5)
    assert soon.bound <= later.bound <= later.cells <= soon.cells
    assert float(soon.exposure) <= 0.05
    best = fewest_suppressions(counts, 0.4, k=3)
    assert best.proved
    with within(Limits(operations=20_000)):
        worse = fewest_suppressions(counts, 0.4, k=3)
    assert worse.bound <= best.cells <= worse.cells


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"k": 5}, "everybody is exposed, whatever is suppressed: there are 4 people, and a class needs 5"),
        ({"k": 2, "time_limit": 0}, "time_limit must be a number of seconds above 0, got 0"),
        ({"k": 2, "suspicion": 0}, "suspicion must be a probability above 0"),
        ({"k": 2, "budget": 1.5}, "budget must be a share of the people"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    rows: Rows = [("a", "a", "b")] * 4
    for people in (population_of(rows), marginals_of(rows)):
        with pytest.raises(InvalidValueError, match=sentence):
            fewest_suppressions(people, **{"budget": 0, **wrong})


def test_groups_are_of_marginals_without_decoys() -> None:
    rows: Rows = [("a", "a", "b")] * 4
    with pytest.raises(UnsupportedError, match="groups= is for Marginals"):
        fewest_suppressions(population_of(rows), 0, k=2, groups=[("x", "y")])
    with pytest.raises(UnsupportedError, match="groups= and suspicion= do not go together"):
        fewest_suppressions(marginals_of(rows, [(0, 1)]), 0, k=2, groups=[("x", "y")], suspicion=0.5)


def test_each_column_has_a_rule_at_most() -> None:
    found = fewest_suppressions("example:adult", 0.001, k=10, columns=["sex", "race", "workclass"])
    assert all(isinstance(rule, RedactionRule) for rule in found.rules)
    assert len({rule.column for rule in found.rules}) == len(found.rules)
