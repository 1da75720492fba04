"""The best mechanism: published optima, linear programs and a conic solver by the book, and never worse than others."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from discretion.information.design import goals, logdet
from discretion.information.design.frontier import ERASURE
from information.answers import highest, lowest
from oracles import design as slow, local_information, measures
from oracles.population_laws import law_of
from oracles.promise import exactly
from oracles.strategies import stochastic

MI = "mutual_information"
OBJECTIVES = ["asymptotic_utility", MI, 1 - np.eye(2), [[0, 3], [1, 0], [0.5, 0.5]]]
LEVELS = st.floats(-3, 1.5).map(lambda exponent: 10**exponent)


def distance(k):
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k)))


def matrix_of(design):
    return design.mechanism.channel().matrix


def expected_loss(matrix, law, loss):
    return float(slow.expected_loss(matrix, law, loss).sum())


def is_ldp(design, epsilon):
    matrix = matrix_of(design)
    assert np.abs(matrix.sum(axis=1) - 1).max() <= 1e-12
    return dc.ldp_epsilon(design.mechanism) <= epsilon * (1 + 1e-12) + 1e-12


@pytest.mark.parametrize("objective", OBJECTIVES, ids=["utility", "information", "errors", "costs"])
@pytest.mark.parametrize("alpha", [[0.5, 0.5], [1, 3]])
@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 2, 20, 700])
def test_of_two_values_k_rr_is_the_best_for_everything(objective, alpha, epsilon):
    design = dc.optimal_mechanism(2, objective, epsilon=epsilon, population=dc.Dirichlet(alpha))
    assert isinstance(design.mechanism, dc.RandomizedResponse)
    assert (design.mechanism.k, design.mechanism.epsilon, design.gap) == (2, epsilon, 0)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 1.5, 3, 6])
def test_the_most_informative_mechanism_is_the_best_subset_selection(k, epsilon):
    # Kairouz, Oh and Viswanath 2014: of a uniform value. Enumerated, with 50 digits.
    prior = measures.fractions(np.full(k, 1 / k))
    informations = {
        size: measures.mutual_information(
            [measures.fractions(row) for row in slow.subset_selection(k, size, epsilon)], prior
        )
        for size in range(1, k)
    }
    best = max(informations, key=informations.get)
    design = dc.optimal_mechanism(k, MI, epsilon=epsilon)
    assert getattr(design.mechanism, "size", 1) == best
    assert design.mechanism.epsilon == epsilon
    assert design.value == exactly(informations[best])
    assert design.gap == 0


@given(st.integers(2, 10**6), LEVELS)
def test_the_most_informative_subset_is_no_worse_than_its_neighbours(k, epsilon):
    design = dc.optimal_mechanism(k, MI, epsilon=epsilon)
    size = design.kinds[0].size
    for other in {max(1, size - 1), min(k - 1, size + 1)}:
        assert dc.mutual_information(dc.SubsetSelection(k, epsilon, other)) <= design.value * (1 + 1e-12)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 2, 8])
@pytest.mark.parametrize("alpha", [[1, 2, 3], [0.5, 0.5, 7], [1, 2, 3, 4], [3, 3, 1, 1]])
def test_information_and_losses_are_the_best_over_all_columns(alpha, epsilon):
    population, k = dc.Dirichlet(alpha), len(alpha)
    columns, law = slow.staircase(k, epsilon), population.mean
    design = dc.optimal_mechanism(k, MI, epsilon=epsilon, population=population)
    assert design.value == pytest.approx(slow.most(slow.information(columns, law), columns), rel=1e-9)
    assert design.value == exactly(slow.information(matrix_of(design), law).sum())
    assert is_ldp(design, epsilon)
    assert 0 <= design.gap <= 1e-10 * design.value
    for loss in (1 - np.eye(k), distance(k) ** 2, np.random.default_rng(k).random((5, k))):
        design = dc.optimal_mechanism(k, loss, epsilon=epsilon, population=population)
        expected = -slow.most(-slow.expected_loss(columns, law, loss), columns)
        assert design.value == exactly(expected)
        assert design.value == exactly(expected_loss(matrix_of(design), law, loss))
        assert is_ldp(design, epsilon)
        assert 0 <= design.gap <= 1e-10


@pytest.mark.long
@given(st.data())
def test_no_channel_is_better_than_the_best_at_its_own_epsilon(data):
    k = data.draw(st.integers(2, 4))
    channel = dc.Channel(data.draw(stochastic(k, data.draw(st.integers(2, 4)))))
    epsilon = dc.ldp_epsilon(channel)
    assume(0 < epsilon < math.inf)
    population = dc.Dirichlet(data.draw(st.lists(st.integers(1, 9), min_size=k, max_size=k)))
    best = dc.optimal_mechanism(k, MI, epsilon=epsilon, population=population)
    assert dc.mutual_information(channel, population.mean) <= highest(best.value) + 1e-12
    loss = data.draw(stochastic(3, k))
    best = dc.optimal_mechanism(k, loss, epsilon=epsilon, population=population)
    assert expected_loss(channel.matrix, population.mean, loss) >= lowest(best.value) - 1e-12


@pytest.mark.long
@settings(max_examples=20)
@given(st.data())
def test_no_faithful_channel_is_of_more_use_than_the_best_at_its_own_epsilon(data):
    channel = dc.Channel(data.draw(stochastic(3, 3)))
    epsilon = dc.ldp_epsilon(channel)
    assume(epsilon < math.inf and dc.information.is_faithful(channel))
    population = dc.Dirichlet(data.draw(st.lists(st.integers(1, 4), min_size=3, max_size=3)))
    best = dc.optimal_mechanism(3, epsilon=epsilon, population=population, rng=1)
    assert lowest(dc.information.asymptotic_utility(channel, population)) <= highest(best.value) + 1e-10


def protocols(k, epsilon):
    unary = dc.UnaryEncoding
    yield from (dc.RandomizedResponse(k, epsilon), unary.rappor(k, epsilon), unary.oue(k, epsilon))
    yield from (unary.blh(k, epsilon), dc.HadamardResponse(k, epsilon), dc.LocalHashing(k, epsilon, g=2))
    yield from (dc.SubsetSelection(k, epsilon, size) for size in range(1, k))


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (3, 0.3), (3, 1), (3, 3), (4, 0.3), (4, 1), (4, 3), (5, 0.7)])
def test_no_named_protocol_is_better(k, epsilon):
    useful = dc.optimal_mechanism(k, epsilon=epsilon, rng=1)
    informative = dc.optimal_mechanism(k, MI, epsilon=epsilon)
    sure = dc.optimal_mechanism(k, 1 - np.eye(k), epsilon=epsilon)
    for protocol in protocols(k, epsilon):
        assert lowest(dc.information.asymptotic_utility(protocol, rng=1)) <= highest(useful.value) + 1e-12
        assert dc.mutual_information(protocol) <= informative.value * (1 + 1e-12)
        assert dc.bayes_risk(protocol) >= sure.value - 1e-12


@pytest.mark.long
@pytest.mark.parametrize("k", [3, 4, 5, 8])
def test_with_little_privacy_k_rr_is_of_most_use(k):
    design = dc.optimal_mechanism(k, epsilon=4, rng=1)
    assert isinstance(design.mechanism, dc.RandomizedResponse)
    assert design.value == dc.information.asymptotic_utility(dc.RandomizedResponse(k, epsilon=4))
    assert design.gap <= 1e-6
    assert design.kinds[0].weight == 1


@pytest.mark.long
@pytest.mark.parametrize(("k", "size"), [(4, 2), (6, 3), (8, 4)])
def test_with_much_privacy_half_of_the_values_are_of_most_use(k, size):
    design = dc.optimal_mechanism(k, epsilon=0.01, rng=1)
    assert (design.mechanism.size, design.mechanism.epsilon) == (size, 0.01)
    assert design.gap <= 1e-6


@pytest.mark.long
def test_between_two_sizes_a_mixture_is_of_more_use_than_both():
    design = dc.optimal_mechanism(4, epsilon=0.57, rng=1)
    assert {kind.size for kind in design.kinds} == {1, 2}
    assert is_ldp(design, 0.57)
    assert design.gap <= 1e-6
    assert sum(kind.weight for kind in design.kinds) == exactly(1)
    utility = local_information.asymptotic_utility(matrix_of(design), law_of(dc.Dirichlet.jeffreys(4)))
    assert lowest(design.value) <= utility <= highest(design.value)
    for size in (1, 2):
        assert highest(dc.information.asymptotic_utility(dc.SubsetSelection(4, 0.57, size), rng=1)) < lowest(
            design.value
        )


@pytest.mark.long
@pytest.mark.parametrize(
    ("alpha", "epsilon"),
    [([0.5] * 3, 1), ([0.5, 1, 2], 0.1), ([0.5] * 4, 0.57), ([0.4, 0.46, 0.54, 0.6], 0.62), ([3, 3, 1, 1], 0.3)],
)
def test_a_conic_solver_agrees(alpha, epsilon):
    cvxpy = pytest.importorskip("cvxpy")
    design = dc.optimal_mechanism(len(alpha), epsilon=epsilon, population=dc.Dirichlet(alpha), rng=1)
    expected = slow.best_asymptotic_utility(cvxpy, alpha, epsilon, order=5)
    assert float(design.value) == pytest.approx(expected, abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(
    ("alpha", "epsilon"),
    [([0.4, 0.46, 0.54, 0.6], 1e-5), ([0.4, 0.46, 0.54, 0.6], 0.6), ([0.5, 1, 2, 3], 3), ([0.5, 1, 2, 3, 3], 0.6)],
)
def test_where_values_differ_the_utility_is_certified_as_well(alpha, epsilon):
    population = dc.Dirichlet(alpha)
    design = dc.optimal_mechanism(len(alpha), epsilon=epsilon, population=population, rng=1)
    assert is_ldp(design, epsilon)
    assert design.gap <= 1e-6
    assert highest(design.value) - lowest(design.value) <= 1e-4
    for size in range(1, len(alpha)):
        other = dc.information.asymptotic_utility(dc.SubsetSelection(len(alpha), epsilon, size), population, rng=1)
        assert lowest(other) <= highest(design.value)


@pytest.mark.long
def test_eight_values_that_differ():
    population = dc.Dirichlet([0.5, 1, 2, 3, 3, 4, 1, 2])
    design = dc.optimal_mechanism(8, epsilon=0.5, population=population, rng=1)
    assert design.gap <= 1e-6
    assert is_ldp(design, 0.5)
    assert lowest(dc.information.asymptotic_utility(dc.SubsetSelection(8, 0.5, 3), population, rng=1)) <= highest(
        design.value
    )


@pytest.mark.long
def test_the_same_seed_gives_the_same_design():
    population = dc.Dirichlet([0.5, 1, 2, 3, 3])
    one, other = (dc.optimal_mechanism(5, epsilon=1, population=population, rng=3) for _ in range(2))
    assert (one.value, one.gap, one.kinds) == (other.value, other.gap, other.kinds)


def test_distances_between_many_values_need_no_list_of_all_sets():
    k = 60
    design = dc.optimal_mechanism(k, distance(k), epsilon=1)
    assert is_ldp(design, 1)
    assert design.gap <= 1e-9
    assert design.value < expected_loss(
        np.asarray(dc.RandomizedResponse(k, 1).channel().matrix), np.full(k, 1 / k), distance(k)
    )


def test_a_guess_to_be_avoided_is_hidden_among_all_others():
    # The loss of naming the value: the best is a set of all values but one, which is then the guess.
    design = dc.optimal_mechanism(5, np.eye(5), epsilon=1)
    assert (design.mechanism.size, design.kinds[0].members) == (4, None)
    assert design.value == exactly(math.exp(-1) / (4 + math.exp(-1)))


class TestAveragePrivacy:
    @pytest.mark.long
    @pytest.mark.parametrize(
        ("k", "privacy", "utility", "no_noise"),
        # MATHS, section 3: Jeffreys' prior, k-RR with epsilon = 2.
        [(3, 0.62140509, -0.83284001, 0.08106147), (5, 0.70452956, -0.89407087, 0.24772813)],
    )
    def test_of_no_less_use_than_k_rr_and_than_to_answer_seldom_but_honestly(self, k, privacy, utility, no_noise):
        design = dc.optimal_mechanism(k, min_average_privacy=privacy, rng=1)
        assert dc.information.average_privacy(design.mechanism) >= privacy - 1e-12
        assert design.value > utility
        # A person that answers with probability 1-L keeps L of their information, and is worth that many people.
        assert design.value == pytest.approx(no_noise + math.log(1 - privacy) / 2, abs=1e-7)
        assert (design.gap, design.certificate) == (0, ERASURE)

    @pytest.mark.long
    @pytest.mark.parametrize("privacy", [0.1, 0.6214, 0.97])
    def test_a_search_without_the_theorem_finds_nothing_better_than_erasure(self, privacy, monkeypatch):
        proved = dc.optimal_mechanism(3, min_average_privacy=privacy)
        monkeypatch.setattr(goals, "has_frontier", lambda _: False)
        found = dc.optimal_mechanism(3, min_average_privacy=privacy, rng=1)
        assert "searched" in found.certificate
        assert float(found.value) == pytest.approx(proved.value, abs=1e-5)

    @pytest.mark.parametrize("privacy", [0.2, 0.5, 0.9])
    def test_information_on_a_coin_is_that_of_a_fine_grid(self, privacy):
        design = dc.optimal_mechanism(2, MI, min_average_privacy=privacy)
        assert design.value == pytest.approx(slow.most_information_under_privacy(privacy), rel=1e-4)
        assert dc.information.average_privacy(design.mechanism) >= privacy - 1e-12

    @pytest.mark.long
    @pytest.mark.parametrize("objective", ["asymptotic_utility", MI, 1 - np.eye(3), distance(3)])
    @pytest.mark.parametrize("population", [None, dc.Dirichlet([1, 2, 3])])
    @pytest.mark.parametrize("epsilon", [None, 2])
    def test_both_bounds_are_kept(self, objective, population, epsilon):
        design = dc.optimal_mechanism(3, objective, epsilon, min_average_privacy=0.8, population=population, rng=1)
        assert dc.information.average_privacy(design.mechanism, population) >= 0.8 - 1e-12
        assert is_ldp(design, math.inf if epsilon is None else epsilon)
        assert design.gap <= 1e-6

    def test_a_bound_on_epsilon_costs_and_one_that_is_kept_anyhow_does_not(self):
        free = dc.optimal_mechanism(3, MI, min_average_privacy=0.8)
        bounded = dc.optimal_mechanism(3, MI, epsilon=0.5, min_average_privacy=0.8)
        assert bounded.value < free.value
        # MATHS: k-RR with epsilon = 2 keeps 0.62 anyhow.
        kept = dc.optimal_mechanism(3, epsilon=2, min_average_privacy=0.6)
        assert kept.mechanism.epsilon == 2
        assert kept.certificate == dc.optimal_mechanism(3, epsilon=2).certificate

    def test_of_a_finite_mixture(self):
        population = dc.PointMixture([[0.5, 0.5, 0], [0, 0.5, 0.5]], [0.5, 0.5])
        design = dc.optimal_mechanism(3, MI, min_average_privacy=0.7, population=population)
        assert dc.information.average_privacy(design.mechanism, population) >= 0.7 - 1e-12
        assert design.value > dc.mutual_information(dc.RandomizedResponse(3, epsilon=1), population.mean)

    @pytest.mark.long
    def test_of_many_values(self):
        design = dc.optimal_mechanism(200, 1 - np.eye(200), min_average_privacy=0.9)
        assert design.kinds[0].size == 1
        assert dc.information.average_privacy(design.mechanism) >= 0.9 - 1e-12

    @pytest.mark.long
    def test_of_values_that_differ_and_are_too_many_for_gauss(self, monkeypatch):
        monkeypatch.setattr(logdet, "MOST_VALUES_OF_GAUSS", 4)
        population = dc.Dirichlet(range(1, 6))
        design = dc.optimal_mechanism(5, min_average_privacy=0.5, population=population, rng=1)
        assert dc.information.average_privacy(design.mechanism, population) >= 0.5 - 1e-12
        no_noise = dc.information.asymptotic_utility(dc.RandomizedResponse(5, epsilon=math.inf), population)
        assert float(design.value) > no_noise + math.log(0.5) / 2
        assert design.gap <= 1e-6

    @pytest.mark.long
    @pytest.mark.parametrize("privacy", [1e-9, 1e-3, 0.99, 0.999999])
    @pytest.mark.parametrize("objective", ["asymptotic_utility", MI, distance(3)], ids=["utility", MI, "distance"])
    def test_next_to_all_and_to_nothing(self, privacy, objective):
        population = dc.Dirichlet([1, 2, 3])
        design = dc.optimal_mechanism(3, objective, min_average_privacy=privacy, population=population, rng=1)
        assert dc.information.average_privacy(design.mechanism, population) >= privacy - 1e-12
        assert design.gap <= 1e-6

    def test_a_loss_that_no_report_lowers(self):
        design = dc.optimal_mechanism(3, [[1, 1, 1]], min_average_privacy=0.7)
        assert design.value == exactly(1)
        assert dc.information.average_privacy(design.mechanism) >= 0.7 - 1e-12


class TestEnds:
    @pytest.mark.parametrize("objective", ["asymptotic_utility", MI, 1 - np.eye(3)])
    @pytest.mark.parametrize("bounds", [{"epsilon": math.inf}, {"min_average_privacy": 0}])
    def test_nothing_is_better_than_the_truth(self, objective, bounds):
        design = dc.optimal_mechanism(3, objective, **bounds)
        assert design.mechanism.epsilon == math.inf
        expected = {"asymptotic_utility": dc.information.asymptotic_utility(dc.Channel(np.eye(3))), MI: math.log(3)}
        assert design.value == exactly(expected[objective] if isinstance(objective, str) else 0)

    @pytest.mark.parametrize(
        "bounds", [{"epsilon": 0}, {"min_average_privacy": 1}, {"epsilon": 2, "min_average_privacy": 1}]
    )
    def test_reports_that_tell_nothing(self, bounds):
        assert dc.optimal_mechanism(3, MI, **bounds).value == 0
        assert dc.optimal_mechanism(3, 1 - np.eye(3), **bounds).value == exactly(2 / 3)
        with pytest.raises(dc.errors.InvalidValueError, match="-inf"):
            dc.optimal_mechanism(3, **bounds)

    @pytest.mark.long
    def test_a_tiny_epsilon_keeps_its_digits(self):
        # I of a set that holds half of the people: ε²/8 to first order.
        assert dc.optimal_mechanism(10**6, MI, epsilon=1e-9).value == pytest.approx(1.25e-19, rel=1e-8, abs=0)
        halves = dc.optimal_mechanism(4, MI, epsilon=1e-6, population=dc.Dirichlet([1, 2, 3, 4]))
        assert halves.value == pytest.approx(1.25e-13, rel=1e-5, abs=0)
        assert {kind.members for kind in halves.kinds} == {(0, 3), (1, 2)}
        design = dc.optimal_mechanism(4, epsilon=1e-7, rng=1)
        assert design.mechanism.size == 2
        # The information on P is proportional to ε².
        larger = dc.optimal_mechanism(4, epsilon=1e-5, rng=1)
        assert float(larger.value) - float(design.value) == pytest.approx(math.log(100), abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"k": 3}, "epsilon, min_average_privacy or both.*truth"),
        ({"k": 1, "epsilon": 1}, "k must be a whole number of at least 2"),
        ({"k": 3, "epsilon": -1}, "epsilon must be at least 0"),
        ({"k": 3, "epsilon": math.nan}, "epsilon must be a number"),
        ({"k": 3, "min_average_privacy": 1.5}, r"min_average_privacy must be in \[0, 1\], got 1.5"),
        ({"k": 3, "min_average_privacy": -0.1}, r"min_average_privacy must be in \[0, 1\]"),
        ({"k": 3, "epsilon": 1, "objective": "mutual_informations"}, "did you mean 'mutual_information'"),
        ({"k": 3, "epsilon": 1, "objective": "speed"}, "'distribution_utility', .* or a loss matrix, got 'speed'"),
        ({"k": 3, "epsilon": 1, "objective": [[0, 1]]}, r"a column per value \(3\), got an array of shape \(1, 2\)"),
        ({"k": 3, "epsilon": 1, "objective": [[0, 1], [1]]}, "rows of equal length"),
        ({"k": 2, "epsilon": 1, "objective": [[0, math.nan]]}, "got nan for guess 0 and value 1"),
        ({"k": 3, "epsilon": 1, "population": dc.Dirichlet([1, 1])}, "2 values and the system 3"),
        (
            {"k": 2, "objective": MI, "min_average_privacy": 0.5, "population": dc.PointMixture([[1, 0]], [1])},
            "nothing is private",
        ),
        ({"k": 10**6 + 1, "epsilon": 1}, "k of at most 1,000,000; got 1,000,001"),
        ({"k": 3, "epsilon": 1, "n": 5}, "n=5 is the number of reports for the distribution utility"),
        ({"k": 3, "epsilon": 1, "objective": "distribution_utility"}, "needs n, the number of reports"),
        ({"k": 3, "epsilon": 1, "objective": "distribution_utility", "n": 0}, "n must be a whole number of at least 1"),
        ({"k": 9, "epsilon": 1, "objective": "distribution_utility", "n": 2}, "k must be at most 8; got 9"),
        (
            {"k": 9, "epsilon": 1, "population": dc.Dirichlet(range(1, 10))},
            "where values differ, k must be at most 8; got 9",
        ),
        ({"k": 13, "epsilon": 1, "objective": MI, "population": dc.Dirichlet(range(1, 14))}, "at most 12; got 13"),
        ({"k": 200, "epsilon": 1, "objective": distance(200)}, "at most 16,384 entries"),
    ],
)
def test_bad_input_is_said_in_a_sentence(arguments, complaint):
    with pytest.raises(dc.errors.InvalidValueError, match=complaint):
        dc.optimal_mechanism(**arguments)


def test_the_asymptotic_utility_needs_a_density():
    population = dc.PointMixture([[0.5, 0.5], [0.1, 0.9]], [0.5, 0.5])
    with pytest.raises(dc.errors.UnsupportedError, match="density"):
        dc.optimal_mechanism(2, epsilon=1, population=population)
