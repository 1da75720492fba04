"""A dirty table gives a file that is worth as much as the clean table's, and says what it read as missing."""

import random
from collections.abc import Callable
from datetime import date, timedelta
from math import exp
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.errors import DiscretionError, InvalidValueError
from discretion.jobs.release import Release, release
from support.cli_runner import run

ROWS = 500
DRAW = random.Random(30)
DAYS = [date(1940, 1, 1) + timedelta(days=DRAW.randrange(60 * 365)) for _ in range(ROWS)]
CLEAN: dict[str, list[str]] = {
    "age": [str(min(max(round(DRAW.gauss(45, 17)), 0), 95)) for _ in range(ROWS)],
    "born": [day.isoformat() for day in DAYS],
    "income": [str(round(exp(DRAW.gauss(10.4, 0.5)))) for _ in range(ROWS)],
    "zip": [f"{DRAW.choice(['021', '022', '027', '100'])}{DRAW.randrange(100):02}" for _ in range(ROWS)],
}
Dirt = Callable[[list[str]], list[str]]


def some(share: float, mark: str) -> Dirt:
    """Put a mark in place of some cells."""

    def marked(values: list[str]) -> list[str]:
        draw = random.Random(7)
        return [mark if draw.random() < share else value for value in values]

    return marked


def first(mark: str) -> Dirt:
    return lambda values: [mark, *values[1:]]


def spelled(form: str) -> Dirt:
    return lambda _: [day.strftime(form) for day in DAYS]


def separated(separator: str, end: str = "") -> Dirt:
    return lambda values: [f"{int(value):,}".replace(",", separator) + end for value in values]


def both(one: Dirt, other: Dirt) -> Dirt:
    return lambda values: other(one(values))


def top(values: list[str]) -> list[str]:
    return [value if int(value) < 70 else "70+" for value in values]


DIRT: dict[str, dict[str, Dirt]] = {
    "NA": {"age": some(0.02, "NA")},
    "NA everywhere": {name: some(0.02, "NA") for name in CLEAN},
    "n/a": {"age": some(0.01, "n/a"), "income": some(0.02, "N/A")},
    "blanks": {"age": some(0.02, ""), "born": some(0.02, " ")},
    "dots": {"income": some(0.02, ".")},
    "dashes": {"born": some(0.02, "-")},
    "question marks": {"age": some(0.02, "?"), "zip": some(0.02, "?")},
    "unknown": {"zip": some(0.02, "Unknown"), "born": some(0.02, "unknown")},
    "null": {"income": some(0.02, "NULL"), "age": some(0.01, "NaN")},
    "several marks": {"age": both(some(0.01, "NA"), first("?"))},
    "one top code": {"age": first("87+")},
    "top codes": {"age": top},
    "a bottom code": {"age": first("<5")},
    "in words": {"age": first("90 or more")},
    "a typing error": {"age": first("4o"), "born": first("199-01-01")},
    "days first": {"born": spelled("%d/%m/%Y")},
    "months first": {"born": spelled("%m/%d/%Y")},
    "points": {"born": spelled("%d.%m.%Y")},
    "times": {"born": spelled("%Y-%m-%d %H:%M:%S")},
    "times after days": {"born": spelled("%d.%m.%Y %H:%M")},
    "two digits": {"born": spelled("%d/%m/%y")},
    "names of months": {"born": spelled("%d %b %Y")},
    "commas": {"income": separated(",")},
    "points in amounts": {"income": separated(".", ",00")},
    "spaces in amounts": {"income": separated(" ")},
    "dollars": {"income": lambda values: [f"${int(value):,}" for value in values]},
    "cents": {"income": separated(",", ".00")},
    "ZIP+4": {"zip": lambda values: [f"{value}-1234" if place % 3 else value for place, value in enumerate(values)]},
    "zeros lost": {"zip": lambda values: [str(int(value)) for value in values]},
    "all at once": {
        "age": both(top, some(0.02, "NA")), "born": both(spelled("%d/%m/%y"), some(0.02, "")),
        "income": both(separated(","), some(0.01, ".")), "zip": some(0.02, "?"),
    },
}  # fmt: skip


def of_values(values: dict[str, list[Any]], folder: Path, **options: Any) -> tuple[Release, pa.Table]:
    out = folder / "out.parquet"
    result = release(pa.table(values), out, **{"budget": 0, "person": "none", **options})
    return result, pq.read_table(out)


