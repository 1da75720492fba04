"""Messages in Parquet partitions: what a closed round is for machines that work on it together."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from discretion.collection.parts.shuffling import AT_ONCE, blocks_of

PARTITION = 1 << 26  # bytes
_COLUMN = "messages"


def write_partitions(messages: Iterable[bytes], width: int, folder: Path) -> list[Path]:
    """Write messages of ``width`` bytes as files of one column, a row of which has many, and return the files."""
    pa, pq, paths = import_module("pyarrow"), import_module("pyarrow.parquet"), list[Path]()
    row = AT_ONCE * width
    for block in blocks_of(messages, width, PARTITION // width):
        rows = pa.array([block[start : start + row] for start in range(0, len(block), row)], pa.binary())
        paths.append(folder / f"{len(paths):06d}.parquet")
        # What is sealed cannot be packed any closer.
        plain = {"compression": "none", "use_dictionary": False, "write_statistics": False}
        pq.write_table(pa.table({_COLUMN: rows}), paths[-1], **plain)
    return paths


def read_partition(path: Path) -> Iterator[bytes]:
    """Yield the rows of a file."""
    parquet: Any = import_module("pyarrow.parquet")
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=1, columns=[_COLUMN]):
            yield batch.column(0)[0].as_py()
