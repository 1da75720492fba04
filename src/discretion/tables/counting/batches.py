"""Several queries to an engine at once.

For few people, sending a query costs more than answering it; an engine that reads its rows again for each query can
answer several in one pass over them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from discretion.tables.counting.grouping import SIZE
from discretion.tables.engines.rows import Rows

T = TypeVar("T")

ibis: Any = import_module("ibis")

VIEW = "number_of_view"
# A pass takes memory and time for each view.
_VIEWS_AT_ONCE = 64
# The most queries at once, and the most rows that they are about together.
_QUESTIONS_AT_ONCE = 32
_ROWS_AT_ONCE = 1 << 21
_QUESTION = "number_of_question"


def ask_all(rows: Rows, questions: Iterable[tuple[Any, int]]) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the answers to queries, in their order.

    Parameters
    ----------
    rows
        The rows that the queries are about.
    questions
        Ibis table expressions with the same columns, each with the number of rows that it reads.
    """
    for batch in _batches(questions):
        parts = [question.mutate(**{_QUESTION: ibis.literal(i, "int64")}) for i, question in enumerate(batch)]
        answers: list[list[tuple[Any, ...]]] = [[] for _ in batch]
        for *answer, i in rows.ask(ibis.union(*parts) if len(parts) > 1 else parts[0]):
            answers[int(i)].append(tuple(answer))
        yield from answers


def _batches(questions: Iterable[tuple[Any, int]]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    total = 0
    for question, length in questions:
        if batch and (len(batch) == _QUESTIONS_AT_ONCE or total + length > _ROWS_AT_ONCE):
            yield batch
            batch, total = [], 0
        batch.append(question)
        total += length
    if batch:
        yield batch


def in_one_pass(table: Any, views: Sequence[Mapping[str, str]]) -> Any:
    """Return each row of a table once for each view of it, with the number of that view.

    Parameters
    ----------
    table
        An Ibis table.
    views
        For each view, a name → the field of the table under it; the types are the same in each view, and a view without
        the name has null.
    """
    numbered = table.mutate(**{VIEW: ibis.literal(list(range(len(views))), "array<int64>").unnest()})
    names = dict.fromkeys(name for view in views for name in view)

    def field(name: str) -> Any:
        return numbered[VIEW].cases(*((i, numbered[view[name]]) for i, view in enumerate(views) if name in view))

    return numbered.select(VIEW, **{name: field(name) for name in names})


def classes_in_one_pass(rows: Rows, table: Any, sets: Iterable[Iterable[str]]) -> Any:
    """Return the classes of rows on each of several sets of columns, with the number of the set.

    The table holds the rows, or groups of them with sizes.
    """
    views = [slots(rows, columns) for columns in sets]
    keys = dict.fromkeys(slot for view in views for slot in view)
    size_field = {SIZE: SIZE} if SIZE in table.columns else {}
    each = in_one_pass(table, [{**view, **size_field} for view in views])
    people = each[SIZE].sum().cast("int64") if size_field else each.count()
    return each.group_by([VIEW, *keys]).agg(**{SIZE: people})


def slots(rows: Rows, columns: Iterable[str]) -> dict[str, str]:
    """Return a name for the field of each column, shared with fields of its type in other views: name → field.

    So a class has only as many keys as the widest set has columns of each type, for any number of sets.
    """
    types = rows.table.schema()
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(types.values()))}
    taken = Counter[int]()
    placed: dict[str, str] = {}
    for field in (rows.fields[column] for column in columns):
        kind = numbers[types[field]]
        placed[f"value_{kind}_{taken[kind]}"] = field
        taken[kind] += 1
    return placed


def passes(items: Iterable[T]) -> Iterable[list[T]]:
    """Yield the items in lists, each for one pass."""
    rest = iter(items)
    while some := list(islice(rest, _VIEWS_AT_ONCE)):
        yield some
