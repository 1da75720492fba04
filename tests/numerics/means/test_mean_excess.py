"""How far a random sum is above 0: by each of its routes, and that what is certified of the integral is true."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from discretion.numerics.means import mean_excess as module
from discretion.numerics.means.mean_excess import Bounded, binomial_mean_excess, mean_excess
from oracles import crowds, mean_excess as slow
from oracles.promise import exactly
from oracles.strategies import stochastic
from support.lowering import lowered


def found(n, steps, probabilities, **options):
    return mean_excess(n, np.array(steps, dtype=np.float64), np.array(probabilities, dtype=np.float64), **options)


def by_summing(n, steps, probabilities):
    return module._by_summing(n, steps, probabilities, probabilities, np.argsort(probabilities * (1 - probabilities)))


def integral(n, steps, probabilities, *, relative=module.RELATIVE, most_peaks=1 << 14):
    """However early the search for peaks is broken off, what it leaves out is said: here it is, to save time."""
    c, q = module.distinct_kinds(np.array(steps, dtype=np.float64), np.array(probabilities, dtype=np.float64))
    with lowered(MAX_INTEGRAL_TERMS=1 << 16):
        return module._Integral(n, c, q, relative, most_peaks=most_peaks).result()


def holds(bounded, truth, steps):
    """The error bounds how far off the value is, but for what doubles round off."""
    rounding = 1e-12 * abs(truth) + 1e-15 * max(abs(step) for step in steps)
    return math.isfinite(bounded.value) and abs(bounded.value - truth) <= bounded.error + rounding


# By definition.


@given(st.data(), st.integers(1, 12), st.integers(1, 4))
def test_it_is_the_mean_over_all_histograms(data, n, kinds):
    steps = data.draw(st.lists(st.integers(-8, 8).map(lambda c: c / 4), min_size=kinds, max_size=kinds))
    probabilities = data.draw(stochastic(1, kinds))[0]
    answer = found(n, steps, probabilities)
    assert answer.value == exactly(slow.listed(n, steps, probabilities))
    assert answer.is_exact


@pytest.mark.long
@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize(
    ("steps", "probabilities"),
    [
        ((-1, 0.5, 3), (0.75, 0.125, 0.125)),
        ((-1, 0.25, 1), (0.25, 0.5, 0.25)),
        ((-1, 0.125, 64), (0.75, 31 / 128, 1 / 128)),
        ((-3, -0.125, 0.25), (1 / 64, 0.5, 31 / 64)),
    ],
)
def test_it_is_the_mean_over_all_histograms_of_many_steps_of_three_kinds(n, steps, probabilities):
    truth = slow.listed(n, steps, probabilities)
    assert found(n, steps, probabilities).value == exactly(truth)
    assert holds(integral(n, steps, probabilities), float(truth), steps)


@pytest.mark.parametrize("n", [1, 7, 2000, 10**6, 10**9])
@pytest.mark.parametrize(("steps", "p"), [((-1, 1), 0.5), ((-1, 3), 0.25), ((-0.5, 0.75), 0.375), ((-1, 9), 0.125)])
def test_two_kinds_of_steps_are_a_binomial_tail(n, steps, p):
    truth = slow.of_two_kinds(n, steps, p)
    assert found(n, steps, [1 - p, p]).value == pytest.approx(float(truth), rel=1e-10, abs=1e-300)


def test_a_step_is_above_zero_by_its_positive_part():
    assert found(1, [-2, 0.5, 3], [0.5, 0.25, 0.25]) == Bounded(0.875, 0.0)


# One kind or the other only.


@pytest.mark.parametrize("n", [1, 50, 10**9])
def test_steps_that_all_go_one_way_need_no_law(n):
    assert found(n, [0, 0.5, 2], [0.5, 0.25, 0.25]) == Bounded(0.625, 0.0)
    assert found(n, [0, -0.5, -2], [0.5, 0.25, 0.25]) == Bounded(0.0, 0.0)


@pytest.mark.parametrize("n", [1, 50, 10**6])
def test_equal_steps_are_one_kind_and_impossible_ones_none(n):
    plain = found(n, [-1, 0.5, 2], [0.5, 0.375, 0.125]).value
    split = found(n, [2, -1, 0.5, 0.5 * (1 + 2**-52), -1], [0.125, 0.25, 0.125, 0.25, 0.25]).value
    assert split == pytest.approx(plain, rel=1e-12)
    assert found(n, [-1, 0.5, 2, 1e12, -1e12], [0.5, 0.375, 0.125, 0.0, 0.0]).value == plain


@pytest.mark.parametrize("n", [50, 10**4, 10**9])
@pytest.mark.parametrize("apart", [1e-14, 1e-9, 1e-6])
def test_nearly_equal_steps_move_the_answer_by_no_more(n, apart):
    together, asunder = (found(n, [-1, 1, 1 + by], [0.5, 0.25, 0.25]) for by in (0.0, apart))
    assert abs(asunder.value - together.value) <= apart + together.error + asunder.error + 1e-12 * together.value


@pytest.mark.parametrize("n", [1, 12, 10**4, 10**9])
@pytest.mark.parametrize("rare", [1e-30, 1e-300])
def test_what_next_to_never_happens_moves_the_answer_by_no_more(n, rare):
    without, beside = found(n, [-1, 1], [0.5, 0.5]), found(n, [-1, 1, 2], [0.5, 0.5, rare])
    assert beside.value == pytest.approx(without.value, rel=1e-10)


def test_a_sum_that_is_next_to_never_above_zero_is_the_chance_of_it():
    # All of two or three draws have to be rare ones: -1 and three rare steps.
    rare = 1e-30
    assert found(1, [-1, 1, 2, 3], [1, rare, rare, rare]).value == pytest.approx(6e-30, rel=1e-12)
    assert found(2, [-1, 1, 2, 3], [1, rare, rare, rare]).value == pytest.approx(3e-30, rel=1e-12)


@pytest.mark.parametrize("n", [1, 10, 10**6, 10**9, 10**10])
def test_one_step_may_be_a_billion_times_the_others(n):
    # The sum is above 0 only without it, and then it is certainly so.
    truth = (1 - Fraction(1, 10**9)) ** n * Fraction(3, 4) if n <= 10 else 0.75 * math.exp(n * math.log1p(-1e-9))
    down = found(n, [-1e9 * max(1, n / 1e9) * 2, 0.5, 1], [1e-9, (1 - 1e-9) / 2, (1 - 1e-9) / 2])
    assert down.value == exactly(truth)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
@pytest.mark.parametrize("n", [12, 200, 10**9])
def test_the_unit_of_the_steps_does_not_matter(n, scale):
    steps, probabilities = np.array([-1, -0.25, 0.75, 2]), [0.25, 0.375, 0.25, 0.125]
    one, other = found(n, steps, probabilities), found(n, steps * scale, probabilities)
    assert abs(other.value / scale - one.value) <= other.error / scale + one.error + 1e-12 * one.value


# A billion steps, against closed forms.


@pytest.mark.parametrize("n", [1, 2, 100, 10**6, 10**9, 10**10])
def test_the_lazy_walk(n):
    answer = found(n, [-1, 0, 1], [0.25, 0.5, 0.25])
    assert answer.value == exactly(slow.of_lazy_walk(n))
    assert answer.is_exact


@pytest.mark.parametrize("k", [3, 4, 10])
@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_the_difference_of_two_of_many_counts(n, k):
    answer = found(n, [1, -1] + [0] * (k - 2), [1 / k] * k)
    assert answer.value == exactly(crowds.mean_absolute_difference(n, k) / (2 * n))
    assert answer.is_exact


# The integral.


def random_walk(rng):
    """Three or four kinds of steps: of any size, whole, nearly of mean 0, or one up against several down."""
    kinds = int(rng.integers(3, 5))
    n = int(10 ** rng.uniform(1.7, 4 if kinds == 3 else 2.4))
    probabilities = rng.dirichlet(np.full(kinds, 10 ** rng.uniform(-1, 1)))
    steps = rng.normal(size=kinds)
    shape = rng.integers(5)
    if shape == 0:
        steps = rng.integers(-5, 6, size=kinds).astype(float)
    elif shape == 1:
        steps *= 10 ** rng.uniform(-9, 0, size=kinds)
    elif shape == 2:
        steps -= probabilities @ steps - rng.normal() * 10 ** rng.uniform(-4, 0)
    elif shape == 3:
        steps = -np.abs(steps)
        steps[rng.integers(kinds)] *= -(10 ** rng.uniform(-3, 3))
    return n, *module.distinct_kinds(steps, probabilities)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_the_certified_error_bounds_the_error(seed):
    rng = np.random.default_rng(seed)
    tried = 0
    while tried < 60:
        n, c, q = random_walk(rng)
        if c[0] >= 0 or c[-1] <= 0 or c.size < 3:
            continue
        tried += 1
        bounded = integral(n, c, q, relative=10 ** rng.uniform(-11, -3), most_peaks=int(2 ** rng.integers(4, 14)))
        assert holds(bounded, by_summing(n, c, q), c), (n, c, q, bounded)


@pytest.mark.long
@given(st.data(), st.integers(1, 9), st.integers(2, 4))
@settings(max_examples=40)
def test_the_certified_error_bounds_the_error_of_few_steps(data, n, kinds):
    steps = data.draw(st.lists(st.integers(-9, 9).map(float), min_size=kinds, max_size=kinds, unique=True))
    weights = data.draw(st.lists(st.integers(1, 9), min_size=kinds, max_size=kinds))
    probabilities = np.array(weights) / sum(weights)
    assume(min(steps) < 0 < max(steps))
    truth = slow.listed(n, steps, probabilities)
    assert holds(integral(n, steps, probabilities, relative=1e-6, most_peaks=1 << 8), float(truth), steps)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("n", [200, 5000])
def test_the_certified_error_bounds_the_error_of_hockey_sticks(n, k, epsilon):
    # k-RR with ε = 2 among others who all hold a third value: reports of a, of b, and of all else.
    p = math.exp(2) / (k - 1 + math.exp(2))
    q = (1 - p) / (k - 1)
    a, b, others = np.array([[p, q, 1 - p - q], [q, p, 1 - p - q], [q, q, 1 - 2 * q]])
    ratio = math.exp(epsilon * math.sqrt(100 / n))
    steps = (a - ratio * b) / others
    truth = by_summing(n, *module.distinct_kinds(steps, others))
    for relative in (module.RELATIVE, 1e-4):
        assert holds(integral(n, steps, others, relative=relative), truth, steps)
    assert found(n, steps, others).value == exactly(truth)


def test_what_is_left_out_is_said():
    # Steps without a common measure and next to no time to look for the peaks.
    steps, probabilities = [-1, -(0.5**0.5), 0.3, 3**-0.5, 0.77], [0.3, 0.2, 0.2, 0.1, 0.2]
    hasty, thorough = (integral(3000, steps, probabilities, most_peaks=most) for most in (1, 1 << 14))
    assert hasty.error >= thorough.error > 0
    assert abs(hasty.value - thorough.value) <= hasty.error + thorough.error


# A binomial above a threshold.


@pytest.mark.long
@pytest.mark.parametrize("n", [1, 30, 2000, 10**6, 10**9])
@pytest.mark.parametrize("p", [0.5, 0.125, 2.0**-20, 1 - 2.0**-10])
def test_a_binomial_above_a_threshold_far_into_its_tail(n, p):
    deviation = math.sqrt(n * p * (1 - p))
    thresholds = [-2.5, 0.0, *(n * p + deviation * z for z in (-6, -1, 0, 0.3, 2, 8, 20)), n - 1, n - 0.25, n, n + 3.5]
    for threshold in thresholds:
        truth = float(slow.of_binomial(n, p, threshold))
        answer = binomial_mean_excess(np.array([float(n)]), p, 1 - p, np.array([threshold]), np.array([n - threshold]))[
            0
        ]
        assert answer == exactly(truth), threshold


def test_a_binomial_of_no_trials_is_zero():
    thresholds = np.array([-1.5, 0.0, 2.0])
    assert binomial_mean_excess(np.zeros(3), 0.5, 0.5, thresholds, -thresholds).tolist() == [1.5, 0.0, 0.0]


@pytest.mark.parametrize("n", [1000, 10**6, 10**9])
@pytest.mark.parametrize("rare", [2.0**-50, 2.0**-40, 2.0**-30])
def test_nearly_sure_trials_keep_the_digits_of_how_few_fail(n, rare):
    # All n of them, or all but one: np - t is a difference of large numbers, n - t a small one with all its digits.
    for rest in (2.0**-20, 0.25, 0.999, 1.5):
        with localcontext() as context:
            context.prec = 50
            sure, fail = (1 - Decimal(rare)) ** n, Decimal(rare) * n / (1 - Decimal(rare))
            expected = sure * (Decimal(rest) + fail * max(Decimal(0), Decimal(rest) - 1))
        trials, most = np.array([float(n)]), np.array([n - rest])
        answer = binomial_mean_excess(trials, 1 - rare, rare, most, np.array([rest]))[0]
        assert answer == pytest.approx(float(expected), rel=1e-10, abs=0)


def as_sums_of_coins(coins, threshold):
    """How many heads so many fair-quarter coins show, less a threshold: kinds of steps that are one binomial law."""
    heads = Fraction(1, 4)
    law = [math.comb(coins, j) * heads**j * (1 - heads) ** (coins - j) for j in range(coins + 1)]
    return np.arange(coins + 1.0) - threshold, np.array(law, dtype=np.float64)


@pytest.mark.parametrize("threshold", [0.5, 0.53125, 0.5625, 0.625, 0.75, 0.875])
@pytest.mark.parametrize("n", [1000, 10**4, 10**6])
def test_three_kinds_keep_their_digits_however_far_out(n, threshold):
    # Summed over the counts that are likely, rather than those that make the excess, 1e-92 was 1e-118.
    expected = slow.of_binomial(2 * n, Fraction(1, 4), n * Fraction(threshold)) / n
    found = mean_excess(n, *as_sums_of_coins(2, threshold))
    if expected > 1e-300:
        assert float(found.value) == pytest.approx(float(expected), rel=1e-10, abs=0)
