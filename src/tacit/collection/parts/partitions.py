"""Messages in Parquet partitions: what a closed round is for machines that work on it together."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tacit.collection.parts.shuffling import blocks_of

PARTITION = 1 << 26  # bytes
_COLUMN = "message"


def write_partitions(messages: Iterable[bytes], width: int, folder: Path) -> list[Path]:
    """Write messages of ``width`` bytes as files of one column, ``message``, and return the files."""
    pa, pq, paths = import_module("pyarrow"), import_module("pyarrow.parquet"), list[Path]()
    for block in blocks_of(messages, width, PARTITION // width):
        each = pa.array([block[start : start + width] for start in range(0, len(block), width)], pa.binary())
        paths.append(folder / f"{len(paths):06d}.parquet")
        # What is sealed cannot be packed any closer.
        plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
        pq.write_table(pa.table({_COLUMN: each}), paths[-1], **plain)
    return paths


def read_partition(path: Path) -> Iterator[bytes]:
    """Yield the messages of a file, in blocks."""
    parquet: Any = import_module("pyarrow.parquet")
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=[_COLUMN]):
            yield b"".join(batch.column(0).to_pylist())
