"""A round: what each person's messages hold, how wide they are, and what they are sealed with.

A round asks for groups of features: the first one for each feature by itself, the others for what was chosen. There is
a message for each group, of its place and the codes of the answers to its features, all equally wide. 16 random bytes
make two people's same answers different; with an admitter it is the token that does: a nonce and its signature.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from discretion.collection.wire.noise import may_add
from discretion.collection.wire.sealing import SEAL_BYTES
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import LESS_FREQUENT, MODULUS_BYTES, REDACTED, Party, Task

SALT_BYTES = 16
NONCE_BYTES = 32
_NAME = b"discretion collect 3"


@dataclass(frozen=True)
class Round:
    """A round of a task.

    Parameters
    ----------
    task
        Its task.
    choice
        What was published for it; None is the first round, with a message for each feature.
    """

    task: Task
    choice: Choice | None = None

    @property
    def number(self) -> int:
        """1 for single answers, then one more for each choice."""
        return 1 if self.choice is None else self.choice.number

    @property
    def to_analyst(self) -> bool:
        """Whether it is the last one, of the joint answers."""
        return self.choice is not None and self.choice.receiver == "analyst"

    @cached_property
    def groups(self) -> Sequence[tuple[int, ...]]:
        """The places of the features that go into each message."""
        return (
            tuple((place,) for place in range(len(self.task.features))) if self.choice is None else self.choice.groups
        )

    @property
    def messages(self) -> int:
        """How many messages each person sends."""
        return len(self.groups)

    @cached_property
    def kept(self) -> Sequence[tuple[tuple[int, ...] | None, ...]]:
        """The codes of each feature of each group that are asked for one by one; None where not by value."""
        if self.choice is None or not self.choice.kept:
            return [(None,) * len(group) for group in self.groups]
        return self.choice.kept

    @cached_property
    def labels(self) -> Sequence[tuple[tuple[str | None, ...], ...]]:
        """What each code in a message means, by group and feature of it.

        Where there is a rule to redact by, the last one is redacted; where some answers are asked for, all others.
        """
        ruled = {rule.place for rule in (() if self.choice is None else self.choice.rules)}
        return [
            tuple(
                (*(feature.labels[code] for code in kept), LESS_FREQUENT) if kept is not None
                else (*feature.labels, REDACTED) if place in ruled else feature.labels
                for place, feature, kept in zip(group, map(self.task.features.__getitem__, group), asked, strict=True)
            )
            for group, asked in zip(self.groups, self.kept, strict=True)
        ]  # fmt: skip

    def sent_codes(self, place: int) -> list[Sequence[int]]:
        """Return for each feature of a group what is sent in place of each of its codes: the same, or a place of kept.

        A code that a rule of the choice redacts is sent as the last one.
        """
        sent: list[Sequence[int]] = []
        for feature, kept, labels in zip(self.groups[place], self.kept[place], self.labels[place], strict=True):
            if kept is None:
                sent.append(range(len(labels)))
            else:
                place_of = {code: at for at, code in enumerate(kept)}
                sent.append([place_of.get(code, len(kept)) for code in range(self.task.features[feature].codes)])
        return sent

    @cached_property
    def most_features(self) -> int:
        """How many features the largest group has: every message has room for as many codes."""
        return max(map(len, self.groups))

    @cached_property
    def plain_form(self) -> struct.Struct:
        """How what is inside all seals is packed: the group's place, a code of each of its features, random bytes.

        Codes of 0 fill up a smaller group. With an admitter the random bytes are a token: a nonce and the admitter's
        signature of it.
        """
        return struct.Struct(f">H{self.most_features}I{self.random_bytes}s")

    def packed(self, place: int, codes: Sequence[int], random: bytes) -> bytes:
        """Return what is inside all seals of a message to a group."""
        return self.plain_form.pack(place, *codes, *[0] * (self.most_features - len(codes)), random)

    def cells(self, place: int) -> list[int]:
        """Return how many codes each feature of a group has."""
        return list(map(len, self.labels[place]))

    def may_add(self, added: Sequence[int]) -> bool:
        """Return whether a shuffler may have added so many dummies to each group."""
        return may_add(self.task.noise, added, [self.cells(place) for place in range(self.messages)])

    @property
    def random_bytes(self) -> int:
        """How many bytes at the end of a message make it different from all others."""
        return SALT_BYTES if self.task.admitter is None else NONCE_BYTES + MODULUS_BYTES

    @cached_property
    def admission_keys(self) -> Sequence[bytes]:
        """The modulus that checks the token of each message, in the order of the groups; empty without an admitter."""
        if self.task.admitter is None:
            return ()
        return self.task.admission[self.admission_place][: self.messages]

    @property
    def admission_place(self) -> int:
        """The place of its keys in the task's: the analyst's are the last ones, whenever its round comes."""
        return len(self.task.admission) - 1 if self.to_analyst else self.number - 1

    @property
    def receiver(self) -> Party | None:
        """Who gets the messages from the last shuffler: the curator, then the analyst; None where they stay with it."""
        return self.task.analyst if self.to_analyst else self.task.curator

    @property
    def ends_open(self) -> bool:
        """Whether the last shuffler holds plain messages, for all who take part to see."""
        return self.receiver is None

    @property
    def published(self) -> bytes:
        """The digest of all that was published up to this round."""
        return self.task.digest if self.choice is None else self.choice.digest

    @cached_property
    def context(self) -> bytes:
        """What all seals of the round are bound to: the round, the task, and all that was published up to it."""
        return _NAME + bytes([self.number]) + self.task.digest + self.published

    def info(self, layer: int) -> bytes:
        """Return the info of a layer: 0 is who gets the messages, then the shufflers, the first to open being 1."""
        return self.context + bytes([layer])

    @cached_property
    def layers(self) -> Sequence[tuple[bytes, bytes]]:
        """The key and the info of each layer, the innermost first."""
        task = self.task
        inner = [] if self.receiver is None else [(self.receiver.key, self.info(0))]
        outer = [(shuffler.key, self.info(place)) for place, shuffler in enumerate(task.shufflers, 1)]
        return inner + outer[::-1]

    def width(self, opened: int = 0) -> int:
        """Return the bytes of a message after so many shufflers took their layer off."""
        return self.plain_form.size + SEAL_BYTES * (len(self.layers) - opened)
