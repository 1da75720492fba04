"""A shuffler's database until its batch is passed on: uploads by the hash of their tokens, and the state of rounds.

It is SQLite with a write-ahead log, or PostgreSQL. The shuffler confirms only what is on disk. The stored messages are
encrypted under keys of the home, which are destroyed with a round or the task, so that logs do not reveal messages.
Every change is one transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from sqlite3 import DatabaseError
from typing import Any, Literal, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from discretion.collection.errors import CollectionError, ConflictError, StrangerError, UnavailableError, UnknownError
from discretion.collection.parts.at_rest import AtRest
from discretion.collection.parts.database import Database, rows_in
from discretion.collection.parts.promises import FEW_PEOPLE
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.uploads import Upload

#: Open: uploads are taken. Closed: no more are taken. Shuffled: the messages are in random order in a file. Delivered:
#: the next party has all of them. Discarded: they were destroyed.
State = Literal["open", "closed", "shuffled", "delivered", "discarded"]

_METADATA = sa.MetaData()
_TOKENS = sa.Table(
    "tokens", _METADATA, sa.Column("hash", sa.LargeBinary(32), primary_key=True), sqlite_with_rowid=False
)
_ROUNDS = sa.Table(
    "rounds", _METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("choice", sa.LargeBinary, nullable=False),
    sa.Column("batch", sa.LargeBinary(16), nullable=False),
    sa.Column("people", sa.BigInteger, nullable=False),
    sa.Column("messages", sa.BigInteger, nullable=False),
    sa.Column("dropped", sa.BigInteger, nullable=False),
    sa.Column("repeated", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.LargeBinary(32), nullable=False),
    sa.Column("added", sa.LargeBinary, nullable=False),
    sa.Column("reason", sa.String(64), nullable=False),
)  # fmt: skip
_UPLOADS = sa.Table(
    "uploads", _METADATA,
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("hash", sa.LargeBinary(32), primary_key=True),
    sa.Column("digest", sa.LargeBinary(32), nullable=False),
    sa.Column("messages", sa.LargeBinary),
)  # fmt: skip
_AT_ONCE = 500  # tokens in a query, and uploads whose messages a cursor holds


@dataclass(frozen=True)
class RoundProgress:
    """The progress of a round: its state, its choice unless it is the first, its numbers, and why it was discarded."""

    number: int
    state: State
    choice: bytes
    batch: bytes
    people: int
    messages: int
    dropped: int
    repeated: int
    digest: bytes
    added: tuple[int, ...]
    reason: str


class Store(Database):
    """A shuffler's database.

    Parameters
    ----------
    url
        ``sqlite:///FILE`` or ``postgresql+psycopg://…``.
    at_rest
        The keys that encrypt stored uploads.
    """

    def __init__(self, url: str, at_rest: AtRest) -> None:
        super().__init__(url, _METADATA)
        self._at_rest = at_rest

    def add_tokens(self, hashes: Iterable[bytes], invited: int | None = None) -> None:
        """Let people in by the hashes of their tokens.

        Raises
        ------
        ConflictError
            If this would let in more people than ``invited``; then none of these people is let in.
        """
        with self._writing() as connection:
            self._insert(connection, _TOKENS, [{"hash": self._at_rest.token(each)} for each in hashes])
            self._check_invited(connection, _TOKENS, invited)

    def open_round(self, number: int, batch: bytes, choice: bytes = b"") -> None:
        """Open a round for uploads; repeating this changes nothing, but another choice is refused."""
        with self._writing() as connection:
            row = connection.execute(sa.select(_ROUNDS).where(_ROUNDS.c.number == number)).one_or_none()
            if row is None:
                connection.execute(sa.insert(_ROUNDS).values(
                    number=number, state="open", choice=choice, batch=batch, people=0, messages=0, dropped=0,
                    repeated=0, digest=b"", added=b"", reason="",
                ))  # fmt: skip
            elif row.choice != choice:
                raise ConflictError(f"round {number} already has another choice")

    def progress(self, number: int) -> RoundProgress | None:
        """Return the progress of a round, or None if it was not opened."""
        with self._writing(reading=True) as connection:
            row = connection.execute(sa.select(_ROUNDS).where(_ROUNDS.c.number == number)).one_or_none()
            if row is None:
                return None
            # Numbers of dummies in text: the two databases have no common type of lists.
            *fields, added, reason = row
            return RoundProgress(*fields, added=tuple(map(int, added.split())), reason=reason)

    def people(self, number: int) -> int:
        """Return how many people have sent messages in a round; the query does not block uploads."""
        with self._writing(reading=True) as connection:
            return _people(connection, number)

    def add(
        self, number: int, uploads: Sequence[Upload], *, by_invitation: bool = False
    ) -> list[CollectionError | None]:
        """Store uploads of a round in one transaction, and return for each None or the reason why it does not count.

        A repeated upload is already stored. Another upload with the same token is refused, and so is an upload with a
        token that was not given out, of a person who was not in the first round, or after the end of the round. With
        ``by_invitation`` a later round takes everybody with a token.
        """
        with self._writing() as connection:
            status = connection.execute(_locked(number, shared=True)).one_or_none()
            if status is None:
                return [UnknownError(f"round {number} has not begun") for _ in uploads]
            hashes = [self._at_rest.token(upload.token_hash) for upload in uploads]
            let_in = sa.select(_TOKENS.c.hash)
            if number > 1 and not by_invitation:
                let_in = sa.select(_UPLOADS.c.hash).where(_UPLOADS.c.round == 1)
            admitted = {row.hash for row in connection.execute(let_in.where(sa.column("hash").in_(hashes)))}
            digests = [self._at_rest.token(upload.digest) for upload in uploads]
            new = {
                key: (digest, upload.messages)
                for key, digest, upload in reversed([*zip(hashes, digests, uploads, strict=True)])
                if key in admitted
            }
            if status.state == "open":
                self._insert(connection, _UPLOADS, [
                    {
                        "round": number, "hash": key, "digest": digest,
                        "messages": self._at_rest.seal(number, key, messages),
                    }
                    for key, (digest, messages) in new.items()
                ])  # fmt: skip
            of_these = sa.select(_UPLOADS.c.hash, _UPLOADS.c.digest).where(
                _UPLOADS.c.round == number, _UPLOADS.c.hash.in_(hashes)
            )
            stored = {row.hash: row.digest for row in connection.execute(of_these)}
        why = "this token was not used in the first round, so it cannot be used in a later one"
        if number == 1 or by_invitation:
            why = "this token was not given out"
        return [
            _verdict(key, digest, number, why, admitted, stored) for key, digest in zip(hashes, digests, strict=True)
        ]

    def sent(self, number: int, hashes: Sequence[bytes]) -> set[bytes]:
        """Return the tokens with a stored upload in a round."""
        keys = {self._at_rest.token(each): each for each in hashes}
        stored_by, sent = list(keys), set[bytes]()
        with self._writing(reading=True) as connection:
            for start in range(0, len(stored_by), _AT_ONCE):
                these = _UPLOADS.c.hash.in_(stored_by[start : start + _AT_ONCE])
                rows = connection.execute(sa.select(_UPLOADS.c.hash).where(_UPLOADS.c.round == number, these))
                sent.update(keys[row.hash] for row in rows)
        return sent

    def close_round(self, number: int, smallest_batch: int, people: int | None = None) -> State:
        """Close a round, and return whether its unopened batch is ``closed`` or ``discarded``.

        ``people`` is the number of people if they did not upload here.
        """
        with self._writing() as connection:
            row = connection.execute(_locked(number)).one_or_none()
            if row is None:
                raise UnknownError(f"round {number} has not begun")
            if row.state != "open":
                return cast("State", row.state)
            people = _people(connection, number) if people is None else people
            state: State = "closed" if people >= smallest_batch else "discarded"
            reason = "" if state == "closed" else FEW_PEOPLE
            connection.execute(
                sa.update(_ROUNDS).where(_ROUNDS.c.number == number).values(state=state, people=people, reason=reason)
            )
            if state == "discarded":
                _forget(connection, number)
        return state

    def discard(self, number: int, reason: str) -> None:
        """Destroy the messages of a closed round, and record the reason."""
        with self._writing() as connection:
            values = {"state": "discarded", "reason": reason}
            connection.execute(sa.update(_ROUNDS).where(_ROUNDS.c.number == number).values(**values))
            _forget(connection, number)

    def messages(self, number: int) -> Iterator[bytes]:
        """Yield the messages of each upload of a closed round, in the order of their tokens' hashes."""
        after = b""
        while True:
            rest = (
                sa.select(_UPLOADS.c.hash, _UPLOADS.c.messages)
                .where(_UPLOADS.c.round == number, _UPLOADS.c.hash > after)
                .order_by(_UPLOADS.c.hash).limit(_AT_ONCE)
            )  # fmt: skip
            with self._writing(reading=True) as connection:
                rows = connection.execute(rest).all()
            if not rows:
                return
            yield from (self._at_rest.open(number, row.hash, row.messages) for row in rows if row.messages is not None)
            after = rows[-1].hash

    def set_shuffled(self, number: int, report: ShufflerReport) -> None:
        """Record that the messages of a round are in random order in a file, and the report of them."""
        values = {**vars(report), "state": "shuffled", "added": " ".join(map(str, report.added)).encode()}
        with self._writing() as connection:
            connection.execute(sa.update(_ROUNDS).where(_ROUNDS.c.number == number).values(**values))

    def set_delivered(self, number: int) -> None:
        """Record that the next party has all messages of a round, and delete them."""
        with self._writing() as connection:
            connection.execute(sa.update(_ROUNDS).where(_ROUNDS.c.number == number).values(state="delivered"))
            _forget(connection, number)

    def destroy_key(self, number: int) -> None:
        """Destroy the key of a round, so that its messages in logs and copies can no longer be opened."""
        self._at_rest.forget(number)

    def destroy(self) -> None:
        """Destroy everything: messages, tokens, and the record of the task; call it again if it was interrupted."""
        self._at_rest.destroy()
        super().destroy()

    def wipe(self) -> None:
        """Remove deleted data from the file and from its log.

        Raises
        ------
        UnavailableError
            If the disk has too little room for that.
        """
        if self._dialect is postgresql:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(sa.text("VACUUM uploads"))
            return
        try:
            with closing(self._engine.raw_connection()) as connection:  # in no transaction, as neither can be
                for wipe in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    connection.cursor().execute(wipe)
        except DatabaseError as error:
            raise UnavailableError(f"deleted data is not wiped yet ({type(error).__name__})") from None


def _verdict(  # noqa: PLR0917
    key: bytes, digest: bytes, number: int, why: str, admitted: set[bytes], stored: dict[bytes, bytes]
) -> CollectionError | None:
    if key not in admitted:
        return StrangerError(why)
    if key not in stored:
        return ConflictError(f"round {number} is closed: this upload came too late, and does not count")
    if stored[key] != digest:
        return ConflictError("this token was already used for other messages; those count")
    return None


def _people(connection: sa.Connection, number: int) -> int:
    return rows_in(connection, _UPLOADS, _UPLOADS.c.round == number)


def _forget(connection: sa.Connection, number: int) -> None:
    connection.execute(sa.update(_UPLOADS).where(_UPLOADS.c.round == number).values(messages=None))


def _locked(number: int, *, shared: bool = False) -> Any:
    """Return a query that locks a round, so that nothing closes it while uploads are stored."""
    select = sa.select(_ROUNDS.c.state, _ROUNDS.c.choice).where(_ROUNDS.c.number == number)
    return select.with_for_update(read=shared)
