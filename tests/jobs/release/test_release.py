"""A release is a file that keeps to its goal whoever counts it, tells nothing rare, and is written whole or not."""

import csv
import datetime
import hashlib
import io
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import log2
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import discretion as dc
from discretion.errors import (
    InvalidTableError,
    InvalidValueError,
    MissedGoalError,
    UnknownColumnError,
    UnsupportedError,
)
from discretion.jobs.release import job, release
from discretion.jobs.release.file import as_bytes
from discretion.jobs.release.result import Release
from discretion.presenting.views.terminal import to_text
from support.lowering import lowered

RARE = {"job": "wombat keeper", "town": "Xyzzyville", "born": "1899-01-02", "pay": "987654.25"}


def people(n: int = 600) -> dict[str, list[str]]:
    """Return a table of people of whom one has rare values, planted."""
    draw, ids = Random(7), [f"P{i:05}" for i in range(n)]
    table = {
        "id": ids,
        "job": draw.choices(["smith", "cook", "clerk", "nurse"], [9, 5, 3, 1], k=n),
        "town": draw.choices(["Oslo", "Rome", "Bonn"], k=n),
        "born": [
            f"{draw.randrange(1950, 2000)}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}" for _ in range(n)
        ],
        "pay": [f"{draw.randrange(1000, 9000)}.50" for _ in range(n)],
        "ill": draw.choices(["yes", "no"], [1, 3], k=n),
        "land": ["here"] * n,
    }
    for name, value in RARE.items():
        table[name][3] = value
    return table


def on_a_terminal(found: Release) -> str:
    """Return what a wide terminal shows."""
    screen = Console(width=200, record=True, file=io.StringIO())
    screen.print(to_text(found.document(), full=True))
    return screen.export_text()


