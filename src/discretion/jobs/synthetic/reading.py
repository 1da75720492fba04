"""The three tables of ``discretion synthetic``: reading them, and separating facts from columns that name people."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discretion import limits
from discretion.anonymity import ColumnKind, Population, column_kinds
from discretion.anonymity.people.column_kinds import NAMING
from discretion.anonymity.synthetic.copies import Overlap, overlap
from discretion.anonymity.synthetic.tables import NAMES, Tables, Valued, tables_of
from discretion.errors import InvalidTableError, TooLargeError, UnknownColumnError, UnsupportedError
from discretion.escaping import printable
from discretion.numerics.equivalence_classes import are_row_numbers
from discretion.tables.counting.codes import MAX_CODED_VALUES, column_values
from discretion.tables.layouts.names import names_among
from discretion.tables.layouts.text_format import TextFormat

_LONGEST_ROW_NUMBER = 18  # digits


@dataclass(frozen=True)
class TablesRead:
    """The columns of three tables that are compared, and those that are not.

    Parameters
    ----------
    tables
        The three tables with the columns of facts about people.
    naming
        The three tables with each column of names, whose values are searched for copies.
    left_out
        Each column that is not compared → the reason.
    overlap
        The people of the original who seem to be among those held out, if there are any.
    """

    tables: Tables
    naming: Mapping[str, Tables]
    left_out: Mapping[str, str]
    overlap: Overlap | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return tuple(self.tables.columns)


def read_tables(
    given: Sequence[Any], wanted: Sequence[str] | None, kept: Sequence[str], form: TextFormat, memory: int | str | None
) -> TablesRead:
    """Return the three tables with the columns that they share, without columns that name people unless kept."""
    parts = [_population(*each, wanted, form, memory) for each in zip(given, NAMES, strict=True)]
    everywhere = tuple(dict.fromkeys(name for part in parts for name in part.columns))
    names_among(kept, everywhere)
    people = (parts[2], parts[0])
    kinds = {kind.column: kind for part in people for kind in column_kinds(part) if kind.column not in kept}
    left_out = {name: f"{kind.kind}, {kind.reason}" for name, kind in kinds.items() if kind.kind in NAMING}
    _check_a_row_each(kinds)
    names = tuple(name for name in parts[0].columns if name not in left_out)
    for part, which in zip(parts, NAMES, strict=True):
        if there := set(names) ^ {name for name in part.columns if name not in left_out}:
            first = next(name for name in (*names, *part.columns) if name in there)
            lacks, has = (which, NAMES[0]) if first in names else (NAMES[0], which)
            raise InvalidTableError(
                f"{lacks} lacks the column {first!r} of {has}; name columns that all three tables have (--columns, "
                "columns=)"
            )
    if not names:
        first, why = next(iter(left_out.items()))
        raise InvalidTableError(
            f"every column looks like the name of people ({first!r}: {why}), so there are no facts to compare; keep "
            "columns that are facts (--keep, keep=)"
        )
    aside = [name for name in parts[0].columns if name in left_out and all(name in part.columns for part in parts)]
    coded_tables = _valued(parts, [*names, *aside])
    left_out = {name: left_out[name] for name in everywhere if name in left_out}
    tables, naming = tables_of(names, coded_tables), dict(_naming(aside, coded_tables))
    own = _worth_looking_for(naming, coded_tables[0])
    texts = [each for name, each in own.items() if each.columns[name].numbers is None]
    whole = Tables({**tables.columns, **{name: named.columns[name] for name, named in naming.items()}})
    ways = (whole, tables, tables.without(tables.of_one_table), *texts)
    return TablesRead(tables, own, left_out, next(filter(None, map(overlap, ways)), None))


def _population(
    table: Any, which: str, columns: Sequence[str] | None, form: TextFormat, memory: int | str | None
) -> Population:
    try:
        return Population(table, columns, memory=memory, **vars(form))
    except UnknownColumnError as error:
        raise InvalidTableError(f"{which}: {error}") from None


def _check_a_row_each(kinds: Mapping[str, ColumnKind]) -> None:
    """Raise an error if people seem to have several rows each: the rows of one person are no independent attacks."""
    for kind in kinds.values():
        if kind.kind == "key":
            raise InvalidTableError(
                f"the column {kind.column!r} has {kind.reason}: it looks like the name of people with several rows, "
                "but every row counts as a person here; give each person one row, or, if each has one, use "
                f"--keep {printable(kind.column)} (keep=) or leave the column out (--columns, columns=)"
            )


def _valued(parts: Sequence[Population], names: Sequence[str]) -> Sequence[Mapping[str, Valued]]:
    """Return each table's values in codes, with the meaning of the codes."""
    most = limits.current().numbers(MAX_CODED_VALUES, each=4)
    if (cells := max(part.rows for part in parts) * len(names)) > most:
        raise TooLargeError(
            f"a table has {cells:,} values in these columns, more than {most:,}; name fewer columns (--columns, "
            "columns=)"
        )
    coded_tables = [part.read_rows(lambda rows, length: column_values(rows, names, length)) for part in parts]
    coded = [each for each in coded_tables if each is not None]
    if len(coded) < len(coded_tables):
        raise UnsupportedError(
            "a table cannot be attacked here: its rows are not in this process, or a column has lists or other nested "
            "values; pass the rows themselves, or leave such a column out"
        )
    return coded


def _naming(names: Sequence[str], coded_tables: Sequence[Mapping[str, Valued]]) -> Iterator[tuple[str, Tables]]:
    """Yield each column of names whose values are of one kind in all three tables."""
    for name in names:
        try:
            yield name, tables_of([name], coded_tables)
        except InvalidTableError:  # no value of one table is in another
            continue


def _worth_looking_for(naming: Mapping[str, Tables], original: Mapping[str, Valued]) -> dict[str, Tables]:
    """Return the columns whose values identify people and are not just row numbers."""
    return {name: tables for name, tables in naming.items() if not _is_of_row_numbers(original[name][1])}


def _is_of_row_numbers(labels: Any) -> bool:
    """Return whether values are row numbers, such as 1 to 200 or P001 to P200."""
    texts = [_written(value) for value in labels.to_pylist() if value is not None]
    digits = [re.sub("[^0-9]", "", text) for text in texts]
    if len({re.sub("[0-9]", "", text) for text in texts}) != 1 or any(
        len(each) > _LONGEST_ROW_NUMBER for each in digits
    ):
        return False
    numbers = {int(each or "0") for each in digits}
    return are_row_numbers(len(numbers), max(numbers) - min(numbers))


def _written(value: Any) -> str:
    """Return a value as text, the same for 7 and 7.0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return f"{number:.0f}" if number.is_integer() else str(value)
