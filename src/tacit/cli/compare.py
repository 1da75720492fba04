"""``tacit compare``: mechanisms side by side, and how far each is from a target."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from secrets import randbits
from typing import Annotated, Any

from cyclopts import Parameter

import tacit as tc
from tacit.adversaries import Exchangeable
from tacit.adversaries.priors import as_prior
from tacit.channels import System
from tacit.cli.limits import Limits, as_seconds
from tacit.cli.measure import interval, print_notes
from tacit.cli.options import (
    Whole,
    as_family,
    as_knowledge,
    as_mechanism,
    as_numbers,
    as_seed,
    check_levels,
)
from tacit.cli.output import Progress, check_not_an_input, print_json
from tacit.cli.target import Asked, Goal, Result, as_goal, check_scales
from tacit.cli.terminal import say
from tacit.cli.tradeoff import EPSILONS, Tradeoff, as_chart_format, as_epsilons, check_drawable, has_worth
from tacit.cli.tradeoff_chart import rendered
from tacit.cli.written import written_whole
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate
from tacit.measures import (
    bayes_security,
    ldp_epsilon,
    posterior_vulnerability,
)
from tacit.measures.measure import prior_on
from tacit.mechanisms import Mechanism, frequency_error
from tacit.shuffling import Shuffled, largest_epsilon, smallest_crowd

# Those that fit in eighty columns beside the mechanism's name.
_MOST_COLUMNS, _WIDE = 7, 80


def compare(
    *mechanisms: str,
    users: Whole | None = None,
    adversary: str | None = None,
    prior: str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    target: str | None = None,
    chart: str | None = None,
    epsilons: str | None = None,
    seed: Whole | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Compare mechanisms: what each gives away alone and shuffled, how accurate it is, and what a target takes.

    Of each also the share of a person's information that it hides on average, and for krr and up to 10 values what a
    report is worth in honest answers, the population's law being Jeffreys'.

    Parameters
    ----------
    mechanisms
        As for measure: name:key=value,… such as krr:k=5,epsilon=1; or channel:FILE.csv.
    users
        How many people report through a shuffler, the target included.
    adversary
        What is known of the others, as for measure; uninformed by default, and worst for --epsilon and --delta.
    prior
        The law of the target's value as p0,p1,…; uniform by default.
    epsilon
        Add privacy_profile, the δ at this ε.
    delta
        Add shuffle_epsilon, the ε at this δ.
    target
        What must hold when shuffled, such as "posterior_vulnerability<=0.25", "bayes_security>=0.99" or, with --delta,
        "shuffle_epsilon<=0.1": says whether it does, how many users it takes, and with --users how large ε may be.
    chart
        A file (.svg, .png, .pdf or .html) for a chart of privacy against utility as ε varies, with the best of all
        mechanisms for up to 10 values, and with --users the standard error in people.
    epsilons
        The ε of the chart's curves as e0,e1,…; by default 0.25 to 4.
    seed
        Where what is too large to sum over is sampled, the same seed gives the same result; drawn afresh by default.
    time
        When to stop, in seconds or as 2m or 1h; what is not computed until then is named. No limit by default.
    json
        Print one JSON object.
    """
    limits = Limits(as_seconds(time))
    asked = Asked(
        users=users,
        adversary=None if adversary is None else as_knowledge(adversary),
        prior=None if prior is None else as_numbers(prior, "prior", float),
        epsilon=epsilon,
        delta=delta,
        # A search needs the same noise at every step.
        rng=randbits(64) if seed is None else as_seed(seed),
    )
    goal = None if target is None else as_goal(target, asked)
    if adversary is not None and users is None and target is None:
        raise InvalidValueError(f"--adversary {adversary} says what is known of the other users; add --users N")
    if users is None:
        check_scales(asked.adversary)
    if epsilons is not None and chart is None:
        raise InvalidValueError(
            f"--epsilons {epsilons} says where the curves of a chart have their points; add --chart"
        )
    check_not_an_input(chart, *(name.removeprefix("channel:") for name in mechanisms if name.startswith("channel:")))
    levels = EPSILONS if epsilons is None else as_epsilons(epsilons)
    systems = _systems(mechanisms, asked)
    progress = Progress()
    with ExitStack() as stack:
        stack.callback(progress.done)
        stack.enter_context(limits.watched())
        file = None if chart is None else stack.enter_context(_chart_file(chart, systems, users))
        results = {
            name: _Row(name, system, asked, goal, progress=progress, limits=limits).results()
            for name, system in systems.items()
        }
        drawn: dict[str, Any] = {}
        if chart is not None and file is not None:
            with limits.working():
                tradeoff = Tradeoff(systems, levels, users, asked.rng)
                curves, best = tradeoff.curves(progress), tradeoff.best(progress)
                progress("drawing")
                file.append(rendered(curves, best, users, as_chart_format(chart)))
            results = {name: found | {"curve": curves[name]} for name, found in results.items()}
            drawn["optimal_mechanism"] = {"not_computed": best} if isinstance(best, str) else {"curve": best}
    if json:
        inputs = {
            "mechanisms": list(mechanisms), "users": users, "adversary": adversary, "prior": prior, "epsilon": epsilon,
            "delta": delta, "target": target, "chart": chart, "epsilons": epsilons, "seed": seed,
            "time": time,
        }  # fmt: skip
        print_json("compare", inputs, results | drawn)
    else:
        _print_text(results, asked, goal)
        if chart is not None:
            say()
            say(f"Chart: {chart}")
    return 0


