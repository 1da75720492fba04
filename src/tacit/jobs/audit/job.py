"""The main job: one table of people in, what it gives away and what to do about it out."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tacit.anonymity import ClassSizes, Population, exposure_bound, exposure_if_independent, theorem_bound
from tacit.anonymity.attacks.attack import inferences
from tacit.errors import InvalidValueError, UnknownColumnError
from tacit.jobs.audit.collection import collection_report, worth_collecting
from tacit.jobs.audit.omissions import not_examined
from tacit.jobs.audit.redaction import redaction_report
from tacit.jobs.audit.release import certified_selection, release_reports
from tacit.jobs.audit.result import (
    SHOWN,
    Audit,
    CertifiedReport,
    CertifiedSet,
    ColumnReport,
    Columns,
    InferenceReport,
    RedactionReport,
    SetReport,
    SetsReport,
    least_holders,
)
from tacit.jobs.audit.sets import is_identifier_like, largest_within, search_sets
from tacit.jobs.audit.time_limit import TimeLimit
from tacit.tables.layouts.headers import Header
from tacit.validation import as_count, as_real

# Counting bounds are worked out for at most this many sets.
_CERTIFIED_SETS = 20
_COLUMNS_AT_ONCE = 32


def audit(
    table: Any,
    columns: Sequence[str] | None = None,
    sensitive: str | None = None,
    k: int = 10,
    budget: float = 0.01,
    *,
    person: str | None = None,
    header: Header = None,
    show_rare: bool = False,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
    seconds: float | None = None,
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
    header
        What a file's first line is, as for `tacit.Population`.
    show_rare
        Whether to show values that fewer than max(k, 2) people hold: whatever k is, what one person alone holds is
        shown to nobody who did not ask for it.
    progress
        Called with what is being worked on.
    memory
        How much the engine may hold that holds the table, as for `tacit.Population`.
    seconds
        When these have passed nothing more is begun, and ``not_examined`` says what is missing; the columns by
        themselves and all together are always examined.

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
    report_progress, time = progress or _ignore, TimeLimit(seconds)
    if isinstance(table, Population) and person is not None:
        raise InvalidValueError("a Population knows its people already; name the person column when making it")
    if isinstance(table, Population) and header is not None:
        raise InvalidValueError("a Population has names for its columns already; say what header is when making it")
    population = table if isinstance(table, Population) else Population(table, columns, person, header, memory=memory)
    chosen = population.known(columns)
    if sensitive is not None and sensitive not in chosen:
        raise UnknownColumnError(sensitive, chosen)
    alone: dict[str, ClassSizes] = {}
    for start in range(0, len(chosen), _COLUMNS_AT_ONCE):
        report_progress(f"column {chosen[start]}")
        part = chosen[start : start + _COLUMNS_AT_ONCE]
        sizes = population.class_sizes_of_all((column,) for column in part)
        alone.update(zip(part, sizes, strict=True))
    described = tuple(_column(population, column, alone[column], k, show_rare) for column in chosen)
    traits = tuple(column for column in chosen if not is_identifier_like(alone[column]))
    sets = search_sets(population, chosen, traits, k, share, progress=report_progress, time=time)
    # Nothing that the whole table contains exposes more than the whole table does.
    selected = (sets.whole,) if sets.whole.exposure <= share else largest_within(sets.examined, share)
    report_progress("what the columns alone certify")
    certified: tuple[CertifiedReport, ...] = ()
    promised: tuple[CertifiedSet, ...] = ()
    if population.person is None:
        certified = tuple(time.left_for("certified", _certified(population, sets, selected, k)))
        promises = certified_selection(population, sets, traits, k, share)
        promised = tuple(time.left_for("certified_selection", promises))
    report_progress("what a release promises")
    released = [report.columns for report in selected]
    releases = release_reports(population, _with_traits(released[:SHOWN], traits), sensitive, k)
    release = tuple(time.left_for("release", releases))
    report_progress("guesses of the sensitive column")
    guesses: tuple[InferenceReport, ...] = ()
    if sensitive is not None:
        guesses = tuple(time.left_for("inference", _inference(population, traits, selected, sensitive, k)))
    report_progress("redacting rare values")
    redaction = (
        RedactionReport((), ()) if population.person else redaction_report(population, traits, released, k, time)
    )
    report_progress("collecting the columns instead")
    categorical = [] if population.person else worth_collecting({column: alone[column] for column in traits})
    reports = (collection_report(column, alone[column], len(categorical)) for column in categorical)
    collection = tuple(time.left_for("collection", reports))
    return Audit(
        table=str(table) if isinstance(table, str | Path) else "table",
        people=population.people,
        rows=population.rows,
        person=population.person,
        sensitive=sensitive,
        k=k,
        budget=share,
        show_rare=show_rare,
        columns=described,
        sets=sets,
        certified=certified,
        certified_selection=promised,
        selected=selected,
        release=release,
        inference=guesses,
        collection=collection,
        redaction=redaction,
        cut_short=time.cut,
        not_examined=tuple(not_examined(population, sets, alone, sensitive, redaction, time=time)),
    )


def _ignore(_: str) -> None:
    """Let progress go unreported."""


def _column(population: Population, column: str, sizes: ClassSizes, k: int, show_rare: bool) -> ColumnReport:
    exposed = sizes.exposed(k=k)
    rarest, holders = population.rarest_value(column)
    shown = show_rare or holders >= least_holders(k)
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
        yield CertifiedReport(
            columns=report.columns,
            bound=exposure_bound(population, k=k, columns=report.columns),
            exposure=report.exposure,
            theorems=theorem_bound(population, k=k, columns=report.columns).value,
            if_independent=exposure_if_independent(population, k=k, columns=report.columns),
        )


def _with_traits(released: list[Columns], traits: Columns) -> list[Columns]:
    """Return the released sets and all traits together, once, if there are any."""
    return [*released, traits] if traits and traits not in released else released


def _inference(
    population: Population, traits: Columns, selected: Sequence[SetReport], sensitive: str, k: int
) -> Iterator[InferenceReport]:
    released = [*((column,) for column in traits), *(report.columns for report in selected), traits]
    without = dict.fromkeys(tuple(column for column in columns if column != sensitive) for columns in released)
    for attack in inferences(population, list(filter(None, without)), sensitive):
        sizes = population.class_sizes(attack.columns)
        yield InferenceReport(
            sensitive=sensitive,
            known=attack.columns,
            prior=attack.prior,
            posterior=attack.posterior,
            worst_person=attack.worst_person,
            certain_people=attack.certain_people,
            exposure=sizes.exposure(k=k),
            unique_people=sizes.unique,
        )
