"""What two tables of people tell together, as plain frozen data."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal

from discretion.anonymity import as_fraction
from discretion.anonymity.pairs.differences import Changes, Differencing, Matching
from discretion.estimate import Estimate
from discretion.jobs.gates import Number
from discretion.jobs.table_measures import SIDES, GuessReport, table_measures
from discretion.presenting.objects import plain

Decision = Literal["publish", "do not publish", "not decided"]

_OF_EACH = ("people", "exposure", "exposed_people", "unique_people", "smallest_class")
# What k_anonymity is called in the table of measures.
_SMALLEST = "smallest_class"
_OF_BOTH = (
    "rows_in_both", "rows_only_in_old", "rows_only_in_new", "linked_people",
    "added_found", "removed_found", "found_only_by_both",
)  # fmt: skip
_OF_JOIN = ("join.exposure", "join.exposed_people")
_OF_PERSONS = ("persons.added", "persons.removed", "persons.changed")


def diff_measures(sensitive: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the numbers that a gate may be of.

    Examples
    --------
    >>> diff_measures(["income"])[-4:-2]
    ('values_told:income', 'persons.added')
    """
    secrets = tuple(sensitive)
    each = tuple(f"{side}.{name}" for side in SIDES for name in (*table_measures(secrets), _SMALLEST))
    return (*each, *_OF_BOTH, *_OF_JOIN, *(f"values_told:{name}" for name in secrets), *_OF_PERSONS)


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
    """What both tables tell if the new one goes out without a column: who is found, its exposure, and the join's."""

    column: str
    found: int
    exposure: float
    join: float | None


@dataclass(frozen=True)
class Diff:
    """Two tables of people side by side.

    Parameters
    ----------
    old, new
        What was read.
    k, budget, sensitive, person
        As asked.
    columns
        How their columns fit each other.
    before, after
        Each table by its own columns, those aside that are sensitive.
    shared_before, shared_after
        Each by the shared ones alone.
    matching
        How rows match on all shared columns.
    differencing
        Who is found by taking one from the other, on the shared columns that are not sensitive.
    values_told
        A shared sensitive column → of how many people the difference tells the value for certain.
    changes
        What became of the people, if a column says who they are.
    join
        What joining both would expose; None where one table has no columns beyond the shared ones.
    old_numbers, new_numbers
        The numbers of each table by the names that gates use.
    not_read
        What of the source of either table was not read, such as other sheets of a workbook.
    without
        What is left of both if the new table goes out without one of its columns; empty where it may go out as it is.
    """

    old: str
    new: str
    k: int
    budget: float
    sensitive: tuple[str, ...]
    person: str | None
    columns: ComparedColumns
    before: SideExposure
    after: SideExposure
    shared_before: SideExposure
    shared_after: SideExposure
    matching: Matching
    differencing: Differencing
    values_told: Mapping[str, int]
    changes: Changes | None
    join: Join | None
    old_numbers: Mapping[str, Number]
    new_numbers: Mapping[str, Number]
    not_read: tuple[str, ...] = ()
    without: tuple[Without, ...] = ()

    @property
    def is_the_same(self) -> bool:
        """Whether nothing differs: the same columns, and the same rows as often."""
        columns = self.columns
        apart = columns.only_old or columns.only_new or columns.left_out or columns.coarsened
        return not (apart or self.matching.only_old or self.matching.only_new)

    @property
    def is_of_others(self) -> bool:
        """Whether fewer than half of the rows of the smaller table are in the other: hardly two versions of one."""
        return 2 * self.matching.in_both < min(self.before.people, self.after.people)

    @property
    def may_be_of_the_same(self) -> bool:
        """Whether rows hardly match, and yet both may be of the same people: as nothing tells, or as most stayed."""
        stayed = None if self.changes is None else self.changes.stayed
        return self.is_of_others and (stayed is None or 2 * stayed >= min(self.before.people, self.after.people))

    @property
    def found(self) -> int:
        """How many people the difference finds."""
        return self.differencing.added_found + self.differencing.removed_found

    @property
    def decision(self) -> Decision:
        """Whether the new table may go out beside the old one.

        Not if it exposes more than the budget by itself or joined, if the difference of two versions finds anybody, or
        tells a sensitive value. Not decided is it where only the bound on the join is above the budget, or where rows
        hardly match and yet both may be of the same people. The same again tells nothing new.
        """
        if self.is_the_same:
            return "publish"
        told = not self.is_of_others and (self.found or any(self.values_told.values()))
        most = as_fraction(self.budget) * self.after.people
        joined = self.after.exposed_people if self.join is None else self.join.exposed_people
        low, high = (joined.low, joined.high) if isinstance(joined, Estimate) else (joined, joined)
        if told or low > most:
            return "do not publish"
        return "publish" if high <= most and not self.may_be_of_the_same else "not decided"

    @property
    def measures(self) -> dict[str, Number | None]:
        """The numbers that a gate may be of, None where there is none."""
        numbers: dict[str, Number | None] = dict.fromkeys(diff_measures(self.sensitive))
        before: dict[str, Number] = {**self.old_numbers, _SMALLEST: self.before.smallest_class}
        after: dict[str, Number] = {**self.new_numbers, _SMALLEST: self.after.smallest_class}
        numbers |= {f"old.{name}": value for name, value in before.items()}
        numbers |= {f"new.{name}": value for name, value in after.items()}
        for name, value in after.items():
            was = before.get(name)
            if was is not None and not isinstance(value, Estimate) and not isinstance(was, Estimate):  # all are counted
                numbers[f"rise.{name}"] = value - was
        numbers |= {
            "rows_in_both": self.matching.in_both,
            "rows_only_in_old": self.matching.only_old,
            "rows_only_in_new": self.matching.only_new,
            "linked_people": self.matching.linked,
            "added_found": self.differencing.added_found,
            "removed_found": self.differencing.removed_found,
            "found_only_by_both": self.differencing.hidden,
        }
        joined = self.join
        exposed = self.after.exposed_people if joined is None else joined.exposed_people
        numbers["join.exposed_people"] = exposed
        if isinstance(exposed, int):
            numbers["join.exposure"] = Fraction(exposed, self.after.people)
        elif joined is not None:
            numbers["join.exposure"] = joined.exposure
        numbers |= {f"values_told:{name}": told for name, told in self.values_told.items()}
        if self.changes is not None:
            numbers |= {f"persons.{name}": getattr(self.changes, name) for name in ("added", "removed", "changed")}
        return numbers

    @property
    def missing(self) -> dict[str, str]:
        """Of each number that there is not, why."""
        reasons = dict.fromkeys(diff_measures(self.sensitive), "it is not counted of these two tables")
        reasons |= dict.fromkeys(_OF_PERSONS, "nothing says who the people are; name the column that does (--person)")
        for name in diff_measures(self.sensitive):
            side, secret = name.partition(".")[0], name.partition(":")[2]
            which = "OLD" if side == "old" else "NEW" if side == "new" else "both tables"
            if secret and secret in self.columns.left_out:
                reasons[name] = f"the values of {secret} in the two tables hardly overlap, so they are not compared"
            elif secret:
                reasons[name] = f"the sensitive column {secret} is not in {which}"
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as dicts, lists, numbers and strings, ready for JSON."""
        measures = {
            name: float(value) if isinstance(value, Fraction) else value
            for name, value in self.measures.items()
            if value is not None
        }
        inside = [field.name for field in fields(self) if field.name not in ("old_numbers", "new_numbers")]
        found = {"decision": self.decision} | {name: plain(getattr(self, name)) for name in inside}
        return found | {"measures": plain(measures)}
