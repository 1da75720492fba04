"""What a CSV file looks like before anyone reads it: its names and rows, or the first thing wrong with it.

A reader that meets a fault repairs it, skips the row or quotes its values in a message. This scan looks at the bytes
that hold a file together (RFC 4180: commas, quotes, line ends), all at once for a few megabytes, so that what it lets
through has only one reading.
"""

import codecs
import csv
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidTableError
from tacit.input_files import opened

CHUNK = 1 << 22
LONGEST_ROW = 2_000_000  # bytes: DuckDB's default

_COMMA, _QUOTE, _NEWLINE, _RETURN = b',"\n\r'

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class CsvLayout:
    """The names and the size of a well-formed CSV file.

    Parameters
    ----------
    names
        The header, as it stands.
    rows
        How many rows follow it.
    multiline
        Whether a value holds a line break, so that the file cannot be cut at line breaks to be read in parallel.
    """

    names: tuple[str, ...]
    rows: int
    multiline: bool


def csv_layout(path: Path) -> CsvLayout:
    """Return the layout of a CSV file in UTF-8, with or without a byte-order mark.

    Parameters
    ----------
    path
        A file that exists.

    Raises
    ------
    InvalidTableError
        If the file is empty or not UTF-8, a quote is out of place or never closed, a row has more or fewer values than
        the header, line ends are mixed; it names the line, and never quotes a value.
    """
    with opened(path, "a table") as file:
        return layout_of(file)


def layout_of(file: BinaryIO) -> CsvLayout:
    """Return the layout of a CSV file that is open."""
    if not os.fstat(file.fileno()).st_size:
        raise InvalidTableError(f"{file.name} is empty: a CSV file begins with a line of column names")
    file.seek(0)
    _check_encoding(file)
    data: NDArray[np.uint8] = np.memmap(file, dtype=np.uint8, mode="r")
    return _Scan(file.name, data).layout()


def _check_encoding(file: BinaryIO) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    while True:
        chunk = file.read(CHUNK)
        pending = decoder.getstate()[0]
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            lines += (pending + chunk).count(b"\n", 0, error.start)
            raise InvalidTableError(f"{file.name} is not UTF-8 text: line {lines}; save it as UTF-8") from None
        if not chunk:
            return
        lines += chunk.count(b"\n")


