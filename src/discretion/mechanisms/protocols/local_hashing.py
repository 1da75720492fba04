"""Local hashing: hash the value into a few classes by a random function, and report the class by k-RR.

The functions are linear over finite fields (`discretion.numerics.hashing.linear_hashing`), one for each factor of the
number of classes, so that two values collide with probability exactly 1/g. Let p be the probability of the truth and q
that of each lie. A report supports a value other than its sender's with probability ``p/g + q(g-1)/g``, depending on
whether the two collide; this is 1/g, since ``p + (g-1)q = 1``.

Its leakage has closed forms where the classes are the elements of a single field. The adversary sees the function, so
that the leakage is the mean, over functions, of the leakage of k-RR about the class. A function with exactly m lowest
coefficients of 0 takes ``g^m`` successive values to one class, and spreads blocks of ``g^(m+1)`` evenly.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discretion.adversaries.gains import Gain, IdentityGain, TriesGain
from discretion.channels.channel import Channel
from discretion.channels.storage.storage import check_size
from discretion.errors import TooLargeError
from discretion.estimate import Estimate
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.capacities import attained_uniformly, plan_shannon_capacity
from discretion.measures.information.entropies import plan_posterior_guessing_entropy
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.device import DeviceWork, coin
from discretion.mechanisms.mechanism import RandomSource, Reports, as_values
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.protocols.ranked_supports import kinds_by_support, plan_ranked_sum
from discretion.mechanisms.reporting import Overlaps, Sender, Support, SupportSizes, reporting
from discretion.mechanisms.wire import Numbers
from discretion.numerics.arrays import AnyIntegers, Booleans, Integers, Reals
from discretion.numerics.draws import coin_flips
from discretion.numerics.hashing.finite_field import LARGEST_EXTENSION, prime_factors
from discretion.numerics.hashing.linear_hashing import NARROW, LinearHashing, split
from discretion.validation import as_count, as_epsilon, as_indices

CLOSED_FORM = Method("closed form of local hashing", "closed form")
MOST_CLASSES = 10**6
# Numbers that fit in the processor's cache.
_PEOPLE_AT_ONCE = 1 << 13


class LocalHashing(PureProtocol):
    """Local hashing: a random linear function takes the values to g classes; g-ary RR reports the class.

    A report supports all values of its class: the sender's value with probability ``e^ε / (e^ε + g - 1)``, each other
    value with ``1/g``.

    Parameters
    ----------
    k
        Number of values, at least 2 and at most 10⁸.
    epsilon
        The privacy parameter ε >= 0, up to infinity.
    g
        Number of classes, at least 2 and at most 10⁶; 2 is binary local hashing (BLH). None takes the prime power with
        the least variance for a rare value's share (OLH), which is near ``e^ε + 1``.

    Attributes
    ----------
    g, functions : int
        The numbers of classes and of functions.
    families : tuple of LinearHashing
        The functions, for each factor of g.
    answer : RandomizedResponse
        The randomized response that reports the class.

    Raises
    ------
    TooLargeError
        If k or g is over its limit, or a report does not fit in 63 bits, which may happen if g has several prime
        factors.

    Notes
    -----
    A report is the whole number ``function · g + class``. Where g is a prime, the function's digits to the base g are
    the coefficients of ``h(v) = Σ_i a_i v_i mod g``, the ``v_i`` being the digits of v; where it is a prime power, the
    sum is in GF(g), numbered as by `discretion.numerics.hashing.finite_field.FiniteField`. Otherwise function and class
    are mixed-radix numbers, with one digit for each prime power factor of g, the lowest for the smallest prime (a power
    over 4096 of a smaller prime counts as several factors).

    If g is a prime power, a Fourier transform computes the tallies; else a loop over people and values. Therefore None
    takes a prime power, although another g may have a variance that is lower by about 1 %.

    Source: Wang, Blocki, Li and Jha, Locally Differentially Private Protocols for Frequency Estimation, USENIX Security
    2017. LDP-info (Example 7.4 and equation 7.6) hashes by all functions from values to classes. The linear functions
    here collide as often, so that estimates and their variance are the same. The information of reports on people and
    population differs a little for three or more values (for two classes, four or more): with k = 4, ε = 1/2 and g = 3
    the average privacy is 0.983244 for the linear functions and 0.983302 for all functions. The best guess differs
    more: with k = 4, ε = 1 and g = 4 the posterior vulnerability is 0.4190 for the linear functions and 0.3803 for all
    functions. So a refinement with local hashing holds for the linear functions alone.

    Examples
    --------
    >>> mechanism = LocalHashing(1000, epsilon=1)
    >>> mechanism.g, mechanism.functions
    (4, 1024)
    >>> round(float(mechanism.frequency_variance(1)[0]), 6)
    3.692873
    >>> [divmod(report, mechanism.g) for report in mechanism.sample([0, 7, 999], rng=1).tolist()]
    [(484, 3), (524, 3), (773, 3)]
    """

    title = "local hashing"

    def __init__(self, k: int, epsilon: float, g: int | None = None) -> None:
        self.k, self._epsilon = as_values(k), as_epsilon(epsilon)
        self.g = _best_classes(self._epsilon) if g is None else as_count(g, "g", at_least=2)
        if self.g > MOST_CLASSES:
            classes = f"{self.g:,}" if self.g < 1 << 63 else "more"
            raise TooLargeError(f"g must be at most {MOST_CLASSES:,}, got {classes}; leave g out to get the best one")
        self.families = tuple(LinearHashing(self.k, order) for order in _field_orders(self.g))
        self.functions = math.prod(family.functions for family in self.families)
        if self.functions * self.g >= 1 << 63:
            raise TooLargeError(
                f"a report of local hashing with k = {self.k:,} and g = {self.g:,} does not fit in 63 bits; take a "
                f"prime power for g, such as {_field_below(self.g)}"
            )
        self.answer = RandomizedResponse(self.g, self._epsilon)

    @property
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-locally differentially private."""
        return self._epsilon

    @property
    def support(self) -> Support:
        """The probabilities of support: a report supports the values that its function takes to its class."""
        own, not_own, *_ = self.answer.support
        separated = (self.g - 1) / self.g
        return Support(own, not_own, 1 / self.g, separated, separated * self.answer.gap)

    @property
    def contest(self) -> tuple[float, float]:
        """The probabilities of one or both of two values, which collide or not; the report may name a third class."""
        separated = (self.g - 1) / self.g
        return separated * self.answer.p, 1 / self.g + separated * (self.g - 2) * self.answer.q

    @property
    def support_sizes(self) -> SupportSizes | None:
        """The law of the number of supported values: a mean over linear functions, by their number of low zeros.

        LDP-info's equation 7.6 is the same mean over all functions.
        """
        family, *more = self.families
        if more:
            return None
        # The function that is 0 takes all values to one class.
        sizes = [np.array([self.k])]
        probabilities: list[Reals] = [np.array([float(self.g) ** -family.digits])]
        for zeros, law in enumerate(self.laws_of_classes()):
            counts, times = np.unique(np.rint(law * self.k).astype(np.int64), return_counts=True)
            sizes.append(counts)
            answered = self.answer.q + self.answer.gap * counts / self.k
            probabilities.append(float(self.g) ** -zeros * (1 - 1 / self.g) * times * answered)
        return SupportSizes(np.concatenate(sizes), np.concatenate(probabilities))

    @property
    def overlaps(self) -> Overlaps | None:
        """The overlaps: classes of two values are independent; of three values on a line, two determine the third.

        Three values are on a line if two of their differences are multiples of each other, as for 0, 1 and 2 with more
        than two classes. Three values off a line exist if some number has two digits, such as 0, 1 and the first such
        number.
        """
        if not _over_a_field(self):
            return None
        g = self.g
        three = (g**-2,) * (self.k > 2 and g > 2) + (g**-3,) * (self.k > max(g, 2))
        return self._overlapping(1 / g, g**-2, three, 1 / (self.functions * g))

    def laws_of_classes(self) -> Iterator[Reals]:
        """Yield the law of a uniform value's class, up to the classes' order, by the number of low coefficients 0.

        The functions are over a single field.
        """
        for run in (self.g**zeros for zeros in range(self.families[0].digits)):
            unspread = self.k % (run * self.g)
            counts = np.full(self.g, (self.k - unspread) // self.g)
            counts[: unspread // run] += run
            counts[unspread // run] += unspread % run
            yield counts / self.k

    def with_epsilon(self, epsilon: float) -> "LocalHashing":
        """Return local hashing to the same number of classes with another ε."""
        return LocalHashing(self.k, epsilon, self.g)

    @property
    def blanket_probability(self) -> float:
        """The probability of the blanket: each report is a lie for some value, unless all values are in one class."""
        return min(1.0, self.g * self.answer.q + self.answer.gap / self.functions)

    def events(self) -> list[Reals]:
        """Return the event that a report supports the first value."""
        return [np.where(np.arange(self.k) == 0, self.support.own, self.support.other)]

    def report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the probability of each type of report: the value that it supports, if it supports at most one."""
        if not _one_to_one(self):
            return super().report_types(values, senders)
        what = f"the types of reports of local hashing with k = {self.k:,}"
        check_size(self.k, self.k + 1, what, "use a measure that has a closed form")
        telling, untold = 1 - 1 / self.g, 1 / self.g + (1 - 1 / self.g) * (self.g - self.k) * self.answer.q
        supported = telling * (self.answer.q + self.answer.gap * np.eye(self.k))
        types = Channel(np.column_stack([supported, np.full(self.k, untold)]))
        return reporting(types).report_types(values, senders)

    def pair_kinds(self) -> Integers:
        """Return the kinds of pairs of values: the hashes of pairs of a kind have the same relations to all values'."""
        if _one_to_one(self):
            return np.zeros((self.k, self.k), dtype=np.int64)
        return kinds_by_support(self._listed_supports())

    def channel(self) -> Channel:
        """Return the channel from values to all reports, in their order, or raise TooLargeError."""
        return self._explicit

    @cached_property
    def _explicit(self) -> Channel:
        return Channel(np.where(self._listed_supports().T, self.answer.p, self.answer.q) / self.functions)

    def _listed_supports(self) -> Booleans:
        reports = self.functions * self.g
        what = f"local hashing with k = {self.k:,} and g = {self.g:,}, which has {reports:,} reports,"
        check_size(self.k, reports, what, "use a measure that has a closed form")
        return np.concatenate([self._supports(block) for block in self._blocks(np.arange(reports))])

    def __repr__(self) -> str:
        return f"LocalHashing(k={self.k}, epsilon={self.epsilon:g}, g={self.g})"

    @property
    def wire(self) -> Numbers:
        """The encoding of reports: function and class in one number."""
        return Numbers(self.functions * self.g)

    def checked_reports(self, reports: ArrayLike) -> Reports:
        """Return the reports as whole numbers below ``functions · g``, or raise an error."""
        return as_indices(reports, "reports", self.functions * self.g)

    @property
    def device_work(self) -> DeviceWork:
        """The work of a report: a function, a coin, a class, and one hash of the value."""
        return DeviceWork(3, 1)

    def device_recipe(self) -> dict[str, Any]:
        """Return the recipe for a device: the coin of the lie, and the functions; their number may need to be text."""
        own, not_own, *_ = self.support
        return {
            "rule": "Draw a uniform function, a whole number below functions. It is a mixed-radix number, as is the "
            "class: the digit of the first family is the lowest. Of each family the function's digits a_i to the base "
            "classes, the lowest first, and the value's digits v_i give the class sum a_i v_i, in the field with that "
            "number of elements. If the coin lie shows 1, add 1 and a uniform whole number below g - 1 to the class, "
            "modulo g. "
            "Report function times g plus class.",
            "coins": {"lie": coin(not_own, own)},
            "g": self.g,
            "functions": str(self.functions),
            "families": [family.recipe() for family in self.families],
        }

    def _sample(self, values: Integers, source: RandomSource) -> Integers:
        own, not_own, *_ = self.support
        reports = np.empty(values.size, dtype=np.int64)
        for start in range(0, values.size, _PEOPLE_AT_ONCE):
            part = values[start : start + _PEOPLE_AT_ONCE]
            functions = source.integers(self.functions, size=part.size)
            classes = self._classes(functions, part)
            lies = np.flatnonzero(coin_flips(not_own, own, part.size, source).view(np.bool_))
            classes[lies] += 1 + source.integers(self.g - 1, size=lies.size).astype(classes.dtype)
            # Below 0 the difference wraps around to what is larger.
            reports[start : start + part.size] = functions * self.g + np.minimum(classes, classes - self.g)
        return reports

    def _classes(self, functions: AnyIntegers, values: Integers) -> NDArray[np.uint32]:
        *others, last = self.families
        classes, place = np.zeros(values.size, NARROW), 1
        for family in others:
            functions, numbers = split(functions, family.functions)
            classes += place * family.classes_of(numbers, values)
            place *= family.classes
        classes += place * last.classes_of(functions, values)
        return classes

    def _parts(self, reports: Reports) -> Iterator[tuple[LinearHashing, AnyIntegers, AnyIntegers]]:
        functions, classes = np.divmod(reports, self.g)
        for family in self.families:
            functions, numbers = split(functions, family.functions)
            classes, reported = split(classes, family.classes)
            yield family, numbers, reported

    def _supports(self, reports: Reports) -> Booleans:
        hits = (family.hits(functions, classes) for family, functions, classes in self._parts(reports))
        return np.logical_and.reduce(list(hits))

    def _aggregate(self, reports: Reports) -> Integers:
        if len(self.families) > 1 or reports.size == 0:
            return super()._aggregate(reports)
        weights = np.ones(reports.size, dtype=np.int64)
        if self.functions * self.g <= reports.size:
            counts = np.bincount(reports)
            reports = np.flatnonzero(counts)
            weights = counts[reports]
        ((family, functions, classes),) = self._parts(reports)
        return family.hit_counts(functions, classes, weights)


def _best_classes(epsilon: float) -> int:
    """Return the prime power g that minimizes ``(e^ε + g - 1)² / (g - 1)``, which is proportional to the variance.

    Over the reals the minimum is at ``e^ε + 1``, so that one of the two prime powers around it is the best.
    """
    odds = min(math.exp(min(epsilon, 20.0)), float(MOST_CLASSES))
    below = _field_below(math.floor(odds) + 1)
    above = next(g for g in itertools.count(below + 1) if _is_field_order(g))
    return below if odds * odds <= (below - 1) * (above - 1) or above > MOST_CLASSES else above


def _field_below(g: int) -> int:
    return next(order for order in range(min(g, MOST_CLASSES), 1, -1) if _is_field_order(order))


def _is_field_order(g: int) -> bool:
    return len(list(_field_orders(g))) == 1


def _field_orders(g: int) -> Iterator[int]:
    """Yield the least number of orders of finite fields whose product is g."""
    for prime, exponent in prime_factors(g).items():
        largest = max(1, int(math.log(LARGEST_EXTENSION + 0.5, prime)))
        for start in range(0, exponent, largest):
            yield prime ** min(largest, exponent - start)


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_local_hashing(system: LocalHashing) -> Plan[float | Estimate]:
    if not _over_a_field(system):
        return plan_multiplicative_bayes_capacity.dispatch(object)(system)
    return Plan(CLOSED_FORM, lambda: _capacity(system))


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_local_hashing(system: LocalHashing, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    if isinstance(gain, IdentityGain) and prior is None and _over_a_field(system):
        return Plan(CLOSED_FORM, lambda: _capacity(system) / system.k)
    if isinstance(gain, IdentityGain) and prior is not None and _one_to_one(system):
        guess = plan_posterior_vulnerability(system.answer, _of_classes(system, prior), gain)
        return Plan(CLOSED_FORM, lambda: (float(prior.max()) + (system.g - 1) * float(guess.compute())) / system.g)
    if isinstance(gain, TriesGain) and prior is None and _over_a_field(system):
        return plan_ranked_sum(system, np.ones(gain.tries))
    return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)


@plan_posterior_guessing_entropy.register
def _posterior_guessing_entropy_of_local_hashing(system: LocalHashing, prior: Prior) -> Plan[float | Estimate]:
    if prior is None and _over_a_field(system):
        return plan_ranked_sum(system, np.arange(1.0, system.k + 1))
    return plan_posterior_guessing_entropy.dispatch(object)(system, prior)


@plan_bayes_risk.register
def _bayes_risk_of_local_hashing(system: LocalHashing, prior: Prior) -> Plan[float | Estimate]:
    if prior is None and _over_a_field(system):
        return Plan(CLOSED_FORM, lambda: _uniform_bayes_risk(system))
    if prior is not None and _one_to_one(system):
        risk = plan_bayes_risk(system.answer, _of_classes(system, prior))
        untold = float(np.delete(prior, prior.argmax()).sum())
        return Plan(CLOSED_FORM, lambda: (untold + (system.g - 1) * float(risk.compute())) / system.g)
    return plan_bayes_risk.dispatch(object)(system, prior)


@plan_mutual_information.register
def _mutual_information_of_local_hashing(system: LocalHashing, prior: Prior) -> Plan[float | Estimate]:
    if (prior is None and _over_a_field(system)) or _one_to_one(system):
        return Plan(CLOSED_FORM, lambda: _information(system, prior))
    return plan_mutual_information.dispatch(object)(system, prior)


@plan_shannon_capacity.register
def _shannon_capacity_of_local_hashing(system: LocalHashing, tolerance: float) -> Plan[Estimate]:
    # If every digit takes all its values, adding a value to all others permutes every function's classes.
    if _one_to_one(system) or (_over_a_field(system) and system.k == system.g ** system.families[0].digits):
        return attained_uniformly(system)
    return plan_shannon_capacity.dispatch(object)(system, tolerance)


def _over_a_field(system: LocalHashing) -> bool:
    return len(system.families) == 1


def _one_to_one(system: LocalHashing) -> bool:
    """Return whether all functions but the zero function are one to one."""
    return _over_a_field(system) and system.families[0].digits == 1


def _of_classes(system: LocalHashing, prior: Reals) -> Reals:
    """Return the law of the class that a one-to-one function takes the value to, up to the order of the classes."""
    return np.pad(prior, (0, system.g - system.k))


def _information(system: LocalHashing, prior: Prior) -> float:
    """Return the mean information about the class over all functions; the zero function adds nothing."""
    laws = enumerate(system.laws_of_classes()) if prior is None else [(0, _of_classes(system, prior))]
    information = sum(
        system.g**-zeros * float(plan_mutual_information(system.answer, law).compute()) for zeros, law in laws
    )
    return (1 - 1 / system.g) * information


def _hit_classes(system: LocalHashing) -> int:
    """Return the number of classes that the values are taken to, summed over the functions."""
    # Only the functions that are 0 but for the highest coefficient miss any: they distinguish that digit's values.
    g, digits = system.g, system.families[0].digits
    return (g**digits - g) * g + (g - 1) * -(-system.k // g ** (digits - 1)) + 1


def _capacity(system: LocalHashing) -> float:
    answer = system.answer
    return system.g * answer.q + _hit_classes(system) / system.functions * answer.gap


def _uniform_bayes_risk(system: LocalHashing) -> float:
    # 1 - capacity/k as a sum of its parts: values that share a class, and lies.
    missed = (system.k * system.functions - _hit_classes(system)) / system.functions
    lies = (_hit_classes(system) - system.functions) / system.functions * (system.g * system.answer.q)
    return (missed + lies) / system.k
