"""A participant's part over the network: the upload of each round, sent until it is acknowledged."""

from collections.abc import Callable

from discretion.collection.client import Client
from discretion.collection.errors import UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.wire.selection import Choice


def take_part(client: Client, first: Neighbour, keep: Callable[[], None], authority: str | None = None) -> bool:
    """Send the first shuffler what is due, and return whether that was all of the task.

    ``keep`` stores the client's state: before anything is sent, so that the same is sent again.

    Raises
    ------
    CollectionError
        If the upload is refused, or the client refuses what was published.
    """
    choice: Choice | None = None
    while True:
        if choice is not None and client.task.curator is None:
            check_boards(client, choice, authority)
        upload = client.upload(choice)
        keep()
        number = 1 if choice is None else choice.number
        first.ask("POST", f"/rounds/{number}/uploads", content=upload)
        if choice is not None and choice.receiver == "analyst":
            return True
        try:
            published = first.ask("GET", f"/rounds/{number + 1}/choice")
        except UnknownError:
            return False
        choice = Choice.decoded(published, client.task)


def check_boards(client: Client, choice: Choice, authority: str | None = None) -> None:
    """Check that the boards of the rounds before lead to a choice, and have the participant's messages."""
    from discretion.collection.board import Board  # noqa: PLC0415 - the measures, which a client can do without

    board = Board()
    with Neighbour(client.task.shufflers[-1].url, authority=authority) as last:
        for number in range(1, choice.number):
            board.add(client.round(number), last.ask("GET", f"/rounds/{number}/board"))
    board.check(client, choice)