def _chart_file(
    chart: str, systems: Mapping[str, System], users: int | None
) -> AbstractContextManager[list[str | bytes]]:
    """Return the file of the chart, or say what is wrong with it before any work."""
    as_chart_format(chart)
    check_drawable(systems.values(), users)
    return written_whole(chart)


def _systems(mechanisms: Iterable[str], asked: Asked) -> dict[str, System]:
    """Return the mechanisms by their spelling, or say what is wrong with one of them or does not fit it."""
    systems: dict[str, System] = {}
    for name in mechanisms:
        if name in systems:
            raise InvalidValueError(f"{name} is given twice")
        systems[name] = system = as_mechanism(name)
        as_prior(asked.prior, system.secrets)
        check_levels(system, asked.epsilon, asked.delta)
        if asked.users is not None:
            prior_on(Shuffled(system, asked.users).seen_by(asked.adversary), asked.prior)
    if not systems:
        raise InvalidValueError("compare needs a mechanism, as in tacit compare krr:k=5,epsilon=1 oue:k=5,epsilon=1")
    return systems


class _Row:
    """One mechanism's answers, and what has none."""

    def __init__(
        self, name: str, system: System, asked: Asked, goal: Goal | None, *, progress: Progress, limits: Limits
    ) -> None:
        self._name, self._system, self._asked, self._goal = name, system, asked, goal
        self._progress, self._limits = progress, limits
        self._refused: dict[str, str] = {}

    def results(self) -> dict[str, Any]:
        """Return the answers by the names of their functions, those for the crowd under ``shuffled``."""
        asked, system = self._asked, self._system
        alone = asked.questions(None)
        if isinstance(asked.adversary, Exchangeable):
            law = asked.adversary.prior
            alone["posterior_vulnerability"] = lambda s: posterior_vulnerability(s, law)
            alone["bayes_security"] = lambda s: bayes_security(s, law)
        results: dict[str, Any] = self._answers("", {"ldp_epsilon": lambda: ldp_epsilon(system)})
        of_one = asked.shown if asked.users is None else ["posterior_vulnerability"]
        results |= self._answers("", {name: lambda name=name: alone[name](system) for name in of_one})
        results |= self._answers("", self._information())
        if asked.users is not None:
            users, crowd, among = asked.users, Shuffled(system, asked.users), asked.questions(asked.adversary)
            results["shuffled"] = self._answers(
                "shuffled ", {name: lambda name=name: among[name](crowd) for name in asked.shown}
            )
            if isinstance(system, Mechanism):
                results |= self._answers("", {"frequency_error": lambda: frequency_error(system, users)._asdict()})
        if self._goal is not None:
            results["target"] = self._answers("", self._inverse(self._goal, results.get("shuffled", {})))
            if "value" in results["target"]:
                results["target"]["met"] = self._goal.is_met(results["target"]["value"])
        return results | ({"not_computed": self._refused} if self._refused else {})

    def _information(self) -> dict[str, Callable[[], Result]]:
        system, rng = self._system, self._asked.rng
        information: dict[str, Callable[[], Result]] = {}
        if system.secrets > 1:
            information["average_privacy"] = lambda: tc.average_privacy(system)
        if has_worth(system):
            information["effective_participation"] = lambda: tc.effective_participation(system, rng=rng)
        return information

    def _inverse(self, goal: Goal, known: dict[str, Result]) -> dict[str, Callable[[], Any]]:
        asked, system = self._asked, self._system
        inverse: dict[str, Callable[[], Any]] = {}
        if (users := asked.users) is not None:
            question = asked.questions(asked.adversary)[goal.name]
            inverse["value"] = lambda: known[goal.name] if goal.name in known else question(Shuffled(system, users))
        inverse["smallest_crowd"] = lambda: self._smallest_crowd(goal)
        if users is not None:
            inverse["largest_epsilon"] = lambda: self._largest_epsilon(goal, users)
        return inverse

    def _smallest_crowd(self, goal: Goal) -> int:
        check_scales(self._asked.adversary)
        at_most, at_least = goal.limits
        return smallest_crowd(self._system, goal.search, at_most=at_most, at_least=at_least)

    def _largest_epsilon(self, goal: Goal, users: int) -> float:
        at_most, at_least = goal.limits
        return largest_epsilon(as_family(self._name), users, goal.search, at_most=at_most, at_least=at_least)

    def _answers(self, prefix: str, questions: dict[str, Callable[[], Any]]) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for name, answer in questions.items():
            self._progress(f"{self._name}: {prefix}{name}")
            try:
                with self._limits.working():
                    answers[name] = answer()
            except InvalidValueError as error:
                self._refused[f"{prefix}{name}"] = str(error)
        return answers


