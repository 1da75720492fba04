"""The shuffler's service: it takes uploads or another shuffler's batches, and passes on messages without senders."""

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import Any

from anyio.to_thread import run_sync

from discretion.collection.errors import CollectionError, ConflictError, MalformedError, UnknownError
from discretion.collection.parts.durable import write_whole
from discretion.collection.parts.shuffler import Shuffler, Shuffling
from discretion.collection.parts.shuffling import shuffle_messages
from discretion.collection.parts.store import Store
from discretion.collection.services.committing import GroupCommit
from discretion.collection.services.home import Home
from discretion.collection.services.operations import Operation
from discretion.collection.services.receiving import receiving
from discretion.collection.services.service import NOTHING_GOES_OUT, Service
from discretion.collection.services.waiting import LONGEST_PAUSE, PERIOD
from discretion.collection.wire.reports import encoded_reports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import LONGEST_CHOICE
from discretion.collection.wire.task import Party
from discretion.collection.wire.uploads import Upload, asked_in, upload_bytes

_LATEST = datetime(9999, 12, 31, tzinfo=UTC).timestamp()  # the last date that can be written
_LONGEST_TOKENS = 32 << 15  # bytes of hashes in a request


@dataclass(frozen=True)
class _Count:
    """The number of people who have sent in a round, and the time to count them again."""

    people: int
    again: float


