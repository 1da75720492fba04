"""The parts of a comparison of two tables: each side's exposure, their columns, the join, and the measures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from discretion.estimate import Estimate
from discretion.jobs.table_measures import SIDES, GuessReport, table_measures

_OF_EACH = ("people", "exposure", "exposed_people", "unique_people", "smallest_class")
# The name of k_anonymity in the table of measures.
SMALLEST = "smallest_class"
_OF_BOTH = (
    "rows_in_both", "rows_only_in_old", "rows_only_in_new", "linked_people",
    "added_found", "removed_found", "found_only_by_both",
)  # fmt: skip
_OF_JOIN = ("join.exposure", "join.exposed_people")
OF_PERSONS = ("persons.added", "persons.removed", "persons.changed")


def diff_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the numbers that a gate may name.

    Examples
    --------
    >>> diff_measures(["income"])[-4:-2]
    ('values_told:income', 'persons.added')
    """
    secrets = tuple(sensitive)
    each = tuple(f"{side}.{name}" for side in SIDES for name in (*table_measures(secrets), SMALLEST))
    return (*each, *_OF_BOTH, *_OF_JOIN, *(f"values_told:{name}" for name in secrets), *OF_PERSONS)


@dataclass(frozen=True)
class SideExposure:
    """The exposure of one table by some columns: exact.

    ``guesses`` are those of its sensitive columns by an adversary that knows the others.
    """

    people: int
    exposure: float
    exposed_people: int
    unique_people: int
    smallest_class: int
    guesses: tuple[GuessReport, ...] = ()

    @property
    def numbers(self) -> dict[str, int | Fraction]:
        """The numbers by their names, shares as exact fractions of the people."""
        numbers: dict[str, int | Fraction] = {name: getattr(self, name) for name in _OF_EACH}
        numbers["exposure"] = Fraction(self.exposed_people, self.people)
        for each in self.guesses:
            numbers[f"guess:{each.sensitive}"] = Fraction(round(each.after * self.people), self.people)
            numbers[f"certain:{each.sensitive}"] = Fraction(each.certain_people, self.people)
        return numbers


@dataclass(frozen=True)
class ComparedColumns:
    """The columns of both tables, and the form in which they are compared.

    ``left_out`` are columns of both tables of which too few values occur in the other table; ``coarsened`` those that
    are compared in the coarser form of the old or the new table; ``retyped`` those of two types, compared as text; and
    ``overlaps`` the shares of the old and the new rows whose value occurs in the other table, for columns where these
    are not all rows.
    """

    shared: tuple[str, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    left_out: tuple[str, ...]
    coarsened: Mapping[str, str]
    retyped: Mapping[str, tuple[str, str]]
    overlaps: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Join:
    """The exposure of the new table's people if both tables are joined person by person.

    Parameters
    ----------
    exposure
        The share of the new table's people: a certified interval, or an exact number if a column names the persons.
    exposed_people
        The same in people.
    certified
        The certified interval of the share without the join.
    if_the_same
        If the shared columns agree row for row, the least number of exposed people if both tables are of the same
        people.
    """

    exposure: float | Estimate
    exposed_people: int | Estimate
    certified: Estimate
    if_the_same: int | None

    @property
    def most(self) -> float:
        """An upper bound on the share of the new table's people who are exposed."""
        return self.exposure.high if isinstance(self.exposure, Estimate) else self.exposure


@dataclass(frozen=True)
class Without:
    """The exposure of both tables if the new one lacks a column: people singled out, its own exposure, the join's."""

    column: str
    found: int
    exposure: float
    join: float | None
