"""Two systems over the same secrets: factors from one to the other, and adversaries that gain more from one."""

import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion import limits
from discretion.adversaries.gains import Gain, gain_matrix
from discretion.channels.channel import Channel, System, as_system
from discretion.channels.labels import check_labels
from discretion.channels.storage import stored
from discretion.channels.storage.storage import MAX_FRACTIONS, check_size
from discretion.errors import TooLargeError
from discretion.measures.guesses.vulnerability import posterior_vulnerability
from discretion.numerics.arrays import Reals
from discretion.numerics.matrices import equal_columns
from discretion.refinement.nearest import TOLERANCE, Nearest
from discretion.refinement.verdict import Certificate, Witness
from discretion.validation import Fractions

# Multiplications of a step towards one channel as another one's post-processing.
MAX_FACTOR_TERMS = 1 << 35


@dataclass(frozen=True, eq=False)
class Reduced:
    """A channel with proportional columns added up, and the map from its columns."""

    matrix: Reals
    group: NDArray[np.intp]
    """For each column of the channel the reduced column that contains it; -1 if it has probability 0."""
    share: Reals
    """The share of each column in its reduced column."""

    @classmethod
    def from_channel(cls, channel: Channel) -> "Reduced":
        """Reduce a channel, or raise TooLargeError."""
        entries = channel.dense()
        totals: Reals = entries.sum(axis=0)
        possible = np.flatnonzero(totals > 0)
        groups = equal_columns(entries[:, possible] / totals[possible])
        if len(groups) == totals.size:
            return cls(entries, np.arange(totals.size), np.ones(totals.size))
        group, share = np.full(totals.size, -1), np.zeros(totals.size)
        columns: list[Reals] = []
        for number, members in enumerate(groups):
            group[possible[members]] = number
            share[possible[members]] = totals[possible[members]] / totals[possible[members]].sum()
            columns.append(entries[:, possible[members]].sum(axis=1))
        return cls(np.column_stack(columns), group, share)


class ChannelPair:
    """Two systems with the same secrets.

    Raises
    ------
    InvalidChannelError
        If they have different numbers of secrets, or different labels.
    """

    def __init__(self, first: System, second: System) -> None:
        for system in (first, second):
            as_system(system)
        if first.secrets != second.secrets:  # what follows may be long
            check_labels(range(first.secrets), range(second.secrets), _FIRST, _SECOND)
        self.first, self.second = first.channel(), second.channel()
        check_labels(self.first.inputs, self.second.inputs, _FIRST, _SECOND)

    @cached_property
    def reduced(self) -> tuple[Reduced, Reduced]:
        """Both channels, reduced."""
        return Reduced.from_channel(self.first), Reduced.from_channel(self.second)

    @cached_property
    def nearest(self) -> Nearest:
        """The search for a factor and a gain of the two reduced channels."""
        C, D = (part.matrix for part in self.reduced)
        (k, m), n = C.shape, D.shape[1]
        if _terms(k, m, n) > (most := limits.current().steps(MAX_FACTOR_TERMS)):
            raise TooLargeError(
                f"a comparison of {m:,} kinds of observation of {k:,} secrets with {n:,} kinds takes some steps of "
                f"over {most:,} multiplications each; restrict both systems to fewer secrets (discretion.restricted)"
            )
        return Nearest(C, D)

    @property
    def rounding(self) -> float:
        """The largest difference that rounding may cause."""
        sizes = self.first.secrets + max(self.first.shape[1], self.second.shape[1])
        return max(TOLERANCE, sys.float_info.epsilon * sizes)

    @property
    def allowed(self) -> float:
        """The largest difference that rounding may cause in a repeated evaluation; 0 for fractions."""
        return self.rounding if self._fractions is None else 0.0

    @np.errstate(all="ignore")
    def solution(self) -> Certificate | None:
        """Return the only factor of a square first channel with independent columns, if it is one up to rounding."""
        (k, m), n = self.first.shape, self.second.shape[1]
        if k != m or self._fractions is not None or _terms(k, m, n) > limits.current().steps(MAX_FACTOR_TERMS):
            return None
        try:
            factor: Reals = np.maximum(np.linalg.solve(self.first.dense(), self.second.dense()), 0.0)
        except np.linalg.LinAlgError:
            return None
        certificate = self.evaluate_factor(factor / factor.sum(axis=1, keepdims=True))
        return certificate if certificate.residual <= TOLERANCE else None

    def certificate(self, factor: Reals) -> Certificate:
        """Return a factor of the reduced channels as a factor of the channels, with its residual."""
        (of_first, of_second), shape = self.reduced, (self.first.shape[1], self.second.shape[1])
        check_size(*shape, f"the factor from {shape[0]:,} to {shape[1]:,} observations", "reduce them first")
        whole: Reals = factor[of_first.group][:, of_second.group] * of_second.share
        whole /= whole.sum(axis=1, keepdims=True)
        if self._fractions is None:
            return self.evaluate_factor(whole)
        C, D = self._fractions
        return self.evaluate_factor(rational_factor(C, D, whole))

    def evaluate_factor(self, factor: Any) -> Certificate:
        """Return a factor of the channels with its residual, from their whole matrices."""
        doubles = self.first.dense(), self.second.dense()
        first, second = doubles if self._fractions is None else self._fractions
        off: Any = np.abs(first @ factor - second).sum(axis=1).max() / 2
        channel = Channel.derived(stored(factor), self.first.outputs, self.second.outputs)
        return Certificate(channel, float(off) if self._fractions is None else off)

    @cached_property
    def _fractions(self) -> Any:
        """Both matrices, if they are fractions; else None."""
        matrices = self.first.storage.fractions, self.second.storage.fractions
        return None if any(matrix is None for matrix in matrices) else matrices

    def witness(self, gain: Reals) -> Witness:
        """Return a prior and a gain from a matrix whose rows have least entry 0 and whose largest entries sum to 1."""
        weights: Reals = gain.max(axis=1)
        prior: Any = weights / weights.sum()
        guesses: Any = np.unique(np.divide(gain.T, weights, out=np.zeros_like(gain.T), where=weights > 0), axis=0)
        if self._fractions is not None:
            prior, guesses = (_as_fractions(each) for each in (prior, guesses))
            prior = prior / prior.sum()
        return self.evaluate_witness(prior, gain_matrix(guesses))

    def evaluate_witness(self, prior: Any, gain: Gain) -> Witness:
        """Return the adversary as a witness, with its vulnerabilities for both systems."""
        prior.setflags(write=False)
        of_first, of_second = (
            value if isinstance(value := posterior_vulnerability(channel, prior, gain), Fraction) else float(value)
            for channel in (self.first, self.second)
        )
        return Witness(prior, gain, of_second - of_first, (of_first, of_second))


