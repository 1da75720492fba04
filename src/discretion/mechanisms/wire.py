"""The encoding of a report as bytes: of fixed width, big-endian, with a single form for each report.

All encoded reports have the same length, so that the length reveals nothing. Every report has one form, so that its
bytes reveal no more than the report itself.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.numerics.arrays import Bytes, Reals

Report = int | float | NDArray[Any]


class Wire(Protocol):
    """The encoding and decoding of reports of one kind that have been checked."""

    @property
    def width(self) -> int:
        """The number of bytes of a report."""
        ...

    @property
    def layout(self) -> str:
        """The content of the bytes, in words."""
        ...

    def write(self, report: Any) -> bytes:
        """Return the report as ``width`` bytes."""
        ...

    def read(self, data: bytes) -> Report:
        """Return the report of these bytes, or raise an error."""
        ...


class Encodable(ABC):
    """A mechanism whose reports can be sent: a subclass defines the reports and their bytes."""

    @property
    @abstractmethod
    def wire(self) -> Wire:
        """The encoding of reports."""

    @abstractmethod
    def checked_reports(self, reports: ArrayLike) -> NDArray[Any]:
        """Return the reports as an array, one for each index of its first axis, or raise an error."""

    @property
    def report_width(self) -> int:
        """The number of bytes of each encoded report."""
        return self.wire.width

    def encode(self, report: ArrayLike) -> bytes:
        """Return one report as bytes to send, always `report_width` of them.

        Parameters
        ----------
        report
            One of the reports that ``sample`` returns.

        Returns
        -------
        bytes
            A numbered report is a big-endian integer in the least number of bytes that fits all reports; for local
            hashing the number contains the function and the class. Bits are packed, eight in a byte, the first one the
            highest, with zeros after the last. A set is a list of its numbers in increasing order, or a bit for each
            value, whichever is shorter. A value with continuous noise is a double; with noise of whole numbers it is 64
            bits in two's complement.

        Examples
        --------
        >>> import discretion as dc
        >>> dc.RandomizedResponse(1000, epsilon=1).encode(258).hex()
        '0102'
        >>> dc.UnaryEncoding.oue(10, epsilon=1).encode([1, 0, 0, 0, 0, 0, 0, 1, 0, 1]).hex()
        '8140'
        """
        return self.wire.write(self.checked_reports([report])[0])  # pyright: ignore[reportArgumentType] - a row of them

    def decode(self, data: bytes) -> Report:
        """Return the report that was encoded; raise for any bytes that `encode` does not return.

        Parameters
        ----------
        data
            The bytes that `encode` returned.

        Returns
        -------
        int, float or numpy.ndarray
            The report, equal to the one that was encoded.

        Examples
        --------
        >>> import discretion as dc
        >>> dc.RandomizedResponse(1000, epsilon=1).decode(bytes.fromhex("0102"))
        258
        """
        if not isinstance(data, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(f"an encoded report must be bytes, got {type(data).__name__}")
        if len(data) != self.report_width:
            raise InvalidValueError(
                f"an encoded report of {self!r} must be {self.report_width:,} bytes, got {len(data):,}"
            )
        return self.wire.read(data)


@dataclass(frozen=True)
class Numbers:
    """Whole numbers from 0 to below a size."""

    size: int

    @property
    def width(self) -> int:
        """The number of bytes of the largest number, at least 1."""
        return _bytes_below(self.size)

    @property
    def layout(self) -> str:
        """The content of the bytes: a number."""
        return f"a whole number below {self.size}, unsigned and big-endian"

    def write(self, report: Any) -> bytes:
        """Return the number, big-endian."""
        return int(report).to_bytes(self.width, "big")

    def read(self, data: bytes) -> int:
        """Return the number, or raise an error if it is too large."""
        number = int.from_bytes(data, "big")
        if number >= self.size:
            raise InvalidValueError(f"an encoded report must be a number in 0..{self.size - 1}, got {number}")
        return number


@dataclass(frozen=True)
class Bits:
    """Rows of bits, ``size`` in each."""

    size: int

    @property
    def width(self) -> int:
        """The number of bytes: one for eight bits."""
        return -(-self.size // 8)

    @property
    def layout(self) -> str:
        """The content of the bytes: bits."""
        return f"{self.size} bits, eight in a byte, the first one the highest, with zeros after the last"

    def write(self, report: NDArray[Any]) -> bytes:
        """Return the bits packed, the first one the highest of the first byte."""
        return np.packbits(report.astype(np.bool_, copy=False)).tobytes()

    def read(self, data: bytes) -> Bytes:
        """Return the bits, or raise an error if some are set after the last one."""
        bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))
        if bits[self.size :].any():
            raise InvalidValueError(
                f"an encoded report must be {self.size:,} bits and zeros up to a whole byte, got a one among these"
            )
        return bits[: self.size]


@dataclass(frozen=True)
class Sets:
    """Sets of whole numbers below a size, as rows in increasing order: encoded as numbers or bits, which is shorter.

    Attributes
    ----------
    size, members
        The number of possible members, and the number of members of each set.
    dtype
        The type of the rows.
    """

    size: int
    members: int
    dtype: np.dtype[np.unsignedinteger[Any]]

    @property
    def width(self) -> int:
        """The number of bytes of the shorter encoding."""
        return min(self._number_width * self.members, self._bits.width)

    @property
    def layout(self) -> str:
        """The content of the bytes: numbers or bits."""
        if self._is_numbered:
            return (
                f"{self.members} whole numbers below {self.size} in increasing order, of {self._number_width} bytes "
                "each, unsigned and big-endian"
            )
        return f"{self._bits.layout}, of which {self.members} are set"

    def write(self, report: NDArray[Any]) -> bytes:
        """Return the numbers one after the other, or a row of bits with ones at these numbers."""
        if self._is_numbered:
            return report.astype(">u8").view(np.uint8).reshape(-1, 8)[:, -self._number_width :].tobytes()
        bits = np.zeros(self.size, dtype=np.bool_)
        bits[report] = True
        return self._bits.write(bits)

    def read(self, data: bytes) -> NDArray[np.unsignedinteger[Any]]:
        """Return the row, or raise an error if it is not in increasing order or has another number of members."""
        if not self._is_numbered:
            row = np.flatnonzero(self._bits.read(data))
            if row.size != self.members:
                raise InvalidValueError(f"an encoded report must have {self.members:,} bits set, got {row.size:,}")
            return row.astype(self.dtype)
        padded = np.zeros((self.members, 8), dtype=np.uint8)
        padded[:, -self._number_width :] = np.frombuffer(data, dtype=np.uint8).reshape(self.members, -1)
        row = padded.view(">u8").ravel()
        if row.max() >= self.size:
            raise InvalidValueError(f"an encoded report must hold numbers in 0..{self.size - 1}, got {row.max()}")
        if (row[1:] <= row[:-1]).any():
            raise InvalidValueError(
                f"an encoded report must hold distinct numbers in increasing order, got {row.tolist()!r:.80}"
            )
        return row.astype(self.dtype)

    @property
    def _bits(self) -> Bits:
        return Bits(self.size)

    @property
    def _number_width(self) -> int:
        return _bytes_below(self.size)

    @property
    def _is_numbered(self) -> bool:
        return self._number_width * self.members < self._bits.width


@dataclass(frozen=True)
class SignedNumbers:
    """Whole numbers of 64 bits."""

    width: int = 8

    @property
    def layout(self) -> str:
        """The content of the bytes: a number with a sign."""
        return "a whole number in two's complement, big-endian"

    def write(self, report: Any) -> bytes:
        """Return the number in two's complement, big-endian."""
        return int(report).to_bytes(self.width, "big", signed=True)

    def read(self, data: bytes) -> int:
        """Return the number."""
        return int.from_bytes(data, "big", signed=True)


