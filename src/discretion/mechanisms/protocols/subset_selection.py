"""Subset selection: report a set of values, in which the true one is more likely than any other."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.channels.channel import Channel, System
from discretion.channels.storage.storage import check_size
from discretion.errors import InvalidValueError, TooLargeError
from discretion.estimate import Estimate
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan, plainest
from discretion.mechanisms.device import DeviceWork, coin
from discretion.mechanisms.mechanism import RandomSource, Reports, as_values
from discretion.mechanisms.protocols import ranked_supports
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.protocols.ranked_supports import plan_other_gain
from discretion.mechanisms.reporting import Overlaps, Response, Sender, Support, SupportSizes, known_values
from discretion.mechanisms.wire import Sets
from discretion.numerics.arrays import Booleans, Integers, Reals, Words
from discretion.numerics.compiled import compiled
from discretion.numerics.draws import coin_flips
from discretion.numerics.excess import relative_excess
from discretion.numerics.matrices import merged_columns
from discretion.validation import MAX_ENTRIES, as_count, as_epsilon, as_rows

# Bytes of the reports of subset selection that are drawn at once.
MAX_BYTES_DRAWN = 1 << 32

CLOSED_FORM = Method("closed form of subset selection", "closed form")

_CELLS_AT_ONCE = 1 << 20
_FEW_APART = 10
# Of fewer draws NumPy is done before a loop is loaded; of more bits for each, sorting is faster.
_COMPILED_FROM, _BITS_A_DRAW = 50_000, 64
# Its 64 runs of six bits are all different, so that the product with a power of two tells which one it is.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_PLACE_OF_BIT = np.argsort([(_DE_BRUIJN << place & (2**64 - 1)) >> 58 for place in range(64)]).astype(np.uint64)
_SORTED_FAST = np.uint32  # twenty times as fast as bytes


class SubsetSelection(PureProtocol):
    """Subset selection: a report is a set of values of a given size, ``e^ε`` times as likely with the true value in it.

    ``P(Z | x) = e^ε / (e^ε C(k-1, d-1) + C(k-1, d))`` if x is in Z, else 1 over the same, for all Z of size d

    Parameters
    ----------
    k
        Number of values, at least 2 and at most 10⁸; no matrix is built where a closed form exists.
    epsilon
        The privacy parameter ε >= 0, up to infinity.
    size
        The number of values in a report, d in ``1..k-1``; 1 is k-RR. None means the size of least variance, one of the
        two whole numbers next to ``k / (e^ε + 1)``.

    Notes
    -----
    A report is a row of d distinct values in increasing order, in the least unsigned type that holds them. Source: Wang
    et al., Mutual Information Optimally Local Private Discrete Distribution Estimation, 2016; Ye and Barg, Optimal
    Schemes for Discrete Distribution Estimation under Locally Differential Privacy, IEEE Trans. Inf. Theory 2018.

    Examples
    --------
    >>> mechanism = SubsetSelection(10, epsilon=1)
    >>> mechanism.size, mechanism.channel().shape
    (3, (10, 120))
    >>> mechanism.sample([0, 7], rng=1).shape
    (2, 3)
    """

    title = "subset selection"

    def __init__(self, k: int, epsilon: float, size: int | None = None) -> None:
        self.k = as_values(k)
        self._epsilon = as_epsilon(epsilon)
        self._odds = math.exp(-self._epsilon)
        self.size = _best_size(self.k, self._odds) if size is None else as_count(size, "size", at_least=1)
        if self.size >= self.k:
            raise InvalidValueError(f"size must be in 1..k-1 = 1..{self.k - 1}, got {size!r}")
        self._type = np.min_scalar_type(self.k - 1)

    @property
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-locally differentially private."""
        return self._epsilon

    @property
    def support(self) -> Support:
        """The probabilities of support: a report supports the values in its set."""
        inside, outside, other_values = self.size, self.k - self.size, self.k - 1
        total = inside + outside * self._odds
        own, not_own = inside / total, outside * self._odds / total
        other = ((inside - 1) * own + inside * not_own) / other_values
        not_other = (outside * own + (outside - 1) * not_own) / other_values
        return Support(own, not_own, other, not_other, outside * own * -math.expm1(-self._epsilon) / other_values)

    @property
    def contest(self) -> tuple[float, float]:
        """The probabilities that a report contains one of two values alone, and both or neither."""
        inside, outside, other_values = self.size, self.k - self.size, self.k - 1
        own, not_own = self.support[:2]
        return outside * own / other_values, ((inside - 1) * own + (outside - 1) * not_own) / other_values

    def channel(self) -> Channel:
        """Return the channel, a column per set of values in lexicographic order, or raise TooLargeError."""
        what = f"subset selection of {self.size:,} out of k = {self.k:,} values"
        check_size(self.k, _subsets(self.k, self.size), what, "use a measure that has a closed form")
        with_value, without_value = math.comb(self.k - 1, self.size - 1), math.comb(self.k - 1, self.size)
        likely = 1 / (with_value + without_value * self._odds)
        outputs = list(itertools.combinations(range(self.k), self.size))
        matrix = np.full((self.k, with_value + without_value), likely * self._odds)
        matrix[np.array(outputs).T, np.arange(with_value + without_value)] = likely
        return Channel(matrix, outputs=outputs)

    def __repr__(self) -> str:
        return f"SubsetSelection(k={self.k}, epsilon={self.epsilon:g}, size={self.size})"

    @property
    def tallies_per_report(self) -> int:
        """The number of tallies to which a report adds one: the size of its set."""
        return self.size

    @property
    def support_sizes(self) -> SupportSizes:
        """The law of the number of supported values: all sets have one size."""
        return SupportSizes(np.array([self.size]), np.ones(1))

    @property
    def overlaps(self) -> Overlaps | None:
        """The overlaps of supports: sets are drawn without replacement."""
        shares = [max(0, self.size - i) / (self.k - i) for i in range(min(3, self.k))]
        return self._overlapping(shares[0], shares[0] * shares[1], (math.prod(shares),) if self.k > 2 else ())

    @property
    def is_symmetric(self) -> bool:
        """Whether renaming the values only renames the reports: yes, as the reports are all sets of one size."""
        return True

    @property
    def response(self) -> Response | None:
        """The numbers of k-RR if sets have one value, else None."""
        return RandomizedResponse(self.k, self.epsilon).response if self.size == 1 else None

    @property
    def blanket_probability(self) -> float:
        """The probability of the blanket: every set is at least as likely as a set without the true value."""
        return min(1.0, self.support.not_own * self.k / (self.k - self.size))

    def report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the probability of each type of report: the known values that it contains."""
        apart = known_values(values, senders)
        if len(apart) > _FEW_APART or any(sender.population is not None for sender in senders):
            return super().report_types(values, senders)
        patterns = list(itertools.product((False, True), repeat=len(apart)))

        def law(value: int) -> Reals:
            place, rest = apart.index(value), len(apart) - 1
            inside = [_share(self.k - 1, self.size - 1, rest, sum(p) - 1) if p[place] else 0.0 for p in patterns]
            outside = [0.0 if p[place] else _share(self.k - 1, self.size, rest, sum(p)) for p in patterns]
            return self.support.own * np.array(inside) + self.support.not_own * np.array(outside)

        # The blanket is what all sets have in common: like a uniform value, it makes all sets equally likely.
        uniform = np.array([_share(self.k, self.size, len(apart), sum(pattern)) for pattern in patterns])
        rows = [law(value) for value in values]
        rows += [uniform if sender.value is None else law(sender.value) for sender in senders]
        return merged_columns(np.vstack(rows))[0]

    def events(self) -> list[Reals]:
        """Return the event that a report contains the first value."""
        return [np.where(np.arange(self.k) == 0, self.support.own, self.support.other)]

    def with_epsilon(self, epsilon: float) -> "SubsetSelection":
        """Return the selection of sets of the same size with another ε."""
        return SubsetSelection(self.k, epsilon, self.size)

    @property
    def device_work(self) -> DeviceWork:
        """The work of a report: a coin, and the set or its complement."""
        return DeviceWork(1 + min(self.size, self.k - self.size))

    def device_recipe(self) -> dict[str, Any]:
        """Return the recipe for a device, with the coin of the sets that contain the value."""
        return {
            "rule": "If the coin own shows 1, report the value and size - 1 distinct other values, else size distinct "
            "other values, all sets of other values being equally likely.",
            "coins": {"own": coin(*self.support[:2])},
            "size": self.size,
        }

    def _sample(self, values: Integers, source: RandomSource) -> Reports:
        people = values.size
        if people * self.size * self._type.itemsize > (most := limits.current().numbers(MAX_BYTES_DRAWN, each=1)):
            raise TooLargeError(
                f"the reports of {people:,} people, {self.size:,} values each, are more than {most:,} "
                "bytes; sample fewer people at a time"
            )
        reports = np.empty((people, self.size), dtype=self._type)
        for block, own in zip(self._rows(reports), self._rows(values), strict=True):
            self._draw(own.astype(_SORTED_FAST), source, block)
        return reports

    def _draw(self, own: Reports, source: RandomSource, reports: Reports) -> None:
        # The smaller of the set and its complement is drawn. The other values are numbered in 0..k-2 around the
        # sender's own value, which is k-1.
        fewer = min(self.size, self.k - self.size)
        supported = coin_flips(*self.support[:2], len(own), source) == 1
        draws = source.integers(self.k - 1, size=len(own) * fewer).reshape(-1, fewer)
        draws[supported == (fewer == self.size), 0] = self.k - 1
        if draws.size >= _COMPILED_FROM and self.k <= _BITS_A_DRAW * fewer:
            self._list_by_bits(own, draws, source, reports)
            return
        draws = draws.astype(_SORTED_FAST)
        _make_distinct(draws, self.k - 1, source)
        draws = np.where(draws == self.k - 1, own[:, None], draws + (draws >= own[:, None]))
        if fewer == self.size:
            draws.sort(axis=1)
            reports[:] = draws
        else:
            reports[:] = np.nonzero(~self._supports(draws))[1].reshape(-1, self.size)

    def _list_by_bits(self, own: Reports, draws: Integers, source: RandomSource, reports: Reports) -> None:
        """List the reports of these draws, as by :func:`_make_distinct`, with a bit for each value and no sorting."""
        bits = np.zeros((len(draws), -(-self.k // 64)), np.uint64)
        missing = np.full(len(draws), draws.shape[1], np.int64)
        more = draws.ravel()
        while more.size:
            compiled(_add_values)(own, more, self.k, bits, missing)
            more = source.integers(self.k - 1, size=int(missing.sum()))
        compiled(_list_values)(bits, draws.shape[1] == self.size, self.k, _PLACE_OF_BIT, reports)

    @property
    def wire(self) -> Sets:
        """The encoding of reports: the values' numbers, or a bit for each value, whichever is shorter."""
        return Sets(self.k, self.size, self._type)

    def checked_reports(self, reports: ArrayLike) -> Reports:
        """Return the reports as rows of distinct values in order, or raise an error."""
        array = as_rows(reports, "reports")
        if array.shape == (0,):
            return np.empty((0, self.size), dtype=self._type)
        if array.ndim != 2 or array.shape[1] != self.size or array.dtype.kind not in "iu":
            raise InvalidValueError(
                f"reports must be rows of {self.size} values, got an array of {array.dtype} of shape {array.shape}"
            )
        if array.size and (array.min() < 0 or array.max() >= self.k):
            wrong = array[(array < 0) | (array >= self.k)][0]
            raise InvalidValueError(f"reports must hold values in 0..{self.k - 1}, got {wrong}")
        unordered = (array[:, 1:] <= array[:, :-1]).any(axis=1)
        if unordered.any():
            wrong = array[unordered][0].tolist()
            raise InvalidValueError(
                f"reports must be distinct values in increasing order, got {wrong!r:.80}; sort them"
            )
        return array.astype(self._type, copy=False)

    def _supports(self, reports: Reports) -> Booleans:
        supports = np.zeros((len(reports), self.k), dtype=np.bool_)
        supports[np.arange(len(reports))[:, None], reports] = True
        return supports

    def _aggregate(self, reports: Reports) -> Integers:
        tallies = np.zeros(self.k, dtype=np.int64)
        for block in self._rows(reports):
            tallies += np.bincount(block.ravel(), minlength=self.k)
        return tallies

    def _rows(self, people: Reports) -> list[Reports]:
        step = max(1, _CELLS_AT_ONCE // self.size)
        return [people[start : start + step] for start in range(0, len(people), step)]


def _best_size(k: int, odds: float) -> int:
    # The mean variance over the values is, up to what no size changes, proportional to e^2ε/(k-d) + 1/d. That is convex
    # in d and least at d = k/(e^ε+1); the second line compares it at d and d+1.
    size = max(1, math.floor(k * odds / (1 + odds)))
    return size + (size * (size + 1) < odds * odds * (k - size) * (k - size - 1))


def _subsets(k: int, size: int) -> int:
    """Return the number of sets, or a number that is too large for memory."""
    subsets, most = 1, limits.current().numbers(MAX_ENTRIES)
    for chosen in range(min(size, k - size)):
        subsets = subsets * (k - chosen) // (chosen + 1)
        if subsets > most:
            break
    return subsets


def _share(k: int, size: int, apart: int, inside: int) -> float:
    """Return the share of the sets of this size that contain these and no others of the known values."""
    share = 1.0
    for place in range(apart):
        is_in = place < inside
        share *= (size - place if is_in else k - size - (place - inside)) / (k - place)
    return max(0.0, share)


def _make_distinct(draws: Reports, other_values: int, source: RandomSource) -> None:
    # A repeated value is drawn again until none is repeated. Each step is symmetric in the other values, so that all
    # sets of the same size are equally likely.
    draws.sort(axis=1)
    rows, part = np.arange(len(draws)), draws
    while True:
        again = part[:, 1:] == part[:, :-1]
        unfinished = again.any(axis=1)
        if not unfinished.any():
            return
        rows, part, again = rows[unfinished], part[unfinished], again[unfinished]
        part[:, 1:][again] = source.integers(other_values, size=int(again.sum()))
        part.sort(axis=1)
        draws[rows] = part


def _add_values(own: Reports, draws: Integers, k: int, bits: Words, missing: Integers) -> None:
    # Each row takes as many draws as it misses, and misses those that it has already; only its first may be its own.
    one, start = np.uint64(1), 0
    for i in range(own.size):
        mine, row, end, repeated = np.int64(own[i]), bits[i], start + missing[i], 0
        if start < end and draws[start] == k - 1:
            row[mine >> 6] = one << np.uint64(mine & 63)
            start += 1
        for j in range(start, end):
            # Without a sign, a place needs no look at whether it counts from the end.
            value = np.uint64(draws[j] + (draws[j] >= mine))
            place, bit = value >> np.uint64(6), one << (value & np.uint64(63))
            repeated += (row[place] & bit) != 0
            row[place] |= bit
        start, missing[i] = end, repeated


def _list_values(bits: Words, are_in: bool, k: int, place_of_bit: Words, reports: Reports) -> None:
    one = np.uint64(1)
    for i in range(len(reports)):
        place = 0
        for j in range(bits.shape[1]):
            word, beyond = bits[i, j], 64 * (j + 1) - k
            if not are_in:
                word = ~word & (~np.uint64(0) >> np.uint64(max(0, beyond)))
            while word:
                lowest = word & (~word + one)
                reports[i, place] = 64 * j + place_of_bit[(lowest * np.uint64(_DE_BRUIJN)) >> np.uint64(58)]
                place += 1
                word ^= lowest


@plainest.register
def _plainest_of_subset_selection(system: SubsetSelection) -> System:
    return RandomizedResponse(system.k, system.epsilon) if system.size == 1 else system


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_subset_selection(
    system: SubsetSelection, prior: Prior, gain: Gain
) -> Plan[float | Estimate]:
    if not isinstance(gain, IdentityGain):
        return plan_other_gain(system, prior, gain)
    if prior is None:
        return Plan(CLOSED_FORM, lambda: system.support.own / system.size)
    return Plan(CLOSED_FORM, lambda: ranked_supports.ranked_bayes_vulnerability(system, *_ranked(system, prior)))


@plan_bayes_risk.register
def _bayes_risk_of_subset_selection(system: SubsetSelection, prior: Prior) -> Plan[float]:
    if prior is None:
        own, not_own = system.support[:2]
        return Plan(CLOSED_FORM, lambda: not_own + own * (system.size - 1) / system.size)
    return Plan(CLOSED_FORM, lambda: ranked_supports.ranked_bayes_risk(system, *_ranked(system, prior)))


def _ranked(system: SubsetSelection, prior: Reals) -> tuple[Reals, Reals]:
    """Return the sorted prior, and for each value the share of the sets with this value that contain none before it."""
    # Of the sets that hold the j-th value, C(k-j, d-1) hold none before it, out of C(k-1, d-1).
    before = np.arange(1, system.k)
    shrinking = np.maximum(system.k - before - (system.size - 1), 0) / (system.k - before)
    return np.sort(prior)[::-1], np.concatenate([[1.0], np.cumprod(shrinking)])


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_subset_selection(system: SubsetSelection) -> Plan[float]:
    return Plan(CLOSED_FORM, lambda: system.k * system.support.own / system.size)


@plan_mutual_information.register
def _mutual_information_of_subset_selection(system: SubsetSelection, prior: Prior) -> Plan[float | Estimate]:
    if prior is None:
        return Plan(CLOSED_FORM, lambda: _uniform_information(system))
    return plan_mutual_information.dispatch(object)(system, prior)


def _uniform_information(system: SubsetSelection) -> float:
    """Return the divergence of the posterior from the uniform prior, which is the same for every set."""
    inside, outside = system.size, system.k - system.size
    # The relative increase of the posterior of each value in the set.
    raised = (system.k - 1) * system.support.gap / inside
    excess = inside * relative_excess(raised) + outside * relative_excess(max(-1.0, -raised * inside / outside))
    return float(excess) / system.k
