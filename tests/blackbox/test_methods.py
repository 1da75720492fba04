"""What may guess: by itself, by name or any classifier; on pairs that the triangle inequality leaves; and how many."""

import re
from functools import partial

import numpy as np
import pytest

import discretion as dc
from discretion.blackbox import (
    BayesRiskStream,
    NearestNeighbours,
    convergence,
    estimate_bayes_risk,
    estimate_bayes_security,
    samples_needed,
)
from discretion.blackbox.bayes_security import security_and_pair
from discretion.errors import InvalidValueError, TooLargeError
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit
from oracles import blackbox as slow

MEASURES = [estimate_bayes_risk, estimate_bayes_security]


class Always:
    """Always says one secret, and complains of a second fit."""

    def __init__(self, secret):
        self.secret, self.fitted = secret, False

    def fit(self, X, y):
        assert not self.fitted
        assert len(X) == len(y)
        self.fitted = True

    def predict(self, X):
        return np.full(len(X), self.secret)


@pytest.fixture
def gaussians():
    return slow.two_gaussians(2000, 2, 2.0, np.random.default_rng(1))


def test_a_constant_guess_errs_as_the_prior_says():
    secrets = ["often"] * 700 + ["seldom"] * 300
    estimate = estimate_bayes_risk(secrets, range(1000), method=Always("often"), rng=1)
    assert 0.3 <= estimate.high <= 0.34
    assert estimate_bayes_security(secrets, range(1000), method=Always("often"), rng=1).high == 1


class ByPlace(Always):
    """Says one secret of the first half and the other of the second."""

    def fit(self, X, y):
        self.secrets = list(dict.fromkeys(np.asarray(y).tolist()))

    def predict(self, X):
        half = len(X) // 2
        return np.array([self.secrets[0]] * half + [self.secrets[-1]] * (len(X) - half))


@pytest.mark.parametrize(("measure", "nothing"), [(estimate_bayes_risk, 0.5), (estimate_bayes_security, 1.0)])
def test_where_a_sample_stands_tells_nothing(measure, nothing):
    rng = np.random.default_rng(2)
    secrets, observations = np.arange(4000) % 2, rng.normal(size=4000)
    assert measure(secrets, observations, method=ByPlace(None), rng=1).high >= nothing


class InPlace(NearestNeighbours):
    """Centres what it is given without a copy."""

    def fit(self, X, y):
        X -= X.mean(axis=0)
        y[:] = y[::-1].copy()
        y[:] = y[::-1].copy()
        return super().fit(X, y)

    def predict(self, X):
        X *= 0
        return super().predict(X)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_classifier_may_work_in_place(measure, gaussians):
    secrets, observations = gaussians
    given = secrets.copy(), observations.copy()
    stream = BayesRiskStream(InPlace())
    for start in range(0, 2000, 500):
        stream.add(given[0][start : start + 500], given[1][start : start + 500])
    measure(*given, method=InPlace(), rng=1)
    assert (given[0] == secrets).all()
    assert (given[1] == observations).all()
    # It throws away what it is asked about and so knows nothing, neither of these samples nor of the next.
    assert measure(*given, method=InPlace(), rng=1).high > (0.45 if measure is estimate_bayes_risk else 0.9)


def test_a_stream_keeps_what_it_was_given(gaussians):
    secrets, observations = gaussians
    stream, buffered = (BayesRiskStream("nearest-neighbours") for _ in range(2))
    buffers = np.empty(200, dtype=int), np.empty((200, 2))
    for start in range(0, 2000, 200):
        buffers[0][:], buffers[1][:] = secrets[start : start + 200], observations[start : start + 200]
        stream.add(buffers[0].copy(), buffers[1].copy())
        buffered.add(*buffers)
    assert buffered.estimate() == stream.estimate()


@pytest.mark.parametrize("method", ["frequentist", "nearest-neighbours"])
def test_a_secret_keeps_its_kind_in_a_stream(method):
    stream = BayesRiskStream(method)
    stream.add(np.array(["1", "2"] * 50), [1, 2] * 50)
    for _ in range(3):
        stream.add(np.array([1, 2] * 50), [1, 2] * 50)
    # Text is guessed until more numbers have come: in the last batch no longer.
    errors = int(stream.estimate().method.split(": ")[1].split(" errors")[0])
    assert 100 <= errors <= 200


