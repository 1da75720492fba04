"""A batch that is passed on: messages in one file, sent in pieces, with the reports of all shufflers so far."""

from dataclasses import dataclass
from pathlib import Path

from discretion.collection.wire.reports import ShufflerReport

BATCH_BYTES = 16
PIECE = 1 << 22


@dataclass(frozen=True)
class Batch:
    """A batch to pass on: its round, its id, the file, and the reports of all shufflers up to its sender."""

    number: int
    batch: bytes
    path: Path
    reports: tuple[ShufflerReport, ...]

    @property
    def messages(self) -> int:
        """The number of messages."""
        return self.reports[-1].messages

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the file."""
        return self.reports[-1].digest

    @property
    def pieces(self) -> int:
        """The number of pieces in which the batch is sent."""
        return -(-self.path.stat().st_size // PIECE)

    def piece(self, place: int) -> bytes:
        """Return a piece of the batch by its place."""
        with self.path.open("rb") as file:
            file.seek(place * PIECE)
            return file.read(PIECE)
