"""A release follows redaction rules row by row on the values as they were, and says what its blanks give away."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.anonymity import RedactionRule, redaction_leakage
from discretion.errors import InvalidValueError, MissedGoalError, UnknownColumnError
from discretion.jobs.options.tables import ReleaseOptions
from discretion.jobs.release import Release, options_of_plan, release
from discretion.jobs.release.plan import plan_text
from discretion.spelling import spelled
from oracles.local_redaction import Rule, has_to

# Nothing but the rules takes anything away.
OPEN: dict[str, Any] = {"k": 1, "budget": 1, "max_suppressed": 0}
# Values that a line, a shell, TOML or CSV could take for something else.
VALUES = ["a,b", 'say "no"', "x=1", "a b", "null", "when", "$HOME", "it's", "ö\\n", "", None]
NAMES = ("x", "a b", 'c,"=d')


def rows_of(path: Path) -> Counter[tuple[Any, ...]]:
    table = pq.read_table(path) if path.suffix == ".parquet" else pyarrow.csv.read_csv(path)
    return Counter(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))


def drawn(seed: int, n: int = 60) -> tuple[pa.Table, list[tuple[Any, ...]]]:
    draw = Random(seed)
    rows = [tuple(draw.choice(VALUES) for _ in NAMES) for _ in range(n)]
    return pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip(NAMES, zip(*rows, strict=True), strict=True)}
    ), rows


def drawn_rules(seed: int, rows: Sequence[tuple[Any, ...]]) -> list[RedactionRule]:
    """Return rules without decoys, each column's conditions about those after it, so that they go in no circle."""
    draw, rules = Random(seed), []
    there = [sorted({row[j] for row in rows}, key=str) for j in range(len(NAMES))]
    for j, name in enumerate(NAMES):
        for _ in range(draw.randrange(3)):
            when = {
                NAMES[i]: draw.sample(there[i], draw.randrange(1, 4))
                for i in range(j + 1, len(NAMES))
                if draw.random() < 0.6
            }
            kind = draw.choice(["values", "rarer", "any"]) if when else draw.choice(["values", "rarer"])
            rules.append(
                RedactionRule(
                    name,
                    rarer_than=draw.randrange(1, 10) if kind == "rarer" else None,
                    values=draw.sample(there[j], draw.randrange(1, 4)) if kind == "values" else None,
                    when=when,
                )
            )
    return [rule for i, rule in enumerate(rules) if rule not in rules[:i]]


def oracle_rules(rules: Iterable[RedactionRule]) -> list[Rule]:
    return [
        Rule(
            NAMES.index(rule.column),
            Fraction(0),
            rule.rarer_than,
            None if rule.values is None else frozenset(rule.values),
            {NAMES.index(name): frozenset(values) for name, values in rule.when.items()},
        )
        for rule in rules
    ]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(5))
def test_whoever_meets_a_rule_and_nobody_else_is_blank(tmp_path: Path, seed: int) -> None:
    table, rows = drawn(seed)
    rules = drawn_rules(seed, rows)
    slow = oracle_rules(rules)
    redacted = [tuple(None if has_to(rows, row, j, slow) else value for j, value in enumerate(row)) for row in rows]
    out = tmp_path / "out.parquet"
    result = release(table, out, rules=[spelled(rule) for rule in rules], keep=NAMES, **OPEN)
    assert rows_of(out) == Counter(redacted)
    for blank in result.blanks:
        j = NAMES.index(blank.column)
        own = [rule for rule in slow if rule.position == j]
        assert blank.needed_by_rule == tuple(sum(rule.applies(rows, row) for row in rows) for rule in own)
        assert (blank.needed, blank.decoys) == (sum(has_to(rows, row, j, own) for row in rows), 0)
        assert [guess.about for guess in blank.guesses] == [
            NAMES[i] for i in dict.fromkeys([j, *(i for rule in own for i in rule.when)])
        ]
        for guess in blank.guesses:  # without a coin what is expected is what is in the file
            i, seen = NAMES.index(guess.about), ["⊥" if has_to(rows, row, j, own) else row[j] for row in rows]
            assert guess.prior == guess.expected_prior == best(None for _ in rows)([row[i] for row in rows])
            assert guess.posterior == best(seen)([row[i] for row in rows])
            assert guess.posterior == pytest.approx(guess.expected_posterior, rel=1e-12)


def best(seen: Iterable[Any]) -> Any:
    """Return the share of right guesses of values, of an attacker who knows all counts and sees so much of each."""
    seen = list(seen)

    def share(values: Sequence[Any]) -> float:
        behind: dict[Any, Counter[Any]] = defaultdict(Counter)
        for shown, value in zip(seen, values, strict=True):
            behind[shown][value] += 1
        return sum(max(counts.values()) for counts in behind.values()) / len(seen)

    return share


