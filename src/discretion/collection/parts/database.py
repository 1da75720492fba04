"""The database of a party, SQLite with a write-ahead log or PostgreSQL; each change is one durable transaction."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import SQLITE_ERROR, DatabaseError
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError as WrappedError,
    OperationalError,
    TimeoutError as NoConnectionError,
)

from discretion.collection.errors import ConflictError, UnavailableError
from discretion.errors import InvalidValueError
from discretion.input_files import without_password

_READING = "discretion_reading"
_DAMAGED = 'the database is damaged, and its data with it; see "When a party fails" in docs/how-to/collecting.md'


class Database:
    """Tables in a database.

    Parameters
    ----------
    url
        ``sqlite:///FILE`` or ``postgresql+psycopg://…``.
    tables
        The tables of the database, which are created if they do not exist.
    """

    def __init__(self, url: str, tables: sa.MetaData) -> None:
        self._engine, self._tables = _engine(url), tables
        self._dialect: Any = sqlite if self._engine.dialect.name == "sqlite" else postgresql
        if self._dialect is sqlite:
            event.listen(self._engine, "connect", _set_up)
            event.listen(self._engine, "begin", _begin)
        with self._writing() as connection:
            tables.create_all(connection)

    def close(self) -> None:
        """Close the connections to the database."""
        self._engine.dispose()

    @contextmanager
    def _writing(self, *, reading: bool = False) -> Generator[sa.Connection]:
        try:
            with self._engine.connect() as connection, connection.execution_options(**{_READING: reading}).begin():
                yield connection
        except (OperationalError, NoConnectionError) as error:
            # SQLite reports a plain error, without a kind, for a file without our tables.
            if getattr(getattr(error, "orig", None), "sqlite_errorcode", 0) == SQLITE_ERROR:
                raise UnavailableError(_DAMAGED) from None
            raise UnavailableError(f"the database cannot store now ({type(error).__name__}); try again later") from None
        except (WrappedError, DatabaseError) as error:
            if type(error) not in (WrappedError, DatabaseError):  # another kind is a fault of ours
                raise
            raise UnavailableError(_DAMAGED) from None

    def _insert(self, connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        """Insert the rows that the table does not have yet."""
        if not rows:
            return
        if self._dialect is sqlite:
            connection.execute(sqlite.insert(table).on_conflict_do_nothing(), rows)
            return
        # A column at once and as it is: a statement for each row, in text, takes several times as long.
        kinds = ", ".join(f"%b::{table.c[name].type.compile(self._engine.dialect)}[]" for name in rows[0])
        connection.exec_driver_sql(
            f"INSERT INTO {table.name} ({', '.join(rows[0])}) SELECT * FROM unnest({kinds}) ON CONFLICT DO NOTHING",
            tuple([row[name] for row in rows] for name in rows[0]),
        )

    @staticmethod
    def _check_invited(connection: sa.Connection, table: sa.Table, invited: int | None) -> None:
        """Raise a `ConflictError`, which cancels the transaction, if a table has more people than are invited."""
        if invited is not None and (count := rows_in(connection, table)) > invited:
            raise ConflictError(f"the task invites at most {invited:,} people; with these there would be {count:,}")

    def destroy(self) -> None:
        """Destroy the database; call it again if it was interrupted.

        An SQLite file is removed, which works on a full disk, too; in PostgreSQL the tables are dropped.
        """
        if self._dialect is postgresql:
            with self._writing() as connection:
                self._tables.drop_all(connection)
            return
        path = Path(self._engine.url.database or "")
        self._engine.dispose()
        for left in path.parent.glob(f"{path.name}*"):
            left.unlink(missing_ok=True)


def rows_in(connection: sa.Connection, table: sa.Table, *where: Any) -> int:
    """Return the number of rows of a table, or of its rows that meet some conditions."""
    return connection.execute(sa.select(sa.func.count()).select_from(table).where(*where)).scalar_one()


def _engine(url: str) -> sa.Engine:
    # A URL without a file would be a database in memory, which acknowledges what is on no disk.
    if not url.startswith(("sqlite:///", "postgresql+psycopg://")) or url == "sqlite:///":
        raise InvalidValueError(
            f"the store must be sqlite:///FILE or postgresql+psycopg://…, got {without_password(url)[:200]!r}"
        )
    try:
        return sa.create_engine(url)
    except (ArgumentError, ValueError):
        raise InvalidValueError(f"{without_password(url)[:200]!r} is not an address of a database") from None
    except ModuleNotFoundError as missing:
        raise InvalidValueError(f"PostgreSQL needs {missing.name}: install discretion[postgres]") from None


def _set_up(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # `_begin` begins transactions
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", "busy_timeout = 30000"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get(_READING) else "BEGIN IMMEDIATE")
