"""The measures of one mechanism, alone or shuffled."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import discretion as dc
from discretion.adversaries import PopulationLaw
from discretion.adversaries.gains import as_gain
from discretion.adversaries.priors import as_prior
from discretion.channels import System
from discretion.errors import InvalidValueError, UnsupportedError, one_of
from discretion.estimate import Estimate, in_doubles
from discretion.jobs.gates import numbers_in
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import MeasureOptions
from discretion.jobs.scenario import LEVEL_OF, Scenario
from discretion.measures import (
    ldp_epsilon,
    leakiest_pair,
    multiplicative_bayes_capacity,
    prior_vulnerability,
    shannon_capacity,
)
from discretion.measures.attack_curves.curve import AttackCurve
from discretion.measures.measure import prior_on
from discretion.mechanisms import own_measures
from discretion.numerics.draws import fresh_seed
from discretion.presenting.numbers import in_full
from discretion.presenting.sentences import kind_words, seed_sentence
from discretion.presenting.views.document import Block, Document, Figure, Grid, Terms
from discretion.presenting.views.result import JobResult, number_row
from discretion.spelling import gain_of, mechanism_of, population_of
from discretion.validation import as_crowd

# The measures that take the worst prior.
_OF_EVERY_PRIOR = {"multiplicative_bayes_capacity", "shannon_capacity", "ldp_epsilon", *LEVEL_OF}

Quantity = Callable[[], Any]


@dataclass(frozen=True, repr=False)
class Measurement(JobResult):
    """The measures of a mechanism.

    Parameters
    ----------
    mechanism
        Its name, for the document.
    answers
        A measure's name → its result.
    not_computed
        The name of each measure that has no result → why.
    adversary
        Sentences on the adversary's observation and knowledge, and on the measures that assume others.
    of_every_prior
        The names of the measures that hold for every prior.
    curve
        The curve of the best attacks, or None.
    seed
        Where sampling started, for the document.
    """

    mechanism: str
    answers: Mapping[str, Any]
    not_computed: Mapping[str, str]
    adversary: str = ""
    of_every_prior: tuple[str, ...] = ()
    curve: AttackCurve | None = None
    seed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return both as one object, as JSON has it."""
        return {**self.answers} | ({"not_computed": {**self.not_computed}} if self.not_computed else {})

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number."""
        return (number_row(name, value) for name, value in numbers_in(self.answers).items())

    def document(self) -> Document:
        """Return the document: each measure with its kind, then the methods."""
        rows = [(name, in_full(result), kind_words(result)) for name, result in self.answers.items()]
        rows += [(name, "—", "not computed") for name in self.not_computed]
        heads = ("measure", "value", "kind")
        methods: dict[str, list[str]] = {}
        for name, result in self.answers.items():
            if isinstance(result, Estimate):
                methods.setdefault(result.method, []).append(name)
        for name, reason in self.not_computed.items():
            methods.setdefault(f"not computed: {reason}", []).append(name)
        blocks: list[Block] = [self.adversary] if self.adversary else []
        note = f"For every prior: {', '.join(self.of_every_prior)}." if self.of_every_prior else ""
        blocks.append(Grid(heads, tuple(rows), frozenset(["measure", "kind"]), note=note, first=len(rows)))
        if methods:
            blocks.append(Terms(tuple((", ".join(names), method) for method, names in methods.items())))
        blocks += seed_sentence(self.answers.values(), self.seed)
        if self.curve is not None:
            blocks.append(Figure("tradeoff", "The best attack at every rate of false positives", self.curve.chart))
        line = f"{self.mechanism}: {len(self.answers)} measure{'s' * (len(self.answers) != 1)}"
        return Document(self.mechanism, tuple(blocks), kind="measure", line=line)


def run_measure(
    mechanism: str,
    options: MeasureOptions,
    *,
    needed: Sequence[str] = (),
    curve: bool = False,
    monitor: Monitor | None = None,
) -> Measurement:
    """Return the measures that the options ask for, of a mechanism by its spelling.

    Examples
    --------
    >>> run_measure("krr:k=2,p=0.75", MeasureOptions(only="leakage")).to_dict()
    {'leakage': 1.5}
    """
    if options.adversary is not None and not options.shuffled:
        raise InvalidValueError(
            f"--adversary {options.adversary} is about the other users, who matter only with --shuffled; add "
            "--shuffled --users N"
        )
    if options.shuffled and options.users is None:
        raise InvalidValueError("--shuffled needs the number of users; add --users N")
    options = replace(options, seed=fresh_seed() if options.seed is None else options.seed)
    system = mechanism_of(mechanism)
    scenario = replace(
        Scenario.of_options(options),
        gain=None if options.gain is None else gain_of(options.gain, system.secrets),
        false_positive_rate=options.false_positive_rate,
    )
    return measure(
        system,
        scenario,
        name=mechanism,
        shuffled=options.shuffled,
        population=None if options.population is None else population_of(options.population, system.secrets),
        only=options.only,
        needed=needed,
        curve=curve,
        monitor=monitor,
    )


def measure(
    mechanism: System,
    scenario: Scenario,
    *,
    name: str = "",
    shuffled: bool = False,
    population: PopulationLaw | None = None,
    only: Sequence[str] = (),
    needed: Sequence[str] = (),
    curve: bool = False,
    monitor: Monitor | None = None,
) -> Measurement:
    """Return the measures of a mechanism that have a meaning in a scenario.

    Parameters
    ----------
    mechanism
        The randomizer of one person's value, or another system.
    scenario
        The users, the adversary and the levels.
    name
        The name of the mechanism in the document; its class by default.
    shuffled
        Whether the adversary observes the reports of all ``scenario.users`` together.
    population
        The law of the population's shares; None leaves out the measures against it, unless they are named.
    only
        The names of the measures; all that have a meaning if there are none.
    needed
        Names that must be among these.
    curve
        Whether to find the curve of the best attacks too.
    monitor
        Follows each step, and may end it.

    Returns
    -------
    Measurement
        In the order of the names.

    Raises
    ------
    InvalidValueError, UnsupportedError
        If the scenario does not fit the mechanism, a name is none, or one that was named has no answer.

    Examples
    --------
    >>> result = measure(dc.RandomizedResponse(2, p=0.75), Scenario(), only=["posterior_vulnerability", "leakage"])
    >>> result.to_dict()
    {'posterior_vulnerability': 0.75, 'leakage': 1.5}
    """
    monitor = monitor or Monitor()
    as_prior(scenario.prior, mechanism.secrets)
    as_gain(scenario.gain, mechanism.secrets)
    crowd = dc.Shuffled(mechanism, as_crowd(scenario.users, "users")) if shuffled else None
    seen, claimed = _systems(mechanism, scenario, crowd)
    quantities = _quantities(mechanism, seen, claimed, scenario)
    of_population = _information(mechanism, scenario, population, shuffled)
    if population is not None:
        quantities |= of_population
    known = quantities | of_population
    named = [one_of(quantity, known, "measure here called") for quantity in only]
    for quantity in needed:
        one_of(quantity, named or quantities, "measure here called")
    answers: dict[str, Any] = {}
    refused: dict[str, str] = {}
    for quantity in named or quantities:
        try:
            with monitor.step(quantity):
                answers[quantity] = known[quantity]()
        except (InvalidValueError, UnsupportedError) as error:
            if (named and not monitor.over) or (monitor.over and not answers):
                raise
            refused[quantity] = str(error)
    curve_of_attacks = None
    if curve:
        try:
            with monitor.step("tradeoff_curve"):
                curve_of_attacks = dc.tradeoff(claimed)
        except (InvalidValueError, UnsupportedError) as error:
            refused["tradeoff_curve"] = str(error)
    free = _OF_EVERY_PRIOR | {"bayes_security"} if scenario.prior is None else _OF_EVERY_PRIOR
    return Measurement(
        name or type(mechanism).__name__,
        answers,
        refused,
        " ".join(_adversary(scenario, shuffled, answers)),
        tuple(name for name in answers if name in free),
        curve_of_attacks,
        scenario.seed,
    )


def _adversary(scenario: Scenario, shuffled: bool, answers: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the adversary sees and knows, and which of these measures assume something else."""
    before = "every secret is equally likely beforehand" if scenario.prior is None else "the secret follows your prior"
    if not shuffled:
        yield f"The adversary sees one output; {before}."
    else:
        known, *others = scenario.known({name: name for name in answers})
        yield f"The adversary sees the shuffled reports of {scenario.users:,} people and {known}"
        yield from others
        if others:
            yield "Use --adversary worst to measure everything against it."
        elif scenario.knowledge is None:
            yield "Use --adversary worst to measure against an adversary that knows all other answers."


