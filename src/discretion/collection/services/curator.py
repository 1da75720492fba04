"""The curator's service: it counts single answers, or groups that are certified, and signs what may be asked next."""

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
    """A curator, with the parameters of any service that counts."""

    def __init__(self, home: Home, **more: Any) -> None:
        super().__init__(home, **more)
        self._signer = Ed25519PrivateKey.from_private_bytes(home.key(self.task.signer or b"").private)

    def operations(self) -> list[Operation]:
        """Return what a curator does: it takes batches, and says what it counted and what it chose."""
        return [
            Operation(
                "GET", "/rounds/{number:int}/choice", "Return what is published for a round, signed.", "anybody",
                self._choice,
            ),
            Operation("GET", "/result", "Return the counts, rare answers together.", "operator", self._result),
            *receiving(
                self._inbox, lambda number: 1 <= number <= self.task.rounds, len(self.task.shufflers), self.wake
            ),
        ]  # fmt: skip

    def step(self) -> None:
        """Count each round once its batch is here, and publish once what it leads to."""
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
        """Return what is published after a round, decided once; None if nothing may go out."""
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
        """Ask the analyst of how many people it counted answers, until it has: what may be given out depends on it."""
        path = _analysed_in(self.home)
        if not path.exists():
            with suppress(UnknownError), self.neighbour(self.task.analyst) as analyst:
                write_whole(path, str(int(analyst.ask("GET", "/people"))).encode())

    def status(self) -> dict[str, Any]:
        """Return of each round whether its answers are counted, and what was published for it."""
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
        """Return why the task ends before its last round, if it does."""
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
            raise UnknownError(f"nothing is published for round {number} yet, or nothing may go out")
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
    """Return what a curator gives out once it is decided what goes to the analyst, and what the counts tell.

    Raises
    ------
    UnknownError
        If that is not decided yet.
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
    raise UnknownError("it is not decided yet what goes to the analyst")


def _analysed_in(home: Home) -> Path:
    return home.folder / "analysed"


def _read_analysed(home: Home) -> int | None:
    path = _analysed_in(home)
    return int(path.read_text()) if path.exists() else None


def _counted_in(home: Home, number: int) -> Path:
    return home.folder / f"counted-{number}"


def _choice_for(home: Home, number: int) -> Path:
    return home.folder / f"choice-{number}"
