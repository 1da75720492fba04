"""A channel whose rows stay on disk, and are read as they are needed."""

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tacit.channels.channel import Channel, as_labels, as_rows, check_size
from tacit.errors import InvalidChannelError
from tacit.input_files import for_arrow, opened, place

Reals = NDArray[np.float64]

_ENTRIES_AT_ONCE = 1 << 20
_ARROW = (".arrow", ".feather", ".ipc")
STORED = (".npy", ".parquet", *_ARROW)


class StoredChannel:
    """A channel too large for memory: a row per secret in a file, a column per observation.

    Parameters
    ----------
    source
        The path of a NumPy (``.npy``), Parquet (``.parquet``) or Arrow (``.arrow``, ``.feather``, ``.ipc``) file, or a
        `numpy.memmap` of shape ``(secrets, observations)``. The columns of a table are numbers, the observations.
    inputs
        Labels of the secrets, distinct and hashable; None numbers them from 0.

    Raises
    ------
    InvalidChannelError
        If the source cannot be read, holds something else than numbers, or a row is not a distribution.

    Notes
    -----
    A ``.npy`` file of doubles and a memory map of such are read where they lie, and must not change meanwhile; anything
    else, and rows that `Channel` would divide by their sum, are copied, some rows or a record batch at a time, to a
    temporary file of 8 bytes per entry that goes away with the channel.
    `bayes_security`, `leakiest_pair`, `bayes_risk`, `posterior_vulnerability` of the identity gain and
    `multiplicative_bayes_capacity` read it in parts; any other measure needs the rows that `restricted` picks, or a
    channel of at most 2²⁶ entries.

    Examples
    --------
    >>> import numpy as np, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "channel.npy")
    >>> np.save(path, [[0.9, 0.1], [0.2, 0.8]])
    >>> C = StoredChannel(path)
    >>> C.shape, C.channel().shape
    ((2, 2), (2, 2))
    """

    __slots__ = ("_inputs", "_matrix")

    def __init__(self, source: Any, inputs: Iterable[Hashable] | None = None) -> None:
        matrix: Any = source
        if not isinstance(source, np.memmap):
            if not isinstance(source, str | Path):
                raise InvalidChannelError(
                    f"a stored channel must be a path or a numpy.memmap, got {type(source).__name__}; give numbers in "
                    "memory to tacit.Channel"
                )
            matrix = _mapped(Path(source))
        if matrix.ndim != 2 or 0 in matrix.shape or matrix.dtype.kind not in "biuf":
            raise InvalidChannelError(
                "a stored channel needs numbers, a row per secret and a column per observation, got an array of "
                f"{matrix.dtype} of shape {matrix.shape}"
            )
        if matrix.dtype != np.float64 or not matrix.flags.c_contiguous:
            matrix = _copied(_parts(matrix), matrix.shape)
        rows = matrix.shape[0]
        self._inputs: Sequence[Hashable] = range(rows) if inputs is None else as_labels(inputs, rows, "inputs", "row")
        if not all(as_rows(block, self._inputs, start) is block for start, block in _blocks(matrix)):
            scaled = (as_rows(block, self._inputs, start) for start, block in _blocks(matrix))
            matrix = _copied(scaled, matrix.shape)
        # A plain view of the map, which compiled loops know.
        self._matrix: Reals = np.asarray(matrix).view()
        self._matrix.setflags(write=False)

    @property
    def matrix(self) -> Reals:
        """The probabilities, mapped from disk, read-only."""
        return self._matrix

    @property
    def inputs(self) -> Sequence[Hashable]:
        """Labels of the secrets."""
        return self._inputs

    @property
    def outputs(self) -> Sequence[Hashable]:
        """Numbers of the observations."""
        return range(self._matrix.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """``(secrets, observations)``."""
        secrets, observations = self._matrix.shape
        return secrets, observations

    @property
    def secrets(self) -> int:
        """How many values the secret can take."""
        return self._matrix.shape[0]

    def blocks(self) -> Iterator[tuple[int, Reals]]:
        """Yield some rows at a time, after the number of the first."""
        return _blocks(self._matrix)

    def channel(self) -> Channel:
        """Return the channel in memory, or raise TooLargeError."""
        check_size(*self.shape, "the channel in memory", "measure it where it is stored, or restrict its secrets")
        inputs = None if isinstance(self._inputs, range) else self._inputs
        return Channel(self._matrix, inputs=inputs)

    def __repr__(self) -> str:
        secrets, observations = self.shape
        return f"StoredChannel({secrets} secrets × {observations} observations)"


def _mapped(path: Path) -> Any:
    """Return the numbers of a file as an array on disk."""
    if path.suffix not in STORED:
        raise InvalidChannelError(
            f"a stored channel must be a file that ends in {', '.join(STORED)}, got {str(path)!r}; read a CSV file "
            "with numpy.loadtxt and give the numbers to tacit.Channel"
        )
    with opened(path, "a channel", InvalidChannelError) as file:
        return _array(file) if path.suffix == ".npy" else _table(file, path.suffix)


def _array(file: BinaryIO) -> Any:
    try:
        array: Any = np.load(place(file), mmap_mode="r", allow_pickle=False)
    except (OSError, EOFError, ValueError) as error:
        raise _unreadable(file, error) from None
    if hasattr(array, "files"):
        raise InvalidChannelError(f"{file.name!r} holds several arrays; save the channel's by numpy.save")
    return array


def _table(file: BinaryIO, suffix: str) -> Any:
    """Return the numbers of a table, copied to an array on disk by parts."""
    arrow: Any = import_module("pyarrow")  # a tenth of a second
    try:
        if suffix == ".parquet":
            parquet: Any = import_module("pyarrow.parquet")
            with for_arrow(file) as content, parquet.ParquetFile(content) as table:
                shape = table.metadata.num_rows, table.metadata.num_columns
                return _copied(map(_numbers, table.iter_batches(max(1, _ENTRIES_AT_ONCE // max(1, shape[1])))), shape)
        with arrow.memory_map(place(file)) as content, arrow.ipc.open_file(content) as reader:
            parts = range(reader.num_record_batches)
            rows = sum(reader.get_batch(i).num_rows for i in parts)
            return _copied((_numbers(reader.get_batch(i)) for i in parts), (rows, len(reader.schema)))
    except (OSError, arrow.ArrowException) as error:
        raise _unreadable(file, error) from None


def _unreadable(file: BinaryIO, error: Exception) -> InvalidChannelError:
    reason = str(error).replace(place(file), file.name)
    return InvalidChannelError(f"cannot read a channel from {file.name!r}: {reason}")


def _numbers(batch: Any) -> Reals:
    """Return some rows of a table as an array, or say which column is not of numbers."""
    types: Any = import_module("pyarrow.types")
    for field in batch.schema:
        if not (types.is_integer(field.type) or types.is_floating(field.type)):
            raise InvalidChannelError(
                f"every column of a stored channel must hold numbers, and {field.name!r} holds {field.type}"
            )
    return np.column_stack([column.to_numpy(zero_copy_only=False) for column in batch.columns])


def _parts(matrix: Any) -> Iterator[Any]:
    step = max(1, _ENTRIES_AT_ONCE // matrix.shape[1])
    for start in range(0, matrix.shape[0], step):
        yield matrix[start : start + step]


def _blocks(matrix: Any) -> Iterator[tuple[int, Any]]:
    """Yield some rows at a time, after the number of the first."""
    start = 0
    for block in _parts(matrix):
        yield start, block
        start += len(block)


def _copied(parts: Iterable[Any], shape: tuple[int, int]) -> Any:
    """Return the parts, one under the other, as an array in a temporary file."""
    if 0 in shape:
        return np.empty(shape)
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryFile() as file:  # the map outlives the name and the handle
        if hasattr(os, "posix_fallocate"):  # a full disk is an error now, and not a crash when a page is written
            os.posix_fallocate(file.fileno(), 0, 8 * shape[0] * shape[1])
        matrix = np.memmap(file, dtype=np.float64, mode="w+", shape=shape)
    start = 0
    for part in parts:
        matrix[start : start + len(part)] = part
        start += len(part)
    return matrix
