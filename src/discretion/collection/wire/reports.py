"""The shufflers' reports of a round, which are sent with the batch, and are part of choices and results."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from discretion.collection.errors import MalformedError
from discretion.collection.wire.records import decoded, encoded

_LONGEST_REPORTS = 1 << 14


@dataclass(frozen=True)
class ShufflerReport:
    """A shuffler's report of a round; the numbers are true if the shuffler is honest.

    Parameters
    ----------
    messages
        The number of messages that it passed on.
    dropped, repeated
        The numbers of messages that it did not pass on, because they did not open, or were equal to another one.
    digest
        The SHA-256 of the batch that it passed on.
    added
        For each group of features, how many of the messages are its own dummies; empty in a task without noise.
    """

    messages: int
    dropped: int
    repeated: int
    digest: bytes
    added: tuple[int, ...] = ()

    @property
    def received(self) -> int:
        """The number of messages that the shuffler received."""
        return self.messages + self.dropped + self.repeated - sum(self.added)

    def to_dict(self) -> Mapping[str, Any]:
        """Return the report as plain objects, for JSON."""
        return asdict(self) | {"digest": self.digest.hex(), "added": list(self.added)}


def dummies_in(reports: Sequence[ShufflerReport], groups: int) -> list[int]:
    """Return how many dummies all shufflers together added to each group of features."""
    return [sum(sum(report.added[place : place + 1]) for report in reports) for place in range(groups)]


def encoded_reports(reports: Sequence[ShufflerReport]) -> bytes:
    """Return the encoding of reports, in the order of the shufflers."""
    return encoded([[*astuple(report)[:-1], list(report.added)] for report in reports])


def decoded_reports(data: bytes, count: int | None) -> tuple[ShufflerReport, ...]:
    """Return the reports in these bytes: exactly ``count`` of them, or any number if that is None.

    Raises
    ------
    MalformedError
        If the bytes do not encode this number of reports.
    """
    raw: Any = decoded(data, "the reports of shufflers", at_most=_LONGEST_REPORTS)
    try:
        reports = tuple(
            ShufflerReport(messages, dropped, repeated, digest, tuple(added))
            for messages, dropped, repeated, digest, added in raw
        )
        counts = [
            number
            for report in reports
            for number in (report.messages, report.dropped, report.repeated, *report.added, report.received)
        ]
        whole = (
            all(type(number) is int and number >= 0 for number in counts)
            and all(type(report.digest) is bytes and len(report.digest) == 32 for report in reports)
            and count in (None, len(reports))
        )
    except (TypeError, ValueError):
        reports, whole = (), False
    if not whole:
        raise MalformedError(f"a batch needs a report of each of the {count} shufflers so far")
    return reports