class ShufflerService(Service):
    """The service of a shuffler.

    Parameters
    ----------
    home
        The home of the shuffler.
    store
        The database of uploads: ``sqlite:///FILE``, by default in the home, or ``postgresql+psycopg://…``.
    people
        The first round is closed when this many people have sent messages; None waits for its end.
    cores
        The number of processes that remove layers.
    shuffle
        The closing job, as for `Shuffler`.
    """

    def __init__(
        self, home: Home, *, store: str | None = None, people: int | None = None, cores: int = 1,
        shuffle: Shuffling = shuffle_messages, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(home, **more)
        self._place = home.place
        self._store = Store(store or f"sqlite:///{home.folder / 'store.sqlite'}", home.at_rest)
        self._shuffler = Shuffler(
            self.task, self._place, self.private, self._store, home.folder, cores=cores, shuffle=shuffle
        )
        self._people = people
        self._commit = GroupCommit(self._shuffler.add)
        if not self._place:
            self.meter.watch("uploads_waiting", "Uploads that wait to be stored.", lambda: self._commit.waiting)
        self._rounds: dict[int, Round] = {}
        self._forgotten: set[int] = set()
        self._counted: dict[int, _Count] = {}
        self._ending: str | None = None
        self._ended, self._one_ends = home.folder / "ended", Lock()
        self._ask_again, self._pause = 0.0, PERIOD
        self._board_pass = None if self.task.curator else home.board_pass.encode()
        for number in self._numbers:
            if self._store.progress(number) is not None:
                self._round(number)

    def operations(self) -> list[Operation]:
        """Return the operations of a shuffler: the first one takes uploads, the others take batches."""
        choosing = "sender" if self._place else "operator" if self.task.signer is None else "anybody"
        common = [
            Operation(
                "GET", "/rounds/{number:int}/choice", "Return the published choice of a round.", "anybody", self._choice
            ),
            Operation(
                "POST", "/rounds/{number:int}/choice", "Begin a round with its published choice.", choosing,
                self._open, lambda: LONGEST_CHOICE,
            ),
            Operation(
                "GET", "/rounds/{number:int}/reports", "Return the reports of the shufflers so far on a round.",
                "anybody", self._reports,
            ),
            Operation(
                "POST", "/rounds/{number:int}/close", "Close a round of enough people.", "operator",
                self._close_for_operator,
            ),
            Operation(
                "POST", "/rounds/{number:int}/discard",
                "Close a round, and destroy its messages if there are too few people.", "operator",
                partial(self._close_for_operator, discard=True),
            ),
        ]  # fmt: skip
        if self._place == len(self.task.shufflers) - 1 and Round(self.task).ends_open:
            common.append(Operation(
                "GET", "/rounds/{number:int}/board", "Return the open messages of a round.", "participant",
                self._shuffler.board,
            ))  # fmt: skip
        if self._place:
            return [
                *common,
                *receiving(self._shuffler.inbox, lambda number: number in self._numbers, self._place, self.wake),
            ]
        if self.task.curator is None:
            common.append(
                Operation("POST", "/ending", "End a task in which nothing may go out.", "operator", self._end)
            )
        return [
            *common,
            Operation(
                "POST", "/rounds/{number:int}/uploads", "Store the upload of a person in a round.", "anybody",
                self._upload, self._longest_upload,
            ),
            Operation(
                "POST", "/rounds/{number:int}/missing",
                "Return which of these SHA-256 belong to tokens without an upload in a round.", "operator",
                self._missing, lambda: _LONGEST_TOKENS,
            ),
            Operation(
                "POST", "/tokens", "Let people in by the SHA-256 of their tokens.", "operator",
                self._add_tokens, lambda: _LONGEST_TOKENS,
            ),
        ]  # fmt: skip

    @property
    def _numbers(self) -> range:
        return range(1, self.task.most_rounds + 1)

    def step(self) -> None:
        """Open, close, shuffle and pass on the rounds that are due."""
        self._learn_ending()
        for number in self._numbers:
            progress = self._store.progress(number)
            if progress is None and number == 1 and (self._place or self.now() >= self.task.opens):
                self._shuffler.open()
                self.log("opened", round=1)
                progress = self._store.progress(1)
            if progress is None:
                return
            if progress.state == "open" and self._is_over(number):
                self._close(number)
            self._shuffle(number)
            self._pass_on(number)
            self._forget(number)

    def _learn_ending(self) -> None:
        """Learn whether the task has ended here or at a later party, by asking the next party."""
        if self._ended.exists():
            self._ending = NOTHING_GOES_OUT
            return
        to = None
        for number in self._numbers:
            progress = self._store.progress(number)
            if progress is not None and progress.state == "discarded":
                self._ending = f"shuffler {self._place + 1} destroyed the answers of round {number}: {progress.reason}"
                return
            if progress is not None and progress.state == "delivered":
                to = self._after(number)
        if to is not None and time.monotonic() >= self._ask_again:
            self._ask_again = time.monotonic() + self._pause
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            with suppress(CollectionError), self.neighbour(to) as neighbour:
                self._ending = neighbour.ending()

    def ending(self) -> str | None:
        """Return the reason why the task ends before its last round, at most half a minute old, or None."""
        return self._ending

    def _end(self) -> None:
        with self._one_ends:  # the request may be repeated while the first one writes
            if not self._ended.exists():
                write_whole(self._ended, b"")
        self.wake()

    def _is_over(self, number: int) -> bool:
        if self._place:
            return self._shuffler.inbox.is_whole(number)
        if self.now() >= self.task.end_of(number) and not self.clock.is_doubtful():
            return True
        if self.task.other_people is not None:  # the tokens decide how many people answer this round
            return False
        first = self._store.progress(1)
        expected = self._people if number == 1 or first is None else first.people
        return expected is not None and self._people_sent(number) >= expected

    def _people_sent(self, number: int) -> int:
        """Return the number of people who have sent in a round, a moment ago, since counting many takes time."""
        last = self._counted.get(number)
        if last is None or time.monotonic() >= last.again:
            start = time.monotonic()
            people = self._store.people(number)
            took = time.monotonic() - start
            last = self._counted[number] = _Count(people, start + 20 * took)
        return last.people

    def _close_for_operator(self, number: int, *, discard: bool = False) -> dict[str, Any]:
        """Close a round at the operator's request, at any time; this also confirms the clock."""
        progress = self._store.progress(number)
        people = 0 if progress is None else self._shuffler.people(number)
        if progress is not None and progress.state == "open" and people < self.task.smallest_batch and not discard:
            ends = datetime.fromtimestamp(min(self.task.end_of(number), _LATEST), UTC)
            raise ConflictError(
                f"round {number} has {people:,} people and needs {self.task.smallest_batch:,}: closing it now destroys "
                f"their answers and ends the task; leave it open until {ends:%Y-%m-%d %H:%M} UTC, or add --discard"
            )
        closed = self._close(number)
        self.clock.confirm()
        return closed

    def _close(self, number: int) -> dict[str, Any]:
        state = self._shuffler.close(number)
        self.log("closed", round=number, state=state)
        self.wake()
        return {"round": number, "state": state}

    def _shuffle(self, number: int) -> None:
        before = self._store.progress(number)
        if before is not None and before.state == "closed":
            self._shuffler.shuffle(number)
            progress = self._store.progress(number) or before
            if progress.state == "discarded":
                self.log("discarded", round=number, reason=progress.reason)
                return
            self.meter.messages(number, progress.messages, progress.dropped)
            self.log(
                "shuffled", round=number, messages=progress.messages, dropped=progress.dropped,
                repeated=progress.repeated,
            )  # fmt: skip

    def _pass_on(self, number: int) -> None:
        batch = self._shuffler.batch(number)
        if batch is None:
            return
        to = self._after(number)
        if to is not None:
            progress = self._store.progress(number)
            with self.neighbour(to) as neighbour:
                # The curator knows what it published.
                choice = None if number == 1 or progress is None or to == self.task.curator else progress.choice
                neighbour.pass_on(batch, choice)
        self.log("passed on", round=number, messages=batch.messages)
        self._shuffler.delivered(number)
        self._forgotten.add(number)

    def _forget(self, number: int) -> None:
        """Destroy the rest of a finished round if its destruction was interrupted."""
        progress = self._store.progress(number)
        if progress is not None and progress.state in ("delivered", "discarded") and number not in self._forgotten:
            self._shuffler.forget(number)
            self._forgotten.add(number)

    def _after(self, number: int) -> Party | None:
        """Return the party that receives a round's batch from here, or None if it is posted on the board."""
        if self._place < len(self.task.shufflers) - 1:
            return self.task.shufflers[self._place + 1]
        return self._round(number).receiver

    def status(self) -> dict[str, Any]:
        """Return for each round that has begun its state and its numbers of people and messages."""
        rounds: list[dict[str, Any]] = []
        for number in self._numbers:
            if (progress := self._store.progress(number)) is not None:
                people = self._store.people(number) if progress.state == "open" else progress.people
                rounds.append({
                    "round": number, "state": progress.state, "people": people, "messages": progress.messages,
                    "dropped": progress.dropped, "repeated": progress.repeated, "reason": progress.reason,
                })  # fmt: skip
        return {
            "role": "shuffler", "place": self._place + 1, "task": self.task.digest.hex(), "rounds": rounds,
            "ending": self._ending,
        }  # fmt: skip

    def forget(self) -> None:
        """Destroy messages, tokens and batches."""
        self._ended.unlink(missing_ok=True)
        self._shuffler.destroy()

    def _round(self, number: int) -> Round:
        if number not in self._rounds:
            self._rounds[number] = self._shuffler.round(number)
        return self._rounds[number]

    def _longest_upload(self) -> int:
        return max(upload_bytes(self._round(number)) for number in (1, *self._rounds))

    async def _upload(self, number: int, body: bytes) -> bytes | None:
        outcome = "refused"
        try:
            if number not in self._rounds:
                await run_sync(self._round, number)
            await self._commit.put(number, Upload.decoded(body, self._rounds[number]))
            outcome = "stored"
            return self._board_pass
        finally:
            self.meter.upload(number if number in self._rounds else 0, outcome)

    def _add_tokens(self, hashes: bytes) -> dict[str, Any]:
        if not hashes or len(hashes) % 32:
            raise MalformedError(f"hashes of tokens must have 32 bytes each, got {len(hashes):,} bytes")
        self._store.add_tokens((hashes[start : start + 32] for start in range(0, len(hashes), 32)), self.task.invited)
        self.log("tokens", count=len(hashes) // 32)
        return {"tokens": len(hashes) // 32}

    def _reports(self, number: int) -> bytes:
        return encoded_reports(self._shuffler.reports(number))

    def _missing(self, number: int, hashes: bytes) -> dict[str, Any]:
        tokens = [hashes[start : start + 32] for start in range(0, len(hashes), 32)]
        sent = self._store.sent(number, tokens)
        everybody = self.task.other_people is None
        return {
            "missing": [
                place
                for place, token in enumerate(tokens)
                if token not in sent and (everybody or asked_in(token) == number)
            ]
        }

    def _choice(self, number: int) -> bytes:
        progress = self._store.progress(number)
        if progress is None or not progress.choice:
            raise UnknownError(f"round {number} has no published choice yet")
        return progress.choice

    def _open(self, number: int, choice: bytes) -> None:
        if number == 1:
            raise ConflictError("the first round begins at the time set in its task")
        self._shuffler.open(choice)
        self._round(number)
        self.log("opened", round=number)
        self.wake()


class UploadsService(ShufflerService):
    """A further process of a first shuffler that only takes uploads, here or on a machine with a copy of the home.

    All processes store in one database. The process with the whole service opens, closes and passes on rounds.
    """

    def operations(self) -> list[Operation]:
        """Return the operation that takes uploads, and those that participants need."""
        paths = {
            ("POST", "/rounds/{number:int}/uploads"), ("GET", "/rounds/{number:int}/choice"),
            ("GET", "/rounds/{number:int}/reports"),
        }  # fmt: skip
        return [each for each in super().operations() if (each.method, each.path) in paths]

    def step(self) -> None:
        """Learn whether the task has ended, to answer requests; the whole service does the other work."""
        self._learn_ending()

    def forget(self) -> None:
        """Destroy nothing but the keys; the whole service destroys the rest."""

    def _look_at_clock(self) -> None:
        """Leave the clock to the process that closes rounds."""
