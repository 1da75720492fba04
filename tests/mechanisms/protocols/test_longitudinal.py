"""Longitudinal protocols: what several rounds of one client give away, against the enumeration of all sequences."""

import itertools
import math

import numpy as np
import pytest

import discretion as dc
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.mechanisms import Longitudinal
from oracles.longitudinal import sequences
from oracles.promise import exactly
from support.lowering import lowered

KINDS = ("rappor", "osue", "oue", "grr")
each_kind = pytest.mark.parametrize("kind", KINDS)
# The ε of all rounds and of one report; for L-OUE the second is at most log((2 e^ε_∞ + 1) / 3).
EPSILONS = [(2, 1), (0.5, 0.1), (4, 0.3), (12, 9), (1e-3, 1e-6)]

MEASURES = {
    "epsilon": dc.ldp_epsilon,
    "security": dc.bayes_security,
    "security with a prior": lambda s: dc.bayes_security(s, skewed(s)),
    "guess": dc.posterior_vulnerability,
    "guess with a prior": lambda s: dc.posterior_vulnerability(s, skewed(s)),
    "two tries": lambda s: dc.posterior_vulnerability(s, skewed(s), dc.k_tries_gain(s.secrets, 2)),
    "risk": dc.bayes_risk,
    "leakage": lambda s: dc.leakage(s, skewed(s)),
    "capacity": dc.multiplicative_bayes_capacity,
    "information": dc.mutual_information,
    "information with a prior": lambda s: dc.mutual_information(s, skewed(s)),
    "Shannon capacity": lambda s: dc.shannon_capacity(s).value,
    "profile": lambda s: dc.privacy_profile(s, 0.2),
    "epsilon of delta": lambda s: dc.dp_epsilon(s, 1e-4),
    "Renyi": lambda s: dc.renyi_dp(s, 2.5),
    "Kullback-Leibler": lambda s: dc.renyi_dp(s, 1),
    "largest Renyi": lambda s: dc.renyi_dp(s, math.inf),
    "trade-off": lambda s: dc.tradeoff(s).at(0.1),
    "trade-off of a pair": lambda s: dc.tradeoff(s, (1, 0)).at(0.3),
    "leakiest pairs": lambda s: len(dc.leakiest_pairs(s, 1e-9)),
    "average privacy": dc.information.average_privacy,
}


def skewed(system):
    shares = np.arange(system.secrets, 0.0, -1)
    return shares / shares.sum()


@pytest.mark.one_in(5)
@each_kind
@pytest.mark.parametrize("k, t", [(2, 1), (2, 3), (3, 1), (3, 2), (3, 3)])
def test_all_measures_are_those_of_all_sequences_of_reports(kind, k, t):
    for epsilons in EPSILONS[:4]:
        protocol = getattr(Longitudinal, kind)(k, *epsilons)
        listed, rounds = sequences(protocol, t), protocol.rounds(t)
        for name, measure in MEASURES.items():
            assert float(measure(rounds)) == exactly(measure(listed)), (name, epsilons)


@pytest.mark.parametrize("k, t", [(5, 2), (6, 3), (4, 4)])
def test_values_that_nobody_reports_count_by_symmetry(k, t):
    protocol = Longitudinal.grr(k, 3, 1)
    listed, rounds = sequences(protocol, t), protocol.rounds(t)
    for name in ("epsilon", "security", "guess", "information", "profile", "Renyi", "trade-off"):
        assert float(MEASURES[name](rounds)) == exactly(MEASURES[name](listed)), name


def test_the_guess_of_many_bits_with_any_prior_is_that_of_the_explicit_channel():
    for k, t, seed in [(4, 5, 1), (6, 3, 2), (9, 1, 3)]:
        prior = np.random.default_rng(seed).dirichlet(np.ones(k))
        prior[0] = 0.0
        prior /= prior.sum()
        rounds = Longitudinal.osue(k, 3, 1).rounds(t)
        explicit = dc.posterior_vulnerability(rounds.channel(), prior)
        assert dc.posterior_vulnerability(rounds, prior) == exactly(explicit)