def test_batches_of_another_width_are_refused():
    for method in ("frequentist", "nearest-neighbours"):
        stream = BayesRiskStream(method)
        stream.add([0, 1], [1.0, 2.0])
        with pytest.raises(InvalidValueError, match="one shape in all batches, got rows of 2 after single values"):
            stream.add([0, 1], [[1.0, 2.0], [2.0, 3.0]])
        stream.add([0, 1], [1.0, 2.0])
        assert "of 2 held out" in stream.estimate().method


def test_what_was_not_tested_is_no_lack_of_errors():
    # All observations alike: the training samples of either secret cannot be told apart.
    estimate = estimate_bayes_security([0, 1] * 2, [7] * 4, rng=1)
    assert estimate.value == 1
    assert "nothing held out" in estimate.method
    stream = BayesRiskStream()
    stream.add([0, 1] * 500, [0] * 1000)
    assert stream.estimate().value == 0.5
    assert "nothing held out" in stream.estimate().method


@pytest.mark.long
def test_perfect_leakage_is_found_whatever_the_coins():
    secrets = np.arange(2000) % 2
    best = 2 * float(upper_limit(0, 1600, 0.025))
    highs = [estimate_bayes_security(secrets, secrets, rng=seed).high for seed in range(500)]
    assert sum(high > best for high in highs) <= 8
    assert max(highs) < 0.05


@pytest.mark.parametrize("method", ["frequentist", "nearest-neighbours"])
def test_lost_trials_are_told_apart_from_errors(method, monkeypatch):
    monkeypatch.setattr("discretion.blackbox.fair_trials._MARGIN", 0.0)
    secrets = np.arange(2000) % 2
    estimate = estimate_bayes_security(secrets, secrets, method=method, rng=3)
    assert "0 errors of " in estimate.method
    assert " trials lost on the leakiest pair" in estimate.method
    if method == "frequentist":
        assert estimate.value == 0
    assert estimate.high > 2 * float(upper_limit(0, 1750, 0.025))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("pair", [(2**63, 2**63 + 1), (2**53, 2**53 + 1)])
@pytest.mark.parametrize("other", [-1, 0.5])
@pytest.mark.parametrize("rows", [False, True])
def test_large_whole_numbers_stay_apart(measure, pair, other, rows):
    observations = [*pair] * 100 + [other] * 2
    given = [(value, 1) for value in observations] if rows else observations
    assert measure([0, 1] * 101, given, rng=1).high < 0.2
    assert measure(observations[:200] + [other] * 2, [0, 1] * 101, rng=1).high < 0.2


def test_the_method_names_the_pairs_that_set_both_ends():
    # a and b are told apart well; of c there are four samples, of which little follows.
    secrets = np.array(["a", "b"])[np.arange(4000) % 2].tolist() + ["c"] * 4
    reports = dc.RandomizedResponse(2, p=0.75).sample(np.arange(4000) % 2, rng=2).tolist() + [0, 1] * 2
    estimate = estimate_bayes_security(secrets, reports, rng=1, among=["a", "b", "c"])
    assert "held out on the leakiest pair, 'a' and 'b'" in estimate.method.replace("'b' and 'a'", "'a' and 'b'")
    assert re.search(
        "training errors at least on 4 samples each of ('[ab]' and )?a secret with few samples", estimate.method
    )
    assert "too few samples to test of 1 secret (4)" in estimate.method
    assert "'c'" not in estimate.method


def test_a_secret_is_said_to_have_the_samples_that_were_given():
    rng = np.random.default_rng(5)
    # Now and then the one sample of c is among those that decide on the method.
    secrets = np.array(["a", "b"] * 200 + ["c"])
    counted = {
        estimate_bayes_security(secrets, rng.normal(size=401), rng=seed).method.split("to test of ")[1]
        for seed in range(60)
    }
    assert counted == {"1 secret (1)"}


