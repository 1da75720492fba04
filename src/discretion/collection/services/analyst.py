"""The analyst's service: it counts the answers to the features that were chosen to go out together."""

from functools import partial
from typing import Any

from discretion.collection.errors import RefusedTaskError
from discretion.collection.parts.counting import people_in
from discretion.collection.parts.durable import write_whole
from discretion.collection.results.analyst import AnalystResult, analyst_result
from discretion.collection.results.parquet import to_parquet
from discretion.collection.services.counting import CountingService
from discretion.collection.services.home import Home
from discretion.collection.services.operations import Operation
from discretion.collection.services.receiving import receiving
from discretion.collection.services.tallies import (
    check_kept,
    read_answers,
    read_reason,
    reason_path,
    write_answers,
)
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import LONGEST_CHOICE, Choice

_CHOICE, _COUNTED = "choice", "counted"


class AnalystService(CountingService):
    """The service of an analyst, with the parameters of `CountingService`."""

    def __init__(self, home: Home, **more: Any) -> None:
        super().__init__(home, **more)
        self._choice_path, self._counted_path = home.folder / _CHOICE, home.folder / _COUNTED

    def operations(self) -> list[Operation]:
        """Return the operations of an analyst: it takes a choice and the batch of its round, and returns the result."""
        return [
            Operation(
                "POST", "/rounds/{number:int}/choice", "Take the published choice of the last round.", "sender",
                self._take_choice, lambda: LONGEST_CHOICE,
            ),
            Operation(
                "GET", "/people", "Return the number of people whose joint answers were counted.", "anybody",
                self._people,
            ),
            Operation("GET", "/result", "Return the joint answers, rare ones merged.", "operator", self._result),
            Operation(
                "GET", "/result/all", "Return all joint answers.", "operator", partial(self._result, show_rare=True)
            ),
            Operation(
                "GET", "/result/file", "Return all joint answers as Parquet.", "operator",
                lambda: to_parquet(read_analyst_result(self.home)),
            ),
            *receiving(self._inbox, self._takes, len(self.task.shufflers), self.wake),
        ]  # fmt: skip

    def _takes(self, number: int) -> bool:
        choice = self._choice()
        return choice is not None and choice.number == number

    def _choice(self) -> Choice | None:
        return Choice.decoded(self._choice_path.read_bytes(), self.task) if self._choice_path.exists() else None

    def step(self) -> None:
        """Count the batch once it has arrived."""
        choice = self._choice()
        if choice is None:
            return
        if not self._is_over(choice.number) and self._inbox.is_whole(choice.number):
            self._count(Round(self.task, choice))
        if self._is_over(choice.number):
            self._inbox.forget(choice.number)

    def _is_over(self, number: int) -> bool:
        return self._counted_path.exists() or read_reason(self.home, number) is not None

    def _count(self, round_: Round) -> None:
        if (counted := self._counted(round_)) is None:
            return
        batch, reports = counted
        write_answers(self._counted_path, batch, reports)
        (people,) = people_in([batch.times], reports)
        self.log("counted", people=people, dropped=batch.dropped)

    def _take_choice(self, number: int, choice: bytes) -> None:
        request = Choice.decoded(choice, self.task)
        if not Round(self.task, request).to_analyst or request.number != number:
            raise RefusedTaskError("this choice is not for the analyst, or is for another round")
        if not self._choice_path.exists():
            write_whole(self._choice_path, choice)
        elif self._choice_path.read_bytes() != choice:
            raise RefusedTaskError("the analyst already has another choice")

    def status(self) -> dict[str, Any]:
        """Return whether the choice has arrived, and whether its answers are counted."""
        return {
            "role": "analyst", "task": self.task.digest.hex(), "chosen": self._choice_path.exists(),
            "counted": self._counted_path.exists(),
            "discarded": self._discarded,
        }  # fmt: skip

    def forget(self) -> None:
        """Destroy the batch, the choice and the result."""
        self._inbox.destroy()
        reasons = (reason_path(self.home, number) for number in self._numbers)
        for path in (self._choice_path, self._counted_path, *reasons):
            path.unlink(missing_ok=True)

    def _people(self) -> bytes:
        batch, reports = read_answers(self._counted_path)
        (people,) = people_in([batch.times], reports)
        return str(people).encode()

    def _result(self, *, show_rare: bool = False) -> dict[str, Any]:
        return dict(read_analyst_result(self.home).to_dict(show_rare=show_rare))


def read_analyst_result(home: Home) -> AnalystResult:
    """Return the analyst's result from its home.

    Raises
    ------
    UnknownError
        If the answers are not counted yet.
    """
    check_kept(home, *range(1, home.task.most_rounds + 1))
    batch, reports = read_answers(home.folder / _COUNTED)
    choice = Choice.decoded((home.folder / _CHOICE).read_bytes(), home.task)
    return analyst_result(batch, Round(home.task, choice), reports=reports)
