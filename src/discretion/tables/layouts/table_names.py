"""Which of several tables is meant, and which are left out."""

from collections.abc import Sequence

from discretion.errors import InvalidTableError
from discretion.escaping import printable

_SHOWN = 20


def table_meant(name: str | None, tables: Sequence[str], views: Sequence[str], what: str, word: str = "table") -> str:
    """Return the name that was asked for, or of the only table there is.

    Raises
    ------
    InvalidTableError
        If there is none of this name, or none is named of several; it lists them.
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
    raise InvalidTableError(f"{fault}; name one as ?{word}=NAME: {listed(there)}")


def left_out_beside(read: str, there: Sequence[str], word: str = "table") -> tuple[str, ...]:
    """Return what is left out where only one of several tables is read: a text that names the others, or nothing."""
    others = [name for name in there if name != read]
    return (f"{len(others):,} other {word}{'s' * (len(others) > 1)}: {listed(others)}",) if others else ()


def listed(names: Sequence[str]) -> str:
    """Return the first names in a line, and how many more there are."""
    rest = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(printable(name) for name in names[:_SHOWN]) + rest
