"""A table in a file of a database: SQLite's, or DuckDB's, which the embedded engine attaches read-only for a while."""

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from discretion.errors import InvalidTableError
from discretion.input_files import place
from discretion.tables.engines.embedded import Embedded, literal, quoted
from discretion.tables.engines.rows import Choose, Rows, check_names
from discretion.tables.files import check_spellable, chosen_names
from discretion.tables.layouts.headers import Header, check_keys
from discretion.tables.layouts.table_names import left_out_beside, table_meant
from discretion.tables.sqlite_files import read_sqlite

_SQLITE, _DUCKDB = b"SQLite format 3\0", b"DUCK"
_DUCKDB_AT = 8  # after a checksum
# Types of whose values the engine takes some for the same that differ: 30 days for a month, 12:00+01 for 11:00+00.
_MERGED = ("INTERVAL", "TIME WITH TIME ZONE", "VARIANT")


def read_database(file: BinaryIO, choose: Choose, header: Header, memory: int | None, part: str | None = None) -> Rows:
    """Return the rows of a table in a file of SQLite or DuckDB, told by its content."""
    start = file.read(max(len(_SQLITE), _DUCKDB_AT + len(_DUCKDB)))
    if start.startswith(_SQLITE):
        return read_sqlite(file, choose, header, memory, part)
    if start[_DUCKDB_AT:].startswith(_DUCKDB):
        return _read_duckdb(file, choose, header, memory, part)
    raise InvalidTableError(f"{file.name} is neither a DuckDB nor a SQLite file, or is damaged")


def _read_duckdb(file: BinaryIO, choose: Choose, header: Header, memory: int | None, part: str | None) -> Rows:
    path, what = place(file), file.name
    engine = Embedded(what, [path, f"{Path(path).resolve()}.wal"], memory)
    engine.read(f"ATTACH {literal(path)} AS given (READ_ONLY, TYPE duckdb)")
    tables, views = (
        {
            name if schema == "main" else f"{schema}.{name}": f"given.{quoted(schema)}.{quoted(name)}"
            for schema, name in engine.read(
                f"SELECT schema_name, {kind}_name FROM duckdb_{kind}s() WHERE database_name = 'given' AND NOT internal"
                " ORDER BY ALL"
            )
        }
        for kind in ("table", "view")
    )
    meant = table_meant(part, list(tables), list(views), what)
    source = (views | tables)[meant]
    kinds: dict[str, str] = {}
    described = engine.read(f"SELECT column_name, column_type FROM (DESCRIBE FROM {source})")
    names = check_names([name for name, _ in described], what)
    kinds.update(described)
    check_spellable(names, what)
    check_keys(names, what, header)
    # A column may have a collation of its own, by which texts that differ are the same.
    values = {name: quoted(name) + (' COLLATE "binary"' if kind == "VARCHAR" else "") for name, kind in kinds.items()}
    texts = {name: values[name] if kinds[name] == "VARCHAR" else None for name in names}
    chosen = choose(names) if header else chosen_names(choose, texts, engine.read, source, what)
    for name in chosen:
        if any(merged in kinds[name] for merged in _MERGED):
            raise InvalidTableError(
                f"the column {name!r} of {what} is of type {kinds[name][:100]}, which cannot be counted exactly; make "
                "it text"
            )
    rows = engine.rows({name: values[name] for name in chosen}, source, in_passes=True)
    engine.read("DETACH given")
    return replace(rows, left_out=left_out_beside(meant, list(tables)))
