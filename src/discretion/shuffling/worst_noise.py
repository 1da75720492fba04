"""Crowds that add noise to numbers, against the worst adversary: certified bounds by binning the noise in two ways.

The secrets are the two values 0 and the sensitivity, and each other user holds one of them. Let P and Q be the laws of
their reports, and sort reports by the log-ratio of the two.

- From above: the masses of P and Q in each bin are split between its two limits so that both are kept. The noise is a
  noisy copy of that pair, so that the same holds of a crowd of such reports. The privacy blanket bounds its leakage for
  any values of the other users.
- From below: the reports in each bin are merged, and all other users hold one value. An adversary attains that.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from discretion.estimate import Estimate, as_share, highest, settled
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
    profile_root,
    ratio_of,
)
from discretion.measures.privacy_loss.losses import LatticeLosses
from discretion.measures.privacy_loss.profile_losses import dominating_losses
from discretion.mechanisms.noise.additive import AdditiveNoise
from discretion.numerics.arrays import Reals
from discretion.numerics.means.excess_bounds import mean_excess_above, mean_excess_below
from discretion.shuffling.laws.blanket import decided_steps
from discretion.shuffling.worst_others import AmongWorst

BINNED = Method(
    "certified bounds by bins of the noise: the privacy blanket, and other users who hold one value", "bound"
)

# Into how many bins the log-ratios are sorted on either side of 0.
_BINS = 400
# What P has beyond the bins, as powers of ten, and at most next to δ; from below, reports beyond them are merged.
_CUTS, _NEXT_TO_DELTA, _CUTS_BELOW = range(-2, -20, -2), 7e-3, (-2, -4, -6)
# What rounding does to bins, next to a bound.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class NoiseAmongWorst(AmongWorst):
    """A crowd that adds noise to 0 or to the sensitivity, with the other users who expose the target most."""

    mechanism: AdditiveNoise
    _bins: dict[int, "_Bins"] = field(default_factory=dict[int, "_Bins"], init=False, repr=False)

    def excess_above(self, epsilon: float) -> float:
        """Return an upper bound of δ(ε), for any values of the other users."""
        alone = self.mechanism.hockey_stick(epsilon)
        bound, cut = alone, _CUTS[3]
        tried = set[int]()
        # What is beyond the bins is exposed: it is little next to δ, which is known once it is bounded.
        while cut not in tried and bound > 0:
            tried.add(cut)
            bound = min(bound, self._binned(cut).excess_above(self.n, ratio_of(epsilon)))
            wanted = math.log10(bound * _NEXT_TO_DELTA) if bound > 0 else _CUTS[-1]
            cut = next((place for place in _CUTS if place <= wanted), _CUTS[-1])
        return min(alone, bound * (1 + _ROUNDING))

    def excess_below(self, epsilon: float) -> float:
        """Return a lower bound of δ(ε), which is attained by other users who all hold one value."""
        bounds = (self._binned(cut).excess_below(self.n, ratio_of(epsilon)) for cut in _CUTS_BELOW)
        return max(bounds) * (1 - _ROUNDING)

    def excess(self, epsilon: float) -> float | Estimate:
        """Return certified bounds of δ(ε)."""
        high = self.excess_above(epsilon)
        return as_share(Estimate.between(min(self.excess_below(epsilon), high), high, BINNED.name, span=1.0))

    def _binned(self, cut: int) -> "_Bins":
        if cut not in self._bins:
            self._bins[cut] = _Bins(self.mechanism, 10.0**cut)
        return self._bins[cut]


@dataclass(frozen=True, eq=False)
class _Bins:
    """Reports of two values, sorted into bins by their log-ratio, and the first value's mass beyond the bins."""

    noise: AdditiveNoise
    beyond: float

    @cached_property
    def _reach(self) -> float:
        return min(self.noise.losses.reach(self.beyond)[1], self.noise.losses.largest)

    @cached_property
    def _split(self) -> LatticeLosses:
        """The losses of a pair that dominates the noise, the same in both directions."""
        step = self._reach / _BINS
        places = np.arange(_BINS + 1)
        return dominating_losses(step, places, np.array([self.noise.excess(step * place) for place in places]))

    @cached_property
    def _merged(self) -> tuple[Reals, Reals]:
        """The masses of both values in each bin."""
        losses = self.noise.losses
        if isinstance(losses, LatticeLosses):
            kept, a = losses.losses, losses.masses
            starts = np.flatnonzero(np.append(True, (kept[1:] > -self._reach) & (kept[:-1] <= self._reach)))
            b = a * np.exp(-kept)
            return np.add.reduceat(a, starts), np.add.reduceat(b, starts)
        # An odd number, so that no edge is at 0; the last loss is inside.
        edges = (1 + 1 / _BINS) * self._reach * np.linspace(-1, 1, 2 * _BINS + 2)
        cells = losses.cells(edges)
        a = cells.q[:-1].copy()
        a[0] += cells.lower
        a[-1] += cells.q[-1]
        atoms, masses = losses.atoms
        a += np.histogram(atoms, edges, weights=masses)[0]
        # The noise is symmetric: the other value has as much where the log-ratio is the opposite.
        return a, a[::-1]

    def excess_above(self, n: int, ratio: float) -> float:
        """Return the blanket's bound for n users, for any values of the others.

        Each of B others is in the blanket, B ~ Bin(n-1, γ), and the target's report is hidden among theirs. With
        ``P(B = b - 1) = P(B' = b) b / (nγ)`` for B' ~ Bin(n, γ), that is the mean excess of n steps, each of which is 0
        with probability 1-γ.
        """
        losses, a = self._split.losses, self._split.masses
        b = a * np.exp(-losses)
        common = np.minimum(a, b)
        possible = common > 0
        exposed = self._split.infinite + float(a[~possible].sum())
        with np.errstate(over="ignore"):
            steps = (a - ratio * b)[possible] / common[possible]
        return exposed + mean_excess_above(n, *_with_rest(decided_steps(steps, n), common[possible]))

    def excess_below(self, n: int, ratio: float) -> float:
        """Return a lower bound for n users, where all but the target hold one value, the second or the first."""
        a, b = self._merged
        bounds = list[float]()
        for law in (a, b):
            possible = law > 0
            with np.errstate(over="ignore", divide="ignore"):
                steps = (a - ratio * b)[possible] / law[possible]
            bounds.append(mean_excess_below(n, decided_steps(steps, n), law[possible]))
        return max(bounds)


