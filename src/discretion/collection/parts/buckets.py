"""Rows put into 256 files and taken out a file at a time: memory holds one file's, however many there are.

Equal rows come into the same file, by a hash under a key that the system draws: senders who choose their bytes do not
fill one.
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
_IN_MEMORY = 1 << 16  # bytes of a file that is not worth one


@dataclass(frozen=True)
class Buckets:
    """Rows of one width in files, those with an equal part in the same file."""

    width: int
    files: Sequence[SpooledTemporaryFile[bytes]]
    part: slice
    key: NDArray[np.uint64]

    def add(self, rows: NDArray[Any]) -> None:
        """Put each row into its file, equal ones into the same."""
        which = (hashes_of(rows, self.key, self.part) >> np.uint64(56)).astype(np.uint8)
        order = np.argsort(which, kind="stable")
        rows, ends = rows[order], np.searchsorted(which[order], np.arange(FILES + 1))
        for place, file in enumerate(self.files):
            file.write(rows[ends[place] : ends[place + 1]].tobytes())

    def drain(self) -> Iterator[tuple[NDArray[Any], int]]:
        """Yield the different rows of each file, in order, and how many others equal one of them; let go of it."""
        for file in self.files:
            file.seek(0)
            block = file.read()
            file.close()
            rows = rows_of(block, self.width)
            distinct = np.unique(rows)
            yield distinct, len(rows) - len(distinct)


@contextmanager
def open_buckets(width: int, folder: Path | None = None, *, by: slice | None = None) -> Generator[Buckets]:
    """Have files without a name, which are gone with the process however that ends; None is the temporary folder.

    Rows come into the same file if the part ``by`` of them is equal, by default all of it.
    """
    part = by or slice(0, width)
    with ExitStack() as open_files:
        where = None if folder is None else str(folder)
        files = [open_files.enter_context(SpooledTemporaryFile(_IN_MEMORY, dir=where)) for _ in range(FILES)]
        yield Buckets(width, files, part, new_hash_key(part.stop - part.start))


def rows_of(block: bytes, width: int) -> NDArray[Any]:
    """Return a block of bytes as rows of so many."""
    return np.frombuffer(block, np.dtype((np.void, width)))


def new_hash_key(width: int) -> NDArray[np.uint64]:
    """Draw a key by which rows of this width are hashed: a number for each 8 bytes."""
    return np.frombuffer(os.urandom(8 * -(-width // 8)), np.uint64)


def hashes_of(rows: NDArray[Any], key: NDArray[np.uint64], part: slice) -> NDArray[np.uint64]:
    """Return the multilinear hash of a part of each row, modulo 2⁶⁴: nobody can foresee its upper bits."""
    words = np.zeros((len(rows), 8 * len(key)), np.uint8)
    words[:, : part.stop - part.start] = rows.view(np.uint8).reshape(len(rows), rows.itemsize)[:, part]
    return (words.view(np.uint64) * key).sum(axis=1, dtype=np.uint64)
