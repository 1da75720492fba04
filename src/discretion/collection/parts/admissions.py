"""What an admitter keeps: who is invited, and for whom it has signed tokens in which round."""

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock

from discretion.collection.errors import ConflictError, StrangerError, UnavailableError

_TABLES = """
CREATE TABLE IF NOT EXISTS invitations (hash BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS requests (hash BLOB, round INTEGER, digest BLOB, PRIMARY KEY (hash, round)) WITHOUT ROWID;
"""


class Admissions:
    """An admitter's file: hashes of credentials, and of what was asked with each.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._one = Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(_TABLES)

    def invite(self, hashes: Iterable[bytes], invited: int | None = None) -> None:
        """Let those in whose credentials these are the hashes of.

        Raises
        ------
        ConflictError
            If more would be let in than are ``invited``; none of these is then.
        """
        with self._one, self._writing() as connection:
            connection.executemany("INSERT OR IGNORE INTO invitations VALUES (?)", ((each,) for each in hashes))
            (count,) = connection.execute("SELECT count(*) FROM invitations").fetchone()
            if invited is not None and count > invited:
                raise ConflictError(f"the task invites {invited:,} people; with these there would be {count:,}")

    def take(self, credential: bytes, round_: int, blinded: bytes) -> None:
        """Remember what a person asks to be signed in a round: the same may be asked again, and nothing else.

        Raises
        ------
        StrangerError
            If this credential was not given out.
        ConflictError
            If something else was signed for it in this round.
        """
        key, digest = sha256(credential).digest(), sha256(blinded).digest()
        with self._one, self._writing() as connection:
            if connection.execute("SELECT 1 FROM invitations WHERE hash = ?", (key,)).fetchone() is None:
                raise StrangerError("this invitation was not given out")
            connection.execute("INSERT OR IGNORE INTO requests VALUES (?, ?, ?)", (key, round_, digest))
            (stored,) = connection.execute(
                "SELECT digest FROM requests WHERE hash = ? AND round = ?", (key, round_)
            ).fetchone()
            if stored != digest:
                raise ConflictError("other tokens were signed with this invitation in this round; those count")

    def admitted(self, round_: int) -> int:
        """Return for how many people tokens of a round were signed."""
        with self._one, self._writing() as connection:
            return connection.execute("SELECT count(*) FROM requests WHERE round = ?", (round_,)).fetchone()[0]

    @property
    def invited(self) -> int:
        """How many people are let in."""
        with self._one, self._writing() as connection:
            return connection.execute("SELECT count(*) FROM invitations").fetchone()[0]

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        """Hold one transaction, which is on disk when it ends, or leaves nothing behind."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise UnavailableError(f"nothing can be stored now ({type(error).__name__}); try again later") from None

    def destroy(self) -> None:
        """Remove the file and its log, which takes no room on the disk."""
        with self._one:
            self._connection.close()
            for path in self._path.parent.glob(f"{self._path.name}*"):
                path.unlink(missing_ok=True)
