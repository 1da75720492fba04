"""Marginals: how many people share each value of a column, without their values on other columns."""

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

# How many people have each value, or of how many people each class of those alike is.
Counts = Mapping[Any, int] | ClassSizes
Group = tuple[str, ...]

SEVERAL_ROWS = "single columns do not bound the exposure of people with several rows; use exposure, or a row per person"


class Marginals:
    """The counts of single columns, and perhaps of some groups of them: people known, their joint table not.

    What it keeps is how many people share a value, and not the values: that is all that bounds on the exposure need.

    Parameters
    ----------
    counts
        A column → its values, and how many people have each; or its :class:`ClassSizes`. Or a path to such counts: a
        ``.csv`` file of the columns column, value and count, or a ``.json`` file of objects in an object, or of what
        :meth:`to_json` wrote. No value (None, empty in CSV) is a value like any other.
    people
        How many people there are; None is as many as every column counts. Those whom a mapping leaves out then have no
        value there (None), and are alike in that. Not for rare values that were withheld: nothing would bound these.
    groups
        Groups of the columns → the values that people have there together, as tuples, and how many have each; or their
        :class:`ClassSizes`.

    Raises
    ------
    InvalidTableError
        If a file cannot be read as it stands. No sentence says a value.
    TooLargeError
        If there are more people than can be computed for.
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
                    "Marginals are of a mapping {column: {value: count}} or a path to a .csv or .json file, and groups "
                    "are {(column, column): {(value, value): count}}, "
                    f"got {type(given).__name__}; of a table they are discretion.Population(table).marginals()"
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
        """How many people there are, n."""
        return self._people

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of columns that were counted together."""
        return self._groups

    def class_sizes(self, columns: Iterable[str] | None = None) -> ClassSizes:
        """Return the sizes of the classes of people who are alike on the columns, if these were counted together.

        Parameters
        ----------
        columns
            A column, or a group of them; None is all of them, and with none of them, ``()``, everybody is alike.

        Raises
        ------
        UnsupportedError
            If they were not counted together.
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
                f"the counts of {' and '.join(chosen)} together are not among these Marginals; make some that hold "
                "them, by groups=, or do without"
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
            A column → how many of its most frequent values are distinguished, the others being one; of the other columns
            all are.

        Raises
        ------
        UnsupportedError
            If a group was not counted, or not with as few values of a column as ``kept`` tells apart.
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
                    f"the counts of {' and '.join(group)} together do not show how many have a rare value of {merged}; "
                    f"leave out the group or kept[{merged!r}], or pass the table"
                )
        return Marginals(sizes | coarse, self._people, {group: self.class_sizes(group) for group in together})

    def alone(self) -> tuple[ClassSizes, ...]:
        """Return the class sizes of each column by itself; with no column everybody is alike."""
        return tuple(self._sizes[frozenset([name])] for name in self._columns) or (self._sizes[frozenset()],)

    def known(self, columns: Iterable[str] | None) -> tuple[str, ...]:
        """Return the columns as a tuple if each is one of those counted, once; None is all of them."""
        return self._columns if columns is None else names_among(distinct_names(columns), self._columns)

    def to_json(self) -> str:
        """Return the class sizes as JSON, for a curator to make Marginals of them: sizes, and no value.

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
            raise InvalidValueError(f"a group of Marginals is of two or more columns and given once, got {group!r}")
        sizes = _class_sizes(joint, f"the group {together}")
        if sizes.people != self._people:
            raise InvalidValueError(
                f"the group {together} counts {sizes.people:,} people of {self._people:,}; count everybody, and no "
                "value as one"
            )
        if not isinstance(joint, ClassSizes):
            self._check_sums(tuple(group), joint)
        self._sizes[frozenset(names)] = sizes
        return names

    def _check_sums(self, group: Group, joint: Mapping[Any, int]) -> None:
        """Raise InvalidValueError unless the counts of a group add up to those of each of its columns."""
        if not all(isinstance(values, tuple) and len(cast("Group", values)) == len(group) for values in joint):
            raise InvalidValueError(
                f"the counts of a group are by tuples of values, one of each column of {' and '.join(group)}"
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
    """Return those of two or more of the columns, each in the columns' order: others are columns by themselves."""
    result: list[Group] = []
    for names in groups:
        group = (names,) if isinstance(names, str) else tuple(names)
        if not group or isinstance(names, str) or not set(group) <= set(columns):
            raise InvalidValueError(
                f"a group is a sequence of columns out of {', '.join(columns)} whose class sizes together are known, "
                f"got {names!r}"
            )
        result.append(tuple(name for name in columns if name in group))
    return tuple(group for group in result if len(group) > 1)


def _class_sizes(counts: Any, what: str, people: int | None = None) -> ClassSizes:
    """Return the class sizes that counts are, those of so many people whom they leave out having no value."""
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
    """Return the number of people, or refuse a column that counts others."""
    totals = {name: sizes.people for name, sizes in singles.items()}
    if people is None and not totals:
        raise InvalidValueError("Marginals need the counts of at least one column")
    most = max(totals.values()) if people is None else people
    for name, total in totals.items():
        if total != most:
            raise InvalidValueError(
                f"the column {name!r} counts {total:,} people, and "
                + (
                    f"another one {most:,}; count everybody in each, no value as one, or give people={most} if those "
                    "whom a column leaves out have no value there (if their values were withheld as rare ones, nothing "
                    "bounds what they show)"
                    if people is None
                    else f"people={people}; give the counts of these people and of no others"
                )
            )
    return as_crowd(most, "people")
