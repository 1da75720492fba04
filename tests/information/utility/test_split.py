"""Table 4.1 of LDP-info: what users hold and what the aggregator gets, each in three parts."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from information.answers import covers, highest, lowest
from information.table import CASES, TWO_POINTS, problems
from oracles import local_information as slow
from support.lowering import lowered

GRR = dc.RandomizedResponse
PARTS = ("nonprivate", "group_private", "individual_private")
each_case = pytest.mark.parametrize("case", CASES)


def split(case, n):
    return dc.information.information_split(case.system, n, case.population, rng=1)


@pytest.mark.long
@each_case
@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_entry_is_its_definition(case, n):
    answer = split(case, n)
    for (who, part), expected in slow.information_split(case.matrix, n, case.law).items():
        assert covers(getattr(getattr(answer, who), part), expected, within=2e-12), (who, part)


@pytest.mark.long
@settings(max_examples=15)
@given(problems(reports=st.integers(1, 3)), st.integers(1, 3))
def test_every_entry_is_its_definition_on_any_channel(case, n):
    # A population that is certain of everybody's value leaves nothing to split.
    assume(slow.entropy_of_value(case.law) > 1e-6)
    answer = split(case, n)
    for (who, part), expected in slow.information_split(case.matrix, n, case.law).items():
        assert covers(getattr(getattr(answer, who), part), expected, within=2e-12), (who, part)


@each_case
@pytest.mark.parametrize("n", [1, 5])
def test_the_parts_add_up_and_nobody_gets_more_than_there_is(case, n):
    answer = split(case, n)
    for who in (answer.users, answer.aggregator):
        parts = [getattr(who, part) for part in PARTS]
        assert all(highest(part) >= 0 for part in parts)
        assert sum(map(lowest, parts)) - 1e-11 <= float(who.total) <= sum(map(highest, parts)) + 1e-11
    for part in (*PARTS, "total"):
        assert lowest(getattr(answer.aggregator, part)) <= highest(getattr(answer.users, part))


@each_case
def test_the_parts_are_what_the_measures_are_made_of(case):
    # Table 4.1: private information is H(X⃗ | P), privacy leakage I(Y⃗; X⃗ | P), the tally's H(T) and I(Y⃗; T).
    n, answer = 3, split(case, 3)
    users, aggregator = answer.users, answer.aggregator
    private = users.group_private + users.individual_private
    leaked = aggregator.group_private + aggregator.individual_private
    assert covers(dc.information.average_privacy(case.system, case.population), 1 - leaked / private, within=1e-11)
    assert private == pytest.approx(n * slow.entropy_of_value(case.law), rel=1e-10)
    utility = dc.information.distribution_utility(case.system, n, case.population, rng=1)
    assert covers(utility, aggregator.nonprivate / users.nonprivate, within=1e-11)
    known = dc.information.population_information(case.system, n, case.population, rng=1)
    assert covers(known, aggregator.nonprivate, within=1e-11)
    of_the_tally = (aggregator.nonprivate + aggregator.group_private) / (users.nonprivate + users.group_private)
    assert covers(dc.information.tally_utility(case.system, n, case.population, rng=1), of_the_tally, within=1e-11)


def test_one_user_has_no_crowd_to_hide_in():
    # X is T: nothing is individual, everything private is the group's.
    answer = dc.information.information_split(GRR(3, epsilon=2), 1)
    assert covers(answer.users.individual_private, 0)
    assert covers(answer.aggregator.individual_private, 0)


@pytest.mark.parametrize("n", [1, 4])
def test_without_noise_the_aggregator_has_what_the_users_have(n):
    for system in (GRR(3, epsilon=math.inf), dc.Channel(np.eye(3))):
        answer = dc.information.information_split(system, n, TWO_POINTS, rng=1)
        for part in (*PARTS, "total"):
            assert covers(getattr(answer.aggregator, part), float(getattr(answer.users, part)), within=1e-11)


@pytest.mark.parametrize("n", [1, 4])
def test_reports_that_say_nothing_give_nothing(n):
    answer = dc.information.information_split(GRR(3, epsilon=0), n)
    for part in (*PARTS, "total"):
        assert covers(getattr(answer.aggregator, part), 0)


def test_a_split_is_frozen():
    answer = dc.information.information_split(GRR(3, epsilon=2), 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.users = None
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.aggregator.nonprivate = 0.0


def test_private_parts_between_bounds_that_are_far_apart_are_given_at_their_most():
    with lowered(MAX_TALLY_CELLS=1, MAX_USERS_SAMPLED=1):
        parts = dc.information.information_split(dc.RandomizedResponse(3, epsilon=1), 40, rng=1).aggregator
    for part in (parts.group_private, parts.individual_private):
        assert part.low < part.value == part.high
