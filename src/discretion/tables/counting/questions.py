"""Several questions to an engine put as one: of few people a question costs more to ask than to answer."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from discretion.tables.engines.rows import Rows

ibis: Any = import_module("ibis")

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
