"""What the target's value risks in a shuffled crowd, against enumeration of the others' values and reports."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from measures.table import CASES
from oracles import channels, measures as slow, shuffling
from oracles.promise import exactly
from oracles.strategies import gains, priors, stochastic

# Measures of what an adversary sees, but the ratio, which may have no meaning.
CROWD_MEASURES = {
    "posterior_vulnerability": dc.posterior_vulnerability,
    "leakage": lambda s, prior, gain: dc.leakage(s, prior, gain, kind="additive"),
    "bayes_security": lambda s, prior, gain: dc.bayes_security(s),
    "mutual_information": lambda s, prior, gain: dc.mutual_information(s, prior),
}


def check_all(seen, rows, prior, gain):
    """Every measure of what is seen of the crowd is that of the enumerated channel."""
    k = len(rows)
    law = slow.fractions(np.full(k, 1 / k) if prior is None else prior)
    table = slow.identity(k) if gain is None else channels.exact(gain)
    wrapped = None if gain is None else dc.gain_matrix(gain)
    after, before = slow.posterior_vulnerability(rows, law, table), slow.prior_vulnerability(law, table)
    expected = {
        "posterior_vulnerability": after,
        "leakage": after - before,
        "bayes_security": slow.bayes_security(rows),
        "mutual_information": slow.mutual_information(rows, law),
    }
    for name, ask in CROWD_MEASURES.items():
        assert ask(seen, prior, wrapped) == exactly(expected[name]), name
    if max(law) < 1:
        with_prior = np.full(k, 1 / k) if prior is None else prior
        assert dc.bayes_security(seen, with_prior) == exactly(slow.bayes_security_at(rows, law))
    if before > 1e-9:
        assert dc.leakage(seen, prior, wrapped) == exactly(after / before)


@pytest.mark.long
@given(st.data(), st.integers(2, 3), st.integers(2, 3))
@settings(max_examples=50)
def test_among_strangers_of_any_population_a_crowd_is_the_average_over_datasets(data, k, m):
    n = data.draw(st.integers(1, 5 if k == m == 2 else 4 if k * m < 9 else 3))
    Q = data.draw(stochastic(k, m))
    population = data.draw(stochastic(1, k))[0]
    rows = shuffling.among_strangers(channels.exact(Q), n, slow.fractions(population))
    crowd = dc.Shuffled(dc.Channel(Q), n)
    check_all(crowd.seen_by(dc.Uninformed(population)), rows, data.draw(priors(k)), data.draw(gains(k)))


@pytest.mark.long
@given(st.data(), st.integers(2, 3), st.integers(2, 3))
@settings(max_examples=40)
def test_among_uniform_strangers_every_measure_of_a_system_is_its_definition(data, k, m):
    n = data.draw(st.integers(1, 4 if k * m < 9 else 3))
    mechanism = data.draw(
        st.one_of(
            stochastic(k, m).map(dc.Channel),
            st.floats(1 / k, 1).map(lambda p: dc.RandomizedResponse(k, p=p)),
        )
    )
    population = [Fraction(1, k)] * k
    rows = shuffling.among_strangers(channels.exact(mechanism.channel().matrix), n, population)
    matrix = np.array(rows, dtype=float)
    prior, gain = data.draw(priors(k)), data.draw(gains(k))
    for case in CASES:
        if case.meaningful(k, prior, gain):
            assert case.ask(dc.Shuffled(mechanism, n), prior, gain) == exactly(case.expected(matrix, prior, gain)), (
                case.name
            )
    check_all(dc.Shuffled(mechanism, n), rows, prior, gain)


@pytest.mark.long
@pytest.mark.parametrize("m", [2, 3])
def test_five_users_of_three_values(m):
    Q = [[Fraction(5, 8), Fraction(2, 8), Fraction(1, 8)], [Fraction(0), Fraction(1, 2), Fraction(1, 2)]]
    Q = [[*row[: m - 1], sum(row[m - 1 :])] for row in [*Q, [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]]]
    population = [Fraction(1, 2), Fraction(1, 8), Fraction(3, 8)]
    rows = shuffling.among_strangers(Q, 5, population)
    crowd = dc.Shuffled(dc.Channel(np.array(Q, dtype=float)), 5)
    adversary = dc.Uninformed([float(share) for share in population])
    check_all(crowd.seen_by(adversary), rows, np.array([0.5, 0.375, 0.125]), np.array([[1.0, 0, 0], [0, 1, -1]]))


def counts_of(n, k):
    return [h for h in np.ndindex(*(n,) * k) if sum(h) == n - 1]


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("p", [0.5, 0.8, 1.0])
def test_all_but_one_of_two_values_at_all_counts(n, p):
    Q = channels.exact(dc.RandomizedResponse(2, p=p).channel().matrix)
    for counts in counts_of(n, 2):
        rows = shuffling.among_acquaintances(Q, counts)
        crowd = dc.Shuffled(dc.RandomizedResponse(2, p=p), n)
        check_all(crowd.seen_by(dc.AllButOne(counts)), rows, None, None)
        check_all(
            crowd.seen_by(dc.AllButOne(counts)), rows, np.array([0.75, 0.25]), np.array([[1.0, -1.0], [0.0, 2.0]])
        )


@pytest.mark.long
@pytest.mark.parametrize("n", range(1, 7))
def test_all_but_one_of_three_values_at_all_counts(n):
    mechanism = dc.RandomizedResponse(3, p=0.625)
    Q = channels.exact(mechanism.channel().matrix)
    for counts in counts_of(n, 3):
        rows = shuffling.among_acquaintances(Q, counts)
        check_all(dc.Shuffled(mechanism, n).seen_by(dc.AllButOne(counts)), rows, None, None)


@given(st.data(), st.integers(2, 3), st.integers(2, 3))
@settings(max_examples=40)
def test_all_but_one_with_any_local_channel(data, k, m):
    n = data.draw(st.integers(1, 4))
    counts = data.draw(st.sampled_from(counts_of(n, k)))
    Q = data.draw(stochastic(k, m))
    rows = shuffling.among_acquaintances(channels.exact(Q), counts)
    crowd = dc.Shuffled(dc.Channel(Q), n)
    check_all(crowd.seen_by(dc.AllButOne(counts)), rows, data.draw(priors(k)), data.draw(gains(k)))


@given(st.data(), st.integers(2, 3), st.integers(2, 3))
@settings(max_examples=30)
def test_the_explicit_channel_is_labelled_by_values_and_histograms(data, k, m):
    n = data.draw(st.integers(1, 3))
    Q = data.draw(stochastic(k, m))
    C = dc.Shuffled(dc.Channel(Q, inputs=[f"v{x}" for x in range(k)]), n).channel()
    population = [Fraction(1, k)] * k
    laws = shuffling.among_strangers(channels.exact(Q), n, population)
    assert C.inputs == tuple(f"v{x}" for x in range(k))
    assert all(sum(h) == n and len(h) == m for h in C.outputs)
    assert len(set(C.outputs)) == len(C.outputs) == math.comb(n + m - 1, m - 1)
    possible = sorted(h for h, column in zip(C.outputs, C.matrix.T, strict=True) if column.any())
    ordered = [C.matrix[:, C.outputs.index(h)] for h in possible]
    seen = [column for column in zip(*laws, strict=True) if any(column)]
    assert np.allclose(ordered, np.array(seen, dtype=float), rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("mechanism", [dc.RandomizedResponse(2, p=0.8), dc.RandomizedResponse(3, epsilon=1.5)])
@pytest.mark.parametrize("adversary", ["nobody", "a population", "nothing"])
def test_a_crowd_of_one_is_the_mechanism_alone(mechanism, adversary):
    k, crowd = mechanism.k, dc.Shuffled(mechanism, 1)
    seen = {
        "nobody": crowd.seen_by(dc.AllButOne([0] * k)),
        "a population": crowd.seen_by(dc.Uninformed(np.eye(k)[0])),
        "nothing": crowd,
    }[adversary]
    prior = np.arange(1, k + 1) / sum(range(1, k + 1))
    for law in (None, prior):
        assert dc.posterior_vulnerability(seen, law) == exactly(dc.posterior_vulnerability(mechanism, law))
        assert dc.mutual_information(seen, law) == exactly(dc.mutual_information(mechanism, law))
    assert dc.bayes_security(seen) == exactly(dc.bayes_security(mechanism))


@pytest.mark.parametrize(("n", "p", "printed"), [(200, 0.9, 0.52254), (200, 1.0, 0.52817), (200, 0.6, 0.50563)])
def test_published_figures_of_the_uninformed_adversary(n, p, printed):
    assert round(dc.posterior_vulnerability(dc.Shuffled(dc.RandomizedResponse(2, p=p), n)), 5) == printed


@pytest.mark.parametrize(("counts", "printed"), [((0, 200), 0.52111), ((200, 0), 0.52111), ((100, 100), 0.52116)])
def test_published_figures_of_the_strong_adversary(counts, printed):
    crowd = dc.Shuffled(dc.RandomizedResponse(2, p=0.8), 201)
    assert round(dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne(counts))), 5) == printed


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_without_noise_the_strong_adversary_subtracts_what_she_knows(n):
    for mechanism in (dc.RandomizedResponse(2, p=1), dc.Channel(np.eye(2))):
        crowd, adversary = dc.Shuffled(mechanism, n), dc.AllButOne([n - 1, 0])
        assert dc.posterior_vulnerability(crowd.seen_by(adversary)) == exactly(1)
        assert dc.bayes_security(crowd.seen_by(adversary)) == exactly(0)
        assert dc.mutual_information(crowd.seen_by(adversary), unit="bits") == exactly(1)


@pytest.mark.parametrize("epsilon", [700.0, 720.0, 744.0])
@pytest.mark.parametrize("k", [2, 3])
def test_next_to_no_noise_is_no_noise(epsilon, k):
    crowd = dc.Shuffled(dc.RandomizedResponse(k, epsilon=epsilon), 6)
    adversary = dc.AllButOne([5, *[0] * (k - 1)])
    assert dc.posterior_vulnerability(crowd.seen_by(adversary)) == exactly(1)
    assert dc.bayes_security(crowd.seen_by(adversary)) == exactly(0)
    assert dc.posterior_vulnerability(crowd.seen_by(dc.Uninformed(np.eye(k)[0]))) == exactly(1)


@given(st.data())
@settings(max_examples=30)
def test_a_crowd_never_helps_the_adversary(data):
    k = data.draw(st.integers(2, 3))
    Q = data.draw(stochastic(k, data.draw(st.integers(2, 3))))
    prior, population = data.draw(priors(k)), data.draw(stochastic(1, k))[0]
    adversary = dc.Uninformed(population)
    guesses = [dc.posterior_vulnerability(dc.Shuffled(dc.Channel(Q), n).seen_by(adversary), prior) for n in range(1, 7)]
    assert guesses[0] == exactly(dc.posterior_vulnerability(dc.Channel(Q), prior))
    assert all(more <= less + 1e-12 for less, more in itertools.pairwise(guesses))


@given(st.data())
@settings(max_examples=30)
def test_knowing_the_others_helps_on_average(data):
    k, n = data.draw(st.sampled_from([(2, 4), (3, 3)]))
    Q = data.draw(stochastic(k, 2))
    population = data.draw(stochastic(1, k))[0]
    assume(population.max() < 1)
    crowd = dc.Shuffled(dc.Channel(Q), n)
    average = sum(
        shuffling.multinomial(counts)
        * math.prod(population[x] ** c for x, c in enumerate(counts))
        * dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne(counts)))
        for counts in counts_of(n, k)
    )
    assert average >= dc.posterior_vulnerability(crowd.seen_by(dc.Uninformed(population))) - 1e-12


@pytest.mark.long
def test_a_uniform_population_may_be_written_out():
    for k, n in [(2, 50), (3, 20), (3, 10**6), (5, 10**9)]:
        crowd, adversary = dc.Shuffled(dc.RandomizedResponse(k, p=0.7), n), dc.Uninformed(dc.uniform(k))
        assert dc.posterior_vulnerability(crowd.seen_by(adversary)) == exactly(dc.posterior_vulnerability(crowd))
        assert dc.bayes_security(crowd.seen_by(adversary)) == exactly(dc.bayes_security(crowd))


@pytest.mark.parametrize("adversary", [dc.AllButOne([1, 1]), dc.PartlyInformed([1, 0]), dc.WorstAllButOne()])
def test_reports_that_tell_nothing_tell_nothing_in_a_crowd(adversary):
    crowd = dc.Shuffled(dc.Channel([[0.25, 0.75], [0.25, 0.75]]), 3)
    assert dc.renyi_dp(crowd.seen_by(adversary), 5) == 0
    assert dc.dp_epsilon(crowd.seen_by(adversary), 1e-300) == 0
    assert dc.bayes_security(crowd.seen_by(adversary)) == 1


def test_the_methods_are_named():
    crowd = dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 10_000)
    known, silent = dc.AllButOne([9999, 0, 0]), dc.Shuffled(dc.RandomizedResponse(3, p=1), 10_000)
    small = dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 10)
    assert dc.method(dc.posterior_vulnerability, crowd) == ("maximum load, closed form (Shuffle eq. 17)", "closed form")
    assert dc.method(dc.leakage, crowd) == ("maximum load, closed form (Shuffle eq. 17)", "closed form")
    assert dc.method(dc.bayes_security, crowd) == ("binomial sum over a fair walk", "closed form")
    assert dc.method(dc.mutual_information, crowd, unit="bits") == ("binomial sum over a fair walk", "closed form")
    assert dc.method(dc.posterior_vulnerability, crowd.seen_by(known)) == (
        "sum over the histograms of reports",
        "exact",
    )
    assert dc.method(dc.bayes_security, crowd.seen_by(known)) == (
        "mean excess of a sum of independent steps",
        "exact",
    )
    assert dc.method(dc.posterior_vulnerability, silent.seen_by(known)) == (
        "the target's report is visible by itself",
        "closed form",
    )
    mixed = dc.AllButOne([999] * 10 + [9])
    ten = dc.Shuffled(dc.RandomizedResponse(11, epsilon=1), 10_000)
    among_known = dc.method(dc.posterior_vulnerability, ten.seen_by(mixed))
    assert "certified bounds" in among_known.name and among_known.rung == "estimate"
    drawn = dc.method(dc.posterior_vulnerability, ten.seen_by(dc.Uninformed([0.5] + [0.05] * 10)))
    assert "Monte Carlo" in drawn.name and drawn.rung == "estimate"
    for adversary in (dc.AllButOne([9, 0, 0]), dc.Uninformed([0.5, 0.25, 0.25])):
        assert dc.method(dc.posterior_vulnerability, small.seen_by(adversary)) == (
            "sum over the histograms of reports",
            "exact",
        )
    prior = [0.5, 0.25, 0.25]
    assert dc.method(dc.posterior_vulnerability, small, prior=prior) == ("sum over the histograms of reports", "exact")


RUNGS = {
    "closed form": (5, dc.Uninformed()),
    "exact": (5, dc.Uninformed([0.6, 0.1, 0.1, 0.1, 0.1])),
    "bound": (10_000, dc.WorstAllButOne()),
    "estimate": (10_000, dc.Uninformed([0.6, 0.1, 0.1, 0.1, 0.1])),
}


@pytest.mark.parametrize("rung", RUNGS)
def test_the_rung_says_what_kind_of_answer_it_is(rung):
    n, adversary = RUNGS[rung]
    crowd = dc.Shuffled(dc.RandomizedResponse(5, p=0.4), n)
    assert dc.method(dc.posterior_vulnerability, crowd.seen_by(adversary)).rung == rung
    answer = dc.posterior_vulnerability(crowd.seen_by(adversary, seed=0))
    assert isinstance(answer, dc.Estimate) == (rung in ("bound", "estimate"))
    if isinstance(answer, dc.Estimate):
        assert answer.certified == (rung == "bound")


@pytest.mark.parametrize(
    ("adversary", "words"),
    [
        (dc.AllButOne([5, 5]), r"\(3\), got 2"),
        (dc.AllButOne([4, 4, 4]), "9 other users, got 12"),
        (dc.AllButOne([10, 0, 0]), "9 other users, got 10"),
        (dc.AllButOne([0, 0, 0]), "got 0"),
        (dc.Uninformed([0.5, 0.5]), r"\(3\), got 2"),
    ],
)
@pytest.mark.parametrize("name", CROWD_MEASURES)
def test_knowledge_must_fit_the_crowd(name, adversary, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        CROWD_MEASURES[name](dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 10).seen_by(adversary), None, None)


@pytest.mark.parametrize("adversary", [[9, 0, 0], "worst", 3])
def test_knowledge_is_of_a_known_kind(adversary):
    with pytest.raises(dc.errors.UnsupportedError, match="AllButOne"):
        dc.posterior_vulnerability(dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 10).seen_by(adversary))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: dc.AllButOne([]), r"one count per value.*(none|\[\])"),
        (lambda: dc.AllButOne([1, -1]), "got -1"),
        (lambda: dc.AllButOne([1.5]), r"got 1\.5"),
        (lambda: dc.AllButOne(5), "5"),
        (lambda: dc.Uninformed([0.5, 0.6]), r"1\.1"),
        (lambda: dc.Uninformed([-0.5, 1.5]), "negative"),
        (lambda: dc.Shuffled(dc.RandomizedResponse(2, p=0.5), 0), "got 0"),
        (lambda: dc.Shuffled(dc.RandomizedResponse(2, p=0.5), 2.5), r"got 2\.5"),
        (lambda: dc.Shuffled([[1, 0], [0, 1]], 2), "list"),
        (lambda: dc.Shuffled(dc.Shuffled(dc.RandomizedResponse(2, p=0.5), 2), 2), "shuffled already"),
    ],
)
def test_crowds_and_knowledge_that_make_no_sense_are_refused(make, words):
    with pytest.raises(dc.errors.DiscretionError, match=words):
        make()


@pytest.mark.parametrize("n", [1, 4])
def test_reports_that_say_nothing_and_targets_that_are_known(n):
    blind = dc.Shuffled(dc.Channel([[1.0], [1.0], [1.0]]), n)
    assert dc.posterior_vulnerability(blind) == exactly(1 / 3)
    assert dc.bayes_security(blind) == 1
    known = dc.Shuffled(dc.Channel([[0.5, 0.25, 0.25]]), n)
    assert dc.posterior_vulnerability(known) == exactly(1)
    assert dc.mutual_information(known) == exactly(0)


PLAIN = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5]]


def test_what_is_too_large_is_refused_politely():
    crowd = dc.Shuffled(dc.RandomizedResponse(4, p=0.7), 10**6)
    mixed = dc.AllButOne([250_000, 250_000, 250_000, 249_999])
    attempts = [
        crowd.channel,
        lambda: dc.leakiest_pairs(crowd.seen_by(mixed)),
        lambda: dc.leakiest_pair(crowd.seen_by(mixed)),
        lambda: dc.leakiest_pair(dc.Shuffled(dc.Channel(PLAIN), 10**6).seen_by(dc.WorstAllButOne())),
        lambda: dc.renyi_dp(crowd.seen_by(dc.WorstAllButOne()), 2),
        lambda: dc.renyi_dp(crowd.seen_by(mixed), 2),
        lambda: dc.mutual_information(crowd.seen_by(dc.Exchangeable([1, 1, 1, 1]))),
    ]
    for attempt in attempts:
        with pytest.raises(dc.errors.TooLargeError, match=r"take fewer|say what") as refusal:
            attempt()
        assert "\n" not in str(refusal.value)


@pytest.mark.long
def test_what_is_too_large_to_sample_is_bounded():
    rare = np.repeat([0.5, 0], [2, 10**6 - 2])
    kept = dc.bayes_security(dc.Shuffled(dc.RandomizedResponse(10**6, p=0.7), 10), rare)
    assert isinstance(kept, dc.Estimate)
    assert kept.certified
    assert 0 <= kept.low <= kept.high <= 1
    many = dc.posterior_vulnerability(dc.Shuffled(dc.UnaryEncoding.rappor(100, 1), 10**5))
    assert isinstance(many, dc.Estimate)
    assert 0.01 * (1 - 1e-9) <= many.low <= many.high < 0.012


def test_the_order_of_the_known_counts_decides_nothing():
    crowd = dc.Shuffled(dc.RandomizedResponse(3, epsilon=2), 200)
    guesses = {dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne(c))) for c in ([199, 0, 0], [0, 199, 0])}
    assert len({round(guess, 12) for guess in guesses}) == 1


@pytest.mark.parametrize("n", [1, 5, 700, 1400, 10**9])
def test_shuffling_does_not_change_the_epsilon_of_the_uninformed(n):
    mechanism = dc.RandomizedResponse(3, epsilon=1)
    assert dc.ldp_epsilon(dc.Shuffled(mechanism, n)) == exactly(1)
    if n == 5:
        assert dc.ldp_epsilon(dc.Shuffled(mechanism, n).channel()) == exactly(1)
