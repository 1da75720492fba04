"""An invitation: one secret for each person, from which follow a token for the uploads and a credential for tokens.

Neither the first shuffler nor the admitter can show the other one's.
"""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from discretion.collection.errors import MalformedError
from discretion.collection.wire.task import Task
from discretion.collection.wire.uploads import TOKEN_BYTES

_NAME = b"discretion collect 3 "


def upload_token(task: Task, secret: bytes) -> bytes:
    """Return what a person shows the first shuffler: the secret itself where there is no admitter."""
    return shown_token(secret, task.admitter is not None)


def shown_token(secret: bytes, admitted: bool) -> bytes:
    """Return what a person shows the first shuffler of a task with an admitter, or without one."""
    return _derived(secret, b"upload") if admitted else secret


def admission_credential(secret: bytes) -> bytes:
    """Return what a person shows the admitter."""
    return _derived(secret, b"admission")


def link_of(task: Task, secret: bytes) -> str:
    """Return an invitation as a link: what is behind ``#`` never leaves the program that opens it."""
    return f"{task.shufflers[0].url}/#{task.digest.hex()}.{secret.hex()}"


def secret_of(link: str) -> tuple[str, bytes, bytes]:
    """Return the first shuffler's address, the secret and the task's digest of an invitation.

    Raises
    ------
    MalformedError
        If it is none; it is not quoted.
    """
    url, _, rest = link.strip().partition("/#")
    digest, _, secret = rest.partition(".")
    try:
        secret_bytes, digest_bytes = bytes.fromhex(secret), bytes.fromhex(digest)
    except ValueError:
        secret_bytes = digest_bytes = b""
    if not url or len(secret_bytes) != TOKEN_BYTES or len(digest_bytes) != TOKEN_BYTES:
        raise MalformedError("an invitation is a line as https://first.example/#DIGEST.SECRET, of 64 digits each")
    return url, secret_bytes, digest_bytes


def _derived(secret: bytes, label: bytes) -> bytes:
    return HKDF(SHA256(), TOKEN_BYTES, None, _NAME + label).derive(secret)
