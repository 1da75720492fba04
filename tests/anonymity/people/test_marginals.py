"""The counts of single columns: what they are made of, what they keep, and what is refused without saying a value."""

import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.anonymity import ClassSizes
from discretion.errors import InvalidTableError, InvalidValueError, TooLargeError, UnknownColumnError, UnsupportedError
from support.lowering import lowered

COUNTS = {"sex": {"f": 6, "m": 3, None: 1}, "blood": {"0": 9, "AB": 1}}
PAIR = {("f", "0"): 5, ("f", "AB"): 1, ("m", "0"): 3, (None, "0"): 1}
SECRET = "Rumpelstiltskin"


@pytest.fixture
def marginals() -> dc.Marginals:
    return dc.Marginals(COUNTS, groups={("sex", "blood"): PAIR})


def test_it_keeps_sizes_and_no_value(marginals: dc.Marginals) -> None:
    assert (marginals.people, marginals.columns, marginals.groups) == (10, ("sex", "blood"), (("sex", "blood"),))
    assert marginals.class_sizes(["sex"]) == ClassSizes([1, 3, 6], [1, 1, 1])
    assert marginals.class_sizes(["blood", "sex"]) == marginals.class_sizes() == ClassSizes([1, 3, 5], [2, 1, 1])
    assert marginals.class_sizes(()) == ClassSizes([10], [1])
    assert repr(marginals) == "Marginals(10 people; sex, blood; sex and blood together)"
    assert b"AB" not in pickle.dumps(marginals)


def test_it_is_frozen_and_equal_to_its_like(marginals: dc.Marginals) -> None:
    again = dc.Marginals({**COUNTS, "blood": ClassSizes([1, 9], [1, 1])}, groups={("sex", "blood"): PAIR})
    assert again == marginals == pickle.loads(pickle.dumps(marginals))
    assert hash(again) == hash(marginals)
    assert dc.Marginals(COUNTS) != marginals != COUNTS
    with pytest.raises(AttributeError):
        marginals.people = 11  # type: ignore[misc]


def test_some_of_the_columns_and_groups(marginals: dc.Marginals) -> None:
    assert marginals.marginals() == dc.Marginals(COUNTS)
    assert marginals.marginals(groups=[("blood", "sex"), ["sex"]]) == marginals
    assert marginals.marginals(["blood"]) == dc.Marginals({"blood": COUNTS["blood"]})
    nothing = marginals.marginals(())
    assert (nothing.columns, nothing.people, nothing.alone()) == ((), 10, (ClassSizes([10], [1]),))
    with pytest.raises(UnknownColumnError, match="did you mean 'sex'"):
        marginals.marginals(["sexx"])
    with pytest.raises(InvalidValueError, match="a group must be a sequence of columns out of blood"):
        marginals.marginals(["blood"], groups=[("sex", "blood")])
    with pytest.raises(UnsupportedError, match="these Marginals lack the counts of sex and blood together"):
        dc.Marginals(COUNTS).class_sizes()


def test_whom_a_column_leaves_out_has_no_value_if_people_says_so() -> None:
    told = dc.Marginals({"sex": {"f": 6, "m": 3}, "blood": COUNTS["blood"]}, people=10)
    assert told == dc.Marginals(COUNTS)
    some = dc.Marginals({"sex": {"f": 6, "m": 2, None: 1}}, people=10)
    assert some.class_sizes() == ClassSizes([2, 6], [2, 1])
    pair = {key: count for key, count in PAIR.items() if None not in key}
    with pytest.raises(InvalidValueError, match="the group sex and blood counts 9 people of 10; count everybody"):
        dc.Marginals(COUNTS, groups={("sex", "blood"): pair})


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([None, "a", "b", ""])] * 2), min_size=1, max_size=12))
def test_a_population_gives_those_of_its_rows(rows: list[Any]) -> None:
    table = pa.table({name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate("xy")})
    people = dc.Population(table)
    counts = people.marginals(groups=[("x", "y")])
    for columns in (["x"], ["y"], ["x", "y"], []):
        assert counts.class_sizes(columns) == people.class_sizes(columns)
    assert people.marginals(["y"]) == counts.marginals(["y"])


