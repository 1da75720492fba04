"""Several questions put to an engine at once.

Of few people a question costs more to ask than to answer; an engine that reads its rows anew for each question answers
several in one pass over them.
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
# So many at once, as long as they are about so many rows.
_QUESTIONS_AT_ONCE = 32
_ROWS_AT_ONCE = 1 << 21
_QUESTION = "number_of_question"


def ask_all(rows: Rows, questions: Iterable[tuple[Any, int]]) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the answers to questions, in their order.

    Parameters
    ----------
    rows
        What they are about.
    questions
        Ibis table expressions with the same columns, and from how many rows each is answered.
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
        A name → which field of the table the view has under it, of the same type in each view; null if it has none.
    """
    numbered = table.mutate(**{VIEW: ibis.literal(list(range(len(views))), "array<int64>").unnest()})
    names = dict.fromkeys(name for view in views for name in view)

    def field(name: str) -> Any:
        return numbered[VIEW].cases(*((i, numbered[view[name]]) for i, view in enumerate(views) if name in view))

    return numbered.select(VIEW, **{name: field(name) for name in names})


def classes_in_one_pass(rows: Rows, table: Any, sets: Iterable[Iterable[str]]) -> Any:
    """Return the classes of rows that are alike on each of several sets of columns, with the number of the set.

    The table holds the rows, or what they were grouped to, with sizes.
    """
    views = [slots(rows, columns) for columns in sets]
    keys = dict.fromkeys(slot for view in views for slot in view)
    size_field = {SIZE: SIZE} if SIZE in table.columns else {}
    each = in_one_pass(table, [{**view, **size_field} for view in views])
    people = each[SIZE].sum().cast("int64") if size_field else each.count()
    return each.group_by([VIEW, *keys]).agg(**{SIZE: people})


def slots(rows: Rows, columns: Iterable[str]) -> dict[str, str]:
    """Return a name for the field of each column, which others of its type have in other views: name → field.

    So a class has no more keys than the widest set has columns of each type, however many sets there are.
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
    """Yield so many items at once as are put into one pass."""
    rest = iter(items)
    while some := list(islice(rest, _VIEWS_AT_ONCE)):
        yield some
