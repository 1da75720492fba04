"""An estimate is a number that nobody can mistake for an exact one."""

import copy
import dataclasses
import json
import math
import operator
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.estimate import as_share, contrasted, largest, mapped, settled
from discretion.presenting.numbers import in_full
from oracles import interval_arithmetic


def test_an_estimate_is_its_value_with_its_interval():
    estimate = dc.Estimate(0.5, 0.4, 0.6, 0.95, "sampled")
    assert float(estimate) == 0.5
    assert not estimate.certified
    assert dc.Estimate(0.5, 0.0, 0.5, None, "bound").certified
    assert not isinstance(estimate, float)
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate.value = 0.4


@pytest.mark.parametrize(
    ("value", "low", "high", "confidence"),
    [
        (0.7, 0.4, 0.6, None),
        (0.3, 0.4, 0.6, None),
        (math.nan, 0, 1, None),
        (0.5, math.nan, 1, None),
        (0.5, 0, math.nan, None),
        (0.5, 0, 1, 0.0),
        (0.5, 0, 1, 1.0),
        (0.5, 0, 1, 1.5),
        (0.5, 0, 1, math.nan),
    ],
)
def test_an_interval_holds_its_value_and_a_confidence_is_a_probability(value, low, high, confidence):
    with pytest.raises(dc.errors.InvalidValueError, match="got"):
        dc.Estimate(value, low, high, confidence, "sampled")


def test_an_increasing_function_moves_both_ends():
    doubled = mapped(dc.Estimate(0.5, 0.25, 0.75, None, "bound"), lambda x: 2 * x)
    assert doubled == dc.Estimate(1.0, 0.5, 1.5, None, "bound")
    assert mapped(0.5, lambda x: 2 * x) == 1.0


def test_a_falling_function_turns_the_interval_round():
    assert mapped(dc.Estimate(0.5, 0.25, 0.75, None, "bound"), lambda x: 1 - x) == dc.Estimate(
        0.5, 0.25, 0.75, None, "bound"
    )
    assert mapped(dc.Estimate(0.5, 0.5, 0.75, None, "bound"), lambda x: 1 - x).low == 0.25


def test_arithmetic_with_numbers_moves_both_ends_and_turns_what_falls_round():
    bound = dc.Estimate(0.5, 0.25, 1.0, None, "bound")
    assert -bound == dc.Estimate(-0.5, -1.0, -0.25, None, "bound")
    assert 1 + bound == bound + 1 == dc.Estimate(1.5, 1.25, 2.0, None, "bound")
    assert bound - 1 == dc.Estimate(-0.5, -0.75, 0.0, None, "bound")
    assert 1 - bound == dc.Estimate(0.5, 0.0, 0.75, None, "bound")
    assert 2 * bound == bound * 2 == dc.Estimate(1.0, 0.5, 2.0, None, "bound")
    assert bound * -2 == bound / -0.5 == dc.Estimate(-1.0, -2.0, -0.5, None, "bound")
    assert bound.widened(0.25) == dc.Estimate(0.5, 0.0, 1.25, None, "bound")
    assert as_share(bound.widened(0.5)) == dc.Estimate(0.5, 0.0, 1.0, None, "bound")
    assert as_share(1.5) == 1 and as_share(-0.5) == 0


def test_sums_of_estimates_hold_if_neither_misses():
    certified = dc.Estimate(3.0, 2.5, 4.0, None, "bound")
    sampled = dc.Estimate(1.0, 0.5, 1.5, 0.9375, "sample")
    assert certified + sampled == dc.Estimate(4.0, 3.0, 5.5, 0.9375, "bound; sample")
    assert certified - sampled == dc.Estimate(2.0, 1.0, 3.5, 0.9375, "bound; sample")
    assert (certified + certified).certified and (certified + certified).method == "bound"
    assert (certified + sampled + certified).method == "bound; sample"
    assert (sampled - sampled).low == -1.0 and (sampled + sampled).confidence == 0.875


def test_the_largest_of_numbers_and_bounds():
    bound = dc.Estimate(0.5, 0.25, 0.5, None, "bound")
    assert largest([0.1, 0.7, 0.3]) == 0.7
    assert largest([]) == 0
    assert largest([0.6, bound]) == 0.6
    assert largest([0.4, bound]) == dc.Estimate(0.5, 0.4, 0.5, None, "bound")


