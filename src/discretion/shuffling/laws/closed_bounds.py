"""Closed bounds of a crowd's leakage, at any size: by moments if all others report from one law, and by counting.

**Others of one law q.** Draw all n reports from q. The likelihood of the target's value x is then
``P(h | x) / P(h) = 1 + Z_x``, where Z_x is the mean of n independent steps ``Q[x, y] / q_y - 1`` of mean 0. With
their moments ``m_j = E[step^j]``,

    E Z² = m₂/n,   E Z³ = m₃/n²,   E Z⁴ = (m₄ + 3(n-1) m₂²)/n³.

- **Information.** ``D(P_x ‖ P) = E f(Z_x)`` with ``f(z) = (1+z) log(1+z) - z``, and for z >= -1

      z²/2 - z³/6 <= f(z) <= z²/2 - z³/6 + z⁴/3,

  since ``f'''' = 2/(1+z)³`` lies between 0 and 2 for z > 0, which leaves z⁴/12, and for z < 0 the series
  ``Σ |z|^j/(j(j-1))`` has positive terms, of which those from the fourth on sum to z⁴/3 at most. By Jensen's inequality
  ``E f(Z_x) <= log(1 + m₂/n)`` too, and it falls with n. The mutual information is ``Σ π_x D(P_x ‖ P) - D(P_π ‖ P)``.
- **Guess.** The best guess gains ``E max_w A_w`` with ``A_w = Σ_x π_x g(w, x) (1 + Z_x)``, a mean of n steps as well,
  and ``E max_w A_w <= log(Σ_w E e^{t A_w}) / t`` for every t > 0 (Jensen; Boucheron, Lugosi and Massart, Concentration
  inequalities, 2013, section 2.5). By Pinsker's inequality it is also at most the blind guess and ``√(I/2)`` of the
  gain's width, I being the mutual information. If the best guess is one of the values, ``max_w A_w`` is also at most
  ``c + Σ_w (A_w - c)₊`` for every c, and each of these means is an integral that is known to many digits.

**An adversary that only adds up numbers** assigned to single reports attains at least this:

- **Information.** For any statistic ``T = Σ θ(y)`` over the reports, ``D(P_x ‖ P_π) >= E_x T - log E_π e^T`` (Donsker
  and Varadhan, 1975), where P_π has the target's value drawn from the prior. Users report independently, so that both
  terms are sums over them. With θ the difference of the laws over the covariance of all reports this equals the normal
  limit, so that nothing is lost in a large crowd.
- **Guess.** Each report of a pure protocol supports some of the values; S_x of the others' reports support the value x.
  The adversary guesses among the values A whose counts reach thresholds m_x, each with equal probability, and any value
  if there are none. It guesses the value of a target, uniform among k values, correctly with probability v, where

      k v - 1 = Σ_x (E_x - mean_j E_j) 1{x ∈ A}/|A|,

  E_x being the mean if the target holds x. Exchanging two values x and j turns a report's law given x into that given
  j, so that only reports which support one of both matter, and ``E_x - E_j`` is at least
  ``(p - q) E[1{S_x = m_x - 1} / (1 + |A without x|)]``, p being how likely a report supports its own value and q
  another one. By Jensen's inequality that mean is at least ``P(S_x = m_x - 1)`` over ``1 + Σ_{j≠x} P(S_j >= m_j - 1)``,
  these given ``S_x = m_x - 1``. Where more reports support x fewer support j, since a report that supports x supports
  j no more often than one that does not; so the condition raises a probability by ``1 / P(S_x < m_x)`` at most.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.poisson_multinomial import histogram_box
from discretion.numerics.means.mean_excess import mean_excess
from discretion.shuffling.laws.blanket import ROUGH
from discretion.shuffling.laws.groups import Group, OtherUsers, alike_values, holders, is_symmetric, report_types

# Steps that agree in so many bits count as one; how far rounding moves a step, and a bound relatively.
_BITS, _STEP_ROUNDING, _ROUNDING = 48, 1e-14, 1e-11
# The largest matrix of steps of guesses, for other gains than the identity.
_MAX_STEPS = 1 << 20
# Which t to try, in units of the best one for normal means.
_TRIED = np.exp(np.linspace(-3.0, 5.0, 17))
# Kinds of guesses whose excess over a c is looked for, how often c is moved, and by what share.
_MAX_KINDS_OF_GUESSES, _SECTIONS, _GOLDEN = 8, 8, (math.sqrt(5) - 1) / 2
# Steps of less probability are counted as if they came apart from all others.
_RARE = 1e-30
# Where the distribution of many kinds of steps is kept: closely everywhere, and in its tails.
_KNOTS = 1 / (1 + np.exp(-np.linspace(-30.0, 30.0, 61)))

# The largest matrix of types of report, and so many types at most whose covariance is inverted.
_MAX_ENTRIES, _MAX_INVERTED = 1 << 22, 256
# So many values at most whose reports are of few types, if all are alike; beyond, a report stands for its support.
_MAX_FEW = 10
# Kinds of values, by who holds them, whose counts have a law each; how many values to expect in A.
_MAX_KINDS, _EXPECTED = 32, (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
# What rounding may change, relatively, and in a probability.
_ROUNDED_BOUND, _ROUNDED_PROBABILITY = 1e-9, 1e-13
# Beyond, exponentials overflow; and where series replace what cancels.
_MAX_EXPONENT, _SERIES_BELOW = 100.0, 1e-3


class ClosedBounds(Protocol):
    """Bounds of a leak among other users with one law, by the number of all reports."""

    def upper_bound(self, n: int) -> float:
        """Return an upper bound among n reports."""
        ...

    def lower_bound(self, n: int) -> float:
        """Return a lower bound among n reports."""
        ...


@dataclass(frozen=True, eq=False)
class Steps:
    """The ratios ``Q[x, y] / q_y`` that a report adds up for some equivalent values x, and their law."""

    values: Integers
    ratios: Reals
    law: Reals

    def divergence_above(self, n: int) -> float:
        """Return an upper bound of ``D(P_x ‖ P)`` among n reports."""
        second, third, fourth = self._moments
        second = (math.sqrt(second) + _STEP_ROUNDING) ** 2
        series = second / (2 * n) - third / (6 * n**2) + (fourth + 3 * (n - 1) * second**2) / (3 * n**3)
        return min(math.log1p(second / n), series, self._alone) * (1 + _ROUNDING)

    def divergence_below(self, n: int) -> float:
        """Return a lower bound of ``D(P_x ‖ P)`` among n reports."""
        second, third, _ = self._moments
        second = max(0.0, math.sqrt(second) - _STEP_ROUNDING) ** 2
        return max(0.0, second / (2 * n) - third / (6 * n**2)) * (1 - _ROUNDING)

    @cached_property
    def _moments(self) -> tuple[float, float, float]:
        step = self.ratios - 1
        second, third, fourth = (float(self.law @ step**power) for power in (2, 3, 4))
        return second, third, fourth

    @cached_property
    def _alone(self) -> float:
        return float(self.law @ relative_excess(self.ratios - 1)) + _STEP_ROUNDING


@dataclass(frozen=True, eq=False)
class OneLaw:
    """Reports of a mechanism in a crowd in which each other user's report follows the law of one sender."""

    mechanism: System
    sender: Group

    @cached_property
    def steps(self) -> list[Steps] | None:
        """The steps of all values; None if only the target can send some report, or if they are too many."""
        try:
            if not is_symmetric(self.mechanism):
                return _kinds_of_steps(self.types(range(self.mechanism.secrets)))
            kinds = [np.array(same) for same in alike_values(self.mechanism, (replace(self.sender, count=1),))]
            if len(kinds) * self.mechanism.secrets > _MAX_STEPS:
                return None
            steps_of_kinds = [_steps(values, *self.types((int(values[0]),))) for values in kinds]
        except TooLargeError:
            return None
        possible = [steps for steps in steps_of_kinds if steps is not None]
        return possible if len(possible) == len(steps_of_kinds) else None

    def types(self, values: Sequence[int]) -> Reals:
        """Return the laws of the types of report of these values, and of the sender in the last row."""
        return report_types(self.mechanism, (self.sender,), values)

    def drawn(self, prior: Reals) -> Steps | None:
        """Return the steps of a target whose value is drawn from the prior, or None if they cannot be computed."""
        try:
            if self.sender.value is not None or self.sender.blanket:
                uniform = bool(np.all(prior == prior[0]))
                target = Group(1, population=None if uniform else prior)
                types = report_types(self.mechanism, (target, self.sender), ())
            elif np.array_equal(self.sender.law(prior.size), prior):
                types = np.ones((2, 1))
            elif prior.size**2 > _MAX_STEPS:
                return None
            else:  # types of report are for one population at a time
                *rows, law = self.types(range(prior.size))
                types = np.stack([prior @ np.array(rows), law])
        except TooLargeError:
            return None
        return _steps(np.zeros(0, dtype=np.int64), *types)


