"""No measure quotes a number between ends that are far apart: its value is then the end on which a decision is safe."""

import collections
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import discretion as dc
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.estimate import Estimate, is_wide
from mechanisms.table import _CONSTRUCTORS as MECHANISMS
from support.lowering import lowered

# What leaks is safe at its high end, what protects or is useful at its low one.
LEAKS: dict[str, Callable[[Any], Any]] = {
    "posterior_vulnerability": dc.posterior_vulnerability,
    "leakage": dc.leakage,
    "additive leakage": lambda system: dc.leakage(system, kind="additive"),
    "multiplicative_bayes_capacity": dc.multiplicative_bayes_capacity,
    "additive_capacity": dc.measures.additive_capacity,
    "shannon_capacity": dc.shannon_capacity,
    "mutual_information": dc.mutual_information,
    "maximal_leakage": dc.measures.maximal_leakage,
    "sibson_information": lambda system: dc.measures.sibson_information(system, 2),
    "privacy_profile": lambda system: dc.privacy_profile(system, 0.1),
    "dp_epsilon": lambda system: dc.dp_epsilon(system, 1e-3),
    "ldp_epsilon": dc.ldp_epsilon,
    "guesses that gain": lambda system: dc.security.posterior_vulnerability_bounds(system, 0.01),
    "guesses that cost": lambda system: dc.posterior_vulnerability(system, None, dc.distance_gain(_ordinal(system))),
}
PROTECTS: dict[str, Callable[[Any], Any]] = {
    "bayes_security": dc.bayes_security,
    "bayes_security at a prior": lambda system: dc.bayes_security(system, _skewed(system.secrets)),
    "bayes_risk": dc.bayes_risk,
    "posterior_entropy": dc.measures.posterior_entropy,
    "bounds of the Bayes security": dc.security.bayes_security_bounds,
    "Bayes security of losses": dc.security.bayes_security_of_losses,
}
OF_REPORTS: dict[str, Callable[[Any], Any]] = {
    "average_privacy": dc.information.average_privacy,
    "worst_case_privacy": dc.information.worst_case_privacy,
    "population_information": lambda system: dc.information.population_information(system, 12, rng=1),
    "distribution_utility": lambda system: dc.information.distribution_utility(system, 12, rng=1),
    "tally_utility": lambda system: dc.information.tally_utility(system, 12, rng=1),
}


# Those that large crowds answer at once.
OF_CROWDS = {
    "high": {name: LEAKS[name] for name in ("posterior_vulnerability", "leakage", "mutual_information")}
    | {"privacy_profile": lambda system: dc.privacy_profile(system, 0.1)},
    "low": {name: PROTECTS[name] for name in ("bayes_security", "bayes_risk")},
}


def _skewed(k: int) -> list[float]:
    return [0.5, *[0.5 / (k - 1)] * (k - 1)] if k > 1 else [1.0]


def _ordinal(system: Any) -> list[list[float]]:
    return [[abs(a - b) for b in range(system.secrets)] for a in range(system.secrets)]


