"""The common part of the curator's and the analyst's service: open the last layer of a batch and count its answers."""

from typing import Any

from discretion.collection.parts.counting import BatchCounts, count_batch
from discretion.collection.parts.inbox import Inbox
from discretion.collection.parts.promises import broken_by_counts
from discretion.collection.services.home import Home
from discretion.collection.services.service import Service
from discretion.collection.services.tallies import read_reason, write_reason
from discretion.collection.wire.reports import ShufflerReport, decoded_reports
from discretion.collection.wire.rounds import Round


class CountingService(Service):
    """A service that counts batches.

    Parameters
    ----------
    home
        The home of the party.
    cores
        The number of processes that open messages.
    """

    def __init__(self, home: Home, *, cores: int = 1, **more: Any) -> None:
        super().__init__(home, **more)
        self._inbox = Inbox(home.folder / "inbox")
        self._cores = cores

    @property
    def _numbers(self) -> range:
        return range(1, self.task.most_rounds + 1)

    @property
    def _discarded(self) -> str | None:
        return read_reason(self.home, *self._numbers)

    def ending(self) -> str | None:
        """Return the reason why the task ends before its last round, or None."""
        return None if self._discarded is None else f"the {self.home.role} destroyed the answers: {self._discarded}"

    def _counted(self, round_: Round) -> tuple[BatchCounts, tuple[ShufflerReport, ...]] | None:
        """Return the counts of a round's batch and its reports; None if the batch violates a rule of the task."""
        number = round_.number
        batch = count_batch(self._inbox.blocks(number), round_, self.private, self._cores)
        reports = decoded_reports(self._inbox.reports(number), len(self.task.shufflers))
        self.meter.messages(number, int(batch.times.sum()), batch.dropped)
        if (broken := broken_by_counts(round_, reports, batch)) is None:
            return batch, reports
        write_reason(self.home, number, broken)
        self.log("discarded", round=number, reason=broken)
        return None
