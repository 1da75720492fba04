"""Unary encoding: its parameters, its closed forms for any number of values, its bits."""

import functools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from measures.table import CASES
from oracles.channels import exact
from oracles.promise import exactly
from oracles.strategies import gains, priors

UE = dc.UnaryEncoding
MILLION = 1_000_000
KINDS = {
    "rappor": (UE.rappor, lambda e: ((e / 2).exp() / ((e / 2).exp() + 1), 1 / ((e / 2).exp() + 1))),
    "oue": (UE.oue, lambda e: (Decimal("0.5"), 1 / (e.exp() + 1))),
    "blh": (UE.blh, lambda e: (e.exp() / (e.exp() + 1), Decimal("0.5"))),
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def parameters(kind, epsilon):
    """κ, 1-κ, λ, 1-λ and κ-λ to hundreds of digits, as the papers define them."""
    with localcontext() as context:
        context.prec = 700
        kappa, lam = KINDS[kind][1](Decimal(epsilon))
        return kappa, 1 - kappa, lam, 1 - lam, kappa - lam


def by_popcount(k, kappa, not_kappa, lam, not_lam):
    """Risk, vulnerability and information under a uniform prior, summed over how many other bits are 1.

    The adversary guesses any of the values whose bit is 1.
    """
    with localcontext() as context:
        context.prec = 60
        risk = vulnerability = information = Decimal(0)
        own, other = kappa * not_lam, not_kappa * lam
        mass = not_lam ** (k - 1)
        for m in range(k):
            vulnerability += mass * (kappa / (m + 1) + (not_kappa / k if m == 0 else 0))
            risk += mass * (kappa * m / (m + 1) + not_kappa * (1 - Decimal(int(m == 0)) / k))
            information += mass * kappa * (k * own / ((m + 1) * own + (k - m - 1) * other)).ln()
            if not_kappa:
                information += mass * not_kappa * (k * other / (m * own + (k - m) * other)).ln()
            mass *= Decimal(k - 1 - m) / (m + 1) * lam / not_lam
        return risk, vulnerability, information


@each_kind
@pytest.mark.parametrize("epsilon", [0.0, 1e-300, 1e-12, 0.25, 1.0, 10.0, 50.0, 700.0])
def test_the_published_parameters_to_full_precision(kind, epsilon):
    mechanism = KINDS[kind][0](10, epsilon)
    kept = (mechanism.kappa, mechanism.not_kappa, mechanism.lam, mechanism.not_lam, mechanism.gap)
    for value, expected in zip(kept, parameters(kind, epsilon), strict=True):
        assert value == pytest.approx(float(expected), rel=1e-14, abs=0)
    assert mechanism.epsilon == dc.ldp_epsilon(mechanism) == epsilon
    assert dc.bayes_security(mechanism) == pytest.approx(float(1 - parameters(kind, epsilon)[-1]), rel=1e-12, abs=0)
    if 1e-3 < epsilon < 30:
        assert UE(10, mechanism.kappa, mechanism.lam).epsilon == exactly(epsilon)


@pytest.mark.parametrize(
    ("kappa", "lam"), [(0.5, 5e-324), (2e-323, 1e-323), (1e-300, 1e-301), (1 - 2.0**-53, 0.5), (0.3 + 2.0**-53, 0.3)]
)
def test_epsilon_of_extreme_parameters(kappa, lam):
    with localcontext() as context:
        context.prec = 400
        a, b = Decimal(kappa), Decimal(lam)
        expected = (a * (1 - b) / ((1 - a) * b)).ln()
    assert UE(3, kappa, lam).epsilon == pytest.approx(float(expected), rel=1e-10, abs=0)


def test_infinitely_private_and_not_at_all():
    assert UE(3, 0.2, 0.2).epsilon == UE(3, 0, 0).epsilon == UE(3, 1, 1).epsilon == 0
    assert UE(3, 1, 0.2).epsilon == UE(3, 0.2, 0).epsilon == UE(3, 1, 0).epsilon == math.inf
    for make, _ in KINDS.values():
        nothing, everything = make(4, 0), make(4, math.inf)
        assert (dc.bayes_security(nothing), dc.mutual_information(nothing)) == (1.0, 0.0)
        assert dc.posterior_vulnerability(nothing) == exactly(0.25)
        assert everything.epsilon == math.inf
    assert np.array_equal(UE.rappor(3, math.inf).sample([2, 0]), [[0, 0, 1], [1, 0, 0]])
    assert dc.mutual_information(UE.rappor(4, math.inf)) == exactly(math.log(4))
    # The own bit comes through half of the time, and nothing else does.
    assert dc.bayes_security(UE.oue(4, math.inf)) == 0.5
    assert dc.posterior_vulnerability(UE.oue(4, math.inf)) == exactly(0.5 + 0.5 / 4)


@st.composite
def encodings(draw):
    share = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-9]), st.floats(0, 1))
    lam, kappa = sorted([draw(share), draw(share)])
    return UE(draw(st.integers(2, 5)), kappa, lam)


