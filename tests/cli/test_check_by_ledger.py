"""`discretion check` with a ledger: files that are harmless by themselves, and not beside what is out."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from support.cli_runner import run

POLICY = 'person = "id"\nk = 10\nbudget = 0.01\n'
CELLS = [(a, b, (a + j) % 10) for a in range(10) for b in range(10) for j in range(10)]
# Any two of these columns hide everybody among ten, and all three nobody.
PEOPLE = pd.DataFrame(CELLS, columns=["age", "sex", "town"]).assign(id=range(1000))
TABLES = {"spring": ["age", "sex"], "summer": ["sex", "town"], "autumn": ["age", "town"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("discretion.toml").write_text(POLICY)
    for name, columns in TABLES.items():
        PEOPLE[["id", *columns]].sample(frac=1, random_state=1).to_csv(f"{name}.csv", index=False)


def entered(*names: str, more: str = 'person = "id"') -> None:
    """Write the ledger of these tables."""
    Path("ledger.toml").write_text(
        "".join(
            f'[[table]]\nfile = "{name}.csv"\nsha256 = "{hashlib.sha256(Path(f"{name}.csv").read_bytes()).hexdigest()}"'
            f"\n{more}\n"
            for name in names
        )
    )


def checked(*words: str) -> tuple[int, str]:
    code, out, err = run("check", *words)
    return code, " ".join((out + err).split())


@pytest.mark.parametrize("name", TABLES)
def test_each_of_three_tables_passes_by_itself(name: str) -> None:
    code, said = checked(f"{name}.csv", "--policy", "discretion.toml")
    assert code == 0, said


@pytest.mark.parametrize("by_policy", [True, False])
def test_the_ledger_refuses_the_table_that_singles_people_out_beside_the_others(by_policy: bool) -> None:
    entered("spring", "summer")
    if by_policy:
        Path("discretion.toml").write_text(POLICY + 'ledger = "ledger.toml"\n')
    options = [] if by_policy else ["--ledger", "ledger.toml"]
    code, said = checked("autumn.csv", "--policy", "discretion.toml", *options)
    assert code == 1
    place = "line 4, ledger" if by_policy else "--ledger"
    assert f"FAILED {place}: joint_exposure 1 > 0.01" in said
    assert "by itself the file exposes nobody, and together with the ledger 1,000 people: fewer than 10" in said
    assert "passed line 3, budget: exposure 0 <= 0.01" in said


def test_a_table_of_what_is_out_already_passes() -> None:
    entered("spring")
    code, said = checked("spring.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert code == 0
    assert "together with the ledger nobody: for each person, at least 10 are in the same tables" in said


def test_without_persons_a_bound_decides_or_nothing_does() -> None:
    PEOPLE[["age", "sex"]].to_csv("spring.csv", index=False)
    entered("spring", more="")
    code, said = checked("autumn.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert code == 3
    assert "to decide it, take a person column" in said
    Path("discretion.toml").write_text(POLICY.replace("k = 10", "k = 2").replace("0.01", "0.99"))
    pd.DataFrame({"id": range(1000), "sex": ["f", "m"] * 500}).to_csv("few.csv", index=False)
    code, said = checked("few.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert (code, "passed --ledger: joint_exposure" in said) == (0, True)


@pytest.mark.parametrize("linkable", ["true", "false"])
def test_one_person_who_came_is_refused(linkable: str) -> None:
    PEOPLE.iloc[:-1][["id", "age"]].to_csv("spring.csv", index=False)
    PEOPLE[["id", "age"]].to_csv("autumn.csv", index=False)
    entered("spring", more=f'person = "id"\nlinkable = {linkable}')
    Path("discretion.toml").write_text('person = "id"\nk = 10\n')
    code, said = checked("autumn.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert code == 1
    expected = "joint_exposure 0.001 > 0" if linkable == "true" else "joint_found 1 > 0"
    assert f"FAILED --ledger: {expected}" in said
    assert checked("autumn.csv", "--policy", "discretion.toml")[0] == 0


def test_one_person_who_left_is_refused() -> None:
    PEOPLE[["id", "age"]].to_csv("spring.csv", index=False)
    PEOPLE.iloc[:-1][["id", "age"]].to_csv("autumn.csv", index=False)
    entered("spring")
    assert checked("autumn.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")[0] == 0  # within the budget
    Path("discretion.toml").write_text('person = "id"\nk = 10\n')
    code, said = checked("autumn.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert code == 1
    assert "joint_left 0.001001" in said
    assert "people of earlier tables who stand out because they are not in the file: 1" in said


def test_columns_that_the_adversary_does_not_know_are_in_no_class() -> None:
    ill = np.random.default_rng(0).choice(["flu", "cold"], 1000)
    PEOPLE.assign(ill=ill)[["id", "age", "ill"]].to_csv("spring.csv", index=False)
    entered("spring")
    Path("discretion.toml").write_text(POLICY + 'sensitive = "ill"\nl = 1\n')
    PEOPLE[["id", "sex"]].to_csv("summer.csv", index=False)
    code, said = checked("summer.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert (code, "passed --ledger: joint_exposure 0" in said) == (3, True)  # the file lacks the column
    PEOPLE.assign(ill=ill)[["id", "age", "ill"]].to_csv("autumn.csv", index=False)
    assert checked("autumn.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")[0] == 0


def test_all_is_in_json() -> None:
    entered("spring", "summer")
    code, out, _ = run("check", "autumn.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml", "--json")
    (file,) = json.loads(out)["results"].values()
    rules = [rule for rule in file["rules"] if rule["rule"] == "ledger"]
    assert code == 1
    assert [(rule["line"], rule["measure"], rule["verdict"]) for rule in rules] == [
        (None, "joint_exposure", "failed"),
        (None, "joint_left", "passed"),
        (None, "joint_found", "passed"),
    ]


@pytest.mark.parametrize(
    ("ledger", "reason"),
    [
        (None, "cannot read a ledger from 'ledger.toml': there is no such file"),
        ("[[table]]\nfile = 'gone.csv'", "'gone.csv': there is no such file on this machine; put the file back"),
        ("[[table]]\nfile = 'spring.csv'\nsha256 = '0'", "'spring.csv' has changed since it was entered"),
        ("[[table]]\nfile = 'spring.csv'\nperson = 'name'", "there is no column 'name'"),
        ("[[table]]\nfile = 'spring.csv'\ncolumns = ['town']", "there is no column 'town'"),
        ("damaged", "it is not TOML"),
    ],
)
def test_a_bad_ledger_is_one_sentence_and_exit_code_2(ledger: str | None, reason: str) -> None:
    if ledger is not None:
        Path("ledger.toml").write_text(ledger)
    code, said = checked("autumn.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert code == 2
    assert reason in said


def test_a_policy_and_an_option_name_one_ledger() -> None:
    entered("spring")
    Path("discretion.toml").write_text(POLICY + 'ledger = "other.toml"\n')
    code, said = checked("spring.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert code == 2
    assert "the policy has ledger = 'other.toml', but ledger is 'ledger.toml'; leave one of them out" in said


# Tables of counts.


def test_the_second_of_two_tables_of_counts_is_refused_whose_difference_is_one_person() -> None:
    Path("towns.csv").write_text("town,people\nA,25\nB,40\n")
    Path("women.csv").write_text("town,people\nA,24\nB,18\n")
    Path("discretion.toml").write_text('k = 10\ncounts = {column = "people", where = {sex = "f"}}\n')
    assert checked("women.csv", "--policy", "discretion.toml")[0] == 0
    Path("ledger.toml").write_text('[[counts]]\nfile = "towns.csv"\ncount = "people"\nk = 10\n')
    code, said = checked("women.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert code == 1
    assert "FAILED --ledger: derived_counts 1 > 0" in said
    assert "note: a count by sex, town of fewer than 10 people follows from towns.csv and women.csv" in said
    assert "passed line 1, k: smallest_count 18 >= 10" in said


def test_a_small_count_fails_and_a_blank_that_a_total_fills() -> None:
    Path("discretion.toml").write_text('k = 10\ncounts = "people"\n')
    Path("towns.csv").write_text("town,people\nA,20\nB,7\n")
    assert checked("towns.csv", "--policy", "discretion.toml")[0] == 1
    Path("towns.csv").write_text("town,people\nA,20\nB,\n")
    assert checked("towns.csv", "--policy", "discretion.toml")[0] == 0
    Path("total.csv").write_text("all,people\nyes,27\n")
    Path("ledger.toml").write_text('[[counts]]\nfile = "total.csv"\ncount = "people"\n')
    code, said = checked("towns.csv", "--policy", "discretion.toml", "--ledger", "ledger.toml")
    assert (code, "derived_counts 1 > 0" in said) == (1, True)


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("k = 10\ncounts = 3", "line 2: counts must be the column of the counts"),
        ("k = 10\ncounts = {columns = 'n'}", "line 2: counts must be the column of the counts"),
        ("k = 10\ncounts = {column = 'n', where = {a = 3}}", "line 2: counts must be the column of the counts"),
        (
            "k = 10\nbudget = 0.1\ncounts = 'n'",
            "line 2: budget is no rule for a table of counts; the rules are columns",
        ),
        ("k = 10\ncounts = 'n'", "there is no column 'n'"),
    ],
)
def test_a_policy_of_counts_that_makes_no_sense_is_refused(policy: str, reason: str) -> None:
    Path("discretion.toml").write_text(policy)
    Path("towns.csv").write_text("town,people\nA,25\n")
    code, said = checked("towns.csv", "--policy", "discretion.toml")
    assert code == 2
    assert reason in said
