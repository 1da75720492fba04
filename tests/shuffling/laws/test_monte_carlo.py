"""Crowds too large to sum over, from a sample: its interval holds and is narrow, and reports say what they should."""

import math
import time

import numpy as np
import pytest

import discretion as dc
from discretion.adversaries.gains import IdentityGain
from discretion.shuffling.laws import monte_carlo
from discretion.shuffling.laws.groups import Group
from discretion.shuffling.laws.monte_carlo import mean_over_crowds, reports_of
from oracles import adversaries as slow, channels, measures
from oracles.promise import exactly
from support.lowering import lowered

RR, UE = dc.RandomizedResponse, dc.UnaryEncoding

REPETITIONS, LEAST_COVERED = 1000, 940

Q = [[0.5, 0.25, 0.125, 0.125], [0.125, 0.5, 0.25, 0.125], [0.25, 0.25, 0.25, 0.25]]
LEANING, OTHERWISE = np.array([0.5, 0.375, 0.125]), np.array([0.25, 0.25, 0.5])
UNIFORM = np.full(3, 1 / 3)
GAIN = [[1.0, 0.0, -0.5], [0.0, 0.75, 0.0], [0.25, 0.25, 1.0]]
# A report that says who made it: nobody else can have.
TELLING = [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25]]


def guess(prior):
    return monte_carlo.GuessLeak(prior, IdentityGain(prior.size))


def gains(prior):
    return monte_carlo.GuessLeak(prior, dc.gain_matrix(GAIN))


def information(prior):
    return monte_carlo.InformationLeak(prior)


# Mechanism, others, prior and leak.
KNOWN_EXACTLY = {
    "k-RR, 3 values": (RR(3, p=0.7), Group(29), UNIFORM, guess),
    "k-RR, 5 values": (RR(5, p=0.6), Group(19), np.full(5, 0.2), guess),
    "k-RR, a prior of its own": (RR(3, p=0.7), Group(19, population=LEANING), OTHERWISE, guess),
    "k-RR, gains": (RR(3, p=0.7), Group(19, population=LEANING), LEANING, gains),
    "k-RR, information": (RR(3, p=0.7), Group(29), UNIFORM, information),
    "channel": (dc.Channel(Q), Group(11, population=LEANING), LEANING, guess),
    "channel, gains": (dc.Channel(Q), Group(11, population=LEANING), OTHERWISE, gains),
    "channel, information": (dc.Channel(Q), Group(11, population=LEANING), OTHERWISE, information),
    "channel, a certain target": (dc.Channel(Q), Group(11), dc.point(3, 1), guess),
    "telling reports": (dc.Channel(TELLING), Group(9, value=0), LEANING, guess),
    "telling reports, information": (dc.Channel(TELLING), Group(9, value=0), LEANING, information),
    "without noise": (RR(3, p=1), Group(9, population=np.array([0.75, 0.25, 0.0])), UNIFORM, guess),
    "bits by type": (UE(2, 0.75, 0.25), Group(9, population=np.array([0.75, 0.25])), np.array([0.5, 0.5]), guess),
    "bits": (UE(3, 0.75, 0.25), Group(1), UNIFORM, guess),
    "bits, a prior of its own": (UE(3, 0.75, 0.25), Group(1, population=LEANING), OTHERWISE, guess),
    "bits, information": (UE(3, 0.5, 0.125), Group(1, population=LEANING), LEANING, information),
}


def rows_of(mechanism, group):
    """P(h | x) over all histograms, by enumeration where it is short, else by the listing that other tests check."""
    k = mechanism.secrets
    if group.count <= 2:
        exact, strangers = channels.exact(mechanism.channel().matrix), measures.fractions(group.law(k))
        return np.array(slow.uninformed(exact, group.count + 1, strangers), dtype=float)
    others = dc.Uninformed(group.law(k))
    return dc.Shuffled(dc.Channel(mechanism.channel().matrix), group.count + 1).seen_by(others).channel().matrix


def truth_of(mechanism, group, leak):
    joint = leak.prior[:, None] * rows_of(mechanism, group)
    if isinstance(leak, monte_carlo.GuessLeak):
        return float((leak.gain.guesses() @ joint).max(axis=0).sum())
    independent = leak.prior[:, None] * joint.sum(axis=0)
    seen = joint > 0
    return float(joint[seen] @ np.log(joint[seen] / independent[seen]))


