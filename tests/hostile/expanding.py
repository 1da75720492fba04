"""Small files of what is large in memory: an answer or a sentence, within the memory that was allowed."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from hostile.warm import Forked

MB = 10**6
Columns = dict[str, Any]
# What Python and the libraries hold without any table, and what a command may hold beside it.
BASE, OVERHEAD = 350, 600


def case(draw: Random, folder: Path) -> None:
    allowed = draw.choice((50, 100, 200, 400))
    table = str(folder / "table.parquet")
    parquet.write_table(
        pa.table(draw.choice((runs, long_texts, one_cell, wide, deep))(draw)), table, compression="zstd"
    )
    asked = draw.choice((["audit", table, "--json"], ["exposure", table, "--k", "5", "--json"]))
    command = Forked((*asked, "--memory", f"{allowed}MB", "--time", "8"), folder / "said", out=str(folder / "answer"))
    try:
        code, said = command.ended()
        answer, found = (folder / "answer").read_text(), (asked, allowed, command.held // MB, said[-2000:])
    finally:
        command.done()
    assert code in (0, 2), (code, *found)
    assert command.held < (BASE + allowed + OVERHEAD) * MB, found
    if code:
        assert not answer, found
        assert said.count("\n") == 1, found
        assert said.startswith("discretion: "), found
    else:
        assert not said, found
        assert json.loads(answer)["results"], found


def runs(draw: Random) -> Columns:
    rows = draw.choice((10**5, 3 * 10**6))
    values = [draw.randrange(3)] * rows
    return {"a": pa.array(values, pa.int64()), "b": pa.array(["x" * 50] * rows)}


def long_texts(draw: Random) -> Columns:
    length, rows = draw.choice(((100, 200_000), (2_000, 50_000), (100_000, 1_000)))
    return {"a": [f"{'x' * length}{number}" for number in range(rows)]}


def one_cell(draw: Random) -> Columns:
    return {"a": ["y" * draw.randint(1, 60 * MB), "z"], "b": [1, 2]}


def wide(draw: Random) -> Columns:
    columns = draw.choice((40, 1_001, 5_000))
    return {f"c{number}": [1, 1, 2] for number in range(columns)}


def deep(draw: Random) -> Columns:
    depth = draw.choice((3, 20, 90))
    value: Any = draw.randrange(5)
    for _ in range(depth):
        value = [value, value] if depth == 3 else [value]
    return {"a": [value, value, None]}
