"""``discretion diff``: a table beside the one that is out already."""

import contextlib
from typing import Annotated

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_header_option, as_names
from discretion.cli.output import code_of, print_document, print_json, say_verdicts
from discretion.input_files import without_password
from discretion.jobs.gates import gates_of, judged
from discretion.memory import as_memory
from discretion.presenting.progress import Progress


def diff(
    old: str,
    new: str,
    /,
    *,
    columns: str | None = None,
    person: str | None = None,
    sensitive: str | None = None,
    k: Whole = 10,
    budget: float = 0.01,
    header: str | None = None,
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Compare a table that is to go out with one that is out: what got better or worse, and what both tell together.

    Rows are matched on the columns that both have: who came or went among fewer than k alike is found by whoever has
    both. What joining both person by person would expose is certified, without the join.

    Parameters
    ----------
    old
        The table that is out, as for discretion audit.
    new
        The table that is to go out beside it.
    columns
        The columns to compare, as a,b,…, each in at least one of the two; all by default.
    person
        A column of both that says who a person is and is not published: with it people are followed, and the join is
        counted. Or none: every row is a person of its own. Tables with a column that repeats as the name of a person
        does are refused until this is given.
    sensitive
        Columns that nobody knows of a person before, as a,b,….
    k
        Exposed is who has fewer people alike, and found who came or went with fewer.
    budget
        The share of the people in NEW who may be exposed, alone and joined.
    header
        What the first line of a CSV file is, as for discretion audit.
    fail_over
        Exit with 1 if a measure is above or below a limit, as "added_found>0" or "join.exposure>0.05", and with 3 if
        only a bound is; once for each: added_found, removed_found, found_only_by_both, linked_people, rows_in_both,
        rows_only_in_old, rows_only_in_new, join.exposure, join.exposed_people, values_told:COLUMN; with --person
        COLUMN persons.added, persons.removed, persons.changed; and with old., new. or rise. before it people, and of an
        adversary who knows all columns but the sensitive ones exposure, exposed_people, unique_people, classes,
        k_anonymity (smallest_class is the same), prosecutor_highest, prosecutor_average, journalist_highest,
        journalist_average, marketer, singling_out, linkability, guess:COLUMN, guess_rise:COLUMN, certain:COLUMN,
        l_diversity:COLUMN, t_closeness:COLUMN; of one who knows the sensitive columns too the same with all_columns.
        before it, as new.all_columns.exposure.
    memory
        How much memory to take for each table beside some 500 MB of libraries, such as 2GB; half of what is available
        by default.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    from discretion.jobs.diff import diff as compared, diff_measures  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415

    secrets = as_names(sensitive) or ()
    gates = gates_of(fail_over, diff_measures(secrets))
    room = as_memory(memory)
    limits = Limits(as_seconds(time), room)
    progress = Progress()
    with contextlib.ExitStack() as stack:
        stack.callback(progress.done)
        stack.enter_context(limits.watched())
        stack.enter_context(limits.working())
        found = compared(
            old,
            new,
            as_names(columns),
            person=person,
            sensitive=secrets,
            k=k,
            budget=budget,
            header=as_header_option(header),
            progress=progress,
            memory=room,
        )
    verdicts = judged(
        gates, found.measures, "--person, which counts the join, or a limit outside of this", found.missing
    )
    if json:
        inputs = {
            "old": without_password(old), "new": without_password(new), "columns": as_names(columns), "person": person,
            "sensitive": list(secrets), "k": k, "budget": budget, "header": header, "memory": memory, "time": time,
        }  # fmt: skip
        print_json("diff", inputs, found.to_dict(), verdicts)
    else:
        print_document(found.document())
        say_verdicts(verdicts, hidden_by_sensitive(gates, found.measures, found.sensitive))
    return code_of(verdict.verdict for verdict in verdicts)
