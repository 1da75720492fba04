"""Each rule says what a count of the rows by hand says."""

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from discretion.errors import UnsupportedError
from discretion.jobs.check import NumberRule, PolicyCheck, check, read_policy
from oracles import releases, tables

ROWS = st.lists(st.tuples(*[st.sampled_from(["a", "b", None])] * 3), min_size=1, max_size=12)
SHARES = st.integers(0, 100).map(lambda percent: Fraction(percent, 100))


def checked(rows: list[tuple], text: str, folder: Path, names: str = "xyz") -> PolicyCheck:
    (folder / "discretion.toml").write_text(text)
    columns = {name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate(names)}
    return check(pa.table(columns), read_policy(folder / "discretion.toml"))


@pytest.mark.long
@given(ROWS, st.integers(1, 5), st.tuples(*[SHARES] * 4), st.integers(1, 3))
def test_rules_are_comparisons_of_fractions(
    tmp_path_factory, rows, k: int, shares: tuple[Fraction, ...], diverse: int
) -> None:
    budget, rise, certain, t = shares
    text = (
        f'k = {k}\nbudget = {float(budget)}\nsensitive = "z"\nguess_budget = {float(rise)}\n'
        f"certain_budget = {float(certain)}\nl = {diverse}\nt = {float(t)}\n"
        f'fail_over = ["k_anonymity<{k}", "singling_out>{float(budget)}"]'
    )
    found = checked(rows, text, tmp_path_factory.getbasetemp())
    seen, secret = tables.restrict(rows, [0, 1]), [row[2] for row in rows]
    before, after = tables.inference([()] * len(rows), secret), tables.inference(seen, secret)
    alike = {see: seen.count(see) for see in seen}
    held = {see: {other for see_, other in zip(seen, secret, strict=True) if see_ == see} for see in seen}
    truths = {
        "budget": (tables.exposure_below(seen, k), ">", budget),
        "guess_budget": (after - before, ">", rise),
        "certain_budget": (Fraction(sum(len(held[see]) == 1 for see in seen), len(rows)), ">", certain),
        "l": (releases.distinct_diversity(seen, secret), "<", diverse),
        "t": (releases.closeness(seen, secret), ">", t),
        "k_anonymity": (min(alike.values()), "<", k),
        "singling_out": (Fraction(sum(alike[see] == 1 for see in seen), len(rows)), ">", budget),
    }
    assert len(found.rules) == len(truths)
    for rule in found.rules:
        value, operator, limit = truths[rule.gate.measure if rule.rule == "fail_over" else rule.rule]
        failed = value > limit if operator == ">" else value < limit
        assert rule.verdict == ("failed" if failed else "passed"), (rule, value)
        assert rule.gate.value == pytest.approx(float(value), abs=1e-12)


NAMES = st.lists(st.sampled_from("abcde"), min_size=1, max_size=5, unique=True)


@pytest.mark.long
@given(NAMES, NAMES, st.lists(NAMES, min_size=1, max_size=3))
def test_columns_are_compared_as_sets(tmp_path_factory, names, allowed, together) -> None:
    text = f"columns = {allowed}\ntogether = {together}"
    columns, sets = checked([("v",) * len(names)], text, tmp_path_factory.getbasetemp(), "".join(names)).rules
    assert {*columns.beyond} == {*names} - {*allowed}
    assert columns.verdict == ("passed" if {*names} <= {*allowed} else "failed")
    assert sets.verdict == ("passed" if any({*names} <= {*each} for each in together) else "failed")
    assert len(sets.beyond) == min(len({*names} - {*each}) for each in together)
    for rule in (columns, sets):
        assert str(rule).startswith("FAILED line" if rule.verdict == "failed" else "passed line")
        assert all(name in str(rule) for name in rule.beyond)


