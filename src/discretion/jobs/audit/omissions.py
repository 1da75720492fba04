"""What an audit did not examine, in sentences, and why."""

from collections.abc import Iterator, Mapping

from discretion.anonymity import ClassSizes, Population, Selection
from discretion.jobs.audit.collection import MOST_CATEGORIES, is_categorical, worth_collecting
from discretion.jobs.audit.redaction import MAX_RULES
from discretion.jobs.audit.result import Columns, RedactionReport, SetsReport
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.presenting.numbers import number
from discretion.presenting.sentences import ENDED

# What a section of the audit is about.
_SECTIONS = {
    "certified": "what the columns alone certify",
    "certified_selection": "which sets of columns single columns certify to be within the budget",
    "measures": "how diverse and how close the sensitive values of people alike are",
    "release": "what a release promises",
    "inference": "how well the sensitive column is guessed",
    "redaction": "redacting rare values",
    "collection": "collecting the columns instead",
    "ways_out": "which goals a file would be within",
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
    """Yield a sentence for whatever an audit left out."""
    for part in population.left_out:
        yield f"{part}: the table is read without them."
    yield from _sets(sets, selection, time)
    for section in time.cut:
        if section != "sets":
            yield f"{_SECTIONS[section]}, or the rest of it: the time limit of {time.seconds:g} s was reached."
    if population.person:
        yield "a file with generalized columns: none is written of people with several rows."
        yield (
            "what the columns alone certify, and collecting the columns instead: a person with several rows is not "
            "determined by her columns one by one."
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
        most = f"none of them within the budget is worth more than {selection.bound:g} columns"
        if selection.independent < selection.bound:
            most += f", of which at most {selection.independent:,} are not determined by the others together"
        ended = "" if selection.proved else f"; the search {ENDED[selection.ended]}"
        yield f"{number(missing)} of {number(sets.possible)} sets of columns: {most}{ended}."
    for column in sets.identifier_like:
        yield f"sets with {column}: its value alone names its person in more than every second try."


def _collection(sets: SetsReport, alone: Mapping[str, ClassSizes]) -> Iterator[str]:
    traits = {column: sizes for column, sizes in alone.items() if column not in sets.identifier_like}
    if missing := sum(map(is_categorical, traits.values())) - len(worth_collecting(traits)):
        yield f"collecting {missing:,} more columns instead: the work limit was reached. Name fewer to see more."
    for column, sizes in alone.items():
        if column not in sets.identifier_like and sizes.classes > MOST_CATEGORIES:
            yield f"collecting {column} instead: {sizes.classes:,} values are no question with listed answers."
        elif sizes.classes < 2:
            yield f"collecting {column} instead: everybody has the same value."


def _redaction(redaction: RedactionReport) -> Iterator[str]:
    for report in (*redaction.ruled, *redaction.columns):
        if report.redacted_exposure is None:
            yield f"whom {report.column} exposes once values are redacted: too many answers to count."
    for report in redaction.together:
        if report.redacted_exposure is None:
            yield (
                f"whom {len(report.columns):,} columns together expose once rare values are redacted: any set of those "
                "with a rule may be redacted, and that makes too many answers to count."
            )
