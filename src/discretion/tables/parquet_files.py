"""Parquet files as rows to count: with their own types, and texts as the codes that they are stored as."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO

from discretion.errors import InvalidTableError, UnknownColumnError
from discretion.input_files import for_arrow, place
from discretion.memory import as_memory
from discretion.tables.engines.arrow_tables import TextCoding, coded_rows, narrowed
from discretion.tables.engines.embedded import MAX_CODES, MERGED, EmbeddedEngine, check_types, quote_name, quote_text
from discretion.tables.engines.rows import Choose, Rows, check_names
from discretion.tables.files import check_spellable, chosen_names
from discretion.tables.layouts.headers import check_keys, check_recurrence
from discretion.tables.layouts.text_format import TextFormat

_TEXT = ("string", "large_string", "dictionary<values=string, indices=int32, ordered=0>")
# Types that are the same in Arrow and in the engine.
_WHOLE = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_PLAIN = ("bool", "date32[day]", "float", "double", *_WHOLE)
# For fewer, to import what hands an Arrow table to the engine takes longer than to find codes.
LEAST_ROWS = 200_000
_ROWS_AT_ONCE = 1 << 20
# Of a column of text: for each row; and the texts themselves, in each group of rows.
_BYTES_A_CODE = 4
_BYTES_OF_TEXTS = 1 << 20
# For each value, with a copy.
_BYTES_READ = 8


@dataclass(frozen=True)
class ParquetLayout:
    """The layout that a Parquet file declares.

    Parameters
    ----------
    schema
        The columns' names and types in Arrow.
    old_times
        The paths of leaves with timestamps in INT96.
    rows
        The number of rows.
    """

    schema: Any
    old_times: Sequence[str]
    rows: int

    def texts(self) -> dict[str, str | None]:
        """Return the SQL of each column's text, None for a column of another type."""
        return {column.name: quote_name(column.name) if str(column.type) in _TEXT else None for column in self.schema}


def parquet_layout(file: BinaryIO, what: str) -> ParquetLayout:
    """Return the layout of a Parquet file, which messages call ``what``."""
    parquet: Any = import_module("pyarrow.parquet")
    try:
        with for_arrow(file) as raw, parquet.ParquetFile(raw) as content:
            leaves = [content.schema.column(i) for i in range(len(content.schema))]
            old = [leaf.path for leaf in leaves if leaf.physical_type == "INT96"]
            return ParquetLayout(content.schema_arrow, old, content.metadata.num_rows)
    except (ValueError, OSError) as error:
        if "deeply nested" in str(error):
            raise InvalidTableError(f"{what} has a column nested deeper than can be read; flatten it") from None
        raise InvalidTableError(f"{what} is not a Parquet file, or is cut short or damaged") from None


def read_parquet(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None) -> Rows:
    """Return the rows of a Parquet file, with its own types."""
    layout = parquet_layout(file, file.name)
    names = check_names(layout.schema.names, file.name)
    check_spellable(names, file.name)
    check_keys(names, file.name, form.header)
    source = f"read_parquet({quote_text(place(file))}, hive_partitioning = false)"
    engine = EmbeddedEngine(file.name, [place(file)], memory)
    coded = None
    with suppress(UnknownColumnError):  # it is raised below, after a look at the names that it lists
        coded = _coded(file, layout, choose(names), as_memory(memory))
    if coded is not None:
        arrived, dictionaries = coded
        if not form.header:
            recurs = {name: name in texts.to_pylist() for name, texts in dictionaries.items()}
            check_recurrence(recurs, names, file.name)
        return coded_rows(engine, arrived, dictionaries, layout.rows)
    chosen = choose(names) if form.header else chosen_names(choose, layout.texts(), engine.read, source, file.name)
    check_types((layout.schema.field(name) for name in chosen), file.name, MERGED)
    check_old_times(file, layout, chosen, file.name)
    return engine.rows({name: quote_name(name) for name in chosen}, source, in_passes=True)


def _coded(
    file: BinaryIO, layout: ParquetLayout, columns: Sequence[str], memory: int
) -> tuple[Any, dict[str, Any]] | None:
    """Return the columns as an Arrow table, with codes in place of texts, and each text column's texts by code.

    Texts that repeat are stored as codes, so that none has to be found among the others. None if some are not, a type
    is not the same in Arrow, the table would take much of the memory, or Arrow cannot read it: the engine then reads
    the file, or its error shows what is wrong.
    """
    pa: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    kinds = {name: str(layout.schema.field(name).type) for name in columns}
    texts = [name for name, kind in kinds.items() if kind in _TEXT]
    if (
        layout.rows < LEAST_ROWS
        or not texts
        or not {*_TEXT, *_PLAIN}.issuperset(kinds.values())
        or _BYTES_READ * len(columns) * layout.rows > memory // 2
    ):
        return None
    codings = {name: TextCoding() for name in texts}
    parts: dict[str, list[Any]] = {name: [] for name in columns}
    try:
        with for_arrow(file) as raw, parquet.ParquetFile(raw, read_dictionary=texts) as content:
            if not _are_stored_as_codes(content.metadata, texts):
                return None
            for batch in content.iter_batches(_ROWS_AT_ONCE, columns=columns):
                for name, part in parts.items():
                    column = batch.column(name)
                    part.append(codings[name].codes(column) if name in codings else column)
                if any(len(coding.texts) > MAX_CODES for coding in codings.values()):
                    return None
    except (pa.ArrowException, OSError):
        return None
    dictionaries = {name: coding.texts for name, coding in codings.items()}
    arrived = {
        name: narrowed(part, dictionaries[name]) if name in dictionaries else pa.chunked_array(part)
        for name, part in parts.items()
    }
    return pa.Table.from_arrays(list(arrived.values()), names=list(arrived)), dictionaries


def _are_stored_as_codes(metadata: Any, texts: Sequence[str]) -> bool:
    """Whether columns of text take no more space than codes and one text for each do."""
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        columns = {group.column(j).path_in_schema: group.column(j) for j in range(group.num_columns)}
        if any(
            columns[name].total_uncompressed_size > _BYTES_A_CODE * group.num_rows + _BYTES_OF_TEXTS for name in texts
        ):
            return False
    return True


def check_old_times(file: BinaryIO, layout: ParquetLayout, columns: Iterable[str], what: str) -> None:
    """Refuse columns of a Parquet file with timestamps that the engine would truncate."""
    for name in columns:
        if (name in layout.old_times and not _in_microseconds(file, name)) or _holds_any(
            layout.schema.field(name), layout.old_times
        ):
            raise InvalidTableError(
                f"the column {name!r} of {what} may hold nanoseconds in an old type (INT96) that the engine "
                "reads only to microseconds; write the file with timestamps of a current type"
            )


def _in_microseconds(file: BinaryIO, name: str) -> bool:
    """Whether no timestamp of a column has a part of a microsecond."""
    compute: Any = import_module("pyarrow.compute")
    parquet: Any = import_module("pyarrow.parquet")
    with for_arrow(file) as raw, parquet.ParquetFile(raw) as content:
        return not any(
            compute.max(compute.nanosecond(batch.column(name))).as_py()
            for batch in content.iter_batches(columns=[name])
        )


def _holds_any(column: Any, leaves: Sequence[str]) -> bool:
    """Whether a column is nested and contains one of the leaves."""
    return column.type.num_fields > 0 and any(leaf.startswith(f"{column.name}.") for leaf in leaves)
