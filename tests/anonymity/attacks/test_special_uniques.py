"""Special uniques are what the papers on SUDA define, and the numbers are those that sdcMicro publishes."""

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population, special_uniques
from discretion.anonymity.attacks.special_uniques import minimal_uniques
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.numerics.equivalence_classes import Column
from oracles import special_uniques as slow
from support.cli_runner import run
from support.lowering import lowered

tables = st.integers(1, 5).flatmap(
    lambda columns: st.lists(st.tuples(*[st.sampled_from([None, "a", "b", "c"])] * columns), min_size=1, max_size=20)
)
few = settings(max_examples=15, deadline=None)


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table({f"c{j}": pa.array([row[j] for row in rows], pa.string()) for j in range(len(rows[0]))})


def coded(rows: list[tuple[Any, ...]]) -> list[Column]:
    columns = []
    for j in range(len(rows[0])):
        values = sorted({row[j] or "" for row in rows})
        codes = np.array([values.index(row[j] or "") for row in rows], np.int32)
        columns.append(Column(codes, len(values)))
    return columns


@given(tables, st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_minimal_uniques_are_those_that_every_set_of_columns_shows(rows, max_size):
    found = [(places, int(i)) for places, all_rows in minimal_uniques(coded(rows), max_size) for i in all_rows]
    assert len(set(found)) == len(found)
    assert set(found) == slow.minimal_uniques(rows, max_size)


@pytest.mark.long
@given(tables, st.integers(1, 5))
@few
def test_scores_and_contributions_are_sums_over_minimal_uniques(rows, max_size):
    result = special_uniques(table_of(rows), max_size=max_size)
    expected = slow.minimal_uniques(rows, max_size)
    scores = slow.scores(rows, max_size)
    assert result.scores.tolist() == scores
    assert sum(result.minimal_uniques) == len(expected)
    smallest = [min((len(places) for places, i in expected if i == row), default=0) for row in range(len(rows))]
    assert result.sizes.tolist() == smallest
    assert result.special_people == sum(size > 0 for size in smallest)
    by_size = {places: score_of_one(places, max_size, len(rows[0])) for places, _ in expected}
    for j, share in enumerate(result.contributions.values()):
        with_it = sum(by_size[places] for places, _ in expected if j in places)
        assert share == pytest.approx(with_it / sum(scores) if expected else 0, abs=1e-12)


def score_of_one(places, max_size, columns):
    return math.prod(columns - j for j in range(len(places), min(max_size, columns - 1) + 1))


EXTREMES = {
    "one person": ([("a", "b")], [2, 0], [2.0]),
    "one column": ([("a",), ("b",), ("b",)], [1], [1.0, 0.0, 0.0]),
    "one class": ([("a", "b")] * 4, [0, 0], [0.0] * 4),
    "all missing": ([(None, None)] * 3, [0, 0], [0.0] * 3),
    "the only missing value": ([(None,), ("a",), ("a",)], [1], [1.0, 0.0, 0.0]),
    "unique together only": ([("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")], [0, 4], [1.0] * 4),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name):
    rows, minimal, scores = EXTREMES[name]
    result = special_uniques(table_of(rows), max_size=9)
    assert (list(result.minimal_uniques), result.scores.tolist()) == (minimal, scores)


def test_with_all_columns_just_the_unique_people_have_a_minimal_unique():
    adult = Population("example:adult", ["age", "race", "sex", "workclass"])
    result = special_uniques(adult, max_size=4)
    assert result.special_people == result.unique_people == adult.class_sizes().unique
    fewer = special_uniques(adult, max_size=2)
    assert fewer.minimal_uniques == result.minimal_uniques[:2]
    assert np.array_equal(fewer.sizes, np.where(result.sizes <= 2, result.sizes, 0))


# The examples in the tests and the guide of sdcMicro 5, with the scores that it publishes.
AGES = ["20s"] * 7 + ["60s"]
BOOK = (
    {
        "age": AGES,
        "gender": ["male"] * 4 + ["female"] * 3 + ["male"],
        "income": ["50k+"] * 2 + ["50k-"] * 6,
        "education": ["highschool"] * 4 + ["university", "highschool", "middleschool", "university"],
    },
    {4: 4, 5: 2, 6: 6, 7: 8},
)
GUIDE = (
    {
        "residence": ["urban"] * 4 + ["rural"] + ["urban"] * 5,
        "gender": ["f", "f", "f", "m", "f", "m", "f", "m", "f", "f"],
        "education": ["si", "si", "pi", "sc", "sc", "sc", "pc", "ps", "si", "si"],
        "labor": ["e", "e", "n", "e", "u", "e", "n", "u", "n", "n"],
    },
    dict(enumerate([0, 0, 6, 0, 12, 0, 6, 10, 0, 0])),
)


@pytest.mark.parametrize(("columns", "published"), [BOOK, GUIDE])
def test_scores_are_those_that_sdcmicro_publishes(columns, published):
    scores = special_uniques(pa.table(columns), max_size=4).scores.tolist()
    assert {row: scores[row] for row in published} == published


@pytest.mark.parametrize("order", ["abc", "acb", "cab", "cba"])
def test_contributions_are_those_that_sdcmicro_publishes(order):
    columns = {"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]}
    result = special_uniques(pa.table({name: columns[name] for name in order}), max_size=3)
    assert result.contributions == {name: {"a": 0.5, "b": 0.375, "c": 0.375}[name] for name in order}


def test_intrusion_scores_spread_the_chance_of_a_match_over_the_unique():
    rows = [("a", "x", "p"), ("b", "x", "p"), ("b", "y", "p"), ("b", "y", "q"), ("b", "x", "q"), ("b", "x", "q")]
    result = special_uniques(table_of(rows), max_size=3)
    unique, pairs, fraction = 4, 1, 0.2
    assert (result.unique_people, result.pairs) == (unique, pairs)
    chance = unique * fraction / (unique * fraction + 2 * pairs * (1 - fraction))
    power = 1 + (8 - 3) / 20
    scores = slow.scores(rows, 3)
    total = sum(score**-power for score in scores if score)
    expected = [1 / (1 + (unique / chance - unique) / (score**power * total)) if score else 0.0 for score in scores]
    assert result.intrusion_scores(fraction) == pytest.approx(expected)
    assert result.intrusion_scores(1.0) == pytest.approx([float(score > 0) for score in scores])


def test_intrusion_scores_of_the_equally_unique_are_the_chance_of_a_match():
    rows = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b"), ("c", "c"), ("c", "c")]
    chance = 4 * 0.1 / (4 * 0.1 + 2 * 0.9)
    assert special_uniques(table_of(rows)).intrusion_scores(0.1) == pytest.approx([chance] * 4 + [0, 0])
    assert special_uniques(table_of([("a",), ("a",)])).intrusion_scores(0.5).tolist() == [0, 0]


def test_intrusion_scores_are_refused_where_they_mean_nothing():
    result = special_uniques(table_of([("a", "b"), ("a", "c")]))
    for fraction in (0, -1, 1.5, math.nan):
        with pytest.raises(InvalidValueError, match="above 0 and at most 1"):
            result.intrusion_scores(fraction)
    wide = special_uniques(pa.table({f"c{j}": [1, 2] for j in range(28)}), max_size=1)
    with pytest.raises(UnsupportedError, match="at most 27 columns; got 28"):
        wide.intrusion_scores(0.1)


def test_what_cannot_be_asked_is_refused():
    table = table_of([("a", "b"), ("a", "c")])
    with pytest.raises(InvalidValueError, match="max_size must be a whole number of at least 1, got 0"):
        special_uniques(table, max_size=0)
    with pytest.raises(InvalidValueError, match="at least one column"):
        special_uniques(table, ())
    with pytest.raises(UnsupportedError, match="one row each"):
        special_uniques(Population(table, person="c0"))
    with lowered(MAX_ROWS_GROUPED=5), pytest.raises(TooLargeError, match="2 columns have 3 sets of at most 2"):
        special_uniques(table)


def test_rows_are_in_the_order_of_the_table():
    values = [f"v{i % 7}" for i in range(5000)]
    values[4321] = "alone"
    result = special_uniques(pa.table({"a": values, "b": ["x"] * 5000}))
    assert np.flatnonzero(result.scores).tolist() == [4321]
    frame = result.to_frame()
    assert frame.column_names == ["row", "score", "size"]
    assert frame.slice(4321, 1).to_pylist() == [{"row": 4322, "score": 1.0, "size": 1}]
    assert "1 of 5,000 people (0.02 %, exact) is unique by at most 2 of the 2 columns." in result.to_markdown()


@pytest.mark.long
def test_exposure_counts_them_and_gates_take_them():
    arguments = ["exposure", "example:adult", "--columns", "age,race,sex", "--k", "10", "--special-uniques", "2"]
    code, out, err = run(*arguments, "--json", "--fail-over", "special_people>80", "--fail-over", "minimal_uniques>500")
    results = json.loads(out)["results"]["special_uniques"]
    expected = special_uniques("example:adult", ["age", "race", "sex"], max_size=2)
    assert results == expected.to_dict()
    verdicts = [expected.special_people > 80, sum(expected.minimal_uniques) > 500]
    assert (code, err) == (int(any(verdicts)), "")
    code, out, err = run("exposure", "example:adult", "--k", "10", "--fail-over", "special_people>80")
    assert code == 2


def test_counts_of_columns_have_no_special_uniques(tmp_path):
    file = tmp_path / "counts.json"
    file.write_text('{"sex": {"f": 6, "m": 4}}', encoding="utf-8")
    code, _, err = run("exposure", str(file), "--marginals", "--k", "2", "--special-uniques", "2")
    assert code == 2
    assert "--marginals excludes --special-uniques, --household and --wildcards" in err
