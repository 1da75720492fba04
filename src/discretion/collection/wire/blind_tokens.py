"""Blind signatures of RFC 9474: the signer of a token does not see it, and cannot recognize it later.

The variant is RSABSSA-SHA384-PSS-Deterministic: the message is a nonce of 32 random bytes, which needs no random
prefix (section 5). The result is an RSA signature with PSS padding, which anybody can check with the public key.
"""

from hashlib import sha384
from importlib import import_module
from math import gcd
from secrets import randbelow, token_bytes
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA384

from discretion.collection.errors import MalformedError, RefusedTaskError

_gmpy2: Any = import_module("gmpy2")

EXPONENT = 65537
_SALT_BYTES = 48
_PADDING = PSS(MGF1(SHA384()), _SALT_BYTES)


def blind(modulus: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    """Blind a nonce: return the number to sign, and the inverse of the factor that hides the nonce in it.

    The number is ``EMSA-PSS(nonce)·r^e mod n`` for a random r, which is uniform for every nonce. Source: RFC 9474, 4.2.

    Raises
    ------
    RefusedTaskError
        If the modulus is not a product of two large primes.
    """
    n = int.from_bytes(modulus)
    return blinded_by(modulus, nonce, token_bytes(_SALT_BYTES), 1 + randbelow(n - 1))


def blinded_by(modulus: bytes, nonce: bytes, salt: bytes, factor: int) -> tuple[bytes, bytes]:
    """Blind a nonce by a salt and a factor, which are random except in test vectors."""
    n = int.from_bytes(modulus)
    encoded = int.from_bytes(_encoded(nonce, salt, n.bit_length() - 1))
    if gcd(encoded, n) != 1 or gcd(factor, n) != 1:
        raise RefusedTaskError("a key of the admitter is not a product of two large primes")
    blinded = encoded * pow(factor, EXPONENT, n) % n
    return blinded.to_bytes(len(modulus)), pow(factor, -1, n).to_bytes(len(modulus))


def sign_blinded(private: RSAPrivateKey, blinded: bytes) -> bytes:
    """Sign a blinded number; the same number gets the same signature. Source: RFC 9474, 4.3.

    The private operation takes the same time for every number. Its result is checked before it is returned, because a
    faulty one would reveal the key.

    Raises
    ------
    MalformedError
        If the number is not above 0 and below the modulus.
    """
    numbers = private.private_numbers()
    n, p, q = numbers.public_numbers.n, numbers.p, numbers.q
    message = int.from_bytes(blinded)
    if not 0 < message < n:
        raise MalformedError("the blinded number must be above 0 and below the modulus of the key")
    by_p, by_q = _power(message % p, numbers.dmp1, p), _power(message % q, numbers.dmq1, q)
    signature = by_q + q * ((by_p - by_q) * numbers.iqmp % p)
    if pow(signature, EXPONENT, n) != message:
        raise ArithmeticError("the private operation failed; its result is discarded")
    return signature.to_bytes(-(-n.bit_length() // 8))


def finalize(modulus: bytes, nonce: bytes, blind_signature: bytes, inverse: bytes) -> bytes:
    """Return the signature of a nonce from the signature of the blinded number. Source: RFC 9474, 4.4.

    Raises
    ------
    RefusedTaskError
        If it is not a signature by the key.
    """
    n = int.from_bytes(modulus)
    signature = int.from_bytes(blind_signature) * int.from_bytes(inverse) % n
    finished = signature.to_bytes(len(modulus))
    if len(blind_signature) != len(modulus) or not is_signed(modulus, nonce, finished):
        raise RefusedTaskError("the admitter's signature does not fit the key in the task")
    return finished


def is_signed(modulus: bytes, nonce: bytes, signature: bytes) -> bool:
    """Return whether a signature of a nonce is by this key."""
    try:
        key = RSAPublicNumbers(EXPONENT, int.from_bytes(modulus)).public_key()
        key.verify(signature, nonce, _PADDING, SHA384())
    except (InvalidSignature, ValueError):
        return False
    return True


def _power(base: int, secret: int, modulus: int) -> int:
    """Return a power in a time that depends on the sizes of the numbers alone."""
    return int(_gmpy2.powmod_sec(base, secret, modulus))


def _encoded(message: bytes, salt: bytes, bits: int) -> bytes:
    """Return EMSA-PSS-ENCODE of RFC 8017, 9.1.1, with SHA-384 and its MGF1."""
    length, size = -(-bits // 8), sha384().digest_size
    digest = sha384(bytes(8) + sha384(message).digest() + salt).digest()
    block = bytes(length - len(salt) - size - 2) + b"\1" + salt
    mask = b"".join(sha384(digest + place.to_bytes(4)).digest() for place in range(-(-len(block) // size)))
    masked = int.from_bytes(block) ^ int.from_bytes(mask[: len(block)])
    masked &= (1 << (bits - 8 * (length - len(block)))) - 1
    return masked.to_bytes(len(block)) + digest + b"\xbc"
