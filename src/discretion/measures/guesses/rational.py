"""Measures in fractions, without rounding, for channels, priors and gains of fractions."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.gains import Gain
from discretion.adversaries.priors import exact_distribution
from discretion.channels.channel import Channel, System
from discretion.measures.measure import Method, Plan
from discretion.numerics.distances.pairwise import furthest_fraction_rows
from discretion.validation import Fractions

IN_FRACTIONS = Method("sum over the explicit channel, in fractions", "exact")
ALL_PAIRS = Method("all pairs of rows, in fractions", "exact")
COLUMN_MAXIMA = Method("sum of column maxima, in fractions", "exact")

Rows = Callable[[], Fractions]


@singledispatch
def exact_rows(system: System) -> Rows | None:
    """Return a function that computes the rows of a system in fractions, or None."""
    return None


@exact_rows.register
def _exact_rows_of_channel(system: Channel) -> Rows | None:
    fractions = system.storage.fractions
    return None if fractions is None else lambda: fractions


@dataclass(frozen=True)
class ExactGame:
    """The prior, the gain and the channel of a secret, all in fractions."""

    prior: Fractions
    rows: Rows
    gain: Gain

    def before(self) -> Fraction:
        """Return the prior vulnerability."""
        return best_guess(self.prior, self.gain)

    def after(self) -> Fraction:
        """Return the posterior vulnerability."""
        joint: Any = self.prior[:, None] * self.rows()
        return _sum(self.gain.best(joint))

    def risk(self) -> Fraction:
        """Return the Bayes risk."""
        return 1 - self.after()

    def kept(self) -> Fraction:
        """Return the Bayes security at this prior."""
        return self.risk() / (1 - self.before())


def exact_game(system: System, prior: ArrayLike | None, gain: Gain) -> ExactGame | None:
    """Return valid arguments as a game in fractions; None if any of them contains doubles."""
    if (rows := exact_rows(system)) is None or (exact_gain := gain.as_exact()) is None:
        return None
    k = system.secrets
    exact = np.full(k, Fraction(1, k)) if prior is None else exact_distribution(prior, "prior")
    return None if exact is None else ExactGame(exact, rows, exact_gain)


def best_guess(prior: Fractions, gain: Gain) -> Fraction:
    """Return the prior vulnerability."""
    column: Any = prior[:, None]
    return _sum(gain.best(column))


def exact_capacity(system: System) -> Plan[Fraction] | None:
    """Plan the multiplicative Bayes capacity of a system of fractions."""
    rows = exact_rows(system)
    return None if rows is None else Plan(COLUMN_MAXIMA, lambda: _sum(rows().max(axis=0)))


def exact_bayes_security(system: System) -> Plan[Fraction] | None:
    """Plan β* of a system of fractions."""
    rows = exact_rows(system)
    return None if rows is None else Plan(ALL_PAIRS, lambda: 1 - furthest_fraction_rows(rows(), Fraction(0))[0] / 2)


def exact_pairs(system: System, tolerance: float) -> Plan[list[tuple[int, int]]] | None:
    """Plan the pairs of secrets of a system of fractions whose total variation is within tolerance of the largest."""
    rows = exact_rows(system)
    if rows is None:
        return None
    return Plan(ALL_PAIRS, lambda: furthest_fraction_rows(rows(), 2 * Fraction(tolerance))[1])


def _sum(numbers: Any) -> Fraction:
    return Fraction(np.sum(numbers))
