"""A batch that is passed on: messages in one file, sent in pieces, with what each shuffler so far reports of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from discretion.collection.errors import MalformedError
from discretion.collection.wire.records import decoded, encoded

BATCH_BYTES = 16
PIECE = 1 << 22
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
    """

    messages: int
    dropped: int
    repeated: int
    digest: bytes

    @property
    def received(self) -> int:
        """How many messages came to it."""
        return self.messages + self.dropped + self.repeated

    def to_dict(self) -> Mapping[str, Any]:
        """Return it as plain objects, for JSON."""
        return asdict(self) | {"digest": self.digest.hex()}


@dataclass(frozen=True)
class Batch:
    """What is passed on: its round, its id, the file, and the reports of all shufflers so far, the last its own."""

    number: int
    batch: bytes
    path: Path
    reports: tuple[ShufflerReport, ...]

    @property
    def messages(self) -> int:
        """How many messages there are."""
        return self.reports[-1].messages

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the file."""
        return self.reports[-1].digest

    @property
    def pieces(self) -> int:
        """In how many pieces it is sent."""
        return -(-self.path.stat().st_size // PIECE)

    def piece(self, place: int) -> bytes:
        """Return a piece of it."""
        with self.path.open("rb") as file:
            file.seek(place * PIECE)
            return file.read(PIECE)


def encoded_reports(reports: Sequence[ShufflerReport]) -> bytes:
    """Return the one encoding of reports, in the order of the shufflers."""
    return encoded([list(astuple(report)) for report in reports])


def decoded_reports(data: bytes, count: int | None) -> tuple[ShufflerReport, ...]:
    """Return so many reports, or however many there are.

    Raises
    ------
    MalformedError
        If these bytes are none.
    """
    raw: Any = decoded(data, "the reports of shufflers", at_most=_LONGEST_REPORTS)
    try:
        reports = tuple(ShufflerReport(*fields) for fields in raw)
        counts = [number for report in reports for number in (report.messages, report.dropped, report.repeated)]
        whole = (
            all(type(number) is int and number >= 0 for number in counts)
            and all(type(report.digest) is bytes and len(report.digest) == 32 for report in reports)
            and count in (None, len(reports))
        )
    except TypeError:
        reports, whole = (), False
    if not whole:
        raise MalformedError(f"a batch comes with a report of each of the {count} shufflers before")
    return reports
