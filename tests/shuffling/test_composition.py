"""What dp-accounting composes from one collection, against the product of the explicit channels."""

import itertools
import math
import sys

import numpy as np
import pytest

import discretion as dc

RR, WORST = dc.RandomizedResponse, dc.WorstAllButOne()
ROOM = "dp_accounting.pld.privacy_loss_distribution"

try:
    import dp_accounting  # noqa: F401 - only whether it is there

    installed = True
except ImportError:
    installed = False
needs_dp_accounting = pytest.mark.skipif(
    not installed, reason="dp-accounting is not installed: the extra discretion[dp]"
)

# The last two hide the target's two values alike, so that one pair of laws is as far apart as any both ways.
ONE_SIDED = [
    (dc.Shuffled(RR(2, epsilon=1), 6), dc.AllButOne([5, 0])),
    (dc.Shuffled(RR(3, epsilon=1), 4), WORST),
    (dc.Shuffled(RR(2, epsilon=0.3), 30), WORST),
    (dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0.25, 0.75]]), None),
]
EVEN = [
    (dc.Shuffled(RR(2, epsilon=1), 7), dc.AllButOne([3, 3])),
    (dc.Shuffled(RR(2, epsilon=1), 8), dc.Uninformed()),
    (RR(4, epsilon=0.8137), None),
]


def seen(system, adversary):
    return system if adversary is None else system.seen_by(adversary)


each = pytest.mark.parametrize(("system", "adversary"), ONE_SIDED + EVEN, ids=repr)


@pytest.mark.long
@needs_dp_accounting
@each
@pytest.mark.parametrize("interval", [0.1, 0.01, 0.0037])
def test_one_round_has_the_profile_of_the_crowd_and_is_never_below(system, adversary, interval):
    loss = dc.shuffling.privacy_loss_distribution(seen(system, adversary), interval=interval)
    for point in (0, 1, 2, 5, 19, 27, 80, 200, 271, 1000):
        exact = dc.privacy_profile(seen(system, adversary), interval * point)
        assert loss.get_delta_for_epsilon(interval * point) == pytest.approx(exact, rel=1e-10, abs=1e-12)
        between = dc.privacy_profile(seen(system, adversary), interval * (point + 0.4))
        assert loss.get_delta_for_epsilon(interval * (point + 0.4)) >= between - 1e-12


@needs_dp_accounting
@each
def test_the_other_way_round_it_is_the_same(system, adversary):
    # Of a symmetric pair, δ(-ε) = 1 - e^-ε + e^-ε δ(ε).
    loss = dc.shuffling.privacy_loss_distribution(seen(system, adversary), interval=0.01)
    for epsilon in (0.01, 0.1, 0.55, 2.0):
        there = dc.privacy_profile(seen(system, adversary), epsilon)
        back = 1 - math.exp(-epsilon) + math.exp(-epsilon) * there
        assert loss.get_delta_for_epsilon(-epsilon) == pytest.approx(back, abs=1e-12)


def rounds_seen_directly(system, adversary, rounds, epsilon):
    """The profile of what so many rounds show; of the worst crowd, over all that the others can hold in each."""
    adversaries = [adversary]
    if adversary == WORST:
        k, n = system.secrets, system.n
        ways = [c for c in itertools.product(range(n), repeat=k) if sum(c) == n - 1]
        adversaries = [dc.AllButOne(counts) for counts in ways]
    channels = [seen(system, known).channel() for known in adversaries]
    found = 0.0
    for shown in itertools.combinations_with_replacement(channels, rounds):
        product = shown[0]
        for channel in shown[1:]:
            product = product & channel
        found = max(found, dc.privacy_profile(product, epsilon))
    return found


@needs_dp_accounting
@pytest.mark.parametrize(("system", "adversary"), [*ONE_SIDED[:2], ONE_SIDED[3], *EVEN], ids=repr)
def test_rounds_compose_to_no_less_than_they_show(system, adversary):
    for rounds in (2,) if adversary == WORST else (2, 3):
        loss = dc.shuffling.privacy_loss_distribution(seen(system, adversary), interval=0.01).self_compose(rounds)
        for epsilon in (0.0, 0.3, 0.777, 1.5):
            direct = rounds_seen_directly(system, adversary, rounds, epsilon)
            assert loss.get_delta_for_epsilon(epsilon) >= direct - 1e-12


@needs_dp_accounting
@pytest.mark.parametrize(("system", "adversary"), EVEN, ids=repr)
@pytest.mark.parametrize("rounds", [2, 3])
def test_rounds_compose_to_within_the_interval(system, adversary, rounds):
    for epsilon in (0.0, 0.3, 0.777):
        direct = rounds_seen_directly(system, adversary, rounds, epsilon)
        off = []
        for interval in (0.1, 0.02, 0.004):
            loss = dc.shuffling.privacy_loss_distribution(seen(system, adversary), interval=interval).self_compose(
                rounds
            )
            off.append(loss.get_delta_for_epsilon(epsilon) - direct)
            # A loss is between two multiples of the interval: each round adds less than one to it.
            assert -1e-12 <= off[-1] <= math.expm1(rounds * interval)
        assert off[-1] <= off[0] / 5 + 1e-12


