"""Exposure by all publications about the same people: exact where persons can be linked, else certified bounds."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from discretion.anonymity.exposure.bounds import counting_lines, rounded_outward
from discretion.anonymity.ledgers.count_tables import CountTable, Values
from discretion.anonymity.ledgers.ledger import Ledger, PublishedTable
from discretion.anonymity.people.conversion import People, as_population
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidTableError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Booleans, Codes
from discretion.numerics.equivalence_classes import Column, everybody, refined
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.layouts.names import names_among
from discretion.validation import as_count

if TYPE_CHECKING:
    from discretion.anonymity.pairs.pair import Valued

_METHOD = "counting, with the classes of each table"


@dataclass(frozen=True)
class JointExposure:
    """The exposure by a table together with all earlier publications.

    Parameters
    ----------
    people
        The number of people in the table.
    k
        A person is exposed if fewer than k people share their values.
    exposed_people
        The number of them whom all publications together expose: exact, or certified bounds.
    alone
        The number of them whom the table itself exposes.
    left
        The number of people in earlier tables, but not in this one, whom it newly exposes.
    found
        An earlier publication whose persons cannot be linked → the number of people whom the difference isolates.
    in_both
        An earlier table whose persons are linked → the number of people of the new table that it has.
    """

    people: int
    k: int
    exposed_people: int | Estimate
    alone: int
    left: int
    found: Mapping[str, int]
    in_both: Mapping[str, int]

    @property
    def exposure(self) -> float | Estimate:
        """The share of the people of the table who are exposed by all publications together."""
        number = self.exposed_people
        if not isinstance(number, Estimate):
            return number / self.people
        low, high = (Fraction(round(end), self.people) for end in (number.low, number.high))
        return rounded_outward(low, high, number.method)

    def keeps_to(self, budget: Fraction) -> bool | None:
        """Return whether the table exposes at most a share of its people; None where the bounds do not decide.

        The same limit holds for the newly exposed people who left, and no difference may isolate anybody.
        """
        most = budget * self.people
        number = self.exposed_people
        low, high = (number.low, number.high) if isinstance(number, Estimate) else (number, number)
        if any(self.found.values()) or self.left > most or low > most:
            return False
        return True if high <= most else None


def joint_exposure(P: People, ledger: Ledger, k: int, *, sensitive: Iterable[str] = ()) -> JointExposure:
    r"""Return the exposure of a table's people by the table and all earlier publications about them.

    The adversary knows the tables that a person is in, and the person's values in each. The people in exactly these
    tables with the same values in each are the person's class:

    ``exposed = #{i ∈ NEW : #{j : S_j = S_i, v_r(j) = v_r(i) for r ∈ S_i} < k}``, ``S_i`` the tables that i is in.

    These are the equivalence classes of the outer join of all tables by their persons, where absence is a value.

    Parameters
    ----------
    P
        The people of the new table. To link them to the earlier tables, give a Population with ``person=``.
    ledger
        The earlier publications.
    k
        A person is exposed if fewer than k people share their values.
    sensitive
        Columns that the adversary does not know.

    Returns
    -------
    JointExposure
        Exact if each linkable table of the ledger names its persons as P does; otherwise ``exposed_people`` has
        certified bounds.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If a table of the ledger cannot be read, lacks a column, or has none of the people of P by their names.
    UnsupportedError
        If the rows of a table are in an engine outside of this process.
    TooLargeError
        If a table has too many rows.

    Notes
    -----
    Where the persons of some tables r cannot be linked, E ≤ exposed ≤ min over cuts ``c`` of ``R_0 + Σ_r R_r + (k -
    1)·N_0·Π_r (N_r + 1)``: the linked tables expose E people, R_r people are in classes of r of fewer than c_r, and
    N_r are its other classes; one more class is for people who are not in r. A table that is not linkable, and tables
    of counts, are compared with the new one as :func:`discretion.diff` compares two tables. Source: Discretion.

    Examples
    --------
    >>> import pyarrow as pa
    >>> spring = pa.table({"id": range(8), "age": [30] * 4 + [40] * 4})
    >>> summer = pa.table({"id": range(8), "town": ["A", "A", "B", "B"] * 2})
    >>> ledger = Ledger([PublishedTable(spring, "id", name="spring")])
    >>> result = joint_exposure(Population(summer, person="id"), ledger, k=3)
    >>> result.alone, result.exposed_people, result.exposure
    (0, 8, 1.0)
    """
    k = as_count(k, "k", at_least=1)
    people, hidden = as_population(P), frozenset(sensitive)
    new = _Read.of(people, "the new table", people.columns)
    followed: list[tuple[str, _Read]] = []
    others: list[tuple[str, _Read]] = []
    bounded: list[_Read] = []
    for entry in ledger.tables:
        is_followed = entry.linkable and None not in (people.person, entry.person)
        read = _Read.of_entry(entry)
        (followed if is_followed else others).append((entry.name, read))
        bounded += [read] * (entry.linkable and not is_followed)
    joined = _Joined.of([new, *(read for _, read in followed)], hidden)
    in_both = {name: joined.in_both(place) for place, (name, _) in enumerate(followed, 1)}
    if strange := next((name for name, both in in_both.items() if not both), None):
        raise InvalidTableError(
            f"{strange} has none of the people of the new table by their names in {people.person!r}; use the same "
            "names of persons in both, or remove it from the ledger if it is about other people"
        )
    exposed, left = joined.exposed(k)
    return JointExposure(
        people=people.people,
        k=k,
        exposed_people=_certified(joined, bounded, hidden, exposed, k) if bounded else exposed,
        alone=new.class_sizes(hidden).exposed(k=k),
        left=left,
        found={name: _found(read, new, hidden, k) for name, read in others}
        | {table.name: _found_by_counts(table, new, k) for table in ledger.counts},
        in_both=in_both,
    )


@dataclass(frozen=True, eq=False)
class _Read:
    """A table in this process: its columns, and the persons of its rows by name; if None, each row is a person."""

    columns: "Mapping[str, Valued]"
    persons: "Valued | None"
    rows: int

    @classmethod
    def of(cls, people: Population, what: str, columns: Sequence[str]) -> "_Read":
        from discretion.tables.counting.codes import column_values  # noqa: PLC0415 - imports Ibis, as do all below

        names = [*columns, *filter(None, [people.person])]
        values = people.read_rows(lambda rows, length: (rows.arrow is None, column_values(rows, names, length)))
        if values[0]:
            raise UnsupportedError(
                f"the rows of {what} stay in their engine, but a ledger is read in one process; save them as a file"
            )
        if values[1] is None:
            raise TooLargeError(
                f"{what} has {people.rows:,} rows in {len(names)} columns: too many to compare, or with values without "
                "codes, such as lists; name the columns that were published"
            )
        persons = None if people.person is None else values[1][people.person]
        return cls({name: values[1][name] for name in columns}, persons, people.rows)

    @classmethod
    def of_entry(cls, entry: PublishedTable) -> "_Read":
        people = entry.table if isinstance(entry.table, Population) else Population(entry.table, person=entry.person)
        columns = people.columns if entry.columns is None else names_among(entry.columns, people.columns)
        return cls.of(people, entry.name, columns)

    def classes(self, hidden: Iterable[str], owners: Codes, people: int) -> Column:
        """Return the class of each owner of the rows, by all columns that are not hidden."""
        from discretion.anonymity.pairs.pair import PairedTable  # noqa: PLC0415

        known = {name: column for name, (column, _) in self.columns.items() if name not in hidden}
        return PairedTable(known, self.rows, people, owners, None).classes(known)

    def class_sizes(self, hidden: Iterable[str]) -> ClassSizes:
        """Return the sizes of these classes."""
        own = np.arange(self.rows, dtype=np.int32) if self.persons is None else self.persons[0].codes
        who, owners = np.unique(own, return_inverse=True)
        return ClassSizes.from_counts(np.bincount(self.classes(hidden, owners.astype(np.int32), who.size).codes))


@dataclass(frozen=True, eq=False)
class _Joined:
    """Several tables joined by their persons: the class of each person in each table, 0 if the person is absent."""

    classes: tuple[Column, ...]

    @classmethod
    def of(cls, tables: Sequence[_Read], hidden: Iterable[str]) -> "_Joined":
        numbers, persons = _one_numbering(tables)
        classes: list[Column] = []
        for table, codes in zip(tables, numbers, strict=True):
            who, owners = np.unique(codes, return_inverse=True)
            own = table.classes(hidden, owners.astype(np.int32), who.size)
            placed = np.zeros(persons, np.int32)
            placed[who] = own.codes + np.int32(1)
            classes.append(Column(placed, own.count + 1))
        return cls(tuple(classes))

    def in_both(self, place: int) -> int:
        """Return the number of people who are in both the first table and another one."""
        return int(((self.classes[0].codes > 0) & (self.classes[place].codes > 0)).sum())

    def exposed(self, k: int) -> tuple[int, int]:
        """Return the number of exposed people of the first table, and of people in others whom it newly exposes."""
        inside = self.classes[0].codes > 0
        now, before = (_few(some, k, inside.size) for some in (self.classes, self.classes[1:]))
        return int(now[inside].sum()), int((now & ~before & ~inside).sum())

    def class_sizes(self) -> ClassSizes:
        """Return the sizes of the classes of the first table's people in the join."""
        inside = self.classes[0].codes > 0
        codes = reduce(refined, self.classes, everybody(inside.size)).codes[inside]
        return ClassSizes.from_counts(np.bincount(codes))


