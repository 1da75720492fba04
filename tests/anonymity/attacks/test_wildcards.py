"""A suppressed value that could be anything: a record's group is everybody it could be, as pairs of records show."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.anonymity import Population, wildcard_groups
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.limits import Limits, within
from support.cli_runner import run

VALUES = st.sampled_from(["a", "b", "*", None])


def by_pairs(rows: list[tuple[Any, ...]], wildcards: tuple[str, ...]) -> list[int]:
    """For each record, how many it could be, each pair compared value by value."""
    wild = [None if value == "" else value for value in wildcards]

    def could_be(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
        return all(x == y or x in wild or y in wild for x, y in zip(one, other, strict=True))

    return [sum(could_be(one, other) for other in rows) for one in rows]


@pytest.mark.long
@given(
    rows=st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[VALUES] * width), min_size=1, max_size=12)),
    wildcards=st.sampled_from([("*",), ("",), ("*", ""), ("a",), ("none of these",)]),
)
def test_a_group_is_everybody_that_a_record_could_be(rows: list[tuple[Any, ...]], wildcards: tuple[str, ...]) -> None:
    table = pa.table({f"c{i}": pa.array(column, pa.string()) for i, column in enumerate(zip(*rows, strict=True))})
    groups = wildcard_groups(table, wildcards, k=3)
    sizes = by_pairs(rows, wildcards)
    assert groups.sizes.tolist() == sizes
    assert groups.exposed_people == sum(size < 3 for size in sizes)
    assert groups.k_anonymity == min(sizes)
    assert groups.people_with_wildcards == sum(
        any(value in [each or None for each in wildcards] for value in row) for row in rows
    )
    assert groups.exposure <= dc.exposure(Population(table), k=3)


def test_without_a_wildcard_in_it_the_groups_are_the_classes() -> None:
    adult = Population("example:adult", ["age", "sex", "race", "education"])
    groups = wildcard_groups(adult, "*", k=5)
    sizes, people = np.unique(groups.sizes, return_counts=True)
    classes = adult.class_sizes()
    assert (sizes.tolist(), (people // sizes).tolist()) == (classes.sizes.tolist(), classes.counts.tolist())
    assert groups.exposure == dc.exposure(adult, k=5)
    assert groups.classes == classes


def test_numbers_and_dates_have_blanks_only() -> None:
    table = pa.table({"age": [1, 1, None, 2], "town": ["x", "x", "x", "y"]})
    assert wildcard_groups(table, "", k=2).sizes.tolist() == [3, 3, 3, 1]
    assert wildcard_groups(table, "*", ["age"], k=2).sizes.tolist() == [2, 2, 1, 1]


def test_bad_input() -> None:
    table = pa.table({"a": ["x", "*"], "p": [1, 1]})
    with pytest.raises(InvalidValueError, match="at least one value"):
        wildcard_groups(table, ())
    with pytest.raises(InvalidValueError, match="at least one column"):
        wildcard_groups(table, "*", [])
    with pytest.raises(UnsupportedError, match="a row per person"):
        wildcard_groups(Population(table, person="p"))
    with within(Limits(operations=3)), pytest.raises(TooLargeError, match="in 2 different sets of columns"):
        wildcard_groups(table, "*")


def test_the_command_counts_by_both_conventions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arx.csv").write_text("age;town\n30;x\n30;x\n*;x\n*;*\n40;y\n")
    code, out, _ = run("exposure", "arx.csv", "--k", "3", "--wildcards", "*", "--json")
    results = json.loads(out)["results"]
    assert (code, results["exposed_people"]) == (0, 5)
    assert results["wildcards"] == {
        "wildcards": ["*"], "people_with_wildcards": 2, "wildcard_exposed_people": 1, "wildcard_exposure": 0.2,
        "wildcard_k_anonymity": 2,
    }  # fmt: skip
    text = " ".join(run("exposure", "arx.csv", "--k", "3", "--wildcards", "*", "--full")[1].split())
    assert "1 of 5 people (20 %, exact) is exposed if * could be any value" in text
    assert run("exposure", "arx.csv", "--k", "3", "--wildcards", "*", "--fail-over", "wildcard_exposure>0.1")[0] == 1
    assert run("exposure", "arx.csv", "--k", "3", "--wildcards", "*", "--fail-over", "wildcard_k_anonymity<2")[0] == 0
    assert run("exposure", "arx.csv", "--threshold", "0.1", "--wildcards", "*")[0] == 2
