"""The processes that answer: several questions at once, each in its own, so that one never waits for another's work."""

import asyncio
import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from discretion.web.answering import Answered, Asked, Refused, Step, serve_questions

# At once; further questions wait.
MOST_QUESTIONS = 4
_ENDED = Refused("the process that answered ended: most often there was not enough memory; ask for less")


@dataclass
class _Worker:
    """A process, and the end of the pipe to it."""

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


class Workers:
    """Processes that are started when they are needed, and kept."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []
        self._room = asyncio.Semaphore(MOST_QUESTIONS)
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
        if self._room.locked():
            tell(f"waiting: {MOST_QUESTIONS} other questions are being answered; cancel one to go on with this")
        async with self._room:
            worker = await asyncio.to_thread(self._fitting, asked)
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
                    worker.tables |= {*asked.files} & {*asked.texts.get("about", ())}
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

    def _fitting(self, asked: Asked) -> _Worker:
        """Return an idle process, one that knows the table rather than another, or a new one."""
        about = {*asked.texts.get("about", ())}
        if not self._idle:
            return self._start()
        chosen = max(self._idle, key=lambda worker: len(worker.tables & about))
        self._idle.remove(chosen)
        return chosen

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
