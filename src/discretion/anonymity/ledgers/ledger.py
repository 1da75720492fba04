"""Ledgers: lists of the publications about the same people, as TOML files that a person can write."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, cast

from discretion.anonymity.ledgers.count_tables import CountTable, read_count_table
from discretion.errors import InvalidTableError, InvalidValueError, one_of
from discretion.escaping import printable
from discretion.input_files import opened, read_toml
from discretion.tables.layouts.names import distinct_names

_CHUNK = 1 << 20
_TABLE_KEYS = ("file", "date", "person", "columns", "linkable", "sha256")
_COUNT_KEYS = ("file", "date", "count", "k", "where", "complete", "sha256")
_BEGIN = (
    "# The publications about the same people; docs/how-to/two-releases.md lists the keys. Do not publish this file,\n"
    "# nor the files that it names with a person column.\n"
)


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A published table with rows.

    Parameters
    ----------
    table
        The rows as they were published, possibly with a column that names their persons: anything that
        `discretion.Population` takes.
    person
        The column that names the persons, with the same names as in the other tables. It need not have been published.
        None if no column names them.
    columns
        The columns that were published; None is all except the person's.
    linkable
        Whether an adversary may know which rows of this and of another publication belong to one person.
    name
        The name of the table in messages.
    """

    table: Any
    person: str | None = None
    columns: tuple[str, ...] | None = None
    linkable: bool = True
    name: str = "an earlier table"

    def __post_init__(self) -> None:
        if self.columns is not None:
            object.__setattr__(self, "columns", distinct_names(self.columns))
            if self.person in self.columns:
                raise InvalidValueError(
                    f"{self.name}: the column {self.person!r} names the persons, so it cannot be among columns"
                )


@dataclass(frozen=True, eq=False)
class Ledger:
    """The publications about the same people.

    Parameters
    ----------
    tables
        Tables with rows, in the order in which they were published.
    counts
        Tables of counts.
    path, text
        The path and the text of the ledger's file, if it has one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> spring = pa.table({"id": [1, 2, 3], "age": [30, 30, 40]})
    >>> Ledger([PublishedTable(spring, "id", name="spring")])
    Ledger(1 table, 0 tables of counts)
    """

    tables: tuple[PublishedTable, ...] = ()
    counts: tuple[CountTable, ...] = ()
    path: str | None = None
    text: str = ""

    def __init__(
        self,
        tables: Iterable[PublishedTable] = (),
        counts: Iterable[CountTable] = (),
        path: str | None = None,
        text: str = "",
    ) -> None:
        given = (("tables", tuple(tables)), ("counts", tuple(counts)), ("path", path), ("text", text))
        for name, value in given:
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        tables, counts = (f"{len(some)} table{'s' * (len(some) != 1)}" for some in (self.tables, self.counts))
        return f"Ledger({tables}, {counts} of counts)"


def read_ledger(path: str | os.PathLike[str]) -> Ledger:
    r"""Return the ledger in a TOML file, if each file that it names is unchanged.

    Parameters
    ----------
    path
        The file; the names in it are relative to its folder.

    Raises
    ------
    InvalidValueError
        If there is no such file, it is not TOML, or it has keys that a ledger does not have.
    InvalidTableError
        If a file that it names is missing, or has changed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "spring.csv").write_text("id,age\n1,30\n2,30\n")
    >>> _ = (folder / "ledger.toml").write_text('[[table]]\nfile = "spring.csv"\nperson = "id"\n')
    >>> read_ledger(folder / "ledger.toml")
    Ledger(1 table, 0 tables of counts)
    """
    given, text = read_toml(path, "a ledger")
    file = os.fspath(path)
    for key in given:
        _one_of(key, ("table", "counts"), "part of a ledger called", file)
    tables = [_table(entry, file) for entry in _entries(given, "table", _TABLE_KEYS, file)]
    counts = [_counts(entry, file) for entry in _entries(given, "counts", _COUNT_KEYS, file)]
    return Ledger(tables, counts, file, text)


