"""The noise that each shuffler adds to every count, which no other party can remove.

To each count a shuffler adds a number from 0 to 2t that it draws by itself. The probability of t ± i falls by the same
factor with each step i (a discrete Laplace law, truncated to this range). The draw is exact: the weights are whole
numbers, and the randomness is the system's.
"""

import math
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from secrets import randbelow

from discretion.collection.errors import MalformedError

_MOST_FOR_A_COUNT = 1 << 10  # dummies
_PARTS = 10**4
_STEPS = 60  # of a search, each of which halves what is left


@dataclass(frozen=True)
class Noise:
    """The law of the number of dummies that each shuffler adds to every count.

    Parameters
    ----------
    decay
        The factor by which the probability falls for each step away from the mean, in ten-thousandths: 1 to 9,999.
    most
        The most dummies for a count, 2t, an even number; their mean is t.

    Raises
    ------
    MalformedError
        If a parameter is out of range.

    Examples
    --------
    >>> Noise(decay=5_000, most=4).probabilities
    (0.1, 0.2, 0.4, 0.2, 0.1)
    """

    decay: int
    most: int

    def __post_init__(self) -> None:
        for value, name, above in ((self.decay, "decay", _PARTS), (self.most, "most", _MOST_FOR_A_COUNT)):
            if type(value) is not int or not 0 < value < above:
                raise MalformedError(
                    f"the {name} of noise must be a whole number from 1 to {above - 1:,}, got {value!r:.60}"
                )
        if self.most % 2:
            raise MalformedError(f"the most dummies must be an even number, since their mean is half; got {self.most}")

    @property
    def mean(self) -> int:
        """The average number of dummies that a shuffler adds to a count."""
        return self.most // 2

    @cached_property
    def weights(self) -> Sequence[int]:
        """The probabilities of 0, 1, …, 2t dummies, times a common factor that makes them whole."""
        falling = [self.decay**step * _PARTS ** (self.mean - step) for step in range(self.mean + 1)]
        return falling[:0:-1] + falling

    @cached_property
    def probabilities(self) -> tuple[float, ...]:
        """The probabilities of 0, 1, …, 2t dummies."""
        total = sum(self.weights)
        return tuple(weight / total for weight in self.weights)

    @cached_property
    def _cumulative(self) -> Sequence[int]:
        return list(accumulate(self.weights))

    def draw(self) -> int:
        """Draw a number of dummies from the system's randomness."""
        return bisect(self._cumulative, randbelow(self._cumulative[-1]))

    def delta(self, epsilon: float, counts: int) -> float:
        """Return the least δ for an ε if a change of a person's answers changes this many counts by one each.

        The likelihood ratio of a count is infinite where the number of dummies is 0. Otherwise it is 1/decay for
        numbers of dummies up to the mean, and decay for those above it. The logarithms for several counts add up: see
        `_delta`.

        Examples
        --------
        >>> noise = Noise(decay=5_000, most=4)
        >>> round(noise.delta(0.0, counts=1), 9), round(noise.delta(0.7, counts=1), 9)
        (0.4, 0.1)
        """
        law = self.probabilities
        return _delta(law[0], math.fsum(law[1 : self.mean + 1]), self.decay / _PARTS, epsilon, counts)

    def epsilon(self, delta: float, counts: int) -> float:
        """Return the least ε for a δ, rounded upwards; infinite if there is none."""
        low, high = 0.0, counts * -math.log(self.decay / _PARTS)
        if self.delta(high, counts) > delta:
            return math.inf
        if self.delta(low, counts) <= delta:
            return 0.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle, counts) <= delta else (middle, high)
        return high

    def guess(self, counts: int) -> float:
        """Return the largest probability of a correct guess between two answers, knowing all else: (1 + δ(0))/2."""
        return (1 + self.delta(0.0, counts)) / 2


def may_add(noise: Noise | None, added: Sequence[int], cells: Sequence[Sequence[int]]) -> bool:
    """Return whether a shuffler may have added these numbers of dummies to groups with these numbers of codes."""
    if noise is None:
        return not added
    return len(added) == len(cells) and all(
        count <= noise.most * math.prod(each) for count, each in zip(added, cells, strict=True)
    )


def noise_for(epsilon: float, delta: float, counts: int) -> Noise:
    """Return noise with (ε, δ) if this many counts change: the steepest decay, and with it the fewest dummies.

    Raises
    ------
    MalformedError
        If ε or δ is out of range, or needs more dummies for a count than allowed.
    """
    for value, name, below in ((epsilon, "epsilon", math.inf), (delta, "delta", 1.0)):
        if type(value) not in (int, float) or not 0 < value < below:
            raise MalformedError(
                f"the {name} of noise must be a number above 0{'' if below == math.inf else ' and below 1'}, got "
                f"{value!r:.60}"
            )
    # With very many dummies δ depends on the decay alone; half of the allowed δ is left for the number of dummies.
    decay = _least(_PARTS - 1, lambda d: _delta(0.0, 1 / (1 + d / _PARTS), d / _PARTS, epsilon, counts) <= delta / 2)
    mean = _least((_MOST_FOR_A_COUNT - 1) // 2, lambda mean: Noise(decay, 2 * mean).delta(epsilon, counts) <= delta)
    noise = Noise(decay, 2 * mean)
    if noise.delta(epsilon, counts) > delta:
        raise MalformedError(
            f"noise with ε = {epsilon:g} and δ = {delta:g} for all questions needs {_MOST_FOR_A_COUNT:,} or more "
            "dummies for each count; allow a larger ε or δ, or ask fewer questions"
        )
    return noise


def _delta(none: float, up: float, decay: float, epsilon: float, counts: int) -> float:
    """Return ``1 - (1 - p₀)^m + Σₖ C(m, k) uᵏ (u·decay)^(m - k) (1 - exp(ε - (2k - m) log(1/decay)))₊``."""
    delta, step = -math.expm1(counts * math.log1p(-none)), -math.log(decay)
    for more in range(counts + 1):
        loss = (2 * more - counts) * step
        if loss > epsilon:
            logarithm = counts * math.log(up) - (counts - more) * step
            delta += math.comb(counts, more) * math.exp(logarithm) * -math.expm1(epsilon - loss)
    return min(1.0, delta)


def _least(most: int, holds: Callable[[int], bool]) -> int:
    """Return the least number from 1 on for which a monotone condition holds, or ``most`` if it holds for none."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return high
