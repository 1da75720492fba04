"""Generalizations are functions of finer ones, contain what they name, and have no range of few people."""

import math
import random
from bisect import bisect_right
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity.pairs.coarsening import as_coarse
from discretion.anonymity.releasing.column_values import Reading
from discretion.anonymity.releasing.generalizations import Generalization, generalizations_of, identity_generalization
from discretion.numerics.equivalence_classes import Column
from oracles.generalizations import contains

MARKS = ["NA", "n/a", "", "?", ".", "null", None]
DRAW = random.Random(30)


def views_of(values: list[Any], k: int, name: str = "", **reading: Any) -> tuple[Generalization, ...]:
    held = list(dict.fromkeys(values))
    places = {value: place for place, value in enumerate(held)}
    column = Column(np.array([places[value] for value in values], np.int32), len(held))
    views = generalizations_of(identity_generalization(column, held), k, name, Reading(**reading))
    assert rows_of(views[0]) == values
    for fine, coarse in pairwise(views):
        pairs = {*zip(fine.column.codes.tolist(), coarse.column.codes.tolist(), strict=True)}
        assert len(pairs) == fine.column.count > coarse.column.count > 1
        assert len({*coarse.labels}) == len(coarse.labels) == coarse.column.count
    assert len({view.how for view in views}) == len(views)  # a plan names them so
    return views


def rows_of(view: Generalization) -> list[Any]:
    return [view.labels[code] for code in view.column.codes.tolist()]


def labels(values: list[Any], k: int, how: str, **reading: Any) -> set[Any]:
    return {*next(view for view in views_of(values, k, **reading) if view.how == how).labels}


ages = st.integers(0, 99).map(str)
amounts = st.integers(0, 10**7).map("{:,}".format) | st.integers(0, 10**7).map(str)
days = st.integers(0, 40_000).map(lambda day: date(1920, 1, 1) + timedelta(days=day))
COLUMNS: dict[str, Any] = {
    "ages": ages,
    "ages with a top code": st.integers(0, 80).map(str) | st.sampled_from(["80+", "under 5", ">=85", "75 or more"]),
    "amounts": amounts,
    "fractions": st.decimals(-50, 50, places=2).map(str) | st.floats(-1e6, 1e6).map(str),
    "decimal commas": st.decimals(0, 5000, places=2).map(lambda number: str(number).replace(".", ",")),
    "ISO days": days.map(date.isoformat),
    "days": days.map(lambda day: day.replace(day=13 + day.day % 15).strftime("%d/%m/%Y")),
    "American days": days.map(lambda day: day.replace(day=13 + day.day % 15).strftime("%m/%d/%Y")),
    "days and times": days.map(lambda day: day.strftime("%d.%m.%Y 10:30")),
    "ZIP": st.integers(500, 99_999).map("{:05}".format),
    "ICD-10": st.from_regex(r"[A-E][0-2]\d(\.\d)?", fullmatch=True),
    "words": st.sampled_from(["a", "b", "(other)", "c d", "e"]),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", COLUMNS)
@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(1, 6))
def test_each_is_a_function_of_the_finer_and_contains_what_it_names(kind: str, data: st.DataObject, k: int) -> None:
    cells = st.lists(COLUMNS[kind], min_size=1, max_size=60)
    values = [*data.draw(cells), *data.draw(st.lists(st.sampled_from(MARKS), max_size=8))]
    for view in views_of(values, k)[1:]:
        for value, label in {*zip(values, rows_of(view), strict=True)}:
            assert contains(label, value), (view.how, value, label)
        if view.how != "days" and not view.how.startswith("values"):
            assert not view.shows_rare(k).any()


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", sorted({*COLUMNS} - {"ages with a top code", "fractions", "words"}))
@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(1, 6))
def test_values_are_read_as_coarse_as_another_table_has_them(kind: str, data: st.DataObject, k: int) -> None:
    values = [
        *data.draw(st.lists(COLUMNS[kind], min_size=12, max_size=60)),
        *data.draw(st.sampled_from([[], ["NA"] * 3])),
    ]
    held = [*dict.fromkeys(values)]
    for view in views_of(values, k)[1:]:
        coarse = as_coarse(held, view.labels)
        group_of = dict(zip(values, rows_of(view), strict=True))
        if kind in {"ZIP", "ICD-10"} and any("other)" in label for label in view.labels):
            continue  # which of the other codes begin alike is not to be seen
        assert coarse in (None, [group_of[value] for value in held]), view.how


@given(st.lists(ages, min_size=5, max_size=60), st.lists(st.integers(-5, 105), max_size=6, unique=True))
def test_own_bins_begin_where_they_were_given(values: list[str], bins: list[int]) -> None:
    for view in (view for view in views_of(values, 2, bins=bins) if view.how == "in the given bins"):
        shown = {*zip(map(int, values), rows_of(view), strict=True)}
        assert all(contains(label, str(value)) for value, label in shown)
        ranges = {
            label: {bisect_right(sorted(bins), value) for value, same in shown if same == label} for _, label in shown
        }
        assert all(len(each) == 1 for each in ranges.values())


