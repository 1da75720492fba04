"""A party's keys: a private one is in a file that only its owner reads, or in the environment."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection.errors import MalformedError, RefusedTaskError, UnknownError
from discretion.collection.parts.durable import write_whole

Kind = Literal["seal", "sign"]
VARIABLE = "DISCRETION_COLLECT_KEYS"
_DAY = 24 * 3600
_OF_KIND = {"seal": X25519PrivateKey, "sign": Ed25519PrivateKey}


@dataclass(frozen=True)
class Key:
    """A private key of 32 bytes: what messages are sealed to (X25519), or what a choice is signed with (Ed25519)."""

    kind: Kind
    private: bytes
    expires: int | None = None

    @property
    def public(self) -> bytes:
        """The 32 bytes that a task has of it."""
        return _OF_KIND[self.kind].from_private_bytes(self.private).public_key().public_bytes_raw()

    @property
    def id(self) -> str:
        """What it is called: the beginning of its public key's SHA-256."""
        return sha256(self.public).hexdigest()[:16]


def new_key(folder: Path, kind: Kind, days: int) -> Key:
    """Make a key that may be used for so many days, in a file of mode 600."""
    private = _OF_KIND[kind].generate().private_bytes_raw()
    key = Key(kind, private, int(time.time()) + days * _DAY)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fields = {"kind": kind, "private": private.hex(), "expires": key.expires}
    write_whole(folder / key.id, json.dumps(fields).encode())
    return key


def key_for(folder: Path, public: bytes, now: float) -> Key:
    """Return the private key of a public one.

    Raises
    ------
    UnknownError
        If it is not there.
    RefusedTaskError
        If it is over, or others may read it.
    """
    for key in _keys_in(folder):
        if key.public == public:
            if key.expires is not None and now >= key.expires:
                raise RefusedTaskError(f"the key {key.id} is over; make another one, and a task with it")
            return key
    raise UnknownError(f"no key in {folder} or in {VARIABLE} belongs to the task's public key {public.hex()[:16]}…")


def destroy_keys(folder: Path) -> None:
    """Write over all keys in a folder, then remove them: what was sealed to them nobody opens any more."""
    for path in folder.glob("*"):
        with path.open("r+b") as file:
            file.write(bytes(path.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


def _keys_in(folder: Path) -> Iterator[Key]:
    for path in sorted(folder.glob("[0-9a-f]*")):
        if path.stat().st_mode & 0o077:
            raise RefusedTaskError(f"others may read the key {path.name}; chmod 600 {path}")
        try:
            fields: Any = json.loads(path.read_bytes())
            key = Key(fields["kind"], bytes.fromhex(fields["private"]), fields["expires"])
            if key.id != path.name:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise MalformedError(f"{path} is no key that discretion made") from None
        yield key
    for text in filter(None, os.environ.get(VARIABLE, "").split(",")):
        try:
            private = bytes.fromhex(text.strip())
            yield from (Key("seal", private), Key("sign", private))
        except ValueError:
            raise MalformedError(
                f"{VARIABLE} has private keys of 32 bytes in hexadecimal, separated by commas"
            ) from None
