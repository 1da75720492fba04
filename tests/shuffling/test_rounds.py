"""The same people asked in several rounds, against all that they may hold and report, listed one by one."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

import discretion as dc
from discretion.channels import Repeated
from discretion.errors import TooLargeError, UnsupportedError
from oracles.promise import exactly


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
    return dc.Channel([[law[seen] for seen in outputs] for law in found])


def strangers(n, population):
    for values in itertools.product(range(len(population)), repeat=n):
        yield math.prod(population[value] for value in values), values


MECHANISM = dc.RandomizedResponse(2, epsilon=1)
CROWD = dc.Shuffled(MECHANISM, 3)
SEEN = {
    "an outsider": (dc.Uninformed(), list(strangers(2, [0.5, 0.5]))),
    "who knows the population": (dc.Uninformed([0.25, 0.75]), list(strangers(2, [0.25, 0.75]))),
    "who knows one": (
        dc.PartlyInformed([0, 1], [0.25, 0.75]),
        [(p, (1, *values)) for p, values in strangers(1, [0.25, 0.75])],
    ),
    "who knows all": (dc.AllButOne([1, 1]), [(1.0, (0, 1))]),
}


@pytest.mark.parametrize(("knowledge", "others"), SEEN.values(), ids=SEEN)
@pytest.mark.parametrize("rounds", [2, 3])
def test_what_rounds_show_is_the_mean_over_what_the_others_hold_throughout(knowledge, others, rounds):
    whole = rounds_listed(MECHANISM.channel().dense(), 3, rounds, others)
    seen = dc.repeated(CROWD, rounds).seen_by(knowledge)
    for ask in (
        dc.posterior_vulnerability,
        dc.bayes_risk,
        dc.bayes_security,
        dc.mutual_information,
        dc.multiplicative_bayes_capacity,
        dc.ldp_epsilon,
        lambda system: dc.posterior_vulnerability(system, [0.25, 0.75]),
        lambda system: dc.privacy_profile(system, 0.5),
        lambda system: dc.renyi_dp(system, 2),
    ):
        assert ask(seen) == exactly(ask(whole))


def test_three_values_two_of_which_are_held_by_strangers():
    mechanism = dc.ChannelMechanism(dc.Channel([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]]))
    whole = rounds_listed(mechanism.channel().dense(), 3, 2, list(strangers(2, [0.25, 0.25, 0.5])))
    seen = dc.repeated(dc.Shuffled(mechanism, 3), 2).seen_by(dc.Uninformed([0.25, 0.25, 0.5]))
    assert dc.posterior_vulnerability(seen) == exactly(dc.posterior_vulnerability(whole))
    assert dc.leakiest_pair(seen) == (0, 2)


def test_by_itself_a_crowd_in_rounds_is_seen_by_an_outsider():
    rounds = dc.repeated(CROWD, 2)
    assert dc.bayes_security(rounds) == dc.bayes_security(rounds.seen_by(dc.Uninformed()))
    assert rounds.channel().shape == (2, math.comb(4 + 1, 2))
    assert "n=2" in repr(rounds)
    with pytest.raises(UnsupportedError, match="WorstAllButOne"):
        dc.privacy_profile(rounds, 1.0)


def test_rounds_of_rounds_multiply_and_known_others_make_them_independent():
    assert dc.repeated(dc.repeated(CROWD, 2), 3).n == 6
    known = dc.repeated(CROWD, 4).seen_by(dc.AllButOne([2, 0]))
    assert isinstance(known, Repeated)
    assert dc.bayes_security(known) == dc.bayes_security(dc.repeated(CROWD.seen_by(dc.AllButOne([2, 0])), 4))


def test_others_who_stay_the_same_hide_less_than_others_drawn_anew_nor_more_than_known_ones():
    same = dc.posterior_vulnerability(dc.repeated(CROWD, 3))
    known = sum(
        math.comb(2, c) / 4 * dc.posterior_vulnerability(dc.repeated(CROWD, 3).seen_by(dc.AllButOne([c, 2 - c])))
        for c in range(3)
    )
    assert dc.posterior_vulnerability(CROWD) < same < known


def test_what_is_not_worked_out_is_refused_with_a_way_out():
    with pytest.raises(UnsupportedError, match=r"several rounds.*discretion\.AllButOne"):
        dc.repeated(CROWD, 2).seen_by(dc.Exchangeable([1, 1]))


def test_too_much_to_list_is_refused_with_a_way_out_and_epsilon_adds_up():
    many = dc.repeated(dc.Shuffled(MECHANISM, 1000), 5)
    with pytest.raises(TooLargeError, match=r"5 rounds of 1,000 users.*discretion\.AllButOne"):
        dc.posterior_vulnerability(many)
    assert dc.ldp_epsilon(many) == exactly(5)
    with pytest.raises(UnsupportedError, match="shuffler hides nothing"):
        dc.information.average_privacy(many)
