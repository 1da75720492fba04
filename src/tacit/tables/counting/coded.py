"""A table of people as codes: what rows have the same code have the same value, and nothing else is told of values.

Only an engine of this process hands its rows over so; elsewhere the questions go to the rows.
"""

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from tacit import limits
from tacit.numerics.alike import Column
from tacit.tables.engines.rows import Rows


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
