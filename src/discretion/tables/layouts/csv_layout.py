"""Layout of a CSV file: its names and rows, or its first fault, before its values are read.

A reader that meets a fault repairs it, skips the row or quotes its values in a message. This scan examines the bytes of
a file's structure (RFC 4180: separators, quotes, line ends), a few megabytes at a time, so that a file that passes has
only one interpretation.
"""

import codecs
import mmap
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from discretion.errors import InvalidTableError
from discretion.input_files import opened
from discretion.numerics.arrays import Bytes, Integers
from discretion.tables.layouts.headers import Header, Recurrence, RowNumbers, as_header, check_line
from discretion.tables.layouts.text_format import SEPARATORS

CHUNK = 1 << 22
LONGEST_ROW = 2_000_000  # bytes: DuckDB's default

_QUOTE, _NEWLINE, _RETURN = b'"\n\r'

# The values of a line, each after a separator, quoted or not.
_VALUES = {mark: re.compile(rf'[{mark}](?:"([^"]*+(?:""[^"]*+)*+)"|([^{mark}]*+))') for mark in SEPARATORS}
_SAVE = "save it as UTF-8"


@dataclass(frozen=True)
class CsvLayout:
    """The names and the size of a well-formed CSV file.

    Parameters
    ----------
    names
        The names of the columns: the header of the file, or the given names.
    rows
        The number of people.
    multiline
        Whether a value holds a line feed, so that the file cannot be split at line feeds to be read in parallel.
    line_end
        The end of a row: LF, or CR LF.
    header
        Whether the first line holds the names, and not a person.
    numbered
        Whether the first column of several has no name because it holds row numbers.
    separator
        The separator of values, one of those of a text format.
    """

    names: tuple[str, ...]
    rows: int
    multiline: bool
    line_end: str = "\n"
    header: bool = True
    numbered: bool = False
    separator: str = ","


def csv_layout(path: Path, header: Header = None, delimiter: str | None = None) -> CsvLayout:
    """Return the layout of a CSV file in UTF-8, with or without a byte-order mark.

    Parameters
    ----------
    path
        A file that exists.
    header
        Whether the first line holds names (True) or a person (False), or names for the columns of a file without;
        None refuses a first line that could be a person.
    delimiter
        The separator of values; None detects it.

    Raises
    ------
    InvalidTableError
        If the file is empty or not UTF-8, a quote is out of place or never closed, a row has more or fewer values than
        the header, line ends are mixed, or either commas or semicolons could separate values. The message names the
        line, and never quotes a value.
    """
    with opened(path, "a table") as file:
        return layout_of(file, header, delimiter=delimiter)


def layout_of(
    file: BinaryIO,
    header: Header = None,
    separators: str = ",;",
    *,
    delimiter: str | None = None,
    way_out: str = _SAVE,
) -> CsvLayout:
    """Return the layout of an open CSV file, with the delimiter or else one of these separators between values.

    Blank lines at the end of a file of several columns are no rows. ``way_out`` is the advice for a file that is not
    UTF-8.
    """
    if not os.fstat(file.fileno()).st_size:
        raise InvalidTableError(f"{file.name} is empty: a CSV file begins with a line of column names")
    file.seek(0)
    check_encoding(file, way_out)
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return _Scan(file.name, pages, as_header(header), separators, delimiter).layout()


