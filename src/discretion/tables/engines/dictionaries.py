"""Texts in an Arrow table as small codes: Arrow finds them faster than the engine would, on all cores."""

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

# Of texts that hardly repeat among the first rows a dictionary would cost more than it saves.
_LOOKED_AT = 1 << 16
_LEAST_REPEATS = 2


def coded(table: Any) -> tuple[Any, dict[str, Any]]:
    """Return an Arrow table with codes in place of texts that repeat, and each such column's texts by code."""
    pa: Any = import_module("pyarrow")
    kinds = pa.types
    textual = (kinds.is_string, kinds.is_large_string, kinds.is_string_view)
    texts = [field.name for field in table.schema if any(is_textual(field.type) for is_textual in textual)]
    with ThreadPoolExecutor() as threads:
        found = dict(zip(texts, threads.map(_codes, [table[name] for name in texts]), strict=True))
    dictionaries: dict[str, Any] = {}
    for name, codes in found.items():
        if codes is not None:
            numbers, dictionaries[name] = codes
            table = table.set_column(table.column_names.index(name), name, numbers)
    return table, dictionaries


def _codes(column: Any) -> tuple[Any, Any] | None:
    """Return a column's codes and the texts they stand for, or None if texts hardly repeat."""
    pa: Any = import_module("pyarrow")
    start = column.slice(0, _LOOKED_AT)
    if not len(start) or len(start) < _LEAST_REPEATS * len(start.unique()):
        return None
    try:
        chunks = column.dictionary_encode().unify_dictionaries().chunks
    except pa.ArrowCapacityError:  # more than 2 GiB of different texts
        return None
    texts = chunks[0].dictionary
    narrow = next((kind for kind in (pa.uint8(), pa.uint16()) if len(texts) <= 1 << kind.bit_width), pa.int32())
    return pa.chunked_array([chunk.indices.cast(narrow) for chunk in chunks]), texts
