"""Questions put to the rows: how many people look alike. Only class sizes and single numbers come back."""

from collections.abc import Sequence
from typing import Any

import ibis  # pyright: ignore[reportMissingTypeStubs]
from ibis.common.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    OperationNotDefinedError,
    UnsupportedBackendType,
    UnsupportedOperationError,
)

from tacit.anonymity.class_sizes import ClassSizes
from tacit.anonymity.rows import Rows
from tacit.errors import UnsupportedError

_BAG, _SECRET, _SIZE, _CLASSES, _BEST = "bag", "secret", "size_of_class", "number_of_classes", "best_guess"


def count_rows(rows: Rows) -> int:
    """Return how many rows there are."""
    return _number(rows, rows.table.count())


def count_people(rows: Rows, person: str) -> int:
    """Return how many people the rows are about."""
    return _number(rows, rows.table[rows.fields[person]].nunique())


def count_nulls(rows: Rows, column: str) -> int:
    """Return in how many rows the column is null."""
    return _number(rows, rows.table.filter(rows.table[rows.fields[column]].isnull()).count())


def group(rows: Rows, columns: Sequence[str], person: str | None) -> ClassSizes:
    """Return the sizes of the classes of people who look alike on at least one column."""
    keys: list[str]
    if person is None:
        table, keys = rows.table, [rows.fields[column] for column in columns]
    else:
        table, keys = _bags(rows, person, **{_BAG: columns}), [_BAG]
    classes = table.group_by(keys).agg(**{_SIZE: table.count()})
    histogram = classes.group_by(_SIZE).agg(**{_CLASSES: classes.count()}).order_by(_SIZE)
    sizes, counts = zip(*_answer(rows, histogram), strict=True)
    return ClassSizes(sizes, counts)


def guessed(rows: Rows, columns: Sequence[str], sensitive: str, person: str | None) -> int:
    """Return for how many people the likeliest sensitive value of their class is theirs."""
    if person is None:
        table, keys, secret = rows.table, [rows.fields[column] for column in columns], rows.fields[sensitive]
    else:
        seen = {_BAG: columns} if columns else {}
        table, keys, secret = _bags(rows, person, **seen, **{_SECRET: [sensitive]}), list(seen), _SECRET
    joint = table.group_by([*keys, secret]).agg(**{_SIZE: table.count()})
    best = joint.group_by(keys).agg(**{_BEST: joint[_SIZE].max()}) if keys else joint.agg(**{_BEST: joint[_SIZE].max()})
    return _number(rows, best[_BEST].sum())


def rarest(rows: Rows, column: str, person: str | None) -> tuple[str | None, int]:
    """Return the value that the fewest people have, the first by its text and null last, and how many have it."""
    field = rows.fields[column]
    holders = rows.table.count() if person is None else rows.table[rows.fields[person]].nunique()
    values = rows.table.group_by(field).agg(**{_SIZE: holders})
    least = _number(rows, values[_SIZE].min())
    tied = values.filter(values[_SIZE] == least)
    if field in rows.texts:
        texts = rows.texts[field]
        text = tied.left_join(texts, tied[field] == texts["code"])["text"]
    else:
        text = tied[field].cast("string")
    ((first,),) = _answer(rows, text.min().as_table())
    return None if first is None else rows.spell(first), least


def _bags(rows: Rows, person: str, **columns: Sequence[str]) -> Any:
    """Return a row per person, with the bag (sorted, repeats kept) of what her rows hold on each set of columns."""

    def bag(names: Sequence[str]) -> Any:
        fields = [rows.fields[name] for name in names]
        values = {field: rows.table[field] for field in fields}
        return ibis.struct(values).collect(order_by=[rows.table[field] for field in fields])

    return rows.table.group_by(rows.fields[person]).agg(**{name: bag(names) for name, names in columns.items()})


def _number(rows: Rows, expression: Any) -> int:
    ((number,),) = _answer(rows, expression.as_table())
    return int(number)


def _answer(rows: Rows, asked: Any) -> list[tuple[Any, ...]]:
    try:
        return rows.answer(asked)
    except (OperationNotDefinedError, UnsupportedBackendType, UnsupportedOperationError):
        raise UnsupportedError(
            "the engine that holds the Ibis table cannot answer this; pass the table's to_pyarrow() instead"
        ) from None
