"""Subset selection of size 1 is k-ary randomized response: the same numbers, by the same methods, everywhere."""

import numpy as np
import pytest

import tacit as tc
from oracles.promise import exactly
from tacit.errors import TooLargeError

SET, RESPONSE = tc.SubsetSelection(5, 1.0, size=1), tc.RandomizedResponse(5, 1.0)
SKEWED = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625])

# Measures of one user, and of populations.
ALONE = {
    "guess": lambda m: (tc.posterior_vulnerability, m),
    "guess with a prior": lambda m: (tc.posterior_vulnerability, m, SKEWED),
    "risk": lambda m: (tc.bayes_risk, m),
    "leakage": lambda m: (tc.leakage, m),
    "security": lambda m: (tc.bayes_security, m),
    "leakiest": lambda m: (tc.leakiest_pairs, m),
    "capacity": lambda m: (tc.multiplicative_bayes_capacity, m),
    "information": lambda m: (tc.mutual_information, m, SKEWED),
    "epsilon": lambda m: (tc.ldp_epsilon, m),
    "profile": lambda m: (tc.privacy_profile, m, 0.5),
    "population information": lambda m: (tc.information.population_information, m, 100),
    "average privacy": lambda m: (tc.information.average_privacy, m),
    "utility": lambda m: (tc.information.distribution_utility, m, 20),
    "digits": lambda m: (tc.information.digit_utility, m, 20),
    "tallies": lambda m: (tc.information.tally_utility, m, 20, None, 1),
    "asymptotic utility": lambda m: (tc.information.asymptotic_utility, m),
}

OTHERS = [
    tc.Uninformed(),
    tc.AllButOne([9, 3, 2, 0, 5]),
    tc.WorstAllButOne(),
    tc.PartlyInformed([2, 0, 3, 1, 1], SKEWED),
]


@pytest.mark.long
@pytest.mark.parametrize("case", ALONE)
def test_it_answers_as_randomized_response_does(case):
    measure, *given = ALONE[case](SET)
    same, *told = ALONE[case](RESPONSE)
    assert measure(*given) == same(*told)
    assert tc.method(measure, *given) == tc.method(same, *told)


@pytest.mark.long
@pytest.mark.parametrize("adversary", OTHERS)
@pytest.mark.parametrize("measure", [tc.posterior_vulnerability, tc.bayes_security, tc.mutual_information])
def test_so_does_a_crowd_of_it(measure, adversary):
    # Of 20 the worst security is the maximum over 8855 sums; of the others only bounds are known.
    n = 10 if measure is tc.bayes_security and isinstance(adversary, tc.WorstAllButOne) else 20
    crowds = [tc.Shuffled(mechanism, n) for mechanism in (SET, RESPONSE)]
    assert measure(crowds[0].seen_by(adversary)) == measure(crowds[1].seen_by(adversary))
    methods = {tc.method(measure, crowd.seen_by(adversary)) for crowd in crowds}
    assert len(methods) == 1


def test_the_smallest_crowd_is_the_same():
    needed = [tc.shuffling.smallest_crowd(m, tc.posterior_vulnerability, at_most=0.202) for m in (SET, RESPONSE)]
    assert needed[0] == needed[1] > 1000
    assert tc.shuffling.asymptotic_vulnerability(tc.Shuffled(SET, 1000)) == tc.shuffling.asymptotic_vulnerability(
        tc.Shuffled(RESPONSE, 1000)
    )


@pytest.mark.long
@pytest.mark.parametrize("adversary", OTHERS)
@pytest.mark.parametrize("measure", [tc.posterior_vulnerability, tc.bayes_security, tc.mutual_information])
def test_the_matrix_of_randomized_response_says_the_same(measure, adversary):
    # By other routes: nothing is known of a matrix but its entries.
    n = 5 if isinstance(adversary, tc.WorstAllButOne) else 20
    matrix = tc.ChannelMechanism(RESPONSE.channel())
    found = [tc.Shuffled(mechanism, n) for mechanism in (matrix, RESPONSE)]
    generic, known = (measure(crowd.seen_by(adversary)) for crowd in found)
    assert generic == exactly(known)


def test_a_set_of_two_is_no_response():
    with pytest.raises(TooLargeError):
        tc.posterior_vulnerability(tc.SubsetSelection(40, 1.0, size=20), gain=tc.gain_matrix(np.ones((1, 40))))
    assert tc.method(tc.bayes_security, tc.SubsetSelection(5, 1.0, size=2)) == (
        "closed form of subset selection",
        "closed form",
    )
