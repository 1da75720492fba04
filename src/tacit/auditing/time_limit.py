"""The time that an audit may take: it looks between its parts, and says what it left out."""

import math
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tacit.errors import InvalidValueError
from tacit.validation import as_real

T = TypeVar("T")


class TimeLimit:
    """So many seconds from now, or no limit if None; and what was left out for it."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = math.inf if seconds is None else as_real(seconds, "seconds")
        if not self.seconds > 0:
            raise InvalidValueError(f"seconds must be above 0, got {seconds!r}")
        self._until = time.monotonic() + self.seconds
        self.missed: list[str] = []
        self.cut_sets = False

    @property
    def is_up(self) -> bool:
        """Whether nothing more should be begun."""
        return time.monotonic() >= self._until

    def left_for(self, what: str, parts: Iterable[T]) -> Iterator[T]:
        """Yield the parts that are worked out in time; what these are about is remembered if it is not all of them."""
        working = iter(parts)
        while not self.is_up:
            try:
                part = next(working)
            except StopIteration:
                return
            yield part
        sentence = f"{what}, or the rest of it: the time limit of {self.seconds:g} s was reached."
        if sentence not in self.missed:
            self.missed.append(sentence)
