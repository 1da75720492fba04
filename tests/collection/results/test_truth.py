"""The truth beside a result: what is equal is said to be, and what is not is found."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.collection.results.analyst import analyst_result
from discretion.collection.results.truth import TruthComparison, compare_with_truth
from discretion.presenting.json_answers import answer
from support.collection.drawn_results import Collected, collected, drawn, features_of, rows_counted
from support.collection.in_process import round_of

KRR = "krr:epsilon=2"
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def compared(of: Collected, *chosen: int) -> TruthComparison:
    return compare_with_truth(of.task, of.rows, of.counts, of.analysed(*chosen))


@given(ROWS)
def test_what_was_told_as_it_is_is_equal(rows) -> None:
    found = compared(collected(features_of(2, 2), rows), 0, 1)
    assert found.agrees
    assert found.joint is not None
    assert found.joint.equal == found.joint.shares == len({tuple(row) for row in rows})
    assert all(each.equal == each.shares and not each.randomized for each in found.single)
    assert found.verdict.startswith("The results agree with the table")


@given(ROWS, st.data())
def test_one_wrong_answer_is_found(rows, data) -> None:
    of = collected(features_of(2, 2), rows)
    person, code = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 3))
    told = of.told.copy()
    told[person, 1] = code
    found = compare_with_truth(of.task, of.rows, of.counts, Collected(of.task, of.rows, told).analysed(0, 1))
    assert found.agrees == (code == rows[person][1])
    assert all(each.agrees for each in found.single)


def test_one_who_is_missing_is_found() -> None:
    of = drawn(features_of(2, 2), 200)
    for randomizers in ((), (KRR, KRR)):
        of = drawn(features_of(2, 2, randomizers=randomizers), 200)
        fewer = analyst_result(rows_counted(of.told[1:], 1), round_of(of.task, 0, 1))
        found = compare_with_truth(of.task, of.rows, of.counts, fewer)
        assert not found.agrees
        assert "199 of 200 people were counted" in found.verdict


@settings(max_examples=25)
@given(st.integers(0, 1000))
def test_randomized_answers_agree_and_nearly_all_within_4_standard_errors(seed: int) -> None:
    found = compared(drawn(features_of(2, 3, randomizers=[KRR, None]), 400, seed), 0, 1)
    assert found.agrees
    assert found.joint is not None
    assert found.joint.randomized
    assert found.joint.within >= found.joint.shares - 1  # by Chebyshev 1 in 16 may be outside, by the coins 1 in 10⁴
    assert found.counted == found.people == 400


@pytest.mark.long
def test_standard_errors_are_those_of_the_coins() -> None:
    features, rows = (
        features_of(1, 1, randomizers=[KRR, "krr:epsilon=1"]),
        [[0, 0]] * 30 + [[1, 2]] * 20 + [[2, 0]] * 50,
    )
    draws = (collected(features, rows, seed) for seed in range(200))
    furthest = [compare_with_truth(of.task, of.rows, of.counts).single[0].furthest for of in draws]
    assert 0.9 < np.mean(furthest) < 1.7  # of three shares that sum to 1, each of one standard error on average


def test_biased_shares_differ() -> None:
    """Answers that were told as they are, and undone as if they had been randomized."""
    of = drawn(features_of(3, randomizers=[KRR]), 5000)
    found = compared(replace(of, told=of.rows), 0)
    assert not found.agrees
    assert found.joint is not None
    assert found.joint.furthest > 4
    assert found.verdict.startswith("The results differ from the table")


@pytest.mark.parametrize("randomizers", [(), (KRR,)])
def test_it_is_json_and_may_be_of_the_first_round_alone(randomizers) -> None:
    of = drawn(features_of(2, 2, randomizers=randomizers), 100)
    told = json.loads(answer("collect", {}, compare_with_truth(of.task, of.rows, of.counts).to_dict()))["results"]
    assert (told["joint"], told["counted"], told["agrees"]) == (None, None, True)
    assert [each["features"] for each in told["single"]] == [["a"], ["b"]]


@pytest.mark.parametrize(("people", "concluded"), [(3, False), (10, False), (4000, True)])
def test_of_few_randomized_answers_nothing_is_concluded(people: int, concluded: bool) -> None:
    found = compared(drawn(features_of(2, 2, randomizers=[KRR, KRR]), people), 0, 1)
    assert found.agrees
    assert found.is_inconclusive != concluded
    assert found.verdict.startswith("The results agree" if concluded else "Nothing can be concluded")
    plain = compared(drawn(features_of(2, 2), people), 0, 1)
    assert not plain.is_inconclusive