def rows(mechanism):
    """The channel by its definition: independent bits, the first of them the slowest."""
    own, other = (mechanism.not_kappa, mechanism.kappa), (mechanism.not_lam, mechanism.lam)
    return [
        [
            math.prod((own if x == bit else other)[label[bit]] for bit in range(mechanism.k))
            for label in np.ndindex(*(2,) * mechanism.k)
        ]
        for x in range(mechanism.k)
    ]


@pytest.mark.long
@given(encodings(), st.data())
def test_a_closed_form_agrees_with_the_definition_at_any_parameters_prior_and_gain(mechanism, data):
    prior, gain = data.draw(priors(mechanism.k)), data.draw(gains(mechanism.k))
    matrix = np.array(rows(mechanism))
    for case in CASES:
        if case.meaningful(mechanism.k, prior, gain) and case.name != "ldp_epsilon":
            assert case.ask(mechanism, prior, gain) == exactly(case.expected(matrix, prior, gain)), case.name
    assert np.allclose(mechanism.channel().matrix, matrix, rtol=1e-14, atol=0)
    assert mechanism.channel().outputs == tuple(np.ndindex(*(2,) * mechanism.k))


@pytest.mark.long
@each_kind
@pytest.mark.parametrize(("k", "epsilon"), [(2, 1.0), (7, 1e-3), (100, 0.5), (100, 4.0), (1000, 8.0), (3000, 2.0)])
def test_any_number_of_values_by_the_number_of_ones(kind, k, epsilon):
    mechanism = KINDS[kind][0](k, epsilon)
    risk, vulnerability, information = by_popcount(k, *parameters(kind, epsilon)[:4])
    assert dc.bayes_risk(mechanism) == exactly(risk)
    assert dc.posterior_vulnerability(mechanism) == exactly(vulnerability)
    assert dc.multiplicative_bayes_capacity(mechanism) == exactly(k * vulnerability)
    assert dc.leakage(mechanism) == exactly(k * vulnerability)
    assert dc.mutual_information(mechanism) == exactly(information)


@pytest.mark.parametrize(("k", "kappa", "lam"), [(50, 1.0, 0.02), (50, 0.7, 1e-4), (2, 0.9, 0.2), (400, 0.01, 0.001)])
def test_other_parameters_by_the_number_of_ones(k, kappa, lam):
    mechanism = UE(k, kappa, lam)
    a, b = Decimal(kappa), Decimal(lam)
    with localcontext() as context:
        context.prec = 60
        risk, vulnerability, information = by_popcount(k, a, 1 - a, b, 1 - b)
    assert dc.bayes_risk(mechanism) == exactly(risk)
    assert dc.posterior_vulnerability(mechanism) == exactly(vulnerability)
    assert dc.mutual_information(mechanism) == exactly(information)


def skewed_risk(k, kappa, not_kappa, lam, not_lam):
    """The risk where the first value has half of the prior and the others share the rest evenly.

    Summed over the first bit and the number of ones among the others, from the secret's likelihoods one by one.
    """
    with localcontext() as context:
        context.prec = 60
        half, share = Decimal("0.5"), Decimal("0.5") / (k - 1)
        risk = half * lam  # the first bit is 1, and the secret is another value
        for m in range(k):
            first = half * not_kappa * lam**m * not_lam ** (k - 1 - m)
            one = share * kappa * lam ** max(m - 1, 0) * not_lam ** (k - m) if m else Decimal(0)
            zero = share * not_kappa * lam**m * not_lam ** (k - 1 - m) if m < k - 1 else Decimal(0)
            left = min(first, one) + max(m - 1, 0) * one + (k - 1 - m) * zero
            risk += math.comb(k - 1, m) * left
        return risk


