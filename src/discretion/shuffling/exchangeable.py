"""Crowds whose values all come from one population, of which the adversary knows only the Dirichlet law.

Given the population, the target's value is independent of the other users'. So crowds too large to list are sampled
with their population. An adversary that also learns the population bounds the gain from above, and any guess
that does not use the population bounds it from below.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain
from discretion.adversaries.knowledge import Exchangeable
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel
from discretion.estimate import Estimate
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import (
    EXTREMES,
    log_likelihoods,
    plan_ldp_epsilon,
    plan_renyi,
)
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.draws import generator
from discretion.numerics.histograms.histograms import (
    add_draw,
    dirichlet_multinomial_pmf,
    histogram_count,
    histograms,
    mixed_law,
    places,
    sequence_count,
)
from discretion.numerics.histograms.log_histograms import log_add_draw, log_histogram_law
from discretion.numerics.laws.binomial_limits import empirical_bernstein
from discretion.shuffling.laws.groups import log_report_types
from discretion.shuffling.laws.monte_carlo import MAX_CROWDS_DRAWN
from discretion.shuffling.laws.pairs import LOUD, largest_log_ratio
from discretion.shuffling.laws.report_histograms import OPERATIONS_PER_CROWD, most_histograms
from discretion.shuffling.views import HISTOGRAMS, Result, View, risk_of_guess

# Histograms of the others' values, in an exchangeable crowd.
MAX_WAYS_LISTED = 1 << 13

SANDWICHED = Method("Monte Carlo between guesses that know the population and guesses that estimate it", "estimate")
CONFIDENCE = 0.95
_CELLS, _CHUNK = 1 << 24, 1 << 20
_FEWEST = 1 << 12


@dataclass(frozen=True, eq=False)
class AmongExchangeable(View):
    """A crowd whose values, including the target's, come from one population drawn from a Dirichlet law."""

    knowledge: Exchangeable

    @property
    def alpha(self) -> Reals:
        """The parameters of the Dirichlet law."""
        return np.array(self.knowledge.alpha)

    @property
    def is_listable(self) -> bool:
        """Whether all histograms of the other users' values, and of the reports, are few enough to list."""
        ways = histogram_count(self.n - 1, self.secrets)
        if ways > limits.current().steps(MAX_WAYS_LISTED, each=1024):
            return False
        reports = self.mechanism.channel().shape[1]
        cells = sequence_count(reports - 1, self.n + 1)
        most = most_histograms()
        return cells * self.secrets * reports <= most and ways * cells <= 8 * most

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histogram of reports.

        Given the target's value x the population is Dirichlet(α + e_x), and the others' values Dirichlet-multinomial.
        """
        if not self.is_listable:
            return super().channel()
        explicit = self.mechanism.channel()
        rows = explicit.dense()
        k = len(rows)
        value_counts = histograms(self.n - 1, k)
        weights = np.stack([dirichlet_multinomial_pmf(value_counts, self.alpha + np.eye(1, k, x)[0]) for x in range(k)])
        others = mixed_law(self.n - 1, rows, weights)
        return _channel_to_histograms(explicit, others, self.n)


def _channel_to_histograms(mechanism: Channel, others: Iterable[Reals], n: int) -> Channel:
    """Return the channel to all histograms of n reports; ``others`` has the others' law per value of the target."""
    rows = mechanism.dense()
    outputs = histograms(n, rows.shape[1])
    index = places(outputs)
    rows_of_histograms = np.stack([add_draw(law, row)[index] for law, row in zip(others, rows, strict=True)])
    return Channel(rows_of_histograms, mechanism.inputs, map(tuple, outputs.tolist()))