TYPED: dict[str, tuple[pa.Array, str, list[Any]]] = {
    "whole": (pa.array([10, 10, 20, None]), "10", [None, None, 20, None]),
    "decimal": (pa.array([1.5, -0.0, 0.0, None]), "1.5, null", [None, 0.0, 0.0, None]),
    "zero": (pa.array([1.5, -0.0, 0.0, None]), "0.0", [1.5, None, None, None]),
    "date": (
        pa.array([datetime.date(2024, 1, 31), datetime.date(2024, 2, 1)] * 2),
        "2024-01-31",
        [None, datetime.date(2024, 2, 1)] * 2,
    ),
    "boolean": (pa.array([True, False, False, None]), "true", [None, False, False, None]),
    "text": (pa.array(["", "b", None, "01"]), '""', [None, "b", None, "01"]),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", TYPED)
def test_values_of_every_type_are_named_as_the_table_spells_them(tmp_path: Path, kind: str) -> None:
    values, named, after = TYPED[kind]
    table, out = pa.table({"value": values, "other": ["p", "q", "p", "q"]}), tmp_path / "out.parquet"
    release(table, out, rules=[f"value: {named}"], keep=["value", "other"], **OPEN)
    written = pq.read_table(out)
    assert pa.types.is_string(written["value"].type) == (kind == "text")
    assert Counter(written["value"].to_pylist()) == Counter(after)


def test_a_rule_counts_who_is_rare_in_the_table_and_not_in_the_file(tmp_path: Path) -> None:
    # Two of the three who have b go out in no case, for a value of the sensitive column that is too rare.
    table = pa.table({"a": ["a"] * 20 + ["b"] * 3, "s": ["x"] * 20 + ["x", "y", "y"]})
    out = tmp_path / "out.parquet"
    asked: dict[str, Any] = {"sensitive": "s", "keep": ["a", "s"], "k": 3, "budget": 1, "max_suppressed": 0.2}
    asked |= {"guess_budget": 1}
    assert not release(table, out, rules=["a: rarer than 3 decoys 1e-9"], **asked).blanks[0].needed_by_rule[0]
    assert release(table, out, rules=["a: rarer than 4 decoys 1"], **asked).blanks[0].needed_by_rule == (1,)


def raced(n: int = 3000) -> pa.Table:
    draw = Random(5)
    races = ["Other"] * 60 + draw.choices(["White", "Black", "Asian"], [6, 2, 1], k=n - 60)
    return pa.table({"person": [f"P{i}" for i in range(n)], "race": races, "sex": draw.choices("fm", k=n)})


def written(path: Path) -> Mapping[str, str | None]:
    table = pq.read_table(path)
    return dict(zip(table["person"].to_pylist(), table["race"].to_pylist(), strict=True))


def words(result: Release) -> str:
    return " ".join(result.to_markdown().split())


def test_without_decoys_a_reader_who_knows_the_rule_learns_what_is_behind_each_blank(tmp_path: Path) -> None:
    table, out = raced(), tmp_path / "out.parquet"
    truth = dict(zip(table["person"].to_pylist(), table["race"].to_pylist(), strict=True))
    result = release(table, out, rules=["race: Other"], keep=table.column_names, **OPEN)
    (blank,), shown = result.blanks, written(out)
    guessed = {person: "Other" if race is None else race for person, race in shown.items()}
    assert guessed == truth
    assert (blank.needed, blank.decoys, blank.suspicion, blank.expected_suspicion) == (60, 0, 1, 1)
    assert blank.guesses[0].posterior == blank.guesses[0].expected_posterior == 1
    assert blank.guesses[0].prior == max(Counter(truth.values()).values()) / 3000
    assert "Every blank of race is required by a rule (60, no decoys)" in words(result)


@pytest.mark.long
def test_the_decoys_that_the_warning_names_make_half_the_blanks_decoys(tmp_path: Path) -> None:
    table = raced()
    (blank,) = release(table, tmp_path / "out.parquet", rules=["race: Other"], keep=["race"], **OPEN).blanks
    leakage = redaction_leakage(table, RedactionRule("race", values=["Other"], decoys=blank.enough_decoys))
    assert leakage.suspicion == pytest.approx(0.5)
    rule = "race: White, Black"
    result = release(table, tmp_path / "out.parquet", rules=[rule], keep=["race"], **OPEN)
    assert "Drop the column instead" in words(result)


@pytest.mark.long
@pytest.mark.parametrize("rate", [0.02, 0.5])
def test_with_decoys_an_attacker_on_the_file_is_right_no_more_often_than_is_printed(
    tmp_path: Path, rate: float
) -> None:
    table, out, rounds = raced(), tmp_path / "out.parquet", 4
    people, races = table["person"].to_pylist(), table["race"].to_pylist()
    truth, counts = dict(zip(people, races, strict=True)), Counter(races)
    behind_a_blank = max(counts, key=lambda race: counts[race] * (1 if race == "Other" else rate))
    right = betting = blanks = 0
    for _ in range(rounds):
        rule = f"race: Other decoys {rate}"
        (blank,) = release(table, out, rules=[rule], keep=table.column_names, **OPEN).blanks
        shown = written(out)
        hits = sum(truth[person] == (behind_a_blank if race is None else race) for person, race in shown.items())
        assert hits / 3000 <= blank.guesses[0].posterior  # exact: no strategy is better on this file
        needed = sum(truth[person] == "Other" for person, race in shown.items() if race is None)
        assert (blank.needed, blank.decoys) == (needed, sum(race is None for race in shown.values()) - needed)
        assert blank.suspicion == needed / (blank.needed + blank.decoys)
        right, betting, blanks = right + hits, betting + needed, blanks + blank.needed + blank.decoys
    promised = blank.guesses[0].expected_posterior
    assert right / 3000 / rounds <= promised + 5 * sqrt(rate * (1 - rate) / (3000 * rounds))
    expected = redaction_leakage(table, RedactionRule("race", values=["Other"], decoys=rate))
    assert (blank.expected_suspicion, promised) == (expected.suspicion, expected.posterior)
    error = sqrt(rate * (1 - rate) * 3000 * rounds) / blanks
    assert betting / blanks == pytest.approx(blank.expected_suspicion, abs=5 * error)


@pytest.mark.long
def test_coins_are_tossed_anew_each_time(tmp_path: Path) -> None:
    table, out = raced(), tmp_path / "out.parquet"
    seen = []
    for _ in range(2):
        release(table, out, rules=["race: Other decoys 0.5"], keep=table.column_names, **OPEN)
        seen.append({person for person, race in written(out).items() if race is None})
    assert seen[0] != seen[1]


def test_decoys_who_are_left_out_hide_nobody_and_the_report_shows_it(tmp_path: Path) -> None:
    # Whoever redacts by need lives in one large town; decoys in small ones stand out there, and do not go out.
    towns = ["big"] * 130 + [f"town {i}" for i in range(100) for _ in range(29)]
    table = pa.table({"race": ["Other"] * 30 + ["White"] * (len(towns) - 30), "town": towns})
    out = tmp_path / "out.parquet"
    publish = ["race=blank by rule", "town"]
    result = release(table, out, rules=["race: Other decoys 0.02"], publish=publish, k=10, budget=0, max_suppressed=0.1)
    (blank,) = result.blanks
    assert result.suppressed > 20
    blanks = pq.read_table(out)["race"].null_count
    assert (blank.needed, blank.needed + blank.decoys) == (30, blanks)
    assert blank.expected_suspicion < 0.4
    assert blank.suspicion == 30 / blanks > 0.75
    assert result.checked.failing_people == 0


def test_fewer_than_k_blanks_do_not_go_out_and_the_report_says_so(tmp_path: Path) -> None:
    table = pa.table({"race": ["Other"] * 4 + ["White"] * 500, "sex": ["f", "m"] * 252})
    result = release(table, tmp_path / "out.parquet", rules=["race: Other"], keep=["race", "sex"])
    (blank,) = result.blanks
    assert (blank.needed, blank.decoys, blank.suspicion, result.suppressed) == (0, 0, 0, 4)
    assert "No cell of race is blank by a rule" in words(result)


def test_a_condition_on_a_sensitive_column_counts_against_its_guesses(tmp_path: Path) -> None:
    table = pa.table({"job": ["cook", "clerk"] * 100, "ill": ["yes"] * 60 + ["no"] * 140})
    rules = ["job: any when ill: yes"]
    with pytest.raises(MissedGoalError, match="ill"):
        release(table, tmp_path / "out.parquet", rules=rules, keep=["job"], sensitive="ill", guess_budget=0.1)
    result = release(table, tmp_path / "out.parquet", rules=rules, keep=["job"])
    (blank,) = result.blanks
    assert [(guess.about, guess.prior, guess.posterior) for guess in blank.guesses] == [
        ("job", 0.5, 0.85),
        ("ill", 0.7, 1.0),
    ]


def test_what_is_coarser_is_made_of_what_is_not_blank(tmp_path: Path) -> None:
    draw = Random(2)
    ages = [draw.randrange(20, 60) for _ in range(2000)]
    table, out = pa.table({"age": ages, "sex": draw.choices("fm", k=2000)}), tmp_path / "out.parquet"
    rules = ["age: 20, 21 decoys 0.05"]
    publish = ["age=in steps of 10, blank by rule", "sex"]
    with pytest.raises(InvalidValueError, match="it has 'blank by rule', 'in steps of 5', 'in steps of 10'"):
        release(table, out, rules=rules, publish=publish)
    result = release(table, out, rules=rules, publish=["age=in steps of 10", "sex"])
    (column,) = (each for each in result.columns if each.column == "age")
    assert (column.verdict, column.how) == ("generalize", "in steps of 10, blank by rule")
    (blank,) = result.blanks
    assert blank.needed == sum(age < 22 for age in ages)
    assert pq.read_table(out)["age"].null_count == blank.needed + blank.decoys
    assert blank.guesses[0].posterior < 0.2  # of an age in a range of ten


@pytest.mark.long
def test_redacted_rare_values_are_reported_as_rules_are(tmp_path: Path) -> None:
    result = release(
        "example:adult", tmp_path / "out.csv", columns=["race", "native_country"], redact=["native_country"]
    )
    (blank,) = result.blanks
    (rule,) = dc.anonymity.redaction_rules("example:adult", 10, ["native_country"])
    assert blank.rules == (spelled(rule),)
    assert blank.expected_suspicion == redaction_leakage("example:adult", rule).suspicion <= 0.5


@pytest.mark.long
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_plan_and_a_command_carry_the_rules(tmp_path: Path, suffix: str) -> None:
    table, rows = drawn(3)
    rules = tuple(spelled(rule) for rule in drawn_rules(4, rows))
    assert rules
    first = release(table, tmp_path / f"first{suffix}", rules=rules, keep=NAMES, **OPEN)
    plan = ReleaseOptions(**OPEN, rules=rules, publish=first.publish)
    (tmp_path / "plan.toml").write_text(plan_text(plan, dict.fromkeys(NAMES, ()), {}), encoding="utf-8")
    assert options_of_plan(tmp_path / "plan.toml", ReleaseOptions()).rules == plan.rules
    second = release(table, tmp_path / f"second{suffix}", tmp_path / "plan.toml")
    assert second.blanks == first.blanks
    assert rows_of(tmp_path / f"second{suffix}") == rows_of(tmp_path / f"first{suffix}")


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no rule": ({"rules": ["race"]}, "nothing in place of ':'"),
    "a value that nobody has": ({"rules": ["race: Othr"]}, "nobody has the value 'Othr' of 'race'"),
    "a condition that nobody meets": ({"rules": ["race: Other when sex: null"]}, "nobody has the value None of 'sex'"),
    "two rates of decoys": (
        {"rules": ["race: Other", "race: Black decoys 0.1"]}, "two rules for 'race' have decoys of 0 and 0.1"
    ),
    "the same rule twice": ({"rules": ["race: Other", "race:Other"]}, "the same rule for 'race' is there twice"),
    "a circle": (
        {"rules": ["race: any when sex: m", "sex: any when race: Other"]}, "form a circle"
    ),
    "a dropped column": ({"rules": ["race: Other"], "drop": ["race"]}, r"race cannot be followed .*\(by --drop\)"),
    "a column not chosen": (
        {"rules": ["race: Other"], "columns": ["sex"]}, r"race cannot be followed .*\(not among the columns\)"
    ),
    "a column not in the plan": (
        {"rules": ["race: Other"], "publish": ["sex"]}, r"race cannot be followed .*\(not in the plan\)"
    ),
    "a sensitive column": (
        {"rules": ["race: Other"], "sensitive": ["race"]}, "race cannot be followed .*sensitive: goes out only if kept"
    ),
    "a sensitive column that goes out": (
        {"rules": ["race: Other"], "sensitive": ["race"], "keep": ["race"]}, "goes out unchanged or not at all"
    ),
    "beside redact": ({"rules": ["race: Other"], "redact": ["race"]}, "race has a rule and is also named by redact"),
}  # fmt: skip


@pytest.mark.one_in(13)
@pytest.mark.parametrize("what", REFUSED)
def test_a_rule_that_cannot_be_followed_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    options, why = REFUSED[what]
    with pytest.raises(InvalidValueError, match=why) as refused:
        release(raced(), tmp_path / "out.csv", **options)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out.csv").exists()
    if "publish" not in options:
        with pytest.raises(InvalidValueError, match=why):
            dc.audit(raced(), **options)


def test_a_rule_for_no_column_is_refused_by_name(tmp_path: Path) -> None:
    for rule in ("rce: Other", "race: Other when sx: Male"):
        with pytest.raises(UnknownColumnError, match=r"race|sex"):
            release(raced(), tmp_path / "out.csv", rules=[rule])
        with pytest.raises(UnknownColumnError, match=r"race|sex"):
            dc.audit(raced(), columns=["race", "sex"], rules=[rule])
