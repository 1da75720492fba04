"""The error of estimated shares, in any norm and by any estimator, and how many people reach a target."""

import itertools
import math

import numpy as np
import pytest

import discretion as dc
from discretion.errors import DiscretionError
from discretion.mechanisms import users_needed
from information.answers import ends
from oracles.local_information import tallies

RR, UE, OLH, SS = dc.RandomizedResponse, dc.UnaryEncoding, dc.LocalHashing, dc.SubsetSelection
SMALL = [RR(3, epsilon=1), UE.oue(3, 1), UE.rappor(2, 2), SS(4, 1, size=2), dc.HadamardResponse(3, 1)]
SHARES = {2: [0.5, 0.5], 3: [0.5, 0.25, 0.25], 4: [0.25, 0.25, 0.5, 0.0]}
UNLIKE = dc.ChannelMechanism(dc.Channel([[0.8, 0.1, 0.1], [0.3, 0.4, 0.3], [0.1, 0.1, 0.8]]))
NORMS = {
    "rms": lambda away: np.mean(away**2),
    "l1": lambda away: np.abs(away).sum(),
    "max": lambda away: np.abs(away).max(),
}


def listed_error(mechanism, norm, estimator):
    """The mean over all reports of four people, one after the other."""
    shares = np.array(SHARES[mechanism.k])
    C = mechanism.channel()
    rows = C.dense()[np.repeat(np.arange(mechanism.k), np.rint(4 * shares).astype(int))]
    mean = 0.0
    for seen in itertools.product(range(C.shape[1]), repeat=4):
        reports = np.array([C.outputs[y] for y in seen])
        likely = math.prod(rows[i, y] for i, y in enumerate(seen))
        mean += likely * NORMS[norm](estimator(mechanism.estimate_frequencies(reports)) - shares)
    return math.sqrt(mean) if norm == "rms" else mean


@pytest.mark.parametrize("mechanism", SMALL, ids=str)
@pytest.mark.parametrize("norm", ["rms", "l1"])
def test_raw_errors_are_exact(mechanism, norm):
    error = dc.frequency_error(mechanism, 4, SHARES[mechanism.k], norm=norm)
    assert error.share == pytest.approx(listed_error(mechanism, norm, lambda raw: raw), rel=1e-11)
    assert error.people == 4 * error.share


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("norm", "estimator"), [("max", "raw"), ("rms", "norm_sub"), ("l1", "norm_sub")])
def test_simulated_errors_hold_the_mean_over_all_reports(norm, estimator):
    by_name = {"raw": lambda raw: raw, "norm_sub": dc.mechanisms.norm_sub}
    for mechanism in (RR(3, epsilon=1), UE.oue(3, 1)):
        error = dc.frequency_error(mechanism, 4, SHARES[3], norm, estimator, rng=1)
        low, high = ends(error.share)
        assert low <= listed_error(mechanism, norm, by_name[estimator]) <= high
        assert error.share.confidence == 0.95
        assert error == dc.frequency_error(mechanism, 4, SHARES[3], norm, estimator, rng=1)


def test_shares_of_a_population_are_no_further_off_than_raw_estimates():
    mechanism, raw = UE.oue(12, 1), dc.frequency_error(UE.oue(12, 1), 500).share
    for estimator in ("clipped", "norm_sub"):
        assert dc.frequency_error(mechanism, 500, "mean", estimator=estimator, rng=1).share.high < raw
    response = RR(3, epsilon=0.5)
    raw = dc.frequency_error(response, 200).share
    assert dc.frequency_error(response, 200, "mean", estimator="ibu", rng=1).share.high < raw


def test_the_worst_shares_are_a_corner():
    worst = dc.frequency_error(UNLIKE, 100, "worst").share
    corners = [dc.frequency_error(UNLIKE, 100, corner).share for corner in np.eye(3)]
    assert worst == max(corners)
    assert dc.frequency_error(UNLIKE, 100, "mean").share < worst
    # A pure protocol is as far off whatever the shares.
    olh = OLH(1_000_000, 1)
    assert dc.frequency_error(olh, 10**6, "worst").share == pytest.approx(dc.frequency_error(olh, 10**6).share)


@pytest.mark.parametrize("mechanism", [RR(3, epsilon=1), UE.oue(4, 2), OLH(4, 1)])
def test_the_largest_deviation_of_all_populations_is_between_its_ends(mechanism):
    n = 6
    worst = dc.frequency_error(mechanism, n, "worst", "l1").share
    errors = [dc.frequency_error(mechanism, n, np.array(counts) / n, "l1").share for counts in tallies(n, mechanism.k)]
    assert worst.certified
    assert worst.low <= max(errors) <= worst.high


def test_the_worst_shares_of_other_errors_are_assumed_to_be_among_those_looked_at():
    error = dc.frequency_error(RR(5, epsilon=1), 100, "worst", "max", "norm_sub", rng=3).share
    assert "equally frequent" in error.assuming
    uniform = dc.frequency_error(RR(5, epsilon=1), 100, None, "max", "norm_sub", rng=4).share
    corner = dc.frequency_error(RR(5, epsilon=1), 100, [1, 0, 0, 0, 0], "max", "norm_sub", rng=4).share
    assert error.high >= max(uniform.low, corner.low)


def test_large_crowds_are_nearly_normal():
    error = dc.frequency_error(OLH(1_000_000, 1), 10**9, norm="l1").share
    deviation = math.sqrt(2 / math.pi) * 1_000_000 * dc.frequency_error(OLH(1_000_000, 1), 10**9).share
    assert error == pytest.approx(deviation, rel=1e-6)


@pytest.mark.parametrize(
    "mechanism", [RR(12, epsilon=1), OLH(1000, 1), dc.ChannelMechanism(dc.Channel([[0.8, 0.2], [0.1, 0.9]]))]
)
def test_the_fewest_users(mechanism):
    n = users_needed(mechanism, 0.002)
    assert dc.frequency_error(mechanism, n).share <= 0.002 < dc.frequency_error(mechanism, n - 1).share


def test_users_for_a_simulated_error():
    n = users_needed(UE.oue(12, 1), 0.02, norm="max", rng=1)
    error = dc.frequency_error(UE.oue(12, 1), n, norm="max", rng=2).share
    assert 0.95 * 0.02 < error.high < 1.05 * 0.02
    assert users_needed(RR(2, p=1), 0.5) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: dc.frequency_error(RR(2, p=0.7), 9, norm="l2"), "norm must be"),
        (lambda: dc.frequency_error(RR(2, p=0.7), 9, estimator="best"), "estimator"),
        (lambda: dc.frequency_error(RR(2, p=0.7), 9, "best"), "'mean' or 'worst'"),
        (lambda: dc.frequency_error(UNLIKE, 9, "worst", norm="max"), "worst shares"),
        (lambda: dc.frequency_error(RR(2, p=0.7), 9, [0.5, 0.4]), "sum"),
        (lambda: dc.frequency_error(RR(2, p=0.5), 9, norm="l1"), "larger epsilon"),
        (lambda: dc.frequency_error(OLH(1000, 1), 10**9, norm="max"), "too long to simulate"),
        (lambda: users_needed(RR(2, p=0.7), 0), "above 0"),
        (lambda: users_needed(RR(2, p=0.5), 0.1), "larger epsilon"),
        (lambda: users_needed(RR(2, epsilon=1e-9), 1e-9), "more than"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, words):
    with pytest.raises(DiscretionError, match=words):
        call()
