"""A coarser view of a column says what it is told to, on every kind of table, and of nobody more than the finer."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population, exposure
from discretion.anonymity.choosing.selection import select_columns
from discretion.anonymity.people.generalised import generalised
from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError, UnsupportedError
from oracles import tables

AGES = ["18", "19", "24", None, "it's", "31"]
DECADES = {"18": "10s", "19": "10s", "24": "20s", "31": None, "it's": 'it\'s \\ "quoted"', None: "unknown"}
text = st.sampled_from([None, "a", "b", "c"])


def as_arrow(rows: list[dict[str, Any]], folder: Path) -> Any:
    return pa.Table.from_pylist(rows)


def as_ibis(rows: list[dict[str, Any]], folder: Path) -> Any:
    return ibis.duckdb.connect().create_table("people", pa.Table.from_pylist(rows))


def as_json(rows: list[dict[str, Any]], folder: Path) -> Any:
    path = folder / "people.json"
    path.write_text(json.dumps(rows))
    return path


kinds = pytest.mark.parametrize("table_of", [as_arrow, as_ibis, as_json])
TableOf = Callable[[list[dict[str, Any]], Path], Any]


def held(P: Population, column: str) -> dict[str | None, int]:
    return dict(P.common_values(column, 1))


@kinds
def test_a_value_becomes_what_it_is_told_to(table_of: TableOf, tmp_path: Path) -> None:
    P = Population(table_of([{"age": age, "sex": "f"} for age in AGES], tmp_path))
    coarser = generalised(P, "age", "decade", DECADES)
    assert coarser.columns == ("age", "sex", "decade")
    assert held(coarser, "decade") == {"10s": 2, "20s": 1, None: 1, 'it\'s \\ "quoted"': 1, "unknown": 1}
    assert coarser.rarest_value("decade") == ("20s", 1)
    assert dict(coarser.agreements({"decade": "10s"})) == {frozenset({"decade"}): 2, frozenset(): 4}
    assert dict(coarser.agreements({"decade": None})) == {frozenset({"decade"}): 1, frozenset(): 5}
    assert coarser.best_guesses(["decade"], "age") == 5
    assert (P.columns, held(coarser, "age")) == (("age", "sex"), dict.fromkeys(AGES, 1))


@pytest.mark.one_in(3)
@kinds
def test_the_rest_becomes_other(table_of: TableOf, tmp_path: Path) -> None:
    P = Population(table_of([{"age": age} for age in AGES], tmp_path))
    assert held(generalised(P, "age", "young", {"18": "yes", "19": "yes"}, other="no"), "young") == {"yes": 2, "no": 4}
    assert held(generalised(P, "age", "young", {"18": None, None: "?"}, other="no"), "young") == {
        None: 1,
        "?": 1,
        "no": 4,
    }
    assert held(generalised(P, "age", "same", {}, other="x"), "same") == {"x": 6}
    assert held(generalised(P, "age", "same", {"99": "never"}, other="x"), "same") == {"x": 6}


@kinds
def test_values_not_told_are_counted_and_not_named(table_of: TableOf, tmp_path: Path) -> None:
    P = Population(table_of([{"age": age} for age in [*AGES, *AGES]], tmp_path))
    for values, untold in ((dict.fromkeys(AGES[:2], "x"), 4), ({None: "x"}, 5), ({}, 6), ({"99": "x"}, 6)):
        with pytest.raises(InvalidValueError, match=f"has no entry for {untold} of the values of 'age'") as error:
            generalised(P, "age", "decade", values)
        assert not any(str(age) in str(error.value) for age in ("24", "31", "it's"))


def test_numbers_are_known_by_their_text(tmp_path: Path) -> None:
    rows = [{"age": age} for age in (18, 19, 24, None)]
    for table_of in (as_arrow, as_ibis, as_json):
        P = Population(table_of(rows, tmp_path))
        coarser = generalised(P, "age", "decade", {"18": "10s", "19": "10s", "24": "20s", None: None})
        assert held(coarser, "decade") == {"10s": 2, "20s": 1, None: 1}


def test_in_json_a_text_in_quotes_is_not_the_text(tmp_path: Path) -> None:
    P = Population(as_json([{"x": "a"}, {"x": '"a"'}, {"x": 1}, {"x": "1"}, {"x": True}, {"x": [1]}], tmp_path))
    told = {"a": "bare", '"a"': "quoted", "1": "one", "true": "yes", "[1]": "some"}
    assert held(generalised(P, "x", "y", told), "y") == {"one": 2, "bare": 1, "quoted": 1, "yes": 1, "some": 1}


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(text, text), min_size=1, max_size=15),
    st.fixed_dictionaries(dict.fromkeys([None, "a", "b", "c"], text)),
    st.integers(1, 16),
)
def test_it_is_a_column_of_the_table_with_these_values(rows: list[Any], values: dict[Any, Any], k: int) -> None:
    P = Population(pa.table({name: pa.array([r[j] for r in rows], pa.string()) for j, name in enumerate("xy")}))
    P = generalised(P, "x", "z", values)
    seen = [(values[x], y) for x, y in rows]
    assert exposure(P, k=k, columns=["z", "y"]) == float(tables.exposure_below(seen, k))
    assert P.best_guesses(["y"], "z") / len(rows) == float(
        tables.inference([(y,) for _, y in rows], [values[x] for x, _ in rows])
    )
    assert exposure(P, k=k, columns=["x", "z"]) == exposure(P, k=k, columns=["x"])


@kinds
def test_any_characters_are_told_as_they_are(table_of: TableOf, tmp_path: Path) -> None:
    texts = [
        chr(0xF0000),
        chr(0xF0001) + chr(0xF0002),
        "",
        "=",
        "\\",
        "'",
        '"',
        "a\nb",
        "é",
        "e\u0301",
        "null",
        None,
    ]
    P = Population(table_of([{"x": text} for text in texts], tmp_path))
    turned = dict(zip(texts, [*texts[1:], texts[0]], strict=True))
    assert held(generalised(P, "x", "y", turned), "y") == dict.fromkeys(texts, 1)
    longer = {text: f"{text}|" for text in texts}
    assert held(generalised(P, "x", "y", longer), "y") == dict.fromkeys(longer.values(), 1)


@pytest.mark.parametrize("text", ["a\0", "\ud800"], ids=["null character", "half a surrogate pair"])
def test_what_engines_cannot_be_told_is_refused(text: str) -> None:
    P = Population(pa.table({"x": ["a", "b"]}))
    for arguments in (({text: "b"},), ({"a": text},), ({}, text)):
        with pytest.raises(UnsupportedError, match="null character or half a surrogate pair"):
            generalised(P, "x", "y", *arguments)


def test_a_view_of_a_view() -> None:
    P = Population(pa.table({"age": ["18", "19", "24", "31"]}))
    P = generalised(P, "age", "decade", {"18": "10s", "19": "10s", "24": "20s", "31": "30s"})
    P = generalised(P, "decade", "adult", {"10s": "no"}, other="yes")
    assert (P.columns, held(P, "adult")) == (("age", "decade", "adult"), {"no": 2, "yes": 2})
    assert select_columns(P, 0, k=2, hierarchies=[P.columns]).columns == ("adult",)


def test_of_people_with_several_rows() -> None:
    rows = {"id": [1, 1, 2, 2], "place": ["a", "b", "b", "a"], "time": [1, 2, 1, 2]}
    P = generalised(Population(pa.table(rows), person="id"), "place", "region", {"a": "north", "b": "north"})
    assert (P.columns, P.person, P.people, P.rows) == (("place", "time", "region"), "id", 2, 4)
    assert exposure(P, k=2, columns=["place", "time"]) == 1
    assert exposure(P, k=2, columns=["region", "time"]) == 0
    selection = select_columns(P, 0, k=2, hierarchies=[("place", "region")], weights={"region": 1})
    assert selection.columns == ("time", "region")


def test_thousands_of_values() -> None:
    P = Population("example:adult", columns=["fnlwgt", "sex"])
    weights = P.common_values("fnlwgt", 1)
    shorter = {weight: weight and weight[:3] for weight, _ in weights[:3000]}
    P = generalised(P, "fnlwgt", "start", shorter, other="rare")
    starts: Counter[str | None] = Counter()
    for weight, people in weights:
        starts[shorter.get(weight, "rare")] += people
    assert held(P, "start") == starts


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (("agee", "decade", {}), UnknownColumnError, "did you mean 'age'"),
        (("id", "decade", {}), UnknownColumnError, "there is no column 'id'"),
        (("age", "sex", {}), InvalidTableError, "have the same name"),
        (("age", "Sex", {}), InvalidTableError, "differ only by case"),
        (("age", "ID", {}), InvalidTableError, "differ only by case"),
        (("age", "", {}), InvalidTableError, "name every column"),
        (("age", 3, {}), UnsupportedError, "must be text, or None for null; got 3"),
        (("age", None, {}), InvalidTableError, "name every column"),
        (("age", "decade", {18: "10s"}), UnsupportedError, "must be text, or None for null; got 18"),
        (("age", "decade", {"18": 10}), UnsupportedError, "must be text, or None for null; got 10"),
        (("age", "decade", [("18", "10s")]), UnsupportedError, "values must be a mapping .* got list"),
        (("age", "decade", None), UnsupportedError, "values must be a mapping .* got NoneType"),
        (("age", "decade", {}, 0), UnsupportedError, "must be text, or None for null; got 0"),
    ],
    ids=lambda value: None,
)
def test_what_is_no_coarser_view(arguments: Any, error: Any, says: str) -> None:
    P = Population(pa.table({"id": [1], "age": ["18"], "sex": ["f"]}), person="id")
    with pytest.raises(error, match=says):
        generalised(P, *arguments)


@pytest.mark.parametrize("numbers", [[0.0, -0.0, 1.5], [-0.0, 0.0, 1.5]])
def test_zero_is_one_value_whatever_its_sign(numbers: list[float]) -> None:
    P = Population(pa.table({"x": numbers}))
    assert P.common_values("x", 1) == [("0.0", 2), ("1.5", 1)]
    assert generalised(P, "x", "y", {"0.0": "none"}, other="some").common_values("y", 1) == [("none", 2), ("some", 1)]


def test_control_characters_in_json(tmp_path: Path) -> None:
    path, texts = tmp_path / "people.json", ["\x1f", "\n", "\x7f", "\\u001f", 'a"/b']
    path.write_text(json.dumps([{"x": text} for text in texts]), encoding="utf-8")
    P = generalised(Population(path), "x", "y", {text: f"<{text}>" for text in texts})
    assert sorted(P.common_values("y", 1)) == sorted((f"<{text}>", 1) for text in texts)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.long
@pytest.mark.usefixtures("hasty_threads")
def test_a_view_that_goes_disturbs_nobody_who_asks() -> None:
    # Ibis dropped the view's table in the thread that let go of it, while another's answer was on its way.
    population = Population(pa.table({"town": list("aabbccdd") * 50, "age": list("01234567") * 50}))
    going = Event()

    def look_and_leave() -> None:
        for number in range(15):
            generalised(population, "town", "any", {}, other=f"anywhere {number}").class_sizes(["any"])

    def ask() -> None:
        while not going.is_set():
            assert population.rarest_value("age")[1] == 50

    with ThreadPoolExecutor(3) as threads:
        asking = [threads.submit(ask) for _ in range(2)]
        try:
            threads.submit(look_and_leave).result()
        finally:
            going.set()
        for asked in asking:
            asked.result()
