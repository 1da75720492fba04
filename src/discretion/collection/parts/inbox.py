"""The inbox of a party: a batch of messages that arrives in pieces, each of which is stored once and whole."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from threading import Lock

from discretion.collection.errors import ConflictError, MalformedError, UnknownError
from discretion.collection.parts.durable import new_folder, write_whole

_WHOLE = "whole"
_PIECE = "[0-9]" * 8
_DIGEST = 32  # bytes


class Inbox:
    """A folder with a batch of each round.

    A repeated piece is stored once. Another piece in its place is refused, and so is a second batch of a round:
    nobody is asked twice, and no two batches of the same people can be compared.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # A piece that is sent again after a broken connection may arrive while the first is still being written.
        self._one = Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, number: int, batch: bytes, place: int, piece: bytes) -> None:
        """Store a piece of a round's batch."""
        with self._one:
            folder = self._batch_folder(number, batch)
            path = folder / f"{place:08d}"
            if path.exists():
                if sha256(path.read_bytes()).digest() != sha256(piece).digest():
                    raise ConflictError(f"piece {place} of this batch was already received, with other bytes")
                return
            if (folder / _WHOLE).exists():
                raise ConflictError("this batch is already complete")
            write_whole(path, piece)

    def complete(self, number: int, batch: bytes, pieces: int, digest: bytes, reports: bytes = b"") -> None:
        """Complete a batch if its SHA-256 is this one, with the shufflers' reports; repeating this changes nothing."""
        with self._one:
            folder = self._batch_folder(number, batch)
            if (folder / _WHOLE).exists():
                if (folder / _WHOLE).read_bytes() != digest + reports:
                    raise ConflictError("this batch is already complete, with another digest or other reports")
                return
            paths = sorted(folder.glob(_PIECE))
            if len(paths) < pieces:
                raise ConflictError(
                    f"{pieces - len(paths):,} of {pieces:,} pieces of this batch are missing; send them again"
                )
            hasher = sha256()
            for path in paths:
                hasher.update(path.read_bytes())
            if hasher.digest() != digest or len(paths) != pieces:
                raise MalformedError("the pieces of this batch do not have its digest")
            write_whole(folder / _WHOLE, digest + reports)

    def is_whole(self, number: int) -> bool:
        """Return whether the batch of a round is complete."""
        return any(self._folder.glob(f"{number}-*/{_WHOLE}"))

    def blocks(self, number: int) -> Iterator[bytes]:
        """Yield the pieces of a round's complete batch.

        Raises
        ------
        UnknownError
            If the batch is not complete.
        """
        for path in sorted(self._whole(number).parent.glob(_PIECE)):
            yield path.read_bytes()

    def reports(self, number: int) -> bytes:
        """Return the shufflers' reports of a round's complete batch, also after its messages are destroyed."""
        return self._whole(number).read_bytes()[_DIGEST:]

    def _whole(self, number: int) -> Path:
        whole = next(iter(self._folder.glob(f"{number}-*/{_WHOLE}")), None)
        if whole is None:
            raise UnknownError(f"the batch of round {number} has not arrived yet")
        return whole

    def forget(self, number: int) -> None:
        """Destroy the messages of a batch, but keep the record of the batch."""
        for path in self._folder.glob(f"{number}-*/*"):  # also a piece whose writing was interrupted
            if path.name != _WHOLE:
                path.unlink()

    def destroy(self) -> None:
        """Destroy all batches."""
        rmtree(self._folder, ignore_errors=True)

    def _batch_folder(self, number: int, batch: bytes) -> Path:
        folder = self._folder / f"{number}-{batch.hex()}"
        if not folder.exists():
            if any(self._folder.glob(f"{number}-*")):
                raise ConflictError(f"round {number} already has another batch")
            new_folder(folder)
        return folder