@dataclass(frozen=True, eq=False)
class InformationAmong:
    """The mutual information between the target's value, drawn from a prior, and all reports."""

    law: OneLaw
    prior: Reals

    def upper_bound(self, n: int) -> float:
        """Return an upper bound of ``Σ π_x D(P_x ‖ P) - D(P_π ‖ P)``."""
        if self.law.steps is None:
            return math.inf
        each = math.fsum(w * s.divergence_above(n) for w, s in zip(self._weights, self.law.steps, strict=True))
        return each if self._drawn is None else max(0.0, each - self._drawn.divergence_below(n))

    def lower_bound(self, n: int) -> float:
        """Return a lower bound of the same."""
        if self.law.steps is None or self._drawn is None:
            return 0.0
        each = math.fsum(w * s.divergence_below(n) for w, s in zip(self._weights, self.law.steps, strict=True))
        return max(0.0, each - self._drawn.divergence_above(n))

    @cached_property
    def _weights(self) -> list[float]:
        return [float(self.prior[steps.values].sum()) for steps in self.law.steps or ()]

    @cached_property
    def _drawn(self) -> Steps | None:
        return self.law.drawn(self.prior)


@dataclass(frozen=True, eq=False)
class CapacityAmong:
    """Bounds of the Shannon capacity from the target's value to all reports, which is at most ``max_x D(P_x ‖ P)``."""

    law: OneLaw

    def upper_bound(self, n: int) -> float:
        """Return the largest divergence."""
        return math.inf if self.law.steps is None else max(steps.divergence_above(n) for steps in self.law.steps)

    def lower_bound(self, n: int) -> float:
        """Return the mutual information of a uniform value."""
        return self._uniform.lower_bound(n)

    @cached_property
    def _uniform(self) -> InformationAmong:
        return InformationAmong(self.law, prior_vector(None, self.law.mechanism.secrets))


