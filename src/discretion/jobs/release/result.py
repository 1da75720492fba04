"""What a release did: each column's generalization and what it lost, what the written file shows, and its document."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal

from discretion.jobs.gates import Number
from discretion.jobs.table_measures import GuessReport, table_measures
from discretion.numerics.search.explored_ideals import Ended
from discretion.presenting.json_answers import plain
from discretion.presenting.numbers import bits, people, percent
from discretion.presenting.sentences import exposed, not_read
from discretion.presenting.views.document import Block, Document, Grid, Section
from discretion.presenting.views.result import JobResult

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
    """What the written file shows: exact, of the people in it.

    ``exposed_people`` are those in classes of fewer than k people, and ``failing_people`` those in classes so small or
    less diverse than the goal has it: the goal is about these. The adversary knows the columns that are not sensitive.
    ``guesses`` are of each sensitive column, whether it is in the file or not.
    """

    people: int
    exposed_people: int
    exposure: float
    failing_people: int
    smallest_class: int
    unique_people: int
    guesses: tuple[GuessReport, ...]


@dataclass(frozen=True, repr=False)
class Release(JobResult):
    """A table that was written, and what it cost.

    Parameters
    ----------
    table, out
        What was read, and where the file is.
    goal
        The options, by name.
    people
        How many were in the table.
    suppressed
        How many of these are not in the file.
    columns
        What became of each column.
    kept
        The share of the whole table's utility that the file keeps, all columns counted: of the entropy, unless another
        is given.
    bound
        No choice of views within the goal keeps more than this share, the smallest classes being cut first.
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
        results = {field.name: plain(getattr(self, field.name)) for field in fields(self) if field.name != "numbers"}
        measures = {name: float(x) if isinstance(x, Fraction) else x for name, x in self.measures.items()}
        return results | {"measures": plain(measures)}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each column of the table."""
        return (vars(column) for column in self.columns)

    def document(self) -> Document:
        """Return the document."""
        return _document(self)


# A bound above this says nothing.
_NEARLY_ALL = 0.9999
_UTILITIES = {
    "entropy": "the entropy of the table's columns",
    "precision": "the precision of the table's columns",
    "discernibility": "the pairs of people whom the table's columns distinguish",
}
_COLUMNS = ("column", "verdict", "how", "bits", "lost", "values")


def _document(release: Release) -> Document:
    """Return the document of a release."""
    file = release.checked
    return Document(
        f"{release.out}: {people(file.people)} of {release.people:,}",
        (),
        (
            Section("What the file shows", tuple(_exposure(release))),
            Section("What became of each column", (_columns(release),)),
            Section("What it cost", tuple(_costs(release))),
            Section("The file in numbers", (_numbers(release),), "full"),
        ),
        kind="release",
        line=f"{release.out}: {people(file.people)} of {release.people:,}, {exposed(file.failing_people, file.people)}",
    )


def _exposure(release: Release) -> Iterator[str]:
    file, goal = release.checked, release.goal
    yield (
        f"Discretion read the file back and audited it: {exposed(file.failing_people, file.people)}. The goal allows "
        f"at most {percent(goal['budget'])} of the people in equivalence classes of fewer than "
        f"{goal['k']}{_diversity(release)}. "
        f"The smallest class has {people(file.smallest_class)}."
    )
    for guess in file.guesses:
        yield (
            f"The best guess of {guess.sensitive} is correct for {percent(guess.after)} of the people with the file, "
            f"and for {percent(guess.before)} without it."
        )


def _diversity(release: Release) -> str:
    """Return what else exposes the people of an equivalence class."""
    goal = release.goal
    parts = [f"l={goal['l']}"] if goal["l"] > 1 else []
    parts += [f"{name}={goal[key]:g}" for key, name in (("entropy_l", "entropy l"), ("t", "t")) if goal[key]]
    return f" or without {' and '.join(parts)}" if parts else ""


def _columns(release: Release) -> Grid:
    rows = (
        (each.column, each.verdict, each.how, bits(each.bits), bits(each.bits_lost), f"{each.values:,}")
        for each in release.columns
    )
    return Grid(
        _COLUMNS,
        tuple(rows),
        frozenset(_COLUMNS[:3]),
        note="bits: entropy of the column in the table; lost: the part that the file lacks; values: in the file",
    )


def _costs(release: Release) -> Iterator[Block]:
    yield (
        f"The file keeps {percent(release.kept)} of {_UTILITIES[release.goal['utility']]}, dropped columns included; "
        f"{_proof(release)}."
    )
    parts = [f"leaves {people(release.suppressed)} out"] if release.suppressed else []
    if release.blanked:
        parts.append(f"blanks {release.blank_cells:,} cells of {people(release.blanked)}")
    if parts:
        yield f"It {' and '.join(parts)}, which costs {percent(release.suppression_cost)}."
    yield from not_read(release.left_out)
    yield f"{release.out}.discretion.json lists the options and the results."


def _proof(release: Release) -> str:
    if release.ended == "proved":
        return "no other choice of generalizations within the goal keeps more (proved)"
    if release.bound < _NEARLY_ALL:
        return (
            f"no choice of generalizations within the goal keeps more than {percent(release.bound)}: the search "
            "ended before proving that this is the best one"
        )
    return "the search ended before it found a bound on what other choices of generalizations keep"


def _numbers(release: Release) -> Grid:
    file = release.checked
    numbers = {
        f"people in classes of fewer than {release.goal['k']}": f"{file.exposed_people:,}",
        "people in classes that miss the goal": f"{file.failing_people:,}",
        "unique people": f"{file.unique_people:,}",
        "people in the smallest class": f"{file.smallest_class:,}",
        "entropy kept": percent(release.entropy_kept),
        "precision": percent(release.precision),
        "discernibility (pairs of people)": f"{release.discernibility:,}",
    }
    return Grid(("in the file", "exact"), tuple(numbers.items()), frozenset(["in the file"]))
