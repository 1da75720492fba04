"""The engine that holds a table which does not live in one of its own: DuckDB, in memory, texts as small codes."""

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import Any

import duckdb
import ibis  # pyright: ignore[reportMissingTypeStubs]

from discretion.errors import InvalidTableError, TooLargeError
from discretion.memory import as_memory, said_size
from discretion.tables.engines.one_process import RUNNING, STARTING, ProcessBound, Turns
from discretion.tables.engines.rows import Rows, safe_fields

# Columns to ask about: of more a question takes seconds, and there are several for each.
MAX_COLUMNS = 1000

_OF_THE_IMPORT = duckdb.default_connection()  # which nobody asked for, nor asks
RUNNING.add(_OF_THE_IMPORT)

# Nothing is fetched or loaded, and nothing of a table about people spills to the disk.
SETTINGS = {
    "allocator_bulk_deallocation_flush_threshold": "1MB",  # what is freed goes back to the system at once
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}
LONGEST_OBJECT = 1 << 24  # bytes of JSON: DuckDB's default
MAX_CODES = 1 << 16
_MEMORY_OF_A_THREAD = 125_000_000
# Fewer values take less than 50 MB, and less time as they are.
_WORTH_COMPRESSING = 10**7
_WIDER_THAN_NEEDED = ("SMALLINT", "INTEGER", "BIGINT", "USMALLINT", "UINTEGER", "UBIGINT")
_NARROW = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31}

# Types whose values become doubles or microseconds; and, from Arrow itself, true for 1 and 2, or 30 days for a month.
MERGED = ("decimal256", "timestamp[ns, tz")
MERGED_FROM_ARROW = (*MERGED, "duration[ns]", "month_day_nano_interval", "arrow.bool8")


