"""k-ary randomized response: report the truth with probability p, else one of the other values at random."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel
from discretion.channels.storage.storage import check_size
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.guesses.bayes_security import plan_bayes_security
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.entropies import plan_posterior_guessing_entropy
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.device import DeviceWork, coin
from discretion.mechanisms.mechanism import RandomSource, Reports, as_values
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.reporting import Overlaps, Response, Sender, Support, SupportSizes, known_values
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.draws import coin_flips, evenly_spread, heads
from discretion.numerics.excess import deviance
from discretion.validation import as_epsilon, as_real

CLOSED_FORM = Method("closed form of k-RR", "closed form")


class RandomizedResponse(PureProtocol):
    """k-ary randomized response (k-RR): the truth with probability p, each other value with ``(1-p)/(k-1)``.

    ``p = e^ε / (k - 1 + e^ε)``

    Parameters
    ----------
    k
        Number of values, at least 2 and at most 10⁸; no k × k matrix is built where a closed form exists.
    epsilon
        The privacy parameter ε >= 0, up to infinity.
    p
        The probability of the truth, in [1/k, 1]. Give exactly one of ``epsilon`` and ``p``.

    Notes
    -----
    Source: Shuffle, equation 3 and Definition 10.

    Examples
    --------
    >>> mechanism = RandomizedResponse(4, p=0.7)
    >>> round(mechanism.epsilon, 6), mechanism.channel().matrix[0].round(3).tolist()
    (1.94591, [0.7, 0.1, 0.1, 0.1])
    >>> RandomizedResponse(1_000_000, epsilon=700).p
    1.0
    """

    title = "k-RR"

    def __init__(self, k: int, epsilon: float | None = None, p: float | None = None) -> None:
        self.k = as_values(k)
        if (epsilon is None) == (p is None):
            raise InvalidValueError(
                "randomized response needs exactly one of epsilon and p, " + ("got none" if p is None else "got both")
            )
        if epsilon is not None:
            self._epsilon = as_epsilon(epsilon)
            odds = math.exp(-self._epsilon)
            total = 1 + (self.k - 1) * odds
            self.p, self.q, self.gap = 1 / total, odds / total, -math.expm1(-self._epsilon) / total
        else:
            self.p = as_real(p, "p")
            if not 1 / self.k <= self.p <= 1:
                raise InvalidValueError(f"p must be in [1/k, 1] = [{1 / self.k:.6g}, 1] for k = {self.k}, got {p!r}")
            self.q = (1 - self.p) / (self.k - 1)
            self.gap = max(0.0, (self.k * self.p - 1) / (self.k - 1))
            self._epsilon = math.log1p(self.gap / self.q) if self.q > 0 else math.inf

    @property
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-locally differentially private: ``log(p/q)``."""
        return self._epsilon

    def channel(self) -> Channel:
        """Return the k × k channel, or raise TooLargeError."""
        check_size(self.k, self.k, f"k-RR with k = {self.k:,}", "use a measure that has a closed form")
        matrix = np.full((self.k, self.k), self.q)
        np.fill_diagonal(matrix, self.p)
        return Channel(matrix)

    def __repr__(self) -> str:
        return f"RandomizedResponse(k={self.k}, epsilon={self.epsilon:g})"

    @property
    def support(self) -> Support:
        """The probabilities of support: a report supports the value that it names."""
        return Support(self.p, (self.k - 1) * self.q, self.q, 1 - self.q, self.gap)

    @property
    def contest(self) -> tuple[float, float]:
        """The probabilities of one or both of two values: a report names one value."""
        return self.p, (self.k - 2) * self.q

    @property
    def tallies_per_report(self) -> int:
        """The number of tallies to which a report adds one: 1, the value that it names."""
        return 1

    @property
    def support_sizes(self) -> SupportSizes:
        """The law of the number of supported values: it is always 1."""
        return SupportSizes(np.array([1]), np.ones(1))

    @property
    def overlaps(self) -> Overlaps | None:
        """The overlaps of supports: a report never supports two values."""
        return self._overlapping(1 / self.k, 0.0, (0.0,) if self.k > 2 else ())

    @property
    def is_symmetric(self) -> bool:
        """Whether renaming the values only renames the reports: yes, as all lies are equally likely."""
        return True

    @property
    def response(self) -> Response:
        """The numbers of this randomized response."""
        return Response(self.k, self.p, self.q, self.gap, self.epsilon)

    @property
    def blanket_probability(self) -> float:
        """The probability of the blanket: every report has probability at least q."""
        return min(1.0, self.k * self.q)

    def events(self) -> list[Reals]:
        """Return the event that a report names the first value."""
        return [np.where(np.arange(self.k) == 0, self.p, self.q)]

    def with_epsilon(self, epsilon: float) -> "RandomizedResponse":
        """Return k-RR with another ε."""
        return RandomizedResponse(self.k, epsilon)

    def report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the probability of each type of report: a known value, or any other value."""
        k, p, q, gap = self.k, self.p, self.q, self.gap
        apart = known_values(values, senders)
        population = next((sender.population for sender in senders if sender.population is not None), None)
        if population is None:
            sizes, masses = np.array([k - len(apart)]), np.zeros(1)
        else:
            masses, sizes = np.unique(np.delete(population, apart), return_counts=True)

        def law(value: int) -> Reals:
            return np.append(np.where(np.array(apart) == value, p, q), q * sizes)

        def row(sender: Sender) -> Reals:
            if sender.value is not None:
                return law(sender.value)
            if sender.population is None:
                return np.append(np.full(len(apart), 1 / k), sizes / k)
            return np.append(q + gap * sender.population[apart], (q + gap * masses) * sizes)

        types = np.stack([*map(law, values), *map(row, senders)])
        return types[:, types.sum(axis=0) > 0]

    @property
    def device_work(self) -> DeviceWork:
        """The work of a report: a coin and a number."""
        return DeviceWork(2)

    def device_recipe(self) -> dict[str, Any]:
        """Return the recipe for a device, with the coin of the truth."""
        return {
            "rule": "Report the value if the coin truth shows 1, else a uniform whole number below k.",
            "coins": {"truth": coin(self.gap, self.k * self.q)},
        }

    def _sample(self, values: Integers, source: RandomSource) -> Integers:
        # The truth with probability p - q, else a uniform one of the k values, the true one among them: q for each lie.
        # The coin is exact for its rarer face, so that even lies of probability 1e-300 have their exact frequency.
        reports = source.integers(self.k, size=values.size)
        truthful = coin_flips(self.gap, self.k * self.q, values.size, source)
        np.copyto(reports, values, where=truthful.view(np.bool_))
        return reports

    def _sample_aggregate(self, counts: Integers, rng: np.random.Generator) -> Integers:
        truthful = heads(counts, self.gap, self.k * self.q, rng)
        return truthful + evenly_spread(int((counts - truthful).sum()), self.k, rng)

    def _supports(self, reports: Reports) -> Booleans:
        return reports[:, None] == np.arange(self.k)

    def _aggregate(self, reports: Reports) -> Integers:
        return np.bincount(reports, minlength=self.k)


def _distribution(mechanism: RandomizedResponse, prior: Prior) -> Reals:
    return prior_vector(prior, mechanism.k)


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_randomized_response(
    system: RandomizedResponse, prior: Prior, gain: Gain
) -> Plan[float | Estimate]:
    if isinstance(gain, IdentityGain) and prior is None:
        return Plan(Method("closed form of k-RR (Shuffle Prop. 15)", "closed form"), lambda: system.p)
    return Plan(CLOSED_FORM, lambda: float(gain.best_of_law(_joint(system, prior)).sum()))


@plan_posterior_guessing_entropy.register
def _posterior_guessing_entropy_of_randomized_response(
    system: RandomizedResponse, prior: Prior
) -> Plan[float | Estimate]:
    ranks = np.arange(1.0, system.k + 1)
    return Plan(CLOSED_FORM, lambda: float(_joint(system, prior).ranked_sums(ranks).sum()))


@dataclass(frozen=True, eq=False)
class ResponseJoint:
    """The joint law of value and report: for a report y, the value y has weight ``p π_y``, any other x has ``q π_x``.

    A sum over all values is therefore one number for all reports, plus a correction for the value that each report
    names. ``gap`` is p - q, at least 0.
    """

    prior: Reals
    p: float
    q: float
    gap: float

    def column_maxima(self) -> Reals:
        """Return the weight of each report's likeliest value: the value that it names, or the likeliest of all."""
        return np.maximum(self.p * self.prior, self.q * self.prior.max())

    def mixtures(self, weights: Reals) -> Reals:
        """Return ``weights @ joint``, the mixtures of values for each report."""
        weighted = weights * self.prior
        return self.q * weighted.sum(axis=-1, keepdims=True) + self.gap * weighted

    def ranked_sums(self, weights: Reals) -> Reals:
        """Return, for each report, the sum of the ranked weights of values, the i-th largest times the i-th weight.

        The value that it names, of rank r among all, moves to rank s, before all values from rank s to r.
        """
        k = self.prior.size
        by_rank = np.zeros(k + 1)
        by_rank[: weights.size] = weights
        order = np.argsort(-self.prior, kind="stable")
        lies, rank = self.q * self.prior[order], np.arange(k)
        named_weights = np.maximum(self.p * self.prior[order], lies)
        place = np.searchsorted(-lies, -named_weights)
        before = np.concatenate([[0.0], np.cumsum(by_rank[:-1] * lies)])
        shifted = np.concatenate([[0.0], np.cumsum(by_rank[1:] * lies)])
        sums = np.empty(k)
        sums[order] = (
            before[place]
            + by_rank[place] * named_weights
            + (shifted[rank] - shifted[place])
            + (before[-1] - before[rank + 1])
        )
        return sums

    def class_maxima(self, class_of: Integers) -> Reals:
        """Return, for each report, the largest weight of a class of values: its own value's, or the largest of all."""
        sums = np.bincount(class_of, self.prior)
        return np.maximum(self.q * sums[class_of] + self.gap * self.prior, self.q * sums.max())


