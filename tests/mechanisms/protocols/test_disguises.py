"""Subset selection of size 1 is k-ary randomized response: the same numbers, by the same methods, everywhere."""

import numpy as np
import pytest

import discretion as dc
from discretion.errors import TooLargeError
from oracles.promise import exactly

SET, RESPONSE = dc.SubsetSelection(5, 1.0, size=1), dc.RandomizedResponse(5, 1.0)
SKEWED = np.array([0.5, 0.25, 0.125, 0.0625, 0.0625])

# Measures of one user, and of populations.
ALONE = {
    "guess": lambda m: (dc.posterior_vulnerability, m),
    "guess with a prior": lambda m: (dc.posterior_vulnerability, m, SKEWED),
    "risk": lambda m: (dc.bayes_risk, m),
    "leakage": lambda m: (dc.leakage, m),
    "security": lambda m: (dc.bayes_security, m),
    "leakiest": lambda m: (dc.leakiest_pairs, m),
    "capacity": lambda m: (dc.multiplicative_bayes_capacity, m),
    "information": lambda m: (dc.mutual_information, m, SKEWED),
    "epsilon": lambda m: (dc.ldp_epsilon, m),
    "profile": lambda m: (dc.privacy_profile, m, 0.5),
    "population information": lambda m: (dc.information.population_information, m, 100),
    "average privacy": lambda m: (dc.information.average_privacy, m),
    "utility": lambda m: (dc.information.distribution_utility, m, 20),
    "digits": lambda m: (dc.information.digit_utility, m, 20),
    "tallies": lambda m: (dc.information.tally_utility, m, 20, None, 1),
    "asymptotic utility": lambda m: (dc.information.asymptotic_utility, m),
}

OTHERS = [
    dc.Uninformed(),
    dc.AllButOne([9, 3, 2, 0, 5]),
    dc.WorstAllButOne(),
    dc.PartlyInformed([2, 0, 3, 1, 1], SKEWED),
]


@pytest.mark.long
@pytest.mark.parametrize("case", ALONE)
def test_it_answers_as_randomized_response_does(case):
    measure, *given = ALONE[case](SET)
    same, *told = ALONE[case](RESPONSE)
    assert measure(*given) == same(*told)
    assert dc.method(measure, *given) == dc.method(same, *told)


@pytest.mark.long
@pytest.mark.parametrize("adversary", OTHERS)
@pytest.mark.parametrize("measure", [dc.posterior_vulnerability, dc.bayes_security, dc.mutual_information])
def test_so_does_a_crowd_of_it(measure, adversary):
    # Of 20 the worst security is the maximum over 8855 sums; of the others only bounds are known.
    n = 10 if measure is dc.bayes_security and isinstance(adversary, dc.WorstAllButOne) else 20
    crowds = [dc.Shuffled(mechanism, n) for mechanism in (SET, RESPONSE)]
    assert measure(crowds[0].seen_by(adversary)) == measure(crowds[1].seen_by(adversary))
    methods = {dc.method(measure, crowd.seen_by(adversary)) for crowd in crowds}
    assert len(methods) == 1


def test_the_smallest_crowd_is_the_same():
    needed = [dc.shuffling.smallest_crowd(m, dc.posterior_vulnerability, at_most=0.202) for m in (SET, RESPONSE)]
    assert needed[0] == needed[1] > 1000
    assert dc.shuffling.asymptotic_vulnerability(dc.Shuffled(SET, 1000)) == dc.shuffling.asymptotic_vulnerability(
        dc.Shuffled(RESPONSE, 1000)
    )


@pytest.mark.long
@pytest.mark.parametrize("adversary", OTHERS)
@pytest.mark.parametrize("measure", [dc.posterior_vulnerability, dc.bayes_security, dc.mutual_information])
def test_the_matrix_of_randomized_response_says_the_same(measure, adversary):
    # By other routes: nothing is known of a matrix but its entries.
    n = 5 if isinstance(adversary, dc.WorstAllButOne) else 20
    matrix = dc.ChannelMechanism(RESPONSE.channel())
    found = [dc.Shuffled(mechanism, n) for mechanism in (matrix, RESPONSE)]
    generic, known = (measure(crowd.seen_by(adversary)) for crowd in found)
    assert generic == exactly(known)


def test_a_set_of_two_is_no_response():
    with pytest.raises(TooLargeError):
        dc.posterior_vulnerability(dc.SubsetSelection(40, 1.0, size=20), gain=dc.gain_matrix(np.ones((1, 40))))
    assert dc.method(dc.bayes_security, dc.SubsetSelection(5, 1.0, size=2)) == (
        "closed form of subset selection",
        "closed form",
    )
