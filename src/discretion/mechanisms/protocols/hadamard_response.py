"""Hadamard response: report a column of a Hadamard matrix, more likely one with +1 in the value's row."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.gains import Gain, IdentityGain
from discretion.channels.channel import Channel
from discretion.channels.storage.storage import check_size
from discretion.estimate import Estimate
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.device import DeviceWork, coin
from discretion.mechanisms.mechanism import RandomSource, Reports, as_values
from discretion.mechanisms.protocols import ranked_supports
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.protocols.ranked_supports import kinds_by_support, plan_other_gain
from discretion.mechanisms.reporting import Overlaps, Support, SupportSizes
from discretion.mechanisms.wire import Numbers
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.draws import coin_flips, evenly_spread, heads
from discretion.numerics.excess import relative_excess
from discretion.numerics.hashing.walsh_hadamard import walsh_hadamard
from discretion.validation import as_epsilon, as_indices

CLOSED_FORM = Method("closed form of Hadamard response", "closed form")

# Spreading any number of reports over the columns takes about as long, per column, as drawing this many one by one.
_REPORTS_PER_COLUMN = 32


class HadamardResponse(PureProtocol):
    """Hadamard response: a column of the K × K Hadamard matrix, ``e^ε`` times as likely with +1 in the value's row.

    ``P(y | x) = 2/K · e^ε/(e^ε + 1)`` where ``H[x+1, y] = (-1)^popcount((x+1) & y)`` is +1, else ``2/K · 1/(e^ε + 1)``

    Parameters
    ----------
    k
        Number of values, at least 2 and at most 10⁸; no k × K matrix is built where a closed form exists.
    epsilon
        The privacy parameter ε >= 0, up to infinity.

    Attributes
    ----------
    columns : int
        K, the least power of two that is greater than k.

    Notes
    -----
    A report is a number in ``0..K-1``; the report 0 supports every value and carries no information. Source: Acharya,
    Sun and Zhang, Hadamard Response: Estimating Distributions Privately, Efficiently, and with Little Communication,
    AISTATS 2019.

    Examples
    --------
    >>> mechanism = HadamardResponse(3, epsilon=1)
    >>> mechanism.channel().matrix[1].round(3).tolist()
    [0.366, 0.366, 0.134, 0.134]
    >>> HadamardResponse(1_000_000, epsilon=1).columns
    1048576
    """

    title = "Hadamard response"

    def __init__(self, k: int, epsilon: float) -> None:
        self.k = as_values(k)
        self.columns = 1 << self.k.bit_length()
        self._epsilon = as_epsilon(epsilon)

    @property
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-locally differentially private."""
        return self._epsilon

    @property
    def support(self) -> Support:
        """The probabilities of support: a report supports the values in whose rows its column has +1."""
        odds = math.exp(-self._epsilon)
        return Support(1 / (1 + odds), odds / (1 + odds), 0.5, 0.5, math.tanh(self._epsilon / 2) / 2)

    @property
    def contest(self) -> tuple[float, float]:
        """The probabilities of one or both of two values: their signs differ in half of the columns."""
        return self.support.own / 2, 0.5

    @property
    def support_sizes(self) -> SupportSizes:
        """The law of the number of rows with +1 in a column."""
        signs, shares = _uniform_signs(self)
        plus, minus = (1 + signs) / 2, (1 - signs) / 2
        own, not_own = self.support[:2]
        return SupportSizes(np.rint(plus * self.k).astype(np.int64), 2 * shares * (plus * own + minus * not_own))

    @property
    def overlaps(self) -> Overlaps | None:
        """The overlaps: any two rows are independent; a third may be the product of two, as row 3 is of 1 and 2."""
        three = (1 / 4,) * (self.k > 2) + (1 / 8,) * (self.k > 3)
        return self._overlapping(1 / 2, 1 / 4, three, 1 / self.columns)

    def with_epsilon(self, epsilon: float) -> "HadamardResponse":
        """Return Hadamard response with another ε."""
        return HadamardResponse(self.k, epsilon)

    def pair_kinds(self) -> Integers:
        """Return the kinds of pairs of rows: pairs of a kind have the same relations to all rows."""
        self._check_listed()
        return kinds_by_support(self._supports(np.arange(self.columns)))

    def _check_listed(self) -> None:
        what = f"Hadamard response with k = {self.k:,}"
        check_size(self.k, self.columns, what, "use a measure that has a closed form")

    def channel(self) -> Channel:
        """Return the k × K channel, or raise TooLargeError."""
        self._check_listed()
        own, not_own = self.support[:2]
        return Channel(np.where(self._supports(np.arange(self.columns)).T, own, not_own) * (2 / self.columns))

    def __repr__(self) -> str:
        return f"HadamardResponse(k={self.k}, epsilon={self.epsilon:g})"

    @property
    def device_work(self) -> DeviceWork:
        """The work of a report: a column and a coin."""
        return DeviceWork(2)

    def device_recipe(self) -> dict[str, Any]:
        """Return the recipe for a device, with the coin of the wrong sign."""
        own, not_own = self.support[:2]
        return {
            "rule": "Draw a uniform column, a whole number below columns. Let row be the value plus 1. Count the bits "
            "that are 1 in both, and add a flip of the coin lie. If the sum is odd, turn that bit of the column which "
            "is the lowest 1 of row. Report the column.",
            "coins": {"lie": coin(not_own, own)},
            "columns": self.columns,
        }

    def _sample(self, values: Integers, source: RandomSource) -> Integers:
        # Flipping in y one of the bits that are 1 in the row's number turns the sign of column y, and turns it back: so
        # that pairs the columns of both signs, and any column, flipped where its sign is wrong, is uniform among those
        # whose sign is right.
        rows = values + 1
        reports = source.integers(self.columns, size=values.size)
        own, not_own = self.support[:2]
        wrong = _is_minus(rows, reports) ^ (coin_flips(not_own, own, values.size, source) == 1)
        return np.where(wrong, reports ^ (rows & -rows), reports)

    def _sample_aggregate(self, counts: Integers, rng: np.random.Generator) -> Integers:
        values = np.flatnonzero(counts)
        if values.size * self.columns * _REPORTS_PER_COLUMN > counts.sum():
            return super()._sample_aggregate(counts, rng)
        # With probability own - not_own a column of +1, else any: together that makes own.
        _, not_own, _, _, gap = self.support
        truthful = heads(counts[values], 2 * gap, 2 * not_own, rng)
        columns = np.arange(self.columns)
        reported = evenly_spread(int(counts.sum() - truthful.sum()), self.columns, rng)
        for row, people in zip((values + 1)[:, None], truthful.tolist(), strict=True):
            reported[~_is_minus(row, columns)] += evenly_spread(people, self.columns // 2, rng)
        return self._tallies(reported)

    @property
    def wire(self) -> Numbers:
        """The encoding of reports: the number of the column."""
        return Numbers(self.columns)

    def checked_reports(self, reports: ArrayLike) -> Reports:
        """Return the reports as an array of columns, or raise an error."""
        return as_indices(reports, "reports", self.columns)

    def _supports(self, reports: Reports) -> Booleans:
        return ~_is_minus(np.arange(1, self.k + 1), reports[:, None])

    def _aggregate(self, reports: Reports) -> Integers:
        return self._tallies(np.bincount(reports, minlength=self.columns))

    def _tallies(self, reported: Integers) -> Integers:
        # The transform is, for each row, the number of its +1 less that of its -1; row 0 has no -1.
        transformed = walsh_hadamard(reported)
        return (transformed[0] + transformed[1 : self.k + 1]) // 2


def _is_minus(rows: Integers, columns: Reports) -> Booleans:
    return np.bitwise_count(rows & columns) % 2 == 1


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_hadamard_response(
    system: HadamardResponse, prior: Prior, gain: Gain
) -> Plan[float | Estimate]:
    if not isinstance(gain, IdentityGain):
        return plan_other_gain(system, prior, gain)
    if prior is None:
        return Plan(CLOSED_FORM, lambda: _capacity(system) / system.k)
    return Plan(CLOSED_FORM, lambda: ranked_supports.ranked_bayes_vulnerability(system, *_ranked(system, prior)))


@plan_bayes_risk.register
def _bayes_risk_of_hadamard_response(system: HadamardResponse, prior: Prior) -> Plan[float]:
    if prior is None:
        return Plan(CLOSED_FORM, lambda: 1 - _capacity(system) / system.k)  # never small
    return Plan(CLOSED_FORM, lambda: ranked_supports.ranked_bayes_risk(system, *_ranked(system, prior)))


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_hadamard_response(system: HadamardResponse) -> Plan[float]:
    return Plan(CLOSED_FORM, lambda: _capacity(system))


def _capacity(system: HadamardResponse) -> float:
    # Of three rows 1, 2 and 3 = 1 ^ 2, any column has +1 in one; of the first two, only three columns in four.
    own, not_own = system.support[:2]
    return 2 * own if system.k > 2 else 1.5 * own + 0.5 * not_own


def _ranked(system: HadamardResponse, prior: Reals) -> tuple[Reals, Reals]:
    """Return the sorted prior, and for each value the number of columns with +1 in its row and in no row before it.

    A row that depends on none before it has +1 in half of the columns with only -1 there. One that is the sum (by
    exclusive or) of some before it has +1 in none of these if their number is odd, in all if it is even. So at most
    log₂ K + 1 rows count.
    """
    if system.k == 2:
        prior = np.append(prior, 0.0)  # a third row that nobody has, so that every column has +1 in some
    order = np.argsort(-prior, kind="stable")
    first, only_minus = np.zeros(prior.size), 1.0
    # Rows minus those before them; the lowest bit is 1 if an even number of these was taken.
    rest = 2 * (order + 1) + 1
    while only_minus > 0:
        at = int(np.flatnonzero(rest)[0])
        row = int(rest[at])
        first[at] = 2 * only_minus if row == 1 else only_minus
        only_minus -= first[at] / 2
        highest = 1 << (row.bit_length() - 1)
        rest = np.where(rest & highest, rest ^ row, rest)
    return prior[order], first


@plan_mutual_information.register
def _mutual_information_of_hadamard_response(system: HadamardResponse, prior: Prior) -> Plan[float]:
    if prior is None:
        return Plan(CLOSED_FORM, lambda: _information(system, *_uniform_signs(system)))
    return Plan(
        Method("fast Walsh-Hadamard transform", "exact"),
        lambda: _information(system, _mean_signs(system, prior), 1 / system.columns),
    )


def _information(system: HadamardResponse, signs: Reals, shares: Reals | float) -> float:
    """Return the mutual information, given each column's mean sign under the prior, and its share of all columns."""
    own, not_own, _, _, gap = system.support
    plus, minus = (1 + signs) / 2, (1 - signs) / 2
    # The probabilities of the column, given either sign and given neither, are own, not_own and this over K/2.
    mean = plus * own + minus * not_own
    possible = np.where(plus > 0, mean, 1.0)  # where no value has +1, nothing is raised or lowered
    raised, lowered = 2 * gap * minus / possible, np.maximum(-2 * gap * plus / possible, -1.0)
    return float((shares * 2 * mean * (plus * relative_excess(raised) + minus * relative_excess(lowered))).sum())


def _mean_signs(system: HadamardResponse, prior: Reals) -> Reals:
    by_row = np.zeros(system.columns)
    by_row[1 : system.k + 1] = prior
    return np.clip(walsh_hadamard(by_row), -1, 1)


def _uniform_signs(system: HadamardResponse) -> tuple[Reals, Reals]:
    """Return the mean signs of classes of columns, and each class's share of all columns.

    In a column y whose lowest 1 has the value h, the signs of the rows repeat: ``h`` times + and ``h`` times -, or the
    reverse. So the signs of rows 0 to k add up to the sum of the unfinished period, whose sign depends on the higher
    bits; where these can differ, half of the columns have each sign.
    """
    rows, turn = system.k + 1, 2
    sums, shares = [float(rows)], [1 / system.columns]
    while turn <= system.columns:
        unfinished = rows % turn
        remaining = float(min(unfinished, turn - unfinished))
        sums += [remaining, remaining if rows < turn else -remaining]
        shares += [0.5 / turn, 0.5 / turn]
        turn *= 2
    return (np.array(sums) - 1) / system.k, np.array(shares)
