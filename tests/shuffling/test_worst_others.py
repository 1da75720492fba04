"""The others who expose the target most, and certified bounds of what they do.

On crowds so small that all that the others can hold is gone through.
"""

import functools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.adversaries.gains import IdentityGain
from discretion.estimate import Estimate, settled
from discretion.measures.guesses.vulnerability import plan_posterior_vulnerability
from discretion.measures.information.capacities import plan_shannon_capacity
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.privacy_loss.differential_privacy import plan_ldp_epsilon, plan_privacy_profile, profile_root
from discretion.shuffling.bounds import CapacityBounds, GainBounds, InformationBounds, bounded_leak
from discretion.shuffling.known_others import known_groups
from discretion.shuffling.laws.blanket import Blanket
from discretion.shuffling.laws.groups import Group
from discretion.shuffling.laws.pairs import PairOfValues, distinct_pairs, largest_excess_beyond
from discretion.shuffling.worst_others import _bounded_excess, bounded_worst_leak
from oracles import adversaries as slow, channels, measures
from oracles.capacity import blahut_arimoto
from oracles.promise import exactly
from oracles.strategies import gains, stochastic
from support.lowering import lowered

RR, UE = dc.RandomizedResponse, dc.UnaryEncoding

FEW = st.integers(2, 3)
RATIOS = [1.0, 1.25, 2.0, 20.0]


@st.composite
def crowds(draw, largest=4):
    """A small crowd through a channel, k-RR or a unary encoding."""
    k = draw(FEW)
    kind = draw(st.sampled_from(["channel", "channel", "response", "bits"]))
    if kind == "channel":
        return dc.Channel(draw(stochastic(k, draw(FEW)))), draw(st.integers(1, largest))
    if kind == "response":
        return RR(k, p=draw(st.sampled_from([1 / k, 0.625, 0.75, 0.9375, 1]))), draw(st.integers(1, largest))
    kappa, lam = draw(st.sampled_from([(0.5, 0.25), (0.75, 0.25), (0.5, 0.125), (0.9375, 0.0625), (1, 0.5), (0.5, 0)]))
    return UE(k, kappa, lam), draw(st.integers(1, largest - (k == 3)))


def rows_among(mechanism, counts):
    """P(h | x) in Fractions, over the histograms that can be."""
    exact = channels.exact(mechanism.channel().matrix)
    others = slow.holders(counts)
    laws = [slow.law_of_reports(exact, [x, *others]) for x in range(len(exact))]
    seen = sorted({h for law in laws for h in law})
    return [[law.get(h, 0) for h in seen] for law in laws]


def worst(mechanism, n, quantity):
    return max(quantity(rows_among(mechanism, counts)) for counts in slow.all_counts(n - 1, mechanism.secrets))


def uniform(k):
    return measures.fractions(np.full(k, 1 / k))


def guess(prior=None, gain=None):
    """What the leak is to the library, what bounds it, and what it is by definition."""

    def plan(view):
        return plan_posterior_vulnerability(view, prior, IdentityGain(view.secrets) if gain is None else gain)

    def bounds(k):
        return GainBounds(np.full(k, 1 / k) if prior is None else prior, IdentityGain(k) if gain is None else gain)

    def oracle(rows):
        k = len(rows)
        law = uniform(k) if prior is None else measures.fractions(prior)
        table = measures.identity(k) if gain is None else channels.exact(gain.guesses())
        return measures.posterior_vulnerability(rows, law, table)

    return plan, bounds, oracle


def information(prior=None):
    return (
        lambda view: plan_mutual_information(view, prior),
        lambda k: InformationBounds(np.full(k, 1 / k) if prior is None else prior),
        lambda rows: measures.mutual_information(
            rows, uniform(len(rows)) if prior is None else measures.fractions(prior)
        ),
    )


def capacity():
    return (
        lambda view: plan_shannon_capacity(view, 1e-9),
        lambda k: CapacityBounds(),
        lambda rows: sum(blahut_arimoto(rows, gap=1e-13)) / 2,
    )


def contains(estimate, truth):
    assert estimate.certified
    assert estimate.value == Estimate.between(estimate.low, estimate.high, "").value
    assert estimate.low <= float(truth) + 1e-12
    assert float(truth) <= estimate.high + 1e-12


