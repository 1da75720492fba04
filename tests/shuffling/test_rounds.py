"""The same people asked in several rounds, against all that they may hold and report, listed one by one."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import tacit as tc
from oracles.promise import exactly
from tacit.channels import Repeated
from tacit.errors import TooLargeError, UnsupportedError


def rounds_listed(rows, n, rounds, others):
    """P(histograms of all rounds, in order | the target's value), ``others`` yielding values with their probability."""
    k, found = len(rows), []
    for x in range(k):
        law = Counter()
        for probability, values in others:
            once = Counter()
            for reports in itertools.product(range(len(rows[0])), repeat=n):
                likely = math.prod(rows[value][y] for value, y in zip((x, *values), reports, strict=True))
                once[tuple(np.bincount(reports, minlength=len(rows[0])).tolist())] += likely
            for seen in itertools.product(once, repeat=rounds):
                law[seen] += probability * math.prod(once[h] for h in seen)
        found.append(law)
    outputs = sorted({seen for law in found for seen in law})
    return tc.Channel([[law[seen] for seen in outputs] for law in found])


def strangers(n, population):
    for values in itertools.product(range(len(population)), repeat=n):
        yield math.prod(population[value] for value in values), values


MECHANISM = tc.RandomizedResponse(2, epsilon=1)
CROWD = tc.Shuffled(MECHANISM, 3)
SEEN = {
    "an outsider": (tc.Uninformed(), list(strangers(2, [0.5, 0.5]))),
    "who knows the population": (tc.Uninformed([0.25, 0.75]), list(strangers(2, [0.25, 0.75]))),
    "who knows one": (
        tc.PartlyInformed([0, 1], [0.25, 0.75]),
        [(p, (1, *values)) for p, values in strangers(1, [0.25, 0.75])],
    ),
    "who knows all": (tc.AllButOne([1, 1]), [(1.0, (0, 1))]),
}


@pytest.mark.parametrize(("knowledge", "others"), SEEN.values(), ids=SEEN)
@pytest.mark.parametrize("rounds", [2, 3])
def test_what_rounds_show_is_the_mean_over_what_the_others_hold_throughout(knowledge, others, rounds):
    whole = rounds_listed(MECHANISM.channel().dense(), 3, rounds, others)
    seen = tc.repeated(CROWD, rounds).seen_by(knowledge)
    for ask in (
        tc.posterior_vulnerability,
        tc.bayes_risk,
        tc.bayes_security,
        tc.mutual_information,
        tc.multiplicative_bayes_capacity,
        tc.ldp_epsilon,
        lambda system: tc.posterior_vulnerability(system, [0.25, 0.75]),
        lambda system: tc.privacy_profile(system, 0.5),
        lambda system: tc.renyi_dp(system, 2),
    ):
        assert ask(seen) == exactly(ask(whole))


def test_three_values_two_of_which_are_held_by_strangers():
    mechanism = tc.ChannelMechanism(tc.Channel([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]]))
    whole = rounds_listed(mechanism.channel().dense(), 3, 2, list(strangers(2, [0.25, 0.25, 0.5])))
    seen = tc.repeated(tc.Shuffled(mechanism, 3), 2).seen_by(tc.Uninformed([0.25, 0.25, 0.5]))
    assert tc.posterior_vulnerability(seen) == exactly(tc.posterior_vulnerability(whole))
    assert tc.leakiest_pair(seen) == (0, 2)


def test_by_itself_a_crowd_in_rounds_is_seen_by_an_outsider():
    rounds = tc.repeated(CROWD, 2)
    assert tc.bayes_security(rounds) == tc.bayes_security(rounds.seen_by(tc.Uninformed()))
    assert rounds.channel().shape == (2, math.comb(4 + 1, 2))
    assert "n=2" in repr(rounds)
    with pytest.raises(UnsupportedError, match="WorstAllButOne"):
        tc.privacy_profile(rounds, 1.0)


def test_rounds_of_rounds_multiply_and_known_others_make_them_independent():
    assert tc.repeated(tc.repeated(CROWD, 2), 3).n == 6
    known = tc.repeated(CROWD, 4).seen_by(tc.AllButOne([2, 0]))
    assert isinstance(known, Repeated)
    assert tc.bayes_security(known) == tc.bayes_security(tc.repeated(CROWD.seen_by(tc.AllButOne([2, 0])), 4))


def test_others_who_stay_the_same_hide_less_than_others_drawn_anew_nor_more_than_known_ones():
    same = tc.posterior_vulnerability(tc.repeated(CROWD, 3))
    known = sum(
        math.comb(2, c) / 4 * tc.posterior_vulnerability(tc.repeated(CROWD, 3).seen_by(tc.AllButOne([c, 2 - c])))
        for c in range(3)
    )
    assert tc.posterior_vulnerability(CROWD) < same < known


@pytest.mark.parametrize("knowledge", [tc.WorstAllButOne(), tc.Exchangeable([1, 1])])
def test_what_is_not_worked_out_is_refused_with_a_way_out(knowledge):
    with pytest.raises(UnsupportedError, match=r"several rounds.*tacit\.AllButOne"):
        tc.repeated(CROWD, 2).seen_by(knowledge)


def test_too_much_to_list_is_refused_with_a_way_out_and_epsilon_adds_up():
    many = tc.repeated(tc.Shuffled(MECHANISM, 1000), 5)
    with pytest.raises(TooLargeError, match=r"5 rounds of 1,000 users.*tacit\.AllButOne"):
        tc.posterior_vulnerability(many)
    assert tc.ldp_epsilon(many) == exactly(5)
    with pytest.raises(UnsupportedError, match="shuffling takes nothing"):
        tc.information.average_privacy(many)
