"""Without a curator: every participant finds their own messages on the board, and computes the choice.

Anonymity, section 8.3: "the participants, the curator, and the analyst, are all the same entity".
"""

from collections import Counter
from dataclasses import replace

from discretion.collection.client import Client
from discretion.collection.errors import RefusedTaskError
from discretion.collection.parts.asking import KnownCounts
from discretion.collection.parts.counting import count_batch, tallies_of
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice


class Board:
    """The open messages of the rounds so far, and what they lead to."""

    def __init__(self) -> None:
        self._rounds: list[Round] = []
        self._held: list[Counter[bytes]] = []
        self._learnt = KnownCounts()
        self._next: Choice | None = None

    def add(self, round_: Round, messages: bytes) -> None:
        """Take the messages of the round that comes next."""
        width = round_.plain_form.size
        self._held.append(Counter(messages[start : start + width] for start in range(0, len(messages), width)))
        self._rounds.append(round_)
        self._next = self._learnt.next_choice(round_, tallies_of(count_batch([messages], round_, None), round_))

    @property
    def leads_to(self) -> Choice | None:
        """What is published next, as everybody works it out; None if nothing is certified to go out."""
        return self._next

    def check(self, client: Client, choice: Choice) -> None:
        """Check that a person's messages are there, each once, and that a choice is the one that the board leads to.

        Raises
        ------
        RefusedTaskError
            If one of the participant's messages is missing or there twice, or the published choice is another.
        """
        for round_, messages in zip(self._rounds, self._held, strict=True):
            for message in client.messages(round_.number):
                if messages[message] != 1:
                    raise RefusedTaskError(
                        f"a message of yours is {messages[message]} times on the board, and not once"
                    )
        following = self._next
        if following is None or replace(following, exposure=choice.exposure, signature=choice.signature) != choice:
            raise RefusedTaskError("the published choice is not the one that the answers on the board lead to")
