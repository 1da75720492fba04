"""Shuffled crowds as systems for an adversary: the common part for all adversaries."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from discretion.adversaries.gains import IdentityGain
from discretion.channels.channel import Channel, Composable, System
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, as_share, settled
from discretion.measures.attack_curves.tradeoff import pair_indices
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.guesses.vulnerability import Prior, plan_posterior_vulnerability
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import plan_ldp_epsilon
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.draws import fresh_seed
from discretion.shuffling.laws.blanket import Blanket
from discretion.shuffling.laws.groups import Ends

Result = Plan[float | Estimate]
HISTOGRAMS = Method("sum over the histograms of reports", "exact")


@dataclass(frozen=True, eq=False)
class View(Composable):
    """A crowd as one adversary sees it: a system, made by `discretion.Shuffled.seen_by`.

    ``seed`` is the seed of its samples, if a measure needs sampling.
    """

    mechanism: System
    n: int
    seed: int = field(default_factory=fresh_seed, kw_only=True)

    @property
    def secrets(self) -> int:
        """The number of possible values of the target."""
        return self.mechanism.secrets

    @property
    def response(self) -> Response | None:
        """The mechanism, if it is k-RR."""
        return reporting(self.mechanism).response

    @property
    def ldp_epsilon(self) -> float:
        """The largest logarithm of a ratio of likelihoods."""
        return plan_ldp_epsilon(self).compute()

    @cached_property
    def blanket(self) -> Blanket:
        """The privacy blanket, which hides the target for any values of the other users."""
        return Blanket(self.mechanism, self.n)

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histogram, or raise TooLargeError."""
        raise TooLargeError(
            f"the histograms of {self.n:,} users with {self.secrets:,} values cannot all be listed, which this needs; "
            "take fewer users or two kinds of report, or use posterior_vulnerability or the privacy profile"
        )

    def labels(self, ends: Ends) -> Pair:
        """Return the labels of two values."""
        a, b = ends
        return self._inputs[a], self._inputs[b]

    def ends(self, pair: Pair) -> Ends:
        """Return the indexes of two values, or raise an error if one is not a label."""
        return pair_indices(pair, self._inputs)

    @property
    def _inputs(self) -> Sequence[Hashable]:
        return self.mechanism.inputs if isinstance(self.mechanism, Channel) else range(self.secrets)


def risk_of_guess(system: View, prior: Prior) -> Result:
    """Plan the Bayes risk as 1 minus the best guess."""
    guess = plan_posterior_vulnerability(system, prior, IdentityGain(system.secrets))
    return guess.then(lambda right: 1 - right)


def guess_of_two(security: float | Estimate) -> float | Estimate:
    """Return the best guess of two equally likely values, from their Bayes security."""
    return settled(as_share(1 - security / 2))


def bayes_capacity_of_guess(system: View) -> Result:
    """Plan the sum of column maxima: k times the Bayes vulnerability of the uniform prior."""
    guess = plan_posterior_vulnerability(system, None, IdentityGain(system.secrets))
    return guess.then(lambda right: system.secrets * right)


def ldp_epsilon_of_mechanism(system: View) -> Plan[float]:
    """Plan the mechanism's ε.

    P(h | x) is a mean over the reports of all users, so its ratios are at most the mechanism's. They are as large if
    every user who can send the report with the largest ratio sends it.
    """
    plan = plan_ldp_epsilon(system.mechanism)
    return plan.named(f"that of the mechanism: {plan.method.name}")
