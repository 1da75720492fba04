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

# Beyond this an exponential overflows; P would have more mass at such an outcome than there is.
_LARGEST, _LEAST = 700.0, 1e-300
# The error that a Fourier transform may leave in place of a mass of 0.
_NOISE = 1e-16
_ALL_TOLD = Polygon.from_points(np.zeros(1), np.zeros(1))
_NOTHING_TOLD = Polygon.from_points(np.zeros(0), np.zeros(0))


@dataclass(frozen=True, eq=False, kw_only=True)
class BandOfLosses(Band):
    """A band around the best tests between pairs of laws; ε, δ and overlap are computed from the losses themselves."""

    pairs: tuple[LossPair, ...]

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0: the privacy profile."""
        return settled_delta(largest([pair.hockey_stick(epsilon) for pair in self.pairs]))

    @property
    def overlap(self) -> Result:
        """The overlap of the two laws, for the pair with the least overlap."""
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
    """Return the least ε of (ε, δ)-differential privacy, for δ > 0: from the corners of the curve if on a lattice.

    Error messages name the system.
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
    """Return the best tests of Q against P, or in reverse of P against Q, or a band that contains them.

    The bounds of the band are the best tests for a pair that leaks at least as much and for one that leaks at most as
    much.
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
    """Return the best tests of Q against P, given the mass of Q at each loss of a lattice.

    Losses on a lattice are symmetric: the mass of P at a loss is the mass of Q at its negative. For negative losses
    this has more precision than a quotient by the mass of Q, which may be very small.
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
    rounding errors keep the masses of P from adding up to 1. Both have the same error.
    """
    # Very small masses may be rounding errors, which distinguish nothing: without them the law leaks less.
    floor = 0.0 if sign > 0 or law.law.keeps_digits else _NOISE
    whole, there = math.exp(law.log_moment), law.law.masses > floor
    q, losses = whole * law.law.masses[there][::-1], law.losses[there][::-1] + sign * law.shift
    p = np.append(0.0, q * np.exp(np.minimum(-losses, _LARGEST)))
    fp, tp = np.cumsum(p), np.cumsum(np.append(law.infinite, q)) + sign * whole * law.law.error
    inside = fp <= 1
    fp, tp = fp[inside], np.clip(tp[inside], 0.0, 1.0)
    # From the steepest segment at no accusations, to the flattest segment at accusations of everybody.
    first, last = int(np.argmax(tp / np.maximum(fp, _LEAST))), int(np.argmin((1 - tp) / np.maximum(1 - fp, _LEAST)))
    ends = slice(first, max(first, last) + 1)
    return Polygon.from_steps(*(np.diff(sums[ends], prepend=0.0, append=1.0) for sums in (fp, tp)))
