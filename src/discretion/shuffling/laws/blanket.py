"""The privacy blanket: a bound of what anybody learns of the target, whatever she knows of the others.

Each user reports from the blanket, a law that her value has no part in, with some probability. Tell the adversary who
did not, and what they reported: that can only help her, and it leaves the target's report among those of B others in
the blanket, B ~ Bin(n-1, γ), which all follow one law. More of them never help her, so each stretch of B counts at its
start. (Balle, Bell, Gascón and Nissim, CRYPTO 2019, bound what is exact here.)
"""

import itertools
import math
from collections.abc import Callable

from discretion.channels.channel import System
from discretion.estimate import Estimate
from discretion.measures.measure import Method
from discretion.numerics.laws.binomial import binomial_window
from discretion.shuffling.laws.groups import blanket_probability

BOUND = Method("certified bounds: from above by the privacy blanket, from below by what is surely seen", "bound")

_STRETCHES = 24
_BELOW, _ABOVE = 9, 2
_ROUNDING = 1e-12


def hidden_in_blanket(mechanism: System, n: int, leaked_among: Callable[[int], float], slack: float) -> float:
    """Return an upper bound of the mean of a leak that falls with the number of others in the blanket.

    Where a leak falls as one over the root of that number, the bound is about so much too high, relatively.
    """
    probability = blanket_probability(mechanism)
    if probability == 0 or n == 1:
        return leaked_among(0)
    first, law = binomial_window(n - 1, probability, 1 - probability)
    starts = _starts((n - 1) * probability, (n - 1) * probability * (1 - probability), first, law.size, slack)
    bound = leaked_among(0) * float(law[: starts[0]].sum())
    for start, end in itertools.pairwise([*starts, law.size]):
        bound += leaked_among(first + start) * float(law[start:end].sum())
    return min(leaked_among(0), bound + _ROUNDING * abs(bound))  # for what the window and the rounding leave out


def between(attained: float, bound: float) -> Estimate:
    """Return the certified interval from what some adversary surely gets, rounded down, to a bound."""
    return Estimate.between(min(attained - _ROUNDING * abs(attained), bound), bound, BOUND.name)


def _starts(mean: float, variance: float, first: int, size: int, slack: float) -> list[int]:
    """Return where stretches start: closely around the mean, and from nine standard deviations below it."""
    deviation = math.sqrt(variance)
    count = math.ceil(min(max((_BELOW + _ABOVE) * deviation / (2 * slack * max(mean, 1.0)), 3), _STRETCHES))
    cuts = [mean + deviation * (-_BELOW + (_BELOW + _ABOVE) * i / count) for i in range(count + 1)]
    return sorted({min(max(math.floor(cut) - first, 0), size - 1) for cut in cuts})
