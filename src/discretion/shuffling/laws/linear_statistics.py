"""What an adversary surely gets who only adds up numbers that single reports stand for: lower ends of what leaks.

- **Information.** For any statistic ``T = Σ θ(y)`` over the reports, ``D(P_x ‖ P_π) >= E_x T - log E_π e^T`` (Donsker
  and Varadhan, 1975), where P_π has the target's value drawn from the prior. Users report independently, so that both
  terms are sums over them. With θ the difference of the laws over the covariance of all reports this is what the normal
  limit says, so that nothing is lost in a large crowd.
- **Guess.** Each report of a pure protocol supports some of the values, S_x of the others' reports the value x. The
  adversary guesses among the values A whose counts reach thresholds m_x, each alike, and any where there are none. Of
  a uniform target among k values it is right with probability v, where

      k v - 1 = Σ_x (E_x - mean_j E_j) 1{x ∈ A}/|A|,

  E_x being the mean if the target holds x. Exchanging two values x and j turns a report's law given x into that given
  j, so that only reports which support one of both matter, and ``E_x - E_j`` is at least
  ``(p - q) E[1{S_x = m_x - 1} / (1 + |A without x|)]``, p being how likely a report supports its own value and q
  another one. By Jensen's inequality that mean is at least ``P(S_x = m_x - 1)`` over ``1 + Σ_{j≠x} P(S_j >= m_j - 1)``,
  these given ``S_x = m_x - 1``. Where more reports support x fewer support j, since a report that supports x supports
  j no more often than one that does not; so the condition raises a probability by ``1 / P(S_x < m_x)`` at most.
"""

from typing import NamedTuple

import numpy as np

from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.poisson_multinomial import histogram_box
from discretion.shuffling.laws.groups import Others, is_symmetric, report_types

