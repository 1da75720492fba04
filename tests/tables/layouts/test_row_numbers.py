"""A first column without a name, as R and pandas write row numbers, is taken for these if they are, and called row."""

from pathlib import Path

import pandas as pd
import pytest

from discretion.anonymity import Population, column_kinds
from discretion.errors import InvalidTableError
from discretion.tables.layouts import csv_layout
from support.cli_runner import run

PEOPLE = pd.DataFrame({"town": ["Oslo", "Rome"] * 30, "job": ["baker", "smith", "cook"] * 20})
# What R's write.csv(people, "people.csv") writes.
BY_R = '"","town","job"\n"1","Oslo","baker"\n"2","Rome","smith"\n"3","Oslo","baker"\n'
WAY_OUT = "to yes if the first line holds names: the column is then called row"


def by_pandas(path: Path, frame: pd.DataFrame) -> Path:
    frame.to_csv(path)
    assert path.read_bytes().startswith(b",")
    return path


@pytest.mark.long
def test_a_table_that_pandas_wrote_with_its_index_is_audited(tmp_path: Path) -> None:
    people = Population(by_pandas(tmp_path / "people.csv", PEOPLE))
    assert (people.columns, people.people) == (("row", "town", "job"), 60)
    assert people.class_sizes(["town", "job"]) == Population(PEOPLE).class_sizes(["town", "job"])
    assert people.class_sizes(["row"]).unique == 60
    assert [kind.kind for kind in column_kinds(people)] == ["identifier", "trait", "trait"]
    code, out, err = run("audit", tmp_path / "people.csv")
    assert (code, err) == (0, "")
    assert "Publish 2 of 3 columns: town, job." in out
    assert "identifier: 60 values in 60 rows" in out


def test_a_table_that_r_wrote(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(BY_R)
    assert Population(path).columns == ("row", "town", "job")
    assert Population(path).class_sizes(["town"]).sizes.tolist() == [1, 2]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("content", "names"),
    [
        (",a,b\n0,x,y\n3,x,y\n70,x,y\n", ("row", "a", "b")),  # rows were left out
        (",a\r\n0,x\r\n1,x\r\n", ("row", "a")),
        ("\ufeff,a\n0,x\n1,x", ("row", "a")),
        (',a\n0,"x\ny"\n1,x\n', ("row", "a")),
        (",row,ROW_\n0,x,y\n1,x,y\n", ("row__", "row", "ROW_")),
        (",a\n999999999999999998,x\n999999999999999999,x\n", ("row", "a")),
        (",a\n1,x\n0,x\n", None),
        (",a\n0,x\n0,x\n", None),
        (",a\n0,x\n,x\n", None),
        (',a\n0,x\n"",x\n', None),
        (",a\n0,x\n-1,x\n", None),
        (",a\n0,x\n1.5,x\n", None),
        (",a\n0,x\n1e5,x\n", None),
        (",a\n0,x\n٣,x\n", None),
        (",a\n0,x\n1000000000000000000,x\n", None),
        ('"","mpg"\n"Mazda RX4",a\n"Datsun 710",b\n', None),  # R's names of rows
    ],
)
@pytest.mark.parametrize("chunk", [7, 64, 1 << 22])
def test_what_row_numbers_are(
    content: str, names: tuple[str, ...] | None, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_layout, "CHUNK", chunk)
    path = tmp_path / "people.csv"
    path.write_bytes(content.encode())
    if names is None:
        with pytest.raises(InvalidTableError, match=WAY_OUT):
            Population(path)
        names = ("row", *content.splitlines()[0].replace('"', "").split(",")[1:])
    else:
        assert Population(path).columns == names
    assert Population(path, header=True).columns == names


def test_a_person_without_her_first_value_is_not_taken_for_names(tmp_path: Path) -> None:
    """Whether the others' first values are ages, which do not rise, or words."""
    path = tmp_path / "people.csv"
    for ages in (("39", "50", "38"), ("young", "old", "old"), ("39", "", "50")):
        path.write_text(",Paris,smith\n" + "".join(f"{age},Rome,baker\n" for age in ages))
        for command in (["audit"], ["exposure", "--k", "2"]):
            code, out, err = run(command[0], path, *command[1:])
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert WAY_OUT in err
            assert not any(value in err for value in ("Paris", "smith"))
        assert Population(path, header=False).people == 4
        assert Population(path, header=["age", "town", "job"]).people == 4
    for line, sign in ((",Paris,39", "column 3 is a number"), (",Rome,smith", "column 2 comes again below")):
        path.write_text(f"{line}\n1,Rome,baker\n2,Rome,cook\n")
        with pytest.raises(InvalidTableError, match=sign):
            Population(path)


def test_no_other_name_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    for content, column in ((",a,\n0,x,y\n", 3), ("a,,b\n0,x,y\n", 2), (",,a\n0,1,x\n", 2), ("\n1\n", 1)):
        path.write_text(content)
        for header in (None, True):
            with pytest.raises(InvalidTableError, match=f"no name for column {column}; write one in its first line"):
                Population(path, header=header)
        assert Population(path, header=False).people == 2


def test_a_secret_is_no_row_number(tmp_path: Path) -> None:
    """What is sent into a system stands in the first column of samples: a row number there is a mistake."""
    by_pandas(tmp_path / "samples.csv", pd.DataFrame({"secret": ["a", "b"], "seen": ["x", "y"]}))
    code, out, err = run("estimate", tmp_path / "samples.csv")
    assert (code, out) == (2, "")
    assert "has no name for column 1" in err
