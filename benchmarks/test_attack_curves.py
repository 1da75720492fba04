"""Curves of attacks on DP-SGD, beside riskcal's, and on one of a million shuffled people, beside SciPy's sum."""

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as accountant
from riskcal.analysis import get_beta_from_pld
from scipy.stats import binom

import discretion as dc

SIGMA, RATE, STEPS = 1.0, 0.01, 1000
RATES = np.array([1e-6, 1e-4, 0.01, 0.1, 0.5, 0.9])
USERS, EPSILON = 10**6, 1.0


def by_discretion() -> np.ndarray:
    curve = dc.tradeoff(dc.SubsampledGaussian(SIGMA, RATE, STEPS))
    return np.array([(missed.low, missed.high) for missed in map(curve.at, RATES)])


def riskcals() -> np.ndarray:
    """What it reads off the pessimistic law of losses of Google's accountant; it says of neither end how far it is."""
    law = accountant.from_gaussian_mechanism(SIGMA, sampling_prob=RATE).self_compose(STEPS)
    missed = get_beta_from_pld(law, RATES)
    return np.stack([missed, missed], axis=1)


@pytest.mark.benchmark(group="curve of DP-SGD", min_rounds=3, warmup=True)
@pytest.mark.parametrize("how", [by_discretion, riskcals])
def test_curve_of_gradient_descent(benchmark, how) -> None:
    low, high = benchmark(how).T
    ours = by_discretion()
    benchmark.extra_info["off, at most"] = float(np.maximum(ours[:, 1] - low, high - ours[:, 0]).max())
    assert (ours[:, 1] - ours[:, 0] < 1e-4).all()
    assert (np.abs(low - ours[:, 0]) < 1e-4).all()


def crowds() -> float:
    view = dc.Shuffled(dc.RandomizedResponse(2, epsilon=EPSILON), USERS).seen_by(dc.AllButOne([0, USERS - 1]))
    return dc.tradeoff(view, (0, 1)).at(0.01)


def binomials() -> float:
    truth = dc.RandomizedResponse(2, epsilon=EPSILON).p
    reports = np.arange(USERS + 1)
    others, before = binom.pmf(reports, USERS - 1, truth), binom.pmf(reports - 1, USERS - 1, truth)
    p, q = (said * before + (1 - said) * others for said in (1 - truth, truth))
    likeliest = np.argsort(-(q / np.maximum(p, 1e-300)), kind="stable")
    return 1 - float(np.interp(0.01, np.cumsum(p[likeliest]), np.cumsum(q[likeliest])))


@pytest.mark.benchmark(group="curve of one among a million", min_rounds=3, warmup=True)
@pytest.mark.parametrize("how", [crowds, binomials])
def test_curve_of_a_crowd(benchmark, how) -> None:
    assert benchmark(how) == pytest.approx(crowds(), abs=1e-9)
