"""Received reports in a file, one per line: read part by part, so that memory does not grow with the file."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from discretion.errors import InvalidTableError, InvalidValueError
from discretion.escaping import printable
from discretion.input_files import opened
from discretion.jobs.options.mechanisms import Encoding
from discretion.mechanisms import Mechanism

Reports = NDArray[Any]

# A file's suffix → the encoding of its lines.
_SUFFIXES: dict[str, Encoding] = {".hex": "hex", ".jsonl": "json", ".ndjson": "json"}
_AT_ONCE = 1 << 20  # bytes
_PER_NUMBER = 32  # bytes of a line for each number of a report
# Whole numbers and rows of them: no text, no decimals, and not true or false, which NumPy would read as numbers.
_NUMBERS = re.compile(rb"[-\d\s\[\],]+")
_MAX_REASONS = 5


@dataclass
class BadLines:
    """The lines of a file that are no reports: their number, and the reasons for the first ones."""

    count: int = 0
    reasons: list[str] = field(default_factory=list[str])

    def add(self, line: int, reason: str) -> None:
        """Count a line."""
        self.count += 1
        if len(self.reasons) < _MAX_REASONS:
            self.reasons.append(f"line {line:,}: {reason}")


def encoding_of(path: str, encoding: Encoding | None) -> Encoding:
    """Return the encoding of the lines of a file: as given, or by the suffix of its name."""
    if encoding is not None:
        return encoding
    suffix = next((suffix for suffix in _SUFFIXES if path.lower().endswith(suffix)), None)
    if suffix is None:
        raise InvalidValueError(
            f"the name of {printable(path)!r} does not show the encoding of its reports; choose --encoding hex (the "
            "bytes that encode returns, in hex) or --encoding json (a number or a list of numbers), or end the name "
            "in .hex or .jsonl"
        )
    return _SUFFIXES[suffix]


def read_reports(path: str, mechanism: Mechanism, encoding: Encoding, bad: BadLines) -> Iterator[Reports]:
    """Yield the reports in a file, many at a time, and count the lines that are no reports.

    Parameters
    ----------
    path
        A text file with a report on each line.
    mechanism
        The mechanism that made the reports.
    encoding
        ``"hex"``: the bytes that `Mechanism.encode` returns, in hex; ``"json"``: the report that ``sample`` returns, a
        whole number or a list of these.
    bad
        Collects the lines that are no reports of the mechanism.

    Raises
    ------
    InvalidTableError
        If the file has no lines, or more bad lines than good ones, so that it is hardly from this mechanism.
    """
    read = _decoded if encoding == "hex" else _parsed
    good = 0
    with opened(path, "reports") as file:
        for first, lines in _lines(file, _longest_line(mechanism)):
            reports = read(mechanism, first, lines, bad)
            good += len(reports)
            if not good:  # the rest of the file is hardly better
                break
            yield reports
    if good + bad.count == 0:
        raise InvalidTableError(f"{printable(path)!r} has no reports: it is empty")
    if bad.count > good:
        raise InvalidTableError(
            f"{bad.count:,} of {good + bad.count:,} lines of {printable(path)!r} are no reports of {mechanism!r} in "
            f"{encoding} ({bad.reasons[0]}); check --mechanism and --encoding"
        )


def _longest_line(mechanism: Mechanism) -> int:
    """Return the largest number of bytes of a line: more than any report takes in either encoding."""
    numbers = int(np.prod(mechanism.checked_reports([]).shape[1:]))
    return _PER_NUMBER * (1 + numbers) + 2 * mechanism.report_width


def _lines(file: BinaryIO, longest: int) -> Iterator[tuple[int, list[bytes]]]:
    """Yield lines without their ends, many at a time, and the number of the first of them."""
    number, rest = 1, b""
    while content := file.read(max(_AT_ONCE, longest)):
        if number == 1 and not rest:
            content = content.removeprefix(b"\xef\xbb\xbf")
        *lines, rest = (rest + content).split(b"\n")
        if lines:
            yield number, lines
        number += len(lines)
        if len(rest) > longest:
            raise InvalidTableError(
                f"line {number:,} of {printable(file.name)!r} is longer than {longest:,} bytes, longer than any "
                "report; write one report per line"
            )
    if rest:
        yield number, [rest]


def _decoded(mechanism: Mechanism, first: int, lines: list[bytes], bad: BadLines) -> Reports:
    """Return the reports of lines in hex; equal lines are decoded once."""
    decoded: dict[bytes, Any] = {}
    reports: list[Any] = []
    for number, line in enumerate(lines, start=first):
        if line not in decoded:
            decoded[line] = _report_of_hex(mechanism, line)
        if isinstance(report := decoded[line], InvalidValueError):
            bad.add(number, str(report))
        else:
            reports.append(report)
    return mechanism.checked_reports(np.array(reports) if reports else [])


def _report_of_hex(mechanism: Mechanism, line: bytes) -> Any:
    digits = line.rstrip(b"\r")
    if len(digits) != 2 * mechanism.report_width:
        return InvalidValueError(
            f"a report has {2 * mechanism.report_width:,} hex digits, and the line has {len(digits):,} characters"
        )
    try:
        data = bytes.fromhex(digits.decode("ascii"))
    except ValueError:  # UnicodeDecodeError too
        return InvalidValueError(f"it is not hex digits: {_shown(digits)}")
    try:
        return mechanism.decode(data)
    except InvalidValueError as error:
        return error


def _parsed(mechanism: Mechanism, first: int, lines: list[bytes], bad: BadLines) -> Reports:
    """Return the reports of lines in JSON."""
    numbers: list[int] = []
    values: list[Any] = []
    for number, line in enumerate(lines, start=first):
        try:
            if not _NUMBERS.fullmatch(line):
                raise ValueError
            values.append(json.loads(line))
            numbers.append(number)
        except (ValueError, RecursionError):
            bad.add(number, f"it is neither a whole number nor a list of these in JSON: {_shown(line)}")
    parts = [*_checked(mechanism.checked_reports, numbers, values, bad)]
    return np.concatenate(parts) if parts else mechanism.checked_reports([])


def _checked(
    check: Callable[[Any], Reports], numbers: list[int], values: list[Any], bad: BadLines
) -> Iterator[Reports]:
    """Yield the values that pass a check as arrays, halving those that fail down to the ones at fault."""
    if not values:
        return
    try:
        yield check(values)
    except InvalidValueError as error:
        if len(values) == 1:
            bad.add(numbers[0], str(error))
            return
        middle = len(values) // 2
        yield from _checked(check, numbers[:middle], values[:middle], bad)
        yield from _checked(check, numbers[middle:], values[middle:], bad)


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", errors="replace")
    return repr(printable(text if len(text) <= 40 else f"{text[:39]}…"))