@pytest.fixture
def few_draws(monkeypatch):
    """A thousand repetitions in a second: an interval that holds at every sample size holds at this one."""
    monkeypatch.setattr(monte_carlo, "_FEWEST", 200)
    with lowered(MAX_CROWDS_DRAWN=200):
        yield


@pytest.mark.long
@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("case", KNOWN_EXACTLY)
def test_intervals_cover_what_is_known_exactly(case, monkeypatch):
    mechanism, group, prior, of = KNOWN_EXACTLY[case]
    leak, reports = of(prior), reports_of(mechanism, group)
    spread = reports.spread(prior)  # once: both are the same for all repetitions
    monkeypatch.setattr(monte_carlo, "reports_of", lambda *_: reports)
    monkeypatch.setattr(reports, "spread", lambda _: spread)
    truth, rng = truth_of(mechanism, group, leak), np.random.default_rng(7)
    estimates = [mean_over_crowds(mechanism, group, leak, rng) for _ in range(REPETITIONS)]
    covered = sum(e.low - 1e-13 <= truth <= e.high + 1e-13 for e in estimates)
    assert covered >= LEAST_COVERED
    assert {e.confidence for e in estimates} == {0.95}
    # Nor does it lean to one side.
    values = np.array([e.value for e in estimates])
    assert abs(values.mean() - truth) <= 5 * values.std() / math.sqrt(REPETITIONS) + 1e-13


def least_half_width(mechanism, n, leak, draws):
    """Half of a normal 95 % interval that as many crowds give with the best linear control: a mix of all counts."""
    rows = mechanism.channel().matrix
    law = leak.prior @ rows
    # The deviation takes fewer of them; each coefficient fitted costs one.
    crowds = np.random.default_rng(99).multinomial(n, law, size=15_000)
    values = leak.values(leak.prior * ((crowds / law) @ rows.T) / n, whole=True)
    controls = (crowds - n * law)[:, 1:]
    mix = np.linalg.solve(controls.T @ controls, controls.T @ (values - values.mean()))
    residual = values - values.mean() - controls @ mix
    variance = float(residual @ residual) / (len(values) - len(law))
    return 1.96 * math.sqrt(variance / draws)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [1, 2])
