"""``discretion release``: write the table that goes out."""

from typing import Annotated

from cyclopts import Parameter

from discretion.cli.options import File, LimitOptions, OutputOptions, command
from discretion.cli.output import show, working, writing
from discretion.cli.terminal import complain
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import MissedGoalError
from discretion.jobs.gates import gates_of, judged
from discretion.jobs.options.tables import ReleaseOptions
from discretion.memory import as_memory


@command
def release(
    table: str,
    /,
    *,
    out: Annotated[str, Parameter(metavar="FILE")],
    plan: File | None = None,
    ledger: File | None = None,
    options: ReleaseOptions,
    limits: LimitOptions,
    output: OutputOptions,
) -> int:
    """Write the most useful version of a table that keeps to a goal, read it back and audit it.

    Parameters
    ----------
    table
        A table of people with one row each, as for discretion audit.
    out
        The file to write: .parquet or .csv. The command also writes OUT.discretion.json, with the options and the
        results.
    plan
        A file with all options and the generalization of each column, as discretion audit --plan FILE writes it.
    ledger
        A TOML file of earlier publications about the same people; an empty one begins it. The command writes the
        release only if both together keep to its budget, and then enters it. With --person, it also writes
        OUT.people.parquet, with the person of each row, to the ledger's folder: do not publish this file.
    output.fail_over
        Exit with 1 if a measure of the written file is above or below a limit, as "kept<0.5", "suppressed>100",
        "unique_people>0", "exposure>0.005", "k_anonymity<5"; once for each. For the file, the names of audit except
        recommended_exposure: plain names are for an adversary that knows all columns except the sensitive ones, those
        with the prefix all_columns. for one that knows these too; failing_people, the people in classes of fewer than k
        or without the l, entropy-l or t of the goal; smallest_class, which is k_anonymity. A model that the goal limits
        is measured as in the goal: t by --t-distance and --t-against. For the costs: suppressed,
        kept, bound, suppression_cost, blanked, blank_cells, information, information_kept, entropy_kept, precision,
        discernibility; with --target accuracy_original, accuracy_file, accuracy_lost.
    limits.time
        The time limit of the search for the most useful release, in seconds or as 2m or 1h. By default the search ends
        after a fixed number of steps, so that it finds the same release on every machine.
    """
    from discretion.jobs.release import options_of_plan, run_release  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.release.result import release_measures  # noqa: PLC0415
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415

    options = options_of_plan(plan, options)
    gates = gates_of(output.fail_over, release_measures(options.sensitive, options.target))
    memory, seconds = as_memory(limits.memory), as_seconds(limits.time)
    read = [file for file in (plan, options.hierarchies, ledger) if file is not None]
    place = writing(output, table, read=read, others=[out, f"{out}.discretion.json"])
    try:
        with working(Watchdog(None, memory)) as progress, place as write:
            result = run_release(
                table, out, options, ledger=ledger, seconds=seconds, progress=progress, memory=memory,
                gated=[gate.measure for gate in gates],
            )  # fmt: skip
            verdicts = judged(gates, result.measures)
            note = hidden_by_sensitive(gates, result.measures, result.goal["sensitive"])
            write(result, verdicts, note)
    except MissedGoalError as missed:
        complain(str(missed))
        return 1
    inputs = {
        "table": result.table, "out": out, "ledger": ledger, **options.inputs(), **result.goal,
        "memory": limits.memory, "time": limits.time,
    }  # fmt: skip
    return show("release", inputs, result, verdicts, output, note=note)
