"""The published test vectors of a collection: ``python -m support.collection.vectors``, in ``tests``, writes them.

All keys and random bytes come from SHA-256 of their names, and the two primes of an admission key are found from there,
so the vectors are the same whenever they are written. Seals are by the words of RFC 9180, not by the library that the
product uses.
"""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import gmpy2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicNumbers,
    rsa_crt_dmp1,
    rsa_crt_dmq1,
    rsa_crt_iqmp,
)
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection import Choice, Feature, Party, Task
from discretion.collection.wire.blind_tokens import EXPONENT, blinded_by, finalize, sign_blinded
from discretion.collection.wire.invitations import admission_credential, link_of, upload_token
from discretion.collection.wire.rounds import NONCE_BYTES, SALT_BYTES, Round
from discretion.collection.wire.sealing import public_bytes
from oracles import rfc9180
from support.collection.in_process import together

FILE = Path(__file__).parents[3] / "docs" / "reference" / "vectors" / "collection-3.json"

FEATURES = (Feature("sex", ("f", "m")), Feature("town", ("Kyiv", "Lagos", "Lima")), Feature("job", ("farm", "sea")))
ANSWERS = {"sex": "m", "town": "Paris", "job": None}
# Each task with whether it has an admitter, and its number of shufflers.
NAMES = {"two shufflers": (False, 2), "an admitter": (True, 1)}
CODES = (1, 3, 3)  # Paris is another town, and no job is missing
INFO = "Bytes are in hexadecimal. The page 'The collection: what goes over the wire' says what each part means."

Written = dict[str, Any]


