"""The value of a column that the fewest people have."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from discretion.tables.counting.batches import VIEW, ask_all, classes_in_one_pass, passes, slots
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.grouping import SIZE, with_texts
from discretion.tables.engines.rows import Rows, text_of

_TEXT, _IS_RAREST = "text", "is_rarest"


def rarest_of_all(rows: Rows, columns: Sequence[str], sizes: Sequence[ClassSizes]) -> dict[str, tuple[str | None, int]]:
    """Return each column's value that the fewest rows have, the first by its text and null last, and its rows.

    Parameters
    ----------
    rows
        The rows, one per person.
    columns
        The columns.
    sizes
        The class sizes on each column.
    """
    least = {column: size.smallest for column, size in zip(columns, sizes, strict=True)}
    texts = (_in_passes(rows, least) if rows.are_read_anew else _apart(rows, least, sizes[0].people)) if least else ()
    return {
        column: (None if text is None else rows.spell(text), least[column])
        for column, text in zip(least, texts, strict=True)
    }


def rarest_of_persons(rows: Rows, column: str, person: str) -> tuple[str | None, int]:
    """Return the value that the fewest people with several rows have, the first by its text and null last."""
    values = rows.table.group_by(rows.fields[column]).agg(**{SIZE: rows.table[rows.fields[person]].nunique()})
    ((least,),) = rows.ask(values[SIZE].min().as_table())
    ((text,),) = rows.ask(_first(rows, values, column, int(least)))
    return None if text is None else rows.spell(text), int(least)


def _apart(rows: Rows, least: Mapping[str, int], length: int) -> Iterator[str | None]:
    def values(column: str) -> Any:
        return rows.table.group_by(rows.fields[column]).agg(**{SIZE: rows.table.count()})

    questions = ((_first(rows, values(column), column, size), length) for column, size in least.items())
    for ((text,),) in ask_all(rows, questions):
        yield text


def _first(rows: Rows, values: Any, column: str, size: int) -> Any:
    return (
        with_texts(rows, values.filter(values[SIZE] == size), rows.fields[column])[_TEXT].min().name(_TEXT).as_table()
    )


def _in_passes(rows: Rows, least: Mapping[str, int]) -> Iterator[str | None]:
    for columns in passes(least):
        classes = classes_in_one_pass(rows, rows.table, [[column] for column in columns])
        places = [slot for column in columns for slot in slots(rows, [column])]
        texts = classes[VIEW].cases(*((i, text_of(classes[slot])) for i, slot in enumerate(places)))
        sizes = classes[VIEW].cases(*((i, least[column]) for i, column in enumerate(columns)))
        rarest = classes.select(VIEW, **{_TEXT: texts, _IS_RAREST: classes[SIZE] == sizes}).filter(_IS_RAREST)
        first = dict(rows.ask(rarest.group_by(VIEW).agg(**{_TEXT: rarest[_TEXT].min()})))
        yield from (first[i] for i in range(len(columns)))
