"""``discretion audit``: the main job; its options are `discretion.jobs.options.tables.AuditOptions`."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from discretion.cli.options import ChartOptions, File, LimitOptions, Table, command
from discretion.cli.output import show, working, writing
from discretion.cli.signals import InterruptingEndsIt
from discretion.cli.terminal import complain
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import UnsupportedError
from discretion.input_files import without_password
from discretion.jobs.gates import gates_of, judged
from discretion.jobs.options.tables import AuditOptions
from discretion.memory import as_memory
from discretion.presenting.files import Contents, check_not_an_input, written_whole

_SETTLED = "a count of the whole population's table, or a limit outside of this"
# The seconds that the audit may take in addition to its limit, to read the table and to decide (which it always does)
# on a busy machine. After these it counts as hanging.
_PATIENCE = {"duckdb": 12, "spark": 30}


@command
def audit(
    table: Table,
    /,
    *,
    plan: File | None = None,
    options: AuditOptions,
    limits: LimitOptions,
    output: ChartOptions,
) -> int:
    """Audit a table of people: which columns may go out together, and what the whole table would give away.

    Parameters
    ----------
    plan
        Write the recommended file as a plan to this TOML file: a generalization for each column. Edit it, and give it
        to discretion release --plan.
    output.fail_over
        Exit with 1 if a measure is above or below a limit, as "exposure>0.01" or "k_anonymity<5"; once for each. For an
        adversary that knows all columns except the sensitive ones: people, exposure, exposed_people, unique_people,
        classes, k_anonymity, prosecutor_highest, prosecutor_average, journalist_highest, journalist_average, marketer,
        singling_out, linkability, and for each sensitive column guess:COLUMN (the share of correct guesses),
        guess_rise:COLUMN, certain:COLUMN, l_diversity:COLUMN, recursive_c:COLUMN (the c above which the table is
        recursive (c, l)-diverse, with the l of --l, at least 2), t_closeness:COLUMN (all values equally far from each
        other), t_closeness_ordered:COLUMN (numbers, dates or the lines of a hierarchy by their places),
        t_closeness_hierarchical:COLUMN (by the levels of a hierarchy), beta_likeness:COLUMN and
        delta_disclosure:COLUMN; for the recommended columns: recommended_exposure. With the prefix all_columns., as
        all_columns.exposure, each measure except people is for an adversary that also knows the sensitive columns. Exit
        with 3 if a limit is not decided.
    limits.time
        The time limit, in seconds or as 2m or 1h; the result lists the parts that were not examined by then. The table
        is always read and each column decided on, even if this takes longer. No limit by default.
    output.markdown
        Write the report as Markdown to this file, for a data protection impact assessment.
    output.full
        Print every section instead of only the decision and the risks of the whole table.
    """
    from discretion.jobs.audit import run_audit  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.audit.measures import audit_measures, measures_of, why_missing  # noqa: PLC0415
    from discretion.jobs.audit.time_limit import TimeLimit  # noqa: PLC0415
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415
    from discretion.tables.spark import spark_table, what_a_cluster_keeps  # noqa: PLC0415

    gates = gates_of(output.fail_over, audit_measures(options.sensitive))
    memory, seconds = as_memory(limits.memory), as_seconds(limits.time)
    # The audit keeps the time by itself and ends with the sections that it has.
    limit = Watchdog(seconds, memory, patience=_PATIENCE[options.engine] + (seconds or 0) / 10)
    time = TimeLimit(seconds, searching=InterruptingEndsIt)
    planned = nullcontext[Contents]([]) if plan is None else written_whole(plan)
    others = [] if plan is None else [plan]
    check_not_an_input(plan, table)
    with working(limit) as progress, writing(output, table, others=others) as write, planned as content:
        rows: Any = table
        if options.engine == "spark":
            if options.encoding is not None:
                raise UnsupportedError("Spark reads CSV files in UTF-8 only; save the file in UTF-8, or as Parquet")
            rows = spark_table(table, header=options.header, delimiter=options.delimiter)
        if rows is not table and (note := what_a_cluster_keeps(rows)):
            complain(f"note: {note}")
        gated = [gate.measure for gate in gates]
        result = run_audit(rows, options, progress=progress, memory=memory, time=time, gated=gated)
        result = replace(result, table=without_password(table))
        measures = measures_of(result, gated)
        verdicts = judged(gates, measures, _SETTLED, why_missing(result))
        note = hidden_by_sensitive(gates, measures, result.sensitive)
        write(result, verdicts, note)
        if plan is not None:
            content.append(result.to_plan())
    inputs = {
        "table": result.table, **options.inputs(), "columns": [report.column for report in result.columns],
        "k": result.k, "guess_budget": result.guess_budget, "memory": limits.memory, "time": limits.time,
    }  # fmt: skip
    return show("audit", inputs, result, verdicts, output, note=note)