def _with_rest(steps: Reals, probabilities: Reals) -> tuple[Reals, Reals]:
    """Return the steps and their probabilities, and a step of 0 with the remaining probability."""
    return np.append(steps, 0.0), np.append(probabilities, max(0.0, 1 - float(probabilities.sum())))


@plan_privacy_profile.register
def _privacy_profile_of_noise_among_worst(system: NoiseAmongWorst) -> Plan[Profile]:
    if system.n == 1:
        return Plan(system.mechanism.algorithm, lambda: system.mechanism.hockey_stick)
    return Plan(BINNED, lambda: system.excess)


@plan_least_epsilon.register
def _least_epsilon_of_noise_among_worst(system: NoiseAmongWorst, delta: float) -> Plan[float | Estimate]:
    if system.n == 1:
        return plan_least_epsilon(system.mechanism, delta)
    return Plan(BINNED, lambda: _epsilon(system, delta))


def _epsilon(system: NoiseAmongWorst, delta: float) -> float | Estimate:
    most = plan_ldp_epsilon(system).compute()
    low, high = (highest(profile_root(way, delta, most, system)) for way in (system.excess_below, system.excess_above))
    # A root may be off by what rounding does, or next to where other bins are taken.
    low = _moved(low, -1, lambda epsilon: system.excess_below(epsilon) >= delta)
    high = _moved(high, 1, lambda epsilon: system.excess_above(epsilon) <= delta)
    return settled(Estimate.between(min(low, high), high, BINNED.name))


def _moved(epsilon: float, sign: int, is_safe: Callable[[float], bool]) -> float:
    """Return the ε, or one slightly further in this direction, so that the bound of δ is on the safe side."""
    if not 0 < epsilon < math.inf:
        return epsilon
    steps = (epsilon * (1 + sign * step) for step in (0.0, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-7, 1e-5, 1e-3))
    return next(filter(is_safe, steps), 0.0 if sign < 0 else math.inf)
