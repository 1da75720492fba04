"""A batch that is passed on: messages in one file, sent in pieces, with what each shuffler so far reports of it."""

from dataclasses import dataclass
from pathlib import Path

from discretion.collection.wire.reports import ShufflerReport

BATCH_BYTES = 16
PIECE = 1 << 22


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
