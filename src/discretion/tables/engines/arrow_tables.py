"""An Arrow table as rows on the embedded engine."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from discretion.errors import InvalidTableError
from discretion.numerics.arrays import code_type
from discretion.tables.engines.embedded import MERGED_FROM_ARROW, EmbeddedEngine, check_types, quote_name
from discretion.tables.engines.rows import Rows

# If texts hardly repeat among the first rows, a dictionary would cost more than it saves.
_LOOKED_AT = 1 << 16
_MIN_REPEATS = 2


def arrow_rows(arrived: Any, what: str, memory: int | None, expected: int | None = None) -> Rows:
    """Return the rows of an Arrow table, which messages call ``what``; check their expected number, if it is known."""
    check_types(arrived.schema, what, MERGED_FROM_ARROW)
    arrived, dictionaries = _coded(arrived)
    try:
        return coded_rows(EmbeddedEngine(what, memory=memory), arrived, dictionaries, expected)
    except InvalidTableError:
        _check_columns(arrived, what, memory)
        raise


def coded_rows(engine: EmbeddedEngine, arrived: Any, dictionaries: Mapping[str, Any], expected: int | None) -> Rows:
    """Return the rows of an Arrow table in an engine, with each column of codes and its texts in the dictionaries."""
    values = {name: quote_name(name) for name in arrived.column_names}
    with engine.holding("arrived", arrived):
        return engine.rows(values, "arrived", expected=expected, dictionaries=dictionaries, in_passes=True)


def _check_columns(arrived: Any, what: str, memory: int | None) -> None:
    """Refuse the first column that the engine cannot read, even alone."""
    for name in arrived.column_names:
        engine = EmbeddedEngine(what, memory=memory)
        try:
            with engine.holding("arrived", arrived.select([name])):
                engine.read(f"SELECT count(DISTINCT {quote_name(name)}) FROM arrived")
        except InvalidTableError:
            raise InvalidTableError(
                f"the column {name!r} of {what} holds a type of value that the engine does not know; make it text"
            ) from None


def _coded(table: Any) -> tuple[Any, dict[str, Any]]:
    """Return an Arrow table with codes in place of texts that repeat, and each such column's texts by code."""
    pa: Any = import_module("pyarrow")
    kinds = pa.types
    textual = (kinds.is_string, kinds.is_large_string, kinds.is_string_view, kinds.is_dictionary)
    texts = [field.name for field in table.schema if any(is_textual(field.type) for is_textual in textual)]
    with ThreadPoolExecutor() as threads:
        codes_of = dict(zip(texts, threads.map(_codes, [table[name] for name in texts]), strict=True))
    dictionaries: dict[str, Any] = {}
    for name, codes in codes_of.items():
        if codes is not None:
            numbers, dictionaries[name] = codes
            table = table.set_column(table.column_names.index(name), name, numbers)
    return table, dictionaries


def _codes(column: Any) -> tuple[Any, Any] | None:
    """Return a column's codes and their texts, or None if texts hardly repeat."""
    pa: Any = import_module("pyarrow")
    if pa.types.is_dictionary(column.type):
        return _arrived_codes(column)
    start = column.slice(0, _LOOKED_AT)
    if not len(start) or len(start) < _MIN_REPEATS * len(start.unique()):
        return None
    try:
        chunks = column.dictionary_encode().unify_dictionaries().chunks
    except pa.ArrowCapacityError:  # more than 2 GiB of different texts
        return None
    texts = chunks[0].dictionary
    return narrowed([chunk.indices for chunk in chunks], texts), texts


def _arrived_codes(column: Any) -> tuple[Any, Any] | None:
    """Return the same of a column that arrives in codes; None if they do not spare much, or Arrow refuses the texts."""
    pa: Any = import_module("pyarrow")
    coding = TextCoding()
    try:
        codes = [coding.codes(chunk) for chunk in column.chunks]
    except pa.ArrowException:
        return None
    if not codes or len(column) < _MIN_REPEATS * len(coding.texts):
        return None
    return narrowed(codes, coding.texts), coding.texts


def narrowed(codes: Sequence[Any], texts: Any) -> Any:
    """Return arrays of codes of texts as one column, in as few bytes as they need."""
    pa: Any = import_module("pyarrow")
    return pa.chunked_array([part.cast(_narrowest(texts)) for part in codes])


def _narrowest(texts: Any) -> Any:
    """Return the smallest type that has a code for each text."""
    return import_module("pyarrow").from_numpy_dtype(code_type(len(texts)))


class TextCoding:
    """The codes of a column's texts, in the order in which they come."""

    def __init__(self) -> None:
        pa: Any = import_module("pyarrow")
        self.texts = pa.nulls(0, pa.string())  # not by array(), which imports pandas

    def codes(self, column: Any) -> Any:
        """Return the codes of an Arrow array of texts, itself in codes of its own."""
        pa: Any = import_module("pyarrow")
        compute: Any = import_module("pyarrow.compute")
        stored = column.dictionary.cast(pa.string())
        if not stored.equals(self.texts):
            stored.validate(full=True)
            new = stored.filter(compute.invert(compute.is_in(stored, value_set=self.texts))).drop_null().unique()
            self.texts = pa.concat_arrays([self.texts, new])
        return compute.index_in(stored, value_set=self.texts).cast(_narrowest(self.texts)).take(column.indices)
