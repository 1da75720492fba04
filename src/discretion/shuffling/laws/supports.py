"""Two values of the target in a crowd whose reports each support some of the values: one pair represents all.

A law u, which does not depend on a value, becomes likelier by the sender's value where a report supports that value,
and
less likely elsewhere. To test a against b among others with known values is to look for the event F of the largest
``D(F) = P(F | a) - r P(F | b)``, r = e^ε. Write L for the law of the others' histogram, * for convolution and
``c = Q_a - r Q_b = (1-r) u + c°``, and split c° among the others, ``c° = Σ_i g_i``, each g_i of sum 0. Then

    D = c * L = (1-r) u * L + Σ_i g_i * Q_i * L_{-i} = E[(1-r) + S; ·] + R,    S = Σ_i g_i(Z_i) / Q_i(Z_i)
    R = Σ_i g_i * (Q_i - u) * L_{-i}

The mean is over the others' reports Z_i and one more from u, so that it is at most that of the positive part of a sum
of independent steps. R is smaller by the root of n: others in the blanket report from u, and half of them hide g_i as
well as the other half hides ``Q_i - u``. It is a mean of a product of two sums, which is at most η and what is beyond.
(Discretion.)
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from discretion.mechanisms.reporting import Overlaps, SupportSizes
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import deviance
from discretion.numerics.means.smoothed_excess import SmoothedSum, Steps, largest_excess, spread

# The exponent of what is neglected of the law of how many others are in the blanket.
_NEGLECTED = 40.0
_LEVELS = np.append(np.arange(0, 8, 0.25), np.arange(8, 16, 1.0))
_SLOPES = np.geomspace(0.05, 200, 80)
_SHIFTS = np.append(0.0, np.geomspace(0.3, 60, 30))
# Fewer others in the blanket hide nothing that is worth a sum.
_FEWEST = 2
# Atoms of the steps of a sum.
_POINTS = 48


class Hidden(NamedTuple):
    """A part g of the difference between a and b for some of the others, relative to u; and their reports."""

    weight: float
    part: Steps
    own: Steps


def blanket_types(overlaps: Overlaps) -> Reals:
    """Return the laws of the types of report that distinguish two values: for a, for b, and in the blanket."""
    one, two, _, every, likely, unlikely = overlaps
    masses = np.array([one - two, one - two, 1 - 2 * one + two, max(0.0, two - every), every])
    a = masses * np.array([likely, unlikely, unlikely, likely, likely])
    b = masses * np.array([unlikely, likely, unlikely, likely, likely])
    blanket = masses * np.array([unlikely] * 4 + [likely])
    types = np.stack([a, b, blanket / blanket.sum() if blanket.any() else blanket])
    return types[:, types.sum(axis=0) > 0]


def uniform_others_types(overlaps: Overlaps) -> list[Reals]:
    """Return the laws of the types of report for a, for b, and for others who all hold one value: a, b, or a third."""
    f, pattern = overlaps.factors, overlaps.pattern
    a, b = f[:, None] * pattern, f[None, :] * pattern
    two = [np.stack([law.ravel() for law in (a, b, other)]) for other in (a, b)]
    return two + [_among_third(overlaps, three) for three in overlaps.three]


def _among_third(overlaps: Overlaps, three: float) -> Reals:
    masses, f = _triples(overlaps, three), overlaps.factors
    laws = (f[:, None, None] * masses, f[None, :, None] * masses, f[None, None, :] * masses)
    types = np.stack([law.ravel() for law in laws])
    return types[:, types.sum(axis=0) > 0]


def _triples(overlaps: Overlaps, three: float) -> Reals:
    """Return the probabilities that a report supports each subset of three values."""
    one, two = overlaps.one, overlaps.two
    exactly = [1 - 3 * one + 3 * two - three, one - 2 * two + three, two - three, three]
    return np.array([[[max(0.0, exactly[x + y + z]) for z in (0, 1)] for y in (0, 1)] for x in (0, 1)])


def worst_excess_bound(overlaps: Overlaps, users: int, ratio: float) -> float:
    """Return an upper bound of the excess ``max_F D(F)``, for any values of ``users`` other users.

    All others have the same part, ``c°/users``. The excess of S over the others' reports is then largest if they all
    hold one value, and it does not depend on the pair a and b.
    """
    f, pattern = overlaps.factors, overlaps.pattern
    if not _is_hidden(overlaps, users, ratio):
        return math.inf
    part = f[:, None] - ratio * f[None, :] - (1 - ratio)
    laws = [_steps(users, part / own / users, pattern * own) for own in (f[:, None], f[None, :])]
    for three in overlaps.three:
        laws.append(_steps(users, part[:, :, None] / f / users, _triples(overlaps, three) * f))
    hidden = Hidden(1.0, _steps(1, part, pattern), _own_steps(overlaps))
    return _least_bound(overlaps, users, [hidden], lambda shift: largest_excess(1 - ratio + shift, users, laws))


def attained_excess(types: Reals, counts: Sequence[int], ratio: float) -> float:
    """Return a lower bound of the excess between the first two laws, among other users in groups with the further laws.

    It is the excess of a test that adds up the evidence of the reports that are likelier, or less likely, from a than
    from b.
    """
    sides = np.sign(types[0] - types[1])
    laws = np.stack([types[:, sides == side].sum(axis=1) for side in (1, -1, 0)], axis=1)
    others, place = np.unique(laws[2:].round(14), axis=0, return_inverse=True)
    crowd = np.bincount(place.ravel(), np.array(counts, dtype=np.float64))
    gains = laws[0] - ratio * laws[1]
    covariance = (crowd[:, None, None] * (others[:, :, None] * (np.eye(3) - others[:, None, :]))).sum(axis=0)
    told = gains - (1 - ratio) * (crowd @ others) / crowd.sum()
    score: Reals = np.asarray(np.linalg.lstsq(covariance, told, rcond=1e-9)[0], dtype=np.float64)
    steps = [Steps(int(count), score, law / law.sum()) for count, law in zip(crowd, others, strict=True)]
    centre = sum(each.times * float(each.values @ each.probabilities) for each in steps)
    own = score - float(score @ laws[:2].mean(axis=0))
    return max(0.0, 1 - ratio, SmoothedSum(1 - ratio - centre, steps).advantage(own, gains))


def _is_hidden(overlaps: Overlaps, users: int, ratio: float) -> bool:
    """Whether there is an excess to bound: at larger ratios not even a single report distinguishes two values."""
    return users > 1 and overlaps.unlikely > 0 and ratio * overlaps.unlikely < overlaps.likely


def _steps(count: int, values: Reals, probabilities: Reals) -> Steps:
    values, probabilities = (array.ravel() for array in np.broadcast_arrays(values, probabilities))
    return Steps(count, values[probabilities > 0], probabilities[probabilities > 0])


def _own_steps(overlaps: Overlaps) -> Steps:
    """Return the law of ``Q_i/u - 1``."""
    return _steps(1, overlaps.factors - 1, np.array([1 - overlaps.one, overlaps.one]))


def _least_bound(
    overlaps: Overlaps, users: int, hidden: Sequence[Hidden], excess: Callable[[float], tuple[float, float]]
) -> float:
    """Return the least over η of the excess, increased by η over the blanket's share, plus the part of R beyond η."""
    first, growth = excess(0.0)
    in_blanket = _surely_in_blanket(users - 1, overlaps.unlikely)
    if in_blanket < _FEWEST or not math.isfinite(first):
        return math.inf
    few, many = in_blanket // 2 + 1, in_blanket - in_blanket // 2 + 1
    etas = _SHIFTS * max(_deviation(each.part, few) * _deviation(each.own, many) for each in hidden)
    beyond = np.full(
        etas.size, math.exp(-_NEGLECTED) * max(_largest(each.part) * _largest(each.own) for each in hidden)
    )
    for each in hidden:
        beyond += each.weight * _product_excess(each.part, few, each.own, many, etas)
    if first <= 0:
        return float(first + beyond[0])
    # About how fast the logarithm of the excess grows chooses one more η, for which it is computed.
    shifts = etas / overlaps.unlikely
    chosen = int(np.argmin(np.minimum(growth * shifts, 600.0) + np.log1p(beyond / first * np.exp(-growth * shifts))))
    if not chosen:
        return float(first + beyond[0])
    return float(min(first + beyond[0], excess(float(shifts[chosen]))[0] + beyond[chosen]))


