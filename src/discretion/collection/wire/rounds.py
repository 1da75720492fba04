"""A round: the contents and width of each person's messages, and the keys that seal them.

A round asks for groups of features: the first round for each feature by itself, later rounds for the chosen groups.
There is a message for each group, with the place of the group and the codes of the answers to its features; all
messages are equally wide. 16 random bytes make equal answers of two people different; with an admitter the token does
this: a nonce and its signature.
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
        The task of the round.
    choice
        The published choice of the round; None for the first round, with a message for each feature.
    """

    task: Task
    choice: Choice | None = None

    @property
    def number(self) -> int:
        """The number of the round: 1 for single answers, then one more for each choice."""
        return 1 if self.choice is None else self.choice.number

    @property
    def to_analyst(self) -> bool:
        """Whether it is the last round, whose joint answers go to the analyst."""
        return self.choice is not None and self.choice.receiver == "analyst"

    @cached_property
    def groups(self) -> Sequence[tuple[int, ...]]:
        """The places of the features that go into each message."""
        return (
            tuple((place,) for place in range(len(self.task.features))) if self.choice is None else self.choice.groups
        )

    @property
    def messages(self) -> int:
        """The number of messages that each person sends."""
        return len(self.groups)

    @cached_property
    def kept(self) -> Sequence[tuple[tuple[int, ...] | None, ...]]:
        """The codes that are asked for one by one, by group and feature; None if the round does not ask by value."""
        if self.choice is None or not self.choice.kept:
            return [(None,) * len(group) for group in self.groups]
        return self.choice.kept

    @cached_property
    def labels(self) -> Sequence[tuple[tuple[str | None, ...], ...]]:
        """The answer for each code in a message, by group and feature.

        If a rule redacts the feature, the last code means a redacted answer. If the round asks by value, the last code
        means all answers that are not asked for.
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
        """Return for each feature of a group the number to send for each code: the code itself, or its place in kept.

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
        """The number of features of the largest group; every message has room for this many codes."""
        return max(map(len, self.groups))

    @cached_property
    def plain_form(self) -> struct.Struct:
        """The form of a message inside all seals: the group's place, a code for each of its features, random bytes.

        Codes of 0 fill up a smaller group. With an admitter the random bytes are a token: a nonce and the admitter's
        signature of it.
        """
        return struct.Struct(f">H{self.most_features}I{self.random_bytes}s")

    def packed(self, place: int, codes: Sequence[int], random: bytes) -> bytes:
        """Return the bytes of a message for a group inside all seals."""
        return self.plain_form.pack(place, *codes, *[0] * (self.most_features - len(codes)), random)

    def cells(self, place: int) -> list[int]:
        """Return how many codes each feature of a group has."""
        return list(map(len, self.labels[place]))

    def may_add(self, added: Sequence[int]) -> bool:
        """Return whether a shuffler may have added these numbers of dummies to the groups."""
        return may_add(self.task.noise, added, [self.cells(place) for place in range(self.messages)])

    @property
    def random_bytes(self) -> int:
        """The number of bytes at the end of a message that make it different from all others."""
        return SALT_BYTES if self.task.admitter is None else NONCE_BYTES + MODULUS_BYTES

    @cached_property
    def admission_keys(self) -> Sequence[bytes]:
        """The modulus that checks the token of each message, in the order of the groups; empty without an admitter."""
        if self.task.admitter is None:
            return ()
        return self.task.admission[self.admission_place][: self.messages]

    @property
    def admission_place(self) -> int:
        """The place of the round's keys among the task's; the keys for the analyst's round are always the last ones."""
        return len(self.task.admission) - 1 if self.to_analyst else self.number - 1

    @property
    def receiver(self) -> Party | None:
        """The party that receives the messages from the last shuffler, or None if that posts them on the board."""
        return self.task.analyst if self.to_analyst else self.task.curator

    @property
    def ends_open(self) -> bool:
        """Whether the last shuffler holds open messages, which it posts for all participants."""
        return self.receiver is None

    @property
    def published(self) -> bytes:
        """The digest of everything that was published up to this round."""
        return self.task.digest if self.choice is None else self.choice.digest

    @cached_property
    def context(self) -> bytes:
        """The bytes that bind all seals of the round to its number, the task, and everything published up to it."""
        return _NAME + bytes([self.number]) + self.task.digest + self.published

    def info(self, layer: int) -> bytes:
        """Return the info of a layer: 0 for the receiver of the messages, then 1 for the first shuffler, and so on."""
        return self.context + bytes([layer])

    @cached_property
    def layers(self) -> Sequence[tuple[bytes, bytes]]:
        """The key and the info of each layer, the innermost first."""
        task = self.task
        inner = [] if self.receiver is None else [(self.receiver.key, self.info(0))]
        outer = [(shuffler.key, self.info(place)) for place, shuffler in enumerate(task.shufflers, 1)]
        return inner + outer[::-1]

    def width(self, opened: int = 0) -> int:
        """Return the number of bytes of a message after this number of shufflers removed their layers."""
        return self.plain_form.size + SEAL_BYTES * (len(self.layers) - opened)
