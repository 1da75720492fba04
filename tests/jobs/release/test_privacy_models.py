"""A file that is released under a privacy model has it, by the model's definition on the rows of the file."""

from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import discretion as dc
from discretion.errors import InvalidValueError
from discretion.jobs.release.file import read_back
from oracles import coarsened

PAINS = "01234"
TREE = ((("0",), ("1", "2")), (("3",), ("4",)))
LINES = "0;none;low;*\n1;some;low;*\n2;some;low;*\n3;strong;high;*\n4;worst;high;*\n"


def people(n: int = 400) -> pa.Table:
    draw = Random(7)
    age = [draw.randrange(20, 80) for _ in range(n)]
    return pa.table({
        "age": age,
        "town": [draw.choice(["Bergen", "Oslo", "Tromsø"]) for _ in range(n)],
        "pain": [min(4, draw.randrange(4) + each // 60) for each in age],
    })  # fmt: skip


PAIN = "".join(str(value) for value in people()["pain"].to_pylist())
QUARTER = Fraction(1, 4)
MODELS: dict[str, tuple[dict[str, Any], coarsened.Diverse]] = {
    "recursive": ({"l": 3, "recursive_c": 1.5}, coarsened.recursive(Fraction(3, 2), 3)),
    "equal t": ({"t": 0.25}, coarsened.close(QUARTER)),
    "ordered t": ({"t": 0.25, "t_distance": "ordered"}, coarsened.close_in_order(QUARTER, PAINS)),
    "hierarchical t": ({"t": 0.25, "t_distance": "hierarchical"}, coarsened.close_in_tree(QUARTER, TREE)),
    "likeness": ({"beta_likeness": 0.9}, coarsened.likeness(Fraction(9, 10))),
    "disclosure": ({"delta_disclosure": 1.2}, coarsened.disclosure(1.2)),
    "equal t, input": ({"t": 0.25}, coarsened.close(QUARTER, PAIN)),
    "ordered t, input": ({"t": 0.25, "t_distance": "ordered"}, coarsened.close_in_order(QUARTER, PAINS, PAIN)),
    "hierarchical t, input": (
        {"t": 0.25, "t_distance": "hierarchical"}, coarsened.close_in_tree(QUARTER, TREE, PAIN)
    ),
    "likeness, input": ({"beta_likeness": 0.9}, coarsened.likeness(Fraction(9, 10), PAIN)),
    "disclosure, input": ({"delta_disclosure": 1.2}, coarsened.disclosure(1.2, PAIN)),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("model", MODELS)
def test_a_file_has_the_model_that_it_was_released_under(tmp_path: Path, model: str, suffix: str) -> None:
    options, diverse = MODELS[model]
    if "hierarchical" in model:
        (tmp_path / "levels").mkdir()
        (tmp_path / "levels" / "pain.csv").write_text(LINES)
        options = options | {"hierarchies": tmp_path / "levels"}
    out = tmp_path / f"out{suffix}"
    result = dc.release(
        people(), out, k=3, budget=0, sensitive="pain", keep="pain", guess_budget=1, max_suppressed=0.05,
        t_against="input" if model.endswith("input") else "file", seconds=60, **options,
    )  # fmt: skip
    with out.open("rb") as file:
        written = read_back(file, suffix)
    rows = [tuple(map(str, row.values())) for row in written.to_pylist()]
    classes: dict[tuple[str, ...], str] = {}
    for *seen, pain in rows:
        classes[tuple(seen)] = classes.get(tuple(seen), "") + pain
    everybody = "".join(row[-1] for row in rows)
    assert len(classes) > 1
    assert all(len(values) >= 3 and diverse(values, everybody) for values in classes.values())
    assert result.ended == "proved"
    assert result.checked.failing_people == 0


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"recursive_c": 2}, "set l too, to at least 2"),
        ({"recursive_c": 0, "l": 2}, "recursive_c must be above 0 and finite, got 0"),
        ({"beta_likeness": -1}, "beta_likeness must be above 0 and finite, got -1"),
        ({"delta_disclosure": float("inf")}, "delta_disclosure must be above 0 and finite, got inf"),
        ({"t_distance": "ordered"}, "got 'ordered' without t; set t"),
        ({"t": 0.2, "t_distance": "near"}, "t_distance must be one of equal, ordered, hierarchical, got 'near'"),
        ({"t": 0.2, "t_against": "all"}, "t_against must be one of file, input, got 'all'"),
        ({"l": 2, "t_against": "input"}, "t_against needs t, beta_likeness, delta_disclosure, got 'input' without any"),
        ({"t": 0.2, "t_distance": "hierarchical"}, "needs a hierarchy of 'pain'; add its file to the folder"),
        ({"beta_likeness": 1, "keep": ()}, "beta_likeness needs a sensitive column that goes out"),
    ],
)
def test_options_that_say_nothing(tmp_path: Path, options: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidValueError, match=fault):
        dc.release(people(40), tmp_path / "out.csv", sensitive="pain", **{"keep": "pain", "k": 2, **options})


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (["low", "high"] * 20, "2 of the 2 values of 'pain' are no numbers; add a hierarchy of the column"),
        ([1, None] * 20, "1 of the 2 values of 'pain' are no numbers"),
        ([1.0, float("nan")] * 20, "1 of the 2 values of 'pain' are no numbers"),
        ([True, False] * 20, "2 of the 2 values"),
    ],
)
def test_values_without_an_order(tmp_path: Path, values: list[Any], fault: str) -> None:
    table = pa.table({"town": ["Oslo", "Bergen"] * 20, "pain": pa.array(values, from_pandas=False)})
    with pytest.raises(InvalidValueError, match=fault):
        dc.release(
            table, tmp_path / "out.csv", k=2, sensitive="pain", keep="pain", t=0.2, t_distance="ordered"
        )  # fmt: skip


def test_values_in_the_order_of_the_lines_of_a_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "pain.csv").write_text("none;*\nsome;*\nmuch;*\n")
    values = ["none", "some", "much"] * 20
    table = pa.table({"town": ["Oslo", "Bergen", "Bergen", "Oslo"] * 15, "pain": values})
    result = dc.release(
        table, tmp_path / "out.csv", k=2, sensitive="pain", keep="pain", t=0.1, t_distance="ordered",
        hierarchies=tmp_path / "levels", guess_budget=1,
    )  # fmt: skip
    assert result.checked.failing_people == 0
    assert "t=0.1 (ordered distance)" in result.to_markdown()


@pytest.mark.long
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("values", [["a", None, ""], [1.5, float("nan"), None]])
def test_missing_values_are_compared_as_values(tmp_path: Path, values: list[Any], suffix: str) -> None:
    table = pa.table({
        "town": ["Oslo", "Bergen", "Bergen", "Oslo"] * 15, "pain": pa.array(values * 20, from_pandas=False),
    })  # fmt: skip
    for options in ({"t": 0.1}, {"t": 0.1, "t_against": "input"}, {"beta_likeness": 1}, {"delta_disclosure": 1}):
        result = dc.release(
            table, tmp_path / f"out{suffix}", k=2, budget=0, sensitive="pain", keep="pain", guess_budget=1, **options
        )
        assert result.checked.failing_people == 0