def sampled_vulnerability(view: AmongExchangeable, gain: Gain, rng: np.random.Generator) -> Estimate:
    """Return an estimate of the gain of the best guess, between guesses with and without knowledge of the population.

    Each draw is a population, the values and the reports. The posterior law given the population is linear in the
    histogram. An adversary that does not know the population can use the one that the reports suggest, and guess by it.
    """
    rows = view.mechanism.channel().dense()
    k, m = rows.shape
    count = int(
        max(_FEWEST, min(_CELLS // (m + k), limits.current().steps(MAX_CROWDS_DRAWN, each=OPERATIONS_PER_CROWD)))
    )
    inverse = np.linalg.pinv(rows)
    informed, uninformed = np.empty(count), np.empty(count)
    at_once = max(1, _CHUNK // (m + k))
    for start in range(0, count, at_once):
        part = slice(start, min(start + at_once, count))
        populations = rng.dirichlet(view.alpha, size=part.stop - part.start)
        laws = populations @ rows
        counts = rng.multinomial(view.n, laws / laws.sum(axis=1, keepdims=True))
        posterior = _posterior(rows, populations, counts)
        suggested = np.maximum((counts / view.n) @ inverse, 0) * view.n + view.alpha
        guess = _posterior(rows, suggested / suggested.sum(axis=1, keepdims=True), counts)
        informed[part] = gain.best(posterior.T)
        uninformed[part] = gain.gain_of_best(guess.T, posterior.T)
    width, misses = gain.width, (1 - CONFIDENCE) / 2
    upper, upper_error = empirical_bernstein(informed, width, misses)
    lower, lower_error = empirical_bernstein(uninformed, width, misses)
    blind = float(gain.best(np.array(view.knowledge.prior)[:, None])[0])
    low, high = max(blind, lower - lower_error), max(blind, upper + upper_error)
    return Estimate(min(max((lower + upper) / 2, low), high), low, high, CONFIDENCE, SANDWICHED.name)


def _posterior(rows: Reals, populations: Reals, counts: Integers) -> Reals:
    laws = populations @ rows
    likelihoods = np.divide(counts, laws, out=np.zeros_like(laws), where=laws > 0) @ rows.T
    posterior = populations * likelihoods
    return posterior / posterior.sum(axis=1, keepdims=True)


@plan_posterior_vulnerability.register
def _vulnerability_among_exchangeable(system: AmongExchangeable, prior: Prior, gain: Gain) -> Result:
    if system.is_listable:
        law = prior_vector(prior, system.secrets)
        return Plan(HISTOGRAMS, lambda: float(gain.best(law[:, None] * system.channel().dense()).sum()))
    return Plan(SANDWICHED, lambda: sampled_vulnerability(system, gain, generator(system.seed)))


@plan_bayes_risk.register
def _bayes_risk_among_exchangeable(system: AmongExchangeable, prior: Prior) -> Result:
    return risk_of_guess(system, prior)


@plan_renyi.register
def _renyi_among_exchangeable(system: AmongExchangeable, order: float) -> Plan[float | Estimate]:
    if order >= 1 and math.isinf(plan_renyi(system.mechanism, order).compute()):
        # A report that only some values can give excludes the others where all give it, however rarely.
        return Plan(HISTOGRAMS, lambda: math.inf)
    return plan_renyi.dispatch(object)(system, order)


@log_likelihoods.register
def _log_likelihoods_among_exchangeable(system: AmongExchangeable) -> Reals:
    rows = log_report_types(system.mechanism, (), range(system.secrets)) if system.is_listable else np.zeros((1, 1))
    if largest_log_ratio(rows) <= LOUD:
        return log_likelihoods.dispatch(object)(system)
    # Where likelihoods underflow, one law of reports after the other, for each way in which the others hold values.
    users, k = system.n - 1, system.secrets
    value_counts = histograms(users, k)
    laws = [log_histogram_law(counts, rows, -math.inf) for counts in value_counts.tolist()]
    likely = (logarithms(dirichlet_multinomial_pmf(value_counts, system.alpha + np.eye(1, k, x)[0])) for x in range(k))
    others = (np.logaddexp.reduce([w + law for w, law in zip(weights, laws, strict=True)]) for weights in likely)
    return np.stack([log_add_draw(law, row).ravel() for law, row in zip(others, rows, strict=True)])


@plan_ldp_epsilon.register
def _ldp_epsilon_among_exchangeable(system: AmongExchangeable) -> Plan[float]:
    def epsilon() -> float:
        rows = log_likelihoods(system)
        possible = rows[:, rows.max(axis=0) > -math.inf]
        return float((possible.max(axis=0) - possible.min(axis=0)).max())

    return Plan(EXTREMES, epsilon)