def _joint(system: RandomizedResponse, prior: Prior) -> ResponseJoint:
    return ResponseJoint(_distribution(system, prior), system.p, system.q, system.gap)


def _others(distribution: Reals) -> Reals:
    """Return ``1 - π_x``; for the likeliest value, as the sum of the others, since a difference would lose digits."""
    likeliest = distribution.argmax()
    others = 1 - distribution
    others[likeliest] = np.delete(distribution, likeliest).sum()
    return others


@plan_bayes_risk.register
def _bayes_risk_of_randomized_response(system: RandomizedResponse, prior: Prior) -> Plan[float]:
    # 1 - V written as a sum of positive terms, so that a risk of 1e-300 keeps its digits.
    def risk() -> float:
        distribution = _distribution(system, prior)
        others = _others(distribution)
        truthful = system.q * others
        likeliest = system.q * others.min() + system.gap * distribution
        return float(np.minimum(truthful, likeliest).sum())

    return Plan(CLOSED_FORM, risk)


@plan_bayes_security.register
def _bayes_security_of_randomized_response(system: RandomizedResponse) -> Plan[float]:
    return Plan(Method("closed form of k-RR (Bayes-sec eq. 7)", "closed form"), lambda: min(1.0, system.k * system.q))


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_randomized_response(system: RandomizedResponse) -> Plan[float]:
    return Plan(CLOSED_FORM, lambda: system.k * system.p)


@plan_mutual_information.register
def _mutual_information_of_randomized_response(system: RandomizedResponse, prior: Prior) -> Plan[float]:
    def information() -> float:
        distribution = _distribution(system, prior)
        reported = system.q + system.gap * distribution
        possible = reported > 0
        reported, law, others = reported[possible], distribution[possible], _others(distribution)[possible]
        truth, lie = deviance(system.p, reported), deviance(system.q, reported)
        return float((law * truth + others * lie).sum())

    return Plan(CLOSED_FORM, information)
