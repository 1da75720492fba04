"""(ε, δ), its inverse and Rényi of a shuffled crowd, against hockey sticks of enumerated histograms."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import discretion as dc
from discretion.shuffling import dataset_channel, reduced_shuffle_channel
from oracles import adversaries as slow, channels, measures
from oracles.promise import exactly
from oracles.strategies import stochastic

RR = dc.RandomizedResponse

FEW = st.integers(2, 3)
EPSILONS = st.sampled_from([0.0, 0.01, 0.25, 0.5, 1.0, 3.0])


def all_on_one(n, k):
    return dc.AllButOne([n - 1] + [0] * (k - 1))


def exact_rows(mechanism):
    return channels.exact(mechanism.channel().matrix)


@pytest.mark.long
@given(st.data(), FEW, FEW, EPSILONS)
@settings(max_examples=30)
def test_the_profile_is_the_largest_hockey_stick_of_the_enumerated_channel(data, k, m, epsilon):
    n = data.draw(st.integers(1, 4))
    Q, population = data.draw(stochastic(k, m)), data.draw(stochastic(1, k))[0]
    exact, strangers = channels.exact(Q), measures.fractions(population)
    counts = data.draw(st.sampled_from(slow.all_counts(n - 1, k)))
    known = data.draw(st.lists(st.integers(0, n - 1), min_size=k, max_size=k).filter(lambda c: sum(c) < n))
    alpha = data.draw(st.lists(st.integers(1, 8), min_size=k, max_size=k))
    everything = [
        (dc.Uninformed(population), slow.uninformed(exact, n, strangers)),
        (dc.AllButOne(counts), slow.all_but_one(exact, counts)),
        (dc.PartlyInformed(known, population), slow.partly_informed(exact, n, known, strangers)),
        (dc.Exchangeable(alpha), slow.exchangeable(exact, n, alpha)),
    ]
    s = dc.Shuffled(dc.Channel(Q), n)
    for adversary, rows in everything:
        expected = slow.privacy_profile(rows, slow.power(epsilon))
        assert dc.privacy_profile(s.seen_by(adversary), epsilon) == exactly(expected), adversary


@given(st.data(), FEW, EPSILONS)
@settings(max_examples=30)
def test_of_any_other_system_it_is_the_largest_hockey_stick_of_two_rows(data, k, epsilon):
    Q = data.draw(stochastic(k, data.draw(st.integers(1, 4))))
    expected = slow.privacy_profile(channels.exact(Q), slow.power(epsilon))
    assert dc.privacy_profile(dc.Channel(Q), epsilon) == exactly(expected)


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0, 1.5])
@pytest.mark.parametrize("k", [2, 3, 10])
def test_a_crowd_of_one_has_the_profile_of_its_mechanism(k, epsilon):
    mechanism = RR(k, epsilon=1)
    # P(x | x) - e^ε P(x | x') is all that one report can exceed another by.
    expected = max(0.0, mechanism.p - math.exp(epsilon) * mechanism.q)
    assert dc.privacy_profile(mechanism, epsilon) == exactly(expected)
    for adversary in (dc.WorstAllButOne(), dc.AllButOne([0] * k), dc.Uninformed()):
        assert dc.privacy_profile(dc.Shuffled(mechanism, 1).seen_by(adversary), epsilon) == exactly(expected)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.3, 0.7, 0.99])
@pytest.mark.parametrize(("k", "largest"), [(2, 12), (3, 5)])
def test_among_the_worst_others_it_is_the_largest_over_the_counts(k, largest, epsilon):
    mechanism, ratio = RR(k, epsilon=1), slow.power(epsilon)
    Q = exact_rows(mechanism)
    for n in range(1, largest + 1):
        expected = slow.worst_all_but_one(Q, n, lambda rows: slow.privacy_profile(rows, ratio))
        s = dc.Shuffled(mechanism, n)
        asked = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), epsilon)
        assert isinstance(asked, float)
        assert asked == exactly(expected)


@given(st.data(), FEW, EPSILONS)
@settings(max_examples=20)
def test_the_worst_of_any_local_channel(data, m, epsilon):
    Q, n = data.draw(stochastic(3, m)), data.draw(st.integers(1, 4))
    ratio = slow.power(epsilon)
    expected = slow.worst_all_but_one(channels.exact(Q), n, lambda rows: slow.privacy_profile(rows, ratio))
    assert dc.privacy_profile(dc.Shuffled(dc.Channel(Q), n).seen_by(dc.WorstAllButOne()), epsilon) == exactly(expected)


def hockey_stick_of_neighbours(mechanism, n, epsilon):
    """The largest between two datasets that differ in the first user, after the shuffler.

    `discretion.shuffling.dataset_channel` shows who reported what; the shuffler is a post-processing of it that keeps
    the histogram. Any user may differ: the shuffler makes them all alike.
    """
    m = mechanism.channel().shape[1]
    shown = dataset_channel(mechanism, n) >> reduced_shuffle_channel(n, m)
    rows = {x: np.asarray(row).ravel() for x, row in zip(shown.inputs, shown.matrix, strict=True)}
    return max(
        np.maximum(0, row - math.exp(epsilon) * rows[(a, *x[1:])]).sum()
        for x, row in rows.items()
        for a in range(mechanism.secrets)
    )


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("p", [0.6, 0.8, 1.0])
def test_the_profile_of_two_values_is_that_of_neighbouring_datasets(n, p):
    for epsilon in (0.0, 0.1, 0.4, 1.0, 2.0):
        direct = hockey_stick_of_neighbours(RR(2, p=p), n, epsilon)
        assert dc.privacy_profile(dc.Shuffled(RR(2, p=p), n).seen_by(dc.WorstAllButOne()), epsilon) == exactly(direct)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_profile_of_three_values_is_that_of_neighbouring_datasets(n):
    for mechanism in (RR(3, epsilon=1), dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0.25, 0.75]])):
        for epsilon in (0.0, 0.2, 0.8):
            direct = hockey_stick_of_neighbours(mechanism, n, epsilon)
            assert dc.privacy_profile(dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne()), epsilon) == exactly(
                direct
            )


@pytest.mark.long
@given(st.data(), FEW, FEW)
@settings(max_examples=25)
def test_at_zero_it_is_the_distance_that_bayes_security_leaves(data, k, m):
    Q, n = data.draw(stochastic(k, m)), data.draw(st.integers(1, 4))
    s, counts = dc.Shuffled(dc.Channel(Q), n), data.draw(st.sampled_from(slow.all_counts(n - 1, k)))
    adversaries = [dc.Uninformed(), dc.AllButOne(counts), dc.PartlyInformed([0] * k), dc.WorstAllButOne()]
    for adversary in adversaries:
        assert dc.privacy_profile(s.seen_by(adversary), 0) == exactly(1 - dc.bayes_security(s.seen_by(adversary)))


@pytest.mark.parametrize(("k", "n"), [(2, 200), (3, 60), (4, 6), (2, 10**6)])
def test_at_zero_it_is_that_distance_in_large_crowds(k, n):
    s, adversary = dc.Shuffled(RR(k, epsilon=1), n), all_on_one(n, k)
    assert dc.privacy_profile(s.seen_by(adversary), 0) == exactly(1 - dc.bayes_security(s.seen_by(adversary)))


CURVES = [
    (dc.Shuffled(RR(2, epsilon=1), 6), dc.WorstAllButOne()),
    (dc.Shuffled(RR(2, epsilon=1), 10**6), all_on_one(10**6, 2)),
    (dc.Shuffled(RR(3, epsilon=1), 4), dc.WorstAllButOne()),
    (dc.Shuffled(RR(10, epsilon=1), 1000), all_on_one(1000, 10)),
    (dc.Shuffled(RR(3, epsilon=1), 5), dc.Uninformed([0.5, 0.25, 0.25])),
    (RR(4, epsilon=1), None),
]
each_curve = pytest.mark.parametrize(("system", "adversary"), CURVES, ids=repr)


def profile(system, epsilon, adversary):
    return dc.privacy_profile(system if adversary is None else system.seen_by(adversary), epsilon)


@pytest.mark.long
@each_curve
def test_it_falls_and_bends_upwards_in_the_ratio(system, adversary):
    ratios = np.linspace(1, math.e, 41)
    values = [profile(system, math.log(ratio), adversary) for ratio in ratios]
    assert all(0 <= later <= earlier + 1e-14 for earlier, later in itertools.pairwise(values))
    assert all(a + c >= 2 * b - 1e-13 for a, b, c in zip(values, values[1:], values[2:], strict=False))
    assert values[0] > 0


@pytest.mark.long
@each_curve
def test_beyond_the_epsilon_of_the_mechanism_there_is_nothing(system, adversary):
    for epsilon in (1.0, 1.0 + 1e-9, 2.0, 100.0, 1e6, math.inf):
        assert profile(system, epsilon, adversary) == exactly(0)
    assert profile(system, 0.999, adversary) >= 0


@pytest.mark.long
@given(st.data(), st.sampled_from([(2, 1), (2, 5), (2, 9), (3, 3)]), st.floats(1e-9, 0.9))
@settings(max_examples=30)
def test_epsilon_is_the_least_at_which_delta_is_met(data, size, share):
    k, n = size
    mechanism = RR(k, epsilon=data.draw(st.sampled_from([0.5, 1.0, 4.0])))
    s, counts = dc.Shuffled(mechanism, n), data.draw(st.sampled_from(slow.all_counts(n - 1, k)))
    rows = slow.all_but_one(exact_rows(mechanism), counts)
    delta = share * dc.privacy_profile(s.seen_by(dc.AllButOne(counts)), 0)
    epsilon = dc.dp_epsilon(s.seen_by(dc.AllButOne(counts)), delta)
    expected = slow.epsilon(lambda ratio: slow.privacy_profile(rows, ratio), delta)
    assert epsilon == exactly(expected)
    assert dc.privacy_profile(s.seen_by(dc.AllButOne(counts)), epsilon) == exactly(delta)


@given(st.data(), FEW)
@settings(max_examples=20)
def test_epsilon_of_any_local_channel_may_be_infinite(data, k):
    Q, n = data.draw(stochastic(k, data.draw(FEW))), data.draw(st.integers(1, 3))
    delta = data.draw(st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0]))
    counts = data.draw(st.sampled_from(slow.all_counts(n - 1, k)))
    rows = slow.all_but_one(channels.exact(Q), counts)
    # Histograms that one value excludes are never paid for; a δ next to their mass is a matter of one rounding.
    free = max(sum(p for p, q in zip(rows[a], rows[b], strict=True) if not q) for a, b in slow.ordered_pairs(rows))
    if abs(free - Fraction(delta)) > 1e-12 or delta == 0:
        s = dc.Shuffled(dc.Channel(Q), n)
        expected = slow.epsilon(lambda ratio: slow.privacy_profile(rows, ratio), delta)
        # Copies of a row are as far apart as roundings of 1e-17 make them.
        assert dc.dp_epsilon(s.seen_by(dc.AllButOne(counts)), delta) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 6, 10_000])
def test_delta_0_needs_the_epsilon_of_the_mechanism_and_delta_1_nothing(n):
    # All n reports b are e^ε0 times as likely if the target holds b, whatever the others hold.
    s = dc.Shuffled(RR(2, epsilon=1), n)
    for adversary in (all_on_one(n, 2), dc.WorstAllButOne()) if n < 10 else (all_on_one(n, 2),):
        assert dc.dp_epsilon(s.seen_by(adversary), 0) == exactly(1)
        assert dc.dp_epsilon(s.seen_by(adversary), 1) == 0
        assert dc.dp_epsilon(s.seen_by(adversary), dc.privacy_profile(s.seen_by(adversary), 0) + 1e-9) == 0


@pytest.mark.one_in(3)
@pytest.mark.parametrize("n", [2, 5, 8])
def test_among_the_worst_others_epsilon_is_the_largest_over_the_counts(n):
    s, Q = dc.Shuffled(RR(2, epsilon=1), n), exact_rows(RR(2, epsilon=1))
    for delta in (1e-6, 1e-3, 0.02):
        worst = max(
            slow.epsilon(lambda ratio, rows=rows: slow.privacy_profile(rows, ratio), Fraction(delta))
            for rows in (slow.all_but_one(Q, counts) for counts in slow.all_counts(n - 1, 2))
        )
        assert dc.dp_epsilon(s.seen_by(dc.WorstAllButOne()), delta) == exactly(worst)


@pytest.mark.long
@pytest.mark.parametrize(("k", "printed"), [(2, 0.03566), (10, 0.02325)])
def test_the_reference_values_of_ten_thousand_users(k, printed):
    n = 10_000
    s, adversary = dc.Shuffled(RR(k, epsilon=1), n), all_on_one(n, k)
    epsilon = dc.dp_epsilon(s.seen_by(adversary), 1e-6)
    assert round(epsilon, 5) == printed
    assert dc.privacy_profile(s.seen_by(adversary), epsilon) == pytest.approx(1e-6, rel=1e-6)


def test_the_reference_value_of_a_target_who_may_hold_what_the_others_do():
    # Ten values, the target one of the first two, the others on the first: eight reports are alike to everybody here.
    full = RR(10, epsilon=1)
    s = dc.Shuffled(dc.Channel([[full.p, full.q, 8 * full.q], [full.q, full.p, 8 * full.q]]), 10_000)
    assert round(dc.dp_epsilon(s.seen_by(dc.AllButOne([9999, 0])), 1e-6), 5) == 0.01894


def lumped(k, epsilon):
    """k-RR as seen by the holders of the values 0, 1 and 2: the reports 0, 1, 2 and any other."""
    mechanism = RR(k, epsilon=epsilon)
    rows = np.full((3, 4), mechanism.q)
    rows[range(3), range(3)] = mechanism.p
    rows[:, 3] = (k - 3) * mechanism.q
    return rows


@functools.cache
def laws_of_all_histograms(k, n, local):
    """The others on the value 0; by ``P(h | x) = Σ_y Q[x, y] P(n-1 others report h less y)``, for every h."""
    rows = lumped(k, local)
    h = np.array(slow_histograms(n, 4))
    base = stats.multinomial.pmf(h, n, rows[0])
    # Among n reports of holders of 0, h less y is h's probability times h_y / (n Q[0, y]).
    return [base * (h / n * (row / rows[0])).sum(axis=1) for row in rows]


def profile_by_all_histograms(k, n, local, epsilon):
    laws = laws_of_all_histograms(k, n, local)
    return max(
        float(np.maximum(0, laws[a] - math.exp(epsilon) * laws[b]).sum())
        for a, b in itertools.permutations(range(3), 2)
    )


def slow_histograms(n, m):
    return [
        [b - a - 1 for a, b in itertools.pairwise((-1, *bars, n + m - 1))]
        for bars in itertools.combinations(range(n + m - 1), m - 1)
    ]


@pytest.mark.long
@pytest.mark.parametrize("k", [4, 5, 10])
@pytest.mark.parametrize("n", [2, 3, 20, 60])
def test_others_on_one_of_many_values_leave_three_counts_that_matter(k, n):
    # A report of the others' own value and one of a value that nobody holds say different things: how many there are of
    # each is more than how many there are together.
    s = dc.Shuffled(RR(k, epsilon=1), n)
    for epsilon in (0.0, 0.1, 0.3, 0.6, 0.9):
        expected = profile_by_all_histograms(k, n, 1, epsilon)
        assert dc.privacy_profile(s.seen_by(all_on_one(n, k)), epsilon) == exactly(expected)


@pytest.mark.parametrize(("k", "n"), [(4, 2), (4, 5), (5, 3)])
def test_two_counts_are_less_than_the_histogram(k, n):
    # Between two values that the others do not hold: those two counts alone, and all of them.
    u, others = Fraction(3), [2] * (n - 1)
    Q = channels.randomized_response(k, u / (u + k - 1))
    full = [slow.law_of_reports(Q, [x, *others]) for x in (0, 1)]
    two = [{(a, b): sum(m for h, m in law.items() if h[:2] == (a, b)) for a, b, *_ in law} for law in full]
    gains = []
    for ratio in (1 + (u - 1) * Fraction(i, 12) for i in range(12)):
        all_counts, two_counts = (
            sum(max(Fraction(0), p - ratio * laws[1].get(h, 0)) for h, p in laws[0].items()) for laws in (full, two)
        )
        gains.append(all_counts - two_counts)
        s = dc.Shuffled(RR(k, p=float(Q[0][0])), n)
        asked = dc.privacy_profile(s.seen_by(dc.AllButOne([0, 0, n - 1] + [0] * (k - 3))), math.log(ratio))
        assert asked >= float(all_counts) - 1e-12
    assert gains[0] == 0
    assert min(gains) >= 0
    assert max(gains) > Fraction(1, 1000)


@functools.cache
def binary_laws(n, local):
    """Others on the first of two values, over a window of the second reports that leaves out nothing to speak of."""
    p, q = 1 / (1 + math.exp(-local)), 1 / (1 + math.exp(local))
    mean, spread = (n - 1) * q, math.sqrt((n - 1) * p * q)
    seconds = np.arange(max(0, math.floor(mean - 12 * spread) - 40), min(n, math.ceil(mean + 12 * spread) + 40) + 1)
    stay, move = stats.binom.pmf(seconds, n - 1, q), stats.binom.pmf(seconds - 1, n - 1, q)
    return p * stay + q * move, q * stay + p * move


def binary_profile(n, local, epsilon):
    laws = binary_laws(n, local)
    return max(float(np.maximum(0, a - math.exp(epsilon) * b).sum()) for a, b in (laws, laws[::-1]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("n", [1, 2, 10, 500, 10**4, 10**7, 10**9])
@pytest.mark.parametrize("local", [0.1, 1, 4])
def test_two_values_in_a_crowd_of_any_size(n, local):
    s, adversary = dc.Shuffled(RR(2, epsilon=local), n), all_on_one(n, 2)
    for share in (0, 0.001, 0.05, 0.5, 2, 5):
        epsilon = min(share / math.sqrt(n), 0.9 * local)
        assert dc.privacy_profile(s.seen_by(adversary), epsilon) == exactly(binary_profile(n, local, epsilon))
    epsilon = dc.dp_epsilon(s.seen_by(adversary), 1e-6)
    assert 0 < epsilon < local
    assert binary_profile(n, local, epsilon) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("k", [3, 10])
def test_many_values_in_a_million_users_are_answered(k):
    n = 10**6
    s, adversary = dc.Shuffled(RR(k, epsilon=1), n), all_on_one(n, k)
    epsilon = dc.dp_epsilon(s.seen_by(adversary), 1e-6)
    # A tenth of ten thousand users' ε, as 1/√n has it, but for the tail.
    small = dc.dp_epsilon(dc.Shuffled(RR(k, epsilon=1), 10**4).seen_by(all_on_one(10**4, k)), 1e-6)
    assert small / 13 < epsilon < small / 9
    assert dc.privacy_profile(s.seen_by(adversary), epsilon) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize("local", [300.0, 700.0])
@pytest.mark.parametrize(("k", "n"), [(2, 6), (3, 4)])
def test_local_noise_that_underflows_in_a_crowd(local, k, n):
    mechanism = RR(k, epsilon=local)
    Q = exact_rows(mechanism)
    for counts in ([n - 1] + [0] * (k - 1), [n - 2, 1] + [0] * (k - 2)):
        rows = slow.all_but_one(Q, counts)
        s, adversary = dc.Shuffled(mechanism, n), dc.AllButOne(counts)
        for epsilon in (0.0, 1.0, local - 5, local - 0.5):
            expected = slow.privacy_profile(rows, slow.power(epsilon))
            assert dc.privacy_profile(s.seen_by(adversary), epsilon) == exactly(expected)


def test_no_noise_hides_nothing_and_pure_noise_everything():
    for n in (1, 2, 7, 10**6):
        bare, blind = dc.Shuffled(RR(2, p=1), n), dc.Shuffled(RR(2, p=0.5), n)
        assert dc.privacy_profile(bare.seen_by(all_on_one(n, 2)), 5) == exactly(1)
        assert dc.dp_epsilon(bare.seen_by(all_on_one(n, 2)), 0.5) == math.inf
        assert dc.privacy_profile(blind.seen_by(all_on_one(n, 2)), 0) == exactly(0)
        assert dc.dp_epsilon(blind.seen_by(all_on_one(n, 2)), 1e-9) == exactly(0)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("n", [10**4, 10**6])
def test_what_is_too_rare_for_a_float_is_nothing(n, epsilon):
    # The others' reports would have to be 20 and more standard deviations off.
    for k in (2, 10):
        delta = dc.privacy_profile(dc.Shuffled(RR(k, epsilon=1), n).seen_by(all_on_one(n, k)), epsilon)
        assert delta >= 0
        assert delta == exactly(0)


@pytest.mark.long
@given(st.data(), FEW, st.sampled_from([0.5, 1.0, 2.0, 5.0, math.inf]))
@settings(max_examples=30)
def test_the_renyi_divergence_of_a_crowd_is_the_largest_of_two_rows(data, k, order):
    mechanism = RR(k, epsilon=data.draw(st.sampled_from([0.5, 1.0, 4.0])))
    n = data.draw(st.integers(1, 5 if k == 2 else 4))
    Q, s = exact_rows(mechanism), dc.Shuffled(mechanism, n)
    counts = data.draw(st.sampled_from(slow.all_counts(n - 1, k)))

    def largest(rows):
        return max(slow.renyi_divergence(rows[a], rows[b], order) for a, b in slow.ordered_pairs(rows))

    known = largest(slow.all_but_one(Q, counts))
    assert dc.renyi_dp(s.seen_by(dc.AllButOne(counts)), order) == exactly(known)
    strangers = largest(slow.uninformed(Q, n, [Fraction(1, k)] * k))
    assert dc.renyi_dp(s.seen_by(dc.Uninformed()), order) == exactly(strangers)
    assert dc.renyi_dp(s.seen_by(dc.WorstAllButOne()), order) == exactly(slow.worst_all_but_one(Q, n, largest))
