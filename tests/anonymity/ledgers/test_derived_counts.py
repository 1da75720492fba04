"""Counts of few people that follow from published ones, against all people that these allow."""

from collections import Counter
from itertools import product
from time import perf_counter

import numpy as np
import pytest

from discretion.anonymity import CountTable, derived_counts
from discretion.errors import InvalidValueError, TooLargeError
from discretion.limits import Limits, within
from oracles.ledgers import Counted, small_counts

NAMES = ("a", "b", "c")


def published(rng: np.random.Generator, people: list[tuple[str, ...]], k: int) -> list[Counted]:
    """Random tables of counts of the people."""
    tables: list[Counted] = []
    for _ in range(int(rng.integers(1, 4))):
        columns = tuple(place for place in range(3) if rng.random() < 0.5)
        free = [place for place in range(3) if place not in columns]
        where = {free[0]: "0"} if free and rng.random() < 0.3 else {}
        sums: Counter[tuple[str, ...]] = Counter()
        for cell in people:
            if all(cell[place] == value for place, value in where.items()):
                sums[tuple(cell[place] for place in columns)] += 1
        complete = bool(rng.random() < 0.7)
        counts = {values: size if size >= k else None for values, size in sums.items() if complete or size >= k}
        tables.append(Counted(columns, counts, k, where, complete))
    return tables


def as_tables(tables: list[Counted]) -> list[CountTable]:
    return [
        CountTable(
            [NAMES[place] for place in table.columns],
            table.counts,
            k=table.k,
            where={NAMES[place]: value for place, value in table.where.items()},
            complete=table.complete,
        )
        for table in tables
    ]


def universe(tables: list[Counted]) -> list[tuple[str, ...]]:
    """The values of each column that a table lists, and another one where people may have it."""
    values: list[tuple[str, ...]] = []
    for place in range(3):
        of_it = [table for table in tables if place in table.columns]
        listed = {each[table.columns.index(place)] for table in of_it for each in table.counts}
        listed |= {table.where[place] for table in tables if place in table.where}
        whole = any(table.complete and not table.where for table in of_it)
        used = any(place in table.margin for table in tables)
        values.append((*sorted(listed), *(["other"] * (not whole))) if used else ("any",))
    return values


def cases() -> list[tuple[list[Counted], list[tuple[str, ...]], int, int]]:
    """Tables of few people with few enough combinations that all people whom they allow can be listed."""
    found: list[tuple[list[Counted], list[tuple[str, ...]], int, int]] = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        k, shape = int(rng.choice([2, 3, 4])), [(2, 2, 1), (3, 2, 1), (2, 1, 2)][seed % 3]
        people = [tuple(str(rng.integers(values)) for values in shape) for _ in range(int(rng.integers(2, 9)))]
        tables = published(rng, people, k)
        values, most = universe(tables), max(len(people), k)
        cells = sum(not any(table.excludes(cell) for table in tables) for cell in product(*values))
        if (most + 1) ** cells <= 7_000:
            found.append((tables, values, most, k))
    return found


CASES = cases()


@pytest.mark.one_in(23)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_what_follows_is_what_all_people_share_whom_the_counts_allow(case: int) -> None:
    tables, values, most, k = CASES[case]
    followed, shown = small_counts(tables, values, most, k)
    cells = [cell for cell in product(*values) if not any(table.excludes(cell) for table in tables)]
    expected = {
        summed: ends
        for summed, ends in followed.items()
        if summed not in shown or (shown[summed][0] < shown[summed][1] and ends[0] == ends[1])
    }
    result: dict[frozenset[tuple[str, ...]], tuple[int, int]] = {}
    for count in derived_counts(as_tables(tables), k):
        named = dict(count.values) | dict.fromkeys(count.besides, "other")
        summed = frozenset(
            cell for cell in cells if all(cell[NAMES.index(name)] == value for name, value in named.items())
        )
        result[summed] = count.low, count.high
        assert count.is_exact == (count.low == count.high)
    assert result == expected


@pytest.mark.long
def test_the_cases_have_counts_that_follow_and_some_by_bounds() -> None:
    some = [small_counts(*case) for case in CASES[:150]]
    new = [ends for followed, shown in some for summed, ends in followed.items() if summed not in shown]
    assert len(CASES) > 300
    assert sum(low < high for low, high in new) > 2
    assert sum(low == high for low, high in new) > 5


