"""Lower bounds of ε and δ from outputs on two inputs: near the truth, on bugs far above the claim, and on bad input."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.blackbox import NearestNeighbours, PrivacyStream
from discretion.errors import DiscretionError, InvalidValueError

BOTH = (dc.estimate_epsilon, dc.estimate_privacy_profile)


def noisy(value, scale, size, rng):
    return value + rng.laplace(scale=scale, size=size)


class Threshold:
    """A classifier with a probability for either input, at the mean of what it has seen."""

    def fit(self, X, y):
        self.middle = X.mean()
        return self

    def predict(self, X):
        return X[:, 0] > self.middle

    def predict_proba(self, X):
        above = 1 / (1 + np.exp(self.middle - X[:, 0]))
        return np.stack([1 - above, above], axis=1)


class Guesser(Threshold):
    """The same, which names an input and gives no probability."""

    predict_proba = property()


class Broken(Threshold):
    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


def test_most_of_the_epsilon_of_laplace_noise_is_shown_by_a_hundred_thousand_outputs_in_all():
    rng = np.random.default_rng(1)
    x, y = noisy(1, 1, 50_000, rng), noisy(0, 1, 50_000, rng)
    found = dc.estimate_epsilon(x, y, 0, rng=1)
    assert 0.9 <= found.low <= 1
    assert (found.value, found.high, found.confidence, found.assuming) == (found.low, math.inf, 0.95, None)
    assert 0.9 <= dc.estimate_epsilon(x, y, 1e-5, rng=1).low <= 1


@pytest.mark.parametrize("epsilon", [0, 0.5, 1])
def test_most_of_the_delta_of_gaussian_noise_is_shown(epsilon):
    rng = np.random.default_rng(2)
    truth = dc.privacy_profile(dc.Gaussian(1), epsilon)
    found = dc.estimate_privacy_profile(rng.normal(1, size=40_000), rng.normal(size=40_000), epsilon, rng=1)
    assert truth - 0.02 < found.low <= truth
    assert (found.value, found.high) == (found.low, 1)


@pytest.mark.parametrize("method", [Threshold(), Guesser(), NearestNeighbours(k=31), "nearest-neighbours"])
def test_any_guesser_shows_a_part_of_it(method):
    rng = np.random.default_rng(3)
    x, y = noisy(2, 1, 2000, rng), noisy(0, 1, 2000, rng)
    assert 1 < dc.estimate_epsilon(x, y, 1e-6, method=method, rng=1).low <= 2


@pytest.mark.parametrize("values", [["a", "b", "c"], [0, 1, 2], [0.5, 2.25, -1], [(0, "x"), (1, "x"), (1, "y")]])
def test_discrete_outputs_are_counted_whatever_they_are(values):
    rng = np.random.default_rng(4)
    x, y = ([values[i] for i in rng.choice(3, size=6000, p=p)] for p in ([0.6, 0.3, 0.1], [0.2, 0.3, 0.5]))
    assert math.log(4) - 0.5 < dc.estimate_epsilon(x, y, 0.1, rng=1).low <= math.log(4)
    assert math.log(5) - 0.5 < dc.estimate_epsilon(x, y, 0, rng=1).low <= math.log(5)


def test_a_column_of_numbers_is_a_list_of_them():
    rng = np.random.default_rng(14)
    x, y = noisy(1, 1, 500, rng), noisy(0, 1, 500, rng)
    assert dc.estimate_epsilon(x[:, None], y[:, None], 0, rng=1) == dc.estimate_epsilon(x, y, 0, rng=1)


def test_either_direction_counts():
    """An output that only one of the inputs has, whichever it is."""
    rng = np.random.default_rng(5)
    rare, never = rng.random(5000) < 0.1, np.zeros(5000)
    assert dc.estimate_privacy_profile(rare, never, 3, rng=1).low > 0.05
    assert dc.estimate_privacy_profile(never, rare, 3, rng=1).low > 0.05


class TestBugs:
    """A claim of ε = 1 by Laplace noise on a sum of values in [0, 1], and what breaks it."""

    def test_noise_of_half_the_scale(self):
        rng = np.random.default_rng(6)
        assert dc.estimate_epsilon(noisy(1, 0.5, 2000, rng), noisy(0, 0.5, 2000, rng), 1e-6, rng=1).low > 1

    def test_a_forgotten_clip(self):
        rng = np.random.default_rng(7)
        person = 3.5  # which should have been clipped to 1
        assert dc.estimate_epsilon(noisy(person, 1, 500, rng), noisy(0, 1, 500, rng), 1e-6, rng=1).low > 1

    def test_a_seed_that_every_run_starts_with(self):
        x, y = (noisy(value, 1, 1, np.random.default_rng(8)).repeat(100) for value in (1, 0))
        assert dc.estimate_epsilon(x, y, 1e-6, rng=1).low > 1

    def test_the_same_noise_on_two_sums(self):
        rng = np.random.default_rng(9)
        x, y = ((noise := rng.laplace(scale=2, size=(500, 1))) + [value, 0] for value in (1, 0))
        assert noise.shape == (500, 1)
        assert dc.estimate_epsilon(x, y, 1e-6, rng=1).low > 1

    def test_a_person_given_away_once_in_fifty_runs(self):
        rng = np.random.default_rng(10)
        x = noisy(np.where(rng.random(20_000) < 0.02, 100, 1), 1, 20_000, rng)
        assert dc.estimate_privacy_profile(x, noisy(0, 1, 20_000, rng), 1, rng=1).low > 1e-3


class TestStreams:
    def test_whatever_batches_they_come_in_the_bounds_are_the_same(self):
        rng = np.random.default_rng(11)
        x, y = noisy(1, 0.5, 3000, rng), noisy(0, 0.5, 2000, rng)
        whole, parts = PrivacyStream(rng=1), PrivacyStream(rng=1)
        whole.add(x, y)
        buffer = np.empty(300)
        for part in range(10):
            buffer[:] = x[300 * part : 300 * (part + 1)]
            parts.add(buffer, y[200 * part : 200 * (part + 1)])
            buffer[:] = 0  # what was given is not looked at again
        assert parts.estimate_epsilon(0) == whole.estimate_epsilon(0)
        assert parts.estimate_privacy_profile(1) == whole.estimate_privacy_profile(1)
        assert parts.estimate_epsilon(0).low > 1

    def test_looked_at_in_between_they_say_in_the_end_what_they_would_have_said(self):
        rng = np.random.default_rng(12)
        batches = [(noisy(1, 0.5, 400, rng), noisy(0, 0.5, 300, rng)) for _ in range(5)]
        looked, blind = PrivacyStream(rng=1), PrivacyStream(rng=1)
        seen = []
        for batch in batches:
            looked.add(*batch)
            blind.add(*batch)
            seen.append(looked.estimate_epsilon(1e-6).low)
        assert seen[-1] == blind.estimate_epsilon(1e-6).low > 0.5
        assert seen[0] < seen[-1]

    def test_nothing_given_shows_nothing(self):
        assert PrivacyStream().estimate_epsilon(0).low == 0
        assert PrivacyStream().estimate_privacy_profile(1).low == 0

    @pytest.mark.parametrize(
        ("x", "words"),
        [
            (["a"], "got text or objects, single values after numbers, single values"),
            ([[1.0, 2.0]], "got numbers, rows of 2 after numbers, single values"),
        ],
    )
    def test_batches_are_alike(self, x, words):
        stream = PrivacyStream()
        stream.add([1.0], [2])
        with pytest.raises(InvalidValueError, match=words):
            stream.add(x, x)


class TestBadInput:
    @pytest.mark.parametrize(
        ("x", "y", "words"),
        [
            ([], [1.0], "x must not be empty"),
            ([1.0], [], "y must not be empty"),
            ([1.0, math.nan], [1.0], "x must be finite, got nan in row 1"),
            ([1.0], [1.0, math.inf], "y must be finite"),
            ([1j], [1.0], "x must be numbers, text or objects"),
            ([[1.0, 2.0]], [1.0], "got rows of 2 and single values"),
            ([[1.0, 2.0]], [[1.0]], "got rows of 2 and rows of 1"),
            ([[[1.0]]], [[[1.0]]], "x must be of shape"),
            (3.0, [1.0], "x must be of shape"),
            ([[1.0], [1.0, 2.0]], [[1.0], [2.0]], "x must be hashable"),
            (["a", "b"], [None, math.nan], "y must be finite, got nan in row 1"),
        ],
    )
    def test_outputs(self, x, y, words):
        for estimate in BOTH:
            for seed in range(5):  # whichever outputs the coins call for
                with pytest.raises(InvalidValueError, match=words):
                    estimate(x, y, 0.5, rng=seed)

    @pytest.mark.parametrize("given", [-1, 2, math.nan, "1", None, True])
    def test_delta(self, given):
        with pytest.raises(InvalidValueError, match="delta must be"):
            dc.estimate_epsilon([1], [2], given)

    @pytest.mark.parametrize("given", [-1, math.nan, "1", None])
    def test_epsilon(self, given):
        with pytest.raises(InvalidValueError, match="epsilon must be"):
            dc.estimate_privacy_profile([1], [2], given)

    @pytest.mark.parametrize(
        "options", [{"confidence": 1}, {"method": "histogram"}, {"method": Threshold}, {"rng": -1}]
    )
    def test_options(self, options):
        with pytest.raises(DiscretionError):
            dc.estimate_epsilon([1], [2], 0, **options)

    def test_text_has_no_neighbours(self):
        with pytest.raises(InvalidValueError, match="need numbers"):
            dc.estimate_epsilon(["a"] * 30, ["b"] * 30, 0, method="nearest-neighbours")

    def test_probabilities_that_are_none(self):
        with pytest.raises(InvalidValueError, match="predict_proba must return finite probabilities"):
            dc.estimate_epsilon(np.arange(50.0), np.arange(50.0), 0, method=Broken())


class TestExtremes:
    @pytest.mark.parametrize("epsilon", [23, 700, 1e9, math.inf])
    def test_no_outputs_show_a_delta_at_a_huge_epsilon(self, epsilon):
        found = dc.estimate_privacy_profile([0] * 1000, [1] * 1000, epsilon, rng=1)
        assert (found.low, found.high) == (0, 1)

    def test_every_delta_is_below_one(self):
        assert dc.estimate_epsilon([0] * 1000, [1] * 1000, 1, rng=1).low == 0
        assert 0.95 < dc.estimate_privacy_profile([0] * 1000, [1] * 1000, 0, rng=1).low < 1

    def test_epsilon_grows_as_the_logarithm_of_the_outputs(self):
        shown = [dc.estimate_epsilon([0] * m, [1] * m, 0, rng=1).low for m in (100, 10_000)]
        assert shown[1] - shown[0] == pytest.approx(math.log(100), abs=0.3)

    @pytest.mark.parametrize("size", [1, 2, 7, 40])
    def test_a_few_outputs_of_one_law_show_nothing(self, size):
        same = np.arange(float(size))
        for estimate in BOTH:
            assert estimate(same, same, 0, rng=1).low == 0

    @pytest.mark.parametrize("value", [1e308, -1e308, 5e-324, 0.0])
    def test_extreme_numbers_are_told_apart_like_others(self, value):
        x, y = np.full((60, 2), value), np.full((60, 2), 1.0)
        assert dc.estimate_epsilon(x, y, 0, rng=1).low > 0.5
        assert dc.estimate_epsilon(x[:, 0], y[:, 0], 0, rng=1).low > 0.5

    def test_many_more_outputs_on_one_input_are_left_aside(self):
        rng = np.random.default_rng(13)
        x, y = noisy(3, 1, 300, rng), noisy(0, 1, 20_000, rng)
        assert 1 < dc.estimate_epsilon(x, y, 0, rng=1).low < 3
        assert 1 < dc.estimate_epsilon(y, x, 0, rng=1).low < 3


def outputs(kind):
    return st.lists(kind, min_size=1, max_size=60)


@given(
    sides=st.one_of(
        st.tuples(outputs(st.floats(allow_nan=False, allow_infinity=False)), outputs(st.integers(-5, 5))),
        st.tuples(outputs(st.sampled_from("ab")), outputs(st.sampled_from("abc"))),
        st.tuples(outputs(st.integers(-(2**70), 2**70)), outputs(st.booleans())),
    ),
    level=st.floats(0, 1),
    seed=st.integers(0, 5),
)
def test_any_outputs_give_bounds_within_their_limits(sides, level, seed):
    epsilon = dc.estimate_epsilon(*sides, level, rng=seed)
    assert 0 <= epsilon.low == epsilon.value < math.log(2 * 60) and epsilon.high == math.inf
    delta = dc.estimate_privacy_profile(*sides, level, rng=seed)
    assert 0 <= delta.low == delta.value < 1 == delta.high
    assert dc.estimate_epsilon(*sides, level, rng=seed) == epsilon


def _bits(rng, value, size, epsilon=0.5):
    """Three answers by randomized response between 0 and 1, a row of small whole numbers in floats: ε is 3 epsilon."""
    lies = rng.random((size, 3)) > 1 / (1 + np.exp(-epsilon))
    return (value ^ lies).astype(np.float64)


def test_auto_counts_rows_that_repeat_whatever_their_type():
    rng = np.random.default_rng(3)
    x, y = (_bits(rng, value, 3000) for value in (1, 0))
    by_hand = dc.estimate_epsilon(x, y, 0, method="frequentist", rng=1).low
    for kind in (np.float64, np.int64, np.int8):
        auto = dc.estimate_epsilon(x.astype(kind), y.astype(kind), 0, rng=1)
        assert auto.low > 0.95 * by_hand > 1
        assert "once rows repeat" in auto.method
    # Rows of whole numbers that do not repeat are compared by their distances.
    noise = dc.Geometric(0.3)
    wide = [np.stack([noise.sample([value] * 3000, rng) for _ in range(5)], axis=1) for value in (1, 0)]
    assert dc.estimate_epsilon(*wide, 0, rng=1).low > 0.3
    assert dc.estimate_epsilon(*wide, 0, method="frequentist", rng=1).low < 0.1


@pytest.mark.long
def test_bounds_of_auto_miss_no_more_often_than_the_confidence_allows():
    """What the known rows choose is not chosen by the rows that are bet on: its bounds hold as often as any other's."""
    rng = np.random.default_rng(4)
    misses = [
        dc.estimate_epsilon(_bits(rng, 1, 150), _bits(rng, 0, 150), 0, confidence=0.6, rng=rng).low > 1.5
        for _ in range(400)
    ]
    assert sum(misses) <= 0.4 * 400 + 3 * np.sqrt(400 * 0.24)
    alike = [
        dc.estimate_epsilon(_bits(rng, 1, 150), _bits(rng, 1, 150), 0, confidence=0.6, rng=rng).low > 0
        for _ in range(400)
    ]
    assert sum(alike) <= 0.4 * 400 + 3 * np.sqrt(400 * 0.24)
