"""``discretion compare``: compare mechanisms side by side, and with a target."""

from dataclasses import replace

from discretion.cli.options import ChartOptions, TimeOption, as_seed, command
from discretion.cli.output import monitored, show, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import InvalidValueError
from discretion.jobs.compare import compared_measures, run_compare, scenario_of
from discretion.jobs.gates import gates_of
from discretion.jobs.options.mechanisms import CompareOptions
from discretion.spelling import read_by


@command
def compare(*mechanisms: str, options: CompareOptions, limits: TimeOption, output: ChartOptions) -> int:
    """Compare mechanisms: the leakage of each alone and shuffled, its accuracy, and the users or ε that a target needs.

    The result also shows the share of a person's information that each mechanism hides on average, and for krr and up
    to 10 values the utility of a report, as a share of an honest answer, under Jeffreys' prior on the population. For
    several mechanisms, it shows which is safer than which against every adversary when each reports alone.

    Parameters
    ----------
    mechanisms
        Mechanisms as for discretion measure: name:key=value,… such as krr:k=5,epsilon=1; or channel:FILE.csv. Without
        any, the command compares all protocols for --answers K.
    options.epsilon
        Add privacy_profile, the δ at this ε.
    options.delta
        Add dp_epsilon, the ε at this δ.
    output.fail_over
        Exit with 1 if a measure of a mechanism is above or below a limit, as "posterior_vulnerability>0.25" or
        "shuffled.bayes_security<0.9"; once for each, by the names of --json. Exit with 3 if a limit is not decided.
    output.chart
        Write privacy against utility as ε varies, with the best of all mechanisms for up to 10 values, and with --users
        the standard error in people, to this file, in the format of its suffix: .svg, .png, .pdf or .html.
    output.html
        Write the result as a self-contained page to this file, with the figure if you add --chart or --epsilons.
    limits.time
        The time limit, in seconds or as 2m or 1h; the result lists the measures that are not computed by then. No limit
        by default.
    """
    options = replace(options, seed=as_seed(options.seed))  # a search needs the same noise at every step
    scenario, goal = scenario_of(options)
    if options.epsilons is not None and not output.has_figure:
        raise InvalidValueError(
            f"--epsilons {options.epsilons} sets the points of the curves of a figure; add --chart FILE"
        )
    measures = compared_measures(scenario, goal)
    gates = gates_of(output.fail_over, measures)
    files = filter(None, map(read_by, mechanisms))
    with monitored(Watchdog(as_seconds(limits.time))) as monitor, writing(output, read=files) as write:
        result = run_compare(
            mechanisms, options, chart=output.chart is not None, figure=output.has_figure, monitor=monitor
        )
        verdicts = result.judged(gates, measures)
        write(result, verdicts)
    inputs = {"mechanisms": list(result.answers), **options.inputs(), "time": limits.time}
    return show("compare", inputs, result, verdicts, output)
