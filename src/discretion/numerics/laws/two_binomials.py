"""The law of a sum of two binomials with different probabilities, also far below its mean, at any size.

With c draws that hit with probability u and d with v, L(m) is the coefficient of z^m in ``(1-u+uz)^c (1-v+vz)^d`` and
F(m-1) = L(0) + … + L(m-1) that of z^(m-1) in the same over 1 - z. Both are means over a circle of radius ``e^-t < 1``.
The mean over J points of it is the coefficient of z^m itself plus those of z^(m+jJ), each times ``e^(-tjJ)``: next to
nothing once J is some standard deviations of the tilted law. Of the J points only those matter at which
``exp(-2 V sin²(θ/2))``, a bound of how much of its height the product keeps, V being the tilted variance, is not tiny:
about a hundred at any size. Phases and heights are computed as what they exceed their first order by.
"""

from typing import NamedTuple

import numpy as np

from discretion.numerics.arrays import Booleans, Complexes, Reals
from discretion.numerics.excess import sine_excess

# What the mean over the circle leaves out is below e^-_TINY, next to what it keeps.
_TINY = 42.0
# How much farther than to the mean the circle is drawn in at most, and how much of an angle is small.
_FARTHER, _SMALL = 1.0, 0.4
# Up to where a logarithm is taken by its series.
_FIRST_ORDER = 0.1
# What no double holds.
_UNDERFLOW = -800.0
# Of a probability, the bits that are exact in a product with a whole number of 2^34.
_BITS = 2.0**18
# Laws at once.
_LAWS = 1 << 11


class LowerTail(NamedTuple):
    """L(m+1), L(m), L(m-1), L(m-2) and F(m-1), each in units of ``e^log_unit``."""

    after: Reals
    at: Reals
    before: Reals
    earlier: Reals
    below: Reals
    log_unit: Reals

    def at_peak(self, m: Reals, gain: float, loss: float) -> tuple[Reals, Reals, Reals, Reals]:
        """Return the last m with ``gain L(m) >= loss L(m-1)``, L(m), L(m-1) and F(m-1) there.

        The law tilted by ``loss/gain`` has its mode there, which is within 1 of its mean: m may be one more or less.
        """
        down, up = gain * self.at < loss * self.before, gain * self.after >= loss * self.at
        return (
            m + up - down,
            np.where(down, self.before, np.where(up, self.after, self.at)),
            np.where(down, self.earlier, np.where(up, self.at, self.before)),
            np.where(down, np.maximum(self.below - self.before, 0.0), np.where(up, self.below + self.at, self.below)),
        )


class Draw(NamedTuple):
    """The probabilities that one draw hits and misses, both to full precision."""

    hit: float
    miss: float

    def tilted(self, tilt: Reals) -> tuple[Reals, Reals]:
        """Return the probabilities to hit and to miss if each hit counts ``e^-tilt``."""
        weight = np.exp(-tilt)
        return self.hit * weight / (self.miss + self.hit * weight), self.miss / (self.miss + self.hit * weight)

    def log_mean(self, tilt: Reals) -> Reals:
        """Return ``log E e^(-tilt hit) + tilt P(hit)``, of which nothing is left in the first order."""
        x = self.hit * np.expm1(-tilt)
        is_near: Booleans = (x > -_FIRST_ORDER) & (tilt < _SMALL)
        near = _log1p_excess(np.where(is_near, x, 0.0)) + self.hit * _exp_excess(np.where(is_near, tilt, 0.0))
        far = np.log(self.miss + self.hit * np.exp(-tilt)) + self.hit * tilt
        return np.where(is_near, near, far)


def tilted_moments(c: Reals, d: Reals, draws: tuple[Draw, Draw], tilt: Reals) -> tuple[Reals, Reals]:
    """Return the mean and the variance of the sum if each hit counts ``e^-tilt``."""
    (first, first_miss), (second, second_miss) = (draw.tilted(tilt) for draw in draws)
    return c * first + d * second, c * first * first_miss + d * second * second_miss


def lower_tail(c: Reals, d: Reals, draws: tuple[Draw, Draw], m: Reals, tilt: float) -> LowerTail:
    """Return the law at m and below, for each of some c and d, with m near the mean after the tilt.

    The tilt is at least 0, and no draw is certain.
    """
    parts = [
        _tail_of(c[i : i + _LAWS], d[i : i + _LAWS], draws, m[i : i + _LAWS], tilt) for i in range(0, c.size, _LAWS)
    ]
    return LowerTail(*map(np.concatenate, zip(*parts, strict=True)))


