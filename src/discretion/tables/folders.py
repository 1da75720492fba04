"""A folder of Parquet files as one table: its parts, and the keys in the names of its folders as columns of text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from discretion.errors import InvalidTableError
from discretion.input_files import PATTERNS, opened
from discretion.tables.engines.embedded import MERGED, EmbeddedEngine, check_types, quote_name, quote_text
from discretion.tables.engines.rows import Choose, Rows, check_names
from discretion.tables.files import check_spellable, chosen_names
from discretion.tables.layouts.headers import check_keys
from discretion.tables.layouts.names import list_names
from discretion.tables.layouts.text_format import TextFormat
from discretion.tables.parquet_files import ParquetLayout, check_old_times, parquet_layout

# Where they are, some files are no part of the table any more.
_LOGS = ("_delta_log", ".hoodie")
_NULL = "__HIVE_DEFAULT_PARTITION__"

# The keys of a part in the names of its folders: a column's name and its value.
Keys = tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class _Part:
    path: Path
    keys: Keys


def read_folder(folder: Path, choose: Choose, form: TextFormat, memory: int | None) -> Rows:
    """Return the rows of all Parquet files in a folder and in its subfolders that are named ``key=value``."""
    what = str(folder)
    left_out: list[str] = []
    parts = sorted(_parts(folder, (), what, left_out), key=lambda part: (str(part.keys), part.path))
    if not parts:
        raise InvalidTableError(f"cannot read a table from {what!r}: it is a folder without a Parquet file")
    keys = [name for name, _ in parts[0].keys]
    if any([name for name, _ in part.keys] != keys for part in parts):
        raise InvalidTableError(
            f"{what} has Parquet files below folders of different keys; give one with the same keys"
        )
    layouts = [_layout(part, what) for part in parts]
    schema = layouts[0].schema
    for layout in layouts[1:]:
        _check_alike(schema, layout.schema, what)
    names = check_names([*schema.names, *keys], what)
    check_spellable(names, what)
    check_keys(names, what, form.header)
    columns = ", ".join(map(quote_name, schema.names))
    source = (
        f"({' UNION ALL '.join(_selected(columns, k, list(group)) for k, group in groupby(parts, attrgetter('keys')))})"
    )
    engine = EmbeddedEngine(what, [str(part.path.absolute()) for part in parts], memory)
    texts = layouts[0].texts() | {name: quote_name(name) for name in keys}
    chosen = choose(names) if form.header else chosen_names(choose, texts, engine.read, source, what)
    stored = [name for name in chosen if name not in keys]
    check_types((schema.field(name) for name in stored), what, MERGED)
    for part, layout in zip(parts, layouts, strict=True):
        if layout.old_times:
            with opened(part.path, "a table") as file:
                check_old_times(file, layout, stored, what)
    expected = sum(layout.rows for layout in layouts)
    rows = engine.rows({name: quote_name(name) for name in chosen}, source, expected=expected, in_passes=True)
    if not left_out:
        return rows
    return replace(rows, left_out=(f"files and folders whose names begin with . or _: {list_names(sorted(left_out))}",))


def _parts(folder: Path, keys: Keys, what: str, left_out: list[str]) -> Iterator[_Part]:
    """Yield the files that Spark would read, and add the names of those that begin with a dot or an underscore."""
    for entry in folder.iterdir():
        name = entry.name
        if name in _LOGS:
            raise InvalidTableError(
                f"{what} is kept by {name}, which lists the files that are in the table; read it by its own "
                "engine (an Ibis table), or write it as plain Parquet"
            )
        if name.startswith(".") or (name.startswith("_") and "=" not in name):
            left_out.append(name)
            continue
        if PATTERNS & set(str(entry)):
            raise InvalidTableError(f"a path in {what} could be read as a pattern; rename what has one of *?[]{{}}")
        key, equals, value = name.partition("=")
        if not entry.is_dir():
            if not name.lower().endswith(".parquet"):
                raise InvalidTableError(f"{what} holds {name!r}, which is no Parquet file; leave only those there")
            yield _Part(entry, keys)
        elif entry.is_symlink() or not equals:
            raise InvalidTableError(
                f"{what} holds a folder that is linked, or not named key=value; give one folder with all the files"
            )
        else:
            text = None if value == _NULL else unquote(value, errors="strict")
            yield from _parts(entry, (*keys, (unquote(key), text)), what, left_out)


def _layout(part: _Part, what: str) -> ParquetLayout:
    with opened(part.path, "a table") as file:
        layout = parquet_layout(file, f"{part.path.name} in {what}")
    check_names(layout.schema.names, what)
    return layout


def _check_alike(first: Any, other: Any, what: str) -> None:
    """Refuse two schemas if one has a column that the other lacks or has with another type."""
    for name in dict.fromkeys([*first.names, *other.names]):
        kinds = [str(schema.field(name).type) if name in schema.names else "nothing" for schema in (first, other)]
        if kinds[0] != kinds[1]:
            raise InvalidTableError(
                f"the files in {what} differ in the column {name!r}: {kinds[0]} in one, {kinds[1]} in another; write "
                "them with the same columns and types"
            )


def _selected(columns: str, keys: Keys, parts: Sequence[_Part]) -> str:
    """Return the SQL of the rows of parts with the same keys."""
    literals = "".join(
        f", {'NULL' if value is None else quote_text(value)}::VARCHAR AS {quote_name(name)}" for name, value in keys
    )
    paths = ", ".join(quote_text(str(part.path.absolute())) for part in parts)
    return f"SELECT {columns}{literals} FROM read_parquet([{paths}], hive_partitioning = false, union_by_name = true)"
