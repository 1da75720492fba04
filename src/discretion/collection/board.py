"""The board of a task without a curator, on which participants find their messages and compute the choice.

Anonymity, section 8.3: "the participants, the curator, and the analyst, are all the same entity".
"""

from collections.abc import Sequence
from dataclasses import replace

from discretion.collection.client import Client
from discretion.collection.errors import RefusedTaskError
from discretion.collection.parts.asking import KnownCounts
from discretion.collection.parts.counting import count_batch, tallies_of
from discretion.collection.parts.promises import broken_by_counts
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice


class Board:
    """The open messages of the rounds so far, and the choice that follows from them."""

    def __init__(self) -> None:
        self._rounds: list[Round] = []
        self._held: list[set[bytes]] = []
        self._learnt = KnownCounts()
        self._next: Choice | None = None

    def add(self, round_: Round, messages: bytes, reports: Sequence[ShufflerReport]) -> None:
        """Add the messages of the next round, and the shufflers' reports of it.

        Raises
        ------
        RefusedTaskError
            If a message is there twice, if there are too few or too many, or if they contradict the reports.
        """
        width = round_.plain_form.size
        batch = count_batch([messages], round_, None)
        if (broken := broken_by_counts(round_, reports, batch)) is not None:
            raise RefusedTaskError(f"the board of round {round_.number} violates a rule of the task: {broken}")
        self._held.append({messages[start : start + width] for start in range(0, len(messages), width)})
        self._rounds.append(round_)
        self._next = self._learnt.next_choice(round_, tallies_of(batch, round_), reports)

    @property
    def leads_to(self) -> Choice | None:
        """The next choice, which every participant computes from the board; None if nothing is certified to go out."""
        return self._next

    def check(self, client: Client, choice: Choice) -> None:
        """Check that a person's messages are on the board, and that a choice is the one that follows from the board.

        Raises
        ------
        RefusedTaskError
            If one of the participant's messages is missing, or the published choice is another.
        """
        for round_, messages in zip(self._rounds, self._held, strict=True):
            if missing := sum(message not in messages for message in client.messages(round_.number)):
                raise RefusedTaskError(
                    f"{missing} of your {round_.messages} messages are missing on the board of round {round_.number}"
                )
        following = self._next
        if following is None or replace(following, signature=choice.signature) != choice:
            raise RefusedTaskError("the published choice is not the one that follows from the answers on the board")