def _systems(mechanism: System, scenario: Scenario, crowd: "dc.Shuffled | None") -> tuple[System, System]:
    """Return what the adversary sees, and what one sees against whom a claim of differential privacy is meant."""
    if crowd is None:
        return mechanism, mechanism
    # One view for all measures, so that one sample answers them.
    seen = crowd.seen_by(scenario.against("posterior_vulnerability"), scenario.seed)
    return seen, seen if scenario.knowledge is not None else crowd.seen_by(
        scenario.against("privacy_profile"), scenario.seed
    )


def _quantities(mechanism: System, seen: System, claimed: System, scenario: Scenario) -> dict[str, Quantity]:
    """Return the measures that have a meaning for these inputs, by their function's name."""
    prior = prior_on(seen, scenario.prior)
    before = np.full(mechanism.secrets, 1 / mechanism.secrets) if prior is None else prior
    questions, claims = scenario.questions(), scenario.claims()
    quantities: dict[str, Quantity] = {"prior_vulnerability": lambda: float(prior_vulnerability(before, scenario.gain))}
    quantities |= {name: partial(question, seen) for name, question in questions.items() if name not in claims}
    if scenario.gain is None:
        if scenario.knowledge is None:
            quantities["multiplicative_bayes_capacity"] = lambda: in_doubles(multiplicative_bayes_capacity(seen))
            with suppress(UnsupportedError):  # which prior attains it is not known of DP-SGD
                quantities["shannon_capacity"] = shannon_capacity.plan(seen).compute
        if seen is mechanism:
            quantities["ldp_epsilon"] = lambda: ldp_epsilon(seen)
        if seen.secrets > 1:
            quantities["leakiest_pair"] = lambda: leakiest_pair(seen)
        quantities |= own_measures(mechanism, scenario.users)
    return quantities | {name: partial(question, claimed) for name, question in claims.items()}


def _information(
    mechanism: System, scenario: Scenario, population: PopulationLaw | None, shuffled: bool
) -> dict[str, Quantity]:
    """Return what is measured against a law of the population, loaded when it is computed."""
    rng = scenario.seed
    quantities: dict[str, Quantity] = {}
    if not shuffled:
        quantities |= {
            "worst_case_privacy": lambda: dc.information.worst_case_privacy(mechanism),
            "worst_case_report": lambda: dc.information.worst_case_report(mechanism),
            "average_privacy": lambda: dc.information.average_privacy(mechanism, population),
        }
    quantities |= {
        "asymptotic_utility": lambda: dc.information.asymptotic_utility(mechanism, population, rng),
        "effective_participation": lambda: dc.information.effective_participation(mechanism, population, rng),
    }
    if (n := scenario.users) is not None:
        quantities |= {
            "population_information": lambda: dc.information.population_information(mechanism, n, population, rng),
            "distribution_utility": lambda: dc.information.distribution_utility(mechanism, n, population, rng),
            "tally_utility": lambda: dc.information.tally_utility(mechanism, n, population, rng),
            "digit_utility": lambda: dc.information.digit_utility(mechanism, n, population, rng),
        }
    return quantities
