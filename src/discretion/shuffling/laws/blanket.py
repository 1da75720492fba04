"""The privacy blanket: an upper bound of the leak about the target for every adversary and all other users' values.

With some probability each user's report comes from the blanket, a law that does not depend on the value. Show the
adversary the other users who did not report from it, and their reports: this can only help the adversary. It leaves the
target's report among those of B other users in the blanket, B ~ Bin(n-1, γ), which all follow one law. More of these
never increase the leak, so that each interval of B counts with its start. (Balle, Bell, Gascón and Nissim, CRYPTO 2019,
bound what is exact here.)
"""

import itertools
import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.channels.channel import System
from discretion.estimate import Estimate
from discretion.measures.measure import Method
from discretion.measures.privacy_loss.divergences import excess_over
from discretion.mechanisms.reporting import Overlaps, reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import binomial_window
from discretion.numerics.means.mean_excess import RELATIVE, Bounded, mean_excess
from discretion.numerics.means.smoothed_excess import SmoothedSum, Steps
from discretion.shuffling.laws.groups import (
    Group,
    OtherUsers,
    alike_pairs,
    blanket_probability,
    is_symmetric,
    report_types,
)
from discretion.shuffling.laws.supports import blanket_types

BOUND = Method("certified bounds: from above by the privacy blanket, from below by what is surely seen", "bound")

# Types of report beyond which a mean excess is bounded instead of computed.
MAX_KINDS_SUMMED = 48

_STRETCHES = 24
_BELOW, _ABOVE = 9, 2
_ROUNDING = 1e-12

# A bound need not be as exact as an answer: what is left out is added to it.
ROUGH = 1e-4
# What so many others report with less than this probability only the target can have sent.
_NEVER = 1e-40


def hidden_in_blanket(probability: float, n: int, leaked_among: Callable[[int], float], slack: float) -> float:
    """Return an upper bound of the mean of a leak that falls with the number of other users in the blanket.

    Each other user is in the blanket with the given probability. For a leak that falls as one over the root of that
    number, the relative error of the bound is about ``slack``.
    """
    if probability == 0 or n == 1:
        return leaked_among(0)
    first, law = binomial_window(n - 1, probability, 1 - probability)
    starts = _starts((n - 1) * probability, (n - 1) * probability * (1 - probability), first, law.size, slack)
    bound = leaked_among(0) * float(law[: starts[0]].sum())
    for start, end in itertools.pairwise([*starts, law.size]):
        bound += leaked_among(first + start) * float(law[start:end].sum())
    return min(leaked_among(0), bound + _ROUNDING * abs(bound))  # for what the window and the rounding leave out


def certified_interval(attained: float, bound: float) -> Estimate:
    """Return the certified interval from the leak to some adversary, rounded down, to an upper bound."""
    return Estimate.between(min(attained - _ROUNDING * abs(attained), bound), bound, BOUND.name)


def _starts(mean: float, variance: float, first: int, size: int, slack: float) -> list[int]:
    """Return the starts of intervals: dense around the mean, and from nine standard deviations below it."""
    deviation = math.sqrt(variance)
    count = math.ceil(min(max((_BELOW + _ABOVE) * deviation / (2 * slack * max(mean, 1.0)), 3), _STRETCHES))
    cuts = [mean + deviation * (-_BELOW + (_BELOW + _ABOVE) * i / count) for i in range(count + 1)]
    return sorted({min(max(math.floor(cut) - first, 0), size - 1) for cut in cuts})


