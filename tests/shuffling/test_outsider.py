"""The asymptotes of a large crowd, and bounds of the maximum load that hold at any size."""

from decimal import Decimal
from fractions import Fraction
from math import log, pi, sqrt

import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.numerics.laws.occupancy import normal_maximum_moments
from oracles import laws, shuffling as slow

FORMS = ["first order", "second order", "paper"]

CROWDS = st.builds(
    lambda n, k, lie: dc.Shuffled(dc.RandomizedResponse(k, p=1 - lie * (1 - 1 / k)), n),
    st.integers(1, 10**5),
    st.integers(2, 300),
    st.floats(0, 0.999),
)


def noiseless(k, n):
    return dc.Shuffled(dc.RandomizedResponse(k, p=1), n)


# MATHS 2a.
def test_three_values_and_a_hundred_users():
    exact = 0.382633872848196612
    values = [dc.shuffling.asymptotic_vulnerability(noiseless(3, 100), form).value for form in FORMS]
    assert values == [pytest.approx(0.3822, abs=5e-5), pytest.approx(exact, abs=5e-5), pytest.approx(0.3938, abs=5e-5)]


@pytest.mark.parametrize("k", [2, 3, 4, 5, 10])
@pytest.mark.parametrize("p", [1, 0.8])
def test_each_form_is_its_formula(k, p):
    mean, mean_square = normal_maximum_moments(k)
    crowd, gap = dc.Shuffled(dc.RandomizedResponse(k, p=p), 1000), (k * p - 1) / (k - 1)
    first = 1 / k + gap * mean / sqrt(1000 * k)
    expected = [first, first + gap * (mean_square - 1) / 6000, 1 / k + gap * sqrt(log(k) / (k * 1000))]
    assert [dc.shuffling.asymptotic_vulnerability(crowd, form).value for form in FORMS] == pytest.approx(
        expected, rel=1e-13
    )


def errors(k, form, sizes):
    """What the exact value is over the asymptote."""
    crowds = [noiseless(k, n) for n in sizes]
    return [
        dc.posterior_vulnerability(crowd) - dc.shuffling.asymptotic_vulnerability(crowd, form).value for crowd in crowds
    ]


@pytest.mark.parametrize("k", [3, 4, 10, 100])
def test_the_first_order_misses_a_term_in_1_over_n(k):
    sizes = [100 * k, 10**4 * k]
    missed = (normal_maximum_moments(k)[1] - 1) / 6
    near, far = (error * n / missed for error, n in zip(errors(k, "first order", sizes), sizes, strict=True))
    assert abs(near - 1) < 0.05
    assert abs(far - 1) < 0.005


@pytest.mark.parametrize("k", [3, 4, 10, 100])
def test_the_second_order_misses_a_term_in_n_to_the_minus_three_halves(k):
    sizes = [300 * k, 3000 * k, 30_000 * k]
    scaled = [error * n**1.5 for error, n in zip(errors(k, "second order", sizes), sizes, strict=True)]
    assert max(scaled) < 0
    assert min(scaled) > 1.05 * max(scaled)


@pytest.mark.parametrize(("n", "sign"), [(10**4, -1), (10**4 + 1, 1), (10**6, -1), (10**6 + 1, 1)])
def test_of_two_values_an_odd_crowd_is_above_and_an_even_one_below(n, sign):
    # Against Theorem 17 to 60 digits: E|S_n| = √(2n/π)(1 ± 1/(4n) + …).
    asymptote = dc.shuffling.asymptotic_vulnerability(noiseless(2, n)).value
    error = float(Decimal("0.5") + laws.binary_advantage(n) - Decimal(asymptote))
    assert error * n**1.5 == pytest.approx(sign / (4 * sqrt(2 * pi)), rel=1e-3, abs=1e-16 * n**1.5)


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 3, 4, 5, 9, 10, 100])
def test_the_paper_s_form_stays_off_by_a_share_of_the_advantage(k):
    n = 10**9
    exact, paper = (
        dc.posterior_vulnerability(noiseless(k, n)),
        dc.shuffling.asymptotic_vulnerability(noiseless(k, n), "paper"),
    )
    ratio = (paper.value - 1 / k) / (exact - 1 / k)
    assert ratio == pytest.approx(sqrt(log(k)) / normal_maximum_moments(k)[0], abs=1e-3)
    assert ratio > 1 + 1e-3 or ratio < 1 - 1e-3
    assert (ratio > 1) == (k < 9)


@given(CROWDS, st.sampled_from(FORMS))
def test_the_interval_holds_the_exact_value(crowd, form):
    estimate = dc.shuffling.asymptotic_vulnerability(crowd, form)
    assert estimate.certified
    assert estimate.low <= dc.posterior_vulnerability(crowd) <= estimate.high


@given(CROWDS, st.sampled_from(FORMS))
def test_the_interval_is_that_of_the_maximum_load_unless_it_was_widened(crowd, form):
    estimate, load = (
        dc.shuffling.asymptotic_vulnerability(crowd, form),
        dc.shuffling.maximum_load_bounds(crowd.n, crowd.mechanism.k),
    )
    low, high = (crowd.mechanism.gap * end / crowd.n + crowd.mechanism.q for end in (load.low, load.high))
    widened = "widened" in estimate.method
    assert widened == (estimate.value in (estimate.low, estimate.high))
    assert estimate.low == pytest.approx(min(low, estimate.value) if widened else low, rel=1e-11)
    assert estimate.high == pytest.approx(max(high, estimate.value) if widened else high, rel=1e-11)


