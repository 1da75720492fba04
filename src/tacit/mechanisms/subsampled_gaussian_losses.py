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

The affinity ``ρ = ∫ √(PQ)`` of one step bounds them too: ``∫ min(Q, e^ε P) <= e^(ε/2) ρ^T`` and, by Cauchy and Schwarz,
``∫ |Q - e^ε P| <= √((1 + e^ε)² - 4 e^ε ρ^(2T))`` (at ε = 0, Le Cam's inequalities). Where the steps tell nearly all,
this needs no grid.
"""

import math
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.estimate import Estimate

Reals = NDArray[np.float64]

METHOD = "certified bounds on a grid of privacy losses"

# What a step's loss is at most taken for, and how far out outputs are told apart (1e-23 is beyond).
_LARGEST_LOSS, _DEVIATIONS = 600.0, 10
# Into how many cells the losses of a step are cut: at first, at most, and for the affinity.
_FEWEST_CELLS, _MOST_CELLS, _AFFINITY_CELLS = 1 << 10, 1 << 20, 1 << 16
# The most points of the losses' sum, and how narrow bounds should be next to δ.
_MOST_POINTS, _WIDTH = 1 << 21, 2e-5
# What the sum of the losses may leave outside of a window on either side, and what is lost to rounding.
_TAIL, _ROUNDING, _ROUNDING_PER_STEP, _AFFINITY_ROUNDING = 1e-15, 1e-12, 1e-15, 1e-14


class _Grid(NamedTuple):
    """The losses ``least + i step`` of one step, from i = 0 on."""

    least: float
    step: float
    cells: int

    def losses(self, shift: float = 0.0) -> Reals:
        """Return them all, moved by so many steps."""
        return self.least + (np.arange(self.cells + 1, dtype=np.float64) + shift) * self.step


class _Law(NamedTuple):
    """The law of a loss: masses of ``origin + i step``, ``i >= first``, and what else δ has, as of an infinite loss."""

    masses: Reals
    origin: float
    step: float
    first: int = 0
    infinite: float = 0.0

    def hockey_stick(self, epsilon: float) -> float:
        """Return ``E max(0, 1 - e^(ε - loss))``."""
        losses = self.origin + (self.first + np.arange(self.masses.size)) * self.step
        return self.infinite - float(self.masses @ np.expm1(np.minimum(epsilon - losses, 0.0)))


class ComposedLosses:
    """Bounds of the profile of T steps, both ways, on a grid that is refined until they nearly meet or it is large.

    ``one_step(ε, reverse)`` is the profile of one step.
    """

    def __init__(self, sigma: float, rate: float, steps: int, one_step: Callable[[float, bool], float]) -> None:
        self._sigma, self._rate, self._steps, self._one_step = sigma, rate, steps, one_step
        ends = [self._loss(0.5 + sign * (0.5 + _DEVIATIONS * sigma)) for sign in (-1, 1)]
        self._least, self._largest = ends[0], min(_LARGEST_LOSS, ends[1])
        self._rounding = _ROUNDING + _ROUNDING_PER_STEP * steps * max(1.0, -self._least)

    def hockey_stick(self, epsilon: float, reverse: bool) -> Estimate:
        """Return bounds of ``∫ max(0, Q - e^ε P)``, or in reverse ``∫ max(0, P - e^ε Q)``, for ε >= 0."""
        # No less than one step tells, and no more than T steps with a share of ε each.
        low = self._one_step(epsilon, reverse)
        high = min(1.0, self._steps * self._one_step(epsilon / self._steps, reverse))
        if high - low > 2 * self._rounding:
            low, high = max(low, self._least_by_affinity(epsilon)), min(high, self._most_by_affinity(epsilon))
        cells = self._first_cells if high - low > 2 * self._rounding else 0
        reverse = reverse or epsilon == 0  # both are the total variation there, and in reverse losses are bounded above
        while cells:
            below, above = _bounds(self, cells, reverse)
            low, high = max(low, below.hockey_stick(epsilon)), min(high, above.hockey_stick(epsilon))
            points = max(below.masses.size, above.masses.size)
            cells = self._refined(cells, low, high, min(_MOST_POINTS / points, _MOST_CELLS / cells))
        assert low <= high + self._rounding, f"bounds of δ({epsilon}) have crossed: {low} > {high}"
        low, high = sorted((max(0.0, low), min(1.0, high)))
        return Estimate((low + high) / 2, low, high, None, METHOD)

    def overlap(self) -> Estimate:
        """Return bounds of ``∫ min(P, Q)``."""
        told = self.hockey_stick(0.0, reverse=False)
        low, high = 1 - told.high, 1 - told.low
        if high < 0.1:  # the difference has lost digits
            shared = math.exp(self._steps * self._log_affinity[0])
            low = max(low, shared * shared / (1 + math.sqrt(1 - shared * shared)))
            high = min(high + 1e-16, math.exp(self._steps * self._log_affinity[1]))
        return Estimate((low + high) / 2, low, high, None, METHOD)

    def _refined(self, cells: int, low: float, high: float, most: float) -> int:
        """Return into how many cells to cut instead, as errors are of second order in the step; 0 if they are small."""
        wanted = 1.2 * math.sqrt(max(high - low, 0.0) / (_WIDTH * high + 10 * self._rounding))
        return next((int(finer * cells) for finer in (8, 4, 2, 1.5) if finer < 2 * wanted and finer <= most), 0)

    def _least_by_affinity(self, epsilon: float) -> float:
        return -math.expm1(min(0.0, epsilon / 2 + self._steps * self._log_affinity[1]))

    def _most_by_affinity(self, epsilon: float) -> float:
        apart, ratio = -math.expm1(2 * self._steps * self._log_affinity[0]), math.exp(-epsilon)
        return 2 * apart / (1 - ratio + math.sqrt((1 - ratio) ** 2 + 4 * ratio * apart))

    @cached_property
    def _log_affinity(self) -> tuple[float, float]:
        """Bounds of ``log ρ``: merged outputs share more, and the pair that tells more shares less."""
        grid = self._grid(_AFFINITY_CELLS)
        p, q = self._masses(grid.losses())
        above = self._above(grid, reverse=False)
        low = float(above.masses @ np.exp(-grid.losses() / 2)) - _AFFINITY_ROUNDING
        high = float(np.sqrt(p * q).sum()) + _AFFINITY_ROUNDING
        return math.log(low), math.log(high)

    def _loss(self, output: float) -> float:
        shift = (2 * output - 1) / 2 / self._sigma / self._sigma
        if shift < 1:
            return math.log1p(self._rate * math.expm1(shift))
        return float(np.logaddexp(math.log1p(-self._rate), math.log(self._rate) + shift))

    def _grid(self, cells: int) -> _Grid:
        # From the least loss on: where there is little noise, much of the mass is there.
        return _Grid(self._least, (self._largest - self._least) / cells, cells)

    @cached_property
    def _first_cells(self) -> int:
        """Into how many cells to cut at first, so that the sum has not too many points."""
        cells = _FEWEST_CELLS
        while max(self._points(cells, reverse) for reverse in (False, True)) > _MOST_POINTS:
            cells //= 2
        return cells

    def _points(self, cells: int, reverse: bool) -> int:
        grid = self._grid(cells)
        windows = [_window(law, self._steps) for law in (self._below(grid, reverse)[0], self._above(grid, reverse))]
        return max(high - low for low, high in windows)

    def bounds(self, cells: int, reverse: bool) -> tuple[_Law, _Law]:
        """Return laws of which one has no larger profile than T steps and the other no smaller one."""
        grid, rounding = self._grid(cells), 2 * _TAIL + self._rounding
        below, mean, deviation = self._below(grid, reverse)
        least = _composed(below, self._steps)
        lost = math.sqrt(self._steps) * deviation + rounding
        above = self._above(grid, reverse)
        infinite = -math.expm1(self._steps * math.log1p(-above.infinite)) + rounding
        return (
            least._replace(origin=least.origin - self._steps * mean, infinite=-lost),
            _composed(above, self._steps)._replace(infinite=infinite),
        )

    def _above(self, grid: _Grid, reverse: bool) -> _Law:
        losses = grid.losses()
        p, q = self._masses(losses)
        (bottom_p, top_p), (bottom_q, top_q), p, q = p[[0, -1]], q[[0, -1]], p[1:-1], q[1:-1]
        up = np.clip((q - p * np.exp(losses[:-1])) / -math.expm1(-grid.step), 0.0, q)
        split = np.append(q - up, 0.0)
        split[1:] += up
        if not reverse:  # the loss is less than the first point's at the bottom, and unbounded at the top
            split[0] += bottom_q
            return _Law(split, grid.least, grid.step, infinite=float(top_q))
        split *= np.exp(-losses)
        split[-1] += top_p
        return _Law(split[::-1], -grid.least, grid.step, -grid.cells, float(bottom_p))

    def _below(self, grid: _Grid, reverse: bool) -> tuple[_Law, float, float]:
        """Return a law, and of what its losses are too large by the mean and the standard deviation."""
        losses = grid.losses()
        p, q = (masses[1:] for masses in self._masses(grid.losses(-0.5)))
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = losses - np.log(q / p)
        excess = np.where((p > 0) & (q > 0), np.clip(excess, -grid.step / 2, grid.step / 2), 0.0)
        if reverse:  # what is left above the last point has no least loss there
            p[-1], excess, law = 0.0, -excess, _Law(p[::-1], -grid.least, grid.step, -grid.cells)
            masses = p
        else:
            excess[-1], masses, law = max(0.0, float(excess[-1])), q, _Law(q, grid.least, grid.step)
        mean = float(masses @ excess)
        return law, mean, math.sqrt(float(masses @ np.square(excess - mean)))

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


@lru_cache(maxsize=4)
def _bounds(losses: ComposedLosses, cells: int, reverse: bool) -> tuple[_Law, _Law]:
    """Return `ComposedLosses.bounds`, of which another ε mostly asks for the same."""
    return losses.bounds(cells, reverse)


def _composed(law: _Law, steps: int) -> _Law:
    """Return the law of the sum of so many losses, but for at most a tail on either side and all that is infinite."""
    centre, places = _places(law)
    low, high = _window(law, steps)
    size = 1 << max(0, high - low).bit_length()
    folded = np.bincount(places % size, weights=law.masses, minlength=size)
    power = np.fft.irfft(np.fft.rfft(folded) ** steps, size)
    masses: Reals = np.roll(power, -low)[: high - low + 1]
    return _Law(masses, steps * law.origin, law.step, low + steps * (law.first + centre))


def _places(law: _Law) -> tuple[int, NDArray[np.int64]]:
    """Return a place near the mean, around which phases are small, and where the masses are next to it."""
    places = np.arange(law.masses.size)
    centre = round(float(law.masses @ places) / float(law.masses.sum()))
    return centre, places - centre


def _window(law: _Law, steps: int) -> tuple[int, int]:
    """Return between which places the sum is, but for a tail on either side (Chernoff's bound)."""
    places = _places(law)[1]
    possible = law.masses > 0
    masses, places = law.masses[possible], places[possible]
    logs, deviation = np.log(masses), math.sqrt(float(masses @ np.square(places)) + 1)
    ends: list[float] = []
    for sign in (-1, 1):
        furthest, previous = steps * float((sign * places).max()), math.inf
        for power in range(2, -9, -1):  # first falling, then rising
            rate = 4.0**power / deviation / math.sqrt(steps)
            terms = logs + rate * sign * places
            peak = float(terms.max())
            moment = peak + math.log(float(np.exp(terms - peak).sum()))
            bound = (steps * moment - math.log(_TAIL)) / rate
            if bound > previous:
                break
            previous, furthest = bound, min(furthest, bound)
        ends.append(sign * furthest)
    return math.floor(ends[0]), math.ceil(ends[1])