class EmbeddedEngine(ProcessBound):
    """A DuckDB database of its own for one table.

    Parameters
    ----------
    what
        The table in words, for errors.
    paths
        The files that the engine may open, until the rows are loaded.
    memory
        How many bytes it may hold; None is half of what there is.
    """

    def __init__(self, what: str, paths: Sequence[str] = (), memory: int | None = None) -> None:
        self._what, self._memory = what, as_memory(memory)
        room: dict[str, Any] = {"memory_limit": f"{self._memory}B", "threads": str(_threads(self._memory))}
        with STARTING:
            self._database: Any = duckdb.connect(":memory:", config={**SETTINGS, **room})
            RUNNING.add(self._database)
        self._turns = Turns()
        self._query("ATTACH ':memory:' AS compressed (COMPRESS)")  # the database itself cannot be
        self._query("USE compressed")
        # In Jupyter it is on; without ipywidgets it is off, and to set it at all is an error.
        ((shows_progress,),) = self._query("SELECT current_setting('enable_progress_bar')")
        if shows_progress:
            self._query("SET enable_progress_bar = false")
        if paths:
            self._query(f"SET allowed_paths = [{', '.join(map(quote_text, paths))}]")
        self._query("SET enable_external_access = false")

    @contextmanager
    def holding(self, name: str, table: Any) -> Generator[None]:
        """Register an Arrow table under a name for the duration of the context."""
        with self._explained():
            self._database.register(name, table)
        try:
            yield
        finally:
            self._database.unregister(name)

    def read(self, sql: str) -> list[Any]:
        """Run SQL over the user's data, without the engine's messages about bad data, which quote values."""
        with self._explained():
            return self._query(sql)

    @contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except duckdb.OutOfMemoryException:
            raise TooLargeError(
                f"{self._what} does not fit into {said_size(self._memory)} of memory; allow more (--memory, memory=), "
                "name fewer columns, or put it into a database and pass the table as an Ibis table"
            ) from None
        except duckdb.Error as error:
            if "maximum_object_size" in str(error):
                raise TooLargeError(
                    f"{self._what} holds an object of more than {LONGEST_OBJECT:,} bytes, or one that never ends; "
                    "leave out long objects, or write the table as Parquet"
                ) from None
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
        dictionaries: Mapping[str, Any] = MappingProxyType({}),
        in_passes: bool = False,
    ) -> Rows:
        """Load a table as small integers, with codes for texts, since grouping them is several times faster.

        Parameters
        ----------
        values
            A column's name → the SQL expression of its values.
        source
            The SQL of the source of the values.
        expected
            The number of rows, if known.
        spell
            A function from a value's text in the database to the user's text.
        dictionaries
            For the columns that arrive as codes: name → their texts, an Arrow array in the order of the codes.
        in_passes
            Whether to read the source several times rather than hold all of its texts.
        """
        if len(values) > MAX_COLUMNS:
            raise TooLargeError(
                f"{self._what} has {len(values):,} columns to ask about, of at most {MAX_COLUMNS:,}; name "
                "those that matter (--columns, columns=)"
            )
        fields = safe_fields(values)
        selected = ", ".join(f"{value} AS {fields[name]}" for name, value in values.items())
        storage = "VIEW" if in_passes else "TABLE"
        self.read(f"CREATE {storage} arrived_rows AS SELECT {selected} FROM {source}")
        coded = {fields[name]: self._arrived_coded(fields[name], texts) for name, texts in dictionaries.items()}
        kinds: dict[str, str] = dict(self.read("SELECT column_name, column_type FROM (DESCRIBE arrived_rows)"))
        for field in self._worth_coding([field for field, kind in kinds.items() if kind == "VARCHAR"]):
            coded[field] = self._code(field)
        whole = [field for field, kind in kinds.items() if kind in _WIDER_THAN_NEEDED and field not in coded]
        kept = coded | self._narrowed(whole)
        self.read(
            f"CREATE TABLE people AS SELECT {', '.join(kept.get(f, f) + f' AS {f}' for f in kinds)} FROM arrived_rows"
        )
        self._query(f"DROP {storage} arrived_rows")
        ((count,),) = self._query("SELECT count(*) FROM people")
        if count * len(kinds) >= _WORTH_COMPRESSING:
            self.read("CHECKPOINT")  # which compresses: else a code of one byte takes five
        if expected not in (None, count):
            raise InvalidTableError(f"{self._what} was read as {count} rows but has {expected}; please report this")
        if not count:
            raise InvalidTableError(f"{self._what} has no rows; exposure needs at least one person")
        backend: Any = ibis.duckdb.from_connection(self._database)
        self._lock_down()
        # Not by asking the engine, which takes a while for many columns.
        texts = {field: ibis.table({"text": "string", "code": "int64"}, name=f"{field}_texts") for field in coded}
        # Not by to_pyarrow, which imports pandas.
        return Rows(
            backend.table("people"),
            fields,
            lambda question: self.read(backend.compile(question)),
            texts,
            spell,
            self._turns,
            arrow=lambda question: self._arrow(backend.compile(question)),
        )

    def _lock_down(self) -> None:
        """Forbid the engine to open files and to change settings, after Ibis has made its own settings."""
        self._query("SET disabled_filesystems = 'LocalFileSystem'")
        self._query("SET lock_configuration = true")

    def _arrived_coded(self, field: str, texts: Any) -> str:
        """Keep the texts of a column that arrives as codes, and return the SQL of its codes."""
        pa: Any = import_module("pyarrow")
        coded = pa.table({"text": texts, "code": pa.array(range(len(texts)), pa.int32())})
        with self.holding("arrived_texts", coded):
            self.read(f"CREATE TABLE {field}_texts AS SELECT text, code FROM arrived_texts")
        return field

    def _worth_coding(self, texts: Sequence[str]) -> list[str]:
        """Return the columns of text, except those with too many values for codes to save time."""
        distinct = ", ".join(f"approx_count_distinct({text})" for text in texts)
        (counts,) = self.read(f"SELECT {distinct} FROM arrived_rows") if texts else ((),)
        return [text for text, count in zip(texts, counts, strict=True) if 0 < count <= MAX_CODES]

    def _narrowed(self, fields: Sequence[str]) -> dict[str, str]:
        """Return the SQL of integer columns in the narrowest type that holds their values."""
        ends = ", ".join(f"min({field}), max({field})" for field in fields)
        (extremes,) = self.read(f"SELECT {ends} FROM arrived_rows") if fields else ((),)
        narrowed: dict[str, str] = {}
        for field, low, high in zip(fields, extremes[::2], extremes[1::2], strict=True):
            kind = next(
                (k for k, bits in _NARROW.items() if low is not None and -(2**bits) <= low and high < 2**bits), None
            )
            narrowed[field] = field if kind is None else f"{field}::{kind}"
        return narrowed

    def _code(self, field: str) -> str:
        """Give each text of a column a number, and return the numbers; null gets none."""
        self.read(
            f"CREATE TYPE {field}_values AS ENUM (SELECT DISTINCT {field} FROM arrived_rows WHERE {field} IS NOT NULL)"
        )
        self._query(
            f"CREATE VIEW {field}_texts AS SELECT unnest(texts) AS text, generate_subscripts(texts, 1) - 1 AS code"
            f" FROM (SELECT enum_range(NULL::{field}_values) AS texts)"
        )
        return f"enum_code({field}::{field}_values)"

    def _arrow(self, sql: str) -> Any:
        """Return a table's rows as an Arrow table, in their original order, which DuckDB keeps."""
        pa: Any = import_module("pyarrow")
        with self._explained(), self._turns:
            return pa.RecordBatchReader.from_stream(self._database.sql(sql)).read_all()  # table() imports pandas

    def _query(self, sql: str) -> list[Any]:
        # With values in the text, since binding them imports pandas; and not by execute(), whose result belongs to the
        # connection, so that of two threads each may fetch what the other asked.
        with self._turns:
            relation = self._database.sql(sql)
            return [] if relation is None else relation.fetchall()


def check_types(columns: Iterable[Any], what: str, merged: Sequence[str]) -> None:
    """Refuse the Arrow types with different values that the engine would merge."""
    for column in columns:
        kind = str(column.type)
        if any(name in kind for name in merged):
            raise InvalidTableError(
                f"the column {column.name!r} of {what} is of type {kind}, which cannot be counted exactly; make it text"
            )


def _threads(memory: int) -> int:
    """Return the number of cores for the engine: each takes memory of its own."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(cores, memory // _MEMORY_OF_A_THREAD))


def quote_name(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return a text as SQL."""
    return "'" + text.replace("'", "''") + "'"
