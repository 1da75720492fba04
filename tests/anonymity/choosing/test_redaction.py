"""What people redact themselves hides whom the definition says, and gives away what QIF says."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import betainc

import discretion as dc
from discretion.anonymity import Population, exposure
from discretion.anonymity.choosing.redaction import RedactionRule, redacted_exposure, redaction_leakage, redaction_rules
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError
from discretion.estimate import Estimate
from discretion.tables.counting import batches
from discretion.tables.counting.matches import Match
from discretion.tables.counting.redacted_answers import answers_on_one
from oracles.local_redaction import (
    REDACTED,
    Rule,
    Rules,
    expected_exposure,
    expected_exposure_by_answers,
    has_to,
    joint_with_redaction,
)
from support.lowering import lowered

NAMES = "xyz"
value = st.sampled_from([None, "a", "b", "c"])
decoys = st.sampled_from([Fraction(0), Fraction(1, 64), Fraction(1, 4), Fraction(1, 2), Fraction(7, 8), Fraction(1)])


@st.composite
def ruled_tables(draw: st.DrawFn, columns: int, most: int) -> tuple[list[Any], Rules]:
    """Draw people, and rules for some columns that name values of theirs and ask about columns further to the left."""
    rows = draw(some_rows(columns, most))
    rules: list[Rule] = []

    def some_values(column: int) -> frozenset[Any]:
        return draw(st.frozensets(st.sampled_from([row[column] for row in rows]), min_size=1))

    for position in draw(st.sets(st.integers(0, columns - 1))):
        coin = draw(decoys)
        for _ in range(draw(st.integers(1, 2))):
            others = draw(st.sets(st.integers(0, position - 1), max_size=2)) if position else set()
            when = {other: some_values(other) for other in others}
            kind = draw(st.sampled_from(["rare", "values", *(["any"] if when else [])]))
            rule = Rule(
                position, coin, draw(st.integers(1, 6)) if kind == "rare" else None,
                some_values(position) if kind == "values" else None, when,
            )  # fmt: skip
            if rule not in rules:
                rules.append(rule)
    return rows, rules


def some_rows(columns: int, most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.tuples(*[value] * columns), min_size=1, max_size=most)


def table_of(rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    return pa.table({NAMES[j]: pa.array([row[j] for row in rows], pa.string()) for j in range(len(rows[0]))})


def population_of(rows: Sequence[tuple[Any, ...]]) -> Population:
    return Population(table_of(rows))


def rules_of(rules: Rules) -> list[RedactionRule]:
    return [
        RedactionRule(
            NAMES[rule.position], rule.rarer_than, float(rule.decoys), None if rule.values is None else [*rule.values],
            {NAMES[other]: [*values] for other, values in rule.when.items()},
        )
        for rule in rules
    ]  # fmt: skip


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(ruled_tables(2, 5), st.integers(1, 6))
def test_the_exposure_is_the_mean_over_all_coins(ruled: tuple[list[Any], Rules], k: int) -> None:
    rows, rules = ruled
    expected = expected_exposure(rows, rules, k)
    assert redacted_exposure(population_of(rows), rules_of(rules), k=k) == pytest.approx(float(expected), abs=1e-12)
    assert expected_exposure_by_answers(rows, rules, k) == expected


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(ruled_tables(3, 40), st.integers(1, 42))
def test_the_exposure_adds_up_over_answers(ruled: tuple[list[Any], Rules], k: int) -> None:
    rows, rules = ruled
    found = redacted_exposure(population_of(rows), rules_of(rules), k=k)
    assert found == pytest.approx(float(expected_exposure_by_answers(rows, rules, k)), rel=1e-10, abs=1e-12)


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(some_rows(3, 20), st.integers(1, 22))
def test_without_need_or_decoys_nothing_changes(rows: list[Any], k: int) -> None:
    P = population_of(rows)
    for rules in ([], [RedactionRule(name, 1, 0) for name in NAMES]):
        assert redacted_exposure(P, rules, k=k) == pytest.approx(exposure(P, k=k), rel=1e-12)
    assert redacted_exposure(P, rules, k=k, columns=["z", "x"]) == pytest.approx(exposure(P, k=k, columns=["x", "z"]))


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(some_rows(3, 20), st.integers(1, 22))
def test_what_all_redact_is_not_asked(rows: list[Any], k: int) -> None:
    P = population_of(rows)
    unasked = pytest.approx(exposure(P, k=k, columns=["x", "z"]), rel=1e-12)
    for rule in (RedactionRule("y", 1, 1), RedactionRule("y", 21, 0), RedactionRule("y", 21, 0.3)):
        assert redacted_exposure(P, [rule], k=k) == unasked
    assert redacted_exposure(P, [RedactionRule("y", 3, 0.3)], k=k, columns=["x", "z"]) == unasked
    nothing = redacted_exposure(P, [RedactionRule(name, 1, 1) for name in NAMES], k=k)
    assert nothing == float(k > len(rows)) == redacted_exposure(P, [], k=k, columns=())


@pytest.mark.parametrize(
    ("column", "rarer_than", "k", "exposed"),
    [
        (["a", "a", "b"], 2, 2, 1),  # the only one who redacts is as alone as before
        (["a", "a", "b", "c"], 2, 2, 0),  # two rare values look alike
        (["a", "a", None], 2, 2, 1),  # null is a value, and a rare one here
        (["a", "a", "b", None], 2, 2, 0),
        ([None, None, "b"], 2, 2, 1),  # redacted is not null
        ([None, None, None, "b"], 2, 3, 1),
    ],
)
def test_redacted_is_a_value_of_its_own(column: list[Any], rarer_than: int, k: int, exposed: int) -> None:
    P = population_of([(value,) for value in column])
    assert redacted_exposure(P, [RedactionRule("x", rarer_than, 0)], k=k) * len(column) == pytest.approx(exposed)


@pytest.mark.long
def test_at_the_ends() -> None:
    P = Population("example:adult", columns=["sex", "race", "workclass"])
    rules = redaction_rules(P, 1000)
    assert [rule.column for rule in rules] == ["race", "workclass"]
    assert redacted_exposure(P, rules, k=1) == redacted_exposure(P, rules, threshold=0) == 0
    assert redacted_exposure(P, rules, k=P.people + 1) == 1
    assert redacted_exposure(P, rules, threshold=1) == pytest.approx(1, rel=1e-12)
    same = (redacted_exposure(P, rules, **at) for at in ({"k": 33}, {"threshold": "0.001"}))
    assert next(same) == next(same)


@pytest.mark.parametrize("k", [2, 4_900, 5_000, 5_100, 9_000])
def test_thousands_of_people_and_a_large_k(k: int) -> None:
    n, d = 10_000, 0.5
    P = Population(pa.table({"x": ["a"] * n, "y": ["a"] * n}))
    below = n * 0.25 * betainc(n - k + 1, k - 1, 0.75)  # n q P(Bin(n-1, q) ≤ k-2), for each of the four answers
    found = redacted_exposure(P, [RedactionRule(name, 2, d) for name in "xy"], k=k)
    assert found == pytest.approx(4 * below / n, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(("n", "d", "k"), [(2_000, 0.25, 480), (300, 1e-20, 10), (300, 1 - 2**-53, 300)])
def test_any_decoys_and_a_common_value(n: int, d: float, k: int) -> None:
    P = Population(pa.table({"x": ["a"] * n + ["b"]}))
    told = n * (1 - d) * betainc(n - k + 1, k - 1, d)
    law = [math.comb(n, j) * Fraction(d) ** j * (1 - Fraction(d)) ** (n - j) for j in range(k - 1)]  # and the rare one
    redacted = float(sum((j + 1) * chance for j, chance in enumerate(law)))
    found = redacted_exposure(P, [RedactionRule("x", 2, d)], k=k)
    assert found == pytest.approx((told + redacted) / (n + 1), rel=1e-10, abs=1e-12)


@pytest.mark.long
def test_ten_columns_with_decoys_and_no_more() -> None:
    rng = np.random.default_rng(3)
    columns = {f"x{j}": rng.choice(["a", "b", "c"], 12, p=[0.6, 0.3, 0.1]) for j in range(11)}
    P = Population(pa.table(columns))
    rules = [RedactionRule(name, 3, 0.25) for name in columns]
    rows = list(zip(*[columns[f"x{j}"].tolist() for j in range(4)], strict=True))
    of_four = [Rule(position, Fraction(1, 4), rarer_than=3) for position in range(4)]
    expected = expected_exposure_by_answers(rows, of_four, 3)
    assert redacted_exposure(P, rules, k=3, columns=["x0", "x1", "x2", "x3"]) == pytest.approx(float(expected))
    assert isinstance(redacted_exposure(P, rules, k=2), Estimate)
    sure = [RedactionRule(name, 3, 0) for name in columns]
    masked = [[v if list(held).count(v) >= 3 else REDACTED for v in held] for held in columns.values()]
    without = exposure(Population(pa.table(dict(zip(columns, masked, strict=True)))), k=2)
    assert redacted_exposure(P, sure, k=2) == pytest.approx(without)


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(ruled_tables(3, 25), st.integers(1, 8), st.integers(0, 2))
def test_of_too_many_sets_of_columns_the_exposure_is_between_certified_ends(
    ruled: tuple[list[Any], Rules], k: int, most: int
) -> None:
    rows, rules = ruled
    with lowered(MAX_COLUMNS_DECOYED=max(1, most)):
        found = redacted_exposure(population_of(rows), rules_of(rules), k=k)
    exact = float(expected_exposure_by_answers(rows, rules, k))
    assert found.low - 1e-12 <= exact <= found.high + 1e-12
    if isinstance(found, Estimate):
        assert found.certified
        assert found.low <= found.high <= 1


@pytest.mark.long
def test_of_twelve_columns_with_few_decoys_the_ends_are_close() -> None:
    rng = np.random.default_rng(4)
    held = {f"x{j}": rng.choice(["a", "b", "c"], 2_000, p=[0.9, 0.09, 0.01]).tolist() for j in range(12)}
    rules = [RedactionRule(name, 50, 1e-3) for name in held]
    with lowered(MAX_COLUMNS_DECOYED=6):  # 64 sets of columns
        found = redacted_exposure(pa.table(held), rules, k=5)
    assert isinstance(found, Estimate)
    assert found.high - found.low < 0.01
    simulated: list[float] = []
    codes = np.array([[{"a": 0, "b": 1, "c": 2}[value] for value in column] for column in held.values()])
    rare = np.array([[column.count("abc"[code]) < 50 for code in range(3)] for column in held.values()])
    for _ in range(200):
        seen = np.where(rare[np.arange(12)[:, None], codes] | (rng.random(codes.shape) < 1e-3), 3, codes)
        _, people = np.unique(np.ravel_multi_index(tuple(seen), (4,) * 12), return_counts=True)
        simulated.append(people[people < 5].sum() / 2_000)
    error = 5 * np.std(simulated, ddof=1) / math.sqrt(200)
    assert found.low - error <= np.mean(simulated) <= found.high + error


@pytest.mark.long
@pytest.mark.parametrize(("columns", "times"), [(16, 2), (17, 4)])
def test_of_many_columns_fewer_questions_are_put_at_once(
    monkeypatch: pytest.MonkeyPatch, columns: int, times: int
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 40)
    P = Population(pa.table({f"x{j}": ["a"] * 8 + ["b"] * 2 for j in range(columns)}))

    def counted(rows: Any) -> Any:
        return replace(rows, answer=lambda question: asked.append(question) or rows.answer(question))

    spied = P.with_rows(counted, None)
    asked.clear()
    rules = [RedactionRule(f"x{j}", 3, 0.25) for j in range(3)]
    assert redacted_exposure(spied, rules, k=2) == pytest.approx(redacted_exposure(P, rules, k=2))
    assert len(asked) == times


def test_every_engine_redacts_the_same(engine: Any) -> None:
    numbers = [math.nan, -math.nan, 0.0, -0.0, 1.0, None, 2.0, 2.0, 2.0]
    same = ["nan", "nan", "0", "0", "1", None, "2", "2", "2"]
    words = ["a", "a", None, "", "A", "a", "a", "a", None]
    P = Population(engine(pa.table({"x": pa.array(numbers, from_pandas=False), "y": words})))
    rules: Rules = [Rule(0, Fraction(1, 4), rarer_than=2), Rule(1, Fraction(0), rarer_than=2)]
    rows = list(zip(same, words, strict=True))
    expected = expected_exposure_by_answers(rows, rules, 3)
    assert redacted_exposure(P, rules_of(rules), k=3) == pytest.approx(float(expected), rel=1e-12)
    rules = [Rule(1, Fraction(1, 2), values=frozenset({"a", None})), Rule(1, Fraction(1, 2), rarer_than=2)]
    expected = expected_exposure_by_answers(rows, rules, 3)
    assert redacted_exposure(P, rules_of(rules), k=3) == pytest.approx(float(expected), rel=1e-12)


columns_of_people = st.lists(st.sampled_from([None, "a", "b", "c", "d"]), min_size=1, max_size=30)


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(columns_of_people, st.integers(1, 31), decoys)
def test_a_rule_gives_away_what_its_channel_does(column: list[Any], rarer_than: int, d: Fraction) -> None:
    found = redaction_leakage(population_of([(value,) for value in column]), RedactionRule("x", rarer_than, float(d)))
    joint = joint_with_redaction([(value,) for value in column], [Rule(0, d, rarer_than)], 0, 0)
    rare = {value for value in column if column.count(value) < rarer_than}
    n, redacted = len(column), sum(chance for (_, seen), chance in joint.items() if seen == REDACTED)
    rare_people = sum(value in rare for value in column)
    assert (found.rare_values, found.rare_people) == (len(rare), rare_people)
    assert found.redacted == pytest.approx(float(redacted), rel=1e-12)
    assert found.suspicion == pytest.approx(float(Fraction(rare_people, n) / redacted) if redacted else 0, rel=1e-12)
    values, seen = sorted(set(column), key=str), [*sorted(set(column), key=str), REDACTED]
    prior = [column.count(value) / n for value in values]
    C = dc.Channel([[float(joint.get((v, s), 0) * n / column.count(v)) for s in seen] for v in values])
    assert found.prior == pytest.approx(dc.prior_vulnerability(prior), rel=1e-12)
    assert found.posterior == pytest.approx(dc.posterior_vulnerability(C, prior), rel=1e-12)
    act = dc.Channel([[hidden := float(joint.get((v, REDACTED), 0) * n / column.count(v)), 1 - hidden] for v in values])
    assert found.bits == pytest.approx(dc.mutual_information(act, prior, unit="bits"), abs=1e-12)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(ruled_tables(3, 30), st.integers(0, 2))
def test_redacting_a_column_gives_away_of_any_column_what_its_channel_does(
    ruled: tuple[list[Any], Rules], about: int
) -> None:
    rows, rules = ruled
    for position in {rule.position for rule in rules}:
        of_column = [rule for rule in rules if rule.position == position]
        found = redaction_leakage(population_of(rows), rules_of(of_column), about=NAMES[about])
        joint = joint_with_redaction(rows, of_column, position, about)
        by_need = [row for row in rows if has_to(rows, row, position, of_column)]
        redacted = sum(chance for (_, seen), chance in joint.items() if seen == REDACTED)
        assert (found.rare_people, found.rare_values) == (len(by_need), len({row[position] for row in by_need}))
        assert found.redacted == pytest.approx(float(redacted), rel=1e-12)
        assert found.suspicion == pytest.approx(len(by_need) / len(rows) / redacted if redacted else 0, rel=1e-12)
        values, seen = (sorted({pair[side] for pair in joint}, key=str) for side in (0, 1))
        prior = [sum(row[about] == value for row in rows) / len(rows) for value in values]
        matrix = np.array([[float(joint.get((v, s), 0)) for s in seen] for v in values]) / np.array(prior)[:, None]
        assert found.prior == pytest.approx(max(prior), rel=1e-12)
        assert found.posterior == pytest.approx(dc.posterior_vulnerability(dc.Channel(matrix), prior), rel=1e-9)
        hidden = [float(joint.get((v, REDACTED), 0)) / p for v, p in zip(values, prior, strict=True)]
        act = dc.Channel([[h, 1 - h] for h in hidden])
        assert found.bits == pytest.approx(dc.mutual_information(act, prior, unit="bits"), abs=1e-12)


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(some_rows(3, 30), st.integers(1, 32), st.sampled_from([1e-6, 0.01, 0.25, 0.5, 0.9, 1.0]))
def test_there_are_just_enough_decoys_to_hide_the_rare_in_a_crowd(rows: list[Any], k: int, suspicion: float) -> None:
    P = population_of(rows)
    rules = redaction_rules(P, k, suspicion=suspicion)
    assert [rule.column for rule in rules] == [name for name in NAMES if exposure(P, k=k, columns=[name])]
    for rule in rules:
        told, share = redaction_leakage(P, rule), exposure(P, k=k, columns=[rule.column])
        assert rule.rarer_than == k
        common, missing = len(rows) - told.rare_people, k - told.rare_people
        too_few = math.fsum(
            math.comb(common, j) * rule.decoys**j * (1 - rule.decoys) ** (common - j)
            for j in range(min(missing, common + 1))
        )
        if share > suspicion or missing > common:
            assert (rule.decoys, told.redacted) == (1, 1)
        else:
            assert told.suspicion <= suspicion * (1 + 1e-12)
            assert too_few <= 0.01 * (1 + 1e-9)
            tight = (told.suspicion, suspicion), (too_few, 0.01), (rule.decoys, 0)
            assert any(ours == pytest.approx(least, rel=1e-9) for ours, least in tight)


@pytest.mark.parametrize(
    ("rarer_than", "d", "same_as"),
    [
        pytest.param(10**30, 0.5, (4, 0.5), id="rarer than the engine can count"),
        pytest.param(10**30, 0, (4, 0), id="rarer than the engine can count, without decoys"),
        pytest.param(2, 1 - Fraction(1, 10**30), (2, 1), id="a fraction that rounds to one"),
        pytest.param(2, Fraction(1, 10**400), (2, 0), id="a fraction that rounds to zero"),
    ],
)
def test_numbers_beyond_those_of_a_machine(rarer_than: int, d: Any, same_as: tuple[int, float]) -> None:
    P = population_of([("a", "a"), ("a", "b"), ("b", "a")])
    rule, plain = RedactionRule("x", rarer_than, d), RedactionRule("x", *same_as)
    assert redacted_exposure(P, [rule], k=2) == redacted_exposure(P, [plain], k=2)
    assert redaction_leakage(P, rule) == redaction_leakage(P, plain)


def test_decoys_may_lower_the_exposure_and_may_raise_it() -> None:
    P = Population("example:adult", columns=["sex", "income", "race", "workclass"])

    def exposed(decoys: float) -> float:
        rules = [RedactionRule(column, 1000, decoys) for column in ("race", "workclass")]
        return float(redacted_exposure(P, rules, k=10)) * P.people

    assert [round(exposed(decoys), 3) for decoys in (0, 0.001, 0.02)] == [116, 117.056, 106.311]
    assert exposed(1) == pytest.approx(P.class_sizes(["sex", "income"]).exposed(k=10), abs=1e-9)


def test_what_cannot_be_redacted() -> None:
    adult = Population("example:adult", columns=["sex", "race"])
    people = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    rule = RedactionRule("x", 2, 0.5)
    for ask in (
        lambda: redaction_rules(people, 2),
        lambda: redaction_leakage(people, rule),
        lambda: redacted_exposure(people, [rule], k=2),
    ):
        with pytest.raises(UnsupportedError, match="people with several rows have several"):
            ask()
    for bad in (-0.1, 1.1, math.nan, "0.5"):
        with pytest.raises(InvalidValueError, match="decoys must be a"):
            RedactionRule("x", 2, bad)  # type: ignore[arg-type]
    for bad in (0, 1.5, True):
        with pytest.raises(InvalidValueError, match="rarer_than must be a whole number"):
            RedactionRule("x", bad, 0.5)  # type: ignore[arg-type]
    sex_by_race = RedactionRule("sex", when={"race": ["Other"]})
    for bad, why in [
        ({"values": ["a"], "rarer_than": 2}, "not both"), ({}, "needs values=, rarer_than= or when="),
        ({"values": []}, "one or more texts"), ({"values": "ab"}, "a sequence of values"), ({"values": [1]}, "texts"),
        ({"values": ["a", "a"]}, "must differ"), ({"when": {"x": ["a"]}}, "when= takes other columns than"),
        ({"when": {"y": []}}, "one or more texts"), ({"when": ["y"]}, "when= must map names of other columns"),
    ]:  # fmt: skip
        with pytest.raises(InvalidValueError, match=why):
            RedactionRule("x", **bad)  # type: ignore[arg-type]
    for rules, why in [
        ([sex_by_race, RedactionRule("race", when={"sex": ["Male"]})], "form a circle .'sex' by 'race' by 'sex'."),
        ([sex_by_race, sex_by_race], "the same rule for 'sex' is there twice"),
        ([sex_by_race, replace(sex_by_race, rarer_than=3, decoys=0.5)], "decoys of 0 and 0.5"),
    ]:
        with pytest.raises(InvalidValueError, match=why):
            redacted_exposure(adult, rules, k=2)
    with pytest.raises(UnknownColumnError, match="there is no column 'rice'"):
        redacted_exposure(adult, [RedactionRule("sex", when={"rice": ["Other"]})], k=2)
    for absent, why in [
        (RedactionRule("race", values=["Othr"]), "nobody has the value 'Othr' of 'race'"),
        (RedactionRule("sex", when={"race": ["Other", None]}), "nobody has the value None of 'race'"),
    ]:
        with pytest.raises(InvalidValueError, match=why):
            redacted_exposure(adult, [absent], k=2)
        with pytest.raises(InvalidValueError, match=why):
            redaction_leakage(adult, absent)
    with pytest.raises(UnsupportedError, match="counts do not show the values"):
        redacted_exposure(adult.marginals(), [RedactionRule("sex", values=["Male"])], k=2, columns=["sex"])
    with pytest.raises(UnsupportedError, match="counts do not show the values"):
        redaction_leakage(adult.marginals(), sex_by_race)
    with pytest.raises(InvalidValueError, match="rules for one column, got 2"):
        redaction_leakage(adult, [sex_by_race, RedactionRule("race", 2)])
    for bad in (3, None, ["x"]):
        with pytest.raises(InvalidValueError, match="one column, named by text, got"):
            RedactionRule(bad, 2, 0.5)  # type: ignore[arg-type]
    for bad in (rule, None, 3):
        with pytest.raises(UnsupportedError, match="rules must be a sequence of RedactionRules, got"):
            redacted_exposure(adult, bad, k=2)  # type: ignore[arg-type]
    for bad in (0, 1.1, math.nan):
        with pytest.raises(InvalidValueError, match="suspicion must be a"):
            redaction_rules(adult, 10, suspicion=bad)
    with pytest.raises(InvalidValueError, match="k must be"):
        redaction_rules(adult, 0)
    for ask in (lambda: redacted_exposure(adult, [rule], k=2), lambda: redaction_leakage(adult, rule)):
        with pytest.raises(UnknownColumnError, match="there is no column 'x'"):
            ask()
    merged = redacted_exposure(adult, [RedactionRule("sex", 2, 0), RedactionRule("sex", 3, 0)], k=2)
    assert merged == redacted_exposure(adult, [RedactionRule("sex", 3, 0)], k=2)
    with pytest.raises(UnsupportedError, match="a rule must be a RedactionRule, got str"):
        redacted_exposure(adult, ["sex"], k=2)  # type: ignore[list-item]
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        redacted_exposure(adult, [])


@pytest.mark.long
@pytest.mark.parametrize("values", [["a"], [None], ["a", "a", "b", None, None, "c"], ["a"] * 5])
@pytest.mark.parametrize("rarer_than", [{}, {"x": 1}, {"x": 2}, {"x": 3}, {"x": 9}])
@pytest.mark.parametrize("decoyed", [[], ["x"]])
def test_the_answers_on_one_column_are_those_that_the_engine_counts(
    values: list[str | None], rarer_than: dict[str, int], decoyed: list[str]
) -> None:
    decoyed = [column for column in decoyed if column in rarer_than]
    population = Population(pa.table({"x": pa.array(values, pa.string())}))
    told = answers_on_one(population.class_sizes(["x"]), "x", rarer_than, decoyed)

    def one_by_one(answers: Any) -> list[tuple[Any, ...]]:
        return sorted(
            (sorted(hidden), sorted((sorted(forced), people) for forced, people in who.items()))
            for hidden, who, count in answers
            for _ in range(count)
        )

    redacting = {column: [Match(rarer_than=size)] for column, size in rarer_than.items()}
    assert one_by_one(told) == one_by_one(population.redacted_answers(["x"], redacting, decoyed))


def test_of_a_column_by_itself_its_counts_tell_what_the_table_does() -> None:
    people = Population("example:adult", columns=["race", "workclass"])
    counts = people.marginals()
    rules = redaction_rules(people, k=1000)
    assert redaction_rules(counts, k=1000) == rules != ()
    for rule in rules:
        assert redaction_leakage(counts, rule) == redaction_leakage(people, rule)
    made = [RedactionRule(column, 1000, decoys=0.02) for column in ("race", "workclass")]
    for rule in made:
        exposed = redacted_exposure(people, made, k=1650, columns=[rule.column])
        assert redacted_exposure(counts, made, k=1650, columns=[rule.column]) == exposed > 0
    with pytest.raises(UnsupportedError, match="which of them a person has together"):
        redacted_exposure(counts, rules, k=10)
