"""Who may do what at a service: its operator by a secret, and a neighbour in a task by the keys that both have.

Two parties that stand in a task one after the other need not exchange anything: the Diffie-Hellman secret of their
keys, bound to the task, is known to the two of them and to nobody else.
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
    """Return what one of two neighbours in a task shows the other one.

    Raises
    ------
    MalformedError
        If the other one's key is none that secrets can be shared with.
    """
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise MalformedError("the key of a neighbour in the task shares no secrets; it must be another one") from None
    return HKDF(SHA256(), 32, None, b"discretion collect 3 neighbours" + task.digest).derive(shared).hex()


def board_pass(task: Task, private: bytes, other: bytes) -> str:
    """Return what a participant shows the last shuffler to read the boards; the first one gives it to all who send.

    It is the same for everybody, so that it does not show who reads.
    """
    return sha256(b"board" + neighbour_credential(task, private, other).encode()).hexdigest()


def new_operator(home: Path) -> None:
    """Make the operator's credential of a home anew; the one before is worth nothing from then on."""
    write_whole(home / _FILE, token_hex(32).encode())


def operator_credential(home: Path) -> str:
    """Return the operator's credential: from the environment, or a home's own.

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
    """Refuse who does not show the right credential; how long that takes tells nothing of it."""
    scheme, _, secret = (shown or "").partition(" ")
    same = compare_digest(sha256(secret.encode()).digest(), sha256(right.encode()).digest())
    if scheme.lower() != "bearer" or not same or not right:
        raise StrangerError("this needs another credential")
