"""A sheet of an Excel workbook as a table: a row of names, then a row per person, with a value in each cell."""

import re
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, time
from importlib import import_module
from typing import Any, BinaryIO
from zipfile import ZipFile

from discretion.errors import DiscretionError, InvalidTableError, TooLargeError, UnsupportedError
from discretion.memory import as_memory, said_size
from discretion.tables.engines.arrow_tables import arrow_rows
from discretion.tables.engines.rows import Choose, Rows, check_names
from discretion.tables.frames import as_column
from discretion.tables.layouts.headers import Header, check_line
from discretion.tables.layouts.names import choose_table, unread_tables
from discretion.tables.layouts.text_format import TextFormat

_CHUNK = 1 << 20
_OVERLAP = 1 << 16  # bytes: more than a formula has
_AT_ONCE = 10_000  # rows
# Faults that a reader of workbooks would ignore, by their XML in a workbook's parts.
_DOCUMENT_TYPE = {
    "holds an XML document type, as no spreadsheet program writes; save it by one": re.compile(rb"<!(?:DOCTYPE|ENTITY)")
}
_IN_A_SHEET = {
    "has merged cells, of which all but one are empty; unmerge and fill them": re.compile(rb"<mergeCell[ />]"),
    "has a formula without its value; open and save it in a spreadsheet program": re.compile(
        rb"<c(?:(?! t=\"str\")[^<>])*>\s*<f(?:[^<>]*/>|[^<>]*>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
    ),
}


def read_sheet(file: BinaryIO, choose: Choose, form: TextFormat, memory: int | None, part: str | None = None) -> Rows:
    """Return the rows of a sheet in an Excel workbook: numbers, texts, dates and times with their own types.

    A formula counts as the value that the spreadsheet program stored, and an empty cell is null.
    """
    room, what = as_memory(memory), file.name
    with _explained(what), ZipFile(file) as packed:
        if (size := sum(part.file_size for part in packed.infolist())) > room:
            raise TooLargeError(
                f"{what} unpacks to {said_size(size)}, but only {said_size(room)} of memory are available; allow more "
                "(--memory, memory=), or save the sheet as CSV"
            )
        for name in packed.namelist():
            _check_part(packed, name, _DOCUMENT_TYPE, what)
        with _workbook(file) as workbook:
            sheets = {each.title: each for each in workbook.worksheets}
            chosen_sheet = sheets[choose_table(part, list(sheets), [], what, "sheet")]
            left_out = unread_tables(chosen_sheet.title, workbook.sheetnames, "sheet")
            _check_part(packed, chosen_sheet._worksheet_path, _IN_A_SHEET, what)
            chosen_sheet.reset_dimensions()
            rows = list(_rows(chosen_sheet, what))
    names, people = _named(rows, form.header, what)
    columns = list(zip(*people, strict=True)) or [()] * len(names)
    if form.header is None:
        recurring = (place for place, (name, values) in enumerate(zip(names, columns, strict=True)) if name in values)
        check_line(names, next(recurring, None), what)
    position = {name: place for place, name in enumerate(check_names(names, what))}
    pa: Any = import_module("pyarrow")
    arrived = pa.table({name: as_column(_days(columns[position[name]]), name, what) for name in choose(names)})
    return replace(arrow_rows(arrived, what, memory, expected=len(people)), left_out=left_out)


@contextmanager
def _explained(what: str) -> Generator[None]:
    try:
        yield
    except (DiscretionError, MemoryError):
        raise
    except Exception:  # the reader has many, and what they say of bad data quotes values
        raise InvalidTableError(
            f"{what} is not an Excel workbook (.xlsx) that can be read: it is of another kind, encrypted, or damaged"
        ) from None


@contextmanager
def _workbook(file: BinaryIO) -> Generator[Any]:
    try:
        reader: Any = import_module("openpyxl")
    except ImportError:
        raise UnsupportedError(
            "Excel workbooks need the package openpyxl, which Discretion's extra excel brings (uv run --extra excel); "
            "or "
            "save the sheet as CSV"
        ) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they quote values
        workbook = reader.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            yield workbook
        finally:
            workbook.close()


def _check_part(packed: ZipFile, part: str, faults: Mapping[str, re.Pattern[bytes]], what: str) -> None:
    """Refuse a part of a workbook with any of the faults."""
    with packed.open(part) as content:
        seen = b""
        while chunk := content.read(_CHUNK):
            seen = seen[-_OVERLAP:] + chunk
            for fault, pattern in faults.items():
                if pattern.search(seen):
                    raise InvalidTableError(f"{what} {fault}")


def _rows(sheet: Any, what: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of each row up to its last value, up to the last row with a value."""
    blank = None
    for number, cells in enumerate(sheet.rows, start=1):
        values = [cell.value for cell in cells]
        if any(cell.data_type == "e" for cell in cells):
            raise InvalidTableError(f"{what} has an error such as #N/A or #DIV/0! in row {number}; correct or empty it")
        while values and values[-1] is None:
            values.pop()
        if not values:
            blank = blank or number
        elif blank is not None:
            raise InvalidTableError(f"{what} has a blank row, {blank}, above other rows; remove it")
        else:
            yield tuple(values)


def _named(rows: Sequence[tuple[Any, ...]], header: Header, what: str) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """Return the names of the columns, and equally many values of each person."""
    if not rows:
        raise InvalidTableError(f"{what} is empty: a sheet begins with a row of column names")
    headed = header is None or header is True
    width = len(rows[0]) if headed else max(map(len, rows))
    names: Sequence[str]
    if header is None or header is True:
        names = ["" if name is None else str(name) for name in rows[0]]
    elif header is False:
        names = [f"column{number}" for number in range(1, width + 1)]
    else:
        names = header
        if len(names) != width:
            raise InvalidTableError(f"{what} has {width} columns, and header names {len(names)}")
    for number, row in enumerate(rows, start=1):
        if len(row) > width:
            raise InvalidTableError(f"{what} has more values in row {number} than names above them ({width})")
    return names, [row + (None,) * (width - len(row)) for row in rows[int(headed) :]]


def _days(values: Sequence[Any]) -> Sequence[Any]:
    """Return points in time as days if all of them are midnights: a sheet stores days in this way."""
    given = [value for value in values if value is not None]
    if not given or not all(isinstance(value, datetime) and value.time() == time() for value in given):
        return values
    return [None if value is None else value.date() for value in values]
