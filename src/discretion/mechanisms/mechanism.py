"""The base class of local mechanisms: a channel on one person's value, with a sampler and an estimator."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discretion import limits
from discretion.adversaries.priors import as_prior, prior_vector
from discretion.channels.channel import Channel, Composable
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate
from discretion.measures.information.capacities import attained_uniformly, plan_shannon_capacity
from discretion.measures.measure import Plan
from discretion.mechanisms.device import DeviceWork
from discretion.mechanisms.reporting import Reporting
from discretion.mechanisms.wire import Encodable, Numbers, Wire
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.draws import RandomSource, Seed, generator, random_source
from discretion.validation import MAX_VALUES, as_confidence, as_count, as_crowd, as_indices, as_rows

# People whose reports are drawn one by one to be tallied.
MAX_PEOPLE_DRAWN = 10**8

_PEOPLE_AT_ONCE = 1 << 16

Reports = NDArray[np.integer[Any]]


class Mechanism(Reporting, Encodable, Composable):
    """A local randomizer of one of k values: a subclass defines the law, this class checks and vectorizes.

    A subclass has the attribute ``k``, and implements `epsilon`, `channel` and the other abstract methods; most are a
    `PureProtocol`, which needs fewer. A subclass whose reports are not whole numbers in ``0..k-1`` also defines their
    form, by `checked_reports`, and their bytes, by `wire`. It states other facts about its reports by overriding the
    general methods of `Reporting`.
    """

    k: int

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self):
            raise AttributeError(f"a mechanism cannot be changed; make another one with another {name}")
        object.__setattr__(self, name, value)

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        return self.k

    @property
    def tallies_per_report(self) -> int | None:
        """The number of tallies to which each report adds one; None if it differs between reports."""
        return None

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-locally differentially private."""

    @abstractmethod
    def _sample(self, values: Integers, source: RandomSource) -> Reports: ...

    @abstractmethod
    def _aggregate(self, reports: Reports) -> Integers: ...

    @abstractmethod
    def _frequencies(self, tallies: Integers, n: int) -> Reals: ...

    @abstractmethod
    def _frequency_variance(self, n: int, frequencies: Reals) -> Reals: ...

    @abstractmethod
    def likelihood_blocks(self, reports: Reports) -> Iterator[tuple[Reals, Integers]]:
        """Yield, for blocks of reports, each report's likelihood for each value, up to a factor, and its count."""

    def _sample_aggregate(self, counts: Integers, rng: np.random.Generator) -> Integers:
        if counts.sum() > (most := limits.current().steps(MAX_PEOPLE_DRAWN, each=16)):
            raise TooLargeError(
                f"tallies of {type(self).__name__} are drawn person by person, for at most {most:,} people, got "
                f"{counts.sum():,}; draw them part by part, or for fewer people"
            )
        # In blocks of people, the last of each one among those that hold the value where it ends.
        ends = np.cumsum(counts)
        tallies = self._aggregate(self.checked_reports([]))
        for start in range(0, int(ends[-1]), _PEOPLE_AT_ONCE):
            people = np.arange(start, min(start + _PEOPLE_AT_ONCE, int(ends[-1])))
            values = np.searchsorted(ends, people, side="right")
            tallies = tallies + self._aggregate(self._sample(values, random_source(rng)))
        return tallies

    def sample(self, values: ArrayLike, rng: Seed = None) -> Reports:
        """Return a report for each person's value.

        Parameters
        ----------
        values
            Whole numbers in ``0..k-1``, shape ``(n,)``.
        rng
            A generator or a seed for simulation; None draws from the operating system's CSPRNG, as a client must.

        Returns
        -------
        numpy.ndarray
            A report per person on the first axis.
        """
        return self._sample(as_indices(values, "values", self.k), random_source(rng))

    def aggregate(self, reports: ArrayLike) -> Integers:
        """Return the tallies of the reports, which suffice for an estimate; tallies of two crowds add up.

        Parameters
        ----------
        reports
            The reports that `sample` returned, possibly none.

        Returns
        -------
        numpy.ndarray
            Shape ``(k,)``: the number of reports that support each value; for an explicit channel, a count per output.
        """
        return self._aggregate(self.checked_reports(reports))

    def sample_aggregate(self, counts: ArrayLike, rng: int | np.random.Generator) -> Integers:
        """Return tallies, as `aggregate` returns them, of simulated reports of people whose values have these counts.

        Parameters
        ----------
        counts
            The number of people with each value, shape ``(k,)``.
        rng
            A generator or a seed. This is for simulation: clients never see each other's values.
        """
        array = as_rows(counts, "counts")
        if array.shape != (self.k,) or array.dtype.kind not in "iu" or array.min() < 0:
            raise InvalidValueError(f"counts must be {self.k} whole numbers of at least 0, got {counts!r:.80}")
        if float(array.sum(dtype=np.float64)) > (most := limits.current().people):
            raise TooLargeError(f"counts must sum to at most {most:,} people; draw the tallies part by part")
        return self._sample_aggregate(array.astype(np.int64), generator(rng))

    def estimate_frequencies(self, reports: ArrayLike) -> Reals:
        """Return the raw, unbiased estimate of each value's share; it may leave [0, 1].

        Parameters
        ----------
        reports
            The reports that `sample` returned for n people, n at least 1.

        Returns
        -------
        numpy.ndarray
            Shape ``(k,)``.
        """
        checked = self.informative_reports(reports)
        return self._frequencies(self._aggregate(checked), len(checked))

    def estimate_from_aggregate(self, tallies: ArrayLike, n: int) -> Reals:
        """Return the raw, unbiased estimate of each value's share from the tallies of n reports.

        Parameters
        ----------
        tallies
            The tallies that `aggregate` or `sample_aggregate` returned, or sums of such tallies.
        n
            Number of reports, at least 1.
        """
        n = as_crowd(n, "n")
        return self._frequencies(self._checked_tallies(tallies, n), n)

    def frequency_limits(
        self, tallies: ArrayLike, n: int, confidence: float = 0.95, *, simultaneous: bool = False
    ) -> tuple[Reals, Reals]:
        """Return confidence limits of each value's share among the n people who reported.

        They hold for any n and for any values of the people: only the mechanism's noise is random.

        Parameters
        ----------
        tallies
            The tallies that `aggregate` or `sample_aggregate` returned, or sums of such tallies.
        n
            Number of reports, at least 1.
        confidence
            The least probability with which the limits of a value hold, in (0, 1).
        simultaneous
            Whether the limits of all values hold at once with that probability: each value's limits then have the
            confidence ``1 - (1 - confidence)/k``.

        Returns
        -------
        tuple of numpy.ndarray
            The lower and the upper limits in [0, 1], each of shape ``(k,)``.

        Notes
        -----
        A `PureProtocol` has exact limits: if c of the n people hold the value, the number of reports that support it is
        ``Binomial(c, p) + Binomial(n - c, q)``, and the limits contain every c for which neither tail of that law is at
        most ``(1 - confidence)/2``. Clopper and Pearson's limits for a single binomial law refer to another share, that
        of a population from which people are drawn at random; for these n people they are wider, and their confidence
        is not guaranteed. A `ChannelMechanism` has Bernstein's limits, at the largest variance under any values.

        Examples
        --------
        >>> import discretion as dc
        >>> mechanism = dc.RandomizedResponse(2, p=0.75)
        >>> low, high = mechanism.frequency_limits([60, 40], 100)
        >>> low.tolist(), high.tolist()
        ([0.53, 0.12], [0.88, 0.47])
        """
        n = as_crowd(n, "n")
        misses = (1 - as_confidence(confidence)) / (self.k if simultaneous else 1)
        return self._frequency_limits(self._checked_tallies(tallies, n), n, misses)

    def _frequency_limits(self, tallies: Integers, n: int, misses: float) -> tuple[Reals, Reals]:
        raise UnsupportedError(
            f"no confidence limits are available for {type(self).__name__}; take a PureProtocol, or a "
            "ChannelMechanism of its channel"
        )

    def _checked_tallies(self, tallies: ArrayLike, n: int) -> Integers:
        array = as_rows(tallies, "tallies")
        shape = self._aggregate(self.checked_reports([])).shape
        if array.shape != shape or array.dtype.kind not in "iu" or array.min() < 0 or array.max() > n:
            raise InvalidValueError(f"tallies must be {shape[0]} whole numbers in 0..{n}, got {tallies!r:.80}")
        if self.tallies_per_report is not None and array.sum() != n * self.tallies_per_report:
            raise InvalidValueError(
                f"tallies of n = {n:,} reports must sum to {n * self.tallies_per_report:,}, "
                f"got a sum of {array.sum():,}"
            )
        self.check_informative()
        return array.astype(np.int64)

    def frequency_variance(self, n: int, frequencies: ArrayLike | None = None) -> Reals:
        """Return the variance of each estimated share if n people hold the values in the given shares.

        Parameters
        ----------
        n
            Number of reports, at least 1.
        frequencies
            The true shares, shape ``(k,)``; None means all equal.

        Returns
        -------
        numpy.ndarray
            Shape ``(k,)``, infinite when ε = 0. It includes only the mechanism's noise: the people are not a sample.
        """
        shares = as_prior(frequencies, self.k)
        n = as_crowd(n, "n")
        return self._frequency_variance(n, prior_vector(shares, self.k))

    def checked_reports(self, reports: ArrayLike) -> Reports:
        """Return the reports as an array, one for each index of its first axis, or raise an error."""
        return as_indices(reports, "reports", self.k)

    def informative_reports(self, reports: ArrayLike) -> Reports:
        """Return the checked reports, or raise an error if nothing can be estimated from them."""
        checked = self.checked_reports(reports)
        if len(checked) == 0:
            raise InvalidValueError("reports must hold at least one report, got none")
        self.check_informative()
        return checked

    @property
    def wire(self) -> Wire:
        """The encoding of reports: numbers in ``0..k-1``."""
        return Numbers(self.k)

    @property
    def device_work(self) -> DeviceWork:
        """The work that a report takes on a device."""
        raise self._has_no_recipe()

    def device_recipe(self) -> dict[str, Any]:
        """Return a device's recipe for a report, in whole numbers: ``rule``, ``coins`` and the rule's constants."""
        raise self._has_no_recipe()

    def _has_no_recipe(self) -> UnsupportedError:
        return UnsupportedError(
            f"{type(self).__name__} has no recipe for devices; define device_recipe and device_work"
        )

    def check_informative(self) -> None:
        """Raise if reports carry no information, so that nothing can be estimated from them."""
        if math.isinf(self.frequency_variance(1)[0]):
            raise InvalidValueError(
                f"reports of a mechanism with epsilon = {self.epsilon:g} have no information on the values; take a "
                "larger epsilon"
            )


def as_mechanism(system: object, use: str) -> Mechanism:
    """Return the system if it is a local mechanism; else raise an error that names the use that needs one."""
    if not isinstance(system, Mechanism):
        hint = "; wrap it with discretion.ChannelMechanism" if isinstance(system, Channel) else ""
        raise UnsupportedError(
            f"{use} needs a local mechanism on k values, such as krr or oue, got {type(system).__name__}{hint}"
        )
    return system


def as_values(k: int, name: str = "k") -> int:
    """Return a number of values, at least 2 and small enough for a prior to fit in memory."""
    k = as_count(k, name, at_least=2)
    if k > (most := limits.current().numbers(MAX_VALUES)):
        raise TooLargeError(f"{name} must be at most {most:,}, so that a prior fits in memory; got more")
    return k


@plan_shannon_capacity.register
def _shannon_capacity_of_mechanism(system: Mechanism, tolerance: float) -> Plan[Estimate]:
    if system.is_symmetric:
        return attained_uniformly(system)
    return plan_shannon_capacity.dispatch(object)(system, tolerance)
