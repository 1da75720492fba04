"""Numbers in text: a list, or a matrix by its rows or in a file."""

import csv
import io
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.input_files import opened
from discretion.presenting.numbers import spelled_number
from discretion.validation import Fractions

T = TypeVar("T", int, float)

# A matrix of more is a file's.
_MOST_SPELLED = 10_000
_ROWS = re.compile(r"[0-9.eE+-]*[,;][0-9.,;eE+-]*")


def numbers_of(text: str, name: str, kind: Callable[[str], T]) -> list[T]:
    """Return the numbers in a comma-separated list."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise InvalidValueError(f"{name} must be {what} separated by commas, got {text!r}") from None


def spelled_numbers(numbers: Iterable[float]) -> str:
    """Return numbers as a comma-separated list."""
    return ",".join(map(spelled_number, numbers))


def spelled_matrix(matrix: Any) -> str:
    """Return the text of a dense matrix by its rows; a single number gets the mark of a row's end."""
    if matrix.size > _MOST_SPELLED:
        raise UnsupportedError(
            f"a matrix of more than {_MOST_SPELLED:,} numbers has no spelling, got {matrix.size:,}; name a file of them"
        )
    return ";".join(map(spelled_numbers, matrix.tolist())) + ";" * (matrix.size == 1)


def file_in(text: str) -> str | None:
    """Return the file that a matrix's spelling names, or None if it has the rows."""
    return None if _ROWS.fullmatch(text) else text


def matrix_of(text: str) -> list[list[float]] | Fractions:
    """Return a matrix from its spelling: its rows, ``a,b;c,d``, or the name of a CSV file.

    Where a file has fractions, such as ``1/3``, all its numbers are fractions.

    Examples
    --------
    >>> matrix_of("0.9,0.1;0.2,0.8")
    [[0.9, 0.1], [0.2, 0.8]]
    """
    path = file_in(text)
    if path is None:
        return _rows_of([row.split(",") for row in text.removesuffix(";").split(";")], repr(text))
    with opened(path, "a matrix", InvalidValueError) as file:
        lines = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            rows = [row for row in csv.reader(lines) if row]
        except UnicodeDecodeError:
            raise InvalidValueError(f"cannot read a matrix from {path!r}: it is not UTF-8 text") from None
        except csv.Error:
            raise InvalidValueError(f"cannot read a matrix from {path!r}: it is not text with commas") from None
    return _rows_of(rows, path)


def _rows_of(rows: list[list[str]], where: str) -> list[list[float]] | Fractions:
    # A fraction among them makes all exact, decimals too.
    exact = any("/" in entry for row in rows for entry in row)
    matrix: list[list[Any]] = []
    for number, row in enumerate(rows, start=1):
        try:
            matrix.append([Fraction(entry) if exact else float(entry) for entry in row])
        except (ValueError, ZeroDivisionError):
            raise InvalidValueError(
                f"{where} must hold numbers only, without a header, and row {number} does not"
            ) from None
        if len(row) != len(rows[0]):
            raise InvalidValueError(
                f"{where} must have rows of equal length, and row {number} has {len(row)} of {len(rows[0])}"
            )
    return np.array(matrix, dtype=object) if exact else matrix