class Blanket:
    """Upper bounds of the excess for all values of the other users, with the target hidden in the blanket; cached.

    Their relative error is about the slack; with more slack they take less time.
    """

    def __init__(self, mechanism: System, n: int, slack: float = 5e-4) -> None:
        self._mechanism, self._n, self._slack = mechanism, n, slack
        self._types: dict[tuple[int, int], Reals] = {}
        self._bounds: dict[tuple[bytes, float, limits.Limits], float] = {}

    @cached_property
    def ends(self) -> list[tuple[int, int]]:
        """The ordered pairs of values that differ for the blanket."""
        k = self._mechanism.secrets
        if is_symmetric(self._mechanism):
            return [(0, 1)]
        return [(a, b) for a in range(k) for b in range(k) if a != b]

    def largest_excess(self, ratio: float) -> float:
        """Return the bound for the pair with the largest one."""
        return max((self.excess(*ends, ratio) for ends in self._unlike_ends), default=0.0)

    @cached_property
    def _unlike_ends(self) -> list[tuple[int, int]]:
        if self._overlaps is not None:
            return [(0, 1)]
        pairs = alike_pairs(self._mechanism, self._hidden_among).representatives
        return [ends for a, b in pairs for ends in ((a, b), (b, a))]

    def excess(self, a: int, b: int, ratio: float) -> float:
        """Return the bound for a pair of values."""
        ends = (0, 1) if self._overlaps is not None or is_symmetric(self._mechanism) else (a, b)
        if ends not in self._types:
            self._types[ends] = self._types_of(ends)
        types = self._types[ends]
        key = kind_of_types(types), ratio, limits.current()
        if key not in self._bounds:
            self._bounds[key] = self._excess(types, ratio)
        return self._bounds[key]

    @cached_property
    def _overlaps(self) -> Overlaps | None:
        return reporting(self._mechanism).overlaps

    def _types_of(self, ends: tuple[int, int]) -> Reals:
        if self._overlaps is None:
            return report_types(self._mechanism, self._hidden_among, ends)
        return blanket_types(self._overlaps)[: 2 + len(self._hidden_among)]

    @cached_property
    def _hidden_among(self) -> OtherUsers:
        hidden = self._n > 1 and blanket_probability(self._mechanism) > 0
        return (Group(1, blanket=True),) if hidden else ()

    def _excess(self, types: Reals, ratio: float) -> float:
        def among(count: int) -> float:
            if not count:
                return excess_over(types[0], types[1], ratio)
            excess = linear_excess(types, count, ratio, ROUGH)
            return excess.value + excess.error

        return hidden_in_blanket(blanket_probability(self._mechanism), self._n, among, self._slack)


def kind_of_types(types: Reals) -> bytes:
    """Return a key that is equal for laws of types that differ only in the order of the types."""
    return types[:, np.lexsort(types)].tobytes()


def linear_excess(types: Reals, count: int, ratio: float, relative: float = RELATIVE) -> Bounded:
    """Return the excess when all other users' reports follow the law in the third row."""
    n, steps, law, impossible = _linear_steps(types, count, ratio)
    if steps.size > MAX_KINDS_SUMMED:
        return smoothed_linear_excess(types, count, ratio)
    excess = mean_excess(n, steps, law, relative)
    return Bounded(excess.value + impossible, excess.error)


def smoothed_linear_excess(types: Reals, count: int, ratio: float) -> Bounded:
    """Return quick bounds of the same, for any number of types."""
    n, steps, law, impossible = _linear_steps(types, count, ratio)
    low, high = SmoothedSum(0.0, [Steps(n, steps / n, law)]).excess()
    return Bounded(impossible + (low + high) / 2, (high - low) / 2 + _ROUNDING * high)


def _linear_steps(types: Reals, count: int, ratio: float) -> tuple[int, Reals, Reals, float]:
    a, b, law = types
    possible = (count + 1) * law * max(1.0, min(ratio, 1e290)) > _NEVER  # for as many users as there can be, in doubles
    impossible = excess_over(a[~possible], b[~possible], ratio)
    with np.errstate(over="ignore", invalid="ignore"):
        steps: Reals = (a[possible] - ratio * b[possible]) / law[possible]
    steps = np.where(b[possible] == 0, a[possible] / law[possible], steps)
    return count + 1, decided_steps(steps, count + 1), law[possible], impossible


def decided_steps(steps: Reals, n: int) -> Reals:
    """Return the steps of a sum of n, with very negative ones limited so that they do not overflow.

    A step of minus n+1 times the largest step decides the sign of the sum already.
    """
    return np.maximum(steps, -(n + 1) * max(0.0, float(steps.max())))
