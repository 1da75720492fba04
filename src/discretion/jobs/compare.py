"""The compare job: mechanisms side by side, and the distance of each from a target."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import discretion as dc
from discretion import limits
from discretion.adversaries import Exchangeable
from discretion.adversaries.priors import as_prior
from discretion.channels import System
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate, lowest
from discretion.jobs.gates import SETTLED, Gate, Verdict, judged, numbers_in
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import CompareOptions
from discretion.jobs.protocols import PROTOCOLS, Protocol
from discretion.jobs.scenario import Result, Scenario
from discretion.jobs.target import Target, check_scales, sufficient_crowd, sufficient_epsilon, target_of
from discretion.jobs.tradeoff import EPSILONS, Tradeoff, check_drawable, epsilons_of, has_worth, is_drawable, tradeoff
from discretion.measures import ldp_epsilon
from discretion.measures.measure import prior_on
from discretion.mechanisms import own_measures
from discretion.mechanisms.mechanism import as_values
from discretion.numerics.draws import fresh_seed
from discretion.presenting.numbers import in_brief, rounded_down, rounded_up, within
from discretion.presenting.sentences import seed_sentence
from discretion.presenting.views.document import Block, Bullets, Document, Figure, Grid, Section, Terms
from discretion.presenting.views.result import JobResult, number_row
from discretion.refinement import Order, compare_all
from discretion.shuffling import Shuffled
from discretion.spelling import family_of, mechanism_of

Answers = Mapping[str, Any]

# The columns of the table of information, and where their numbers are.
_INFORMATION = {"hidden on average": ("average_privacy",), "utility of a report": ("effective_participation",)}
# Multiplications in a step of comparing two mechanisms: a tenth of a second.
_QUICKLY_COMPARED = 1 << 28


@dataclass(frozen=True)
class MechanismAnswers:
    """The results for one mechanism by the names of their functions.

    Parameters
    ----------
    alone
        The results for one person's report.
    shuffled
        The results for the shuffled reports of all users, or None without users.
    frequency_error
        The standard error of an estimated share, as a share and in people; None without users or an estimator.
    target
        The smallest crowd and the largest ε that meet the target, whether it is met, and the standard error with this
        ε; None without a target.
    not_computed
        The name of each missing result → the reason.
    """

    alone: Answers
    shuffled: Answers | None
    frequency_error: Answers | None
    target: Answers | None
    not_computed: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the results as one object for JSON."""
        parts = {
            "shuffled": self.shuffled,
            "frequency_error": self.frequency_error,
            "target": self.target,
            "not_computed": self.not_computed or None,
        }
        return {**self.alone} | {name: part for name, part in parts.items() if part is not None}

    def why_not(self, measure: str) -> str:
        """Return the reason why this mechanism lacks a measure."""
        part, _, last = measure.rpartition(".")
        reasons = (self.not_computed.get(name) for name in (f"{part} {last}".strip(), last, part))
        return next(filter(None, reasons), "this measure is not defined for the mechanism")