LEAKS = {"guess": guess, "information": information, "capacity": capacity}


@pytest.mark.long
@pytest.mark.parametrize("leak", LEAKS)
@given(crowd=crowds())
@settings(max_examples=25)
def test_the_bounds_hold_the_worst_that_others_can_hold(leak, crowd):
    mechanism, n = crowd
    plan, bounds, oracle = LEAKS[leak]()
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    contains(bounded_worst_leak(view, plan, bounds(mechanism.secrets)), worst(mechanism, n, oracle))


@given(crowd=crowds())
@settings(max_examples=25)
def test_the_bounds_hold_the_largest_distance_that_others_can_make(crowd):
    mechanism, n = crowd
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    contains(_bounded_excess(view).bounds(0.0), worst(mechanism, n, lambda rows: 1 - measures.bayes_security(rows)))


@pytest.mark.long
@given(st.data(), crowds())
@settings(max_examples=25)
def test_the_bounds_hold_the_worst_gain(data, crowd):
    mechanism, n = crowd
    k = mechanism.secrets
    gain = data.draw(gains(k))
    prior = data.draw(stochastic(1, k))[0]
    plan, bounds, oracle = guess(prior, IdentityGain(k) if gain is None else dc.gain_matrix(gain))
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    contains(bounded_worst_leak(view, plan, bounds(k)), worst(mechanism, n, oracle))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("leak", LEAKS)
@given(data=st.data(), crowd=crowds())
@settings(max_examples=25)
def test_the_bounds_hold_what_is_seen_among_others_who_are_known(leak, data, crowd):
    mechanism, n = crowd
    plan, bounds, oracle = LEAKS[leak]()
    counts = data.draw(st.sampled_from(slow.all_counts(n - 1, mechanism.secrets)))
    view = dc.Shuffled(mechanism, n).seen_by(dc.AllButOne(counts))
    contains(bounded_leak(view, plan, bounds(mechanism.secrets)), oracle(rows_among(mechanism, counts)))


@pytest.mark.long
@given(st.data(), crowds())
@settings(max_examples=40)
def test_the_ceiling_of_the_guess_is_never_below_the_worst_one(data, crowd):
    mechanism, n = crowd
    prior = data.draw(stochastic(1, mechanism.secrets))[0]
    plan, bounds, oracle = guess(prior)
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    ceiling = bounds(mechanism.secrets).ceiling(view)
    truth = float(worst(mechanism, n, oracle))
    assert truth <= ceiling + 1e-12
    contains(bounded_worst_leak(view, plan, bounds(mechanism.secrets)), truth)


@given(crowds())
@settings(max_examples=15)
def test_the_capacity_among_the_worst_is_the_largest_sum_of_column_maxima(crowd):
    mechanism, n = crowd
    truth = worst(mechanism, n, lambda rows: sum(map(max, zip(*rows, strict=True))))
    assert dc.multiplicative_bayes_capacity(dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())) == exactly(truth)


@pytest.mark.parametrize("ratio", RATIOS)
@given(crowd=crowds())
@settings(max_examples=15)
def test_the_bounded_profile_holds_the_worst_one(ratio, crowd):
    mechanism, n = crowd
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    epsilon = math.log(ratio)
    truth = worst(mechanism, n, lambda rows: slow.privacy_profile(rows, slow.power(epsilon)))
    contains(_bounded_excess(view).bounds(epsilon), truth)


@pytest.mark.long
@given(st.sampled_from([0.3, 0.05, 1e-3]), crowds(largest=3))
@settings(max_examples=15)
def test_the_bounded_epsilon_holds_the_worst_one(delta, crowd):
    mechanism, n = crowd
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    rows = [rows_among(mechanism, counts) for counts in slow.all_counts(n - 1, mechanism.secrets)]
    truth = slow.epsilon(lambda ratio: max(slow.privacy_profile(each, ratio) for each in rows), delta)
    excess = _bounded_excess(view)
    found = profile_root(excess.bounds, delta, plan_ldp_epsilon(view).compute(), attained=excess.attained)
    low, high = (found.low, found.high) if isinstance(found, Estimate) else (found, found)
    slack = 1e-9 if math.isfinite(truth) else 0
    assert low <= truth + slack
    assert truth <= high + slack


