"""Files as rows to ask about: no line skipped, no type guessed, no value in a message."""

import codecs
import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, BinaryIO

from tacit.errors import InvalidTableError, UnknownColumnError
from tacit.input_files import for_arrow, place
from tacit.tables.engines.embedded import MERGED, Embedded, check_types, literal, quoted
from tacit.tables.engines.rows import Choose, Rows, check_names
from tacit.tables.layouts.csv_layout import LONGEST_ROW, CsvLayout, layout_of
from tacit.tables.layouts.headers import Header, check_keys, named_by_a_person
from tacit.tables.layouts.json_faults import json_fault

_TEXT = ("string", "large_string", "dictionary<values=string, indices=int32, ordered=0>")


def read_csv(file: BinaryIO, choose: Choose, header: Header, memory: int | None) -> Rows:
    """Return the rows of a CSV file: every value is text, and empty is null."""
    layout = layout_of(file, header)
    names = check_names(layout.names, file.name)
    fields = {name: f"v{i}" for i, name in enumerate(names)}
    values = {name: fields[name] for name in choose(names)}
    file.seek(0)
    first_line = file.readline(LONGEST_ROW)
    marked = first_line.startswith(BOM_UTF8)
    otherwise = b"\r" in first_line[:-2] or not first_line.endswith(b"\r\n")
    if (layout.line_end == "\r\n" and otherwise) or (marked and b'"' in first_line):
        # Excel ends lines of a cell by \n and rows by \r\n, and the engine takes the first end for all; nor does it
        # find the end of a quoted value after a byte-order mark.
        engine = Embedded(file.name, memory=memory)
        with engine.holding("arrived", _by_arrow(file, layout, fields.values())):
            return engine.rows(values, "arrived", expected=layout.rows)
    kinds = ", ".join(f"{field}: 'VARCHAR'" for field in fields.values())
    line_end = ", new_line = '\\n'" if layout.line_end == "\n" else ""  # of \r\n, only what it finds itself works
    source = (
        f"read_csv({literal(place(file))}, columns = {{{kinds}}}, header = {str(layout.header).lower()},"
        f""" auto_detect = false, strict_mode = true, delim = ',', quote = '"', escape = '"', nullstr = '',"""
        f" hive_partitioning = false, parallel = {not layout.multiline}{line_end})"
    )
    return Embedded(file.name, place(file), memory).rows(values, source, expected=layout.rows)


def _by_arrow(file: BinaryIO, layout: CsvLayout, fields: Iterable[str]) -> Any:
    arrow: Any = import_module("pyarrow")
    csv: Any = import_module("pyarrow.csv")
    names = list(fields)
    with for_arrow(file) as content:
        rows = csv.read_csv(
            content,
            csv.ReadOptions(column_names=names, block_size=2 * LONGEST_ROW),
            csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(names, arrow.string()), null_values=[""], strings_can_be_null=True
            ),
        )
    return rows.slice(int(layout.header))  # told to skip a row, it miscounts those with NULs


def read_parquet(file: BinaryIO, choose: Choose, header: Header, memory: int | None) -> Rows:
    """Return the rows of a Parquet file, with the types that it has."""
    parquet: Any = import_module("pyarrow.parquet")
    try:
        with for_arrow(file) as raw, parquet.ParquetFile(raw) as content:
            schema, leaves = content.schema_arrow, [content.schema.column(i) for i in range(len(content.schema))]
    except (ValueError, OSError) as error:
        if "deeply nested" in str(error):
            raise InvalidTableError(f"{file.name} has a column nested deeper than can be read; flatten it") from None
        raise InvalidTableError(f"{file.name} is not a Parquet file, or is cut short or damaged") from None
    names = check_names(schema.names, file.name)
    _check_spellable(names, file)
    check_keys(names, file.name, header)
    source = f"read_parquet({literal(place(file))}, hive_partitioning = false)"
    engine = Embedded(file.name, place(file), memory)
    texts = {column.name: quoted(column.name) if str(column.type) in _TEXT else None for column in schema}
    chosen = choose(names) if header else _chosen(choose, texts, engine, source, file.name)
    values = {name: quoted(name) for name in chosen}
    check_types((schema.field(name) for name in values), file.name, MERGED)
    old = [leaf.path for leaf in leaves if leaf.physical_type == "INT96"]
    for name in values:
        if (name in old and not _in_microseconds(file, name)) or _holds_any(schema.field(name), old):
            raise InvalidTableError(
                f"the column {name!r} of {file.name} may hold nanoseconds in an old type (INT96) of which the "
                "engine reads the microseconds; write the file with timestamps of today's types"
            )
    return engine.rows(values, source, in_passes=True)


