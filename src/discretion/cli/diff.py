"""``discretion diff``: compare a table with its published version."""

from discretion.cli.options import LimitOptions, OutputOptions, command
from discretion.cli.output import show, working, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.input_files import without_password
from discretion.jobs.gates import gates_of, judged
from discretion.jobs.options.tables import DiffOptions
from discretion.memory import as_memory

_SETTLED = "--person, which counts the join, or a limit outside of this"


@command
def diff(old: str, new: str, /, *, options: DiffOptions, limits: LimitOptions, output: OutputOptions) -> int:
    """Compare a table to publish with a published one: what got better or worse, and what both give away together.

    Rows are matched on the columns that both tables have: an adversary with both tables finds the people who came or
    went among fewer than k with the same values. The exposure by joining both tables person by person has certified
    bounds, which do not need the join.

    Parameters
    ----------
    old
        The table that is published, as for discretion audit.
    new
        The table to publish next.
    output.fail_over
        Exit with 1 if a measure is above or below a limit, as "added_found>0" or "join.exposure>0.05", and with 3 if
        only a bound is; once for each: added_found, removed_found, found_only_by_both, linked_people, rows_in_both,
        rows_only_in_old, rows_only_in_new, join.exposure, join.exposed_people, values_told:COLUMN; with --person COLUMN
        persons.added, persons.removed, persons.changed; and with the prefix old., new. or rise. people, and for an
        adversary that knows all columns except the sensitive ones exposure, exposed_people, unique_people, classes,
        k_anonymity (smallest_class is the same), prosecutor_highest, prosecutor_average, journalist_highest,
        journalist_average, marketer, singling_out, linkability, guess:COLUMN, guess_rise:COLUMN, certain:COLUMN,
        l_diversity:COLUMN, recursive_c:COLUMN (with l = 2), t_closeness:COLUMN, beta_likeness:COLUMN,
        delta_disclosure:COLUMN. With all_columns. in addition, as new.all_columns.exposure, each of these is for an
        adversary that knows all columns.
    limits.memory
        The memory to use for each table in addition to about 500 MB of libraries, such as 2GB; by default half of what
        is available.
    """
    from discretion.jobs.diff import diff_measures, run_diff  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415

    gates = gates_of(output.fail_over, diff_measures(options.sensitive))
    memory = as_memory(limits.memory)
    with working(Watchdog(as_seconds(limits.time), memory)) as progress, writing(output, old, new) as write:
        result = run_diff(old, new, options, progress=progress, memory=memory)
        verdicts = judged(gates, result.measures, _SETTLED, result.missing)
        note = hidden_by_sensitive(gates, result.measures, result.sensitive)
        write(result, verdicts, note)
    inputs = {
        "old": without_password(old), "new": without_password(new), **options.inputs(),
        "memory": limits.memory, "time": limits.time,
    }  # fmt: skip
    return show("diff", inputs, result, verdicts, output, note=note)
