"""Systems of two secrets whose privacy losses are known: every measure of the pair follows from them."""

import math
from abc import ABC, abstractmethod

from discretion.adversaries.gains import Gain
from discretion.channels.channel import Channel, Composable
from discretion.estimate import Estimate, largest, lowest
from discretion.measures.attack_curves.loss_curves import epsilon_of_losses
from discretion.measures.guesses.bayes_security import (
    Pair,
    plan_bayes_security,
    plan_leakiest_pair,
    plan_leakiest_pairs,
)
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import (
    Prior,
    plan_bayes_risk,
    plan_posterior_vulnerability,
    two_secret_vulnerability,
)
from discretion.measures.information.capacities import attained_uniformly, plan_shannon_capacity
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.composed_losses import LossPair
from discretion.measures.privacy_loss.differential_privacy import (
    Bound,
    Profile,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
    plan_profile_bound,
    profile_complement,
)
from discretion.mechanisms.noise.additive import no_channel_error, no_report_types_error
from discretion.mechanisms.noise.noise_measures import weighted_gains
from discretion.mechanisms.noise.report_pairs import ClosedForm
from discretion.mechanisms.reporting import Reporting, reporting
from discretion.validation import as_real

_ONLY_PAIR = Method("there are two secrets", "closed form")


class TwoLaws(Composable, ABC):
    """The laws P and Q of the observations for two secrets, in many independent uses."""

    @property
    def secrets(self) -> int:
        """The number of secrets, 2."""
        return 2

    @property
    @abstractmethod
    def is_continuous(self) -> bool:
        """Whether the observations are a continuum, so that there is no explicit channel."""

    @property
    @abstractmethod
    def furthest_pair(self) -> Pair:
        """The labels of the two secrets."""

    @property
    @abstractmethod
    def epsilon(self) -> float:
        """The largest privacy loss."""

    @abstractmethod
    def closed_form(self, reverse: bool) -> ClosedForm | None:
        """Return the closed form of the excess of Q over P, or in reverse of P over Q, if there is one."""

    @property
    def algorithm(self) -> Method:
        """The method of computation."""
        closed = self.closed_form(False)
        return self.losses.forwards.method if closed is None else closed.algorithm

    @property
    @abstractmethod
    def losses(self) -> LossPair:
        """The privacy losses of Q against P, and of P against Q."""

    @abstractmethod
    def channel(self) -> Channel:
        """Return the explicit channel, or raise an error that shows why there is none."""

    def hockey_stick(self, epsilon: float, *, reverse: bool = False) -> float | Estimate:
        """Return ``∫ max(0, Q - e^ε P)``, or in reverse ``∫ max(0, P - e^ε Q)``.

        Parameters
        ----------
        epsilon
            ε of any sign; infinity is fine.
        reverse
            Whether P and Q change places.

        Returns
        -------
        float or Estimate
            In [0, 1]; a certified `Estimate` where there is no closed form.
        """
        level = as_real(epsilon, "epsilon")
        if level < 0:  # ∫ max(0, Q - tP) = 1 - t + t ∫ max(0, P - Q/t)
            return -math.expm1(level) + math.exp(level) * self.hockey_stick(-level, reverse=not reverse)
        return self.excess(level, reverse)

    def excess(self, epsilon: float, reverse: bool) -> float | Estimate:
        """Return ``∫ max(0, Q - e^ε P)``, or in reverse ``∫ max(0, P - e^ε Q)``, for ε >= 0."""
        closed = self.closed_form(reverse)
        # At 0 both are the total variation, of which one is as good as the other.
        return self.losses[reverse and epsilon > 0].hockey_stick(epsilon) if closed is None else closed.excess(epsilon)

    def overlap(self, epsilon: float, reverse: bool) -> float | Estimate:
        """Return ``∫ min(Q, e^ε P)``, or in reverse ``∫ min(P, e^ε Q)``, for ε >= 0, in full precision."""
        closed = self.closed_form(reverse)
        return self.losses[reverse and epsilon > 0].overlap(epsilon) if closed is None else closed.overlap(epsilon)

    def profile(self, epsilon: float) -> float | Estimate:
        """Return the larger of `excess` and its reverse."""
        if self.closed_form(False) is None:
            return self.losses.hockey_stick(epsilon)
        return largest(self.excess(epsilon, reverse) for reverse in (False, True))


