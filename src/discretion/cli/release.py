"""``discretion release``: the table that goes out, written."""

import contextlib
from typing import Annotated, Literal

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_header_option, as_names
from discretion.cli.output import code_of, print_document, print_json, say_verdicts
from discretion.cli.terminal import complain
from discretion.errors import InvalidValueError, MissedGoalError
from discretion.jobs.gates import gates_of, judged
from discretion.memory import as_memory
from discretion.presenting.progress import Progress


def release(
    table: str,
    /,
    *,
    out: str,
    columns: str | None = None,
    best: Annotated[bool, Parameter(negative="")] = False,
    k: Whole = 10,
    budget: float = 0.01,
    sensitive: str | None = None,
    l: Whole = 1,  # noqa: E741 - as it is called
    entropy_l: float | None = None,
    t: float | None = None,
    guess_budget: float | None = None,
    certain_budget: float | None = None,
    keep: str | None = None,
    drop: str | None = None,
    redact: str | None = None,
    hierarchies: str | None = None,
    max_suppressed: float = 0.02,
    suppress: Literal["rows", "cells"] = "rows",
    utility: Literal["entropy", "precision", "discernibility"] = "entropy",
    person: str | None = None,
    header: str | None = None,
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Write the most useful version of a table that keeps to a goal, read it back and audit it.

    Parameters
    ----------
    table
        A table of people with one row each, as for discretion audit.
    out
        The file to write: .parquet or .csv. Beside it goes OUT.discretion.json, with what was asked and done.
    columns
        The columns to choose from, as a,b,…; all by default, but for those that name their person.
    best
        Choose from all columns, as by default.
    k
        A person is exposed if fewer than k people in the file share her values.
    budget
        The share of the people in the file who may be exposed; 0 is strict k-anonymity.
    sensitive
        The columns whose guessing to limit, as a,b,…; they go out only if they are kept, and as they are.
    l
        How many values of a sensitive column that goes out each group has, at least.
    entropy_l
        What the entropy of these values in each group is the logarithm of, at least.
    t
        How far these values may be spread in a group from how they are in the file: 0 is alike, 1 is anyhow.
    guess_budget
        By how much the share of right guesses of a sensitive column may rise; 0.05 by default.
    certain_budget
        Of which share of the people a sensitive value may be known for certain; of anybody by default.
    keep
        Columns that go out in any case, in some view, as a,b,….
    drop
        Columns that go out in no case, as a,b,….
    redact
        Columns that may go out with their rare values blank, and decoys with them, as a,b,….
    hierarchies
        A file or folder of files with coarser views of values, as ARX writes them, each named after its column; other
        columns are coarsened in steps, months and years, or by merging rare values.
    max_suppressed
        The share of the people who may be left out.
    suppress
        Leave these people out, or leave cells of theirs blank, as few as put them into groups.
    utility
        What the file is to keep most of: the entropy of its columns, their precision by how much coarser each is, or
        the pairs of people whom it tells apart.
    person
        The column that names the persons, of whom each has one row; it does not go out. Or none: every row is a person
        of its own. A table with a column that repeats as the name of a person does is refused until this is given.
    header
        What the first line of a CSV file is, as for discretion audit.
    fail_over
        Exit with 1 if a measure of what was written is above or below a limit, as "kept<0.5", "suppressed>100",
        "unique_people>0", "exposure>0.005", "k_anonymity<5"; once for each. Of the file, the names of audit but
        recommended_exposure: plain ones are of an adversary who knows all columns but the sensitive ones, those with
        all_columns. before them of one who knows these too; failing_people, who are in groups of fewer than k or
        without the l, entropy-l or t asked for; smallest_class, which is k_anonymity. Of what it cost: suppressed,
        kept, bound, suppression_cost, blanked, blank_cells, entropy_kept, precision, discernibility.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        How long the search for the most useful release may take, in seconds or as 2m or 1h; by default
        5 seconds, or one for each 50,000 people, up to 30.
    json
        Print one JSON object.
    """
    from discretion.jobs.release import release as write_release  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.release.result import release_measures  # noqa: PLC0415
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415

    if best and columns is not None:
        raise InvalidValueError("--best chooses from all columns, and --columns names some; give one of them")
    gates = gates_of(fail_over, release_measures(as_names(sensitive) or ()))
    progress = Progress()
    room, seconds = as_memory(memory), as_seconds(time)
    limits = Limits(None, room)
    with contextlib.ExitStack() as stack:
        stack.callback(progress.done)
        stack.enter_context(limits.watched())
        stack.enter_context(limits.working())
        try:
            found = write_release(
                table,
                out,
                as_names(columns),
                k=k,
                budget=budget,
                sensitive=as_names(sensitive) or (),
                l=l,
                entropy_l=entropy_l,
                t=t,
                guess_budget=guess_budget,
                certain_budget=certain_budget,
                keep=as_names(keep) or (),
                drop=as_names(drop) or (),
                redact=as_names(redact) or (),
                hierarchies=hierarchies,
                max_suppressed=max_suppressed,
                suppress=suppress,
                utility=utility,
                person=person,
                header=as_header_option(header),
                seconds=seconds,
                progress=progress,
                memory=room,
            )
        except MissedGoalError as missed:
            progress.done()
            complain(str(missed))
            return 1
    verdicts = judged(gates, found.measures)
    if json:
        inputs = {"table": found.table, "out": out, **found.goal, "header": header, "memory": memory, "time": time}
        print_json("release", inputs, found.to_dict(), verdicts)
    else:
        print_document(found.document())
        say_verdicts(verdicts, hidden_by_sensitive(gates, found.measures, found.goal["sensitive"]))
    return code_of(verdict.verdict for verdict in verdicts)
