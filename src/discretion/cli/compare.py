"""``discretion compare``: mechanisms side by side, and how far each is from a target."""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from discretion.channels import System
from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_seed
from discretion.cli.output import code_of, monitored, print_json, say_verdicts
from discretion.cli.terminal import say
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.jobs.compare import Comparison, compare as compared, compared_measures
from discretion.jobs.gates import gates_of
from discretion.jobs.scenario import Scenario
from discretion.jobs.target import Target, check_scales, target_of
from discretion.jobs.tradeoff import EPSILONS, Tradeoff, check_drawable, epsilons_of
from discretion.numerics.draws.randomness import fresh_seed
from discretion.presenting.files import check_not_an_input, written_whole
from discretion.presenting.numbers import in_brief, rounded_down, rounded_up, within
from discretion.refinement import Order
from discretion.spelling import knowledge_of, mechanism_of, prior_of, read_by

FORMATS = ("svg", "png", "pdf", "html")
_TITLE = "Privacy against utility"

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
    fail_over: FailOver = (),
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Compare mechanisms: what each gives away alone and shuffled, how accurate it is, and what a target takes.

    Of each also the share of a person's information that it hides on average, and for krr and up to 10 values what a
    report is worth in honest answers, the population's law being Jeffreys'. Of several, which is safer than which
    against everybody, whatever she knows and wants, when each reports alone.

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
        Add dp_epsilon, the ε at this δ.
    target
        What must hold when shuffled, such as "posterior_vulnerability<=0.25", "bayes_security>=0.99" or, with --delta,
        "dp_epsilon<=0.1": shows whether it does, how many users are sufficient, and with --users how large an ε is.
        Where bounds answer, fewer users or a larger ε may be sufficient too; the answer then says so.
    chart
        A file (.svg, .png, .pdf or .html) for a chart of privacy against utility as ε varies, with the best of all
        mechanisms for up to 10 values, and with --users the standard error in people.
    epsilons
        The ε of the chart's curves as e0,e1,…; by default 0.25 to 4.
    seed
        Where what is too large to sum over is sampled, the same seed gives the same result; drawn afresh by default.
    fail_over
        Exit with 1 if a measure of one of them is above or below a limit, as "posterior_vulnerability>0.25" or
        "shuffled.bayes_security<0.9"; once for each, by the names of --json. Exit with 3 if that is not decided.
    time
        When to stop, in seconds or as 2m or 1h; what is not computed until then is named. No limit by default.
    json
        Print one JSON object.
    """
    limits = Limits(as_seconds(time))
    scenario = Scenario(
        users=users,
        knowledge=None if adversary is None else knowledge_of(adversary),
        prior=None if prior is None else prior_of(prior),
        epsilon=epsilon,
        delta=delta,
        # A search needs the same noise at every step.
        seed=fresh_seed() if seed is None else as_seed(seed),
    )
    goal = None if target is None else target_of(target, scenario)
    if adversary is not None and users is None and target is None:
        raise InvalidValueError(f"--adversary {adversary} says what is known of the other users; add --users N")
    if users is None:
        check_scales(scenario.knowledge)
    if epsilons is not None and chart is None:
        raise InvalidValueError(
            f"--epsilons {epsilons} says where the curves of a chart have their points; add --chart"
        )
    measures = compared_measures(scenario, goal)
    gates = gates_of(fail_over, measures)
    check_not_an_input(chart, *filter(None, map(read_by, mechanisms)))
    levels = EPSILONS if epsilons is None else epsilons_of(epsilons)
    systems = _systems(mechanisms)
    with ExitStack() as stack:
        monitor = stack.enter_context(monitored(limits))
        file = None if chart is None else stack.enter_context(_chart_file(chart, systems, users))
        found = compared(systems, scenario, goal, None if chart is None else levels, monitor)
        if chart is not None and file is not None and found.tradeoff is not None:
            with monitor.step("drawing"):
                file.append(_drawn(found.tradeoff, users, as_chart_format(chart)))
    verdicts = found.judged(gates, measures)
    if json:
        inputs = {
            "mechanisms": list(mechanisms), "users": users, "adversary": adversary, "prior": prior, "epsilon": epsilon,
            "delta": delta, "target": target, "chart": chart, "epsilons": epsilons, "seed": seed,
            "time": time,
        }  # fmt: skip
        print_json("compare", inputs, found.to_dict(), verdicts)
    else:
        _print_text(found, scenario, goal)
        if chart is not None:
            say()
            say(f"Chart: {chart}")
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _order_in_words(order: Order | str | None) -> Iterator[str]:
    """Yield which mechanism is safer than which."""
    if order is None:
        return
    yield ""
    if isinstance(order, str):
        yield f"Which is safer against everybody is not compared: {order}"
        return
    for members in order.classes:
        if len(members) > 1:
            yield f"{', '.join(members)}: leak the same to everybody"
    for refined, by in order.covers:
        yield f"{by[0]}: at least as safe as {refined[0]} against everybody"
    for first, second in order.incomparable:
        more = order.relations[second, first].witness, order.relations[first, second].witness
        gaps = [in_brief(float(each.gap)) for each in more if each is not None]
        yield (
            f"{first}, {second}: it depends on the adversary which is safer; some gain {gaps[0]} more from the first, "
            f"some {gaps[1]} more from the second"
        )
    for (first, second), reason in order.undecided.items():
        yield f"{first}, {second}: which is safer against everybody is not compared: {reason}"


def _chart_file(
    chart: str, systems: Mapping[str, System], users: int | None
) -> AbstractContextManager[list[str | bytes]]:
    """Return the file of the chart, or say what is wrong with it before any work."""
    as_chart_format(chart)
    check_drawable(systems.values(), users)
    return written_whole(chart)


def _drawn(found: Tradeoff, users: int | None, suffix: str) -> str | bytes:
    """Return the contents of the chart's file in the format of that name."""
    from discretion import charts  # noqa: PLC0415 - Altair takes half a second

    chart = charts.tradeoff(found.curves, found.best, users, _TITLE)
    match suffix:
        case "svg":
            return charts.to_svg(chart)
        case "png":
            return charts.to_png(chart)
        case "pdf":
            return charts.to_pdf(chart)
        case _:
            return charts.to_html(chart, _TITLE)