@dataclass(frozen=True, eq=False)
class GainAmong:
    """Bounds of the gain of the best guess, for a target whose value is drawn from a prior."""

    law: OneLaw
    prior: Reals
    gain: Gain

    def upper_bound(self, n: int) -> float:
        """Return the smallest of the upper bounds."""
        information = self._information.upper_bound(n)
        by_information = self._blind + self.gain.width * math.sqrt(information / 2) if information < 1 else math.inf
        if self._means is None:
            return by_information
        bound = min(self._bound(t, n) for t in (_usual(self._means, n) * _TRIED).tolist())
        bound = min(by_information, bound + _ROUNDING * abs(bound))
        kinds = sum(len(means.steps) for means in self._means)
        if kinds > _MAX_KINDS_OF_GUESSES or not isinstance(self.gain, IdentityGain):
            return bound
        return min(bound, _least_of_convex(lambda c: self._bound_beyond(c, n), self._blind, bound))

    def lower_bound(self, n: int) -> float:
        """Return the gain of a guess without any report."""
        return self._blind

    @cached_property
    def _blind(self) -> float:
        return float(self.gain.best(self.prior[:, None])[0])

    @cached_property
    def _information(self) -> InformationAmong:
        return InformationAmong(self.law, self.prior)

    @cached_property
    def _means(self) -> "list[_Means] | None":
        """The means for the gains of guesses, or None if they are too many."""
        if self.law.steps is None:
            return None
        if isinstance(self.gain, IdentityGain):
            parts = [(steps, *np.unique(self.prior[steps.values], return_counts=True)) for steps in self.law.steps]
            return [
                _Means(np.outer(shares, steps.ratios), sizes.astype(float), steps.law) for steps, shares, sizes in parts
            ]
        if self.prior.size**2 > _MAX_STEPS:
            return None
        try:
            types, guesses = self.law.types(range(self.law.mechanism.secrets)), self.gain.guesses()
        except TooLargeError:
            return None
        if len(guesses) * types.shape[1] > _MAX_STEPS:
            return None
        possible = types[-1] > 0
        worth = (guesses * self.prior) @ types[:-1, possible] / types[-1, possible]
        return [_Means(worth, np.ones(len(worth)), types[-1, possible])]

    def _bound(self, t: float, n: int) -> float:
        logs = np.concatenate([means.log_moments(t, n) for means in self._means or ()])
        top = float(logs.max())
        return (top + math.log(float(np.exp(logs - top).sum()))) / t

    def _bound_beyond(self, c: float, n: int) -> float:
        return c + math.fsum(means.mean_excess(c, n) for means in self._means or ())


