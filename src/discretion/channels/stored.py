"""A channel whose rows stay on disk, and are read as measures need them."""

from collections.abc import Hashable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from discretion.channels.channel import Channel
from discretion.channels.labels import as_labels, named_row
from discretion.channels.storage.mapped import Mapped, on_disk
from discretion.channels.storage.storage import row_blocks, rows_at_once
from discretion.errors import InvalidChannelError
from discretion.input_files import for_arrow, opened, place
from discretion.numerics.arrays import Reals

_ARROW = (".arrow", ".feather", ".ipc")
STORED = (".npy", ".parquet", *_ARROW)


class StoredChannel(Channel):
    """A channel too large for memory: a row per secret in a file, a column per observation.

    Parameters
    ----------
    source
        The path of a NumPy (``.npy``), Parquet (``.parquet``) or Arrow (``.arrow``, ``.feather``, ``.ipc``) file, or a
        `numpy.memmap` of shape ``(secrets, observations)``. The columns of a table are numbers, the observations.
    inputs
        Labels of the secrets, distinct and hashable; None numbers them from 0.

    Notes
    -----
    A ``.npy`` file of doubles, or a memory map of doubles, is read in place and must not change while the channel is in
    use. All other input, and rows that `Channel` would divide by their sum, are copied, some rows or one record batch
    at a time, to a temporary file of 8 bytes per entry that is deleted with the channel.
    `bayes_security`, `leakiest_pair`, `bayes_risk`, `posterior_vulnerability`, `multiplicative_bayes_capacity`,
    `shannon_capacity` and `ldp_epsilon` read it in parts; any other measure needs the rows that `restricted` selects,
    or a channel of at most 2²⁶ entries.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "channel.npy")
    >>> np.save(path, [[0.9, 0.1], [0.2, 0.8]])
    >>> C = StoredChannel(path)
    >>> C.shape, C.channel().shape
    ((2, 2), (2, 2))
    """

    __slots__ = ()

    def __init__(self, source: Any, inputs: Iterable[Hashable] | None = None) -> None:
        matrix: Any = source
        if not isinstance(source, np.memmap):
            if not isinstance(source, str | Path):
                raise InvalidChannelError(
                    f"a stored channel must be a path or a numpy.memmap, got {type(source).__name__}; give numbers in "
                    "memory to discretion.Channel"
                )
            matrix = _mapped(Path(source))
        if matrix.ndim != 2 or 0 in matrix.shape or matrix.dtype.kind not in "biuf":
            raise InvalidChannelError(
                "a stored channel needs numbers, a row per secret and a column per observation, got an array of "
                f"{matrix.dtype} of shape {matrix.shape}"
            )
        if matrix.dtype != np.float64 or not matrix.flags.c_contiguous:
            matrix = on_disk((rows for _, rows in row_blocks(matrix)), matrix.shape)
        rows, columns = matrix.shape
        names = range(rows) if inputs is None else as_labels(inputs, rows, "inputs", "row")
        self._inputs, self._outputs = names, range(columns)
        self._storage = Mapped(matrix).with_unit_rows(lambda row: named_row(row, names))


def _mapped(path: Path) -> Any:
    """Return the numbers of a file as an array on disk."""
    if path.suffix not in STORED:
        raise InvalidChannelError(
            f"a stored channel must be a file that ends in {', '.join(STORED)}, got {str(path)!r}; read a CSV file "
            "with numpy.loadtxt and give the numbers to discretion.Channel"
        )
    with opened(path, "a channel", InvalidChannelError) as file:
        return _array(file) if path.suffix == ".npy" else _table(file, path.suffix)


def _array(file: BinaryIO) -> Any:
    try:
        array: Any = np.load(place(file), mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise _unreadable(file, error) from None
    if hasattr(array, "files"):
        raise InvalidChannelError(f"{file.name!r} contains several arrays; save the array of the channel by numpy.save")
    return array


def _table(file: BinaryIO, suffix: str) -> Any:
    """Return the numbers of a table, copied in parts to an array on disk."""
    arrow: Any = import_module("pyarrow")  # a tenth of a second
    try:
        if suffix == ".parquet":
            parquet: Any = import_module("pyarrow.parquet")
            with for_arrow(file) as content, parquet.ParquetFile(content) as table:
                shape = table.metadata.num_rows, table.metadata.num_columns
                return on_disk(map(_numbers, table.iter_batches(rows_at_once(shape[1]))), shape)
        with arrow.memory_map(place(file)) as content, arrow.ipc.open_file(content) as reader:
            parts = range(reader.num_record_batches)
            rows = sum(reader.get_batch(i).num_rows for i in parts)
            return on_disk((_numbers(reader.get_batch(i)) for i in parts), (rows, len(reader.schema)))
    except (OSError, arrow.ArrowException) as error:
        raise _unreadable(file, error) from None


def _unreadable(file: BinaryIO, error: Exception) -> InvalidChannelError:
    reason = str(error).replace(place(file), file.name)
    return InvalidChannelError(f"cannot read a channel from {file.name!r}: {reason}")


def _numbers(batch: Any) -> Reals:
    """Return some rows of a table as an array, or raise an error that names the first column without numbers."""
    types: Any = import_module("pyarrow.types")
    for field in batch.schema:
        if not (types.is_integer(field.type) or types.is_floating(field.type)):
            raise InvalidChannelError(
                f"every column of a stored channel must hold numbers, and {field.name!r} holds {field.type}"
            )
    return np.column_stack([column.to_numpy(zero_copy_only=False) for column in batch.columns])