def test_the_largest_of_several_samples_is_missed_if_any_of_them_is():
    samples = [dc.Estimate(x, x - 0.2, x + 0.2, 0.95, "sample") for x in (0.3, 0.4, 0.45)]
    found = largest(samples)
    assert (found.value, found.low, found.high) == (0.45, 0.25, 0.65)
    assert found.confidence == pytest.approx(0.85, abs=1e-12)
    # One whose interval is below the others has to hold as well, for it to be out of the question.
    below = dc.Estimate(0.1, 0.0, 0.2, 0.9, "sample")
    assert largest([*samples, below]).confidence == pytest.approx(0.75, abs=1e-12)
    assert largest([0.5, below]).confidence == pytest.approx(0.9, abs=1e-12)
    with pytest.raises(dc.errors.InvalidValueError, match="higher"):
        largest([below] * 11)


def test_intervals_of_the_largest_of_several_samples_hold_as_often_as_they_say():
    rng, truth, off = np.random.default_rng(1), 0.5, 1.959963984540054
    held = 0
    for _ in range(2000):
        means = truth + rng.normal(size=4)
        found = largest([dc.Estimate(x, x - off, x + off, 0.95, "sample") for x in means.tolist()])
        held += found.low <= truth <= found.high
    assert found.confidence == pytest.approx(0.8, abs=1e-12)
    assert held / 2000 >= found.confidence


def test_what_rests_on_an_assumption_is_not_certified_nor_is_what_is_made_of_it():
    assumed = dc.Estimate(0.5, 0.5, 0.5, None, "product law", assuming="independent columns")
    assert not assumed.certified
    assert settled(assumed) is assumed
    assert not mapped(assumed, lambda x: 1 - x).certified
    assert contrasted(assumed, 0.1, lambda a, b: a - b).assuming == "independent columns"
    assert largest([0.4, assumed]).assuming == "independent columns"
    assert largest([0.6, assumed]).assuming == "independent columns"


def test_a_certified_interval_as_narrow_as_a_float_is_a_float():
    assert settled(dc.Estimate(0.5, 0.5 - 1e-11, 0.5, None, "bound")) == 0.5
    wide = dc.Estimate(0.5, 0.5 - 1e-9, 0.5, None, "bound")
    assert settled(wide) is wide
    sampled = dc.Estimate(0.5, 0.5, 0.5, 0.95, "sample")
    assert settled(sampled) is sampled


def test_what_rises_with_one_and_falls_with_another_takes_the_far_ends():
    assert contrasted(3.0, 1.0, lambda a, b: a - b) == 2.0
    certified = dc.Estimate(3.0, 2.5, 4.0, None, "bound")
    sampled = dc.Estimate(1.0, 0.5, 1.5, 0.95, "sample")
    apart = contrasted(certified, sampled, lambda a, b: a - b)
    assert (apart.value, apart.low, apart.high) == (2.0, 1.0, 3.5)
    assert (apart.confidence, apart.method) == (0.95, "bound; sample")
    assert contrasted(certified, 1.0, lambda a, b: a - b).certified
    # Two intervals hold together at least so often as neither misses.
    assert contrasted(sampled, sampled, lambda a, b: a / b).confidence == pytest.approx(0.9)


BOUND = dc.Estimate(0.11, 0.0, 0.11, None, "bound")
TRIES = dc.Estimate(0.5, 0.4, 0.6, 0.95, "tries")
ASSUMED = dc.Estimate(0.5, 0.5, 0.5, None, "product", assuming="independent columns")
EITHER_SIGN = dc.Estimate(0.5, -1.0, 2.0, 0.9, "noise")
UNLIMITED = dc.Estimate(math.inf, 1.0, math.inf, None, "bound")
USERS = dc.Estimate(7, 5, 9, None, "search")

ENDS = st.one_of(st.floats(-1e3, 1e3), st.integers(-50, 50), st.sampled_from([0.0, 5e-324, 1e308, -1e308, 0.1]))
OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv)


@st.composite
def estimates(draw):
    low, value, high = sorted(draw(st.tuples(ENDS, ENDS, ENDS)))
    certified = draw(st.booleans())
    safe = draw(st.sampled_from(["low", "high"]))
    return dc.Estimate(value, low, high, None if certified else 0.95, "drawn", safe=safe)


@given(st.sampled_from(OPERATIONS), estimates(), st.one_of(estimates(), ENDS, st.fractions(-10, 10)))
def test_arithmetic_holds_whatever_the_numbers_may_be(operation, first, second):
    other = (second.low, second.high) if isinstance(second, dc.Estimate) else (second, second)
    for operands, ends in (
        ((first, second), ((first.low, first.high), other)),
        ((second, first), (other, (first.low, first.high))),
    ):
        if operation is operator.truediv and ends[1][0] <= 0 <= ends[1][1]:
            with pytest.raises(dc.errors.InvalidValueError, match="divisor may be 0"):
                operation(*operands)
            continue
        result = operation(*operands)
        assert all(result.low <= image <= result.high for image in interval_arithmetic.images(operation, *ends))
        unsure = sum(isinstance(each, dc.Estimate) and not each.certified for each in operands)
        assert result.confidence == {0: None, 1: 0.95, 2: 0.9}[unsure]


