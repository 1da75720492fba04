"""A box is RFC 9180's: by its own vector, by its words, and by another library."""

import os

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given, settings, strategies as st

from discretion.collection.wire.sealing import SEAL_BYTES, public_bytes, sealed, unsealed
from oracles import rfc9180

# RFC 9180, appendix A.1.1, the first encryption.
INFO = bytes.fromhex("4f6465206f6e2061204772656369616e2055726e")
EPHEMERAL = bytes.fromhex("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736")
RECEIVER = bytes.fromhex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")
ENC = bytes.fromhex("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431")
PLAIN = bytes.fromhex("4265617574792069732074727574682c20747275746820626561757479")
AAD = b"Count-0"
TEXT = bytes.fromhex("f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a")


def test_the_words_of_the_rfc_give_its_vector() -> None:
    receiver = X25519PrivateKey.from_private_bytes(RECEIVER)
    ephemeral = X25519PrivateKey.from_private_bytes(EPHEMERAL)
    assert rfc9180.sealed(PLAIN, public_bytes(receiver), INFO, ephemeral, AAD) == ENC + TEXT
    assert rfc9180.opened(ENC + TEXT, receiver, INFO, AAD) == PLAIN


@settings(deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=60))
def test_boxes_are_those_of_the_rfc_both_ways(plain: bytes, info: bytes) -> None:
    receiver, ephemeral = X25519PrivateKey.generate(), X25519PrivateKey.generate()
    box = sealed(plain, [(public_bytes(receiver), info)])
    assert len(box) == len(plain) + SEAL_BYTES
    assert rfc9180.opened(box, receiver, info) == plain
    assert unsealed(rfc9180.sealed(plain, public_bytes(receiver), info, ephemeral), receiver, info) == plain


def test_boxes_are_those_of_another_library_both_ways() -> None:
    pyhpke = pytest.importorskip("pyhpke", reason="the other library, in the group oracles")
    suite = pyhpke.CipherSuite.new(
        pyhpke.KEMId.DHKEM_X25519_HKDF_SHA256, pyhpke.KDFId.HKDF_SHA256, pyhpke.AEADId.AES128_GCM
    )
    receiver = X25519PrivateKey.generate()
    private = pyhpke.KEMKey.from_pyca_cryptography_key(receiver)
    public = pyhpke.KEMKey.from_pyca_cryptography_key(receiver.public_key())
    box = sealed(b"an answer", [(public_bytes(receiver), b"info")])
    assert suite.create_recipient_context(box[:32], private, info=b"info").open(box[32:]) == b"an answer"
    enc, sender = suite.create_sender_context(public, info=b"info")
    assert unsealed(enc + sender.seal(b"an answer"), receiver, b"info") == b"an answer"


def test_a_box_opens_for_its_key_and_info_and_unchanged_alone() -> None:
    receiver = X25519PrivateKey.generate()
    box = sealed(b"an answer", [(public_bytes(receiver), b"info")])
    assert unsealed(box, X25519PrivateKey.generate(), b"info") is None
    assert unsealed(box, receiver, b"other") is None
    for place in range(len(box)):
        assert unsealed(box[:place] + bytes([box[place] ^ 1]) + box[place + 1 :], receiver, b"info") is None
        assert unsealed(box[:place], receiver, b"info") is None
    assert unsealed(os.urandom(57), receiver, b"info") is None


def test_layers_come_off_from_the_last_put_on() -> None:
    keys = [X25519PrivateKey.generate() for _ in range(4)]
    box = sealed(b"an answer", [(public_bytes(key), bytes([place])) for place, key in enumerate(keys)])
    assert unsealed(box, keys[0], b"\0") is None
    for place, key in reversed([*enumerate(keys)]):
        inner = unsealed(box, key, bytes([place]))
        assert inner is not None
        assert len(box) == len(inner) + SEAL_BYTES
        box = inner
    assert box == b"an answer"
