"""`discretion check` as a careless and as a dishonest publisher: what identifies people does not pass."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.cli_runner import run

PEOPLE = 120
AGES, ILLS = [30 + i % 3 for i in range(PEOPLE)], ["flu" if i // 3 % 2 else "cold" for i in range(PEOPLE)]
RECORDS = [f"r{i}" for i in range(PEOPLE)]
LIMITS = 'sensitive = ["diagnosis"]\nk = 10\nguess_budget = 0.05\nl = 2\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def checked(policy: str, *options: str, **columns: list[Any]) -> tuple[int, str]:
    """The exit code, and what was said."""
    Path("discretion.toml").write_text(policy)
    pq.write_table(pa.table(columns), "people.parquet")
    code, out, err = run("check", "people.parquet", "--policy", "discretion.toml", *options)
    return code, " ".join((out + err).split())


def test_the_honest_file_passes() -> None:
    code, said = checked(LIMITS, age=AGES, diagnosis=ILLS)
    assert code == 0
    assert "note" not in said


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("fail_over = []", "has no rule"),
        ("fail_over = []\nheader = true", "has no rule"),
        ("k = 1", "has no rule that a file could break"),
        ("k = 1\nbudget = 0", "has no rule that a file could break"),
        ("budget = 1", "has no rule that a file could break"),
        ('fail_over = ["singling_out>1", "k_anonymity<1", "all_columns.exposure>1"]', "has no rule that a file could"),
        ('sensitive = "diagnosis"\nl = 1', "has no rule that a file could break"),
        ('sensitive = "diagnosis"\nfail_over = []', "without a limit"),
        ('sensitive = "diagnosis"\nk = 2\nfail_over = ["exposure>0.5"]', "'diagnosis' without a limit"),
        ('person = "age"\nsensitive = ["age"]\nl = 2', "which is also the person's column"),
        ('fail_over = ["k_anonymity>10"]', "fails files that give away less; write 'k_anonymity<10'"),
        ('fail_over = ["all_columns.exposure < 0.5"]', "write 'all_columns.exposure>0.5'"),
        (LIMITS + 'missing = "pass"', 'missing must be "undecided" or "fail"'),
    ],
)
def test_a_policy_that_checks_nothing_is_refused(policy: str, expected: str) -> None:
    code, said = checked(policy, age=AGES, diagnosis=ILLS)
    assert code == 2
    assert expected in said


def test_the_person_s_column_named_by_an_option_is_not_sensitive() -> None:
    code, said = checked(LIMITS, "--person", "diagnosis", age=AGES, diagnosis=ILLS)
    assert code == 2
    assert "'diagnosis' names the persons, so it cannot be sensitive" in said


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", ["Diagnosis", " diagnosis", "diagnosis ", "diagnose"])
def test_a_renamed_sensitive_column_passes_no_limit(name: str) -> None:
    code, said = checked(LIMITS, **{"age": AGES, name: ILLS})
    assert code == 3 if "FAILED" not in said else 1
    assert said.count(f"did you mean {name!r}?") == 2
    assert checked('missing = "fail"\n' + LIMITS.replace("k = 10", "k = 2"), **{"age": AGES, name: ILLS})[0] == 1


def test_a_sensitive_column_that_is_left_out_passes_no_limit_and_no_gate() -> None:
    code, said = checked(LIMITS, "--fail-over", "certain:diagnosis>0.5", age=AGES)
    assert code == 3
    assert said.count("not decided") == 3
    assert said.count("there is no column 'diagnosis'; the columns are 'age'") == 3
    assert "more time" not in said


def test_a_unique_column_that_is_called_sensitive_is_warned_of() -> None:
    code, said = checked(
        'sensitive = ["record"]\nk = 10\ncertain_budget = 1\nguess_budget = 1', age=AGES, record=RECORDS
    )
    assert code == 0
    assert "note: record is sensitive, so the adversary is assumed not to know it; its 120 values of 120 people" in said
    assert "these gates fail against an adversary that also knows record: all_columns.k_anonymity 1 < 10" in said


def test_columns_hidden_among_the_sensitive_ones_are_warned_of_and_a_gate_of_all_columns_fails() -> None:
    hidden = {
        "age": AGES,
        "town": [f"t{i % 40}" for i in range(PEOPLE)],
        "street": [f"s{i % 41}" for i in range(PEOPLE)],
    }
    policy = 'sensitive = ["town", "street"]\nk = 10\nguess_budget = 0.1\n'
    code, said = checked(policy, **hidden)
    assert code == 0
    assert "all_columns.k_anonymity 1 < 10" in said
    assert "all_columns.guess_rise:town" in said
    code, said = checked(policy + 'fail_over = ["all_columns.k_anonymity<10"]', **hidden)
    assert code == 1
    assert "FAILED line 4, fail_over: all_columns.k_anonymity 1 < 10" in said


@pytest.mark.long
def test_two_sensitive_columns_are_both_decided_in_every_command() -> None:
    second = ["a" if i % 3 else "b" for i in range(PEOPLE)]
    code, said = checked(
        'sensitive = ["diagnosis", "other"]\nl = 2', "--fail-over", "l_diversity:other<2", age=AGES, diagnosis=ILLS,
        other=second,
    )  # fmt: skip
    assert code == 1
    assert "FAILED people.parquet: l_diversity:other 1 < 2" in said
    sensitive = ["--sensitive", "diagnosis,other", "--fail-over", "l_diversity:other<2"]
    for command in (["audit", "people.parquet"], ["exposure", "people.parquet", "--k", "2"]):
        code, out, _ = run(*command, *sensitive)
        assert code == 1
        assert out.splitlines()[-1] == "FAILED l_diversity:other 1 < 2"


@pytest.mark.long
def test_every_command_shows_which_gates_pass_only_because_a_column_is_sensitive() -> None:
    checked("k = 2", age=AGES, record=RECORDS)
    limit = ["--sensitive", "record", "--fail-over", "{}k_anonymity<5"]
    kept = ["--keep", "record,age"]
    for command, prefix in (
        (["audit", "people.parquet"], ""),
        (["exposure", "people.parquet", "--k", "2"], ""),
        (["diff", "people.parquet", "people.parquet"], "new."),
        (["release", "people.parquet", "--out", "out.csv", *kept, "--k", "1", "--guess-budget", "1"], ""),
    ):
        code, out, err = run(*command, *(each.format(prefix) for each in limit))
        assert (code, err) == (0, "")
        note, verdict = out.splitlines()[-2:]
        assert note == (
            f"note: these gates fail against an adversary that also knows record: {prefix}all_columns.k_anonymity 1 < 5"
        )
        assert verdict == f"passed {prefix}k_anonymity 40 >= 5"


def test_the_column_of_persons_that_goes_out_is_named() -> None:
    code, said = checked('person = "id"\nk = 10', id=RECORDS, age=AGES)
    assert code == 0
    assert "note: id is in the file, but the numbers do not count it" in said


def test_notes_are_in_json() -> None:
    checked('person = "id"\nk = 10', id=RECORDS, age=AGES)
    _, out, _ = run("check", "people.parquet", "--policy", "discretion.toml", "--json")
    (note,) = json.loads(out)["results"]["people.parquet"]["notes"]
    assert note.startswith("id is in the file")
