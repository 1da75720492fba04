"""The people of a simulation: each a client with its own token, many in a process."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from discretion.collection.board import Board
from discretion.collection.client import Client
from discretion.collection.errors import UnavailableError, UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.taking_part import ask_admitter
from discretion.collection.services.without_curator import add_board
from discretion.collection.wire.selection import LONGEST_CHOICE, Choice
from discretion.collection.wire.task import Task

_LOOK = 0.2  # seconds between two checks whether the next round has begun


def send_answers(
    encoded_task: bytes, answers: Sequence[Mapping[str, str | None]], tokens: Sequence[bytes], pipe: Any
) -> None:
    """Send the answers of all these people, round by round, up to the analyst's.

    ``pipe`` is a pipe that receives the number of each round that is sent, or the reason why it was not sent.
    """
    task = Task.decoded(encoded_task)
    try:
        clients = [Client(task, token, each) for token, each in zip(tokens, answers, strict=True)]
        with Neighbour(task.shufflers[0].url) as first:
            board, choice = Board(), None
            board_pass = ""
            while True:
                number = 1 if choice is None else choice.number
                for client in clients:
                    if client.asked_in not in (None, number):
                        continue
                    if choice is not None and task.curator is None:
                        board.check(client, choice)
                    if not client.is_admitted(choice):
                        ask_admitter(client, choice, lambda: None)
                    board_pass = _send(first, number, client.upload(choice))
                pipe.send(number)
                if choice is not None and choice.receiver == "analyst":
                    return
                choice = _wait_for_choice(task, first, number + 1)
                if task.curator is None:
                    with Neighbour(task.shufflers[-1].url, board_pass) as last:
                        add_board(board, clients[0].round(number), last)
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")


def _send(first: Neighbour, number: int, upload: bytes) -> str:
    """Send an upload until it is confirmed; it counts once. Return the pass of the boards."""
    while True:
        try:
            return first.ask("POST", f"/rounds/{number}/uploads", content=upload).decode()
        except UnavailableError:
            time.sleep(_LOOK)


def _wait_for_choice(task: Task, first: Neighbour, number: int) -> Choice:
    while True:
        try:
            return Choice.decoded(first.ask("GET", f"/rounds/{number}/choice", at_most=LONGEST_CHOICE), task)
        except (UnknownError, UnavailableError):
            time.sleep(_LOOK)
