"""The admitter's service: it knows the eligible people, signs blinded tokens for each, and sees no message."""

from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from discretion.collection.errors import MalformedError, UnknownError
from discretion.collection.parts.admissions import Admissions
from discretion.collection.services.home import Home
from discretion.collection.services.operations import Operation
from discretion.collection.services.service import Service
from discretion.collection.wire.blind_tokens import sign_blinded
from discretion.collection.wire.task import MODULUS_BYTES
from discretion.collection.wire.uploads import TOKEN_BYTES

_LONGEST_INVITATIONS = 32 << 15  # bytes of hashes in a request


class AdmitterService(Service):
    """The service of an admitter.

    Parameters
    ----------
    home
        The home of the admitter.
    """

    def __init__(self, home: Home, **more: Any) -> None:
        super().__init__(home, **more)
        self._admissions = Admissions(home.folder / "admissions.sqlite")
        self._key = cache(self._key_of)

    def operations(self) -> list[Operation]:
        """Return the operations of an admitter: it takes invitations, and signs blinded tokens of invited people."""
        return [
            Operation(
                "POST", "/invitations", "Let people in by the SHA-256 of their credentials.", "operator",
                self._invite, lambda: _LONGEST_INVITATIONS,
            ),
            Operation(
                "POST", "/admission/{place:int}",
                "Sign the blinded tokens of a person for a round: the credential, then one number for each message.",
                "anybody", self._sign, lambda: TOKEN_BYTES + MODULUS_BYTES * max(map(len, self.task.admission)),
            ),
            Operation(
                "GET", "/admitted", "Return the number of people with signed tokens, by round.", "anybody",
                lambda: {"admitted": self._admitted()},
            ),
        ]  # fmt: skip

    def step(self) -> None:
        """Do nothing: an admitter only answers requests."""

    def _key_of(self, place: int, message: int) -> RSAPrivateKey:
        return self.home.key(self.task.admission[place][message]).rsa

    def _invite(self, hashes: bytes) -> dict[str, Any]:
        if not hashes or len(hashes) % 32:
            raise MalformedError(f"hashes of credentials must have 32 bytes each, got {len(hashes):,} bytes")
        self._admissions.invite((hashes[at : at + 32] for at in range(0, len(hashes), 32)), self.task.invited)
        self.log("invited", count=len(hashes) // 32)
        return {"invitations": len(hashes) // 32}

    def _sign(self, place: int, body: bytes) -> bytes:
        if place >= len(self.task.admission):
            raise UnknownError(f"the task has {len(self.task.admission)} lists of keys, numbered from 0")
        credential, blinded = body[:TOKEN_BYTES], body[TOKEN_BYTES:]
        numbers = [blinded[at : at + MODULUS_BYTES] for at in range(0, len(blinded), MODULUS_BYTES)]
        most = len(self.task.admission[place])
        if not 0 < len(numbers) <= most or len(numbers[-1]) < MODULUS_BYTES:
            raise MalformedError(
                f"a request must be a credential of {TOKEN_BYTES} bytes, and 1 to {most:,} numbers of "
                f"{MODULUS_BYTES} bytes"
            )
        self._admissions.take(credential, place, blinded)
        return b"".join(sign_blinded(self._key(place, message), number) for message, number in enumerate(numbers))

    def _admitted(self) -> list[int]:
        return [self._admissions.admitted(place) for place in range(len(self.task.admission))]

    def status(self) -> dict[str, Any]:
        """Return the number of invited people, and of people with signed tokens in each round."""
        return {
            "role": "admitter", "task": self.task.digest.hex(), "invited": self._admissions.invited,
            "admitted": self._admitted(),
        }  # fmt: skip

    def forget(self) -> None:
        """Destroy the records of invitations and of signed tokens."""
        self._key.cache_clear()
        self._admissions.destroy()