@dataclass(frozen=True, repr=False)
class Comparison(JobResult):
    """The results for each mechanism by its spelling, and the curves if they were computed.

    Parameters
    ----------
    answers
        The results.
    order
        The refinement order of the mechanisms, or the reason why it is not compared; None for one mechanism.
    tradeoff
        The curves.
    scenario, goal
        The number of users, the adversary and the levels; and the target.
    """

    answers: Mapping[str, MechanismAnswers]
    order: Order | str | None
    tradeoff: Tradeoff | None
    scenario: Scenario
    goal: Target | None

    def to_dict(self) -> dict[str, Any]:
        """Return the results as one object for JSON."""
        results = {name: row.to_dict() for name, row in self.answers.items()}
        order = {} if self.order is None else {"refinement": self._order()}
        if self.tradeoff is None:
            return results | order
        curves, best = self.tradeoff.curves, self.tradeoff.best
        drawn = {name: row | {"curve": curves[name]} for name, row in results.items()}
        return (
            drawn | order | {"optimal_mechanism": {"not_computed": best} if isinstance(best, str) else {"curve": best}}
        )

    def _order(self) -> dict[str, Any]:
        return self.order.to_dict() if isinstance(self.order, Order) else {"not_computed": self.order}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number of each mechanism."""
        for mechanism, answers in self.answers.items():
            for name, value in numbers_in(answers.to_dict()).items():
                yield {"mechanism": mechanism, **number_row(name, value)}

    def document(self) -> Document:
        """Return the document: tables of the mechanisms, the numbers that are not exact, and which one is safer."""
        results = {name: row.to_dict() for name, row in self.answers.items()}
        sections: list[Section] = []
        for title, columns in _tables(self.scenario, self.goal):
            rows = ((name, *(in_brief(_at(row, path)) for path in columns.values())) for name, row in results.items())
            note = self._adversary() if ("shuffled", "posterior_vulnerability") in columns.values() else ""
            blocks: list[Block] = [
                Grid(("mechanism", *columns), tuple(rows), frozenset(["mechanism"]), note=note, first=len(results))
            ]
            if columns == _INFORMATION and self.tradeoff is not None:
                blocks.append(Figure("tradeoff", "Privacy against utility as ε varies", self._chart))
            sections.append(Section(title, tuple(blocks)))
        if notes := tuple(_notes(results)):
            numbers = (number for row in results.values() for number in numbers_in(row).values())
            blocks = [Terms(notes), *seed_sentence(numbers, self.scenario.seed)]
            sections.append(Section("Bounds and estimates (*), and what is not computed", tuple(blocks)))
        if order := tuple(_order(self.order)):
            sections.append(Section("Which is safer against every adversary", (Bullets(order),)))
        count = len(self.answers)
        title = f"{count} mechanism{'s' * (count != 1)}"
        return Document(title, (), tuple(sections), kind="compare", line=", ".join(self.answers))

    def _adversary(self) -> str:
        """Return the knowledge of the adversary of shuffled reports, and the meaning of the errors."""
        sentences = self.scenario.known(_claims(self.scenario))
        return f"The adversary {' '.join(sentences)} Error: the standard error of a share, and in people."

    def _chart(self) -> Any:
        from discretion import charts  # noqa: PLC0415 - Altair takes half a second

        curves = self.tradeoff
        assert curves is not None
        return charts.tradeoff(curves.curves, curves.best, self.scenario.users, "Privacy against utility")

    def judged(self, gates: Sequence[Gate], measures: Sequence[str]) -> tuple[Verdict, ...]:
        """Return the verdict of each gate on each mechanism."""
        return tuple(
            verdict
            for name, row in self.answers.items()
            for verdict in judged(
                gates,
                dict.fromkeys(measures) | numbers_in(row.to_dict()),
                SETTLED,
                {measure: row.why_not(measure) for measure in measures},
                of=name,
            )
        )


def compared_measures(scenario: Scenario, goal: Target | None = None) -> list[str]:
    """Return the names of the numbers that a mechanism may have, those of a part as ``part.name``.

    Examples
    --------
    >>> compared_measures(Scenario())[:3]
    ['ldp_epsilon', 'posterior_vulnerability', 'bayes_security']
    """
    crowd = scenario.users is not None
    measures = ["ldp_epsilon", *_of_one(scenario), "average_privacy", "effective_participation"]
    if crowd:
        measures += [f"shuffled.{name}" for name in _shown(scenario)]
        measures += ["frequency_error.share", "frequency_error.people"]
    if goal is not None:
        there = ["value", "largest_epsilon", "error_at_largest_epsilon.share", "error_at_largest_epsilon.people"]
        measures += ["target.smallest_crowd", *(f"target.{name}" for name in there if crowd)]
    return measures


def scenario_of(options: CompareOptions) -> tuple[Scenario, Target | None]:
    """Return the scenario and the target of the options, if they fit each other."""
    scenario = Scenario.of_options(options)
    goal = None if options.target is None else target_of(options.target, scenario)
    if options.adversary is not None and options.users is None and goal is None:
        raise InvalidValueError(f"--adversary {options.adversary} is about the other users; add --users N")
    if options.users is None:
        check_scales(scenario.knowledge)
    return scenario, goal


def run_compare(
    mechanisms: Sequence[str],
    options: CompareOptions,
    *,
    chart: bool = False,
    figure: bool = False,
    monitor: Monitor | None = None,
) -> Comparison:
    """Return the comparison by these options of mechanisms by their spelling; of all protocols if none is given.

    Parameters
    ----------
    mechanisms
        The mechanisms, as for measure.
    options
        The options. A search needs the same noise at every step, so a seed is drawn if none is given.
    chart
        Whether curves are drawn; an error is raised if there is nothing to draw.
    figure
        Whether curves are drawn if the options name their ε; they take several times as long as the rest.
    monitor
        Follows each step, and may end it.
    """
    options = replace(options, seed=fresh_seed() if options.seed is None else options.seed)
    scenario, goal = scenario_of(options)
    epsilons = EPSILONS if options.epsilons is None else epsilons_of(options.epsilons)
    systems: dict[str, System] = {}
    for name in mechanisms or _all_protocols(options):
        if name in systems:
            raise InvalidValueError(f"{name} is given twice")
        systems[name] = mechanism_of(name)
    if chart:
        check_drawable(systems.values(), options.users)
    draws = chart or (figure and options.epsilons is not None and is_drawable(systems.values(), options.users))
    return compare(systems, scenario, goal, epsilons if draws else None, monitor)


def _all_protocols(options: CompareOptions) -> tuple[str, ...]:
    """Return the spellings of all protocols, for the given number of answers."""
    if options.answers is None:
        raise InvalidValueError(
            "compare needs a mechanism, such as discretion compare krr:k=5,epsilon=1 oue:k=5,epsilon=1, or --answers "
            "K for all protocols"
        )
    answers = as_values(options.answers, "answers")
    return tuple(Protocol(name, answers).spelled(options.local_epsilon) for name in PROTOCOLS)


def compare(
    systems: Mapping[str, System],
    scenario: Scenario,
    goal: Target | None = None,
    epsilons: Sequence[float] | None = None,
    monitor: Monitor | None = None,
) -> Comparison:
    """Return the leakage of each mechanism alone and shuffled, its accuracy, and the crowd and ε for a target.

    Parameters
    ----------
    systems
        The mechanisms by their spelling, whose parameters may be varied.
    scenario
        The number of users, the adversary and the levels.
    goal
        A target.
    epsilons
        The ε of the points of curves of privacy against utility; None for no curves.
    monitor
        Follows each step, and may end it.

    Returns
    -------
    Comparison
        The results, in the order of the mechanisms.

    Raises
    ------
    InvalidValueError
        If the scenario does not fit a mechanism.

    Examples
    --------
    >>> result = compare({"krr:k=2,p=0.75": dc.RandomizedResponse(2, p=0.75)}, Scenario())
    >>> result.answers["krr:k=2,p=0.75"].alone["posterior_vulnerability"]
    0.75
    """
    monitor = monitor or Monitor()
    for system in systems.values():
        as_prior(scenario.prior, system.secrets)
        if scenario.users is not None:
            prior_on(
                Shuffled(system, scenario.users).seen_by(scenario.against("posterior_vulnerability")), scenario.prior
            )
    rows = {name: _Row(name, system, scenario, goal, monitor).compared() for name, system in systems.items()}
    order = None if len(systems) == 1 else _ordered(systems, monitor)
    curves = None if epsilons is None else tradeoff(systems, epsilons, scenario.users, scenario.seed, monitor)
    return Comparison(rows, order, curves, scenario, goal)


def _ordered(systems: Mapping[str, System], monitor: Monitor) -> Order | str:
    """Return the refinement order of the mechanisms, or the reason why it is not compared."""
    allowed = limits.current()
    few = replace(allowed, operations=min(_QUICKLY_COMPARED, allowed.operations))
    try:
        with monitor.step("all: refinement"), limits.within(few):
            try:
                return compare_all(systems)
            except TooLargeError as error:  # caught here, as its message is then not about lowered limits
                return str(error)
    except (InvalidValueError, UnsupportedError) as error:
        return str(error)


class _Row:
    """The computation of one mechanism's results, and of the reasons for missing ones."""

    def __init__(self, name: str, system: System, scenario: Scenario, goal: Target | None, monitor: Monitor) -> None:
        self._name, self._system, self._scenario, self._goal, self._monitor = name, system, scenario, goal, monitor
        self._refused: dict[str, str] = {}

    def compared(self) -> MechanismAnswers:
        """Return the results by the names of their functions."""
        scenario, system, users = self._scenario, self._system, self._scenario.users
        alone = self._answers("", {"ldp_epsilon": lambda: ldp_epsilon(system)} | self._alone())
        alone |= self._answers("", self._information())
        shuffled = error = target = None
        if users is not None:
            crowd, among = Shuffled(system, users), scenario.questions_of_crowds()
            shown = {name: lambda name=name: among[name](crowd) for name in _shown(scenario)}
            shuffled = self._answers("shuffled ", shown)
            if (of_shares := own_measures(system, users).get("frequency_error")) is not None:
                error = self._answers("", {"frequency_error": of_shares}).get("frequency_error")
        if self._goal is not None:
            target = self._answers("", self._inverse(self._goal, shuffled or {}))
            if "value" in target:
                target["met"] = self._goal.is_met(target["value"])
            if (largest := target.get("largest_epsilon")) is not None and users is not None:
                target |= self._answers("", self._error_at(lowest(largest), users))
        return MechanismAnswers(alone, shuffled, error, target, self._refused)

    def _alone(self) -> dict[str, Callable[[], Result]]:
        scenario, system = self._scenario, self._system
        if isinstance(scenario.knowledge, Exchangeable):
            scenario = replace(scenario, prior=scenario.knowledge.prior)
        questions = scenario.questions()
        return {name: lambda name=name: questions[name](system) for name in _of_one(scenario)}

    def _information(self) -> dict[str, Callable[[], Result]]:
        system, rng = self._system, self._scenario.seed
        information: dict[str, Callable[[], Result]] = {}
        if system.secrets > 1:
            information["average_privacy"] = lambda: dc.information.average_privacy(system)
        if has_worth(system):
            information["effective_participation"] = lambda: dc.information.effective_participation(system, rng=rng)
        return information

    def _inverse(self, goal: Target, known: dict[str, Result]) -> dict[str, Callable[[], Any]]:
        scenario, system = self._scenario, self._system
        inverse: dict[str, Callable[[], Any]] = {}
        if (users := scenario.users) is not None:
            question = scenario.questions_of_crowds()[goal.name]
            inverse["value"] = lambda: known[goal.name] if goal.name in known else question(Shuffled(system, users))
        inverse["smallest_crowd"] = lambda: self._smallest_crowd(goal)
        if users is not None:
            inverse["largest_epsilon"] = lambda: sufficient_epsilon(goal, family_of(self._name), users)
        return inverse

    def _error_at(self, epsilon: float, users: int) -> dict[str, Callable[[], Any]]:
        """Return the computation of the standard error at another ε, to compare mechanisms at one target."""
        errors = own_measures(family_of(self._name)(epsilon), users)
        return {"error_at_largest_epsilon": errors["frequency_error"]} if "frequency_error" in errors else {}

    def _smallest_crowd(self, goal: Target) -> Result:
        check_scales(self._scenario.knowledge)
        return sufficient_crowd(goal, self._system)

    def _answers(self, prefix: str, questions: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for name, answer in questions.items():
            try:
                with self._monitor.step(f"{self._name}: {prefix}{name}"):
                    answers[name] = answer()
            except InvalidValueError as error:
                self._refused[f"{prefix}{name}"] = str(error)
        return answers


def _of_one(scenario: Scenario) -> list[str]:
    """Return the measures of one person's report."""
    return _shown(scenario) if scenario.users is None else ["posterior_vulnerability", "bayes_security"]


def _shown(scenario: Scenario) -> list[str]:
    """Return the measures that each table shows."""
    return ["posterior_vulnerability", "bayes_security", *scenario.claims()]


def _claims(scenario: Scenario) -> dict[str, str]:
    """Return the measures of differential privacy whose level is given, with the heads of their columns."""
    claims: dict[str, str] = {}
    if scenario.epsilon is not None:
        claims["privacy_profile"] = f"δ({scenario.epsilon:g})"
    if scenario.delta is not None:
        claims["dp_epsilon"] = f"ε({scenario.delta:g})"
    return claims


def _tables(scenario: Scenario, goal: Target | None) -> list[tuple[str, dict[str, tuple[str, ...]]]]:
    """Return each table's title, and the paths of its columns' numbers in the results."""
    users, security = scenario.users, "β*" if scenario.prior is None else "β"
    alone: dict[str, tuple[str, ...]] = {
        "ε": ("ldp_epsilon",),
        "best guess": ("posterior_vulnerability",),
        security: ("bayes_security",),
    }
    crowd = () if users is None else ("shuffled",)
    claims = {head: (*crowd, measure) for measure, head in _claims(scenario).items()}
    if users is None:
        tables = [("Each report alone", alone | claims)]
    else:
        shuffled: dict[str, tuple[str, ...]] = {
            "best guess": ("shuffled", "posterior_vulnerability"),
            security: ("shuffled", "bayes_security"),
            **claims,
            "error": ("frequency_error", "share"),
            "in people": ("frequency_error", "people"),
        }
        tables = [("Each report alone", alone), (f"All reports, shuffled among {users:,} users", shuffled)]
    tables.append(("Information, under Jeffreys' prior on the population", _INFORMATION))
    if goal is not None:
        here = {"here": ("target", "value"), "met": ("target", "met")} if users is not None else {}
        there = {"smallest crowd": ("target", "smallest_crowd")}
        largest = {
            "largest ε": ("target", "largest_epsilon"),
            "people off": ("target", "error_at_largest_epsilon", "people"),
        }
        largest = largest if users is not None else {}
        tables.insert(0, (f"Target: {goal.name} {goal.operator} {goal.level:g}", here | there | largest))
    return tables


def _at(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = row
    for key in path:
        value = value.get(key, "—")
        if value == "—":
            break
    return value


def _notes(results: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the numbers that are not exact or not computed, by mechanisms, and then the methods."""
    notes: dict[str, list[str]] = {}
    methods: dict[str, None] = {}
    for name, row in results.items():
        for what, estimate in _estimates(row):
            notes.setdefault(f"{what} {within(estimate)} *", []).append(name)
            methods[estimate.method] = None
        for sentence, estimate in _sufficient(row.get("target", {})):
            notes.setdefault(f"{sentence} *", []).append(name)
            methods[estimate.method] = None
        for what, reason in row.get("not_computed", {}).items():
            notes.setdefault(f"{what} not computed: {reason}", []).append(name)
    together: dict[str, list[str]] = {}
    for note, names in notes.items():
        together.setdefault(", ".join(names), []).append(note)
    yield from ((names, "; ".join(some)) for names, some in together.items())
    if methods:
        yield "*", "; ".join(methods)


def _estimates(row: Mapping[str, Any]) -> list[tuple[str, Estimate]]:
    crowd, goal = row.get("shuffled", {}), row.get("target", {})
    given = {f"shuffled {name}": value for name, value in crowd.items()} | {"target": goal.get("value")}
    if goal.get("value") in crowd.values():
        given.pop("target")
    return [(name, value) for name, value in ({**row} | given).items() if isinstance(value, Estimate)]


def _sufficient(target: Mapping[str, Any]) -> Iterator[tuple[str, Estimate]]:
    """Yield the crowd and the ε that are certified to meet the target, and those that are certified not to."""
    crowd, epsilon = target.get("smallest_crowd"), target.get("largest_epsilon")
    if isinstance(crowd, Estimate):
        few = f"fewer than {crowd.low:,} are not" if crowd.low > 2 else "fewer may be sufficient"
        yield f"{crowd.high:,} users are sufficient, {few}{_assumption(crowd)}", crowd
    if isinstance(epsilon, Estimate):
        large = f"above {rounded_up(epsilon.high, 4)} is not" if epsilon.high < math.inf else "a larger ε may be"
        small = f"ε = {rounded_down(epsilon.low, 4)} is sufficient, {large}"
        enough = small if epsilon.low < math.inf else "any ε is sufficient"
        yield f"{enough}{_assumption(epsilon)}", epsilon


def _assumption(estimate: Estimate) -> str:
    return "" if estimate.assuming is None else f", assuming that {estimate.assuming}"


def _order(order: Order | str | None) -> Iterator[str]:
    """Yield a sentence for each pair or group of mechanisms in the refinement order."""
    if order is None:
        return
    if isinstance(order, str):
        yield f"Not compared: {order}"
        return
    for members in order.classes:
        if len(members) > 1:
            yield f"{', '.join(members)} leak the same to every adversary"
    for refined, by in order.covers:
        yield f"{by[0]} is at least as safe as {refined[0]} against every adversary"
    for first, second in order.incomparable:
        more = order.relations[second, first].witness, order.relations[first, second].witness
        gaps = [in_brief(float(each.gap)) for each in more if each is not None]
        yield (
            f"{first}, {second}: neither is safer against every adversary; some adversary gains {gaps[0]} more from "
            f"the first, another {gaps[1]} more from the second"
        )
    for (first, second), reason in order.undecided.items():
        yield f"{first}, {second}: not compared: {reason}"
