"""The processes that answer: several questions at once, each in its own, so that one never waits for another's work."""

import asyncio
import multiprocessing
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

from discretion.web.answering import Answered, Asked, Refused, Step, serve_questions
from discretion.web.doors import DOORS

# At once; further questions wait.
MOST_QUESTIONS = 4
_ENDED = Refused("the process that answered ended: most often there was not enough memory; ask for less")


@dataclass
class _Worker:
    """A process, the end of the pipe to it, and the tables that it keeps open."""

    process: Any
    connection: Any
    tables: set[str] = field(default_factory=set[str])

    @classmethod
    def started(cls) -> "_Worker":
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve_questions, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return cls(process, ours)

    def end(self) -> None:
        """Kill it, whatever it does."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _kept_table(asked: Asked) -> str | None:
    """Return the table that a question is asked of as a process keeps it."""
    about = asked.texts.get("about", ())
    return about[0] if about and DOORS[asked.path].keeps_table else None


class Workers:
    """Processes that are started when they are needed, and kept."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []
        self._room = asyncio.Semaphore(MOST_QUESTIONS)
        self._turns: dict[str, asyncio.Lock] = {}
        self._ended = False

    def prepare(self) -> None:
        """Start one, while nobody waits for it."""
        if not self._idle:
            self._idle.append(self._start())

    async def ask(self, asked: Asked, tell: Callable[[str], None]) -> Answered | Refused:
        """Return the answer to a question; who cancels this ends the work on it.

        Parameters
        ----------
        asked
            The question.
        tell
            Is told each step.
        """
        # Questions that are asked of a table as a process keeps it wait for each other rather than open it once more.
        kept = _kept_table(asked)
        async with self._turns.setdefault(kept, asyncio.Lock()) if kept else nullcontext():
            return await self._ask(asked, kept, tell)

    async def _ask(self, asked: Asked, kept: str | None, tell: Callable[[str], None]) -> Answered | Refused:
        if self._room.locked():
            tell(f"waiting: {MOST_QUESTIONS} other questions are being answered; cancel one to go on with this")
        async with self._room:
            worker = await asyncio.to_thread(self._fitting, kept)
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
                if done and not self._ended:
                    worker.tables |= {kept} if kept else set()
                    self._idle.append(worker)
                else:
                    self._all.remove(worker)
                    worker.end()

    async def _received(self, worker: _Worker) -> Any:
        """Return what a process sends next."""
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()
        loop.add_reader(worker.connection.fileno(), arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(worker.connection.fileno())
        return worker.connection.recv()

    def _fitting(self, kept: str | None) -> _Worker:
        """Return an idle process that has the table open; for a question that needs none, one that keeps none; or new.

        Such a question may take long, and those of the table would wait for it.
        """
        fitting = [worker for worker in self._idle if kept in worker.tables]
        fitting += [worker for worker in self._idle if not worker.tables]
        if not fitting:
            return self._start()
        self._idle.remove(fitting[0])
        return fitting[0]

    def _start(self) -> _Worker:
        worker = _Worker.started()
        self._all.append(worker)
        return worker

    def end(self) -> None:
        """End all."""
        self._ended = True
        for worker in self._all:
            with suppress(OSError, ValueError):
                worker.end()
        self._all.clear()
        self._idle.clear()
