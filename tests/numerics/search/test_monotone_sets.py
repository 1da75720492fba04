"""The search finds the worthiest ideal within its limits, and bounds all others, whichever way it goes."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from discretion.numerics.search.explored_ideals import Extension, Loads
from discretion.numerics.search.ideals import Ideals, bits, mask_of, united
from discretion.numerics.search.monotone_sets import MAX_LEVELS_EXAMINED, MonotoneSearch
from discretion.numerics.search.worth import CountedOnce, ToppedUp, Worth, highest_worth
from support.lowering import lowered

M = 6


@st.composite
def orders(draw: st.DrawFn) -> Ideals:
    """Draw which of a few elements bring which: later ones bring some earlier ones, and all that these bring."""
    brings: list[int] = []
    for j in range(M):
        direct = [i for i in range(j) if draw(st.integers(0, 4)) == 0]
        brings.append(united([1 << j, *(brings[i] for i in direct)]))
    shuffled = draw(st.permutations(range(M)))
    return Ideals([mask_of(shuffled[i] for i in bits(brings[shuffled.index(j)])) for j in range(M)])


def all_ideals(ideals: Ideals) -> list[int]:
    return [mask for mask in range(1 << M) if ideals.closure(mask) == mask]


def apart(ideals: Ideals, ideal: int) -> list[tuple[int, ...]]:
    """Return the sets of elements of an ideal of which none brings another."""
    return [
        some
        for size in range(M + 1)
        for some in itertools.combinations(bits(ideal), size)
        if not any(i != j and ideals.brings[i] >> j & 1 for i in some for j in some)
    ]


@given(orders())
def test_ideals_are_the_sets_with_all_that_their_elements_bring(ideals: Ideals) -> None:
    every = all_ideals(ideals)
    assert ideals.count == len(every)
    for ideal in every:
        smaller = [other for other in every if other != ideal and other & ~ideal == 0]
        just = [o for o in smaller if not any(o != p and o & ~p == 0 for p in smaller)]
        assert sorted(ideals.predecessors(ideal)) == sorted(just)
        assert ideal == ideals.closure(ideals.tops(ideal))
        assert {ideal | 1 << j for j in ideals.covers(ideal)} == {o for o in every if ideal in ideals.predecessors(o)}


@given(orders(), st.integers(0, (1 << M) - 1))
def test_every_ideal_above_a_start_comes_from_one_with_an_element_less(ideals: Ideals, some: int) -> None:
    start = ideals.closure(some)
    met, level = [start], [start]
    while level:
        level = [ideal | 1 << j for ideal in level for j in ideals.later_covers(ideal, start)]
        met += level
    assert sorted(met) == sorted(ideal for ideal in all_ideals(ideals) if start & ~ideal == 0)


@given(orders(), st.lists(st.fractions(0, 3), min_size=M, max_size=M))
def test_worth_counts_no_element_beside_one_that_brings_it(ideals: Ideals, weights: list[Fraction]) -> None:
    once, topped = CountedOnce(ideals, weights), ToppedUp(ideals, weights)
    for ideal in all_ideals(ideals):
        best = max(sum((weights[j] for j in some), Fraction(0)) for some in apart(ideals, ideal))
        assert once.of(ideal) == once.most(ideal) == topped.most(ideal) == best
        assert topped.of(ideal) == sum(weights[j] for j in bits(ideals.tops(ideal)))


@pytest.mark.long
@settings(deadline=None)
@given(
    orders(),
    st.lists(st.lists(st.integers(0, 5), min_size=M, max_size=M), min_size=1, max_size=8),
    st.lists(st.fractions(0, 3), min_size=M, max_size=M),
    st.booleans(),
    st.integers(-1, 20),
    st.integers(0, (1 << M) - 1),
    st.sampled_from([1, MAX_LEVELS_EXAMINED]),
)
def test_it_is_the_best_of_all(  # noqa: PLR0917
    ideals: Ideals, terms: list[list[int]], weights: list[Fraction], adds: bool, limit: int, some: int, levels: int
) -> None:
    def load(ideal: int) -> int:  # a sum of largest elements only rises
        return sum(max((term[j] for j in bits(ideal)), default=0) for term in terms)

    def examine(extensions: Sequence[Extension]) -> list[Loads]:
        return [(load(ideal if j is None else ideal | ideals.brings[j]),) for ideal, j in extensions]

    worth: Worth = (ToppedUp if adds else CountedOnce)(ideals, weights)
    start = ideals.closure(some)
    with lowered(MAX_LEVELS_EXAMINED=levels):
        found = MonotoneSearch(ideals, start, examine, (limit,), worth, place=lambda ideal: ideal).run()
    fitting = [ideal for ideal in all_ideals(ideals) if start & ~ideal == 0 and load(ideal) <= limit]
    assert found.ended == "proved"
    assert (found.best is None) == (not fitting)
    if found.best is None:
        (over,) = found.over
        assert load(over) > limit >= max((load(below) for below in ideals.predecessors(over)), default=limit)
        return
    assert worth.of(found.best) == max(map(worth.of, fitting)) <= found.bound
    assert found.best in fitting
    largest = {ideal for ideal in fitting if not any(o != ideal and ideal & ~o == 0 for o in fitting)}
    assert set(found.maximal) <= largest
    if found.complete:
        assert set(found.maximal) == largest
        points = {(worth.of(ideal), load(ideal)) for ideal in fitting}
        undominated = {
            (w, a) for w, a in points if not any((v >= w and b <= a) and (v, b) != (w, a) for v, b in points)
        }
        assert {(worth.of(ideal), load(ideal)) for ideal in found.front} == undominated


@given(
    orders(), st.lists(st.integers(0, (1 << M) - 1), max_size=4), st.lists(st.integers(0, 3), min_size=M, max_size=M)
)
@settings(deadline=None)
def test_no_ideal_without_those_to_be_avoided_is_worth_more(
    ideals: Ideals, avoided: list[int], heavy: list[int]
) -> None:
    worth = CountedOnce(ideals, list(map(Fraction, heavy)))
    without = [ideals.closure(mask) for mask in avoided if mask]
    bound, chosen = highest_worth(ideals, worth, 0, without, 10)
    open_to = [ideal for ideal in all_ideals(ideals) if not any(no & ~ideal == 0 for no in without)]
    most = max(map(worth.of, open_to))
    assert most <= bound <= most + Fraction(1, 10**5)
    assert chosen in open_to
    assert worth.of(chosen or 0) == most
