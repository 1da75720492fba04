"""The maximum load beside the sum that the paper gives, and beside simulation."""

import math
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import discretion as dc
from discretion.numerics.laws.occupancy import expected_maximum_load


def partitions(n: int, parts: int, largest: int):
    """Yield the partitions of n into at most ``parts`` parts."""
    if n == 0:
        yield []
    elif parts:
        for first in range(min(n, largest), 0, -1):
            for rest in partitions(n - first, parts - 1, first):
                yield [first, *rest]


def by_partitions(n: int, k: int) -> float:
    """Return the expected maximum load by Shuffle's equation 22."""
    total = 0
    for parts in partitions(n, k, n):
        ways = math.factorial(n) // math.prod(math.factorial(part) for part in parts)
        repeats = math.prod(math.factorial(count) for count in Counter(parts).values())
        total += parts[0] * ways * math.factorial(k) // (repeats * math.factorial(k - len(parts)))
    return total / k**n


def by_simulation(n: int, k: int) -> float:
    """Return it from 10,000 draws: four digits."""
    return float(np.random.default_rng(0).multinomial(n, [1 / k] * k, size=10_000).max(axis=1).mean())


@pytest.mark.benchmark(group="n=60, k=5")
@pytest.mark.parametrize("how", [expected_maximum_load.__wrapped__, by_partitions, by_simulation])
def test_small(benchmark, how) -> None:
    assert benchmark(how, 60, 5) == pytest.approx(dc.shuffling.maximum_load(60, 5), rel=1e-2)


@pytest.mark.benchmark(group="n=10⁹, k=10⁵")
def test_a_billion_users(benchmark) -> None:
    assert benchmark(expected_maximum_load.__wrapped__, 10**9, 10**5) / 1e9 == pytest.approx(1.04414683932551e-5)


FIRST_CALL = """
import time, discretion
ask = discretion.shuffling.maximum_load
start = time.perf_counter()
ask(10**9, 10**5)
print(time.perf_counter() - start)
"""


def test_a_billion_users_at_the_first_call() -> None:
    tries = [subprocess.run([sys.executable, "-c", FIRST_CALL], capture_output=True, check=True) for _ in range(3)]
    assert min(float(run.stdout) for run in tries) < 0.05


@pytest.mark.benchmark(group="n=10⁹, bounds")
@pytest.mark.parametrize("k", [2, 10**5])
def test_certified_bounds(benchmark, k) -> None:
    bounds = benchmark(dc.shuffling.maximum_load_bounds, 10**9, k)
    assert bounds.low <= expected_maximum_load(10**9, k) <= bounds.high
