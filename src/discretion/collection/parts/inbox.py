"""What the next party is passed: a batch of messages in pieces, each of which counts once, whole or not at all."""

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

    A piece that comes again is taken once, another one in its place is refused, and so is a second batch of a round:
    nobody is asked twice, and no two batches of the same people can be compared.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # What is sent again after a cut connection meets the same that is still being written.
        self._one = Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, number: int, batch: bytes, place: int, piece: bytes) -> None:
        """Keep a piece of a round's batch."""
        with self._one:
            folder = self._batch_folder(number, batch)
            path = folder / f"{place:08d}"
            if path.exists():
                if sha256(path.read_bytes()).digest() != sha256(piece).digest():
                    raise ConflictError(f"piece {place} of this batch is here already, and is another one")
                return
            if (folder / _WHOLE).exists():
                raise ConflictError("this batch is whole already")
            write_whole(path, piece)

    def complete(self, number: int, batch: bytes, pieces: int, digest: bytes, reports: bytes = b"") -> None:
        """Take a batch as whole if its SHA-256 is this, with the shufflers' reports of it; again is the same."""
        with self._one:
            folder = self._batch_folder(number, batch)
            if (folder / _WHOLE).exists():
                if (folder / _WHOLE).read_bytes() != digest + reports:
                    raise ConflictError("this batch is whole already, with another digest or other reports")
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
        """Whether a round's batch is here."""
        return any(self._folder.glob(f"{number}-*/{_WHOLE}"))

    def blocks(self, number: int) -> Iterator[bytes]:
        """Yield the pieces of a round's whole batch.

        Raises
        ------
        UnknownError
            If it is not here.
        """
        for path in sorted(self._whole(number).parent.glob(_PIECE)):
            yield path.read_bytes()

    def reports(self, number: int) -> bytes:
        """Return what the shufflers report of a round's whole batch; also once it is forgotten."""
        return self._whole(number).read_bytes()[_DIGEST:]

    def _whole(self, number: int) -> Path:
        whole = next(iter(self._folder.glob(f"{number}-*/{_WHOLE}")), None)
        if whole is None:
            raise UnknownError(f"the batch of round {number} is not here yet")
        return whole

    def forget(self, number: int) -> None:
        """Destroy a batch, and remember that there was one."""
        for path in self._folder.glob(f"{number}-*/*"):  # with what was being written when it was cut short
            if path.name != _WHOLE:
                path.unlink()

    def destroy(self) -> None:
        """Destroy all."""
        rmtree(self._folder, ignore_errors=True)

    def _batch_folder(self, number: int, batch: bytes) -> Path:
        folder = self._folder / f"{number}-{batch.hex()}"
        if not folder.exists():
            if any(self._folder.glob(f"{number}-*")):
                raise ConflictError(f"round {number} has another batch already")
            new_folder(folder)
        return folder
