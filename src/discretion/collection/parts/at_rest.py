"""Encrypt stored data under keys of the home, so that logs and copies of a database do not reveal deleted data.

A database that deletes a row keeps its bytes: in a write-ahead log, in free pages, in a replica. So each round has its
own key, which is destroyed when the round is passed on. Tokens are stored as a keyed hash, whose key is destroyed with
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
        The folder of the keys, a file of mode 600 each.
    rounds
        The most rounds of the task. All keys are made at once, so that a copy of the home has the same keys.
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
        """Return the keyed hash that is stored for a token, from the SHA-256 of the token."""
        return hmac_digest(self._token_key, token_hash, sha256)

    def seal(self, number: int, row: bytes, messages: bytes) -> bytes:
        """Encrypt the messages of a row in a round."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher(number).encrypt(nonce, messages, row)

    def open(self, number: int, row: bytes, stored: bytes) -> bytes:
        """Decrypt the messages of a row in a round.

        Raises
        ------
        UnavailableError
            If the row was changed.
        """
        cipher = self._cipher(number)
        try:
            return cipher.decrypt(stored[:_NONCE_BYTES], stored[_NONCE_BYTES:], row)
        except (InvalidTag, ValueError):
            raise UnavailableError(f"the stored answers of round {number} were changed; none is opened") from None

    def forget(self, number: int) -> None:
        """Destroy the key of a round, so that no log or copy of its messages can be opened."""
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
            raise UnavailableError(f"the key of the stored data ({name}) does not exist: it was destroyed") from None


def destroy_files(folder: Path) -> None:
    """Overwrite all files in a folder, and remove them."""
    for path in folder.glob("*"):
        destroy_file(path)


def destroy_file(path: Path) -> None:
    """Overwrite a file and remove it; on a full disk the file is only removed."""
    with suppress(OSError), path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))
        file.flush()
        os.fsync(file.fileno())
    path.unlink(missing_ok=True)
