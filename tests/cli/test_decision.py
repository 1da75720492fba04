"""The first screen is the decision: whole at any width, short at any width of the table, and its command runs."""

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import discretion as dc
import discretion.jobs.audit
from discretion.jobs.audit import Audit, run_audit
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.jobs.options.tables import AuditOptions
from support.cli_runner import run

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 42 columns: traits of many kinds, recodes of others, constants."""
    draw, rows = Random(7), 6000
    columns: dict[str, list[object]] = {}
    for j in range(26):
        values = [f"answer {i}" for i in range(2 + j % 9)]
        columns[f"trait number {j:02}"] = draw.choices(values, [30] + [1] * (1 + j % 9), k=rows)
    for j in range(8):
        columns[f"recode of {j:02}"] = [10 * int(str(v).split()[1]) for v in columns[f"trait number {j:02}"]]
    columns |= {f"constant {j}": ["94"] * rows for j in range(6)}
    columns |= {"years": [draw.randrange(90) for _ in range(rows)], "number": list(range(rows))}
    path = tmp_path_factory.mktemp("wide") / "wide.parquet"
    parquet.write_table(pa.table(columns), path)
    return path


@pytest.fixture
def audits_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command show an audit of the same table and options again, which takes a quarter of a minute."""
    monkeypatch.setattr(discretion.jobs.audit, "run_audit", audited)


_AUDITED: dict[str, Audit] = {}


def audited(table: Any, options: AuditOptions, **more: Any) -> Audit:
    asked = f"{table} {options}"
    if asked not in _AUDITED:
        _AUDITED[asked] = run_audit(table, options, **more)
    return _AUDITED[asked]


def screen(monkeypatch: pytest.MonkeyPatch, width: int, *command: object) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, err = run("audit", *command)
    assert (code, err) == (0, "")
    return out.splitlines()


@pytest.mark.usefixtures("audits_once")
def test_no_name_and_no_digit_is_lost_at_any_width(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("example:adult", "--sensitive", "income,occupation", "--full")
    shown = {width: screen(monkeypatch, width, *command) for width in (60, 80, 120)}
    tokens = {width: set(re.findall(r"\d[\d,.]*\d|\d", " ".join(lines))) for width, lines in shown.items()}
    names = dc.Population("example:adult").columns
    for width, lines in shown.items():
        assert max(map(len, lines)) <= width
        table = "\n".join(
            lines[: next(i for i, line in enumerate(lines) if "1. What each column gives away alone" in line)]
        )
        for name in names:
            assert re.search(rf"^ {name} +(publish|generalize|suppress|drop)\b", table, re.MULTILINE), (width, name)
        # Long reasons fold between words, numbers never.
        assert tokens[width] == tokens[120]


@pytest.mark.usefixtures("audits_once")
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_first_screen_is_short_however_wide_the_table(
    monkeypatch: pytest.MonkeyPatch, wide: Path, width: int
) -> None:
    for command in (("example:adult", "--sensitive", "income"), (wide,)):
        lines = screen(monkeypatch, width, *command)
        assert max(map(len, lines)) <= width
        assert len(lines) <= {60: 60, 80: 52, 120: 46}[width]
        decided = [line for line in lines if re.search(r" (publish|generalize|suppress|drop) ", line)]
        assert len(decided) >= 12
        assert "more to drop: --full" in " ".join(lines)


@pytest.mark.usefixtures("audits_once")
def test_the_first_screen_shows_some_columns_of_each_verdict(monkeypatch: pytest.MonkeyPatch, wide: Path) -> None:
    rows = (
        re.match(r" [\w ]+? {2,}(publish|generalize|suppress|drop) ", line) for line in screen(monkeypatch, 80, wide)
    )
    shown = Counter(row[1] for row in rows if row is not None)
    decided = Counter(each.verdict for each in audited(wide, AuditOptions(), time=TimeLimit(None)).decision.columns)
    assert set(shown) == set(decided) >= {"publish", "drop"}
    assert shown.total() == 12
    assert min(shown.values()) >= min(3, *decided.values())


@pytest.mark.usefixtures("audits_once")
def test_the_next_command_runs_as_it_stands(monkeypatch: pytest.MonkeyPatch, wide: Path, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    lines = screen(monkeypatch, 500, wide)
    (command,) = (line.strip() for line in lines if line.startswith("  discretion release "))
    found = audited(wide, AuditOptions(), time=TimeLimit(None))
    _, *arguments = shlex.split(command)
    code, out, _ = run(*arguments)
    assert code == 0
    written = dc.Population("published.parquet")
    assert set(written.columns) == set(found.decision.recommended)
    assert dc.exposure(written, k=10) <= 0.01
    assert "read the file back and audited it" in " ".join(out.split())


def test_where_no_release_goes_the_next_command_is_to_audit_the_columns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{number // 2},{number % 2},{number // 2},{number}" for number in range(400)]
    Path("visits.csv").write_text("\n".join(["who,a,b,c", *rows]) + "\n")
    lines = screen(monkeypatch, 500, Path("visits.csv"), "--person", "who", "--k", "2", "--budget", "0.5")
    (command,) = (line.strip() for line in lines if line.startswith("  discretion audit "))
    _, *arguments = shlex.split(command)
    assert run(*arguments)[0] == 0
    assert Path("columns.html").exists()


@pytest.fixture
def heeded() -> Iterator[None]:
    """Let Ctrl-C be heeded, which a shell's background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_ends_the_search_and_keeps_what_it_found(wide: Path) -> None:
    seen, told = pty.openpty()
    command = [sys.executable, "-m", "discretion", "audit", str(wide), "--k", "30", "--budget", "0.2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, text=True) as process:
        os.close(told)
        progress = b""
        while not re.search(rb"together: \d+ so far", progress):
            progress += os.read(seen, 1024)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        out = " ".join(process.stdout.read().split())
    os.close(seen)
    assert process.returncode == 0
    assert "the search was interrupted" in out
    assert re.search(r"has more than \d+ columns of which none follows from another; this one has \d+: the search", out)
