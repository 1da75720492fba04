"""How two tables of people compare, part by part: each side's exposure, their columns, the join, and the measures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from discretion.estimate import Estimate
from discretion.jobs.table_measures import SIDES, GuessReport, table_measures

_OF_EACH = ("people", "exposure", "exposed_people", "unique_people", "smallest_class")
# What k_anonymity is called in the table of measures.
SMALLEST = "smallest_class"
_OF_BOTH = (
    "rows_in_both", "rows_only_in_old", "rows_only_in_new", "linked_people",
    "added_found", "removed_found", "found_only_by_both",
)  # fmt: skip
_OF_JOIN = ("join.exposure", "join.exposed_people")
OF_PERSONS = ("persons.added", "persons.removed", "persons.changed")


def diff_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the numbers that a gate may be of.

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
    """How one table exposes its people by some columns: exact.

    ``guesses`` are of the sensitive columns that it has, by who knows the others.
    """

    people: int
    exposure: float
    exposed_people: int
    unique_people: int
    smallest_class: int
    guesses: tuple[GuessReport, ...] = ()

    @property
    def numbers(self) -> dict[str, int | Fraction]:
        """The numbers by their names, shares as what they are of the people."""
        numbers: dict[str, int | Fraction] = {name: getattr(self, name) for name in _OF_EACH}
        numbers["exposure"] = Fraction(self.exposed_people, self.people)
        for each in self.guesses:
            numbers[f"guess:{each.sensitive}"] = Fraction(round(each.after * self.people), self.people)
            numbers[f"certain:{each.sensitive}"] = Fraction(each.certain_people, self.people)
        return numbers


@dataclass(frozen=True)
class ComparedColumns:
    """How the columns of both tables fit each other.

    ``left_out`` are those that both have in values of which too few occur in the other; ``coarsened`` those that are
    compared as coarsely as the old or the new table has them; ``retyped`` those of two types, compared as text; and
    ``overlaps`` the share of the old and the new rows whose value occurs in the other, where it is not of all.
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
    """What joining both tables by their people would expose of the new one's.

    Parameters
    ----------
    exposure
        The share of the new table's people: certified, or a number where it was counted by who they are.
    exposed_people
        The same in people.
    certified
        What of the share is certain without the join.
    if_the_same
        How many are exposed at least if both are of the same people: where the shared columns agree row for row.
    """

    exposure: float | Estimate
    exposed_people: int | Estimate
    certified: Estimate
    if_the_same: int | None

    @property
    def most(self) -> float:
        """The share of the new table's people who are exposed at most."""
        return self.exposure.high if isinstance(self.exposure, Estimate) else self.exposure


@dataclass(frozen=True)
class Without:
    """What both tables reveal if the new one lacks a column: who is singled out, its exposure, and the join's."""

    column: str
    found: int
    exposure: float
    join: float | None
