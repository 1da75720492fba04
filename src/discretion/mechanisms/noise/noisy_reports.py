"""Reports of one of finitely many secrets, together with noise on a number of the same person."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

from discretion.channels.channel import Channel, Composable, System
from discretion.channels.composition.products import parallel, plan_parallel
from discretion.channels.composition.repeated import plan_repeated
from discretion.channels.labels import check_labels
from discretion.errors import InvalidChannelError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate, largest
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.tradeoff import pair_indices, plan_tradeoff
from discretion.measures.guesses.bayes_security import Pair, plan_bayes_security
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
    system_of_claim,
)
from discretion.mechanisms.noise.additive import MEASURES_OF_PAIRS, AdditiveNoise, IntegerNoise, no_channel_error
from discretion.mechanisms.noise.attack_curves import tests_of_pairs
from discretion.mechanisms.noise.composed_noise import ComposedNoise, Part, as_parts, compose_noises, repeated_part
from discretion.mechanisms.noise.report_pairs import RepeatedReports, ReportPair
from discretion.mechanisms.noise.two_secret_measures import TwoLaws


@dataclass(frozen=True, eq=False)
class NoisyReports(Composable):
    """Reports of k > 2 secrets with noise on a number of the same person; `discretion.parallel` returns it.

    The numbers of two secrets may differ by as much as the noise's sensitivity. So the measures assign the noise's two
    furthest values to each pair of secrets: a bound for all pairs then holds for any number that belongs to a secret.
    """

    reports: RepeatedReports
    noise: tuple[tuple[Part, int], ...]

    def __repr__(self) -> str:
        return f"{self.reports!r} & {compose_noises(self.noise)!r}"

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        return self.reports.system.secrets

    def channel(self) -> Channel:
        """Raise an error, since the number that belongs to each secret is not known."""
        raise no_channel_error(self, MEASURES_OF_PAIRS)

    def pair(self, a: int, b: int) -> ComposedNoise:
        """Return the system of two secrets."""
        return compose_noises([*self.noise, (ReportPair(self.reports, a, b), 1)])

    @cached_property
    def pairs(self) -> list[ComposedNoise]:
        """The systems of two secrets that are not noisy copies of others; a single one if all pairs are equivalent."""
        if self.reports.are_alike:
            return [self.pair(0, 1)]
        is_symmetric = all(isinstance(part, AdditiveNoise) for part, _ in self.noise)
        ways = (combinations if is_symmetric else permutations)(range(self.secrets), 2)
        return [self.pair(a, b) for a, b in ways]

    def over_pairs(self, quantity: Callable[[ComposedNoise], float | Estimate]) -> float | Estimate:
        """Return the largest value of a quantity over all pairs."""
        return largest(quantity(pair) for pair in self.pairs)

    @property
    def algorithm(self) -> Method:
        """The method of computation."""
        return self.pairs[0].algorithm


@plan_parallel.register(AdditiveNoise)
@plan_parallel.register(TwoLaws)
def parallel_of_noise(first: AdditiveNoise | TwoLaws, second: System) -> System | None:
    """Return noise together with noise or with a finite system's reports; None if no privacy losses are known."""
    left, right = as_parts(first), as_parts(second)
    if left is None:
        return None
    if right is not None:
        return compose_noises((*left, *right))
    if isinstance(second, NoisyReports) or (isinstance(first, IntegerNoise) and second.secrets == first.secrets):
        return None
    reports = RepeatedReports(second)
    try:
        system_of_claim(second)
        _ = reports.ways
    except (TooLargeError, UnsupportedError):
        return None
    _check_order(reports, left)
    if second.secrets == 2:
        return compose_noises([*left, (ReportPair(reports, 0, 1), 1)])
    return NoisyReports(reports, left) if second.secrets > 2 and _is_noise(left) else None


def _is_noise(parts: tuple[tuple[Part, int], ...]) -> bool:
    return not any(isinstance(part, ReportPair) for part, _ in parts)


def _check_order(reports: RepeatedReports, noise: tuple[tuple[Part, int], ...]) -> None:
    """Raise if labels of reports are the noise's values in another order, or differ between two systems of reports."""
    labels = tuple(reports.labels)
    for part, _ in noise:
        if isinstance(part, ReportPair):
            check_labels(part.labels, labels, "the secrets of the first reports", "those of the second")
        elif set(labels) == set(part.furthest_pair) and labels != part.furthest_pair:
            raise InvalidChannelError(
                f"the secrets of the reports, {labels}, are the two values of {part!r} in another order; sort the "
                "reports' secrets by discretion.restricted"
            )


@plan_parallel.register
def parallel_of_noisy_reports(first: NoisyReports, second: System) -> System | None:
    """Return these with more noise or more reports; None if the second system has other secrets."""
    more = as_parts(second)
    if more is not None and _is_noise(more):
        return NoisyReports(first.reports, compose_noises((*first.noise, *more)).parts)
    if isinstance(second, NoisyReports):
        reports, noise = second.reports, compose_noises((*first.noise, *second.noise)).parts
    else:
        reports, noise = RepeatedReports(second), first.noise
    return NoisyReports(RepeatedReports(parallel(_system(first.reports), _system(reports))), noise)


def _system(reports: RepeatedReports) -> System:
    return plan_repeated(reports.system, reports.uses) if reports.uses > 1 else reports.system


@plan_repeated.register
def repeated_noisy_reports(system: NoisyReports, n: int) -> System:
    """Return n uses of both the reports and the noise."""
    noise = tuple(repeated_part(part, count, n) for part, count in system.noise)
    return NoisyReports(RepeatedReports(system.reports.system, n * system.reports.uses), noise)


@plan_privacy_profile.register
def profile_of_noisy_reports(system: NoisyReports) -> Plan[Profile]:
    """Plan the largest δ of all pairs."""
    return Plan(system.algorithm, lambda: lambda epsilon: system.over_pairs(lambda pair: pair.profile(epsilon)))


@plan_bayes_security.register
def bayes_security_of_noisy_reports(system: NoisyReports) -> Plan[float | Estimate]:
    """Plan the least β* of all pairs, which the uniform prior on one of them attains (Bayes-sec, Theorem 1)."""
    return Plan(system.algorithm, lambda: -system.over_pairs(lambda pair: -plan_bayes_security(pair).compute()))


@plan_ldp_epsilon.register
def ldp_epsilon_of_noisy_reports(system: NoisyReports) -> Plan[float]:
    """Plan the largest ε of all pairs."""
    return Plan(system.algorithm, lambda: max(pair.epsilon for pair in system.pairs))


@plan_renyi.register
def renyi_of_noisy_reports(system: NoisyReports, order: float) -> Plan[float | Estimate]:
    """Plan the largest divergence of all pairs."""
    return Plan(
        Method("sum over noise and reports", "exact"),
        lambda: system.over_pairs(lambda pair: plan_renyi(pair, order).compute()),
    )


@plan_tradeoff.register
def tradeoff_of_noisy_reports(system: NoisyReports, pair: Pair | None) -> Plan[BestTests]:
    """Plan the best tests of a pair, or an upper bound on the best tests of all pairs."""
    if pair is not None:
        chosen = system.pair(*pair_indices(pair, system.reports.labels))
        return plan_tradeoff(chosen, chosen.furthest_pair)
    return Plan(system.algorithm, lambda: tests_of_pairs(system.pairs))
