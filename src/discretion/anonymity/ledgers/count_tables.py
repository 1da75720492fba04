"""Published tables of counts: the number of people with each combination of values; small counts may be withheld."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from discretion.errors import InvalidTableError, InvalidValueError
from discretion.input_files import opened
from discretion.tables.layouts.csv_layout import layout_of
from discretion.tables.layouts.names import distinct_names, names_among
from discretion.validation import as_count

# The values of a combination, one of each column; None is no value.
Values = tuple[str | None, ...]

_LONGEST_COUNT = 15  # digits


@dataclass(frozen=True)
class CountTable:
    """A published table of counts; counts of fewer than k people may be blank.

    Parameters
    ----------
    columns
        The columns that people are counted by; empty for a total.
    counts
        A combination of values, one of each column → the number of people; None is a blank: 1 to k - 1 people.
    k
        Counts of fewer people are blank; 1 if none are.
    where
        The people who were counted, if not all: a column → the value that they have there.
    complete
        Whether the table lists each combination that some person has; if not, each other one has at most k - 1 people.
    name
        The name of the table in messages.

    Raises
    ------
    InvalidValueError
        If a combination does not have one value per column, or a count is negative.

    Examples
    --------
    >>> towns = CountTable(["town"], {("A",): 25, ("B",): None}, k=10)
    >>> towns.counts["A",], towns.name
    (25, 'counts by town')
    """

    columns: tuple[str, ...]
    counts: Mapping[Values, int | None]
    k: int = 1
    where: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    complete: bool = True
    name: str = ""

    def __init__(
        self,
        columns: Iterable[str],
        counts: Mapping[Values, int | None],
        *,
        k: int = 1,
        where: Mapping[str, str | None] | None = None,
        complete: bool = True,
        name: str = "",
    ) -> None:
        names = distinct_names(columns)
        if twice := next((column for column in where or {} if column in names), None):
            raise InvalidValueError(f"the column {twice!r} is in both columns and where; leave it out of one of them")
        if not all(len(values) == len(names) for values in counts):
            raise InvalidValueError(f"counts by {', '.join(names) or 'no column'} need one value per column")
        k = as_count(k, "k", at_least=1)
        sizes = {
            values: None if count is None else as_count(count, "a count", at_least=0)
            for values, count in counts.items()
        }
        if k == 1 and (not complete or None in sizes.values()):
            raise InvalidValueError("a table with withheld counts needs k, the least count that is published")
        given = (names, sizes, k, dict(where or {}), complete, name or f"counts by {', '.join(names) or 'no column'}")
        for each, value in zip(self.__dataclass_fields__, given, strict=True):
            object.__setattr__(self, each, value)


def read_count_table(
    path: str | Path,
    count: str = "count",
    *,
    k: int = 1,
    where: Mapping[str, str | None] | None = None,
    complete: bool = True,
    name: str | None = None,
) -> CountTable:
    r"""Return the table of counts in a CSV file with a line for each combination of values, with its count or a blank.

    Parameters
    ----------
    path
        The file; its first line holds the names of the columns.
    count
        The column of the counts; people are counted by all others.
    k, where, complete, name
        The same as for :class:`CountTable`; by default the name is that of the file.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the file is not such a table. No message quotes a value.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "towns.csv")
    >>> _ = path.write_text("town,count\nA,25\nB,\n")
    >>> read_count_table(path, k=10).counts
    {('A',): 25, ('B',): None}
    """
    with opened(path, "counts") as file:
        layout = layout_of(file, header=True)
        names = layout.names
        names_among([count], names)
        file.seek(0)
        text = io.StringIO(file.read().decode("utf-8-sig"), newline="")
    place = names.index(count)
    counts: dict[Values, int | None] = {}
    rows = csv.reader(text, delimiter=layout.separator, strict=True)
    try:
        lines = [(rows.line_num, row) for row in rows if row]
    except csv.Error:
        raise InvalidTableError(f"line {rows.line_num} of {file.name} is too long to read") from None
    for line, row in lines[1:]:
        digits = row[place].strip()
        if digits and not (digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST_COUNT):
            raise InvalidTableError(
                f"line {line} of {file.name} has no whole number in the column {count!r}; leave a withheld count blank"
            )
        values = tuple(value or None for value in (*row[:place], *row[place + 1 :]))
        if values in counts:
            raise InvalidTableError(f"line {line} of {file.name} repeats a combination of values; add the two counts")
        counts[values] = int(digits) if digits else None
    columns = [*names[:place], *names[place + 1 :]]
    return CountTable(columns, counts, k=k, where=where, complete=complete, name=name or Path(file.name).name)
