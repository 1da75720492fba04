"""``discretion exposure``: who stands out in a table by a set of columns."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_header_option, as_names
from discretion.cli.output import code_of, print_document, print_json, say_verdicts
from discretion.cli.terminal import say
from discretion.errors import InvalidValueError
from discretion.input_files import without_password
from discretion.jobs.gates import gates_of, judged, numbers_in
from discretion.memory import as_memory
from discretion.presenting.files import chart_format, check_not_an_input, written_whole

if TYPE_CHECKING:
    pass

# What there is to gate: of people, of the bounds, and of counts of columns.
_CERTIFIED = ("exposure_bound", "theorem_bound", "exposure_if_independent")
_COUNTED_BY_COLUMN = ("people", *_CERTIFIED)


def exposure(  # noqa: PLR0915
    table: str,
    /,
    *,
    columns: str | None = None,
    sensitive: str | None = None,
    k: Whole | None = None,
    threshold: str | None = None,
    bounds: Annotated[bool, Parameter(negative="")] = False,
    marginals: Annotated[bool, Parameter(negative="")] = False,
    chart: str | None = None,
    person: str | None = None,
    header: str | None = None,
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Count who stands out in a table by a set of columns.

    Parameters
    ----------
    table
        A CSV, TSV, Parquet, JSON or Excel file, a folder of Parquet files, a DuckDB or SQLite file, a database's
        address (postgres://user@host/db?table=NAME), - for CSV on standard input, or example:adult.
    columns
        The columns that are known together, as a,b,…; all by default.
    sensitive
        Those of them that the adversary does not know, as a,b,….
    k
        Exposed means fewer than k people alike; or
    threshold
        a smaller share of the people than this alike, as a decimal or a fraction such as 1/1000.
    bounds
        Add what the single columns alone certify: exposure_bound, theorem_bound (the best of Anonymity's Theorems 2
        and 3, which it is never above), and exposure_if_independent, what the columns would expose if none depended on
        another. --chart then draws the bound at every threshold too.
    marginals
        Say what --bounds would of a file that has the counts of columns and no people: CSV of column,value,count, or
        JSON, as of Marginals.to_json.
    chart
        Write the exposure at every threshold as a figure to this file, in the format of its suffix: .svg, .png, .pdf or
        .html.
    person
        The column that names a person with several rows, or none if every row is a person of its own. A table with a
        column that repeats as the name of a person does is refused until this is given.
    header
        Whether the first line of a CSV file holds names: yes, no (it is a person, and the columns are called column1,
        column2, …), or the names as a,b,… for a file without them. By default a first line that looks like a person
        is refused.
    fail_over
        Exit with 1 if a measure is above or below a limit, as "exposure>0.01" or "classes<5"; once for each. The
        measures are those of discretion audit but recommended_exposure: plain names are of an adversary who knows all
        columns but the sensitive ones, those with all_columns. before them of one who knows these too; unique_rows,
        which is unique_people; and with --bounds or --marginals exposure_bound, theorem_bound, exposure_if_independent.
        Exit with 3 where a bound is above the limit and what it bounds may be below.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    from discretion.anonymity import Marginals  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.exposure import exposure as exposed_in, marginals_exposure  # noqa: PLC0415
    from discretion.jobs.persons import open_people  # noqa: PLC0415
    from discretion.jobs.table_measures import table_measures  # noqa: PLC0415
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415
    from discretion.tables.locations import files_read  # noqa: PLC0415

    secrets = as_names(sensitive) or []
    counted = (*table_measures(secrets), "unique_rows", *(_CERTIFIED if bounds else ()))
    gates = gates_of(fail_over, _COUNTED_BY_COLUMN if marginals else counted)
    shown = without_password(table)
    check_not_an_input(chart, *files_read(table))
    suffix = None if chart is None else chart_format(chart)
    room = as_memory(memory)
    limits = Limits(as_seconds(time), room)
    if marginals:
        if chart or person or header:
            raise InvalidValueError("--marginals takes neither --chart, --person nor --header, which are about people")
        if secrets:
            raise InvalidValueError("--marginals takes no --sensitive; name the columns that are known with --columns")
        with limits.watched(), limits.working():
            bounded_table = marginals_exposure(Marginals(table), as_names(columns), k=k, threshold=threshold)
        verdicts = judged(
            gates, numbers_in(bounded_table.to_dict()), "the people themselves, of whom exposure is counted"
        )
        if json:
            inputs = {
                "table": shown, "columns": list(bounded_table.columns), "k": k, "threshold": threshold,
                "marginals": True, "memory": memory, "time": time,
            }  # fmt: skip
            print_json("exposure", inputs, bounded_table.to_dict(), verdicts)
        else:
            print_document(bounded_table.document())
            say_verdicts(verdicts)
        return code_of(verdict.verdict for verdict in verdicts)
    with limits.watched(), limits.working():
        known = as_names(columns)
        wanted = None if known is None else list(dict.fromkeys([*known, *secrets]))
        population = open_people(table, wanted, person, as_header_option(header), memory=room)
        if chart is None or suffix is None:
            found = exposed_in(population, sensitive=secrets, k=k, threshold=threshold, bounds=bounds)
        else:
            with written_whole(chart) as contents:
                found = exposed_in(population, sensitive=secrets, k=k, threshold=threshold, bounds=bounds, curve=True)
                from discretion.charts import to_format  # noqa: PLC0415 - half a second

                contents.append(to_format(found.chart(), suffix, found.document().title))
        measures = {gate.measure: found.measures[gate.measure]() for gate in gates}
        counted_gates = [gate for gate in gates if gate.measure in found.numbers]
        note = hidden_by_sensitive(counted_gates, found.numbers, secrets)
    verdicts = judged(gates, measures, "a gate of exposure, which is counted")
    if json:
        inputs = {
            "table": shown, "columns": list(found.columns), "sensitive": secrets, "k": k, "threshold": threshold,
            "person": person, "header": header, "memory": memory, "time": time,
        }  # fmt: skip
        print_json("exposure", inputs, found.to_dict(), verdicts)
    else:
        print_document(found.document())
        if chart is not None:
            say(f"Chart: {chart}")
        say_verdicts(verdicts, note)
    return code_of(verdict.verdict for verdict in verdicts)