def test_days_become_months_quarters_and_years() -> None:
    values = [f"{year}-{month:02}-{day:02}" for year in (2023, 2024) for month in range(1, 13) for day in range(1, 11)]
    assert [view.how for view in views_of(values, 5)] == ["as it is", "months", "quarters", "years"]
    assert {"2023-01", "2024-12"} <= labels(values, 5, "months")
    assert labels(values, 5, "years") == {"2023", "2024"}
    assert {"2023-Q1", "2024-Q4"} <= labels(values, 5, "quarters")


def test_the_ends_are_open_where_few_people_are() -> None:
    values = [1, *[20] * 5, *[31] * 5, *[44] * 5, 97]
    assert labels(values, 3, "in steps of 10") == {"under 30", "30 to 39", "40 or more"}


@pytest.mark.parametrize(
    ("forms", "how"),
    [
        (("%Y-%m-%d", "%Y/%m/%d"), "quarters"),
        (("%d/%m/%Y",), "quarters"),
        (("%m/%d/%Y",), "quarters"),
        (("%d.%m.%Y",), "quarters"),
        (("%d-%m-%y", "%d-%m-%Y"), "quarters"),
        (("%Y-%m-%dT%H:%M:%S", "%d/%m/%Y %H:%M"), "quarters"),
        (("%d %b %Y", "%d-%b-%y", "%B %d, %Y"), "quarters"),
        (("%Y%m%d",), "quarters"),
    ],
)
def test_usual_forms_of_dates_are_the_same_dates(forms: tuple[str, ...], how: str) -> None:
    held = [date(1990, 1, 1) + timedelta(days=DRAW.randrange(4 * 365)) for _ in range(900)]
    clean = next(view for view in views_of([day.isoformat() for day in held], 5, "born date") if view.how == how)
    other = [day.strftime(forms[place % len(forms)]) for place, day in enumerate(held)]
    assert rows_of(next(view for view in views_of(other, 5, "born date") if view.how == how)) == rows_of(clean)


def test_dates_whose_order_is_unknown_are_years_until_it_is_given() -> None:
    values = [f"{DRAW.randrange(1, 13):02}/{DRAW.randrange(1, 13):02}/{DRAW.randrange(1990, 1994)}" for _ in range(900)]
    assert "years" in [view.how for view in views_of(values, 5)]
    assert not {"days", "months", "quarters"} & {view.how for view in views_of(values, 5)}
    first, second = (labels(values, 5, "months", order=order) for order in ("dmy", "mdy"))
    assert first == second
    assert {*rows_of(views_of(["01/02/03", "01/02/04", "02/02/03"] * 9, 9, order="ymd")[1])} == {"2001", "2002"}


def test_a_postcode_keeps_its_zeros_and_is_never_a_number() -> None:
    values = [f"0213{DRAW.randrange(10)}" for _ in range(200)] + [f"2000{DRAW.randrange(10)}" for _ in range(200)]
    for each, name in ((values, ""), ([int(value) for value in values], "zip"), ([float(v) for v in values], "ZIP")):
        views = views_of(each, 60, name)
        assert {*views[-1].labels} == {"0213*", "2000*"}
        assert all("to" not in str(label) for view in views for label in view.labels)


def test_what_is_missing_is_one_category_named_by_its_commonest_mark() -> None:
    values = [*(str(DRAW.randrange(18, 90)) for _ in range(500)), *["NA"] * 9, "?", "n/a", "", None]
    view = views_of(values, 10)[1]
    assert view.missing == ("", "?", "NA", "n/a")
    assert {*rows_of(view)[500:]} == {"NA"}
    assert {*rows_of(views_of([*values, *[None] * 20], 10)[1])[500:]} == {None}
    few = views_of(values, 30)[1]
    assert {*rows_of(few)[500:]} == {next(label for label in few.labels if label and label.endswith(" or more, or NA"))}
    own = [*values[:500], *["999"] * 12]
    assert {*rows_of(views_of(own, 10, missing=["999"])[1])[500:]} == {"999"}


def test_a_few_odd_cells_are_never_shown() -> None:
    values = [*(str(DRAW.randrange(18, 90)) for _ in range(990)), *(f"call Ann {i}" for i in range(10))]
    for k in (2, 20):
        for view in views_of(values, k)[1:]:
            assert not any("Ann" in str(label) for label in view.labels)
    assert not any("to" in str(label) for view in views_of([*values, *"abcdefghijklmno"], 2) for label in view.labels)


def test_separators_change_no_number() -> None:
    plain = ["900", *(str(round(math.exp(DRAW.gauss(10.3, 0.6)))) for _ in range(900))]
    clean = views_of(plain, 10)
    for form in ("{:,}", "${:,}", "{:,}.00"):
        dirty = views_of([form.format(int(value)) for value in plain], 10)
        assert [rows_of(view) for view in dirty[1:]] == [rows_of(view) for view in clean[1:]]
    for separator in (".", " ", "'", " "):
        dirty = views_of([f"{int(value):,}".replace(",", separator) for value in plain], 10)
        assert [rows_of(view) for view in dirty[1:]] == [rows_of(view) for view in clean[1:]]
