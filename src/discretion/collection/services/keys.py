"""A party's keys: each private key is in a file that only its owner can read, or in the environment."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_der_private_key

from discretion.collection.errors import MalformedError, RefusedTaskError, UnknownError
from discretion.collection.parts.at_rest import destroy_file
from discretion.collection.parts.durable import write_whole
from discretion.collection.wire.blind_tokens import EXPONENT
from discretion.collection.wire.task import MODULUS_BYTES

Kind = Literal["seal", "sign", "admission"]
VARIABLE = "DISCRETION_COLLECT_KEYS"
_DAY = 24 * 3600
_OF_KIND = {"seal": X25519PrivateKey, "sign": Ed25519PrivateKey}
_RAW_BYTES = 32  # of a private key of these kinds


@dataclass(frozen=True)
class Key:
    """A private key that opens messages (X25519), signs choices (Ed25519) or signs blinded tokens (RSA).

    The first two kinds have 32 bytes. An RSA key is PKCS #8 in DER, and its public key is the modulus.
    """

    kind: Kind
    private: bytes
    expires: int | None = None

    @property
    def public(self) -> bytes:
        """The bytes of the public key, as in a task."""
        if self.kind == "admission":
            return self.rsa.public_key().public_numbers().n.to_bytes(MODULUS_BYTES)
        return _OF_KIND[self.kind].from_private_bytes(self.private).public_key().public_bytes_raw()

    @cached_property
    def rsa(self) -> RSAPrivateKey:
        """The RSA key of a key for admission."""
        return cast("RSAPrivateKey", load_der_private_key(self.private, None))

    @property
    def id(self) -> str:
        """The name of the key: the beginning of the SHA-256 of its public key."""
        return _id_of(self.public)


def _id_of(public: bytes) -> str:
    return sha256(public).hexdigest()[:16]


def new_key(folder: Path, kind: Kind, days: int) -> Key:
    """Make a key that is valid for this number of days, in a file of mode 600."""
    if kind == "admission":
        generated = generate_private_key(EXPONENT, 8 * MODULUS_BYTES)
        private = generated.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    else:
        private = _OF_KIND[kind].generate().private_bytes_raw()
    key = Key(kind, private, int(time.time()) + days * _DAY)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fields = {"kind": kind, "private": private.hex(), "expires": key.expires}
    write_whole(folder / key.id, json.dumps(fields).encode())
    return key


def key_for(folder: Path, public: bytes, now: float) -> Key:
    """Return the private key of a public key.

    Raises
    ------
    UnknownError
        If there is none.
    RefusedTaskError
        If it has expired, or if other users may read its file.
    """
    for key in _keys_in(folder, _id_of(public)):
        if key.public == public:
            if key.expires is not None and now >= key.expires:
                raise RefusedTaskError(f"the key {key.id} has expired; make another one, and a task with it")
            return key
    raise UnknownError(f"no key in {folder} or in {VARIABLE} belongs to the task's public key {public.hex()[:16]}…")


def held_keys(folder: Path, now: float) -> list[Key]:
    """Return the keys in a folder that have not expired, those that last longest first."""
    keys = (_key_in(path) for path in folder.glob("*"))
    lasting = [key for key in keys if key.expires is not None and key.expires > now]
    return sorted(lasting, key=lambda key: -(key.expires or 0))


def destroy_expired(folder: Path, now: float) -> None:
    """Destroy the expired keys in a folder."""
    for path in folder.glob("*"):
        expires = _key_in(path).expires
        if expires is not None and expires <= now:
            destroy_file(path)


def _key_in(path: Path) -> Key:
    if path.stat().st_mode & 0o077:
        raise RefusedTaskError(f"other users may read the key {path.name}; run chmod 600 {path}")
    try:
        fields: Any = json.loads(path.read_bytes())
        key = Key(fields["kind"], bytes.fromhex(fields["private"]), fields["expires"])
        if key.id != path.name:
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise MalformedError(f"{path} is not a key that discretion made") from None
    return key


def _keys_in(folder: Path, name: str) -> Iterator[Key]:
    yield from map(_key_in, folder.glob(name))
    for text in filter(None, os.environ.get(VARIABLE, "").split(",")):
        try:
            private = bytes.fromhex(text.strip())
            if len(private) == _RAW_BYTES:
                yield from (Key("seal", private), Key("sign", private))
            else:
                yield Key("admission", private)
        except ValueError:
            raise MalformedError(
                f"{VARIABLE} must be private keys in hexadecimal, separated by commas: of 32 bytes, or RSA in PKCS #8"
            ) from None