def test_the_leakiest_pair_is_told():
    secrets = np.array(["x", "y", "z"])[np.arange(900) % 3]
    for method in ("frequentist", "nearest-neighbours"):
        estimate, pair = security_and_pair(secrets, (secrets == "z") * 1.0, 0.95, method, 1)
        assert "z" in pair
        assert estimate == estimate_bayes_security(secrets, (secrets == "z") * 1.0, method=method, rng=1)
    assert security_and_pair([0, 1], [0.0, 1.0], 0.95, "nearest-neighbours", 1)[1] is None


def test_too_many_secrets_for_a_classifier_are_refused():
    secrets = np.repeat(np.arange(20_000), 2)
    with pytest.raises(TooLargeError, match="at most 1,000 secrets, got 20,000 secrets"):
        estimate_bayes_security(secrets, secrets.astype(float), method="nearest-neighbours", rng=1)


def streamed(secrets, observations):
    stream = BayesRiskStream()
    for part in (slice(0, 30), slice(30, None)):
        stream.add(secrets[part], observations[part])
    return stream.estimate()


@pytest.mark.parametrize(
    "measure", [estimate_bayes_risk, estimate_bayes_security, convergence, partial(samples_needed, 0.1), streamed]
)
def test_samples_most_of_which_have_a_secret_of_their_own_are_refused(measure):
    def secrets(single):
        return np.concatenate([1000 + np.arange(single), np.arange(60 - single) % 2])

    observations = np.arange(60) % 2
    with pytest.raises(InvalidValueError, match="31 of 60 samples have a secret that no other sample has"):
        measure(secrets(31), observations)
    assert measure(secrets(30), observations) is not None
    assert measure(np.arange(60) // 2, observations) is not None  # two samples of each


@pytest.mark.long
@pytest.mark.parametrize("measure", MEASURES)
def test_many_equal_points_are_one(measure):
    # Quadratic time would take minutes.
    secrets = np.arange(200_000) % 2
    observations = np.where(np.arange(200_000) % 5 < 2, 0.0, np.random.default_rng(6).normal(size=200_000))
    assert measure(secrets, observations, method="nearest-neighbours", rng=1).high >= 0.5


@pytest.mark.parametrize("measure", MEASURES)
def test_a_classifier_of_scikit_learn_guesses(measure, gaussians):
    linear_model = pytest.importorskip("sklearn.linear_model")
    truth = slow.gaussian_bayes_risk(2.0) * (1 if measure is estimate_bayes_risk else 2)
    secrets, observations = gaussians
    estimate = measure(np.array(["a", "b"])[secrets], observations, method=linear_model.LogisticRegression(), rng=2)
    assert truth <= estimate.high <= truth + 0.08
    assert abs(estimate.value - truth) <= 0.03
    assert estimate.method.startswith("LogisticRegression: ")


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("observe", "name"),
    [
        (lambda x: x, "nearest neighbors"),
        (np.round, "frequentist"),
        (lambda x: np.round(x).astype(int), "frequentist"),
        (lambda x: x[:, 0].astype(str), "frequentist"),
        (lambda x: (x > 0).tolist(), "frequentist"),
        (lambda x: [(a, "text") for a in x[:, 0].tolist()], "frequentist"),
    ],
)
def test_the_kind_of_observations_chooses_the_method(measure, observe, name, gaussians):
    secrets, observations = gaussians
    estimate = measure(secrets, observe(observations), rng=1)
    assert estimate.method.startswith(name)
    assert ("no finite sample bounds it from below" in estimate.method) == (name != "frequentist")


def test_sequences_are_compared_by_a_metric_of_the_user(gaussians):
    secrets = gaussians[0][:300]
    texts = ["ab" * (2 + s + i % 2) for i, s in enumerate(secrets)]
    ragged = [list(text) for text in texts]
    method = NearestNeighbours(metric=lambda x, y: abs(len(x) - len(y)))
    estimates = [estimate_bayes_risk(secrets, given, method=method, rng=1) for given in (texts, ragged)]
    assert estimates[0] == estimates[1]
    assert estimates[0].high < 0.4


def test_the_triangle_inequality_saves_pairs():
    # Twenty secrets of which one stands out: no two others can be further apart than their distance to a third says.
    rng = np.random.default_rng(3)
    secrets = rng.integers(20, size=8000)
    observations = rng.normal(size=8000) + 8 * (secrets == 19)
    estimate = estimate_bayes_security(secrets, observations, rng=1)
    assert estimate.high < 0.1
    assert "union bound over 190 pairs, " in estimate.method
    assert int(estimate.method.split("190 pairs, ")[1].split(" ")[0]) < 60


