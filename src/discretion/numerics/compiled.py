"""Loops that Numba compiles at their first run, and that run on all cores."""

import os
from collections.abc import Callable, Iterable
from contextvars import copy_context
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")

# Sums may be reordered, which lets them run in lanes; NaN keeps its meaning.
_FREEDOMS = {"reassoc", "contract", "nsz"}


@cache
def compiled(loop: Callable[..., None]) -> Callable[..., None]:
    """Return a loop over arrays as machine code that runs in parallel with other Python threads.

    It is compiled once for each kind of argument, and cached on disk if the folder is writable.
    """
    njit: Any = import_module("numba").njit  # a third of a second that small inputs need not pay
    try:
        return njit(nogil=True, fastmath=_FREEDOMS, cache=True)(loop)
    except RuntimeError:  # there is no folder to keep it in
        return njit(nogil=True, fastmath=_FREEDOMS)(loop)


def on_all_cores(work: Callable[[T], U], parts: Iterable[T]) -> list[U]:
    """Return the results of ``work`` for all parts, in order, from threads on all cores with the current limits."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - a hundredth of a second of every start

    with ThreadPoolExecutor(_cores()) as threads:
        try:
            futures = [threads.submit(copy_context().run, work, part) for part in parts]
            return [part.result() for part in futures]
        except BaseException:  # Ctrl-C too must not wait for the parts that nobody has begun
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
