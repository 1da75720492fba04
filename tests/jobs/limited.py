"""A monitor with a limit of steps."""

from collections.abc import Generator
from contextlib import contextmanager

from discretion.errors import TooLargeError
from discretion.jobs.monitor import Monitor


class Limited(Monitor):
    """Lets so many steps pass, and ends every further one."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.seen: list[str] = []

    @property
    def over(self) -> bool:
        return len(self.seen) > self.steps

    @contextmanager
    def step(self, what: str) -> Generator[None]:
        self.seen.append(what)
        if self.over:
            raise TooLargeError("enough")
        yield