def information(result: Release) -> float:
    return sum(column.bits - column.bits_lost for column in result.columns)


@pytest.fixture(scope="module")
def of_the_clean(tmp_path_factory: pytest.TempPathFactory) -> float:
    return information(of_values(CLEAN, tmp_path_factory.mktemp("clean"))[0])


@pytest.mark.long
@pytest.mark.one_in(3)
@pytest.mark.parametrize("dirt", DIRT)
def test_a_dirty_table_keeps_the_information_of_the_clean_one(tmp_path: Path, dirt: str, of_the_clean: float) -> None:
    values = {name: DIRT[dirt].get(name, lambda each: each)(cells) for name, cells in CLEAN.items()}
    result, _ = of_values(values, tmp_path)
    assert information(result) >= 0.95 * of_the_clean
    assert result.suppressed <= 0.02 * ROWS


def test_the_result_lists_what_was_read_as_missing(tmp_path: Path) -> None:
    values = {"age": both(some(0.05, "NA"), first("?"))(CLEAN["age"])}
    result, written = of_values(values, tmp_path)
    assert result.columns[0].missing == ("?", "NA")
    assert "NA" in written["age"].to_pylist()
    assert result.to_dict()["columns"][0]["missing"] == ["?", "NA"]
    own, _ = of_values({"age": some(0.05, "999")(CLEAN["age"])}, tmp_path, missing=["999"])
    assert own.columns[0].missing == ("999",)


def test_own_bins_and_the_order_of_dates(tmp_path: Path) -> None:
    bins = ["age=0,18,30,45,65"]
    _, written = of_values({"age": CLEAN["age"]}, tmp_path, bins=bins, publish=["age=in the given bins"])
    assert {*written["age"].to_pylist()} == {"0 to 17", "18 to 29", "30 to 44", "45 to 64", "65 or more"}
    unsure = [f"0{DRAW.randrange(1, 5)}/0{DRAW.randrange(1, 5)}/2020" for _ in range(ROWS)]
    _, written = of_values({"seen": unsure}, tmp_path, dates="mdy", publish=["seen=months"])
    assert {*written["seen"].to_pylist()} == {"2020-01", "2020-02", "2020-03", "2020-04"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": ["town=1"]}, "bins takes columns that may go out"),
        ({"bins": ["18"]}, "bins takes columns that may go out"),
        ({"bins": ["age=old"]}, "bins of the column age must be numbers"),
        ({"bins": ["age=0,inf"]}, "bins of the column age must be numbers"),
        ({"dates": "dym"}, "dates must be one of dmy, mdy, ymd, got 'dym'"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        of_values({"age": CLEAN["age"]}, tmp_path, **options)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": ["sex=1"]}, "bins need numbers, and sex has none"),
        ({"bins": ["aeg=1"]}, "bins takes columns that may go out"),
        ({"bins": ["age=1"], "hierarchies": "age.csv"}, "age has both bins and a hierarchy"),
        ({"hierarchies": "nowhere"}, "nowhere has no hierarchy of a column"),
        ({"redact": ["income"]}, "there is no column"),
    ],
)
def test_an_audit_refuses_an_option_as_a_release_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table = pa.table({"age": [str(age) for age in CLEAN["age"]], "sex": ["f", "m"] * (ROWS // 2)})
    Path("age.csv").write_text("".join(f"{age};any\n" for age in sorted({*table["age"].to_pylist()})))
    for job, out in ((dc.audit, ()), (dc.release, ("out.csv",))):
        with pytest.raises(DiscretionError, match=message):
            job(table, *out, **options)


def test_the_command_line_takes_bins_of_several_columns(tmp_path: Path) -> None:
    table, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"age": CLEAN["age"], "income": CLEAN["income"]}), table)
    publish = '"age=in the given bins","income=in the given bins"'
    arguments = [str(table), "--out", str(out), "--bins", "age=0,40,income=0,30000", "--publish", publish, "--k", "5"]
    assert run("release", *arguments)[0] == 0
    written = pq.read_table(out)
    assert {*written["age"].to_pylist()} == {"0 to 39", "40 or more"}
    assert {*written["income"].to_pylist()} == {"0 to 29999", "30000 or more"}
