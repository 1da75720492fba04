"""dBitFlip: a client samples d of k values once, and memoizes a randomized bit for each of them."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.adversaries.priors import as_prior, prior_vector
from discretion.channels.channel import Channel, System
from discretion.channels.storage.storage import check_size
from discretion.errors import InvalidValueError, TooLargeError
from discretion.measures.guesses.vulnerability import Prior
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.mechanisms.mechanism import Reports, as_values
from discretion.mechanisms.protocols.memoized_rounds import MemoizedRounds
from discretion.mechanisms.protocols.unary_encoding import MAX_BITS_DRAWN, UnaryEncoding
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import Seed, coin_flips, random_source
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.binomial import binomial_pmf
from discretion.validation import as_count, as_crowd, as_indices, as_real, as_rows

# With a permanent loss beyond this, a double has too few digits for rare events.
_MAX_EPSILON = 600.0
_NOT_SAMPLED = -1


@dataclass(frozen=True, eq=False)
class DBitFlip(MemoizedRounds):
    """dBitFlip: a client samples d of the k values once, and reports a randomized bit for each of these.

    The client memoizes the sample and the bits, so that its report stays the same while its value stays the same.

    Parameters
    ----------
    k
        Number of values, at least 2.
    d
        Number of values that a client samples, in 1..k.
    epsilon
        The privacy parameter ε of the protocol, above 0 and at most 600: the bit of the client's value is 1 with
        probability ``e^(ε/2) / (e^(ε/2) + 1)``, the bit of another value with the complement. If d is 1,
        `discretion.ldp_epsilon` is ε/2.

    Notes
    -----
    A measure of this system covers all rounds in which the client's value is the same. Source: Ding, Kulkarni and
    Yekhanin, Collecting telemetry data privately, NIPS 2017.

    Examples
    --------
    >>> import discretion as dc
    >>> [round(dc.posterior_vulnerability(DBitFlip(100, d, 4)), 6) for d in (1, 10, 100)]
    [0.017616, 0.055935, 0.07389]
    """

    k: int
    d: int
    epsilon: float
    t: float = field(default=math.inf, init=False, repr=False)

    def __post_init__(self) -> None:
        k, d = as_values(self.k), as_count(self.d, "d", at_least=1)
        if d > k:
            raise InvalidValueError(f"d must be at most k = {k:,}, got {d:,}")
        if not 0 < as_real(self.epsilon, "epsilon") <= _MAX_EPSILON:
            raise InvalidValueError(f"epsilon must be above 0 and at most {_MAX_EPSILON:g}, got {self.epsilon!r}")

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        return self.k

    @property
    def plainest(self) -> System:
        """The system itself, since all rounds are one report."""
        return self

    def check_shuffled(self) -> None:
        """Accept a shuffler, since the memoized reports in a shuffled round are independent of each other."""

    @property
    def largest_loss(self) -> float:
        """The ε of all rounds with one value: that of two bits, or of one bit if d is 1."""
        return self.epsilon if self.d > 1 else self.epsilon / 2

    @property
    def _bits(self) -> UnaryEncoding:
        return UnaryEncoding.rappor(self.k, self.epsilon)

    def log_pair(self) -> tuple[Reals, Reals]:
        """Return the logarithms of the laws of two values' bits: of both, of one, or of none, by the sample."""
        k, d = self.k, self.d
        share = d / k
        both, neither = share * (d - 1) / (k - 1), (1 - share) * (k - d - 1) / (k - 1)
        one = share * (k - d) / (k - 1)
        likely, rare = self._bits.kappa, self._bits.lam
        apart, alike = (both * likely * likely, both * rare * rare), 2 * both * likely * rare
        first = [apart[0], apart[1], one * likely, one * rare, one * likely, one * rare]
        # The own bit is 1, the other 0; the reverse; the own alone 1 or 0; the other alone 0 or 1.
        second = [apart[1], apart[0], one * rare, one * likely, one * rare, one * likely]
        same = [alike, max(0.0, neither)]
        return logarithms(np.array(first + same)), logarithms(np.array(second + same))

    def best_guess(self, prior: Prior) -> float | None:
        """Return the posterior vulnerability with a uniform prior; the best guess is a value whose bit is 1, if any."""
        if prior is not None:
            return None
        half, zeros = self.epsilon / 2, self._bits.kappa**self.d
        some = -math.expm1(-self.d * math.log1p(math.exp(-half)))
        return (math.exp(half) * some + zeros * (1.0 if self.d < self.k else math.exp(-half))) / self.k

    def uniform_information(self) -> float:
        """Return the mutual information with a uniform prior, as a sum over the number of bits that are 1."""
        k, d, half = self.k, self.d, self.epsilon / 2
        ones = np.arange(d + 1)
        excesses = np.array([math.expm1(half), math.expm1(-half), 0.0])
        sizes = np.stack([ones, d - ones, np.full(d + 1, k - d)], axis=-1) / k
        means = sizes @ excesses
        seen = binomial_pmf(ones, d, self._bits.lam, self._bits.kappa) * (1 + means)
        divergence = sizes * relative_excess((excesses - means[:, None]) / (1 + means[:, None]))
        return float(seen @ divergence.sum(axis=1))

    def channel(self) -> Channel:
        """Return the explicit channel, its outputs rows with a bit or -1 for each value, or raise TooLargeError."""
        k, d = self.k, self.d
        columns = math.comb(k, d) * 2**d if k <= 64 else math.inf
        check_size(k, columns, f"dBitFlip with d = {d:,} of k = {k:,}", "use a measure of two values")
        outputs = list(self._outputs())
        listed = np.array(outputs)
        ratios = np.where(listed == _NOT_SAMPLED, 0.0, listed - 0.5) * self.epsilon
        bits = d * math.log(self._bits.kappa) - (listed == 1).sum(axis=1) * self.epsilon / 2
        return Channel(np.exp(bits + ratios.T) / math.comb(k, d), outputs=outputs)

    def _outputs(self) -> Iterator[tuple[int, ...]]:
        for sampled in itertools.combinations(range(self.k), self.d):
            for bits in itertools.product((0, 1), repeat=self.d):
                report = dict(zip(sampled, bits, strict=True))
                yield tuple(report.get(value, _NOT_SAMPLED) for value in range(self.k))

    def sample(self, values: ArrayLike, rng: Seed = None) -> Reports:
        """Return the report that each client memoizes for its value.

        Parameters
        ----------
        values
            Whole numbers in ``0..k-1``, shape ``(n,)``.
        rng
            A generator or a seed for simulation; None draws from the operating system's CSPRNG, as a client must.

        Returns
        -------
        numpy.ndarray
            Shape ``(n, k)``: the bit of each value, or -1 for a value that the client did not sample.
        """
        people, source, k = as_indices(values, "values", self.k), random_source(rng), self.k
        if people.size * k > (most := limits.current().numbers(MAX_BITS_DRAWN, each=16)):
            raise TooLargeError(
                f"the reports of {people.size:,} clients on k = {k:,} values are more than {most:,} bits; sample fewer "
                "clients at a time"
            )
        order = np.argsort(source.random(people.size * k).reshape(people.size, k), axis=1)
        bits = coin_flips(self._bits.lam, self._bits.kappa, people.size * k, source).reshape(people.size, k)
        own = np.arange(people.size), people
        bits[own] ^= 1
        reports = np.full(bits.shape, _NOT_SAMPLED, dtype=np.int8)
        sampled = order[:, : self.d]
        np.put_along_axis(reports, sampled, np.take_along_axis(bits, sampled, axis=1).astype(np.int8), axis=1)
        return reports

    def estimate_frequencies(self, reports: ArrayLike) -> Reals:
        """Return the raw, unbiased estimate of each value's share; it may leave [0, 1].

        Parameters
        ----------
        reports
            The reports that `sample` returned for n clients, n at least 1.

        Returns
        -------
        numpy.ndarray
            Shape ``(k,)``.
        """
        array = as_rows(reports, "reports")
        if array.ndim != 2 or len(array) == 0 or array.shape[1] != self.k or array.dtype.kind not in "iu":
            raise InvalidValueError(
                f"reports must be rows of {self.k} numbers, got an array of {array.dtype} of shape {array.shape}"
            )
        if array.min() < _NOT_SAMPLED or array.max() > 1 or ((array != _NOT_SAMPLED).sum(axis=1) != self.d).any():
            raise InvalidValueError(f"each report must have {self.d} bits, 0 or 1, and -1 for the other values")
        tallies = (array == 1).sum(axis=0) - self._bits.lam * (array != _NOT_SAMPLED).sum(axis=0)
        return tallies * (self.k / self.d) / self._bits.gap / len(array)

    def frequency_variance(self, n: int, frequencies: ArrayLike | None = None) -> Reals:
        """Return the variance of each estimated share when n clients hold the values in the given shares.

        Parameters
        ----------
        n
            Number of clients, at least 1. More rounds with the same values leave the variance as it is.
        frequencies
            The true shares, shape ``(k,)``; None means all equal.

        Returns
        -------
        numpy.ndarray
            Shape ``(k,)``. It includes only the protocol's noise: the people are not a sample.
        """
        shares = prior_vector(as_prior(frequencies, self.k), self.k)
        likely, rare, gap = self._bits.kappa, self._bits.lam, self._bits.gap
        scale = self.k / self.d / gap / gap
        own, other = scale * (likely**3 + rare**3) - 1, scale * likely * rare
        return (shares * own + (1 - shares) * other) / as_crowd(n, "n")
