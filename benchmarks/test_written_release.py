"""A release of Adult's nine usual quasi-identifiers beside anjana's: the same hierarchies, goal and suppression.

anjana names exact versions of NumPy and pandas: ``uv pip install --no-deps anjana pycanon beartype``.
"""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.tables.locations import path_of
from support.adult_hierarchies import COLUMNS, coarser, write_hierarchies

anonymity: Any = pytest.importorskip("anjana.anonymity")

SUPPRESSED = 0.02


@pytest.fixture(scope="module")
def adult() -> pd.DataFrame:
    """Return the people with a value in each of the columns, as ARX and anjana have them."""
    table = pq.read_table(path_of("example:adult"), columns=list(COLUMNS)).to_pandas().astype("string")
    return table[~table.isna().any(axis=1) & ~(table == "?").any(axis=1)].reset_index(drop=True).astype(object)


def bits_kept(table: pd.DataFrame, released: pd.DataFrame) -> float:
    """Return the share of the non-uniform entropy that a release keeps: by its cells, whoever made it."""
    n, whole, kept = len(table), 0.0, 0.0
    for column in COLUMNS:
        values = Counter(table[column])
        labels: Counter[str] = Counter()
        for value, count in values.items():
            labels.update(dict.fromkeys({value, *coarser(column, value)}, count))
        whole += sum(count * math.log2(n / count) for count in values.values())
        if column in released:
            kept += sum(count * math.log2(n / labels[label]) for label, count in Counter(released[column]).items())
    return kept / whole


def smallest(released: pd.DataFrame, columns: list[str]) -> int:
    return int(released.groupby([name for name in columns if name in released]).size().min())


def by_discretion(adult: pd.DataFrame, k: int, l: int, folder: Path) -> pd.DataFrame:  # noqa: E741 - as it is called
    held = {column: set(adult[column]) for column in COLUMNS}
    hierarchies = write_hierarchies(folder / "hierarchies", held)
    guarded = {"sensitive": "income", "keep": ["income"], "l": l, "guess_budget": 1} if l > 1 else {}
    dc.release(
        adult, folder / "out.csv", k=k, budget=0, max_suppressed=SUPPRESSED, hierarchies=hierarchies, **guarded
    )  # fmt: skip
    return pd.read_csv(folder / "out.csv", dtype=str)


def by_anjana(adult: pd.DataFrame, k: int, l: int) -> pd.DataFrame:  # noqa: E741
    with pd.option_context("future.infer_string", False):  # which it does not know yet
        return _by_anjana(adult, k, l)


def _by_anjana(adult: pd.DataFrame, k: int, l: int) -> pd.DataFrame:  # noqa: E741
    hierarchies: dict[str, dict[int, Any]] = {}
    for column in COLUMNS:
        levels = [coarser(column, value) for value in adult[column]]
        hierarchies[column] = {0: adult[column].to_numpy()} | {
            j + 1: pd.Series([level[j] for level in levels]).to_numpy() for j in range(len(levels[0]))
        }
    if l == 1:
        return anonymity.k_anonymity(adult, [], list(COLUMNS), k, SUPPRESSED * 100, hierarchies)
    known = [column for column in COLUMNS if column != "income"]
    del hierarchies["income"]
    return anonymity.l_diversity(adult, [], known, "income", k, l, SUPPRESSED * 100, hierarchies)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # without which anjana does not run
@pytest.mark.parametrize(("k", "l"), [(5, 1), (10, 1), (5, 2)])
@pytest.mark.parametrize("way", ["discretion", "anjana"])
def test_release(benchmark, adult: pd.DataFrame, tmp_path: Path, way: str, k: int, l: int) -> None:  # noqa: E741, PLR0917
    benchmark.group = f"a release of Adult, k={k}, l={l}"
    ways = {"discretion": lambda: by_discretion(adult, k, l, tmp_path), "anjana": lambda: by_anjana(adult, k, l)}
    released = benchmark.pedantic(ways[way], rounds=1)
    known = [column for column in COLUMNS if l == 1 or column != "income"]
    assert smallest(released, known) >= k
    benchmark.extra_info |= {"entropy kept": round(bits_kept(adult, released), 4), "people": len(released)}
