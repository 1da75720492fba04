"""An upload: a one-time token and a person's messages of a round, all equally wide, and nothing else."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from discretion.collection.errors import MalformedError
from discretion.collection.wire.rounds import Round

TOKEN_BYTES = 32


@dataclass(frozen=True)
class Upload:
    """The bytes that a person sends once in each round, to the first shuffler alone."""

    token: bytes
    messages: bytes

    @cached_property
    def token_hash(self) -> bytes:
        """The SHA-256 of the token, from which the stored hash is computed."""
        return sha256(self.token).digest()

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the messages, which distinguishes a repeated upload from another one."""
        return sha256(self.messages).digest()

    @property
    def asked_in(self) -> int:
        """The one round that the sender answers, in a task that asks other people in each round."""
        return asked_in(self.token_hash)

    @property
    def encoded(self) -> bytes:
        """The token, then the messages."""
        return self.token + self.messages

    @staticmethod
    def decoded(data: bytes, round_: Round) -> "Upload":
        """Return the upload of a round that these bytes encode.

        Raises
        ------
        MalformedError
            If the bytes do not have the length of all uploads of the round.
        """
        if len(data) != (length := upload_bytes(round_)):
            raise MalformedError(f"an upload of round {round_.number} must have {length:,} bytes, got {len(data):,}")
        return Upload(data[:TOKEN_BYTES], data[TOKEN_BYTES:])


def asked_in(token_hash: bytes) -> int:
    """Return the one round that the owner of a token answers if other people answer each round, as by a fair coin."""
    return 1 + (token_hash[0] & 1)


def upload_bytes(round_: Round) -> int:
    """Return the number of bytes of each upload of a round."""
    return TOKEN_BYTES + round_.messages * round_.width()
