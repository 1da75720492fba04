"""How many outputs it takes to find that a mechanism is not as private as claimed: ours beside a histogram tester.

The mechanisms are those that dp-auditorium publishes (google/differential-privacy, python/dp_auditorium/mechanisms), by
its names, with the claim of its example: ε = 1, δ = 0, at a failure probability of 0.05; written anew. So is the one of
its testers that takes two samples and no TensorFlow, that of Gilbert and McMillan (Property testing for differential
privacy, 2018, Algorithm 2) with its smaller tolerance. As in its example, numbers go through tanh.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discretion as dc

Outputs = NDArray[Any]

EPSILON, FAILURE = 1.0, 0.05
SIZES = [2**power for power in range(7, 20)]
RIGHT = {"private_mean", "SVT1", "SVT2", "noisy_max"}


@dataclass(frozen=True)
class Mean:
    """The mean of values in [0, 1] with Laplace noise; a private one takes a noisy count for both uses of it."""

    noisy_count_in_mean: bool
    noisy_count_in_scale: bool

    def __call__(self, data: list[float], size: int, rng: np.random.Generator) -> Outputs:
        part = 0.5 if self.noisy_count_in_mean or self.noisy_count_in_scale else 1.0
        noisy = len(data) + rng.laplace(scale=1 / part / EPSILON, size=size)
        count = noisy if self.noisy_count_in_mean else len(data)
        scale = 1 / part / EPSILON / (noisy if self.noisy_count_in_scale else len(data))
        return np.tanh(sum(data) / count + rng.laplace(scale=np.maximum(1e-12, scale), size=size))


@dataclass(frozen=True)
class SparseVector:
    """Whether the last record, again the last, and the one before are above 0.5, each with noise, until one is.

    A ``numeric`` one gives out the noisy record that is.
    """

    query_scale: float
    threshold_scale: float
    numeric: bool = False

    def __call__(self, data: list[float], size: int, rng: np.random.Generator) -> Outputs:
        threshold = 0.5 + rng.laplace(scale=self.threshold_scale, size=(size, 1))
        queries = np.array([data[-1], data[-1], data[-2]]) + self.query_scale * rng.laplace(size=(size, 3))
        above = queries >= threshold
        answered = np.cumsum(above, axis=1) - above > 0
        if self.numeric:
            return np.where(answered, -50.0, np.where(above, queries, 50.0))
        return np.where(answered, 0, np.where(above, 1, 2)) @ [9, 3, 1]


def noisy_max(data: list[float], size: int, rng: np.random.Generator) -> Outputs:
    counts = np.bincount(np.array(data, dtype=np.int64), minlength=3)
    return np.argmax(counts + rng.gumbel(scale=2 / EPSILON, size=(size, 3)), axis=1)


# Each with two neighbouring data sets. Those that are not RIGHT are less private than they claim.
MECHANISMS: dict[str, tuple[Callable[..., Outputs], list[float], list[float]]] = {
    "private_mean": (Mean(True, True), [1.0, 0.0], [1.0]),
    "non_private_mean_v1": (Mean(False, False), [1.0, 0.0], [1.0]),
    "non_private_mean_v2": (Mean(False, True), [1.0, 0.0], [1.0]),
    "SVT1": (SparseVector(4, 2), [0.0, 1.0], [0.0, 1.0, 0.0]),
    "SVT2": (SparseVector(4, 2), [0.0, 1.0], [0.0, 1.0, 0.0]),
    "SVT3": (SparseVector(2, 2, numeric=True), [0.0, 1.0], [0.0, 1.0, 0.0]),
    "SVT4": (SparseVector(4 / 3, 4), [0.0, 1.0], [0.0, 1.0, 0.0]),
    "SVT5": (SparseVector(0, 2), [0.0, 1.0], [0.0, 1.0, 0.0]),
    "SVT6": (SparseVector(2, 2), [0.0, 1.0], [0.0, 1.0, 0.0]),
    "noisy_max": (noisy_max, [0, 1], [0, 1, 2]),
}


def by_discretion(x: Outputs, y: Outputs) -> bool:
    return dc.estimate_epsilon(x, y, 0, 1 - FAILURE, rng=1).low > EPSILON


def by_histogram(x: Outputs, y: Outputs) -> bool:
    """Whether it is shown by 27 bins in either direction, which takes single numbers; both are not corrected for."""
    return x.ndim == 1 and max(excess(x, y), excess(y, x)) > 0


def excess(x: Outputs, y: Outputs, bins: int = 27) -> float:
    size, ends = len(x), (-1, 1) if x.dtype.kind == "f" else (-0.5, 26.5)
    p, q = (np.histogram(side, bins, ends)[0] / size for side in (x, y))
    ratio = np.exp(EPSILON)
    tolerance = 2 / size**0.5 * (np.sqrt(p).sum() + ratio * np.sqrt(q).sum())
    tolerance += 6 * (1 + ratio) * np.sqrt(np.log(4 / FAILURE) / (2 * size))
    return float(np.maximum(p - ratio * q, 0).sum() - tolerance)


def outputs_until(found: Callable[[Outputs, Outputs], bool], name: str) -> int | None:
    """Return how many outputs on either input it takes, doubling; None if all of them are too few."""
    mechanism, first, second = MECHANISMS[name]
    for size in SIZES:
        rng = np.random.default_rng(size)
        if found(mechanism(first, size, rng), mechanism(second, size, rng)):
            return size
    return None


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("tester", [by_discretion, by_histogram])
def test_violations_found(benchmark: Any, tester: Callable[[Outputs, Outputs], bool], name: str) -> None:
    benchmark.extra_info["outputs"] = benchmark.pedantic(outputs_until, (tester, name), rounds=1)
    assert name not in RIGHT or benchmark.extra_info["outputs"] is None


def test_laplace_from_a_hundred_thousand_outputs(benchmark: Any) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.laplace(1, size=50_000), rng.laplace(size=50_000)
    found = benchmark.pedantic(dc.estimate_epsilon, (x, y, 0), {"rng": 1}, rounds=3)
    benchmark.extra_info["epsilon"] = found.low
    assert 0.9 <= found.low <= 1
