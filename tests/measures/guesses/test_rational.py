"""What is measured of channels of fractions is the very rational number of its definition."""

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from adversaries.table import GAINS
from oracles import channels as slow_channels, measures as slow
from oracles.strategies import rational_matrices, rational_stochastic
from support.lowering import lowered

THIRD = Fraction(1, 3)
C = dc.Channel([[THIRD, 1 - THIRD], [1, 0], [THIRD, 1 - THIRD]], inputs="abc")

# What is asked with a prior and a gain, and what it is.
WITH_PRIOR_AND_GAIN = {
    "posterior vulnerability": (dc.posterior_vulnerability, slow.posterior_vulnerability),
    "leakage as a ratio": (
        dc.leakage,
        lambda C, prior, gain: slow.posterior_vulnerability(C, prior, gain) / slow.prior_vulnerability(prior, gain),
    ),
    "leakage as a difference": (
        lambda system, prior, gain: dc.leakage(system, prior, gain, kind="additive"),
        lambda C, prior, gain: slow.posterior_vulnerability(C, prior, gain) - slow.prior_vulnerability(prior, gain),
    ),
    "prior vulnerability": (
        lambda system, prior, gain: dc.prior_vulnerability(prior, gain),
        lambda C, prior, gain: slow.prior_vulnerability(prior, gain),
    ),
}
WITH_PRIOR = {
    "Bayes risk": (dc.bayes_risk, slow.bayes_risk),
    "Bayes security": (dc.bayes_security, slow.bayes_security_at),
}
OF_THE_SYSTEM = {
    "Bayes security": (dc.bayes_security, slow.bayes_security),
    "capacity": (dc.multiplicative_bayes_capacity, slow.multiplicative_bayes_capacity),
}


def asked_of(system, rows):
    """Every measure of the system, and its definition on rows of fractions, both as fractions."""
    k = len(rows)
    uniform = [Fraction(1, k)] * k
    skewed = [Fraction(2 * x + 1, k * k) for x in range(k)]
    gains = {None: slow.identity(k), "given": [[Fraction(x - w, 3) + 2 for x in range(k)] for w in range(2)]}
    for prior, law in ((None, uniform), (skewed, skewed)):
        for kind, wanted in gains.items():
            gain = None if kind is None else dc.gain_matrix(wanted)
            for name, (ask, truth) in WITH_PRIOR_AND_GAIN.items():
                if prior is not None or name != "prior vulnerability":
                    yield name, ask(system, prior, gain), truth(rows, law, wanted)
        for name, (ask, truth) in WITH_PRIOR.items() if k > 1 else ():
            if prior is not None or ask is not dc.bayes_security:
                yield name, ask(system, prior), truth(rows, law)
    for name, (ask, truth) in OF_THE_SYSTEM.items():
        yield name, ask(system), truth(rows)


@given(rational_matrices())
def test_every_measure_is_the_fraction_of_its_definition(rows):
    for name, found, truth in asked_of(dc.Channel(rows), rows):
        assert found == truth, name
        assert isinstance(found, Fraction), name


@settings(max_examples=10)
@given(st.data(), st.integers(2, 4))
def test_many_uses_of_a_channel_are_measured_in_fractions(data, n):
    rows = data.draw(rational_matrices(rows=st.integers(2, 3), columns=st.integers(1, 3)))
    sequences = reduce(slow_channels.parallel, [rows] * n)
    for name, found, truth in asked_of(dc.repeated(dc.Channel(rows), n), sequences):
        assert found == truth, name
        assert isinstance(found, Fraction), name


@given(st.data())
def test_pairs_are_tied_only_if_their_distances_are_equal(data):
    rows = data.draw(rational_matrices(rows=st.integers(2, 4)))
    distances = slow.pair_distances(rows)
    tied = [pair for pair, distance in distances.items() if distance == max(distances.values())]
    assert dc.leakiest_pairs(dc.Channel(rows), tol=0) == tied
    assert dc.leakiest_pair(dc.Channel(rows)) == tied[0]


def test_the_leakiest_pair_is_found_where_doubles_see_no_difference():
    tiny = Fraction(1, 10**40)
    rows = [[Fraction(1, 2), Fraction(1, 2)], [THIRD, 1 - THIRD], [THIRD - tiny, 1 - THIRD + tiny]]
    named = dc.Channel(rows, inputs="abc")
    assert dc.leakiest_pair(named) == ("a", "c")
    assert dc.leakiest_pairs(named) == [("a", "b"), ("a", "c")]
    assert 1 - dc.bayes_security(named) == Fraction(1, 6) + tiny


