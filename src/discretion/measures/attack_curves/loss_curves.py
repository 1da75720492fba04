"""The best tests against many observations of two laws, from the sum of their privacy losses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discretion.estimate import Estimate, largest
from discretion.measures.attack_curves.best_tests import Band, BestTests, Result, as_band
from discretion.measures.attack_curves.polygon import Polygon, best_of_polygons
from discretion.measures.privacy_loss.composed_losses import LossPair
from discretion.measures.privacy_loss.differential_privacy import confirm_inverse, name_of_epsilon, settled_delta
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.measures.privacy_loss.loss_sums import LossSum
from discretion.numerics.arrays import Reals

# Beyond this an exponential overflows; such an outcome P has more of than there is.
_LARGEST, _LEAST = 700.0, 1e-300
# What a Fourier transform may leave of a mass where there is none.
_NOISE = 1e-16
_ALL_TOLD = Polygon.from_points(np.zeros(1), np.zeros(1))
_NOTHING_TOLD = Polygon.from_points(np.zeros(0), np.zeros(0))


@dataclass(frozen=True, eq=False, kw_only=True)
class BandOfLosses(Band):
    """A band around the best tests between pairs of laws, whose ε, δ and overlap are those of the losses themselves."""

    pairs: tuple[LossPair, ...]

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0: the privacy profile."""
        return settled_delta(largest([pair.hockey_stick(epsilon) for pair in self.pairs]))

    @property
    def overlap(self) -> Result:
        """What the two laws have in common, of the pair that has least."""
        return -largest([-pair.if_exact(pair.forwards.overlap(0.0)) for pair in self.pairs])

    def epsilon(self, delta: float) -> Result:
        """Return the least ε >= 0 of (ε, δ)-differential privacy: the inverse of the privacy profile."""
        if delta <= 0:
            return max(pair.largest for pair in self.pairs)
        return largest([epsilon_of_losses(pair, delta) for pair in self.pairs])


def tests_of_losses(losses: LossPair) -> BestTests:
    """Return the best tests of Q against P or of P against Q, and their mixtures."""
    return tests_of_any([losses])


def epsilon_of_losses(losses: LossPair, delta: float, system: object = None) -> float | Estimate:
    """Return the least ε of (ε, δ)-differential privacy, for δ > 0: by its corners where a lattice has all of them.

    Errors name the system.
    """
    if losses.forwards.is_exact:
        tests = tests_of_losses(losses)
        if isinstance(tests, Polygon):
            epsilon = tests.epsilon(delta)
            return confirm_inverse(epsilon, epsilon, losses.hockey_stick, delta, name_of_epsilon(system, delta))
    return losses.if_exact(losses.epsilon(delta, system))


def tests_of_any(pairs: Sequence[LossPair]) -> BestTests:
    """Return the best tests between the laws of any of several pairs in either direction, and their mixtures."""
    ways = [(pair, reverse) for pair in pairs for reverse in ((False, True) if pair[1] is not pair[0] else (False,))]
    tests = [tests_of_one_way(pair, reverse) for pair, reverse in ways]
    if len(tests) == 1:
        return tests[0]
    bands = [as_band(one) for one in tests]
    low, high = (best_of_polygons([getattr(band, end) for band in bands]) for end in ("low", "high"))
    return BandOfLosses(low, high, pairs[0].forwards.method.name, pairs=tuple(pairs))


def tests_of_one_way(losses: LossPair, reverse: bool = False) -> BestTests:
    """Return the best tests of Q against P, in reverse of P against Q, or between which they are.

    They are between those of what tells no less and those of what tells no more.
    """
    way = losses[reverse]
    bracket = way.bracket()
    if bracket is None:
        return BandOfLosses(_ALL_TOLD, _NOTHING_TOLD, way.method.name, pairs=(losses,))
    less, more = bracket
    if way.is_exact and less.law.keeps_digits and losses.backwards is losses.forwards:
        masses = math.exp(less.law.log_moment) * less.law.masses
        return tests_of_lattice(masses, less.losses)
    return BandOfLosses(_told(more, 1), _told(less, -1), way.method.name, pairs=(losses,))


def tests_of_lattice(masses: Reals, losses: Reals) -> Polygon:
    """Return the best tests of Q against P where each outcome has a loss of its own and Q's mass is known.

    Losses on a lattice are alike both ways: what P has at a loss, Q has at its negative. Of negative losses that is
    known to more digits than the mass of Q, which may be next to nothing.
    """
    above = losses >= 0
    p = np.zeros(losses.size)
    p[above] = np.exp(logarithms(masses[above]) - losses[above])
    mirrored = np.searchsorted(losses, -losses[~above] - (losses[1] - losses[0]) / 2 if losses.size > 1 else losses)
    inside = mirrored < losses.size
    p[np.flatnonzero(~above)[inside]] = masses[mirrored[inside]]
    return Polygon(p[::-1], masses[::-1], losses[::-1])


def _told(law: LossSum, sign: int) -> Polygon:
    """Return the curve of a law, moved up or down by the law's error.

    ``Σ max(0, 1 - e^(ε - loss))`` over the masses is the conjugate of the curve with corners at their sums, also where
    rounding leaves the masses of P not adding up to 1; what the one may be off, so is the other.
    """
    # What is next to nothing may be rounding, which nobody is told by: without it the law tells less.
    floor = 0.0 if sign > 0 or law.law.keeps_digits else _NOISE
    whole, there = math.exp(law.log_moment), law.law.masses > floor
    q, losses = whole * law.law.masses[there][::-1], law.losses[there][::-1] + sign * law.shift
    p = np.append(0.0, q * np.exp(np.minimum(-losses, _LARGEST)))
    fp, tp = np.cumsum(p), np.cumsum(np.append(law.infinite, q)) + sign * whole * law.law.error
    inside = fp <= 1
    fp, tp = fp[inside], np.clip(tp[inside], 0.0, 1.0)
    # From where nobody is accused on in the steepest direction, and to where everybody is in the flattest.
    first, last = int(np.argmax(tp / np.maximum(fp, _LEAST))), int(np.argmin((1 - tp) / np.maximum(1 - fp, _LEAST)))
    ends = slice(first, max(first, last) + 1)
    return Polygon.from_steps(*(np.diff(sums[ends], prepend=0.0, append=1.0) for sums in (fp, tp)))
