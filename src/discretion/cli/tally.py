"""``discretion tally``: shares of people by their values, from the reports of clients."""

from discretion.cli.options import ChartOptions, LimitOptions, command
from discretion.cli.output import monitored, show, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.jobs.gates import gates_of, judged, numbers_in
from discretion.jobs.options.mechanisms import TallyOptions
from discretion.memory import as_memory
from discretion.spelling import mechanism_of, read_by

_MEASURES = ("reports", "bad_reports")


@command
def tally(reports: str, /, *, mechanism: str, options: TallyOptions, limits: LimitOptions, output: ChartOptions) -> int:
    """Estimate from the reports of clients how many of them hold each value, with intervals.

    Parameters
    ----------
    reports
        A text file with a report on each line, as --encoding says. A line that is no report of the mechanism is left
        out, and the result shows how many there are and why; a file in which most lines are none is refused.
    mechanism
        What the clients ran, such as krr:k=12,epsilon=1, as for discretion measure: krr, rappor, oue, blh, ue, olh, ss,
        hadamard, exponential or channel-mechanism.
    output.fail_over
        Exit with 1 if a count is above or below a limit, as "bad_reports>0" or "reports<1000"; once for each: reports,
        bad_reports.
    output.chart
        Write the shares with their intervals to this file, in the format of its suffix: .svg, .png, .pdf or .html.
    """
    from discretion.jobs.tally import run_tally  # noqa: PLC0415 - help needs none of it

    gates = gates_of(output.fail_over, _MEASURES)
    system = mechanism_of(mechanism)
    files = [reports, *filter(None, [read_by(mechanism)])]
    limit = Watchdog(as_seconds(limits.time), as_memory(limits.memory))
    with monitored(limit) as monitor, writing(output, read=files) as write:
        result = run_tally(reports, system, options, monitor)  # pyright: ignore[reportArgumentType] - which it checks
        verdicts = judged(gates, numbers_in(result.to_dict()))
        write(result, verdicts)
    inputs = {
        "reports": reports,
        "mechanism": mechanism,
        **options.inputs(),
        "memory": limits.memory,
        "time": limits.time,
    }
    return show("tally", inputs, result, verdicts, output)