def test_the_interval_is_at_most_twice_what_the_best_linear_control_gives(epsilon):
    mechanism, n, leak = UE.oue(8, epsilon), 1000, guess(np.full(8, 0.125))
    started = time.process_time()
    estimate = mean_over_crowds(mechanism, Group(n - 1), leak, np.random.default_rng(1))
    assert time.process_time() - started < 10
    half = (estimate.high - estimate.low) / 2
    assert half < 1e-4
    cost = reports_of(mechanism, Group(n - 1)).cost
    draws = max(monte_carlo._FEWEST, min(monte_carlo._CELLS // cost, monte_carlo.MAX_CROWDS_DRAWN))
    assert half <= 2 * least_half_width(mechanism, n, leak, draws)


@pytest.mark.usefixtures("few_draws")
def test_a_seed_repeats_the_estimate_and_another_does_not():
    crowd = dc.Shuffled(UE.oue(8, 1), 1000)
    first, again, *others = (
        dc.posterior_vulnerability(crowd.seen_by(dc.Uninformed(), seed)) for seed in (3, 3, 4, None, None)
    )
    assert first == again
    assert len({estimate.value for estimate in (first, *others)}) == 4
    assert dc.method(dc.posterior_vulnerability, crowd) == monte_carlo.SAMPLED


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("measure", [dc.posterior_vulnerability, dc.mutual_information])
def test_one_system_is_sampled_alike_whenever_it_is_asked(measure):
    crowd = dc.Shuffled(dc.LocalHashing(8, 1), 1000)
    assert measure(crowd) == measure(crowd)
    seen = crowd.seen_by(dc.Uninformed())
    assert measure(seen) == measure(seen) == measure(crowd.seen_by(dc.Uninformed(), seed=seen.seed))
    # What closed bounds settle takes no sample.
    assert measure(seen).certified or measure(seen) != measure(crowd)
    assert not dc.posterior_vulnerability(crowd.seen_by(dc.Uninformed(), seed=1)).certified


@pytest.mark.usefixtures("few_draws")
def test_a_crowd_in_which_reports_say_nothing_leaves_the_prior():
    for mechanism in (UE(8, 0.25, 0.25), RR(50, epsilon=0)):
        k = mechanism.k
        estimate = mean_over_crowds(mechanism, Group(999), guess(np.full(k, 1 / k)), np.random.default_rng(1))
        assert estimate.value == exactly(1 / k)
        assert estimate.high - estimate.low < 1e-9


# What a report says.

REPORTS = {
    "types": (dc.Channel(Q), Group(30, population=LEANING), LEANING, monte_carlo._TypesOfReport),
    "types, a prior of its own": (dc.Channel(Q), Group(30, population=LEANING), OTHERWISE, monte_carlo._TypesOfReport),
    "bits by type": (UE(3, 0.75, 0.25), Group(30, population=LEANING), OTHERWISE, monte_carlo._TypesOfReport),
    "k-RR": (RR(3, p=0.7), Group(30), UNIFORM, monte_carlo.Responses),
    "k-RR, a prior of its own": (RR(3, p=0.7), Group(30, population=LEANING), OTHERWISE, monte_carlo.Responses),
    "k-RR, others known": (RR(3, p=0.7), Group(30, value=1), OTHERWISE, monte_carlo.Responses),
    "bits": (UE(3, 0.75, 0.25), Group(1, population=LEANING), LEANING, monte_carlo._BitRows),
    "bits, few ones": (UE(3, 0.5, 0.125), Group(1), UNIFORM, monte_carlo._BitRows),
}


def said_by_each(mechanism, group, prior):
    """The law of a stranger's report, and ``π_x Q[x, y] / q_y``."""
    rows = mechanism.channel().matrix
    law = group.law(len(rows)) @ rows
    return law, prior[:, None] * rows / law


@pytest.mark.parametrize("case", REPORTS)
def test_ranges_and_variances_are_those_over_single_reports(case):
    mechanism, group, prior, kind = REPORTS[case]
    reports = reports_of(mechanism, group)
    assert type(reports) is kind
    law, said = said_by_each(mechanism, group, prior)
    said = np.vstack([said, said.sum(axis=0)])
    means = said @ law
    assert means == pytest.approx([*prior, 1.0], rel=1e-12)
    ranges, variances = reports.spread(prior)
    widest = said.max(axis=1) - said.min(axis=1)
    assert (ranges >= widest - 1e-14).all()
    if kind is not monte_carlo.Responses or group.is_uniform:  # else it is short, and may be wider than it need be
        assert ranges == pytest.approx(widest, rel=1e-12, abs=1e-14)
    assert variances == pytest.approx((said - means[:, None]) ** 2 @ law, rel=1e-11, abs=1e-14)


def test_bits_of_a_prior_of_their_own_have_no_short_bound():
    ranges, _ = reports_of(UE(3, 0.75, 0.25), Group(1, population=LEANING)).spread(OTHERWISE)
    assert np.isinf(ranges).all()


@pytest.mark.parametrize("case", REPORTS)
def test_each_report_says_one_of_every_value_on_average(case):
    mechanism, group, prior, _ = REPORTS[case]
    reports, size, n = reports_of(mechanism, group), 20_000, group.count + 1
    drawn = reports.draw(np.random.default_rng(1), size, n, None)
    assert drawn.shape == (size, 3)
    assert (abs(drawn.mean(axis=0) - n) <= 5 * drawn.std(axis=0) / math.sqrt(size) + 1e-12).all()
    _, variances = reports.spread(prior)
    if np.isfinite(variances).all():
        assert (drawn * prior).var(axis=0) == pytest.approx(n * variances[:-1], rel=0.08)


@pytest.mark.parametrize("target", [0, 1, 2])
@pytest.mark.parametrize("case", REPORTS)
def test_the_target_reports_her_own_value_beside_the_others(case, target):
    mechanism, group, _, _ = REPORTS[case]
    reports, size = reports_of(mechanism, group), 20_000
    drawn = reports.draw(np.random.default_rng(2), size, group.count, np.full(size, target))
    _, said = said_by_each(mechanism, group, np.ones(3))
    expected = group.count + said @ mechanism.channel().matrix[target]
    assert (abs(drawn.mean(axis=0) - expected) <= 5 * drawn.std(axis=0) / math.sqrt(size) + 1e-12).all()


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("kappa", [1.0, 0.75])
def test_a_report_that_nobody_but_the_target_can_have_sent_is_no_trouble(kappa):
    # With κ = 1 everybody's own bit is set, and of most values the adversary knows that no stranger holds them.
    population = np.array([0.75, 0.25, *[0.0] * 18])
    estimate = dc.posterior_vulnerability(
        dc.Shuffled(UE(20, kappa, 0.25), 100).seen_by(dc.Uninformed(population), seed=1)
    )
    assert 1 / 20 < estimate.value <= 1
