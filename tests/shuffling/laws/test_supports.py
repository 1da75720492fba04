"""Bounds of what reports that support values tell of two of them, beside explicit channels and listed histograms."""

import itertools
import math

import numpy as np
import pytest

import discretion as dc
from discretion.mechanisms.reporting import reporting
from discretion.numerics.means.smoothed_excess import Steps
from discretion.shuffling.known_others import known_groups
from discretion.shuffling.laws import supports
from discretion.shuffling.laws.blanket import linear_excess
from discretion.shuffling.laws.groups import Group, report_types
from discretion.shuffling.laws.pairs import PairOfValues
from discretion.shuffling.laws.supports import (
    PairAmongHolders,
    attained_excess,
    blanket_types,
    uniform_others_types,
    worst_excess_bound,
)

RR, UE, SS, LH, HR = (
    dc.RandomizedResponse,
    dc.UnaryEncoding,
    dc.SubsetSelection,
    dc.LocalHashing,
    dc.HadamardResponse,
)
PROTOCOLS = [
    *(RR(k, epsilon=1) for k in (2, 3, 5)),
    *(UE.oue(k, epsilon=1) for k in (2, 3, 5)),
    UE.rappor(4, epsilon=2),
    UE.blh(3, epsilon=1),
    SS(5, epsilon=1, size=2),
    SS(4, epsilon=1, size=3),
    *(LH(k, epsilon=1, g=g) for k, g in [(2, 2), (3, 2), (5, 2), (3, 3), (4, 3), (5, 4)]),
    *(HR(k, epsilon=1) for k in (2, 3, 5)),
]
RATIOS = [1.0, 1.1, 1.5]


def named(mechanism):
    return repr(mechanism)


@pytest.mark.parametrize("mechanism", PROTOCOLS, ids=named)
def test_overlaps_are_counted_from_the_channel(mechanism):
    overlaps, channel = mechanism.overlaps, mechanism.channel()
    rows, supported = channel.dense(), mechanism._supports(np.array(list(channel.outputs))).T
    plain = rows[0] / np.where(supported[0], overlaps.likely, overlaps.unlikely)
    assert plain.sum() == pytest.approx(1, rel=1e-9)
    k = len(rows)
    assert [float(plain[supported[v]].sum()) for v in range(k)] == pytest.approx([overlaps.one] * k)
    for a, b in itertools.combinations(range(k), 2):
        assert plain[supported[a] & supported[b]].sum() == pytest.approx(overlaps.two, abs=1e-12)
    threes = {
        round(float(plain[supported[list(three)].all(axis=0)].sum()), 9)
        for three in itertools.combinations(range(k), 3)
    }
    assert threes == {round(three, 9) for three in overlaps.three}
    assert plain[supported.all(axis=0)].sum() == pytest.approx(overlaps.every, abs=1e-12)


@pytest.mark.parametrize("mechanism", [each for each in PROTOCOLS if each.support_sizes is not None], ids=named)
def test_the_reports_of_all_kinds_are_all_reports_whoever_sends_them(mechanism):
    k = mechanism.k
    pair = PairAmongHolders(mechanism.overlaps, mechanism.support_sizes, k, 1, 1, k - 2, (1, 1, 1))
    assert pair._masses.sum() == pytest.approx(1, rel=1e-9)
    assert pair._factors[: min(k, 3)] @ pair._masses == pytest.approx([1] * min(k, 3), rel=1e-9)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("mechanism", PROTOCOLS, ids=named)
def test_pairs_are_told_apart_in_the_blanket_as_by_the_channel(mechanism):
    explicit = dc.Channel(mechanism.channel().matrix)
    assert reporting(mechanism).blanket_probability == pytest.approx(reporting(explicit).blanket_probability)
    types = blanket_types(mechanism.overlaps)
    for ends in itertools.permutations(range(mechanism.secrets), 2):
        by_channel = report_types(explicit, (Group(5, blanket=True),), ends)
        for ratio in RATIOS:
            assert linear_excess(types, 5, ratio).value == pytest.approx(linear_excess(by_channel, 5, ratio).value)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("mechanism", PROTOCOLS, ids=named)
def test_others_who_all_hold_one_value_are_one_of_the_kinds(mechanism):
    k = mechanism.secrets
    explicit = dc.Channel(mechanism.channel().matrix)
    kinds = {round(linear_excess(types, 4, 1.2).value, 11) for types in uniform_others_types(mechanism.overlaps)}
    among = {
        round(linear_excess(report_types(explicit, (Group(4, value=v),), ends), 4, 1.2).value, 11)
        for ends in itertools.permutations(range(k), 2)
        for v in range(k)
    }
    assert among == kinds


