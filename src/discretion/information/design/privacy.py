"""The best mixture of columns under a lower bound on average privacy.

The leak ``I(X; Y | P)`` is linear in the weights of columns with given entries, but here the entries are free. The
search takes ε from a grid, which it refines about the columns in use. It is not known whether a column of three levels
can be better.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from discretion.information.design.goals import Goal, Optimum
from discretion.information.design.linear import leak
from discretion.information.design.search import Mixture, Problem
from discretion.information.design.staircase import Columns
from discretion.information.entropies import value_entropy
from discretion.numerics.arrays import Reals

_RATIO, _LARGEST, _CERTAIN = 2**0.5, 16.0, 32.0
_LITTLE = 0.1
_ROUNDING = 1e-13
_START_EVERY = 4
_HALVINGS = 12
_SAME, _NEGLIGIBLE = 1.01, 1e-6
_GRID = "over the searched grid of two-level columns only, since average privacy leaves a column's entries free"


def private(goal: Goal, epsilon: float, privacy: float) -> Optimum:
    """Return the best mixture of columns with at most this ε and at least this average privacy."""
    allowed, revealed = (1 - privacy) * value_entropy(goal.law), leak(goal.law)

    def share(columns: Columns) -> Reals:
        return revealed(columns) / allowed

    epsilons = [epsilon] if np.isfinite(epsilon) else [np.inf, _LARGEST]
    while share(goal.columns(np.array(epsilons[-1:]))).max() > _LITTLE:
        epsilons.append(epsilons[-1] / _RATIO)
    # Noise, and k-RR that is nearly noise, correct rounding errors.
    mending = goal.singles(np.zeros(1))[[0]].joined(goal.singles(np.array(epsilons[-1:])))
    tried = goal.columns(np.array(epsilons)).joined(mending[[0]])
    problem = Problem(goal.objective(tried), share)
    mixture = problem.search(goal.singles(np.array(epsilons[::_START_EVERY])).joined(mending), tried)
    ratio = _RATIO
    for _ in range(_HALVINGS):
        centres = _merged(mixture, ratio)
        ratio **= 0.5
        near = centres.times(np.array([1 / ratio, 1.0, ratio]), epsilon)
        tried = tried.joined(near)
        mixture = problem.best(near.joined(mending))
    duals = problem.search(mixture.columns.joined(mending), tried).duals
    mixture = _within_budget(
        replace(problem.best(_merged(mixture, _SAME).joined(mending)), duals=duals), mending[[0]], share
    )
    gap = goal.scale * problem.gap(mixture, tried, problem.objective.slopes(tried, mixture))
    return Optimum(mixture.columns, mixture.weights, gap, _GRID, error=None)


def _within_budget(mixture: Mixture, noise: Columns, share: Callable[[Columns], Reals]) -> Mixture:
    """Return the mixture with the least noise that brings its leak, rounding included, within the budget."""
    over = float(share(mixture.columns) @ mixture.weights)
    if over <= 1 + _ROUNDING:
        return mixture
    weights = np.append(mixture.weights / over, 1 - 1 / over)
    return Mixture(mixture.columns.joined(noise), weights, mixture.duals)


def _merged(mixture: Mixture, ratio: float) -> Columns:
    """Return the columns, merging columns that favor the same values with ε no farther apart than the ratio.

    To send one report for several is a post-processing: it leaks no more, and loses hardly any information.
    """
    telling = mixture.weights * mixture.columns.step**2
    matter = telling > _NEGLIGIBLE * telling.max()
    columns, weights = mixture.columns[matter], mixture.weights[matter]
    if not len(columns):
        return columns
    favoured = columns.sizes[:, None] if columns.members is None else columns.members
    order = np.lexsort((columns.epsilons, *favoured.T))
    columns, weights, favoured = columns[order], weights[order], favoured[order]
    apart = (favoured[1:] != favoured[:-1]).any(axis=1)
    apart |= columns.epsilons[1:] > 1.01 * ratio * columns.epsilons[:-1]
    starts = np.flatnonzero(np.append(True, apart))
    high, low = (np.add.reduceat(entries * weights, starts) for entries in (columns.high, columns.low))
    with np.errstate(divide="ignore"):
        epsilons = np.log(high) - np.log(low)
    epsilons = np.where(epsilons > _CERTAIN, np.inf, np.minimum(epsilons, columns.epsilons.max()))
    members = None if columns.members is None else columns.members[starts]
    return Columns(columns.k, columns.sizes[starts], epsilons, members)
