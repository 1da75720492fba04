"""Who opens the next round where there is no curator: anybody who has the boards comes to what is asked."""

from discretion.collection.board import Board
from discretion.collection.errors import ConflictError, UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.taking_part import read_board
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import LONGEST_CHOICE, Choice
from discretion.collection.wire.task import Task


def open_next(task: Task, first: Neighbour, last: Neighbour) -> Choice | None:
    """Publish what the boards at the last shuffler lead to at the first one, and return it; None if nothing may go out.

    Raises
    ------
    ConflictError
        If the analyst's round has begun.
    CollectionError
        If a board is not there yet.
    """
    round_, board = Round(task), Board()
    while not round_.to_analyst:
        board.add(round_, read_board(last, round_))
        choice = board.leads_to
        if choice is None:
            return None
        try:
            choice = Choice.decoded(first.ask("GET", f"/rounds/{choice.number}/choice", at_most=LONGEST_CHOICE), task)
        except UnknownError:
            first.ask("POST", f"/rounds/{choice.number}/choice", content=choice.encoded)
            return choice
        round_ = Round(task, choice)
    raise ConflictError("the analyst's round has begun already, and it is the last one")
