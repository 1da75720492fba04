"""A file whose first line is a person is noticed, and her values are not said; what is said of it is taken."""

import json
import traceback
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import discretion
from discretion.anonymity import Population
from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError, UnsupportedError
from discretion.tables.layouts import csv_layout
from discretion.tables.layouts.headers import sign_of_a_value
from discretion.tables.locations import EXAMPLE, path_of
from support.cli_runner import run

VALUES = (
    "39", " 77516", "-3", "1,200", "$5.50", "1e5", "nan", "inf", "50%", "12345-6789", "+49 (0)30 1234", "12:30",
    "2020-01-31",
    "31.12.1999", "1/2/3", "10.0.0.1", "٣٩", "2020-01-31T12:00:00Z", "20200131T120000", "12 Mar 2020", "3-JAN-99",
    "March 2020", "Jan 5, 1999", "ann@example.org", "https://example.org/x", "www.example.org", "N/A", "null", "None",
    "?", "-", ".", "True", "false", "d41d8cd98f00b204e9800998ecf8427e", "123e4567-e89b-12d3-a456-426614174000",
    "00:1b:44:11:3a:b7", "12/05/1980 10:00 AM", "12/05/1980 at 10 pm", "12:30 PM", "7.30 p. m.", "12.5.1980 10:00 Uhr",
    "10:00:00Z", "12:30 h", "12th March 1980", "1st of May 1980", "Monday, 12 May 1980", "Tue 12/05/1980",
    "May 12th, 1980", "May 5, 1999 in Rome", "Sun Nov 22 19:13:31 UTC 2026", "12. März 1980", "1er mai 1980",
    "12 de mayo de 1980", "2020年5月", "令和2年5月12日", "2020년 5월 12일", "USD 5.00", "€5", "1.200,50 EUR", "US$5.00",
    "fe80::1", "::1", "2001:db8::/32", "2001:0db8:0000:0000:0000:ff00:0042:8329",
)  # fmt: skip
NAMES = (
    "age", "a", "c0", "1stFlrSF", "age (years)", "Na", "no", "yes", "id", "x1", "2nd floor", "%", "#", "étage", "年齢",
    "sepal_length", "marital status", "decade", "mayor1", "dec", "may", "address", "e-mail", "deadbeef", "sum of 3",
    "Q1", "2019 sales", "Jan 2020 sales", "q3_2020", "jan2020", "1st visit", "age 65+", "% of 5 kg", "12 month change",
    "2nd quarter 2020", "2-year survival", "0-4 years", "Monday", "AM", "6 PM", "12 May", "5月", "2020年", "5 de mayo",
    "PM2.5", "PM 2.5", "p-value", "5-HT2A", "INR 2.50", "CI 0.95", "2015 USD", "100 JPY", "5 km", "70.5 kg", "1.2.1 h",
    "std::1", "1:123:A:G", "1:00" + "a.m." * 20 + "x",
)  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_what_no_column_is_called(value: str) -> None:
    assert sign_of_a_value(value)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_column_may_be_called(name: str) -> None:
    assert sign_of_a_value(name) is None


def adult(path: Path, header: bool) -> Path:
    """Write some of the bundled example, as its authors publish it."""
    table = pyarrow.parquet.read_table(path_of(EXAMPLE)).slice(0, 50).to_pydict()
    lines = [
        *([", ".join(table)] if header else []),
        *(", ".join(map(str, row)) for row in zip(*table.values(), strict=True)),
    ]
    path.write_text("\n".join(lines).replace("None", "?") + "\n")
    return path


@pytest.mark.long
def test_a_table_as_it_is_published_without_names(tmp_path: Path) -> None:
    path = adult(tmp_path / "adult.csv", header=False)
    first = path.read_text().splitlines()[0].split(", ")
    for command in (
        ["audit"],
        ["audit", "--sensitive", "inc"],
        ["exposure", "--k", "2", "--columns", "x"],
        ["estimate"],
    ):
        code, out, err = run(command[0], path, *command[1:])
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "column 1 is a number" in err
        assert not any(value in err.replace(str(path), "") for value in first if len(value) > 1)
    assert Population(path, header=False).people == 50
    assert Population(path, header=False).columns[:2] == ("column1", "column2")
    assert Population(path, header=True).people == 49
    assert Population(adult(path, header=True)).people == 50


@pytest.mark.parametrize(
    ("content", "sign"),
    [
        ("town,job\nParis,smith\nRome,baker\nParis,smith\n", None),
        ("Paris,smith\nRome,baker\nParis,cook\n", "column 1 comes again below"),
        ("Oslo,smith\nRome,baker\nParis,smith\n", "column 2 comes again below"),
        ('Oslo,"smith ""x"""\nRome,baker\nParis,"smith ""x"""\n', "column 2 comes again below"),
        ('Oslo,smith\r\nRome,"smith"\r\n', "column 2 comes again below"),
        ('"Oslo",smith\nOslo,baker', "column 1 comes again below"),
        ("Oslo,smith\nRome,baker\nParis,smith", "column 2 comes again below"),
        ("Oslo,smith\nsmith,Oslo\n", None),
        ("Oslo\nRome\n", None),
        ("Oslo,7\n", "column 2 is a number"),
    ],
)
@pytest.mark.parametrize("chunk", [5, 64, 1 << 22])
def test_a_name_that_is_a_value_too(
    content: str, sign: str | None, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_layout, "CHUNK", chunk)
    path = tmp_path / "people.csv"
    path.write_bytes(content.encode())
    if sign is None:
        assert csv_layout.csv_layout(path).header
    else:
        with pytest.raises(InvalidTableError, match=sign) as refusal:
            csv_layout.csv_layout(path)
        assert not any(value in str(refusal.value) for value in ("Oslo", "smith", "7,"))


