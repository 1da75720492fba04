"""Channels that leak the same to everybody."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.errors import InvalidValueError
from oracles.channels import reduced
from refinement.test_refines import doubles, pairs
from support.lowering import lowered


@given(pairs())
def test_it_is_that_reduced_channels_have_the_same_columns(pair):
    C, D = pair
    same = sorted(zip(*reduced(C), strict=True)) == sorted(zip(*reduced(D), strict=True))
    found = dc.equivalent(doubles(C), doubles(D))
    assert found.holds is same
    assert bool(found) is same
    assert (found.forth.holds and found.back.holds) is same


@given(pairs(), st.randoms())
def test_labels_copies_and_parts_of_observations_tell_nothing(pair, random):
    C = doubles(pair[0])
    order = random.sample(range(C.shape[1]), C.shape[1])
    parts = np.hstack([C.matrix[:, order] / 4, C.matrix * 0.75, np.zeros((C.secrets, 1))])
    assert dc.equivalent(C, dc.Channel(parts)).holds
    assert dc.equivalent(C, C.reduced()).holds


def test_refinement_one_way_is_not_enough():
    C, D = dc.RandomizedResponse(3, p=0.9), dc.RandomizedResponse(3, p=0.8)
    found = dc.equivalent(C, D)
    assert (found.forth.holds, found.back.holds, found.holds) == (True, False, False)
    assert found.to_dict() == {"holds": False, "forth": found.forth.to_dict(), "back": found.back.to_dict()}


def test_what_is_open_has_no_truth_value():
    C = dc.RandomizedResponse(5, p=0.9)
    with lowered(MAX_FACTOR_TERMS=10):
        found = dc.equivalent(C, C)
    assert found.holds is None
    with pytest.raises(InvalidValueError, match="whether the two are equivalent is not decided: a comparison"):
        bool(found)
