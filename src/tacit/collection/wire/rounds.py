"""A round: what each person's messages hold, how wide they are, and what they are sealed with.

In the first round there is a message for each feature, of its number and an answer's code; in the second there is one,
of the codes of all features that were chosen. 16 random bytes make two people's same answers different.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from tacit.collection.wire.sealing import SEAL_BYTES
from tacit.collection.wire.task import Task

SALT_BYTES = 16
_NAME = b"tacit collect 1"
_SINGLE = struct.Struct(f">HI{SALT_BYTES}s")


@dataclass(frozen=True)
class Round:
    """A round of a task.

    Parameters
    ----------
    task
        Its task.
    chosen
        The places of the features that all go into one message, in order; None is the first round, with a message each.
    """

    task: Task
    chosen: tuple[int, ...] | None = None

    @property
    def number(self) -> int:
        """1, or 2 for the joint answers."""
        return 1 if self.chosen is None else 2

    @property
    def messages(self) -> int:
        """How many messages each person sends."""
        return len(self.task.features) if self.chosen is None else 1

    @cached_property
    def plain_form(self) -> struct.Struct:
        """How what is inside all seals is packed."""
        return _SINGLE if self.chosen is None else struct.Struct(f">{len(self.chosen)}I{SALT_BYTES}s")

    @property
    def ends_open(self) -> bool:
        """Whether the last shuffler holds plain messages, for all who take part to see."""
        return self.chosen is None and self.task.curator is None

    @cached_property
    def context(self) -> bytes:
        """What all seals of the round are bound to: the task, the round, and the choice."""
        choice = b"" if self.chosen is None else struct.pack(f">{len(self.chosen)}H", *self.chosen)
        return _NAME + bytes([self.number]) + self.task.digest + sha256(choice).digest()

    def info(self, layer: int) -> bytes:
        """Return the info of a layer: 0 is who gets the messages, then the shufflers, the first to open being 1."""
        return self.context + bytes([layer])

    @cached_property
    def layers(self) -> Sequence[tuple[bytes, bytes]]:
        """The key and the info of each layer, the innermost first."""
        task = self.task
        receiver = task.curator if self.chosen is None else task.analyst
        inner = [] if receiver is None else [(receiver.key, self.info(0))]
        outer = [(shuffler.key, self.info(place)) for place, shuffler in enumerate(task.shufflers, 1)]
        return inner + outer[::-1]

    def width(self, opened: int = 0) -> int:
        """Return the bytes of a message after so many shufflers took their layer off."""
        return self.plain_form.size + SEAL_BYTES * (len(self.layers) - opened)
