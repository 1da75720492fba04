"""Class sizes on many sets of columns at once, each from the smallest grouping that has them.

Rows in this process are counted by their codes (:mod:`discretion.tables.counting.cubes`), others by their engine.
People who share their values on some columns share them on fewer: the classes of a set follow from those of any larger
one (a roll-up in the lattice of groupings of Gray and others, "Data cube", 1997). And a column that other columns
determine adds nothing to any larger set with them (as in the search for functional dependencies of Huhtala and others,
"TANE", 1999): such a set needs no query.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from math import inf, prod
from typing import Any

from discretion import limits
from discretion.tables.counting.batches import VIEW, ask_all, classes_in_one_pass, passes
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.codes import column_codes
from discretion.tables.counting.cubes import class_sizes_in_codes
from discretion.tables.counting.grouping import SIZE, histogram
from discretion.tables.engines.rows import Rows

# Rows of groupings that are kept while many sets of columns are counted.
MAX_ROWS_KEPT = 10**7

Columns = frozenset[str]

# For fewer people, sending a query costs more than answering it.
_WORTH_KEEPING = 100_000
_MIN_SHRINKING = 4
# So many codes are sooner fetched than queries about them are sent.
_FEW_CODES = 5_000_000


@dataclass(frozen=True)
class _Grouping:
    """A row per class on some columns, with its size; or the rows themselves, without a size."""

    columns: Columns
    table: Any
    length: int
    counted: bool = True

    def classes(self, rows: Rows, columns: Iterable[str]) -> Any:
        people = self.table[SIZE].sum().cast("int64") if self.counted else self.table.count()
        return self.table.group_by([rows.fields[column] for column in columns]).agg(**{SIZE: people})


def group_all(
    rows: Rows, sets: Iterable[Columns], people: int, known: Mapping[Columns, ClassSizes]
) -> Iterator[tuple[Columns, ClassSizes]]:
    """Yield the class sizes on sets of columns.

    Parameters
    ----------
    rows
        The rows, one per person.
    sets
        Sets of at least one column.
    people
        The number of people.
    known
        The known class sizes on other sets, which save queries.
    """
    sizes_of = dict(known)
    sets = sorted(dict.fromkeys(sets), key=len)
    if (coded := _in_codes(rows, sets, people)) is not None:
        yield from coded.items()
        return
    groupings = [_Grouping(frozenset(rows.fields), rows.table, people, counted=False)]
    try:
        for size, level in groupby(sets, key=len):
            if size > 1 and len(groupings) == 1:  # by now it is known how many values each column has
                _keep(rows, sets, groupings, sizes_of)
            questions: list[Columns] = []
            for columns in level:
                same = sizes_of.get(columns) or _determined(columns, sizes_of, people)
                if same is None:
                    questions.append(columns)
                else:
                    sizes_of[columns] = same
                    yield columns, same
            for columns, sizes in _ask(rows, [(columns, _smallest(groupings, columns)) for columns in questions]):
                sizes_of[columns] = sizes
                yield columns, sizes
    finally:
        for grouping in groupings[1:]:
            grouping.table.release()


def _determined(columns: Columns, sizes_of: Mapping[Columns, ClassSizes], people: int) -> ClassSizes | None:
    """Return the class sizes without a column that the others are known to determine; None if there is none."""
    for column in columns:
        rest = columns - {column}
        without = sizes_of.get(rest)
        if without is None:
            continue
        if without.classes == people:
            return without
        for other in rest:
            fewer, fewest = sizes_of.get(columns - {other}), sizes_of.get(rest - {other})
            if fewer is not None and fewest is not None and fewer.classes == fewest.classes:
                return without
    return None


def _keep(rows: Rows, sets: list[Columns], groupings: list[_Grouping], sizes_of: dict[Columns, ClassSizes]) -> None:
    """Add groupings that are certainly much smaller than their source, and that further sets use."""
    if groupings[0].length < _WORTH_KEEPING or not rows.can_keep:
        return
    room = limits.current().numbers(MAX_ROWS_KEPT, each=64)
    largest = frozenset[str]().union(*sets)
    for columns in sorted({largest, *sets}, key=lambda columns: (-len(columns), sorted(columns))):
        if sum(other <= columns for other in sets) < 2:
            continue
        source = _smallest(groupings, columns)
        enough = min(room, source.length // _MIN_SHRINKING)
        if columns == largest and columns in sets and _most_classes(columns, sizes_of) > enough:
            sizes_of.update(_ask(rows, [(columns, source)]))
        if _most_classes(columns, sizes_of) <= enough:
            table = source.classes(rows, columns).cache()
            ((length,),) = rows.ask(table.count().as_table())
            groupings.append(_Grouping(columns, table, length))
            room -= length


def _most_classes(columns: Columns, sizes_of: Mapping[Columns, ClassSizes]) -> float:
    """Return an upper bound on the classes: the combinations of values, if their number is not known."""
    parts = [columns] if columns in sizes_of else [frozenset([column]) for column in columns]
    return prod(sizes_of[part].classes if part in sizes_of else inf for part in parts)


def _smallest(groupings: Iterable[_Grouping], columns: Columns) -> _Grouping:
    return min((each for each in groupings if columns <= each.columns), key=lambda each: each.length)


def _in_codes(rows: Rows, sets: list[Columns], people: int) -> dict[Columns, ClassSizes] | None:
    """Return the class sizes from codes; None if the rows are not in this process, or the engine is sooner done.

    To fetch the codes of a large column takes longer than to count it alone.
    """
    together = frozenset[str]().union(*sets)
    if not sets or (people * len(together) > _FEW_CODES and len(sets) <= len(together)):
        return None
    columns = column_codes(rows, sorted(together), people)
    return None if columns is None else class_sizes_in_codes(columns, sets)


def _ask(rows: Rows, questions: Iterable[tuple[Columns, _Grouping]]) -> Iterator[tuple[Columns, ClassSizes]]:
    """Yield the class sizes on columns, each counted from a grouping."""
    questions = list(questions)
    for (columns, _), answer in zip(
        questions, (_in_passes if rows.are_read_anew else _apart)(rows, questions), strict=True
    ):
        sizes, counts = zip(*sorted(answer), strict=True)
        yield columns, ClassSizes(sizes, counts)


def _apart(rows: Rows, questions: Iterable[tuple[Columns, _Grouping]]) -> Iterator[list[tuple[Any, ...]]]:
    return ask_all(
        rows, ((histogram(grouping.classes(rows, columns)), grouping.length) for columns, grouping in questions)
    )


def _in_passes(rows: Rows, questions: Iterable[tuple[Columns, _Grouping]]) -> Iterator[list[tuple[Any, ...]]]:
    for _, of_one_grouping in groupby(questions, key=lambda item: id(item[1])):
        for some in passes(of_one_grouping):
            classes = classes_in_one_pass(rows, some[0][1].table, [columns for columns, _ in some])
            answers: list[list[tuple[Any, ...]]] = [[] for _ in some]
            for size, i, number in rows.ask(histogram(classes, VIEW)):
                answers[int(i)].append((size, number))
            yield from answers