@pytest.mark.long
def test_keys_that_are_values(tmp_path: Path) -> None:
    rows = [{"Paris": "Rome", "smith": "baker"}, {"Paris": "Paris", "smith": None}]
    (tmp_path / "people.json").write_text(json.dumps(rows))
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, rows)))
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "people.parquet")
    coded = pa.table({"x": [1, 2], "Paris": pa.array(["Rome", "Paris"]).dictionary_encode()})
    pyarrow.parquet.write_table(coded, tmp_path / "coded.parquet")
    for path in tmp_path.iterdir():
        with pytest.raises(InvalidTableError, match=r"the name of column \d comes again below") as refusal:
            Population(path, columns=["unknown"])
        assert "Paris" not in str(refusal.value)
        assert Population(path, header=True).people == 2
        for header in (False, ["a", "b"]):
            with pytest.raises(InvalidTableError, match="names its columns itself"):
                Population(path, header=header)
    (tmp_path / "contacts.json").write_text('{"ann@example.org": 1}')
    with pytest.raises(InvalidTableError, match="the name of column 1 is an e-mail address"):
        Population(tmp_path / "contacts.json")


@pytest.mark.long
def test_only_names_that_will_be_shown_are_looked_for_below(tmp_path: Path) -> None:
    """The other columns are not read, which is most of the time: no output has their names, but the error with all."""
    rows = [{"town": "Rome", "smith": "baker"}, {"town": "Rome", "smith": "smith"}]
    (tmp_path / "people.json").write_text(json.dumps(rows))
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, rows)))
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "people.parquet")
    for path in tmp_path.iterdir():
        for command in ("audit", "exposure"):
            code, out, err = run(command, path, "--k", "2", "--columns", "town", "--person", "none")
            assert (code, "smith" in out + err) == (0, False)
            code, out, err = run(command, path, "--k", "2", "--columns", "town")
            assert (code, "smith" in out + err) == (2, False), "a key is searched for in all columns"
        for columns, person in ((None, None), (["smith"], None), (["town"], "smith"), (["smit"], None), (["x"], "y")):
            with pytest.raises(InvalidTableError, match="the name of column 2 comes again below") as refusal:
                Population(path, columns, person)
            assert "smith" not in "".join(traceback.format_exception(refusal.value, chain=True)).replace(str(path), "")


def test_what_can_be_said_of_a_first_line(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("x,1\ny,2\nx,1\n")
    assert Population(path, header=["a", "b"]).class_sizes().sizes.tolist() == [1, 2]
    assert discretion.audit(path, header=False, k=2).people == 3
    for header, fault in (
        (["a"], "has 2 columns, and header names 1"),
        (["a", "a"], "named twice"),
        (["a", ""], "empty"),
    ):
        with pytest.raises(InvalidValueError, match=fault):
            Population(path, header=header)
    with pytest.raises(UnknownColumnError, match="'column1', 'column2'"):
        Population(path, columns=["x"], header=False)
    with pytest.raises(UnsupportedError, match="header is for a file"):
        Population(pa.table({"1": [1]}), header=True)
    assert Population(pa.table({"1": ["1"]})).columns == ("1",)
    with pytest.raises(InvalidValueError, match="a Population is already read; set header"):
        discretion.audit(Population(path, header=False), header=False)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("header", "people", "columns"),
    [
        ("yes", 2, ["x", "1"]),
        ("no", 3, ["column1", "column2"]),
        ('a,"b,c"', 3, ["a", "b,c"]),
        ('"yes",b', 3, ["yes", "b"]),
    ],
)
def test_the_header_on_the_command_line(header: str, people: int, columns: list[str], tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("x,1\ny,2\nx,1\n")
    for command in (["exposure", "--k", "2"], ["audit", "--k", "2"]):
        code, out, err = run(*command, path, "--header", header, "--json")
        assert (code, err) == (0, "")
        assert json.loads(out)["results"]["people"] == people
        assert json.loads(out)["inputs"]["columns"] == columns
    code, out, err = run("estimate", path, "--header", header, "--json")
    if people == 3:
        assert (json.loads(out)["results"]["samples"], json.loads(out)["results"]["columns"]) == (3, columns[1:])


def test_a_first_line_as_wide_as_can_be(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"{'a' * 1_000_000},b\n1,2\n")
    assert Population(path, columns=["b"]).people == 1
    for text in ("a" * 3_000_000 + ",b\n1,2\n", '"' + "a" * 3_000_000 + '",b\n1,2\n'):
        path.write_text(text)
        with pytest.raises(InvalidTableError, match="line 1 ends a row of more than 2000000 bytes"):
            Population(path)