def test_many_secrets_are_compared_at_once():
    channel = slow.random_channel(50, 30)
    truth = slow.bayes_security(channel)
    samples = slow.drawn(channel, 100_000, np.random.default_rng(4))
    estimate = estimate_bayes_security(*samples, rng=1, among=range(50))
    assert estimate.low <= truth <= estimate.high
    assert estimate.high - estimate.low < 0.15


@pytest.mark.parametrize("method", ["frequentist", "nearest-neighbours"])
def test_a_secret_with_a_single_sample_is_counted_and_not_named(method):
    secrets, observations = [0, 1] * 500 + ["once"], [0, 1] * 500 + [2]
    estimate = estimate_bayes_security(secrets, observations, method=method, rng=1, among=secrets)
    assert estimate.low == 0
    assert estimate.high < 0.05
    assert "too few samples to test of 1 secret (1)" in estimate.method
    assert "once" not in estimate.method
    assert estimate_bayes_risk(secrets, observations, method=method, rng=1).high < 0.02


def test_distinct_observations_bound_nothing_from_below():
    estimate = estimate_bayes_risk([0, 1] * 50, range(100), rng=1)
    assert estimate.low == 0
    assert estimate.high > 0.5


@pytest.mark.parametrize("measure", [*MEASURES, convergence])
@pytest.mark.parametrize("method", ["auto", "frequentist", "nearest-neighbours"])
def test_two_samples_say_nothing(measure, method):
    result = measure([0, 1], [0.0, 1.0], method=method, rng=1)
    assert np.max(result.high) == 1
    assert np.min(result.low) == 0


@pytest.mark.parametrize("half_width", [0.2, 0.05, 0.01, 0.001])
def test_the_floor_is_the_least_number_with_so_narrow_an_interval(half_width):
    def half(n):
        return float(upper_limit(n / 2, n, 0.025) - lower_limit(n / 2, n, 0.025)) / 2

    needed = samples_needed(half_width)
    assert half(needed) <= half_width < half(needed - 1)


@pytest.mark.parametrize("half_width", [0.02, 0.01])
def test_as_many_samples_as_a_pilot_says_are_enough(half_width):
    channel, rng = slow.random_channel(5, 20), np.random.default_rng(6)
    needed = samples_needed(half_width, *slow.drawn(channel, 1000, rng), rng=1)
    assert samples_needed(half_width) < needed
    estimate = estimate_bayes_risk(*slow.drawn(channel, needed, rng), rng=2)
    assert estimate.high - estimate.low <= 2 * half_width


def test_a_stream_of_batches_narrows_around_the_truth():
    channel, rng, stream = slow.random_channel(5, 20), np.random.default_rng(7), BayesRiskStream()
    for _ in range(40):
        stream.add(*slow.drawn(channel, 500, rng))
    estimate = stream.estimate()
    assert estimate.low <= slow.bayes_risk(channel) <= estimate.high
    assert estimate.high - estimate.low < 0.03


def test_a_stream_takes_any_classifier(gaussians):
    secrets, observations = gaussians
    for method in ("nearest-neighbours", Always(0)):
        stream = BayesRiskStream(method)
        for start in range(0, 2000, 500):
            stream.add(secrets[start : start + 500], observations[start : start + 500])
        assert "of 1500 held out" in stream.estimate().method