def _check_spellable(names: Iterable[str], file: BinaryIO) -> None:
    for position, name in enumerate(names, start=1):
        if "\0" in name:
            raise InvalidTableError(
                f"the name of column {position} of {file.name} has a NUL, which the engine cannot spell; rename it"
            )


def _chosen(choose: Choose, texts: Mapping[str, str | None], engine: Embedded, source: str, path: str) -> Sequence[str]:
    """Return the chosen of all names, if none that will be shown is also a value below itself.

    Each name has the SQL of its column's text, or None if that has none. The columns that are not chosen are not read,
    for nobody is shown their names; unless the choice fails, which lists them.
    """
    names = list(texts)
    unknown = None
    try:
        chosen = choose(names)
    except UnknownColumnError as error:
        chosen, unknown = names, error
    looked = {name: text for name in chosen if (text := texts[name]) is not None}
    if looked:
        again = (f"bool_or({text} = {literal(name)})" for name, text in looked.items())
        (found,) = engine.read(f"SELECT {', '.join(again)} FROM {source}")
        if recurring := [names.index(name) for name, comes in zip(looked, found, strict=True) if comes]:
            raise named_by_a_person(path, min(recurring) + 1)
    if unknown is not None:
        raise unknown
    return chosen


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
    """Whether a column is nested and one of the leaves is in it."""
    return column.type.num_fields > 0 and any(leaf.startswith(f"{column.name}.") for leaf in leaves)


def read_json(file: BinaryIO, choose: Choose, header: Header, memory: int | None) -> Rows:
    """Return the rows of a JSON file, an array of objects or an object a line.

    Values stay apart by type and as numbers: 1, 1.0 and ``"1"`` are three; decimals have double precision, so that 1.0
    and 1.00 are one. A missing key is null.
    """
    if _is_cut_short(file):
        raise InvalidTableError(f"{file.name} starts an array and does not end with it; it is cut short, or goes on")
    source = f"read_json_objects({literal(place(file))}, hive_partitioning = false)"
    engine = Embedded(file.name, place(file), memory)
    try:
        shapes = engine.read(
            f"SELECT json_type(json) AS kind, json_keys(json) AS keys FROM {source} GROUP BY ALL ORDER BY ALL"
        )
    except InvalidTableError:
        raise InvalidTableError(json_fault(file)) from None
    if any(kind != "OBJECT" for kind, _ in shapes):
        raise InvalidTableError(
            f"{file.name} holds something other than objects; give an array of objects, or one a line"
        )
    if any(len(set(keys)) < len(keys) for _, keys in shapes):
        raise InvalidTableError(f"{file.name} has an object with the same key twice; keep one of them")
    if not shapes:
        raise InvalidTableError(f"{file.name} has no rows; exposure needs at least one person")
    names = check_names(dict.fromkeys(key for _, keys in shapes for key in keys), file.name)
    _check_spellable(names, file)
    check_keys(names, file.name, header)
    texts = {name: f"json->>{literal(_pointer(name))}" for name in names}
    chosen = choose(names) if header else _chosen(choose, texts, engine, source, file.name)
    values = {name: _json_text(name) for name in chosen}
    return engine.rows(values, source, spell=_spelled)


def _is_cut_short(file: BinaryIO) -> bool:
    """Whether an array is left open: the engine would read what there is of it."""
    start = file.read(1 << 16)
    if start.startswith(codecs.BOM_UTF8):
        raise InvalidTableError(f"{file.name} begins with a byte-order mark, which JSON has not; save it without")
    start = start.lstrip(b" \t\r\n")
    file.seek(max(0, os.fstat(file.fileno()).st_size - (1 << 16)))
    return start.startswith(b"[") and not file.read().rstrip().endswith(b"]")


def _json_text(key: str) -> str:
    value = f"(json->{literal(_pointer(key))})"
    return f"CASE json_type({value}) WHEN 'NULL' THEN NULL ELSE {value}::VARCHAR END"


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _spelled(text: str) -> str:
    value = json.loads(text)
    return value if isinstance(value, str) else text