def check_encoding(file: BinaryIO, way_out: str = _SAVE) -> None:
    """Refuse a file that is not UTF-8 from its current position on, with its first faulty line."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    while True:
        chunk = file.read(CHUNK)
        pending = decoder.getstate()[0]
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            lines += (pending + chunk).count(b"\n", 0, error.start)
            raise InvalidTableError(f"{file.name} is not UTF-8 text: line {lines}; {way_out}") from None
        if not chunk:
            return
        lines += chunk.count(b"\n")


class _Scan:
    def __init__(
        self, path: str, pages: mmap.mmap, header: Header, separators: str, delimiter: str | None = None
    ) -> None:
        self.path, self.pages = path, pages
        data: Bytes = np.frombuffer(pages, np.uint8)
        self.delimiter = delimiter
        self.header = header
        self.headed = header is None or header is True
        self.start = 3 if data[:3].tobytes() == codecs.BOM_UTF8 else 0
        separator = _separator(data[self.start : self.start + LONGEST_ROW], delimiter or separators, path)
        self.data = data if separator is None else _without_blank_end(data)
        self.separator = separator or delimiter or separators[0]
        self.quotes = 0  # seen so far: an odd number of them before a byte means that it is quoted
        self.commas: Integers = np.empty(0, np.int64)  # in the row that the last chunk left unfinished
        self.row_start = self.start
        self.rows = 0
        self.last_quote = self.start
        self.multiline = False
        self.first_line: tuple[str, ...] = ()
        self.returns = False  # whether rows end in \r\n
        self.recurrence: Recurrence | None = None
        self.recurring: int | None = None
        self.row_numbers = RowNumbers()

    def layout(self) -> CsvLayout:
        for begin in range(self.start, len(self.data), CHUNK):
            self.read(begin, min(begin + CHUNK, len(self.data)))
            if hasattr(mmap, "MADV_DONTNEED"):  # else what was read stays in memory
                self.pages.madvise(mmap.MADV_DONTNEED)
        if self.quotes % 2:
            raise self.fault(self.last_quote, "opens a quote that is never closed")
        if not self.first_line:
            raise InvalidTableError(f"{self.path} is empty: a CSV file begins with a line of column names")
        if self.header is None:
            check_line(self.first_line, self.recurring, self.path)
        line_end = "\r\n" if self.returns else "\n"
        numbered = self.nameless and (self.header is True or self.row_numbers.rise)
        return CsvLayout(
            self.names(), self.rows - self.headed, self.multiline, line_end, self.headed, numbered, self.separator
        )

    @property
    def nameless(self) -> bool:
        """Whether the first column of several has no name."""
        return self.headed and len(self.first_line) > 1 and not self.first_line[0]

    def names(self) -> tuple[str, ...]:
        if self.header is None or self.header is True:
            return self.first_line
        width = len(self.first_line)
        if self.header is False:
            return tuple(f"column{number}" for number in range(1, width + 1))
        if len(self.header) != width:
            raise InvalidTableError(f"{self.path} has {width} columns, and header names {len(self.header)}")
        return tuple(self.header)

    def read(self, begin: int, end: int) -> None:
        part = self.data[begin:end]
        quotes = np.flatnonzero(part == _QUOTE) + begin

        def unquoted(positions: Integers) -> Integers:
            return positions[(self.quotes + np.searchsorted(quotes, positions)) % 2 == 0]

        line_ends = np.flatnonzero(part == _NEWLINE) + begin
        ends = unquoted(line_ends)
        self.multiline |= len(ends) < len(line_ends)
        commas = unquoted(np.flatnonzero(part == ord(self.separator)) + begin)
        returns = unquoted(np.flatnonzero(part == _RETURN) + begin)
        closed = (self.quotes + len(quotes)) % 2 == 0
        if end == len(self.data) and closed and part[-1] != _NEWLINE:
            ends = np.append(ends, end)

        if not self.first_line and len(ends):
            if ends[0] - self.start > LONGEST_ROW:
                raise self.fault(int(ends[0]), f"ends a row of more than {LONGEST_ROW} bytes")
            line = self.data[self.start : ends[0]].tobytes().decode().removesuffix("\r")
            self.first_line = _values(line, self.separator)
            if self.delimiter is None:
                _check_separator(self.first_line, self.path, self.separator)
            self.returns = bool(self.byte(ends[:1] - 1)[0] == _RETURN)
        faults = [*self.quote_faults(quotes), *self.line_end_faults(returns, ends), *self.row_faults(commas, ends)]
        if faults:
            raise self.fault(*min(faults))
        commas = np.concatenate([self.commas, commas])
        if self.header is None and len(ends):
            self.look_for_names(commas, ends)

        self.rows += len(ends)
        self.quotes += len(quotes)
        if len(quotes):
            self.last_quote = int(quotes[-1])
        if len(ends):
            self.row_start = int(ends[-1]) + 1
        self.commas = commas[commas >= self.row_start]

    def look_for_names(self, commas: Integers, ends: Integers) -> None:
        """Record whether a name is also a value of its column in the rows that end here."""
        if self.recurrence is None:
            self.recurrence = Recurrence(self.first_line)
        if self.recurring is not None:
            return
        width = len(self.first_line)
        stops = np.empty((len(ends), width), np.int64)
        stops[:, :-1] = commas[: len(ends) * (width - 1)].reshape(len(ends), width - 1)
        stops[:, -1] = ends
        starts = np.append(self.row_start, stops.ravel()[:-1] + 1).reshape(stops.shape)
        stops[:, -1] -= self.byte(ends - 1) == _RETURN
        people = slice(0 if self.rows else 1, None)
        lengths = stops - starts
        self.recurring = self.recurrence.column(self.data, starts[people], lengths[people])
        if self.nameless:
            self.row_numbers.read(self.data, starts[people, 0], lengths[people, 0])

    def quote_faults(self, quotes: Integers) -> Iterator[tuple[int, str]]:
        opens = (self.quotes + np.arange(len(quotes))) % 2 == 0
        before, after = self.byte(quotes - 1), self.byte(quotes + 1)
        misplaced = np.where(
            opens,
            ~np.isin(before, (ord(self.separator), _NEWLINE, _QUOTE)) & (quotes > self.start),
            ~np.isin(after, (ord(self.separator), _NEWLINE, _RETURN, _QUOTE)) & (quotes + 1 < len(self.data)),
        )
        for position in quotes[misplaced][:1]:
            yield int(position), "has a quote inside a value; quote the whole value and double the quotes in it"

    def line_end_faults(self, returns: Integers, ends: Integers) -> Iterator[tuple[int, str]]:
        for position in returns[self.byte(returns + 1) != _NEWLINE][:1]:
            yield int(position), "has a carriage return without a line feed; save the file with ordinary line ends"
        finished = ends[(ends < len(self.data)) & (ends > self.start)]
        mixed = (self.byte(finished - 1) == _RETURN) != self.returns
        for position in finished[mixed][:1]:
            yield int(position), "ends otherwise than the header; save the file with one kind of line end"

    def row_faults(self, commas: Integers, ends: Integers) -> Iterator[tuple[int, str]]:
        starts = np.append(self.row_start, ends + 1)[: len(ends)]
        before = np.searchsorted(commas, ends)
        values = np.diff(before, prepend=-len(self.commas)) + 1
        width = len(self.first_line)
        for row in np.flatnonzero(values != width)[:1]:
            if not self.data[starts[row] : ends[row]].tobytes().removesuffix(b"\r"):
                yield (
                    int(starts[row]),
                    f"is blank; remove it, or write the {SEPARATORS[self.separator]} of an empty row",
                )
            else:
                first = "header" if self.headed else "first line"
                yield int(ends[row]), f"ends a row of {values[row]} values under a {first} of {width}"
        for row in np.flatnonzero(ends - starts > LONGEST_ROW)[:1]:
            yield int(ends[row]), f"ends a row of more than {LONGEST_ROW} bytes"

    def byte(self, positions: Integers) -> Bytes:
        return self.data[np.clip(positions, 0, len(self.data) - 1)]

    def fault(self, position: int, what: str) -> InvalidTableError:
        line = 1
        for begin in range(0, position, CHUNK):
            line += int((self.data[begin : min(begin + CHUNK, position)] == _NEWLINE).sum())
        return InvalidTableError(f"{self.path} is not a CSV table that can be read: line {line} {what}")


def _separator(start: Bytes, separators: str, path: str) -> str | None:
    """Return the separator of the values of the first line, or None if it has one value.

    If the first line has several of the separators, it is the one that the second line has equally often.
    """
    quoted = np.cumsum(start == _QUOTE) % 2 == 1
    line_ends = np.append(np.flatnonzero((start == _NEWLINE) & ~quoted), [len(start)] * 2)
    counts = {
        mark: np.diff(
            np.searchsorted(np.flatnonzero((start == ord(mark)) & ~quoted), line_ends[:2]), prepend=0
        ).tolist()
        for mark in separators
    }
    possible = [mark for mark, (first, _) in counts.items() if first]
    if len(possible) > 1:
        possible = [mark for mark in possible if counts[mark][0] == counts[mark][1]] or possible
    if len(possible) > 1:
        either = " or ".join(SEPARATORS[mark] for mark in possible)
        raise InvalidTableError(
            f"the values of {path} may be separated by {either}; name the separator with --delimiter (delimiter=), or "
            "put each name and value that contains one of them in quotes"
        )
    return possible[0] if possible else None


def _without_blank_end(data: Bytes) -> Bytes:
    """Return the bytes of a file up to the end of its last line that is not blank."""
    end = data[-LONGEST_ROW:].tobytes()
    lines = end[len(end.rstrip(b"\r\n")) :]
    line_end = b"\r\n" if lines.startswith(b"\r") else b"\n"
    if lines == end or lines != line_end * (len(lines) // len(line_end)):  # the scan finds what is wrong
        return data
    return data[: len(data) - len(lines) + len(line_end)]


def _values(line: str, separator: str) -> tuple[str, ...]:
    quoted_or_not = _VALUES[separator].findall(separator + line)
    return tuple(quoted.replace('""', '"') or plain for quoted, plain in quoted_or_not)


def _check_separator(values: Sequence[str], path: str, separator: str) -> None:
    """Refuse a first line of one value that contains another separator."""
    others = (mark for mark in (";", "\t", "|", ",") if mark != separator)
    if len(values) == 1 and (other := next((mark for mark in others if mark in values[0]), None)):
        meant = {"\t": "tab"}.get(other, f"'{other}'")
        raise InvalidTableError(
            f"{path} has a header without {SEPARATORS[separator]} but with {SEPARATORS[other]}; use --delimiter "
            f"{meant} (delimiter=) if they separate its values, or --delimiter '{separator}' if it has one column"
        )