def test_people_with_several_rows_have_none() -> None:
    several = dc.Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="several rows"):
        several.marginals()


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a list": (lambda: dc.Marginals([COUNTS]), UnsupportedError, r"got list; for a table use .*\.marginals"),
    "groups in a list": (lambda: dc.Marginals(COUNTS, groups=[PAIR]), UnsupportedError, r"\(value, value\).* got list"),
    "no column": (lambda: dc.Marginals({}), InvalidValueError, "at least one column"),
    "a column without name": (lambda: dc.Marginals({"": {"a": 1}}), InvalidValueError, "name every column"),
    "a column called by a number": (lambda: dc.Marginals({1: {"a": 1}}), InvalidValueError, "names, which are text"),
    "no value": (lambda: dc.Marginals({"x": {}}), InvalidValueError, "counts of the column 'x' must be a mapping"),
    "a number": (lambda: dc.Marginals({"x": 5}), InvalidValueError, "counts of the column 'x' must be a mapping"),
    "others": (
        lambda: dc.Marginals({"x": {"a": 2}, "y": {"b": 3}}),
        InvalidValueError,
        "'x' counts 2 people, and another one 3; count everybody in each, .* or give people=3 if .* withheld",
    ),
    "fewer people": (lambda: dc.Marginals({"x": {"a": 2}}, 1), InvalidValueError, "'x' counts 2 people, and people=1"),
    "sizes of fewer people": (
        lambda: dc.Marginals({"x": ClassSizes([2], [1])}, 3),
        InvalidValueError,
        "'x' counts 2 people, and people=3; give the counts of these people",
    ),
    "no people": (lambda: dc.Marginals({"x": {"a": 2}}, 0), InvalidValueError, "people must be"),
    "too many": (lambda: dc.Marginals({"x": {"a": 10**30}}), TooLargeError, "at most 10,000,000,000"),
    "too many sizes": (lambda: dc.Marginals({"x": ClassSizes([10**11], [1])}), TooLargeError, "at most 10,000,000,000"),
    "a group of one": (lambda: dc.Marginals(COUNTS, groups={("sex",): {("f",): 10}}), InvalidValueError, "two or more"),
    "a group twice": (
        lambda: dc.Marginals(COUNTS, groups={("sex", "blood"): PAIR, ("blood", "sex"): PAIR}),
        InvalidValueError,
        "may occur once",
    ),
    "a group of others": (
        lambda: dc.Marginals(COUNTS, groups={("sex", "age"): PAIR}),
        InvalidValueError,
        "a group must be a sequence of columns out of sex, blood",
    ),
    "a group by other keys": (
        lambda: dc.Marginals(COUNTS, groups={("sex", "blood"): {SECRET: 10}}),
        InvalidValueError,
        "need tuples of values, one for each column of sex and blood",
    ),
    "a group of other people": (
        lambda: dc.Marginals(COUNTS, groups={("sex", "blood"): {("f", SECRET): 10}}),
        InvalidValueError,
        "sex and blood together do not add up to those of sex",
    ),
    **{
        f"a count of {count!r}": (
            lambda count=count: dc.Marginals({"x": {SECRET: count}}),
            InvalidValueError,
            "a count of the column 'x' is not a whole number of at least 1; leave out",
        )
        for count in (0, -1, 2.0, True, "3", None, SECRET)
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_one_sentence_without_a_value(name: str) -> None:
    make, error, sentence = REFUSED[name]
    with pytest.raises(error, match=sentence) as refused:
        make()
    assert SECRET not in str(refused.value)


CSV = 'column,value,count\nsex,f,6\nblood,0,9\nsex,m,3\nsex,,1\nblood,"A,""B",1\n'


def test_csv_has_a_line_for_each_value(tmp_path: Path) -> None:
    file = tmp_path / "counts.csv"
    for text in (CSV, CSV.replace("\n", "\r\n"), "\ufeff" + CSV):
        file.write_text(text, encoding="utf-8", newline="")
        assert dc.Marginals(file) == dc.Marginals(str(file)) == dc.Marginals(COUNTS)
    file.write_text("count,column,value\n6,sex,f\n3,sex,m\n9,blood,0\n")
    assert dc.Marginals(file, people=10).class_sizes(["sex"]) == ClassSizes([1, 3, 6], [1, 1, 1])
    with pytest.raises(InvalidValueError, match="'sex' counts 9 people, and people=8"):
        dc.Marginals(file, people=8)


def test_json_is_an_object_of_objects_or_what_was_written(tmp_path: Path, marginals: dc.Marginals) -> None:
    file = tmp_path / "counts.json"
    plain = {"sex": {"f": 6, "m": 3, "": 1}, "schema_version": {"0": 9, "AB": 1}}
    file.write_text(json.dumps(plain))
    assert dc.Marginals(file) == dc.Marginals(plain)
    file.write_text(json.dumps({"blood": COUNTS["blood"]}))
    assert dc.Marginals(file, groups={}) == dc.Marginals({"blood": COUNTS["blood"]})
    for written in (marginals, dc.Marginals(COUNTS), marginals.marginals(())):
        file.write_text(written.to_json())
        assert dc.Marginals(file) == written
        assert dc.Marginals(file).to_json() == written.to_json()
    file.write_text(dc.Marginals(COUNTS).to_json())
    assert dc.Marginals(file, groups={("sex", "blood"): PAIR}) == marginals


def test_what_is_written_holds_no_value() -> None:
    told = dc.Marginals({"sex": {SECRET: 1, "m": 9}}).to_json()
    assert SECRET not in told
    assert json.loads(told) == {
        "schema_version": 1,
        "people": 10,
        "marginals": [{"columns": ["sex"], "sizes": [1, 9], "counts": [1, 1]}],
    }


def released(**changed: Any) -> bytes:
    entry = {"columns": ["sex"], "sizes": [4, 6], "counts": [1, 1]}
    top = {key: changed.pop(key) for key in ("schema_version", "people", "marginals") if key in changed}
    return json.dumps({"schema_version": 1, "people": 10, "marginals": [{**entry, **changed}], **top}).encode()


NOT_AS_WRITTEN = r"counts\.json is not as Marginals\.to_json writes it"
BAD_FILES: Mapping[str, tuple[str, bytes, str]] = {
    "another kind": (".xlsx", b"column,value,count\n", r"those are \.csv and \.json"),
    "nothing": (".csv", b"", "is empty"),
    "a header only": (".csv", b"column,value,count\n", "at least one column"),
    "other columns": (".csv", b"Rumpelstiltskin,value,count\na,b,1\n", "must be column,value,count"),
    "ragged": (".csv", b"column,value,count\nsex,Rumpelstiltskin\n", "row of 2 values"),
    "a nameless column": (".csv", b"column,value,count\n,Rumpelstiltskin,1\n", "line 2 lacks the name of a column"),
    "half a person": (".csv", b"column,value,count\na,b,1\na,Rumpelstiltskin,1.5\n", "line 3 lacks a count"),
    "a value for a count": (".csv", b"column,value,count\nsex,1,Rumpelstiltskin\n", "line 2 lacks a count"),
    "a long count": (".csv", b"column,value,count\nsex,a," + b"9" * 5000 + b"\n", "line 2 lacks a count"),
    "a count of none": (".csv", b"column,value,count\nsex,Rumpelstiltskin,0\n", "not a whole number of at least 1"),
    "a value again": (
        ".csv",
        b"column,value,count\nsex,Rumpelstiltskin,1\nsex,Rumpelstiltskin,2\n",
        "line 3 .* repeats a value",
    ),
    "a long value": (".csv", b"column,value,count\nsex," + b"a" * 200_000 + b",1\n", "line . of .* too long"),
    "no UTF-8": (".csv", b"column,value,count\nsex,\xff,1\n", "not UTF-8"),
    "no JSON": (".json", b'{"sex": {"Rumpelstiltskin": 1', "well-formed JSON"),
    "JSON with a mark": (".json", b'\xef\xbb\xbf{"sex": {"f": 1}}', "JSON"),
    "JSON in another encoding": (".json", '{"sex": {"é": 1}}'.encode("latin-1"), "not UTF-8"),
    "half of a character": (".json", rb'{"sex": {"\ud800": 1}}', "half of a character"),
    "a table": (".json", b'[{"sex": "Rumpelstiltskin"}]', "must hold an object"),
    "a key twice": (".json", b'{"sex": {"Rumpelstiltskin": 1, "Rumpelstiltskin": 2}}', "same key twice"),
    "a column twice": (".json", b'{"sex": {"f": 1}, "sex": {"f": 1}}', "same key twice"),
    "a long number": (".json", b'{"sex": {"f": ' + b"9" * 5000 + b"}}", "more than 18 digits"),
    "half people": (".json", b'{"sex": {"Rumpelstiltskin": 1.5}}', "not a whole number of at least 1"),
    "NaN people": (".json", b'{"sex": {"Rumpelstiltskin": NaN}}', "not a whole number of at least 1"),
    "nested too deep": (".json", b"[" * 100_000, "nested deeper|well-formed"),
    "another version": (".json", released(schema_version=2), "another version"),
    "released: no people": (".json", released(people=0), NOT_AS_WRITTEN),
    "released: nothing": (".json", b'{"schema_version": 1}', NOT_AS_WRITTEN),
    "released: a list of text": (".json", released(marginals=["Rumpelstiltskin"]), NOT_AS_WRITTEN),
    "released: a name for columns": (".json", released(columns="sex"), NOT_AS_WRITTEN),
    "released: no columns": (".json", released(columns=[]), NOT_AS_WRITTEN),
    "released: numbers for columns": (".json", released(columns=[1]), NOT_AS_WRITTEN),
    "released: descending": (".json", released(sizes=[6, 4]), NOT_AS_WRITTEN),
    "released: uneven": (".json", released(sizes=[10]), NOT_AS_WRITTEN),
    "released: negative": (".json", released(sizes=[-4, 14]), NOT_AS_WRITTEN),
    "released: true": (".json", released(counts=[True, 1]), NOT_AS_WRITTEN),
    "released: too many": (".json", released(sizes=[4, 10**17]), NOT_AS_WRITTEN),
    "released: other people": (".json", released(people=9), "counts 10 people, and people=9"),
    "released: a column twice": (
        ".json",
        released(marginals=[{"columns": ["sex"], "sizes": [10], "counts": [1]}] * 2),
        NOT_AS_WRITTEN,
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_without_a_value(tmp_path: Path, name: str) -> None:
    suffix, content, sentence = BAD_FILES[name]
    file = tmp_path / f"counts{suffix}"
    file.write_bytes(content)
    with pytest.raises(InvalidValueError, match=sentence) as refused:
        dc.Marginals(file)
    assert SECRET not in str(refused.value)


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(InvalidTableError, match=r"cannot read counts from .* no such file"):
        dc.Marginals(tmp_path / "nowhere.csv")
    (tmp_path / "counts.csv").write_text(CSV)
    with lowered(MAX_BYTES_OF_COUNTS=10), pytest.raises(TooLargeError, match="is larger than"):
        dc.Marginals(tmp_path / "counts.csv")
