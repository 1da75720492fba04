"""The others who are the worst for the target, of two values: one walk, beside all splits tried one by one."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.numerics.laws.two_binomials import Draw
from discretion.numerics.means.split_walk import Splits

WORST = dc.WorstAllButOne()


def splits(epsilon: float) -> Splits:
    p, q, cost = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1)), math.expm1(epsilon)
    return Splits((Draw(p, q), Draw(q, p)), p - q - cost * q, cost)


def walked(n: int, epsilon: float) -> float:
    return splits(epsilon).largest(n - 1).value


def one_by_one(n: int, epsilon: float) -> float:
    """Take each split from its law, which is quick too, but not as quick as a step."""
    first = np.arange(n)
    return float(splits(epsilon).excess(first, n - 1 - first).max())


@pytest.mark.benchmark(group="worst δ(ε), k=2, n=10⁴")
@pytest.mark.parametrize("how", [walked, one_by_one])
def test_every_split_of_ten_thousand(benchmark, how) -> None:
    assert benchmark(how, 10**4, 0.0285) == pytest.approx(walked(10**4, 0.0285), rel=1e-10)


@pytest.mark.benchmark(group="worst ε(1e-6), k=2")
@pytest.mark.parametrize("n", [10**5, 10**6, 10**7, 10**9])
def test_epsilon_of_two_values(benchmark, n) -> None:
    benchmark(lambda: dc.dp_epsilon(dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), n).seen_by(WORST), 1e-6))


@pytest.mark.benchmark(group="worst case of two values, n=10⁶")
@pytest.mark.parametrize(
    "measure",
    [dc.bayes_security, dc.posterior_vulnerability, dc.mutual_information, lambda crowd: dc.renyi_dp(crowd, 2)],
    ids=["β*", "guess", "information", "Rényi"],
)
def test_measures_of_two_values(benchmark, measure) -> None:
    crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 10**6).seen_by(WORST)
    benchmark.pedantic(measure, (crowd,), rounds=2)
