"""The guess by the largest count: never more than there is, and next to it in a large crowd."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.shuffling.laws.groups import Group
from discretion.shuffling.laws.largest_counts import (
    excess_of_largest,
    guess_above_among_bits,
    guess_by_largest_count,
)
from oracles import single_law_crowds as slow

UE = dc.UnaryEncoding

MECHANISMS = [
    UE.oue(2, 1),
    UE.oue(3, 0.3),
    UE.oue(3, 4),
    UE.rappor(3, 2),
    UE.blh(3, 1),
    UE(3, 0.9, 0.1),
    UE(3, 1, 0.25),
    dc.SubsetSelection(3, 1, size=2),
    dc.SubsetSelection(4, 2, size=2),
    dc.RandomizedResponse(3, epsilon=2),
    dc.RandomizedResponse(4, epsilon=1),
]
# Reports of all users that are gone through.
MOST = 5_000


def groups_of(values):
    return tuple(Group(values.count(value), value=value) for value in sorted(set(values)))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_largest_count_guesses_no_better_than_the_best_guess(mechanism):
    rows = mechanism.channel().dense()
    k, reports = rows.shape
    for n in range(2, 1 + min(6, int(math.log(MOST) / math.log(reports)))):
        values = [[0] * (n - 1), [user % k for user in range(n - 1)], [0] * (n // 2) + [1] * (n - 1 - n // 2)]
        crowds = [(groups_of(each), [rows[value] for value in each]) for each in values]
        guesses = []
        for groups, senders in [*crowds, ((Group(n - 1),), [rows.mean(axis=0)] * (n - 1))]:
            truth = slow.gain(slow.rows(rows, senders), np.full(k, 1 / k), np.eye(k))
            assert 1 / k <= guess_by_largest_count(mechanism, groups) <= truth * (1 + 1e-12)
            guesses.append(truth)
        assert max(guesses) <= guess_above_among_bits(mechanism, n) * (1 + 1e-12)


@pytest.mark.parametrize(("k", "n", "p"), [(2, 7, 0.3), (5, 40, 0.05), (3, 1, 0.5), (4, 3, 1.0)])
def test_the_largest_of_independent_counts_is_that_of_a_sum_over_its_distribution(k, n, p):
    below = np.cumsum([math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])
    largest = sum(1 - below[x] ** k for x in range(n))
    assert excess_of_largest(k, n, p, 1 - p) == pytest.approx(largest - n * p, abs=1e-12)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_known_values_of_bits_leave_the_largest_of_independent_normals(n):
    # κ = 1/2, λ = .2689: others of each of the values in turn leave each count a variance that is nearly the same.
    k, mechanism = 100, UE.oue(100, 1)
    groups = tuple(Group(n // k, value=value) for value in range(k))
    own, not_own, other, not_other, gap = mechanism.support
    deviation = math.sqrt(n * (own * not_own / k + (1 - 1 / k) * other * not_other))
    risen = guess_by_largest_count(mechanism, groups) * k - 1
    assert risen == pytest.approx(2.50759 * gap / deviation, rel=0.5 / math.sqrt(n) + 1e-5)


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon", "n"), [(10, 1, 200), (20, 2, 100)])
def test_bounds_hold_a_hundred_thousand_simulated_collections(k, epsilon, n):
    mechanism, crowds, rng = UE.oue(k, epsilon), 100_000, np.random.default_rng(1)
    own, _, other, _, _ = mechanism.support
    # Others of one value: the adversary guesses by the likelihood of each of the others; reports with the bit for the
    # others' value and without it are counted apart.
    with_bit = rng.binomial(n - 1, own, crowds)
    bit = rng.random(crowds) < other
    target = rng.integers(k, size=crowds)
    bit[target == 0] = rng.random((target == 0).sum()) < own
    counts = [rng.binomial(many[:, None], other, (crowds, k)) for many in (with_bit, n - 1 - with_bit)]
    bits = rng.random((crowds, k)) < other
    bits[np.arange(crowds), target] = rng.random(crowds) < own
    counts = [counted + (bits & here[:, None]) for counted, here in zip(counts, (bit, ~bit), strict=True)]
    many = with_bit + bit
    ratios = (1 - own) / (1 - other), own / other
    says = sum(
        (all_here[:, None] * ratios[0] + counted * (ratios[1] - ratios[0])) / ratio
        for all_here, counted, ratio in ((many, counts[0], ratios[1]), (n - many, counts[1], ratios[0]))
    )
    says[:, 0] = n
    hits = (says.argmax(axis=1) == target).mean()
    error = 4 * math.sqrt(hits * (1 - hits) / crowds)
    guess = dc.posterior_vulnerability(dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne()))
    assert guess_by_largest_count(mechanism, (Group(n - 1, value=0),)) - error <= hits <= guess.high + error
