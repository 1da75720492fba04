"""Grouping of rows into equivalence classes. Only class sizes and single numbers come back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from discretion.errors import InvalidTableError
from discretion.numerics.arrays import Integers
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.engines.one_process import ProcessBound
from discretion.tables.engines.rows import Rows, text_of

ibis: Any = import_module("ibis")

SIZE, CLASSES = "size_of_class", "number_of_classes"
_BAG, _SECRET, _BEST = "bag", "secret", "best_guess"


@dataclass(frozen=True)
class SensitiveCounts(ProcessBound):
    """The number of people of each class with each sensitive value: a row for each class and each value in it.

    Parameters
    ----------
    rows
        The counted rows.
    table
        An Ibis table of the fields below and the number of people.
    keys
        The fields that define the classes; without any, everybody is in one class.
    secret
        The field with the sensitive value.
    """

    rows: Rows
    table: Any
    keys: list[str]
    secret: str

    def by_class(self, **aggregates: Any) -> Any:
        """Return a row per class with these aggregates of its rows."""
        return self.table.group_by(self.keys).agg(**aggregates) if self.keys else self.table.agg(**aggregates)


def count_rows(rows: Rows) -> int:
    """Return the number of rows."""
    return _number(rows, rows.table.count())


def count_people(rows: Rows, person: str) -> int:
    """Return the number of people in the rows; refuse rows without a person."""
    whose = rows.table[rows.fields[person]]
    if nobodys := _number(rows, rows.table.filter(whose.isnull()).count()):
        which = f"{nobodys} row{'s' * (nobodys != 1)}"
        raise InvalidTableError(f"the column {person!r} names the person, and is empty in {which}; fill it in")
    return _number(rows, whose.nunique())


def group(rows: Rows, columns: Sequence[str], person: str | None) -> ClassSizes:
    """Return the sizes of the equivalence classes on one or more columns."""
    keys: list[str]
    if person is None:
        table, keys = rows.table, [rows.fields[column] for column in columns]
    else:
        table, keys = _bags(rows, person, **{_BAG: columns}), [_BAG]
    sizes, counts = zip(*sorted(rows.ask(histogram(table.group_by(keys).agg(**{SIZE: table.count()})))), strict=True)
    return ClassSizes(sizes, counts)


def histogram(classes: Any, *apart: str) -> Any:
    """Return class size → number of classes, from a table with a row per class; separately by other given fields."""
    return classes.group_by([SIZE, *apart]).agg(**{CLASSES: classes.count()})


def count_jointly(rows: Rows, columns: Sequence[str], sensitive: str, person: str | None) -> SensitiveCounts:
    """Return the number of people of each class on the columns with each sensitive value."""
    if person is None:
        table, keys, secret = rows.table, [rows.fields[column] for column in columns], rows.fields[sensitive]
    else:
        seen = {_BAG: columns} if columns else {}
        table, keys, secret = _bags(rows, person, **seen, **{_SECRET: [sensitive]}), list(seen), _SECRET
    return SensitiveCounts(rows, table.group_by([*keys, secret]).agg(**{SIZE: table.count()}), keys, secret)


def count_best_guesses(joint: SensitiveCounts) -> int:
    """Return the number of people who have the likeliest sensitive value of their class."""
    best = joint.by_class(**{_BEST: joint.table[SIZE].max()})
    return _number(joint.rows, best[_BEST].sum())


def _bags(rows: Rows, person: str, **columns: Sequence[str]) -> Any:
    """Return a row per person, with the bag (sorted, repeats kept) of their rows' values on each set of columns."""
    fields = {name: [rows.fields[column] for column in names] for name, names in columns.items()}
    if rows.sorts_structs:
        bags = {name: ibis.struct({field: rows.table[field] for field in some}) for name, some in fields.items()}
    else:  # then the values' ranks, null included
        ranks = {name: ibis.dense_rank().over(ibis.window(order_by=some)) for name, some in fields.items()}
        bags = {name: rank.cast("int64") for name, rank in ranks.items()}
    table = rows.table.select(rows.fields[person], **bags)
    return table.group_by(rows.fields[person]).agg(**{name: table[name].collect().sort() for name in bags})


