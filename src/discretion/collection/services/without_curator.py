"""Open the next round of a task without a curator, from the boards, with the choice that everybody computes."""

from discretion import limits
from discretion.collection.board import Board
from discretion.collection.errors import ConflictError, UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.wire.reports import decoded_reports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import LONGEST_CHOICE, Choice
from discretion.collection.wire.task import Task

# The largest board that is read: with 22 bytes a message, a gigabyte is some 48 million messages.
MAX_BOARD_BYTES = 1 << 30


def add_board(board: Board, round_: Round, last: Neighbour) -> None:
    """Fetch the open messages of a round at the last shuffler, with all shufflers' reports, and add them to a board."""
    task = round_.task
    most = limits.current().numbers(MAX_BOARD_BYTES, each=1)
    if task.invited is not None:
        most = min(most, task.invited * round_.messages * round_.plain_form.size)
    reports = decoded_reports(last.ask("GET", f"/rounds/{round_.number}/reports"), len(task.shufflers))
    board.add(round_, last.ask("GET", f"/rounds/{round_.number}/board", at_most=most), reports)


def open_next(task: Task, first: Neighbour, last: Neighbour) -> Choice | None:
    """Publish the choice that follows from the boards to the first shuffler, and return it; None if nothing may go out.

    Raises
    ------
    ConflictError
        If the analyst's round has begun.
    CollectionError
        If a board does not exist yet.
    """
    round_, board = Round(task), Board()
    while not round_.to_analyst:
        add_board(board, round_, last)
        choice = board.leads_to
        if choice is None:
            first.ask("POST", "/ending")
            return None
        try:
            choice = Choice.decoded(first.ask("GET", f"/rounds/{choice.number}/choice", at_most=LONGEST_CHOICE), task)
        except UnknownError:
            first.ask("POST", f"/rounds/{choice.number}/choice", content=choice.encoded)
            return choice
        round_ = Round(task, choice)
    raise ConflictError("the analyst's round has already begun, and it is the last one")
