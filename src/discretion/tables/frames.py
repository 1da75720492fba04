"""Conversion of tables in memory to Arrow tables, without lost or merged values."""

import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np

from discretion.errors import InvalidTableError
from discretion.tables.engines.rows import Choose, check_names

# Types whose values only pandas can read; as text they are what it prints.
_SAID_BY_PANDAS = ("IntervalDtype", "PeriodDtype")
_TEXT = ("string", "large_string", "string_view")

# The kind of a Python object, by the first type that fits: a datetime is a date too, and a bool a number.
_KINDS: dict[type | tuple[type, ...], str] = {
    str: "text",
    bytes: "bytes",
    (bool, np.bool_): "booleans",
    (Real, Decimal): "numbers",
    datetime: "times of days",
    date: "days",
    time: "times",
    timedelta: "durations",
    dict: "mappings",
    (list, tuple, np.ndarray): "lists",
    (set, frozenset): "sets",
}


def as_arrow(table: Any, what: str, choose: Choose) -> Any:
    """Return the columns of a table in memory that ``choose`` picks from its names, as an Arrow table.

    Raises
    ------
    InvalidTableError
        If a column has values without an Arrow type, or different values that Arrow would merge.
    """
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(table, pandas.DataFrame):
        return _plain(_from_pandas(table, what, choose))
    if polars is not None and isinstance(table, polars.DataFrame):
        table = _from_polars(table, what, choose)
    pa: Any = import_module("pyarrow")
    try:
        arrived = pa.RecordBatchReader.from_stream(table).read_all()
    except Exception:  # each library has its own; what they say of bad data is held back, for it quotes values
        raise InvalidTableError(
            f"{what} cannot be turned into an Arrow table: it must have columns, each of one type"
        ) from None
    return _plain(arrived.select(choose(check_names(arrived.schema.names, what))))


def as_column(values: Sequence[Any], name: str, what: str) -> Any:
    """Return Python objects of one kind, or None, as an Arrow array.

    Raises
    ------
    InvalidTableError
        If they are of several kinds, or of a kind that Arrow would change.
    """
    pa: Any = import_module("pyarrow")
    try:
        _check_kinds([value for value in values if value is not None])
        return pa.array(values)
    except (TypeError, ValueError, OverflowError):  # what it says of bad data quotes values; of Arrow, a ValueError
        raise InvalidTableError(
            f"the column {name!r} of {what} must hold values of one kind, but holds several; make it text"
        ) from None


def _from_pandas(frame: Any, what: str, choose: Choose) -> Any:
    if not all(isinstance(name, str) for name in frame.columns):
        raise InvalidTableError(f"{what} has a column whose name is not text; name every column with text")
    pa: Any = import_module("pyarrow")
    columns: dict[str, Any] = {}
    for name in choose(check_names(frame.columns, what)):
        try:
            if frame[name].dtype == object:
                _check_kinds(frame[name].dropna())
            columns[name] = pa.array(_spelled_by_pandas(frame[name]), from_pandas=True)
        except Exception:  # what it says of bad data quotes values
            raise InvalidTableError(
                f"{what} cannot be turned into an Arrow table: its columns must be each of one type that Arrow has, "
                f"and {name!r} is not; make it text"
            ) from None
    return pa.table(columns)


def _spelled_by_pandas(column: Any) -> Any:
    """Return a pandas column with intervals and periods (also as categories) as text, and sparse columns dense."""
    kind = column.dtype
    if type(kind).__name__ == "SparseDtype":
        return column.sparse.to_dense()
    if type(kind).__name__ in _SAID_BY_PANDAS:
        return column.map(str, na_action="ignore").astype(object)
    if type(kind).__name__ == "CategoricalDtype" and type(kind.categories.dtype).__name__ in _SAID_BY_PANDAS:
        return column.cat.rename_categories([str(value) for value in kind.categories])
    return column


def _check_kinds(values: Iterable[Any]) -> None:
    """Raise a TypeError if these Python objects, none of them null, are not of one kind that Arrow keeps unchanged."""
    kinds = {_kind(each) for each in set(map(type, values))}
    if len(kinds) > 1 or "sets" in kinds:  # of which the order is lost, or not
        raise TypeError
    match kinds.pop() if kinds else None:
        case "times of days" | "times" | "durations" as kind:
            zoned = {getattr(value, "tzinfo", None) is not None for value in values}
            if any(getattr(value, "nanosecond", getattr(value, "nanoseconds", 0)) for value in values):
                raise TypeError
            if len(zoned) > 1 or (kind == "times" and zoned == {True}):
                raise TypeError
        case "lists":
            _check_kinds([value for value in chain.from_iterable(values) if value is not None])
        case "mappings":
            for key in dict.fromkeys(chain.from_iterable(values)):
                _check_kinds([value[key] for value in values if value.get(key) is not None])
        case _:
            pass


def _kind(type_: type) -> str:
    return next((kind for types, kind in _KINDS.items() if issubclass(type_, types)), type_.__name__)


def _from_polars(frame: Any, what: str, choose: Choose) -> Any:
    columns = choose(check_names(frame.columns, what))
    for name in columns:
        kind = str(frame.schema[name])
        if "Object" in kind:
            raise InvalidTableError(
                f"{what} has a column of Python objects, {name!r}, which reach Arrow as addresses; make it text"
            )
        if "Int128" in kind:
            raise InvalidTableError(f"the column {name!r} of {what} is of type {kind}, which Arrow lacks; make it text")
    return frame.select(columns)


def _plain(table: Any) -> Any:
    """Return the table with half-precision numbers as singles, and with dictionaries only for text."""
    pa: Any = import_module("pyarrow")
    for place, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_dictionary(kind) and str(kind.value_type) not in _TEXT:
            kind = kind.value_type
        if pa.types.is_float16(kind):
            kind = pa.float32()
        if kind != field.type:
            table = table.set_column(place, field.name, table.column(place).cast(kind))
    return table