@pytest.mark.parametrize("delta", [0.2, 1e-3, 1e-9])
@pytest.mark.parametrize("n", [2, 5, 9])
@pytest.mark.parametrize("mechanism", [dc.RandomizedResponse(3, epsilon=1), dc.UnaryEncoding.oue(3, 1)])
def test_the_epsilon_of_known_counts_is_that_of_a_search_at_every_epsilon(mechanism, n: int, delta: float) -> None:
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    slow = profile_root(plan_privacy_profile(view).compute(), delta, plan_ldp_epsilon(view).compute())
    assert dc.dp_epsilon(view, delta) == pytest.approx(slow, rel=1e-11)


@pytest.mark.parametrize("ratio", [*RATIOS, math.inf])
@given(data=st.data(), crowd=crowds())
@settings(max_examples=15)
def test_the_bounds_hold_the_excess_of_a_pair(ratio, data, crowd):
    mechanism, n = crowd
    n = max(n, 2)
    counts = data.draw(st.sampled_from(slow.all_counts(n - 1, mechanism.secrets)))
    a, b = data.draw(st.permutations(range(mechanism.secrets)))[:2]
    rows = rows_among(mechanism, counts)
    pair = PairOfValues(mechanism, a, b, known_groups(counts))
    if math.isinf(ratio):
        truth = sum(p for p, q in zip(rows[a], rows[b], strict=True) if not q)
    else:
        truth = slow.hockey_stick(rows[a], rows[b], slow.power(math.log(ratio)))
    contains(pair._bounded_excess(ratio), truth)
    assert settled(pair.excess_beyond(math.log(ratio))) == exactly(truth)


@pytest.mark.parametrize("ratio", [1.0, 1.1, 3.0])
@pytest.mark.parametrize(
    "mechanism",
    [RR(3, epsilon=1), UE.oue(2, 1), dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.25, 0.375, 0.375]])],
)
@pytest.mark.parametrize("users", [5, 2000])
def test_no_pair_is_ruled_out_that_has_the_largest_excess(mechanism, ratio, users):
    k = mechanism.secrets
    population = np.array([0.5, 0.5]) if k == 2 else np.array([0.5, 0.375, 0.125])
    groups = [(Group(users, value=value),) for value in range(k)] + [(Group(users, population=population),)]
    pairs = [PairOfValues(mechanism, a, b, others) for others in groups for a in range(k) for b in range(k) if a != b]
    assert largest_excess_beyond(pairs, math.log(ratio)) == max(pair.excess_beyond(math.log(ratio)) for pair in pairs)


@pytest.mark.long
@pytest.mark.parametrize(
    "mechanism",
    [
        dc.LocalHashing(5, 1),
        dc.SubsetSelection(5, 1, size=2),
        dc.HadamardResponse(6, 1),
        dc.Channel([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]),
    ],
    ids=repr,
)
@pytest.mark.parametrize("ratio", [1.0, 1.1])
def test_pairs_of_one_kind_are_alike(mechanism, ratio):
    k = mechanism.secrets
    for groups in [(Group(4, value=0),), (Group(2, value=0), Group(1, value=1))]:
        pairs = [PairOfValues(mechanism, a, b, groups) for a in range(k) for b in range(k) if a != b]
        kinds = {pair.kind: pair for pair in pairs}
        assert len(kinds) < len(pairs)
        assert len(distinct_pairs(pairs)) == len(kinds)
        for pair in pairs:
            assert float(pair.excess_beyond(math.log(ratio))) == pytest.approx(
                float(kinds[pair.kind].excess_beyond(math.log(ratio))), rel=1e-12
            )
        blanket, bounds = Blanket(mechanism, 5), [Blanket(mechanism, 5).excess(p.a, p.b, ratio) for p in pairs]
        assert [blanket.excess(p.a, p.b, ratio) for p in pairs] == pytest.approx(bounds, rel=1e-12)


def test_the_largest_excess_of_no_pair_is_none():
    assert largest_excess_beyond([], 0.0) == 0


