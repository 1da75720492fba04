"""The curator's service: it counts single answers and certified groups, and signs the next choice."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from discretion.collection.errors import UnknownError
from discretion.collection.parts.asking import KnownCounts
from discretion.collection.parts.durable import write_whole
from discretion.collection.results.curator import CuratorResult, curator_result
from discretion.collection.results.leaks import Leaks, leaks_of
from discretion.collection.services.counting import CountingService
from discretion.collection.services.home import Home
from discretion.collection.services.operations import Operation
from discretion.collection.services.receiving import receiving
from discretion.collection.services.service import NOTHING_GOES_OUT
from discretion.collection.services.tallies import (
    check_kept,
    read_reason,
    read_tallies,
    reason_path,
    write_tallies,
)
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice


class CuratorService(CountingService):
    """The service of a curator, with the parameters of `CountingService`."""

    def __init__(self, home: Home, **more: Any) -> None:
        super().__init__(home, **more)
        self._signer = Ed25519PrivateKey.from_private_bytes(home.key(self.task.signer or b"").private)

    def operations(self) -> list[Operation]:
        """Return the operations of a curator: it takes batches, and returns its counts and its choices."""
        return [
            Operation(
                "GET", "/rounds/{number:int}/choice", "Return the signed choice of a round.", "anybody",
                self._choice,
            ),
            Operation("GET", "/result", "Return the counts, rare answers merged.", "operator", self._result),
            *receiving(
                self._inbox, lambda number: 1 <= number <= self.task.rounds, len(self.task.shufflers), self.wake
            ),
        ]  # fmt: skip

    def step(self) -> None:
        """Count each round once its batch has arrived, and publish the next choice once."""
        round_, known_counts = Round(self.task), KnownCounts()
        for number in range(1, self.task.rounds + 1):
            if not _counted_in(self.home, number).exists() and read_reason(self.home, number) is None:
                if not self._inbox.is_whole(number):
                    return
                self._count(round_)
            self._inbox.forget(number)
            if read_reason(self.home, number) is not None:
                return
            choice = self._next(round_, known_counts)
            if choice is None:
                return
            self._publish(choice)
            round_ = Round(self.task, choice)
            if round_.to_analyst:
                self._ask_analyst()
                return

    def _count(self, round_: Round) -> None:
        number = round_.number
        if (counted := self._counted(round_)) is None:
            return
        batch, reports = counted
        write_tallies(_counted_in(self.home, number), batch, round_, reports)
        self.log("counted", round=number, answers=int(batch.times.sum()), dropped=batch.dropped)

    def _next(self, round_: Round, known_counts: KnownCounts) -> Choice | None:
        """Return the choice after a round, which is decided once; None if nothing may go out."""
        tallies, path = (
            read_tallies(_counted_in(self.home, round_.number)),
            _choice_for(self.home, round_.number + 1),
        )
        if not path.exists():
            choice = known_counts.next_choice(round_, tallies.groups, tallies.reports)
            write_whole(path, b"" if choice is None else choice.signed(self._signer).encoded)
            self.log("nothing may go out" if choice is None else "chosen", round=round_.number + 1)
        else:
            known_counts.add(round_, tallies.groups, tallies.reports)
        data = path.read_bytes()
        return Choice.decoded(data, self.task) if data else None

    def _publish(self, choice: Choice) -> None:
        done = self._published(choice.number)
        if not done.exists():
            with self.neighbour(self.task.shufflers[0]) as first:
                first.ask("POST", f"/rounds/{choice.number}/choice", content=choice.encoded)
            write_whole(done, b"")
            self.log("published", round=choice.number)

    def _ask_analyst(self) -> None:
        """Ask the analyst, until it has counted, for its number of people, which decides which counts may go out."""
        path = _analysed_in(self.home)
        if not path.exists():
            with suppress(UnknownError), self.neighbour(self.task.analyst) as analyst:
                write_whole(path, str(int(analyst.ask("GET", "/people"))).encode())

    def status(self) -> dict[str, Any]:
        """Return for each round whether its answers are counted, and whether its choice is published."""
        records = [
            {
                "round": number, "counted": _counted_in(self.home, number).exists(),
                "published": self._published(number).exists(),
            }
            for number in self._numbers
        ]  # fmt: skip
        return {
            "role": "curator", "task": self.task.digest.hex(), "counts": records,
            "nothing_may_go_out": self._nothing_goes_out(), "discarded": self._discarded,
            "analysed": _read_analysed(self.home),
        }  # fmt: skip

    def ending(self) -> str | None:
        """Return the reason why the task ends before its last round, or None."""
        return NOTHING_GOES_OUT if self._nothing_goes_out() else super().ending()

    def _nothing_goes_out(self) -> bool:
        return any(
            _choice_for(self.home, number).exists() and not self._choice_bytes(number) for number in self._numbers
        )

    def forget(self) -> None:
        """Destroy batches, counts and choices."""
        self._inbox.destroy()
        _analysed_in(self.home).unlink(missing_ok=True)
        for number in self._numbers:
            for path in (
                _counted_in(self.home, number), _choice_for(self.home, number), self._published(number),
                reason_path(self.home, number),
            ):  # fmt: skip
                path.unlink(missing_ok=True)

    def _choice(self, number: int) -> bytes:
        data = self._choice_bytes(number)
        if not data:
            raise UnknownError(f"round {number} has no published choice yet, or nothing may go out")
        return data

    def _choice_bytes(self, number: int) -> bytes:
        path = _choice_for(self.home, number)
        return path.read_bytes() if path.exists() else b""

    def _published(self, number: int) -> Path:
        return self.home.folder / f"published-{number}"

    def _result(self) -> dict[str, Any]:
        result, _ = read_curator_result(self.home)
        return dict(result.to_dict())


def read_curator_result(home: Home) -> tuple[CuratorResult, Leaks]:
    """Return the curator's result and its leaks, once the choice for the analyst is made.

    Raises
    ------
    UnknownError
        If the choice is not made yet.
    """
    task = home.task
    check_kept(home, *range(1, task.most_rounds + 1))
    known_counts = read_tallies(_counted_in(home, 1))
    counts = dict(zip((feature.name for feature in task.features), known_counts.groups, strict=True))
    for number in range(2, task.most_rounds + 1):
        path = _choice_for(home, number)
        if not path.exists():
            break
        data = path.read_bytes()
        choice = Choice.decoded(data, task) if data else None
        if choice is None or choice.receiver == "analyst":
            result = curator_result(
                task, counts, known_counts, choice, task.confidence, reports=known_counts.reports,
                analysed=_read_analysed(home),
            )  # fmt: skip
            return result, leaks_of(task, counts, choice, people=result.people, confidence=task.confidence)
    raise UnknownError("the choice for the analyst is not made yet")


def _analysed_in(home: Home) -> Path:
    return home.folder / "analysed"


def _read_analysed(home: Home) -> int | None:
    path = _analysed_in(home)
    return int(path.read_text()) if path.exists() else None


def _counted_in(home: Home, number: int) -> Path:
    return home.folder / f"counted-{number}"


def _choice_for(home: Home, number: int) -> Path:
    return home.folder / f"choice-{number}"