class _Scan:
    def __init__(self, path: str, data: NDArray[np.uint8]) -> None:
        self.path = path
        self.data = data
        self.start = 3 if data[:3].tobytes() == codecs.BOM_UTF8 else 0
        self.quotes = 0  # seen so far: an odd number of them before a byte means that it is quoted
        self.commas = 0  # in the row that the last chunk left unfinished
        self.row_start = self.start
        self.rows = 0
        self.last_quote = self.start
        self.multiline = False
        self.names: tuple[str, ...] = ()
        self.returns = False  # whether rows end in \r\n

    def layout(self) -> CsvLayout:
        for begin in range(self.start, len(self.data), CHUNK):
            self.read(begin, min(begin + CHUNK, len(self.data)))
        if self.quotes % 2:
            raise self.fault(self.last_quote, "opens a quote that is never closed")
        if not self.names:
            raise InvalidTableError(f"{self.path} is empty: a CSV file begins with a line of column names")
        return CsvLayout(self.names, self.rows - 1, self.multiline)

    def read(self, begin: int, end: int) -> None:
        part = self.data[begin:end]
        quotes = np.flatnonzero(part == _QUOTE) + begin

        def unquoted(positions: Positions) -> Positions:
            return positions[(self.quotes + np.searchsorted(quotes, positions)) % 2 == 0]

        line_ends = np.flatnonzero(part == _NEWLINE) + begin
        ends = unquoted(line_ends)
        self.multiline |= len(ends) < len(line_ends)
        commas = unquoted(np.flatnonzero(part == _COMMA) + begin)
        returns = unquoted(np.flatnonzero(part == _RETURN) + begin)
        closed = (self.quotes + len(quotes)) % 2 == 0
        if end == len(self.data) and closed and part[-1] != _NEWLINE:
            ends = np.append(ends, end)

        if not self.names and len(ends):
            self.names = _header(self.path, self.data[self.start : ends[0]].tobytes())
            self.returns = self.byte(ends[:1] - 1)[0] == _RETURN
        faults = [*self.quote_faults(quotes), *self.line_end_faults(returns, ends), *self.row_faults(commas, ends)]
        if faults:
            raise self.fault(*min(faults))

        self.rows += len(ends)
        self.quotes += len(quotes)
        if len(quotes):
            self.last_quote = int(quotes[-1])
        if len(ends):
            self.row_start = int(ends[-1]) + 1
            self.commas = 0
        self.commas += int((commas >= self.row_start).sum())

    def quote_faults(self, quotes: Positions) -> Iterator[tuple[int, str]]:
        opens = (self.quotes + np.arange(len(quotes))) % 2 == 0
        before, after = self.byte(quotes - 1), self.byte(quotes + 1)
        misplaced = np.where(
            opens,
            ~np.isin(before, (_COMMA, _NEWLINE, _QUOTE)) & (quotes > self.start),
            ~np.isin(after, (_COMMA, _NEWLINE, _RETURN, _QUOTE)) & (quotes + 1 < len(self.data)),
        )
        for position in quotes[misplaced][:1]:
            yield int(position), "has a quote inside a value; quote the whole value and double the quotes in it"

    def line_end_faults(self, returns: Positions, ends: Positions) -> Iterator[tuple[int, str]]:
        for position in returns[self.byte(returns + 1) != _NEWLINE][:1]:
            yield int(position), "has a carriage return without a line feed; save the file with ordinary line ends"
        finished = ends[(ends < len(self.data)) & (ends > self.start)]
        mixed = (self.byte(finished - 1) == _RETURN) != self.returns
        for position in finished[mixed][:1]:
            yield int(position), "ends otherwise than the header; save the file with one kind of line end"

    def row_faults(self, commas: Positions, ends: Positions) -> Iterator[tuple[int, str]]:
        starts = np.append(self.row_start, ends + 1)[: len(ends)]
        before = np.searchsorted(commas, ends)
        values = np.diff(before, prepend=-self.commas) + 1
        width = len(self.names)
        for row in np.flatnonzero(values != width)[:1]:
            if ends[row] - starts[row] <= self.returns:
                yield int(starts[row]), "is blank; take it out, or write the commas of an empty row"
            else:
                yield int(ends[row]), f"ends a row of {values[row]} values under a header of {width}"
        for row in np.flatnonzero(ends - starts > LONGEST_ROW)[:1]:
            yield int(ends[row]), f"ends a row of more than {LONGEST_ROW} bytes"

    def byte(self, positions: Positions) -> NDArray[np.uint8]:
        return self.data[np.clip(positions, 0, len(self.data) - 1)]

    def fault(self, position: int, what: str) -> InvalidTableError:
        line = 1
        for begin in range(0, position, CHUNK):
            line += int((self.data[begin : min(begin + CHUNK, position)] == _NEWLINE).sum())
        return InvalidTableError(f"{self.path} is not a CSV table that can be read: line {line} {what}")


def _header(path: str, line: bytes) -> tuple[str, ...]:
    text = line.decode().removesuffix("\r")
    try:
        names = tuple(next(csv.reader(io.StringIO(text, newline=""), strict=True), [""]))
    except csv.Error:
        raise InvalidTableError(f"{path} has a header that cannot be read: line 1 has a quote out of place") from None
    if len(names) == 1 and (separator := next((s for s in (";", "\t") if s in names[0]), None)):
        shown = "semicolons" if separator == ";" else "tabs"
        raise InvalidTableError(f"{path} has a header without commas but with {shown}; save it with commas instead")
    return names
