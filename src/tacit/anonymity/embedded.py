"""The engine that holds a table which does not live in one of its own: DuckDB, in memory, texts as small codes."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import ibis  # pyright: ignore[reportMissingTypeStubs]

from tacit.anonymity.rows import Rows, safe_fields
from tacit.errors import InvalidTableError, TooLargeError

# Nothing is fetched, and nothing of a table about people spills to the disk.
SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
}
MOST_CODES = 1 << 16


class Embedded:
    """A DuckDB database of its own for one table.

    Parameters
    ----------
    what
        The table in words, for errors.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._database: Any = duckdb.connect(":memory:", config=dict(SETTINGS))
        self._query("SET enable_progress_bar = false")

    def register(self, name: str, stream: Any) -> None:
        """Give a name to a stream of Arrow data, which is read once."""
        self._database.register(name, stream)

    def read(self, sql: str) -> list[Any]:
        """Run SQL over the user's data; what the engine says of bad data is held back, for it quotes values."""
        try:
            return self._query(sql)
        except duckdb.OutOfMemoryException:
            raise TooLargeError(
                f"{self._what} does not fit in memory; put it into a database and pass the table as an Ibis table"
            ) from None
        except duckdb.Error:
            raise InvalidTableError(
                f"{self._what} cannot be read: it is damaged, or holds a type of value that the engine does not know"
            ) from None

    def rows(
        self,
        values: Mapping[str, str],
        source: str,
        *,
        expected: int | None = None,
        spell: Callable[[str], str] = str,
    ) -> Rows:
        """Load a table, and replace texts by codes: small integers are grouped several times faster.

        Parameters
        ----------
        values
            A column's name → the SQL expression of its values.
        source
            The SQL that they are taken from.
        expected
            How many rows there are, if known.
        spell
            Turns a value's text in the database into the user's.
        """
        fields = safe_fields(values)
        selected = ", ".join(f"{value} AS {fields[name]}" for name, value in values.items())
        self.read(f"CREATE TABLE arrived_rows AS SELECT {selected} FROM {source}")
        ((count,),) = self._query("SELECT count(*) FROM arrived_rows")
        if not count:
            raise InvalidTableError(f"{self._what} has no rows; exposure needs at least one person")
        if expected not in (None, count):
            raise InvalidTableError(f"{self._what} was read as {count} rows but has {expected}; please report this")
        coded = self._worth_coding()
        for field in coded:
            self._code(field)
        kept = (f"enum_code({f}::{f}_values) AS {f}" if f in coded else f for f in fields.values())
        self._query(f"CREATE TABLE people AS SELECT {', '.join(kept)} FROM arrived_rows")
        self._query("DROP TABLE arrived_rows")
        backend: Any = ibis.duckdb.from_connection(self._database)
        texts = {field: backend.table(f"{field}_texts") for field in coded}
        # Not by to_pyarrow, which imports pandas.
        return Rows(backend.table("people"), fields, lambda asked: self._query(backend.compile(asked)), texts, spell)

    def _worth_coding(self) -> list[str]:
        """Return the columns of text, except those with so many values that coding costs more than it saves."""
        types = self._query("SELECT column_name, column_type FROM (DESCRIBE arrived_rows)")
        texts = [name for name, kind in types if kind == "VARCHAR"]
        distinct = ", ".join(f"approx_count_distinct({text})" for text in texts)
        (counts,) = self._query(f"SELECT {distinct} FROM arrived_rows") if texts else ((),)
        return [text for text, count in zip(texts, counts, strict=True) if 0 < count <= MOST_CODES]

    def _code(self, field: str) -> None:
        """Give each value of a column a number; null gets none."""
        self._query(
            f"CREATE TYPE {field}_values AS ENUM (SELECT DISTINCT {field} FROM arrived_rows WHERE {field} IS NOT NULL)"
        )
        self._query(
            f"CREATE VIEW {field}_texts AS SELECT unnest(texts) AS text, generate_subscripts(texts, 1) - 1 AS code"
            f" FROM (SELECT enum_range(NULL::{field}_values) AS texts)"
        )

    def _query(self, sql: str) -> list[Any]:
        return self._database.execute(sql).fetchall()  # with values in the text: binding them imports pandas


def quoted(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def file(path: Path) -> str:
    """Return a path as SQL that names this file alone: the engine takes ``*``, ``?`` and ``[`` for patterns."""
    return literal("".join(f"[{c}]" if c in "*?[" else c for c in str(path)))
