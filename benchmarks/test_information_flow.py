"""A guess and the capacities of a channel, beside libqif, qiflib, and what one would write in NumPy."""

from functools import cache

import numpy as np
import pytest
import qif
from qiflib.core.channel import Channel as QiflibChannel
from qiflib.core.gvulnerability import GVulnerability
from qiflib.core.hyper import Hyper
from qiflib.core.secrets import Secrets

import discretion as dc


@cache
def random_matrix(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.ones(columns), size=rows)


@cache
def random_channel(rows: int, columns: int) -> dc.Channel:
    return dc.Channel(random_matrix(rows, columns))


def by_discretion(size: int) -> float:
    return dc.posterior_vulnerability(random_channel(size, size))


def discretions_capacity(size: int) -> float:
    return dc.multiplicative_bayes_capacity(random_channel(size, size)) / size


def numpys(size: int) -> float:
    return float(random_matrix(size, size).max(axis=0).sum() / size)


def qifs(size: int) -> float:
    return qif.measure.bayes_vuln.posterior(np.full(size, 1 / size), random_matrix(size, size))


def qifs_capacity(size: int) -> float:
    return qif.measure.bayes_vuln.mult_capacity(random_matrix(size, size)) / size


@pytest.mark.benchmark(group="vulnerability and Bayes capacity of a random 2000 × 2000 channel", warmup=True)
@pytest.mark.parametrize("how", [by_discretion, discretions_capacity, numpys, qifs, qifs_capacity])
def test_a_guess(benchmark, how) -> None:
    random_channel(2000, 2000)
    assert benchmark(how, 2000) == pytest.approx(numpys(2000), rel=1e-12)


@cache
def qiflibs_parts(size: int) -> tuple[QiflibChannel, GVulnerability]:
    names = [str(each) for each in range(size)]
    secrets = Secrets(names, np.full(size, 1 / size))
    return QiflibChannel(secrets, names, random_matrix(size, size)), GVulnerability(secrets, names, np.eye(size))


def qiflibs(size: int) -> float:
    channel, guess = qiflibs_parts(size)
    return float(guess.posterior_vulnerability(Hyper(channel)))


@pytest.mark.benchmark(group="vulnerability of a random 2000 × 2000 channel, from a hyper-distribution")
@pytest.mark.parametrize("how", [by_discretion, qiflibs])
def test_a_guess_from_all_posteriors(benchmark, how) -> None:
    qiflibs_parts(2000)
    random_channel(2000, 2000)
    found = benchmark.pedantic(how, (2000,), rounds=1 if how is qiflibs else 50, warmup_rounds=how is by_discretion)
    assert found == pytest.approx(numpys(2000), rel=1e-9)


def newtons(size: int, gap: float) -> tuple[float, float]:
    found = dc.shannon_capacity(random_channel(size, size), gap)
    assert found.high - found.low <= gap
    return found.low, found.high


def blahut_arimotos(size: int, gap: float) -> tuple[float, float]:
    """The textbook's iteration, its logarithms taken once."""
    matrix = random_matrix(size, size)
    own, prior = (matrix * np.log(matrix)).sum(axis=1), np.full(size, 1 / size)
    while True:
        told = own - matrix @ np.log(prior @ matrix)
        low, high = float(prior @ told), float(told.max())
        if high - low <= gap:
            return low, high
        prior *= np.exp(told)
        prior /= prior.sum()


def qifs_shannon(size: int, gap: float) -> tuple[float, float]:
    bits = qif.measure.shannon.add_capacity(random_matrix(size, size), gap)[0]
    return bits * np.log(2), bits * np.log(2)


@pytest.mark.benchmark(group="Shannon capacity of a random 500 × 500 channel", min_rounds=3, warmup=True)
@pytest.mark.parametrize(
    ("how", "gap"),
    [(newtons, 1e-7), (newtons, 1e-9), (blahut_arimotos, 1e-7)],
    ids=["discretion", "discretion, 1e-9", "textbook"],
)
def test_shannon_capacity(benchmark, how, gap) -> None:
    random_channel(500, 500)
    low, high = benchmark(how, 500, gap)
    best = newtons(500, 1e-10)
    assert low <= best[1]
    assert best[0] <= high


# libqif's takes three minutes at 500 × 500.
@pytest.mark.benchmark(group="Shannon capacity of a random 60 × 60 channel to 1e-7", min_rounds=3, warmup=True)
@pytest.mark.parametrize("how", [newtons, blahut_arimotos, qifs_shannon])
def test_shannon_capacity_beside_libqif(benchmark, how) -> None:
    random_channel(60, 60)
    low, high = benchmark(how, 60, 1e-7)
    assert low == pytest.approx(newtons(60, 1e-10)[0], abs=1e-6)
    assert high == pytest.approx(low, abs=1e-6)