@needs_dp_accounting
def test_ten_rounds_cost_less_than_ten_times_one():
    n = 10_000
    s, adversary = dc.Shuffled(RR(2, epsilon=1), n), dc.AllButOne([0, n - 1])
    loss = dc.shuffling.privacy_loss_distribution(s.seen_by(adversary), interval=1e-3)
    once = dc.dp_epsilon(s.seen_by(adversary), 1e-6)
    assert once <= loss.get_epsilon_for_delta(1e-6) <= once + 1e-3
    # About √10 times as much, as for a normal law: a little more, for drift.
    assert math.sqrt(10) * once < loss.self_compose(10).get_epsilon_for_delta(1e-6) < 4 * once


@pytest.mark.long
@needs_dp_accounting
def test_where_only_bounds_are_known_it_is_their_upper_end():
    s = dc.Shuffled(RR(3, epsilon=1), 2000)
    loss = dc.shuffling.privacy_loss_distribution(s.seen_by(dc.WorstAllButOne()), interval=0.01)
    for point in (0, 3, 10):
        bounds = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.01 * point)
        assert isinstance(bounds, dc.Estimate)
        assert loss.get_delta_for_epsilon(0.01 * point) == pytest.approx(bounds.high, rel=1e-9)


@needs_dp_accounting
def test_what_excludes_a_value_is_an_infinite_loss():
    # One report of two names the value, with probability 1/2.
    loss = dc.shuffling.privacy_loss_distribution(dc.Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]]), interval=0.1)
    assert loss.get_delta_for_epsilon(5.0) == pytest.approx(0.5)
    assert loss.get_epsilon_for_delta(0.49) == math.inf
    assert loss.self_compose(2).get_delta_for_epsilon(5.0) == pytest.approx(0.75)


@needs_dp_accounting
def test_pure_noise_costs_nothing_and_no_noise_everything():
    for n in (1, 2, 50):
        blind = dc.shuffling.privacy_loss_distribution(
            dc.Shuffled(RR(2, p=0.5), n).seen_by(dc.WorstAllButOne()), interval=0.1
        )
        assert blind.self_compose(3).get_delta_for_epsilon(0.0) == pytest.approx(0, abs=1e-12)
        bare = dc.shuffling.privacy_loss_distribution(
            dc.Shuffled(RR(2, p=1), n).seen_by(dc.WorstAllButOne()), interval=0.1
        )
        assert bare.get_delta_for_epsilon(3.0) == pytest.approx(1)


@needs_dp_accounting
def test_it_composes_with_what_the_accountant_knows():
    from dp_accounting.pld import privacy_loss_distribution

    interval = 1e-3
    ours = dc.shuffling.privacy_loss_distribution(RR(2, epsilon=0.5), interval=interval)
    theirs = privacy_loss_distribution.from_randomized_response(
        2 * RR(2, epsilon=0.5).q, 2, value_discretization_interval=interval
    )
    for epsilon in np.arange(0, 0.6, 0.1):
        assert ours.get_delta_for_epsilon(float(epsilon)) == pytest.approx(theirs.get_delta_for_epsilon(float(epsilon)))
    both = ours.compose(theirs)
    assert both.get_delta_for_epsilon(0.4) == pytest.approx(theirs.compose(theirs).get_delta_for_epsilon(0.4), rel=1e-3)


def test_without_dp_accounting_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, ROOM, None)
    with pytest.raises(dc.errors.UnsupportedError, match="install Discretion with its extra dp"):
        dc.shuffling.privacy_loss_distribution(dc.Shuffled(RR(2, epsilon=1), 10).seen_by(dc.WorstAllButOne()))


@pytest.mark.parametrize("interval", [0, -0.1, math.nan, "fine"])
def test_an_interval_is_a_positive_number(interval):
    with pytest.raises(dc.errors.InvalidValueError, match="interval must be"):
        dc.shuffling.privacy_loss_distribution(RR(2, epsilon=1), interval=interval)


@needs_dp_accounting
def test_too_many_intervals_are_refused_before_they_are_computed():
    with pytest.raises(dc.errors.TooLargeError, match="choose a longer interval"):
        dc.shuffling.privacy_loss_distribution(RR(2, epsilon=1), interval=1e-9)


@needs_dp_accounting
def test_a_crowd_of_whose_others_nothing_is_said_is_refused():
    with pytest.raises(dc.errors.UnsupportedError, match="seen_by"):
        dc.shuffling.privacy_loss_distribution(dc.Shuffled(RR(2, epsilon=1), 10))


@needs_dp_accounting
@pytest.mark.long
@pytest.mark.parametrize(
    ("once", "interval"),
    [
        (dc.SubsampledGaussian(1, 0.01, 100), 1e-3),
        (dc.SubsampledGaussian(0.4, 0.01, 100), 1e-2),
        (dc.repeated(dc.Laplace(3.0), 20) & dc.Gaussian(2.0), 1e-2),
        (dc.repeated(dc.RandomizedResponse(2, epsilon=0.3), 1000), 1e-2),
    ],
    ids=repr,
)
def test_sums_of_losses_are_handed_on_at_their_upper_end(once, interval):
    loss = dc.shuffling.privacy_loss_distribution(once, interval)
    for point in (0, 17, 60, 200, 500):
        delta = dc.privacy_profile(once, point * interval)
        high = delta.high if isinstance(delta, dc.Estimate) else delta
        assert math.isclose(loss.get_delta_for_epsilon(point * interval), high, rel_tol=2e-4, abs_tol=2e-14)
    twice = dc.dp_epsilon(once & once, 1e-6)
    assert float(twice) <= loss.self_compose(2).get_epsilon_for_delta(1e-6) + 1e-9
