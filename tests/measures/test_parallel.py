"""What is seen side by side: measures from the parts equal those of the product written down, or bound them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.channels import Parallel
from discretion.errors import InvalidChannelError, TooLargeError, UnsupportedError
from discretion.measures import parallel
from discretion.measures.parallel import divergences, pairs_alike
from oracles.promise import exactly
from oracles.strategies import gains, matrices, priors, stochastic
from support.lowering import lowered

SMALL = {
    "randomized response": dc.RandomizedResponse(3, epsilon=1),
    "another one": dc.RandomizedResponse(3, epsilon=0.4),
    "unary encoding": dc.UnaryEncoding.oue(3, epsilon=1),
    "subset selection": dc.SubsetSelection(3, epsilon=0.5, size=2),
    "local hashing": dc.LocalHashing(3, epsilon=1, g=2),
    "Hadamard response": dc.HadamardResponse(3, epsilon=1),
    "a channel": dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.25, 0.25, 0.5]]),
    "one that excludes": dc.ChannelMechanism(dc.Channel([[0.5, 0.5], [1, 0], [0.25, 0.75]])),
    "several uses": dc.repeated(dc.RandomizedResponse(3, epsilon=0.5), 3),
    "several uses of a channel": dc.repeated(dc.Channel([[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]]), 2),
    "a crowd": dc.Shuffled(dc.RandomizedResponse(3, epsilon=1), 4).seen_by(dc.AllButOne([1, 2, 0])),
    "an outsider's crowd": dc.Shuffled(dc.RandomizedResponse(3, epsilon=1), 3).seen_by(dc.Uninformed()),
    "noise": dc.Geometric(1.0, sensitivity=2),
}
PAIRS = {
    f"{first}, {second}": pytest.param(first, second, marks=() if first == "another one" else pytest.mark.long)
    for first, second in itertools.combinations_with_replacement(SMALL, 2)
}
# Those that follow from what each part tells of each pair of secrets.
OF_PAIRS = {
    "ε": dc.ldp_epsilon,
    "Rényi": lambda system: dc.renyi_dp(system, 2),
    "Kullback-Leibler": lambda system: dc.renyi_dp(system, 1),
    "δ(½)": lambda system: dc.privacy_profile(system, 0.5),
    "δ(∞)": lambda system: dc.privacy_profile(system, math.inf),
    "ε(δ)": lambda system: dc.dp_epsilon(system, 0.05),
    "β*": dc.bayes_security,
}


def lazily():
    """Let no product be small enough to be written down."""
    return lowered(MAX_ENTRIES=1)


def expanded(*systems):
    whole = systems[0].channel()
    for system in systems[1:]:
        part = system.channel()
        products = (whole.dense()[:, :, None] * part.dense()[:, None, :]).reshape(whole.secrets, -1)
        whole = dc.Channel(products)
    return whole


@pytest.mark.parametrize(("first", "second"), PAIRS.values(), ids=PAIRS)
def test_what_adds_up_over_pairs_of_secrets_is_that_of_the_product_written_down(first, second):
    both, whole = SMALL[first] & SMALL[second], expanded(SMALL[first], SMALL[second])
    assert isinstance(both, Parallel) or first == second == "a channel"
    for name, ask in OF_PAIRS.items():
        # Where the likeliest ratios are those of what a product in doubles rounds to nothing, it cannot tell.
        if "noise" not in (first, second) or name not in ("ε", "δ(∞)"):
            assert ask(both) == exactly(ask(whole)), name


@given(st.data())
def test_all_measures_of_a_product_are_those_of_the_channel_written_down(data):
    C = data.draw(matrices(rows=st.integers(2, 4)))
    D = data.draw(stochastic(len(C), data.draw(st.integers(1, 4))))
    prior, gain = data.draw(priors(len(C))), data.draw(gains(len(C)))
    first, second = dc.Channel(C), dc.Channel(D)
    whole, wanted = expanded(first, second), None if gain is None else dc.gain_matrix(gain)
    both = Parallel((first, second))
    with lazily():
        for name, ask in OF_PAIRS.items():
            if name != "ε(δ)":  # which asks the others some dozens of times
                assert ask(both) == exactly(ask(whole)), name
        for ask in (
            lambda system: dc.posterior_vulnerability(system, prior, wanted),
            lambda system: dc.bayes_risk(system, prior),
            dc.multiplicative_bayes_capacity,
            lambda system: dc.mutual_information(system, prior),
        ):
            bounds, truth = ask(both), ask(whole)
            assert bounds.certified
            assert bounds.low - 1e-12 <= truth <= bounds.high + 1e-12
    both = Parallel((first, second))
    assert dc.posterior_vulnerability(both, prior, wanted) == exactly(dc.posterior_vulnerability(whole, prior, wanted))
    assert dc.bayes_risk(both, prior) == exactly(dc.bayes_risk(whole, prior))
    assert dc.multiplicative_bayes_capacity(both) == exactly(dc.multiplicative_bayes_capacity(whole))
    assert dc.mutual_information(both, prior) == exactly(dc.mutual_information(whole, prior))


@given(st.data())
def test_three_side_by_side_are_the_same_in_any_grouping(data):
    C = data.draw(matrices(rows=st.integers(2, 3)))
    D, E = (data.draw(stochastic(len(C), data.draw(st.integers(1, 3)))) for _ in range(2))
    parts = [dc.ChannelMechanism(dc.Channel(matrix)) for matrix in (C, D, E)]
    left, right = (parts[0] & parts[1]) & parts[2], parts[0] & (parts[1] & parts[2])
    assert left.parts == right.parts == tuple(parts)
    assert dc.bayes_security(left) == exactly(dc.bayes_security(expanded(*parts)))
    assert np.allclose(left.channel().matrix, expanded(*parts).matrix, rtol=1e-14, atol=0)


@pytest.mark.parametrize("name", [name for name in SMALL if pairs_alike(SMALL[name])])
def test_where_pairs_are_alike_one_stands_for_all(name):
    for order in (0.5, 2, math.inf):
        found = divergences(SMALL[name], order)
        apart = found[~np.eye(len(found), dtype=bool)]
        assert np.allclose(apart, apart[0], rtol=1e-12, atol=0)


def test_a_product_that_does_not_fit_in_memory_is_measured_by_its_parts():
    once, k = dc.RandomizedResponse(10**6, epsilon=5), 10**6
    both = once & dc.RandomizedResponse(k, epsilon=2)
    assert dc.ldp_epsilon(both) == exactly(7)
    # Two secrets share what neither report tells apart: min of the products over both reports of either, or neither.
    p, q = (np.array([each.p, each.q, 1 - each.p - each.q]) for each in both.parts)
    swapped = [1, 0, 2]
    shared = np.minimum(np.outer(p, q), np.outer(p[swapped], q[swapped])).sum()
    assert dc.bayes_security(both) == exactly(shared)
    assert dc.privacy_profile(both, 6.5) == exactly(both.parts[0].p * both.parts[1].p * -math.expm1(-0.5))


@pytest.mark.long
def test_large_channels_are_compared_two_rows_at_a_time_and_halves_of_the_parts():
    rng = np.random.default_rng(0)
    rows = [rng.dirichlet(np.ones(200), size=2) for _ in range(3)]
    first, second, third = map(dc.Channel, rows)
    laws = (np.einsum("x,y,z->xyz", *(part[secret] for part in rows)) for secret in (0, 1))
    with lowered(MAX_ENTRIES=10_000):
        whole = first & second & third
        assert dc.bayes_security(whole) == exactly(np.minimum(*laws).sum())
        with pytest.raises(TooLargeError, match="the parallel composition"):
            whole.channel()


def test_too_many_pairs_are_bounded_by_the_security_of_each_part():
    rng = np.random.default_rng(0)
    C, D = (dc.Channel(rng.dirichlet(np.full(4, 5.0), size=8)) for _ in range(2))
    truth = dc.bayes_security(C & D)
    with lowered(MAX_ENTRIES=1, MAX_LOSS_POINTS=5):
        bounds = dc.bayes_security(C & D)
        with pytest.raises(TooLargeError, match=r"8 secrets.*discretion\.restricted"):
            dc.privacy_profile(C & D, 1.0)
    assert bounds.low <= truth <= bounds.high
    assert bounds.low == pytest.approx(dc.bayes_security(C) * dc.bayes_security(D), rel=1e-9)


def test_a_bare_crowd_makes_no_claim_of_privacy_side_by_side_either():
    crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 3)
    with pytest.raises(UnsupportedError, match="WorstAllButOne"):
        dc.privacy_profile(crowd & dc.RandomizedResponse(2, epsilon=1), 1.0)
    worst = crowd.seen_by(dc.WorstAllButOne()) & dc.RandomizedResponse(2, epsilon=1)
    assert dc.renyi_dp(worst, 2) == exactly(sum(dc.renyi_dp(part, 2) for part in worst.parts))


def test_systems_side_by_side_are_of_one_secret():
    with pytest.raises(InvalidChannelError, match=r"secrets \(2\).*\(3\)"):
        dc.RandomizedResponse(2, epsilon=1) & dc.RandomizedResponse(3, epsilon=1)


def test_a_part_that_no_channel_stands_for_is_named_where_the_product_is_needed():
    worst = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 3).seen_by(dc.WorstAllButOne())
    with pytest.raises(UnsupportedError, match="they differ between measures"):
        (worst & dc.RandomizedResponse(2, epsilon=1)).channel()


@pytest.mark.long
@pytest.mark.parametrize("other", [[[0.5, 0.5], [0.25, 0.75]], [[0.5, 0.5, 0], [0.25, 0.5, 0.25]]])
def test_losses_that_are_too_many_to_write_down_are_bounded_on_a_grid(other, monkeypatch):
    often, channel = dc.repeated(dc.RandomizedResponse(2, epsilon=0.5), 3), dc.Channel(other)
    asked = [dc.bayes_security, lambda system: dc.privacy_profile(system, 0.75)]
    truths = [ask(often & channel) for ask in asked]
    monkeypatch.setattr(parallel, "_CONVOLVED", 1)
    for ask, truth in zip(asked, truths, strict=True):
        bounds = ask(often & channel)
        assert bounds.certified
        assert bounds.low - 1e-12 <= truth <= bounds.high + 1e-12


def test_what_is_seen_of_the_worst_others_beside_a_report_is_bounded():
    crowd, report = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 4), dc.RandomizedResponse(2, epsilon=0.5)
    bounds = dc.posterior_vulnerability(crowd.seen_by(dc.WorstAllButOne()) & report)
    for known in ([3, 0], [2, 1], [1, 2], [0, 3]):
        assert dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne(known)) & report) <= bounds.high