@pytest.mark.long
@each_kind
@pytest.mark.parametrize("epsilon", [1.0, 20.0, 100.0, 700.0])
@pytest.mark.parametrize("k", [2, 3, 500])
def test_a_small_risk_keeps_its_digits(kind, k, epsilon):
    mechanism = KINDS[kind][0](k, epsilon)
    skewed = np.full(k, 0.5 / (k - 1))
    skewed[k // 2] = 0.5
    even, uneven = by_popcount(k, *parameters(kind, epsilon)[:4])[0], skewed_risk(k, *parameters(kind, epsilon)[:4])
    assert dc.bayes_risk(mechanism) == pytest.approx(float(even), rel=1e-10, abs=0)
    assert dc.bayes_risk(mechanism, skewed) == pytest.approx(float(uneven), rel=1e-10, abs=0)
    assert dc.posterior_vulnerability(mechanism, skewed) == exactly(1 - uneven)


@pytest.mark.parametrize("mechanism", [UE.oue(300, 2), UE.rappor(300, 3), UE.blh(300, 6), UE(300, 0.6, 0.001)], ids=str)
@pytest.mark.parametrize("held", [1, 2, 40, 300])
def test_bits_of_values_that_nobody_holds_tell_nothing(mechanism, held):
    prior = np.zeros(300)
    prior[np.arange(held) * 7 % 300] = 1 / held
    if held == 1:
        assert dc.posterior_vulnerability(mechanism, prior) == exactly(1)
        assert dc.bayes_risk(mechanism, prior) == exactly(0)
    else:
        smaller = UE(held, mechanism.kappa, mechanism.lam)
        assert dc.posterior_vulnerability(mechanism, prior) == exactly(dc.posterior_vulnerability(smaller))
        assert dc.bayes_risk(mechanism, prior) == exactly(dc.bayes_risk(smaller))


@pytest.mark.long
@each_kind
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 8.0, 700.0])
def test_a_million_values_need_no_matrix(kind, epsilon):
    mechanism = KINDS[kind][0](MILLION, epsilon)
    prior = np.random.default_rng(1).dirichlet(np.full(MILLION, 0.5))
    for law in (None, prior):
        right, wrong = dc.posterior_vulnerability(mechanism, law), dc.bayes_risk(mechanism, law)
        assert right + wrong == exactly(1)
        assert right >= (1 / MILLION if law is None else prior.max()) - 1e-12
    assert 0 <= dc.mutual_information(mechanism) <= math.log(MILLION)
    assert dc.leakiest_pair(mechanism) == (0, 1)
    assert dc.frequency_error(mechanism, 10**9).share >= 0


@pytest.mark.long
def test_what_would_need_the_matrix_is_refused():
    assert UE.oue(18, 1).channel().shape == (18, 2**18)
    for k in (19, MILLION):
        mechanism = UE.oue(k, 1)
        skewed = np.full(k, 0.5 / (k - 1))
        skewed[0] = 0.5
        for ask in (
            mechanism.channel,
            lambda: dc.mutual_information(mechanism, skewed),  # noqa: B023
            lambda: dc.posterior_vulnerability(mechanism, gain=dc.gain_matrix(np.ones((1, k)))),  # noqa: B023
        ):
            with pytest.raises(dc.errors.TooLargeError, match=f"k = {k:,} has 2\\^{k} reports"):
                ask()


@each_kind
@pytest.mark.parametrize("seed", [11, None], ids=["seeded", "the system's randomness"])
def test_a_hundred_thousand_people_and_a_hundred_values(kind, seed):
    people, k = 100_000, 100
    mechanism = KINDS[kind][0](k, 1)
    values = np.minimum(np.random.default_rng(3).geometric(0.05, people) - 1, k - 1)
    reports = mechanism.sample(values, rng=seed)
    assert (reports.shape, reports.dtype) == ((people, k), np.uint8)
    shares = np.bincount(values, minlength=k) / people
    errors = (mechanism.estimate_frequencies(reports) - shares) / np.sqrt(mechanism.frequency_variance(people, shares))
    assert np.abs(errors).max() < 7
    # The sum of k squared standard errors has mean k and variance near 2k.
    assert abs((errors**2).sum() - k) < 7 * math.sqrt(2 * k)
    assert np.array_equal(mechanism.estimate_frequencies(reports.astype(bool)), mechanism.estimate_frequencies(reports))


