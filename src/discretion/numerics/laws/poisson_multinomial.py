"""The histogram of independent draws from several laws, up to a billion of them: a Poisson-multinomial law.

Small cases convolve the groups' multinomials. Large ones invert the characteristic function, which is known in closed
form, on a box with a period per axis: that costs one transform, however many groups there are,

    P(h) = Π_y 1/L_y Σ_t e^{-i t·(h-μ)} Π_g φ_g(t)^{N_g},    φ_g(t) = Σ_y q_gy e^{i(t_y - t·q_g)}

with t_y in 2π/L_y ℤ and 0 for the last outcome. The L_y are so long that the mass that wraps around is negligible, and
only few t matter: ``|φ_g|² <= 1 - 4 sin²(t_y/2) q_y q_m / (q_y + q_m)``, whatever the other frequencies are. Because
the mean is taken out before, exactly, a billion draws cost no digits.

Rounding leaves an error of about 1e-16 of the largest probability everywhere, which hides far tails. A tilt θ moves the
box there: every law q is replaced by q e^θ, normalized, and the histograms are reweighted by ``exp(log_scale - θ·i)``.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Complexes, Integers, Reals
from discretion.numerics.excess import log1p, sine_excess
from discretion.numerics.laws.binomial import multinomial_pmf

# Cells of the law of a histogram, by a transform: 8 bytes each.
MAX_LAW_CELLS = 1 << 27

NEGLIGIBLE = 1e-18
# What convolutions may cost, in multiplications; a multinomial probability costs _PMF of them.
_DIRECT = 1 << 24
_PMF = 1 << 8
_BLOCK = 1 << 18
_MOST_EXPONENT = 700.0
_BITS = 160
_FAST = tuple(3**a * 5**b for a in range(8) for b in range(6))


@dataclass(frozen=True, eq=False)
class Box:
    """The law of a histogram of ``draws`` draws, on a box with all of its relevant mass.

    With an axis per outcome but the last, ``P(h = corner + i) = law[i] · exp(log_scale - tilt·i)``; the last outcome
    has the rest of the draws. Without a tilt that factor is 1. The scale is that of the corner because at a billion
    draws the logarithm of the normalizing constant and θ·h are so large that their difference would have no digits
    left.
    """

    corner: tuple[int, ...]
    law: Reals
    draws: int
    tilt: tuple[float, ...]
    log_scale: float = 0.0

    def weights(self, shape: tuple[int, ...] | None = None) -> Reals:
        """Return ``exp(log_scale - tilt·i)`` for every i in the box, or in another box at the same corner."""
        exponent = np.full(self.law.shape if shape is None else shape, self.log_scale)
        for slope, places in zip(self.tilt, np.ix_(*map(np.arange, exponent.shape)), strict=True):
            exponent -= slope * places
        return np.exp(np.minimum(exponent, _MOST_EXPONENT))

    def probabilities(self) -> Reals:
        """Return the probabilities, which are accurate where tilt·h is not far below its mean in the tilted law.

        Elsewhere the weights grow, and with them the omitted mass and the rounding of ``law``: do not sum there.
        """
        return self.law * self.weights() if any(self.tilt) or self.log_scale else self.law


def histogram_box(
    counts: Sequence[int], rows: ArrayLike, tilt: Sequence[float] | None = None, negligible: float = NEGLIGIBLE
) -> Box:
    """Return the law of the histogram when ``counts[g]`` draws come from the law ``rows[g]``, for every g.

    Rows are taken as exactly normalized. ``tilt`` has an entry per outcome; only its differences matter, and the box
    keeps those to the last. The (tilted) mass that is omitted, moved or cut is below twice ``negligible``: Chernoff's
    bound, for each side of each axis, of the sum and of each group. Raises TooLargeError above 2²⁷ cells; a common
    outcome in the last place gives the smallest box.
    """
    groups = _Groups(counts, rows, tilt, negligible)
    lengths = groups.periods()
    if math.prod(lengths) > (most := limits.current().numbers(MAX_LAW_CELLS, each=16)):
        raise TooLargeError(
            f"the law of a histogram of {groups.draws} draws on {groups.tilt.size} outcomes would take "
            f"{math.prod(lengths):.2g} cells; the most is {most}"
        )
    law = _convolved(groups)
    if law is None:
        law = _inverted(groups, lengths)
    law.flags.writeable = False
    slopes = tuple(groups.tilt[:-1].tolist())
    return Box(tuple(groups.first.tolist()), law, groups.draws, slopes, groups.log_scale())


def box_cells(
    counts: Sequence[int], rows: ArrayLike, tilt: Sequence[float] | None = None, negligible: float = NEGLIGIBLE
) -> float:
    """Return the number of cells that ``histogram_box`` would compute, with padding; each needs about 30 bytes."""
    return float(math.prod(_Groups(counts, rows, tilt, negligible).periods()))


def with_target(box: Box, rows: ArrayLike) -> tuple[tuple[int, ...], Reals]:
    """Return the corner and, for each law in ``rows``, ``box.law`` after one more draw from that law.

    Every axis grows by one. All keep the tilt and the scale of the box: ``box.weights(shape)`` are theirs too.
    """
    laws = np.asarray(rows, dtype=np.float64) * np.exp([*box.tilt, 0.0])
    larger = np.zeros((len(laws), *(length + 1 for length in box.law.shape)))
    for y, probabilities in enumerate(laws.T):
        shifted = [slice(int(axis == y), int(axis == y) + length) for axis, length in enumerate(box.law.shape)]
        larger[:, *shifted] += np.multiply.outer(probabilities, box.law)
    return box.corner, larger


class _Groups:
    """The tilted laws of the groups, their mean to more than double precision, and the window of their sum."""

    def __init__(self, counts: Sequence[int], rows: ArrayLike, tilt: Sequence[float] | None, negligible: float) -> None:
        matrix = np.asarray(rows, dtype=np.float64)
        outcomes = matrix.shape[1]
        theta = np.zeros(outcomes) if tilt is None else np.asarray(tilt, dtype=np.float64)
        self.tilt: Reals = theta - theta[-1]
        drawn = [(int(count), row) for count, row in zip(counts, matrix, strict=True) if count > 0]
        self.draws = sum(count for count, _ in drawn)
        self.counts: Reals = np.array([count for count, _ in drawn], dtype=np.float64)
        self.rows: Reals = np.zeros((len(drawn), outcomes))
        self.mean = [Fraction(0)] * outcomes
        self.log_normaliser = Fraction(0)
        for g, (count, row) in enumerate(drawn):
            self._tilt_and_add(g, count, row)
        self.log_negligible = math.log(negligible)
        # Two sides of each axis, for each group and for the sum.
        exponent = math.log(2 * outcomes * (len(drawn) + 1)) - self.log_negligible
        hits, misses = self.rows[:, :-1], (self.rows @ (1 - np.eye(outcomes)))[:, :-1]
        self.windows = _edges(self.counts[:, None, None], hits[..., None], misses[..., None], exponent)
        first, last = _edges(self.counts, hits.T, misses.T, exponent)
        self.first: Integers = np.maximum(first, self.windows[0].sum(axis=0))
        self.last: Integers = np.minimum(last, self.windows[1].sum(axis=0))

    def _tilt_and_add(self, g: int, count: int, row: Reals) -> None:
        total = sum(map(Fraction, row.tolist()))
        exact = [Fraction(round(Fraction(p) / total * 2**_BITS), 2**_BITS) for p in row.tolist()]
        slopes = [Fraction(slope) for slope in self.tilt.tolist()]
        centre = sum((p * slope for p, slope in zip(exact, slopes, strict=True)), Fraction(0))
        centred = np.array([float(slope - centre) if p else 0.0 for slope, p in zip(slopes, row, strict=True)])
        log_normaliser = _log_moment(row, centred)
        factor = np.minimum(centred - log_normaliser, _MOST_EXPONENT)
        self.rows[g] = row * np.exp(factor)
        # At a billion draws the mean has no room for its own rounding: round how far the tilt moves it instead.
        for y, move in enumerate((count * row * np.expm1(factor)).tolist()):
            self.mean[y] += count * exact[y] + Fraction(move)
        self.log_normaliser += count * centre + Fraction(count * log_normaliser)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of relevant counts of each outcome but the last."""
        return tuple((self.last - self.first + 1).tolist())

    def periods(self) -> list[int]:
        """Return the widths, extended to lengths without a prime factor that slows a Fourier transform down."""
        return [min(odd << (-(-width // odd) - 1).bit_length() for odd in _FAST) for width in self.widths]

    def log_scale(self) -> float:
        """Return ``Σ N_g log(Σ_y q_gy e^θ_y) - θ·corner``."""
        pairs = zip(self.tilt[:-1].tolist(), self.first.tolist(), strict=True)
        return float(self.log_normaliser - sum(Fraction(slope) * count for slope, count in pairs))


def _log_moment(q: Reals, centred: Reals) -> float:
    """Return ``log Σ q e^u`` for a u with ``Σ q u = 0``, as ``log(1 + Σ q (e^u - 1 - u))``: no term is negative."""
    top = float(np.max(centred))
    if top > _MOST_EXPONENT:
        return top + math.log(float(np.sum(q * np.exp(centred - top))))
    near = np.where(np.abs(centred) < 0.5, centred, 0.0)
    series = np.zeros_like(near)
    for j in range(15, 1, -1):
        series = series * near + 1 / math.factorial(j)
    excess = np.where(near == centred, series * near * near, np.expm1(centred) - centred)
    return math.log1p(float(np.sum(q * excess)))


def _edges(counts: Reals, hits: Reals, misses: Reals, exponent: float) -> tuple[Integers, Integers]:
    """Return the least and the largest number of hits in Σ_g N_g draws, except with probability exp(-exponent).

    Groups are on the last axis; ``hits`` and ``misses`` are the probabilities of the two in each.
    """
    draws = np.broadcast_to(counts, hits.shape).sum(axis=-1)
    most, most_missed = _largest(counts, np.stack([hits, misses]), exponent)
    return (draws - most_missed).astype(np.int64), most.astype(np.int64)


def _largest(counts: Reals, hits: Reals, exponent: float) -> Reals:
    """Return an x with ``P(Σ_g Binomial(N_g, p_g) > x) < exp(-exponent)``.

    Chernoff: ``P(X >= K'(s)) <= exp(K(s) - s K'(s))`` for s > 0 and ``K(s) = log E[e^{sX}]``; s is found by bisection.
    """

    def mean_and_exponent(s: Reals) -> tuple[Reals, Reals]:
        more = hits * np.expm1(s)[..., None]
        mean = np.sum(counts * ((hits + more) / (1 + more)), axis=-1)
        return mean, s * mean - np.sum(counts * np.log1p(more), axis=-1)

    low, high = np.full(hits.shape[:-1], -40.0), np.full(hits.shape[:-1], math.log(_MOST_EXPONENT))
    for _ in range(50):
        middle = (low + high) / 2
        enough = mean_and_exponent(np.exp(middle))[1] >= exponent
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    mean, reached = mean_and_exponent(np.exp(high))
    most = np.sum(np.where(hits > 0, counts, 0.0), axis=-1)
    return np.where(reached >= exponent, np.minimum(np.floor(mean), most), most)


def _convolved(groups: _Groups) -> Reals | None:
    """Return the law by convolving the groups' laws, or None if that costs too much."""
    least, most = groups.windows
    widths = most - least + 1
    if not widths.shape[1]:
        return np.ones(())
    reached = np.cumsum(widths - 1, axis=0) + 1
    cells, sizes = (np.prod(lengths.astype(np.float64), axis=1) for lengths in (widths, reached))
    if _PMF * cells.sum() + np.sum(sizes[1:] ** 2) / 4 > _DIRECT:
        return None
    law = np.ones((1,) * widths.shape[1])
    for count, q, corner, lengths, shape in zip(groups.counts, groups.rows, least, widths, reached, strict=True):
        law = _convolution(law, _multinomial(count, q, corner, lengths), tuple(shape.tolist()))
    start = (groups.first - least.sum(axis=0)).tolist()
    return law[tuple(slice(i, i + width) for i, width in zip(start, groups.widths, strict=True))].copy()


def _multinomial(count: float, q: Reals, corner: Integers, widths: Integers) -> Reals:
    """Return a multinomial law on a box."""
    shape = tuple(widths.tolist())
    h = np.indices(shape).reshape(len(shape), -1).T + corner
    rest = count - h.sum(axis=1)
    law = np.zeros(rest.size)
    law[rest >= 0] = multinomial_pmf(np.column_stack([h, rest])[rest >= 0], q)
    return law.reshape(shape)


def _convolution(left: Reals, right: Reals, shape: tuple[int, ...]) -> Reals:
    """Return the convolution over several axes, all laid end to end: as wide as the result, none runs into the next."""
    laid: list[Reals] = []
    for law in (left, right):
        wide = np.zeros(shape)
        wide[tuple(map(slice, law.shape))] = law
        last = np.ravel_multi_index([length - 1 for length in law.shape], shape)
        laid.append(wide.ravel()[: last + 1])
    return np.convolve(laid[0], laid[1]).reshape(shape)


def _inverted(groups: _Groups, periods: list[int]) -> Reals:
    """Return the law by inverting its characteristic function, one axis after the other."""
    window = [_frequencies(groups, y, periods) for y in range(len(periods))]
    # The law is real: the negative frequencies of one axis are redundant.
    window[-1] = window[-1][window[-1] >= 0]
    t: list[Reals] = [2 * math.pi / period * j.astype(np.float64) for j, period in zip(window, periods, strict=True)]
    rows = max(1, _BLOCK // math.prod(j.size for j in window[1:]))
    blocks = [_spectrum(groups, [t[0][start : start + rows], *t[1:]]) for start in range(0, t[0].size, rows)]
    law: Complexes = np.concatenate(blocks)
    for axis, (j, period) in enumerate(zip(window[:-1], periods[:-1], strict=True)):
        padded = np.zeros((*law.shape[:axis], period, *law.shape[axis + 1 :]), dtype=np.complex128)
        padded[(slice(None),) * axis + (j,)] = law
        law = np.fft.ifft(padded, axis=axis)
    inverse = np.fft.irfft(law, n=periods[-1], axis=-1)[tuple(map(slice, groups.widths))]
    # Rounding is the only thing that goes below zero, and goes above it as far.
    return np.where(inverse > -inverse.min(), inverse, 0.0)


def _frequencies(groups: _Groups, y: int, periods: list[int]) -> Integers:
    """Return the relevant frequencies of an axis, in turns per period."""
    hit, rest = groups.rows[:, y], groups.rows[:, -1]
    at_most = 4 * hit * rest / np.where(hit + rest > 0, hit + rest, 1.0)
    # All that is left out together is negligible.
    limit = math.log(math.prod(periods)) - groups.log_negligible

    def decay(j: int) -> float:
        loss = at_most * math.sin(math.pi * j / periods[y]) ** 2
        return -0.5 * float(np.sum(groups.counts * np.log1p(-np.minimum(loss, 1 - 2.0**-52))))

    half = periods[y] // 2
    last = min(half, bisect_left(range(half + 1), limit, key=decay))
    return np.arange(-last if 2 * last < periods[y] else 1 - last, last + 1)


def _spectrum(groups: _Groups, t: list[Reals]) -> Complexes:
    """Return ``E[exp(-i t·(h - corner))]`` on a grid of t.

    With u = t - t·q it is a product of ``Σ q e^{-iu} = 1 + Σ q (cos u - 1) - i Σ q (sin u - u)``, whose every term is
    as small as the deviation from 1 that it makes.
    """
    grid = np.ix_(*t)
    shape = tuple(axis.size for axis in t)
    log = np.zeros(shape, dtype=np.complex128)
    for y, places in enumerate(grid):
        log -= 1j * float(groups.mean[y] - int(groups.first[y])) * places
    for count, q in zip(groups.counts, groups.rows, strict=True):
        centre = sum((p * places for p, places in zip(q, grid, strict=False)), np.zeros(shape))
        excess = np.zeros(shape, dtype=np.complex128)
        for p, places in zip(q, [*grid, 0.0], strict=True):
            u = places - centre
            excess -= p * (2 * np.sin(u / 2) ** 2 + 1j * sine_excess(u))
        log += count * log1p(excess)
    return np.exp(log)
