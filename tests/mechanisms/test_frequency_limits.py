"""Confidence limits of shares cover them for any people and at any number of reports."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import beta, binom

import discretion as dc
from discretion.numerics.laws.binomial_limits import split_limits
from mechanisms.table import INFORMATIVE, KINDS

MISSES = 0.05
PURE = [param for param in INFORMATIVE if isinstance(param.values[0], dc.mechanisms.PureProtocol)]


def law_of_split(c, trials, p, q):
    """The law of the hits when c of the trials hit with probability p and the others with q, by convolution."""
    return np.convolve(binom.pmf(np.arange(c + 1), c, p), binom.pmf(np.arange(trials - c + 1), trials - c, q))


def limits_by_enumeration(hits, trials, p, q, misses):
    """The least and the largest c for which neither tail is too small, and the likely end where there is none."""
    laws = [law_of_split(c, trials, p, q) for c in range(trials + 1)]
    low = next((c for c, law in enumerate(laws) if law[hits:].sum() > misses / 2), trials)
    high = next((c for c in range(trials, -1, -1) if laws[c][: hits + 1].sum() > misses / 2), 0)
    return low, high


@settings(max_examples=40, deadline=None)
@given(
    trials=st.integers(1, 14),
    rates=st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda pair: pair[0] != pair[1]),
    misses=st.sampled_from([0.9, 0.05, 1e-3, 1e-9]),
)
def test_limits_are_those_of_enumeration(trials, rates, misses):
    q, p = (rate / 20 for rate in sorted(rates))
    low, high = split_limits(np.arange(trials + 1), trials, (p, 1 - p), (q, 1 - q), misses)
    expected = [limits_by_enumeration(hits, trials, p, q, misses) for hits in range(trials + 1)]
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == expected


@pytest.mark.parametrize("mechanism", PURE)
@pytest.mark.parametrize("n", [1, 7, 40])
def test_every_share_is_covered_as_often_as_promised(mechanism, n):
    """Exactly, whatever the people's values are: the attack is the worst number of holders."""
    own, not_own, other, not_other, _ = mechanism.support
    low, high = split_limits(np.arange(n + 1), n, (own, not_own), (other, not_other), MISSES)
    for c in range(n + 1):
        covers = (low <= c) & (c <= high)
        assert law_of_split(c, n, own, other)[covers].sum() >= 1 - MISSES - 1e-9


def test_the_limits_of_a_single_binomial_law_would_not_be_certain():
    """One person of two holds the value, and nobody else supports it: Clopper and Pearson's limits miss too often."""
    p, trials = 0.02515, 2
    low = beta.ppf(MISSES / 2, 1, trials)
    assert low > p / 2  # missed if there is a hit, which has probability p
    assert p > MISSES / 2
    ours, _ = split_limits(np.array([1]), trials, (p, 1 - p), (0.0, 1.0), MISSES)
    assert ours[0] <= 1


@pytest.mark.parametrize(
    ("trials", "p", "q"), [(10**4, 0.9, 0.001), (10**6, 0.5, 0.269), (10**6, 0.2, 0.1999), (10**9, 0.5, 0.001)]
)
def test_large_crowds_have_the_least_count_that_is_not_excluded(trials, p, q):
    hits = round(trials * (0.01 * p + 0.99 * q))
    low, high = (int(end[0]) for end in split_limits(np.array([hits]), trials, (p, 1 - p), (q, 1 - q), MISSES))
    half = 1.96 * math.sqrt(trials * (0.01 * p * (1 - p) + 0.99 * q * (1 - q))) / (p - q)
    assert high - low == pytest.approx(2 * half, rel=0.1) or low == 0
    for c, sign in ((low - 1, -1), (low, 1)):
        if c >= 0:
            own = np.arange(*binom.interval(1 - 1e-13, c, p), dtype=float) if c else np.zeros(1)
            tail = float(binom.pmf(own, c, p) @ binom.sf(hits - own - 1, trials - c, q))
            assert sign * (tail - MISSES / 2) >= -1e-9


def test_reports_that_no_shares_explain_have_the_share_that_explains_them_best():
    mechanism = dc.UnaryEncoding.oue(2, epsilon=3)
    low, high = mechanism.frequency_limits([1000, 0], 1000)
    assert (low.tolist(), high.tolist()) == ([1.0, 0.0], [1.0, 0.0])


@pytest.mark.one_in(5)
@pytest.mark.parametrize("mechanism", KINDS)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_simulated_collections_are_covered(mechanism, simultaneous):
    rng, n, runs = np.random.default_rng(1), 60, 200
    counts = rng.multinomial(n, rng.dirichlet(np.ones(mechanism.k) / 2))
    covered = np.zeros((runs, mechanism.k), dtype=bool)
    for run in range(runs):
        low, high = mechanism.frequency_limits(
            mechanism.sample_aggregate(counts, rng), n, 0.9, simultaneous=simultaneous
        )
        assert ((low >= 0) & (low <= high) & (high <= 1)).all()
        covered[run] = (low <= counts / n) & (counts / n <= high)
    shares = covered.all(axis=1).mean() if simultaneous else covered.mean(axis=0)
    assert np.all(shares >= 0.9 - 4 * math.sqrt(0.09 / runs))


def test_limits_of_a_channel_hold_those_of_the_same_protocol_and_are_not_far_wider():
    krr = dc.RandomizedResponse(3, epsilon=2)
    tallies = krr.sample_aggregate([600, 300, 100], 1)
    (low, high), (wide_low, wide_high) = (
        mechanism.frequency_limits(tallies, 1000) for mechanism in (krr, dc.ChannelMechanism(krr.channel()))
    )
    assert (wide_low <= low).all()
    assert (high <= wide_high).all()
    assert (wide_high - wide_low < 2 * (high - low)).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1, 2], 4), "tallies of n = 4 reports must sum to 4, got a sum of 3"),
        (([1, 3, 0], 4), "tallies must be 2 whole numbers in 0..4"),
        (([1, 3], 4, 1.0), r"confidence must be in \(0, 1\), got 1.0"),
        (([0, 0], 0), "n must be a whole number of at least 1, got 0"),
    ],
)
def test_what_has_no_limits_is_refused(arguments, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        dc.RandomizedResponse(2, p=0.75).frequency_limits(*arguments)


def test_reports_that_carry_no_information_have_no_limits():
    with pytest.raises(dc.errors.InvalidValueError, match="have no information on the values"):
        dc.RandomizedResponse(2, epsilon=0).frequency_limits([1, 3], 4)
