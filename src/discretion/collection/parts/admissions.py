"""The admitter's database: the invited people, and the people whose tokens it has signed in each round."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import sqlalchemy as sa

from discretion.collection.errors import ConflictError, StrangerError
from discretion.collection.parts.database import Database, rows_in

_METADATA = sa.MetaData()
_INVITATIONS = sa.Table(
    "invitations", _METADATA, sa.Column("hash", sa.LargeBinary(32), primary_key=True), sqlite_with_rowid=False
)
_REQUESTS = sa.Table(
    "requests", _METADATA,
    sa.Column("hash", sa.LargeBinary(32), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("digest", sa.LargeBinary(32), nullable=False),
    sqlite_with_rowid=False,
)  # fmt: skip


class Admissions(Database):
    """An admitter's database: hashes of credentials, and of the requests with each.

    Parameters
    ----------
    path
        The file of the database.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"sqlite:///{path}", _METADATA)

    def invite(self, hashes: Iterable[bytes], invited: int | None = None) -> None:
        """Let people in by the hashes of their credentials.

        Raises
        ------
        ConflictError
            If this would let in more people than ``invited``; then none of these people is let in.
        """
        with self._writing() as connection:
            self._insert(connection, _INVITATIONS, [{"hash": each} for each in hashes])
            self._check_invited(connection, _INVITATIONS, invited)

    def take(self, credential: bytes, round_: int, blinded: bytes) -> None:
        """Record the tokens that a person asks to sign in a round; the person may repeat only the same request.

        Raises
        ------
        StrangerError
            If this credential was not given out.
        ConflictError
            If other tokens were signed for it in this round.
        """
        key, digest = sha256(credential).digest(), sha256(blinded).digest()
        own = sa.and_(_REQUESTS.c.hash == key, _REQUESTS.c.round == round_)
        with self._writing() as connection:
            if not rows_in(connection, _INVITATIONS, _INVITATIONS.c.hash == key):
                raise StrangerError("this invitation was not given out")
            self._insert(connection, _REQUESTS, [{"hash": key, "round": round_, "digest": digest}])
            if connection.execute(sa.select(_REQUESTS.c.digest).where(own)).scalar_one() != digest:
                raise ConflictError("other tokens were signed with this invitation in this round; those count")

    def admitted(self, round_: int) -> int:
        """Return the number of people whose tokens of a round were signed."""
        with self._writing(reading=True) as connection:
            return rows_in(connection, _REQUESTS, _REQUESTS.c.round == round_)

    @property
    def invited(self) -> int:
        """The number of people that are let in."""
        with self._writing(reading=True) as connection:
            return rows_in(connection, _INVITATIONS)
