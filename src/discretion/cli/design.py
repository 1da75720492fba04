"""``discretion design``: find the randomizer, its ε and the number of people for a question."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from discretion.cli.exit_codes import NOT_DECIDED
from discretion.cli.options import ChartOptions, TimeOption, as_seed, command
from discretion.cli.output import monitored, show, writing
from discretion.cli.signals import InterruptingEndsIt
from discretion.cli.terminal import say
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import UnsupportedError
from discretion.jobs.design import run_design
from discretion.jobs.gates import gates_of, judged
from discretion.jobs.options.mechanisms import DesignOptions
from discretion.presenting.files import folder_written_whole
from discretion.spelling.numbers import file_in

# The numbers of the recommended protocol that a gate may name.
_MEASURES = (
    "epsilon", "users", "posterior_vulnerability", "uniform_posterior_vulnerability", "bayes_security", "dp_epsilon",
    "alone.posterior_vulnerability", "alone.ldp_epsilon", "frequency_error.share", "frequency_error.people",
    "frequency_error.half_width", "bits",
)  # fmt: skip


@command
def design(
    *,
    ship: Annotated[str | None, Parameter(metavar="FOLDER")] = None,
    options: DesignOptions,
    limits: TimeOption,
    output: ChartOptions,
) -> int:
    """Design a question: find the randomizer, its ε and the number of people within goals of privacy and accuracy.

    Give the fixed quantities, such as --users 50000 --guess +0.01, and the command finds the others: the largest ε
    within the goals of privacy, or with --error the least ε that reaches it, or without --users the fewest people. Exit
    with 3 if no protocol is certain to meet the goals but some may.

    Parameters
    ----------
    ship
        The folder for the files that clients and servers need for the recommended protocol: parameters.json and
        parameters.js for any client, randomize_and_tally.py, check.ipynb, which checks the numbers, and for krr
        collect.toml, from which discretion collect init makes a task.
    output.fail_over
        Exit with 1 if a number of the recommended protocol is above or below a limit, as "frequency_error.people>100"
        or "bayes_security<0.9"; once for each, by the names of --json. Exit with 3 if a limit is not decided.
    output.chart
        Write the error of a count over the best guess, a curve for each protocol as its ε varies, to this file, in the
        format of its suffix: .svg, .png, .pdf or .html.
    limits.time
        The time limit, in seconds or as 2m or 1h; the result has the protocols that are designed by then. No limit by
        default.
    """
    options = replace(options, seed=as_seed(options.seed))
    gates = gates_of(output.fail_over, _MEASURES)
    read = filter(None, [None if options.shares is None else file_in(options.shares)])
    shipped: Mapping[str, str] = {}
    if ship is not None:
        with folder_written_whole(ship, ()):  # raises an error for a folder that cannot be written, before any work
            pass
    with monitored(Watchdog(as_seconds(limits.time))) as monitor, writing(output, read=read) as write:
        result = run_design(options, monitor, figure=output.has_figure, searching=InterruptingEndsIt)
        if output.chart and result.points is None:
            raise UnsupportedError("there is nothing to draw: no protocol with noise was designed in time")
        verdicts = judged(gates, dict.fromkeys(_MEASURES) | result.numbers, "a goal outside of this interval")
        write(result, verdicts)
        if ship is not None and result.recommended is not None:
            shipped = result.shipment().files
            with folder_written_whole(ship, shipped) as contents:
                for name, content in shipped.items():
                    contents[name].append(content)
    inputs = {**options.inputs(), "ship": ship, "time": limits.time}
    code = show("design", inputs, result, verdicts, output)
    if ship is not None and not output.json:
        say(f"Ship: {', '.join(shipped)} in {ship}" if shipped else "Nothing is shipped.")
    return NOT_DECIDED if result.recommended is None and not code else code
