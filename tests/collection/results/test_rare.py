"""What is merged cannot be taken apart: neither what is told nor the rest is of fewer than k people."""

import numpy as np
from hypothesis import given, strategies as st

from discretion.collection.results.rare import merge_rare, publishable

COUNTS = st.lists(st.integers(0, 40), min_size=1, max_size=12)


@given(COUNTS, st.integers(1, 15))
def test_no_count_and_no_difference_is_of_fewer_than_k_people(counts: list[int], k: int) -> None:
    told = publishable(counts, k)
    held = np.array(counts)
    assert (held[told] >= k).all()
    rest = sum(counts) - held[told].sum()
    assert rest == 0 or rest >= k or not told.any()


@given(COUNTS, st.integers(1, 15))
def test_whoever_is_merged_is_among_two_values_at_least(counts: list[int], k: int) -> None:
    """Or a single rare value would be told by its count."""
    rare = merge_rare(counts, told := publishable(counts, k))
    if rare is not None and told.any():
        assert np.count_nonzero(np.array(counts)[~told]) >= 2


@given(COUNTS, st.integers(1, 15))
def test_nothing_is_merged_that_need_not_be(counts: list[int], k: int) -> None:
    told, held = publishable(counts, k), np.array(counts)
    needless = [place for place in np.flatnonzero(~told) if held[place] >= k]
    if needless:
        without_largest = held[~told].sum() - max(held[place] for place in needless)
        assert 0 < without_largest < k
    assert (merge_rare(counts, told) is None) == (held[~told].sum() == 0)


def test_what_nobody_has_hides_nothing() -> None:
    assert publishable([12, 30, 0, 0], 10).tolist() == [True, True, False, False]
    assert merge_rare([12, 30, 0, 0], publishable([12, 30, 0, 0], 10)) is None
