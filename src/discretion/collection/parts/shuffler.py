"""A shuffler: it sees the senders, but no answers, and passes messages on in random order, without senders."""

from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from secrets import token_bytes
from shutil import rmtree

from discretion.collection.errors import CollectionError, ConflictError, StrangerError, UnknownError
from discretion.collection.parts.batch import BATCH_BYTES, Batch
from discretion.collection.parts.decrypting import Opener
from discretion.collection.parts.dummies import Dummies
from discretion.collection.parts.inbox import Inbox
from discretion.collection.parts.promises import broken_promise
from discretion.collection.parts.shuffling import Shuffle, forget, shuffle_messages
from discretion.collection.parts.store import RoundProgress, State, Store
from discretion.collection.wire.reports import ShufflerReport, decoded_reports, dummies_in
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import Task
from discretion.collection.wire.uploads import Upload

# A closing job: a function of the messages, their width, the function that removes a layer, and the file to write.
Shuffling = Callable[[Iterable[bytes], int, Opener, Path], Shuffle]


class Shuffler:
    """A shuffler of a task.

    Parameters
    ----------
    task
        The task.
    place
        The place of the shuffler in the task, from 0. The first shuffler takes uploads, each other one the batch of the
        shuffler before.
    private
        The 32 bytes of its private key.
    store
        Its database.
    folder
        The folder of batches that are received or passed on.
    cores
        The number of processes that remove layers.
    shuffle
        The closing job: `shuffle_messages` on this machine, or
        :func:`~discretion.collection.parts.spark_shuffling.shuffled_on_spark`.
    """

    def __init__(
        self, task: Task, place: int, private: bytes, store: Store, folder: Path, *, cores: int = 1,
        shuffle: Shuffling = shuffle_messages,
    ) -> None:  # fmt: skip
        self.task, self.place, self.store, self.folder = task, place, store, folder
        self._private, self._cores, self._shuffled = private, cores, shuffle
        self.inbox = Inbox(folder / "inbox")

    def round(self, number: int) -> Round:
        """Return a round that has begun.

        Raises
        ------
        UnknownError
            If the round has not begun.
        """
        if number == 1:
            return Round(self.task)
        return Round(self.task, Choice.decoded(self._progress(number).choice, self.task))

    def open(self, choice: bytes | None = None) -> None:
        """Begin the first round, or a later one with its published choice.

        Raises
        ------
        ConflictError
            If the round before is not passed on yet, is the last one, or has another choice than the one that this
            choice follows; or if the round already has another choice.
        """
        if choice is None:
            self.store.open_round(1, token_bytes(BATCH_BYTES))
            return
        request = Choice.decoded(choice, self.task)
        progress = self.store.progress(request.number - 1)
        if progress is None or progress.state != "delivered":
            raise ConflictError(f"round {request.number} comes after round {request.number - 1}, which is not over yet")
        before = self.round(request.number - 1)
        if before.to_analyst or request.before != before.published:
            raise ConflictError(f"this choice does not follow the published choice of round {before.number}")
        self.store.open_round(request.number, token_bytes(BATCH_BYTES), choice)

    def add(self, number: int, uploads: list[Upload]) -> list[CollectionError | None]:
        """Store uploads, and return for each None, or the reason why it does not count.

        If other people answer each round, only uploads with a token for this round count.
        """
        if self.task.other_people is None:
            return self.store.add(number, uploads)
        own = [upload for upload in uploads if upload.asked_in == number]
        verdicts = iter(self.store.add(number, own, by_invitation=True))
        return [
            next(verdicts)
            if upload.asked_in == number
            else StrangerError(f"this token is for round {upload.asked_in}, not for round {number}")
            for upload in uploads
        ]

    def people(self, number: int) -> int:
        """Return how many people sent messages in a round, here or to the first shuffler."""
        if not self.place:
            return self.store.people(number)
        round_ = self.round(number)
        messages = sum(map(len, self.inbox.blocks(number))) // round_.width(self.place)
        dummies = sum(dummies_in(self._reports(number), round_.messages)) if self.inbox.is_whole(number) else 0
        return max(0, messages - dummies) // round_.messages

    def close(self, number: int) -> State:
        """Close a round; a batch of fewer people than the task's smallest batch is destroyed unopened."""
        people = self.people(number) if self.place else None
        state = self.store.close_round(number, self.task.smallest_batch, people)
        if state == "discarded":
            self.forget(number)
        return state

    def shuffle(self, number: int) -> None:
        """Remove the layer of a closed batch and put it in random order, once; destroy it if it violates a rule.

        Nobody saw the result of an interrupted shuffle, so it is done again.
        """
        progress = self._progress(number)
        if progress.state != "closed":
            return
        for leftover in self.folder.glob("round-*.parts-*"):  # of an interrupted shuffle
            rmtree(leftover)
        round_ = self.round(number)
        width = round_.width(self.place)
        opener = Opener(self._private, round_.info(self.place + 1), width, self._cores)
        dummies, reports = Dummies(round_, self.place), self._reports(number)
        done = self._shuffled(chain(self._messages(number), dummies), width, opener, self._out(number))
        own = ShufflerReport(
            done.messages, done.dropped, done.repeated_sealed + done.repeated, done.digest, dummies.added
        )
        broken = broken_promise(
            round_, reports, valid=done.messages - sum(dummies_in([*reports, own], round_.messages)),
            received=own.received,
            repeated=done.repeated_sealed if self.place else 0,  # people, who may be anybody, send to the first one
        )  # fmt: skip
        if broken is not None:
            forget(self._out(number))
            self.store.discard(number, broken)
            self.forget(number)
            return
        self.store.set_shuffled(number, own)

    def batch(self, number: int) -> Batch | None:
        """Return the batch of a round to pass on, or None if there is none."""
        progress = self.store.progress(number)
        if progress is None or progress.state != "shuffled":
            return None
        return Batch(number, progress.batch, self._out(number), self.reports(number))

    def reports(self, number: int) -> tuple[ShufflerReport, ...]:
        """Return the reports of a round of the shufflers up to this one.

        Raises
        ------
        UnknownError
            If the batch is not in random order yet, or was destroyed.
        """
        progress = self._progress(number)
        if progress.state not in ("shuffled", "delivered"):
            raise UnknownError(f"there is no report of round {number}: it is {progress.state}")
        own = ShufflerReport(progress.messages, progress.dropped, progress.repeated, progress.digest, progress.added)
        return (*self._reports(number), own)

    def delivered(self, number: int) -> None:
        """Destroy messages and order, after the next party has confirmed that it has them."""
        self.store.set_delivered(number)
        self.forget(number)

    def forget(self, number: int) -> None:
        """Destroy messages and order of a round that was passed on or discarded; call it again if it was interrupted.

        Raises
        ------
        UnavailableError
            If the disk has no room to wipe the database.
        """
        self.store.destroy_key(number)
        self.inbox.forget(number)
        if not (self.round(number).ends_open and self.place == len(self.task.shufflers) - 1):
            self._out(number).unlink(missing_ok=True)
        self.store.wipe()

    def board(self, number: int = 1) -> Path:
        """Return the file of the open messages of a round, for all participants of a task without a curator."""
        progress, path = self.store.progress(number), self._out(number)
        if progress is None or progress.state != "delivered" or not path.exists():
            raise UnknownError("there is no board; a task without a curator has one after each round but the last")
        return path

    def destroy(self) -> None:
        """Destroy all stored data of the task; call it again if it was interrupted."""
        self.inbox.destroy()
        for number in range(1, self.task.most_rounds + 1):
            forget(self._out(number))
        self.store.destroy()

    def _progress(self, number: int) -> RoundProgress:
        progress = self.store.progress(number)
        if progress is None:
            raise UnknownError(f"round {number} has not begun")
        return progress

    def _reports(self, number: int) -> tuple[ShufflerReport, ...]:
        return decoded_reports(self.inbox.reports(number), self.place) if self.place else ()

    def _messages(self, number: int) -> Iterable[bytes]:
        return self.store.messages(number) if self.place == 0 else self.inbox.blocks(number)

    def _out(self, number: int) -> Path:
        return self.folder / f"round-{number}"
