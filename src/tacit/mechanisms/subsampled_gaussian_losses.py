"""Certified bounds of the privacy profile of a subsampled Gaussian mechanism after many steps.

The loss ``log dQ/dP`` of T steps is a sum of T independent ones, and ``δ(ε) = E_Q max(0, 1 - e^(ε - loss))`` grows with
it. On a grid of losses the law of the sum is a power of Fourier transforms. Two laws on the grid bracket the true one:

- above, the masses of P and Q in each cell are split between its two ends so that both are kept: of that pair, which
  tells more, the true one is a noisy copy (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots", PoPETs
  2022);
- below, all outputs in the cell around each point are merged, which tells less. The loss of a merged cell differs a
  little from its point, over T steps by D. The grid moves by the mean of D, and the rest moves δ by at most its mean
  size, which is no more than ``√(T Var)`` of one step's.

Both errors are of second order in the step of the grid, where rounding every loss up or down is of first order.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.estimate import Estimate

Reals = NDArray[np.float64]

METHOD = "certified bounds on a grid of privacy losses"

# What a step's loss is at most taken for, how far out outputs are told apart (1e-23 is beyond), and the grid's size.
_LARGEST_LOSS, _DEVIATIONS = 600.0, 10
_FEWEST_POINTS, _MOST_POINTS = 1 << 10, 1 << 21
_WIDTH = 2e-5
# What the sum of the losses may leave outside of a window on either side, and what is lost to rounding.
_TAIL, _ROUNDING, _ROUNDING_PER_STEP = 1e-15, 1e-12, 1e-15


class _Law(NamedTuple):
    """The law of a loss: masses of the whole multiples of a step from ``first`` on, and of an infinite one."""

    masses: Reals
    first: int
    infinite: float = 0.0


class ComposedLosses:
    """Bounds of the profile of T steps, both ways, on a grid that is refined until they nearly meet at ε = 0.

    ``one_step(ε, reverse)`` is the profile of one step.
    """

    def __init__(self, sigma: float, rate: float, steps: int, one_step: Callable[[float, bool], float]) -> None:
        self._sigma, self._rate, self._steps, self._one_step = sigma, rate, steps, one_step
        self._bounds = cache(self._bounds_of)
        ends = [self._loss(0.5 + sign * (0.5 + _DEVIATIONS * sigma)) for sign in (-1, 1)]
        self._least, self._largest = ends[0], min(_LARGEST_LOSS, ends[1])
        self._set_step((self._largest - self._least) / _FEWEST_POINTS)
        while (finer := self._refinement()) > 1:
            self._set_step(self._step / finer)

    def hockey_stick(self, epsilon: float, reverse: bool) -> Estimate:
        """Return bounds of ``∫ max(0, Q - e^ε P)``, or in reverse ``∫ max(0, P - e^ε Q)``, for ε >= 0."""
        directions = (reverse,) if epsilon > 0 else (False, True)  # at 0 both are the total variation
        low = max(self._bounds(direction)[0](epsilon) for direction in directions)
        high = min(self._bounds(direction)[1](epsilon) for direction in directions)
        # No less than one step tells, and no more than T steps with a share of ε each.
        low = min(1.0, max(low, self._one_step(epsilon, reverse)))
        high = max(low, min(1.0, high, self._steps * self._one_step(epsilon / self._steps, reverse)))
        return Estimate((low + high) / 2, low, high, None, METHOD)

    def _refinement(self) -> float:
        """Return by what to divide the step, in which errors are of second order; 1 if they are small, or it is."""
        at_zero = self.hockey_stick(0.0, reverse=False)
        goal = _WIDTH * at_zero.high + 10 * _ROUNDING
        finer = min(8.0, 1.2 * math.sqrt((at_zero.high - at_zero.low) / goal), _MOST_POINTS / self._size)
        return finer if finer > 1.25 else 1.0

    def _loss(self, output: float) -> float:
        shift = (2 * output - 1) / (2 * self._sigma * self._sigma)
        return float(np.logaddexp(math.log1p(-self._rate), math.log(self._rate) + shift))

    def _set_step(self, step: float) -> None:
        self._step = step
        self._points = np.arange(math.floor(self._least / step), math.ceil(self._largest / step) + 1)
        self._size = self._points.size
        self._bounds.cache_clear()

    def _bounds_of(self, reverse: bool) -> tuple[Callable[[float], float], Callable[[float], float]]:
        """Return functions that δ(ε) is at least and at most."""
        rounding = _ROUNDING + _ROUNDING_PER_STEP * self._steps
        above, (below, mean, deviation) = self._above(reverse), self._below(reverse)
        masses, losses = self._composed(above)
        infinite = -math.expm1(self._steps * math.log1p(-above.infinite)) + 2 * _TAIL + rounding
        least_masses, least_losses = self._composed(below)
        least_losses = least_losses - self._steps * mean
        lost = math.sqrt(self._steps) * deviation + 2 * _TAIL + rounding
        self._size = max(self._points.size, losses.size)
        return (
            lambda epsilon: _hockey_stick(least_masses, least_losses, epsilon) - lost,
            lambda epsilon: _hockey_stick(masses, losses, epsilon) + infinite,
        )

    def _above(self, reverse: bool) -> _Law:
        losses = self._losses(0.0)
        p, q = self._masses(losses)
        (bottom_p, top_p), (bottom_q, top_q), p, q = p[[0, -1]], q[[0, -1]], p[1:-1], q[1:-1]
        up = np.clip((q - p * np.exp(losses[:-1])) / -math.expm1(-self._step), 0.0, q)
        split = np.append(q - up, 0.0)
        split[1:] += up
        if not reverse:  # the loss is less than the first point's at the bottom, and unbounded at the top
            split[0] += bottom_q
            return _Law(split, int(self._points[0]), float(top_q))
        split *= np.exp(-losses)
        split[-1] += top_p
        return _Law(split[::-1], -int(self._points[-1]), float(bottom_p))

    def _below(self, reverse: bool) -> tuple[_Law, float, float]:
        """Return a law, and of what its losses are too large by the mean and the standard deviation."""
        p, q = (masses[1:] for masses in self._masses(self._losses(-0.5)))
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = self._losses(0.0) - np.log(q / p)
        excess = np.where((p > 0) & (q > 0), np.clip(excess, -self._step / 2, self._step / 2), 0.0)
        if reverse:  # what is left above the last point has no least loss there
            p[-1], excess, law = 0.0, -excess, _Law(p[::-1], -int(self._points[-1]))
            masses = p
        else:
            excess[-1], masses, law = 0.0, q, _Law(q, int(self._points[0]))
        mean = float(masses @ excess)
        return law, mean, math.sqrt(float(masses @ np.square(excess - mean)))

    def _losses(self, shift: float) -> Reals:
        return (self._points.astype(np.float64) + shift) * self._step

    def _masses(self, edges: Reals) -> tuple[Reals, Reals]:
        """Return what P and Q have below the first of these losses, between any two, and above the last."""
        from scipy.special import ndtr  # noqa: PLC0415 - what needs no normal law need not wait for it

        with np.errstate(divide="ignore", over="ignore"):  # no output has a loss below log(1-q)
            ratios = np.log1p(np.maximum(np.expm1(edges) / self._rate, -1.0))
        outputs = np.concatenate([[-math.inf], 0.5 + self._sigma * self._sigma * ratios, [math.inf]])

        def between(z: Reals) -> Reals:
            below, above = ndtr(z), ndtr(-z)
            return np.maximum(np.where(z[:-1] > 0, above[:-1] - above[1:], below[1:] - below[:-1]), 0.0)

        absent = between(outputs / self._sigma)
        return absent, (1 - self._rate) * absent + self._rate * between((outputs - 1) / self._sigma)

    def _composed(self, law: _Law) -> tuple[Reals, Reals]:
        """Return the masses and losses of T steps, but for at most a tail on either side."""
        places = np.arange(law.masses.size)
        centre = round(float(law.masses @ places) / float(law.masses.sum()))  # phases are small around it
        low, high = _window(law.masses, places - centre, self._steps)
        size = 1 << (high - low).bit_length()
        folded = np.bincount((places - centre) % size, weights=law.masses, minlength=size)
        power = np.fft.irfft(np.fft.rfft(folded) ** self._steps, size)
        totals = np.arange(low, high + 1)
        masses: Reals = np.maximum(power[totals % size], 0.0)
        return masses, (totals + self._steps * (law.first + centre)) * np.float64(self._step)


def _window(masses: Reals, places: NDArray[np.int64], steps: int) -> tuple[int, int]:
    """Return between which places the sum is, but for a tail on either side (Chernoff's bound)."""
    possible = masses > 0
    logs, places = np.log(masses[possible]), places[possible]
    deviation = math.sqrt(float(masses[possible] @ np.square(places)) + 1)
    ends: list[float] = []
    for sign in (-1, 1):
        furthest = steps * float((sign * places).max())
        for power in range(-8, 3):
            rate = 4.0**power / deviation / math.sqrt(steps)
            terms = logs + rate * sign * places
            peak = float(terms.max())
            moment = peak + math.log(float(np.exp(terms - peak).sum()))
            furthest = min(furthest, (steps * moment - math.log(_TAIL)) / rate)
        ends.append(sign * furthest)
    return math.floor(ends[0]), math.ceil(ends[1])


def _hockey_stick(masses: Reals, losses: Reals, epsilon: float) -> float:
    """Return ``E max(0, 1 - e^(ε - loss))``."""
    return -float(masses @ np.expm1(np.minimum(epsilon - losses, 0.0)))
