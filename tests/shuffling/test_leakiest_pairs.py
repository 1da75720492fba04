"""Wherever β* is a number, the leakiest pairs are known too: those that attain it, by enumeration of the reports."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import discretion as dc
from discretion.errors import TooLargeError
from discretion.estimate import Estimate
from oracles import adversaries as slow, channels
from oracles.promise import exactly

RR = dc.RandomizedResponse
SKEWED = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5]]


def distances(rows):
    """Twice the total variation of every two rows."""
    return {
        (a, b): sum(abs(left - right) for left, right in zip(rows[a], rows[b], strict=True))
        for a, b in itertools.combinations(range(len(rows)), 2)
    }


def furthest(found, tol=Fraction(1, 10**12)):
    return [pair for pair, distance in found.items() if distance / 2 >= max(found.values()) / 2 - tol]


def rows_by_floats(mechanism, counts):
    """P(h | x), by adding everybody's report to a grid of counts."""
    rows = mechanism.channel().matrix
    n, m = sum(counts), rows.shape[1]
    law = np.zeros((n + 2,) * (m - 1))
    law[(0,) * (m - 1)] = 1

    def after(law, report):
        moved = [report[y] * np.roll(law, 1, axis=y) for y in range(m - 1)]
        return sum(moved) + report[m - 1] * law

    for x, count in enumerate(counts):
        for _ in range(count):
            law = after(law, rows[x])
    return [after(law, row).ravel() for row in rows]


MANY_VALUES = {
    "5-RR, 7 users": (RR(5, p=0.5), [2, 0, 0, 3, 1], [(1, 2), (1, 4), (2, 4)]),
    "5-RR, 7 users, another way": (RR(5, p=0.75), [1, 1, 4, 0, 0], None),
    "3-RR, 200 users": (RR(3, p=0.5), [120, 30, 49], None),
    "3-RR, epsilon 1": (RR(3, epsilon=1), [100, 90, 9], None),
    "a channel": (dc.Channel(SKEWED), [10, 0, 5], None),
    "bits": (dc.UnaryEncoding(3, 0.75, 0.25), [1, 1, 0], None),
}


@pytest.mark.parametrize("case", MANY_VALUES)
def test_among_known_others_they_are_those_that_attain_the_least_security(case):
    mechanism, counts, right = MANY_VALUES[case]
    crowd, adversary = dc.Shuffled(mechanism, sum(counts) + 1), dc.AllButOne(counts)
    found = distances(rows_by_floats(mechanism, counts))
    tied = furthest(found, 1e-12)
    assert right in (None, tied)
    assert dc.leakiest_pairs(crowd.seen_by(adversary)) == tied
    assert dc.leakiest_pair(crowd.seen_by(adversary)) == tied[0]
    security = dc.bayes_security(crowd.seen_by(adversary))
    assert not isinstance(security, Estimate)
    assert security == pytest.approx(1 - max(found.values()) / 2, abs=1e-12)
    wider = furthest(found, 0.01)
    assert dc.leakiest_pairs(crowd.seen_by(adversary), tol=0.01) == wider


@pytest.mark.parametrize(
    "adversary", [dc.Uninformed(), dc.Uninformed([0.5, 0.25, 0.25]), dc.PartlyInformed([1, 0, 0], [0.25, 0.5, 0.25])]
)
@pytest.mark.parametrize("mechanism", [RR(3, p=0.75), dc.Channel(SKEWED, inputs="abc")])
def test_among_unknown_others_too(mechanism, adversary):
    exact = channels.exact(mechanism.channel().matrix)
    known = getattr(adversary, "known_counts", [0, 0, 0])
    population = getattr(adversary, "population", None) or [Fraction(1, 3)] * 3
    rows = slow.partly_informed(exact, 4, known, [Fraction(share) for share in population])
    names = mechanism.channel().inputs
    tied = [(names[a], names[b]) for a, b in furthest(distances(rows))]
    assert dc.leakiest_pairs(dc.Shuffled(mechanism, 4).seen_by(adversary)) == tied


def test_among_the_worst_others_it_is_the_pair_that_some_of_them_leave_furthest_apart():
    exact, worst = channels.exact(SKEWED), {}
    for counts in slow.all_counts(3, 3):
        for pair, distance in distances(slow.all_but_one(exact, counts)).items():
            worst[pair] = max(worst.get(pair, 0), distance)
    crowd = dc.Shuffled(dc.Channel(SKEWED), 4)
    assert dc.leakiest_pairs(crowd.seen_by(dc.WorstAllButOne())) == furthest(worst)
    assert dc.leakiest_pair(crowd.seen_by(dc.WorstAllButOne())) == furthest(worst)[0]


@pytest.mark.parametrize("mechanism", [dc.SubsetSelection(4, 1.0, size=2), dc.HadamardResponse(4, 1.0)])
def test_all_pairs_of_a_pure_protocol_are_tied(mechanism):
    assert dc.leakiest_pairs(mechanism) == dc.leakiest_pairs(mechanism.channel())


@pytest.mark.parametrize("mechanism", [RR(4, p=0.5), dc.UnaryEncoding(4, 0.75, 0.25)])
def test_where_all_values_are_treated_alike_all_pairs_are_tied(mechanism):
    pairs = list(itertools.combinations(range(4), 2))
    assert dc.leakiest_pairs(mechanism) == dc.leakiest_pairs(mechanism.channel()) == pairs
    for adversary in (dc.Uninformed(), dc.AllButOne([7, 7, 7, 7])):
        assert dc.leakiest_pairs(dc.Shuffled(mechanism, 29).seen_by(adversary)) == pairs
    assert dc.leakiest_pairs(dc.Shuffled(RR(4, p=0.5), 10**6).seen_by(dc.WorstAllButOne())) == pairs


def test_more_pairs_than_anyone_would_list_are_refused():
    many = 10**6
    for ask in (
        lambda: dc.leakiest_pairs(RR(many, p=0.5)),
        lambda: dc.leakiest_pairs(dc.Shuffled(RR(many, p=0.5), 100)),
        lambda: dc.leakiest_pairs(dc.Shuffled(RR(many, p=0.5), 100).seen_by(dc.WorstAllButOne())),
    ):
        with pytest.raises(TooLargeError, match=f"{math.comb(many, 2):,} pairs .* use leakiest_pair"):
            ask()


def test_bounds_that_do_not_tell_say_so():
    crowd, known = dc.Shuffled(RR(8, p=0.5), 10**6), [125_000] * 7 + [124_999]
    for ask in (dc.leakiest_pair, dc.leakiest_pairs):
        with pytest.raises(TooLargeError, match=r"cannot be decided from bounds.*take fewer users"):
            ask(crowd.seen_by(dc.AllButOne(known)))


@pytest.mark.parametrize(
    "mechanism", [dc.LocalHashing(5, 1, g=2), dc.LocalHashing(4, 2, g=3), dc.HadamardResponse(5, 0.5)], ids=repr
)
def test_one_pair_of_a_kind_stands_for_all_beside_uniform_others(mechanism):
    crowd, explicit = (dc.Shuffled(system, 5).seen_by(dc.Uninformed()) for system in (mechanism, mechanism.channel()))
    assert 1 < len(crowd.pairs) < len(explicit.pairs)
    assert dc.bayes_security(crowd) == exactly(dc.bayes_security(explicit))
    assert dc.leakiest_pairs(crowd) == dc.leakiest_pairs(explicit)
