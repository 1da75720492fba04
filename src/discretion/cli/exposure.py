"""``discretion exposure``: count the people who stand out in a table by a set of columns."""

from discretion.cli.options import ChartOptions, LimitOptions, Table, command
from discretion.cli.output import show, working, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import InvalidValueError
from discretion.input_files import without_password
from discretion.jobs.gates import gates_of, judged, numbers_in
from discretion.jobs.options.tables import ExposureOptions
from discretion.memory import as_memory

# The measures that a gate may name if only the counts of columns are known.
_CERTIFIED = ("exposure_bound", "theorem_bound", "exposure_if_independent")
_SPECIAL = ("special_people", "minimal_uniques")
_HOUSEHOLDS = ("exposed_households", "household_exposure", "certain_households", "household_risk")
_CERTIFIED_BY_COUNTS = ("people", *_CERTIFIED)
# The remedies for an open gate: of a bound on the people's exposure, and of the households' risk, an interval.
_SETTLED = {"household_risk": "a limit outside of this, or a gate of exposed_households, which is counted"}
_BY_PEOPLE: dict[str, str] = dict.fromkeys(_CERTIFIED, "the table of people, which determines the exact exposure")
_EXPOSURE_SETTLED = "a gate of exposure, which is counted"


@command
def exposure(table: Table, /, *, options: ExposureOptions, limits: LimitOptions, output: ChartOptions) -> int:
    """Count the people who stand out in a table by a set of columns.

    Parameters
    ----------
    output.fail_over
        Exit with 1 if a measure is above or below a limit, as "exposure>0.01" or "classes<5"; once for each. The
        measures are those of discretion audit except recommended_exposure and t_closeness_hierarchical; recursive_c has
        l = 2. A plain name is for an adversary that knows all columns except the sensitive ones; with the prefix
        all_columns., a name is for an adversary that knows all columns. Further measures: unique_rows, equal to
        unique_people; with --bounds or --marginals exposure_bound, theorem_bound, exposure_if_independent; with
        --special-uniques special_people and minimal_uniques; with --household exposed_households, household_exposure,
        certain_households and household_risk, an interval; with --wildcards people_with_wildcards,
        wildcard_exposed_people, wildcard_exposure and wildcard_k_anonymity. Exit with 3 if a bound is above the limit
        and the bounded number may be below, or if the limit is within an interval.
    """
    from discretion.jobs.exposure import marginals_exposure, table_exposure, with_threshold  # noqa: PLC0415 - a second
    from discretion.jobs.table_measures import OF_TABLE_ALONE, OF_WILDCARDS, table_measures  # noqa: PLC0415
    from discretion.jobs.table_numbers import hidden_by_sensitive  # noqa: PLC0415

    secrets = options.sensitive
    special = (() if options.special_uniques is None else _SPECIAL) + (_HOUSEHOLDS if options.household else ())
    special += OF_WILDCARDS if options.wildcards else ()
    counted = (
        *table_measures(secrets, OF_TABLE_ALONE),
        "unique_rows",
        *(_CERTIFIED if options.bounds else ()),
        *special,
    )
    gates = gates_of(output.fail_over, _CERTIFIED_BY_COUNTS if options.marginals else counted)
    if options.marginals and (
        output.chart or options.person or options.header is not None or options.form.about_a_text
    ):
        raise InvalidValueError(
            "--marginals excludes --chart, --person, --header, --delimiter and --encoding, which need a table of people"
        )
    if options.marginals and special:
        raise InvalidValueError(
            "--marginals excludes --special-uniques, --household and --wildcards, which need a table of people"
        )
    if options.marginals and secrets:
        raise InvalidValueError(
            "--marginals excludes --sensitive; name the columns that the adversary knows with --columns"
        )
    options = with_threshold(options)
    memory, note = as_memory(limits.memory), None
    with working(Watchdog(as_seconds(limits.time), memory)), writing(output, table) as write:
        if options.marginals:
            result = marginals_exposure(table, options)
            measures = numbers_in(result.to_dict())
            settled = _BY_PEOPLE
        else:
            result = table_exposure(table, options, curve=output.has_figure, memory=memory)
            measures = {gate.measure: result.measures[gate.measure]() for gate in gates}
            settled = _SETTLED
            of_people = [gate for gate in gates if gate.measure in result.numbers]
            note = hidden_by_sensitive(of_people, result.numbers, secrets)
        verdicts = tuple(
            verdict
            for gate in gates
            for verdict in judged([gate], measures, settled.get(gate.measure, _EXPOSURE_SETTLED))
        )
        write(result, verdicts, note)
    inputs = {
        "table": without_password(table), **options.inputs(), "columns": list(result.columns),
        "memory": limits.memory, "time": limits.time,
    }  # fmt: skip
    return show("exposure", inputs, result, verdicts, output, note=note)
