"""Faults of a JSON file, found without the engine, since its messages quote values."""

import json
import os
import re
from typing import BinaryIO

from discretion import limits
from discretion.errors import InvalidTableError
from discretion.tables.layouts.csv_layout import check_encoding

# The most bytes of a JSON file to search for the faulty line.
MAX_BYTES_SEARCHED = 1 << 26

_START = re.compile(r"[^ \t\r\n]")
_MALFORMED = "is not well-formed JSON in UTF-8"
_OTHERWISE = "is JSON that the engine cannot read; write it as Parquet"


def json_fault(file: BinaryIO) -> str:
    """Return the fault of a JSON file, and its line if the file is small enough to find it."""
    file.seek(0)
    try:
        check_encoding(file)
    except InvalidTableError as error:
        return str(error)
    # Looking takes several times the size.
    if os.fstat(file.fileno()).st_size > limits.current().numbers(MAX_BYTES_SEARCHED):
        return f"{file.name} is not well-formed JSON in UTF-8"
    file.seek(0)
    text = file.read().decode()
    try:
        fault = _in_file(text) if file.name.lower().endswith((".json", ".json.gz")) else _by_line(text)
    except RecursionError:
        return f"{file.name} is nested deeper than can be read; flatten it"
    return f"{file.name} {fault}"


def _by_line(text: str) -> str:
    for number, line in enumerate(text.split("\n"), start=1):
        if fault := _in_values(line):
            what, _ = fault
            return f"{_MALFORMED}: line {number} {what}"
    return _OTHERWISE


def _in_file(text: str) -> str:
    if fault := _in_values(text):
        what, position = fault
        line = text.count("\n", 0, position) + 1
        return f"{_MALFORMED}: line {line} {what}"
    return _OTHERWISE


def _in_values(text: str) -> tuple[str, int] | None:
    """Return the first fault of a sequence of values, and its place; None if there is none."""
    decoder, position = json.JSONDecoder(), 0
    while match := _START.search(text, position):
        start = match.start()
        try:
            value, position = decoder.raw_decode(text, start)
            json.dumps(value, ensure_ascii=False).encode()
        except json.JSONDecodeError as error:
            return "is not JSON", error.pos
        except UnicodeEncodeError:
            return "has half of a character, an escape from \\ud800 to \\udfff without the other one", start
    return None
