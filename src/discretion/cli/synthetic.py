"""``discretion synthetic``: attack people with a synthetic table."""

from dataclasses import replace

from discretion.cli.options import LimitOptions, OutputOptions, as_seed, command
from discretion.cli.output import show, working, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import InvalidValueError
from discretion.jobs.gates import gates_of, judged
from discretion.jobs.options.tables import SyntheticOptions
from discretion.memory import as_memory

_SETTLED = "more people, more held out, or a limit outside of this"


@command
def synthetic(
    original: str,
    synthetic: str,
    /,
    *,
    control: str | None = None,
    options: SyntheticOptions,
    limits: LimitOptions,
    output: OutputOptions,
) -> int:
    """Attack people with a synthetic table, which may give away more about those it was made from than about others.

    Parameters
    ----------
    original
        The table that the synthetic one was made from, with one row for each person, as for discretion audit.
    synthetic
        The synthetic table, with the same columns.
    control
        A table of people like the original's, chosen at random and not used to make the synthetic table. Required:
        without them, the attacks cannot separate what holds for all people from what the table gives away about the
        original's people.
    output.fail_over
        Exit with 1 if a risk is above or below a limit, as "risk>0.1" (the highest risk), "linkability>0.05",
        "singling_out_multivariate>0.05", "inference:income>0.05", "copied>0.01"; once for each. Exit with 3 if a limit
        is not decided.
    """
    from discretion.jobs.synthetic import run_synthetic_risk  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.synthetic.result import synthetic_measures  # noqa: PLC0415

    if control is None:
        raise InvalidValueError(
            "synthetic needs --control HELD_OUT, a table of people like the original's without whom the synthetic "
            "table was made: the attacks need them to separate facts about all people from those about the original's "
            "people. Hold out people at random before you make the synthetic table"
        )
    gates = gates_of(output.fail_over, synthetic_measures(options.sensitive))
    options = replace(options, seed=as_seed(options.seed))
    memory, tables = as_memory(limits.memory), (original, synthetic, control)
    with working(Watchdog(as_seconds(limits.time), memory)) as progress, writing(output, *tables) as write:
        result = run_synthetic_risk(*tables, options, memory=memory, progress=progress)
        measures = dict.fromkeys(synthetic_measures(options.sensitive)) | result.measures
        verdicts = judged(gates, measures, _SETTLED, result.not_attacked)
        write(result, verdicts)
    inputs = {
        "original": result.original, "synthetic": result.synthetic, "control": result.control, **options.inputs(),
        "memory": limits.memory, "time": limits.time,
    }  # fmt: skip
    return show("synthetic", inputs, result, verdicts, output)