def test_bits_are_counted_and_nothing_else():
    mechanism = UE(3, kappa=0.5, lam=0.25)
    reports = [[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert mechanism.estimate_frequencies(reports) == exactly_all([(3 / 4 - 1 / 4) * 4, 0, -1])
    assert mechanism.frequency_variance(2, [1, 0, 0]) == exactly_all([0.25 / 2 * 16, 3 / 16 / 2 * 16, 3 / 16 / 2 * 16])


def exactly_all(values):
    return pytest.approx(values, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        ([[0, 1]], r"rows of 3 bits, got an array of int64 of shape \(1, 2\)"),
        ([0, 1, 0], r"shape \(3,\)"),
        ([[0, 1, 2]], "0 or 1, got 2"),
        ([[0, -1, 0]], "got -1"),
        ([[0.0, 1.0, 0.0]], "float64"),
        (["010"], "<U3"),
        ([[0, 1, 0], [0, 1]], "equal length"),
        ([], "at least one report"),
        (np.empty((0, 3), dtype=np.uint8), "at least one report"),
        (np.empty((2, 0), dtype=np.uint8), r"shape \(2, 0\)"),
    ],
)
def test_reports_that_are_not_rows_of_bits_are_refused(reports, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        UE.oue(3, 1).estimate_frequencies(reports)


def test_more_bits_than_fit_in_memory_are_refused():
    with pytest.raises(dc.errors.TooLargeError, match=r"100 people on k = 100,000,000 values"):
        UE.oue(10**8, 1).sample(np.zeros(100, dtype=int))


@pytest.mark.parametrize("epsilon", [1e-16, 1e-150, 1e-200, 5e-324])
@each_kind
def test_next_to_nothing_needs_next_to_infinitely_many_people(kind, epsilon):
    mechanism = KINDS[kind][0](3, epsilon)
    assert np.all(mechanism.frequency_variance(10) > 1e30)
    if np.isinf(mechanism.frequency_variance(1)).all():
        with pytest.raises(dc.errors.InvalidValueError, match="have no information on"):
            mechanism.estimate_frequencies([[0, 1, 0]])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: UE(1, 0.5, 0.25), "k .*at least 2, got 1"),
        (lambda: UE(2.0, 0.5, 0.25), r"got 2\.0"),
        (lambda: UE(10**9, 0.5, 0.25), "at most 100,000,000"),
        (lambda: UE(3, 1.5, 0.25), r"kappa must be in \[0, 1\], got 1\.5"),
        (lambda: UE(3, 0.5, -0.25), r"lam must be in \[0, 1\], got -0\.25"),
        (lambda: UE(3, math.nan, 0.25), "kappa must be a number, got nan"),
        (lambda: UE(3, "0.5", 0.25), "kappa must be a number"),
        (lambda: UE(3, 0.5, True), "lam must be a number"),
        (lambda: UE(3, 0.25, 0.75), r"at least lam, got 0\.25 and 0\.75; invert every bit.* 0\.75 and 0\.25"),
        *[
            case
            for make, _ in KINDS.values()
            for case in [
                (functools.partial(make, 1, 1), "k .*at least 2, got 1"),
                (functools.partial(make, 3, -0.1), r"epsilon must be at least 0, got -0\.1"),
                (functools.partial(make, 3, math.nan), "epsilon must be a number, got nan"),
                (functools.partial(make, 3, "1"), "epsilon must be a number, got '1'"),
            ]
        ],
    ],
)
def test_parameters_out_of_range_are_refused(make, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        make()


@pytest.mark.parametrize("name", ["k", "kappa", "lam", "epsilon"])
def test_a_mechanism_does_not_change(name):
    for mechanism in (UE(3, 0.5, 0.25), UE.oue(3, 1)):
        with pytest.raises(AttributeError):
            setattr(mechanism, name, 1)


def test_the_methods_are_named():
    mechanism = UE.oue(3, 1)
    for measure in (
        dc.posterior_vulnerability, dc.bayes_risk, dc.bayes_security, dc.ldp_epsilon, dc.multiplicative_bayes_capacity
    ):  # fmt: skip
        assert dc.method(measure, mechanism) == ("closed form of unary encoding", "closed form")
    assert dc.method(dc.posterior_vulnerability, mechanism, [0.5, 0.5, 0]) == (
        "closed form of unary encoding",
        "closed form",
    )
    assert dc.method(dc.mutual_information, mechanism) == ("sum over the number of ones", "exact")
    assert dc.method(dc.mutual_information, mechanism, [0.5, 0.5, 0]) == ("sum over the explicit channel", "exact")


def test_a_mechanism_is_its_channel_to_the_oracle():
    mechanism = UE(3, 0.75, 0.5)  # products of which no double rounds
    assert exact(mechanism.channel().matrix) == exact(np.array(rows(mechanism)))
