"""Histograms of draws from several laws: exactly when small, by their transform when large, tilted into far tails."""

import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.errors import TooLargeError
from discretion.numerics.laws import poisson_multinomial as kernel
from discretion.numerics.laws.binomial import binomial_window
from oracles import laws, poisson_multinomial as oracle

GRAIN = 16
ROWS = np.array([[0.5, 0.25, 0.25], [0.125, 0.625, 0.25], [0.125, 0.25, 0.625]])


@st.composite
def draws(draw, with_tilt=False):
    """Counts and laws; probabilities are sixteenths, 0 and 1 included, so that floats are exact."""
    m = draw(st.integers(1, 4))
    cuts = st.lists(st.integers(0, GRAIN), min_size=m - 1, max_size=m - 1).map(sorted)
    groups = draw(st.lists(st.tuples(st.integers(0, 4), cuts), min_size=1, max_size=3))
    rows = [[(b - a) / GRAIN for a, b in zip([0, *cut], [*cut, GRAIN], strict=True)] for _, cut in groups]
    tilt = draw(st.lists(st.floats(-3, 3), min_size=m, max_size=m)) if with_tilt else None
    return tuple(count for count, _ in groups), rows, tilt


def inverted(counts, rows, tilt=None):
    """The box by its characteristic function, even where a convolution would be quicker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_DIRECT", -1)
        return kernel.histogram_box(counts, rows, tilt)


def listed(box, law):
    """A law on a box as a dictionary from whole histograms."""
    masses = {}
    for places in np.ndindex(*law.shape):
        h = [c + i for c, i in zip(box.corner, places, strict=True)]
        masses[*h, box.draws - sum(h)] = float(law[places])
    return masses


def assert_same(masses, expected, rel, abs=0.0):  # noqa: A002
    for h in masses.keys() | expected.keys():
        assert masses.get(h, 0.0) == pytest.approx(float(expected.get(h, 0)), rel=rel, abs=abs)


@pytest.mark.long
@given(draws(with_tilt=True))
def test_small_laws_are_right_in_every_cell_tilted_or_not(case):
    counts, rows, tilt = case
    expected = oracle.law(counts, rows)
    for box in (kernel.histogram_box(counts, rows), kernel.histogram_box(counts, rows, tilt)):
        assert box.draws == sum(counts)
        assert len(box.corner) == box.law.ndim == len(rows[0]) - 1
        assert box.law.sum() == pytest.approx(1, rel=0, abs=1e-14)
        assert_same(listed(box, box.probabilities()), expected, rel=1e-12)


@given(draws(with_tilt=True))
def test_the_transform_is_right_to_rounding(case):
    counts, rows, tilt = case
    direct, box = kernel.histogram_box(counts, rows, tilt), inverted(counts, rows, tilt)
    assert (box.corner, box.log_scale) == (direct.corner, direct.log_scale)
    assert box.law.sum() == pytest.approx(1, rel=0, abs=1e-14)
    np.testing.assert_allclose(box.law, direct.law, rtol=0, atol=3e-15)
    assert np.all(box.law >= 0)


@given(draws(with_tilt=True), st.data())
def test_one_more_draw(case, data):
    counts, rows, tilt = case
    target = data.draw(st.sampled_from(rows))
    expected = oracle.law((*counts, 1), [*rows, target])
    box = kernel.histogram_box(counts, rows, tilt)
    corner, laws_of_all = kernel.with_target(box, rows)
    grown = kernel.Box(corner, laws_of_all[rows.index(target)], box.draws + 1, box.tilt, box.log_scale)
    assert_same(listed(grown, grown.probabilities()), expected, rel=1e-12)


def test_no_draw_and_one_outcome_leave_nothing_open():
    assert kernel.histogram_box((0, 0), ROWS[:2]).corner == (0, 0)
    assert kernel.histogram_box((0, 0), ROWS[:2]).law.tolist() == [[1.0]]
    sole = kernel.histogram_box((10**9,), [[1.0]])
    assert (sole.corner, sole.law.shape, float(sole.law)) == ((), (), 1.0)
    assert (sole.corner, float(sole.law), sole.draws) == ((), 1.0, 10**9)


def test_certain_outcomes_only_move_the_box():
    certain = kernel.histogram_box((10**9, 2, 10**8), [[1, 0, 0], [0.5, 0.25, 0.25], [0, 1, 0]])
    moved = kernel.histogram_box((2,), ROWS[:1])
    assert certain.corner == (10**9 + moved.corner[0], 10**8 + moved.corner[1])
    np.testing.assert_allclose(certain.law, moved.law, rtol=1e-13)


def test_only_differences_of_the_tilt_matter():
    box = kernel.histogram_box((30, 20), ROWS[:2], (0.5, -0.25, 0.125))
    same = kernel.histogram_box((30, 20), ROWS[:2], (1.5, 0.75, 1.125))
    assert (box.corner, box.tilt, box.log_scale) == (same.corner, same.tilt, same.log_scale)
    np.testing.assert_array_equal(box.law, same.law)


@pytest.mark.long
@pytest.mark.parametrize(
    ("counts", "row", "deviations"),
    [
        ((6 * 10**8, 4 * 10**8), (0.25, 0.75), [(-3,), (0,), (2,)]),
        ((40_000, 30_000, 30_000), (0.25, 0.5, 0.25), [(0, 0), (1, -1), (-2, 2)]),
        ((200, 100), (0.25, 0.125, 0.125, 0.5), [(0, 0, 0), (1, -1, 1)]),
        ((10**9 - 10**6, 10**6), (2.0**-29, 1 - 2.0**-29), [(0,), (2,)]),
    ],
)
@pytest.mark.parametrize("tail", [0, 25])
def test_groups_of_the_same_law_are_one_large_multinomial(counts, row, deviations, tail):
    n, m = sum(counts), len(row)
    spread = [math.sqrt(n * p * (1 - p)) for p in row[:-1]]
    # A tilt that moves the first outcome's mean that many deviations up.
    centre = [n * p for p in row]
    centre[0] = min(centre[0] + tail * spread[0], 0.9 * n)
    centre[1:] = [(n - centre[0]) * p / (1 - row[0]) for p in row[1:]]
    tilt = [math.log(c / (n * p)) for c, p in zip(centre, row, strict=True)]
    box = inverted(counts, [row] * len(counts), tilt)
    assert box.law.sum() == pytest.approx(1, rel=0, abs=1e-14)
    probabilities = box.probabilities()
    for moves in deviations:
        h = [round(c + d * s) for c, d, s in zip(centre, moves, spread, strict=False)]
        expected = laws.large_multinomial([*h, n - sum(h)], [Fraction(p) for p in row])
        value = probabilities[tuple(x - c for x, c in zip(h, box.corner, strict=True))]
        assert len(h) == m - 1
        assert value == pytest.approx(float(expected), rel=1e-11, abs=0)


def tilt_to(counts, hits, mean):
    """The tilt of hits that gives them this mean, by bisection."""
    low, high = -50.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        odds = [float(p / (1 - p)) * math.exp(middle) for p in hits]
        low, high = (
            (middle, high) if sum(n * o / (1 + o) for n, o in zip(counts, odds, strict=True)) < mean else (low, middle)
        )
    return low


@pytest.mark.long
@pytest.mark.parametrize("at_least", [800, 1100, 1500, 1900, 2000])
def test_a_far_tail_of_two_thousand_draws(at_least):
    counts, hits = (1200, 800), (Fraction(1, 4), Fraction(5, 8))
    expected = oracle.tail(counts, hits, at_least)
    box = inverted(counts, [[float(p), float(1 - p)] for p in hits], (tilt_to(counts, hits, at_least), 0))
    above = box.probabilities()[max(0, at_least - box.corner[0]) :]
    assert float(above.sum()) == pytest.approx(expected, rel=1e-11, abs=0)


@pytest.mark.parametrize("at_least", [120, 160, 200])
def test_a_far_half_space_of_three_outcomes(at_least):
    counts, rows = (180, 120), np.array([[0.25, 0.25, 0.5], [0.125, 0.625, 0.25]])
    hits = [Fraction(row[0]) for row in rows]
    expected = oracle.tail(counts, hits, at_least)
    box = inverted(counts, rows, (tilt_to(counts, hits, at_least), 0, 0))
    assert float(box.probabilities()[at_least - box.corner[0] :].sum()) == pytest.approx(expected, rel=1e-11, abs=0)


@pytest.mark.parametrize("counts", [(50_000, 30_000, 20_000), (70, 0, 40), (99_990, 3, 7)])
def test_marginals_mean_and_covariance_of_different_laws(counts):
    box = kernel.histogram_box(counts, ROWS)
    weights = np.array(counts, dtype=float)
    covariance = sum(n * (np.diag(q) - np.outer(q, q)) for n, q in zip(weights, ROWS, strict=True))
    means = weights @ ROWS
    places = [c + np.arange(length) for c, length in zip(box.corner, box.law.shape, strict=True)]
    centred = [x - mean for x, mean in zip(places, means, strict=False)]
    assert box.law.sum() == pytest.approx(1, rel=0, abs=1e-14)
    for axis in range(2):
        marginal = box.law.sum(axis=1 - axis)
        windows = [binomial_window(n, q, 1 - q) for n, q in zip(counts, ROWS[:, axis], strict=True)]
        first, expected = sum(start for start, _ in windows), reduce(np.convolve, [law for _, law in windows])
        reach = slice(box.corner[axis] - first, box.corner[axis] - first + marginal.size)
        np.testing.assert_allclose(marginal, expected[reach], rtol=0, atol=1e-14)
        assert marginal @ centred[axis] == pytest.approx(0, abs=1e-11 * math.sqrt(covariance[axis, axis]))
        assert marginal @ centred[axis] ** 2 == pytest.approx(covariance[axis, axis], rel=1e-11)
    assert centred[0] @ box.law @ centred[1] == pytest.approx(covariance[0, 1], rel=1e-11)


def test_a_billion_draws_from_two_laws():
    counts, hits = np.array([5 * 10**8, 5 * 10**8 - 1]), np.array([0.25, 0.625])
    box = kernel.histogram_box(counts.tolist(), np.stack([hits, 1 - hits], axis=1))
    spreads = counts * hits * (1 - hits)
    variance = float(spreads.sum())
    centred = np.arange(box.law.size) + (box.corner[0] - counts @ hits)
    assert box.law.size < 20 * math.sqrt(variance)
    assert box.law @ centred == pytest.approx(0, abs=1e-11 * math.sqrt(variance))
    assert box.law @ centred**2 == pytest.approx(variance, rel=1e-12)
    assert box.law @ centred**3 == pytest.approx(spreads @ (1 - 2 * hits), abs=1e-11 * variance**1.5)
    fourth = 3 * variance**2 + spreads @ (1 - 6 * hits * (1 - hits))
    assert box.law @ centred**4 == pytest.approx(fourth, rel=1e-11)


@given(st.integers(2, 4), st.integers(0, 40), st.integers(0, 2**32 - 1))
def test_a_box_holds_all_of_the_mass_and_only_what_can_be(m, n, seed):
    rows = np.random.default_rng(seed).dirichlet(np.full(m, 0.5), size=2)
    box = kernel.histogram_box((n, 5), rows)
    assert box.law.sum() == pytest.approx(1, rel=0, abs=1e-14)
    assert all(0 <= c <= c + width - 1 <= n + 5 for c, width in zip(box.corner, box.law.shape, strict=True))


def test_the_window_of_many_draws_leaves_out_less_than_promised():
    n, p = 3000, Fraction(1, 8)
    box = kernel.histogram_box((n,), [[float(p), float(1 - p)]])
    last = box.corner[0] + box.law.size - 1
    inside = sum(laws.binomial(n, x, p) for x in range(box.corner[0], last + 1))
    assert 0 < float(1 - inside) < kernel.NEGLIGIBLE


def test_what_is_too_large_is_refused_before_it_is_begun():
    many = (10**8, 10**8)
    assert kernel.box_cells(many, ROWS[:2]) > kernel.MAX_LAW_CELLS
    with pytest.raises(TooLargeError, match="cells"):
        kernel.histogram_box(many, ROWS[:2])
    box = kernel.histogram_box((300, 200), ROWS[:2])
    assert box.law.size <= kernel.box_cells((300, 200), ROWS[:2]) < 2 * box.law.size


def test_a_box_is_not_to_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        kernel.histogram_box((3,), ROWS[:1]).law[0, 0] = 1
