"""A participant's part over the network: the upload of each round, sent until it is acknowledged."""

from collections.abc import Callable

from discretion import limits
from discretion.collection.client import Client
from discretion.collection.errors import UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import LONGEST_CHOICE, Choice

# Of a board that is read: 200 bytes a message, a gigabyte is some five million messages.
MAX_BOARD_BYTES = 1 << 30


def take_part(
    client: Client,
    first: Neighbour,
    keep: Callable[[], None],
    authority: str | None = None,
    *,
    near: str | None = None,
) -> bool:
    """Send the first shuffler what is due, and return whether that was all of the task.

    ``keep`` stores the client's state: before anything is sent, so that the same is sent again. ``authority`` and
    ``near`` are as of `Neighbour`, for the last shuffler, whose address the task has.

    Raises
    ------
    CollectionError
        If the upload is refused, or the client refuses what was published.
    """
    choice: Choice | None = None
    while True:
        if choice is not None and client.task.curator is None:
            check_boards(client, choice, authority, near=near)
        upload = client.upload(choice)
        keep()
        number = 1 if choice is None else choice.number
        first.ask("POST", f"/rounds/{number}/uploads", content=upload)
        if choice is not None and choice.receiver == "analyst":
            return True
        try:
            published = first.ask("GET", f"/rounds/{number + 1}/choice", at_most=LONGEST_CHOICE)
        except UnknownError:
            return False
        choice = Choice.decoded(published, client.task)


def check_boards(client: Client, choice: Choice, authority: str | None = None, *, near: str | None = None) -> None:
    """Check that the boards of the rounds before lead to a choice, and have the participant's messages."""
    from discretion.collection.board import Board  # noqa: PLC0415 - the measures, which a client can do without

    board = Board()
    with Neighbour(client.task.shufflers[-1].url, authority=authority, near=near) as last:
        for number in range(1, choice.number):
            board.add(client.round(number), read_board(last, client.round(number)))
    board.check(client, choice)


def read_board(last: Neighbour, round_: Round) -> bytes:
    """Return the open messages of a round from the last shuffler, of which there are no more than may be.

    Raises
    ------
    CollectionError
        If they are not there yet, or are more than the people who are invited send.
    """
    bytes_ = limits.current().numbers(MAX_BOARD_BYTES, each=1)
    if round_.task.invited is not None and round_.task.noise is None:
        bytes_ = min(bytes_, round_.task.invited * round_.messages * round_.plain_form.size)
    return last.ask("GET", f"/rounds/{round_.number}/board", at_most=bytes_)