@given(estimates())
def test_functions_of_one_number_keep_its_kind_and_hold_it(estimate):
    for function in (operator.neg, operator.pos, abs, lambda e: e**2, lambda e: e**3, lambda e: round(e, 1)):
        result = function(estimate)
        assert result.kind == estimate.kind and result.confidence == estimate.confidence
        assert result.method == estimate.method
    for function in (operator.neg, abs, lambda e: e**2, lambda e: e**3):
        result = function(estimate)
        images = (function(number) for number in interval_arithmetic.members(estimate.low, estimate.high))
        assert all(result.low <= image <= result.high for image in images)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (BOUND, BOUND, "bound"),
        (BOUND, 0.5, "bound"),
        (Fraction(1, 3), BOUND, "bound"),
        (BOUND, TRIES, "estimate"),
        (TRIES, TRIES, "estimate"),
        (BOUND, ASSUMED, "assumption"),
        (TRIES, ASSUMED, "assumption"),
    ],
)
def test_the_kind_of_a_sum_is_that_of_the_least_sure_part(first, second, kind):
    assert (first + second).kind == (second + first).kind == (first * second).kind == kind


def test_chances_of_a_miss_add_up_until_nothing_is_left():
    assert sum([TRIES] * 3).confidence == 0.85
    assert (TRIES**2).confidence == (TRIES / 3).confidence == 0.95
    with pytest.raises(dc.errors.InvalidValueError, match="2 intervals add up to 1, so together they have no"):
        sum([TRIES] * 20)


def test_whole_numbers_stay_whole():
    result = (USERS + 1) * 2
    assert (result.value, result.low, result.high) == (16, 12, 20)
    assert all(type(number) is int for number in (result.value, result.low, result.high))


@pytest.mark.parametrize(
    "calculation",
    [
        lambda: 1 / BOUND,
        lambda: 1 / EITHER_SIGN,
        lambda: TRIES**math.inf,
        lambda: TRIES**math.nan,
        lambda: TRIES + math.nan,
        lambda: TRIES + 10**400,
        lambda: TRIES * Fraction(10**400),
        lambda: EITHER_SIGN**0.5,
        lambda: (-1) ** TRIES,
        lambda: BOUND**-1,
        lambda: np.log(EITHER_SIGN),
        lambda: np.sqrt(EITHER_SIGN),
        lambda: np.sin(TRIES),
        lambda: np.isnan(TRIES),
        lambda: np.maximum(TRIES, 0.5),
        lambda: bool(BOUND),
        lambda: TRIES < 0.5,
        lambda: TRIES < ASSUMED,
        lambda: UNLIMITED < 10**400,
        lambda: sorted([TRIES, ASSUMED]),
        lambda: format(TRIES, "x"),
        lambda: format(TRIES, ".3f nonsense"),
    ],
)
def test_what_has_no_sure_answer_is_refused_in_a_sentence(calculation):
    with pytest.raises(dc.errors.DiscretionError) as refusal:
        calculation()
    assert len(str(refusal.value)) < 500


def test_a_comparison_answers_where_the_whole_interval_is_on_one_side():
    assert TRIES < 0.7 and TRIES <= 0.6 and TRIES > 0.3 and TRIES >= 0.4
    assert not TRIES < 0.4 and not TRIES > 0.6 and not TRIES >= 0.7 and not TRIES <= 0.3
    assert TRIES < USERS and not TRIES > USERS and TRIES < 0.7 and BOUND < TRIES
    assert TRIES < 10**400 and Fraction(2, 3) > TRIES
    assert not any(compare(TRIES, math.nan) for compare in (operator.lt, operator.le, operator.gt, operator.ge))
    assert bool(TRIES) and not dc.Estimate(0.0, 0.0, 0.0, None, "none")
    assert max([BOUND, USERS, TRIES]) is USERS and sorted([USERS, TRIES, BOUND]) == [BOUND, TRIES, USERS]
    with pytest.raises(dc.errors.InvalidValueError, match=r"e\.high < 0\.5"):
        assert TRIES < 0.5
    with pytest.raises(dc.errors.InvalidValueError, match=r"e\.high <= other\.low"):
        assert TRIES <= ASSUMED


