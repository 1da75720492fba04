"""Tables in database files: SQLite, and DuckDB, which the embedded engine attaches read-only."""

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from discretion.errors import InvalidTableError, TooLargeError
from discretion.input_files import place
from discretion.memory import as_memory, said_size
from discretion.tables.engines.arrow_tables import arrow_rows
from discretion.tables.engines.embedded import EmbeddedEngine, quote_name, quote_text
from discretion.tables.engines.rows import Choose, Rows, check_names
from discretion.tables.files import check_spellable, chosen_names
from discretion.tables.layouts.headers import check_keys
from discretion.tables.layouts.names import choose_table, unread_tables
from discretion.tables.layouts.text_format import TextFormat

_AT_ONCE = 10_000  # rows
_STEPS = 1_000_000  # of SQLite's, between two looks for an interrupt
# Files next to a database while a program writes to it, or after the program crashed.
_BESIDE = ("-wal", "-journal")
# Which kinds of values SQLite stores in a column → the Arrow type that holds them all, and one of each.
_TYPES = {
    (): "string",
    ("text",): "string",
    ("blob",): "binary",
    ("integer",): "int64",
    ("real",): "float64",
    ("integer", "real"): "float64",
}
_SQLITE, _DUCKDB = b"SQLite format 3\0", b"DUCK"
_DUCKDB_AT = 8  # after a checksum
# Types with different values that the engine treats as equal: 30 days and a month, 12:00+01 and 11:00+00.
_MERGED = ("INTERVAL", "TIME WITH TIME ZONE", "VARIANT")


def read_sqlite(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None, part: str | None = None) -> Rows:
    """Return the rows of a table or view in a SQLite file, which is opened read-only."""
    _check_settled(file)
    before = Path(place(file)).stat()
    with _opened(file) as database:
        kinds = database.execute("SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall()
        own = [(name, kind) for name, kind in kinds if not name.startswith("sqlite_")]
        tables, views = ([name for name, k in own if k == kind] for kind in ("table", "view"))
        meant = choose_table(part, tables, views, file.name)
        source = quote_name(meant)
        names = check_names(
            [column[0] for column in database.execute(f"SELECT * FROM {source}").description], file.name
        )
        check_spellable(names, file.name)
        check_keys(names, file.name, form.header)
        texts = {name: f"iif(typeof({quote_name(name)}) = 'text', {quote_name(name)}, '')" for name in names}

        def read(sql: str) -> list[Any]:
            return database.execute(sql).fetchall()

        chosen = choose(names) if form.header else chosen_names(choose, texts, read, source, file.name)
        ((count,),) = read(f"SELECT count(*) FROM {source}")
        arrived = _arrived(database, source, chosen, file.name, as_memory(memory))
    _check_settled(file)
    after = Path(place(file)).stat()
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        raise InvalidTableError(f"{file.name} changed while it was read; try again when no program writes to it")
    left_out = unread_tables(meant, tables)
    return replace(arrow_rows(arrived, file.name, memory, expected=count), left_out=left_out)


def _check_settled(file: BinaryIO) -> None:
    """Refuse a file with changes that are still in another file."""
    path = Path(file.name).resolve()
    for ending in _BESIDE:
        companion = path.with_name(path.name + ending)
        if companion.exists() and companion.stat().st_size:
            raise InvalidTableError(
                f"{companion.name} is next to {file.name}: a program is writing to it, or crashed while it wrote; "
                "close the program, or give a copy made with sqlite3's .backup"
            )


@contextmanager
def _opened(file: BinaryIO) -> Generator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(f"file:{place(file)}?mode=ro&immutable=1", uri=True)) as database:
            database.set_progress_handler(lambda: 0, _STEPS)  # Python sees to signals then
            database.execute("PRAGMA trusted_schema = OFF")
            yield database
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        raise InvalidTableError(
            f"{file.name} cannot be read: it is damaged, encrypted, not in UTF-8, or needs a newer SQLite"
        ) from None


