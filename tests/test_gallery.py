"""The gallery of the site has every item of the papers and every chart."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import discretion as dc
from discretion.reproduce import PAPERS, Item, Reproduction

ROOT = Path(__file__).parents[1]
# What writes a chart, or describes a part of one.
NO_CHARTS = {"percentages", "to_html", "to_pdf", "to_png", "to_svg"}

_spec = spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
gallery = module_from_spec(_spec)
_spec.loader.exec_module(gallery)


def test_every_chart_has_an_example_and_no_other_name_has() -> None:
    assert set(gallery.CHARTS) == {name for name in dc.charts.__all__ if name.islower()} - NO_CHARTS


@pytest.mark.long
def test_the_pages_name_every_item_and_every_chart(tmp_path, monkeypatch) -> None:
    chart = dc.charts.exposure_over_threshold([1], [1], people=1)
    quick = Reproduction(({"a": 1},), lambda: chart)
    for paper in PAPERS.values():
        items = {name: Item(item.title, lambda: quick) for name, item in paper.items.items()}
        monkeypatch.setitem(paper.__dict__, "items", items)
    monkeypatch.setattr(dc.charts, "to_svg", lambda _: "<svg/>")
    gallery.write(tmp_path)
    for name, paper in PAPERS.items():
        text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
        assert [item for item in paper.items if f"\n## {item}\n" not in text] == []
    text = (tmp_path / "charts.md").read_text(encoding="utf-8")
    assert [each for each in dc.charts.__all__ if f"\n## {each}\n" not in text and f"`{each}`" not in text] == []
    for page in tmp_path.glob("*.md"):
        images = re.findall(r"^```\{image\} (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert [image for image in images if not (tmp_path / image).exists()] == []
    assert text.count('\n:alt: "') == len(gallery.CHARTS)