def _tail_of(c: Reals, d: Reals, draws: tuple[Draw, Draw], m: Reals, tilt: float) -> LowerTail:
    u, v = draws
    variance = tilted_moments(c, d, draws, np.full(c.size, tilt))[1]
    # A little farther, off the pole at 1.
    t = np.minimum(tilt / 2 + np.sqrt(tilt * tilt / 4 + 1 / np.maximum(variance, 1e-300)), tilt + _FARTHER)
    middle, variance = tilted_moments(c, d, draws, t)
    deviation = np.sqrt(variance)
    log_unit = c * u.log_mean(t) + d * v.log_mean(t) - t * _mean_less(c, u.hit, d, v.hit, m)
    # So many that no other coefficient matters; an odd number, so that all but the first come in pairs.
    far = _TINY + 2 - np.maximum(log_unit, _UNDERFLOW) + np.log1p(deviation)
    points = np.ceil(np.maximum(30 + 11 * deviation + np.abs(middle - m), far / t))
    points += 1 - points % 2
    with np.errstate(divide="ignore"):
        widest = 2 * np.arcsin(np.minimum(1.0, np.sqrt(_TINY / 2 / variance)))
    nodes = np.minimum((points - 1) / 2, np.ceil(widest * points / (2 * np.pi)))
    places = np.arange(int(nodes.max()) + 1)
    taken: Booleans = places <= nodes[:, None]
    angle = np.where(taken, places * (2 * np.pi / points)[:, None], 0.0)
    weight = np.where(taken, np.where(places > 0, 2.0, 1.0), 0.0) / points[:, None]
    half = np.sin(angle / 2)
    drift = _mean_less(c, u.tilted(t)[0], d, v.tilted(t)[0], m)
    real, phase = np.zeros_like(angle), drift[:, None] * angle
    for count, draw in ((c, u), (d, v)):
        hit, miss = (share[:, None] for share in draw.tilted(t))
        real += count[:, None] / 2 * np.log1p(-np.minimum(4 * hit * miss * half * half, 1 - 1e-16))
        phase += count[:, None] * _phase(hit, miss, angle)
    term: Complexes = weight * np.exp(real) * (np.cos(phase) + 1j * np.sin(phase))
    radius = np.exp(-t)[:, None]
    turn = np.cos(angle) + 1j * np.sin(angle)
    turned: Complexes = term * (radius * turn)
    short: Complexes = -np.expm1(-t)[:, None] + radius * (2 * half * half - 1j * np.sin(angle))  # 1 - z

    def mean(values: Complexes, possible: Booleans) -> Reals:
        return np.where(possible, np.maximum(values.real.sum(axis=1), 0.0), 0.0)

    return LowerTail(
        mean(term * (turn.conj() / radius), m < c + d),
        mean(term, m >= 0),
        mean(turned, m > 0),
        mean(turned * (radius * turn), m > 1),
        mean(turned / short, m > 0),
        log_unit,
    )


def _mean_less(c: Reals, u: float | Reals, d: Reals, v: float | Reals, m: Reals) -> Reals:
    """Return ``cu + dv - m``, with the high bits of each number separate, so that nothing else is rounded."""
    high_u, high_v = np.rint(np.multiply(u, _BITS)) / _BITS, np.rint(np.multiply(v, _BITS)) / _BITS
    return (c * high_u + d * high_v - m) + (c * (u - high_u) + d * (v - high_v))


def _phase(hit: Reals, miss: Reals, angle: Reals) -> Reals:
    """Return the phase of ``miss + hit e^iθ`` less ``hit θ``, modulo whole turns."""
    near = np.where(np.abs(angle) < _SMALL, angle, 0.0)
    sine = np.where(
        np.abs(angle) < _SMALL,
        hit * sine_excess(miss * near) - miss * sine_excess(hit * near),
        hit * np.sin(miss * angle) - miss * np.sin(hit * angle),
    )
    return np.arctan2(sine, hit * np.cos(miss * angle) + miss * np.cos(hit * angle))


def _log1p_excess(x: Reals) -> Reals:
    """Return ``log(1 + x) - x`` for x near 0."""
    series = np.zeros_like(x)
    for power in range(18, 1, -1):
        series = series * x + (-1) ** (power + 1) / power
    return series * x * x


def _exp_excess(t: Reals) -> Reals:
    """Return ``e^-t - 1 + t`` for t near 0."""
    series = np.ones_like(t)
    for power in range(16, 2, -1):
        series = 1 - t / power * series
    return series * t * t / 2
