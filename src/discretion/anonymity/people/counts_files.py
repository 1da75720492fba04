"""Counts of columns in files: a line for each value in CSV, or JSON; no value is ever quoted."""

import csv
import io
import json
import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from discretion import limits
from discretion.errors import InvalidTableError, InvalidValueError, TooLargeError
from discretion.input_files import opened
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.layouts.csv_layout import layout_of
from discretion.tables.layouts.json_faults import json_fault
from discretion.validation import as_crowd

# Bytes of a file of counts.
MAX_BYTES_OF_COUNTS = 1 << 26

SCHEMA_VERSION = 1
_LONGEST_COUNT = 18  # digits

_T = TypeVar("_T")

# Counts of columns, the number of people if the file has it, and counts of groups.
Read = tuple[Mapping[str, Any], int | None, Mapping[tuple[str, ...], Any]]


def read_counts(path: str | Path) -> Read:
    """Return the counts in a file, to make Marginals of them.

    Parameters
    ----------
    path
        A ``.csv`` file with the columns column, value and count, in any order, or a ``.json`` file of an object
        ``{column: {value: count}}``, or of what ``Marginals.to_json`` wrote.

    Raises
    ------
    InvalidTableError
        If the file has no such contents.
    TooLargeError
        If it is larger than 64 MB.
    """
    with opened(path, "counts") as file:
        if os.fstat(file.fileno()).st_size > (most := limits.current().numbers(MAX_BYTES_OF_COUNTS)):
            raise TooLargeError(
                f"{file.name} is larger than the {most / (1 << 20):.3g} MB of counts that are read; give them as "
                "ClassSizes"
            )
        match Path(file.name).suffix.lower():
            case ".csv":
                return _read_csv(file)
            case ".json":
                return _read_json(file)
            case _:
                raise InvalidTableError(
                    f"{file.name} is not a kind of file that holds counts; those are .csv and .json"
                )


def _read_csv(file: BinaryIO) -> Read:
    layout = layout_of(file, header=True)
    names = layout.names
    if sorted(names) != ["column", "count", "value"]:
        raise InvalidTableError(
            f"the first line of {file.name} must be column,value,count: a line for each value of each column"
        )
    file.seek(0)
    places = [names.index(name) for name in ("column", "value", "count")]
    rows = csv.reader(io.StringIO(file.read().decode("utf-8-sig"), newline=""), delimiter=layout.separator, strict=True)
    counts: dict[str, dict[str | None, int]] = {}
    try:
        next(rows)
        for row in filter(None, rows):  # blank lines at the end are none
            column, value, count = (row[place] for place in places)
            if not column or not (count.isascii() and count.isdigit() and len(count) <= _LONGEST_COUNT):
                what = "a count that is a whole number" if column else "the name of a column"
                raise InvalidTableError(f"{file.name} is not a file of counts: line {rows.line_num} lacks {what}")
            of_column = counts.setdefault(column, {})
            if (value or None) in of_column:
                raise InvalidTableError(f"line {rows.line_num} of {file.name} repeats a value; add the two counts")
            of_column[value or None] = int(count)
    except csv.Error:
        raise InvalidTableError(f"line {rows.line_num} of {file.name} is too long to read") from None
    return counts, None, {}


def _read_json(file: BinaryIO) -> Read:
    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(result := dict(pairs)) < len(pairs):
            raise InvalidTableError(f"{file.name} has an object with the same key twice; keep one of them")
        return result

    def whole(digits: str) -> int:
        if len(digits) > _LONGEST_COUNT:
            raise TooLargeError(
                f"{file.name} has a number of more than {_LONGEST_COUNT} digits, which counts no people"
            )
        return int(digits)

    try:
        document = json.loads(file.read().decode(), object_pairs_hook=distinct, parse_int=whole)
        json.dumps(document, ensure_ascii=False).encode()  # fails at half of a character
    except InvalidValueError:
        raise
    except (ValueError, RecursionError):
        raise InvalidTableError(json_fault(file)) from None
    match document:
        case {"schema_version": int(version), **rest}:
            if version != SCHEMA_VERSION:
                raise InvalidTableError(
                    f"{file.name} was written by another version of Discretion; have it written again"
                )
            return _released(rest, file.name)
        case dict():
            return cast("dict[str, Any]", document), None, {}
        case _:
            raise InvalidTableError(f"{file.name} must hold an object {{column: {{value: count}}}}")


def _released(document: Mapping[str, Any], path: str) -> Read:
    """Return the counts in a document of ``Marginals.to_json``."""
    sizes: dict[tuple[str, ...], ClassSizes] = {}
    try:
        people = as_crowd(document["people"], "people")
        for each in document["marginals"]:
            columns, class_sizes, counts = (
                tuple(_all(each["columns"], str)),
                _all(each["sizes"], int),
                _all(each["counts"], int),
            )
            as_crowd(sum(map(operator.mul, class_sizes, counts)), "people")
            if not columns or columns in sizes:
                raise TypeError
            sizes[columns] = ClassSizes(class_sizes, counts)
    except (KeyError, TypeError, ValueError):
        raise InvalidTableError(f"{path} is not as Marginals.to_json writes it; have it written again") from None
    singles = {columns[0]: class_sizes for columns, class_sizes in sizes.items() if len(columns) == 1}
    return singles, people, {columns: class_sizes for columns, class_sizes in sizes.items() if len(columns) > 1}


def _all(values: Any, kind: type[_T]) -> list[_T]:
    """Return a list, if all of its elements have that type."""
    if not isinstance(values, list) or any(type(value) is not kind for value in cast("list[Any]", values)):
        raise TypeError
    return cast("list[_T]", values)
