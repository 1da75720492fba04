"""The channel: a validated, immutable, labelled matrix of P(observation | secret)."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from tacit.channels.reduction import merged_columns
from tacit.errors import InvalidChannelError, TooLargeError, UnsupportedError
from tacit.numerics.matrices import Reals, is_dense, is_sparse
from tacit.validation import SUM_ROUNDING, SUM_TOLERANCE, as_reals

MAX_ENTRIES = 1 << 26

Labels = tuple[Hashable, ...]


@runtime_checkable
class System(Protocol):
    """Anything that leaks: a channel, or something with structure that stands for one."""

    @property
    def secrets(self) -> int:
        """How many values the secret can take."""
        ...

    def channel(self) -> "Channel":
        """Return the explicit channel, or raise TooLargeError."""
        ...


class Channel:
    """A channel ``C[x, y] = P(y | x)``: a row per secret, a column per observation.

    Parameters
    ----------
    matrix
        Shape ``(secrets, observations)``, dense or scipy.sparse; entries in [0, 1], rows summing to 1 within 1e-9.
        It is copied; a row that misses 1 by more than 1e-14, which its rounding does not explain, is divided by its
        sum, so that all measures are of the same channel.
    inputs, outputs
        Labels of rows and columns, distinct and hashable; None numbers them from 0.

    Raises
    ------
    InvalidChannelError
        If an entry is negative or not finite, a row does not sum to 1 (both name the row), the matrix is empty, or
        labels do not fit.

    Examples
    --------
    >>> C = Channel([[0.9, 0.1], [0.2, 0.8]], inputs=["sick", "well"])
    >>> C.shape, C.inputs
    ((2, 2), ('sick', 'well'))
    """

    __slots__ = ("_inputs", "_matrix", "_outputs")

    def __init__(
        self, matrix: Any, inputs: Iterable[Hashable] | None = None, outputs: Iterable[Hashable] | None = None
    ) -> None:
        copy: Any = _sparse_copy(matrix) if is_sparse(matrix) else _dense_copy(matrix)
        rows, columns = cast(tuple[int, int], copy.shape)
        self._inputs = as_labels(inputs, rows, "inputs", "row")
        self._outputs = as_labels(outputs, columns, "outputs", "column")
        self._matrix: Any = _read_only(as_rows(copy, self._inputs))

    @property
    def matrix(self) -> Any:
        """The probabilities: a read-only NumPy array, or a scipy.sparse CSR array if built from a sparse matrix."""
        # A sparse array's structure can be written to even where its entries cannot: so give away another one.
        return self._matrix.copy() if is_sparse(self._matrix) else self._matrix

    @property
    def inputs(self) -> Labels:
        """Labels of the secrets."""
        return self._inputs

    @property
    def outputs(self) -> Labels:
        """Labels of the observations."""
        return self._outputs

    @property
    def shape(self) -> tuple[int, int]:
        """``(secrets, observations)``."""
        return len(self._inputs), len(self._outputs)

    @property
    def secrets(self) -> int:
        """How many values the secret can take."""
        return len(self._inputs)

    def channel(self) -> "Channel":
        """Return the channel itself: it is its own explicit form."""
        return self

    def reduced(self) -> "Channel":
        """Return the reduced channel: zero columns dropped, proportional columns added up.

        It leaks the same as this one to every adversary, since labels and copies of observations tell nothing. Columns
        count as proportional when their posteriors agree within 1e-12 of themselves; a merged column keeps the first
        one's label.

        Examples
        --------
        >>> Channel([[0.2, 0.4, 0.4, 0], [0.1, 0.2, 0.7, 0]]).reduced().matrix.round(12).tolist()
        [[0.6, 0.4], [0.3, 0.7]]
        """
        matrix, kept = merged_columns(self._matrix)
        return Channel.derived(matrix, self._inputs, tuple(self._outputs[y] for y in kept))

    @classmethod
    def derived(cls, matrix: Any, inputs: Labels, outputs: Labels) -> "Channel":
        """Return a channel made of valid ones, whose rows may sum to 1 a little less exactly than theirs."""
        channel = cls.__new__(cls)
        channel._matrix = _read_only(matrix)
        channel._inputs, channel._outputs = inputs, outputs
        return channel

    def __rshift__(self, other: object) -> "Channel":
        from tacit.channels.composition import cascade  # noqa: PLC0415 - composition builds channels

        return cascade(self, other) if isinstance(other, Channel) else NotImplemented

    def __and__(self, other: object) -> "Channel":
        from tacit.channels.composition import parallel  # noqa: PLC0415

        return parallel(self, other) if isinstance(other, Channel) else NotImplemented

    def __repr__(self) -> str:
        secrets, observations = self.shape
        return f"Channel({secrets} secrets × {observations} observations{', sparse' * is_sparse(self._matrix)})"


def as_system(system: object) -> System:
    """Return the system, or say how to make one of what was given."""
    if isinstance(system, type):  # whose attributes look like those of its instances
        raise UnsupportedError(
            f"a system must be a Channel, a mechanism or a structured system, got the class {system.__name__}; give it "
            "its parameters, or wrap a matrix with tacit.Channel"
        )
    if not isinstance(system, System):
        raise UnsupportedError(
            f"a system must be a Channel, a mechanism or a structured system, got {type(system).__name__}; "
            "wrap a matrix with tacit.Channel"
        )
    return system


def check_size(rows: float, columns: float, what: str, way_out: str) -> None:
    """Refuse to build an explicit matrix that would not fit in memory."""
    if rows * columns > MAX_ENTRIES:
        raise TooLargeError(f"{what} would have more than {MAX_ENTRIES:,} entries; {way_out}")


def _dense_copy(matrix: Any) -> Reals:
    try:
        copy = np.asarray(as_reals(matrix), order="C")  # rows, which are compared, in one piece
    except ValueError:
        raise InvalidChannelError("a channel must hold numbers, in rows of equal length") from None
    if copy.ndim != 2 or 0 in copy.shape:
        raise InvalidChannelError(
            f"a channel needs a row per secret and a column per observation, got an array of shape {copy.shape}"
        )
    return copy


def _sparse_copy(matrix: Any) -> Any:
    from scipy.sparse import csr_array  # noqa: PLC0415 - half a second that dense users need not pay

    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidChannelError(
            f"a channel needs a row per secret and a column per observation, got an array of shape {matrix.shape}"
        )
    copy = csr_array(matrix, dtype=np.float64, copy=True)
    copy.sum_duplicates()
    copy.eliminate_zeros()
    return copy


def _read_only(matrix: Any) -> Any:
    for part in (matrix.data, matrix.indices, matrix.indptr) if is_sparse(matrix) else (matrix,):
        part.setflags(write=False)
    return matrix


def as_rows(matrix: Any, inputs: Sequence[Hashable], start: int = 0) -> Any:
    """Return rows with sum 1: those given, or a copy; refuse what is not probabilities.

    The first is number ``start`` of the inputs.
    """
    entries = cast(Reals, matrix.data if is_sparse(matrix) else matrix)
    for wrong, complaint in ((~np.isfinite(entries), "that is not a number"), (entries < 0, "that is negative")):
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            row = (
                int(np.searchsorted(matrix.indptr, at, side="right")) - 1
                if is_sparse(matrix)
                else at // matrix.shape[1]
            )
            raise InvalidChannelError(
                f"probabilities must be in [0, 1], and row {_named(start + row, inputs)} has an entry {complaint}: "
                f"{entries.ravel()[at]}"
            )
    sums = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    off = np.abs(sums - 1)
    if off.max() > SUM_TOLERANCE:
        row = int(off.argmax())
        raise InvalidChannelError(
            f"every row must sum to 1 within {SUM_TOLERANCE:g}, and row {_named(start + row, inputs)} sums to "
            f"{sums[row]:.12g}; divide the row by its sum if that is meant"
        )
    if off.max() <= SUM_ROUNDING:
        return matrix
    divisors = np.where(off > SUM_ROUNDING, sums, 1.0)
    if is_dense(matrix):
        return matrix / divisors[:, None]
    scaled = matrix.copy()
    scaled.data /= divisors.repeat(np.diff(matrix.indptr))
    return scaled


def _named(row: int, inputs: Sequence[Hashable]) -> str:
    return f"{row}" if inputs[row] == row else f"{row} ({inputs[row]!r})"


def as_labels(labels: Iterable[Hashable] | None, size: int, name: str, what: str) -> Labels:
    """Return as many distinct labels as there are rows or columns, numbers where none are given."""
    if labels is None:
        return tuple(range(size))
    try:
        given = tuple(labels)
        hash(given)
    except TypeError:
        raise InvalidChannelError(f"{name} must be a sequence of hashable labels, got {labels!r:.60}") from None
    if len(given) != size:
        raise InvalidChannelError(f"{name} must have one label per {what} ({size}), got {len(given)}")
    if len(set(given)) != size:
        twice = next(label for label in given if given.count(label) > 1)
        raise InvalidChannelError(f"{name} must be distinct, got {twice!r} more than once")
    return given
