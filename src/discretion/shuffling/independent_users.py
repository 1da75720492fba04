"""What independent users report whose values are all secret, which is never written down: it factorises by users."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.channels.channel import Channel, Composable, System
from discretion.channels.composition.repeated import Repeated
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, bracketed, highest, lowest, mapped
from discretion.measures.guesses.bayes_security import plan_bayes_security
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import Profile, plan_privacy_profile, plan_renyi
from discretion.measures.privacy_loss.local_privacy import plan_ldp_epsilon
from discretion.measures.privacy_loss.losses import leakiest_losses

Result = Plan[float | Estimate]
THEOREM_3 = Method("Bayes-sec Theorem 3 from one user, and all with the same two values", "bound")


@dataclass(frozen=True, eq=False)
class IndependentUsers(Composable):
    """The channel N of n users from their dataset to all reports; made by `discretion.shuffling.dataset_channel`."""

    mechanism: System
    n: int

    @property
    def secrets(self) -> int:
        """How many datasets there are."""
        return self.mechanism.secrets**self.n

    def channel(self) -> Channel:
        """Refuse: it would not fit."""
        raise TooLargeError(
            f"the channel of {self.n:,} users with {self.mechanism.secrets:,} values would have more than "
            f"{limits.current().most_entries:,} entries; take fewer users or values, a measure of the uniform prior "
            "that factorises by users, or discretion.Shuffled, which never builds it"
        )


def _of_each(system: IndependentUsers, plan: Result, function: Callable[[float], float]) -> Result:
    return plan.named(f"of each of {system.n:,} users: {plan.method.name}").then(lambda one: mapped(one, function))


@plan_posterior_vulnerability.register
def _vulnerability_of_independent_users(system: IndependentUsers, prior: Prior, gain: Gain) -> Result:
    if prior is not None or not isinstance(gain, IdentityGain):
        return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)
    one = plan_posterior_vulnerability(system.mechanism, None, IdentityGain(system.mechanism.secrets))
    return _of_each(system, one, lambda right: right**system.n)


@plan_bayes_risk.register
def _bayes_risk_of_independent_users(system: IndependentUsers, prior: Prior) -> Result:
    if prior is not None:
        return plan_bayes_risk.dispatch(object)(system, prior)
    one = plan_bayes_risk(system.mechanism, None)
    return _of_each(system, one, lambda wrong: -math.expm1(system.n * math.log1p(-wrong)) if wrong < 1 else 1.0)


@plan_multiplicative_bayes_capacity.register
def _bayes_capacity_of_independent_users(system: IndependentUsers) -> Result:
    def power(factor: float) -> float:
        try:
            return factor**system.n
        except OverflowError:
            raise TooLargeError(
                f"the capacity is {factor:.6g} to the power of {system.n:,}, which is more than a double holds; take "
                "the logarithm of one user's, times the users"
            ) from None

    return _of_each(system, plan_multiplicative_bayes_capacity(system.mechanism), power)


@plan_mutual_information.register
def _information_of_independent_users(system: IndependentUsers, prior: Prior) -> Result:
    if prior is not None:
        return plan_mutual_information.dispatch(object)(system, prior)
    return _of_each(system, plan_mutual_information(system.mechanism, None), lambda nats: system.n * nats)


@plan_ldp_epsilon.register
def _ldp_epsilon_of_independent_users(system: IndependentUsers) -> Plan[float]:
    return plan_ldp_epsilon(Repeated(system.mechanism, system.n))


@plan_renyi.register
def _renyi_of_independent_users(system: IndependentUsers, order: float) -> Plan[float | Estimate]:
    return plan_renyi(Repeated(system.mechanism, system.n), order)


@plan_privacy_profile.register
def _privacy_profile_of_independent_users(system: IndependentUsers) -> Plan[Profile]:
    # Of any two values of each user, what the leakiest two show is told apart at least as well.
    if leakiest_losses(system.mechanism) is None:
        return plan_privacy_profile.dispatch(object)(system)
    return plan_privacy_profile(Repeated(system.mechanism, system.n))


@plan_bayes_security.register
def _bayes_security_of_independent_users(system: IndependentUsers) -> Result:
    same = plan_bayes_security(Repeated(system.mechanism, system.n))
    if leakiest_losses(system.mechanism) is not None:
        return same
    one = plan_bayes_security(system.mechanism)

    def kept() -> Estimate:
        alone, together = one.compute(), same.compute()
        return bracketed(lowest(alone) ** system.n, highest(together), [alone, together], THEOREM_3.name)

    return Plan(THEOREM_3, kept)
