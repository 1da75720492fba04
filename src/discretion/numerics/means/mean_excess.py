"""The mean positive part of a sum of n independent steps: ``E[(Σ_y c_y h_y)₊] / n`` for h ~ Multinomial(n, q).

Equal steps count as one. With two kinds it is a binomial tail; with more, all kinds but two are summed over,
if they are few. Beyond that it is an integral of the moment generating function ``M(z) = (Σ_y q_y e^{z c_y})ⁿ``

    E[T₊] = 1/(2πi) ∫ M(z)/z² dz    along Re z = s, for any s > 0,

taken through the saddle point, where nothing cancels, by the trapezoidal rule, whose error is that of wrapping T around
a circle and vanishes when the circle is wide. M comes back near its height wherever all phases ``t c_y`` nearly agree:
two kinds of steps bound the places where that is possible, and the part beyond the last such place is a certified
error.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import log1p, sine_excess
from discretion.numerics.laws.binomial import binomial_window, multinomial_pmf

# Cells of a sum over the counts of some kinds, for a mean excess.
MAX_CELLS_SUMMED = 1 << 22
# Peaks of an integral for a mean excess, the rest of which is bounded.
MAX_PEAKS = 1 << 18
# Nodes of such an integral, times kinds.
MAX_INTEGRAL_TERMS = 1 << 21

# Steps that agree to this are one kind.
_SAME = 1e-15
# How many cells to sum over at once, and how many nodes of the integral take as long as one.
_FEW_CELLS, _NODES_PER_CELL = 1 << 14, 2
# What a float promises, with room for what is added to it.
RELATIVE, _ABSOLUTE = 5e-11, 5e-13
# What it promises is absolute if the excess is small; whoever asks where it is so small needs some of its digits.
_IN_A_TAIL = 2e-9


class Bounded(NamedTuple):
    """A value and an upper bound of its error."""

    value: float
    error: float

    @property
    def is_exact(self) -> bool:
        """Whether the error is within the precision that Discretion guarantees for a float."""
        return self.error <= max(_ABSOLUTE, RELATIVE * abs(self.value))


def mean_excess(n: int, steps: Reals, probabilities: Reals, relative: float = RELATIVE) -> Bounded:
    """Return ``E[(Σ_y steps_y h_y)₊] / n`` for h ~ Multinomial(n, probabilities), to about the given relative error."""
    c, q = distinct_kinds(steps, probabilities)
    if c[0] >= 0:
        return Bounded(float(q @ c), 0.0)
    if c[-1] <= 0:
        return Bounded(0.0, 0.0)
    # What is summed over is what varies least where the excess is made; the other two kinds stay.
    tilted = _tilted_to_zero(n, c, q) if c.size > 2 else q
    order = np.argsort(tilted * (1 - tilted))
    cells = math.prod(_window_size(n, float(tilted[y])) for y in order[:-2])
    if cells <= _FEW_CELLS:
        return Bounded(_by_summing(n, c, q, tilted, order), 0.0)
    allowed = limits.current()
    # Looking for the peaks should not take longer than summing would.
    most_peaks = int(min(allowed.steps(MAX_PEAKS, each=64), max(_FEW_CELLS, cells)))
    integral = _Integral(n, c, q, relative, most_peaks=most_peaks)
    is_long = integral.left_out > integral.is_enough or _NODES_PER_CELL * cells < integral.nodes
    if cells <= allowed.steps(MAX_CELLS_SUMMED, each=8) and is_long:
        return Bounded(_by_summing(n, c, q, tilted, order), 0.0)
    return integral.result()


def binomial_mean_excess(n: Reals, p: float, q: float, threshold: Reals, rest: Reals) -> Reals:
    """Return ``E[(X - t)₊]`` for X ~ Bin(n, p), q = 1-p: ``m q P(X = m) + (np - t) P(X >= m)`` with ``m = ⌈t⌉``.

    It is Stein's identity ``E[(X - np); X >= m] = m q P(X = m)``. ``rest`` is n - t: the smaller of both arguments has
    digits that the other has lost.
    """
    from scipy.special import betainc, betaincc  # noqa: PLC0415 - what has a closed form need not wait for it

    surplus, least = (n * p - threshold, np.ceil(threshold)) if p < q else (rest - n * q, n - np.floor(rest))
    m = np.clip(least, 1, np.maximum(n, 1))
    within = (threshold > 0) & (rest > 0)
    safe = np.where(within, m, 1)
    size = np.where(within, n, 1)
    at = multinomial_pmf(np.stack([safe, size - safe], axis=-1), (p, q))
    tail = betainc(safe, size - safe + 1, p) if p < q else betaincc(size - safe + 1, safe, q)
    inside = np.maximum(safe * q * at + surplus * tail, 0.0)
    return np.where(within, inside, np.maximum(surplus, 0.0))


def distinct_kinds(steps: Reals, probabilities: Reals) -> tuple[Reals, Reals]:
    """Return the distinct steps, ascending, and their probabilities."""
    order = np.argsort(steps, kind="stable")
    c, q = steps[order], probabilities[order]
    c, q = c[q > 0], q[q > 0]
    # As near as rounding puts copies of one step, beside themselves or beside what the positive steps sum up to.
    near = np.maximum(np.minimum(np.abs(c[1:]), np.abs(c[:-1])), float(q @ np.maximum(c, 0)))
    same = np.diff(c) <= _SAME * near
    starts = np.flatnonzero(np.append(True, ~same))
    mass = np.add.reduceat(q, starts)
    return np.add.reduceat(q * c, starts) / mass, mass


def _window_size(n: int, p: float) -> float:
    return min(n + 1.0, 40 + 20 * math.sqrt(n * p * (1 - p)))


def _by_summing(n: int, c: Reals, q: Reals, tilted: Reals, order: Integers) -> float:
    """Return the sum over the counts of some kinds that are likely in the tilted law, which make up the excess."""
    summed, (low, high) = order[:-2], sorted(order[-2:])
    windows = [binomial_window(n, float(tilted[y]), float(1 - tilted[y])) for y in summed]
    axes = [first + np.arange(law.size) for first, law in windows]
    counts = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=-1) if axes else None
    pair = q[low] + q[high]
    if counts is None:
        left, weight, offset = np.array([float(n)]), np.ones(1), np.zeros(1)
    else:
        left = n - counts.sum(axis=1, dtype=np.float64)
        counts, left = counts[left >= 0], left[left >= 0]
        weight = multinomial_pmf(np.column_stack([counts, left]), np.append(q[summed], pair))
        offset = counts @ c[summed]
    width = c[high] - c[low]
    threshold, rest = -(offset + c[low] * left) / width, (offset + c[high] * left) / width
    excess = binomial_mean_excess(left, float(q[high] / pair), float(q[low] / pair), threshold, rest)
    return float(weight @ excess) * float(width) / n


# Of the height of M, where it is not worth looking: exp(-_LOW).
_LOW = 46.0
_CHUNK = 1 << 18
_ROUNDING = 1e-14


class _Integral:
    """The integral through the saddle point, and a bound of its omitted part, known before it is computed."""

    def __init__(self, n: int, c: Reals, q: Reals, relative: float, *, most_peaks: int) -> None:
        scale = float(np.abs(c).max())
        self._walk = _TiltedWalk(n, c / scale, q)
        self._factor = scale / n
        height = min(600.0, -self._walk.log_height)
        absolute = _ABSOLUTE / 2 / self._factor * math.exp(height)
        self.is_enough = max(absolute, relative / 2 * self._walk.rough)
        self.tolerance = min(self.is_enough, max(relative, _IN_A_TAIL) / 2 * self._walk.rough)
        self._low, self._high, self.left_out = _peaks(self._walk, self.tolerance, most_peaks)

    @property
    def nodes(self) -> float:
        """The approximate number of nodes to add up."""
        return float((self._high - self._low).sum()) / self._walk.step

    def result(self) -> Bounded:
        nodes = _nodes_within(self._low, self._high, self._walk.step)
        chunk = max(1, _CHUNK // self._walk.weights.size)
        parts = (nodes[start : start + chunk] for start in range(0, nodes.size, chunk))
        total = sum(self._walk.trapezoid(part) for part in parts)
        factor = self._factor * math.exp(self._walk.log_height)
        return Bounded(max(0.0, factor * total), factor * (self.left_out + _ROUNDING * abs(total)))


class _TiltedWalk:
    """The steps, tilted so that T is about 0, and M along the line through there."""

    def __init__(self, n: int, c: Reals, q: Reals) -> None:
        self.n = n
        self.s = saddle_point(n, c, q)
        self.log_height = n * _log_mgf(self.s, c, q)
        self.weights = tilted_law(c, q, self.s)
        mean = float(self.weights @ c)
        self.centred: Reals = c - mean
        self.drift = n * mean
        deviation = math.sqrt(n * float(self.weights @ self.centred**2))
        # About E[T₊] over the height; and a circle so wide that T wrapped around it adds 1e-15 of that.
        self.rough = 1 / (self.s * self.s * math.sqrt(2 * math.pi) * max(deviation, 1 / self.s))
        wanted = 1e-15 * self.rough
        upwards = max(1.0, math.log((abs(self.drift) + deviation + 60 / self.s) / wanted))
        downwards = min(
            (n * _log_mgf(a * self.s, c, q) - self.log_height - math.log(math.e * a * self.s * wanted)) / (a - 1)
            for a in (1.5, 2.0, 3.0, 4.0)
        )
        self.step = 2 * math.pi * self.s / max(upwards - min(0.0, self.log_height), downwards, 8.0)

    def trapezoid(self, nodes: Integers) -> float:
        t = nodes * self.step
        phases = np.multiply.outer(t, self.centred)
        real = -2 * (np.sin(phases / 2) ** 2) @ self.weights
        # The phases' own mean is 0: taking it out keeps the digits where they are small.
        small = np.abs(t) * np.abs(self.centred).max() < 1
        imaginary = np.sin(phases) @ self.weights
        imaginary[small] = sine_excess(phases[small]) @ self.weights
        power = np.exp(self.n * log1p(real + 1j * imaginary) + 1j * t * self.drift)
        terms = np.real(power / (self.s + 1j * t) ** 2)
        return float(np.where(nodes == 0, 1.0, 2.0) @ terms) * self.step / (2 * math.pi)


def _peaks(walk: _TiltedWalk, tolerance: float, most: int) -> tuple[Reals, Reals, float]:
    """Return the starts and ends of intervals where M may be above exp(-_LOW) of its height, and a bound beyond."""
    # First those that leave least of the line: what the others say is looked for only there.
    kinds = walk.weights.size
    pairs = sorted((_pair(walk, y, z) for y, z in itertools.combinations(range(kinds), 2)), key=lambda pair: pair.share)
    end = min(pair.mean / (math.pi * tolerance) + 2 * pair.period for pair in pairs)
    low, high = np.zeros(1), np.full(1, end)
    for pair in pairs:
        if pair.share < 1:
            first = np.ceil((low - pair.half) / pair.period)
            sizes = np.maximum(np.floor((high + pair.half) / pair.period) - first + 1, 0)
            low, high, end = _cut(low, high, end, sizes * pair.period, most * pair.period)
            low, high = _within_peaks(low, high, pair)
    nodes = max(1, limits.current().steps(MAX_INTEGRAL_TERMS, each=4) // kinds)
    low, high, end = _cut(low, high, end, high - low, nodes * walk.step)
    return low, high, min(pair.mass_beyond(end) for pair in pairs)


class _Pair(NamedTuple):
    """Two steps: the period of their peaks, half of a peak's width, and a bound of the mean of |M| over a period."""

    period: float
    half: float
    mean: float

    @property
    def share(self) -> float:
        """The share of the line that the peaks cover."""
        return 2 * self.half / self.period

    def mass_beyond(self, end: float) -> float:
        """Return a bound of 1/π times the integral of |M|/t² beyond the end, where M is at most 1."""
        return min(1 / end, self.mean / (end - self.period) if end > self.period else math.inf) / math.pi


