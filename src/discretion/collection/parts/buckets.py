"""Rows put into 256 files and taken out a file at a time: memory holds one file's, however many there are."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import Bytes

FILES = 256
_IN_MEMORY = 1 << 16  # bytes of a file that is not worth one


@dataclass(frozen=True)
class Buckets:
    """Rows of one width in files."""

    width: int
    files: Sequence[SpooledTemporaryFile[bytes]]

    def add(self, rows: NDArray[Any], which: Bytes) -> None:
        """Put each row into the file that is named for it."""
        order = np.argsort(which, kind="stable")
        rows, ends = rows[order], np.searchsorted(which[order], np.arange(FILES + 1))
        for place, file in enumerate(self.files):
            file.write(rows[ends[place] : ends[place + 1]].tobytes())

    def drain(self) -> Iterator[NDArray[Any]]:
        """Yield the rows of each file, and let go of it."""
        for file in self.files:
            file.seek(0)
            block = file.read()
            file.close()
            yield rows_of(block, self.width)


@contextmanager
def open_buckets(width: int, folder: Path | None = None) -> Generator[Buckets]:
    """Have files without a name, which are gone with the process however that ends; None is the temporary folder."""
    with ExitStack() as open_files:
        where = None if folder is None else str(folder)
        files = [open_files.enter_context(SpooledTemporaryFile(_IN_MEMORY, dir=where)) for _ in range(FILES)]
        yield Buckets(width, files)


def rows_of(block: bytes, width: int) -> NDArray[Any]:
    """Return a block of bytes as rows of so many."""
    return np.frombuffer(block, np.dtype((np.void, width)))
