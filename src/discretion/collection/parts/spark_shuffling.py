"""The shuffle on Spark: the last two passes, each a job, over a folder that all its machines share.

Spark itself moves paths and counts only. The messages go through the shared folder, so Spark stores none of them. A
Spark task that runs twice draws twice, into a different file each time; the file in its result counts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion.collection.parts.buckets import hashes_of, new_hash_key, rows_of
from discretion.collection.parts.durable import write_whole
from discretion.collection.parts.shuffling import (
    AT_ONCE,
    DistinctMessages,
    Shuffle,
    blocks_of,
    in_random_order,
    parts_of,
    write_file,
)
from discretion.collection.wire.sealing import SEAL_BYTES
from discretion.errors import EngineError
from discretion.numerics.arrays import Integers
from discretion.tables.engines.spark_session import open_session, sealed_context, while_workers_last

PARTITION = 1 << 26  # bytes
_COLUMN = "messages"


def write_partitions(messages: Iterable[bytes], width: int, folder: Path) -> list[Path]:
    """Write messages of ``width`` bytes to files of one column, with many messages in a row, and return the files."""
    pa, pq, paths = import_module("pyarrow"), import_module("pyarrow.parquet"), list[Path]()
    row = AT_ONCE * width
    for block in blocks_of(messages, width, PARTITION // width):
        rows = pa.array([block[start : start + row] for start in range(0, len(block), row)], pa.binary())
        paths.append(folder / f"{len(paths):06d}.parquet")
        # Sealed messages cannot be compressed.
        plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
        pq.write_table(pa.table({_COLUMN: rows}), paths[-1], **plain)
    return paths


def read_partition(path: Path) -> Iterator[bytes]:
    """Yield the rows of a file of messages."""
    parquet: Any = import_module("pyarrow.parquet")
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=1, columns=[_COLUMN]):
            yield batch.column(0)[0].as_py()


Opened = Callable[[Iterable[bytes]], Iterable[tuple[bytes, int]]]


@dataclass(frozen=True)
class _Run:
    """The opened messages of a partition, in a file that is ordered by bins; ``ends`` are the limits of the bins."""

    path: Path
    ends: Integers
    dropped: int


def shuffled_on_spark(messages: Iterable[bytes], width: int, opened: Opened, out: Path) -> Shuffle:
    """Shuffle messages like `shuffle_messages`, in the active Spark session or a new one with Spark's own settings.

    All machines of Spark must see the folder of ``out`` under the same name, and have Discretion installed. They
    receive ``opened``, and with it the key.

    Raises
    ------
    UnsupportedError
        If PySpark is not installed, or the session would send or store a key unencrypted.
    EngineError
        If Spark does not start, or does not finish; then nothing is passed on.
    """
    session, inner, folder = open_session(), width - SEAL_BYTES, parts_of(out)
    context = sealed_context(session)
    rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)

    def ask(task: Callable[[Any], Any], round_: Sequence[Any]) -> list[Any]:
        try:
            with while_workers_last(session):
                return context.parallelize(round_, len(round_)).map(task).collect() if round_ else []
        except EngineError:
            raise
        except Exception as error:
            raise EngineError(
                f"Spark did not finish the shuffle ({type(error).__name__}), and nothing is passed on; see Spark's logs"
            ) from None

    try:
        distinct = DistinctMessages(messages, width, folder)
        paths = write_partitions(distinct, width, folder)
        bins = 1 << max(len(paths) - 1, 0).bit_length()  # as large as a partition
        run = partial(_opened_run, width=width, opened=opened, bins=bins, key=new_hash_key(inner))
        runs = ask(run, paths)
        for path in paths:
            path.unlink()
        pieces = ask(partial(_mixed_bin, runs=runs, inner=inner, folder=folder), range(bins) if runs else ())
        length, digest = write_file((path.read_bytes() for path, _ in pieces), out)
    finally:
        rmtree(folder, ignore_errors=True)
    dropped, repeated = sum(run.dropped for run in runs), sum(more for _, more in pieces)
    return Shuffle(length // inner, dropped, distinct.repeated, repeated, digest)


def _opened_run(path: Path, *, width: int, opened: Opened, bins: int, key: NDArray[np.uint64]) -> _Run:
    """Open a partition, and put each message into one of 2, 4, 8, … bins by a secret hash, equal ones into the same."""
    blocks = list(opened(blocks_of(read_partition(path), width)))
    rows = in_random_order(rows_of(b"".join(block for block, _ in blocks), width - SEAL_BYTES))
    which = ((hashes_of(rows, key, slice(0, rows.itemsize)) >> np.uint64(32)) * np.uint64(bins)) >> np.uint64(32)
    order = np.argsort(which, kind="stable")
    run = path.with_name(token_hex(16))
    write_whole(run, rows[order].tobytes())
    ends = np.searchsorted(which[order], np.arange(bins + 1, dtype=np.uint64))
    return _Run(run, ends, sum(missing for _, missing in blocks))


def _mixed_bin(place: int, *, runs: Sequence[_Run], inner: int, folder: Path) -> tuple[Path, int]:
    """Put the different messages of a bin into random order; return their file and the number of repeated ones."""
    buffer = bytearray()
    for run in runs:
        start, end = (int(each) * inner for each in run.ends[place : place + 2])
        with run.path.open("rb") as file:
            file.seek(start)
            buffer += file.read(end - start)
    piece = folder / token_hex(16)
    rows = rows_of(bytes(buffer), inner)
    distinct = np.unique(rows)
    write_whole(piece, in_random_order(distinct).tobytes())
    return piece, len(rows) - len(distinct)