@pytest.mark.parametrize("mechanism", [RR(3, epsilon=1), UE.oue(3, 1), UE.rappor(2, 2), RR(2, p=1)])
@pytest.mark.parametrize("n", [2, 3])
def test_small_crowds_are_enumerated(mechanism, n):
    s, everybody = dc.Shuffled(mechanism, n), functools.partial(worst, mechanism, n)
    adversary = dc.WorstAllButOne()
    assert dc.posterior_vulnerability(s.seen_by(adversary)) == exactly(everybody(guess()[-1]))
    assert dc.mutual_information(s.seen_by(adversary)) == exactly(everybody(information()[-1]))
    assert 1 - dc.bayes_security(s.seen_by(adversary)) == exactly(
        everybody(lambda rows: 1 - measures.bayes_security(rows))
    )
    ratio = slow.power(0.25)
    assert dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.25) == exactly(
        everybody(lambda rows: slow.privacy_profile(rows, ratio))
    )


WORST = dc.WorstAllButOne()

ASYMMETRIC = dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.25, 0.375, 0.375]])
TWO_REPORTS = dc.Channel([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])
LEANING = dc.Channel([[0.875, 0.125], [0.5, 0.5]])

MEASURES = {
    "guess": lambda s, adversary: dc.posterior_vulnerability(s.seen_by(adversary)),
    "guess of a prior": lambda s, adversary: dc.posterior_vulnerability(
        s.seen_by(adversary), [0.5] + [0.5 / (s.secrets - 1)] * (s.secrets - 1)
    ),
    "no risk": lambda s, adversary: 1 - dc.bayes_risk(s.seen_by(adversary)),
    "information": lambda s, adversary: dc.mutual_information(s.seen_by(adversary)),
    "distance": lambda s, adversary: 1 - dc.bayes_security(s.seen_by(adversary)),
    "δ": lambda s, adversary: dc.privacy_profile(s.seen_by(adversary), 0.3),
    "ε": lambda s, adversary: dc.dp_epsilon(s.seen_by(adversary), 1e-4),
    "divergence": lambda s, adversary: dc.renyi_dp(s.seen_by(adversary), 2),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    ("mechanism", "n"),
    [
        (RR(2, epsilon=1), 70),
        (LEANING, 70),
        (RR(3, epsilon=1), 9),
        (ASYMMETRIC, 6),
        (TWO_REPORTS, 9),
        (UE.oue(2, 1), 9),
    ],
    ids=str,
)
def test_they_are_the_worst_of_all_who_can_be_named(name, mechanism, n):
    asked, s = MEASURES[name], dc.Shuffled(mechanism, n)
    found = asked(s, WORST)
    assert isinstance(found, float)
    worst = max(asked(s, dc.AllButOne(counts)) for counts in slow.all_counts(n - 1, mechanism.secrets))
    assert found == exactly(worst)


def partitions(users, parts, most=None):
    if not parts:
        return [()] if not users else []
    top = users if most is None else min(users, most)
    return [(first, *rest) for first in range(top + 1) for rest in partitions(users - first, parts - 1, first)]


@pytest.mark.long
def test_five_values_of_eight_users():
    # Renaming the values renames the reports: what the others hold matters up to its order.
    Q = channels.randomized_response(5, Fraction(7, 10))
    law, identity = [Fraction(1, 5)] * 5, measures.identity(5)
    laws = (law_of(Q, counts) for counts in partitions(7, 5))
    truth = max(measures.posterior_vulnerability(rows, law, identity) for rows in laws)
    assert round(float(truth), 5) == 0.39198
    assert dc.posterior_vulnerability(dc.Shuffled(RR(5, p=0.7), 8).seen_by(WORST)) == exactly(truth)


def law_of(Q, counts):
    others, rows = slow.law_of_reports(Q, slow.holders(counts)), []
    for row in Q:
        rows.append(defaultdict(Fraction))
        for h, mass in others.items():
            for y, likelihood in enumerate(row):
                rows[-1][*h[:y], h[y] + 1, *h[y + 1 :]] += mass * likelihood
    return [[law[h] for h in sorted(rows[0])] for law in rows]