def ledger_with(
    ledger: Ledger, file: Path, *, person: str | None, columns: Sequence[str], day: date, sha256: str
) -> str:
    """Return the text of a ledger's file with another table at its end.

    Parameters
    ----------
    ledger
        The ledger as it was read from its file.
    file
        The file of the table to add.
    person, columns
        The column of the table that names the persons, and the published columns.
    day
        The day of the publication.
    sha256
        The digest of the table's file.
    """
    assert ledger.path is not None
    entry: dict[str, Any] = {
        "file": Path(os.path.relpath(file.resolve(), Path(ledger.path).resolve().parent)).as_posix(),
        "date": day,
        **({} if person is None else {"person": person}),
        "columns": [*columns],
        "sha256": sha256,
    }
    lines = [f"{name} = {_spelled(value)}" for name, value in entry.items()]
    before = ledger.text.rstrip("\n") or _BEGIN.rstrip("\n")
    return before + "\n\n" + "\n".join(["[[table]]", *lines]) + "\n"


def _entries(given: Mapping[str, Any], part: str, keys: Sequence[str], path: str) -> list[dict[str, Any]]:
    entries: Any = given.get(part, [])
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in cast("list[Any]", entries)):
        raise InvalidValueError(f"{path}: begin each {part} of a ledger with a line [[{part}]]")
    for entry in cast("list[dict[str, Any]]", entries):
        for key in entry:
            _one_of(key, keys, f"key of a {part} called", path)
        if not isinstance(entry.get("file"), str):
            raise InvalidValueError(f'{path}: a [[{part}]] has no file = "…"; name the file that was published')
    return cast("list[dict[str, Any]]", entries)


def _table(entry: Mapping[str, Any], path: str) -> PublishedTable:
    columns = _typed(entry, "columns", list, path)
    _typed(entry, "date", date, path)
    return PublishedTable(
        table=_unchanged(entry, path),
        person=_typed(entry, "person", str, path),
        columns=None if columns is None else distinct_names(columns),
        linkable=_typed(entry, "linkable", bool, path) is not False,
        name=Path(entry["file"]).name,
    )


def _counts(entry: Mapping[str, Any], path: str) -> CountTable:
    _typed(entry, "date", date, path)
    where: Mapping[str, Any] = _typed(entry, "where", dict, path) or {}
    if not all(isinstance(value, str) for value in where.values()):
        raise InvalidValueError(f'{path}: where must have a text for each column, such as {{sex = "f"}}')
    return read_count_table(
        _unchanged(entry, path),
        _typed(entry, "count", str, path) or "count",
        k=_typed(entry, "k", int, path) or 1,
        where={name: value or None for name, value in where.items()},
        complete=_typed(entry, "complete", bool, path) is not False,
    )


def _typed(entry: Mapping[str, Any], key: str, kind: type, path: str) -> Any:
    value = entry.get(key)
    if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        what = {
            str: "text",
            bool: "true or false",
            list: "a list of columns",
            int: "a whole number",
            date: "a day such as 2025-03-01",
        }.get(kind, "a table")
        raise InvalidValueError(f"{path}: {key} of {printable(entry['file'])} must be {what}")
    return value


def _unchanged(entry: Mapping[str, Any], path: str) -> str:
    """Return the path of a file that a ledger names, if it is there and has not changed."""
    file = Path(path).parent / entry["file"]
    digest = hashlib.sha256()
    try:
        with opened(file, f"what the ledger {path} lists") as content:
            while chunk := content.read(_CHUNK):
                digest.update(chunk)
    except InvalidTableError as error:
        raise InvalidTableError(f"{error}; put the file back, or correct the ledger") from None
    expected = _typed(entry, "sha256", str, path)
    if expected is not None and digest.hexdigest() != expected.lower():
        raise InvalidTableError(
            f"{str(file)!r} has changed since it was entered in the ledger {path}: its SHA-256 digest differs; put "
            "back the file that was published, or correct the ledger"
        )
    return str(file)


def _one_of(key: str, keys: Sequence[str], what: str, path: str) -> None:
    try:
        one_of(key, keys, what)
    except InvalidValueError as error:
        raise InvalidValueError(f"{path}: {error}") from None


def _spelled(value: Any) -> str:
    """Return a value as TOML spells it: as JSON does, except for days and one character."""
    if isinstance(value, date):
        return value.isoformat()
    return re.sub("\x7f", r"\\u007f", json.dumps(value, ensure_ascii=False))
