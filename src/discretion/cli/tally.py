"""``discretion tally``: estimate the shares of people by value from the reports of clients."""

from discretion.cli.options import ChartOptions, LimitOptions, command
from discretion.cli.output import monitored, show, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.jobs.gates import Number, gates_of, judged
from discretion.jobs.options.mechanisms import TallyOptions
from discretion.memory import as_memory
from discretion.spelling import mechanism_of, read_by

_MEASURES = ("reports", "bad_reports")
_SHARE = "share:"


@command
def tally(reports: str, /, *, mechanism: str, options: TallyOptions, limits: LimitOptions, output: ChartOptions) -> int:
    """Estimate the share of each value from the reports of clients, with intervals.

    Parameters
    ----------
    reports
        A text file with a report on each line, in the format of --encoding. A line that is no report of the mechanism
        is left out, and the result shows the number of such lines and the reasons; a file is refused if most of its
        lines are no reports.
    mechanism
        The mechanism that the clients ran, such as krr:k=12,epsilon=1, as for discretion measure: krr, rappor, oue,
        blh, ue, olh, ss, hadamard, exponential or channel-mechanism.
    output.fail_over
        Exit with 1 if a measure is above or below a limit, as "bad_reports>0" or "share:yes>0.1"; once for each:
        reports, bad_reports, and share:VALUE of each value. Exit with 3 if a limit is not decided: the interval of the
        share contains it.
    output.chart
        Write the shares with their intervals to this file, in the format of its suffix: .svg, .png, .pdf or .html.
    """
    from discretion.jobs.tally import labels_of, run_tally  # noqa: PLC0415 - help needs none of it

    system = mechanism_of(mechanism)
    labels = labels_of(options, system.secrets) if output.fail_over else ()
    gates = gates_of(output.fail_over, (*_MEASURES, *(f"{_SHARE}{label}" for label in labels)))
    files = [reports, *filter(None, [read_by(mechanism)])]
    limit = Watchdog(as_seconds(limits.time), as_memory(limits.memory))
    with monitored(limit) as monitor, writing(output, read=files) as write:
        result = run_tally(reports, system, options, monitor)  # pyright: ignore[reportArgumentType] - which it checks
        shares = [gate.measure for gate in gates if gate.measure.startswith(_SHARE)]
        numbers: dict[str, Number | None] = {"reports": result.reports, "bad_reports": result.bad_reports}
        numbers |= {measure: result.share(measure.removeprefix(_SHARE)) for measure in shares}
        verdicts = judged(gates, numbers, "more reports")
        write(result, verdicts)
    inputs = {
        "reports": reports,
        "mechanism": mechanism,
        **options.inputs(),
        "memory": limits.memory,
        "time": limits.time,
    }
    return show("tally", inputs, result, verdicts, output)
