"""Crowds where δ is down to the least doubles, ε beyond the logarithm of the largest, and Rényi's order anything."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import gammaln

import discretion as dc
from oracles import adversaries as slow
from oracles.promise import exactly

RR = dc.RandomizedResponse

ORDERS = [1e-8, 0.5, 1.0, 32.0, 1e8]


def local_rows(k, epsilon):
    """k-RR at a local ε of any size, to sixty digits."""
    odds = slow.power(epsilon)
    return [[(odds if x == y else 1) / (k - 1 + odds) for y in range(k)] for x in range(k)]


def ordered(rows):
    return [(rows[a], rows[b]) for a, b in slow.ordered_pairs(rows)]


def meets(profile, delta, epsilon):
    """Whether a profile falls to δ within what a float promises of ε."""
    slack = max(1e-10 * epsilon, 1e-12)
    below = epsilon <= slack or profile(slow.power(epsilon - slack)) >= Fraction(delta)
    return below and profile(slow.power(epsilon + slack)) <= Fraction(delta)


@pytest.mark.long
@pytest.mark.parametrize("local", [709.7, 745.0, 1000.0])
@pytest.mark.parametrize(("k", "n"), [(2, 3), (3, 3)])
def test_local_noise_that_no_double_holds(local, k, n):
    crowd, Q = dc.Shuffled(RR(k, epsilon=local), n), local_rows(k, local)
    every = {counts: slow.all_but_one(Q, counts) for counts in slow.all_counts(n - 1, k)}
    for delta in (1e-3, 1e-300):
        for counts, rows in every.items():
            epsilon = dc.dp_epsilon(crowd.seen_by(dc.AllButOne(counts)), delta)
            assert meets(lambda ratio, rows=rows: slow.privacy_profile(rows, ratio), delta, epsilon)
        worst = dc.dp_epsilon(crowd.seen_by(dc.WorstAllButOne()), delta)
        assert meets(lambda ratio: max(slow.privacy_profile(rows, ratio) for rows in every.values()), delta, worst)
    for epsilon in (0.0, local - 1, local - 1e-3):
        expected = max(slow.privacy_profile(rows, slow.power(epsilon)) for rows in every.values())
        assert dc.privacy_profile(crowd.seen_by(dc.WorstAllButOne()), epsilon) == exactly(expected)


@pytest.mark.parametrize("n", [2, 4, 1000, 10**6, 10**9])
def test_one_user_among_many_who_hardly_lie_is_hidden_by_as_many_as_could_have(n):
    # One report of a too many is the target's lie if she holds b, or that of any other holder of b.
    local, holders = 800.0, (n - 1) // 2
    crowd, adversary = dc.Shuffled(RR(2, epsilon=local), n), dc.AllButOne([n - 1 - holders, holders])
    for epsilon in (700.0, 770.0, 790.0):
        expected = max(Fraction(0), 1 - (holders + 1) * slow.power(epsilon - local))
        assert dc.privacy_profile(crowd.seen_by(adversary), epsilon) == exactly(expected)


class TwoTypes:
    """Groups that send the first of two types of report with chances that are whole parts of one; all in integers."""

    def __init__(self, counts, parts, whole):
        others = [1]
        for count, part in zip(counts, parts, strict=True):
            group = [
                math.comb(count, hits) * part**hits * (whole - part) ** (count - hits) for hits in range(count + 1)
            ]
            longer = [0] * (len(others) + count)
            for hits, weight in enumerate(group):
                for h, mass in enumerate(others):
                    longer[h + hits] += weight * mass
            others = longer
        self.total = whole ** (sum(counts) + 1)
        self.laws = [
            [part * more + (whole - part) * same for more, same in zip([0, *others], [*others, 0], strict=True)]
            for part in parts
        ]

    def profile(self, ratio):
        up, down = ratio.numerator, ratio.denominator
        pairs = itertools.permutations(self.laws, 2)
        most = max(sum(max(0, down * p - up * q) for p, q in zip(*pair, strict=True)) for pair in pairs)
        return Fraction(most, down * self.total)


TWO_TYPES = [
    ([5, 1194], [3, 1], 4),
    ([1100, 99], [3, 1], 4),
    ([250, 180], [9, 7], 16),
    ([30, 1200], [31, 4], 32),
    ([20, 15], [3, 1], 4),
    ([200, 3, 300], [5, 2, 4], 8),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("counts", "parts", "whole"), TWO_TYPES, ids=repr)
def test_the_far_tail_of_groups_with_two_types_of_report(counts, parts, whole):
    exact, adversary = TwoTypes(counts, parts, whole), dc.AllButOne(counts)
    crowd = dc.Shuffled(dc.Channel([[part / whole, 1 - part / whole] for part in parts]), sum(counts) + 1)
    for delta in (0.01, 1e-7, 1e-20, 1e-25, 1e-100, 1e-300):
        assert meets(exact.profile, delta, dc.dp_epsilon(crowd.seen_by(adversary), delta))
    for epsilon in (0.0, 0.1, 0.5, 1.0):
        expected = float(exact.profile(slow.power(epsilon)))
        assert dc.privacy_profile(crowd.seen_by(adversary), epsilon) == pytest.approx(expected, rel=1e-10, abs=1e-300)


@pytest.mark.long
def test_the_far_tail_of_others_who_are_all_alike():
    # Over every histogram of three values, by P(h | x) = P(n-1 others report h less the target's report).
    n, local = 600, 2.0
    h = np.array([(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)])
    rows = np.array(local_rows(3, local), dtype=np.float64)
    # Among n reports of holders of 0, h less y is h's probability times h_y / (n Q[0, y]).
    law = gammaln(n + 1) - gammaln(h + 1).sum(axis=1) + h @ np.log(rows[0])
    told = [(h / n) @ (row / rows[0]) for row in rows]

    def profile(epsilon):
        pairs = itertools.permutations(told, 2)
        return max(float((np.exp(law) * np.maximum(0, p - math.exp(epsilon) * q)).sum()) for p, q in pairs)

    for delta in (1e-6, 1e-20, 1e-40, 1e-100):
        epsilon = dc.dp_epsilon(dc.Shuffled(RR(3, epsilon=local), n).seen_by(dc.AllButOne([n - 1, 0, 0])), delta)
        assert profile(epsilon) == pytest.approx(delta, rel=1e-8)


def test_a_large_crowd_of_others_who_hardly_ever_lie():
    # At a local ε of 30 all two million others report truthfully but with probability 2e-7.
    n, epsilon = 2 * 10**6, 6.164689914778772
    lie = 1 / (1 + slow.power(30.0))
    with localcontext() as context:
        context.prec = 50
        q, ratio = (Decimal(x.numerator) / Decimal(x.denominator) for x in (lie, slow.power(epsilon)))
        # The others hold 1; so does the target, likelier, if there is no 0.
        expected = (1 - q) ** (n - 1) * ((1 - q) - ratio * q)
    found = dc.privacy_profile(dc.Shuffled(RR(2, epsilon=30.0), n).seen_by(dc.AllButOne([0, n - 1])), epsilon)
    assert found == exactly(expected)


def test_what_only_one_value_can_send_is_never_hidden_by_who_cannot_send_it():
    # The target's first report shows unless the others' reports may be as many: those of the second group never are.
    crowd = dc.Shuffled(dc.Channel([[0.5, 0.5], [0.0, 1.0], [0.75, 0.25]]), 2002)
    counts = dc.AllButOne([0, 1998, 3])
    shown = 0.5 * 0.75**3
    assert dc.privacy_profile(crowd.seen_by(counts), math.inf) == exactly(0.75**4)
    assert dc.privacy_profile(crowd.seen_by(counts), 500.0) == exactly(0.75**4)
    assert dc.dp_epsilon(crowd.seen_by(counts), 0.75**4 + 1e-9) < math.inf
    assert dc.dp_epsilon(crowd.seen_by(counts), shown) == math.inf


@pytest.mark.long
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("k", "local"), [(2, 1.0), (2, 60.0), (3, 20.0), (2, 1000.0)])
def test_the_renyi_divergence_of_any_order_in_a_small_crowd(order, k, local):
    for n in (2, 4, 6) if k == 2 else (2, 3):
        Q, crowd = local_rows(k, local), dc.Shuffled(RR(k, epsilon=local), n)
        every = [slow.all_but_one(Q, counts) for counts in slow.all_counts(n - 1, k)]
        expected = max(slow.renyi_divergence(p, q, order) for rows in every for p, q in ordered(rows))
        assert dc.renyi_dp(crowd.seen_by(dc.WorstAllButOne()), order) == exactly(expected)


@pytest.mark.parametrize("n", [100, 1000])
def test_the_renyi_divergence_of_a_larger_crowd_grows_with_its_order_to_that_of_the_mechanism(n):
    crowd, adversary = dc.Shuffled(RR(2, epsilon=3), n), dc.AllButOne([n - 1, 0])
    values = [dc.renyi_dp(crowd.seen_by(adversary), order) for order in (*ORDERS, math.inf)]
    assert all(0 < less <= more for less, more in itertools.pairwise(values))
    assert values[-1] == 3
    assert values[-2] == pytest.approx(3, rel=1e-5 * n)


@pytest.mark.parametrize("local", [400.0, 744.0, 900.0])
@pytest.mark.parametrize("alpha", [[1.0, 1.0], [1.0, 2.0**-20]])
def test_everybody_from_one_population_where_likelihoods_underflow(local, alpha):
    n = 4
    rows = slow.exchangeable(local_rows(2, local), n, [Fraction(a) for a in alpha])
    crowd, adversary = dc.Shuffled(RR(2, epsilon=local), n), dc.Exchangeable(alpha)
    for delta in (1e-3, 5.3e-14, 1e-300):
        epsilon = dc.dp_epsilon(crowd.seen_by(adversary), delta)
        assert meets(lambda ratio: slow.privacy_profile(rows, ratio), delta, epsilon)
    for order in (0.5, 1 - 1e-8, 2.0, math.inf):
        expected = max(slow.renyi_divergence(p, q, order) for p, q in ordered(rows))
        assert dc.renyi_dp(crowd.seen_by(adversary), order) == exactly(expected)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("local", [720.0, 900.0])
@pytest.mark.parametrize(
    "make",
    [
        lambda epsilon: dc.SubsetSelection(4, epsilon, size=2),
        lambda epsilon: dc.LocalHashing(2, epsilon, g=2),
        lambda epsilon: dc.HadamardResponse(2, epsilon),
    ],
    ids=["subset selection", "local hashing", "Hadamard response"],
)
def test_other_local_protocols_that_hardly_ever_lie(make, local):
    mechanism, matrix = make(local), make(1.0).channel().matrix
    odds = slow.power(local)
    likely = [[odds if entry > 1.01 * matrix.min() else Fraction(1) for entry in row] for row in matrix.tolist()]
    Q = [[weight / sum(row) for weight in row] for row in likely]
    counts = [1, 1] + [0] * (mechanism.k - 2)
    rows = slow.all_but_one(Q, counts)
    crowd, adversary = dc.Shuffled(mechanism, 3), dc.AllButOne(counts)
    for epsilon in (0.0, local - 5, local - 0.5):
        assert dc.privacy_profile(crowd.seen_by(adversary), epsilon) == exactly(
            slow.privacy_profile(rows, slow.power(epsilon))
        )
    epsilon = dc.dp_epsilon(crowd.seen_by(adversary), 1e-3)
    assert meets(lambda ratio: slow.privacy_profile(rows, ratio), 1e-3, epsilon)
    expected = max(slow.renyi_divergence(p, q, 2.0) for p, q in ordered(rows))
    assert dc.renyi_dp(crowd.seen_by(adversary), 2.0) == exactly(expected)


@pytest.mark.parametrize("make", [dc.UnaryEncoding.oue, dc.UnaryEncoding.rappor, dc.UnaryEncoding.blh])
def test_bits_that_hardly_ever_lie_are_refused_in_a_crowd_rather_than_taken_for_true(make):
    crowd = dc.Shuffled(make(2, 900.0), 3)
    for ask in (
        lambda: dc.privacy_profile(crowd.seen_by(dc.WorstAllButOne()), 895.0),
        lambda: dc.renyi_dp(crowd.seen_by(dc.WorstAllButOne()), 2.0),
    ):
        with pytest.raises(dc.errors.TooLargeError, match="epsilon = 900"):
            ask()


@pytest.mark.parametrize("epsilon", [660.0, 690.0, 699.0])
def test_no_product_overflows_at_the_largest_ratio_of_the_largest_crowd(epsilon):
    rows = [[1 - 1e-3 - 1e-9, 1e-3, 1e-9, 1e-300], [0.5, 0.25, 0.25 - 1e-12, 1e-12]]
    seen = dc.Shuffled(dc.Channel(rows), 10**9).seen_by(dc.Uninformed())
    assert float(dc.privacy_profile(seen, epsilon)) <= 1e-12
