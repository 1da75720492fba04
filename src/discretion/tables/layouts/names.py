"""Names of columns as the user gives them, and the choice of one table out of several."""

from collections.abc import Sequence
from typing import Any

from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError
from discretion.escaping import printable, short_repr
from discretion.validation import check_length

_SHOWN = 20


def distinct_names(columns: Any) -> tuple[str, ...]:
    """Return names of columns as a tuple, if they are names and each is given once."""
    if isinstance(columns, str):
        raise InvalidValueError(f"columns must be a sequence of names, got the text {columns!r}; write [{columns!r}]")
    check_length(getattr(columns, "size", 0))
    try:
        names = tuple(columns)
    except TypeError:
        raise InvalidValueError(f"columns must be a sequence of names, got {short_repr(columns)}") from None
    for position, name in enumerate(names):
        if not isinstance(name, str):
            raise InvalidValueError(f"columns must be a sequence of names, which are text; got {short_repr(name)}")
        if name in names[:position]:
            raise InvalidTableError(f"the column {name!r} is named twice; name it once")
    return names


def names_among(columns: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns as a tuple, if there are columns of these names."""
    for column in columns:
        if column not in names:
            raise UnknownColumnError(column, names)
    return tuple(columns)


def choose_table(name: str | None, tables: Sequence[str], views: Sequence[str], what: str, word: str = "table") -> str:
    """Return the given name of a table, or the name of the only table.

    Raises
    ------
    InvalidTableError
        If there is no table of this name, or no name is given and there are several tables; the message lists them.
    """
    if name is None and len(tables) == 1:
        return tables[0]
    there = [*tables, *views]
    if name in there:
        assert name is not None
        return name
    if not there:
        raise InvalidTableError(f"{what} has no {word}s")
    fault = f"{what} has several {word}s" if name is None else f"{what} has no {word} {printable(name)!r}"
    raise InvalidTableError(f"{fault}; name one as ?{word}=NAME: {list_names(there)}")


def unread_tables(read: str, there: Sequence[str], word: str = "table") -> tuple[str, ...]:
    """Return the names of the other tables in a text, if only one of several is read; nothing if there is only one."""
    others = [name for name in there if name != read]
    return (f"{len(others):,} other {word}{'s' * (len(others) > 1)}: {list_names(others)}",) if others else ()


def list_names(names: Sequence[str]) -> str:
    """Return the first names in a line, with the number of the others."""
    rest = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(printable(name) for name in names[:_SHOWN]) + rest


def check_person_apart(person: str | None, columns: Sequence[str]) -> None:
    """Refuse the column that names the person among the columns of a population."""
    if person in columns:
        raise InvalidTableError(f"the column {person!r} names the person, so it cannot be one of columns")
