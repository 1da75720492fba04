"""Closed bounds of large crowds: by enumeration where that is possible, by simulation where it is not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.adversaries.gains import IdentityGain
from discretion.shuffling.bounds import GainBounds, InformationBounds
from discretion.shuffling.laws.closed_bounds import (
    CapacityAmong,
    GainAmong,
    InformationAmong,
    OneLaw,
    guess_below,
    information_below,
)
from discretion.shuffling.laws.groups import Group
from oracles import single_law_crowds as slow
from oracles.strategies import gains, stochastic

RR, UE = dc.RandomizedResponse, dc.UnaryEncoding
OUE = UE.oue

MECHANISMS = [
    RR(2, epsilon=0.01),
    RR(2, epsilon=1),
    RR(3, epsilon=4),
    OUE(2, 1),
    OUE(3, 0.3),
    UE.rappor(3, 3),
    UE.blh(2, 1),
    dc.SubsetSelection(3, 1, size=2),
    dc.HadamardResponse(3, 2),
    dc.LocalHashing(3, 1, g=2),
    dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.25, 0.375, 0.375]]),
    dc.Channel([[1, 0, 0], [0.5, 0.5, 0]]),
]
# Reports of one user, times those of the others, that are gone through.
MOST = 50_000


def channel_of(mechanism):
    return mechanism.channel().dense()


def most_users(mechanism):
    m = channel_of(mechanism).shape[1]
    return max(2, min(6, int(math.log(MOST) / math.log(m))))


@st.composite
def crowds(draw):
    """A mechanism, how its other users are known, and their laws one by one."""
    mechanism = draw(st.sampled_from(MECHANISMS))
    rows = channel_of(mechanism)
    k = len(rows)
    n = draw(st.integers(2, most_users(mechanism)))
    population = draw(st.one_of(st.none(), stochastic(1, k).map(lambda row: row[0])))
    counts = [draw(st.integers(0, 2)) for _ in range(k)]
    strangers = draw(st.booleans())
    groups, senders = [], []
    for value, wanted in enumerate(counts):
        if count := min(wanted, n - 1 - len(senders)):
            groups.append(Group(count, value=value))
            senders += [rows[value]] * count
    left = n - 1 - len(senders)
    if left and (strangers or not groups):
        groups.append(Group(left, population=population))
        senders += [(np.full(k, 1 / k) if population is None else population) @ rows] * left
    return mechanism, tuple(groups), senders


@pytest.mark.long
@given(crowds(), st.data())
@settings(max_examples=60)
def test_linear_statistics_tell_no_more_than_there_is(crowd, data):
    mechanism, groups, senders = crowd
    k = mechanism.secrets
    likelihoods = slow.rows(channel_of(mechanism), senders)
    prior = data.draw(st.one_of(st.just(np.full(k, 1 / k)), stochastic(1, k).map(lambda row: row[0])))
    truth = slow.information(likelihoods, prior)
    assert 0 <= information_below(mechanism, groups, prior) <= truth * (1 + 1e-9) + 1e-14
    assert guess_below(mechanism, groups) <= slow.gain(likelihoods, np.full(k, 1 / k), np.eye(k)) * (1 + 1e-12)


@pytest.mark.long
@given(st.sampled_from(MECHANISMS), st.data())
@settings(max_examples=80)
def test_closed_bounds_hold_among_others_of_one_law(mechanism, data):
    rows = channel_of(mechanism)
    k, n = len(rows), data.draw(st.integers(2, most_users(mechanism)))
    uniform = np.full(k, 1 / k)
    prior = data.draw(st.one_of(st.just(uniform), stochastic(1, k).map(lambda row: row[0])))
    least = rows.min(axis=0)
    kind = data.draw(st.sampled_from(["value", "strangers", "population", *["blanket"] * bool(least.any())]))
    value = data.draw(st.integers(0, k - 1))
    population = data.draw(stochastic(1, k))[0]
    group, law = {
        "value": (Group(n - 1, value=value), rows[value]),
        "strangers": (Group(n - 1), uniform @ rows),
        "population": (Group(n - 1, population=population), population @ rows),
        "blanket": (Group(n - 1, blanket=True), least / max(least.sum(), 1e-300)),
    }[kind]
    likelihoods = slow.rows(rows, [law] * (n - 1))
    among = OneLaw(mechanism, group)
    truth = slow.information(likelihoods, prior)
    bounds = InformationAmong(among, prior)
    assert bounds.lower_bound(n) * (1 - 1e-9) - 1e-14 <= truth <= bounds.upper_bound(n) * (1 + 1e-9) + 1e-14
    assert truth <= CapacityAmong(among).upper_bound(n) * (1 + 1e-9) + 1e-14
    table = data.draw(gains(k))
    gain = IdentityGain(k) if table is None else dc.gain_matrix(table)
    best = slow.gain(likelihoods, prior, gain.guesses())
    slack = 1e-12 * (1 + abs(best))
    assert (
        GainAmong(among, prior, gain).lower_bound(n) - slack
        <= best
        <= GainAmong(among, prior, gain).upper_bound(n) + slack
    )


@pytest.mark.long
def test_the_information_of_oue_among_known_others_is_within_a_factor_2():
    # The truth by a sum over all histograms of four kinds of report, made once with 10^8 cells.
    def information(n):
        crowd = dc.Shuffled(OUE(2, 1), n).seen_by(dc.AllButOne([n // 2, n - 1 - n // 2]))
        return dc.mutual_information(crowd)

    truth = 5.977e-5  # of three kinds, since all bits set tell as little as none
    assert float(information(1000)) == pytest.approx(truth, rel=1e-3)
    found, truth = information(10**6), 5.977e-8
    assert found.certified
    assert found.low <= truth * 1.001
    assert truth * 0.999 <= found.high <= 2 * found.low


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon", "n"), [(2, 1, 300), (30, 1, 400), (100, 2, 1000)])
def test_bounds_hold_the_simulated_guess_and_information_among_strangers(k, epsilon, n):
    mechanism = OUE(k, epsilon)
    sample = slow.unary_among_strangers(mechanism, n, 2000, np.random.default_rng(1))
    law, prior = OneLaw(mechanism, Group(n - 1)), np.full(k, 1 / k)
    _check_sample(sample.max(axis=1) / k, GainAmong(law, prior, IdentityGain(k)).upper_bound(n), below=1 / k)
    excess = sample * np.log(sample) - sample + 1
    bounds = InformationAmong(law, prior)
    _check_sample(excess.mean(axis=1), bounds.upper_bound(n), bounds.lower_bound(n))
    _check_sample(sample.max(axis=1) / k, math.inf, guess_below(mechanism, (Group(n - 1),)))


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon", "users"), [(10, 1, 300), (100, 1, 1000)])
def test_bounds_hold_what_is_simulated_among_others_of_one_value(k, epsilon, users):
    mechanism = OUE(k, epsilon)
    sample = slow.unary_among_one_value(mechanism, users, 1500, np.random.default_rng(2))
    group, prior = Group(users, value=0), np.full(k, 1 / k)
    _check_sample(
        sample.max(axis=1) / k,
        GainAmong(OneLaw(mechanism, group), prior, IdentityGain(k)).upper_bound(users + 1),
        guess_below(mechanism, (group,)),
    )
    drawn = sample.mean(axis=1)
    told = (sample * np.log(sample) - sample + 1).mean(axis=1) - (drawn * np.log(drawn) - drawn + 1)
    bounds = InformationAmong(OneLaw(mechanism, group), prior)
    _check_sample(
        told,
        bounds.upper_bound(users + 1),
        max(bounds.lower_bound(users + 1), information_below(mechanism, (group,), prior)),
    )


def _check_sample(values, above, below):
    """The mean of a sample is between the bounds, but for four of its standard errors."""
    error = 4 * values.std() / math.sqrt(values.size)
    assert below - error <= values.mean() <= above + error


@pytest.mark.one_in(7)
@pytest.mark.parametrize("mechanism", [OUE(1000, 1), dc.SubsetSelection(1000, 1)])
@pytest.mark.parametrize("n", [10**5, 10**6, 10**9])
def test_the_guess_rises_by_what_the_largest_of_so_many_normals_does(mechanism, n):
    k = mechanism.k
    # OUE: χ² = (κ-λ)²/(λ(1-λ)); the mean maximum of 1000 normals is 3.2414, the mean of its square 10.629: the second
    # order is that of the skewness of counts, after Cornish and Fisher.
    support = mechanism.support
    deviation = math.sqrt(support.other * support.not_other * n)
    skewed = (support.not_other - support.other) / deviation * (10.629 - 1) / 6
    rise = (3.2414 + skewed) * (support.own - support.other) / deviation
    found = dc.posterior_vulnerability(dc.Shuffled(mechanism, n).seen_by(dc.Uninformed(), seed=1))
    assert found.certified
    assert (found.low * k - 1) <= rise <= (found.high * k - 1)
    assert (found.high * k - 1) <= 1.05 * rise
    assert (found.low * k - 1) >= 0.99 * rise


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_bounds_of_large_crowds_come_in_time_for_every_adversary(mechanism):
    n, k = 10**8, mechanism.secrets
    prior = np.arange(1.0, k + 1) / sum(range(1, k + 1))
    for bounds in (
        InformationBounds(prior),
        GainBounds(prior, dc.distance_gain(np.abs(np.subtract.outer(range(k), range(k))))),
    ):
        closed = bounds.closed_bounds(OneLaw(mechanism, Group(n - 1)))
        assert closed.lower_bound(n) <= closed.upper_bound(n) < closed.upper_bound(10**4) + 1e-15