def with_texts(rows: Rows, values: Any, field: str) -> Any:
    """Return a table with the values of a field as text in addition to the rest."""
    if field not in rows.texts:
        return values.mutate(text=text_of(values[field]))
    texts = rows.texts[field]
    return values.left_join(texts, values[field] == texts["code"]).drop("code")


def _number(rows: Rows, expression: Any) -> int:
    ((number,),) = rows.ask(expression.as_table())
    return int(number)


def code_classes(rows: Rows, columns: Sequence[str]) -> tuple[Integers, Integers]:
    """Return a number for each value of each equivalence class on some columns, and the classes' sizes."""
    fields = [rows.fields[column] for column in columns]
    classes = rows.table.group_by(fields).agg(**{SIZE: rows.table.count()})
    codes = {f"code_{j}": ibis.dense_rank().over(ibis.window(order_by=classes[name])) for j, name in enumerate(fields)}
    answer = np.array(rows.ask(classes.select(**codes, **{SIZE: classes[SIZE]})), np.int64)
    return answer[:, :-1], answer[:, -1]


def value_texts(rows: Rows, column: str) -> list[str | None]:
    """Return the values of a column as text, in the order of their numbers in :func:`code_classes`."""
    field = rows.fields[column]
    values = rows.table.select(field).distinct()
    numbered = values.mutate(code=ibis.dense_rank().over(ibis.window(order_by=values[field])))
    texts = with_texts(rows, numbered.rename(number="code"), field).select("number", "text")
    return [None if text is None else rows.spell(text) for _, text in sorted(rows.ask(texts))]


def common_values(rows: Rows, column: str, least: int) -> list[tuple[str | None, int]]:
    """Return the values in at least ``least`` rows, as text, and the number of rows of each, the commonest first."""
    field = rows.fields[column]
    values = rows.table.group_by(field).agg(**{SIZE: rows.table.count()})
    common = with_texts(rows, values.filter(values[SIZE] >= least), field).select("text", SIZE)
    pairs = [(None if text is None else rows.spell(text), size) for text, size in rows.ask(common)]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0] is None, pair[0] or ""))


def agreements(rows: Rows, values: Mapping[str, str | None]) -> list[tuple[frozenset[str], int]]:
    """Return the number of rows for each set of columns on which exactly these values, given as text, agree."""
    columns = list(values)
    agrees = {f"agrees_{j}": has_one_of(rows, rows.table, column, [values[column]]) for j, column in enumerate(columns)}
    flags = rows.table.select(**agrees)
    rows_by_flags = rows.ask(flags.group_by(list(agrees)).agg(**{SIZE: flags.count()}))
    return [
        (frozenset(column for column, has in zip(columns, which, strict=True) if has), size)
        for *which, size in rows_by_flags
    ]


def absent_values(rows: Rows, name: str, values: Sequence[str | None]) -> list[str | None]:
    """Return the values, given as text, that no row has in a column."""
    found = {f"found_{j}": has_one_of(rows, rows.table, name, [value]) for j, value in enumerate(values)}
    (counts,) = rows.ask(rows.table.aggregate(**{key: has.sum() for key, has in found.items()}))
    return [value for value, count in zip(values, counts, strict=True) if not count]


def has_one_of(rows: Rows, table: Any, name: str, values: Sequence[str | None]) -> Any:
    """Return the condition that a column of a table has one of these values, given as text; None is a missing value."""
    field = rows.fields[name]
    column = table[field]
    spellings = [spelling for value in values if value is not None for spelling in rows.spellings(value)]
    if not spellings:
        return column.isnull()
    if field not in rows.texts:
        agrees = text_of(column).isin(spellings).fill_null(False)
    else:
        texts = rows.texts[field]
        codes = [code for (code,) in rows.ask(texts.filter(texts["text"].isin(spellings)).select("code"))]
        agrees = column.isin(codes).fill_null(False) if codes else column.isnull() & column.notnull()  # none
    return agrees | column.isnull() if None in values else agrees