def test_a_person_with_several_rows_is_one_and_her_column_is_one_of_the_file_s(tmp_path: Path) -> None:
    rows = [("p1", "a"), ("p1", "b"), ("p2", "b"), ("p2", "a"), ("p3", "a"), ("p4", "a")]
    text = 'person = "x"\nk = 2\ncolumns = ["y"]\ntogether = [["y"]]'
    found = checked(rows, text, tmp_path, "xy")
    assert found.people == 4
    assert {rule.rule: rule.verdict for rule in found.rules} == {
        "columns": "failed",
        "together": "passed",
        "k": "passed",
    }
    assert found.rules[0].beyond == ("x",)


def test_a_file_of_nothing_but_the_sensitive_column_raises_no_guess(tmp_path: Path) -> None:
    text = 'sensitive = "x"\nguess_budget = 0\ncertain_budget = 0\nl = 2\nt = 0'
    found = checked([("a",), ("b",), ("b",)], text, tmp_path, "x")
    assert [rule.verdict for rule in found.rules] == ["passed"] * 4


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["Town", " town", "twon"])
def test_a_sensitive_column_that_the_file_lacks_passes_no_limit_and_the_nearest_is_named(
    tmp_path: Path, name: str
) -> None:
    table = pa.table({name: ["Oslo"], "x": ["a"]})
    for text, verdict in (
        ("", "not decided"),
        ('missing = "fail"\n', "failed"),
        ('missing = "undecided"\n', "not decided"),
    ):
        (tmp_path / "discretion.toml").write_text(f'{text}sensitive = "town"\nl = 2\nfail_over = ["guess:town>0.5"]')
        found = check(table, read_policy(tmp_path / "discretion.toml"))
        assert [rule.verdict for rule in found.rules] == [verdict] * 2
        assert all(f"there is no column 'town'; did you mean {name!r}?" in str(rule) for rule in found.rules)


def test_who_looks_for_a_person_knows_nothing_sensitive_of_her(tmp_path: Path) -> None:
    rows = [("a", str(i)) for i in range(4)]
    budget, *_ = checked(rows, 'sensitive = "y"\nk = 4\nbudget = 0\nl = 4', tmp_path, "xy").rules
    assert budget.verdict == "passed"
    (alone,) = checked(rows, "k = 4", tmp_path, "xy").rules
    assert alone.verdict == "failed"


SUPPRESSED = [("f", "x"), ("f", "y"), ("m", "y"), ("*", "y"), (None, "y")]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("wildcards", "gate", "value", "verdict"),
    [
        ('"*"', "wildcard_k_anonymity<2", 1, "failed"),
        ('"*"', "wildcard_exposed_people>1", 1, "passed"),
        ('"*"', "people_with_wildcards>1", 1, "passed"),
        ('["*", ""]', "people_with_wildcards>1", 2, "failed"),
        ('["*", ""]', "wildcard_exposure>0.1", 0.2, "failed"),
        ('"*"', "k_anonymity<2", 1, "failed"),  # a wildcard is a value of its own in all other numbers
        ('"*"', "exposed_people>4", 5, "failed"),
    ],
)
def test_a_suppressed_value_could_be_anything_where_a_policy_names_it(
    tmp_path: Path, wildcards: str, gate: str, value: float, verdict: str
) -> None:
    gates = f'fail_over = ["{gate}", "wildcard_exposure>0.9"]'
    rules = checked(SUPPRESSED, f"wildcards = {wildcards}\nbudget = 1\nk = 2\n{gates}", tmp_path, "xy").rules
    ends = [
        (rule.gate.value, rule.verdict) for rule in rules if isinstance(rule, NumberRule) and rule.rule == "fail_over"
    ]
    assert ends[0] == (value, verdict)


def test_what_wildcards_cannot_be_of_is_refused(tmp_path: Path) -> None:
    Path(tmp_path, "discretion.toml").write_text('person = "x"\nwildcards = "*"\nfail_over = ["wildcard_exposure>0"]')
    table = pa.table({"x": ["a", "a"], "y": ["b", "*"]})
    with pytest.raises(UnsupportedError, match="people with one row each; make a table with a row per person"):
        check(table, read_policy(tmp_path / "discretion.toml"))
