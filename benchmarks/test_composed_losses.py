"""ε(δ) and β* of DP-SGD and of composed noises, beside Google's accountant, whose two ends are two runs."""

import pytest
from dp_accounting.pld import privacy_loss_distribution as accountant

import discretion as dc

SETTINGS = [(1.0, 0.01, 1000), (2.0, 0.001, 10_000)]
DELTA = 1e-6


def by_discretion(sigma: float, rate: float, steps: int) -> tuple[float, float]:
    found = dc.dp_epsilon(dc.SubsampledGaussian(sigma, rate, steps), DELTA)
    return found.low, found.high


def accountants(sigma: float, rate: float, steps: int) -> tuple[float, float]:
    low, high = (
        accountant.from_gaussian_mechanism(
            sigma, sampling_prob=rate, pessimistic_estimate=upper, use_connect_dots=upper
        )
        .self_compose(steps)
        .get_epsilon_for_delta(DELTA)
        for upper in (False, True)
    )
    return low, high


@pytest.mark.benchmark(group="ε(δ) of DP-SGD", min_rounds=3, warmup=True)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("how", [by_discretion, accountants])
def test_epsilon(benchmark, how, setting) -> None:
    low, high = benchmark(how, *setting)
    benchmark.extra_info["width"] = high - low
    ours = by_discretion(*setting)
    assert ours[0] <= high
    assert low <= ours[1]
    assert ours[1] - ours[0] <= high - low


@pytest.mark.benchmark(group="β* of five uses of Laplace noise", min_rounds=3, warmup=True)
def test_noise(benchmark) -> None:
    security = benchmark(lambda: dc.bayes_security(dc.repeated(dc.Laplace(1.0), 5)))
    assert security.high - security.low < 1e-6
