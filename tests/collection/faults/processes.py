"""Parties as processes that die by kill -9 at any moment or line, and whose disk may be full.

They are forked from one that has loaded the libraries, many times cheaper than from the start.
"""

import os
import resource
import signal
import sys
import threading
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload([
    "discretion.collection.services.shuffler", "discretion.collection.services.curator",
    "discretion.collection.services.analyst",
    "discretion.collection.services.serving",
])  # fmt: skip
_OURS = ("/discretion/collection/parts/", "/discretion/collection/services/")


class Served:
    """A party's service, which can be ended and started as often as is wanted."""

    def __init__(self, folder: Path, role: str, port: int, people: int | None) -> None:
        self._given = (folder, role, port, people)
        self._process: BaseProcess | None = None

    def start(self, lines: int = 0) -> None:
        """Start it; after so many different lines of its own, if any, it is killed."""
        self._process = CONTEXT.Process(target=_serve, args=(*self._given, lines), daemon=True)
        self._process.start()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def fill_disk(self, longest: int | None) -> None:
        """Let no file become longer than this; None is as long as it likes again."""
        if self._process is not None and self._process.pid is not None and self.is_alive:
            soft = resource.RLIM_INFINITY if longest is None else longest
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (soft, resource.RLIM_INFINITY))


def _serve(folder: Path, role: str, port: int, people: int | None, lines: int) -> None:
    from discretion.collection.services.analyst import AnalystService
    from discretion.collection.services.curator import CuratorService
    from discretion.collection.services.home import Home
    from discretion.collection.services.operations import RequestBounds
    from discretion.collection.services.serving import serve
    from discretion.collection.services.shuffler import ShufflerService

    log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    if lines:
        die_after(lines)
    home = Home(folder)
    if role == "shuffler":
        service: Any = ShufflerService(home, people=people)
    else:
        service = {"curator": CuratorService, "analyst": AnalystService}[role](home)
    serve(service.application(RequestBounds(rate=1e9)), "127.0.0.1", port)


def pass_on(task: Any, private: bytes, folder: Path, lines: int = 0) -> None:
    """Do what a shuffler does with a round, from wherever it was cut short."""
    from discretion.collection.parts.at_rest import AtRest
    from discretion.collection.parts.inbox import Inbox
    from discretion.collection.parts.shuffler import Shuffler
    from discretion.collection.parts.store import Store
    from discretion.collection.wire.reports import encoded_reports

    if lines:
        die_after(lines)
    store = Store(f"sqlite:///{folder / 'shuffler-0' / 'store.sqlite'}", AtRest(folder / "shuffler-0" / "at-rest", 2))
    shuffler, after = Shuffler(task, 0, private, store, folder / "shuffler-0"), Inbox(folder / "next")
    shuffler.close(1)
    shuffler.shuffle(1)
    batch = shuffler.batch(1)
    if batch is not None:
        for place in range(batch.pieces):
            after.put(1, batch.batch, place, batch.piece(place))
        after.complete(1, batch.batch, batch.pieces, batch.digest, encoded_reports(batch.reports))
        shuffler.delivered(1)
    shuffler.forget(1)
    store.close()


def die_after(lines: int) -> None:
    """Kill this process when so many different lines of the parties' code have begun: loops are no new moments."""
    left = lines
    seen: set[tuple[str, int]] = set()

    def each_line(frame: Any, event: str, _: Any) -> Any:
        nonlocal left
        place = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and place not in seen:
            seen.add(place)
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return each_line

    def each_call(frame: Any, _: str, __: Any) -> Any:
        return each_line if any(part in frame.f_code.co_filename for part in _OURS) else None

    threading.settrace(each_call)
    sys.settrace(each_call)