@dataclass(frozen=True)
class Doubles:
    """A fixed number of finite floating-point numbers, or a single one."""

    count: int | None = None

    @property
    def width(self) -> int:
        """The number of bytes: eight for each number."""
        return 8 * (1 if self.count is None else self.count)

    @property
    def layout(self) -> str:
        """The content of the bytes: doubles."""
        return f"{1 if self.count is None else self.count} IEEE 754 doubles, big-endian, 0 without a sign"

    def write(self, report: Any) -> bytes:
        """Return the numbers as IEEE 754 doubles, big-endian, 0 without a sign."""
        return (np.atleast_1d(report) + 0.0).astype(">f8").tobytes()

    def read(self, data: bytes) -> float | Reals:
        """Return the numbers; raise an error for one that is not finite or is minus zero, another form of 0."""
        numbers = np.frombuffer(data, dtype=">f8").astype(np.float64)
        if not np.isfinite(numbers).all():
            raise InvalidValueError(
                f"an encoded report must contain finite numbers, got {numbers[~np.isfinite(numbers)][0]}"
            )
        if (np.signbit(numbers) & (numbers == 0)).any():
            raise InvalidValueError("an encoded report must have 0 without a sign, got -0.0")
        return float(numbers[0]) if self.count is None else numbers


def _bytes_below(size: int) -> int:
    return max(1, -(-(size - 1).bit_length() // 8))
