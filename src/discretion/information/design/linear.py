"""Objectives that are linear in the weights of a mixture's columns: linear programs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discretion.adversaries.populations import Dirichlet, PointMixture
from discretion.information.design.search import Mixture
from discretion.information.design.staircase import Columns, columns_of
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.excess import deviance
from discretion.numerics.means.dirichlet_means import mean_information, mean_s_log_s

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class LinearObjective:
    """The sum of the values of all reports; the unit is the order of magnitude of a good report's value."""

    worth: Callable[[Columns], Reals]
    unit: float

    @property
    def tolerance(self) -> float:
        """The rounding error of sums in this unit."""
        return _ROUNDING * self.unit

    def slopes(self, candidates: Columns, mixture: Mixture) -> Reals:
        """Return the value of each candidate, which does not depend on the mixture."""
        return self.worth(candidates)

    def best(self, columns: Columns, units: Reals, rows: Reals, limits: Reals, *, slack: bool) -> tuple[Reals, Reals]:
        """Solve the linear program."""
        worth = np.append(self.worth(columns) * units / self.unit, [0.0] * slack)
        if slack:
            rows = np.hstack([rows, np.eye(len(rows))[:, -1:]])
        weights, duals = _linear_program(worth, rows, limits)
        # The solver meets the constraints to 1e-7 only: make the least correction of weights and duals to exact ones.
        weights[weights <= _ROUNDING] = 0.0
        basis = weights > 0
        duals += np.linalg.lstsq(rows[:, basis].T, worth[basis] - duals @ rows[:, basis])[0]
        basis[len(columns) :] = True
        weights[basis] += np.linalg.lstsq(rows[:, basis], limits - rows @ weights)[0]
        if slack:
            duals[-1] = max(duals[-1], 0.0)
        return np.maximum(weights[: len(columns)], 0.0), duals * self.unit


def information(mean: Reals) -> Callable[[Columns], Reals]:
    """Return the information of columns on a value with this law, in nats: ``I(X; Y)``."""
    return lambda columns: _column_information(_shares(columns, mean), columns)


def leak(population: Dirichlet | PointMixture) -> Callable[[Columns], Reals]:
    """Return the information of columns on a value, given the population, in nats: ``I(X; Y | P)``."""
    if isinstance(population, Dirichlet):
        return _mean_over(population, mean_information)
    points, weights = population.points, population.weights
    return lambda columns: weights @ [_column_information(_shares(columns, point), columns) for point in points]


def population_worth(population: Dirichlet | PointMixture) -> Callable[[Columns], Reals]:
    """Return the information of columns on the population's shares, in nats: ``I(Y; P)`` of one report."""
    if isinstance(population, Dirichlet):
        return _mean_over(population, mean_s_log_s)
    of_value, given_population = information(population.mean), leak(population)
    return lambda columns: np.maximum(of_value(columns) - given_population(columns), 0.0)


def _mean_over(population: Dirichlet, mean: Callable[[Reals, Reals, Reals], Reals]) -> Callable[[Columns], Reals]:
    def worth(columns: Columns) -> Reals:
        share = _shares(columns, population.mean)
        # The share of several values is one of a Dirichlet law with fewer.
        shares = np.stack([share, 1 - share], axis=1)
        entries = np.stack([columns.high, columns.low], axis=1)
        apart = columns.step[:, None] * [1, -1] * shares[:, ::-1]
        reported = (shares * entries).sum(axis=1)[:, None]
        return reported[:, 0] * mean(entries / reported, apart / reported, population.total * shares)

    return worth


