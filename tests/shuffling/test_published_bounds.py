"""The worst counts of the others against the upper bounds that others have published."""

import math
from collections import defaultdict
from fractions import Fraction

import pytest

import discretion as dc
from oracles import adversaries as slow, channels, published_bounds as published
from oracles.promise import exactly

RR = dc.RandomizedResponse

CROWDS = [(2, 5), (2, 40), (2, 200), (3, 4), (3, 12), (3, 30)]
LOCAL = [0.5, 1.0, 2.0, 4.0]
SHARES = [0.02, 0.1, 0.3, 0.6, 0.9]
DELTA = 1e-6


def clones_by_enumeration(n, r, u, v, ratio):
    """Each report is a clone of kind 0, of kind 1, or neither; the adversary sees how many there are of each."""
    target = [[u, v, 1 - u - v], [v, u, 1 - u - v], [r, r, 1 - 2 * r]]
    here, there = (slow.law_of_reports(target, [x] + [2] * (n - 1)) for x in (0, 1))
    return sum(max(Fraction(0), mass - ratio * there.get(h, 0)) for h, mass in here.items())


@pytest.mark.parametrize("n", [1, 2, 3, 8])
@pytest.mark.parametrize(
    ("r", "u", "v"),
    [(Fraction(1, 4), Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 5), Fraction(3, 5), Fraction(1, 5))],
)
def test_the_published_pair_is_computed_as_it_is_defined(n, r, u, v):
    for ratio in (Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(5, 2)):
        expected = clones_by_enumeration(n, r, u, v, ratio)
        assert published.clone_profile(n, float(r), float(u), float(v), math.log(ratio)) == exactly(expected)


@pytest.mark.long
@pytest.mark.parametrize(("k", "n"), CROWDS)
@pytest.mark.parametrize("local", LOCAL)
def test_no_upper_bound_is_exceeded_by_the_worst_counts(k, n, local):
    s = dc.Shuffled(RR(k, epsilon=local), n)
    for epsilon in (share * local for share in SHARES):
        worst = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), epsilon)
        assert isinstance(worst, float)
        for name, bound in published.UPPER_BOUNDS.items():
            assert worst <= bound(k, n, local, epsilon) * (1 + 1e-9) + 1e-12, name


@pytest.mark.parametrize(("k", "n"), [(2, 200), (3, 30)])
@pytest.mark.parametrize("local", [0.5, 1.0])
def test_nor_is_any_by_what_the_worst_counts_make_of_a_delta(k, n, local):
    worst = dc.dp_epsilon(dc.Shuffled(RR(k, epsilon=local), n).seen_by(dc.WorstAllButOne()), DELTA)
    for name, bound in published.UPPER_BOUNDS.items():
        assert bound(k, n, local, worst) >= DELTA * (1 - 1e-9), name
    assert worst <= published.clones_closed_form(k, n, local, DELTA)


@pytest.mark.parametrize(("k", "n"), [(3, 1000), (10, 1000), (10, 10**6)])
@pytest.mark.parametrize("deviations", [0.5, 4])
def test_where_the_worst_is_known_by_bounds_they_are_not_above_the_published_blanket(k, n, deviations):
    epsilon = deviations / math.sqrt(n)
    bounds = dc.privacy_profile(dc.Shuffled(RR(k, epsilon=1), n).seen_by(dc.WorstAllButOne()), epsilon)
    # Where they are within a float's promise of each other they are a float.
    high = bounds.high if isinstance(bounds, dc.Estimate) else bounds
    assert high <= published.blanket_hoeffding(k, n, 1.0, epsilon)
    assert high <= published.blanket_bennett(k, n, 1.0, epsilon)


@pytest.mark.long
@pytest.mark.parametrize("local", [1.0, 4.0])
@pytest.mark.parametrize(("k", "n"), [(2, 10**7), (10, 10**4)])
def test_others_who_are_all_alike_are_well_below_in_large_crowds(k, n, local):
    adversary = dc.AllButOne([n - 1] + [0] * (k - 1))
    epsilon = dc.dp_epsilon(dc.Shuffled(RR(k, epsilon=local), n).seen_by(adversary), DELTA)
    for name, bound in published.UPPER_BOUNDS.items():
        assert bound(k, n, local, epsilon) > 1.05 * DELTA, name
    assert epsilon < published.clones_closed_form(k, n, local, DELTA)


@pytest.mark.parametrize(("k", "n", "local"), [(3, 1000, 2.0), (3, 10**4, 1.0), (2, 10**5, 2.0)])
@pytest.mark.parametrize("deviations", [1, 6, 10, 14.2, 15.2, 16, 20])
def test_others_split_between_two_values_are_never_above(k, n, local, deviations):
    epsilon = deviations / math.sqrt(n)
    adversary = dc.AllButOne([(n - 1) // 2, n // 2] + [0] * (k - 2))
    split = dc.privacy_profile(dc.Shuffled(RR(k, epsilon=local), n).seen_by(adversary), epsilon)
    high = split.high if isinstance(split, dc.Estimate) else split
    for name, bound in published.UPPER_BOUNDS.items():
        assert high <= bound(k, n, local, epsilon) * (1 + 1e-9) + 1e-12, name


@pytest.mark.parametrize(
    ("k", "truth", "other", "figures"),
    [
        (4, Fraction(1, 2), 2, ("7/3", "1/27", "1/54")),  # the other one holds a third value
        (3, Fraction(3, 5), 0, ("5/2", "3/50", "1/50")),  # or what the target does
    ],
)
def test_variation_ratio_is_no_upper_bound_with_three_values_and_more(k, truth, other, figures):
    Q, (ratio, exact, formula) = channels.randomized_response(k, truth), map(Fraction, figures)
    local, epsilon = math.log(Q[0][0] / Q[0][1]), math.log(ratio)
    assert published.variation_ratio(k, 2, local, epsilon) == exactly(formula)
    counts = [int(value == other) for value in range(k)]
    a, b, *_ = slow.all_but_one(Q, counts)
    assert slow.hockey_stick(a, b, ratio) == exact
    s = dc.Shuffled(RR(k, p=float(truth)), 2)
    assert dc.privacy_profile(s.seen_by(dc.AllButOne(counts)), epsilon) >= float(exact) - 1e-12
    assert dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), epsilon) > 1.9 * float(formula)


def test_variation_ratio_is_the_law_of_the_two_counts_of_the_target_s_values():
    # Others on a third value; what is left out is how many there are of each of the rest.
    for k, n, ratio in ((3, 3, Fraction(3, 2)), (4, 2, Fraction(7, 3)), (4, 4, Fraction(6, 5))):
        Q = channels.randomized_response(k, Fraction(1, 2))
        laws = [defaultdict(Fraction), defaultdict(Fraction)]
        for x, law in enumerate(laws):
            for h, mass in slow.law_of_reports(Q, [x] + [2] * (n - 1)).items():
                law[h[:2]] += mass
        two = sum(max(Fraction(0), mass - ratio * laws[1][h]) for h, mass in laws[0].items())
        assert published.variation_ratio(k, n, math.log(k - 1), math.log(ratio)) == exactly(two)
