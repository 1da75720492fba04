"""The curator's service: it counts single answers, or groups that are certified, and signs what may be asked next."""

from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from discretion.collection.errors import UnknownError
from discretion.collection.parts.asking import Learnt
from discretion.collection.parts.counting import counted
from discretion.collection.parts.durable import write_whole
from discretion.collection.parts.inbox import Inbox
from discretion.collection.results.curator import CuratorResult, curator_result
from discretion.collection.results.leaks import Leaks, leaks_of
from discretion.collection.services.home import Home
from discretion.collection.services.operations import Operation
from discretion.collection.services.receiving import receiving
from discretion.collection.services.service import Service
from discretion.collection.services.tallies import keep_tallies, kept_tallies
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice


class CuratorService(Service):
    """A curator.

    Parameters
    ----------
    home
        Its folder.
    cores
        How many processes open messages.
    """

    def __init__(self, home: Home, *, cores: int = 1, **more: Any) -> None:
        super().__init__(home, **more)
        self._signer = Ed25519PrivateKey.from_private_bytes(home.key(self.task.signer or b"").private)
        self._inbox = Inbox(home.folder / "inbox")
        self._cores = cores

    def operations(self) -> list[Operation]:
        """Return what a curator does: it takes batches, and says what it counted and what it chose."""
        return [
            Operation(
                "GET", "/rounds/{number:int}/choice", "Return what is published for a round, signed.", "anybody",
                self._choice,
            ),
            Operation("GET", "/result", "Return the counts, rare answers together.", "operator", self._result),
            *receiving(self._inbox, lambda number: 1 <= number <= self.task.rounds, self.wake),
        ]  # fmt: skip

    def step(self) -> None:
        """Count each round once its batch is here, and publish once what it leads to."""
        of, learnt = Round(self.task), Learnt()
        for number in range(1, self.task.rounds + 1):
            if not _counted_in(self.home, number).exists():
                if not self._inbox.is_whole(number):
                    return
                self._count(of)
            self._inbox.forget(number)
            choice = self._next(of, learnt)
            if choice is None:
                return
            self._publish(choice)
            of = Round(self.task, choice)
            if of.to_analyst:
                return

    def _count(self, of: Round) -> None:
        found = counted(self._inbox.blocks(of.number), of, self.private, self._cores)
        keep_tallies(_counted_in(self.home, of.number), found, of)
        self.meter.messages(of.number, int(found.times.sum()), found.dropped)
        self.log("counted", round=of.number, answers=int(found.times.sum()), dropped=found.dropped)

    def _next(self, of: Round, learnt: Learnt) -> Choice | None:
        """Return what is published after a round, decided once; None if nothing may go out."""
        tallies, path = kept_tallies(_counted_in(self.home, of.number)).groups, _choice_for(self.home, of.number + 1)
        if not path.exists():
            choice = learnt.next_choice(of, tallies)
            write_whole(path, b"" if choice is None else choice.signed(self._signer).encoded)
            self.log("nothing may go out" if choice is None else "chosen", round=of.number + 1)
        else:
            learnt.add(of, tallies)
        data = path.read_bytes()
        return Choice.decoded(data, self.task) if data else None

    def _publish(self, choice: Choice) -> None:
        done = self._published(choice.number)
        if not done.exists():
            with self.neighbour(self.task.shufflers[0]) as first:
                first.ask("POST", f"/rounds/{choice.number}/choice", content=choice.encoded)
            write_whole(done, b"")
            self.log("published", round=choice.number)

    def status(self) -> dict[str, Any]:
        """Return of each round whether its answers are counted, and what was published for it."""
        numbers = range(1, self.task.most_rounds + 1)
        records = [
            {
                "round": number, "counted": _counted_in(self.home, number).exists(),
                "published": self._published(number).exists(),
            }
            for number in numbers
        ]  # fmt: skip
        empty = [number for number in numbers if _choice_for(self.home, number).exists() and not self._held(number)]
        return {
            "role": "curator", "task": self.task.digest.hex(), "counts": records, "nothing_may_go_out": bool(empty)
        }  # fmt: skip

    def forget(self) -> None:
        """Destroy batches, counts and choices."""
        self._inbox.destroy()
        for number in range(1, self.task.most_rounds + 1):
            for path in (_counted_in(self.home, number), _choice_for(self.home, number), self._published(number)):
                path.unlink(missing_ok=True)

    def _choice(self, number: int) -> bytes:
        held = self._held(number)
        if not held:
            raise UnknownError(f"nothing is published for round {number} yet, or nothing may go out")
        return held

    def _held(self, number: int) -> bytes:
        path = _choice_for(self.home, number)
        return path.read_bytes() if path.exists() else b""

    def _published(self, number: int) -> Path:
        return self.home.folder / f"published-{number}"

    def _result(self) -> dict[str, Any]:
        counted, _ = curated(self.home)
        return dict(counted.to_dict())


def curated(home: Home) -> tuple[CuratorResult, Leaks]:
    """Return what a curator gives out once it is decided what goes to the analyst, and what the counts tell.

    Raises
    ------
    UnknownError
        If that is not decided yet.
    """
    task, learnt = home.task, kept_tallies(_counted_in(home, 1))
    counts = dict(zip((feature.name for feature in task.features), learnt.groups, strict=True))
    for number in range(2, task.most_rounds + 1):
        path = _choice_for(home, number)
        if not path.exists():
            break
        data = path.read_bytes()
        choice = Choice.decoded(data, task) if data else None
        if choice is None or choice.receiver == "analyst":
            return curator_result(task, counts, learnt, choice), leaks_of(task, counts, choice)
    raise UnknownError("it is not decided yet what goes to the analyst")


def _counted_in(home: Home, number: int) -> Path:
    return home.folder / f"counted-{number}"


def _choice_for(home: Home, number: int) -> Path:
    return home.folder / f"choice-{number}"
