"""Names and values out of tables, as far as there is room for them."""

from tacit.printable import printable

_LONGEST_VALUE = 40


def short(value: str) -> str:
    """Return a value as far as it fits a table.

    Examples
    --------
    >>> short("Oslo"), len(short("x" * 1_000_000))
    ('Oslo', 40)
    """
    return value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…"


def listed(columns: tuple[str, ...]) -> str:
    """Return the names of a set of columns."""
    return ", ".join(map(printable, columns))


def briefly(columns: tuple[str, ...]) -> str:
    """Return the names of a set of columns, or their number if these are many.

    Examples
    --------
    >>> briefly(("sex", "race")), briefly(tuple("abcde"))
    ('sex, race', '5 columns')
    """
    return listed(columns) if len(columns) <= 4 else f"{len(columns)} columns"
