"""Cells that are left blank of two tables of people beside ARX's and sdcMicro's: how many, and what the others tell.

Both are optional: ``ARX_CLASSPATH`` has ARX 3.9 or later and the libraries it needs (``java`` compiles as it runs),
and ``SDCMICRO`` is the folder of sdcMicro's source (``Rscript`` with the packages Rcpp and data.table).
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from discretion.anonymity.releasing.generalizations import identity_generalization
from discretion.anonymity.releasing.suppression import suppress_cells
from discretion.numerics.equivalence_classes import Column, refined
from discretion.tables.locations import path_of

DRIVERS = Path(__file__).parent / "local_suppression"
BLANK = "*"


def adult() -> pd.DataFrame:
    table = pq.read_table(path_of("example:adult")).to_pandas()
    table["age"] = table["age"].astype(int) // 10 * 10
    return table[["sex", "age", "race", "workclass", "marital_status", "education"]].astype(str)


def marriages() -> pd.DataFrame:
    """Return 6,366 women whom a magazine asked in 1974, as Fair published them."""
    datasets = pytest.importorskip("statsmodels.datasets", reason="statsmodels, which has the table, is not installed")
    columns = ["age", "yrs_married", "children", "religious", "educ", "occupation", "occupation_husb"]
    return datasets.fair.load_pandas().data[columns].astype(str)


def by_discretion(table: pd.DataFrame, k: int, _: Path) -> pd.DataFrame:
    views: list[Any] = []
    for name in table:
        codes, values = pd.factorize(table[name], sort=True)
        views.append(identity_generalization(Column(codes.astype(np.int32), len(values)), list(values)))
    classes = reduce(refined, [view.column for view in views])
    cut = suppress_cells((np.bincount(classes.codes) < k)[classes.codes], views, k)
    shown = table.copy()
    for name, blank in zip(table, cut.blank, strict=True):
        shown.loc[blank | cut.out, name] = BLANK
    return shown


def by_arx(table: pd.DataFrame, k: int, folder: Path) -> pd.DataFrame:
    if not (libraries := os.environ.get("ARX_CLASSPATH")) or not shutil.which("java"):
        pytest.skip("ARX is not there: set ARX_CLASSPATH")
    table.to_csv(folder / "in.csv", index=False)
    driver = [DRIVERS / "LocalSuppression.java", folder / "in.csv", str(k), folder / "out.csv"]
    subprocess.run(["java", "-cp", libraries, *driver], check=True)
    return pd.read_csv(folder / "out.csv", dtype=str, keep_default_na=False)


def by_sdcmicro(alpha: int) -> Callable[[pd.DataFrame, int, Path], pd.DataFrame]:
    def suppressed(table: pd.DataFrame, k: int, folder: Path) -> pd.DataFrame:
        if not (source := os.environ.get("SDCMICRO")) or not shutil.which("Rscript"):
            pytest.skip("sdcMicro is not there: set SDCMICRO")
        table.to_csv(folder / "in.csv", index=False)
        driver = [DRIVERS / "local_suppression.R", source, folder / "in.csv", str(k), str(alpha), folder / "out.csv"]
        subprocess.run(["Rscript", *driver], check=True)
        return pd.read_csv(folder / "out.csv", dtype=str, keep_default_na=False).replace("", BLANK)

    return suppressed


WAYS = {
    "discretion": by_discretion,
    "ARX": by_arx,
    "sdcMicro, alpha=0": by_sdcmicro(0),
    "sdcMicro, alpha=1": by_sdcmicro(1),
}


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("people", [adult, marriages])
@pytest.mark.parametrize("way", WAYS)
def test_local_suppression(
    benchmark: Any, way: str, people: Callable[[], pd.DataFrame], k: int, tmp_path: Path
) -> None:
    table = people()
    benchmark.group = f"cells left blank of {people.__name__}, k={k}"
    shown = benchmark.pedantic(WAYS[way], (table, k, tmp_path), rounds=1)
    assert ((shown == table) | (shown == BLANK)).all(axis=None)
    bits = table.apply(lambda column: np.log2(len(table) / column.map(column.value_counts())))
    alike = shown.groupby(list(shown)).size()
    benchmark.extra_info |= {
        "blank cells": int((shown == BLANK).sum().sum()),
        "information kept": round(float(bits.where(shown != BLANK, 0).sum().sum() / bits.sum().sum()), 4),
        "people with fewer than k alike": int(alike[alike < k].sum()),
    }