# The largest matrix of types of report, and so many types at most whose covariance is inverted.
_MAX_ENTRIES, _MAX_INVERTED = 1 << 22, 256
# So many values at most whose reports are of few types, if all are alike; beyond, a report stands for its support.
_MAX_FEW = 10
# Kinds of values, by who holds them, whose counts have a law each; how many values to expect in A.
_MAX_KINDS, _EXPECTED = 32, (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
# What rounding may change, relatively, and in a probability.
_ROUNDING, _ROUNDED_PROBABILITY = 1e-9, 1e-13
# Beyond, exponentials overflow; and where series replace what cancels.
_MAX_EXPONENT, _SERIES_BELOW = 100.0, 1e-3


def information_below(mechanism: System, groups: Others, prior: Reals) -> float:
    """Return a lower bound of the mutual information between the target's value and all reports."""
    types = _all_types(mechanism, groups)
    if types is not None:
        counts = np.array([float(group.count) for group in groups])
        divergences = _divergences(types[: prior.size], types[prior.size :], counts, prior)
    elif is_symmetric(mechanism):
        divergences = _divergences_of_support(mechanism, groups, prior)
    else:
        return 0.0
    return float(prior @ np.maximum(divergences, 0.0)) * (1 - _ROUNDING)


def guess_below(mechanism: System, groups: Others) -> float:
    """Return a lower bound of how often a uniform value is guessed right, for symmetric pure protocols."""
    known = reporting(mechanism)
    k = mechanism.secrets
    if not known.is_symmetric or known.pure_epsilon is None or not any(group.count for group in groups):
        return 1 / k
    own, other = _support(mechanism)
    counts = _laws_of_support(mechanism, groups)
    if not counts or own <= other:
        return 1 / k
    risen = max(_risen(k, own - other, counts, expected) for expected in _EXPECTED)
    return (1 + risen * (1 - _ROUNDING)) / k


def _all_types(mechanism: System, groups: Others) -> Reals | None:
    """Return the laws of the types of report of all values and groups, or None if they are too many."""
    k = mechanism.secrets
    known = reporting(mechanism)
    if (k + len(groups)) * k > _MAX_ENTRIES or (known.response is None and known.is_symmetric and k > _MAX_FEW):
        return None
    try:
        types = report_types(mechanism, groups, range(k))
    except TooLargeError:
        return None
    return types if types.size <= _MAX_ENTRIES else None


def _divergences(targets: Reals, others: Reals, counts: Reals, prior: Reals) -> Reals:
    """Return a lower bound of ``D(P_x ‖ P_π)`` for each value x."""
    drawn = prior @ targets
    laws, sizes = np.vstack([others, drawn]), np.append(counts, 1.0)
    mean = sizes @ laws
    differences = targets - drawn
    if mean.size <= _MAX_INVERTED:
        covariance = np.diag(mean) - (laws.T * sizes) @ laws
        theta = differences @ np.linalg.pinv(covariance, rcond=1e-12, hermitian=True)
    else:
        theta = differences / mean
    theta -= (theta @ mean / sizes.sum())[:, None]
    spread = (theta**2 @ laws.T - (theta @ laws.T) ** 2) @ sizes
    told = (theta * differences).sum(axis=1)
    theta *= np.divide(told, spread, out=np.zeros_like(told), where=spread > 0)[:, None]
    np.clip(theta, -_MAX_EXPONENT, _MAX_EXPONENT, out=theta)
    return (theta * differences).sum(axis=1) - _log_moments(theta, laws) @ sizes


def _log_moments(theta: Reals, laws: Reals) -> Reals:
    """Return ``log Σ_y q_y e^θ(y) - Σ_y q_y θ(y)``, a row per θ and a column per law."""
    beyond = _exponential_excess(theta)
    moved = (theta + beyond) @ laws.T
    return beyond @ laws.T + _log_excess(moved)


def _divergences_of_support(mechanism: System, groups: Others, prior: Reals) -> Reals:
    """Return the same by how many reports support x."""
    own, other = _support(mechanism)
    gap = own - other
    told = gap * (1 - prior)
    held, strangers = _holders(prior.size, groups)
    same = np.full(prior.size, own), np.full(prior.size, other)
    laws = [(held, same[0]), (held.sum() - held, same[1])]
    laws += [(count, other + gap * law) for count, law in [*strangers, (1, prior)]]
    spread = np.sum([count * law * (1 - law) for count, law in laws], axis=0)
    theta = np.divide(told, spread, out=np.zeros_like(told), where=spread > 0)
    np.clip(theta, -_MAX_EXPONENT, _MAX_EXPONENT, out=theta)
    beyond = _exponential_excess(theta)
    moments = [count * (law * beyond + _log_excess(law * (theta + beyond))) for count, law in laws]
    return theta * told - np.sum(moments, axis=0)


def _exponential_excess(u: Reals) -> Reals:
    """Return ``e^u - 1 - u``."""
    series = u * u / 2 * (1 + u / 3 * (1 + u / 4 * (1 + u / 5)))
    return np.where(np.abs(u) < _SERIES_BELOW, series, np.expm1(u) - u)


def _log_excess(u: Reals) -> Reals:
    """Return ``log(1 + u) - u``."""
    return (relative_excess(u) - u * u) / (1 + u)


class _Counts(NamedTuple):
    """The law of how many of the others' reports support a value, for values that are alike, and how many these are."""

    values: int
    law: Reals


def _laws_of_support(mechanism: System, groups: Others) -> list[_Counts]:
    """Return the laws of the counts of all values, or of none if they are too many."""
    own, other = _support(mechanism)
    held, strangers = _holders(mechanism.secrets, groups)
    total = int(held.sum())
    likely = [other + (own - other) * law for _, law in strangers]
    kinds, sizes = np.unique(np.stack([held, *likely]), axis=1, return_counts=True)
    if sizes.size > _MAX_KINDS:
        return []

    def law(holders: float, *likely: float) -> Reals:
        counts = [int(holders), total - int(holders), *(count for count, _ in strangers)]
        present = [(count, p) for count, p in zip(counts, (own, other, *likely), strict=True) if count]
        return histogram_box([count for count, _ in present], [(p, 1 - p) for _, p in present]).law

    return [_Counts(size, law(*kind)) for size, kind in zip(sizes.tolist(), kinds.T.tolist(), strict=True)]


def _holders(k: int, groups: Others) -> tuple[Reals, list[tuple[int, Reals]]]:
    """Return how many of the others are known to hold each value, and how many hold one by which laws."""
    held = np.zeros(k)
    for group in groups:
        if group.value is not None:
            held[group.value] = group.count
    return held, [(group.count, group.law(k)) for group in groups if group.value is None]


def _risen(k: int, gap: float, counts: list[_Counts], expected: float) -> float:
    """Return a lower bound of ``k v - 1`` with thresholds that so many values reach on average."""
    at, beyond = np.empty(len(counts)), np.empty(len(counts))
    for i, (_, law) in enumerate(counts):
        tails = np.append(np.cumsum(law[::-1])[::-1], 0.0)
        place = int(np.argmax(tails <= expected / k))  # of m - 1
        at[i] = max(0.0, float(np.append(law, 0.0)[place]) - _ROUNDED_PROBABILITY)
        beyond[i] = min(1.0, tails[place] + _ROUNDED_PROBABILITY)
    sizes = np.array([values for values, _ in counts], dtype=np.float64)
    rivals = np.divide(sizes @ beyond - beyond, 1 - beyond, out=np.full_like(at, np.inf), where=beyond < 1)
    return float(sizes @ (at / (1 + rivals))) * gap * (1 - 1 / k)


def _support(mechanism: System) -> tuple[float, float]:
    """Return how likely a report supports its sender's value, and another one."""
    event = reporting(mechanism).events()[0]
    return float(event[0]), float(event[1])