def _surely_in_blanket(users: int, share: float) -> int:
    """Return how many users report from the blanket, at least, except with probability e^-40 (Chernoff's bound)."""
    if share >= 1:
        return users
    low, high = 0.0, share
    for _ in range(60):
        middle = (low + high) / 2
        divergence = float(deviance(middle, share) + deviance(1 - middle, 1 - share))
        low, high = (low, middle) if users * divergence < _NEGLECTED else (middle, high)
    return math.floor(low * users)


def _deviation(steps: Steps, count: int) -> float:
    mean = float(steps.probabilities @ steps.values)
    return math.sqrt(float(steps.probabilities @ (steps.values - mean) ** 2) / count)


def _largest(steps: Steps) -> float:
    return float(np.abs(steps.values).max())


def _product_excess(first: Steps, users: int, second: Steps, others: int, etas: Reals) -> Reals:
    """Return upper bounds of ``E[(XY - η)₊]`` for means X and Y of ``users`` and ``others`` steps, with mean 0.

    For each interval of Y between two levels, X is beyond η over the upper level.
    """
    if not _deviation(first, users) or not _deviation(second, others):
        return np.zeros(etas.size)
    turned = first._replace(values=-first.values), second._replace(values=-second.values)
    return _positive_product(first, users, second, others, etas) + _positive_product(
        turned[0], users, turned[1], others, etas
    )


