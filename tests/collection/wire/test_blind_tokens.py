"""Blind tokens: by the vectors of RFC 9474, forged and repeated, and with no trace of who asked for them."""

import json
from pathlib import Path
from random import Random
from secrets import token_bytes

import pytest
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicNumbers,
    generate_private_key,
    rsa_crt_dmp1,
    rsa_crt_dmq1,
    rsa_crt_iqmp,
)
from cryptography.hazmat.primitives.hashes import SHA384

from discretion.collection.errors import MalformedError, RefusedTaskError
from discretion.collection.wire.blind_tokens import (
    EXPONENT,
    _encoded,
    blind,
    blinded_by,
    finalize,
    is_signed,
    sign_blinded,
)

VECTORS = json.loads((Path(__file__).parent / "rfc9474.json").read_text())


def key_of(p: int, q: int) -> RSAPrivateKey:
    d = pow(EXPONENT, -1, (p - 1) * (q - 1))
    numbers = RSAPrivateNumbers(
        p, q, d, rsa_crt_dmp1(d, p), rsa_crt_dmq1(d, q), rsa_crt_iqmp(p, q), RSAPublicNumbers(EXPONENT, p * q)
    )
    return numbers.private_key()


@pytest.fixture(scope="module")
def key() -> RSAPrivateKey:
    return generate_private_key(EXPONENT, 2048)


def modulus_of(key: RSAPrivateKey) -> bytes:
    return key.public_key().public_numbers().n.to_bytes(256)


def token_of(key: RSAPrivateKey, nonce: bytes) -> bytes:
    modulus = modulus_of(key)
    blinded, inverse = blind(modulus, nonce)
    return finalize(modulus, nonce, sign_blinded(key, blinded), inverse)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["variant"])
def test_all_steps_are_those_of_the_rfc_s_vectors(vector: dict[str, str]) -> None:
    p, q = (int(vector[name], 16) for name in "pq")
    fields = {name: bytes.fromhex(text) for name, text in vector.items() if name not in ("variant", "p", "q")}
    key, message = key_of(p, q), fields.get("msg_prefix", b"") + fields["msg"]
    modulus, inverse = (p * q).to_bytes(512), fields["inv"]
    factor = pow(int.from_bytes(inverse), -1, p * q)
    assert blinded_by(modulus, message, fields["salt"], factor) == (fields["blinded_msg"], inverse.rjust(512, b"\0"))
    assert sign_blinded(key, fields["blinded_msg"]) == fields["blind_sig"]
    assert finalize(modulus, message, fields["blind_sig"], inverse) == fields["sig"]
    assert is_signed(modulus, message, fields["sig"])


def test_a_token_is_a_plain_rsa_signature_with_pss(key: RSAPrivateKey) -> None:
    nonce = token_bytes(32)
    scheme = padding.PSS(padding.MGF1(SHA384()), 48)
    key.public_key().verify(token_of(key, nonce), nonce, scheme, SHA384())
    assert is_signed(modulus_of(key), nonce, key.sign(nonce, scheme, SHA384()))


@pytest.mark.long
def test_no_forged_token_is_taken(key: RSAPrivateKey) -> None:
    """Ten thousand of them: changed, of another nonce or key, multiplied, blinded ones, and random numbers."""
    draw, modulus, other = Random(1), modulus_of(key), generate_private_key(EXPONENT, 2048)
    n = int.from_bytes(modulus)
    tokens = [(nonce, token_of(key, nonce)) for nonce in (token_bytes(32) for _ in range(20))]
    strange = [(nonce, token_of(other, nonce)) for nonce in (token_bytes(32) for _ in range(5))]
    for _ in range(10_000):
        (nonce, token), (another, second) = draw.choice(tokens), draw.choice(tokens)
        at = draw.randrange(256)
        product = (int.from_bytes(token) * int.from_bytes(second) % n).to_bytes(256)
        blinded, _ = blind(modulus, nonce) if draw.random() < 0.01 else (draw.randbytes(256), b"")
        forged = draw.choice([
            (nonce, token[:at] + bytes([token[at] ^ 1 << draw.randrange(8)]) + token[at + 1 :]),
            (nonce[:-1] + bytes([nonce[-1] ^ 1]), token), (nonce, second if another != nonce else token[::-1]),
            (nonce, product), (nonce, blinded), (draw.randbytes(32), token), (nonce, token[:-1]),
            (nonce, token + b"\0"),
            (nonce, (int.from_bytes(token) + n).to_bytes(257)), (nonce, b""), (nonce, bytes(256)),
            draw.choice(strange),
        ])  # fmt: skip
        assert not is_signed(modulus, *forged)


def test_what_is_asked_to_be_signed_is_uniform_whatever_the_nonce() -> None:
    """Of a small key, for every factor: each nonce is hidden in every number prime to the modulus, once."""
    p, q = 11, 23
    units = [number for number in range(1, p * q) if number % p and number % q]
    for encoded in units[:20]:
        assert sorted(encoded * pow(factor, 3, p * q) % (p * q) for factor in units) == units


def test_any_token_fits_any_request(key: RSAPrivateKey) -> None:
    """For each of both there is a factor that links them: whoever signed cannot tell which is whose."""
    modulus = modulus_of(key)
    n = int.from_bytes(modulus)
    asked = [blind(modulus, nonce)[0] for nonce in (token_bytes(32), token_bytes(32))]
    for nonce in (token_bytes(32), token_bytes(32)):
        encoded = pow(int.from_bytes(token_of(key, nonce)), EXPONENT, n)  # with the salt that its owner drew
        for blinded in asked:
            power = int.from_bytes(blinded) * pow(encoded, -1, n) % n
            factor = int.from_bytes(sign_blinded(key, power.to_bytes(256)))
            assert encoded * pow(factor, EXPONENT, n) % n == int.from_bytes(blinded)


@pytest.mark.parametrize("number", [0, 1 << 2048, None])
def test_what_is_no_number_below_the_modulus_is_not_signed(number: int | None, key: RSAPrivateKey) -> None:
    number = int.from_bytes(modulus_of(key)) if number is None else number
    with pytest.raises(MalformedError, match="below the modulus"):
        sign_blinded(key, number.to_bytes(257))


def test_a_signature_by_another_key_is_refused_by_who_asked_for_it(key: RSAPrivateKey) -> None:
    """An admitter with a key for each person could know the tokens again: the key is the one in the task."""
    modulus, nonce = modulus_of(key), token_bytes(32)
    blinded, inverse = blind(modulus, nonce)
    other = generate_private_key(EXPONENT, 2048)
    if int.from_bytes(blinded) >= other.public_key().public_numbers().n:
        blinded = bytes(1) + blinded[1:]
    with pytest.raises(RefusedTaskError, match="does not fit the key"):
        finalize(modulus, nonce, sign_blinded(other, blinded), inverse)


def test_a_modulus_with_a_small_factor_is_refused() -> None:
    with pytest.raises(RefusedTaskError, match="not a product of two large primes"):
        for _ in range(200):
            blind((3 * 5 * 7 * (1 << 2041)).to_bytes(256), token_bytes(32))


def test_the_encoding_is_that_of_a_signature_without_its_key(key: RSAPrivateKey) -> None:
    nonce, salt, modulus = token_bytes(32), bytes(48), modulus_of(key)
    signed = sign_blinded(key, _encoded(nonce, salt, 2047).rjust(256, b"\0"))
    assert is_signed(modulus, nonce, signed)