@reporting.register
def _reporting_of_two_laws(system: TwoLaws) -> Reporting:
    if system.is_continuous:
        raise no_report_types_error(system)
    return reporting.dispatch(object)(system)


@plan_bayes_security.register
def _bayes_security_of_two_laws(system: TwoLaws) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: system.losses.if_exact(system.overlap(0.0, False)))


@plan_leakiest_pair.register
def _leakiest_pair_of_two_laws(system: TwoLaws) -> Plan[Pair]:
    return Plan(_ONLY_PAIR, lambda: system.furthest_pair)


@plan_leakiest_pairs.register
def _leakiest_pairs_of_two_laws(system: TwoLaws, tolerance: float) -> Plan[list[Pair]]:
    return Plan(_ONLY_PAIR, lambda: [system.furthest_pair])


@plan_ldp_epsilon.register
def _ldp_epsilon_of_two_laws(system: TwoLaws) -> Plan[float]:
    return Plan(system.algorithm, lambda: system.epsilon)


@plan_privacy_profile.register
def _privacy_profile_of_two_laws(system: TwoLaws) -> Plan[Profile]:
    return Plan(system.algorithm, lambda: system.profile)


@profile_complement.register
def _smaller_overlap(system: TwoLaws) -> Profile | None:
    if system.closed_form(False) is None:
        return None
    return lambda epsilon: min((system.overlap(epsilon, reverse) for reverse in (False, True)), key=lowest)


@plan_profile_bound.register
def _profile_bound(system: TwoLaws) -> Plan[Bound]:
    if system.closed_form(False) is not None:
        return plan_profile_bound.dispatch(object)(system)
    return Plan(system.algorithm, system.losses.profile_bound)


@plan_least_epsilon.register
def _least_epsilon_of_two_laws(system: TwoLaws, delta: float) -> Plan[float | Estimate]:
    if system.closed_form(False) is not None:
        return plan_least_epsilon.dispatch(object)(system, delta)
    return Plan(system.algorithm, lambda: epsilon_of_losses(system.losses, delta, system))


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_two_laws(system: TwoLaws) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: system.losses.if_exact(1 + system.hockey_stick(0.0)))


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_two_laws(system: TwoLaws, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    return Plan(
        system.algorithm,
        lambda: system.losses.if_exact(two_secret_vulnerability(weighted_gains(prior, gain), system.hockey_stick)),
    )


@plan_bayes_risk.register
def _bayes_risk_of_two_laws(system: TwoLaws, prior: Prior) -> Plan[float | Estimate]:
    def risk() -> float | Estimate:
        left, right = (0.5, 0.5) if prior is None else map(float, prior)
        less, more = min(left, right), max(left, right)
        if less == 0:
            return 0.0
        overlap = system.overlap(math.log(more) - math.log(less), left < right)
        return system.losses.if_exact(less * overlap)

    return Plan(system.algorithm, risk)


@plan_mutual_information.register
def _mutual_information_of_two_laws(system: TwoLaws, prior: Prior) -> Plan[float | Estimate]:
    left, right = (0.5, 0.5) if prior is None else map(float, prior)

    def information() -> float | Estimate:
        # By what a guess gains at all odds where the likelier secret is the second, and where it is the first.
        if left == 0 or right == 0:
            return 0.0
        forwards, backwards = system.losses
        return system.losses.if_exact(forwards.information(left, right) + backwards.information(right, left))

    return Plan(system.losses.forwards.method, information)


@plan_shannon_capacity.register
def _shannon_capacity_of_two_laws(system: TwoLaws, tolerance: float) -> Plan[Estimate]:
    forwards, backwards = system.losses
    if forwards is backwards:
        return attained_uniformly(system)
    if system.is_continuous:  # the best prior is not known
        raise no_channel_error(system)
    return plan_shannon_capacity.dispatch(object)(system, tolerance)
