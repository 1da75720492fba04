"""Without a curator: every participant finds her own messages on the board, and comes to the choice herself.

Anonymity, section 8.3: "the participants, the curator, and the analyst, are all the same entity".
"""

from collections.abc import Iterable

from tacit.collection.client import Client
from tacit.collection.errors import RefusedTaskError
from tacit.collection.parts.choosing import choice_of
from tacit.collection.parts.counting import counted, counts_of
from tacit.collection.wire.rounds import Round
from tacit.collection.wire.selection import Choice


def check_board(client: Client, pieces: Iterable[bytes], choice: Choice) -> None:
    """Check that a person's messages are on the board, each once, and that the choice is the one that it leads to.

    Raises
    ------
    RefusedTaskError
        If a message of hers is missing or there twice, or the published choice is another.
    """
    of, board = Round(client.task), b"".join(pieces)
    width = of.plain_form.size
    held = [board[start : start + width] for start in range(0, len(board), width)]
    for message in client.first_messages():
        if held.count(message) != 1:
            raise RefusedTaskError(f"a message of yours is {held.count(message)} times on the board, and not once")
    found = choice_of(client.task, counts_of(counted([board], of, None).answers, of))
    if found is None or (found.chosen, found.people) != (choice.chosen, choice.people):
        raise RefusedTaskError("the published choice is not the one that the answers on the board lead to")
