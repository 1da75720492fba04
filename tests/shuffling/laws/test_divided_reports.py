"""What a report tells, divided among those of others: the parts in small crowds, and bounds of large ones."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.shuffling.known_others import even_counts, known_groups
from discretion.shuffling.laws.closed_bounds import guess_below, information_below
from discretion.shuffling.laws.divided_reports import (
    ListedReports,
    SupportingReports,
    divided_guess,
    divided_information,
)
from discretion.shuffling.laws.groups import Group
from discretion.shuffling.laws.largest_counts import guess_by_largest_count
from oracles import divided_reports as slow

RR, UE, SS, LH, HR = (
    dc.RandomizedResponse,
    dc.UnaryEncoding,
    dc.SubsetSelection,
    dc.LocalHashing,
    dc.HadamardResponse,
)
SYMMETRIC = [RR(2, 0.5), RR(4, 1), UE.oue(2, 1), UE.rappor(3, 2), SS(3, 1, size=2), SS(4, 4, size=2)]


def uniform(k):
    return np.full(k, 1 / k)


def random_crowds():
    """Channels of rare and of frequent reports, who holds what, and a prior."""
    rng = np.random.default_rng(3)
    for trial in range(60):
        k, m = rng.integers(2, 5, size=2)
        channel = np.maximum(rng.dirichlet(np.full(m, [0.3, 1, 5, 50][trial % 4]), size=k), 1e-6)
        counts = rng.multinomial(rng.integers(1, 6), rng.dirichlet(np.ones(k)))
        yield channel / channel.sum(axis=1, keepdims=True), counts, rng.dirichlet(np.ones(k))


def holders_of(channel, counts):
    return np.repeat(channel, counts, axis=0)


def equal_parts(senders, told):
    return np.tile(told / len(senders), (len(senders), 1))


@pytest.mark.parametrize(("channel", "counts", "prior"), list(random_crowds()))
def test_both_parts_add_up_to_what_the_report_tells_and_are_bounded(channel, counts, prior):
    reports, senders, mean = ListedReports(channel, prior), holders_of(channel, counts), prior @ channel
    truth = slow.information(channel, senders, prior)
    share = channel.min(axis=0).sum()
    blanket = channel.min(axis=0) / share
    for parts_of, division in [
        (equal_parts, reports.equally(len(senders))),
        (slow.best_parts, reports.among(counts)),
    ]:
        assert division is not None
        variances, seconds, remainders = [], [], []
        for row in channel:
            parts = parts_of(senders, row - mean)
            law, first, second = slow.densities(senders, parts, mean)
            likelihoods = slow.histograms([*senders, row])
            ratios = [likelihoods[histogram] / mass for histogram, mass in law.items()]
            assert 1 + first + second == pytest.approx(ratios, abs=1e-7)
            masses = np.array(list(law.values()))
            variances.append((parts**2 / senders).sum())
            seconds.append(masses @ second**2)
            remainders.append(slow.remainder(senders, parts, mean, blanket, share))
            assert masses @ first**2 <= variances[-1] * (1 + 1e-9)
            assert np.abs(parts / senders).max() <= division.largest_step * (1 + 1e-9)
        assert max(variances) <= division.largest_variance * (1 + 1e-9)
        assert prior @ seconds <= prior @ remainders * (1 + 1e-9)
        if parts_of is equal_parts:  # whatever the others hold
            assert prior @ variances <= division.variance * (1 + 1e-9)
            assert prior @ remainders <= division.remainder * (1 + 1e-9)
        else:
            assert division.variance == pytest.approx(prior @ variances, rel=1e-7)
            assert division.remainder == pytest.approx(prior @ remainders, rel=1e-6)
        assert truth <= division.information() * (1 + 1e-9)


@pytest.mark.parametrize("value", range(3))
def test_equal_parts_are_those_of_others_who_all_hold_the_worst_value(value):
    channel = np.array([[0.6, 0.3, 0.1], [0.3, 0.4, 0.3], [0.2, 0.2, 0.6]])
    reports = ListedReports(channel, uniform(3))
    variances = [((channel - channel.mean(axis=0)) ** 2 / row).sum() / 3 / 5 for row in channel]
    division = reports.among(5 * np.eye(3, dtype=int)[value])
    assert division is not None
    assert division.variance == pytest.approx(variances[value])
    assert reports.equally(5).variance == pytest.approx(max(variances))


@pytest.mark.parametrize("mechanism", SYMMETRIC, ids=str)
def test_sizes_of_supports_stand_for_all_reports(mechanism):
    k = mechanism.secrets
    listed = ListedReports(mechanism.report_types(range(k)), uniform(k))
    supporting = SupportingReports(mechanism.overlaps, mechanism.support_sizes, k)
    assert supporting.equally(7).variance == pytest.approx(listed.equally(7).variance)
    among, by_size = listed.among(np.full(k, 3)), supporting.among(np.full(k, 3))
    assert among is not None
    assert by_size is not None
    assert by_size.variance == pytest.approx(among.variance)
    assert by_size.largest_variance == pytest.approx(among.largest_variance)


@pytest.mark.parametrize("mechanism", SYMMETRIC, ids=str)
def test_remainders_by_sizes_are_those_by_all_reports(mechanism):
    k, channel = mechanism.secrets, mechanism.channel()
    rows, supported = channel.dense(), mechanism._supports(np.array(list(channel.outputs))).T
    overlaps, mean = mechanism.overlaps, rows.mean(axis=0)
    blanket = rows[0] / np.where(supported[0], overlaps.likely, overlaps.unlikely)
    supporting = SupportingReports(overlaps, mechanism.support_sizes, k)
    crowds = [
        (equal_parts, supporting.equally(2 * k), holders_of(rows, [2 * k] + [0] * (k - 1))),
        (slow.best_parts, supporting.among(np.full(k, 2)), holders_of(rows, [2] * k)),
    ]
    for parts_of, division, senders in crowds:
        assert division is not None
        parts = [parts_of(senders, row - mean) for row in rows]
        remainders = [slow.remainder(senders, each, mean, blanket, overlaps.unlikely) for each in parts]
        assert division.remainder == pytest.approx(np.mean(remainders))
        assert np.abs(parts / senders).max() <= division.largest_step * (1 + 1e-9)


def test_the_convex_bounds_lie_above_the_divergence():
    z = np.linspace(-4, 6, 20_001)
    lowered = np.maximum(z, -1 + 1e-15)
    f = (1 + lowered) * np.log(1 + lowered) - lowered
    convex = np.where(z < -1, -1 - 2 * z, np.maximum(f, -1 - 2 * z))
    assert (np.diff(convex, 2) >= -1e-12).all()
    assert (convex <= z**2 + 1e-12).all()
    assert (convex <= z**2 / 2 - z**3 / 6 + z**4 / 2 + 1e-12).all()


@pytest.mark.parametrize("mechanism", SYMMETRIC, ids=str)
@pytest.mark.parametrize("counts", [(2, 2), (1, 1, 1), (2, 1, 0), (4, 0), (0, 3), (1, 1, 1, 1), (2, 1, 2, 0)], ids=str)
def test_no_guess_of_a_small_crowd_is_better_than_the_bound(mechanism, counts):
    k = mechanism.secrets
    counts = (*counts, 0, 0)[:k]
    rows = mechanism.report_types(range(k))
    likelihoods = [slow.convolved(slow.histograms(holders_of(rows, counts)), row) for row in rows]
    truth = sum(max(row[histogram] for row in likelihoods) for histogram in likelihoods[0]) / k
    assert truth <= divided_guess(mechanism, sum(counts), known_groups(counts)) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("mechanism", "counts"),
    [(RR(3, 1), (130, 130, 130)), (RR(3, 0.3), (300, 50, 50)), (UE.oue(2, 1), (40, 40)), (LH(2, 1, g=4), (60, 30))],
    ids=str,
)
def test_the_bound_is_above_the_sum_over_histograms_and_near_it(mechanism, counts):
    k, users = mechanism.secrets, sum(counts)
    crowd = dc.Shuffled(mechanism, users + 1)
    exact = dc.mutual_information(crowd.seen_by(dc.AllButOne(counts)))
    assert isinstance(exact, float)
    bound = divided_information(mechanism, users, known_groups(counts), uniform(k))
    assert exact < bound < 1.6 * exact
    assert bound <= divided_information(mechanism, users, (), uniform(k))
    guess = dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne(counts)))
    assert isinstance(guess, float)
    assert guess <= divided_guess(mechanism, users, known_groups(counts))


@pytest.mark.parametrize(("mechanism", "most"), [(UE.oue(20, 1), 1.1), (UE.rappor(400, 1), 1.06)], ids=str)
def test_the_guess_of_bits_is_near_that_by_the_largest_count(mechanism, most):
    k, groups = mechanism.secrets, known_groups(even_counts(10**7, mechanism.secrets))
    attained, bound = guess_by_largest_count(mechanism, groups), divided_guess(mechanism, 10**7, groups)
    assert k * attained - 1 <= k * bound - 1 <= most * (k * attained - 1)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("epsilon", [1e-17, 1e-9, 1e-4, 0.1, 2.0, 8.0, 30.0, 200.0])
@pytest.mark.parametrize("kind", [RR, UE.oue, SS, HR])
@pytest.mark.parametrize("k", [3, 30])
@pytest.mark.parametrize("users", [1, 90, 10**9])
def test_bounds_at_any_epsilon_are_above_what_linear_statistics_get(kind, epsilon, k, users):
    mechanism, groups = kind(k, epsilon), known_groups(even_counts(users, k))
    assert information_below(mechanism, groups, uniform(k)) <= divided_information(mechanism, users, groups, uniform(k))
    assert guess_below(mechanism, groups) <= divided_guess(mechanism, users, groups)


@pytest.mark.parametrize(
    "channel", [[[1, 0, 0], [0.5, 0.5, 0]], [[0.5, 0.5, 0], [0.5, 0.25, 0.25]], [[0.5, 0.5], [1, 1e-40]]]
)
def test_reports_that_rule_a_value_out_have_no_bound(channel):
    assert divided_information(dc.Channel(channel), 100, (), uniform(2)) == math.inf


def test_others_in_the_blanket_have_no_part():
    blanket = (Group(100, blanket=True),)
    assert divided_information(RR(3, 1), 100, blanket, uniform(3)) == math.inf
    assert divided_guess(RR(3, 1), 100, blanket) == math.inf


PROTOCOLS = [RR, UE.oue, UE.rappor, SS, HR, LH, lambda k, epsilon: LH(k, epsilon, g=2)]


@pytest.mark.one_in(11)
@pytest.mark.parametrize("kind", PROTOCOLS)
@pytest.mark.parametrize("k", [10, 100])
@pytest.mark.parametrize("others", ["known", "worst"])
def test_information_of_many_values_is_known_to_three_percent_among_100_000(kind, k, others):
    knowledge = dc.AllButOne(even_counts(99_999, k)) if others == "known" else dc.WorstAllButOne()
    answer = dc.mutual_information(dc.Shuffled(kind(k, 1), 100_000).seen_by(knowledge))
    assert answer.low <= answer.high <= 1.03 * answer.low


@pytest.mark.long
def test_information_about_one_of_two_values_is_known_to_two_percent_among_the_worst_others():
    crowd = dc.Shuffled(UE.oue(2, 1), 100_000).seen_by(dc.WorstAllButOne())
    for prior in (None, [0.2, 0.8]):
        answer = dc.mutual_information(crowd, prior)
        assert answer.low <= answer.high <= 1.02 * answer.low
