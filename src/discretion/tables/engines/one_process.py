"""Engines belong to the process that made them; no other process can query them, and only one thread at a time."""

import ctypes
import os
from threading import RLock
from typing import NoReturn
from weakref import WeakSet

from discretion.errors import EngineError, UnsupportedError

# Held while an engine starts, and during a fork: some libraries hold locks of their own then, for which a process that
# is forked meanwhile would wait forever.
STARTING = RLock()
RUNNING: WeakSet[object] = WeakSet()


def _keep_for_ever() -> None:
    """Keep the engines of the parent process alive after a fork: freeing one would wait for threads that are gone.

    Where the system has freed their stacks, it would be a segmentation fault, at the latest when Python ends.
    """
    for engine in list(RUNNING):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
    STARTING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=STARTING.acquire, after_in_parent=STARTING.release, after_in_child=_keep_for_ever)


class ProcessBound:
    """An object that holds an engine, and so stays in the engine's process."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise UnsupportedError(
            f"a {type(self).__name__} cannot be pickled or copied, since it holds an engine of this process; make "
            "another one from its table where you need it, also in another process"
        )


class Turns:
    """A lock that is held while the engine answers a query.

    A process forked meanwhile would wait forever for its parent's threads.

    Raises
    ------
    EngineError
        If this is not the process that made it.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._taken = RLock()

    def check(self) -> None:
        """Refuse another process."""
        if os.getpid() != self._process:
            raise EngineError(
                "this population and its engine belong to the parent of this forked process; make another population "
                "from its table here"
            )

    def __enter__(self) -> None:
        self.check()
        self._taken.acquire()

    def __exit__(self, *_: object) -> None:
        self._taken.release()
