"""Distribute rows over 256 files and read one file at a time, so that memory holds the rows of one file only.

Equal rows are put into the same file, by a hash under a random key, so senders cannot choose bytes that fill one file.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILES = 256
_IN_MEMORY = 1 << 16  # bytes below which a file stays in memory


@dataclass(frozen=True)
class Buckets:
    """Rows of one width in files; rows with an equal part are in the same file."""

    width: int
    files: Sequence[SpooledTemporaryFile[bytes]]
    part: slice
    key: NDArray[np.uint64]

    def add(self, rows: NDArray[Any]) -> None:
        """Put each row into its file; equal rows go into the same file."""
        which = (hashes_of(rows, self.key, self.part) >> np.uint64(56)).astype(np.uint8)
        order = np.argsort(which, kind="stable")
        rows, ends = rows[order], np.searchsorted(which[order], np.arange(FILES + 1))
        for place, file in enumerate(self.files):
            file.write(rows[ends[place] : ends[place + 1]].tobytes())

    def drain(self) -> Iterator[tuple[NDArray[Any], int]]:
        """Yield the different rows of each file, in order, and the number of repeated rows; then close the file."""
        for file in self.files:
            file.seek(0)
            block = file.read()
            file.close()
            rows = rows_of(block, self.width)
            distinct = np.unique(rows)
            yield distinct, len(rows) - len(distinct)


@contextmanager
def open_buckets(width: int, folder: Path | None = None, *, by: slice | None = None) -> Generator[Buckets]:
    """Open unnamed files, which disappear with the process however it ends; None is the temporary folder.

    Rows are put into the same file if their part ``by`` is equal, by default the whole row.
    """
    part = by or slice(0, width)
    with ExitStack() as open_files:
        where = None if folder is None else str(folder)
        files = [open_files.enter_context(SpooledTemporaryFile(_IN_MEMORY, dir=where)) for _ in range(FILES)]
        yield Buckets(width, files, part, new_hash_key(part.stop - part.start))


def rows_of(block: bytes, width: int) -> NDArray[Any]:
    """Return a block of bytes as rows of ``width`` bytes."""
    return np.frombuffer(block, np.dtype((np.void, width)))


def new_hash_key(width: int) -> NDArray[np.uint64]:
    """Draw a key for the hashes of rows of this width: a number for each 8 bytes."""
    return np.frombuffer(os.urandom(8 * -(-width // 8)), np.uint64)


def hashes_of(rows: NDArray[Any], key: NDArray[np.uint64], part: slice) -> NDArray[np.uint64]:
    """Return the multilinear hash of a part of each row, modulo 2⁶⁴, whose upper bits nobody can predict."""
    words = np.zeros((len(rows), 8 * len(key)), np.uint8)
    words[:, : part.stop - part.start] = rows.view(np.uint8).reshape(len(rows), rows.itemsize)[:, part]
    return (words.view(np.uint64) * key).sum(axis=1, dtype=np.uint64)
