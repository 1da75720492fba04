"""An inverse answer is confirmed by a forward one before anybody gets it."""

import math

import pytest

import discretion as dc
from discretion.channels.channel import System
from discretion.cli import main
from discretion.errors import DiscretionError, InternalError
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.privacy_loss.differential_privacy import confirm_inverse, name_of_epsilon, profile_root
from oracles import noise_pairs
from support.lowering import lowered

mpmath = pytest.importorskip("mpmath")


def test_an_answer_at_which_the_goal_is_met_is_returned_as_it_is() -> None:
    found = Estimate(2.0, 1.0, 3.0, None, "sums")
    assert confirm_inverse(found, 3.0, lambda x: 0.3 / x, 0.1, "a question") is found
    assert confirm_inverse(7, 7, lambda n: 1 / n, 1 / 7, "a question") == 7


def test_bounds_that_leave_open_whether_the_goal_is_met_confirm_an_answer() -> None:
    assert confirm_inverse(2.0, 2.0, lambda x: Estimate(0.2, 0.05, 0.3, None, "sums"), 0.1, "a question") == 2.0


def test_what_rounding_does_to_an_answer_is_no_disagreement() -> None:
    steep = 1.0  # where δ falls from 1 to 0
    assert confirm_inverse(steep - 1e-11, steep - 1e-11, lambda x: float(x < steep), 0.5, "a question") == steep - 1e-11


def test_where_no_number_is_enough_there_is_nothing_to_confirm() -> None:
    assert confirm_inverse(math.inf, math.inf, lambda x: 1.0, 0.5, "a question") == math.inf


def test_an_answer_that_the_forward_one_contradicts_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match=r"^internal error: .*ε\(δ = 0\.1\) of 'a system' .* 1\.0.* 0\.9"):
        confirm_inverse(1.0, 1.0, lambda x: 0.9, 0.1, name_of_epsilon("a system", 0.1))
    with pytest.raises(InternalError, match="at least"):  # a goal that is to be reached from below
        confirm_inverse(5, 5, lambda n: -n / 100, -0.5, "the least n with at least 50 %")
    assert issubclass(InternalError, DiscretionError)


def test_a_profile_that_is_not_zero_where_it_should_be_has_no_least_epsilon() -> None:
    with pytest.raises(InternalError, match="please report this"):
        profile_root(lambda _: 0.2, 0.1, 2.0)


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-12, 1e-300, 1e-320])
def test_what_a_profile_teaches_moves_the_root(delta: float) -> None:
    """Of several curves the largest is known after the profile was computed at an ε at which it is the largest."""
    curves = [lambda x: 0.4 * math.exp(-9 * x), lambda x: 0.3 * math.exp(-8 * x), lambda x: 0.2 * math.exp(-2 * x)]
    known, asked = curves[:1], list[float]()

    def profile(epsilon: float) -> float:
        asked.append(epsilon)
        known.append(max(curves, key=lambda curve: curve(epsilon)))
        return known[-1](epsilon)

    found = profile_root(profile, delta, math.inf, attained=lambda epsilon: max(curve(epsilon) for curve in known))
    slow = profile_root(lambda epsilon: max(curve(epsilon) for curve in curves), delta, math.inf)
    assert lowest(found) == pytest.approx(lowest(slow), rel=1e-11)
    assert highest(found) == pytest.approx(highest(slow), rel=1e-11)
    assert len(asked) < 8


@pytest.mark.parametrize("wide", [1 + 1e-9, 1.001, 1.5, 1e6])
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-12])
def test_the_ends_of_a_root_are_the_roots_of_the_ends(wide: float, delta: float) -> None:
    def profile(epsilon: float) -> Estimate:
        low = 0.4 * math.exp(-(epsilon**2))
        return Estimate.between(low, min(1.0, wide * low), "sums")

    found = profile_root(profile, delta, math.inf)
    assert lowest(found) == pytest.approx(math.sqrt(math.log(0.4 / delta)), rel=1e-10)
    assert highest(found) == pytest.approx(math.sqrt(math.log(0.4 * wide / delta)), rel=1e-10)


def test_the_command_line_ends_with_70_at_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def contradicted(*_: object) -> None:
        raise InternalError("internal error: two answers disagree")

    monkeypatch.setattr("discretion.cli.run._app", contradicted)
    assert main(["measure"]) == 70
    assert capsys.readouterr().err == "discretion: internal error: two answers disagree\n"


@pytest.mark.parametrize("delta", [0.6, 0.99, 1 - 1e-6, 1 - 1e-12, 1 - 2**-53])
@pytest.mark.parametrize(
    ("system", "pair"),
    [
        (dc.Laplace(0.01, 5), noise_pairs.Laplace(mpmath.mpf(5) / mpmath.mpf(0.01))),
        (dc.Laplace(0.03), noise_pairs.Laplace(1 / mpmath.mpf(0.03))),
        (dc.Gaussian(0.05), noise_pairs.Gaussian(1 / mpmath.mpf(0.05))),
        (dc.SubsampledGaussian(0.5, 1.0, 40), noise_pairs.Gaussian(mpmath.sqrt(40) / mpmath.mpf(0.5))),
    ],
    ids=["Laplace, ε 500", "Laplace, ε 33", "Gaussian", "DP-SGD of everybody"],
)
def test_near_a_delta_of_one_epsilon_is_as_right_as_anywhere(
    system: System, pair: noise_pairs.Pair, delta: float
) -> None:
    with mpmath.workdps(60):
        truth = float(pair.least_epsilon(mpmath.mpf(delta)))
    assert math.isclose(dc.dp_epsilon(system, delta), truth, rel_tol=1e-10)
    assert math.isclose(dc.tradeoff(system).epsilon(delta), truth, rel_tol=1e-10)


def test_a_delta_next_to_the_least_double_has_an_epsilon() -> None:
    """Found by the sweep: the steepest tilt that was tried overflowed where losses are large."""
    system = dc.SubsampledGaussian(0.36, 1.0, 6125) & dc.SubsampledGaussian(0.15, 0.03, 532)
    delta = 1.66e-299
    with lowered(MAX_LOSS_POINTS=1 << 13):
        epsilon = dc.dp_epsilon(system, delta)
        assert dc.privacy_profile(system, epsilon.high).low <= delta <= dc.privacy_profile(system, epsilon.low).high


def test_an_epsilon_of_a_curve_that_its_delta_contradicts_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    curve = dc.tradeoff(dc.RandomizedResponse(2, epsilon=1))
    assert curve.epsilon(0) == pytest.approx(1, rel=1e-12)
    monkeypatch.setattr(type(curve.tests), "epsilon", lambda self, delta: 0.5)
    with pytest.raises(InternalError, match=r"ε\(δ = 0.1\d*\) of AttackCurve"):
        curve.epsilon(0.1)


@pytest.mark.long
def test_an_observation_that_one_secret_alone_shows_is_in_every_profile() -> None:
    """Beyond all finite losses, δ is what that observation has, whichever way it is lost: [0.998, 0.002] and [1, 0]."""
    for rows in ([[0.998, 0.002], [1, 0]], [[1, 0], [0.998, 0.002]]):
        system = dc.Channel(rows) & dc.repeated(dc.Laplace(2.0), 20)
        assert float(dc.privacy_profile(system, 15.0)) == pytest.approx(0.002, rel=1e-9)
        assert highest(dc.dp_epsilon(system, 1e-9)) == math.inf
        assert lowest(dc.dp_epsilon(system, 1e-9)) > 10  # the largest finite loss of the noise
