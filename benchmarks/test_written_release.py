"""A release of Adult's nine usual quasi-identifiers beside anjana's: the same hierarchies, goal and suppression.

anjana names exact versions of NumPy and pandas: ``uv pip install --no-deps anjana pycanon beartype``.
"""

import csv
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import tacit as tc
from tacit.tables.example import path_of

anonymity: Any = pytest.importorskip("anjana.anonymity")

COLUMNS = (
    "sex", "age", "race", "marital_status", "education", "native_country", "workclass", "occupation", "income",
)  # fmt: skip
SUPPRESSED = 0.02
SCHOOLS = {
    "Primary school": ("Preschool", "1st-4th", "5th-6th", "7th-8th"),
    "High school": ("9th", "10th", "11th", "12th", "HS-grad"),
    "Professional": ("Assoc-acdm", "Assoc-voc", "Prof-school", "Some-college"),
    "Undergraduate": ("Bachelors",),
    "Graduate": ("Masters", "Doctorate"),
}
STAGES = {"Primary school": "Basic", "High school": "Basic", "Professional": "Higher"}
GOVERNMENT = ("Federal-gov", "Local-gov", "State-gov")
UNPAID = ("Without-pay", "Never-worked")
TECHNICAL = (
    "Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct", "Farming-fishing", "Transport-moving",
)  # fmt: skip
NONTECHNICAL = ("Sales", "Exec-managerial", "Handlers-cleaners", "Adm-clerical", "Protective-serv")
PARTS = {
    "North America": (
        "United-States", "Canada", "Mexico", "Puerto-Rico", "Cuba", "Jamaica", "Haiti", "Dominican-Republic",
        "Guatemala", "Honduras", "El-Salvador", "Nicaragua", "Trinadad&Tobago", "Outlying-US(Guam-USVI-etc)",
    ),
    "South America": ("Columbia", "Ecuador", "Peru"),
    "Asia": (
        "Cambodia", "India", "Japan", "China", "Iran", "Philippines", "Vietnam", "Laos", "Taiwan", "Thailand", "Hong",
    ),
}  # fmt: skip


def coarser(column: str, value: str) -> list[str]:  # noqa: PLR0911 - a hierarchy a column
    """Return what a value becomes, level by level, the last being everything."""
    match column:
        case "age":
            age = int(value)
            return [*(f"[{age // s * s}, {age // s * s + s})" for s in (5, 10, 20)), "*"]
        case "marital_status":
            return ["spouse present" if value in ("Married-civ-spouse", "Married-AF-spouse") else "no spouse", "*"]
        case "education":
            school = next(name for name, held in SCHOOLS.items() if value in held)
            return [school, STAGES.get(school, "Academic"), "*"]
        case "native_country":
            return [next((name for name, held in PARTS.items() if value in held), "elsewhere"), "*"]
        case "workclass":
            return ["government" if value in GOVERNMENT else "unpaid" if value in UNPAID else "private", "*"]
        case "occupation":
            return ["technical" if value in TECHNICAL else "office" if value in NONTECHNICAL else "other", "*"]
    return ["*"]


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


def by_tacit(adult: pd.DataFrame, k: int, l: int, folder: Path) -> pd.DataFrame:  # noqa: E741 - as it is called
    hierarchies = folder / "hierarchies"
    hierarchies.mkdir(exist_ok=True)
    for column in COLUMNS:
        with (hierarchies / f"{column}.csv").open("w", newline="") as file:
            writer = csv.writer(file, delimiter=";")
            writer.writerows([value, *coarser(column, value)] for value in sorted(adult[column].unique()))
    guarded = {"sensitive": "income", "keep": ["income"], "l": l, "guess_budget": 1} if l > 1 else {}
    tc.release(
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


@pytest.mark.parametrize(("k", "l"), [(5, 1), (10, 1), (5, 2)])
@pytest.mark.parametrize("way", ["tacit", "anjana"])
def test_release(benchmark, adult: pd.DataFrame, tmp_path: Path, way: str, k: int, l: int) -> None:  # noqa: E741, PLR0917
    benchmark.group = f"a release of Adult, k={k}, l={l}"
    ways = {"tacit": lambda: by_tacit(adult, k, l, tmp_path), "anjana": lambda: by_anjana(adult, k, l)}
    released = benchmark.pedantic(ways[way], rounds=1)
    known = [column for column in COLUMNS if l == 1 or column != "income"]
    assert smallest(released, known) >= k
    benchmark.extra_info |= {"entropy kept": round(bits_kept(adult, released), 4), "people": len(released)}
