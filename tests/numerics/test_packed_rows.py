"""Rows packed into words are grouped on any set of columns as going through them one by one groups them."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.numerics import packed_rows
from discretion.numerics.equivalence_classes import Column
from discretion.numerics.packed_rows import PackedPeople, PackedRows

#: From a column of one value to so many that a few columns fill a word.
COUNTS = (1, 2, 3, 17, 1 << 20, (1 << 31) - 1, 5, 1 << 30)


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[int, ...]]:
    values = [st.sampled_from([0, count // 2, count - 1]) for count in COUNTS]
    return draw(st.lists(st.tuples(*values), min_size=1, max_size=40))


def packed(rows: list[tuple[int, ...]]) -> PackedRows:
    columns = zip(*rows, strict=True)
    coded = [Column(np.array(codes, np.int32), count) for codes, count in zip(columns, COUNTS, strict=True)]
    return PackedRows(coded, len(rows))


@given(tables(), st.sets(st.integers(0, len(COUNTS) - 1)))
def test_classes_are_counted_on_any_set_of_columns(rows: list[tuple[int, ...]], chosen: set[int]) -> None:
    counts = Counter(tuple(row[j] for j in sorted(chosen)) for row in rows)
    assert sorted(packed(rows).class_sizes(chosen).tolist()) == sorted(counts.values())


@given(tables(), st.sets(st.integers(1, len(COUNTS) - 1)))
def test_the_best_guess_is_the_commonest_of_each_class(rows: list[tuple[int, ...]], chosen: set[int]) -> None:
    guessed: dict[tuple[int, ...], Counter[int]] = {}
    for row in rows:
        guessed.setdefault(tuple(row[j] for j in sorted(chosen)), Counter())[row[0]] += 1
    best = [(max(values.values()), sum(values.values())) for values in guessed.values()]
    certain = sum(size for most, size in best if most == size)
    assert packed(rows).best_guesses(chosen, 0) == (sum(most for most, _ in best), certain)


@given(tables(), st.sets(st.integers(1, len(COUNTS) - 1)), st.randoms(use_true_random=False))
def test_people_are_grouped_by_all_that_their_rows_hold(
    rows: list[tuple[int, ...]], chosen: set[int], random: Random
) -> None:
    whose = [random.randrange(len(rows)) for _ in rows]
    numbers = {person: number for number, person in enumerate(dict.fromkeys(whose))}
    people = Column(np.array([numbers[each] for each in whose], np.int32), len(numbers))
    columns = [Column(np.array(codes, np.int32), n) for codes, n in zip(zip(*rows, strict=True), COUNTS, strict=True)]
    bags = {each: (Counter[tuple[int, ...]](), Counter[int]()) for each in numbers}
    for person, row in zip(whose, rows, strict=True):
        bags[person][0][tuple(row[j] for j in sorted(chosen)) if chosen else ()] += bool(chosen)
        bags[person][1][row[0]] += 1
    joint: dict[frozenset[object], Counter[frozenset[object]]] = {}
    for known, secret in bags.values():
        joint.setdefault(frozenset(known.items()), Counter())[frozenset(secret.items())] += 1
    packed_people = PackedPeople(columns, people)
    sizes = [secrets.total() for secrets in joint.values()]
    best = [max(secrets.values()) for secrets in joint.values()]
    certain = sum(most for most, size in zip(best, sizes, strict=True) if most == size)
    assert sorted(packed_people.class_sizes(chosen).tolist()) == sorted(sizes)
    assert packed_people.best_guesses(chosen, 0) == (sum(best), certain)


@pytest.mark.parametrize("rows", [1, 2, 1000])
def test_rows_that_all_differ_are_a_class_each(rows: int) -> None:
    numbers = Column(np.arange(rows, dtype=np.int32), rows)
    assert PackedRows([numbers], rows).class_sizes([0]).tolist() == [1] * rows


def test_what_is_compiled_is_what_the_loops_say(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    columns = [Column(rng.integers(0, 3, 60).astype(np.int32), 3) for _ in range(3)]
    _, numbers = np.unique(rng.integers(0, 20, 60), return_inverse=True)
    people = Column(numbers.astype(np.int32), int(numbers.max()) + 1)

    def counted() -> list[object]:
        packed_people, rows = PackedPeople(columns, people), PackedRows(columns, 60)
        return [
            (sorted(each.class_sizes(chosen).tolist()), each.best_guesses(chosen, 2))
            for each in (packed_people, rows)
            for chosen in ([], [0], [0, 1])
        ]

    compiled = counted()
    monkeypatch.setattr(packed_rows, "compiled", lambda loop: loop)
    with np.errstate(over="ignore"):  # what is multiplied is taken modulo 2⁶⁴
        assert counted() == compiled
