"""The best tests against many observations of two laws, from the sum of their privacy losses."""

import math

import numpy as np
from numpy.typing import NDArray

from tacit.measures.attack_curves.best_tests import Band, BestTests, as_band
from tacit.measures.attack_curves.polygon import Polygon, lower_envelope
from tacit.measures.composed_losses import BothWays, ComposedLosses
from tacit.measures.loss_sums import LossSum

Reals = NDArray[np.float64]

# Beyond this an exponential overflows; such an outcome P has more of than there is.
_LARGEST = 700.0
_ALL_TOLD = Polygon.through(np.zeros(1), np.zeros(1))
_NOTHING_TOLD = Polygon.through(np.zeros(0), np.zeros(0))


def tests_of_losses(losses: BothWays) -> BestTests:
    """Return the best tests of Q against P or of P against Q, and their mixtures."""
    there = tests_of_one_way(losses.forwards)
    back = there if losses.backwards is losses.forwards else tests_of_one_way(losses.backwards)
    if isinstance(there, Polygon) and isinstance(back, Polygon):
        return _mixed(there, back)
    one, other = as_band(there), as_band(back)
    return Band(_mixed(one.low, other.low), _mixed(one.high, other.high), losses.forwards.method.name)


def tests_of_one_way(losses: ComposedLosses) -> BestTests:
    """Return the best tests of Q against P, or between which they are: of what tells no less and what tells no more."""
    bracket = losses.bracket()
    if bracket is None:
        return Band(_ALL_TOLD, _NOTHING_TOLD, losses.method.name)
    less, more = bracket
    if losses.is_exact and less.law.keeps_digits:
        masses = math.exp(less.law.log_moment) * less.law.masses
        return tests_of_lattice(masses, less.losses)
    return Band(_through(more, 1), _through(less, -1), losses.method.name)


def tests_of_lattice(masses: Reals, losses: Reals) -> Polygon:
    """Return the best tests of Q against P where each outcome has a loss of its own and Q's mass is known."""
    return Polygon((masses * np.exp(-losses))[::-1], masses[::-1], losses[::-1])


def _mixed(there: Polygon, back: Polygon) -> Polygon:
    return lower_envelope([there, there.reversed, back, back.reversed])


def _through(law: LossSum, sign: int) -> Polygon:
    """Return the curve of what a law tells, a sign better or worse than it by what it may be off.

    ``Σ max(0, 1 - e^(ε - loss))`` over the masses is the conjugate of the curve with corners at their sums, also where
    rounding leaves the masses of P not adding up to 1; what the one may be off, so is the other.
    """
    whole = math.exp(law.log_moment)
    masses = whole * law.law.masses[::-1]
    p = np.append(0.0, masses * np.exp(np.minimum(-law.losses[::-1] - sign * law.shift, _LARGEST)))
    fp, fn = np.cumsum(p), 1 - np.cumsum(np.append(law.infinite, masses)) - sign * whole * law.law.error
    inside = fp <= 1
    return Polygon.through(fp[inside], np.clip(fn[inside], 0.0, 1.0))
