"""An original table, a synthetic table and a table of held-out people, in the same codes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion.errors import InvalidTableError
from discretion.numerics.arrays import Booleans, Codes, Reals
from discretion.numerics.distances.gower import Records, gower_numbers
from discretion.numerics.equivalence_classes import Column, everybody, refined

Valued = tuple[Column, Any]

NAMES = ("the original", "the synthetic table", "the held-out table")
MISSING = -1
# Below this share, synthetic values that somebody has are chance; and the least number of records for this test.
_COPIED, _FEW_RECORDS = 0.05, 20


@dataclass(frozen=True)
class CodedColumn:
    """A column of the three tables in the same codes, ordered by size for numbers; -1 is a missing value.

    ``numbers`` are the numbers of the codes, None for other values.
    """

    original: Codes
    synthetic: Codes
    control: Codes
    count: int
    numbers: Reals | None

    @property
    def parts(self) -> tuple[Codes, Codes, Codes]:
        """The three tables' codes."""
        return self.original, self.synthetic, self.control

    @cached_property
    def scale(self) -> tuple[float, float] | None:
        """The least and the greatest number of the synthetic table, if they differ."""
        if self.numbers is None:
            return None
        numbers = self.numbers[np.unique(self.synthetic[self.synthetic != MISSING])]
        numbers = numbers[np.isfinite(numbers)]
        if not numbers.size or not 0 < float(numbers[-1]) - float(numbers[0]) < math.inf:
            return None
        return float(numbers[0]), float(numbers[-1])


@dataclass(frozen=True)
class Tables:
    """The three tables, by their columns."""

    columns: Mapping[str, CodedColumn]

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        """The numbers of rows of the original, of the synthetic table and of the held-out one."""
        first = next(iter(self.columns.values()))
        return first.original.size, first.synthetic.size, first.control.size

    @cached_property
    def codes(self) -> tuple[Codes, Codes, Codes]:
        """The codes of each table, shape (columns, rows)."""
        original, synthetic, control = (
            np.stack([column.parts[i] for column in self.columns.values()]) for i in range(3)
        )
        return original, synthetic, control

    def without(self, columns: Sequence[str]) -> "Tables":
        """Return the tables without some columns."""
        return Tables({name: column for name, column in self.columns.items() if name not in columns})

    @cached_property
    def newly_made(self) -> tuple[str, ...]:
        """The columns in which hardly any synthetic record has a value of a person: with them no row is a copy.

        Examples are the synthetic table's own time stamps, and numbers with noise. If all columns are such, none is.
        """
        return self._but_not_all(
            name
            for name, column in self.columns.items()
            if _are_new(column.synthetic, np.concatenate([column.original, column.control]))
        )

    @cached_property
    def of_one_table(self) -> tuple[str, ...]:
        """The columns in which hardly any held-out person has a value of a person of the original."""
        return self._but_not_all(
            name for name, column in self.columns.items() if _are_new(column.control, column.original)
        )

    def _but_not_all(self, names: Iterable[str]) -> tuple[str, ...]:
        result = tuple(names)
        return result if len(result) < len(self.columns) else ()

    def is_of_one_value(self, column: str) -> bool:
        """Return whether all people of the original and the held-out table have the same value of a column, or none."""
        original, _, control = self.columns[column].parts
        return np.unique(np.concatenate([original, control])).size == 1

    def records(self, columns: Sequence[str]) -> tuple[Records, Records, Records]:
        """Return each table's records on some columns, in the form for distances between them.

        The unit of a number is the range of its column in the synthetic table, which the adversary has.
        """
        chosen = [self.columns[name] for name in columns]
        measured = [(column, *_measured(column)) for column in chosen if column.scale is not None]
        units = np.array([unit for *_, unit in measured])
        original, synthetic, control = (
            Records(
                np.array([numbers[column.parts[i]] for column, numbers, _ in measured]).reshape(-1, self.sizes[i]),
                units,
                np.array([column.parts[i] for column in chosen if column.scale is None], np.int32).reshape(
                    -1, self.sizes[i]
                ),
            )
            for i in range(3)
        )
        return original, synthetic, control

    def rows(self) -> tuple[Column, Column, Column]:
        """Return a code for each row of each table; equal rows have the same code, within and between the tables."""
        pooled = (np.concatenate(each.parts) - np.int32(MISSING) for each in self.columns.values())
        counts = (each.count + 1 for each in self.columns.values())
        whole = reduce(refined, map(Column, pooled, counts), everybody(sum(self.sizes)))
        ends = np.cumsum(self.sizes)[:-1]
        original, synthetic, control = (Column(part, whole.count) for part in np.split(whole.codes, ends))
        return original, synthetic, control


