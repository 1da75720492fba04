"""`discretion diff` from the shell: an answer, a gate, and a sentence for what cannot be compared."""

import json
from pathlib import Path

import pytest

import discretion as dc
from discretion.jobs.diff import diff_measures
from support.cli_runner import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    rows = [f"{20 + i % 4},{'fm'[i % 2]}" for i in range(200)]
    Path("v1.csv").write_text("\n".join(["age,sex", *rows]) + "\n")
    Path("v2.csv").write_text("\n".join(["age,sex", *rows, rows[0]]) + "\n")
    Path("other.csv").write_text("town\nOslo\nRome\n")


def test_a_person_who_was_added_fails_a_gate() -> None:
    code, out, err = run("diff", "v1.csv", "v2.csv", "--fail-over", "added_found>0")
    assert (code, err) == (1, "")
    assert out.startswith("Do not publish NEW (v2.csv) unchanged in addition to OLD (v1.csv).\n  • 1 person was added")
    assert out.splitlines()[-1] == "FAILED added_found 1 > 0"


def test_a_sensitive_column_is_none_of_those_that_people_are_found_by() -> None:
    _, out, _ = run("diff", "v1.csv", "v2.csv", "--sensitive", "sex")
    assert "come with the same values of age." in " ".join(out.split())


@pytest.mark.long
def test_json_is_what_python_finds() -> None:
    code, out, err = run("diff", "v1.csv", "v2.csv", "--json", "--k", "5", "--sensitive", "sex")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert answer["results"] == json.loads(json.dumps(dc.diff("v1.csv", "v2.csv", k=5, sensitive="sex").to_dict()))
    assert answer["inputs"]["old"] == "v1.csv"
    assert answer["results"]["decision"] == "do not publish"


def test_the_same_file_twice_is_fine() -> None:
    code, out, _ = run("diff", "v1.csv", "v1.csv")
    assert code == 0
    assert out.startswith("Nothing differs")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["v1.csv", "other.csv"], "no column in common"),
        (["v1.csv", "nowhere.csv"], "no such file"),
        (["v1.csv", "v2.csv", "--columns", "ages"], "age"),
        (["v1.csv", "v2.csv", "--person", "id"], "id"),
        (["v1.csv"], "new"),
        (["v1.csv", "v2.csv", "--k", "0"], "k must be"),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(arguments: list[str], said: str) -> None:
    code, out, err = run("diff", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err.lower()


def test_the_measures_are_told_in_its_help() -> None:
    said = " ".join(run("diff", "--help")[1].split())
    for measure in diff_measures(["COLUMN"]):
        assert (
            measure.removeprefix("old.").removeprefix("new.").removeprefix("rise.").removeprefix("all_columns.") in said
        )
    assert "new.all_columns.exposure" in said
