"""Locations of tables: the example, standard input, a file, a part of one, or an address of a database."""

import os
import re
from importlib.resources import files
from pathlib import Path

from discretion.tables.streams import STANDARD_INPUT

EXAMPLE = "example:adult"
DATABASES = (".duckdb", ".db", ".sqlite", ".sqlite3")
SHEETS = (".xlsx",)

_PARTS = {"table": DATABASES, "sheet": SHEETS}
_OF_A_FILE = ("duckdb://", "sqlite://")


def path_of(table: str | os.PathLike[str]) -> Path:
    """Return the path of a table: the given one, or that of the example by its name."""
    return Path(str(files("discretion.tables") / "adult.parquet")) if table == EXAMPLE else Path(table)


def is_address(table: str | os.PathLike[str]) -> bool:
    """Return whether a text is the address of a server, ``scheme://…``, and not of a database in a file.

    Examples
    --------
    >>> [is_address(text) for text in ("postgres://ada@localhost/clinic?table=people", "sqlite://people.db", "a.csv")]
    [True, False, False]
    """
    return isinstance(table, str) and "://" in table and not table.startswith(_OF_A_FILE)


def place_of(table: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """Return the path of a table, and the table or the sheet in the file, if one is named.

    Examples
    --------
    >>> place_of("people.sqlite?table=visits"), place_of("duckdb://people.db")
    ((PosixPath('people.sqlite'), 'visits'), (PosixPath('people.db'), None))
    """
    text = os.fspath(table)
    for scheme in _OF_A_FILE:
        text = text.removeprefix(scheme)
    named = re.fullmatch(r"(.+?)\?(table|sheet)=(.*)", text, re.DOTALL)
    if named and named[1].lower().endswith(_PARTS[named[2]]):
        return Path(named[1]), named[3]
    return path_of(text), None


def files_read(table: str) -> list[Path]:
    """Return the file or folder that is read for a table, which no output may replace; none for a server."""
    if is_address(table):
        return []
    return [Path("/dev/stdin") if table in STANDARD_INPUT else place_of(table)[0]]