@given(st.data(), st.integers(2, 3), st.integers(2, 3))
@settings(max_examples=20)
def test_more_others_hide_more_whatever_they_hold(data, k, m):
    # That is what lets a few of the others bound what all of them leave.
    Q = channels.exact(data.draw(stochastic(k, m)))
    counts = data.draw(st.sampled_from([c for n in range(3) for c in slow.all_counts(n, k)]))
    x = data.draw(st.integers(0, k - 1))
    fewer, more = (law_of(Q, c) for c in (counts, [c + (y == x) for y, c in enumerate(counts)]))
    prior, gain = measures.fractions(data.draw(stochastic(1, k))[0]), data.draw(gains(k))
    table = measures.identity(k) if gain is None else channels.exact(gain)
    for leak in (
        lambda rows: measures.posterior_vulnerability(rows, prior, table),
        lambda rows: slow.privacy_profile(rows, Fraction(5, 4)),
    ):
        assert leak(more) <= leak(fewer) + Fraction(1, 10**12)


@pytest.mark.long
@pytest.mark.parametrize(("n", "epsilon"), [(50, 0.2), (50, 0.5), (80, 0.1)])
def test_scores_of_three_values_hold_what_somebody_can(n, epsilon):
    # All on the third value is the worst of those few that are tried here; no other is missed in small crowds.
    s = dc.Shuffled(RR(3, epsilon=1), n)
    found = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), epsilon)
    assert isinstance(found, float)
    tried = [(0, 0, n - 1), (n - 1, 0, 0), (1, 0, n - 2), (n // 2, n - 1 - n // 2, 0), (n // 2, 0, n - 1 - n // 2)]
    best = max(float(dc.privacy_profile(s.seen_by(dc.AllButOne(counts)), epsilon)) for counts in tried)
    assert found >= best * (1 - 1e-10)
    assert found <= dc.privacy_profile(dc.Shuffled(RR(3, epsilon=1), n - 1).seen_by(dc.WorstAllButOne()), epsilon)


@pytest.mark.long
@pytest.mark.parametrize("n", [1500, 3000])
def test_thousands_of_two_values_are_gone_through(n):
    s = dc.Shuffled(RR(2, p=0.8), n)
    kept = dc.bayes_security(s.seen_by(WORST))
    assert isinstance(kept, float)
    tried = [dc.AllButOne([c, n - 1 - c]) for c in (0, 1, n // 2 - 1, n // 2, n - 1)]
    assert kept <= min(dc.bayes_security(s.seen_by(adversary)) for adversary in tried) + 1e-12


@pytest.mark.parametrize("most", [1, 1 << 13, 1 << 16])
def test_what_is_not_looked_through_leaves_certified_bounds(most):
    s = dc.Shuffled(RR(3, p=0.75), 30)
    truth = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.5)
    with lowered(MAX_LIKELIHOODS_TRIED=most):
        found = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.5)
    if isinstance(found, Estimate):
        assert found.certified
        assert found.low <= truth <= found.high
    else:
        assert found == exactly(truth)


@pytest.mark.parametrize("p", [0.5, 1.0])
def test_neither_pure_noise_nor_none_needs_a_search(p):
    s = dc.Shuffled(RR(2, p=p), 300)
    assert dc.bayes_security(s.seen_by(WORST)) == exactly(2 * (1 - p))
    assert dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.0) == exactly(2 * p - 1)
    assert np.isclose(dc.mutual_information(s.seen_by(WORST)), math.log(2) * (2 * p - 1), rtol=1e-12, atol=1e-15)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "measure",
    [
        dc.bayes_security,
        lambda crowd: dc.dp_epsilon(crowd, 1e-6),
        lambda crowd: dc.bayes_security(dc.repeated(crowd, 3)),
        dc.posterior_vulnerability,
    ],
)
def test_the_pairs_of_many_values_that_only_pairs_are_alike_of_are_not_listed(measure) -> None:
    crowd = dc.Shuffled(dc.LocalHashing(10**5, epsilon=4), 10**6).seen_by(dc.WorstAllButOne())
    answer = measure(crowd)
    assert 0 <= answer.low <= answer.high <= 1
    with pytest.raises(dc.errors.TooLargeError, match="too many to try"):
        dc.renyi_dp(crowd, 2.0)