@given(st.data())
def test_total_variation_is_a_fraction_of_fractions(data):
    p, q = data.draw(rational_stochastic(2, data.draw(st.integers(1, 4))))
    found = dc.total_variation(p, q)
    assert isinstance(found, Fraction)
    assert found == slow.total_variation(p, q)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: dc.posterior_vulnerability(C, [0.5, 0.25, 0.25]),
        lambda: dc.posterior_vulnerability(C, gain=dc.gain_matrix([[0.5, 0, 1]])),
        lambda: dc.posterior_vulnerability(dc.Channel(C.dense()), [THIRD] * 3),
        lambda: dc.leakage(C, [0.5, 0.25, 0.25]),
        lambda: dc.bayes_risk(C, [THIRD, THIRD, 1 / 3]),
        lambda: dc.bayes_security(C, [0.5, 0.25, 0.25]),
        lambda: dc.bayes_security(C >> dc.Channel([[0.5, 0.5], [0, 1]])),
        lambda: dc.prior_vulnerability([THIRD, 1 - THIRD], dc.gain_matrix([[0.5, 1]])),
        lambda: dc.prior_vulnerability([1, 0]),
        lambda: dc.total_variation([THIRD, 1 - THIRD], [0.5, 0.5]),
        lambda: dc.total_variation([1, 0], [0, 1]),
        lambda: dc.mutual_information(C),
        lambda: dc.ldp_epsilon(C),
        lambda: dc.privacy_profile(C, 0.5),
    ],
)
def test_what_is_of_doubles_or_of_logarithms_is_a_double(ask):
    assert isinstance(ask(), float)


def test_whole_gains_and_priors_are_fractions_of_a_channel_of_fractions():
    for gain in (dc.gain_matrix([[1, 0, 1], [0, 1, 0]]), dc.gain_matrix(np.eye(3))):
        assert isinstance(dc.posterior_vulnerability(C, gain=gain), Fraction)
    assert dc.posterior_vulnerability(C, [0, 1, 0]) == Fraction(1)
    assert isinstance(dc.posterior_vulnerability(C, np.array([0, 1, 0])), Fraction)


def test_a_prior_of_fractions_sums_to_1_exactly():
    nearly = [THIRD, THIRD, THIRD + Fraction(1, 10**20)]
    with pytest.raises(dc.errors.InvalidPriorError, match="prior of fractions must sum to exactly 1"):
        dc.posterior_vulnerability(C, nearly)


def test_the_method_says_that_it_takes_fractions():
    for ask in (dc.posterior_vulnerability, dc.leakage, dc.bayes_risk, dc.bayes_security, dc.leakiest_pair):
        assert "in fractions" in dc.method(ask, C).name
    assert dc.method(dc.multiplicative_bayes_capacity, dc.repeated(C, 3)).name == "sum of column maxima, in fractions"


def test_where_fractions_would_be_too_many_products_are_refused_and_uses_are_answered_in_doubles():
    with lowered(MAX_FRACTIONS=10):
        with pytest.raises(dc.errors.TooLargeError, match=r"10 fractions.*discretion\.Channel\(C\.dense\(\)\)"):
            C & C
        assert isinstance(dc.posterior_vulnerability(dc.repeated(C, 3)), float)
    assert isinstance(dc.bayes_security(dc.repeated(C, 10_000)), float)
    assert dc.posterior_vulnerability(dc.repeated(C, 3)) == Fraction(2 * 27 - 1, 27) / 3


@pytest.mark.long
def test_thirty_secrets_are_measured_in_reasonable_time():
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 1000, (30, 30)).tolist()
    rows = [[Fraction(w, sum(row)) for w in row] for row in weights]
    for name, found, truth in asked_of(dc.Channel(rows), rows):
        assert found == truth, name


@pytest.mark.parametrize(("make", "definition"), GAINS.values(), ids=GAINS)
def test_what_is_wanted_is_got_in_fractions_if_its_worth_is_whole(make, definition):
    worth = definition(3)
    joint = [[p / 3 for p in row] for row in C.matrix]
    truth = sum(
        max(sum(g * p for g, p in zip(row, seen, strict=True)) for row in worth) for seen in zip(*joint, strict=True)
    )
    found = dc.posterior_vulnerability(C, gain=make(3))
    if all(g.denominator == 1 for row in worth for g in row):
        assert isinstance(found, Fraction)
        assert found == truth
    else:
        assert found == pytest.approx(float(truth), rel=1e-12)
