"""Populations: people described by the columns of a table, and the sizes of their equivalence classes."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from discretion import limits
from discretion.anonymity.people.marginals import SEVERAL_ROWS, Marginals, groups_among
from discretion.anonymity.people.records import Records, as_kept
from discretion.errors import InvalidTableError, InvalidValueError, TooLargeError, UnsupportedError
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.engines.one_process import ProcessBound
from discretion.tables.layouts.names import check_person_apart, distinct_names, names_among

if TYPE_CHECKING:
    from discretion.numerics.arrays import Integers
    from discretion.tables.counting.grouping import SensitiveCounts
    from discretion.tables.counting.matches import Match
    from discretion.tables.counting.redacted_answers import Answers, Redacting
    from discretion.tables.engines.rows import Rows
    from discretion.tables.layouts.headers import Header

T = TypeVar("T")

# The cost of a query to an engine, in addition to a step for each person.
OPERATIONS_PER_QUESTION = 1 << 22


class Population(ProcessBound):
    """People described by a table with one row per person, or several rows per person with ``person=``.

    Two people are in the same equivalence class on some columns if they share their values there; null is a value. With
    ``person=`` the value of a person is the bag of their rows: the same rows, equally often, in any order. Rows stay in
    their engine: only class sizes and single numbers reach Python.

    Parameters
    ----------
    table
        A path, an address of a database (``"postgres://user@host/db?table=visits"``) or ``"-"``: the page on tables
        lists them (in ``.csv`` every value is text, and empty is null); the bundled ``"example:adult"``; a pandas,
        polars or Arrow table (anything with ``__arrow_c_stream__``; pandas without its index); or an Ibis table, which
        stays in place.
    columns
        The columns to keep; None keeps all.
    person
        The column that names the person of a row, if people have several rows. It is not one of the population's
        columns.
    header
        Whether the first line of a CSV file holds names (True) or a person (False: the columns are called column1,
        column2, …), or names for the columns of a file that has none. With None, a file whose column names look like a
        person's values is refused; True accepts them as names, also in JSON and Parquet. In a CSV file, a first column
        without a name is called row if its row numbers rise or header is True.
    delimiter
        The separator of the values of a CSV file: one of ``, ; | :`` or a tab, also as ``"tab"``. None detects commas
        or semicolons; in ``.tsv`` and ``.tab`` it is tabs.
    encoding
        The encoding of a CSV file that is not in UTF-8, such as ``"latin-1"``, ``"cp1252"`` or ``"utf-16"``.
    memory
        The memory limit of the engine that holds a table without an engine of its own: bytes, or text such as
        ``"2GB"``; None is half of the available memory.

    Raises
    ------
    InvalidTableError
        If the table cannot be read, a column is named twice, or a row has no person.
    UnknownColumnError
        If the table lacks a column; the methods raise it too.
    UnsupportedError
        If ``table`` is something else.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income"])
    >>> adult
    Population(32561 people; sex, income)
    >>> adult.class_sizes().sizes.tolist()
    [1179, 6662, 9592, 15128]
    """

    __slots__ = ("_class_sizes", "_columns", "_people", "_person", "_row_count", "_rows")

    def __init__(
        self,
        table: Any,
        columns: Iterable[str] | None = None,
        person: str | None = None,
        header: "Header" = None,
        *,
        delimiter: str | None = None,
        encoding: str | None = None,
        memory: int | str | None = None,
    ) -> None:
        from discretion.tables.layouts.text_format import TextFormat  # noqa: PLC0415
        from discretion.tables.sources import open_rows  # noqa: PLC0415 - imports Ibis

        chosen = None if columns is None else distinct_names(columns)

        def choose(names: Sequence[str]) -> Sequence[str]:
            if person is not None:
                names_among([person], names)
            kept = [name for name in names if name != person] if chosen is None else names_among(chosen, names)
            if not kept:
                raise InvalidTableError("a population needs at least one column in addition to the person's")
            check_person_apart(person, kept)
            return [*kept, *([person] if person is not None else [])]

        self._hold(
            open_rows(table, choose, TextFormat(header=header, delimiter=delimiter, encoding=encoding), memory), person
        )

    def with_rows(self, change: "Callable[[Rows], Rows]", person: str | None) -> "Population":
        """Return the population of changed rows, unchecked, with the person's column. For the package."""
        rows = change(self._rows)
        if rows is self._rows and person == self._person:
            return self  # with what was counted
        return Population.of_rows(rows, person)

    @classmethod
    def of_rows(cls, rows: "Rows", person: str | None = None) -> "Population":
        """Return the population of rows, unchecked. For the package."""
        population = object.__new__(cls)
        population._hold(rows, person)
        return population

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that describe people, in the order of the table or of ``columns``."""
        return self._columns

    @property
    def people(self) -> int:
        """The number of people, n."""
        return self._people

    @property
    def rows(self) -> int:
        """The number of rows: that of the people, unless they have several rows."""
        return self._row_count

    @property
    def person(self) -> str | None:
        """The column that names the person of a row, or None if everybody has one row."""
        return self._person

    @property
    def left_out(self) -> tuple[str, ...]:
        """The parts of the table's source that are not among the rows: other sheets, other tables, or other files.

        Examples
        --------
        >>> Population("example:adult").left_out
        ()
        """
        return self._rows.left_out

    def class_sizes(self, columns: Iterable[str] | None = None) -> ClassSizes:
        """Return the sizes of the equivalence classes on the columns.

        Parameters
        ----------
        columns
            Some of the population's columns, in any order; None is all of them; with ``()`` everybody is in one class.

        Examples
        --------
        >>> Population("example:adult").class_sizes(["race"]).sizes.tolist()
        [271, 311, 1039, 3124, 27816]
        """
        from discretion.tables.counting.grouping import group  # noqa: PLC0415

        chosen = self.known(columns)
        key = frozenset(chosen)
        if key not in self._class_sizes:
            self._class_sizes[key] = group(self._rows, chosen, self._person)
        return self._class_sizes[key]

    def class_sizes_of_all(self, sets: Iterable[Iterable[str]]) -> tuple[ClassSizes, ...]:
        """Return the class sizes on each of several sets of columns, faster than one set after another.

        The sets share the engine's work: it groups the rows on the larger sets, and the smaller ones follow.

        Parameters
        ----------
        sets
            Sets of the population's columns, as for :meth:`class_sizes`.

        Examples
        --------
        >>> adult = Population("example:adult")
        >>> [sizes.classes for sizes in adult.class_sizes_of_all([["sex"], ["race"], ["sex", "race"]])]
        [2, 5, 10]
        """
        from discretion.tables.counting.lattice import group_all  # noqa: PLC0415

        chosen = [self.known(columns) for columns in sets]
        if self._person is None:
            missing = [key for columns in chosen if (key := frozenset(columns)) not in self._class_sizes]
            with self._rows.turns:
                self._class_sizes |= dict(group_all(self._rows, missing, self._people, self._class_sizes))
        return tuple(self.class_sizes(columns) for columns in chosen)

    def marginals(
        self,
        columns: Iterable[str] | None = None,
        groups: Iterable[Iterable[str]] = (),
        kept: Mapping[str, int] | None = None,
    ) -> Marginals:
        """Return the number of people with each value of the columns one by one, and of groups of them together.

        Parameters
        ----------
        columns
            Some of the population's columns; None is all of them.
        groups
            Groups of these columns to count together as well.
        kept
            A column → how many of its most frequent values are distinguished, while all others become one value;
            columns that are not named keep all values.

        Raises
        ------
        UnsupportedError
            If people have several rows: their values on all columns do not follow from their values on each.
        InvalidValueError
            If a group has a column that is not among the columns.

        Examples
        --------
        >>> Population("example:adult").marginals(["sex", "race"])
        Marginals(32561 people; sex, race)
        """
        if self._person is not None:
            raise UnsupportedError(SEVERAL_ROWS)
        chosen = self.known(columns)
        together, most = groups_among(groups, chosen), as_kept(kept, self._columns)
        as_they_are = [group for group in together if not most.keys() & set(group)]
        self.class_sizes_of_all([*((name,) for name in chosen), *as_they_are])  # at once; each is kept
        singles = {name: self.class_sizes([name]) for name in chosen}
        return Marginals(
            {name: sizes.coarsened(most[name]) if name in most else sizes for name, sizes in singles.items()},
            self._people,
            {group: self._classes_of_kept(group, most) for group in together},
        )

    def _classes_of_kept(self, columns: tuple[str, ...], kept: Mapping[str, int]) -> ClassSizes:
        """Return the class sizes of people if all rare values of some columns are one value."""
        if not kept.keys() & set(columns):
            return self.class_sizes(columns)
        records = Records.of(*self.coded_classes(columns))
        most = (kept.get(name, number) for name, number in zip(columns, records.most_kept, strict=True))
        return records.class_sizes(tuple(range(len(columns))), tuple(most))

    def read_rows(self, read: "Callable[[Rows, int], T]") -> T:
        """Return the result of a function of the rows and of their number. For the package."""
        return read(self._rows, self._row_count)

    def rarest_value(self, column: str) -> tuple[str | None, int]:
        """Return the value of a column that the fewest people have, as text (None for null), and their number.

        Of several, the first by its text, and null last. With ``person=`` a person has every value in their rows.

        Examples
        --------
        >>> Population("example:adult").rarest_value("workclass")
        ('Never-worked', 7)
        """
        return self.rarest_values([column])[column]

    def rarest_values(self, columns: Iterable[str]) -> dict[str, tuple[str | None, int]]:
        """Return :meth:`rarest_value` of each column, faster than one after another. For the package."""
        from discretion.tables.counting.rarest_values import rarest_of_all, rarest_of_persons  # noqa: PLC0415

        chosen = self.known(columns)
        if self._person is not None:
            return {column: rarest_of_persons(self._rows, column, self._person) for column in chosen}
        return rarest_of_all(self._rows, chosen, self.class_sizes_of_all([column] for column in chosen))

    def common_values(self, column: str, least: int) -> list[tuple[str | None, int]]:
        """Return a column's values in at least ``least`` rows, as text (None is null), and their rows, commonest first.

        Examples
        --------
        >>> Population("example:adult").common_values("sex", 20_000)
        [('Male', 21790)]
        """
        from discretion.tables.counting.grouping import common_values  # noqa: PLC0415

        return common_values(self._rows, self.known([column])[0], least)

    def agreements(self, values: Mapping[str, str | None]) -> list[tuple[frozenset[str], int]]:
        """Return the number of rows for each set of columns on which exactly these values, given as text, agree.

        Examples
        --------
        >>> sorted((len(agreed), rows) for agreed, rows in Population("example:adult").agreements({"sex": "Male"}))
        [(0, 10771), (1, 21790)]
        """
        from discretion.tables.counting.grouping import agreements  # noqa: PLC0415

        return agreements(self._rows, {column: values[column] for column in self.known(values)})

    def best_guesses(self, columns: Iterable[str], sensitive: str) -> int:
        """Return the number of people who have the likeliest sensitive value of their class on the columns.

        Parameters
        ----------
        columns
            The columns that the adversary knows of a person.
        sensitive
            The column that the adversary guesses; with ``person=``, the bag of its values.
        """
        from discretion.tables.counting.grouping import count_best_guesses  # noqa: PLC0415

        return count_best_guesses(self.joint(columns, sensitive))

    def joint(self, columns: Iterable[str], sensitive: str) -> "SensitiveCounts":
        """Return the counts of each sensitive value in each class, which stay in the engine for further queries."""
        from discretion.tables.counting.grouping import count_jointly  # noqa: PLC0415

        chosen = self.known(columns)
        self.known([sensitive])
        if sensitive in chosen:
            raise InvalidValueError(
                f"the sensitive column {sensitive!r} is among the columns that the adversary knows; leave it out there"
            )
        return count_jointly(self._rows, chosen, sensitive, self._person)

    def redacted_answers(
        self,
        columns: Iterable[str],
        redacting: "Redacting",
        decoyed: Iterable[str],
        sets: "Sequence[int] | None" = None,
    ) -> "Iterator[Answers]":
        """Yield the number of people who could give each answer, if some have to suppress values and others may.

        Each element has the suppressed columns of an answer, of those with decoys; the numbers of people who agree with
        the rest of it, by the columns that they have to suppress; and the number of such answers.

        Parameters
        ----------
        columns
            The columns that people, with one row each, are asked for.
        redacting
            Some of the columns → the conditions under which a person has to suppress it.
        decoyed
            The columns among them that anybody else may suppress too.
        sets
            Sets of suppressed columns among these, as the bits of a number; None is all of them.
        """
        from discretion.tables.counting.redacted_answers import count_answers  # noqa: PLC0415

        chosen, coined = self.known(columns), self.known(decoyed)
        return count_answers(self._rows, self._row_count, chosen, redacting, coined, sets=sets)

    def forced_columns(self, redacting: "Redacting", decoyed: "Sequence[str]") -> dict[int, int]:
        """Return the number of people by the set of decoyed columns that they have to suppress, as bits of a number."""
        from discretion.tables.counting.redacted_answers import count_forced  # noqa: PLC0415

        return count_forced(self._rows, redacting, decoyed)

    def absent_values(self, column: str, values: "Sequence[str | None]") -> list[str | None]:
        """Return the values, spelled as in the table, that nobody has; None is a missing value."""
        from discretion.tables.counting.grouping import absent_values  # noqa: PLC0415

        return absent_values(self._rows, column, values)

    def coded_classes(self, columns: Iterable[str]) -> "tuple[Integers, Integers]":
        """Return a number for each value of each equivalence class on some columns, and the classes' sizes.

        The numbers of a column, from 0 on, only distinguish its values.
        """
        from discretion.tables.counting.grouping import code_classes  # noqa: PLC0415

        return code_classes(self._rows, self.known(columns))

    def value_texts(self, column: str) -> "list[str | None]":
        """Return a column's values as text, None for null, in the order of their numbers in :meth:`coded_classes`."""
        from discretion.tables.counting.grouping import value_texts  # noqa: PLC0415

        return value_texts(self._rows, self.known([column])[0])

    def redacted_counts(
        self, about: str, column: str, matches: "Sequence[Match]"
    ) -> "list[tuple[Hashable, Hashable, int, int]]":
        """Return for each pair of values of two columns the people who have it, and those who suppress the second."""
        from discretion.tables.counting.redacted_answers import count_redacted  # noqa: PLC0415

        return count_redacted(self._rows, about, column, matches)

    def known(self, columns: Iterable[str] | None) -> tuple[str, ...]:
        """Return the columns as a tuple if each is one of the population's, once; None is all of them."""
        return self._columns if columns is None else names_among(distinct_names(columns), self._columns)

    def _hold(self, rows: "Rows", person: str | None) -> None:
        from discretion.tables.counting.grouping import count_people, count_rows  # noqa: PLC0415

        self._rows, self._person = rows, person
        self._columns = tuple(name for name in rows.fields if name != person)
        self._row_count = count_rows(rows)
        if not self._row_count:
            raise InvalidTableError("the table has no rows; exposure needs at least one person")
        self._people = self._row_count if person is None else count_people(rows, person)
        if self._people > (most := limits.current().people):
            raise TooLargeError(f"the table has {self._people:,} people, of at most {most:,}; take a sample of them")
        self._class_sizes: dict[frozenset[str], ClassSizes] = {frozenset(): ClassSizes([self._people], [1])}

    def __repr__(self) -> str:
        return f"Population({self._people} people; {', '.join(self._columns)})"