def _print_text(results: dict[str, dict[str, Any]], asked: Asked, goal: Goal | None) -> None:
    from rich import box  # noqa: PLC0415 - JSON needs no rich
    from rich.table import Table  # noqa: PLC0415

    from tacit.cli.screen import Screen  # noqa: PLC0415

    console = Screen()
    for title, columns in _tables(asked, goal):
        table = Table(box=box.SIMPLE, pad_edge=False, title=title, title_justify="left")
        table.add_column("mechanism", overflow="fold")
        for header in columns:
            table.add_column(header, justify="right", no_wrap=console.width >= _WIDE, overflow="fold")
        for name, found in results.items():
            table.add_row(name, *(_shown(_at(found, path)) for path in columns.values()))
        console.print(table)
    notes: dict[str, list[str]] = {}
    methods: dict[str, None] = {}
    for name, found in results.items():
        for what, estimate in _estimates(found):
            notes.setdefault(f"{what} {interval(estimate)} *", []).append(name)
            methods[estimate.method] = None
        for what, reason in found.get("not_computed", {}).items():
            notes.setdefault(f"{what} not computed: {reason}", []).append(name)
    print_notes(console, notes)
    for method in methods:
        console.print(f"* {method}")


def _tables(asked: Asked, goal: Goal | None) -> list[tuple[str, dict[str, tuple[str, ...]]]]:
    """Return each table's title, and where the numbers of its columns are."""
    users, crowd = asked.users, () if asked.users is None else ("shuffled",)
    columns: dict[str, tuple[str, ...]] = {"ε": ("ldp_epsilon",), "guess": ("posterior_vulnerability",)}
    if users is not None:
        columns["shuffled"] = ("shuffled", "posterior_vulnerability")
    columns["β*" if asked.prior is None else "β"] = (*crowd, "bayes_security")
    if asked.epsilon is not None:
        columns[f"δ({asked.epsilon:g})"] = (*crowd, "privacy_profile")
    if asked.delta is not None:
        columns[f"ε({asked.delta:g})"] = (*crowd, "shuffle_epsilon")
    tables = [("Each alone" if users is None else f"Alone, and shuffled among {users:,} users", columns)]
    if users is not None:
        error = {"error": ("frequency_error", "share"), "people": ("frequency_error", "people")}
        if len(columns) + len(error) <= _MOST_COLUMNS:
            columns |= error
        else:
            tables.append(("Standard error of a share", error))
    information = {"hidden on average": ("average_privacy",), "worth of a report": ("effective_participation",)}
    tables.append(("Information, where the population's law is Jeffreys' prior", information))
    if goal is not None:
        here = {"here": ("target", "value"), "met": ("target", "met")} if users is not None else {}
        there = {"smallest crowd": ("target", "smallest_crowd")}
        largest = {"largest ε": ("target", "largest_epsilon")} if users is not None else {}
        tables.append((f"Target: {goal.name} {goal.operator} {goal.level:g}", here | there | largest))
    return tables


def _at(found: dict[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = found
    for key in path:
        value = value.get(key, "—")
        if value == "—":
            break
    return value


def _estimates(found: dict[str, Any]) -> list[tuple[str, Estimate]]:
    crowd, goal = found.get("shuffled", {}), found.get("target", {})
    given = {f"shuffled {name}": value for name, value in crowd.items()} | {"target": goal.get("value")}
    if goal.get("value") in crowd.values():
        given.pop("target")
    return [(name, value) for name, value in (found | given).items() if isinstance(value, Estimate)]


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "not sure"}[value]
    if isinstance(value, Estimate):
        return f"{value.value:.4g}*"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