def test_the_method_names_the_form_and_the_interval():
    methods = [dc.shuffling.asymptotic_vulnerability(noiseless(3, 1000), form).method for form in FORMS]
    assert all("certified" in method for method in methods)
    assert "first order" in methods[0]
    assert "second order" in methods[1]
    assert "paper's form with constant 1, which is not the limit" in methods[2]
    assert ["widened" in method for method in methods] == [False, False, True]


def test_the_second_order_is_the_one_to_quote():
    crowd = noiseless(5, 1000)
    assert dc.shuffling.asymptotic_vulnerability(crowd) == dc.shuffling.asymptotic_vulnerability(crowd, "second order")


@pytest.mark.parametrize("form", FORMS)
def test_no_signal_leaves_the_blind_guess(form):
    assert dc.shuffling.asymptotic_vulnerability(dc.Shuffled(dc.RandomizedResponse(4, p=0.25), 9), form).value == 0.25


@pytest.mark.parametrize(
    ("crowd", "given"),
    [
        (dc.RandomizedResponse(3, p=0.5), "got RandomizedResponse"),
        (dc.Shuffled(dc.Channel([[0.5, 0.5], [0.1, 0.9]]), 5), r"got Shuffled\(Channel"),
        (3, "got int"),
    ],
)
def test_only_shuffled_randomized_response_has_an_asymptote(crowd, given):
    with pytest.raises(dc.errors.UnsupportedError, match=given):
        dc.shuffling.asymptotic_vulnerability(crowd)


@pytest.mark.parametrize("form", ["third order", "", None, 2, ["paper"]])
def test_there_are_three_forms(form):
    with pytest.raises(dc.errors.InvalidValueError, match="'first order', 'second order' or 'paper'"):
        dc.shuffling.asymptotic_vulnerability(noiseless(3, 10), form)


# Both bounds of the maximum load


@pytest.mark.parametrize("k", range(2, 7))
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12, 13, 30])
def test_the_bounds_are_sums_of_binomial_tails_and_hold_the_sum_over_partitions(n, k):
    low = high = -(-n // k)
    for load in range(low + 1, n + 1):
        tail = sum(laws.binomial(n, x, Fraction(1, k)) for x in range(load, n + 1))
        union = min(Fraction(1), k * tail)
        low += union if 2 * load > n else 1 - (1 - tail) ** k
        high += union
    bounds = dc.shuffling.maximum_load_bounds(n, k)
    assert bounds.certified
    assert (bounds.low, bounds.high) == pytest.approx((float(low), float(high)), rel=1e-11)
    assert bounds.low <= slow.maximum_load_by_partitions(n, k) <= bounds.high


@pytest.mark.parametrize("k", range(2, 6))
@pytest.mark.parametrize("n", [2, 3, 7, 10, 24])
def test_one_pair_of_bins_says_less(n, k):
    # M >= max(h_a, h_b) = (h_a + h_b)/2 + |h_a - h_b|/2, a fair walk of Bin(n, 2/k) steps.
    pair = sum(laws.binomial(n, s, Fraction(2, k)) * (s + laws.walk(s)) / 2 for s in range(n + 1))
    assert dc.shuffling.maximum_load_bounds(n, k).low >= pair * (1 - Fraction(1, 10**11))


@given(st.integers(1, 10**6), st.integers(2, 10**4))
def test_the_maximum_load_is_between_its_bounds(n, k):
    bounds = dc.shuffling.maximum_load_bounds(n, k)
    assert max(1, n / k) <= bounds.low <= dc.shuffling.maximum_load(n, k) <= bounds.high <= n


# MATHS 2a.
@pytest.mark.parametrize(
    ("n", "k", "share"), [(10**4, 10, 0.104894195155311858), (10**6, 1000, 0.00110409041773469562)]
)
def test_the_bounds_hold_the_reference_values(n, k, share):
    bounds = dc.shuffling.maximum_load_bounds(n, k)
    assert bounds.low < share * n < bounds.high
    assert bounds.high - bounds.low < 0.14 * (share * n - n / k)


def test_the_bounds_hold_at_a_billion():
    bounds = dc.shuffling.maximum_load_bounds(10**9, 10**5)
    assert bounds.low < 1.04414683932551e4 < bounds.high
    assert bounds.high - bounds.low < 10


@pytest.mark.parametrize("n", [1, 2, 3, 100, 101, 10**6, 10**9])
def test_two_bins_leave_nothing_open(n):
    bounds, exact = dc.shuffling.maximum_load_bounds(n, 2), n * (Decimal("0.5") + laws.binary_advantage(n))
    assert bounds.low <= exact <= bounds.high
    assert bounds.high <= bounds.low * (1 + 1e-11)


@pytest.mark.parametrize("k", [2, 10**20, 10**400])
def test_one_ball_is_the_maximum(k):
    bounds = dc.shuffling.maximum_load_bounds(1, k)
    assert (bounds.low, bounds.value, bounds.high) == (1, 1, 1)


@pytest.mark.parametrize("k", [10**15, 10**20, 10**400])
def test_balls_seldom_meet_in_very_many_bins(k):
    bounds = dc.shuffling.maximum_load_bounds(1000, k)
    assert bounds.low <= laws.sparse_maximum_load(1000, k) <= bounds.high <= 1 + 1e-8


@pytest.mark.parametrize(("n", "k"), [(0, 2), (2, 1), (2, 0), (-1, 2), (2.0, 2), (2, "3"), (True, 2)])
def test_balls_and_bins_are_whole_numbers(n, k):
    with pytest.raises(dc.errors.InvalidValueError, match="whole number"):
        dc.shuffling.maximum_load_bounds(n, k)


def test_a_crowd_has_a_largest_size():
    with pytest.raises(dc.errors.TooLargeError, match="10,000,000,000"):
        dc.shuffling.maximum_load_bounds(10**10 + 1, 2)
