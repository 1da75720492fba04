"""An upload: a one-time token and a person's messages of a round, each as wide as the others, and nothing else."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from discretion.collection.errors import MalformedError
from discretion.collection.wire.rounds import Round

TOKEN_BYTES = 32


@dataclass(frozen=True)
class Upload:
    """What a person sends once a round: for the first shuffler alone."""

    token: bytes
    messages: bytes

    @cached_property
    def token_hash(self) -> bytes:
        """What is stored of the token."""
        return sha256(self.token).digest()

    @cached_property
    def digest(self) -> bytes:
        """What tells the same upload from another one."""
        return sha256(self.messages).digest()

    @property
    def asked_in(self) -> int:
        """The one round in which its sender is asked, in a task that asks other people in each."""
        return asked_in(self.token_hash)

    @property
    def encoded(self) -> bytes:
        """The token, then the messages."""
        return self.token + self.messages

    @staticmethod
    def decoded(data: bytes, round_: Round) -> "Upload":
        """Return the upload that these bytes are in a round.

        Raises
        ------
        MalformedError
            If they are not exactly as long as all are.
        """
        if len(data) != (length := upload_bytes(round_)):
            raise MalformedError(f"an upload of round {round_.number} has {length:,} bytes, got {len(data):,}")
        return Upload(data[:TOKEN_BYTES], data[TOKEN_BYTES:])


def asked_in(token_hash: bytes) -> int:
    """Return the one round in which somebody is asked where other people are asked in each: as by a fair coin."""
    return 1 + (token_hash[0] & 1)


def upload_bytes(round_: Round) -> int:
    """Return how long each upload of a round is."""
    return TOKEN_BYTES + round_.messages * round_.width()