def _positive_product(first: Steps, users: int, second: Steps, others: int, etas: Reals) -> Reals:
    own, other = _deviation(first, users), _deviation(second, others)
    most = float(second.values.max())
    below = other * _LEVELS
    levels = np.append(below[below < most], most)
    # Chernoff's bounds, the slopes along the first axis: of P(Y >= level), and of E[(X - cut)₊].
    slopes = _SLOPES / other
    logs = others * second.log_mgf(slopes / others)
    tails = np.exp(np.minimum((logs[:, None] - np.multiply.outer(slopes, levels)).min(axis=0), 0.0))
    slopes = _SLOPES / own
    logs = users * first.log_mgf(slopes / users) - np.log(slopes) - 1
    cuts = np.divide.outer(etas, levels[1:])
    excesses = np.exp(np.minimum((logs[:, None, None] - np.multiply.outer(slopes, cuts)).min(axis=0), 600.0))
    gained = levels[1:] * np.minimum(excesses, own / 2)
    return np.maximum(np.diff(gained, axis=1, prepend=0.0), 0.0) @ tails[:-1]


@dataclass(frozen=True, eq=False)
class PairAmongHolders:
    """Two values a and b of the target in a symmetric mechanism, and the numbers of others known to hold each value.

    ``holders_a`` and ``holders_b`` hold a and b, ``others`` hold any other value. An upper bound uses only some of
    them: ``kept`` has the numbers of users who hold a, who hold b, and who hold each further value.
    """

    overlaps: Overlaps
    sizes: SupportSizes
    k: int
    holders_a: int
    holders_b: int
    others: int
    kept: tuple[int, int, int]

    def excess(self, ratio: float) -> tuple[float, float]:
        """Return a lower and an upper bound of ``max_F D(F)``."""
        if not _is_hidden(self.overlaps, self.holders_a + self.holders_b + self.others, ratio):
            return 0.0, math.inf
        return self._lower_bound(ratio), self._upper_bound(ratio)

    @cached_property
    def _kinds(self) -> tuple[Integers, Integers, Integers, Reals]:
        """Whether reports support a, and b; the number of other supported values; and the probability under u."""
        k = self.k
        _, _, _, every, likely, unlikely = self.overlaps
        # Reports that support all values, and those of one size with them that support none: both tell nothing.
        full = self.sizes.sizes == k
        none = max(0.0, float(self.sizes.probabilities[full].sum()) - every * likely)
        sizes = np.append(self.sizes.sizes[~full], [k, 0])
        seen = np.append(self.sizes.probabilities[~full], [every * likely, none])
        law = seen / (unlikely + (likely - unlikely) * sizes / k)
        left = k - sizes
        shares = [[left * (left - 1), left * sizes], [left * sizes, sizes * (sizes - 1)]]
        table = [
            (np.full(sizes.size, x), np.full(sizes.size, y), sizes - x - y, law * shares[x][y] / (k * (k - 1)))
            for x in (0, 1)
            for y in (0, 1)
        ]
        x, y, rest, masses = (np.concatenate(column) for column in zip(*table, strict=True))
        possible = masses > 0
        return x[possible], y[possible], rest[possible], masses[possible]

    @cached_property
    def _factors(self) -> Reals:
        """The probability of a report of each kind from a, from b, and from other values on average, relative to u."""
        x, y, rest, _ = self._kinds
        f = self.overlaps.factors
        others = f[0] + (f[1] - f[0]) * rest / max(1, self.k - 2)
        return np.stack([f[x], f[y], others])

    @property
    def _masses(self) -> Reals:
        return self._kinds[3]

    def _score(self, ratio: float, numbers: tuple[int, int, int]) -> tuple[Reals, Reals]:
        """Return the evidence of a report of each kind for a, and its mean over the reports of a, b and other values.

        It is ψ with ``Σ_i Q_i (ψ - E_i ψ) = c°``, for the given numbers of users who hold a, b, and further values
        evenly.
        """
        counts = np.array(numbers, dtype=np.float64)
        factors, masses = self._factors, self._masses
        part = self._part(ratio)
        crowd = counts @ factors
        # ψ crowd = c° + Σ_g n_g e_g Q_g with e_g = E_g ψ, which a constant may be added to.
        weights = masses / crowd
        matrix = np.eye(3) - (factors * weights) @ factors.T * counts
        means = np.linalg.lstsq(matrix, (factors * weights) @ part, rcond=1e-9)[0]
        score = (part + (counts * means) @ factors) / crowd
        return score, (factors * masses) @ score

    def _part(self, ratio: float) -> Reals:
        return self._factors[0] - ratio * self._factors[1] - (1 - ratio)

    def _lower_bound(self, ratio: float) -> float:
        numbers = self.holders_a, self.holders_b, self.others
        score, _ = self._score(ratio, numbers)
        # Rounded to few numbers: any score makes a test.
        low, high = float(score.min()), float(score.max())
        if low == high:
            return 0.0
        step = (high - low) / _POINTS
        cell = np.rint((score - low) / step)
        own = low + step * cell - float(self._masses @ (low + step * cell))
        steps, shift = list[Steps](), 1 - ratio
        for count, factor in zip(numbers, self._factors, strict=True):
            if count:
                values, place = np.unique(own, return_inverse=True)
                law = np.bincount(place, factor * self._masses)
                steps.append(Steps(count, values, law / law.sum()))
                shift -= count * float(values @ law) / float(law.sum())
        gains = self._masses * (self._factors[0] - ratio * self._factors[1])
        values, place = np.unique(own, return_inverse=True)
        return max(
            0.0, 1 - ratio, SmoothedSum(shift, steps).advantage(values, np.bincount(place, gains).astype(np.float64))
        )

    def _upper_bound(self, ratio: float) -> float:
        k, overlaps, masses = self.k, self.overlaps, self._masses
        counts = self.kept[0], self.kept[1], (k - 2) * self.kept[2]
        users = sum(counts)
        if not _is_hidden(overlaps, users, ratio):
            return math.inf
        score, means = self._score(ratio, counts)
        x, y, rest, _ = self._kinds
        # How likely a report of each kind supports the sender's value.
        supported = (x, y, rest / max(1, k - 2))
        sums, hidden, left = list[Steps](), list[Hidden](), self._part(ratio)
        for count, mean, factor, share in zip(counts, means.tolist(), self._factors, supported, strict=True):
            if count:
                sums.append(spread(_steps(count, score - mean, masses * factor), _POINTS))
                parts = users * np.multiply.outer(overlaps.factors, score - mean)
                part = spread(_steps(1, parts, masses * np.stack([1 - share, share])), _POINTS)
                hidden.append(Hidden(count / users, part, _own_steps(overlaps)))
                left = left - count * factor * (score - mean)
        missed = float(masses @ np.abs(left))

        def excess(shift: float) -> tuple[float, float]:
            total = SmoothedSum(1 - ratio + shift, sums)
            return total.excess()[1], 0.0 if total.is_certain else total.slope

        return _least_bound(overlaps, users, hidden, excess) + missed