def as_file(table: dict[str, list[str]], path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def groups(rows: list[dict[str, Any]], known: list[str]) -> list[list[dict[str, Any]]]:
    """Return who is alike."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in known), []).append(row)
    return list(found.values())


def is_close(group: list[dict[str, Any]], rows: list[dict[str, Any]], asked: dict[str, Any]) -> bool:
    """Whether a group's values are as close to everybody's as was asked."""
    shares = [
        Fraction(sum(row.get("ill") == value for row in some), len(some))
        for value in {row.get("ill") for row in rows} for some in (group, rows)
    ]  # fmt: skip
    return sum(abs(a - b) for a, b in zip(shares[::2], shares[1::2], strict=True)) / 2 <= Fraction(asked.get("t", 1))


def exposed(rows: list[dict[str, Any]], known: list[str], k: int) -> int:
    classes = Counter(tuple(row[name] for name in known) for row in rows)
    return sum(size for size in classes.values() if size < k)


@pytest.mark.one_in(31)
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("asked", [
    {}, {"budget": 0}, {"budget": 0, "max_suppressed": 0}, {"k": 3, "sensitive": "ill"},
    {"budget": 0, "sensitive": "ill", "keep": ["ill"], "l": 2}, {"columns": ["job", "town"]}, {"drop": ["job"]},
    {"budget": 0, "sensitive": "ill", "keep": ["ill"], "t": 0.2, "entropy_l": 1.2},
    {"budget": 0.1, "max_suppressed": 0.1, "sensitive": "ill", "keep": ["ill"], "t": "0.1"},
    {"suppress": "cells"}, {"suppress": "cells", "budget": 0, "sensitive": "ill", "keep": ["ill"], "l": 2},
    {"utility": "precision"}, {"utility": "discernibility", "suppress": "cells"},
    {"sensitive": "ill", "guess_budget": 0.0, "keep": ["town"]}, {"sensitive": "ill", "certain_budget": 0},
])  # fmt: skip
def test_the_file_keeps_to_its_goal_whoever_counts_it(tmp_path: Path, suffix: str, asked: dict[str, Any]) -> None:
    out = tmp_path / f"out{suffix}"
    found = release(as_file(people(), tmp_path / "in.csv"), out, **asked)
    rows = rows_of(out)
    secret = asked.get("sensitive")
    known = [name for name in rows[0] if name != secret]
    k, budget = asked.get("k", 10), asked.get("budget", 0.01)
    assert exposed(rows, known, k) <= float(budget) * len(rows)
    assert len(rows) == found.checked.people == 600 - found.suppressed
    assert found.suppressed <= asked.get("max_suppressed", 0.02) * 600
    if asked.get("l"):
        held: dict[tuple[Any, ...], set[Any]] = {}
        for row in rows:
            held.setdefault(tuple(row[name] for name in known), set()).add(row["ill"])
        assert min(map(len, held.values())) >= asked["l"]
    assert secret not in rows[0] or secret in asked["keep"]
    assert set(asked.get("keep", [])) <= set(rows[0])
    assert not set(asked.get("drop", [])) & set(rows[0])
    again = dc.Population(str(out))
    if not asked.get("budget", 1) and asked.get("t"):
        assert dc.anonymity.t_closeness(again, known, "ill") <= asked["t"]
        assert dc.anonymity.entropy_l_diversity(again, known, "ill") >= asked["entropy_l"] - 1e-9
    assert ("land" in rows[0]) == ("land" in asked.get("columns", people()))
    failing = len(rows) - sum(
        len(group) for group in groups(rows, known) if len(group) >= k and is_close(group, rows, asked)
    )
    assert found.checked.failing_people == failing
    assert found.checked.exposed_people == sum(len(group) for group in groups(rows, known) if len(group) < k)


def test_beside_the_file_stands_what_was_asked_and_done(tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    found = release(as_file(people(), tmp_path / "in.csv"), out)
    said = json.loads((tmp_path / "out.parquet.discretion.json").read_text())
    assert said["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest() == found.sha256
    assert said["goal"]["k"] == 10
    assert {column["column"] for column in said["columns"]} == set(people())
    assert 0 < said["kept"] <= said["bound"] <= 1


@pytest.mark.long
def test_what_was_not_looked_at_is_not_said_not_to_fit(tmp_path: Path) -> None:
    given = as_file(people(), tmp_path / "in.csv")
    for some, ended, why in (
        ({}, "proved", "no generalization fits with the others"),
        ({"MAX_LEVELS_EXAMINED": 3, "MAX_SETS_EXAMINED": 12}, "sets", "no generalization within the goal was found"),
    ):
        with lowered(**some):
            found = release(given, tmp_path / "out.csv", columns=["job", "town", "born", "pay"])
        assert found.ended == ended
        dropped = {column.column: column.how for column in found.columns if column.verdict == "drop"}
        others = {name: dropped.pop(name) for name in ("id", "ill", "land")}
        assert {*others.values()} == {"not among the columns"}
        assert {*dropped.values()} == {why}
    assert found.goal["columns"] == ["job", "town", "born", "pay"]


@pytest.mark.long
def test_what_columns_lose_and_what_is_left_add_up(tmp_path: Path) -> None:
    found = release(
        "example:adult", tmp_path / "out.csv", columns=["age", "sex", "race", "education"], max_suppressed=0.01,
        utility="entropy",
    )  # fmt: skip
    whole, lost = (sum(getattr(column, each) for column in found.columns) for each in ("bits", "bits_lost"))
    assert found.kept + found.suppression_cost == pytest.approx(1 - lost / whole)
    sizes = Counter(tuple(row.values()) for row in rows_of(tmp_path / "out.csv"))
    assert found.discernibility == sum(size**2 for size in sizes.values()) + found.suppressed * 32_561


@pytest.mark.one_in(11)
@pytest.mark.parametrize("asked", [
    {}, {"drop": ["job"]}, {"drop": ["job", "pay"]}, {"sensitive": "ill"}, {"sensitive": "ill", "keep": ["ill"]},
    {"drop": ["job"], "utility": "precision"}, {"utility": "entropy"}, {"drop": ["job"], "utility": "entropy"},
])  # fmt: skip
def test_what_a_release_keeps_is_of_the_whole_table(tmp_path: Path, asked: dict[str, Any]) -> None:
    found = release(
        as_file(people(), tmp_path / "in.csv"), tmp_path / "out.csv", max_suppressed=0, budget=1, k=1, **asked
    )
    assert found.suppressed == found.suppression_cost == 0
    rows = rows_of(tmp_path / "out.csv")
    bits = {name: entropy(people()[name]) for name in people()}
    kept = sum(entropy([row[name] for row in rows]) for name in rows[0]) / sum(bits.values())
    assert found.entropy_kept == pytest.approx(kept, rel=1e-12)
    whole, lost = (sum(getattr(column, each) for column in found.columns) for each in ("bits", "bits_lost"))
    assert found.entropy_kept == pytest.approx(1 - lost / whole, rel=1e-12)
    together = entropy([tuple(row.values()) for row in rows])
    assert found.information == pytest.approx(together, rel=1e-9)
    assert found.information_kept == pytest.approx(together / entropy([*zip(*people().values(), strict=True)]))
    each = {"entropy": found.entropy_kept, "precision": found.precision}
    assert found.kept == pytest.approx(each.get(asked.get("utility", ""), found.information_kept), rel=1e-12)
    varied = [name for name in people() if bits[name]]
    if asked.get("utility") == "precision":
        assert found.precision == (len(varied) - 2) / len(varied)  # all but id and job


def entropy(values: Iterable[Any]) -> float:
    """The bits of a value drawn from these."""
    counts = Counter(values)
    return -sum(count / counts.total() * log2(count / counts.total()) for count in counts.values())


def test_blank_cells_are_where_values_were_that_few_share(tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    found = release(as_file(people(), tmp_path / "in.csv"), out, budget=0, suppress="cells", max_suppressed=0.1)
    rows = rows_of(out)
    blank = [[name for name, value in row.items() if value is None] for row in rows]
    assert found.blanked == sum(map(bool, blank)) > 0
    assert found.blank_cells == sum(map(len, blank))
    assert found.blanked + found.suppressed <= 0.1 * 600
    assert (
        found.discernibility
        == sum(n**2 for n in Counter(tuple(row.values()) for row in rows).values()) + 600 * found.suppressed
    )
    assert 0 < found.kept <= found.bound <= 1
    assert found.kept <= found.information_kept + 1e-9
    people_out = "1 person" if found.suppressed == 1 else f"{found.suppressed} people"
    left = f"leaves {people_out} out and " if found.suppressed else ""
    assert f"\nIt {left}blanks {found.blank_cells:,} cells of " in on_a_terminal(found)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_rare_values_are_redacted_with_decoys(tmp_path: Path, suffix: str) -> None:
    held = people(4000)
    draw = Random(3)
    held["pay"] = [f"{draw.choice([10, 20, 30])}" for _ in held["pay"]]
    held["job"][:6] = ["wombat keeper"] * 6
    held["pay"][:3] = ["99"] * 3
    out = tmp_path / f"out{suffix}"
    asked: dict[str, Any] = {"redact": ["job", "pay"], "keep": ["job", "pay"], "budget": 1}
    shown = {"job": held["job"], "pay": [int(pay) for pay in held["pay"]]}
    found = release(pa.table(shown), out, **asked)
    columns = {column.column: column for column in found.columns}
    rows = rows_of(out)
    for name, rare in (("job", 6), ("pay", 3)):
        assert columns[name].verdict == "suppress"
        blank = sum(row[name] in (None, "") for row in rows)
        assert rare < blank + found.suppressed < 100
        assert not {"wombat keeper", "99", 99} & {row[name] for row in rows}
    assert isinstance(rows[0]["pay"], str if suffix == ".csv" else int | None)
    assert 0.9 < found.kept < 1


@pytest.mark.long
@pytest.mark.parametrize("utility", ["information", "precision", "discernibility"])
def test_the_file_keeps_most_of_the_utility_that_was_asked_for(tmp_path: Path, utility: str) -> None:
    given = as_file(people(), tmp_path / "in.csv")
    kept = {
        asked: {
            "information": found.information_kept, "entropy": found.entropy_kept, "precision": found.precision,
            "discernibility": -found.discernibility,
        }
        for asked in ("entropy", utility) for found in [release(given, tmp_path / f"{asked}.csv", utility=asked)]
    }  # fmt: skip
    assert kept[utility][utility] >= kept["entropy"][utility]
    assert kept["entropy"]["entropy"] >= kept[utility]["entropy"]


@pytest.mark.long
def test_rows_are_in_another_order_each_time(tmp_path: Path) -> None:
    given = as_file(people(), tmp_path / "in.csv")
    written = []
    for _ in range(2):
        release(given, tmp_path / "out.csv")
        written.append((tmp_path / "out.csv").read_text().splitlines())
    assert written[0] != written[1]
    assert sorted(written[0]) == sorted(written[1])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_nothing_rare_is_in_the_file_its_metadata_or_what_is_said(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"out{suffix}"
    found = release(as_file(people(), tmp_path / "in.csv"), out, sensitive="ill", keep=["ill"])
    said = on_a_terminal(found)
    shown = [out.read_bytes(), (tmp_path / f"out{suffix}.discretion.json").read_bytes(), said.encode()]
    if suffix == ".parquet":
        content = pq.read_table(out)
        shown.append(as_bytes(content, ".csv"))
        metadata = pq.ParquetFile(out).metadata
        assert all(not metadata.row_group(0).column(i).is_stats_set for i in range(metadata.num_columns))
        assert content.schema.metadata is None
    for value in (*RARE.values(), "P00003"):
        assert not any(value.encode() in each for each in shown)


@pytest.mark.long
def test_a_sensitive_value_that_few_have_is_left_out_or_refused(tmp_path: Path) -> None:
    table = people()
    table["ill"][5:8] = ["plague"] * 3
    given, out = as_file(table, tmp_path / "in.csv"), tmp_path / "out.csv"
    found = release(given, out, sensitive="ill", keep=["ill"])
    rows = rows_of(out)
    assert {row["ill"] for row in rows} == {"yes", "no"}
    assert {each.column: each.values for each in found.columns if each.values} == {
        name: len({row[name] for row in rows}) for name in rows[0]
    }
    sizes = Counter(tuple(value for name, value in row.items() if name != "ill") for row in rows)
    assert found.discernibility == sum(size**2 for size in sizes.values()) + found.suppressed * 600
    with pytest.raises(MissedGoalError, match="3 people have a value of ill that fewer than 10 people have"):
        release(given, out, sensitive="ill", keep=["ill"], max_suppressed=0)


RARE_IN_A_VIEW: dict[str, tuple[list[Any], str]] = {
    "alone within the ends of steps": ([*range(20, 50)] * 20 + [55] + [*range(60, 90)] * 20, "55"),
    "alone in its year": (
        [f"{year}-{month:02}-01" for year in (1980, 1990) for month in range(1, 13)] * 20 + ["1899-01-02"], "1899"
    ),
    "told as it is by a hierarchy": (["a", "b", "c", "d"] * 50 + ["wombat"], "wombat"),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("case", RARE_IN_A_VIEW)
def test_what_a_view_shows_of_few_people_does_not_go_out(tmp_path: Path, case: str) -> None:
    values, rare = RARE_IN_A_VIEW[case]
    (tmp_path / "x.csv").write_text("a;s\nb;s\nc;t\nd;t\nwombat;wombat\n")
    told = {"hierarchies": tmp_path / "x.csv"} if rare == "wombat" else {}
    out = tmp_path / "out.csv"
    for k in (10, 30, 80):
        release(pa.table({"x": values}), out, k=k, budget=0.05, **told)
        shown = Counter(row["x"] for row in rows_of(out))
        assert rare not in shown
        assert min(shown.values()) >= k


ODD: dict[str, list[Any]] = {
    "flags": [*[True] * 50, *[False] * 44, *[None] * 6],
    "not numbers": [*[1.5] * 50, *[2.5] * 45, *[float("nan")] * 2, *[float("inf")] * 3],
    "bytes": [*[b"\xff"] * 50, *[b"q"] * 45, *[b"\xfe"] * 5],
    "times": [*[datetime.time(9)] * 50, *[datetime.time(10)] * 45, *[datetime.time(11)] * 5],
    "empty text and null": [*[""] * 40, *[None] * 45, *["z"] * 15],
    "lines": [*["a\nb"] * 40, *['c,"d'] * 45, *["\r\n"] * 15],
}


@pytest.mark.one_in(17)
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
@pytest.mark.parametrize("case", ODD)
def test_values_of_any_kind_go_out(tmp_path: Path, case: str, suffix: str) -> None:
    given = pa.table({"x": ODD[case], "s": ["s", "t"] * 50})
    found = release(given, tmp_path / f"out{suffix}", sensitive="s", keep=["x"])
    values = next(column.values for column in found.columns if column.column == "x")
    assert (found.checked.people, found.suppressed) == (100, 0)
    assert (values, found.checked.smallest_class) == ((2, 50) if Counter(ODD[case])[ODD[case][0]] == 50 else (3, 15))


def test_an_empty_line_is_a_person_too(tmp_path: Path) -> None:
    given = pa.table({"x": [*["y"] * 50, *[None] * 20, *["z"] * 30], "s": ["s", "t"] * 50})
    found = release(given, tmp_path / "out.csv", sensitive="s", guess_budget=1)
    assert (found.checked.people, found.checked.smallest_class) == (100, 20)


def test_hierarchies_of_arx_are_used(tmp_path: Path) -> None:
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    (folder / "people_hierarchy_job.csv").write_text(
        "smith;hands;*\ncook;hands;*\nclerk;desk;*\nnurse;hands;*\nwombat keeper;hands;*\n"
    )
    given = as_file(people(), tmp_path / "in.csv")
    release(given, tmp_path / "out.csv", columns=["job"], hierarchies=folder, budget=0, max_suppressed=0)
    assert {row["job"] for row in rows_of(tmp_path / "out.csv")} == {"hands", "desk"}


FAULTS: dict[str, tuple[Callable[[Path], Any], type[Exception], str]] = {
    "suffix": (lambda p: release("example:adult", p / "out.txt"), InvalidValueError, ".parquet or .csv"),
    "over its input": (
        lambda p: release(as_file(people(), p / "in.csv"), p / "in.csv"), InvalidValueError, "is an input file"
    ),
    "no folder": (lambda p: release("example:adult", p / "no" / "out.csv"), InvalidValueError, "writable folder"),
    "budget": (lambda p: release("example:adult", p / "out.csv", budget=2), InvalidValueError, "budget must be a sha"),
    "k": (lambda p: release("example:adult", p / "out.csv", k=0), InvalidValueError, "at least 1"),
    "everybody left out": (
        lambda p: release("example:adult", p / "out.csv", max_suppressed=1), InvalidValueError, "below 1"
    ),
    "redacted and dropped": (
        lambda p: release("example:adult", p / "out.csv", redact=["race"], drop=["race"]), InvalidValueError,
        "cannot be redacted",
    ),
    "no such utility": (
        lambda p: release("example:adult", p / "out.csv", utility="bits"), InvalidValueError, "one of information"
    ),
    "t of nothing": (lambda p: release("example:adult", p / "out.csv", t=0.1), InvalidValueError, "t needs a sens"),
    "t above 1": (lambda p: release("example:adult", p / "out.csv", t=2), InvalidValueError, "t must be a share"),
    "an entropy of one value": (
        lambda p: release("example:adult", p / "out.csv", sensitive="income", keep=["income"], entropy_l=1),
        InvalidValueError, "above 1",
    ),
    "l of nothing": (lambda p: release("example:adult", p / "out.csv", l=2), InvalidValueError, "sensitive and keep"),
    "kept and dropped": (
        lambda p: release("example:adult", p / "out.csv", keep=["sex"], drop=["sex"]), InvalidValueError, "both kept"
    ),
    "column": (lambda p: release("example:adult", p / "out.csv", columns=["sx"]), UnknownColumnError, "sex"),
    "a goal that nothing meets": (
        lambda p: release("example:adult", p / "out.csv", k=40_000), MissedGoalError,
        "100 % of the people in classes of fewer than 40000; raise budget or max_suppressed or lower k",
    ),
    "more values than there are": (
        lambda p: release("example:adult", p / "out.csv", sensitive="sex", keep=["sex"], l=3), MissedGoalError,
        "has 100 % in classes without 3 values of sex; raise .* require less of that",
    ),
    "guesses no better at all": (
        lambda p: release(pa.table({"a": ["x", "y"] * 50, "b": ["s", "t"] * 50}), p / "o.csv", sensitive="b",
                          guess_budget=0, certain_budget=0),
        MissedGoalError, "correct guesses of b by 50 % .* b certain for 100 % .*; raise guess_budget or raise cert",
    ),
    "what few have, whatever the budget": (
        lambda p: release(pa.table({"a": [*"xyz"] * 3}), p / "o.csv", k=4, budget=1), MissedGoalError,
        "shows values of 9 people that fewer than 4 people have; raise max_suppressed or lower k",
    ),
    "nothing to tell": (
        lambda p: release(pa.table({"a": ["x"] * 50}), p / "o.csv"), MissedGoalError, "all people have the same a"
    ),
    "no time": (
        lambda p: release("example:adult", p / "out.csv", seconds=1e-9), InvalidValueError, "give it longer"
    ),
    "the persons among the columns": (
        lambda p: release(pa.table({"a": [1, 2], "b": [1, 1]}), p / "o.csv", columns=["a", "b"], person="a"),
        InvalidValueError, "the column a names the persons and does not go out",
    ),
    "several rows a person": (
        lambda p: release(dc.Population(pa.table({"a": [1, 1], "b": [1, 2]}), person="a"), p / "o.csv"),
        UnsupportedError, "one row",
    ),
    "all columns sensitive": (
        lambda p: release(pa.table({"a": ["x", "y"] * 50}), p / "o.csv", sensitive="a"),
        MissedGoalError, "no column is left to go out .'a': sensitive: goes out only if kept.",
    ),
    "lists": (
        lambda p: release(pa.table({"a": [[1], [2]] * 50}), p / "o.csv", keep=["a"]), UnsupportedError, "or drop"
    ),
    "over a hierarchy": (
        lambda p: release("example:adult", p / "sex.csv", hierarchies=hierarchy(p, "Male;x\nFemale;y\n")),
        InvalidValueError, "is an input file",
    ),
    "no hierarchy": (
        lambda p: release("example:adult", p / "out.csv", hierarchies=hierarchy(p, "a;x;y\nb;x;z\n")),
        InvalidValueError, "has no line for 2 of its values",
    ),
    "no function": (
        lambda p: release("example:adult", p / "o.csv", hierarchies=hierarchy(p, "Male;x;y\nFemale;x;z\n")),
        InvalidValueError, "are in different groups on level 2",
    ),
    "a ragged hierarchy": (
        lambda p: release("example:adult", p / "o.csv", hierarchies=hierarchy(p, "Male;x;y\nFemale;x\n")),
        InvalidTableError, "each line needs",
    ),
    "a hierarchy with an open quote": (
        lambda p: release("example:adult", p / "o.csv", hierarchies=hierarchy(p, 'Male;"x\nFemale;y\n')),
        InvalidTableError, "see to its quotes",
    ),
    "its record over its input": (
        lambda p: release(as_file(people(), p / "in.csv").rename(p / "out.csv.discretion.json"), p / "out.csv"),
        InvalidValueError, "is an input file",
    ),
    "two hierarchies of a column": (
        lambda p: [hierarchy(p / "h", "Male;x\nFemale;x\n", name) for name in ("sex.csv", "adult_sex.csv")]
        and release("example:adult", p / "o.csv", hierarchies=p / "h"),
        InvalidValueError, "both for 'sex'",
    ),
    "a value told twice": (
        lambda p: release("example:adult", p / "o.csv", hierarchies=hierarchy(p, "Male;x\nMale;y\n")),
        InvalidTableError, "has two lines for one value; keep one of them",
    ),
}  # fmt: skip


def hierarchy(folder: Path, text: str, name: str = "sex.csv") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.one_in(31)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path: Path, fault: str) -> None:
    make, kind, said = FAULTS[fault]
    with pytest.raises(kind, match=said):
        make(tmp_path)
    assert not [
        path for path in tmp_path.iterdir() if path.name not in ("in.csv", "sex.csv", "h", "out.csv.discretion.json")
    ]


def test_a_file_that_misses_its_goal_when_read_back_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, out = as_file(people(), tmp_path / "in.csv"), tmp_path / "out.csv"
    out.write_text("old")
    monkeypatch.setattr(job, "as_bytes", lambda table, suffix: as_bytes(table.slice(0, 50), suffix))
    with pytest.raises(MissedGoalError, match="so it was removed"):
        release(given, out)
    assert out.read_text() == "old"
    assert not (tmp_path / "out.csv.discretion.json").exists()


@pytest.mark.long
def test_killed_at_any_time_it_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    given, out = as_file(people(), tmp_path / "in.csv"), tmp_path / "out.csv"
    command = [
        sys.executable, "-c",
        "import sys, time\nfrom discretion.jobs.release import release\nprint('ready', flush=True)\n"
        "while True: release(sys.argv[1], sys.argv[2], ['job', 'town'])",
        str(given), str(out),
    ]  # fmt: skip
    draw = Random(1)
    for _ in range(50):
        out.write_text("old")
        (tmp_path / "out.csv.discretion.json").unlink(missing_ok=True)
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(draw.uniform(0, 0.8))
            process.send_signal(signal.SIGKILL)
        content = out.read_text()
        assert content == "old" or exposed(rows_of(out), ["job", "town"], 10) <= 0.01 * (len(rows_of(out)))
        assert content == "old" or len(rows_of(out)) >= 588
        if content != "old":  # its description is there too
            digest = hashlib.sha256(out.read_bytes()).hexdigest()
            assert json.loads((tmp_path / "out.csv.discretion.json").read_text())["sha256"] == digest
        for part in tmp_path.glob(".*.part"):  # killed after the whole file had a name, before it was in its place
            if ".json." in part.name:
                assert json.loads(part.read_text())["sha256"]
            else:
                assert len(rows_of(part)) >= 588
            part.unlink()
