"""Which of several tables is meant."""

from collections.abc import Sequence

from tacit.errors import InvalidTableError
from tacit.printable import printable

_SHOWN = 20


def table_meant(asked: str | None, tables: Sequence[str], views: Sequence[str], what: str, word: str = "table") -> str:
    """Return the name that was asked for, or of the only table there is.

    Raises
    ------
    InvalidTableError
        If there is none of this name, or none is named of several; it lists them.
    """
    if asked is None and len(tables) == 1:
        return tables[0]
    there = [*tables, *views]
    if asked in there:
        assert asked is not None
        return asked
    if not there:
        raise InvalidTableError(f"{what} has no {word}s")
    rest = f" and {len(there) - _SHOWN:,} more" if len(there) > _SHOWN else ""
    listed = ", ".join(printable(name) for name in there[:_SHOWN]) + rest
    fault = f"{what} has several {word}s" if asked is None else f"{what} has no {word} {printable(asked)!r}"
    raise InvalidTableError(f"{fault}; name one as ?{word}=NAME: {listed}")
