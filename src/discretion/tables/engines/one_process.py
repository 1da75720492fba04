"""An engine lives in the process that made it: no other one can ask it, and of its threads one at a time does."""

import ctypes
import os
from threading import RLock
from typing import NoReturn
from weakref import WeakSet

from discretion.errors import EngineError, UnsupportedError

# Held while an engine starts, and by whoever forks: some libraries have locks of their own then, for which a process
# that is forked in the midst would wait for ever.
STARTING = RLock()
RUNNING: WeakSet[object] = WeakSet()


def _keep_for_ever() -> None:
    """Keep the engines of the process that this one was forked from: to free one is to wait for threads that it lacks.

    Where the system has taken back their stacks it is a segmentation fault, when Python ends at the latest.
    """
    for engine in list(RUNNING):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
    STARTING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=STARTING.acquire, after_in_parent=STARTING.release, after_in_child=_keep_for_ever)


class ProcessBound:
    """What holds an engine, and stays with it."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise UnsupportedError(
            f"a {type(self).__name__} cannot be pickled or copied, for it holds an engine of this process; make it "
            "anew from its table where it is needed, in another process too"
        )


class Turns:
    """Held while the engine is asked.

    A process forked meanwhile would wait for its parent's threads for ever.

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
                "this population belongs to the process that this one was forked from, and so does its engine; make it "
                "anew here, from its table"
            )

    def __enter__(self) -> None:
        self.check()
        self._taken.acquire()

    def __exit__(self, *_: object) -> None:
        self._taken.release()