@dataclass(frozen=True, eq=False)
class _Means:
    """Means of n steps: a row of steps per kind of mean, the number of means of each kind, and the law of the steps."""

    steps: Reals
    sizes: Reals
    law: Reals

    def log_moments(self, t: float, n: int) -> Reals:
        """Return ``log(size · E e^{tA})``."""
        exponents = t / n * self.steps
        top = exponents.max(axis=1, keepdims=True)
        shift = np.where(np.abs(exponents).max() < 1, 0.0, top)  # small exponents keep their digits as they are
        moved = np.expm1(exponents - shift) @ self.law
        return n * (shift[:, 0] + np.log1p(np.maximum(moved, -1 + 1e-16))) + np.log(self.sizes)

    def mean_excess(self, c: float, n: int) -> float:
        """Return an upper bound of ``Σ size · E(A - c)₊``."""
        excesses = [mean_excess(n, steps - c, law, ROUGH) for steps, law in self._few_steps]
        return float(self.sizes @ ([excess.value + excess.error for excess in excesses] + self._rare))

    @cached_property
    def _few_steps(self) -> list[tuple[Reals, Reals]]:
        likely = self.law > _RARE
        return [_fewer_steps(steps[likely], self.law[likely]) for steps in self.steps]

    @cached_property
    def _rare(self) -> Reals:
        """The sum over steps that are too rare to sum over one by one; no step is negative."""
        rare = self.law <= _RARE
        return self.steps[:, rare] @ self.law[rare]


def _fewer_steps(steps: Reals, law: Reals) -> tuple[Reals, Reals]:
    """Return a limited number of kinds of steps, whose sums have the same mean and are spread further."""
    if steps.size <= _KNOTS.size:
        return steps, law
    order = np.argsort(steps)
    steps, law = steps[order], law[order]
    places = np.unique(np.append(np.searchsorted(np.cumsum(law) / law.sum(), _KNOTS), [0, steps.size - 1]))
    knots = np.unique(steps[np.minimum(places, steps.size - 1)])
    # What is between two knots is divided between them so that its mean stays: a function that is convex rises.
    left = np.clip(np.searchsorted(knots, steps, side="right") - 1, 0, knots.size - 2)
    share = (steps - knots[left]) / (knots[left + 1] - knots[left])
    masses: Reals = np.zeros(knots.size)
    np.add.at(masses, left, (1 - share) * law)
    np.add.at(masses, left + 1, share * law)
    return knots, masses


def _least_of_convex(function: Callable[[float], float], low: float, high: float) -> float:
    """Return approximately the least value of a convex function, by golden sections."""
    first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_first, at_second = function(first), function(second)
    least = min(at_first, at_second)
    for _ in range(_SECTIONS):
        if at_first < at_second:
            high, second, at_second = second, first, at_first
            first = high - _GOLDEN * (high - low)
            at_first = function(first)
        else:
            low, first, at_first = first, second, at_second
            second = low + _GOLDEN * (high - low)
            at_second = function(second)
        least = min(least, at_first, at_second)
    return least


def _usual(means: list[_Means], n: int) -> float:
    """Return the best t for normal means: ``√(2 n log(guesses)) / σ``."""
    deviation = max(float(np.sqrt(((m.steps - (m.steps @ m.law)[:, None]) ** 2) @ m.law).max()) for m in means)
    guesses = max(2.0, sum(float(part.sizes.sum()) for part in means))
    return math.sqrt(2 * n * math.log(guesses)) / max(deviation, 1e-150)