@given(estimates(), st.one_of(ENDS, estimates()))
def test_a_comparison_agrees_with_every_pair_inside(first, second):
    ends = (second.low, second.high) if isinstance(second, dc.Estimate) else (second, second)
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        answers = set(interval_arithmetic.images(compare, (first.low, first.high), ends))
        if len(answers) == 1:
            assert compare(first, second) is answers.pop()
        else:
            with pytest.raises(dc.errors.InvalidValueError, match="no certain answer"):
                compare(first, second)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("", "0.123457 [0.1, 0.123457]"),
        (".3f", "0.124 [0.100, 0.124]"),
        (".1%", "12.4% [10.0%, 12.4%]"),
        (".2e", "1.24e-01 [1.00e-01, 1.24e-01]"),
        ("^20.1f", "   0.2 [0.1, 0.2]   "),
        ("+.2g", "+0.13 [+0.1, +0.13]"),
    ],
)
def test_a_format_is_that_of_the_value_and_of_both_ends_outwards(spec, text):
    assert format(dc.Estimate(0.1234567, 0.1, 0.1234567, None, "bound"), spec) == text


@given(estimates(), st.sampled_from([".0f", ".3f", ".2e", ".6g", ".1%", ",.2f"]))
def test_a_printed_interval_holds_what_it_is_the_interval_of(estimate, spec):
    text = format(estimate, spec).translate(str.maketrans("", "", ",[]%")).replace("inf", "1e400")
    value, low, high = (Fraction(part) / (100 if "%" in spec else 1) for part in text.split())
    slack = {end: Fraction(math.ulp(end)) for end in (float(estimate.low), float(estimate.high))}
    assert low <= Fraction(estimate.low) + slack[float(estimate.low)]
    assert high >= Fraction(estimate.high) - slack[float(estimate.high)]
    assert low <= value <= high


@given(estimates(), st.one_of(st.none(), st.integers(-3, 8)))
def test_rounding_widens_the_interval(estimate, digits):
    result = round(estimate, digits)
    assert result.low <= math.nextafter(estimate.low, math.inf)
    assert result.high >= math.nextafter(estimate.high, -math.inf)
    assert digits is not None or all(type(number) is int for number in (result.value, result.low, result.high))


def test_a_difference_is_printed_without_the_last_digit_of_its_rounding():
    assert str(1 - BOUND) == "0.89 [0.89, 1]"
    assert (1 - BOUND).value == (1 - BOUND).low == math.nextafter(0.89, 0)
    assert in_full(1 - BOUND) == "at least 0.89"


def test_numpy_takes_estimates_one_by_one_and_in_arrays():
    assert np.exp(np.log(TRIES)).low <= 0.4 and np.sqrt(TRIES**2).high >= 0.6
    assert np.log(BOUND).low == -math.inf and np.exp(TRIES * 10000).high == math.inf
    mixed = np.array([TRIES, 1.0])
    assert mixed.dtype == object and (mixed * 2)[1] == 2.0
    assert np.array([TRIES, 1.0], dtype=float).tolist() == [0.5, 1.0]
    assert (np.array([1.0, 2.0]) * TRIES)[1] == TRIES * 2
    for two in (np.float64(2), np.float32(2), np.longdouble(2), np.int64(2)):
        assert two * TRIES == TRIES * two == TRIES * 2
    assert (np.array([0.1, 0.9]) < TRIES).tolist() == [True, False]
    assert np.sum([TRIES, BOUND]) == np.dot(np.array([TRIES, BOUND]), np.array([1, 1])) == TRIES + BOUND
    assert np.round(TRIES, 1).value == 0.5


def test_an_estimate_is_copied_pickled_and_written_as_json():
    assert pickle.loads(pickle.dumps(TRIES)) == copy.deepcopy(TRIES) == TRIES
    assert json.loads(json.dumps(TRIES, default=dc.Estimate.to_dict)) == TRIES.to_dict()
    whole = dc.Estimate(np.int64(3), np.float64(2), Fraction(7, 2), None, "counts")
    assert json.loads(json.dumps(whole.to_dict()))["high"] == 3.5


def test_data_frames_and_latex_show_a_number_with_its_interval():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    frame = pandas.DataFrame({"n": [1, 2], "x": [TRIES, BOUND]})
    assert "0.5 [0.4, 0.6]" in frame.to_string() and "0.11 [0, 0.11]" in frame.to_latex()
    assert (frame["x"] + 1)[0] == TRIES + 1 and frame["x"].sum() == TRIES + BOUND
    assert frame["x"].astype(float).tolist() == [0.5, 0.11]
    assert "0.5 [0.4, 0.6]" in str(polars.Series("x", [TRIES, BOUND], dtype=polars.Object))
    assert polars.DataFrame([TRIES.to_dict(), BOUND.to_dict()])["high"].to_list() == [0.6, 0.11]
    assert TRIES._repr_latex_() == r"$0.5\ [0.4,\, 0.6]$"
    assert dc.Estimate(1e-7, 0.0, math.inf, None, "x")._repr_latex_() == r"$1 \times 10^{-7}\ [0,\, \infty]$"
