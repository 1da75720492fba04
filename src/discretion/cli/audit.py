"""``discretion audit``: the main job."""

import contextlib
from dataclasses import replace
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_header_option, as_names
from discretion.cli.output import code_of, print_json, say_verdicts
from discretion.cli.signals import InterruptingEndsIt
from discretion.cli.terminal import complain, say
from discretion.input_files import without_password
from discretion.jobs.gates import gates_of, judged
from discretion.memory import as_memory
from discretion.presenting.files import check_apart, check_not_an_input, written_whole
from discretion.presenting.progress import Progress

_SETTLED = "a count of the whole population's table, or a limit outside of this"
# How many seconds what was begun in time may take: a question, of which Spark takes a while for the least.
_PATIENCE = {"duckdb": 2, "spark": 8}


def audit(
    table: str,
    /,
    *,
    columns: str | None = None,
    sensitive: str | None = None,
    guess_budget: float | None = None,
    certain_budget: float | None = None,
    k: Whole | None = None,
    preset: str | None = None,
    budget: float = 0.01,
    keep: str | None = None,
    drop: str | None = None,
    population: Whole | None = None,
    weight: str | None = None,
    person: str | None = None,
    header: str | None = None,
    show_rare: Annotated[bool, Parameter(negative="")] = False,
    html: str | None = None,
    markdown: str | None = None,
    engine: Literal["duckdb", "spark"] = "duckdb",
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    full: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Audit a table of people: which columns may go out together, and what the table gives away otherwise.

    Parameters
    ----------
    table
        A CSV, TSV, Parquet, JSON or Excel file, a folder of Parquet files, a DuckDB or SQLite file, a database's
        address (postgres://user@host/db?table=NAME), - for CSV on standard input, or example:adult.
    columns
        The columns to examine, as a,b,…; all by default.
    sensitive
        The columns whose guessing to measure and to limit, as a,b,…; they go out only if they are kept.
    guess_budget
        By how much the share of right guesses of a sensitive column may rise with the columns that go out; 0.05 by
        default.
    certain_budget
        Of which share of the people a sensitive value may be known for certain; of anybody by default.
    k
        A person is exposed if fewer than k people share her values; 10 by default.
    preset
        A published threshold instead of k: ema, health-canada, cms, cdc-wonder, k5 or k3.
    budget
        The share of exposed people up to which columns count as fit to go out together.
    keep
        Columns that go out in any case, as a,b,….
    drop
        Columns that go out in no case, as a,b,….
    population
        How many people there are of whom those in the table are a sample, for the journalist's risk and for who is
        unique among them.
    weight
        Instead, a column that says of how many people each row is one; it is not published.
    person
        The column that names a person with several rows, or none if every row is a person of its own. If a column
        repeats as the name of a person does, the audit asks for it, and decides no gate until it is answered.
    header
        Whether the first line of a CSV file holds names: yes, no (it is a person, and the columns are called column1,
        column2, …), or the names as a,b,… for a file without them. By default a first line that looks like a person
        is refused.
    show_rare
        Show values that fewer than k people hold, or one person alone.
    html
        Write a self-contained report to this file.
    markdown
        Write the report as Markdown to this file, for a data protection impact assessment.
    engine
        Where the table is counted: on this machine by duckdb, or by spark, on the cluster that Spark's own settings
        name, for a Parquet file or folder or a CSV file that its workers see; what that cluster keeps of it, its own
        settings say.
    fail_over
        Exit with 1 if a measure is above or below a limit, as "exposure>0.01" or "k_anonymity<5"; once for each. Of an
        adversary who knows all columns but the sensitive ones: people, exposure, exposed_people, unique_people,
        classes, k_anonymity, prosecutor_highest, prosecutor_average, journalist_highest, journalist_average, marketer,
        singling_out, linkability, and of each sensitive column guess:COLUMN (the share of right guesses),
        guess_rise:COLUMN, certain:COLUMN, l_diversity:COLUMN and t_closeness:COLUMN; of the columns that are
        recommended: recommended_exposure. Each but people with all_columns. before it is of an adversary who knows the
        sensitive columns too, as all_columns.exposure. Exit with 3 if that is not decided.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        When to stop, in seconds or as 2m or 1h; what was not examined until then is named. No limit by default.
    full
        Print every section, not only the decision and what would go wrong without it.
    json
        Print one JSON object.
    """
    from discretion.jobs.audit import audit as audit_table  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.audit.measures import audit_measures, measures_of, why_missing  # noqa: PLC0415
    from discretion.jobs.audit.time_limit import TimeLimit  # noqa: PLC0415
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415
    from discretion.tables.locations import files_read  # noqa: PLC0415
    from discretion.tables.spark import spark_table, what_a_cluster_keeps  # noqa: PLC0415

    secrets = as_names(sensitive) or []
    gates = gates_of(fail_over, audit_measures(secrets))
    for output in (html, markdown):
        check_not_an_input(output, *files_read(table))
    check_apart(html, markdown)
    progress = Progress()
    room, seconds = as_memory(memory), as_seconds(time)
    # The audit keeps the time by itself; what it has begun may take a little longer.
    limits = Limits(seconds, room, patience=_PATIENCE[engine] + (seconds or 0) / 10)
    until = TimeLimit(seconds, searching=InterruptingEndsIt)
    with contextlib.ExitStack() as stack:
        stack.callback(progress.done)
        stack.enter_context(limits.watched())
        stack.enter_context(limits.working())
        page = stack.enter_context(written_whole(html)) if html is not None else []
        document = stack.enter_context(written_whole(markdown)) if markdown is not None else []
        on_spark, names = engine == "spark", as_header_option(header)
        rows: Any = spark_table(table, header=names) if on_spark else table
        if on_spark and (note := what_a_cluster_keeps(rows)):
            complain(f"note: {note}")
        found = audit_table(
            rows,
            as_names(columns),
            secrets or None,
            k,
            budget,
            guess_budget=guess_budget,
            certain_budget=certain_budget,
            keep=as_names(keep) or (),
            drop=as_names(drop) or (),
            preset=preset,
            population=population,
            weight=weight,
            person=person,
            header=None if on_spark else names,
            show_rare=show_rare,
            progress=progress,
            memory=room,
            seconds=until,
        )
        told = {
            "guess-budget": guess_budget, "certain-budget": certain_budget,
            "keep": keep, "population": population, "weight": weight, "header": header,
            "engine": engine if on_spark else None,
        }  # fmt: skip
        options = (*found.options, *(f"--{name}={value}" for name, value in told.items() if value is not None))
        found = replace(
            found, table=without_password(table), options=(*options, *(["--show-rare"] if show_rare else []))
        )
        if html is not None:
            page.append(found.to_html())
        if markdown is not None:
            document.append(found.to_markdown())
    verdicts = judged(gates, measures_of(found), _SETTLED, why_missing(found))
    if json:
        inputs = {
            "table": found.table, "columns": [report.column for report in found.columns],
            "sensitive": list(found.sensitive), "guess_budget": found.guess_budget, "certain_budget": certain_budget,
            "k": found.k, "preset": preset, "budget": budget, "keep": as_names(keep) or [],
            "drop": as_names(drop) or [], "population": population, "weight": weight, "person": person,
            "header": header, "show_rare": show_rare, "engine": engine, "memory": memory, "time": time,
        }  # fmt: skip
        print_json("audit", inputs, found.to_dict(), verdicts)
    else:
        from discretion.presenting.tables import Screen  # noqa: PLC0415 - JSON needs no rich
        from discretion.presenting.views.terminal import to_text  # noqa: PLC0415

        Screen().print(to_text(found.document(), full=full))
        for output in (html, markdown):
            if output is not None:
                say(f"Report: {output}")
        say_verdicts(verdicts, hidden_by_sensitive(gates, measures_of(found), found.sensitive))
    return code_of(verdict.verdict for verdict in verdicts)
