"""Ledgers in TOML: what a person writes is read, and what is missing, damaged or changed is refused."""

import hashlib
import tomllib
from datetime import date
from pathlib import Path

import pytest

from discretion.anonymity import read_count_table, read_ledger
from discretion.anonymity.ledgers.ledger import ledger_with
from discretion.errors import InvalidValueError

SPRING = "id,age\n1,30\n2,30\n"
DIGEST = hashlib.sha256(SPRING.encode()).hexdigest()
LEDGER = f"""
[[table]]
file = "spring.csv"
date = 2025-03-01
person = "id"
columns = ["age"]
sha256 = "{DIGEST}"

[[table]]
file = "spring.csv"
linkable = false

[[counts]]
file = "towns.csv"
count = "people"
k = 10
where = {{sex = "f"}}
complete = false
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spring.csv").write_text(SPRING)
    Path("towns.csv").write_text("town,people\nA,20\n,\n")


def test_a_ledger_is_read_from_its_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Path("ledger.toml").write_text(LEDGER)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    ledger = read_ledger("../ledger.toml")
    first, second = ledger.tables
    assert (first.person, first.columns, first.linkable, first.name) == ("id", ("age",), True, "spring.csv")
    assert (second.person, second.columns, second.linkable) == (None, None, False)
    (counts,) = ledger.counts
    assert (counts.columns, counts.k, dict(counts.where), counts.complete) == (("town",), 10, {"sex": "f"}, False)
    assert counts.counts == {("A",): 20, (None,): None}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[table", "it is not TOML"),
        ("[[tables]]\nfile = 'spring.csv'", "there is no part of a ledger called 'tables'; did you mean 'table'?"),
        ("table = 3", "begin each table of a ledger with a line [[table]]"),
        ("[[table]]\nperson = 'id'", 'a [[table]] has no file = "…"'),
        (
            "[[table]]\nfile = 'spring.csv'\npersons = 'id'",
            "no key of a table called 'persons'; did you mean 'person'?",
        ),
        ("[[table]]\nfile = 'spring.csv'\nlinkable = 'no'", "linkable of spring.csv must be true or false"),
        ("[[table]]\nfile = 'spring.csv'\ndate = 'spring'", "date of spring.csv must be a day such as 2025-03-01"),
        ("[[table]]\nfile = 'spring.csv'\ncolumns = ['a', 'a']", "the column 'a' is named twice"),
        ("[[table]]\nfile = 'spring.csv'\nperson = 'id'\ncolumns = ['id']", "'id' names the persons"),
        ("[[table]]\nfile = 'summer.csv'", "there is no such file on this machine; put the file back, or correct"),
        (f"[[table]]\nfile = 'towns.csv'\nsha256 = '{DIGEST}'", "'towns.csv' has changed since it was entered"),
        ("[[counts]]\nfile = 'towns.csv'", "there is no column 'count'; the columns are 'town', 'people'"),
        ("[[counts]]\nfile = 'towns.csv'\ncount = 'people'", "a table with withheld counts needs k"),
        ("[[counts]]\nfile = 'towns.csv'\ncount = 'town'\nk = 5", "no whole number in the column 'town'"),
        ("[[counts]]\nfile = 'towns.csv'\ncount = 'people'\nk = true", "k of towns.csv must be a whole number"),
        ("[[counts]]\nfile = 'towns.csv'\ncount = 'people'\nk = 5\nwhere = {sex = 3}", "must have a text for each"),
        ("[[counts]]\nfile = 'towns.csv'\ncount = 'people'\nk = 5\nwhere = {town = 'A'}", "both columns and where"),
    ],
)
def test_what_no_ledger_has_is_refused_in_a_sentence(text: str, reason: str) -> None:
    Path("ledger.toml").write_text(text)
    with pytest.raises(InvalidValueError) as refused:
        read_ledger("ledger.toml")
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_ledger_is_refused() -> None:
    with pytest.raises(InvalidValueError, match=r"cannot read a ledger from 'none\.toml': there is no such file"):
        read_ledger("none.toml")


def test_a_file_that_changed_is_refused_until_it_is_put_back() -> None:
    Path("ledger.toml").write_text(LEDGER)
    Path("spring.csv").write_text(SPRING + "3,40\n")
    with pytest.raises(InvalidValueError, match=r"'spring\.csv' has changed"):
        read_ledger("ledger.toml")
    Path("spring.csv").write_text(SPRING)
    assert len(read_ledger("ledger.toml").tables) == 2


def test_a_table_is_added_at_the_end_and_what_is_there_stays() -> None:
    path, odd = Path("ledger.toml"), ["age", 'a "b"\\\x7f', "größe"]
    added = {"person": "id", "columns": odd, "day": date(2025, 6, 1), "sha256": DIGEST}
    path.touch()
    new = ledger_with(read_ledger(path), Path("spring.csv"), **added)
    assert tomllib.loads(new)["table"] == [
        {"file": "spring.csv", "date": date(2025, 6, 1), "columns": odd, "sha256": DIGEST, "person": "id"}
    ]
    path.write_text(LEDGER + "# a remark\n")
    more = ledger_with(read_ledger(path), Path("spring.csv"), **{**added, "columns": ["age"]})
    assert more.startswith(LEDGER + "# a remark\n")
    path.write_text(more)
    assert len(read_ledger(path).tables) == 3


def test_a_combination_that_is_counted_twice_is_refused_without_its_value() -> None:
    Path("towns.csv").write_text("town,count\nsecret,20\nsecret,4\n")
    with pytest.raises(InvalidValueError, match=r"line 3 of towns\.csv repeats a combination of values") as refused:
        read_count_table("towns.csv")
    assert "secret" not in str(refused.value)
