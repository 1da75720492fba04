"""Many uses of one channel on the same secret, against sequences listed one by one."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy import sparse

import discretion as dc
from discretion.channels import repeated
from measures.table import CASES
from oracles import laws, measures as slow
from oracles.channels import exact, parallel
from oracles.promise import exactly
from oracles.strategies import gains, matrices, priors
from support.lowering import lowered

USES = st.integers(2, 4)
FAIR = [[0.75, 0.25], [0.25, 0.75]]


def sequences(matrix, n):
    return reduce(parallel, [exact(matrix)] * n)


def only_bounded():
    return lowered(MAX_TALLY_ENTRIES=1)


@pytest.mark.long
@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
@settings(max_examples=30)
@given(st.data())
def test_every_measure_is_that_of_the_listed_sequences(case, data):
    matrix, n = data.draw(matrices(columns=st.integers(1, 3))), data.draw(st.integers(2, 3))
    k = len(matrix)
    prior, gain = data.draw(priors(k)), data.draw(gains(k))
    assume(case.meaningful(k, prior, gain))
    law = slow.fractions(np.full(k, 1 / k) if prior is None else prior)
    expected = case.oracle(sequences(matrix, n), law, slow.identity(k) if gain is None else exact(gain))
    assert case.ask(repeated(dc.Channel(matrix), n), prior, gain) == exactly(expected)


@given(matrices(columns=st.integers(1, 3)), st.integers(2, 3), st.floats(0, 4))
def test_the_privacy_profile_is_that_of_the_listed_sequences(matrix, n, epsilon):
    whole = dc.Channel(np.array(sequences(matrix, n), dtype=float))
    ours = repeated(dc.Channel(matrix), n)
    for level in (0.0, epsilon, math.inf):
        assert dc.privacy_profile(ours, level) == exactly(dc.privacy_profile(whole, level))
    for order in (0.5, 1, 2):
        assert dc.renyi_dp(ours, order) == exactly(dc.renyi_dp(whole, order))


@pytest.mark.long
@pytest.mark.parametrize("n", [10, 101, 1000])
@pytest.mark.parametrize(("p", "q"), [(0.75, 0.25), (0.5, 0.4921875), (0.01, 0.0078125)])
def test_many_uses_of_two_observations_are_binomial(n, p, q):
    # Whole numbers over one denominator.
    whole = math.lcm(Fraction(p).denominator, Fraction(q).denominator)
    hits = [int(share * Fraction(whole)) for share in (Fraction(p), Fraction(q))]
    ways = ([math.comb(n, x) * hit**x * (whole - hit) ** (n - x) for x in range(n + 1)] for hit in hits)
    overlap = Fraction(sum(map(min, *ways)), whole**n)
    assert dc.bayes_security(repeated(dc.Channel([[p, 1 - p], [q, 1 - q]]), n)) == exactly(overlap)


@pytest.mark.parametrize("epsilon", [0, 1, 100, 329])
def test_what_underflows_is_not_taken_for_excluded(epsilon):
    system, n = repeated(dc.Channel(FAIR), 300), 300
    assert dc.ldp_epsilon(system) == exactly(300 * math.log(3))
    assert dc.privacy_profile(system, math.inf) == 0.0
    assert dc.renyi_dp(system, 2) == exactly(300 * dc.renyi_dp(dc.Channel(FAIR), 2))
    with localcontext() as context:
        context.prec = 300
        p, ratio = Fraction(3, 4), Decimal(epsilon).exp()
        both = [(laws.binomial(n, x, p), laws.binomial(n, x, 1 - p)) for x in range(n + 1)]
        excess = sum(max(Decimal(0), slow.decimal(a) - ratio * slow.decimal(b)) for a, b in both)
    assert dc.privacy_profile(system, epsilon) == pytest.approx(float(excess), rel=1e-9, abs=1e-300)


def test_proposition_1_two_uses_have_other_leakiest_pairs_than_one():
    C = dc.Channel([[0.9, 0.1, 0], [0.8, 0.2, 0], [0.5, 0.5, 0], [0.5, 0.1, 0.4]], inputs=[1, 2, 3, 4])
    assert dc.bayes_security(repeated(C, 2)) == exactly(0.36)
    assert dc.leakiest_pairs(repeated(C, 2)) == [(1, 4), (2, 4), (3, 4)]


@given(matrices(rows=st.integers(2, 4)), USES)
def test_theorem_3_every_use_keeps_at_least_its_share_and_none_adds(matrix, n):
    C = dc.Channel(matrix)
    once, fewer, more = (dc.bayes_security(repeated(C, uses)) for uses in (1, n - 1, n))
    assert once**n - 1e-12 <= more <= fewer + 1e-12


@given(matrices(rows=st.integers(2, 4)), USES)
def test_bounds_hold_where_tallies_are_not_listed(matrix, n):
    C = dc.Channel(matrix)
    truth = dc.bayes_security(repeated(C, n))
    with only_bounded():
        bounds = dc.bayes_security(repeated(C, n))
    if isinstance(bounds, dc.Estimate):
        assert bounds.certified
        assert bounds.low - 1e-15 <= truth <= bounds.high + 1e-15
        assert bounds.value == bounds.low
    else:
        assert bounds == exactly(truth)


def test_bounds_that_meet_are_the_number_itself():
    # Theorem 3 is tight here, and so is the other side: an observation gives the secret away or says nothing.
    with only_bounded():
        assert dc.bayes_security(repeated(dc.Channel([[0.5, 0, 0.5], [0, 0.5, 0.5]]), 7)) == exactly(2.0**-7)


def test_very_many_uses_of_nearly_the_same_rows_are_bounded_about_a_normal_law():
    # The log-likelihood ratio of all uses is nearly normal with means ±μ²/2, deviation μ = 4d√n, and β* = 2Φ(-μ/2).
    d, n = 0.5e-4, 10**8
    normal = math.erfc(2 * d * math.sqrt(n) / math.sqrt(2))
    bounds = dc.bayes_security(repeated(dc.Channel([[0.5 + d, 0.5 - d], [0.5 - d, 0.5 + d]]), n))
    assert bounds.low < normal < bounds.high
    assert "Thm 3" in bounds.method
    assert dc.method(dc.bayes_security, repeated(dc.Channel(FAIR), n)) == (bounds.method, "bound")


def test_what_leaks_nothing_leaks_nothing_however_often():
    assert dc.bayes_security(repeated(dc.Channel([[0.3, 0.7], [0.3, 0.7]]), 10**10)) == exactly(1)


def test_what_is_certain_to_show_is_no_interval():
    assert dc.bayes_security(repeated(dc.Channel(FAIR), 10**9)) == exactly(0)


def test_one_use_is_the_system_itself_and_uses_of_uses_multiply():
    C = dc.Channel(FAIR)
    assert repeated(C, 1) is C
    assert repeated(repeated(C, 2), 3) == repeated(C, 6)


@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
def test_the_channel_shows_tallies_of_what_differs(storage):
    C = dc.Channel(storage([[0.4, 0, 0.4, 0.2], [0.1, 0, 0.1, 0.8]]), inputs=["sick", "well"])
    twice = repeated(C, 2).channel()
    assert twice.inputs == ("sick", "well")
    assert twice.outputs == ((2, 0), (1, 1), (0, 2))
    assert np.allclose(twice.matrix, [[0.64, 0.32, 0.04], [0.04, 0.32, 0.64]], rtol=1e-14, atol=0)
    assert np.allclose(repeated(C, 1000).channel().matrix.sum(axis=1), 1, rtol=0, atol=1e-13)


def test_a_mechanism_can_be_used_often():
    krr = dc.RandomizedResponse(3, epsilon=1)
    assert dc.bayes_security(repeated(krr, 5)) == exactly(dc.bayes_security(repeated(krr.channel(), 5)))


def test_too_many_tallies_are_refused_with_a_way_out():
    system = repeated(dc.Channel(np.full((2, 40), 0.025) + 0.01 * np.resize([1, -1], (2, 40)) * [[1], [0]]), 10)
    spread = repeated(dc.Channel(np.random.default_rng(1).dirichlet(np.ones(40), size=2)), 10)
    assert dc.posterior_vulnerability(system) > 0.5  # of 40 observations only a few differ
    with pytest.raises(dc.errors.TooLargeError, match=r"40 different columns.*discretion\.bayes_security"):
        dc.posterior_vulnerability(spread)


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2"])
def test_uses_are_counted(n):
    with pytest.raises(dc.errors.InvalidValueError, match="n must be a whole number of at least 1"):
        repeated(dc.Channel(FAIR), n)


def test_only_systems_are_used():
    with pytest.raises(dc.errors.UnsupportedError, match=r"discretion\.Channel"):
        repeated(np.eye(2), 2)


@pytest.mark.parametrize(
    ("once", "many"),
    [
        (dc.Gaussian(2), dc.Gaussian(2 / math.sqrt(5))),
        (dc.SubsampledGaussian(1, 0.1, 20), dc.SubsampledGaussian(1, 0.1, 100)),
    ],
)
def test_five_uses_of_noise_are_as_one_with_less(once, many):
    assert dc.bayes_security(dc.repeated(once, 5)) == dc.bayes_security(many)


def test_without_a_matrix_theorem_3_bounds_many_uses():
    crowd = dc.repeated(dc.Shuffled(dc.RandomizedResponse(3, epsilon=1.0), 10**4).seen_by(dc.Uninformed(), 1), 2)
    bounds = dc.bayes_security(crowd)
    assert bounds.certified
    assert bounds.low == pytest.approx(dc.bayes_security(crowd.base) ** 2, rel=1e-9)


def test_uses_of_a_mechanism_with_too_many_values_are_exact():
    once = dc.RandomizedResponse(10**6, epsilon=5)
    # Of two reports none, one or both are of the two values: the two secrets differ by p - q in each.
    p, q = once.p, once.q
    rest = 1 - p - q
    told = p * p - q * q + 2 * rest * (p - q)
    assert dc.bayes_security(dc.repeated(once, 2)) == exactly(1 - told)


@pytest.mark.parametrize("delta", [1e-300, 1e-109, 1e-30, 1e-9])
@pytest.mark.parametrize(("epsilon", "n"), [(0.1, 2), (1.5, 4), (2.8351571370736504, 6), (20.0, 3)])
def test_a_delta_below_the_likeliest_reports_mass_is_reached_next_to_the_largest_loss(epsilon, n, delta):
    once = dc.RandomizedResponse(2, epsilon=epsilon)
    mass = once.p**n  # of all reports true; the next loss is 2ε below
    assert delta < mass * -math.expm1(-2 * epsilon)
    assert dc.dp_epsilon(dc.repeated(once, n), delta) == exactly(n * epsilon + math.log1p(-delta / mass))
