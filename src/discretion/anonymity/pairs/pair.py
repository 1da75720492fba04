"""Pairs of tables of people: the columns of both tables in codes with the same meaning in each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Any

import numpy as np

from discretion.anonymity.pairs.coarsening import as_coarse
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidTableError, TooLargeError, UnknownColumnError, UnsupportedError
from discretion.numerics.arrays import Codes
from discretion.numerics.equivalence_classes import Column, everybody, refined, without_each
from discretion.tables.counting.codes import column_values
from discretion.tables.counting.grouping import count_people, count_rows
from discretion.tables.engines.rows import Choose, Rows
from discretion.tables.layouts.names import check_person_apart, names_among
from discretion.tables.layouts.text_format import TextFormat
from discretion.tables.sources import open_rows

# A column in codes, and their values as an Arrow array.
Valued = tuple[Column, Any]
_AS_IT_IS = TextFormat()


@dataclass(frozen=True)
class PairedTable:
    """One of the two tables of a pair.

    Parameters
    ----------
    columns
        The code of each row in each column, without the person's.
    rows, people
        The numbers of rows and of people.
    owners
        The number of the person of each row, from 0.
    persons
        The identities of these people, by numbers that mean the same in the other table; None if no column names them.
    """

    columns: Mapping[str, Column]
    rows: int
    people: int
    owners: Codes
    persons: Codes | None

    def classes(self, columns: Iterable[str]) -> Column:
        """Return the classes of people on some columns."""
        return _of_people(reduce(refined, (self.columns[name] for name in columns), everybody(self.rows)), self.owners)

    def without_each(self, columns: Iterable[str]) -> Iterator[Column]:
        """Yield the classes of people on all of these columns except one, for each column in turn."""
        for classes in without_each([self.columns[name] for name in columns], self.rows):
            yield _of_people(classes, self.owners)


@dataclass(frozen=True)
class TablePair:
    """Two tables of people, with the columns that both have in comparable values.

    Parameters
    ----------
    old, new
        The tables.
    shared
        The columns that both have, in comparable codes: of each row of the old table, then of the new.
    left_out
        Columns that both have, but with too few values that occur in the other table.
    coarsened
        A column that is compared in the coarser values of one table → that table.
    retyped
        A column of different types → the types; it is compared as text.
    overlaps
        A shared column → the share of the old and of the new rows whose value occurs in the other table at all.
    """

    old: PairedTable
    new: PairedTable
    shared: Mapping[str, Column]
    left_out: tuple[str, ...]
    coarsened: Mapping[str, str]
    retyped: Mapping[str, tuple[str, str]]
    overlaps: Mapping[str, tuple[float, float]]

    def classes(self, columns: Iterable[str]) -> tuple[Column, Column]:
        """Return the classes of the people of both tables on some shared columns: of the old table, and of the new."""
        everyone = everybody(self.old.rows + self.new.rows)
        return self._parted(reduce(refined, (self.shared[name] for name in columns), everyone))

    def without_each(self, columns: Iterable[str]) -> Iterator[tuple[Column, Column]]:
        """Yield the classes on all of these columns except one, for each column in turn."""
        rows = self.old.rows + self.new.rows
        yield from map(self._parted, without_each([self.shared[name] for name in columns], rows))

    def _parted(self, classes: Column) -> tuple[Column, Column]:
        owners = np.concatenate((self.old.owners, self.new.owners + np.int32(self.old.people)))
        whole = _of_people(classes, owners)
        parts = np.split(whole.codes, [self.old.people])
        return Column(parts[0], whole.count), Column(parts[1], whole.count)


def open_pair(
    old: Any,
    new: Any,
    columns: Sequence[str] | None = None,
    person: str | None = None,
    form: TextFormat = _AS_IT_IS,
    *,
    memory: int | str | None = None,
    look: Callable[[Population], None] = lambda _: None,
) -> TablePair:
    """Return a pair of two tables of people, as `discretion.diff` takes them.

    ``look`` is called with the people of the old table and then of the new one, while each is open: with all columns,
    including those that are not asked for.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If a table cannot be read, or lacks the person's column; if neither has a column that is asked for; or if they
        share no column that can be compared.
    """
    names: dict[str, tuple[str, ...]] = {}
    opened = [  # one after the other, so that no engine holds the first while the second is read
        _take_out(open_rows(table, _chooser(columns, person, names, which), form, memory), which, person, columns, look)
        for table, which in ((old, "old"), (new, "new"))
    ]
    if columns is not None:
        names_among(columns, tuple(dict.fromkeys([*names["old"], *names["new"]])))
    first, second = opened
    both = [name for name in first if name in second]
    if not [name for name in both if name != person]:
        raise InvalidTableError(
            "the two tables have no column in common"
            + (" but the person's" if both else "" if columns is None else " among those named")
            + ", so there is nothing to compare; columns are matched by their names: rename those that mean the same"
        )
    return compared_columns(first, second, [name for name in both if name != person], person)


def _chooser(
    columns: Sequence[str] | None, person: str | None, names: dict[str, tuple[str, ...]], which: str
) -> Choose:
    def choose(existing: Sequence[str]) -> Sequence[str]:
        names[which] = tuple(existing)
        if person is not None:
            names_among([person], existing)
            check_person_apart(person, columns or ())
        if columns and not [name for name in existing if name in columns]:
            raise UnknownColumnError(columns[0], tuple(existing))
        return existing

    return choose


def _take_out(
    rows: Rows, which: str, person: str | None, columns: Sequence[str] | None, look: Callable[[Population], None]
) -> Mapping[str, Valued]:
    if rows.arrow is None:
        raise UnsupportedError(
            f"two tables are compared in one process, but the rows of the {which} one stay in their engine; pass it as "
            "a file, or the table's to_pyarrow()"
        )
    length = count_rows(rows)
    if person is not None:
        count_people(rows, person)
    if length:
        look(Population.of_rows(rows, person))
    kept = tuple(name for name in rows.fields if columns is None or name in columns or name == person)
    values = column_values(rows, kept, length)
    if values is None:
        raise TooLargeError(
            f"the {which} table has {length:,} rows in {len(kept)} columns: too many to compare, or with values "
            "without codes, such as lists; name the columns that matter (--columns, columns=)"
        )
    return values


def compared_columns(
    old: Mapping[str, Valued], new: Mapping[str, Valued], both: Sequence[str], person: str | None = None
) -> TablePair:
    """Return a pair of tables whose values are in this process, with the columns that can be compared."""
    shared: dict[str, Column] = {}
    left_out: list[str] = []
    coarsened: dict[str, str] = {}
    retyped: dict[str, tuple[str, str]] = {}
    overlaps: dict[str, tuple[float, float]] = {}
    for name in both:
        values = [old[name][1], new[name][1]]
        if (of_one_type := values_in_one_type(*values)) is None:
            retyped[name] = _kind(values[0].type), _kind(values[1].type)
        columns = old[name][0], new[name][0]
        joined, overlap = _in_one_numbering(columns, of_one_type or [*map(as_texts, values)])
        if min(overlap) < 1 and (coarse := _as_coarse(*map(as_texts, values))) is not None:
            which, *texts = coarse
            coarser, met = _in_one_numbering(columns, texts)
            if min(met) >= min(overlap):
                joined, overlap, coarsened[name] = coarser, met, which
        overlaps[name] = overlap
        if max(overlap) < 1 / 2:  # one table may well be of some towns only, say
            left_out.append(name)
        else:
            shared[name] = joined
    if not shared:
        raise InvalidTableError(
            "the two tables share no column in which at least half of the rows of either have a value that occurs in "
            "the other: they have different formats or different people, and their rows cannot be matched"
        )
    whose: tuple[Codes | None, Codes | None] = None, None
    if person is not None:
        columns = old[person][0], new[person][0]
        codes = _in_one_numbering(columns, _as_persons(old[person][1], new[person][1]))[0].codes
        whose = codes[: columns[0].codes.size], codes[columns[0].codes.size :]
    return TablePair(
        _release(old, person, whose[0]),
        _release(new, person, whose[1]),
        shared,
        tuple(left_out),
        coarsened,
        retyped,
        overlaps,
    )


def _release(columns: Mapping[str, Valued], person: str | None, persons: Codes | None) -> PairedTable:
    kept = {name: column for name, (column, _) in columns.items() if name != person}
    rows = next(iter(kept.values())).codes.size
    if persons is None:
        return PairedTable(kept, rows, rows, np.arange(rows, dtype=np.int32), None)
    who, owners = np.unique(persons, return_inverse=True)
    return PairedTable(kept, rows, who.size, owners.astype(np.int32), who)


def _in_one_numbering(columns: tuple[Column, Column], values: Sequence[Any]) -> tuple[Column, tuple[float, float]]:
    """Return the codes of both tables in one numbering, and the share of each one's rows that occurs in the other."""
    pa: Any = import_module("pyarrow")
    arrays = [each if isinstance(each, pa.Array) else pa.array(each, pa.string()) for each in values]
    whole = pa.concat_arrays(arrays).dictionary_encode(null_encoding="encode")
    numbers = np.split(np.asarray(whole.indices, np.int32), [len(arrays[0])])
    codes = [number[column.codes] for number, column in zip(numbers, columns, strict=True)]
    count = len(whole.dictionary)
    old, new = (np.bincount(each, minlength=count) for each in codes)
    overlap = float(old[new > 0].sum() / old.sum()), float(new[old > 0].sum() / new.sum())
    return Column(np.concatenate(codes), count), overlap


