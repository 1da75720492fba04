"""Marginals: the numbers of people who share each value of a column, without their values on other columns."""

import json
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from discretion.anonymity.people.records import as_kept
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.layouts.names import distinct_names, names_among
from discretion.validation import as_crowd

# The number of people with each value, or the class sizes.
Counts = Mapping[Any, int] | ClassSizes
Group = tuple[str, ...]

SEVERAL_ROWS = "single columns do not bound the exposure of people with several rows; use exposure, or a row per person"


class Marginals:
    """The counts of single columns, and optionally of some groups of them, without the joint table of the people.

    Marginals keep the numbers of people who share a value, but not the values: bounds on the exposure need no more.

    Parameters
    ----------
    counts
        A column → its values with the number of people for each; or its :class:`ClassSizes`. Or a path to such counts:
        a ``.csv`` file of the columns column, value and count, a ``.json`` file of objects in an object, or a file of
        :meth:`to_json`. A missing value (None, empty in CSV) is a value like any other.
    people
        The number of people; None is the number that every column counts. People whom a mapping leaves out count as
        one class without a value there (None). Do not use this for rare values that were withheld: then the bounds
        would not hold.
    groups
        Groups of the columns → tuples of values with the number of people for each; or their :class:`ClassSizes`.

    Raises
    ------
    InvalidTableError
        If a file cannot be read. No message quotes a value.
    TooLargeError
        If there are more people than the package can count.
    UnsupportedError
        If ``counts`` is something else.

    Examples
    --------
    >>> from discretion.anonymity import Marginals, exposure_bound
    >>> counts = Marginals({"sex": {"f": 6, "m": 4}, "blood": {"0": 9, "AB": 1}})
    >>> counts
    Marginals(10 people; sex, blood)
    >>> exposure_bound(counts, k=2).value
    0.3
    """

    __slots__ = ("_columns", "_groups", "_people", "_sizes")

    def __init__(
        self,
        counts: Mapping[str, Counts] | str | Path,
        people: int | None = None,
        groups: Mapping[Any, Counts] | None = None,
    ) -> None:
        together: Mapping[Any, Any] = {} if groups is None else groups
        for given in (together, {} if isinstance(counts, str | Path) else counts):
            if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise UnsupportedError(
                    "Marginals take a mapping {column: {value: count}} or a path to a .csv or .json file, and groups "
                    "{(column, column): {(value, value): count}}, "
                    f"got {type(given).__name__}; for a table use discretion.Population(table).marginals()"
                )
        if isinstance(counts, str | Path):
            from discretion.anonymity.people.counts_files import read_counts  # noqa: PLC0415 - few have them in a file

            counts, people_in_file, more = read_counts(counts)
            people, together = people_in_file if people is None else people, {**more, **together}
        self._columns = distinct_names(counts)
        if "" in self._columns:
            raise InvalidValueError("a column of Marginals has no name; name every column")
        people = None if people is None else as_crowd(people, "people")
        singles = {name: _class_sizes(counts[name], f"the column {name!r}", people) for name in self._columns}
        self._people = _check_same_people(singles, people)
        self._sizes = {frozenset[str](): ClassSizes([self._people], [1])}
        self._sizes |= {frozenset([name]): sizes for name, sizes in singles.items()}
        self._groups = tuple(self._add(group, joint) for group, joint in together.items())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were counted, in the order given."""
        return self._columns

    @property
    def people(self) -> int:
        """The number of people, n."""
        return self._people

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of columns that were counted together."""
        return self._groups

    def class_sizes(self, columns: Iterable[str] | None = None) -> ClassSizes:
        """Return the sizes of the equivalence classes on the columns, if these were counted together.

        Parameters
        ----------
        columns
            A column, or a group of them; None is all of them; with ``()`` everybody is in one class.

        Raises
        ------
        UnsupportedError
            If the columns were not counted together.
        UnknownColumnError
            If there are no counts of such a column.

        Examples
        --------
        >>> Marginals({"sex": {"f": 6, "m": 4}}).class_sizes(["sex"]).sizes.tolist()
        [4, 6]
        """
        chosen = self.known(columns)
        if (sizes := self._sizes.get(frozenset(chosen))) is None:
            raise UnsupportedError(
                f"these Marginals lack the counts of {' and '.join(chosen)} together; add them with groups=, or leave "
                "out the group"
            )
        return sizes

    def marginals(
        self,
        columns: Iterable[str] | None = None,
        groups: Iterable[Iterable[str]] = (),
        kept: Mapping[str, int] | None = None,
    ) -> "Marginals":
        """Return the counts of some of the columns, and of some of the groups of these.

        Parameters
        ----------
        columns
            Some of the columns; None is all of them.
        groups
            Some of the groups of these.
        kept
            A column → how many of its most frequent values are distinguished, while all others become one value;
            columns that are not named keep all values.

        Raises
        ------
        UnsupportedError
            If a group was not counted, or was counted with other values of a column than ``kept`` distinguishes.
        UnknownColumnError
            If there are no counts of such a column.
        InvalidValueError
            If a group has a column that is not among the columns.
        """
        chosen, together = self.known(columns), groups_among(groups, self.known(columns))
        sizes = {name: self.class_sizes([name]) for name in chosen}
        most = as_kept(kept, self._columns)
        coarse = {name: alone.coarsened(most[name]) for name, alone in sizes.items() if name in most}
        for group in together:
            if merged := next((name for name in group if coarse.get(name, sizes[name]) != sizes[name]), None):
                raise UnsupportedError(
                    f"the counts of {' and '.join(group)} together do not show the rare values of {merged}; leave out "
                    f"the group or kept[{merged!r}], or pass the table"
                )
        return Marginals(sizes | coarse, self._people, {group: self.class_sizes(group) for group in together})

    def alone(self) -> tuple[ClassSizes, ...]:
        """Return the class sizes of each column by itself; without a column, those of one class of everybody."""
        return tuple(self._sizes[frozenset([name])] for name in self._columns) or (self._sizes[frozenset()],)

    def known(self, columns: Iterable[str] | None) -> tuple[str, ...]:
        """Return the columns as a tuple if each is one of those counted, once; None is all of them."""
        return self._columns if columns is None else names_among(distinct_names(columns), self._columns)

    def to_json(self) -> str:
        """Return the class sizes as JSON, without values, so that a curator can make Marginals from them.

        Examples
        --------
        >>> print(Marginals({"sex": {"f": 6, "m": 4}}).to_json())
        {"schema_version": 1, "people": 10, "marginals": [{"columns": ["sex"], "sizes": [4, 6], "counts": [1, 1]}]}
        """
        from discretion.anonymity.people.counts_files import SCHEMA_VERSION  # noqa: PLC0415 - few are written

        columns = [
            {"columns": list(group), "sizes": sizes.sizes.tolist(), "counts": sizes.counts.tolist()}
            for group in (*((name,) for name in self._columns), *self._groups)
            for sizes in [self.class_sizes(group)]
        ]
        return json.dumps({"schema_version": SCHEMA_VERSION, "people": self._people, "marginals": columns})

    def _add(self, group: Sequence[str], joint: Counts) -> Group:
        names = next(iter(groups_among([group], self._columns)), ())
        together = " and ".join(names)
        if not names or frozenset(names) in self._sizes:
            raise InvalidValueError(f"a group of Marginals needs two or more columns and may occur once; got {group!r}")
        sizes = _class_sizes(joint, f"the group {together}")
        if sizes.people != self._people:
            raise InvalidValueError(
                f"the group {together} counts {sizes.people:,} people of {self._people:,}; count everybody, and a "
                "missing value as a value"
            )
        if not isinstance(joint, ClassSizes):
            self._check_sums(tuple(group), joint)
        self._sizes[frozenset(names)] = sizes
        return names

    def _check_sums(self, group: Group, joint: Mapping[Any, int]) -> None:
        """Raise InvalidValueError unless the counts of a group add up to those of each of its columns."""
        if not all(isinstance(values, tuple) and len(cast("Group", values)) == len(group) for values in joint):
            raise InvalidValueError(
                f"the counts of a group need tuples of values, one for each column of {' and '.join(group)}"
            )
        for place, name in enumerate(group):
            summed: Counter[Any] = Counter()
            for values, count in joint.items():
                summed[values[place]] += count
            if _class_sizes(summed, name) != self._sizes[frozenset([name])]:
                raise InvalidValueError(
                    f"the counts of {' and '.join(group)} together do not add up to those of {name}"
                )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Marginals):
            return NotImplemented
        return self._columns == other._columns and self._sizes == other._sizes

    def __hash__(self) -> int:
        return hash((self._columns, frozenset(self._sizes.items())))

    def __repr__(self) -> str:
        together = "".join(f"; {' and '.join(group)} together" for group in self._groups)
        return f"Marginals({self._people} people; {', '.join(self._columns)}{together})"


