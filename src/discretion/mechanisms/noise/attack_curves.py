"""The best attacks on added noise: exact where its law is discrete or has a closed form, else within a band."""

from collections.abc import Callable, Sequence
from functools import partial, reduce

from discretion.errors import TooLargeError
from discretion.estimate import Estimate, largest, lowest
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.conjugate import Conjugate, ExcessFunctions
from discretion.measures.attack_curves.loss_curves import tests_of_any, tests_of_lattice, tests_of_one_way
from discretion.measures.attack_curves.tradeoff import pair_indices, plan_tradeoff
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.noise.additive import AdditiveNoise, ContinuousNoise, IntegerNoise
from discretion.mechanisms.noise.gaussian import Gaussian
from discretion.mechanisms.noise.report_pairs import ClosedForm
from discretion.mechanisms.noise.two_secret_measures import TwoLaws

Told = Callable[[float], float | Estimate]


@plan_tradeoff.register
def _tradeoff_of_continuous_noise(system: ContinuousNoise, pair: Pair | None) -> Plan[BestTests]:
    if pair is not None:
        pair_indices(pair, system.furthest_pair)
    return Plan(system.algorithm, lambda: _of_noise(system))


@plan_tradeoff.register
def _tradeoff_of_integer_noise(system: IntegerNoise, pair: Pair | None) -> Plan[BestTests]:
    if pair is not None and set(pair) != set(system.furthest_pair):
        return plan_tradeoff.dispatch(object)(system, pair)

    def tests() -> BestTests:
        try:
            return tests_of_lattice(system.losses.masses, system.losses.losses)
        except TooLargeError:  # to be listed
            return _of_noise(system)

    return Plan(Method(f"likelihood ratios of the {system.algorithm.name}", "exact"), tests)


@plan_tradeoff.register
def _tradeoff_of_two_laws(system: TwoLaws, pair: Pair | None) -> Plan[BestTests]:
    if pair is None:
        return Plan(system.algorithm, lambda: tests_of_pairs([system]))
    reverse = pair_indices(pair, system.furthest_pair) == (1, 0)
    forwards, backwards = system.closed_form(reverse), system.closed_form(not reverse)
    if forwards is None or backwards is None:
        return Plan(system.algorithm, lambda: tests_of_one_way(system.losses, reverse))
    if isinstance(forwards, Gaussian):
        return Plan(system.algorithm, lambda: _of_noise(forwards))
    ways = _way(forwards), _way(backwards)
    return Plan(system.algorithm, lambda: Conjugate(*ways, system.epsilon, system.algorithm.name))


def tests_of_pairs(systems: Sequence[TwoLaws]) -> BestTests:
    """Return the best tests of any of these pairs in either direction, and their mixtures."""
    forms = [system.closed_form(reverse) for system in systems for reverse in (False, True)]
    closed_forms = [form for form in forms if form is not None]
    if len(closed_forms) < len(forms):
        return tests_of_any([system.losses for system in systems])
    if isinstance(closed_forms[0], Gaussian):
        return _of_noise(closed_forms[0])
    worst = reduce(_worse, map(_way, closed_forms))
    largest_loss = max(system.epsilon for system in systems)
    return Conjugate(worst, worst, largest_loss, systems[0].algorithm.name)


def _of_noise(system: AdditiveNoise) -> Conjugate:
    way = ExcessFunctions(system.excess, system.overlap)
    shift = system.mu if isinstance(system, Gaussian) else None
    return Conjugate(way, way, system.renyi_divergence(float("inf")), system.algorithm.name, shift)


def _way(closed: ClosedForm) -> ExcessFunctions:
    return ExcessFunctions(closed.excess, closed.overlap)


def _worse(forwards: ExcessFunctions, backwards: ExcessFunctions) -> ExcessFunctions:
    return ExcessFunctions(
        partial(_larger, forwards.excess, backwards.excess), partial(_smaller, forwards.overlap, backwards.overlap)
    )


def _larger(forwards: Told, backwards: Told, epsilon: float) -> float | Estimate:
    return largest([forwards(epsilon), backwards(epsilon)])


def _smaller(forwards: Told, backwards: Told, epsilon: float) -> float | Estimate:
    return min(forwards(epsilon), backwards(epsilon), key=lowest)
