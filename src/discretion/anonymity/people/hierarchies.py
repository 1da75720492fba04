"""Hierarchies of values in files in the format of ARX: one line per value, coarser from left to right."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any

from discretion.anonymity.people.arx_projects import ArxProject
from discretion.errors import InvalidTableError, InvalidValueError
from discretion.input_files import opened

#: A value as text → its coarser views.
Hierarchy = Mapping[str, Sequence[str]]


def read_hierarchies(path: str | Path, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """Return the hierarchies in a file, in the files of a folder, or in an ARX project, by their columns.

    A file belongs to a column if its name ends with the column's name, as ``adult_hierarchy_age.csv`` does, with any
    separators between words; ``;`` or ``,`` separates the values. An attribute of a project belongs to the column of
    the same name.

    Parameters
    ----------
    path
        A file, a folder, or an ARX project (``.deid``).
    columns
        The columns of the table.

    Raises
    ------
    InvalidTableError
        If a file cannot be read, has lines of unequal length, or a value twice.
    InvalidValueError
        If no column has the name of the file, or of any in the folder or project, or two files belong to one column.
    """
    place = Path(path)
    if place.suffix.lower() == ".deid":
        return _hierarchies_of_project(place, columns)
    files = sorted(place.glob("*.csv")) if place.is_dir() else [place]
    named: dict[str, Path] = {}
    for file, column in ((file, column) for file in files for column in columns if _is_of(file, column, columns)):
        if (other := named.setdefault(column, file)) != file:
            raise InvalidValueError(f"{other.name} and {file.name} in {path} are both for {column!r}; keep one of them")
    if not named:
        raise InvalidValueError(
            f"{path} has no hierarchy of a column: name each file after its column, such as {columns[0]}.csv"
        )
    return {column: read_hierarchy(file) for column, file in named.items()}


def _hierarchies_of_project(path: Path, columns: Iterable[str]) -> dict[str, Hierarchy]:
    with opened(path, "an ARX project") as file:
        project = ArxProject(file)
        names = {_plain(attribute): attribute for attribute in project.attributes}
        names |= {attribute: attribute for attribute in project.attributes}  # if a column is spelled like that
        hierarchies: dict[str, Hierarchy] = {}
        for column in columns:
            if (attribute := names.get(column, names.get(_plain(column)))) is not None:
                what = f"the hierarchy of {attribute!r} in {path}"
                lines = _lines(project.hierarchy(attribute), project.delimiter, what)
                if any(len(line) > 1 for line in lines):  # ARX stores the values alone where the user made none
                    hierarchies[column] = _as_hierarchy(lines, what)
    if not hierarchies:
        shown = ", ".join(f"{attribute!r:.40}" for attribute in [*project.attributes][:5]) or "none"
        raise InvalidValueError(
            f"{path} has no hierarchy of a column of the table; its first attributes are {shown}. Give each column the "
            "name of its attribute, or export the hierarchies from ARX as CSV and name their folder"
        )
    return hierarchies


def spelled_values(hierarchy: Hierarchy, column: str, values: Sequence[Any]) -> list[str]:
    """Return values of a column as its hierarchy spells them; each must have a line."""
    texts = ["" if value is None else spelled_value(value, hierarchy) for value in values]
    check_lines(hierarchy, column, texts)
    return texts


def check_lines(hierarchy: Hierarchy, column: str, texts: Iterable[str | None]) -> None:
    """Raise InvalidValueError if a value that is not null has no line."""
    missing = sum(text is not None and text not in hierarchy for text in texts)
    if missing:
        raise InvalidValueError(
            f"the hierarchy of {column!r} has no line for {missing:,} of its values; give each value a line"
        )


def spelled_value(value: Any, hierarchy: Hierarchy) -> str:
    """Return a value as a hierarchy spells it: 39.0, midnight or a flag may be written as 39, the day or true."""
    spellings = [str(value), str(value).strip()]
    if isinstance(value, bool):
        spellings.append(str(value).lower())
    if isinstance(value, float) and value.is_integer():
        spellings.append(f"{value:.0f}")
    if isinstance(value, datetime) and value.time() == time():
        spellings.append(value.date().isoformat())
    return next((text for text in spellings if text in hierarchy), spellings[0])


def _is_of(file: Path, column: str, columns: Iterable[str]) -> bool:
    """Whether a file has the name of a column, and of no column with a longer name."""
    name = _plain(file.stem)
    fits = [each for each in columns if name == _plain(each) or name.endswith("_" + _plain(each))]
    return column == max(fits, key=len, default=None)


def _plain(name: str) -> str:
    """Return the common form of all spellings of a name: marital-status, Marital Status, and R's marital.status."""
    return re.sub(r"[\W_]+", "_", name.casefold())


def read_hierarchy(path: str | Path) -> Hierarchy:
    """Return the hierarchy in a file: each value as text, and its generalizations.

    Raises
    ------
    InvalidTableError
        If it cannot be read, has lines of unequal length, or a value twice.
    """
    with opened(path, "a hierarchy") as file:
        try:
            text = file.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidTableError(f"{path} is not text in UTF-8; save it as that") from None
    return _as_hierarchy(_lines(text, ";" if ";" in text else ",", str(path)), str(path))


def _lines(text: str, delimiter: str, what: str) -> list[list[str]]:
    try:
        return [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if line]
    except csv.Error:
        raise InvalidTableError(f"{what} is not a CSV file that can be read; see to its quotes and line ends") from None


def _as_hierarchy(lines: Sequence[Sequence[str]], what: str) -> Hierarchy:
    hierarchy = {line[0].strip(): tuple(value.strip() for value in line[1:]) for line in lines}
    if not lines or len({len(line) for line in lines}) > 1 or len(lines[0]) < 2:
        raise InvalidTableError(f"{what} is no hierarchy: each line needs a value and equally many coarser ones")
    if len(hierarchy) < len(lines):
        raise InvalidTableError(f"{what} has two lines for one value; keep one of them")
    return hierarchy