def _pair(walk: _TiltedWalk, y: int, z: int) -> _Pair:
    w, v = float(walk.weights[y]), float(walk.weights[z])
    distance = float(abs(walk.centred[z] - walk.centred[y]))
    drop = -math.expm1(-_LOW / walk.n)
    square = drop * (2 * (w + v) - drop) / (4 * w * v) if drop < w + v and w * v > 0 else 1.0
    half = math.asin(math.sqrt(min(1.0, square)))
    # |M| <= exp(-2n wv/(w+v) sin²x) at half the phase x, and sin x >= 2x/π.
    mean = min(1.0, math.sqrt(math.pi * (w + v) / (8 * walk.n * w * v))) if w * v > 0 else 1.0
    return _Pair(2 * math.pi / distance, 2 * half / distance, mean)


def _cut(low: Reals, high: Reals, end: float, lengths: Reals, most: float) -> tuple[Reals, Reals, float]:
    """Return the intervals that fit, given the length of line that each takes, and where they end."""
    fitting = int(np.searchsorted(np.cumsum(lengths), most, side="right"))
    if fitting == low.size:
        return low, high, end
    if fitting == 0:
        end = min(float(high[0]), float(low[0]) + most)
        return low[:1], np.array([end]), end
    return low[:fitting], high[:fitting], float(low[fitting])


