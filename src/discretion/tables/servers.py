"""A table on a database server, named by its address and counted there."""

import os
import weakref
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from discretion.errors import EngineError, InvalidTableError, UnsupportedError
from discretion.input_files import without_password
from discretion.tables.engines.embedded import quote_name
from discretion.tables.engines.rows import Choose, Rows
from discretion.tables.ibis_tables import answer, rows_in_place
from discretion.tables.layouts.headers import check_keys, check_recurrence
from discretion.tables.layouts.names import choose_table
from discretion.tables.layouts.text_format import TextFormat

# The schemes of Ibis addresses that are no servers.
_HERE = ("datafusion", "duckdb", "flink", "polars", "pyspark", "sqlite")
_PATIENCE = 10  # seconds for a connection
# Some collations, and the type citext, treat different texts of a column as equal.
_LOOSE = """
    SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_collation c ON c.oid = a.attcollation
    WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND (t.typname = 'citext' OR NOT c.collisdeterministic)
"""


def read_server(address: str, choose: Choose, form: TextFormat) -> Rows:
    """Return the rows of ``scheme://user@host/database?table=NAME``, by any scheme of Ibis.

    Raises
    ------
    EngineError
        If the database does not answer.
    InvalidTableError
        If there is no such table, or it cannot be counted exactly.
    UnsupportedError
        If there is no driver for the scheme.
    """
    shown = without_password(address)
    server, table = _server(address, shown)
    try:
        source = _table(server, table, shown)
        schema: Any = source.schema()
        loose = _loose(server, source)
    except (InvalidTableError, EngineError):
        raise
    except Exception as error:
        raise EngineError(
            f"the table of {shown} cannot be read ({type(error).__name__}); check that you have the permission"
        ) from None
    what = f"the table {source.get_name()}"

    def chosen(names: Sequence[str]) -> Sequence[str]:
        check_keys(names, what, form.header)
        columns = choose(names)
        for name in columns:
            if _is_merged(schema[name]) or name in loose:
                kind = "of a type or collation that treats different values as equal" if name in loose else schema[name]
                raise InvalidTableError(
                    f"the column {name!r} of {what} is {kind}, which cannot be counted exactly; make it text in a view"
                )
        if form.header is None:
            _check_recurrence(source, names, columns, what)
        return columns

    return rows_in_place(source, chosen, what)


def _server(address: str, shown: str) -> tuple[Any, str | None]:
    """Return the Ibis backend of an address, and the table that it names."""
    ibis: Any = import_module("ibis")
    try:
        parts = urlsplit(address)
        scheme, options = parts.scheme.replace("postgresql", "postgres"), dict(parse_qsl(parts.query))
    except ValueError:
        raise InvalidTableError(
            f"{shown} is no address of a database; write postgres://user@host/db?table=NAME"
        ) from None
    known = sorted({entry.name for entry in entry_points(group="ibis.backends")} - {*_HERE})
    if scheme not in known:
        raise InvalidTableError(
            f"cannot read a table from {shown!r}: there is no such file on this machine, and no database by that name; "
            f"those are {', '.join(known)}"
        )
    table = options.pop("table", None)
    if scheme == "postgres" and "PGCONNECT_TIMEOUT" not in os.environ:
        options.setdefault("connect_timeout", str(_PATIENCE))
    try:
        server = ibis.connect(parts._replace(query=urlencode(options)).geturl())
        if (close := getattr(getattr(server, "con", None), "close", None)) is not None:
            weakref.finalize(server, close)
        if scheme == "postgres":
            server.raw_sql("SET default_transaction_read_only = on").close()
    except ImportError:
        extra = "Discretion's extra postgres brings (uv run --extra postgres), and the system's libpq"
        brings = extra if scheme == "postgres" else f"the package ibis-framework[{scheme}] brings"
        raise UnsupportedError(f"{scheme} needs a driver, which {brings}") from None
    except Exception as error:  # each driver has its own, and some quote the password
        raise EngineError(
            f"the database at {shown} does not answer or refuses ({type(error).__name__}); check that it runs, and "
            "check host, port, database, user and password (PGPASSWORD, ~/.pgpass)"
        ) from None
    return server, table


def _table(server: Any, name: str | None, shown: str) -> Any:
    """Return the named table; a name may have its schema and a dot before it."""
    tables: list[str] = server.list_tables()
    if name is not None and name not in tables and "." in name:
        schema, _, rest = name.partition(".")
        if schema in server.list_databases():
            return server.table(choose_table(rest, server.list_tables(database=schema), [], shown), database=schema)
    return server.table(choose_table(name, tables, [], shown))


def _loose(server: Any, table: Any) -> set[str]:
    """Return the columns of a PostgreSQL table with different texts that it treats as equal."""
    if server.name != "postgres":
        return set()
    place = table.op()
    name = ".".join(quote_name(part) for part in (place.namespace.database, place.name) if part)
    with server.con.cursor() as cursor:
        return {column for (column,) in cursor.execute(_LOOSE, (name,)).fetchall()}


def _is_merged(kind: Any) -> bool:
    return kind.is_unknown() or "interval" in str(kind)


def _check_recurrence(table: Any, names: Sequence[str], columns: Sequence[str], what: str) -> None:
    """Refuse a name that is also a value of its column."""
    texts = {f"c{place}": name for place, name in enumerate(columns) if table[name].type().is_string()}
    if texts:
        again = {field: (table[name] == name).any() for field, name in texts.items()}
        (recurs,) = answer(table.aggregate(**again))
        check_recurrence(dict(zip(texts.values(), recurs, strict=True)), names, what)
