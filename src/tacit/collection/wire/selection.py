"""The choice: which features go out together, signed by the curator, or the same for all who worked it out."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tacit.collection.errors import MalformedError, RefusedTaskError
from tacit.collection.wire.records import decoded, encoded
from tacit.collection.wire.rounds import Round
from tacit.collection.wire.task import Task

_LONGEST = 1 << 20
_NAME = b"tacit collect 1 choice"


@dataclass(frozen=True)
class Choice:
    """Which features of a task go out together.

    Parameters
    ----------
    task
        The digest of the task.
    chosen
        The places of the features, in order.
    exposure
        The share of the people who may stand out by them, certified: at most the task's budget.
    people
        Of how many people the answers were counted.
    signature
        The curator's, of the rest; empty where there is no curator.
    """

    task: bytes
    chosen: tuple[int, ...]
    exposure: float
    people: int
    signature: bytes = b""

    @cached_property
    def _told(self) -> dict[str, object]:
        return {
            "task": self.task, "chosen": list(self.chosen), "exposure": self.exposure.hex(), "people": self.people,
        }  # fmt: skip

    @property
    def encoded(self) -> bytes:
        """Its one encoding."""
        return encoded({**self._told, "signature": self.signature})

    def signed(self, private: Ed25519PrivateKey) -> "Choice":
        """Return the same choice with the curator's signature."""
        return Choice(self.task, self.chosen, self.exposure, self.people, private.sign(_NAME + encoded(self._told)))

    @staticmethod
    def decoded(data: bytes, task: Task) -> "Choice":
        """Return the choice that these bytes are of a task.

        Raises
        ------
        MalformedError
            If they are none.
        RefusedTaskError
            If it is of another task, or its curator did not sign it.
        """
        held: Any = decoded(data, "a choice", at_most=_LONGEST)
        try:
            choice = Choice(
                held["task"], tuple(held["chosen"]), float.fromhex(held["exposure"]), held["people"], held["signature"]
            )
            whole = choice.encoded == data and all(0 <= place < len(task.features) for place in choice.chosen)
        except (TypeError, KeyError, AttributeError, ValueError, OverflowError):
            whole, choice = False, Choice(b"", (), 0.0, 0)
        if not whole or not choice.chosen or list(choice.chosen) != sorted(set(choice.chosen)):
            raise MalformedError("a choice names features of its task, each once and in order, one at least")
        if choice.task != task.digest:
            raise RefusedTaskError("this choice is of another task")
        if task.signer is not None:
            try:
                told = _NAME + encoded(choice._told)
                Ed25519PublicKey.from_public_bytes(task.signer).verify(choice.signature, told)
            except (InvalidSignature, TypeError, ValueError):
                raise RefusedTaskError("the task's curator has not signed this choice") from None
        return choice

    def round_of(self, task: Task) -> Round:
        """Return the round in which the joint answers are told."""
        return Round(task, self.chosen)