def _is_possible(rows: Reals, law: Reals) -> bool:
    """Whether the others can send every report of the target, with a probability that doubles can divide by."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        fourth = np.where(rows > 0, rows * (rows / law) ** 3, 0.0)
    return bool(np.isfinite(fourth).all())


def _steps(values: Integers, row: Reals, law: Reals) -> Steps | None:
    """Return the steps of one value, equal steps as one kind, or None if they are unbounded."""
    if not _is_possible(row, law):
        return None
    possible = law > 0
    _, kind = np.unique(_rounded(row[possible] / law[possible]), return_inverse=True)
    mass: Reals = np.bincount(kind, weights=law[possible]).astype(float)
    return Steps(values, np.bincount(kind, weights=row[possible]) / mass, mass)


def _kinds_of_steps(types: Reals) -> list[Steps] | None:
    """Return the steps of each row except the last, which is the others' law; equal rows share their steps."""
    kinds: dict[bytes, tuple[Steps, list[int]]] = {}
    for value, row in enumerate(types[:-1]):
        steps = _steps(np.array([value]), row, types[-1])
        if steps is None:
            return None
        key = _rounded(np.stack([steps.ratios, steps.law])).tobytes()
        kinds.setdefault(key, (steps, []))[1].append(value)
    return [Steps(np.array(values), steps.ratios, steps.law) for steps, values in kinds.values()]


def _rounded(numbers: Reals) -> Reals:
    """Return numbers rounded to some bits, so that numbers that differ only by rounding are equal."""
    _, exponents = np.frexp(numbers)
    return np.ldexp(np.round(np.ldexp(numbers, _BITS - exponents)), exponents - _BITS)


def information_below(mechanism: System, groups: OtherUsers, prior: Reals) -> float:
    """Return a lower bound of the mutual information between the target's value and all reports."""
    types = all_types(mechanism)
    if types is not None:
        counts = np.array([float(group.count) for group in groups])
        divergences = _divergences(types, [_law_of_group(group, types) for group in groups], counts, prior)
    elif is_symmetric(mechanism):
        divergences = _divergences_of_support(mechanism, groups, prior)
    else:
        return 0.0
    return float(prior @ np.maximum(divergences, 0.0)) * (1 - _ROUNDED_BOUND)


def guess_below(mechanism: System, groups: OtherUsers) -> float:
    """Return a lower bound of the probability of a correct guess of a uniform value, for symmetric pure protocols."""
    report = reporting(mechanism)
    k = mechanism.secrets
    if not report.is_symmetric or report.pure_epsilon is None or not any(group.count for group in groups):
        return 1 / k
    own, other = _support(mechanism)
    counts = _laws_of_support(mechanism, groups)
    if not counts or own <= other:
        return 1 / k
    risen = max(_risen(k, own - other, counts, expected) for expected in _EXPECTED)
    return (1 + risen * (1 - _ROUNDED_BOUND)) / k


def all_types(mechanism: System) -> Reals | None:
    """Return the laws of the types of report of all values, or None if they are too many."""
    k = mechanism.secrets
    report = reporting(mechanism)
    if k * k > _MAX_ENTRIES or (report.response is None and report.is_symmetric and k > _MAX_FEW):
        return None
    try:
        types = _listed_types(mechanism, limits.current())
    except TooLargeError:
        return None
    return types if types.size <= _MAX_ENTRIES else None


@lru_cache(maxsize=1)  # asked for by every bound of one crowd
def _listed_types(mechanism: System, _: limits.Limits) -> Reals:
    return report_types(mechanism, (), range(mechanism.secrets))


def _law_of_group(group: Group, types: Reals) -> Reals:
    if group.value is not None:
        return types[group.value]
    least = types.min(axis=0)
    return least / least.sum() if group.blanket else group.law(len(types)) @ types


def _divergences(targets: Reals, others: Sequence[Reals], counts: Reals, prior: Reals) -> Reals:
    """Return a lower bound of ``D(P_x ‖ P_π)`` for each value x."""
    mixture = prior @ targets
    laws, sizes = np.vstack([*others, mixture]), np.append(counts, 1.0)
    mean = sizes @ laws
    differences = targets - mixture
    if mean.size <= _MAX_INVERTED:
        covariance = np.diag(mean) - (laws.T * sizes) @ laws
        theta = differences @ np.linalg.pinv(covariance, rcond=1e-12, hermitian=True)
    else:
        theta = differences / mean
    theta -= (theta @ mean / sizes.sum())[:, None]
    spread = (theta**2 @ laws.T - (theta @ laws.T) ** 2) @ sizes
    gains = (theta * differences).sum(axis=1)
    theta *= np.divide(gains, spread, out=np.zeros_like(gains), where=spread > 0)[:, None]
    np.clip(theta, -_MAX_EXPONENT, _MAX_EXPONENT, out=theta)
    return (theta * differences).sum(axis=1) - _log_moments(theta, laws) @ sizes


