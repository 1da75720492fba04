"""Small files of what is large in memory: an answer or a sentence, within the memory that was allowed."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import parquet

MB = 10**6
# What Python and the libraries hold without any table, and what a command may hold beside it.
BASE, OVERHEAD = 350, 600
# Not by getrusage, which counts what the parent held when it started the process.
COMMAND = (
    "import re, sys; from pathlib import Path; from tacit.cli import main; code = main(sys.argv[1:])\n"
    "peak = re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1]\n"
    "print(int(peak) // 1000, file=sys.stderr); sys.exit(code)"
)


def case(draw: Random, folder: Path) -> None:
    allowed = draw.choice((50, 100, 200, 400))
    path = draw.choice((runs, long_texts, one_cell, wide, deep))(draw, folder)
    command = draw.choice((["audit", path, "--json"], ["exposure", path, "--k", "5", "--json"]))
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *command, "--memory", f"{allowed}MB", "--time", "8"],
        capture_output=True, check=False, cwd=folder, text=True, timeout=200,
    )  # fmt: skip
    *sentences, held = done.stderr.splitlines()
    said = (command, allowed, held, done.stderr[-2000:])
    assert done.returncode in (0, 2), (done.returncode, *said)
    assert int(held) < BASE + allowed + OVERHEAD, said
    if done.returncode:
        assert not done.stdout, said
        assert len(sentences) == 1, said
        assert sentences[0].startswith("tacit: "), said
    else:
        assert not sentences, said
        assert json.loads(done.stdout)["results"], said


def runs(draw: Random, folder: Path) -> str:
    rows = draw.choice((10**5, 3 * 10**6))
    values = [draw.randrange(3)] * rows
    return _written({"a": pa.array(values, pa.int64()), "b": pa.array(["x" * 50] * rows)}, folder)


def long_texts(draw: Random, folder: Path) -> str:
    length, rows = draw.choice(((100, 200_000), (2_000, 50_000), (100_000, 1_000)))
    return _written({"a": [f"{'x' * length}{number}" for number in range(rows)]}, folder)


def one_cell(draw: Random, folder: Path) -> str:
    return _written({"a": ["y" * draw.randint(1, 60 * MB), "z"], "b": [1, 2]}, folder)


def wide(draw: Random, folder: Path) -> str:
    columns = draw.choice((40, 1_001, 5_000))
    return _written({f"c{number}": [1, 1, 2] for number in range(columns)}, folder)


def deep(draw: Random, folder: Path) -> str:
    depth = draw.choice((3, 20, 90))
    value: Any = draw.randrange(5)
    for _ in range(depth):
        value = [value, value] if depth == 3 else [value]
    return _written({"a": [value, value, None]}, folder)


def _written(columns: dict[str, Any], folder: Path) -> str:
    parquet.write_table(pa.table(columns), folder / "table.parquet", compression="zstd")
    return "table.parquet"