BAD_SAMPLES = {
    "no samples": ([], [], "must not be empty"),
    "one secret only": (["a", "a"], [1, 2], "at least two different secrets, got one"),
    "unequal lengths": ([0, 1, 0], [1, 2], "3 secrets and 2 observations"),
    "nan": ([0, 1], [1.0, np.nan], "finite, got nan in row 1"),
    "an infinite feature": ([0, 1], [[1, np.inf], [2, 3]], r"finite, got \[1.0, inf\] in row 0"),
    "nan among objects": ([0, 1], [("a", 1.0), ("b", float("nan"))], "finite, got nan in row 1"),
    "a float32 nan among objects": (
        [0, 1],
        np.array(["x", np.float32("nan")], dtype=object),
        "finite, got nan in row 1",
    ),
    "nan in a tuple": ([0, 1], np.fromiter([("a",), (1.0, (float("inf"),))], dtype=object), "must be finite, got"),
    "nan as a secret": ([0.0, np.nan], [1, 2], "secrets must be finite"),
    "complex numbers": ([0, 1], [1j, 2], "complex"),
    "a table of secrets": (np.zeros((2, 2)), [1, 2], r"shape \(2, 2\)"),
    "a cube": ([0, 1], np.zeros((2, 2, 2)), r"\(2, 2, 2\)"),
    "rows of nothing": ([0, 1], [[], []], r"\(2, 0\)"),
    "lists of several lengths": ([0, 1], [[1], [1, 2]], "hashable"),
    "a number": (3, 4, "secrets"),
}


@pytest.mark.parametrize("measure", [*MEASURES, convergence, lambda s, o: samples_needed(0.1, s, o)])
@pytest.mark.parametrize("name", BAD_SAMPLES)
def test_bad_samples_are_refused(measure, name):
    secrets, observations, message = BAD_SAMPLES[name]
    with pytest.raises(InvalidValueError, match=message):
        measure(secrets, observations)


BAD_OPTIONS = {
    "confidence": ({"confidence": 1}, r"confidence must be in \(0, 1\), got 1"),
    "no confidence": ({"confidence": float("nan")}, "confidence must be a number"),
    "method": ({"method": "best"}, "method must be 'auto', 'frequentist', 'nearest-neighbours' or a classifier"),
    "a class": ({"method": NearestNeighbours}, "or a classifier with fit and predict"),
    "seed": ({"rng": -1}, "rng"),
    "text for neighbours": ({"method": "nearest-neighbours"}, "nearest neighbors need numbers"),
    "nan distances": ({"method": NearestNeighbours(metric=lambda x, y: float("nan"))}, "metric must return a number"),
}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_options_are_refused(measure, name):
    options, message = BAD_OPTIONS[name]
    with pytest.raises(InvalidValueError, match=message):
        measure([0, 1] * 10, ["x", "y"] * 10, **options)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 1.5}, {"metric": "cosine"}])
def test_bad_neighbours_are_refused(options):
    with pytest.raises(InvalidValueError, match="must be a"):
        NearestNeighbours(**options)


def test_a_classifier_that_predicts_too_little_is_refused():
    class Lazy(Always):
        def predict(self, X):
            return np.array([self.secret])

    with pytest.raises(InvalidValueError, match="must predict a secret for each"):
        estimate_bayes_risk([0, 1] * 20, range(40), method=Lazy(0), rng=1)


def test_bad_plans_and_streams_are_refused(gaussians):
    for half_width in (0, 0.5, -1):
        with pytest.raises(InvalidValueError, match=r"half_width must be in \(0, 1/2\)"):
            samples_needed(half_width)
    with pytest.raises(
        InvalidValueError, match=r"half_width must be at least 1e-06, which takes .* samples; got 1e-200"
    ):
        samples_needed(1e-200, [0, 1] * 50, [0, 1] * 50)
    # (1.96/2)² / 10⁻¹² of them.
    assert samples_needed(1e-6) == pytest.approx(0.9603647e12, rel=1e-4)
    with pytest.raises(InvalidValueError, match="got secrets only"):
        samples_needed(0.1, [0, 1])
    with pytest.raises(InvalidValueError, match="no finite sample bounds it from below"):
        samples_needed(0.1, *gaussians)
    with pytest.raises(InvalidValueError, match="method must be"):
        BayesRiskStream("auto")
    with pytest.raises(InvalidValueError, match="at least two different secrets, got 0 so far"):
        BayesRiskStream().estimate()


@pytest.mark.long
@pytest.mark.parametrize("measure", MEASURES)
def test_ten_million_samples_fit_in_memory(measure):
    import tracemalloc

    secrets, observations = slow.drawn(slow.random_channel(10, 1000), 10_000_000, np.random.default_rng(8))
    tracemalloc.start()
    try:
        measure(secrets, observations, rng=1)
        assert tracemalloc.get_traced_memory()[1] < 2e9
    finally:
        tracemalloc.stop()
