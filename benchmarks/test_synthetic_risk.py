"""Attacks by a synthetic table beside anonymeter's: the same attacks, on the same people.

``uv pip install --no-deps anonymeter joblib scikit-learn threadpoolctl``.
"""

from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.tables.locations import path_of

evaluators: Any = pytest.importorskip("anonymeter.evaluators")

NUMBERS = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")
FIRST = ["age", "education", "marital_status", "race", "hours_per_week", "capital_gain", "workclass"]
PEOPLE, ATTACKS = 8000, 1000


@pytest.fixture(scope="module")
def adult() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return an original, a synthetic table of which a quarter is copied, and a control."""
    table = pq.read_table(path_of("example:adult")).to_pandas().astype(object)
    table = table.where(table.notna(), "?")
    for name in NUMBERS:
        table[name] = table[name].astype(float)
    table = table.sample(3 * PEOPLE, random_state=0).reset_index(drop=True)
    original, others, control = (table.iloc[i * PEOPLE : (i + 1) * PEOPLE] for i in range(3))
    synthetic = pd.concat([original.iloc[: PEOPLE // 4], others.iloc[PEOPLE // 4 :]])
    return original.reset_index(drop=True), synthetic.reset_index(drop=True), control.reset_index(drop=True)


def by_anonymeter(tables: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]) -> dict[str, float]:
    original, synthetic, control = tables
    known = [name for name in original if name != "income"]
    rest = [name for name in original if name not in FIRST]
    asked = {"ori": original, "syn": synthetic, "control": control, "n_attacks": ATTACKS}
    found = {
        "linkability": evaluators.LinkabilityEvaluator(**asked, aux_cols=(FIRST, rest), n_neighbors=1),
        "inference:income": evaluators.InferenceEvaluator(**asked, aux_cols=known, secret="income"),
    }
    return {name: each.evaluate().risk().value for name, each in found.items()} | {
        "singling_out_multivariate": evaluators.SinglingOutEvaluator(**asked | {"n_attacks": 100}, n_cols=3)
        .evaluate("multivariate")
        .risk()
        .value
    }


def by_discretion(tables: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame], attacks: int | None) -> dict[str, float]:
    original, synthetic, control = tables
    rest = [name for name in original if name not in FIRST]
    found = dc.synthetic_risk(
        original, synthetic, control, sensitive="income", linked=(FIRST, rest), attacks=attacks, seed=1
    )
    return {each.attack: each.risk.value for each in found.attacks}


@pytest.mark.parametrize("attacks", [ATTACKS, None])
def test_attacks_by_discretion(benchmark: Any, adult: tuple[pd.DataFrame, ...], attacks: int | None) -> None:
    by_discretion(adult, attacks)
    found = benchmark.pedantic(by_discretion, (adult, attacks), rounds=3)
    benchmark.extra_info |= found
    assert abs(found["linkability"] - 0.25) < 0.05


def test_attacks_by_anonymeter(benchmark: Any, adult: tuple[pd.DataFrame, ...]) -> None:
    evaluators.LinkabilityEvaluator(
        ori=adult[0].head(50), syn=adult[1].head(50), n_attacks=5, aux_cols=(["age"], ["race"])
    ).evaluate()  # which compiles
    found = benchmark.pedantic(by_anonymeter, (adult,), rounds=1)
    benchmark.extra_info |= found
    assert abs(found["linkability"] - by_discretion(adult, None)["linkability"]) < 0.05
