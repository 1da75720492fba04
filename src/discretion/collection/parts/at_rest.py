"""What is stored is encrypted under keys of the home: what a database keeps in logs and copies opens with none of them.

A database deletes a row and keeps its bytes: in a write-ahead log, in free pages, in a replica. Each round has a key of
its own, which is destroyed when the round is passed on; tokens are stored by a keyed hash, whose key is destroyed with
the task.
"""

import os
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from hmac import digest as hmac_digest
from pathlib import Path
from shutil import rmtree

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from discretion.collection.errors import UnavailableError
from discretion.collection.parts.durable import keep_name, write_whole

_KEY_BYTES = 32
_NONCE_BYTES = 12


class AtRest:
    """The keys under which a shuffler stores uploads.

    Parameters
    ----------
    folder
        Where the keys are, a file each, of mode 600.
    rounds
        How many rounds there are at most. All keys are made at once, so that a copy of the home has the same.
    """

    def __init__(self, folder: Path, rounds: int) -> None:
        self._folder = folder
        self._ciphers: dict[int, AESGCM] = {}
        if not folder.exists():  # all of them or none, wherever this is cut short
            part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
            part.mkdir(mode=0o700)
            for name in ("tokens", *map(str, range(1, rounds + 1))):
                write_whole(part / name, os.urandom(_KEY_BYTES))
            with suppress(OSError):  # another process was faster
                part.rename(folder)
                keep_name(folder.parent)
            rmtree(part, ignore_errors=True)

    @cached_property
    def _token_key(self) -> bytes:
        return self._key("tokens")

    def token(self, token_hash: bytes) -> bytes:
        """Return what a token is stored by, of its SHA-256."""
        return hmac_digest(self._token_key, token_hash, sha256)

    def seal(self, number: int, row: bytes, messages: bytes) -> bytes:
        """Encrypt the messages of a row of a round."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher(number).encrypt(nonce, messages, row)

    def open(self, number: int, row: bytes, stored: bytes) -> bytes:
        """Return the messages of a row of a round.

        Raises
        ------
        UnavailableError
            If the row was changed.
        """
        cipher = self._cipher(number)
        try:
            return cipher.decrypt(stored[:_NONCE_BYTES], stored[_NONCE_BYTES:], row)
        except (InvalidTag, ValueError):
            raise UnavailableError(f"the store's answers of round {number} were changed; none is opened") from None

    def forget(self, number: int) -> None:
        """Destroy the key of a round: nothing that any log or copy has of it opens any more."""
        self._ciphers.pop(number, None)
        destroy_file(self._folder / str(number))

    def destroy(self) -> None:
        """Destroy all keys."""
        self._ciphers.clear()
        destroy_files(self._folder)

    def _cipher(self, number: int) -> AESGCM:
        if number not in self._ciphers:
            self._ciphers[number] = AESGCM(self._key(str(number)))
        return self._ciphers[number]

    def _key(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            raise UnavailableError(f"the key of what is stored ({name}) is not there: it was destroyed") from None


def destroy_files(folder: Path) -> None:
    """Write over all files in a folder, and remove them."""
    for path in folder.glob("*"):
        destroy_file(path)


def destroy_file(path: Path) -> None:
    """Write over a file and remove it; on a disk that takes no byte it is removed all the same."""
    with suppress(OSError), path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))
        file.flush()
        os.fsync(file.fileno())
    path.unlink(missing_ok=True)
