"""What draws figures on a page is kept, and no more than that."""

from pathlib import Path

import pytest

from discretion.charts import rendering


def test_the_library_of_a_page_is_made_once_where_bytecode_may_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(rendering, "_drawn", lambda function: made.append(function) or b"script")
    monkeypatch.setattr(rendering, "__file__", str(tmp_path / "rendering.py"))
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    assert [rendering.chart_library() for _ in range(2)] == ["script", "script"]
    assert len(made) == 2  # there is no folder to keep it in
    (tmp_path / "__pycache__").mkdir()
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    assert rendering.chart_library() == "script"
    assert not list((tmp_path / "__pycache__").iterdir())
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    assert [rendering.chart_library() for _ in range(2)] == ["script", "script"]
    assert len(made) == 4
    (kept,) = (tmp_path / "__pycache__").iterdir()
    assert kept.suffix == ".js"
