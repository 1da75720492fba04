"""The likeliest shares, and the certificate that they are."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize

import discretion as dc
from mechanisms.table import INFORMATIVE, observed
from oracles.promise import exactly

each = pytest.mark.parametrize("mechanism", INFORMATIVE)


def height(mechanism, reports, shares):
    """The mean log-likelihood of the reports, by the channel."""
    with np.errstate(divide="ignore"):
        return np.log(shares @ mechanism.channel().matrix[:, observed(mechanism, reports)]).mean()


def highest(mechanism, reports):
    """The maximum that SciPy finds."""
    columns = mechanism.channel().matrix[:, observed(mechanism, reports)]
    found = minimize(
        lambda shares: -np.log(np.maximum(shares @ columns, 1e-300)).mean(),
        np.full(mechanism.k, 1 / mechanism.k),
        jac=lambda shares: -(columns / np.maximum(shares @ columns, 1e-300)).mean(axis=1),
        method="SLSQP",
        bounds=[(0, 1)] * mechanism.k,
        constraints={"type": "eq", "fun": lambda shares: shares.sum() - 1, "jac": np.ones_like},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    shares = found.x.clip(0)
    return height(mechanism, reports, shares / shares.sum())


def crowd(mechanism, people=300):
    weights = np.arange(mechanism.k)
    values = np.random.default_rng(1).choice(mechanism.k, p=weights / weights.sum(), size=people)
    return mechanism.sample(values, rng=2)


@pytest.mark.long
@each
@pytest.mark.parametrize("tolerance", [0.1, 1e-3, 1e-6, 1e-9])
def test_the_gap_bounds_the_distance_to_the_maximum(mechanism, tolerance):
    reports = crowd(mechanism)
    found = dc.mechanisms.iterative_bayesian_update(mechanism, reports, tolerance)
    assert found.gap <= tolerance
    assert found.frequencies.sum() == pytest.approx(1, abs=1e-14)
    assert found.frequencies.min() >= 0
    reached = height(mechanism, reports, found.frequencies)
    others = [*np.eye(mechanism.k), *np.random.default_rng(3).dirichlet(np.full(mechanism.k, 0.5), size=20)]
    assert max(height(mechanism, reports, shares) for shares in others) <= reached + found.gap + 1e-13
    assert reached - 1e-13 <= highest(mechanism, reports) + 1e-9
    assert highest(mechanism, reports) <= reached + found.gap + 1e-13


@pytest.mark.long
@each
def test_the_likelihood_never_falls(mechanism):
    reports = crowd(mechanism)
    path = [dc.mechanisms.iterative_bayesian_update(mechanism, reports, 0, most_steps=steps) for steps in range(1, 40)]
    heights = np.array([height(mechanism, reports, found.frequencies) for found in path])
    assert np.all(np.diff(heights) >= -1e-13)
    assert path[0].frequencies == pytest.approx(np.full(mechanism.k, 1 / mechanism.k))


@pytest.mark.long
@given(st.lists(st.integers(1, 30), min_size=2, max_size=6), st.floats(0.2, 6))
def test_of_k_rr_it_is_the_raw_estimate_where_that_is_positive(counts, epsilon):
    mechanism = dc.RandomizedResponse(len(counts), epsilon=epsilon)
    reports = np.repeat(np.arange(len(counts)), counts)
    raw = mechanism.estimate_frequencies(reports)
    found = dc.mechanisms.iterative_bayesian_update(mechanism, reports, 1e-13, most_steps=100_000)
    if raw.min() > 0.02:
        assert found.frequencies == pytest.approx(raw, abs=1e-4)
    # Whatever the estimate, nothing is likelier on a grid of the first two shares, the others as found.
    both = found.frequencies[0] + found.frequencies[1]
    for share in np.linspace(0, both, 50):
        other = np.array([share, both - share, *found.frequencies[2:]])
        assert height(mechanism, reports, other) <= height(mechanism, reports, found.frequencies) + 1e-12


@pytest.mark.parametrize(("reports", "expected"), [([0, 0, 0, 1], 1), ([0, 0, 1, 1], 0.5), ([0, 0, 0, 1, 1], 0.7)])
def test_two_values_have_the_clipped_estimate(reports, expected):
    found = dc.mechanisms.iterative_bayesian_update(dc.RandomizedResponse(2, p=0.75), reports, 1e-12)
    assert found.frequencies[0] == pytest.approx(expected, abs=1e-5)


@each
def test_one_report_is_likeliest_from_one_of_the_values_it_is_likeliest_from(mechanism):
    report = mechanism.sample([1], rng=4)
    likelihoods = mechanism.channel().matrix[:, observed(mechanism, report)[0]]
    found = dc.mechanisms.iterative_bayesian_update(mechanism, report)
    assert height(mechanism, report, found.frequencies) == pytest.approx(math.log(likelihoods.max()), abs=1e-8)


def test_without_noise_it_is_the_shares_of_the_reports():
    reports = [0, 1, 1, 3]
    found = dc.mechanisms.iterative_bayesian_update(dc.RandomizedResponse(4, epsilon=math.inf), reports)
    assert found.frequencies == exactly_all([0.25, 0.5, 0, 0.25])
    bits = np.eye(4, dtype=int)[reports]
    assert dc.mechanisms.iterative_bayesian_update(
        dc.UnaryEncoding.rappor(4, math.inf), bits
    ).frequencies == exactly_all([0.25, 0.5, 0, 0.25])


def exactly_all(values):
    return pytest.approx(values, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("bits", [[0, 0, 0], [1, 1, 1]])
def test_reports_that_support_none_or_all_are_as_likely_from_any_shares(bits):
    mechanism = dc.UnaryEncoding.oue(3, 1)
    found = dc.mechanisms.iterative_bayesian_update(mechanism, [bits] * 5)
    assert (found.frequencies.tolist(), found.gap, found.steps) == ([1 / 3] * 3, 0, 1)
    # Beside telling ones they change nothing but what a mean is over.
    telling = [[1, 0, 0], [1, 0, 0], [0, 1, 1]]
    some = dc.mechanisms.iterative_bayesian_update(mechanism, [*telling, bits, bits, bits], 0, most_steps=1)
    alone = dc.mechanisms.iterative_bayesian_update(mechanism, telling, 0, most_steps=1)
    assert some.gap == exactly(alone.gap / 2)


def test_steps_that_run_out_leave_a_gap_that_says_so():
    mechanism = dc.RandomizedResponse(20, epsilon=1)
    reports = crowd(mechanism, 10_000)
    said = []
    found = dc.mechanisms.iterative_bayesian_update(mechanism, reports, 1e-10, most_steps=5, progress=said.append)
    assert found.steps == 5
    assert found.gap > 1e-10
    assert said[0].startswith("step 1: at most ")
    assert len(said) == 4
    further = dc.mechanisms.iterative_bayesian_update(mechanism, reports, 1e-10)
    assert further.gap <= 1e-10
    assert height(mechanism, reports, further.frequencies) <= height(mechanism, reports, found.frequencies) + found.gap


def test_likelihoods_that_take_much_memory_are_computed_anew(monkeypatch):
    mechanism = dc.UnaryEncoding.oue(20, 2)
    reports = crowd(mechanism, 1000)
    kept = dc.mechanisms.iterative_bayesian_update(mechanism, reports)
    monkeypatch.setattr(sys.modules["discretion.mechanisms.estimating.iterative_bayesian_update"], "_CELLS_KEPT", 0)
    anew = dc.mechanisms.iterative_bayesian_update(mechanism, reports)
    assert np.array_equal(kept.frequencies, anew.frequencies)


def test_many_rare_values_are_told_better_than_by_the_raw_estimate():
    mechanism, shares = dc.UnaryEncoding.oue(50, 1), np.random.default_rng(1).dirichlet(np.full(50, 0.1))
    values = np.random.default_rng(2).choice(50, p=shares, size=5_000)
    reports = mechanism.sample(values, rng=3)
    found = dc.mechanisms.iterative_bayesian_update(mechanism, reports)
    assert found.gap <= 1e-8
    assert found.steps < 1000
    raw = mechanism.estimate_frequencies(reports)
    assert np.abs(found.frequencies - shares).sum() < np.abs(dc.mechanisms.clipped(raw) - shares).sum()


class NeverGiven(dc.RandomizedResponse):
    """A mechanism that says of its reports that no value gives them."""

    def likelihood_blocks(self, reports):
        yield np.zeros((len(reports), self.k)), np.ones(len(reports), dtype=np.int64)


def test_an_impossible_report_is_refused():
    with pytest.raises(dc.errors.InvalidValueError, match="one of probability 0"):
        dc.mechanisms.iterative_bayesian_update(NeverGiven(3, p=0.5), [0])


def test_the_result_is_frozen():
    found = dc.mechanisms.iterative_bayesian_update(dc.RandomizedResponse(3, p=0.5), [0, 1])
    with pytest.raises(AttributeError):
        found.gap = 0
    with pytest.raises(ValueError, match="read-only"):
        found.frequencies[0] = 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"reports": []}, "at least one report, got none"),
        ({"reports": [3]}, r"0\.\.2, got 3"),
        ({"mechanism": dc.RandomizedResponse(3, epsilon=0)}, "epsilon = 0 have no information on"),
        ({"tolerance": -1e-9}, "tolerance must be at least 0, got -1e-09"),
        ({"tolerance": math.nan}, "tolerance must be a number"),
        ({"tolerance": "1"}, "tolerance must be a number"),
        ({"most_steps": 0}, "most_steps .*at least 1, got 0"),
        ({"most_steps": 1.5}, r"most_steps .*got 1\.5"),
    ],
)
def test_bad_input_is_refused(arguments, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        dc.mechanisms.iterative_bayesian_update(
            **({"mechanism": dc.RandomizedResponse(3, p=0.5), "reports": [0]} | arguments)
        )


def test_anything_but_a_mechanism_is_refused():
    with pytest.raises(dc.errors.UnsupportedError, match="needs a local mechanism"):
        dc.mechanisms.iterative_bayesian_update(dc.Channel([[1, 0], [0, 1]]), [0, 1])
