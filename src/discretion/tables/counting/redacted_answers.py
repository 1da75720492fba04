"""Counts of the people who could give each answer, if some have to suppress values and others do so at random."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import reduce
from importlib import import_module
from operator import add, invert
from typing import Any

import numpy as np

from discretion.errors import TooLargeError
from discretion.numerics.arrays import Booleans
from discretion.tables.counting.batches import ask_all
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.grouping import CLASSES, SIZE, has_one_of
from discretion.tables.counting.matches import Match
from discretion.tables.engines.rows import Rows

ibis: Any = import_module("ibis")

# Sets of the columns with decoys, as the bits of a number: those suppressed in an answer, and those that have to be.
_REDACTED, _FORCED = "redacted_columns", "forced_columns"
_GROUPS = "sizes_and_forced_columns"
# From this many columns on, the rows of a query are held as those of several queries are.
_COLUMNS_A_QUESTION = 16

# The suppressed columns; among the people who could give the same answer, how many have to suppress which of these;
# and how many answers there are with these numbers.
Answers = tuple[frozenset[str], dict[frozenset[str], int], int]
# A person has to suppress a column if they meet one of these conditions.
Redacting = Mapping[str, Sequence[Match]]


def count_answers(
    rows: Rows,
    length: int,
    columns: Sequence[str],
    redacting: Redacting,
    decoyed: Sequence[str],
    *,
    sets: Sequence[int] | None = None,
) -> Iterator[Answers]:
    """Yield the number of people who could give each answer, for all answers with the same numbers at once.

    Parameters
    ----------
    rows
        The rows, one per person.
    length
        The number of rows.
    columns
        The columns that people are asked for.
    redacting
        Some of the columns → the conditions under which a person has to suppress it.
    decoyed
        The columns among them that anybody else may suppress too.
    sets
        Sets of suppressed columns among these, as the bits of a number; None is all of them.
    """
    table = _masked(rows, columns, redacting, decoyed)
    fields = [rows.fields[column] for column in columns]
    coins = [rows.fields[column] for column in decoyed]
    sure = [rows.fields[column] for column in redacting if column not in decoyed]
    questions = (
        _groups_by_answer(table, [*fields, *map(_is_forced, sure)], coins, redacted)
        for redacted in (range(1 << len(coins)) if sets is None else sets)
    )
    cost = length * -(-len(columns) // _COLUMNS_A_QUESTION)
    for answer in ask_all(rows, ((question, cost) for question in questions)):
        for redacted, groups, answers in answer:
            people = {_members(code, decoyed): code >> len(decoyed) for code in groups}
            yield _members(redacted, decoyed), people, answers


def count_forced(rows: Rows, redacting: Redacting, decoyed: Sequence[str]) -> dict[int, int]:
    """Return the number of people by the set of decoyed columns that they have to suppress, as bits of a number."""
    if rows.ask(rows.table.aggregate(**{SIZE: rows.table.count()}))[0][0] >= 1 << (63 - len(decoyed)):
        raise TooLargeError(
            f"{len(decoyed)} of the columns have decoys, which are too many for this number of people; ask for fewer "
            "columns, or set some decoys to 0"
        )
    table = _masked(rows, decoyed, {column: redacting[column] for column in decoyed}, decoyed)
    groups = table.group_by(_FORCED).agg(**{SIZE: table[SIZE].sum().cast("int64")})
    return {int(forced): int(people) for forced, people in rows.ask(groups)}


def answers_on_one(
    sizes: ClassSizes, column: str, rarer_than: Mapping[str, int], decoyed: Sequence[str]
) -> Iterator[Answers]:
    """Yield the same as :func:`count_answers` for one column, from its class sizes."""
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


def count_redacted(
    rows: Rows, about: str, column: str, matches: Sequence[Match]
) -> list[tuple[Hashable, Hashable, int, int]]:
    """Return for each pair of values of two columns the people who have it, and those of them who suppress the second.

    The values are the engine's own, which only serve to distinguish them.
    """
    table = _with_forced_known(rows, list(dict.fromkeys((about, column))), {column: matches})
    keys = {"about_value": table[rows.fields[about]], "redacted_value": table[rows.fields[column]]}
    pairs = table.select(
        **{name: ibis.dense_rank().over(ibis.window(order_by=key)) for name, key in keys.items()},
        **{SIZE: table[SIZE], _FORCED: table[_is_forced(rows.fields[column])].ifelse(table[SIZE], 0)},
    )
    return rows.ask(
        pairs.group_by(list(keys)).agg(
            **{SIZE: pairs[SIZE].sum().cast("int64"), _FORCED: pairs[_FORCED].sum().cast("int64")}
        )
    )


def _with_forced_known(rows: Rows, columns: Sequence[str], redacting: Redacting) -> Any:
    """Return the classes on the columns and those of conditions, with sizes and the columns that they must suppress."""
    asked_about = (name for matches in redacting.values() for match in matches for name, _ in match.when)
    fields = [rows.fields[column] for column in dict.fromkeys((*columns, *asked_about))]
    everybody = rows.table.select(*fields, **{_REDACTED: ibis.literal(0, "int64")})
    table: Any = everybody.group_by([_REDACTED, *fields]).agg(**{SIZE: everybody.count()})
    return table.mutate(
        **{
            _is_forced(rows.fields[column]): ibis.or_(*(_matches(rows, table, column, match) for match in matches))
            for column, matches in redacting.items()
        }
    )


def rows_named(rows: Rows, column: str, matches: Sequence[Match]) -> list[Booleans] | None:
    """Return for each match which rows have the values that it names, whether they are rare or not.

    The rows are in the order of their codes. None if the engine does not hand out its rows.
    """
    if rows.arrow is None:
        return None
    named = {f"named_{i}": ibis.and_(*_named(rows, rows.table, column, match)) for i, match in enumerate(matches)}
    return [np.asarray(each, bool) for each in rows.arrow(rows.table.select(**named)).columns]


def _named(rows: Rows, table: Any, column: str, match: Match) -> list[Any]:
    """Return the conditions that a row has the values that a match names."""
    own = [] if match.values is None else [(column, match.values)]
    return [has_one_of(rows, table, name, values) for name, values in (*match.when, *own)]


def _matches(rows: Rows, table: Any, column: str, match: Match) -> Any:
    field = rows.fields[column]
    conditions = _named(rows, table, column, match)
    if match.rarer_than is not None:
        # No value is as frequent as this; the engine's integers are of 64 bits.
        conditions.append(table[SIZE].sum().over(ibis.window(group_by=field)) < min(match.rarer_than, (1 << 63) - 1))
    return ibis.and_(*conditions)


def _masked(rows: Rows, columns: Sequence[str], redacting: Redacting, decoyed: Sequence[str]) -> Any:
    """Return the classes with the columns that they must suppress, masked where a value is certainly suppressed."""
    table = _with_forced_known(rows, columns, redacting)
    coins = [rows.fields[column] for column in decoyed]
    bits = [table[_is_forced(field)].ifelse(1 << j, 0).cast("int64") for j, field in enumerate(coins)]
    masked = {
        field: table[_is_forced(field)].ifelse(ibis.null(table[field].type()), table[field])
        for field in (rows.fields[column] for column in redacting)
        if field not in coins
    }
    return table.mutate(**masked, **{_FORCED: reduce(add, bits, ibis.literal(0, "int64"))})


def _groups_by_answer(table: Any, keys: Sequence[str], coins: Sequence[str], redacted: int) -> Any:
    """Return the suppressed columns, the people by the columns that they must suppress, and the number of answers."""
    shown = [field for j, field in enumerate(coins) if not redacted >> j & 1]
    hidden = set(coins) - set(shown)
    able: Any = table.filter([invert(table[_is_forced(field)]) for field in shown]) if shown else table
    able = able.mutate(**{_REDACTED: ibis.literal(redacted, "int64")})
    answer = [_REDACTED, *(key for key in keys if key not in hidden)]
    groups = able.group_by([*answer, _FORCED]).agg(**{SIZE: able[SIZE].sum().cast("int64")})
    code = groups[SIZE] * (1 << len(coins)) + groups[_FORCED]
    answers = groups.group_by(answer).agg(**{_GROUPS: code.collect().sort()})
    return answers.group_by([_REDACTED, _GROUPS]).agg(**{CLASSES: answers.count()})


def _is_forced(field: str) -> str:
    return f"{field}_is_forced"


def _members(bits: int, columns: Sequence[str]) -> frozenset[str]:
    return frozenset(column for j, column in enumerate(columns) if bits >> j & 1)
