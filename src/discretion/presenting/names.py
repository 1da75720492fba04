"""Names and values from tables, shortened to the room for them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from discretion.escaping import printable
from discretion.input_files import without_password

_LONGEST_VALUE = 40
# The most names in a cell, and the most missing names.
_NAMES_LISTED, _NAMES_MISSING = 6, 3


def short(value: str) -> str:
    """Return a value, shortened to fit a table.

    Examples
    --------
    >>> short("Oslo"), len(short("x" * 1_000_000))
    ('Oslo', 40)
    """
    return value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…"


def table_name(table: object, other: str = "table") -> str:
    """Return the name of a table as it was given, without a password; another name for tables without one.

    Examples
    --------
    >>> table_name("people.csv"), table_name("postgres://me:secret@host/db"), table_name({})
    ('people.csv', 'postgres://me@host/db', 'table')
    """
    return without_password(str(table)) if isinstance(table, str | Path) else other


def listed(columns: tuple[str, ...]) -> str:
    """Return the names of a set of columns."""
    return ", ".join(map(printable, columns))


def with_kept(columns: Iterable[str], kept: Mapping[str, int]) -> tuple[str, ...]:
    """Return the names of columns, each with the number of values that stay distinct if these are not all.

    Examples
    --------
    >>> with_kept(["sex", "race"], {"race": 2})
    ('sex', 'race (2 values and other)')
    """
    return tuple(
        f"{name} ({kept[name]:,} value{'s' * (kept[name] != 1)} and other)" if name in kept else name
        for name in columns
    )


def briefly(columns: tuple[str, ...]) -> str:
    """Return the names of a set of columns, or their number if there are many.

    Examples
    --------
    >>> briefly(("sex", "race")), briefly(tuple("abcde"))
    ('sex, race', '5 columns')
    """
    return listed(columns) if len(columns) <= 4 else f"{len(columns):,} columns"


def among(columns: tuple[str, ...], whole: tuple[str, ...]) -> str:
    """Return the names of some columns of a table, or of the missing ones, or the number of columns.

    Examples
    --------
    >>> whole = tuple("abcdefgh")
    >>> among(("a", "b"), whole), among(whole[1:], whole), among(whole, whole)
    ('a, b', 'all but a', 'all 8 columns')
    """
    if len(columns) <= _NAMES_LISTED:
        return listed(columns)
    missing = tuple(column for column in whole if column not in columns)
    if not missing:
        return f"all {len(columns):,} columns"
    return f"all but {listed(missing)}" if len(missing) <= _NAMES_MISSING else f"{len(columns):,} columns"
