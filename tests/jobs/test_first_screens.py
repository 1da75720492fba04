"""A terminal's first screen fits it, however many columns a table has, and names no section that it does not show."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rich.console import Console

import discretion as dc
from discretion.jobs.exposure import table_exposure
from discretion.jobs.options.tables import ExposureOptions
from discretion.jobs.release.result import Release, ReleasedColumn
from discretion.jobs.table_measures import GuessReport
from discretion.presenting.views.terminal import to_text
from support.wide_tables import NAMES, wide_table

LINES = 45


def screen(result: Any, *, full: bool = False) -> str:
    """Return what a terminal of 80 columns shows."""
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(to_text(result.document(), full=full))
    return console.export_text()


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Release:
    out = tmp_path_factory.mktemp("release") / "out.csv"
    return dc.release(wide_table(600), out, sensitive="income", drop=["sex", "race"], seconds=0.2)


def wide_result(released: Release, published: int, sensitive: int) -> Release:
    """Return a release of which the first columns go out."""
    columns = tuple(
        ReleasedColumn(name, "generalize", "values of fewer than 1,000 merged", 3.0, 0.01 * place, 2 + place)
        if place < published
        else ReleasedColumn(name, "drop", "no generalization fits with the others", 3.0, 3.0, 0)
        for place, name in enumerate(NAMES)
    )
    guesses = tuple(GuessReport(name, 0.5, 0.6, 7) for name in NAMES[:sensitive])
    return replace(released, columns=columns, checked=replace(released.checked, guesses=guesses))


@pytest.mark.parametrize("published", [0, 1, 10, 13, 42])
@pytest.mark.parametrize("sensitive", [0, 2, 9])
def test_a_release_of_42_columns_fits_a_screen(released: Release, published: int, sensitive: int) -> None:
    shown = screen(wide_result(released, published, sensitive))
    assert len(shown.splitlines()) <= LINES, shown
    assert "section" not in shown
    assert f"{published} of 42 columns {'is' if published == 1 else 'are'} in the file" in shown
    hidden = max(0, published - 12)
    assert (f"and {hidden} more in the file: --full" in shown) == bool(hidden)
    dropped = 42 - published
    assert (f"{dropped} for which no generalization fits with the others" in words(shown)) == bool(dropped)


def test_the_columns_with_most_information_come_first(released: Release) -> None:
    reverse = replace(released, columns=wide_result(released, 42, 0).columns[::-1])
    shown = screen(reverse)
    assert shown.index(NAMES[0]) < shown.index(NAMES[4])
    assert NAMES[20] not in shown


@pytest.mark.long
def test_dropped_columns_are_grouped_by_their_reasons_and_all_of_them_are_on_the_page(released: Release) -> None:
    shown = words(screen(released))
    assert "2 by --drop (race, sex)" in shown
    assert "1 sensitive (income)" in shown
    assert all(name in released.to_html().replace("&#39;", "'") for name in NAMES)
    assert all(name in released.to_markdown() for name in NAMES)
    whole = words(screen(released, full=True))
    assert all(each.column.split()[0] in whole for each in released.columns)


def test_a_release_shows_of_how_many_a_sensitive_value_is_certain(released: Release) -> None:
    (guess,) = released.checked.guesses
    share = guess.certain_people / released.checked.people
    certain = re.search(r"it is certain for ([\d,]+) (?:people|person) \(([\d.]+) %\)", words(screen(released)))
    assert certain is not None
    assert int(certain[1].replace(",", "")) == guess.certain_people
    assert float(certain[2]) / 100 == pytest.approx(share, rel=1e-3)


@pytest.mark.long
def test_an_audits_reasons_fit_a_screen() -> None:
    audit = dc.audit(wide_table(600), sensitive="income", seconds=0.2)
    shown = screen(audit)
    reasons = shown[shown.index("What would go wrong") :]
    assert len(reasons.splitlines()) <= 25, reasons
    assert "section" not in reasons
    assert "--weight 'instance weight'" in words(reasons)


@pytest.mark.long
def test_a_diff_and_an_exposure_of_42_columns_fit_a_screen(tmp_path: Path) -> None:
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    pq.write_table(wide_table(600), old)
    pq.write_table(wide_table(600, seed=1), new)
    for result in (dc.diff(str(old), str(new)), table_exposure(str(old), ExposureOptions(bounds=True))):
        shown = screen(result)
        assert len(shown.splitlines()) <= LINES, shown
        assert "section" not in shown
    assert "42 columns: everybody is exposed" in shown
    assert all(name in result.to_html().replace("&#39;", "'") for name in NAMES)