def _terms(k: int, m: int, n: int) -> int:
    return n * k * (m + k) * (m + 2 * k)


def _as_fractions(values: Reals) -> Any:
    """Return doubles as the simplest fractions near them, which are as good for the proof."""
    simple = [Fraction(value).limit_denominator(10**9) for value in values.ravel().tolist()]
    return np.array(simple, dtype=object).reshape(values.shape)


_FIRST, _SECOND = "the first system's secrets", "the second's"


# Entries up to this are taken for 0; others that may be chosen are the simplest fractions near them.
_NOTHING, _SIMPLE = 1e-9, 10**6


def rational_factor(C: Fractions, D: Fractions, near: Reals) -> Fractions:
    """Return a factor with ``C R = D`` on the support of a factor in doubles, else that factor as fractions.

    The equations of C R = D and of the sums of rows are solved for the largest entries; the others are chosen freely.
    """
    (k, m), n = C.shape, D.shape[1]
    y, z = np.nonzero(near > _NOTHING)
    order = np.argsort(-near[y, z], kind="stable")
    y, z = y[order], z[order]
    if y.size * (k * n + m) ** 2 <= limits.current().numbers(MAX_FRACTIONS, each=128):
        system = np.full((k * n + m, y.size + 1), Fraction(0), dtype=object)
        for entry, (row, column) in enumerate(zip(y.tolist(), z.tolist(), strict=True)):
            system[column * k : (column + 1) * k, entry] = C[:, row]
            system[k * n + row, entry] = Fraction(1)
        system[:, -1] = [*D.T.ravel(), *[Fraction(1)] * m]
        entries = _solved(system, [Fraction(value).limit_denominator(_SIMPLE) for value in near[y, z].tolist()])
        if entries is not None and min(entries) >= 0:
            factor = np.full((m, n), Fraction(0), dtype=object)
            factor[y, z] = entries
            return factor
    rounded = np.array([Fraction(value) for value in near.ravel().tolist()], dtype=object).reshape(m, n)
    return rounded / rounded.sum(axis=1)[:, None]


def _solved(system: Any, chosen: list[Fraction]) -> list[Fraction] | None:
    """Return a solution of equations, whose last column is the right side; free unknowns keep their given values."""
    pivots: list[tuple[int, int]] = []
    for column in range(system.shape[1] - 1):
        at = len(pivots)
        pivot_rows = np.flatnonzero(system[at:, column] != 0)
        if pivot_rows.size:
            system[[at, at + pivot_rows[0]]] = system[[at + pivot_rows[0], at]]
            system[at] = system[at] / system[at, column]
            for row in np.flatnonzero(system[:, column] != 0):
                if row != at:
                    system[row] = system[row] - system[row, column] * system[at]
            pivots.append((at, column))
    if (system[len(pivots) :, -1] != 0).any():
        return None
    row_of = {column: row for row, column in pivots}
    free = [column for column in range(system.shape[1] - 1) if column not in row_of]
    for column, row in row_of.items():
        chosen[column] = system[row, -1] - sum((system[row, other] * chosen[other] for other in free), Fraction(0))
    return chosen
