"""Limits of a computation, beyond which it is refused, stopped, or replaced by bounds or a sample.

The limits decide whether and how a question is answered; they never change a number that is computed. A server for many
users lowers them for everything that it computes within a block.
"""

import operator
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any

from discretion.errors import InvalidValueError, TooLargeError


def _as_limit(value: Any, name: str, most: int) -> int:
    try:
        limit = operator.index(value)
    except TypeError:
        limit = 0
    if isinstance(value, bool) or not 1 <= limit <= most:
        got = "more" if limit > most else f"{value!r:.40}"
        raise InvalidValueError(
            f"{name} must be a whole number from 1 to {most:,}, its default, since limits are only lowered; got {got}"
        )
    return limit


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The most memory, steps, time and people that a question may take; by default each limit is at its maximum.

    Each algorithm has a constant ``MAX_…`` for the largest size that it takes on any machine. These four limits lower
    that size further. They are orders of magnitude: libraries, and the arrays between two steps, take several times as
    much.

    Parameters
    ----------
    bytes
        Memory, or disk space where something is unpacked: 8 bytes for each entry of a matrix.
    operations
        Elementary steps: about a thousand million take ten seconds.
    seconds
        The time limit of a search, after which it returns its best result so far.
    people
        Users, records or reports that a question is about.

    Raises
    ------
    InvalidValueError
        If a limit is not a whole number from 1 to its default.

    Examples
    --------
    >>> from discretion.limits import Limits
    >>> Limits(people=10_000).people
    10000
    >>> Limits().people
    10000000000
    """

    bytes: int = 1 << 44
    operations: int = 1 << 52
    seconds: int = 10**9
    people: int = 10**10

    def __post_init__(self) -> None:
        for each in fields(self):
            assert isinstance(each.default, int)
            object.__setattr__(self, each.name, _as_limit(getattr(self, each.name), each.name, each.default))

    def numbers(self, most: int, each: int = 8) -> int:
        """Return how many numbers of ``each`` bytes may be held at once, at most ``most``, and at least one.

        Examples
        --------
        >>> Limits(bytes=8_000).numbers(10_000), Limits().numbers(10_000)
        (1000, 10000)
        """
        return max(1, min(most, self.bytes // each))

    def steps(self, most: int, each: int = 1) -> int:
        """Return how many steps of ``each`` operations may be taken, at most ``most``, and at least one.

        Examples
        --------
        >>> Limits(operations=8_000).steps(10_000, each=4), Limits().steps(10_000)
        (2000, 10000)
        """
        return max(1, min(most, self.operations // each))

    def __str__(self) -> str:
        lowered = {each.name: getattr(self, each.name) for each in fields(self)}
        return ", ".join(f"{name}={value:,}" for name, value in lowered.items() if value < getattr(_HIGHEST, name))


_HIGHEST = Limits()
_CURRENT: ContextVar[Limits] = ContextVar("limits", default=_HIGHEST)


def current() -> Limits:
    """Return the limits that hold here.

    Examples
    --------
    >>> from discretion import limits
    >>> limits.current() == limits.Limits()
    True
    """
    return _CURRENT.get()


@contextmanager
def within(limits: Limits) -> Generator[None]:
    """Apply these limits within the block, in its thread or task, in place of the limits outside.

    Examples
    --------
    >>> import discretion as dc
    >>> from discretion.limits import Limits, within
    >>> with within(Limits(people=1000)):
    ...     dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 1001)
    Traceback (most recent call last):
    discretion.errors.TooLargeError: n must be at most 1,000, ... got more (limits lowered to people=1,000)
    """
    if not isinstance(limits, Limits):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValueError(f"within takes a discretion.limits.Limits, got {limits!r:.40}")
    token = _CURRENT.set(limits)
    try:
        yield
    except TooLargeError as error:
        if limits != _HIGHEST:
            error.args = (f"{error} (limits lowered to {limits})",)
        raise
    finally:
        _CURRENT.reset(token)
