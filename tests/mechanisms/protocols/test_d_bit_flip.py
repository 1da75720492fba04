"""dBitFlip: a memoized report of some bits, against its law written out in fractions of the paper's parameters."""

import itertools
import math

import numpy as np
import pytest

import discretion as dc
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.mechanisms import DBitFlip
from oracles.promise import exactly

SIZES = [(2, 1), (2, 2), (3, 1), (3, 2), (4, 3), (4, 4), (5, 2)]
MEASURES = {
    "epsilon": dc.ldp_epsilon,
    "security": dc.bayes_security,
    "guess": dc.posterior_vulnerability,
    "guess with a prior": lambda s: dc.posterior_vulnerability(
        s, np.arange(1, s.secrets + 1) / math.comb(s.secrets + 1, 2)
    ),
    "risk": dc.bayes_risk,
    "information": dc.mutual_information,
    "capacity": dc.multiplicative_bayes_capacity,
    "profile": lambda s: dc.privacy_profile(s, 0.3),
    "epsilon of delta": lambda s: dc.dp_epsilon(s, 0.01),
    "Renyi": lambda s: dc.renyi_dp(s, 2),
    "trade-off": lambda s: dc.tradeoff(s).at(0.2),
}


def law(k, d, epsilon):
    """Each set of values with each row of bits, by the definition."""
    likely = math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1)

    def chance(secret, chosen, bits):
        return math.prod(likely if bits[i] == (chosen[i] == secret) else 1 - likely for i in range(d)) / math.comb(k, d)

    samples = itertools.combinations(range(k), d)
    reports = [*itertools.product(samples, itertools.product((0, 1), repeat=d))]
    rows = [[chance(secret, *report) for report in reports] for secret in range(k)]
    return dc.Channel(rows)


@pytest.mark.parametrize("k, d", SIZES)
@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
def test_all_measures_are_those_of_the_definition(k, d, epsilon):
    listed, protocol = law(k, d, epsilon), DBitFlip(k, d, epsilon)
    assert np.allclose(protocol.channel().dense(), listed.dense(), rtol=1e-12, atol=0)
    for name, measure in MEASURES.items():
        assert float(measure(protocol)) == exactly(measure(listed)), name


@pytest.mark.parametrize("epsilon", [1e-3, 1, 20])
def test_with_all_values_sampled_it_is_one_step_of_rappor_and_fewer_leak_less(epsilon):
    whole, rappor = DBitFlip(50, 50, epsilon), dc.UnaryEncoding.rappor(50, epsilon)
    for name in ("epsilon", "security", "guess", "information", "profile", "Renyi"):
        assert float(MEASURES[name](whole)) == exactly(MEASURES[name](rappor)), name
    guesses = [dc.posterior_vulnerability(DBitFlip(50, d, epsilon)) for d in (1, 2, 10, 49, 50)]
    assert all(fewer <= more + 1e-15 for fewer, more in itertools.pairwise(guesses))


def test_samples_follow_the_channel_and_estimates_have_their_variance():
    protocol = DBitFlip(4, 2, 1.5)
    columns = {label: y for y, label in enumerate(protocol.channel().outputs)}
    reports = protocol.sample(np.full(50_000, 1), rng=3)
    counts = np.bincount([columns[tuple(row)] for row in reports.tolist()], minlength=len(columns))
    expected = protocol.channel().dense()[1] * 50_000
    assert ((counts - expected) ** 2 / expected).sum() < 60  # 23 degrees of freedom
    values = np.repeat([0, 1, 2, 3], [200, 100, 60, 40])
    estimates = np.array([protocol.estimate_frequencies(protocol.sample(values, rng=seed)) for seed in range(600)])
    shares = np.array([0.5, 0.25, 0.15, 0.1])
    variances = protocol.frequency_variance(400, shares)
    assert (np.abs(estimates.mean(axis=0) - shares) < 4 * np.sqrt(variances / 600)).all()
    assert np.allclose(estimates.var(axis=0), variances, rtol=0.3)


def test_no_attack_on_all_rounds_does_better_than_bayes_security_allows():
    protocol, people = DBitFlip(6, 3, 3), 50_000
    limit, noise = 1 - dc.bayes_security(protocol), 4 * math.sqrt(0.5 / 50_000)
    first, second = (protocol.sample(np.full(people, value), rng=value + 1) for value in (0, 1))
    accusations = {
        "likelihood": lambda r: np.where(r[:, 0] < 0, 0, 2 * r[:, 0] - 1) > np.where(r[:, 1] < 0, 0, 2 * r[:, 1] - 1),
        "its own bit": lambda r: r[:, 0] == 1,
        "sampled": lambda r: r[:, 0] >= 0,
    }
    advantages = {name: float(rule(first).mean() - rule(second).mean()) for name, rule in accusations.items()}
    assert max(advantages.values()) <= limit + noise and advantages["likelihood"] >= limit - noise, advantages


def test_fresh_randomness_and_impossible_parameters_are_refused():
    protocol = DBitFlip(4, 2, 1)
    for use in (lambda: dc.repeated(protocol, 2), lambda: protocol & protocol):
        with pytest.raises(UnsupportedError, match="DBitFlip as it is"):
            use()
    for arguments, message in [
        ((4, 5, 1), "at most k = 4"),
        ((4, 0, 1), "d must"),
        ((1, 1, 1), "k must"),
        ((4, 2, 0), "above 0"),
    ]:
        with pytest.raises(InvalidValueError, match=message):
            DBitFlip(*arguments)
    for reports in ([[1, 0, 1, 0]], [[1, 0, -1]], np.zeros((0, 4), dtype=int)):
        with pytest.raises(InvalidValueError, match="report"):
            protocol.estimate_frequencies(reports)
