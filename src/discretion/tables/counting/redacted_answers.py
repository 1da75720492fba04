"""Counts of the people who could give each answer, if they redact rare values, and some others by a coin."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from operator import add, invert
from typing import Any

from discretion.tables.counting.batches import ask_all
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.grouping import CLASSES, SIZE
from discretion.tables.engines.rows import Rows

ibis: Any = import_module("ibis")

# Sets of the columns with decoys, as the bits of a number: those an answer has redacted, and those that are rare.
_REDACTED, _RARE = "redacted_columns", "rare_columns"
_GROUPS = "sizes_and_rare_columns"
# The rows of a question about so many columns are held as those of several are.
_COLUMNS_A_QUESTION = 16

# The redacted columns; how many people have just which of these rare, among those who could give the same answer; and
# how many answers there are with these numbers.
Answers = tuple[frozenset[str], dict[frozenset[str], int], int]


def count_answers(
    rows: Rows, length: int, columns: Sequence[str], rarer_than: Mapping[str, int], decoyed: Sequence[str]
) -> Iterator[Answers]:
    """Yield how many people could give each answer, of answers with the same numbers at once.

    Parameters
    ----------
    rows
        A person a row.
    length
        How many there are.
    columns
        What people are asked for.
    rarer_than
        Some of the columns → how many people have to have a value of it at least, lest it is redacted.
    decoyed
        Those of them where any other value may be redacted too.
    """
    table = _with_rare_values_known(rows, columns, rarer_than, decoyed)
    fields = [rows.fields[column] for column in columns]
    coins = [rows.fields[column] for column in decoyed]
    sure = [rows.fields[column] for column in rarer_than if column not in decoyed]
    questions = (
        _groups_by_answer(table, [*fields, *map(_is_rare, sure)], coins, redacted)
        for redacted in range(1 << len(coins))
    )
    cost = length * -(-len(columns) // _COLUMNS_A_QUESTION)
    for answer in ask_all(rows, ((question, cost) for question in questions)):
        for redacted, groups, answers in answer:
            people = {_members(code, decoyed): code >> len(decoyed) for code in groups}
            yield _members(redacted, decoyed), people, answers


def answers_on_one(
    sizes: ClassSizes, column: str, rarer_than: Mapping[str, int], decoyed: Sequence[str]
) -> Iterator[Answers]:
    """Yield what :func:`count_answers` does where people are asked for one column, whose class sizes tell it."""
    nothing, alone = frozenset[str](), frozenset([column])
    rare = sizes.sizes < rarer_than.get(column, 0)
    for size, classes in zip(sizes.sizes[~rare].tolist(), sizes.counts[~rare].tolist(), strict=True):
        yield nothing, {nothing: size}, classes
    have_to = int((sizes.sizes * sizes.counts)[rare].sum())
    if column in decoyed:
        able = {nothing: sizes.people - have_to, alone: have_to}
        yield alone, {forced: people for forced, people in able.items() if people}, 1
    elif have_to:
        yield nothing, {nothing: have_to}, 1


def _with_rare_values_known(
    rows: Rows, columns: Sequence[str], rarer_than: Mapping[str, int], decoyed: Sequence[str]
) -> Any:
    """Return the classes on the columns with their sizes, and which of their values are rare, masked if that is all."""
    fields = [rows.fields[column] for column in columns]
    everybody = rows.table.select(*fields, **{_REDACTED: ibis.literal(0, "int64")})
    table: Any = everybody.group_by([_REDACTED, *fields]).agg(**{SIZE: everybody.count()})
    sizes = {rows.fields[column]: size for column, size in rarer_than.items()}
    table = table.mutate(
        **{_is_rare(field): table[SIZE].sum().over(ibis.window(group_by=field)) < size for field, size in sizes.items()}
    )
    coins = [rows.fields[column] for column in decoyed]
    bits = [table[_is_rare(field)].ifelse(1 << j, 0).cast("int64") for j, field in enumerate(coins)]
    masked = {
        field: table[_is_rare(field)].ifelse(ibis.null(table[field].type()), table[field])
        for field in sizes
        if field not in coins
    }
    return table.mutate(**masked, **{_RARE: reduce(add, bits, ibis.literal(0, "int64"))})


def _groups_by_answer(table: Any, keys: Sequence[str], coins: Sequence[str], redacted: int) -> Any:
    """Return the redacted columns, how many people have just which rare, and how many answers have these numbers."""
    shown = [field for j, field in enumerate(coins) if not redacted >> j & 1]
    hidden = set(coins) - set(shown)
    able: Any = table.filter([invert(table[_is_rare(field)]) for field in shown]) if shown else table
    able = able.mutate(**{_REDACTED: ibis.literal(redacted, "int64")})
    answer = [_REDACTED, *(key for key in keys if key not in hidden)]
    groups = able.group_by([*answer, _RARE]).agg(**{SIZE: able[SIZE].sum().cast("int64")})
    code = groups[SIZE] * (1 << len(coins)) + groups[_RARE]
    answers = groups.group_by(answer).agg(**{_GROUPS: code.collect().sort()})
    return answers.group_by([_REDACTED, _GROUPS]).agg(**{CLASSES: answers.count()})


def _is_rare(field: str) -> str:
    return f"{field}_is_rare"


def _members(bits: int, columns: Sequence[str]) -> frozenset[str]:
    return frozenset(column for j, column in enumerate(columns) if bits >> j & 1)