def _within_peaks(low: Reals, high: Reals, pair: _Pair) -> tuple[Reals, Reals]:
    """Return the intersection of the intervals with the pair's peaks."""
    first = np.ceil((low - pair.half) / pair.period)
    sizes = np.maximum(np.floor((high + pair.half) / pair.period) - first + 1, 0).astype(np.int64)
    inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    centres = (np.repeat(first, sizes) + inside) * pair.period
    low = np.maximum(np.repeat(low, sizes), centres - pair.half)
    high = np.minimum(np.repeat(high, sizes), centres + pair.half)
    meeting = low <= high
    return low[meeting], high[meeting]


def _nodes_within(low: Reals, high: Reals, step: float) -> Integers:
    first = np.ceil(low / step).astype(np.int64)
    sizes = np.maximum(np.floor(high / step).astype(np.int64) - first + 1, 0)
    starts: Integers = np.repeat(first - np.cumsum(sizes) + sizes, sizes)
    nodes: Integers = starts + np.arange(int(sizes.sum()))
    return nodes[np.append(True, nodes[1:] > nodes[:-1])] if nodes.size else nodes


def _tilted_to_zero(n: int, c: Reals, q: Reals) -> Reals:
    """Return the law tilted so that the sum is about 0."""
    scaled = c / np.abs(c).max()
    return tilted_law(scaled, q, saddle_point(n, scaled, q))


def tilted_law(c: Reals, q: Reals, s: float) -> Reals:
    """Return the law ``q e^{sc}``, normalized."""
    weights = q * np.exp(s * (c - c.max()))
    return weights / weights.sum()


def _log_mgf(z: float, c: Reals, q: Reals) -> float:
    """Return ``log Σ_y q_y e^{z c_y}``, for steps of at most 1."""
    if z < 0.5:
        return math.log1p(float(q @ np.expm1(z * c)))
    return z * float(c.max()) + math.log(float(q @ np.exp(z * (c - c.max()))))


def saddle_point(n: int, c: Reals, q: Reals) -> float:
    """Return the minimum point of ``n log Σ_y q_y e^{s c_y} - 2 log s``, whose slope grows with s."""

    def slope(s: float) -> float:
        tilted = q * np.exp(s * (c - c.max()))
        return s * n * float(tilted @ c) - 2 * float(tilted.sum())

    low, high = 1e-12 / n, 1.0
    while slope(high) < 0:
        high *= 2
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return high