def crowds() -> Iterator[tuple[str, Any]]:
    """Yield crowds from those that are summed exactly to those of which little but bounds is known."""
    # Crowds of 30 have the widest bounds; some are summed, at up to ten seconds an answer.
    sizes = {"oue": (2, 100_000), "olh": (2, 100_000), "ss": (2, 100_000), "hadamard": (30,)}
    for name, mechanism in {
        "krr": dc.RandomizedResponse(4, epsilon=1),
        "oue": dc.UnaryEncoding.oue(3, epsilon=1),
        "rappor": dc.UnaryEncoding.rappor(8, epsilon=2),
        "olh": dc.LocalHashing(5, epsilon=1),
        "ss": dc.SubsetSelection(6, epsilon=1),
        "hadamard": dc.HadamardResponse(6, epsilon=3),
    }.items():
        k = mechanism.secrets
        for n in sizes.get(name, (2, 30, 100_000)):
            known = [(n - 1) // k] * (k - 1)
            for adversary in (
                dc.Uninformed(),
                dc.Uninformed(_skewed(k)),
                dc.AllButOne([*known, n - 1 - sum(known)]),
                dc.PartlyInformed([1] * min(k, n - 1) + [0] * (k - min(k, n - 1)), _skewed(k)),
                dc.Exchangeable([1.0] * k),
                dc.WorstAllButOne(),
            ):
                yield f"{name} {n} {adversary}", dc.Shuffled(mechanism, n).seen_by(adversary, seed=1)


def compositions() -> Iterator[tuple[str, Any]]:
    many = dc.Channel([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.3, 0.2]])
    for n in (2, 30, 5_000):
        yield f"{n} uses", dc.repeated(many, n)
        yield f"{n} uses of a large one", dc.repeated(dc.UnaryEncoding.oue(30, epsilon=1), n)
    yield "side by side", dc.RandomizedResponse(300, epsilon=1) & dc.UnaryEncoding.oue(300, epsilon=0.5)
    yield "few side by side", dc.RandomizedResponse(3, epsilon=1) & dc.Channel([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    for k in (4, 60):
        yield f"{k} values twice", dc.RandomizedResponse(k, epsilon=2) & dc.RandomizedResponse(k, epsilon=1)
    yield "noise", dc.Laplace(1.0)
    yield "noises", dc.Gaussian(2.0) & dc.Laplace(1.5)
    yield "much noise", dc.repeated(dc.Gaussian(3.0), 50)


def answers(
    systems: Iterator[tuple[str, Any]], questions: dict[str, dict[str, Callable[[Any], Any]]]
) -> Iterator[tuple[str, str, Any]]:
    with lowered(MAX_CROWDS_DRAWN=1 << 10):
        for name, system in systems:
            for safe, asked in questions.items():
                for question, ask in asked.items():
                    try:
                        yield f"{question} of {name}", safe, ask(system)
                    except (InvalidValueError, UnsupportedError):
                        continue


def misplaced(found: Iterator[tuple[str, str, Any]]) -> tuple[collections.Counter[str], list[str]]:
    counts: collections.Counter[str] = collections.Counter()
    wrong = []
    for name, safe, answer in found:
        counts["answers"] += 1
        if not isinstance(answer, Estimate):
            continue
        counts["estimates"] += 1
        assert answer.kind in ("bound", "estimate", "assumption")
        if is_wide(answer):
            counts["wide"] += 1
            if answer.value != pytest.approx(getattr(answer, safe), rel=1e-9, abs=1e-12):
                wrong.append(f"{name}: {answer}")
            elif answer.value_is != {"low": "lower bound", "high": "upper bound"}[safe]:
                wrong.append(f"{name} is called {answer.value_is}: {answer}")
    return counts, wrong


@pytest.mark.long
def test_each_mechanism_s_bounds_stand_at_their_safe_ends() -> None:
    systems = ((name, make()) for name, make in MECHANISMS.items())
    counts, wrong = misplaced(answers(systems, {"high": LEAKS, "low": PROTECTS}))
    assert not wrong
    assert counts["answers"] > 900


@pytest.mark.long
def test_what_reports_are_worth_stands_at_its_safe_end() -> None:
    systems = ((name, make()) for name, make in list(MECHANISMS.items())[::9])
    counts, wrong = misplaced(answers(systems, {"low": OF_REPORTS}))
    assert not wrong
    assert counts["answers"] > 20


@pytest.mark.long
def test_bounds_of_compositions_stand_at_their_safe_ends() -> None:
    counts, wrong = misplaced(answers(compositions(), {"high": LEAKS, "low": PROTECTS}))
    assert not wrong
    assert counts["wide"] > 1


@pytest.mark.long
def test_bounds_of_crowds_stand_at_their_safe_ends() -> None:
    counts, wrong = misplaced(answers(crowds(), OF_CROWDS))
    assert not wrong
    assert counts["answers"] > 200
    assert counts["wide"] > 2