def _log_moments(theta: Reals, laws: Reals) -> Reals:
    """Return ``log Σ_y q_y e^θ(y) - Σ_y q_y θ(y)``, a row per θ and a column per law."""
    beyond = _exponential_excess(theta)
    moved = (theta + beyond) @ laws.T
    return beyond @ laws.T + _log_excess(moved)


def _divergences_of_support(mechanism: System, groups: OtherUsers, prior: Reals) -> Reals:
    """Return the same from the number of reports that support x."""
    own, other = _support(mechanism)
    gap = own - other
    gains = gap * (1 - prior)
    known, strangers = _known_and_strangers(prior.size, groups)
    same = np.full(prior.size, own), np.full(prior.size, other)
    laws = [(known, same[0]), (known.sum() - known, same[1])]
    laws += [(count, other + gap * law) for count, law in [*strangers, (1, prior)]]
    spread = np.sum([count * law * (1 - law) for count, law in laws], axis=0)
    theta = np.divide(gains, spread, out=np.zeros_like(gains), where=spread > 0)
    np.clip(theta, -_MAX_EXPONENT, _MAX_EXPONENT, out=theta)
    beyond = _exponential_excess(theta)
    moments = [count * (law * beyond + _log_excess(law * (theta + beyond))) for count, law in laws]
    return theta * gains - np.sum(moments, axis=0)


def _exponential_excess(u: Reals) -> Reals:
    """Return ``e^u - 1 - u``."""
    series = u * u / 2 * (1 + u / 3 * (1 + u / 4 * (1 + u / 5)))
    return np.where(np.abs(u) < _SERIES_BELOW, series, np.expm1(u) - u)


def _log_excess(u: Reals) -> Reals:
    """Return ``log(1 + u) - u``."""
    return (relative_excess(u) - u * u) / (1 + u)


class _Counts(NamedTuple):
    """The law of the number of other users' reports that support a value, for equivalent values, and their number."""

    values: int
    law: Reals


def _laws_of_support(mechanism: System, groups: OtherUsers) -> list[_Counts]:
    """Return the laws of the counts of all values, or an empty list if they are too many."""
    own, other = _support(mechanism)
    known, strangers = _known_and_strangers(mechanism.secrets, groups)
    total = int(known.sum())
    likely = [other + (own - other) * law for _, law in strangers]
    kinds, sizes = np.unique(np.stack([known, *likely]), axis=1, return_counts=True)
    if sizes.size > _MAX_KINDS:
        return []

    def law(holders: float, *likely: float) -> Reals:
        counts = [int(holders), total - int(holders), *(count for count, _ in strangers)]
        present = [(count, p) for count, p in zip(counts, (own, other, *likely), strict=True) if count]
        return histogram_box([count for count, _ in present], [(p, 1 - p) for _, p in present]).law

    return [_Counts(size, law(*kind)) for size, kind in zip(sizes.tolist(), kinds.T.tolist(), strict=True)]


def _known_and_strangers(k: int, groups: OtherUsers) -> tuple[Reals, list[tuple[int, Reals]]]:
    """Return the number of known other users per value, and the numbers and laws of the unknown other users."""
    strangers = [(group.count, group.law(k)) for group in groups if group.value is None]
    return holders(k, groups).astype(np.float64), strangers


def _risen(k: int, gap: float, counts: list[_Counts], expected: float) -> float:
    """Return a lower bound of ``k v - 1`` with thresholds that ``expected`` values reach on average."""
    masses, beyond_m = np.empty(len(counts)), np.empty(len(counts))
    for i, (_, law) in enumerate(counts):
        tails = np.append(np.cumsum(law[::-1])[::-1], 0.0)
        place = int(np.argmax(tails <= expected / k))  # of m - 1
        masses[i] = max(0.0, float(np.append(law, 0.0)[place]) - _ROUNDED_PROBABILITY)
        beyond_m[i] = min(1.0, tails[place] + _ROUNDED_PROBABILITY)
    sizes = np.array([values for values, _ in counts], dtype=np.float64)
    rivals = np.divide(sizes @ beyond_m - beyond_m, 1 - beyond_m, out=np.full_like(masses, np.inf), where=beyond_m < 1)
    return float(sizes @ (masses / (1 + rivals))) * gap * (1 - 1 / k)


def _support(mechanism: System) -> tuple[float, float]:
    """Return the probabilities that a report supports its sender's value, and another given value."""
    event = reporting(mechanism).events()[0]
    return float(event[0]), float(event[1])
