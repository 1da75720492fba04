"""The processes that answer: several questions at once, each in a separate process, so that none waits for another."""

import asyncio
import multiprocessing
import signal
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from typing import Any

from discretion.web.answering import Answered, Asked, Refused, Step, serve_questions
from discretion.web.doors import DOORS

# The most questions at once, and the most that wait; further questions are refused.
MOST_QUESTIONS = 4
MOST_WAITING = 100
_ENDED = Refused("the process that answered ended, most often because there was not enough memory; ask for less")
_TOO_MANY = Refused(f"at most {MOST_WAITING} questions may wait; cancel some, and ask again")


@dataclass(eq=False)
class _Worker:
    """A process, the end of the pipe to it, and the tables that it keeps open."""

    process: Any
    connection: Any
    tables: set[str] = field(default_factory=set[str])

    @classmethod
    def started(cls, folder: str) -> "_Worker":
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve_questions, args=(theirs, folder), daemon=True)
        # Ctrl-C reaches all processes of a terminal, and ends the server; that ends these, which must print nothing.
        resource_tracker.ensure_running()  # which would let signals pass again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        return cls(process, ours)

    def end(self) -> None:
        """Kill the process, also in the middle of its work."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _kept_table(asked: Asked) -> str | None:
    """Return the name of the table if the question uses a table that a process keeps open, else None."""
    about = asked.texts.get("about", ())
    return about[0] if about and DOORS[asked.path].keeps_table else None


class Workers:
    """Processes that are started when they are needed, and kept.

    Parameters
    ----------
    folder
        The folder of the files that the page sent, which is deleted with the server, even if that is killed.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._idle: list[_Worker] = []
        self._room, self._waiting = asyncio.Semaphore(MOST_QUESTIONS), 0
        self._turns: dict[str, asyncio.Lock] = {}

    def prepare(self) -> None:
        """Start one process in advance, while nobody waits."""
        if not self._idle:
            self._idle.append(_Worker.started(self._folder))

    async def ask(self, asked: Asked, tell: Callable[[str], None]) -> Answered | Refused:
        """Return the answer to a question; canceling this coroutine ends the work.

        Parameters
        ----------
        asked
            The question.
        tell : callable
            A function that receives each step.
        """
        if self._waiting >= MOST_WAITING:
            return _TOO_MANY
        # Questions that are asked of a table as a process keeps it wait for each other rather than open it once more.
        kept = _kept_table(asked)
        turn = self._turns.setdefault(kept, asyncio.Lock()) if kept else nullcontext()
        is_waiting = True
        self._waiting += 1
        try:
            async with turn:
                if self._room.locked():
                    tell(f"waiting: {MOST_QUESTIONS} other questions are being answered; cancel one to go on with this")
                async with self._room:
                    is_waiting = False
                    self._waiting -= 1
                    return await self._answer(self._fitting(kept), asked, kept, tell)
        finally:
            self._waiting -= is_waiting

    async def _answer(
        self, worker: _Worker, asked: Asked, kept: str | None, tell: Callable[[str], None]
    ) -> Answered | Refused:
        done = False
        try:
            worker.connection.send(asked)
            while True:
                reply = await self._received(worker)
                if not isinstance(reply, Step):
                    done = True
                    return reply
                tell(reply.what)
        except (EOFError, OSError):
            return _ENDED
        finally:
            if done:
                worker.tables |= {kept} if kept else set()
                self._idle.append(worker)
            else:
                worker.end()

    async def _received(self, worker: _Worker) -> Any:
        """Return the next reply of a process."""
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()
        loop.add_reader(worker.connection.fileno(), arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(worker.connection.fileno())
        return worker.connection.recv()

    def _fitting(self, kept: str | None) -> _Worker:
        """Return an idle process that has the table open, else one that keeps no table, else a new one.

        A question that needs no open table may take long, and questions of the table would wait for it.
        """
        fitting = [worker for worker in self._idle if kept in worker.tables]
        fitting += [worker for worker in self._idle if not worker.tables]
        if not fitting and len(self._idle) >= MOST_QUESTIONS:
            fitting = self._idle
        if not fitting:
            return _Worker.started(self._folder)
        worker = fitting[0]
        self._idle.remove(worker)
        return worker

    def end(self) -> None:
        """End the idle processes; canceling a question ends the process that answers it."""
        while self._idle:
            self._idle.pop().end()
