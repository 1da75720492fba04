"""Sentences for the parts that an audit did not examine, and why."""

from collections.abc import Iterator, Mapping

from discretion.anonymity import ClassSizes, Population, Selection
from discretion.jobs.audit.collection import MOST_CATEGORIES, is_categorical, worth_collecting
from discretion.jobs.audit.redaction import MAX_RULES
from discretion.jobs.audit.result import Columns, RedactionReport, SetsReport
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.presenting.numbers import number
from discretion.presenting.sentences import ENDED

# The subject of each section of the audit.
_SECTIONS = {
    "certified": "the bounds that the columns alone certify",
    "certified_selection": "which sets of columns single columns certify to be within the budget",
    "measures": "the measures of equivalence classes (l-diversity, t-closeness and others)",
    "release": "the guarantees of a release",
    "inference": "how well the sensitive column is guessed",
    "redaction": "redacting rare values",
    "collection": "collecting the columns instead",
    "ways_out": "which eased goals a file would be within",
}


def not_examined(
    population: Population,
    sets: SetsReport,
    selection: Selection,
    alone: Mapping[str, ClassSizes],
    redaction: RedactionReport,
    *,
    sensitive: Columns,
    time: TimeLimit,
) -> Iterator[str]:
    """Yield a sentence for each part that an audit left out."""
    for part in population.left_out:
        yield f"{part}: the table is read without them."
    yield from _sets(sets, selection, time)
    for section in time.cut:
        if section != "sets":
            yield f"{_SECTIONS[section]}, or the rest of it: the time limit of {time.seconds:g} s was reached."
    if population.person:
        yield "a file with generalized columns: no release can be written of people with several rows."
        yield (
            "the bounds that the columns alone certify, and collecting the columns instead: single columns do not "
            "determine a person with several rows."
        )
        yield (
            "redacting rare values, and another release of other people: a person with several rows has several values "
            "of a column."
        )
    else:
        yield from _collection(sets, alone)
        yield from _redaction(redaction)
        if len(redaction.columns) == MAX_RULES:
            yield f"redacting rare values of more than {MAX_RULES} columns. Name fewer columns to see more."
    if not sensitive:
        yield "how well a sensitive column is guessed: none was named (--sensitive)."


def _sets(sets: SetsReport, selection: Selection, time: TimeLimit) -> Iterator[str]:
    missing = sets.possible - sets.examined
    if missing and sets.complete:
        yield (
            f"{number(missing)} of {number(sets.possible)} sets of columns: each contains a set that is over a "
            "budget, and so gives away at least as much."
        )
    elif missing:
        most = f"none of them within the budget has a utility above {selection.bound:g} columns"
        if selection.independent < selection.bound:
            most += f", of which at most {selection.independent:,} are not determined by the others together"
        ended = "" if selection.proved else f"; the search {ENDED[selection.ended]}"
        yield f"{number(missing)} of {number(sets.possible)} sets of columns: {most}{ended}."
    for column in sets.identifier_like:
        yield f"sets with {column}: its value alone identifies its person in more than half of the cases."


def _collection(sets: SetsReport, alone: Mapping[str, ClassSizes]) -> Iterator[str]:
    traits = {column: sizes for column, sizes in alone.items() if column not in sets.identifier_like}
    if missing := sum(map(is_categorical, traits.values())) - len(worth_collecting(traits)):
        yield f"collecting {missing:,} more columns instead: the work limit was reached. Name fewer columns."
    for column, sizes in alone.items():
        if column not in sets.identifier_like and sizes.classes > MOST_CATEGORIES:
            yield f"collecting {column} instead: {sizes.classes:,} values are too many to list as answers."
        elif sizes.classes < 2:
            yield f"collecting {column} instead: everybody has the same value."


def _redaction(redaction: RedactionReport) -> Iterator[str]:
    for report in (*redaction.ruled, *redaction.columns):
        if report.redacted_exposure is None:
            yield f"the exposure of {report.column} once values are redacted: there are too many answers to count."
    for report in redaction.together:
        if report.redacted_exposure is None:
            yield (
                f"the exposure of {len(report.columns):,} columns together once rare values are redacted: people may "
                "redact any of those with a rule, and that makes too many answers to count."
            )