def _few(classes: Sequence[Column], k: int, persons: int) -> Booleans:
    """Return for each person whether their class in all tables has fewer than k; persons in no table are one class."""
    codes = reduce(refined, classes, everybody(persons)).codes
    return np.bincount(codes)[codes] < k


def _one_numbering(tables: Sequence[_Read]) -> tuple[list[Codes], int]:
    """Return the person of each row of each table in one numbering, and the number of persons."""
    if len(tables) == 1 and tables[0].persons is None:
        return [np.arange(tables[0].rows, dtype=np.int32)], tables[0].rows
    from discretion.anonymity.pairs.pair import as_texts, values_in_one_type  # noqa: PLC0415

    pa: Any = import_module("pyarrow")
    named = [table.persons for table in tables if table.persons is not None]
    values = [each for _, each in named]
    alike = values_in_one_type(*values) or [pa.array(as_texts(each), pa.string()) for each in values]
    whole = pa.concat_arrays(alike).dictionary_encode(null_encoding="encode")
    ends = np.cumsum([len(each) for each in values])[:-1]
    parts = np.split(np.asarray(whole.indices, np.int32), ends)
    return [part[column.codes] for part, (column, _) in zip(parts, named, strict=True)], len(whole.dictionary)


def _certified(joined: _Joined, others: Sequence[_Read], hidden: Iterable[str], exposed: int, k: int) -> Estimate:
    """Return certified bounds on the exposed people of the first table if others can also be linked with it."""
    sizes = joined.class_sizes()
    people, bound = sizes.people, exposed
    if k > 1:
        known = {1: sizes}
        for place, table in enumerate(others, 1):
            # People who are not in it are one more class, which is never rare.
            own = table.class_sizes(hidden)
            counts = np.append(np.repeat(own.sizes, own.counts), max(people, own.largest))
            known[1 << place] = ClassSizes.from_counts(counts)
        lines = counting_lines(known, most := min(k - 1, people))
        bound = min([people, *(rare + most * cells for rare, cells, _ in lines)])
    return Estimate(bound, exposed, bound, None, _METHOD)


