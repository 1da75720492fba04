"""Few histograms of many types of report are listed, where a box of counts would hardly fit: numbers, not bounds."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import discretion as dc
from discretion.estimate import Estimate
from discretion.numerics.histograms.histograms import histograms, simplex_law, with_draws
from oracles import adversaries as slow, channels, measures
from oracles.promise import exactly
from oracles.shuffling import as_channel, multinomial

SKEWED = np.arange(1, 13) / 78
FEW_KNOW = (1, 1, *[0] * 8)

# Mechanism, number of users, and what is known of the others.
LISTED = {
    "10-RR, others known": (dc.RandomizedResponse(10, p=0.6), 3, dc.AllButOne(FEW_KNOW)),
    "12-RR, a skewed population": (dc.RandomizedResponse(12, p=0.6), 2, dc.Uninformed(SKEWED)),
    "12-RR, partly informed": (dc.RandomizedResponse(12, p=0.6), 2, dc.PartlyInformed([0] * 12, SKEWED)),
    "pairs of values": (dc.SubsetSelection(5, 1.0, size=2), 3, dc.Uninformed()),
    "pairs of values, others known": (dc.SubsetSelection(5, 1.0, size=2), 3, dc.AllButOne([1, 1, 0, 0, 0])),
    "bits, others known": (dc.UnaryEncoding(4, 0.75, 0.25), 3, dc.AllButOne([1, 0, 1, 0])),
    "bits, partly informed": (
        dc.UnaryEncoding(4, 0.75, 0.25), 3, dc.PartlyInformed([0, 1, 0, 0], [0.5, 0.25, 0.125, 0.125])
    ),
}  # fmt: skip


def rows_of(mechanism, n, adversary):
    """P(h | x) in Fractions, over the histograms that can be: the unknown others' values are enumerated."""
    exact = channels.exact(mechanism.channel().matrix)
    known = slow.holders(getattr(adversary, "known_counts", ()))
    population = getattr(adversary, "population", None) or np.full(len(exact), 1 / len(exact))
    rows = [defaultdict(Fraction) for _ in exact]
    for drawn in itertools.combinations_with_replacement(range(len(exact)), n - 1 - len(known)):
        held = [drawn.count(x) for x in range(len(exact))]
        weight = multinomial(held) * math.prod(Fraction(population[x]) for x in drawn)
        for x, row in enumerate(rows):
            for h, mass in slow.law_of_reports(exact, [x, *known, *drawn]).items():
                row[h] += weight * mass
    return as_channel(rows)


def furthest(rows, ratio=Fraction(1)):
    return max(
        sum(max(Fraction(0), a - ratio * b) for a, b in zip(left, right, strict=True))
        for left, right in itertools.permutations(rows, 2)
    )


@pytest.mark.long
@pytest.mark.parametrize("case", LISTED)
def test_few_histograms_of_many_types_make_numbers(case):
    mechanism, n, adversary = LISTED[case]
    rows, k = rows_of(mechanism, n, adversary), mechanism.secrets
    crowd, uniform = dc.Shuffled(mechanism, n), measures.fractions(np.full(k, 1 / k))
    guess = measures.posterior_vulnerability(rows, uniform, measures.identity(k))
    assert dc.posterior_vulnerability(crowd.seen_by(adversary)) == exactly(guess)
    assert dc.bayes_risk(crowd.seen_by(adversary)) == exactly(1 - guess)
    assert dc.bayes_security(crowd.seen_by(adversary)) == exactly(1 - furthest(rows))
    assert dc.mutual_information(crowd.seen_by(adversary)) == exactly(measures.mutual_information(rows, uniform))
    ratio = Fraction(3, 2)
    profile = dc.privacy_profile(crowd.seen_by(adversary), float(np.log(1.5)))
    assert profile == exactly(furthest(rows, ratio))


def test_the_guess_among_two_known_others_of_ten_values():
    crowd = dc.Shuffled(dc.RandomizedResponse(10, p=0.6), 3)
    guess = dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne(FEW_KNOW)))
    assert guess == pytest.approx(0.41399, abs=5e-6)
    assert not isinstance(guess, Estimate)


def test_the_privacy_of_few_users_with_many_reports_is_summed():
    crowd, adversary = dc.Shuffled(dc.SubsetSelection(5, 1.0, size=2), 3), dc.AllButOne([1, 1, 0, 0, 0])
    rows = rows_of(crowd.mechanism, 3, adversary)
    squares = max(
        sum(a * a / b for a, b in zip(left, right, strict=True) if a) for left, right in itertools.permutations(rows, 2)
    )
    assert dc.renyi_dp(crowd.seen_by(adversary), 2) == exactly(np.log(float(squares)))


@pytest.mark.parametrize("counts", [(), (3,), (2, 1), (1, 3, 2), (0, 2)])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_the_law_on_the_simplex_is_that_of_drawing_one_after_the_other(counts, m):
    # Far tails too: they are sums of positive terms, so that no probability loses digits.
    rows = np.array([[Fraction(1 + (3 * g + y) % 4, 10 ** (8 * y)) for y in range(m)] for g in range(len(counts) + 1)])
    rows = rows / rows.sum(axis=1, keepdims=True)
    drawn = [g for g, count in enumerate(counts) for _ in range(count)]
    n = len(drawn)
    slow_law = slow.law_of_reports(rows.tolist(), drawn)
    one_more = slow.law_of_reports(rows.tolist(), [*drawn, len(counts)])
    law = simplex_law(counts, rows[:-1].astype(float).reshape(-1, m))
    assert law == pytest.approx([float(slow_law[tuple(h)]) for h in histograms(n, m).tolist()], rel=1e-13, abs=0)
    grown = with_draws(law, n + 1, rows[-1:].astype(float))
    expected = [float(one_more[tuple(h)]) for h in histograms(n + 1, m).tolist()]
    assert grown[0] == pytest.approx(expected, rel=1e-13, abs=0)
