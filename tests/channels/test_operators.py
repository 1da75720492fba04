"""Every system composes by operators as it does by functions."""

import numpy as np
import pytest

import discretion as dc
from discretion.channels import Parallel

AFTER = dc.Channel([[0.5, 0.5], [0.25, 0.75]])
SYSTEMS = {
    "a channel": dc.Channel([[0.75, 0.25], [0.25, 0.75]]),
    "a mechanism": dc.RandomizedResponse(2, epsilon=1),
    "a crowd": dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 1),
    "what is seen of a crowd": dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 1).seen_by(dc.AllButOne([0, 0])),
    "several uses": dc.repeated(dc.RandomizedResponse(2, epsilon=1), 1),
}


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_operators_are_the_functions(system):
    assert np.array_equal((system >> AFTER).matrix, dc.cascade(system, AFTER).matrix)
    assert np.allclose((system >> AFTER).matrix, system.channel().matrix @ AFTER.matrix, rtol=1e-15, atol=0)
    both = (system & AFTER).channel()
    assert np.array_equal(both.matrix, dc.parallel(system, AFTER).channel().matrix)
    with pytest.raises(TypeError):
        system >> [[1, 0], [0, 1]]
    with pytest.raises(TypeError):
        system & 3


def test_what_an_analyst_makes_of_a_shuffled_histogram_is_a_cascade():
    crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 4).seen_by(dc.AllButOne([2, 1]))
    # She sees only whether the first answer has a majority.
    histograms = crowd.channel().outputs
    majority = dc.Channel([[h[0] > 2, h[0] <= 2] for h in histograms], inputs=histograms)
    seen = crowd >> majority
    assert seen.shape == (2, 2)
    assert dc.bayes_security(seen) >= dc.bayes_security(crowd)
    assert dc.posterior_vulnerability(seen) <= dc.posterior_vulnerability(crowd)


def test_noise_and_composed_noise_go_side_by_side():
    both = dc.Laplace(1.0) & dc.Gaussian(1.0)
    assert both == dc.parallel(dc.Laplace(1.0), dc.Gaussian(1.0))
    assert (both & dc.Laplace(1.0)) == dc.parallel(dc.repeated(dc.Laplace(1.0), 2), dc.Gaussian(1.0))
    assert isinstance(dc.RandomizedResponse(2, epsilon=1) & dc.RandomizedResponse(2, epsilon=1), Parallel)