def _found(old: _Read, new: _Read, hidden: Iterable[str], k: int) -> int:
    """Return the number of people who came or left and whom the difference of two comparable tables isolates."""
    from discretion.anonymity.pairs.differences import differencing, match_rows  # noqa: PLC0415
    from discretion.anonymity.pairs.pair import compared_columns  # noqa: PLC0415

    shared = [name for name in old.columns if name in new.columns and name not in hidden]
    if not shared:
        return 0
    try:
        pair = compared_columns(_one_row_each(old, shared), _one_row_each(new, shared), shared)
    except InvalidTableError:  # their values cannot be compared
        return 0
    alike = pair.classes(pair.shared)
    if 2 * match_rows(*alike, k).in_both < min(pair.old.people, pair.new.people):
        return 0
    difference = differencing(*alike, k)
    return difference.added_found + difference.removed_found


def _one_row_each(table: _Read, columns: Sequence[str]) -> "Mapping[str, Valued]":
    return {name: table.columns[name] for name in columns}


def _found_by_counts(table: CountTable, new: _Read, k: int) -> int:
    """Return the number of people who came or left since a table of counts and whom the difference isolates."""
    shared = [name for name in table.columns if name in new.columns]
    if not all(name in new.columns for name in table.where) or (shared != [*table.columns] and not table.complete):
        return 0
    shown = dict(_shown_sums(table, shared))
    now = _counted(new, [*shared, *table.where])
    condition = tuple(table.where.values())
    then = {values: now.get((*values, *condition), 0) for values in shown}
    if 2 * sum(min(count, then[values]) for values, count in shown.items()) < min(
        sum(shown.values()), sum(then.values())
    ):
        return 0
    return sum(abs(then[values] - count) for values, count in shown.items() if 0 < abs(then[values] - count) < k)


def _shown_sums(table: CountTable, columns: Sequence[str]) -> Iterator[tuple[Values, int]]:
    """Yield the counts by some of a table's columns that are sums of its counts without a blank among them."""
    places = [table.columns.index(name) for name in columns]
    sums: Counter[Values] = Counter()
    blank: set[Values] = set()
    for values, count in table.counts.items():
        kept = tuple(values[place] for place in places)
        sums[kept] += count or 0
        if count is None:
            blank.add(kept)
    yield from ((values, count) for values, count in sums.items() if values not in blank)


def _counted(table: _Read, columns: Sequence[str]) -> dict[Values, int]:
    """Return the number of rows of a table with each combination of values, as text."""
    classes = reduce(refined, (table.columns[name][0] for name in columns), everybody(table.rows))
    numbers, firsts, counts = np.unique(classes.codes, return_index=True, return_counts=True)
    from discretion.anonymity.pairs.pair import as_texts  # noqa: PLC0415

    texts = {name: as_texts(table.columns[name][1]) for name in columns}
    return {
        tuple(texts[name][table.columns[name][0].codes[first]] for name in columns): int(count)
        for _, first, count in zip(numbers, firsts, counts, strict=True)
    }
