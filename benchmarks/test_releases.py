"""Attacks on a table and what its release promises, beside pycanon and privattacks: a million people, six columns."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discretion.anonymity import Population
from discretion.anonymity.attacks.k_l_t import l_diversity, t_closeness
from discretion.anonymity.attacks.reidentification_inference import attacks_on_all, inference

SIZES = {"sex": 2, "race": 5, "relationship": 6, "education": 16, "age": 73, "hours": 94}
COARSE = ["sex", "race", "relationship", "education"]
FINE = ["sex", "relationship", "education", "age", "hours"]


@pytest.fixture(scope="module")
def frame() -> Any:
    n, rng = 1_000_000, np.random.default_rng(0)
    columns = {
        name: pa.array([f"{name}{value}" for value in range(k)]).take(
            pa.array(rng.choice(k, n, p=rng.dirichlet(np.ones(k))))
        )
        for name, k in SIZES.items()
    }
    return pa.table(columns).to_pandas()


def privattacks(frame: Any) -> Any:
    pytest.importorskip("privattacks", reason="privattacks is not installed: it needs an environment of its own")
    data = import_module("privattacks.data").Data(dataframe=frame.copy())  # it fills in nulls where it finds them
    return import_module("privattacks.attacks").Attack(data)


def pycanon() -> Any:
    reason = "pycanon is not installed: it needs an environment of its own"
    return pytest.importorskip("pycanon.anonymity", reason=reason)


def our_diversity(frame: Any) -> Callable[[], int]:
    population = Population(frame)
    return lambda: l_diversity(population, COARSE, "age")


def our_diversity_with_loading(frame: Any) -> Callable[[], int]:
    return lambda: l_diversity(Population(frame), COARSE, "age")


def pycanons_diversity(frame: Any) -> Callable[[], int]:
    anonymity = pycanon()
    return lambda: anonymity.l_diversity(frame, COARSE, ["age"])


@pytest.mark.benchmark(group="l-diversity of a million people in 960 classes")
@pytest.mark.parametrize("how", [our_diversity, our_diversity_with_loading, pycanons_diversity])
def test_l_diversity(benchmark: Any, frame: Any, how: Any) -> None:
    assert benchmark.pedantic(lambda ask: ask(), setup=lambda: ((how(frame),), {}), rounds=2) == 1


def our_closeness(frame: Any) -> Callable[[], float]:
    population = Population(frame)
    return lambda: t_closeness(population, COARSE, "age")


def pycanons_closeness(frame: Any) -> Callable[[], float]:
    anonymity = pycanon()
    return lambda: anonymity.t_closeness(frame, COARSE, ["age"])


@pytest.mark.benchmark(group="t-closeness of a million people in 960 classes")
@pytest.mark.parametrize("how", [our_closeness, pycanons_closeness])
def test_t_closeness(benchmark: Any, frame: Any, how: Any) -> None:
    found = benchmark.pedantic(lambda ask: ask(), setup=lambda: ((how(frame),), {}), rounds=1)
    assert found == pytest.approx(0.992731, abs=1e-9)


def our_inference(frame: Any) -> Callable[[], float]:
    population = Population(frame)
    return lambda: inference(population, FINE, "race").posterior


def privattacks_inference(frame: Any) -> Callable[[], float]:
    attack = privattacks(frame)
    return lambda: attack.posterior_vulnerability("ai", FINE, "race")["race"]


@pytest.mark.benchmark(group="inference of one column of a million people from five, loaded before")
@pytest.mark.parametrize("how", [our_inference, privattacks_inference])
def test_inference(benchmark: Any, frame: Any, how: Any) -> None:
    found = benchmark.pedantic(lambda ask: ask(), setup=lambda: ((how(frame),), {}), rounds=1)
    assert found == pytest.approx(0.652536, abs=1e-9)


def our_attacks(frame: Any) -> Callable[[], int]:
    population = Population(frame)
    return lambda: len(attacks_on_all(population))


def privattacks_attacks(frame: Any) -> Callable[[], int]:
    attack = privattacks(frame)
    return lambda: len(attack.posterior_vulnerability("reid", list(SIZES), combinations=list(range(1, 7))))


@pytest.mark.benchmark(group="re-identification of a million people by each of 63 sets of columns, loaded before")
@pytest.mark.parametrize("how", [our_attacks, privattacks_attacks])
def test_attacks_on_all(benchmark: Any, frame: Any, how: Any) -> None:
    assert benchmark.pedantic(lambda ask: ask(), setup=lambda: ((how(frame),), {}), rounds=1) == 63