def _are_new(codes: Codes, others: Codes) -> bool:
    """Return whether hardly any of these values, if there are enough, is among the others."""
    given = codes[codes != MISSING]
    return given.size >= _FEW_RECORDS and int(np.isin(given, others).sum()) < _COPIED * given.size


def _measured(column: CodedColumn) -> tuple[Reals, float]:
    """Return the number of each code for distances, with that of a missing value last, at -1, and its units."""
    assert column.numbers is not None
    assert column.scale is not None
    return gower_numbers(np.append(column.numbers, math.nan), *column.scale)


def tables_of(columns: Sequence[str], valued: Sequence[Mapping[str, Valued]]) -> Tables:
    """Return the three tables in the same codes, from each one's codes and their values.

    A column holds numbers if its values are numbers or dates, or texts that are all different numbers.

    Raises
    ------
    InvalidTableError
        If a column holds different kinds of values in different tables.
    """
    return Tables({name: _coded(name, [each[name] for each in valued]) for name in columns})


def _coded(name: str, parts: Sequence[Valued]) -> CodedColumn:
    kinds = [_kind(labels) for _, labels in parts]
    numbers = [_numbers(labels) for _, labels in parts]
    met = {kind for kind in kinds if kind != "nothing"}
    measured = [each for each in numbers if each is not None]
    by_number = len(measured) == len(numbers)
    if len(met) > 1 and not (by_number and met <= {"numbers", "text"}):
        there = ", ".join(f"{kind} in {table}" for kind, table in zip(kinds, NAMES, strict=True))
        raise InvalidTableError(
            f"the column {name!r} holds {there}; use one kind of value in all three, or leave it out (--columns, "
            "columns=)"
        )
    values: list[NDArray[Any]] = [*measured] if by_number else [_texts(labels) for _, labels in parts]
    given = [_are_values(labels) for _, labels in parts]
    different = np.unique(np.concatenate([value[there] for value, there in zip(values, given, strict=True)]))

    def coded(part: int) -> Codes:
        codes = np.full(values[part].size, MISSING, np.int32)
        codes[given[part]] = np.searchsorted(different, values[part][given[part]])
        return codes[parts[part][0].codes]

    return CodedColumn(coded(0), coded(1), coded(2), different.size, different if by_number else None)


def _are_values(labels: Any) -> Booleans:
    """Return for each label whether it is a value, neither null nor NaN."""
    pc: Any = import_module("pyarrow.compute")
    return ~np.asarray(pc.is_null(labels, nan_is_null=True), bool)


def _kind(labels: Any) -> str:
    """Return the kind of these values in words."""
    types: Any = import_module("pyarrow.types")
    kind = labels.type
    if not _are_values(labels).any():
        return "nothing"
    if types.is_string(kind) or types.is_large_string(kind):
        return "text"
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    return "dates" if types.is_date(kind) or types.is_timestamp(kind) else str(kind)


def _numbers(labels: Any) -> Reals | None:
    """Return values as numbers, missing ones as NaN; None if they are none, or doubles do not distinguish them."""
    pa: Any = import_module("pyarrow")
    match _kind(labels):
        case "numbers":
            numbers = np.asarray(labels.cast(pa.float64(), safe=False).fill_null(math.nan), np.float64)
        case "dates":
            stamps = labels.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
            numbers = np.asarray(stamps.cast(pa.float64(), safe=False).fill_null(math.nan), np.float64)
        case "text":
            try:
                numbers = np.array([math.nan if text is None else float(text) for text in labels.to_pylist()])
            except ValueError:
                return None
            if not np.isfinite(numbers[_are_values(labels)]).all():
                return None
        case "nothing":
            return np.full(len(labels), math.nan)
        case _:
            return None
    given = numbers[_are_values(labels)]
    return numbers if np.unique(given).size == given.size else None


def _texts(labels: Any) -> NDArray[Any]:
    return np.array([str(value) for value in labels.to_pylist()], dtype=object)
