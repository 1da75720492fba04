"""A batch that is passed on: messages in one file, sent in pieces."""

from dataclasses import dataclass
from pathlib import Path

BATCH_BYTES = 16
PIECE = 1 << 22


@dataclass(frozen=True)
class Batch:
    """What is passed on: its round, its id, the file, and the SHA-256 of it."""

    number: int
    batch: bytes
    path: Path
    digest: bytes
    messages: int

    @property
    def pieces(self) -> int:
        """In how many pieces it is sent."""
        return -(-self.path.stat().st_size // PIECE)

    def piece(self, place: int) -> bytes:
        """Return a piece of it."""
        with self.path.open("rb") as file:
            file.seek(place * PIECE)
            return file.read(PIECE)
