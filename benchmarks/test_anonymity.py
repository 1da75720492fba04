"""Who stands out in a table: all sets of columns at once, and the measures that pycanon and privattacks have too."""

from collections.abc import Callable
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discretion as dc
from discretion.anonymity import Population

SIZES = {"sex": 2, "race": 5, "relationship": 6, "education": 16, "age": 73, "hours": 94}
SETS = [chosen for size in range(1, 7) for chosen in combinations(SIZES, size)]


def people(n: int) -> pa.Table:
    rng = np.random.default_rng(0)
    return pa.table(
        {
            name: pa.array([f"{name}{value}" for value in range(k)]).take(
                pa.array(rng.choice(k, n, p=rng.dirichlet(np.ones(k))))
            )
            for name, k in SIZES.items()
        }
    )


@pytest.fixture(scope="module")
def ten_million() -> pa.Table:
    return people(10_000_000)


@pytest.fixture(scope="module")
def a_million() -> Any:
    return people(1_000_000).to_pandas()


def at_once(population: Population) -> list[int]:
    return [sizes.unique for sizes in population.class_sizes_of_all(SETS)]


def set_by_set(population: Population) -> list[int]:
    return [population.class_sizes(columns).unique for columns in SETS]


@pytest.mark.benchmark(group="63 sets of columns of ten million people")
@pytest.mark.parametrize("how", [at_once, set_by_set])
def test_all_sets_of_columns(benchmark: Any, ten_million: pa.Table, how: Any) -> None:
    def fresh() -> tuple[tuple[Population], dict[str, Any]]:
        return (Population(ten_million),), {}

    assert len(benchmark.pedantic(how, setup=fresh, rounds=2)) == 63


@pytest.mark.benchmark(group="a million people, from the pandas frame to the engine")
def test_loading(benchmark: Any, a_million: Any) -> None:
    assert benchmark.pedantic(Population, args=(a_million,), rounds=2).people == 1_000_000


def ours(frame: Any) -> Callable[[], int]:
    population = Population(frame)
    return lambda: population.class_sizes().smallest


def ours_with_loading(frame: Any) -> Callable[[], int]:
    return lambda: Population(frame).class_sizes().smallest


def pycanon(frame: Any) -> Callable[[], int]:
    anonymity = pytest.importorskip("pycanon.anonymity")
    return lambda: anonymity.k_anonymity(frame, list(SIZES))


@pytest.mark.benchmark(group="k-anonymity of a million people")
@pytest.mark.parametrize("how", [ours, ours_with_loading, pycanon])
def test_k_anonymity(benchmark: Any, a_million: Any, how: Any) -> None:
    assert benchmark.pedantic(lambda ask: ask(), setup=lambda: ((how(a_million),), {}), rounds=2) == 1


def our_reidentification(frame: Any) -> Callable[[], float]:
    population = Population(frame)
    return lambda: dc.anonymity.reidentification(population, list(SIZES)).posterior


def privattacks(frame: Any) -> Callable[[], float]:
    pytest.importorskip("privattacks")
    data = import_module("privattacks.data").Data(dataframe=frame)
    attack = import_module("privattacks.attacks").Attack(data)
    return lambda: attack.posterior_vulnerability("reid", list(SIZES))


@pytest.mark.benchmark(group="re-identification of a million people, loaded before")
@pytest.mark.parametrize("how", [our_reidentification, privattacks])
def test_reidentification(benchmark: Any, a_million: Any, how: Any) -> None:
    expected = a_million.drop_duplicates().shape[0] / len(a_million)
    found = benchmark.pedantic(lambda ask: ask(), setup=lambda: ((how(a_million),), {}), rounds=2)
    assert found == pytest.approx(expected, abs=1e-12)
