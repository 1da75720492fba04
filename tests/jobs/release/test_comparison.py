"""Distributions before and after a release are those of the table and of the file."""

import csv
from collections import Counter
from pathlib import Path

import pytest

import discretion as dc
from discretion.charts import distributions_before_and_after
from discretion.jobs.release.comparison import BLANK, HIDDEN, OTHERS
from support.analysts import people, written


def rows_of(file: str) -> list[dict[str, str]]:
    with Path(file).open(encoding="utf-8", newline="") as opened:
        names, *rows = csv.reader(opened)
    return [dict(zip(names, row or [""], strict=True)) for row in rows]  # a blank line is a row of one blank cell


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