def values_in_one_type(*values: Any) -> tuple[Any, ...] | None:
    """Return Arrow arrays in a type that holds the values of all without a change; None if there is no such type."""
    pa: Any = import_module("pyarrow")
    kinds, types = {each.type for each in values}, pa.types
    if len(kinds) == 1:
        return values
    if all(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind) for kind in kinds):
        wide = pa.large_string()
    elif all(map(types.is_integer, kinds)):
        wide = pa.int64()
    elif all(types.is_integer(kind) or types.is_floating(kind) for kind in kinds):
        wide = pa.float64()
    elif len(some := {kind for kind in kinds if not types.is_null(kind)}) == 1:
        (wide,) = some
    else:
        return None
    try:
        return tuple(each.cast(wide) for each in values)
    except pa.ArrowInvalid:  # a number that the type does not hold
        return None


def _kind(kind: Any) -> str:
    """Return the kind of values of a type, without the width of numbers, which is the engine's choice."""
    pa: Any = import_module("pyarrow")
    kinds: dict[str, Any] = {
        "text": (pa.types.is_string, pa.types.is_large_string),
        "whole numbers": (pa.types.is_integer,),
        "numbers": (pa.types.is_floating, pa.types.is_decimal),
        "days": (pa.types.is_date,),
        "times": (pa.types.is_timestamp, pa.types.is_time),
        "truth values": (pa.types.is_boolean,),
    }
    return next((name for name, tests in kinds.items() if any(test(kind) for test in tests)), str(kind))


