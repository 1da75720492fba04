"""The worst pair of laws under (ε, δ)-differential privacy."""

import math
from dataclasses import dataclass

from discretion.channels.channel import Channel, Composable
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.tradeoff import pair_indices, plan_tradeoff
from discretion.measures.guesses.bayes_security import Pair, plan_bayes_security
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    log_likelihoods,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
)
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Reals
from discretion.security.differential_privacy import bayes_security_of_ldp
from discretion.security.tradeoffs import tradeoff_of_dp
from discretion.validation import as_epsilon, as_probability

_DOMINATING = Method("closed form of the dominating pair (Kairouz, Oh and Viswanath 2015)", "closed form")


@dataclass(frozen=True)
class DominatingPair(Composable):
    """Two secrets that are as easy to distinguish as (ε, δ)-differential privacy allows.

    Parameters
    ----------
    epsilon, delta
        ε >= 0, infinity is fine, and δ in [0, 1].

    Notes
    -----
    With probability δ the report is 0 or 3 and proves the secret; otherwise it is 1 or 2 by randomized response, which
    reports the truth with probability ``e^ε / (1 + e^ε)``. The outputs of every (ε, δ)-differentially private mechanism
    on two neighboring inputs are post-processings of these reports, so that an adversary learns at least as much from
    this pair. Source: Kairouz, Oh and Viswanath, The composition theorem for differential privacy, ICML
    2015; Dong, Roth and Su, Gaussian differential privacy, JRSS B 2022.

    Examples
    --------
    >>> import discretion as dc
    >>> pair = DominatingPair(epsilon=1, delta=1e-6)
    >>> round(dc.bayes_security(pair), 6), dc.dp_epsilon(pair, 1e-6)
    (0.537882, 1.0)
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        vars(self).update(epsilon=as_epsilon(self.epsilon), delta=as_probability(self.delta, "delta"))

    @property
    def secrets(self) -> int:
        """The number of secrets, 2."""
        return 2

    def channel(self) -> Channel:
        """Return the channel of the four reports."""
        truth = (1 - self.delta) / (1 + math.exp(-self.epsilon))
        row = [self.delta, truth, truth * math.exp(-self.epsilon), 0.0]
        return Channel([row, row[::-1]])


@log_likelihoods.register
def _log_likelihoods_of_dominating_pair(system: DominatingPair) -> Reals:
    rows = logarithms(system.channel().dense())
    rows[0, 2] = rows[1, 1] = rows[0, 1] - system.epsilon  # where the entry underflows too
    return rows


@plan_bayes_security.register
def _bayes_security_of_dominating_pair(system: DominatingPair) -> Plan[float]:
    return Plan(_DOMINATING, lambda: float(bayes_security_of_ldp(system.epsilon, system.delta)))


@plan_ldp_epsilon.register
def _ldp_epsilon_of_dominating_pair(system: DominatingPair) -> Plan[float]:
    return Plan(_DOMINATING, lambda: math.inf if system.delta else system.epsilon)


@plan_privacy_profile.register
def _privacy_profile_of_dominating_pair(system: DominatingPair) -> Plan[Profile]:
    def delta(epsilon: float) -> float:
        if epsilon >= system.epsilon:
            return 1.0 if math.isinf(system.epsilon) else system.delta
        excess = -math.expm1(epsilon - system.epsilon) / (1 + math.exp(-system.epsilon))
        return system.delta + (1 - system.delta) * excess

    return Plan(_DOMINATING, lambda: delta)


@plan_least_epsilon.register
def _least_epsilon_of_dominating_pair(system: DominatingPair, delta: float) -> Plan[float]:
    def epsilon() -> float:
        if delta >= 1:
            return 0.0
        if delta < system.delta:
            return math.inf
        # The profile is δ where e^ε is this multiple of the system's.
        lost, rest = ((part / (1 - system.delta)) for part in (delta - system.delta, 1 - delta))
        multiple = rest - lost * math.exp(-system.epsilon)
        return max(0.0, system.epsilon + math.log(multiple)) if multiple > 0 else 0.0

    return Plan(_DOMINATING, epsilon)


@plan_tradeoff.register
def _tradeoff_of_dominating_pair(system: DominatingPair, pair: Pair | None) -> Plan[BestTests]:
    if pair is not None:
        pair_indices(pair, (0, 1))
    return Plan(_DOMINATING, lambda: tradeoff_of_dp(system.epsilon, system.delta).tests)
