"""A table of people as codes: rows with the same code have the same value; codes reveal nothing else about values.

Only an engine of this process hands out its rows as codes; other engines receive queries.
"""

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from discretion import limits
from discretion.numerics.equivalence_classes import Column
from discretion.tables.engines.rows import Rows

# The most codes of rows, in all columns, to take out of the engine: 4 bytes each.
MAX_CODED_VALUES = 2 * 10**8

# The number of values to take out of the engine at once.
_AT_ONCE = 1 << 22


def column_codes(rows: Rows, columns: Sequence[str], length: int) -> dict[str, Column] | None:
    """Return each column in codes from 0, with null as a value; None if the engine does not hand out its rows.

    Also None if there are too many rows, or for a column of values that Arrow does not encode, such as lists.
    """
    coded = _coded(rows, columns, length)
    return None if coded is None else {name: column for name, (column, _) in coded.items()}


def column_values(rows: Rows, columns: Sequence[str], length: int) -> dict[str, tuple[Column, Any]] | None:
    """Return each column in codes, and their values as an Arrow array; None where :func:`column_codes` returns None."""
    coded = _coded(rows, columns, length)
    if coded is None:
        return None
    return {name: (column, _decoded(rows, name, values)) for name, (column, values) in coded.items()}


def _coded(rows: Rows, columns: Sequence[str], length: int) -> dict[str, tuple[Column, Any]] | None:
    """Return each column in codes, and the engine's values as an Arrow array; or None."""
    if rows.arrow is None or length * len(columns) > limits.current().numbers(MAX_CODED_VALUES, each=4):
        return None
    result: dict[str, tuple[Column, Any]] = {}
    most = max(1, _AT_ONCE // max(length, 1))  # what a question costs to ask grows with the columns of the table
    for start in range(0, len(columns), most):
        some = columns[start : start + most]
        values = rows.arrow(rows.table.select(**{f"value{i}": _plain(rows, name) for i, name in enumerate(some)}))
        for name, array in zip(some, values.columns, strict=True):
            if (numbered := _numbered(array)) is None:
                return None
            codes: Any = np.from_dlpack(numbered.indices)  # asarray() imports pandas
            result[name] = Column(codes, len(numbered.dictionary)), numbered.dictionary
    return result


def _decoded(rows: Rows, column: str, values: Any) -> Any:
    """Return values as the user knows them: the texts, for a column of text that the engine holds in codes."""
    field = rows.fields[column]
    if field not in rows.texts:
        return values
    assert rows.arrow is not None
    by_code = rows.arrow(rows.texts[field].order_by("code"))["text"].combine_chunks()
    if rows.spell is not str:
        pa: Any = import_module("pyarrow")
        by_code = pa.array([rows.spell(text) for text in by_code.to_pylist()], pa.string())
    return by_code.take(values)


def _plain(rows: Rows, column: str) -> Any:
    """Return the field of a column with one value for all that the engine treats as equal, such as 0.0 and -0.0."""
    field = rows.table[rows.fields[column]]
    return field.isnan().ifelse(math.nan, field + 0.0) if field.type().is_floating() else field


def _numbered(values: Any) -> Any:
    """Return values as numbers of the distinct values, null included; None if Arrow does not encode them."""
    pa: Any = import_module("pyarrow")
    try:
        dictionary = values.combine_chunks().dictionary_encode(null_encoding="encode")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return None
    return dictionary.chunk(0) if isinstance(dictionary, pa.ChunkedArray) else dictionary
