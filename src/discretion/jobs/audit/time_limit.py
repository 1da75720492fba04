"""The time limit of an audit, checked between its parts, and the sections that it cut short."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from discretion import limits
from discretion.errors import InvalidValueError
from discretion.validation import as_real

T = TypeVar("T")


class TimeLimit:
    """A time limit from now on, or no limit if None; and the sections of the audit that it cut short.

    Parameters
    ----------
    seconds
        The number of seconds.
    searching
        Makes a context around a search for columns after its first set within the budgets: a KeyboardInterrupt in it
        ends only the search.
    """

    def __init__(
        self, seconds: float | None, *, searching: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self.searching = searching
        self._limited = seconds is not None
        self.seconds = math.inf if seconds is None else as_real(seconds, "seconds")
        if not self.seconds > 0:
            raise InvalidValueError(f"seconds must be above 0, got {seconds!r}")
        self.seconds = min(self.seconds, limits.current().seconds)
        self._until = time.monotonic() + self.seconds
        self._cut: dict[str, None] = {}

    @property
    def left(self) -> float:
        """The number of seconds left, at least 0."""
        return max(0.0, self._until - time.monotonic())

    def for_search(self, share: float) -> float | None:
        """Return the seconds that a search may take, a share of those left; None without a limit."""
        return max(share * self.left, 1e-9) if self._limited else None

    def cut_off(self, section: str) -> None:
        """Note that a section was cut short."""
        self._cut[section] = None

    @property
    def cut(self) -> tuple[str, ...]:
        """The sections that are missing or incomplete, in the order in which they were cut."""
        return tuple(self._cut)

    def left_for(self, section: str, parts: Iterable[T]) -> Iterator[T]:
        """Yield the parts of a section that are computed in time."""
        working = iter(parts)
        while time.monotonic() < self._until:
            try:
                part = next(working)
            except StopIteration:
                return
            yield part
        self.cut_off(section)
