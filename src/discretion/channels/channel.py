"""The channel: a validated, immutable, labeled matrix of P(observation | secret)."""

from collections.abc import Hashable, Iterable
from typing import Any, Protocol, cast, runtime_checkable

from discretion.channels.labels import Labels, as_labels, named_row
from discretion.channels.storage import Matrix, Storage, kind_of
from discretion.errors import UnsupportedError
from discretion.numerics.arrays import Reals


@runtime_checkable
class System(Protocol):
    """Any system that leaks: a channel, or a structured object that stands for one."""

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        ...

    def channel(self) -> "Channel":
        """Return the explicit channel, or raise TooLargeError."""
        ...


class Composable:
    """A system that composes by operators: ``C >> D`` is `discretion.cascade`, ``C & D`` is `discretion.parallel`."""

    __slots__ = ()

    def __rshift__(self, other: System) -> "Channel":
        from discretion.channels.composition.products import cascade  # noqa: PLC0415 - composition builds channels

        return cascade(cast(System, self), other)

    def __and__(self, other: System) -> System:
        from discretion.channels.composition.products import parallel  # noqa: PLC0415

        return parallel(cast(System, self), other)


class Channel(Composable):
    """A channel ``C[x, y] = P(y | x)``: a row per secret, a column per observation.

    Parameters
    ----------
    matrix
        Shape ``(secrets, observations)``, dense or scipy.sparse; entries in [0, 1], rows summing to 1 within 1e-9.
        It is copied. A row whose sum is off by more than 1e-14, and by more than its rounding explains, is divided by
        its sum, so that all measures are of the same channel. A matrix of `fractions.Fraction` and whole numbers stays
        exact: its rows must sum to exactly 1, and compositions, vulnerabilities, capacities and Bayes security are
        fractions. One entry or part in doubles turns all into doubles.
    inputs, outputs
        Labels of rows and columns, distinct and hashable; None numbers them from 0.

    Examples
    --------
    >>> C = Channel([[0.9, 0.1], [0.2, 0.8]], inputs=["sick", "well"])
    >>> C.shape, C.inputs
    ((2, 2), ('sick', 'well'))
    >>> from fractions import Fraction
    >>> Channel([[Fraction(1, 3), Fraction(2, 3)], [1, 0]]).matrix.tolist()
    [[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 1), Fraction(0, 1)]]
    """

    __slots__ = ("_inputs", "_outputs", "_storage")

    def __init__(
        self, matrix: Any, inputs: Iterable[Hashable] | None = None, outputs: Iterable[Hashable] | None = None
    ) -> None:
        copy = kind_of(matrix).copied(matrix)
        rows, columns = copy.shape
        names = as_labels(inputs, rows, "inputs", "row")
        self._inputs, self._outputs = names, as_labels(outputs, columns, "outputs", "column")
        self._storage: Storage = copy.with_unit_rows(lambda row: named_row(row, names))

    @property
    def matrix(self) -> Matrix:
        """The probabilities: a read-only NumPy array, of fractions if built from them, or a scipy.sparse CSR array."""
        return self._storage.matrix

    def dense(self) -> Reals:
        """Return the probabilities as a NumPy array, for every kind of storage.

        Raises
        ------
        TooLargeError
            If they are on disk, and there are more than 2²⁶.

        Examples
        --------
        >>> from scipy.sparse import eye_array
        >>> Channel(eye_array(2)).dense().tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return self._storage.dense()

    @property
    def storage(self) -> Storage:
        """The storage of the probabilities, from which measures compute."""
        return self._storage

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
        """The number of values of the secret."""
        return len(self._inputs)

    def channel(self) -> "Channel":
        """Return the channel itself, which is its own explicit form."""
        return self

    def reduced(self) -> "Channel":
        """Return the reduced channel: zero columns are dropped, and proportional columns are added up.

        It leaks the same to every adversary as this channel, since labels and copies of observations reveal nothing.
        Columns count as proportional if their posteriors agree within a relative error of 1e-12, or, for fractions, if
        they are equal; a merged column keeps the label of the first one.

        Examples
        --------
        >>> Channel([[0.2, 0.4, 0.4, 0], [0.1, 0.2, 0.7, 0]]).reduced().matrix.round(12).tolist()
        [[0.6, 0.4], [0.3, 0.7]]
        """
        merged, places = self._storage.merged()
        return Channel.derived(merged, self._inputs, tuple(self._outputs[y] for y in places))

    @classmethod
    def derived(cls, storage: Storage, inputs: Labels, outputs: Labels) -> "Channel":
        """Return a channel made from valid ones; its rows may sum to 1 slightly less exactly than theirs."""
        channel = cls.__new__(cls)
        channel._storage = storage
        channel._inputs, channel._outputs = inputs, outputs
        return channel

    def __repr__(self) -> str:
        secrets, observations = self.shape
        adjective = f", {self._storage.adjective}" if self._storage.adjective else ""
        return f"{type(self).__name__}({secrets} secrets × {observations} observations{adjective})"


def as_system(system: object) -> System:
    """Return the system, or raise an error that explains how to make one."""
    if isinstance(system, Channel):
        return system  # asked first, since to look for all methods of a system takes longer
    if isinstance(system, type):  # whose attributes look like those of its instances
        raise UnsupportedError(
            f"a system must be a Channel, a mechanism or a structured system, got the class {system.__name__}; give it "
            "its parameters, or wrap a matrix with discretion.Channel"
        )
    if not isinstance(system, System):
        raise UnsupportedError(
            f"a system must be a Channel, a mechanism or a structured system, got {type(system).__name__}; "
            "wrap a matrix with discretion.Channel"
        )
    return system
