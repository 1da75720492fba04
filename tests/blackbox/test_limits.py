"""Confidence limits hold exactly, at every count."""

from fractions import Fraction

import pytest

from discretion.blackbox.compared_pairs import lower_limit_of_sum
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit
from oracles import blackbox as slow

MISSES = [0.25, 0.025, 0.0005, 1e-9]


@pytest.mark.parametrize("misses", MISSES)
@pytest.mark.parametrize("trials", [1, 2, 7, 40])
def test_limits_are_where_the_tail_is_what_misses(trials, misses):
    for errors in range(1, trials + 1):
        low = float(lower_limit(errors, trials, misses))
        assert float(slow.binomial_tail(trials, low, errors)) == pytest.approx(misses, rel=1e-9)
        high = float(upper_limit(trials - errors, trials, misses))
        assert float(slow.binomial_tail(trials, 1 - Fraction(high), errors)) == pytest.approx(misses, rel=1e-9)


def test_limits_without_errors_or_trials_are_trivial():
    assert lower_limit(0, 5, 0.05) == 0
    assert upper_limit(5, 5, 0.05) == 1
    assert upper_limit(0, 0, 0.05) == 1
    assert lower_limit_of_sum(0, 0, 0.05) == 0


def missed(limits, each, p, q):
    """The exact probability that the limit is above p + q."""
    law = slow.errors_law(each, p, q)
    return float(sum(chance for limit, chance in zip(limits, law, strict=True) if limit > p + q))


@pytest.mark.long
@pytest.mark.parametrize("misses", [0.4, 0.25, 0.1, 0.025, 0.001])
@pytest.mark.parametrize("each", [1, 2, 3, 5, 9])
def test_the_limit_of_a_sum_holds_however_it_is_split(each, misses):
    limits = lower_limit_of_sum(range(2 * each + 1), each, misses).tolist()
    assert limits == sorted(limits)
    just_below = [limit * (1 - 1e-9) for limit in limits if 0 < limit <= 1]
    for total in [i / 20 for i in range(21)] + just_below:
        for part in (0, 0.05, 0.25, 0.5):
            p = Fraction(total) * Fraction(part)
            assert missed(limits, each, p, Fraction(total) - p) <= misses * (1 + 1e-9)


@pytest.mark.parametrize("misses", [0.25, 0.025])
def test_a_single_error_needs_more_than_the_binomial_limit(misses):
    # All of the errors on one side: one error comes more often than in Binomial(2·each, (p + q)/2).
    each = 3
    binomial = (2 * lower_limit(range(2 * each + 1), 2 * each, misses)).tolist()
    total = binomial[1] * (1 - 1e-9)
    assert missed(binomial, each, Fraction(total), Fraction(0)) > misses
    limits = lower_limit_of_sum(range(2 * each + 1), each, misses).tolist()
    assert missed(limits, each, Fraction(total), Fraction(0)) <= misses


@pytest.mark.one_in(3)
@pytest.mark.parametrize("trials", [2, 3, 10, 50, 120])
def test_a_binomial_reaches_past_its_mean_with_probability_a_quarter(trials):
    # What the limit of a sum rests on, where the mean is at least 0.29: the limits miss only beyond the mean + 1.
    for i in range(1, 200):
        mean = Fraction(29, 100) + (trials - Fraction(29, 100)) * Fraction(i, 200)
        assert slow.binomial_tail(trials, mean / trials, int(mean) + 1) >= Fraction(1, 4)
