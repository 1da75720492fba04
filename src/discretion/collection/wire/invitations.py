"""Invitations: one secret for each person, from which the token of uploads and the admitter's credential are derived.

The first shuffler, which sees the token, cannot derive the credential, and the admitter cannot derive the token.
"""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from discretion.collection.errors import MalformedError
from discretion.collection.wire.task import Task
from discretion.collection.wire.uploads import TOKEN_BYTES

_NAME = b"discretion collect 3 "


def upload_token(task: Task, secret: bytes) -> bytes:
    """Return the token that a person shows the first shuffler: without an admitter, the secret itself."""
    return shown_token(secret, task.admitter is not None)


def shown_token(secret: bytes, admitted: bool) -> bytes:
    """Return the token that a person shows the first shuffler of a task with or without an admitter."""
    return _derived(secret, b"upload") if admitted else secret


def admission_credential(secret: bytes) -> bytes:
    """Return the credential that a person shows the admitter."""
    return _derived(secret, b"admission")


def link_of(task: Task, secret: bytes) -> str:
    """Return an invitation as a link; a program that opens the link does not send the part after ``#``."""
    return f"{task.shufflers[0].url}/#{task.digest.hex()}.{secret.hex()}"


def secret_of(link: str) -> tuple[str, bytes, bytes]:
    """Return the first shuffler's address, the secret and the task's digest of an invitation.

    Raises
    ------
    MalformedError
        If the text is not an invitation; the message does not quote it.
    """
    url, _, rest = link.strip().partition("/#")
    digest, _, secret = rest.partition(".")
    try:
        secret_bytes, digest_bytes = bytes.fromhex(secret), bytes.fromhex(digest)
    except ValueError:
        secret_bytes = digest_bytes = b""
    if not url or len(secret_bytes) != TOKEN_BYTES or len(digest_bytes) != TOKEN_BYTES:
        raise MalformedError(
            "an invitation must be a line as https://first.example/#DIGEST.SECRET, with 64 hexadecimal digits each"
        )
    return url, secret_bytes, digest_bytes


def _derived(secret: bytes, label: bytes) -> bytes:
    return HKDF(SHA256(), TOKEN_BYTES, None, _NAME + label).derive(secret)
