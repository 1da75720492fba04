"""Everything an adversary may know of the others, on every measure, against enumeration of values and reports."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from oracles import adversaries as slow, channels, measures, shuffling
from oracles.promise import exactly
from oracles.strategies import gains, priors, stochastic

RR = dc.RandomizedResponse

FEW = st.integers(2, 3)


@st.composite
def crowds(draw, largest=5):
    """A local channel and a number of users, up to five users of three values."""
    k, m = draw(FEW), draw(FEW)
    return draw(stochastic(k, m)), draw(st.integers(1, largest))


def some_of(n, k):
    """How many of up to n-1 known users hold each value."""
    return st.lists(st.integers(0, n - 1), min_size=k, max_size=k).filter(lambda counts: sum(counts) < n)


def alphas(k):
    """Quarters, so that they are the very Fractions."""
    return st.lists(st.integers(1, 12).map(lambda a: a / 4), min_size=k, max_size=k)


def wrapped(gain):
    return None if gain is None else dc.gain_matrix(gain)


def check_all(crowd, adversary, rows, *, prior, gain, law=None):
    """Every measure of the crowd is that of the enumerated channel; ``law`` is the prior that goes without saying."""
    k = len(rows)
    law = law or measures.fractions(np.full(k, 1 / k) if prior is None else prior)
    table = measures.identity(k) if gain is None else channels.exact(gain)
    after, before = measures.posterior_vulnerability(rows, law, table), measures.prior_vulnerability(law, table)
    seen, asked = crowd.seen_by(adversary), {} if prior is None else {"prior": prior}
    assert dc.posterior_vulnerability(seen, gain=wrapped(gain), **asked) == exactly(after)
    assert dc.leakage(seen, gain=wrapped(gain), kind="additive", **asked) == exactly(after - before)
    if before > 1e-9:
        assert dc.leakage(seen, gain=wrapped(gain), **asked) == exactly(after / before)
    assert dc.mutual_information(seen, **asked) == exactly(measures.mutual_information(rows, law))
    assert dc.bayes_security(seen) == exactly(measures.bayes_security(rows))
    distances = measures.pair_distances(rows)
    named = distances[dc.leakiest_pair(seen)]
    assert float(max(distances.values()) - named) <= 1e-11
    if prior is not None and max(law) < 1:
        assert dc.bayes_security(seen, prior) == exactly(measures.bayes_security_at(rows, law))


@given(st.data(), crowds())
@settings(max_examples=25)
def test_among_strangers_of_any_population(data, crowd):
    Q, n = crowd
    k = len(Q)
    population = data.draw(stochastic(1, k))[0]
    rows = slow.uninformed(channels.exact(Q), n, measures.fractions(population))
    adversary = dc.Uninformed(population)
    check_all(dc.Shuffled(dc.Channel(Q), n), adversary, rows, prior=data.draw(priors(k)), gain=data.draw(gains(k)))


@given(st.data(), crowds())
@settings(max_examples=25)
def test_the_vulnerability_among_strangers_is_an_average_over_all_reports_alike(data, crowd):
    Q, n = crowd
    k = len(Q)
    population, prior, gain = data.draw(stochastic(1, k))[0], data.draw(stochastic(1, k))[0], data.draw(gains(k))
    exact, strangers, law = channels.exact(Q), measures.fractions(population), measures.fractions(prior)
    table = measures.identity(k) if gain is None else channels.exact(gain)
    formula = slow.vulnerability_by_the_formula(exact, n, strangers, law, table)
    enumerated = measures.posterior_vulnerability(slow.uninformed(exact, n, strangers), law, table)
    # The floats' rows and populations sum to 1 only nearly, so the two Fractions differ by as much.
    assert float(formula) == pytest.approx(float(enumerated), rel=1e-13, abs=1e-14)
    asked = dc.posterior_vulnerability(
        dc.Shuffled(dc.Channel(Q), n).seen_by(dc.Uninformed(population)), prior, wrapped(gain)
    )
    assert asked == exactly(formula)


@given(st.data(), crowds())
@settings(max_examples=25)
def test_all_others_known(data, crowd):
    Q, n = crowd
    k = len(Q)
    counts = data.draw(st.sampled_from(slow.all_counts(n - 1, k)))
    rows = slow.all_but_one(channels.exact(Q), counts)
    adversary = dc.AllButOne(counts)
    check_all(dc.Shuffled(dc.Channel(Q), n), adversary, rows, prior=data.draw(priors(k)), gain=data.draw(gains(k)))


@given(st.data(), crowds())
@settings(max_examples=25)
def test_some_others_known(data, crowd):
    Q, n = crowd
    k = len(Q)
    counts = data.draw(some_of(n, k))
    population = data.draw(st.none() | stochastic(1, k).map(lambda rows: rows[0]))
    strangers = [Fraction(1, k)] * k if population is None else measures.fractions(population)
    rows = slow.partly_informed(channels.exact(Q), n, counts, strangers)
    adversary = dc.PartlyInformed(counts, population)
    check_all(dc.Shuffled(dc.Channel(Q), n), adversary, rows, prior=data.draw(priors(k)), gain=data.draw(gains(k)))


@pytest.mark.long
@given(st.data(), crowds())
@settings(max_examples=25)
def test_all_users_alike(data, crowd):
    Q, n = crowd
    k = len(Q)
    alpha = data.draw(alphas(k))
    urn = [Fraction(a) for a in alpha]
    rows, law = slow.exchangeable(channels.exact(Q), n, urn), slow.exchangeable_prior(urn)
    check_all(
        dc.Shuffled(dc.Channel(Q), n), dc.Exchangeable(alpha), rows, prior=None, gain=data.draw(gains(k)), law=law
    )


@pytest.mark.long
@given(st.data(), crowds(largest=4))
@settings(max_examples=25)
def test_whatever_the_others_hold(data, crowd):
    Q, n = crowd
    k = len(Q)
    prior, gain = data.draw(priors(k)), data.draw(gains(k))
    law = measures.fractions(np.full(k, 1 / k) if prior is None else prior)
    table = measures.identity(k) if gain is None else channels.exact(gain)
    everything = [slow.all_but_one(channels.exact(Q), counts) for counts in slow.all_counts(n - 1, k)]
    s, worst = dc.Shuffled(dc.Channel(Q), n), dc.WorstAllButOne()
    after = max(measures.posterior_vulnerability(rows, law, table) for rows in everything)
    before = measures.prior_vulnerability(law, table)
    assert dc.posterior_vulnerability(s.seen_by(worst), prior, wrapped(gain)) == exactly(after)
    assert dc.leakage(s.seen_by(worst), prior, wrapped(gain), kind="additive") == exactly(after - before)
    if before > 1e-9:
        assert dc.leakage(s.seen_by(worst), prior, wrapped(gain)) == exactly(after / before)
    information = max(measures.mutual_information(rows, law) for rows in everything)
    assert dc.mutual_information(s.seen_by(worst), prior) == exactly(information)
    assert dc.bayes_security(s.seen_by(worst)) == exactly(min(map(measures.bayes_security, everything)))
    if max(law) < 1:
        kept = min(measures.bayes_security_at(rows, law) for rows in everything)
        assert dc.bayes_security(s.seen_by(worst), law_of(prior, k)) == exactly(kept)
    pair = dc.leakiest_pair(s.seen_by(worst))
    distances = [measures.pair_distances(rows) for rows in everything]
    furthest = max(max(of.values()) for of in distances)
    assert float(furthest - max(of[pair] for of in distances)) <= 1e-11


def law_of(prior, k):
    return dc.uniform(k) if prior is None else prior


@pytest.mark.parametrize(("k", "n"), [(2, 8), (3, 5)])
@pytest.mark.parametrize("p", [0.6, 0.8, 1.0])
def test_what_is_enumerated_is_a_float(k, n, p):
    Q = channels.exact(RR(k, p=p).channel().matrix)
    law = [Fraction(1, k)] * k
    s, worst = dc.Shuffled(RR(k, p=p), n), dc.WorstAllButOne()
    guess = slow.worst_all_but_one(Q, n, lambda rows: measures.posterior_vulnerability(rows, law, measures.identity(k)))
    asked = dc.posterior_vulnerability(s.seen_by(worst))
    assert isinstance(asked, float)
    assert asked == exactly(guess)
    kept = slow.worst_all_but_one(Q, n, measures.bayes_security, min)
    assert dc.bayes_security(s.seen_by(worst)) == exactly(kept)


def test_the_worst_of_two_values_is_not_all_others_on_one():
    s, n = dc.Shuffled(RR(2, p=0.8), 201), 201
    guesses = {b: dc.posterior_vulnerability(s.seen_by(dc.AllButOne([n - 1 - b, b]))) for b in range(n)}
    worst = dc.posterior_vulnerability(s.seen_by(dc.WorstAllButOne()))
    assert (round(guesses[0], 5), round(guesses[n - 1], 5), round(worst, 5)) == (0.52111, 0.52111, 0.52116)
    assert worst == exactly(max(guesses.values()))


def test_at_five_users_the_difference_is_a_fifth_of_the_distance():
    Q = channels.randomized_response(2, Fraction(4, 5))
    kept = {counts: measures.bayes_security(slow.all_but_one(Q, counts)) for counts in slow.all_counts(4, 2)}
    assert round(float(1 - (1 - kept[4, 0]) / (1 - kept[2, 2])), 1) == 0.2
    s = dc.Shuffled(RR(2, p=0.8), 5)
    assert dc.bayes_security(s.seen_by(dc.WorstAllButOne())) == exactly(kept[2, 2])
    assert dc.bayes_security(s.seen_by(dc.AllButOne([4, 0]))) == exactly(kept[4, 0])


@pytest.mark.long
@given(st.data(), st.sampled_from([(2, 5), (3, 4)]))
@settings(max_examples=25)
def test_more_known_users_help_on_average(data, size):
    k, n = size
    Q, population, prior, gain = (
        data.draw(stochastic(k, data.draw(FEW))),
        data.draw(stochastic(1, k))[0],
        data.draw(priors(k)),
        data.draw(gains(k)),
    )
    s = dc.Shuffled(dc.Channel(Q), n)
    asks = {
        "guess": lambda a: dc.posterior_vulnerability(s.seen_by(a), prior, wrapped(gain)),
        "information": lambda a: dc.mutual_information(s.seen_by(a), prior),
        "distance": lambda a: -dc.bayes_security(s.seen_by(a), law_of(None, k)),
    }
    for ask in asks.values():
        average = [
            sum(
                shuffling.multinomial(counts)
                * math.prod(population[x] ** count for x, count in enumerate(counts))
                * ask(dc.PartlyInformed(counts, population))
                for counts in slow.all_counts(c, k)
            )
            for c in range(n)
        ]
        assert all(less <= more + 1e-11 for less, more in itertools.pairwise(average))
        assert average[0] == exactly(ask(dc.Uninformed(population)))


@given(st.data(), crowds(largest=4))
@settings(max_examples=25)
def test_knowing_nobody_and_knowing_everybody_are_the_two_ends(data, crowd):
    Q, n = crowd
    k = len(Q)
    s, population = dc.Shuffled(dc.Channel(Q), n), data.draw(stochastic(1, k))[0]
    counts = data.draw(st.sampled_from(slow.all_counts(n - 1, k)))
    for ask in (dc.posterior_vulnerability, dc.mutual_information, dc.bayes_security):
        nobody, everybody = dc.PartlyInformed([0] * k, population), dc.PartlyInformed(counts, population)
        assert ask(s.seen_by(nobody)) == exactly(ask(s.seen_by(dc.Uninformed(population))))
        assert ask(s.seen_by(everybody)) == exactly(ask(s.seen_by(dc.AllButOne(counts))))


def test_to_know_one_of_a_fixed_value_can_hurt_the_adversary():
    s, population = dc.Shuffled(RR(2, p=0.8), 5), [0.9, 0.1]
    guess = {b: dc.posterior_vulnerability(s.seen_by(dc.PartlyInformed([0, b], population))) for b in (0, 1)}
    assert (round(guess[0], 4), round(guess[1], 4)) == (0.6264, 0.6229)


@pytest.mark.long
@given(st.data(), crowds(largest=5))
@settings(max_examples=20)
def test_no_knowledge_is_worse_than_the_worst(data, crowd):
    Q, n = crowd
    k = len(Q)
    s = dc.Shuffled(dc.Channel(Q), n)
    population = data.draw(stochastic(1, k))[0]
    weaker = [dc.Uninformed(population), dc.PartlyInformed(data.draw(some_of(n, k)), population)]
    for adversary in weaker:
        for ask in (dc.posterior_vulnerability, dc.mutual_information):
            assert ask(s.seen_by(adversary)) <= ask(s.seen_by(dc.WorstAllButOne())) + 1e-12
        assert dc.bayes_security(s.seen_by(adversary)) >= dc.bayes_security(s.seen_by(dc.WorstAllButOne())) - 1e-12


@pytest.mark.parametrize(("alpha", "n"), [((0.5, 0.5), 6), ((2, 1), 5), ((0.5, 1, 2.25), 4), ((1, 1, 1), 1)])
def test_without_noise_the_target_is_any_of_the_users_alike(alpha, n):
    k = len(alpha)
    s = dc.Shuffled(RR(k, p=1), n)
    C = s.seen_by(dc.Exchangeable(alpha)).channel()
    joint = np.array(alpha)[:, None] / sum(alpha) * C.matrix
    for h, column in zip(C.outputs, joint.T, strict=True):
        if column.sum() > 0:
            assert np.allclose(column / column.sum(), np.array(h) / n, rtol=1e-11, atol=1e-13)
    # So the best guess is the commonest value: E[max h]/n when h comes out of the urn.
    urn = [Fraction(a) for a in alpha]
    largest = sum(slow.urn(values, urn) * max(shuffling.histogram(values, k)) for values in shuffling.datasets(n, k))
    assert dc.posterior_vulnerability(s.seen_by(dc.Exchangeable(alpha))) == exactly(largest / n)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_users_alike_of_a_certain_population_are_strangers_of_it(n):
    # A Dirichlet law of great weight is next to a point: its urn hardly changes.
    weight = 2.0**50
    s, population = dc.Shuffled(RR(2, p=0.75), n), [0.75, 0.25]
    certain = dc.Exchangeable([weight * share for share in population])
    strangers = dc.Uninformed(population)
    assert dc.posterior_vulnerability(s.seen_by(certain)) == pytest.approx(
        dc.posterior_vulnerability(s.seen_by(strangers), population), rel=1e-12
    )
    assert dc.mutual_information(s.seen_by(certain)) == pytest.approx(
        dc.mutual_information(s.seen_by(strangers), population), rel=1e-9, abs=1e-14
    )


@pytest.mark.parametrize("k", [2, 3])
def test_a_crowd_of_one_has_nobody_to_know(k):
    mechanism = RR(k, epsilon=1.5)
    s, nobody = dc.Shuffled(mechanism, 1), [0] * k
    for adversary in (dc.PartlyInformed(nobody), dc.PartlyInformed(nobody, dc.point(k, 0)), dc.WorstAllButOne()):
        assert dc.posterior_vulnerability(s.seen_by(adversary)) == exactly(dc.posterior_vulnerability(mechanism))
        assert dc.bayes_security(s.seen_by(adversary)) == exactly(dc.bayes_security(mechanism))
        assert dc.mutual_information(s.seen_by(adversary)) == exactly(dc.mutual_information(mechanism))
    alpha = [0.5] * (k - 1) + [2]
    prior = np.array(alpha) / sum(alpha)
    assert dc.posterior_vulnerability(s.seen_by(dc.Exchangeable(alpha))) == exactly(
        dc.posterior_vulnerability(mechanism, prior)
    )


def test_pairs_are_named_by_the_labels_of_the_mechanism():
    C = dc.Channel([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8]], inputs=["a", "b", "c"])
    for adversary in (dc.Uninformed(), dc.AllButOne([2, 0, 0]), dc.WorstAllButOne(), dc.Exchangeable([1, 1, 1])):
        assert dc.leakiest_pair(dc.Shuffled(C, 3).seen_by(adversary)) == ("a", "c")


@given(st.data(), crowds())
@settings(max_examples=10)
def test_the_oracle_is_the_enumeration_of_all_reports(data, crowd):
    Q, n = crowd
    k, exact = len(Q), channels.exact(Q)
    assume(len(Q[0]) ** n <= 81)
    population = measures.fractions(data.draw(stochastic(1, k))[0])
    listed = slow.all_counts(n, len(Q[0]))
    values = data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    added, enumerated = slow.law_of_reports(exact, values), shuffling.reported_histograms(exact, values)
    assert all(added.get(h, 0) == enumerated.get(h, 0) for h in listed)
    # The same columns but for their order and for those that nobody has listed.
    whole = sorted(column for column in zip(*slow.uninformed(exact, n, population), strict=True) if any(column))
    other = shuffling.among_strangers(exact, n, population)
    assert whole == sorted(column for column in zip(*other, strict=True) if any(column))


def test_a_report_that_only_some_values_can_give_excludes_the_others_however_rare_it_is():
    rarely = dc.Shuffled(dc.Channel([[1, 0], [1, 1e-48]]), 30)
    view = rarely.seen_by(dc.Exchangeable([0.5, 0.5]))
    assert [dc.renyi_dp(view, order) for order in (1, 2, math.inf)] == [math.inf] * 3
    assert dc.renyi_dp(view, 0.5) < 1e-12