def _arrived(database: sqlite3.Connection, source: str, columns: Sequence[str], path: str, memory: int) -> Any:
    pa: Any = import_module("pyarrow")
    schema: Any = pa.schema([(name, getattr(pa, _type(database, source, name, path))()) for name in columns])
    rows = database.execute(f"SELECT {', '.join(map(quote_name, columns))} FROM {source}")
    batches: list[Any] = []
    size = 0
    for values in _columns(rows):
        arrays = [_array(column, field, path) for column, field in zip(values, schema, strict=True)]
        batches.append(pa.record_batch(arrays, schema))
        size += batches[-1].nbytes
        if size > memory:
            raise TooLargeError(
                f"{path} does not fit into {said_size(memory)} of memory; allow more (--memory, memory=), or name "
                "fewer columns"
            )
    return pa.Table.from_batches(batches, schema)


def _columns(rows: sqlite3.Cursor) -> Iterator[list[Sequence[Any]]]:
    while some := rows.fetchmany(_AT_ONCE):
        yield list(zip(*some, strict=True))


def _type(database: sqlite3.Connection, source: str, name: str, path: str) -> str:
    """Return the Arrow type of a column, by the kinds of its values."""
    types = database.execute(f"SELECT DISTINCT typeof({quote_name(name)}) FROM {source} ORDER BY 1").fetchall()
    kinds = tuple(kind for (kind,) in types if kind != "null")
    if kinds not in _TYPES:
        raise InvalidTableError(
            f"the column {name!r} of {path} holds values of several kinds ({', '.join(kinds)}), such as 1 and '1'; "
            "store one kind, or convert it in a view: CAST(… AS TEXT)"
        )
    return _TYPES[kinds]


def _array(values: Sequence[Any], field: Any, path: str) -> Any:
    pa: Any = import_module("pyarrow")
    try:
        return pa.array(values, field.type)
    except (pa.ArrowInvalid, OverflowError):
        raise InvalidTableError(
            f"the column {field.name!r} of {path} holds decimals and whole numbers that are none in double precision; "
            "make it text in a view: CAST(… AS TEXT)"
        ) from None


def read_database(
    file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None, part: str | None = None
) -> Rows:
    """Return the rows of a table in a file of SQLite or DuckDB, recognized by its content."""
    start = file.read(max(len(_SQLITE), _DUCKDB_AT + len(_DUCKDB)))
    if start.startswith(_SQLITE):
        return read_sqlite(file, choose, form, memory, part)
    if start[_DUCKDB_AT:].startswith(_DUCKDB):
        return _read_duckdb(file, choose, form, memory, part)
    raise InvalidTableError(f"{file.name} is neither a DuckDB nor a SQLite file, or is damaged")


def _read_duckdb(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None, part: str | None) -> Rows:
    path, what = place(file), file.name
    engine = EmbeddedEngine(what, [path, f"{Path(path).resolve()}.wal"], memory)
    engine.read(f"ATTACH {quote_text(path)} AS given (READ_ONLY, TYPE duckdb)")
    tables, views = (
        {
            name if schema == "main" else f"{schema}.{name}": f"given.{quote_name(schema)}.{quote_name(name)}"
            for schema, name in engine.read(
                f"SELECT schema_name, {kind}_name FROM duckdb_{kind}s() WHERE database_name = 'given' AND NOT internal"
                " ORDER BY ALL"
            )
        }
        for kind in ("table", "view")
    )
    meant = choose_table(part, list(tables), list(views), what)
    source = (views | tables)[meant]
    kinds: dict[str, str] = {}
    described = engine.read(f"SELECT column_name, column_type FROM (DESCRIBE FROM {source})")
    names = check_names([name for name, _ in described], what)
    kinds.update(described)
    check_spellable(names, what)
    check_keys(names, what, form.header)
    # A column may have a collation of its own, by which texts that differ are the same.
    values = {
        name: quote_name(name) + (' COLLATE "binary"' if kind == "VARCHAR" else "") for name, kind in kinds.items()
    }
    texts = {name: values[name] if kinds[name] == "VARCHAR" else None for name in names}
    chosen = choose(names) if form.header else chosen_names(choose, texts, engine.read, source, what)
    for name in chosen:
        if any(merged in kinds[name] for merged in _MERGED):
            raise InvalidTableError(
                f"the column {name!r} of {what} is of type {kinds[name][:100]}, which cannot be counted exactly; make "
                "it text"
            )
    rows = engine.rows({name: values[name] for name in chosen}, source, in_passes=True)
    engine.read("DETACH given")
    return replace(rows, left_out=unread_tables(meant, list(tables)))