# The attacks.


def test_the_difference_of_two_large_counts_is_one_person() -> None:
    people = CountTable(["town"], {("A",): 25, ("B",): 40}, k=10, name="towns.csv")
    women = CountTable(["town"], {("A",): 24, ("B",): 18}, k=10, where={"sex": "f"}, name="women.csv")
    (count,) = derived_counts([people, women], k=10)
    assert (count.low, count.high, count.tables) == (1, 1, ("towns.csv", "women.csv"))
    assert str(count) == (
        "1 person has town = A, sex other than f: this follows from towns.csv (town = A: 25) and women.csv (town = A: "
        "24)"
    )
    assert derived_counts([people], k=10) == derived_counts([women], k=10) == ()


def test_a_blank_is_filled_by_a_total() -> None:
    towns = CountTable(["town"], {("A",): 20, ("B",): None}, k=10, name="towns")
    (count,) = derived_counts([towns, CountTable([], {(): 27}, name="total")], k=10)
    assert str(count) == "7 people have town = B: this follows from towns (town = A: 20) and total (total: 27)"


def test_two_blanks_beside_a_total_stay_blank() -> None:
    towns = CountTable(["town"], {("A",): 20, ("B",): None, ("C",): None}, k=10)
    assert derived_counts([towns, CountTable([], {(): 27})], k=10) == ()
    (one, other) = derived_counts([towns, CountTable([], {(): 22})], k=10)
    assert (one.low, one.high, other.low, other.high) == (1, 1, 1, 1)


def test_a_count_that_takes_whole_numbers_follows_from_all_of_them() -> None:
    """Of three pairs each has an odd number: no half people, so that the linear program alone shows too little."""
    pairs = [
        CountTable([one, other], {("0", "0"): 1, ("0", "1"): None, ("1", "0"): None, ("1", "1"): 1}, k=4)
        for one, other in (("a", "b"), ("b", "c"), ("a", "c"))
    ]
    for count in derived_counts(pairs, k=4):
        assert count.follows_from or "all counts together" in str(count)


def test_a_count_of_several_counts_names_the_first_ones() -> None:
    towns = CountTable(["town"], {(f"{i}",): 20 for i in range(9)} | {("B",): None}, k=10, name="towns")
    (count,) = derived_counts([towns, CountTable([], {(): 183}, name="total")], k=10)
    assert len(count.follows_from) == 10
    assert str(count).endswith(" and 6 more")


@pytest.mark.long
def test_thousands_of_cells_take_less_than_a_minute() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, [300, 10, 2], (75_000, 3)).astype(str)

    def counted(*columns: int) -> CountTable:
        sums = Counter(map(tuple, rows[:, columns].tolist()))
        return CountTable([NAMES[i] for i in columns], {each: n if n >= 12 else None for each, n in sums.items()}, k=12)

    tables = [counted(0, 1), counted(0, 2), counted(1, 2), counted(0), counted(1)]
    began = perf_counter()
    assert len(derived_counts(tables, 12)) == sum(n is None for n in tables[0].counts.values())
    assert perf_counter() - began < 60


@pytest.mark.parametrize(
    ("tables", "reason"),
    [
        ([CountTable(["a"], {("0",): 20, ("1",): 3}), CountTable([], {(): 22})], "they contradict each other"),
        ([CountTable(["a"], {("0",): 20}), CountTable(["a"], {("1",): 20})], "they contradict each other"),
    ],
)
def test_counts_of_no_people_are_refused(tables: list[CountTable], reason: str) -> None:
    with pytest.raises(InvalidValueError, match=reason):
        derived_counts(tables, 10)


def test_too_many_combinations_are_refused_with_the_limit() -> None:
    wide = [CountTable([name], {(str(i),): 20 for i in range(60)}) for name in ("a", "b", "c")]
    with pytest.raises(TooLargeError, match="more than 20,000 combinations of values of a, b, c; give tables of fewer"):
        derived_counts(wide, 10)
    with within(Limits(operations=1 << 21)), pytest.raises(TooLargeError, match="more than 2 combinations"):
        derived_counts(wide[:1], 10)


def test_nothing_follows_from_nothing() -> None:
    assert derived_counts([], 10) == ()
    assert derived_counts([CountTable(["a"], {("0",): 20})], 1) == ()
