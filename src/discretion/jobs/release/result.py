"""What a release did, as plain frozen data: each column's view and what it lost, and what the written file shows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal

from discretion.jobs.gates import Number
from discretion.jobs.table_measures import GuessReport, table_measures
from discretion.numerics.search.looked_at import Ended
from discretion.presenting.objects import plain

_OF_FILE = ("failing_people", "smallest_class")
_OF_COST = (
    "suppressed", "kept", "bound", "suppression_cost", "blanked", "blank_cells", "entropy_kept", "precision",
    "discernibility",
)  # fmt: skip


def release_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the numbers that a gate may be of: of the file, and of what it cost."""
    return (*table_measures(sensitive), *_OF_FILE, *_OF_COST)


@dataclass(frozen=True)
class ReleasedColumn:
    """What became of a column.

    ``how``: what was done, in words. ``bits`` is its entropy, ``bits_lost`` what of it coarsening or dropping took, and
    ``values`` how many it has where it goes out.
    """

    column: str
    verdict: Literal["publish", "coarsen", "redact", "drop"]
    how: str
    bits: float
    bits_lost: float
    values: int


@dataclass(frozen=True)
class FileExposure:
    """What the written file shows who reads it back: exact, of the people in it.

    ``exposed_people`` are those in classes of fewer than k people, and ``failing_people`` those in classes so small or
    less diverse than was asked: the goal is about these. The adversary knows the columns that are not sensitive.
    ``guesses`` are of each sensitive column, whether it is in the file or not.
    """

    people: int
    exposed_people: int
    exposure: float
    failing_people: int
    smallest_class: int
    unique_people: int
    guesses: tuple[GuessReport, ...]


@dataclass(frozen=True)
class Release:
    """A table that was written, and what it cost.

    Parameters
    ----------
    table, out
        What was read, and where the file is.
    goal
        What was asked of it, by name.
    people
        How many were in the table.
    suppressed
        How many of these are not in the file.
    columns
        What became of each column.
    kept
        The share of the whole table's utility that the file keeps, all columns counted: of the entropy, unless another
        was asked for.
    bound
        No choice of views within the goal keeps more than this share, the smallest groups being cut first.
    ended
        "proved", or what ended the search before.
    suppression_cost
        The share of the utility that went with people who are left out and cells that are blank.
    blanked, blank_cells
        How many people in the file have a cell left blank, and how many such cells there are.
    entropy_kept, precision
        The share of the non-uniform entropy that the file keeps, and how precise it is, from 0, nothing, to 1.
    discernibility
        Σ over classes of their size squared, and n for each person who is left out: lower is more useful.
    checked
        What the file shows when it is read back.
    sha256, version
        Of the file's bytes, and of Discretion.
    numbers
        The file's numbers by the names that gates use.
    left_out
        What of the table's source was not read, such as other sheets of a workbook.
    """

    table: str
    out: str
    goal: Mapping[str, Any]
    people: int
    suppressed: int
    columns: tuple[ReleasedColumn, ...]
    kept: float
    bound: float
    ended: Ended
    suppression_cost: float
    blanked: int
    blank_cells: int
    entropy_kept: float
    precision: float
    discernibility: int
    checked: FileExposure
    sha256: str
    version: str
    numbers: Mapping[str, Number]
    left_out: tuple[str, ...] = ()

    @property
    def measures(self) -> dict[str, Number | None]:
        """The numbers that a gate may be of."""
        of_file: dict[str, Number | None] = {name: getattr(self.checked, name) for name in _OF_FILE}
        return {**self.numbers, **of_file, **{name: getattr(self, name) for name in _OF_COST}}

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and strings, ready for JSON."""
        found = {field.name: plain(getattr(self, field.name)) for field in fields(self) if field.name != "numbers"}
        measures = {name: float(x) if isinstance(x, Fraction) else x for name, x in self.measures.items()}
        return found | {"measures": plain(measures)}