@dataclass(frozen=True, eq=False)
class Saving:
    """The decrease of the expected loss of the best guess at a value, when a report is known."""

    saved: Reals
    """The decrease in loss for each guess and value, against the best blind guess, times the value's share."""

    blind: Reals
    """The loss of the best blind guess for each value, times the value's share."""

    @classmethod
    def from_loss(cls, loss: Reals, mean: Reals) -> "Saving":
        """Return the saving for a loss matrix and the law of the value."""
        expected = loss * mean
        blind = expected[expected.sum(axis=1).argmin()]
        return cls(blind - expected, blind)

    def worth(self, columns: Columns) -> Reals:
        """Return the decrease in loss for each column, or for each orbit where values and guesses can be permuted."""
        if columns.members is not None:
            return _expected(columns, columns.members, self.saved).max(axis=1)
        first = np.less(np.arange(columns.k), columns.sizes[:, None])
        # What the blind guess loses depends on the set; over all sets of a size it is what it loses without reports.
        lost = _expected(columns, first, self.blind[None])[:, 0]
        return _expected(columns, first, self.saved).max(axis=1) + float(self.blind.sum()) - lost

    def best(self, epsilon: float) -> tuple[Columns, Reals]:
        """Return the columns of a mixture with the largest decrease in loss under ε-LDP, and the duals of its rows.

        The linear program is in the channel from value to guess, ``e^-ε top_w + (1 - e^-ε) D_wx`` with ``0 <= D <=
        top``. A column between two levels is a mixture of the sets on which it is above some entry.
        """
        from scipy.sparse import block_array, eye_array, kron  # noqa: PLC0415 - nobody else should wait for it

        (guesses, k), low, span = self.saved.shape, np.exp(-epsilon), -np.expm1(-epsilon)
        unit = span * (float(np.abs(self.saved).max()) or 1.0)
        each, differences, last = np.ones((1, guesses)), np.eye(k)[:-1] - np.eye(k)[-1], span * np.eye(k)[-1:]
        rows: Any = [[kron(each, differences), None], [kron(each, last), low * each]]
        below: Any = [[eye_array(guesses * k), -kron(eye_array(guesses), np.ones((k, 1)))]]
        solution, prices = _linear_program(
            np.append(span * self.saved.ravel(), low * self.saved.sum(axis=1)) / unit,
            block_array(rows, format="csr"),
            np.eye(k)[-1],
            below=block_array(below, format="csr"),
        )
        entries, tops = solution[: guesses * k].reshape(guesses, k), solution[guesses * k :]
        falls = -np.diff(-np.sort(-entries, axis=1), axis=1)
        guess, size = np.nonzero(falls > _ROUNDING * np.maximum(tops[:, None], _ROUNDING))
        members = np.unique(_ranks(-entries)[guess] <= size[:, None], axis=0)
        others = unit * prices[:-1] / span
        last_price = unit * float(prices[-1])
        return columns_of(members, np.array([epsilon])), np.append(last_price, others + others.sum() - last_price)

    def promising(self, epsilon: float, duals: Reals) -> Columns:
        """Return some columns, among which is the column with the largest slope given the duals.

        For one guess and size the slope is a sum over the favored values, so that the values with the largest terms
        are the best.
        """
        ranks, sizes = _ranks(np.append(duals[1:], 0.0) - self.saved), np.arange(1, self.blind.size)
        members = np.less(ranks[:, None, :], sizes[:, None])
        return columns_of(members.reshape(-1, self.blind.size), np.array([epsilon]))


def _linear_program(values: Reals, rows: Any, limits: Reals, below: Any = None) -> tuple[Reals, Reals]:
    """Return the x >= 0 of largest ``values·x`` with ``rows @ x = limits`` and ``below @ x <= 0``; the rows' duals."""
    from scipy.optimize import linprog  # noqa: PLC0415

    bound = None if below is None else np.zeros(below.shape[0])
    solved: Any = linprog(-values, A_ub=below, b_ub=bound, A_eq=rows, b_eq=limits, method="highs-ds")
    return solved.x, -solved.eqlin.marginals


def _expected(columns: Columns, members: Booleans, amounts: Reals) -> Reals:
    """Return the sum over the values of columns' entries times each row of amounts."""
    return columns.low[:, None] * amounts.sum(axis=1) + columns.step[:, None] * (members @ amounts.T)


def _ranks(rows: Reals) -> Integers:
    return np.argsort(np.argsort(rows, axis=1), axis=1)


def _column_information(share: Reals, columns: Columns) -> Reals:
    mean = columns.low + columns.step * share
    high = deviance(columns.high, np.where(share > 0, mean, 1.0))
    return share * high + (1 - share) * deviance(columns.low, mean)


def _shares(columns: Columns, law: Reals) -> Reals:
    """Return the share of the population with the favored values; for an orbit, where all values are equally common."""
    return columns.sizes / columns.k if columns.members is None else columns.members @ law
