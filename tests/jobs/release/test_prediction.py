"""A model of the table and a model of the file predict the same people, and the difference is honest."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

import discretion as dc
from discretion.errors import InvalidValueError, MissingExtraError
from discretion.jobs.release import prediction
from support.analysts import people, written
from support.cli_runner import run

pytest.importorskip("sklearn", reason="scikit-learn: the extra predict")


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


@pytest.mark.long
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


@pytest.mark.one_in(3)
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


@pytest.mark.long
def test_the_command_has_it_with_gates(tmp_path: Path) -> None:
    arguments = ["release", written(people(), tmp_path), "--out", str(tmp_path / "out.csv"), "--k", "5"]
    gates = ["--fail-over", "accuracy_lost>0.9", "--fail-over", "accuracy_file<0.1"]
    code, out, err = run(*arguments, "--keep", "pay", "--target", "pay", *gates, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)["results"]
    assert answer["prediction"]["file"]["confidence"] == 0.95
    assert answer["measures"]["accuracy_lost"]["value"] == answer["prediction"]["lost"]["value"]
    assert run(*arguments, "--fail-over", "accuracy_lost>0.9")[0] == 2