def exact_excess(mechanism, counts, a, b, ratio):
    pair = PairOfValues(mechanism, a, b, known_groups(counts))
    assert pair.needs_no_bound
    return float(pair.excess_beyond(math.log(ratio)))


CROWDS = [
    (RR(2, epsilon=1), (150, 149)),
    (RR(3, epsilon=1), (40, 20, 40)),
    (UE.oue(2, epsilon=1), (50, 49)),
    (HR(2, epsilon=1), (30, 70)),
    (LH(2, 1, g=2), (50, 49)),
    (LH(2, 1, g=4), (40, 60)),
]


@pytest.mark.parametrize(("mechanism", "counts"), CROWDS, ids=str)
@pytest.mark.parametrize("ratio", [1.0, 1.1])
def test_bounds_among_holders_enclose_the_sum_over_histograms(mechanism, counts, ratio):
    further = counts[2:]
    each = min(further, default=0)
    for a, b in [(0, 1), (1, 0)]:
        own, other = counts[a], counts[b]
        pair = PairAmongHolders(
            mechanism.overlaps, mechanism.support_sizes, mechanism.k, own, other, sum(further), (own, other, each)
        )
        low, high = pair.excess(ratio)
        exact = exact_excess(mechanism, counts, a, b, ratio)
        assert 0.9 * exact - 1e-5 <= low <= exact <= high
        assert math.isfinite(high)
        assert (
            attained_excess(report_types(mechanism, known_groups(counts), (a, b)), [c for c in counts if c], ratio)
            <= exact
        )


@pytest.mark.long
@pytest.mark.parametrize(
    ("mechanism", "n"), [(RR(2, epsilon=1), 120), (UE.oue(2, epsilon=1), 62), (RR(3, epsilon=1), 60)], ids=str
)
@pytest.mark.parametrize("ratio", [1.0, 1.2])
def test_no_others_exceed_the_bound_for_all(mechanism, n, ratio):
    k, users = mechanism.secrets, n - 1
    counts = [(c, users - c) for c in range(0, users + 1, 6)]
    if k == 3:
        counts = [(a, b, users - a - b) for a in range(0, users + 1, 20) for b in range(0, users - a + 1, 20)]
    worst = max(exact_excess(mechanism, each, 0, 1, ratio) for each in counts)
    assert worst <= worst_excess_bound(mechanism.overlaps, users, ratio) < math.inf


@pytest.mark.parametrize("mechanism", [RR(10, epsilon=1), UE.oue(1000, epsilon=1), LH(1000, 1), HR(1000, 1)], ids=str)
def test_the_bound_for_all_is_near_what_is_attained(mechanism):
    users, overlaps = 10**6 - 1, mechanism.overlaps
    attained = max(linear_excess(types, users, 1.0, 1e-4).value for types in uniform_others_types(overlaps))
    assert attained <= worst_excess_bound(overlaps, users, 1.0) < 1.04 * attained


@pytest.mark.parametrize("eta", [0.0, 0.02, 0.2, 1.0])
def test_a_product_of_two_means_exceeds_by_no_more_than_bounded(eta):
    first = Steps(1, np.array([-1.0, 0.25, 1.5]), np.array([0.5, 0.4, 0.1]) @ np.diag([1, 1, 1]))
    first = first._replace(values=first.values - float(first.values @ first.probabilities))
    second = Steps(1, np.array([-0.5, 1.0]), np.array([2 / 3, 1 / 3]))

    def means(steps, times):
        atoms = itertools.product(range(steps.values.size), repeat=times)
        return [(steps.values[list(at)].mean(), steps.probabilities[list(at)].prod()) for at in atoms]

    exact = sum(p * q * max(0.0, x * y - eta) for x, p in means(first, 5) for y, q in means(second, 6))
    bound = supports._product_excess(first, 5, second, 6, np.array([0.0, eta]))[1]
    assert exact <= bound


def test_an_adversary_who_counts_supporting_reports_gains_less_than_the_bound():
    mechanism, n, ratio = UE.oue(20, epsilon=1), 4000, 1.0
    rng = np.random.default_rng(5)
    counts = np.full(20, (n - 1) // 20)
    others = np.repeat(np.arange(20), counts)

    def score(value):
        reports = np.concatenate([[value], others])
        tallies = mechanism.aggregate(mechanism.sample(reports, rng=rng))
        return tallies[0] - tallies[1]

    seen = np.array([[score(0), score(1)] for _ in range(400)])
    gained = (seen[:, 0] > 0).mean() - (seen[:, 1] > 0).mean()
    pair = PairAmongHolders(
        mechanism.overlaps, mechanism.support_sizes, 20, *counts[:2].tolist(), 3582, (199, 199, 199)
    )
    assert gained - 4 * math.sqrt(0.5 / 400) <= pair.excess(ratio)[1]
