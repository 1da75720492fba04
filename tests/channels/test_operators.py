"""Every system composes by operators as it does by functions."""

import numpy as np
import pytest

import tacit as tc
from tacit.channels import Parallel

AFTER = tc.Channel([[0.5, 0.5], [0.25, 0.75]])
SYSTEMS = {
    "a channel": tc.Channel([[0.75, 0.25], [0.25, 0.75]]),
    "a mechanism": tc.RandomizedResponse(2, epsilon=1),
    "a crowd": tc.Shuffled(tc.RandomizedResponse(2, epsilon=1), 1),
    "what is seen of a crowd": tc.Shuffled(tc.RandomizedResponse(2, epsilon=1), 1).seen_by(tc.AllButOne([0, 0])),
    "several uses": tc.repeated(tc.RandomizedResponse(2, epsilon=1), 1),
}


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_operators_are_the_functions(system):
    assert np.array_equal((system >> AFTER).matrix, tc.cascade(system, AFTER).matrix)
    assert np.allclose((system >> AFTER).matrix, system.channel().matrix @ AFTER.matrix, rtol=1e-15, atol=0)
    both = (system & AFTER).channel()
    assert np.array_equal(both.matrix, tc.parallel(system, AFTER).channel().matrix)
    with pytest.raises(TypeError):
        system >> [[1, 0], [0, 1]]
    with pytest.raises(TypeError):
        system & 3


def test_what_an_analyst_makes_of_a_shuffled_histogram_is_a_cascade():
    crowd = tc.Shuffled(tc.RandomizedResponse(2, epsilon=1), 4).seen_by(tc.AllButOne([2, 1]))
    # She sees only whether the first answer has a majority.
    histograms = crowd.channel().outputs
    majority = tc.Channel([[h[0] > 2, h[0] <= 2] for h in histograms], inputs=histograms)
    seen = crowd >> majority
    assert seen.shape == (2, 2)
    assert tc.bayes_security(seen) >= tc.bayes_security(crowd)
    assert tc.posterior_vulnerability(seen) <= tc.posterior_vulnerability(crowd)


def test_noise_and_composed_noise_go_side_by_side():
    both = tc.Laplace(1.0) & tc.Gaussian(1.0)
    assert both == tc.parallel(tc.Laplace(1.0), tc.Gaussian(1.0))
    assert (both & tc.Laplace(1.0)) == tc.parallel(tc.repeated(tc.Laplace(1.0), 2), tc.Gaussian(1.0))
    assert isinstance(tc.RandomizedResponse(2, epsilon=1) & tc.RandomizedResponse(2, epsilon=1), Parallel)
