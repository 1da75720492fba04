"""`--chart FILE` writes a result's figure in the format that the file's suffix names."""

import json
from pathlib import Path

import pytest

from support.cli_runner import run

FORMATS = {"svg": b"<svg", "png": b"\x89PNG", "PDF": b"%PDF-", "html": b"<!doctype html>"}
CHARTING = {
    "measure": ["krr:k=3,epsilon=1"],
    "compare": ["krr:k=2,epsilon=1", "--epsilons", "1"],
    "estimate": ["samples.csv"],
    "audit": ["example:adult", "--columns", "sex,race,age", "--k", "10"],
    "exposure": ["example:adult", "--columns", "sex,race", "--k", "10"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("samples.csv").write_text("secret,shown\n" + "".join(f"{i % 2},{i * i % 7}\n" for i in range(300)))
    return tmp_path


@pytest.mark.one_in(23)
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("command", CHARTING)
def test_a_chart_is_what_its_suffix_says(command: str, suffix: str) -> None:
    code, out, err = run(command, *CHARTING[command], "--chart", f"figure.{suffix}")
    assert (code, err) == (0, "")
    assert f"Chart: figure.{suffix}" in out
    assert Path(f"figure.{suffix}").read_bytes().startswith(FORMATS[suffix])
    assert {path.name for path in Path().iterdir()} == {"samples.csv", f"figure.{suffix}"}


@pytest.mark.parametrize("name", ["figure.gif", "figure", ".svg", "figure.svg.txt"])
@pytest.mark.parametrize("command", CHARTING)
def test_another_suffix_is_refused_before_any_work(command: str, name: str) -> None:
    Path("samples.csv").write_text("no samples")
    code, out, err = run(command, *CHARTING[command], "--chart", name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"--chart must name a file that ends in .svg, .png, .pdf, .html, got {name}" in err
    assert [path.name for path in Path().iterdir()] == ["samples.csv"]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("command", CHARTING)
def test_a_chart_changes_no_number(command: str) -> None:
    words = CHARTING[command] if "example:adult" in CHARTING[command] else [CHARTING[command][0], "--seed", "1"]
    arguments = [command, *words, "--json"]
    plain, charted = (json.loads(run(*arguments, *chart)[1])["results"] for chart in ([], ["--chart", "figure.svg"]))
    for name, value in plain.items():
        assert charted[name] == value or charted[name] | value == charted[name]
