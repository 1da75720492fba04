"""A participant's part over the network: check the parties, and send the upload of each round."""

import json
from collections.abc import Callable
from contextlib import nullcontext

from discretion.collection.client import Client
from discretion.collection.errors import MalformedError, OverError, RefusedTaskError, UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.public_keys import keys_at
from discretion.collection.wire.reports import encoded_reports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import LONGEST_CHOICE, Choice
from discretion.collection.wire.task import Task


def take_part(
    client: Client,
    first: Neighbour,
    keep: Callable[[], None],
    authority: str | None = None,
    *,
    near: str | None = None,
) -> bool:
    """Send the uploads that are due to the first shuffler, and return whether the task is complete.

    ``keep`` stores the client's state before anything is sent, so that a repeated upload is the same. ``authority`` and
    ``near`` are as for `Neighbour`, for the parties whose addresses are in the task.

    Raises
    ------
    CollectionError
        If the upload is refused, the client refuses the published choice, or a shuffler contradicts it; `OverError` if
        the task has ended before its last round.
    """
    choice: Choice | None = None
    board_pass = ""
    if client.asked_in == 2:  # after other people have answered the first round
        try:
            choice = Choice.decoded(first.ask("GET", "/rounds/2/choice", at_most=LONGEST_CHOICE), client.task)
        except UnknownError:
            choice = None
    if (ending := first.ending()) is not None:
        raise OverError(f"the task is over, and you need not send anything more: {ending}")
    if client.asked_in == 2:
        if choice is None:
            return False
        if not client.answered:
            check_shufflers(client.task, first, None, authority, near=near)
    while True:
        if client.answered < (1 if choice is None else choice.number):
            check_shufflers(client.task, first, choice, authority, near=near)
        if choice is not None and client.task.curator is None:
            check_boards(client, choice, board_pass, authority, near=near)
        if not client.is_admitted(choice):
            ask_admitter(client, choice, keep, authority, near=near)
        upload = client.upload(choice)
        keep()
        number = 1 if choice is None else choice.number
        board_pass = first.ask("POST", f"/rounds/{number}/uploads", content=upload).decode()
        if client.asked_in is not None or (choice is not None and choice.receiver == "analyst"):
            return True
        try:
            published = first.ask("GET", f"/rounds/{number + 1}/choice", at_most=LONGEST_CHOICE)
        except UnknownError:
            return False
        choice = Choice.decoded(published, client.task)


def check_shufflers(
    task: Task, first: Neighbour, choice: Choice | None, authority: str | None = None, *, near: str | None = None
) -> None:
    """Ask each shuffler at its address whether it has this task and key, or whether it made the reports of a choice.

    The organizer of the task could have put their own key next to a shuffler's address, and a curator could have
    invented the shufflers' reports. One honest shuffler is enough to notice.

    Raises
    ------
    RefusedTaskError
        If a shuffler's answer differs from the task or the choice.
    """
    for place, shuffler in enumerate(task.shufflers):
        with nullcontext(first) if place == 0 else Neighbour(shuffler.url, None, authority, near=near) as asked:
            if choice is None:
                held = keys_at(asked)
                agrees = held.task == task.digest and any(key.public == shuffler.key for key in held.keys)
                what = "does not have this task with the key in it"
            else:
                agrees = all(
                    asked.ask("GET", f"/rounds/{number}/reports") == encoded_reports(reports[: place + 1])
                    for number, reports in enumerate(choice.reports, 1)
                )
                what = "made other reports of a round than those in the published choice"
        if not agrees:
            raise RefusedTaskError(f"shuffler {place + 1}, at {asked.url}, {what}; nothing is sent")


def ask_admitter(
    client: Client,
    choice: Choice | None,
    keep: Callable[[], None],
    authority: str | None = None,
    *,
    near: str | None = None,
) -> None:
    """Ask the admitter to sign the blinded tokens of a round, and check the number of admitted people.

    Raises
    ------
    RefusedTaskError
        If the choice is from more people than the admitter has signed tokens for.
    """
    task = client.task
    request = client.admission_request(choice)
    keep()
    with Neighbour(task.admitter.url if task.admitter else "", authority=authority, near=near) as admitter:
        if choice is not None:
            admitted = _admitted(admitter.ask("GET", "/admitted"))
            if choice.people > admitted:
                raise RefusedTaskError(
                    f"the choice is from {choice.people:,} people, and the admitter has signed tokens for {admitted:,}"
                )
        place = Round(task, choice).admission_place
        client.admit(admitter.ask("POST", f"/admission/{place}", content=request), choice)
    keep()


def _admitted(answer: bytes) -> int:
    """Return the number of people whose tokens of the first round the admitter has signed."""
    try:
        return int(json.loads(answer)["admitted"][0])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise MalformedError("the admitter does not answer with the number of admitted people") from None


def check_boards(
    client: Client, choice: Choice, board_pass: str, authority: str | None = None, *, near: str | None = None
) -> None:
    """Check that a choice follows from the boards of earlier rounds, and that these have the participant's messages.

    Whole boards are fetched: a request for some messages would reveal to the last shuffler whose they are.
    """
    from discretion.collection.board import Board  # noqa: PLC0415 - the measures, which a client can do without
    from discretion.collection.services.without_curator import add_board  # noqa: PLC0415

    board = Board()
    with Neighbour(client.task.shufflers[-1].url, board_pass, authority, near=near) as last:
        for number in range(1, choice.number):
            add_board(board, client.round(number), last)
    board.check(client, choice)
