"""``tacit exposure``: who stands out in a table by a set of columns."""

from typing import Annotated, Any

from cyclopts import Parameter

from tacit.cli.limits import Limits, as_seconds
from tacit.cli.options import Whole, as_header_option, as_names
from tacit.cli.output import check_not_an_input, check_share, print_json
from tacit.cli.terminal import say
from tacit.cli.written import written_whole
from tacit.memory import as_memory


def exposure(
    table: str,
    /,
    *,
    columns: str | None = None,
    k: Whole | None = None,
    threshold: str | None = None,
    bounds: Annotated[bool, Parameter(negative="")] = False,
    curve: str | None = None,
    person: str | None = None,
    header: str | None = None,
    fail_over: float | None = None,
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Count who stands out in a table by a set of columns.

    Parameters
    ----------
    table
        A CSV, Parquet or JSON file, or example:adult.
    columns
        The columns that are known together, as a,b,…; all by default.
    k
        Exposed means fewer than k people alike; or
    threshold
        a smaller share of the people than this alike, as a decimal or a fraction such as 1/1000.
    bounds
        Add what the single columns alone certify: exposure_bound, theorem_bound (the best of Anonymity's Theorems 2
        and 3, which it is never above), and exposure_if_independent, what the columns would expose if none depended on
        another. --curve then draws the bound at every threshold too.
    curve
        Write the exposure at every threshold as a chart to this SVG file.
    person
        The column that names a person with several rows.
    header
        Whether the first line of a CSV file holds names: yes, no (it is a person, and the columns are called column1,
        column2, …), or the names as a,b,… for a file without them. By default a first line that looks like a person
        is refused.
    fail_over
        Exit with 1 if the exposure is above this share.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    from tacit.anonymity import (  # noqa: PLC0415
        Population,
        exposure as exposure_of,
        exposure_bound,
        exposure_bound_curve,
        exposure_curve,
        exposure_if_independent,
        theorem_bound,
    )
    from tacit.anonymity.example import path_of  # noqa: PLC0415

    check_share(fail_over, "--fail-over")
    check_not_an_input(curve, path_of(table))
    room = as_memory(memory)
    limits = Limits(as_seconds(time), room)
    with limits.watched(), limits.working():
        population = Population(table, as_names(columns), person, as_header_option(header), memory=room)
        share = exposure_of(population, threshold=threshold, k=k)
        sizes = population.class_sizes()
        results: dict[str, Any] = {
            "exposure": share,
            "exposed_people": sizes.exposed(threshold=threshold, k=k),
            "people": sizes.people,
            "classes": sizes.classes,
            "unique_rows": sizes.unique,
        }
        if bounds:
            for bound in (exposure_bound, theorem_bound, exposure_if_independent):
                results[bound.__name__] = bound(population, threshold=threshold, k=k)
        if curve is not None:
            from tacit.charts import exposure_over_threshold, to_svg  # noqa: PLC0415 - half a second

            with written_whole(curve) as text:
                steps = exposure_curve(population)
                certified = exposure_bound_curve(population).at_most(steps.sizes).tolist() if bounds else None
                figure = exposure_over_threshold(steps.sizes.tolist(), steps.exposed.tolist(), steps.people, certified)
                text.append(to_svg(figure))
    if json:
        inputs = {
            "table": table, "columns": list(population.columns), "k": k, "threshold": threshold, "person": person,
            "header": header, "memory": memory, "time": time,
        }  # fmt: skip
        print_json("exposure", inputs, results)
    else:
        _print_text(population.columns, results, k, threshold)
    return int(fail_over is not None and share > fail_over)


def _print_text(columns: tuple[str, ...], results: dict[str, Any], k: int | None, threshold: str | None) -> None:
    from tacit.auditing.wording import bounded, interval, listed, odds, people, percent  # noqa: PLC0415

    alike = f"fewer than {k} people" if k is not None else f"less than a share of {threshold} of the people"
    said = odds(results["exposure"])
    who = {"none": "nobody is", "all": "everybody is"}.get(said, f"{said} people are")
    say(f"{listed(columns)}: {who} exposed ({people(results['exposed_people'])} of {results['people']:,},")
    say(f"{percent(results['exposure'])}, exactly counted): {alike} share their values.")
    say(f"{results['classes']:,} different rows, {results['unique_rows']:,} of them held by a single person.")
    if bound := results.get("exposure_bound"):
        theorem, independent = results["theorem_bound"], results["exposure_if_independent"]
        say(
            f"The columns alone certify {bounded(bound)} ({bound.method}); {theorem.method} of the paper would give "
            f"{percent(theorem.value)}."
        )
        say(f"If the columns had nothing to do with each other, {interval(independent)} would be exposed.")
