"""``discretion compare``: mechanisms side by side, and how far each is from a target."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Annotated

from cyclopts import Parameter

from discretion.channels import System
from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_seed
from discretion.cli.output import code_of, monitored, print_document, print_json, say_verdicts
from discretion.cli.terminal import say
from discretion.errors import InvalidValueError
from discretion.jobs.compare import compare as compared, compared_measures
from discretion.jobs.gates import gates_of
from discretion.jobs.scenario import Scenario
from discretion.jobs.target import check_scales, target_of
from discretion.jobs.tradeoff import EPSILONS, check_drawable, epsilons_of
from discretion.presenting.files import chart_format, check_not_an_input, written_whole
from discretion.spelling import knowledge_of, mechanism_of, prior_of, read_by


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
        seed=as_seed(seed),  # a search needs the same noise at every step
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
                from discretion.charts.page import to_format  # noqa: PLC0415 - half a second

                file.append(to_format(found.chart(), chart_format(chart), found.document().title))
    verdicts = found.judged(gates, measures)
    if json:
        inputs = {
            "mechanisms": list(mechanisms), "users": users, "adversary": adversary, "prior": prior, "epsilon": epsilon,
            "delta": delta, "target": target, "chart": chart, "epsilons": epsilons, "seed": scenario.seed,
            "time": time,
        }  # fmt: skip
        print_json("compare", inputs, found.to_dict(), verdicts)
    else:
        print_document(found.document())
        if chart is not None:
            say()
            say(f"Chart: {chart}")
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _chart_file(
    chart: str, systems: Mapping[str, System], users: int | None
) -> AbstractContextManager[list[str | bytes]]:
    """Return the file of the chart, or say what is wrong with it before any work."""
    chart_format(chart)
    check_drawable(systems.values(), users)
    return written_whole(chart)


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
