"""The main job: one table of people in, what it gives away and what to do about it out."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tacit.anonymity import ClassSizes, Population, exposure_bound, inference_vulnerability
from tacit.auditing.collection import MOST_CATEGORIES, collection_report, is_categorical
from tacit.auditing.result import Audit, CertifiedReport, ColumnReport, Columns, InferenceReport, SetReport, SetsReport
from tacit.auditing.sets import is_identifier_like, largest_within, search_sets
from tacit.errors import InvalidValueError, UnknownColumnError
from tacit.validation import as_count, as_real

# Counting bounds are worked out for at most this many sets.
_CERTIFIED_SETS = 20


def audit(
    table: Any,
    columns: Sequence[str] | None = None,
    sensitive: str | None = None,
    k: int = 10,
    budget: float = 0.01,
    *,
    person: str | None = None,
    show_rare: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Audit:
    """Return what a table of people gives away, column by column and set by set, and what to do about it.

    Parameters
    ----------
    table
        Anything that `tacit.Population` takes: a path, ``"example:adult"``, a pandas, polars or Arrow table, an Ibis
        table; or a Population.
    columns
        The columns to examine; None means all.
    sensitive
        The column whose guessing to measure, or None.
    k
        A person is exposed by a set of columns if fewer than k people, herself included, share her values.
    budget
        The share of exposed people, in [0, 1], up to which a set counts as fit to go out together.
    person
        The column that names a person with several rows.
    show_rare
        Whether to show values that fewer than k people hold.
    progress
        Called with what is being worked on.

    Returns
    -------
    Audit
        Exact numbers, and certified bounds marked as such.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read as it stands, or lacks a column.
    InvalidValueError
        If k or the budget is outside its range.

    Examples
    --------
    >>> found = audit("example:adult", columns=["sex", "race"], sensitive="race")
    >>> found.people, found.sets.whole.classes, found.sets.whole.unique_people
    (32561, 10, 0)
    """
    k, share = as_count(k, "k", at_least=1), as_real(budget, "budget")
    if not 0 <= share <= 1:
        raise InvalidValueError(f"budget is a share of the people, in [0, 1], got {budget!r}")
    report_progress = progress or _ignore
    if isinstance(table, Population) and person is not None:
        raise InvalidValueError("a Population knows its people already; name the person column when making it")
    population = table if isinstance(table, Population) else Population(table, columns=columns, person=person)
    chosen = population.known(columns)
    if sensitive is not None and sensitive not in chosen:
        raise UnknownColumnError(sensitive, chosen)
    alone: dict[str, ClassSizes] = {}
    for column in chosen:
        report_progress(f"column {column}")
        alone[column] = population.class_sizes((column,))
    traits = tuple(column for column in chosen if not is_identifier_like(alone[column]))
    sets = search_sets(population, chosen, traits, k, share, progress=report_progress)
    # Nothing that the whole table contains exposes more than the whole table does.
    selected = (sets.whole,) if sets.whole.exposure <= share else largest_within(sets.examined, share)
    report_progress("what the columns alone certify")
    certified = () if population.person else tuple(_certified(population, sets, selected, k))
    report_progress("guesses of the sensitive column")
    inference = tuple(_inference(population, traits, selected, sensitive, k))
    report_progress("collecting the columns instead")
    categorical = [] if population.person else [column for column in traits if is_categorical(alone[column])]
    return Audit(
        table=str(table) if isinstance(table, str | Path) else "table",
        people=population.people,
        rows=population.rows,
        person=population.person,
        sensitive=sensitive,
        k=k,
        budget=share,
        show_rare=show_rare,
        columns=tuple(_column(population, column, alone[column], k, show_rare) for column in chosen),
        sets=sets,
        certified=certified,
        selected=selected,
        inference=inference,
        collection=tuple(collection_report(column, alone[column]) for column in categorical),
        not_examined=tuple(_not_examined(population, sets, alone, sensitive)),
    )


def _ignore(_: str) -> None:
    """Let progress go unreported."""


def _column(population: Population, column: str, sizes: ClassSizes, k: int, show_rare: bool) -> ColumnReport:
    exposed = sizes.exposed(k=k)
    rarest, holders = population.rarest_value(column)
    shown = show_rare or holders >= k
    return ColumnReport(
        column=column,
        values=sizes.classes,
        entropy_bits=sizes.entropy,
        rarest_people=holders,
        rarest_value=rarest if shown else None,
        rarest_withheld=not shown,
        most_common_share=sizes.largest / sizes.people,
        exposed_people=exposed,
        exposure=exposed / sizes.people,
        identifier_like=is_identifier_like(sizes),
    )


def _certified(
    population: Population, sets: SetsReport, selected: Sequence[SetReport], k: int
) -> Iterator[CertifiedReport]:
    largest = max(sets.examined, key=lambda report: (len(report.columns), -report.exposure), default=None)
    chosen = {report.columns: report for report in (*selected, *([largest] if largest else []), *sets.worst)}
    for report in [report for report in chosen.values() if len(report.columns) > 1][:_CERTIFIED_SETS]:
        yield CertifiedReport(report.columns, exposure_bound(population, k=k, columns=report.columns), report.exposure)


def _inference(
    population: Population, traits: Columns, selected: Sequence[SetReport], sensitive: str | None, k: int
) -> Iterator[InferenceReport]:
    if sensitive is None:
        return
    prior = inference_vulnerability(population, (), sensitive)
    released = [*((column,) for column in traits), *(report.columns for report in selected), traits]
    without = dict.fromkeys(tuple(column for column in columns if column != sensitive) for columns in released)
    for known in filter(None, without):
        sizes = population.class_sizes(known)
        posterior = inference_vulnerability(population, known, sensitive)
        yield InferenceReport(sensitive, known, prior, posterior, sizes.exposure(k=k), sizes.unique)


def _not_examined(
    population: Population, sets: SetsReport, alone: dict[str, ClassSizes], sensitive: str | None
) -> Iterator[str]:
    missing = sets.possible - len(sets.examined)
    if missing and sets.complete:
        yield (
            f"{missing:,} of {sets.possible:,} sets of columns: each contains a set that is over the budget, and so "
            "exposes at least as much."
        )
    elif missing:
        yield (
            f"{missing:,} of {sets.possible:,} sets of columns: the work limit of {len(sets.examined):,} sets was "
            "reached; nothing is known of those that contain no set over the budget. Name fewer columns to see more."
        )
    for column in sets.identifier_like:
        yield f"sets with {column}: its value alone names its person in more than every second try."
    if population.person:
        yield (
            "what the columns alone certify, and collecting the columns instead: a person with several rows is not "
            "determined by her columns one by one."
        )
    else:
        for column, sizes in alone.items():
            if column not in sets.identifier_like and sizes.classes > MOST_CATEGORIES:
                yield f"collecting {column} instead: {sizes.classes:,} values are no question with listed answers."
            elif sizes.classes < 2:
                yield f"collecting {column} instead: everybody has the same value."
    if sensitive is None:
        yield "how well a sensitive column is guessed: none was named (--sensitive)."