@each_kind
@pytest.mark.parametrize("k", [2, 3, 100, 1_000_000])
@pytest.mark.parametrize("epsilons", [*EPSILONS, (500, 1), (500, 400), (1e-6, 1e-9)])
def test_epsilon_rises_from_that_of_one_report_to_that_of_the_permanent_one(kind, k, epsilons):
    protocol = getattr(Longitudinal, kind)(k, *epsilons)
    total, first = epsilons
    over_rounds = [dc.ldp_epsilon(protocol.rounds(t)) for t in (1, 2, 3, 10, 100, 10**4, 10**9, math.inf)]
    assert math.isclose(over_rounds[0], first, rel_tol=1e-10)
    assert math.isclose(protocol.one_report.epsilon, first, rel_tol=1e-10)
    assert all(before <= after * (1 + 1e-15) for before, after in itertools.pairwise(over_rounds))
    assert max(over_rounds) <= total * (1 + 1e-15) and over_rounds[-1] == total


@each_kind
def test_more_rounds_give_away_more_and_never_more_than_the_permanent_report(kind):
    protocol = getattr(Longitudinal, kind)(30, 3, 1)
    for name in ("security", "guess", "profile", "epsilon of delta", "Renyi", "trade-off", "capacity"):
        leaks = [float(MEASURES[name](protocol.rounds(t))) for t in (1, 2, 5, 12, 25, math.inf)]
        if name in ("security", "trade-off"):
            leaks = [-leak for leak in leaks]
        assert all(before <= after + 1e-12 for before, after in itertools.pairwise(leaks)), name
    assert math.isclose(dc.bayes_security(protocol.rounds(math.inf)), dc.bayes_security(protocol.permanent))


def test_many_rounds_are_as_good_as_the_permanent_report():
    for kind in ("rappor", "osue", "oue"):
        protocol = getattr(Longitudinal, kind)(1000, 4, 1)
        for name in ("security", "guess", "guess with a prior", "profile"):
            permanent = MEASURES[name](protocol.permanent)
            assert math.isclose(MEASURES[name](protocol.rounds(1000)), permanent, rel_tol=1e-4), (kind, name)


@each_kind
def test_one_report_is_the_report_of_a_single_round(kind):
    protocol = getattr(Longitudinal, kind)(3, 2, 1)
    assert np.allclose(protocol.one_report.channel().dense(), sequences(protocol, 1).dense(), rtol=1e-14, atol=0)


def test_the_published_probabilities():
    # RAPPOR's f, p, q: a permanent bit is as it was with probability 1 - f/2; ε_∞ and ε_1 of one hash function.
    f, p, q = 0.5, 0.5, 0.75
    published = Longitudinal(dc.UnaryEncoding(8, 1 - f / 2, f / 2), dc.UnaryEncoding(8, q, p))
    own, other = f * (p + q) / 2 + (1 - f) * q, f * (p + q) / 2 + (1 - f) * p
    assert math.isclose(dc.ldp_epsilon(published.rounds(math.inf)), 2 * math.log((1 - f / 2) / (f / 2)))
    assert math.isclose(dc.ldp_epsilon(published.rounds(1)), math.log(own * (1 - other) / (other * (1 - own))))
    # L-OSUE and L-GRR of Arcolezi and others.
    total, first = math.exp(2), math.exp(1)
    osue, grr = Longitudinal.osue(7, 2, 1), Longitudinal.grr(7, 2, 1)
    assert math.isclose(osue.instantaneous.kappa, (1 - first * total) / (first - total - first * total + 1))
    report = grr.permanent.p * grr.instantaneous.p + 6 * grr.permanent.q * grr.instantaneous.q
    assert math.isclose(report, first / (first + 6))
    assert osue.one_report.kappa == 0.5 and math.isclose(osue.one_report.lam, 1 / (first + 1))


@each_kind
def test_no_attack_on_simulated_rounds_does_better_than_bayes_security_allows(kind):
    k, t, people = 4, 6, 40_000
    protocol = getattr(Longitudinal, kind)(k, 3, 1)
    limit = 1 - dc.bayes_security(protocol.rounds(t))
    labels = {label: y for y, label in enumerate(protocol.rounds(t).channel().outputs)}
    losses = np.log(protocol.rounds(t).channel().dense()[:2])
    rates = {name: [0.0, 0.0] for name in ("likelihood", "more often", "first round", "majority")}
    for value in (0, 1):
        reports = protocol.sample(np.full(people, value), t, rng=value)
        tallies = reports.sum(axis=0) if kind != "grr" else (reports[..., None] == np.arange(k)).sum(axis=0)
        columns = np.array([labels[tuple(tally)] for tally in tallies.tolist()])
        accusations = {
            "likelihood": losses[0, columns] > losses[1, columns],
            "more often": tallies[:, 0] > tallies[:, 1],
            "first round": (reports[0, :, 0] if kind != "grr" else reports[0] == 0) > 0,
            "majority": 2 * tallies[:, 0] > t,
        }
        for name, accused in accusations.items():
            rates[name][value] = float(accused.mean())
    noise = 4 * math.sqrt(0.5 / people)
    advantages = {name: own - other for name, (own, other) in rates.items()}
    assert all(advantage <= limit + noise for advantage in advantages.values()), advantages
    assert advantages["likelihood"] >= limit - noise


