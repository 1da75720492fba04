"""What the shufflers of a round report of it: it travels with the batch, and stands in choices and results."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from discretion.collection.errors import MalformedError
from discretion.collection.wire.records import decoded, encoded

_LONGEST_REPORTS = 1 << 14


@dataclass(frozen=True)
class ShufflerReport:
    """What a shuffler reports of a round; an honest one reports the truth.

    Parameters
    ----------
    messages
        How many it passed on.
    dropped, repeated
        How many it did not pass on, since they did not open, or were equal to another one.
    digest
        The SHA-256 of the batch that it passed on.
    added
        How many of what it passed on are dummies of its own, of each group of features; empty in a task without noise.
    """

    messages: int
    dropped: int
    repeated: int
    digest: bytes
    added: tuple[int, ...] = ()

    @property
    def received(self) -> int:
        """How many messages came to it."""
        return self.messages + self.dropped + self.repeated - sum(self.added)

    def to_dict(self) -> Mapping[str, Any]:
        """Return it as plain objects, for JSON."""
        return asdict(self) | {"digest": self.digest.hex(), "added": list(self.added)}


def dummies_in(reports: Sequence[ShufflerReport], groups: int) -> list[int]:
    """Return how many dummies all shufflers added to each group of features."""
    return [sum(sum(report.added[place : place + 1]) for report in reports) for place in range(groups)]


def encoded_reports(reports: Sequence[ShufflerReport]) -> bytes:
    """Return the one encoding of reports, in the order of the shufflers."""
    return encoded([[*astuple(report)[:-1], list(report.added)] for report in reports])


def decoded_reports(data: bytes, count: int | None) -> tuple[ShufflerReport, ...]:
    """Return so many reports, or however many there are.

    Raises
    ------
    MalformedError
        If these bytes are none.
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
        raise MalformedError(f"a batch comes with a report of each of the {count} shufflers before")
    return reports
