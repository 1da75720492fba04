"""Sealed boxes: HPKE of RFC 9180 in its base mode, with X25519, HKDF-SHA256 and AES-128-GCM, a fresh context each."""

from collections.abc import Iterable
from functools import cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

KEY_BYTES = 32
# An encapsulated key and an authentication tag.
SEAL_BYTES = 32 + 16


@cache
def _suite() -> Suite:
    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)


def sealed(plain: bytes, layers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the bytes sealed in a box for each (public key, info), the first one innermost."""
    for key, info in layers:
        plain = _suite().encrypt(plain, _public(key), info)
    return plain


def unsealed(box: bytes, private: X25519PrivateKey, info: bytes) -> bytes | None:
    """Return the contents of a box, or None if it is not for this key and info, or was changed."""
    try:
        return _suite().decrypt(box, private, info)
    except (InvalidTag, ValueError):
        return None


def public_bytes(private: X25519PrivateKey) -> bytes:
    """Return the 32 bytes of the public key of a private key."""
    return private.public_key().public_bytes_raw()


@cache
def _public(key: bytes) -> X25519PublicKey:
    return X25519PublicKey.from_public_bytes(key)
