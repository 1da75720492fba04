"""Several systems in the order of refinement: each verdict as of the two alone, and the lines between neighbours."""

import itertools

import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.refinement import compare_all
from oracles.strategies import stochastic
from support.lowering import lowered

HALF = dc.Channel([[1, 0], [0.5, 0.5]])


def responses(*truths):
    return {str(p): dc.RandomizedResponse(3, p=p) for p in truths}


@pytest.mark.long
@given(st.data())
@settings(max_examples=20)
def test_each_verdict_is_that_of_the_two_alone(data):
    k = data.draw(st.integers(1, 3))
    systems = {name: dc.Channel(data.draw(stochastic(k, data.draw(st.integers(1, 3))))) for name in "abc"}
    systems["made of a"] = systems["a"] >> dc.Channel(data.draw(stochastic(systems["a"].shape[1], 2)))
    order = compare_all(systems)
    for first, second in itertools.permutations(systems, 2):
        found = order.relations[first, second]
        assert found.holds is dc.refines(systems[first], systems[second]).holds
        if found.holds:
            assert found.certificate.residual <= 1e-12
            assert (systems[first] >> found.certificate.factor).shape == systems[second].shape
        else:
            assert found.witness.gap > 1e-12
    assert sorted(name for members in order.classes for name in members) == sorted(systems)
    below = {(low[0], high[0]) for low, high in order.covers}
    for _ in systems:
        below |= {(a, d) for (a, b), (c, d) in itertools.product(below, below) if b == c}
    firsts = [members[0] for members in order.classes]
    assert below == {two for two in itertools.permutations(firsts, 2) if order.relations[two].holds}


def test_a_chain_has_lines_between_neighbours_only():
    order = compare_all(responses(0.5, 0.9, 0.7))
    assert order.covers == ((("0.9",), ("0.7",)), (("0.7",), ("0.5",)))
    assert order.classes == (("0.5",), ("0.9",), ("0.7",))
    assert order.incomparable == ()


def test_what_leaks_the_same_is_one_class():
    again = dc.Channel(dc.RandomizedResponse(3, p=0.9).channel().matrix[:, ::-1])
    order = compare_all(responses(0.9, 0.5) | {"reversed": again})
    assert order.classes == (("0.9", "reversed"), ("0.5",))
    assert order.to_dict()["covers"] == [{"refined": ["0.9", "reversed"], "by": ["0.5"]}]


def test_incomparable_systems_come_with_who_gains_more_from_either():
    order = compare_all({"half": HALF, "response": dc.RandomizedResponse(2, p=0.75), "blind": dc.Channel([[1], [1]])})
    assert order.incomparable == (("half", "response"),)
    (found,) = order.to_dict()["incomparable"]
    assert found["pair"] == ["half", "response"]
    assert all(gap > 0.01 for gap in found["gaps"])
    assert [high for _, high in order.covers] == [("blind",), ("blind",)]


def test_the_proof_for_one_pair_serves_others(monkeypatch):
    asked = []
    monkeypatch.setattr("discretion.refinement.order.refines", lambda *two: asked.append(two) or dc.refines(*two))
    order = compare_all(responses(0.7, 0.4, 0.9, 0.5))
    assert len(asked) == 3  # of twelve: those of neighbours
    assert len(order.covers) == 3


def test_what_is_too_large_is_named_and_the_rest_is_compared():
    with lowered(MAX_ENTRIES=10**4):
        order = compare_all({f"{p}": dc.RandomizedResponse(200, p=p) for p in (0.5, 0.6)})
        assert order.undecided.keys() == {("0.5", "0.6")}
        assert "more than 10,000 entries" in order.to_dict()["undecided"][0]["reason"]
        assert order.classes == (("0.5",), ("0.6",))
        assert order.covers == ()


def test_other_secrets_and_nothing_at_all_are_refused():
    with pytest.raises(dc.errors.InvalidChannelError, match=r"\(3\) and the second's \(2\)"):
        compare_all(responses(0.5) | {"half": HALF})
    with pytest.raises(dc.errors.UnsupportedError, match="a mapping from names to systems, got list"):
        dc.refinement.compare_all([dc.RandomizedResponse(2, epsilon=1)])
    with pytest.raises(dc.errors.InvalidValueError, match="at least one system, got none"):
        compare_all({})
