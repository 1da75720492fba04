"""What β* owes to secrets that no sample shows: it has no prior, so one that is rare counts as much as any other."""

import numpy as np
import pytest

from discretion.blackbox import estimate_bayes_security
from discretion.errors import InvalidValueError
from discretion.numerics.laws.binomial_limits import upper_limit
from oracles import blackbox as slow

# Of the first two secrets nothing is told, the third gives itself away: β* is 0, of the first two alone it is 1.
REVEALING = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
REPETITIONS, LEAST_COVERED = 100, 94


def drawn(prior, size, rng):
    secrets = rng.choice(len(prior), size, p=prior)
    return secrets, (rng.random(size)[:, None] > REVEALING.cumsum(axis=1)[secrets]).sum(axis=1)


@pytest.mark.long
@pytest.mark.parametrize(("prior", "size"), [((0.4975, 0.4975, 0.005), 50), ((0.475, 0.475, 0.05), 30)])
def test_intervals_cover_though_a_secret_is_rarely_seen(prior, size):
    rng = np.random.default_rng(1)
    covered = {"not told": 0, "all": 0, "those seen": 0}
    for seed in range(REPETITIONS):
        secrets, observations = drawn(prior, size, rng)
        of_seen = 0 if 2 in secrets else 1
        for name, among, truth in [("not told", None, 0), ("all", range(3), 0), ("those seen", secrets, of_seen)]:
            estimate = estimate_bayes_security(secrets, observations, rng=seed, among=among)
            covered[name] += estimate.low <= truth <= estimate.high
    assert min(covered.values()) >= LEAST_COVERED


def test_a_secret_without_samples_leaves_no_lower_limit():
    samples = slow.drawn(slow.random_channel(3, 4), 2000, np.random.default_rng(2))
    assert estimate_bayes_security(*samples, rng=1, among=[2, 1, 0]).low > 0.1
    unseen = estimate_bayes_security(*samples, rng=1, among=range(4))
    assert unseen.low == 0
    assert "the outputs may give away secret 3, which has no samples" in unseen.method
    untold = estimate_bayes_security(*samples, rng=1)
    assert (untold.value, untold.low, untold.high) == (unseen.value, unseen.low, unseen.high)
    assert "the outputs may give away a secret without samples" in untold.method


def test_an_interval_without_a_lower_limit_misses_above_alone():
    secrets = np.arange(2000) % 2
    for among, misses in [(None, 0.05), ([0, 1], 0.025)]:
        estimate = estimate_bayes_security(secrets, secrets, rng=1, among=among)
        trials = int(estimate.method.split("0 errors of ")[1].split(" ")[0])
        assert estimate.high == pytest.approx(2 * float(upper_limit(0, trials, misses)), rel=1e-12)


@pytest.mark.parametrize(
    "names", [("a", "b"), (1, 2.5), (("x", 1), ("y", 2)), (np.str_("a"), np.str_("b")), (2**63, 2**63 + 1)]
)
def test_all_secrets_are_named_as_in_the_samples(names):
    secrets = [*names] * 200
    listed = estimate_bayes_security(secrets, [0, 1] * 200, rng=1, among=list(names))
    assert listed == estimate_bayes_security(secrets, [0, 1] * 200, rng=1, among=secrets)
    assert "may give away" not in listed.method
    with pytest.raises(InvalidValueError, match="among must contain every secret that has samples"):
        estimate_bayes_security(secrets, [0, 1] * 200, among=list(names[:1]))


@pytest.mark.parametrize("among", ["ab", {0, 1}, [0.0, float("nan")], []])
def test_what_is_no_list_of_the_secrets_is_refused(among):
    with pytest.raises(InvalidValueError, match="among must"):
        estimate_bayes_security([0, 1] * 10, [0, 1] * 10, among=among)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (3, 1), (1, 1, 1), (1, 2, 3)])
@pytest.mark.parametrize("method", ["auto", "frequentist", "nearest-neighbours"])
def test_a_few_samples_give_an_interval_around_their_value(sizes, method):
    secrets = np.repeat(np.arange(len(sizes)), sizes)
    for observations in (secrets, np.zeros(secrets.size), secrets / 3):
        for confidence in (0.5, 0.95, 0.999999):
            for among in (None, secrets):
                estimate = estimate_bayes_security(secrets, observations, confidence, method, 1, among)
                assert 0 <= estimate.low <= estimate.value <= estimate.high == 1
