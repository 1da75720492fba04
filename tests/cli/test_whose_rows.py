"""Rows are not counted as people while a column repeats as the name of a person does: each command asks first."""

import json
import shlex
from pathlib import Path

import pytest

from support.cli_runner import run

PEOPLE, VISITS = 40, 12
POLICY = "discretion.toml"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Visits, twelve of each of forty people, who are of two kinds; and the same people, with a row each."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},{30 + i % 2},{'fm'[i % 2]}" for i in range(PEOPLE)]
    visits = [f"{row},{visit % 3}" for row in rows for visit in range(VISITS)]
    Path("visits.csv").write_text("\n".join(["id,age,sex,ill", *visits]) + "\n")
    Path("nameless.csv").write_text("\n".join(["age,sex,ill", *(row.split(",", 1)[1] for row in visits)]) + "\n")
    Path("people.csv").write_text("\n".join(["id,age,sex", *rows]) + "\n")
    Path(POLICY).write_text("k = 100\n")


COMMANDS = {
    "release": "release visits.csv --k 10 --budget 0 --out out.csv",
    "release of some columns": "release visits.csv --columns age,sex --k 10 --budget 0 --out out.csv",
    "check": "check visits.csv --policy discretion.toml",
    "diff": "diff visits.csv visits.csv",
    "diff of some columns": "diff visits.csv visits.csv --columns age,sex",
    "diff with a nameless table": "diff nameless.csv visits.csv",
    "exposure": "exposure visits.csv --k 10",
    "exposure of some columns": "exposure visits.csv --columns age,sex --k 10",
}


@pytest.mark.one_in(11)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_counts_rows_as_people_asks_first(name: str) -> None:
    code, out, err = run(*shlex.split(COMMANDS[name]))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "id has 40 values in 480 rows, each in 12 rows" in err
    assert "--person none" in err
    assert not Path("out.csv").exists()
    code, _, err = run(*shlex.split(COMMANDS[name]), "--person", "none")
    assert (code == 2, err) == (False, "")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [name for name in COMMANDS if not name.startswith("release")])
def test_what_the_sentence_recommends_runs(name: str) -> None:
    """But for a release, which is of people with one row each, and for a table that does not have the column."""
    command = shlex.split(COMMANDS[name])
    recommended = "--person id" in run(*command)[2]
    assert recommended == ("nameless" not in name)
    if recommended:
        assert run(*command, "--person", "id")[2] == ""


def test_a_group_is_of_people_and_not_of_their_rows() -> None:
    numbers = {}
    for person in ("id", "none"):
        _, out, _ = run("check", "visits.csv", "--policy", POLICY, "--person", person, "--json")
        (rule,) = json.loads(out)["results"]["visits.csv"]["rules"]
        numbers[person] = rule["value"], rule["verdict"]
    assert numbers == {"id": (PEOPLE // 2, "failed"), "none": (4, "failed")}


def test_a_release_of_one_person_in_twelve_rows_is_none_of_twelve_people() -> None:
    Path("one.csv").write_text("\n".join(["id,age,sex", *["p1,30,f"] * 12, *["p2,40,m"] * 12]) + "\n")
    command = ["release", "one.csv", "--k", "10", "--budget", "0", "--out", "out.csv", "--person", "id"]
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert "by id 2 people have 24 rows: first make a table with one row per person" in err


def test_a_release_says_what_to_do_and_that_runs() -> None:
    code, _, err = run("release", "visits.csv", "--k", "10", "--out", "out.csv")
    assert "first make a table with one row per person" in err
    code, out, err = run("release", "people.csv", "--k", "10", "--budget", "0", "--out", "out.csv", "--person", "id")
    assert (code, err) == (0, "")
    assert "id" not in Path("out.csv").read_text().splitlines()[0]
    assert "The smallest class has 20 people" in " ".join(out.split())
    assert json.loads(Path("out.csv.discretion.json").read_text())["goal"]["person"] == "id"


def test_a_policy_answers_and_a_contradiction_is_refused() -> None:
    for answer, value in (("id", PEOPLE // 2), ("none", 4)):
        Path(POLICY).write_text(f'person = "{answer}"\nk = 100\n')
        _, out, _ = run("check", "visits.csv", "--policy", POLICY)
        assert f"k_anonymity {value} < 100" in out
    code, out, err = run("check", "visits.csv", "--policy", POLICY, "--person", "id")
    assert (code, out) == (2, "")
    assert "the policy has person = 'none', but person is 'id'" in err


@pytest.mark.long
def test_an_audit_asks_and_decides_no_gate_until_it_is_answered() -> None:
    command = ["audit", "visits.csv", "--k", "10", "--fail-over", "k_anonymity<10"]
    code, out, _ = run(*command)
    said = " ".join(out.split())
    assert code == 3
    assert "not decided k_anonymity < 10: rows may not be people: the column id has 40 values" in said
    assert "discretion audit visits.csv --person=id --k=10" in said
    assert run("audit", "visits.csv", "--person=id", "--k=10", "--fail-over", "k_anonymity<10")[0] == 0
    code, out, _ = run(*command, "--person", "none")
    assert code == 1
    assert run(*recommended(out))[0] == 0
    assert Path("published.parquet").exists()


def recommended(out: str) -> list[str]:
    """The command that an audit recommends, without its program."""
    lines = out.replace("\\\n", " ").splitlines()
    (command,) = (line for line in lines if line.startswith("  discretion "))
    return shlex.split(command)[1:]


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        ["--person", "id"],
        ["--person", "none", "--sensitive", "ill"],
        ["--person", "none", "--sensitive", "ill", "--keep", "ill", "--budget", "0.5"],
        ["--sensitive", "ill", "--k", "3"],
    ],
)
def test_the_command_that_an_audit_recommends_runs(options: list[str]) -> None:
    text = Path("visits.csv").read_text().replace(",0\n", ",9\n", 20)
    Path("visits.csv").write_text(text)
    code, out, err = run("audit", "visits.csv", *options)
    assert (code, err) == (0, "")
    code, _, err = run(*recommended(out))
    assert (code, err) == (0, "")


def test_a_column_that_is_called_none_is_no_answer() -> None:
    Path("visits.csv").write_text(Path("visits.csv").read_text().replace("id,", "none,", 1))
    code, out, err = run("exposure", "visits.csv", "--k", "10", "--person", "none", "--header", "yes")
    assert (code, out) == (2, "")
    assert "rename the column" in err
