"""HPKE's base mode by the words of RFC 9180, out of X25519, HMAC and AES-GCM: sections 4, 4.1, 5.1 and 5.2."""

import hmac
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_KEM = b"KEM" + (0x0020).to_bytes(2)
_SUITE = b"HPKE" + (0x0020).to_bytes(2) + (0x0001).to_bytes(2) + (0x0001).to_bytes(2)


def _extract(salt: bytes, label: bytes, ikm: bytes, suite: bytes) -> bytes:
    return hmac.digest(salt, b"HPKE-v1" + suite + label + ikm, sha256)


def _expand(prk: bytes, label: bytes, info: bytes, length: int, suite: bytes) -> bytes:
    labelled, out, last = length.to_bytes(2) + b"HPKE-v1" + suite + label + info, b"", b""
    for place in range(1, -(-length // 32) + 1):
        last = hmac.digest(prk, last + labelled + bytes([place]), sha256)
        out += last
    return out[:length]


def _key_and_nonce(shared: bytes, enc: bytes, receiver: bytes, info: bytes) -> tuple[bytes, bytes]:
    secret = _expand(_extract(b"", b"eae_prk", shared, _KEM), b"shared_secret", enc + receiver, 32, _KEM)
    context = b"\0" + _extract(b"", b"psk_id_hash", b"", _SUITE) + _extract(b"", b"info_hash", info, _SUITE)
    scheduled = _extract(secret, b"secret", b"", _SUITE)
    return _expand(scheduled, b"key", context, 16, _SUITE), _expand(scheduled, b"base_nonce", context, 12, _SUITE)


def opened(box: bytes, private: X25519PrivateKey, info: bytes, aad: bytes = b"") -> bytes:
    """Return what the first message of a fresh context says."""
    enc, text = box[:32], box[32:]
    shared = private.exchange(X25519PublicKey.from_public_bytes(enc))
    key, nonce = _key_and_nonce(shared, enc, private.public_key().public_bytes_raw(), info)
    return AESGCM(key).decrypt(nonce, text, aad)


def sealed(plain: bytes, receiver: bytes, info: bytes, ephemeral: X25519PrivateKey, aad: bytes = b"") -> bytes:
    """Return a fresh context's first message, by an ephemeral key."""
    enc = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(receiver))
    key, nonce = _key_and_nonce(shared, enc, receiver, info)
    return enc + AESGCM(key).encrypt(nonce, plain, aad)