def groups_among(groups: Iterable[Iterable[str]], columns: Sequence[str]) -> tuple[Group, ...]:
    """Return the groups of two or more of the columns, each in the columns' order, without groups of one column."""
    result: list[Group] = []
    for names in groups:
        group = (names,) if isinstance(names, str) else tuple(names)
        if not group or isinstance(names, str) or not set(group) <= set(columns):
            raise InvalidValueError(
                f"a group must be a sequence of columns out of {', '.join(columns)} whose joint class sizes are known, "
                f"got {names!r}"
            )
        result.append(tuple(name for name in columns if name in group))
    return tuple(group for group in result if len(group) > 1)


def _class_sizes(counts: Any, what: str, people: int | None = None) -> ClassSizes:
    """Return the class sizes of counts; people whom the counts leave out form the class without a value."""
    if isinstance(counts, ClassSizes):
        return counts
    if not isinstance(counts, Mapping) or not counts:
        raise InvalidValueError(f"the counts of {what} must be a mapping {{value: count}} of one or more values")
    sizes_by_value = {value: _as_size(count, what) for value, count in cast("Mapping[Any, Any]", counts).items()}
    total = as_crowd(sum(sizes_by_value.values()), "people")
    if people is not None and total < people:
        sizes_by_value[None] = sizes_by_value.get(None, 0) + people - total
    sizes, classes = zip(*sorted(Counter(sizes_by_value.values()).items()), strict=True)
    return ClassSizes(sizes, classes)


def _as_size(count: Any, what: str) -> int:
    """Return a count; the error does not quote the value, which may be a person's."""
    try:
        size = 0 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        size = 0
    if size < 1:
        raise InvalidValueError(
            f"a count of {what} is not a whole number of at least 1; leave out the values that nobody has"
        )
    return size


def _check_same_people(singles: Mapping[str, ClassSizes], people: int | None) -> int:
    """Return the number of people; refuse a column that counts another number."""
    totals = {name: sizes.people for name, sizes in singles.items()}
    if people is None and not totals:
        raise InvalidValueError("Marginals need the counts of at least one column")
    most = max(totals.values()) if people is None else people
    for name, total in totals.items():
        if total != most:
            raise InvalidValueError(
                f"the column {name!r} counts {total:,} people, and "
                + (
                    f"another one {most:,}; count everybody in each, with a missing value as a value, or give "
                    f"people={most} if the people whom a column leaves out have no value there (if their values were "
                    "withheld because they are rare, the bounds do not hold)"
                    if people is None
                    else f"people={people}; give the counts of these people and of no others"
                )
            )
    return as_crowd(most, "people")
