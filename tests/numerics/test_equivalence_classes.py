"""Rows that are alike by codes are counted as going through them one by one counts them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.numerics import equivalence_classes
from discretion.numerics.equivalence_classes import Column

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30)
#: NumPy; compiled loops, and the same as Python; and cells that are met, where a table of all would be too large.
ways = st.sampled_from([(10**9, 8, True), (0, 8, True), (0, 8, False), (0, 0, True)])


def columns(held: list[tuple[int, int]]) -> tuple[Column, Column]:
    first, second = (np.array([pair[j] for pair in held], np.int32) for j in (0, 1))
    return Column(first, int(first.max()) + 1), Column(second, int(second.max()) + 1)


@pytest.mark.long
@given(rows, st.integers(0, 10), ways)
def test_classes_are_counted(held: list[tuple[int, int]], least: int, way: tuple[int, int, bool]) -> None:
    first, second = columns(held)
    counts = Counter(held)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equivalence_classes, "COMPILED_FROM", way[0])
        if not way[2]:
            patch.setattr(equivalence_classes, "compiled", lambda loop: loop)
        patch.setattr(equivalence_classes, "_LEAST_CELLS", way[1] * 8192)
        patch.setattr(equivalence_classes, "_SPARSE", way[1])
        assert sorted(equivalence_classes.class_sizes(first, second).tolist()) == sorted(counts.values())
        assert equivalence_classes.rows_in_small(first, second, least) == sum(n for n in counts.values() if n < least)
        both = equivalence_classes.refined(first, second)
    assert both.count == len(counts) == len(set(both.codes.tolist()))
    assert len(set(zip(both.codes.tolist(), held, strict=True))) == len(counts)


@given(rows)
def test_the_best_guess_is_the_commonest_of_each_class(held: list[tuple[int, int]]) -> None:
    classes, guessed = columns(held)
    best = {first: Counter(s for f, s in held if f == first).most_common(1)[0][1] for first, _ in held}
    sizes = Counter(first for first, _ in held)
    classes = equivalence_classes.refined(equivalence_classes.everybody(len(held)), classes)
    certain = sum(size for first, size in sizes.items() if best[first] == size)
    assert equivalence_classes.best_guesses(classes, guessed) == (sum(best.values()), certain)


@pytest.mark.parametrize(
    ("count", "kind"), [(1, "uint8"), (256, "uint8"), (257, "uint16"), (65_536, "uint16"), (65_537, "int32")]
)
def test_codes_take_as_few_bytes_as_their_count_needs(count: int, kind: str) -> None:
    column = Column(np.array([0, count - 1, count - 1]), count)
    assert column.codes.dtype == kind
    assert column.codes.tolist() == [0, count - 1, count - 1]


@pytest.mark.parametrize("way", ["numpy", "compiled", "python"])
@pytest.mark.parametrize("counts", [(2, 200), (200, 2), (256, 256), (257, 256), (70_000, 3)])
def test_narrow_codes_are_combined_without_overflow(
    counts: tuple[int, int], way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equivalence_classes, "COMPILED_FROM", 10**9 if way == "numpy" else 0)
    if way == "python":
        monkeypatch.setattr(equivalence_classes, "compiled", lambda loop: loop)
    rng = np.random.default_rng(0)
    first, second = (np.append(rng.integers(0, count, 500), count - 1) for count in counts)
    classes, by = Column(first, counts[0]), Column(second, counts[1])
    pairs = Counter(zip(first.tolist(), second.tolist(), strict=True))
    both = equivalence_classes.refined(classes, by)
    assert both.count == len(pairs)
    assert len(set(zip(both.codes.tolist(), first.tolist(), second.tolist(), strict=True))) == len(pairs)
    assert sorted(equivalence_classes.class_sizes(classes, by).tolist()) == sorted(pairs.values())


@given(rows, st.integers(1, 5))
def test_codes_are_counted_by_blocks(held: list[tuple[int, int]], at_once: int) -> None:
    first, second = columns(held)
    some = second.codes > 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equivalence_classes, "_AT_ONCE", at_once)
        assert first.sizes().tolist() == np.bincount(first.codes, minlength=first.count).tolist()
        assert first.sizes(some).tolist() == np.bincount(first.codes[some], minlength=first.count).tolist()