def as_texts(values: Any) -> list[str | None]:
    """Return the values of an Arrow array as text."""
    pa: Any = import_module("pyarrow")
    if pa.types.is_timestamp(values.type):  # without the zeros of a unit finer than they are
        with suppress(pa.ArrowInvalid):
            values = values.cast(pa.timestamp("s", values.type.tz))
    try:
        return values.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return [None if value is None else str(value) for value in values.to_pylist()]


def _as_persons(old: Any, new: Any) -> Sequence[Any]:
    return values_in_one_type(old, new) or [as_texts(old), as_texts(new)]


def _as_coarse(old: Sequence[str | None], new: Sequence[str | None]) -> tuple[str, Any, Any] | None:
    """Return which table is the coarser one, and the values of both in its groups."""
    if (coarse := as_coarse(new, old)) is not None:
        return "old", old, coarse
    if (coarse := as_coarse(old, new)) is not None:
        return "new", coarse, new
    return None


def _of_people(classes: Column, owners: Codes) -> Column:
    """Return the class of each person: that of their row, or the bag of those of their rows."""
    counts = np.bincount(owners)
    if counts.size == owners.size:
        codes = np.empty_like(classes.codes)
        codes[owners] = classes.codes
        return Column(codes, classes.count)
    sorted_codes = classes.codes[np.lexsort((classes.codes, owners))].astype(np.int64)
    starts = np.cumsum(counts) - counts
    # Bags with different numbers of rows never get the same number: each step continues the numbers of the last.
    bags, following = counts.astype(np.int64), int(counts.max()) + 1
    for place in range(int(counts.max())):
        longer = np.flatnonzero(counts > place)
        keys, numbers = np.unique(
            bags[longer] * classes.count + sorted_codes[starts[longer] + place], return_inverse=True
        )
        bags[longer] = following + numbers
        following += keys.size
    kinds, codes = np.unique(bags, return_inverse=True)
    return Column(codes, kinds.size)
