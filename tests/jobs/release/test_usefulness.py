"""What an analyst gets from a released file: the distributions are those of the file, and predictions are honest."""

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import discretion as dc
from discretion.charts import distributions_before_and_after
from discretion.errors import InvalidValueError, MissingExtraError
from discretion.jobs.release import prediction
from discretion.jobs.release.comparison import BLANK, HIDDEN, OTHERS
from support.cli_runner import run


def people(n: int = 400, seed: int = 3) -> dict[str, list[str]]:
    """Return people whose pay follows from their age, with a shirt that says nothing and one rare job."""
    draw = Random(seed)
    ages = [draw.randrange(20, 60) for _ in range(n)]
    return {
        "age": [str(age) for age in ages],
        "job": ["wombat keeper", *draw.choices(["smith", "cook", "nurse"], [9, 5, 3], k=n - 1)],
        "shirt": draw.choices(["red", "blue"], k=n),
        "pay": ["high" if age >= 40 else "low" for age in ages],
    }


def written(table: dict[str, list[str]], folder: Path) -> str:
    file = folder / "in.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([[*table], *zip(*table.values(), strict=True)])
    return str(file)


def rows_of(file: str) -> list[dict[str, str]]:
    with Path(file).open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize("suppress", ["rows", "cells"])
def test_shares_after_are_those_of_the_file(tmp_path: Path, suppress: str) -> None:
    out = str(tmp_path / "out.csv")
    result = dc.release(written(people(), tmp_path), out, k=5, budget=0, max_suppressed=0.05, suppress=suppress)
    rows = rows_of(out)
    assert [each.column for each in result.distributions] == [*rows[0]]
    for each in result.distributions:
        after = Counter(row[each.column] or BLANK for row in rows)
        shares = {value.label: value.after for value in each.bins}
        named = {label: share for label, share in shares.items() if label not in (OTHERS, HIDDEN)}
        assert named == pytest.approx({label: after[label] / len(rows) for label in named})
        assert sum(value.after for value in each.bins) == pytest.approx(1)
        assert sum(value.before for value in each.bins) == pytest.approx(1)
        # Folding values together only hides differences.
        assert each.distance >= 0.5 * sum(abs(value.after - value.before) for value in each.bins) - 1e-12
        assert each.distance <= 0.05 / 0.95 + 1e-12


def test_columns_as_they_are_differ_by_the_people_left_out(tmp_path: Path) -> None:
    table = people()
    out = str(tmp_path / "out.csv")
    result = dc.release(written(table, tmp_path), out, columns=["shirt", "job"], k=5, budget=0, max_suppressed=0.02)
    rows = rows_of(out)
    for each in result.distributions:
        before, after = Counter(table[each.column]), Counter(row[each.column] for row in rows)
        if set(after) <= set(before):
            apart = sum(abs(before[value] / 400 - after[value] / len(rows)) for value in before)
            assert each.distance == pytest.approx(apart / 2)


@pytest.mark.long
def test_nothing_rare_is_in_the_distributions(tmp_path: Path) -> None:
    out = str(tmp_path / "out.csv")
    result = dc.release(written(people(), tmp_path), out, k=5)
    assert "wombat" not in result.to_json() + result.to_html() + result.to_markdown()


@pytest.mark.long
def test_many_values_are_listed_together(tmp_path: Path) -> None:
    table = {"n": [str(i % 30) for i in range(900)], "one": ["x"] * 900}
    result = dc.release(written(table, tmp_path), str(tmp_path / "out.csv"), k=5)
    numbers, one = result.distributions
    assert [each.label for each in one.bins] == ["x"]
    assert len(numbers.bins) <= 21
    places = [float(each.label) for each in numbers.bins if each.label.isdigit()]
    assert places == sorted(places)
    assert numbers.distance == one.distance == 0


@pytest.mark.long
def test_the_page_draws_them_and_a_terminal_lists_them_in_full(tmp_path: Path) -> None:
    out = str(tmp_path / "out.csv")
    result = dc.release(written(people(), tmp_path), out, k=5)
    chart = result.chart("distributions").to_dict()
    assert chart["description"].startswith("Bars: distributions of")
    assert "Before and after" in result.to_html()
    assert distributions_before_and_after([]).to_dict()["description"].startswith("Bars: distributions of 0 columns")