def drawn(name: str, length: int = 32) -> bytes:
    """Return bytes that follow from a name."""
    blocks = (sha256(f"discretion test vectors: {name} {place}".encode()).digest() for place in range(-(-length // 32)))
    return b"".join(blocks)[:length]


def sealing_key(name: str) -> X25519PrivateKey:
    return X25519PrivateKey.from_private_bytes(drawn(name))


def admission_key(name: str) -> RSAPrivateKey:
    # With its two highest bits set, so that the product of two has 2,048 bits.
    p, q = (int(gmpy2.next_prime(int.from_bytes(drawn(f"{name} {each}", 128)) | 3 << 1022)) for each in "pq")
    d = pow(EXPONENT, -1, (p - 1) * (q - 1))
    numbers = RSAPrivateNumbers(
        p, q, d, rsa_crt_dmp1(d, p), rsa_crt_dmq1(d, q), rsa_crt_iqmp(p, q), RSAPublicNumbers(EXPONENT, p * q)
    )
    return numbers.private_key()


def modulus_of(key: RSAPrivateKey) -> bytes:
    return key.public_key().public_numbers().n.to_bytes(256)


class Vectors:
    """A task with all that a client draws and sends in both rounds, as it is published."""

    def __init__(self, name: str) -> None:
        self._name = name
        admitted, shufflers = NAMES[name]
        self.keys = {
            each: sealing_key(f"{name} {each}")
            for each in (*(f"shuffler {place}" for place in range(1, shufflers + 1)), "analyst", "curator", "admitter")
        }
        if not admitted:
            del self.keys["admitter"]
        self.signer = Ed25519PrivateKey.from_private_bytes(drawn(f"{name} signer"))
        self.admission = [
            [admission_key(f"{name} admission {number} {place}") for place in range(messages)]
            for number, messages in ((1, len(FEATURES)), (2, 1))
            if admitted
        ]
        parties = {each: self._party(each) for each in self.keys}
        self.task = Task(
            drawn(f"{name} id", 16), "test vectors", FEATURES, 2, "0.1", 2, 0, 2_000,
            tuple(party for each, party in parties.items() if each.startswith("shuffler")),
            parties["analyst"], parties["curator"], self.signer.public_key().public_bytes_raw(),
            admitter=parties.get("admitter"),
            admission=tuple(tuple(map(modulus_of, keys)) for keys in self.admission),
        )  # fmt: skip
        self.secret = drawn(f"{name} secret")
        self.choice = together(self.task, 0, 1).signed(self.signer)

    def _party(self, each: str) -> Party:
        return Party(f"https://{each.replace(' ', '-')}.example", public_bytes(self.keys[each]))

    def _random(self, of: Round) -> Iterator[tuple[bytes, Written]]:
        """Yield the random bytes of each message, and how they came about."""
        for place in range(of.messages):
            name = f"{self._name} round {of.number} message {place}"
            if self.task.admitter is None:
                random = drawn(name, SALT_BYTES)
                yield random, {"random": random.hex()}
                continue
            nonce, salt, key = drawn(name, NONCE_BYTES), drawn(f"{name} salt", 48), self.admission[of.number - 1][place]
            factor = 1 + int.from_bytes(drawn(f"{name} factor", 256)) % (int.from_bytes(modulus_of(key)) - 1)
            blinded, inverse = blinded_by(modulus_of(key), nonce, salt, factor)
            answer = sign_blinded(key, blinded)
            signature = finalize(modulus_of(key), nonce, answer, inverse)
            token = {
                "nonce": nonce, "salt": salt, "factor": factor.to_bytes(256), "blinded": blinded, "answer": answer,
                "signature": signature,
            }  # fmt: skip
            yield nonce + signature, {"token": {part: content.hex() for part, content in token.items()}}

    def _sealed(self, plain: bytes, of: Round, place: int) -> Iterator[Written]:
        """Yield each layer, the innermost first."""
        for at, (key, info) in enumerate(of.layers):
            ephemeral = drawn(f"{self._name} round {of.number} message {place} layer {at}")
            plain = rfc9180.sealed(plain, key, info, X25519PrivateKey.from_private_bytes(ephemeral))
            yield {"key": key.hex(), "info": info.hex(), "ephemeral": ephemeral.hex(), "sealed": plain.hex()}

    def round(self, choice: Choice | None) -> Written:
        """Return all that a client draws and sends in a round."""
        of, messages = Round(self.task, choice), list[Written]()
        for place, (random, drew) in enumerate(self._random(of)):
            codes = [CODES[feature] for feature in of.groups[place]]
            plain = of.packed(place, codes, random)
            layers = list(self._sealed(plain, of, place))
            messages.append({"place": place, "codes": codes, **drew, "plain": plain.hex(), "layers": layers})
        upload = upload_token(self.task, self.secret).hex() + "".join(each["layers"][-1]["sealed"] for each in messages)
        written: Written = {"number": of.number}
        if choice is not None:
            written |= {"choice": choice.encoded.hex(), "digest": choice.digest.hex()}
        if self.task.admitter is not None:
            blinded = "".join(each["token"]["blinded"] for each in messages)
            written["admission_request"] = admission_credential(self.secret).hex() + blinded
        return written | {"messages": messages, "upload": upload}

    def written(self) -> Written:
        """Return the vectors of the task."""
        secret: Written = {"secret": self.secret.hex(), "link": link_of(self.task, self.secret)}
        if self.task.admitter is not None:
            secret["credential"] = admission_credential(self.secret).hex()
        primes = [[key.private_numbers() for key in keys] for keys in self.admission]
        private: Written = {each: key.private_bytes_raw().hex() for each, key in self.keys.items()}
        private["signer"] = self.signer.private_bytes_raw().hex()
        private["admission"] = [[[f"{each.p:x}", f"{each.q:x}"] for each in keys] for keys in primes]
        return {
            "name": self._name,
            "task": self.task.encoded.hex(),
            "digest": self.task.digest.hex(),
            "private_keys": private,
            "invitation": secret | {"upload_token": upload_token(self.task, self.secret).hex()},
            "answers": ANSWERS,
            "codes": CODES,
            "rounds": [self.round(choice) for choice in (None, self.choice)],
        }


@cache
def vectors_of(name: str) -> Vectors:
    return Vectors(name)


def text() -> str:
    """Return the text of the published file."""
    return json.dumps({"version": 3, "about": INFO, "tasks": [vectors_of(name).written() for name in NAMES]}, indent=1)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text() + "\n")
