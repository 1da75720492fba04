"""A monitor of a job's steps."""

from contextlib import AbstractContextManager, nullcontext


class Monitor:
    """Follows a job step by step, and may end steps that take too long; this one does neither."""

    @property
    def over(self) -> bool:
        """Whether a limit was reached, so that every further step ends as soon as it begins."""
        return False

    def step(self, what: str) -> AbstractContextManager[None]:
        """Return a context for the work on a part of the job."""
        return nullcontext()