pytest.importorskip("sklearn")


def predicted(table: dict[str, list[str]], folder: Path, target: str, **options: object) -> prediction.Prediction:
    out = str(folder / "out.csv")
    result = dc.release(written(table, folder), out, keep=[target], target=target, **{"k": 5} | options)
    assert result.prediction is not None
    return result.prediction


@pytest.mark.long
def test_a_file_without_what_predicts_costs_all_accuracy(tmp_path: Path) -> None:
    for options in ({"drop": ["age"]}, {"publish": ["shirt", "pay"]}, {"columns": ["job", "pay"]}):
        result = predicted(people(), tmp_path, "pay", **options)
        assert result.original.value == 1
        assert result.file.low <= result.majority + 0.05
        assert result.lost.low > 0.3
    kept = predicted(people(), tmp_path, "pay", publish=["age=in steps of 10", "pay", "shirt"])
    assert kept.original.value == kept.file.value == 1
    assert (kept.lost.value, kept.lost.confidence) == (0, 0.95)
    assert kept.lost.low < 0 < kept.lost.high


def test_what_a_file_loses_is_counted_of_the_same_people(tmp_path: Path) -> None:
    """Pay depends on the age within a step of the file: the table's model knows it, the file's cannot."""
    table = people()
    table["pay"] = ["high" if int(age) % 2 else "low" for age in table["age"]]
    result = predicted(table, tmp_path, "pay", publish=["age=in steps of 10", "pay"])
    assert result.original.value > 0.85
    assert result.file.value < 0.65
    assert result.lost.value == pytest.approx(result.original.value - result.file.value)
    assert 0.2 < result.lost.low <= result.lost.value <= result.lost.high < 1
    assert result.majority == pytest.approx(max(Counter(table["pay"]).values()) / 400)
    assert result.people == 400


@pytest.mark.long
def test_noise_is_predicted_no_better_than_by_the_majority(tmp_path: Path) -> None:
    table = people(n=1000)
    result = predicted(table, tmp_path, "shirt")
    assert result.original.low <= 0.55
    assert result.file.low <= 0.55


@pytest.mark.long
def test_the_same_file_has_the_same_prediction(tmp_path: Path) -> None:
    assert predicted(people(), tmp_path, "job", k=2) == predicted(people(), tmp_path, "job", k=2)


FAULTS = {
    "no such column": ({"target": "salary"}, "no column 'salary'"),
    "dropped": ({"target": "pay", "drop": ["pay"]}, "not in the file .by --drop."),
    "sensitive": ({"target": "pay", "sensitive": ["pay"]}, "use --keep pay"),
    "one value": ({"target": "one", "keep": ["one"]}, "has 1 values in the file"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_predicted_is_refused_and_nothing_is_written(tmp_path: Path, fault: str) -> None:
    options, said = FAULTS[fault]
    table = people() | {"one": ["x"] * 400}
    with pytest.raises(InvalidValueError, match=said):
        dc.release(written(table, tmp_path), str(tmp_path / "out.csv"), k=5, **options)
    assert [file.name for file in tmp_path.iterdir()] == ["in.csv"]


def test_without_the_library_its_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(MissingExtraError, match=r"install discretion\[predict\]"):
        dc.release(written(people(), tmp_path), str(tmp_path / "out.csv"), k=5, keep=["pay"], target="pay")


def test_the_command_has_it_with_gates(tmp_path: Path) -> None:
    arguments = ["release", written(people(), tmp_path), "--out", str(tmp_path / "out.csv"), "--k", "5"]
    gates = ["--fail-over", "accuracy_lost>0.9", "--fail-over", "accuracy_file<0.1"]
    code, out, err = run(*arguments, "--keep", "pay", "--target", "pay", *gates, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)["results"]
    assert answer["prediction"]["file"]["confidence"] == 0.95
    assert answer["measures"]["accuracy_lost"]["value"] == answer["prediction"]["lost"]["value"]
    assert run(*arguments, "--fail-over", "accuracy_lost>0.9")[0] == 2
