"""Other users who do not report, against the worst adversary: every choice of those who drop out is gone through."""

import itertools

import pytest

import discretion as dc
from discretion.errors import InvalidValueError
from oracles import worst_rounds as slow
from oracles.promise import exactly

CROWDS = [
    (dc.RandomizedResponse(2, epsilon=1), 5),
    (dc.RandomizedResponse(3, epsilon=0.5), 4),
    (dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0.25, 0.75]]), 4),
]


@pytest.mark.parametrize(("mechanism", "n"), CROWDS, ids=repr)
def test_the_worst_dropouts_are_as_many_as_may_drop_out(mechanism, n):
    # Whoever of the others drops out, the rest hold some values: all of these are among the crowds of fewer users.
    for dropped in range(n):
        seen = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne(dropouts=dropped / (n - 1)))
        for epsilon in (0.0, 0.2):
            attained = [
                slow.largest_excess(slow.laws_of_a_round(mechanism, n - gone), epsilon) for gone in range(dropped + 1)
            ]
            assert dc.privacy_profile(seen, epsilon) == exactly(max(attained))
            assert all(one <= more + 1e-12 for one, more in itertools.pairwise(attained))


def test_a_share_is_of_the_others_and_rounded_down_exactly():
    for n, share, left in [(4, 1 / 3, 3), (11, 0.3, 8), (11, 0.29, 9), (1, 0.9, 1), (7, 1, 1), (7, 0, 7)]:
        assert dc.WorstAllButOne(dropouts=share).remaining(n) == left
    for n, others in itertools.product(range(2, 60), range(60)):
        if others < n:
            assert dc.WorstAllButOne(dropouts=others / (n - 1)).remaining(n) == n - others


def test_all_others_may_drop_out_and_leave_the_mechanism_alone():
    mechanism = dc.RandomizedResponse(3, epsilon=1)
    alone = dc.Shuffled(mechanism, 1000).seen_by(dc.WorstAllButOne(dropouts=1))
    assert dc.privacy_profile(alone, 0.5) == exactly(dc.privacy_profile(mechanism, 0.5))
    rounds = dc.repeated(dc.Shuffled(mechanism, 1000).seen_by(dc.WorstAllButOne(dropouts=1)), 2)
    assert dc.bayes_security(rounds) == exactly(dc.bayes_security(dc.repeated(mechanism, 2)))


@pytest.mark.parametrize("dropouts", [-0.1, 1.5, float("nan"), "all"])
def test_dropouts_are_a_share(dropouts):
    with pytest.raises(InvalidValueError, match="dropouts must be"):
        dc.WorstAllButOne(dropouts=dropouts)
