"""Names of columns, as people give them."""

from collections.abc import Sequence
from typing import Any

from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError
from discretion.escaping import short_repr
from discretion.validation import check_length


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
