"""Unary encoding: the value as a row of bits, one of them set, every bit randomized by itself."""

import functools
import itertools
import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel
from discretion.errors import InvalidValueError, TooLargeError
from discretion.mechanisms.device import DeviceWork, coin
from discretion.mechanisms.mechanism import RandomSource, Reports, as_values
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.reporting import Overlaps, Sender, Support, SupportSizes, known_values
from discretion.mechanisms.wire import Bits
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.draws import coin_flips, column_sums, heads
from discretion.numerics.laws.binomial import binomial_window, multinomial_pmf
from discretion.numerics.matrices import merged_columns
from discretion.validation import as_epsilon, as_probability, as_rows

# Types of reports of bits, in a population of unequal shares.
MAX_REPORT_TYPES = 1 << 16

# Bits of the reports of unary encoding that are drawn at once.
MAX_BITS_DRAWN = 1 << 32
# Bits of a report of unary encoding, all of which are written out: 2^18 columns.
MAX_BITS_LISTED = 18

_MOST_LOUD = 700.0


class UnaryEncoding(PureProtocol):
    """Unary encoding: k bits; the value's own bit is reported as 1 with probability κ, every other bit with λ.

    ``ε = log(κ(1-λ) / ((1-κ)λ))``

    Parameters
    ----------
    k
        Number of values, at least 2 and at most 10⁸; no k × 2ᵏ matrix is built where a closed form exists.
    kappa
        The probability κ that the value's own bit is reported as 1.
    lam
        The probability λ that another value's bit is reported as 1; ``0 <= λ <= κ <= 1``.

    Attributes
    ----------
    kappa, not_kappa, lam, not_lam, gap : float
        κ, 1-κ, λ, 1-λ and κ-λ, each to full precision however small.

    Notes
    -----
    A report is a row of k bits; `rappor`, `oue` and `blh` are the usual choices of κ and λ. Source: LDP-info, section
    10.2.

    Examples
    --------
    >>> mechanism = UnaryEncoding(3, kappa=0.5, lam=0.25)
    >>> round(mechanism.epsilon, 6), mechanism.channel().shape
    (1.098612, (3, 8))
    >>> mechanism.sample([0, 2], rng=1).shape
    (2, 3)
    """

    title = "unary encoding"

    def __init__(self, k: int, kappa: float, lam: float) -> None:
        own, other = as_probability(kappa, "kappa"), as_probability(lam, "lam")
        if own < other:
            raise InvalidValueError(
                f"kappa must be at least lam, got {kappa!r} and {lam!r}; invert every bit, which changes them to "
                f"{1 - own:.6g} and {1 - other:.6g}"
            )
        self._settle(k, (own, 1 - own), (other, 1 - other), own - other)
        self._epsilon = _log_ratio(own, other, self.gap) + _log_ratio(1 - other, 1 - own, self.gap)

    def _settle(self, k: int, own: tuple[float, float], other: tuple[float, float], gap: float) -> None:
        self.k = as_values(k)
        (self.kappa, self.not_kappa), (self.lam, self.not_lam), self.gap = own, other, gap

    @classmethod
    def _at(
        cls, k: int, own: tuple[float, float], other: tuple[float, float], gap: float, epsilon: float
    ) -> "UnaryEncoding":
        mechanism = cls.__new__(cls)
        mechanism._settle(k, own, other, gap)
        mechanism._epsilon = epsilon
        return mechanism

    @classmethod
    def rappor(cls, k: int, epsilon: float) -> "UnaryEncoding":
        """Return basic RAPPOR, which treats ones and zeros symmetrically: ``κ = 1-λ = e^(ε/2) / (e^(ε/2) + 1)``.

        Parameters
        ----------
        k
            Number of values, at least 2.
        epsilon
            The privacy parameter ε >= 0, up to infinity.

        Notes
        -----
        Source: LDP-info, Table 10.1; Erlingsson, Pihur and Korolova, RAPPOR, CCS 2014.

        Examples
        --------
        >>> mechanism = UnaryEncoding.rappor(100, epsilon=2)
        >>> round(mechanism.kappa, 6), round(mechanism.lam, 6), mechanism.epsilon
        (0.731059, 0.268941, 2.0)
        """
        epsilon = as_epsilon(epsilon)
        likely, rare = _sigmoids(epsilon / 2)
        return cls._at(k, (likely, rare), (rare, likely), math.tanh(epsilon / 4), epsilon)

    @classmethod
    def oue(cls, k: int, epsilon: float) -> "UnaryEncoding":
        """Return optimized unary encoding, with the least variance for rare values: ``κ = 1/2``, ``λ = 1/(e^ε + 1)``.

        Parameters
        ----------
        k
            Number of values, at least 2.
        epsilon
            The privacy parameter ε >= 0, up to infinity.

        Notes
        -----
        Source: LDP-info, Table 10.1; Wang, Blocki, Li and Jha, USENIX Security 2017.

        Examples
        --------
        >>> mechanism = UnaryEncoding.oue(100, epsilon=2)
        >>> mechanism.kappa, round(mechanism.lam, 6), mechanism.epsilon
        (0.5, 0.119203, 2.0)
        """
        epsilon = as_epsilon(epsilon)
        likely, rare = _sigmoids(epsilon)
        return cls._at(k, (0.5, 0.5), (rare, likely), math.tanh(epsilon / 2) / 2, epsilon)

    @classmethod
    def blh(cls, k: int, epsilon: float) -> "UnaryEncoding":
        """Return binary local hashing as unary encoding: ``κ = e^ε / (e^ε + 1)``, ``λ = 1/2``.

        Parameters
        ----------
        k
            Number of values, at least 2.
        epsilon
            The privacy parameter ε >= 0, up to infinity.

        Notes
        -----
        A bit is 1 if its value has the reported hash. Source: LDP-info, Table 10.1.

        Examples
        --------
        >>> mechanism = UnaryEncoding.blh(100, epsilon=2)
        >>> round(mechanism.kappa, 6), mechanism.lam, mechanism.epsilon
        (0.880797, 0.5, 2.0)
        """
        epsilon = as_epsilon(epsilon)
        likely, rare = _sigmoids(epsilon)
        return cls._at(k, (likely, rare), (0.5, 0.5), math.tanh(epsilon / 2) / 2, epsilon)

    def randomized_again(self, step: "UnaryEncoding") -> "UnaryEncoding":
        """Return the encoding whose reported bits another step randomizes again, by its κ for a 1 and λ for a 0.

        Parameters
        ----------
        step
            Unary encoding with the same number of values.

        Examples
        --------
        >>> UnaryEncoding(3, kappa=0.75, lam=0.25).randomized_again(UnaryEncoding(3, kappa=0.5, lam=0))
        UnaryEncoding(k=3, kappa=0.375, lam=0.125)
        """
        own, other = (
            (one * step.kappa + zero * step.lam, one * step.not_kappa + zero * step.not_lam)
            for one, zero in ((self.kappa, self.not_kappa), (self.lam, self.not_lam))
        )
        gap = self.gap * step.gap
        epsilon = _log_ratio(own[0], other[0], gap) + _log_ratio(other[1], own[1], gap)
        return self._at(self.k, own, other, gap, epsilon)

    @property
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-locally differentially private."""
        return self._epsilon

    @property
    def support(self) -> Support:
        """The probabilities of support: a report supports the values whose bits are 1."""
        return Support(self.kappa, self.not_kappa, self.lam, self.not_lam, self.gap)

    @property
    def contest(self) -> tuple[float, float]:
        """The probabilities that the bits of two values differ, and that they are equal."""
        return self.kappa * self.not_lam, self.kappa * self.lam + self.not_kappa * self.not_lam

    @property
    def support_sizes(self) -> SupportSizes:
        """The law of the number of supported values, the ones of a report."""
        first, masses = binomial_window(self.k - 1, self.lam, self.not_lam)
        probabilities = np.zeros(masses.size + 1)
        probabilities[1:] += self.kappa * masses
        probabilities[:-1] += self.not_kappa * masses
        return SupportSizes(first + np.arange(probabilities.size), probabilities)

    @property
    def overlaps(self) -> Overlaps | None:
        """The overlaps of supports: bits are independent."""
        three = (self.lam**3,) if self.k > 2 else ()
        return self._overlapping(self.lam, self.lam**2, three, self.lam**self.k)

    @property
    def is_symmetric(self) -> bool:
        """Whether renaming the values only renames the reports: yes, as all bits have the same two laws."""
        return True

    @property
    def bits(self) -> Support:
        """The probabilities that a bit is 1: κ for the value's own bit, λ for every other bit."""
        return self.support

    @property
    def blanket_probability(self) -> float:
        """The probability of the blanket: the sum, over reports, of the probability from the least likely value."""
        all_set = self.kappa * self.lam ** (self.k - 1)
        return min(1.0, _ratio(self.not_kappa, self.not_lam) * (1 - self.lam**self.k) + all_set)

    def events(self) -> list[Reals]:
        """Return the event that the first bit is 1."""
        return [np.where(np.arange(self.k) == 0, self.kappa, self.lam)]

    def report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the probability of each type of report: the bits of known values, and counts of the others."""
        apart = known_values(values, senders)
        population = next((sender.population for sender in senders if sender.population is not None), None)
        strangers = any(sender.value is None for sender in senders)
        rest = prior_vector(population, self.k)
        masses, sizes = np.unique(np.delete(rest, apart), return_counts=True)
        blocks = [1] * len(apart) + (sizes.tolist() if strangers else [])
        if np.prod([size + 1.0 for size in blocks]) > limits.current().numbers(MAX_REPORT_TYPES):
            known = f"{len(apart):,} known values"
            shares = f"{known} and a population with {len(sizes):,} different shares" if strangers else known
            raise TooLargeError(
                f"reports of {self.k:,} bits have too many types to list for {shares}; let the other users have fewer "
                "values, or take the uniform population"
            )
        # A block is one bit, or the number of set bits of equally frequent values: without and with the user's own.
        silent = [_ones(size, self.support) for size in blocks]
        own = [np.convolve(_ones(size - 1, self.support), [self.not_kappa, self.kappa]) for size in blocks]

        def law(block: int | None) -> Reals:
            parts = [own[i] if i == block else silent[i] for i in range(len(blocks))]
            return reduce(lambda types, part: np.multiply.outer(types, part).ravel(), parts)

        # The least likely value of a report is one whose bit is not set; if all are, none is less likely than another.
        least = law(None) * _ratio(self.not_kappa, self.not_lam)
        least[-1] = law(0)[-1]

        def row(sender: Sender) -> Reals:
            if sender.value is not None:
                return law(apart.index(sender.value))
            if sender.blanket:
                return least / least.sum()
            shares = [*rest[apart], *(masses * sizes)]
            return np.sum([share * law(block) for block, share in enumerate(shares) if share], axis=0)

        types = np.stack([*(law(apart.index(value)) for value in values), *map(row, senders)])
        if not strangers and len(apart) == self.k:  # no set bit carries as little information as all set bits
            return merged_columns(types)[0]
        # Of a type rarer than the least normal double, not even the ratios are known.
        return types[:, types.max(axis=0) >= np.finfo(np.float64).tiny]

    def log_report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the logarithms of the types' probabilities; raise if wrong bits are too rare for a double."""
        if _MOST_LOUD < self.epsilon < math.inf:
            raise TooLargeError(
                f"at epsilon = {self.epsilon:g} the probability of wrong bits does not fit in a double; take an "
                f"epsilon of at most {_MOST_LOUD:g}, or measure the mechanism alone, which hides at most as much as "
                "the crowd"
            )
        return super().log_report_types(values, senders)

    def channel(self) -> Channel:
        """Return the k × 2ᵏ channel, its outputs tuples of bits from all 0 to all 1, or raise TooLargeError."""
        if self.k > MAX_BITS_LISTED:
            raise TooLargeError(
                f"unary encoding with k = {self.k:,} has 2^{self.k} reports, and an explicit channel may have at most "
                f"2^{MAX_BITS_LISTED}; use a measure that has a closed form"
            )
        own, other = np.array([self.not_kappa, self.kappa]), np.array([self.not_lam, self.lam])
        coins = [[own if bit == value else other for bit in range(self.k)] for value in range(self.k)]
        matrix = [functools.reduce(np.kron, row) for row in coins]
        return Channel(matrix, outputs=itertools.product((0, 1), repeat=self.k))

    def __repr__(self) -> str:
        return f"UnaryEncoding(k={self.k}, kappa={self.kappa:g}, lam={self.lam:g})"

    @property
    def device_work(self) -> DeviceWork:
        """The work of a report: a coin for each bit."""
        return DeviceWork(self.k)

    def device_recipe(self) -> dict[str, Any]:
        """Return the recipe for a device, with both coins."""
        return {
            "rule": "Report a bit for each value: for the person's own value a flip of the coin own, for each other "
            "value a flip of the coin other.",
            "coins": {"own": coin(self.kappa, self.not_kappa), "other": coin(self.lam, self.not_lam)},
        }

    def _sample(self, values: Integers, source: RandomSource) -> Reports:
        people = values.size
        if people * self.k > (most := limits.current().numbers(MAX_BITS_DRAWN, each=1)):
            raise TooLargeError(
                f"the reports of {people:,} people on k = {self.k:,} values are more than {most:,} bits; "
                "sample fewer people at a time"
            )
        reports = coin_flips(self.lam, self.not_lam, people * self.k, source).reshape(people, self.k)
        reports[np.arange(people), values] = coin_flips(self.kappa, self.not_kappa, people, source)
        return reports

    def _sample_aggregate(self, counts: Integers, rng: np.random.Generator) -> Integers:
        # Bits are independent of each other, so that the tallies are.
        own = heads(counts, self.kappa, self.not_kappa, rng)
        return own + heads(counts.sum() - counts, self.lam, self.not_lam, rng)

    @property
    def wire(self) -> Bits:
        """The encoding of reports: bits, eight in a byte."""
        return Bits(self.k)

    def checked_reports(self, reports: ArrayLike) -> Reports:
        """Return the reports as rows of k bits, or raise an error."""
        array = as_rows(reports, "reports")
        if array.shape == (0,):
            return np.empty((0, self.k), dtype=np.uint8)
        if array.ndim != 2 or array.shape[1] != self.k or array.dtype.kind not in "iub":
            raise InvalidValueError(
                f"reports must be rows of {self.k} bits, got an array of {array.dtype} of shape {array.shape}"
            )
        if array.size and (array.min() < 0 or array.max() > 1):
            raise InvalidValueError(f"reports must be bits, 0 or 1, got {array[(array < 0) | (array > 1)][0]}")
        return array

    def _supports(self, reports: Reports) -> Booleans:
        return reports.astype(np.bool_, copy=False)

    def _aggregate(self, reports: Reports) -> Integers:
        return column_sums(reports)


def _sigmoids(exponent: float) -> tuple[float, float]:
    """Return ``e^x/(e^x+1)`` and ``1/(e^x+1)`` for x >= 0."""
    odds = math.exp(-exponent)
    return 1 / (1 + odds), odds / (1 + odds)


def _log_ratio(large: float, small: float, difference: float) -> float:
    """Return ``log(large/small)``, given also their difference; 0 if that is 0."""
    if difference == 0:
        return 0.0
    if small == 0:
        return math.inf
    ratio = difference / small
    return math.log1p(ratio) if ratio < math.inf else math.log(large) - math.log(small)


def _ones(size: int, bits: Support) -> Reals:
    """Return the law of the number of set bits among ``size`` other values' bits."""
    counts = np.arange(size + 1)
    return multinomial_pmf(np.stack([counts, size - counts], axis=-1), (bits.other, bits.not_other))


def _ratio(p: float, q: float) -> float:
    return p / q if q > 0 else 0.0