@each_kind
def test_clients_memoize_and_one_round_estimates_the_shares(kind):
    protocol = getattr(Longitudinal, kind)(3, 2, 1)
    values = np.repeat([0, 1, 2], [5000, 3000, 2000])
    reports = protocol.sample(values, 2, rng=5)
    assert len(reports) == 2 and reports.shape[1] == values.size
    shares = protocol.one_report.estimate_frequencies(reports[1])
    errors = np.sqrt(protocol.one_report.frequency_variance(values.size, [0.5, 0.3, 0.2]))
    assert (np.abs(shares - [0.5, 0.3, 0.2]) < 4 * errors).all()
    # One client, many rounds: each bit is 1 as often as its permanent bit says, not as often as one report would.
    many = protocol.sample([0], 4000, rng=6)[:, 0]
    step = protocol.instantaneous
    if kind == "grr":
        assert abs(np.bincount(many, minlength=3).max() / 4000 - step.p) < 0.04
    else:
        means = many.mean(axis=0)
        assert (np.minimum(np.abs(means - step.kappa), np.abs(means - step.lam)) < 0.04).all()
    assert (protocol.sample([0, 1], 3, rng=7) == protocol.sample([0, 1], 3, rng=7)).all()


PROTOCOL = Longitudinal.rappor(3, 2, 1)


@pytest.mark.parametrize(
    "use",
    [
        lambda: dc.repeated(PROTOCOL, 2),
        lambda: dc.repeated(PROTOCOL.rounds(2), 2),
        lambda: dc.parallel(PROTOCOL, PROTOCOL.one_report),
        lambda: PROTOCOL.rounds(2) & PROTOCOL.rounds(3),
        lambda: PROTOCOL.one_report & PROTOCOL.rounds(math.inf),
        lambda: dc.Shuffled(PROTOCOL, 10),
        lambda: dc.Shuffled(PROTOCOL.rounds(1), 10),
        lambda: dc.bayes_security(PROTOCOL),
        lambda: dc.mutual_information(PROTOCOL),
    ],
)
def test_uses_that_draw_all_randomness_anew_are_refused(use):
    with pytest.raises(UnsupportedError, match=r"rounds\(t\)"):
        use()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Longitudinal.rappor(3, 1, 1), "below permanent_epsilon = 1, got 1"),
        (lambda: Longitudinal.osue(3, 1, 0), "above 0"),
        (lambda: Longitudinal.grr(3, math.inf, 1), "at most 600, got inf"),
        (lambda: Longitudinal.oue(3, 2, 1.7), "below 1.66001"),
        (lambda: Longitudinal.grr(1, 2, 1), "k must be"),
        (lambda: Longitudinal(dc.UnaryEncoding.oue(3, 1), dc.UnaryEncoding.oue(4, 1)), "the same number of values"),
        (lambda: Longitudinal(dc.RandomizedResponse(3, 1), dc.RandomizedResponse(3, math.inf)), "finite epsilon"),
        (lambda: PROTOCOL.rounds(0), "at least 1, got 0"),
        (lambda: PROTOCOL.rounds(1.5), "whole number"),
        (lambda: PROTOCOL.sample([0], 0), "rounds must be"),
    ],
)
def test_impossible_parameters_are_refused(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_steps_of_two_kinds_are_refused():
    with pytest.raises(UnsupportedError, match="RandomizedResponse"):
        Longitudinal(dc.UnaryEncoding.oue(3, 1), dc.RandomizedResponse(3, 1))


@each_kind
def test_too_many_tallies_are_refused(kind):
    rounds = getattr(Longitudinal, kind)(30, 2, 1).rounds(20)
    assert 1 < dc.ldp_epsilon(rounds) <= 2
    with lowered(MAX_TALLY_ENTRIES=100), pytest.raises(TooLargeError, match="fewer rounds"):
        dc.bayes_security(rounds)