def as_chart_format(path: str) -> str:
    """Return the format that a file's name asks for."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InvalidValueError(f"--chart must name a file that ends in .{', .'.join(FORMATS)}, got {path}")
    return suffix


def _systems(mechanisms: Iterable[str]) -> dict[str, System]:
    """Return the mechanisms by their spelling, or say what is wrong with one of them."""
    systems: dict[str, System] = {}
    for name in mechanisms:
        if name in systems:
            raise InvalidValueError(f"{name} is given twice")
        systems[name] = mechanism_of(name)
    if not systems:
        raise InvalidValueError(
            "compare needs a mechanism, as in discretion compare krr:k=5,epsilon=1 oue:k=5,epsilon=1"
        )
    return systems


def _print_text(comparison: Comparison, scenario: Scenario, goal: Target | None) -> None:
    from discretion.presenting.tables import Screen, print_notes, titled_table  # noqa: PLC0415 - JSON needs no rich

    results = {name: row.to_dict() for name, row in comparison.rows.items()}
    console = Screen()
    for title, columns in _tables(scenario, goal):
        table = titled_table(title, ("mechanism", *columns), columns, whole=console.width >= _WIDE)
        for name, found in results.items():
            table.add_row(name, *(in_brief(_at(found, path)) for path in columns.values()))
        console.print(table)
    notes: dict[str, list[str]] = {}
    methods: dict[str, None] = {}
    for name, found in results.items():
        for what, estimate in _estimates(found):
            notes.setdefault(f"{what} {within(estimate)} *", []).append(name)
            methods[estimate.method] = None
        for sentence, estimate in _sufficient(found.get("target", {})):
            notes.setdefault(f"{sentence} *", []).append(name)
            methods[estimate.method] = None
        for what, reason in found.get("not_computed", {}).items():
            notes.setdefault(f"{what} not computed: {reason}", []).append(name)
    print_notes(console, notes)
    for method in methods:
        console.print(f"* {method}")
    for line in _order_in_words(comparison.order):
        console.print(line)


def _tables(scenario: Scenario, goal: Target | None) -> list[tuple[str, dict[str, tuple[str, ...]]]]:
    """Return each table's title, and where the numbers of its columns are."""
    users, crowd = scenario.users, () if scenario.users is None else ("shuffled",)
    columns: dict[str, tuple[str, ...]] = {"ε": ("ldp_epsilon",), "guess": ("posterior_vulnerability",)}
    if users is not None:
        columns["shuffled"] = ("shuffled", "posterior_vulnerability")
    columns["β*" if scenario.prior is None else "β"] = (*crowd, "bayes_security")
    if scenario.epsilon is not None:
        columns[f"δ({scenario.epsilon:g})"] = (*crowd, "privacy_profile")
    if scenario.delta is not None:
        columns[f"ε({scenario.delta:g})"] = (*crowd, "dp_epsilon")
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


def _sufficient(target: Mapping[str, Any]) -> Iterator[tuple[str, Estimate]]:
    """Yield what is enough for the target, and what is not, where bounds answer for it."""
    crowd, epsilon = target.get("smallest_crowd"), target.get("largest_epsilon")
    if isinstance(crowd, Estimate):
        few = f"fewer than {crowd.low:,} are not" if crowd.low > 2 else "fewer may be"
        yield f"{crowd.high:,} users are sufficient, {few}{_assumed(crowd)}", crowd
    if isinstance(epsilon, Estimate):
        large = f"above {rounded_up(epsilon.high, 4)} is not" if epsilon.high < math.inf else "a larger one may be"
        yield f"ε = {rounded_down(epsilon.low, 4)} is sufficient, {large}{_assumed(epsilon)}", epsilon


def _assumed(estimate: Estimate) -> str:
    return "" if estimate.assuming is None else f", assuming that {estimate.assuming}"


def _estimates(found: dict[str, Any]) -> list[tuple[str, Estimate]]:
    crowd, goal = found.get("shuffled", {}), found.get("target", {})
    given = {f"shuffled {name}": value for name, value in crowd.items()} | {"target": goal.get("value")}
    if goal.get("value") in crowd.values():
        given.pop("target")
    return [(name, value) for name, value in (found | given).items() if isinstance(value, Estimate)]
