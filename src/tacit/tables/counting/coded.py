"""A table of people as codes: what rows have the same code have the same value, and nothing else is told of values.

Only an engine of this process hands its rows over so; elsewhere the questions go to the rows.
"""

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import limits
from tacit.numerics.alike import Column
from tacit.tables.engines.rows import Rows

Numbers = NDArray[np.float64]

_DAY = 86_400


def coded(rows: Rows, columns: Sequence[str], length: int) -> dict[str, Column] | None:
    """Return each column in codes from 0, null being a value; None if the engine keeps its rows to itself.

    None too if there are too many, or for a column of values that Arrow does not number, such as lists.
    """
    if rows.arrow is None or length * len(columns) > limits.current().most_codes:
        return None
    pa: Any = import_module("pyarrow")
    found: dict[str, Column] = {}
    for column in columns:
        field = rows.table[rows.fields[column]]
        if field.type().is_floating():  # whose zeros are alike, and all that is not a number, to the engine too
            field = field.isnan().ifelse(math.nan, field + 0.0)
        values = rows.arrow(field.name("value").as_table())
        try:
            dictionary = values["value"].combine_chunks().dictionary_encode(null_encoding="encode")
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            return None
        if isinstance(dictionary, pa.ChunkedArray):
            dictionary = dictionary.chunk(0)
        found[column] = Column(np.asarray(dictionary.indices, np.int32), len(dictionary.dictionary))
    return found


def numbers(rows: Rows, column: str) -> Numbers | None:
    """Return the number that each row has, not a number where it is null; None if some value is no number or date."""
    if rows.arrow is None:
        return None
    name = rows.fields[column]
    field = rows.table[name]
    if name in rows.texts:
        held = [(rows.spell(text), code) for text, code in rows.ask(rows.texts[name].select("text", "code"))]
        by_code = np.full(1 + max((code for _, code in held), default=0), math.nan)
        try:
            by_code[[code for _, code in held]] = [float(text) for text, _ in held]
        except ValueError:
            return None
        codes = _values(rows, field.fill_null(-1).cast("int64"))
        return np.where(codes < 0, math.nan, by_code[codes])
    if field.type().is_temporal() and not field.type().is_time():
        field = field.cast("timestamp").epoch_seconds() / _DAY
    elif field.type().is_string():
        field = field.try_cast("float64")
    elif not field.type().is_numeric():
        return None
    found = np.asarray(_values(rows, field.cast("float64")), np.float64)
    given = np.asarray(_values(rows, rows.table[name].notnull()), bool)
    return None if np.isnan(found[given]).any() else found


def _values(rows: Rows, field: Any) -> NDArray[Any]:
    assert rows.arrow is not None
    return rows.arrow(field.name("value").as_table())["value"].to_numpy()
