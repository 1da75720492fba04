"""The credentials of a service: a secret for its operator, and for a neighbor in a task one from the keys of both.

Two neighbors, parties that follow one another in a task, need not exchange a credential. It is derived from the
Diffie-Hellman secret of their keys, bound to the task, which nobody else knows.
"""

import os
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from secrets import token_hex

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from discretion.collection.errors import MalformedError, StrangerError
from discretion.collection.parts.durable import write_whole
from discretion.collection.wire.task import Task

VARIABLE = "DISCRETION_COLLECT_OPERATOR"
_FILE = "operator"


def neighbour_credential(task: Task, private: bytes, public: bytes) -> str:
    """Return the credential that two neighbors in a task share.

    Raises
    ------
    MalformedError
        If the other party's key has no Diffie-Hellman secret.
    """
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise MalformedError("the key of a neighbor in the task has no shared secret; replace that key") from None
    return HKDF(SHA256(), 32, None, b"discretion collect 3 neighbours" + task.digest).derive(shared).hex()


def board_pass(task: Task, private: bytes, other: bytes) -> str:
    """Return the pass with which participants read the boards; the first shuffler gives it to everybody who sends.

    It is the same for everybody, so it does not reveal who reads.
    """
    return sha256(b"board" + neighbour_credential(task, private, other).encode()).hexdigest()


def new_operator(home: Path) -> None:
    """Make a new operator's credential for a home; the old one is no longer accepted."""
    write_whole(home / _FILE, token_hex(32).encode())


def operator_credential(home: Path) -> str:
    """Return the operator's credential, from the environment or from the home.

    Raises
    ------
    StrangerError
        If there is none.
    """
    try:
        secret = os.environ.get(VARIABLE) or (home / _FILE).read_text().strip()
    except (OSError, UnicodeError):
        secret = ""
    if not secret:
        raise StrangerError(f"there is no operator's credential in {home} or {VARIABLE}")
    return secret


def check_credential(shown: str | None, right: str) -> None:
    """Raise an error unless the right credential is shown; the time of the check does not depend on the credential."""
    scheme, _, secret = (shown or "").partition(" ")
    same = compare_digest(sha256(secret.encode()).digest(), sha256(right.encode()).digest())
    if scheme.lower() != "bearer" or not same or not right:
        raise StrangerError("this needs another credential")
