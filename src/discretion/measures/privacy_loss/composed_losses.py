"""The sum of the privacy losses of many independent observations, bounded from both sides."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from discretion import limits
from discretion.estimate import Estimate, largest, settled
from discretion.measures.measure import Method
from discretion.measures.privacy_loss.differential_privacy import confirm_inverse, name_of_epsilon
from discretion.measures.privacy_loss.loss_sketch import LEAST, LossSketch
from discretion.measures.privacy_loss.loss_sums import LossSum, loss_sum
from discretion.measures.privacy_loss.losses import (
    MAX_LOSS_POINTS,
    ROUNDED_UP,
    LatticeLosses,
    Losses,
    dominated_law,
    dominating_law,
    lattice_law,
)
from discretion.numerics.arrays import Reals, inner_product
from discretion.numerics.laws.lattice_sums import log_moment

# Places of a lattice on which losses are added exactly.
MAX_LOSS_PLACES = 1 << 22

Ends = tuple[float, float]

GRID = Method("certified bounds on a grid of privacy losses", "bound")
LATTICE = Method("sum over a lattice of privacy losses", "exact")

# The relative widths of bounds on the smaller of δ and 1 - δ, on the δ of an ε, and on ε; and the width at which two
# values are compared.
_WIDTH, _WIDTH_FOR_EPSILON, _WIDTH_OF_EPSILON, _ROUGH = 2e-6, 2e-5, 3e-6, 1e-2
# The values of δ at which a whole profile is as narrow as a single one: in between, rounding may widen it a little.
_PROFILED = (1.0, 1e-5, 1e-11)
# The share of a law that is cut off, relative to the result, and the least mass that is kept.
_NEGLIGIBLE = 1e-12
# The points of a grid that cost next to no time.
_FEWEST_POINTS = 1 << 14
# The approximate number of standard deviations in a sum, and the error of each use's loss.
_DEVIATIONS, _ROUNDING = 18, 1e-15
# The rounding error of a difference from 1.
_OFF_ONE = 1e-13
# The mass that an affinity omits relative to its square (it loses the root of that), its number of points, and the
# error of its logarithm.
_UNTOLD, _AFFINITY_POINTS, _ROUNDING_OF_AFFINITY = 1e-40, 1 << 16, 2e-14
# The loss that counts as 0, at which 1 - e^-loss loses half of its digits.
_NOTHING, _UNSEEN = 1e-12, 1e-8
# A step for losses that are all equal, and one whose exponential would overflow.
_ANY_STEP, _LARGEST_STEP = 1e-3, 400.0
# The nodes of an integral over at most 1, and the steepest tilt over a step.
_NODES, _STEEPEST = 16, 8.0
# The place of the value between its bounds: the second-order error above is twice as large as that below.
_SHARE = 1 / 3


class ExcessBounds(NamedTuple):
    """Bounds on ``∫ max(0, Q - e^ε P)`` and on its difference from 1, each in full relative precision."""

    low: float
    high: float
    overlap_low: float
    overlap_high: float


@dataclass(frozen=True, eq=False)
class ComposedLosses:
    """The sum of independent losses, each of which is added a number of times."""

    parts: tuple[tuple[Losses, int], ...]
    negligible: float = 0.0

    @property
    def largest(self) -> float:
        """The largest sum, or infinity."""
        return sum(count * losses.largest for losses, count in self.parts)

    @property
    def is_exact(self) -> bool:
        """Whether the bounds differ by rounding only."""
        step = self._lattice_step
        return step is not None and _DEVIATIONS * self._deviation <= step * limits.current().numbers(MAX_LOSS_PLACES)

    @property
    def method(self) -> Method:
        """The method of computation."""
        return LATTICE if self.is_exact else GRID

    def hockey_stick(self, epsilon: float, width: float = _WIDTH) -> Estimate:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        bounds = self.bounds(epsilon, width)
        return self._estimate(bounds.low, bounds.high, span=1.0)

    def overlap(self, epsilon: float) -> Estimate:
        """Return ``∫ min(Q, e^ε P)`` for ε >= 0, in full relative precision."""
        bounds = self.bounds(epsilon)
        return -self._estimate(-bounds.overlap_high, -bounds.overlap_low, span=1.0)

    def information(self, left: float, right: float) -> Estimate:
        """Return ``∫_0^∞ δ(s) π0 π1 / (π0 + π1 e^s) ds``, where δ is `hockey_stick`: a part of a mutual information."""

        def contribution(losses: Reals) -> Reals:
            """Return this integral for ``δ(s) = max(0, 1 - e^(s - loss))``."""
            near, far = np.clip(losses, 0.0, 1.0), np.maximum(losses, 1.0)
            nodes, weights = np.polynomial.legendre.leggauss(_NODES)
            s = near[:, None] * (nodes + 1) / 2
            small = near / 2 * ((-np.expm1(s - near[:, None]) * left * right / (left + right * np.exp(s))) @ weights)
            odds = np.logaddexp(math.log(left), math.log(right) + far)
            return np.where(losses > 1, right * (far - odds) - left * np.exp(-far) * odds, small)

        def read(law: LossSum, sign: int) -> float:
            total = inner_product(law.law.masses, contribution(law.losses + sign * law.shift)) * math.exp(
                law.log_moment
            )
            return total + (sign * law.law.error + law.infinite) * most

        most = -right * math.log(right)
        low, high = self._between(
            0.0,
            1.0,
            _WIDTH,
            lambda less, more: (read(less, -1), read(more, 1)),
            lambda low, high: _WIDTH * high,
        )
        return self._estimate(max(0.0, low), max(low, min(high, most)))

    def epsilon(self, delta: float, width: float = _WIDTH_FOR_EPSILON) -> Estimate:
        """Return the least ε >= 0 for which `hockey_stick` is at most δ, above 0."""
        # Masses that are cut off here, and matter only under a steep tilt, are cut off of the grid as well.
        cut = self if self.is_exact else replace(self, negligible=self._negligible(delta))
        if delta <= self._infinite:
            return Estimate(math.inf, math.inf, math.inf, None, self.method.name)
        theta, guess = cut.sketch.tilt_of_delta(delta - self._infinite)
        if guess <= 0:
            return self._estimate(0.0, 0.0)
        width = max(width, _WIDTH_OF_EPSILON * theta * guess)
        low, high = cut._between(
            theta,
            delta,
            width,
            lambda less, more: (less.epsilon(delta, -1), more.epsilon(delta, 1)),
            lambda low, high: width / theta,
        )
        rounding = _ROUNDING * (1 + len(self.parts)) * self.largest
        low = max(low, self._least_by_the_largest(delta) - rounding)
        high = max(low, min(high, self.largest + rounding))
        return self._estimate(low, high)

    def bracket(self) -> tuple[LossSum, LossSum] | None:
        """Return a dominated and a dominating law of the sum, if a grid holds any."""
        laws: list[tuple[LossSum, LossSum]] = []

        def read(less: LossSum, more: LossSum) -> tuple[float, float]:
            laws.append((less, more))
            return less.excess(0.0, -1), more.excess(0.0, 1)

        self._between(0.0, 1.0, _WIDTH, read, lambda low, high: _WIDTH * high)
        return laws[-1] if laws else None

    def profile_bound(self) -> Callable[[Reals], Reals]:
        """Return the upper bound of `hockey_stick` as a function of many ε, from few laws: each for some of them."""
        bounds: list[Callable[[Reals], Reals]] = []
        for delta in _PROFILED:
            theta, _ = self.sketch.tilt_of_delta(delta) if delta < 1 else (0.0, 0.0)
            laws: list[LossSum] = []

            def read(less: LossSum, more: LossSum, theta: float = theta, laws: list[LossSum] = laws) -> Ends:
                laws[:] = [more]
                at = self.sketch.cumulants(theta)[1]
                return less.excess(at, -1), more.excess(at, 1)

            self._between(theta, delta, _WIDTH, read, lambda low, high: _WIDTH * high)
            bounds += [law.excess_bound() for law in laws]
        return lambda epsilons: np.min([bound(epsilons) for bound in bounds], axis=0, initial=1.0)

    def _least_by_the_largest(self, delta: float) -> float:
        """Return an ε that is too small for δ, since the largest sum alone contributes ``m (1 - e^(ε - largest))``."""
        log_mass = 0.0
        for losses, count in self.parts:
            atoms, masses = losses.atoms
            if not atoms.size or atoms[-1] < losses.largest or masses[-1] <= 0:
                return 0.0
            log_mass += count * math.log(masses[-1])
        log_share = math.log(delta) - log_mass
        return self.largest + math.log1p(-math.exp(log_share)) if log_share < -1 else 0.0

    def bounds(self, epsilon: float, width: float = _WIDTH) -> ExcessBounds:
        """Return bounds on the excess of Q over ``e^ε P`` at ε >= 0, and on their overlap."""
        if epsilon >= self.largest:
            return ExcessBounds(0.0, 0.0, 1.0, 1.0)
        # At least the excess of one use, and at most the sum over all uses with a share of ε each.
        low = max(losses.excess(epsilon) for losses, _ in self.parts)
        high = min(1.0, sum(count * losses.excess(epsilon / self._uses) for losses, count in self.parts))
        if high - low <= _NOTHING and self.sketch.deviation() < _UNSEEN:
            return ExcessBounds(low, high, 1 - high, 1 - low)
        theta = self.sketch.tilt(epsilon)
        moment, _, _ = self.sketch.cumulants(theta)
        chernoff = math.exp(min(0.0, moment - theta * epsilon))
        if theta > 0:
            ends = self._between(
                theta,
                chernoff,
                width,
                lambda less, more: (less.excess(epsilon, -1), more.excess(epsilon, 1)),
                lambda low, high: width * high,
            )
            low, high = sorted((max(low, ends[0]), min(high, ends[1])))
            return ExcessBounds(low, high, 1 - high, 1 - low)
        if chernoff < LEAST:
            low, high = sorted(self._by_affinity(epsilon))
            return ExcessBounds(1 - high, 1 - low, low, high)
        ends = self._between(
            theta,
            chernoff,
            width,
            lambda less, more: (more.overlap(epsilon, -1), less.overlap(epsilon, 1)),
            lambda low, high: width * min(high, 1 - low),
        )
        low, high = max(1 - high - _OFF_ONE, ends[0]), min(1 - low + _OFF_ONE, ends[1])
        if high > 2 * low:
            by_affinity = self._by_affinity(epsilon)
            low, high = max(low, by_affinity[0]), min(high, by_affinity[1])
        low, high = sorted((low, high))
        return ExcessBounds(1 - high, 1 - low, low, high)

    def _by_affinity(self, epsilon: float) -> tuple[float, float]:
        """Return bounds on ``∫ min(Q, e^ε P)`` by the affinity ``ρ = ∫ √(PQ)`` of all uses.

        ``∫ min(Q, e^ε P) <= e^(ε/2) ρ`` and, by Cauchy and Schwarz, ``∫ |Q - e^ε P| <= √((1 + e^ε)² - 4 e^ε ρ²)``.
        """
        least = most = 0.0
        for losses, count in self.parts:
            negligible = max(LEAST, _UNTOLD * math.exp(2 * LossSketch(((losses, 1),)).cumulants(-0.5)[0]))
            reach = losses.reach(negligible)
            step = min(1.0, (reach[1] - reach[0]) / _AFFINITY_POINTS) or 1.0
            less, more = (way(losses, step, negligible) for way in (dominated_law, dominating_law))
            log_affinity = log_moment(less.lattice, -step / 2) - less.offset / 2 + _ROUNDING_OF_AFFINITY
            most += count * float(np.logaddexp(log_affinity, math.log(max(LEAST, less.lost)) / 2))
            least += count * (log_moment(more.lattice, -step / 2) - more.offset / 2 - _ROUNDING_OF_AFFINITY)
        ratio, squared = math.exp(-epsilon), math.exp(2 * min(0.0, least))
        root = math.sqrt(max(0.0, 1 - 4 * ratio / (1 + ratio) ** 2 * squared))
        return 2 / (1 + ratio) * squared / (1 + root), math.exp(min(0.0, epsilon / 2 + most))

    def _between(
        self,
        theta: float,
        size: float,
        width: float,
        read: Callable[[LossSum, LossSum], tuple[float, float]],
        goal: Callable[[float, float], float],
    ) -> tuple[float, float]:
        """Return bounds from two laws that bracket the sum, refined until the goal is met or rounding prevails."""
        deviation = self._deviation
        if self.is_exact:
            lattices = [(lattice_law(part), count) for part, count in self.parts if isinstance(part, LatticeLosses)]
            law = loss_sum(lattices, theta, deviation, 0.0).with_relative_rounding()
            return read(law, law)
        negligible = self._negligible(size)
        finest = self.sketch.finest_step(theta, negligible)
        cheap = finest * limits.current().numbers(MAX_LOSS_POINTS) / _FEWEST_POINTS
        step, previous = (
            self.sketch.aligned(max(finest, min(cheap, self.sketch.step(theta, width))) or _ANY_STEP),
            math.inf,
        )
        low, high = -math.inf, math.inf
        while step < _LARGEST_STEP:
            tilt = min(theta, _STEEPEST / step)  # else errors would hide the masses in all cells but the last
            shift = self._uses * (_ROUNDING + ROUNDED_UP * step)
            least, most = (
                loss_sum([(way(part, step, negligible), count) for part, count in self.parts], tilt, deviation, shift)
                for way in (dominated_law, dominating_law)
            )
            found = read(least, most)
            low, high = max(low, found[0]), min(high, found[1])
            found, goal_width = high - low, goal(low, high)
            if found <= 2 * goal_width or step < 1.1 * finest or found > 0.7 * previous or math.isinf(high):
                return low, high
            previous = found
            step = self.sketch.aligned(max(finest, step * min(0.5, max(0.05, math.sqrt(goal_width / found)))))
        return 0.0, math.inf

    def _estimate(self, low: float, high: float, span: float = math.inf) -> Estimate:
        share = 0.5 if self.is_exact else _SHARE
        low, high = float(low), float(high)
        return Estimate.between(min(low, high), high, self.method.name, safe="high", span=span, share=share)

    @property
    def _uses(self) -> int:
        return sum(count for _, count in self.parts)

    @cached_property
    def _infinite(self) -> float:
        """The mass of Q at an infinite loss on a lattice."""
        shares = ((losses.infinite, count) for losses, count in self.parts if isinstance(losses, LatticeLosses))
        return -math.expm1(math.fsum(count * math.log1p(-share) if share < 1 else -math.inf for share, count in shares))

    @cached_property
    def _lattice_step(self) -> float | None:
        """The step of the lattice of all losses; None if they are not on one lattice."""
        steps = {losses.step if isinstance(losses, LatticeLosses) else math.nan for losses, _ in self.parts}
        step = steps.pop()
        return None if steps or math.isnan(step) else step

    @cached_property
    def _deviation(self) -> float:
        return self.sketch.deviation()

    @cached_property
    def sketch(self) -> LossSketch:
        """A rough sketch of the distribution of the sum."""
        return LossSketch(self.parts, self.negligible)

    def _negligible(self, size: float) -> float:
        return min(_NEGLIGIBLE, max(LEAST, _NEGLIGIBLE * size / self._uses))


class LossPair(NamedTuple):
    """The sums of the losses of Q against P and of P against Q, which are equal if the laws are mirror images."""

    forwards: ComposedLosses
    backwards: ComposedLosses

    @classmethod
    def from_parts(cls, parts: Iterable[tuple[Losses, Losses, int]]) -> "LossPair":
        """Return the sums of parts, given by their losses in both directions and the number of times each is added."""
        losses = tuple(parts)
        forwards = ComposedLosses(tuple((one, count) for one, _, count in losses))
        if all(one == other for one, other, _ in losses):
            return cls(forwards, forwards)
        return cls(forwards, ComposedLosses(tuple((other, count) for _, other, count in losses)))

    @property
    def largest(self) -> float:
        """The largest sum in either direction, or infinity."""
        return max(self.forwards.largest, self.backwards.largest)

    def if_exact(self, result: float | Estimate) -> float | Estimate:
        """Return a sum over a lattice as a float, and a result of a grid with its bounds, also if they are close."""
        return settled(result) if self.forwards.is_exact else result

    def hockey_stick(self, epsilon: float, width: float = _WIDTH) -> Estimate:
        """Return the larger of both directions for ε >= 0: the least δ of (ε, δ)-differential privacy."""
        first = self.forwards.hockey_stick(epsilon, width)
        if self.backwards is self.forwards or self.backwards.hockey_stick(epsilon, _ROUGH).high <= first.low:
            return first
        return _larger(first, self.backwards.hockey_stick(epsilon, width))

    def profile_bound(self) -> Callable[[Reals], Reals]:
        """Return the upper bound of `hockey_stick` as a function of many ε."""
        forwards, backwards = (way.profile_bound() for way in self)
        return lambda epsilons: np.maximum(forwards(epsilons), backwards(epsilons))

    def epsilon(self, delta: float, system: object = None) -> Estimate:
        """Return the least ε of (ε, δ)-differential privacy, for δ > 0; error messages name the system."""
        result, leading = self.forwards.epsilon(delta), self
        if self.backwards is not self.forwards:
            # A direction that is at most δ where the other one reaches it is so at all larger ε.
            if self.backwards.hockey_stick(result.low, _ROUGH).high <= delta:
                leading = LossPair(self.forwards, self.forwards)
            else:
                result = _larger(result, self.backwards.epsilon(delta))
        forward = partial(leading.hockey_stick, width=_ROUGH)
        return confirm_inverse(result, result.high, forward, delta, name_of_epsilon(system, delta))


def _larger(first: Estimate, second: Estimate) -> Estimate:
    result = largest([first, second])
    # If the bounds meet it is a float.
    return result if isinstance(result, Estimate) else replace(first, value=result, low=result, high=result)
