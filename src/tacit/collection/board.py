"""Without a curator: every participant finds her own messages on the board, and comes to the choice herself.

Anonymity, section 8.3: "the participants, the curator, and the analyst, are all the same entity".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacit.collection.client import Client
from tacit.collection.errors import RefusedTaskError
from tacit.collection.parts.asking import next_choice
from tacit.collection.parts.counting import alike_of, counted, counts_of
from tacit.collection.wire.selection import Choice


def check_board(client: Client, boards: Sequence[Iterable[bytes]], choice: Choice) -> None:
    """Check that a person's messages are on the board of each round, and that the choice is the one these lead to.

    Parameters
    ----------
    boards
        The pieces of the board of each round so far.
    choice
        What was published after these.

    Raises
    ------
    RefusedTaskError
        If a message of hers is missing or there twice, or the published choice is another.
    """
    counts: Mapping[str, NDArray[np.int64]] = {}
    alike: dict[tuple[int, ...], NDArray[np.int64]] = {}
    of = client.round(1)
    for number, pieces in enumerate(boards, 1):
        of, board = client.round(number), b"".join(pieces)
        width = of.plain_form.size
        held = [board[start : start + width] for start in range(0, len(board), width)]
        for message in client.messages(number):
            if held.count(message) != 1:
                raise RefusedTaskError(f"a message of yours is {held.count(message)} times on the board, and not once")
        answers = counted([board], of, None).answers
        if number == 1:
            counts = counts_of(answers, of)
        else:
            alike.update(alike_of(answers, of))
    found = next_choice(of, counts, alike)
    if found is None or replace(found, exposure=choice.exposure, signature=choice.signature) != choice:
        raise RefusedTaskError("the published choice is not the one that the answers on the board lead to")
