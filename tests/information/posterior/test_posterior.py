"""What reports tell of the population: the posterior law of its shares."""

import itertools
import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import kolmogorov

import discretion as dc
from discretion.information.posterior import gibbs
from oracles.laws import binomial, large_multinomial
from oracles.posterior import Binary, Enumerated, Shifted
from oracles.promise import exactly
from support.lowering import lowered

ASYMMETRIC = [[0.7, 0.2, 0.1], [0.15, 0.8, 0.05], [0.3, 0.1, 0.6]]
EXCLUDING = [[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.5, 0.25], [0.25, 0.0, 0.0, 0.75]]
BINARY = [[0.9, 0.1], [0.3, 0.7]]

CHANNELS = {
    "binary": BINARY,
    "asymmetric": ASYMMETRIC,
    "excluding": EXCLUDING,
    "partly the same": [[0.5, 0.3, 0.2], [0.5, 0.1, 0.4]],
    "fewer outputs": [[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]],
    "sharp": [[1 - 1e-9, 1e-9], [1e-12, 1 - 1e-12]],
    "unary encoding": dc.UnaryEncoding.oue(3, epsilon=1).channel().matrix,
    "nearly nothing": dc.RandomizedResponse(3, epsilon=1e-6).channel().matrix,
}
PRIORS = {"Jeffreys": 0.5, "tiny": 1e-13, "huge": 1e13, "uneven": None}


def alphas(prior, k):
    return [0.25 * 4**x for x in range(k)] if PRIORS[prior] is None else [PRIORS[prior]] * k


def unit(k, *values):
    return [values.count(x) for x in range(k)]


@pytest.fixture
def sampled(monkeypatch):
    """No sum is short enough to be exact, and a tenth of a standard deviation is near enough."""
    monkeypatch.setattr(gibbs, "PRECISION", 0.1)
    with lowered(MAX_POSTERIOR_TERMS=1):
        yield


# Moments


@pytest.mark.long
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_moments_are_those_of_everybody_s_value_enumerated(channel, prior):
    matrix = np.asarray(CHANNELS[channel])
    k, outputs = matrix.shape
    alpha = alphas(prior, k)
    for n in (1, 2, 4):
        seen = np.random.default_rng(n).choice(outputs, size=n)
        counts = np.bincount(seen, minlength=outputs)
        posterior = dc.frequency_posterior(dc.Channel(matrix), counts, dc.Dirichlet(alpha))
        oracle = Enumerated(matrix, counts, alpha)
        assert posterior.exact
        assert posterior.mean_error.tolist() == [0] * k
        for x, z in itertools.product(range(k), repeat=2):
            mean = oracle.moment(unit(k, x))
            assert posterior.mean[x] == exactly(mean)
            covariance = oracle.moment(unit(k, x, z)) - mean * oracle.moment(unit(k, z))
            # The promise on the shares' own scale, so that tiny variances are looked at too.
            assert posterior.covariance[x, z] == pytest.approx(float(covariance), rel=1e-8, abs=1e-20)


@pytest.mark.long
@pytest.mark.parametrize(
    ("epsilon", "counts"),
    [(1.0, [40, 25, 12]), (0.01, [100, 30, 70]), (5.0, [20, 0, 1, 5]), (1.0, [3, 2, 1, 1, 1, 1, 1, 1, 1, 0])],
)
def test_moments_under_randomized_response_are_those_of_the_paper_s_density(epsilon, counts):
    k = len(counts)
    posterior = dc.frequency_posterior(dc.RandomizedResponse(k, epsilon=epsilon), counts)
    oracle = Shifted(math.expm1(epsilon), counts, [0.5] * k)
    assert posterior.exact
    for x, z in itertools.combinations_with_replacement(range(min(k, 4)), 2):
        mean = oracle.moment(unit(k, x)), oracle.moment(unit(k, z))
        assert posterior.mean[x] == exactly(mean[0])
        assert posterior.covariance[x, z] == exactly(oracle.moment(unit(k, x, z)) - mean[0] * mean[1])


@pytest.mark.long
def test_thousands_of_reports_are_summed_over_exactly():
    counts = [1700, 1100]
    posterior = dc.frequency_posterior(dc.Channel(BINARY), counts)
    oracle = Binary(BINARY, counts, [0.5, 0.5], nodes=1500)
    assert posterior.exact
    assert posterior.mean[0] == exactly(oracle.mean)
    assert posterior.covariance[0, 0] == exactly(oracle.variance)


@pytest.mark.parametrize("alpha", [[0.5, 0.5], [1, 1], [3, 2]])
@pytest.mark.parametrize("counts", [[1, 0], [12, 30], [0, 60]])
def test_a_binary_marginal_is_what_quadrature_gives(counts, alpha):
    marginal = dc.frequency_posterior(dc.Channel(BINARY), counts, dc.Dirichlet(alpha)).marginal(0)
    oracle = Binary(BINARY, counts, alpha)
    assert marginal.mean == exactly(oracle.mean)
    assert marginal.variance == exactly(oracle.variance)
    points = np.array([0.001, 0.05, 0.3, 0.6, 0.8])
    assert marginal.cdf(points) == pytest.approx([oracle.cdf(p) for p in points], rel=1e-10, abs=1e-12)
    assert marginal.density(points) == pytest.approx([oracle.density(p) for p in points], rel=1e-10, abs=1e-12)
    for u in (1e-12, 0.025, 0.5, 0.7):
        assert oracle.cdf(marginal.quantile(u)) == pytest.approx(u, rel=1e-9)


def test_posteriors_average_to_the_prior():
    alpha, n = [0.5, 1.0, 2.5], 3
    mean = np.zeros(3)
    for counts in itertools.product(range(n + 1), repeat=3):
        if sum(counts) == n:
            orders = math.factorial(n) // math.prod(map(math.factorial, counts))
            chance = orders * float(Enumerated(ASYMMETRIC, counts, alpha).evidence)
            mean += chance * dc.frequency_posterior(dc.Channel(ASYMMETRIC), counts, dc.Dirichlet(alpha)).mean
    assert mean == exactly_all(dc.Dirichlet(alpha).mean)


def exactly_all(values):
    return pytest.approx(np.asarray(values), rel=1e-10, abs=1e-12)


# Marginals


@pytest.mark.parametrize("counts", [[0, 0, 0], [3, 0, 9], [60, 50, 40]])
def test_a_marginal_agrees_with_the_joint_law(counts):
    posterior = dc.frequency_posterior(dc.Channel(ASYMMETRIC), counts)
    for x in range(3):
        marginal = posterior.marginal(x)
        assert marginal.mean == exactly(posterior.mean[x])
        assert marginal.variance == exactly(posterior.covariance[x, x])


def test_a_marginal_is_a_law_on_the_unit_interval():
    marginal = dc.frequency_posterior(dc.Channel(ASYMMETRIC), [8, 1, 3]).marginal(0)
    points = np.linspace(-0.1, 1.1, 1201)
    chances = marginal.cdf(points)
    assert (np.diff(chances) >= 0).all()
    assert chances[points < 0].max() == 0
    assert chances[points >= 1].min() == 1
    assert marginal.density([-0.1, 1.1]).tolist() == [0, 0]
    middle = (points[1:] + points[:-1]) / 2
    inside = (middle > 0.1) & (middle < 0.9)
    assert np.diff(chances)[inside] == pytest.approx(1e-3 * marginal.density(middle)[inside], rel=1e-4)
    assert [marginal.quantile(u) for u in (0, 1)] == [0, 1]
    assert 0 < marginal.quantile(2**-60) < 1e-6
    assert 0.9 < marginal.quantile(1 - 2**-53) <= 1


@pytest.mark.parametrize("counts", [[8, 1, 3], [60, 50, 40]])
def test_quantiles_invert_the_cdf(counts):
    marginal = dc.frequency_posterior(dc.Channel(ASYMMETRIC), counts).marginal(1)
    for u in (1e-9, 0.01, 0.5, 0.99, 1 - 1e-9):
        assert marginal.cdf(marginal.quantile(u)) == pytest.approx(u, rel=1e-10)
    low, high = marginal.interval(0.9)
    assert (low, high) == (marginal.quantile((1 - 0.9) / 2), marginal.quantile((1 + 0.9) / 2))


def test_shares_below_any_number_have_a_quantile():
    marginal = dc.frequency_posterior(dc.Channel(BINARY), [0, 0], dc.Dirichlet([1e-4, 1])).marginal(0)
    # P(share <= p) = p^α for Beta(α, 1), which at the least number is still 0.93.
    assert marginal.quantile(0.5) == 0
    assert marginal.quantile(0.99) == pytest.approx(0.99**10_000, rel=1e-8)


def test_densities_at_the_ends():
    def at_ends(alpha):
        marginal = dc.frequency_posterior(dc.Channel(BINARY), [0, 0], dc.Dirichlet(alpha)).marginal(0)
        return marginal.density([0.0, 1.0]).tolist()

    assert at_ends([0.5, 2]) == [math.inf, 0]
    assert at_ends([1, 3]) == [3, 0]
    assert at_ends([1, 1]) == [1, 1]


def test_one_point_gives_one_number():
    marginal = dc.frequency_posterior(dc.Channel(BINARY), [3, 1]).marginal(0)
    assert isinstance(marginal.cdf(0.5), float)
    assert marginal.density([[0.5]]).shape == (1, 1)


# Where nothing need be summed


@pytest.mark.parametrize("counts", [[0, 0, 0], [7, 1, 10**9]])
def test_reports_that_tell_nothing_leave_the_prior(counts):
    alpha = [0.5, 1, 4]
    posterior = dc.frequency_posterior(dc.RandomizedResponse(3, epsilon=0), counts, dc.Dirichlet(alpha))
    assert posterior.exact
    assert posterior.mean == exactly_all(dc.Dirichlet(alpha).mean)
    shares = dc.Dirichlet(alpha).mean
    assert posterior.covariance == exactly_all((np.diag(shares) - np.outer(shares, shares)) / (5.5 + 1))


@pytest.mark.parametrize("counts", [[5, 0, 2], [4_000_000_000, 1, 0]])
def test_reports_without_noise_are_counted(counts):
    posterior = dc.frequency_posterior(dc.RandomizedResponse(3, epsilon=math.inf), counts)
    parameters = [Fraction(1, 2) + count for count in counts]
    total = sum(parameters)
    assert posterior.exact
    for x in range(3):
        share = parameters[x] / total
        assert posterior.mean[x] == pytest.approx(float(share), rel=1e-14)
        assert posterior.covariance[x, x] == pytest.approx(float(share * (1 - share) / (total + 1)), rel=1e-12)


def test_the_density_keeps_its_digits_at_any_size():
    hits, misses = 30_000_000, 70_000_000
    perfect = dc.RandomizedResponse(2, epsilon=math.inf)
    marginal = dc.frequency_posterior(perfect, [hits, misses], dc.Dirichlet([1, 1])).marginal(0)
    for p in (Fraction(3, 10), Fraction(30005, 100_000)):
        point = float(p)
        chance = large_multinomial([hits, misses], [Fraction(point), 1 - Fraction(point)])
        assert marginal.density(point) == pytest.approx(float((hits + misses + 1) * chance), rel=1e-10)


def test_the_order_and_the_splitting_of_outputs_do_not_matter():
    matrix = np.array(ASYMMETRIC)
    posterior = dc.frequency_posterior(dc.Channel(matrix), [5, 2, 4])
    backwards = dc.frequency_posterior(dc.Channel(matrix[:, ::-1]), [4, 2, 5])
    split = np.column_stack([0.25 * matrix[:, 0], 0.75 * matrix[:, 0], matrix[:, 1:]])
    for other in (backwards, dc.frequency_posterior(dc.Channel(split), [3, 2, 2, 4])):
        assert other.mean == exactly_all(posterior.mean)
        assert other.covariance == exactly_all(posterior.covariance)


def test_a_sparse_channel_is_the_same():
    sparse = pytest.importorskip("scipy.sparse")
    counts = [2, 1, 0, 3]
    one, other = (dc.frequency_posterior(dc.Channel(m), counts) for m in (EXCLUDING, sparse.csr_array(EXCLUDING)))
    assert one.mean.tolist() == other.mean.tolist()


# Populations that are one of some points


POINTS = dc.PointMixture([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0, 0, 1]], [0.5, 0.3, 0.2])


def test_points_are_weighed_by_bayes_rule():
    counts = [4, 2, 1]
    posterior = dc.frequency_posterior(dc.Channel(ASYMMETRIC), counts, POINTS)
    rows = [[Fraction(float(p)) for p in row] for row in ASYMMETRIC]
    points = [[Fraction(float(p)) for p in point] for point in POINTS.points]
    weights = []
    for point, weight in zip(points, POINTS.weights, strict=True):
        chances = [sum(p * row[y] for p, row in zip(point, rows, strict=True)) for y in range(3)]
        weights.append(Fraction(float(weight)) * math.prod(q**s for q, s in zip(chances, counts, strict=True)))
    mean = [sum(w * p[x] for w, p in zip(weights, points, strict=True)) / sum(weights) for x in range(3)]
    assert posterior.exact
    assert posterior.mean == exactly_all([float(share) for share in mean])
    squares = sum(w * p[0] * p[1] for w, p in zip(weights, points, strict=True)) / sum(weights)
    assert posterior.covariance[0, 1] == exactly(squares - mean[0] * mean[1])
    marginal = posterior.marginal(0)
    chance = float(weights[2] / sum(weights))
    assert marginal.cdf([-1, 0, 0.05, 1]) == pytest.approx([0, chance, chance, 1], rel=1e-10)
    assert (marginal.quantile(chance / 2), marginal.quantile(1)) == (0, 0.5)
    assert marginal.mean == exactly(posterior.mean[0])
    assert marginal.variance == exactly(posterior.covariance[0, 0])
    assert {tuple(p) for p in posterior.sample(200, rng=1)} <= {tuple(p) for p in POINTS.points}


def test_points_have_no_density():
    with pytest.raises(dc.errors.UnsupportedError, match="no density; use cdf instead"):
        dc.frequency_posterior(dc.Channel(ASYMMETRIC), [1, 0, 0], POINTS).marginal(0).density(0.5)


def test_a_point_is_ruled_out_by_what_it_cannot_send():
    mixture = dc.PointMixture([[1, 0], [0.5, 0.5]], [0.999, 0.001])
    posterior = dc.frequency_posterior(dc.Channel([[1, 0], [0.5, 0.5]]), [10**6, 1], mixture)
    assert posterior.mean.tolist() == [0.5, 0.5]


def test_near_points_are_told_apart_by_billions_of_reports():
    near = 2.0**-20
    mixture = dc.PointMixture([[0.5, 0.5], [0.5 + near, 0.5 - near]], [0.5, 0.5])
    counts = [2_000_001_000, 1_999_999_000]
    posterior = dc.frequency_posterior(dc.RandomizedResponse(2, epsilon=math.inf), counts, mixture)
    # log((1 + 2d)^s (1 - 2d)^t) = (s - t) atanh(2d) + (s + t)/2 · log(1 - 4d²)
    odds = math.exp(2000 * math.atanh(2 * near) + 2_000_000_000 * math.log1p(-4 * near * near))
    assert posterior.mean[0] - 0.5 == pytest.approx(near * odds / (1 + odds), rel=1e-9)


def test_reports_that_no_point_sends_are_refused():
    with pytest.raises(dc.errors.InvalidValueError, match=r"impossible under every point.*add one"):
        dc.frequency_posterior(dc.Channel(np.eye(2)), [1, 1], dc.PointMixture([[1, 0], [0, 1]], [0.5, 0.5]))


# Sampled posteriors


@pytest.mark.long
@pytest.mark.parametrize(
    ("channel", "counts", "alpha"),
    [
        ("asymmetric", [30, 11, 9], [0.5, 0.5, 0.5]),
        ("asymmetric", [3, 1, 9], [0.05, 1, 20]),
        ("excluding", [3, 14, 5, 8], [0.5, 0.5, 0.5]),
        ("fewer outputs", [12, 8], [1, 1, 1]),
        ("binary", [3, 1], [1e-300, 1e-300]),
    ],
)
def test_chains_agree_with_the_exact_sum(channel, counts, alpha):
    system, prior = dc.Channel(CHANNELS[channel]), dc.Dirichlet(alpha)
    exact = dc.frequency_posterior(system, counts, prior)
    with lowered(MAX_POSTERIOR_TERMS=1):
        drawn = dc.frequency_posterior(system, counts, prior, rng=1)
    assert exact.exact
    assert not drawn.exact
    deviations = np.sqrt(np.diag(exact.covariance))
    assert (drawn.mean_error > 0).all()
    assert (drawn.mean_error < 0.012 * deviations).all()
    assert (np.abs(drawn.mean - exact.mean) < 4.5 * drawn.mean_error).all()
    assert drawn.covariance / np.outer(deviations, deviations) == pytest.approx(
        exact.covariance / np.outer(deviations, deviations), abs=0.06
    )
    points = np.linspace(0.05, 0.95, 7)
    for x in range(len(alpha)):
        assert drawn.marginal(x).cdf(points) == pytest.approx(exact.marginal(x).cdf(points), abs=0.025)


@pytest.mark.long
def test_the_stated_error_is_the_error(sampled):
    """Over many runs, errors divided by what is stated spread as a t law with 31 degrees of freedom does."""
    exact = Enumerated(ASYMMETRIC, [2, 1, 1], [Fraction(1, 2)] * 3)
    mean = np.array([float(exact.moment(unit(3, x))) for x in range(3)])
    runs = [dc.frequency_posterior(dc.Channel(ASYMMETRIC), [2, 1, 1], rng=seed) for seed in range(40)]
    ratios = np.array([(run.mean - mean)[0] / run.mean_error[0] for run in runs])
    # Of 40 such squares the mean is 31/29, give or take 0.26.
    assert 0.4 < (ratios**2).mean() < 1.9


@pytest.mark.long
def test_more_reports_than_can_be_summed_over_agree_with_the_paper_s_density():
    counts, epsilon = [400, 250, 200, 100, 50], 1.0
    posterior = dc.frequency_posterior(dc.RandomizedResponse(5, epsilon=epsilon), counts, rng=7)
    oracle = Shifted(math.expm1(epsilon), counts, [0.5] * 5)
    assert not posterior.exact
    for x in range(5):
        mean = float(oracle.moment(unit(5, x)))
        variance = float(oracle.moment(unit(5, x, x))) - mean**2
        assert abs(posterior.mean[x] - mean) < 4.5 * posterior.mean_error[x]
        assert posterior.covariance[x, x] == pytest.approx(variance, rel=0.06)
        assert posterior.mean_error[x] < 0.012 * math.sqrt(variance)


@pytest.mark.long
def test_a_million_reports_leave_what_the_information_in_them_allows():
    """Bernstein and von Mises: a normal law around the best estimate, its covariance the inverse information."""
    k, n = 10, 10**6
    mechanism = dc.RandomizedResponse(k, epsilon=2)
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    chances = shares @ mechanism.channel().matrix
    counts = np.round(n * chances).astype(int)
    posterior = dc.frequency_posterior(mechanism, counts, rng=3)
    estimate = mechanism.estimate_from_aggregate(counts, int(counts.sum()))
    inverse = np.linalg.inv(mechanism.channel().matrix)
    reported = (np.diag(chances) - np.outer(chances, chances)) / n
    covariance = inverse.T @ reported @ inverse
    deviations = np.sqrt(np.diag(covariance))
    assert (posterior.mean_error < 0.012 * deviations).all()
    assert (np.abs(posterior.mean - estimate) < 0.06 * deviations).all()
    assert np.sqrt(np.diag(posterior.covariance)) == pytest.approx(deviations, rel=0.03)


def test_the_prior_is_sampled_where_reports_tell_next_to_nothing(sampled):
    posterior = dc.frequency_posterior(dc.RandomizedResponse(3, epsilon=1e-12), [5, 3, 0], rng=1)
    assert not posterior.exact
    assert posterior.mean == exactly_all([1 / 3] * 3)


def test_the_same_seed_gives_the_same_posterior(sampled):
    system = dc.Channel(ASYMMETRIC)
    one, same, other = (dc.frequency_posterior(system, [9, 4, 6], rng=seed) for seed in (1, 1, 2))
    assert one.mean.tolist() == same.mean.tolist() != other.mean.tolist()
    assert one.sample(5, rng=3).tolist() == same.sample(5, rng=3).tolist()


# Draws


@pytest.mark.one_in(2)
@pytest.mark.parametrize("counts", [[0, 0, 0], [9, 4, 6]])
def test_draws_follow_the_posterior(counts):
    posterior = dc.frequency_posterior(dc.Channel(ASYMMETRIC), counts)
    drawn = posterior.sample(20_000, rng=5)
    assert drawn.shape == (20_000, 3)
    assert drawn.sum(axis=1) == pytest.approx(np.ones(20_000))
    for x in range(3):
        distance = np.abs(np.sort(posterior.marginal(x).cdf(drawn[:, x])) - np.arange(20_000) / 20_000).max()
        assert kolmogorov(math.sqrt(20_000) * distance) > 1e-3
    assert np.cov(drawn.T) == pytest.approx(posterior.covariance, abs=0.003)


@pytest.mark.long
def test_populations_are_covered_as_often_as_intervals_say():
    """Populations drawn from the prior, reports from them: 95 % of the intervals hold the truth, whatever the noise."""
    rng, alpha, n, repetitions = np.random.default_rng(11), [0.5, 1, 2], 20, 600
    matrix = np.array(ASYMMETRIC)
    levels = np.empty(repetitions)
    covered = 0
    for repetition in range(repetitions):
        shares = rng.dirichlet(alpha)
        counts = rng.multinomial(n, shares @ matrix)
        marginal = dc.frequency_posterior(dc.Channel(matrix), counts, dc.Dirichlet(alpha)).marginal(repetition % 3)
        low, high = marginal.interval()
        share = shares[repetition % 3]
        covered += low <= share <= high
        levels[repetition] = marginal.cdf(share)
    tail = sum(binomial(repetitions, c, 0.95) for c in range(min(covered, 2 * 570 - covered) + 1))
    assert tail > 1e-3
    distance = np.abs(np.sort(levels) - np.arange(1, repetitions + 1) / repetitions).max()
    assert kolmogorov(math.sqrt(repetitions) * distance) > 1e-3


# Diagnostics


def test_chains_that_agree_have_r_hat_one(sampled):
    pytest.importorskip("arviz_stats")
    diagnostics = dc.frequency_posterior(dc.Channel(ASYMMETRIC), [9, 4, 6], rng=1).diagnostics()
    assert diagnostics.r_hat == pytest.approx(np.ones(3), abs=0.1)
    assert (diagnostics.ess > 100).all()


def test_an_exact_posterior_has_nothing_to_diagnose():
    with pytest.raises(dc.errors.UnsupportedError, match="exact posterior has no chains"):
        dc.frequency_posterior(dc.Channel(ASYMMETRIC), [1, 0, 0]).diagnostics()


def test_diagnostics_without_arviz_name_the_extra(sampled, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz_stats.base", None)
    with pytest.raises(dc.errors.UnsupportedError, match="install Discretion with its extra posterior"):
        dc.frequency_posterior(dc.Channel(ASYMMETRIC), [1, 1, 0], rng=1).diagnostics()


# What it says, and what it refuses


def test_a_posterior_says_how_it_was_got(sampled):
    assert repr(dc.frequency_posterior(dc.Channel(BINARY), [0, 0])) == (
        "FrequencyPosterior(k=2, exact: conjugate update)"
    )
    assert "sampled: Gibbs" in repr(dc.frequency_posterior(dc.Channel(BINARY), [1, 2], rng=1))


def test_a_posterior_does_not_change():
    posterior = dc.frequency_posterior(dc.Channel(BINARY), [1, 2])
    with pytest.raises(AttributeError):
        posterior.method = "guess"
    with pytest.raises(ValueError, match="read-only"):
        posterior.mean[0] = 1


@pytest.mark.parametrize(
    "counts",
    [[1, 2], [1, 2, -1], [1.0, 2.0, 0.0], [[1, 2, 3]], 3, [1, [2], 3], ["1", "2", "3"], [True, False, True], None],
)
def test_counts_are_whole_numbers_one_per_output(counts):
    with pytest.raises(dc.errors.InvalidValueError, match="counts must be 3 whole numbers of at least 0"):
        dc.frequency_posterior(dc.RandomizedResponse(3, epsilon=1), counts)


@pytest.mark.parametrize("counts", [[10**10, 1], [2**62, 2**62]])
def test_too_many_reports_are_refused(counts):
    with pytest.raises(dc.errors.TooLargeError, match="at most 10,000,000,000 reports"):
        dc.frequency_posterior(dc.RandomizedResponse(2, epsilon=1), counts)


def test_an_output_that_nobody_sends_cannot_have_been_seen():
    system = dc.Channel([[0.5, 0.5, 0], [0.2, 0.8, 0]], outputs=["yes", "no", "maybe"])
    assert dc.frequency_posterior(system, [1, 2, 0]).exact
    with pytest.raises(dc.errors.InvalidValueError, match="output 'maybe' is never sent"):
        dc.frequency_posterior(system, [1, 2, 3])


def test_a_channel_that_cannot_be_written_down_is_refused():
    with pytest.raises(dc.errors.TooLargeError, match="entries"):
        dc.frequency_posterior(dc.RandomizedResponse(100_000, epsilon=1), [0] * 100_000)


def test_too_many_different_reports_to_sample_for_are_refused():
    matrix = np.random.default_rng(1).dirichlet(np.ones(300), size=300)
    with pytest.raises(dc.errors.TooLargeError, match="300 different reports on 300 values"):
        dc.frequency_posterior(dc.Channel(matrix), [1] * 300)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (
            lambda: dc.frequency_posterior(dc.Shuffled(dc.RandomizedResponse(2, p=0.8), 5), [1, 1]),
            TypeError,
            "shuffler hides nothing",
        ),
        (lambda: dc.frequency_posterior(BINARY, [1, 1]), TypeError, r"wrap a matrix with discretion\.Channel"),
        (lambda: posterior_of(dc.Dirichlet.jeffreys(3)), ValueError, "population has 3 values and the system 2"),
        (lambda: posterior_of([0.5, 0.5]), TypeError, "population must be"),
        (lambda: dc.frequency_posterior(dc.Channel(BINARY), [1, 1], rng=-1), ValueError, "rng"),
        (lambda: posterior_of().marginal(2), ValueError, r"x must be in 0\.\.1, got 2"),
        (lambda: posterior_of().sample(0), ValueError, "m must be"),
        (lambda: posterior_of().marginal(0).quantile(1.5), ValueError, r"u must be in \[0, 1\], got 1\.5"),
        (lambda: posterior_of().marginal(0).interval(1), ValueError, r"level must be in \(0, 1\), got 1"),
        (lambda: posterior_of().marginal(0).cdf(math.nan), ValueError, "p must be a number"),
        (lambda: posterior_of().marginal(0).density("x"), ValueError, "p must be a number"),
    ],
)
def test_bad_input_is_refused(make, error, words):
    with pytest.raises(error, match=words) as raised:
        make()
    assert isinstance(raised.value, dc.errors.DiscretionError)


def posterior_of(population=None):
    return dc.frequency_posterior(dc.Channel(BINARY), [1, 1], population)


# The posterior as the next prior


@pytest.mark.parametrize("alpha", [[0.5, 0.5, 0.5], [1 / 3, 2.7, 0.01], [1e13, 1e13, 2e13]], ids=str)
@pytest.mark.parametrize("channel", ["asymmetric", "excluding", "unary encoding", "nearly nothing"])
def test_two_waves_one_after_the_other_are_both_at_once(channel, alpha):
    system = dc.Channel(CHANNELS[channel])
    outputs = system.channel().shape[1]
    first, second = (np.bincount(np.arange(seed, seed + 7) ** 2 % outputs, minlength=outputs) for seed in (1, 3))
    prior = dc.Dirichlet(alpha)
    next_prior = dc.frequency_posterior(system, first, prior).as_population()
    assert isinstance(next_prior, dc.DirichletMixture)
    one_by_one = dc.frequency_posterior(system, second, next_prior)
    at_once = dc.frequency_posterior(system, first + second, prior)
    assert one_by_one.exact
    assert one_by_one.mean == pytest.approx(at_once.mean, rel=1e-10)
    assert one_by_one.covariance == pytest.approx(at_once.covariance, rel=1e-8, abs=1e-14)
    assert one_by_one.marginal(0).cdf(0.3) == pytest.approx(at_once.marginal(0).cdf(0.3), rel=1e-10, abs=1e-12)


def test_waves_of_different_protocols_are_one_of_both_side_by_side():
    prior = dc.Dirichlet([0.5, 1, 2])
    first, second = CHANNELS["asymmetric"], CHANNELS["excluding"]
    next_prior = dc.frequency_posterior(dc.Channel(first), [3, 1, 2], prior).as_population()
    one_by_one = dc.frequency_posterior(dc.Channel(second), [1, 0, 2, 2], next_prior)
    either = np.hstack([np.asarray(first), second]) / 2
    at_once = dc.frequency_posterior(dc.Channel(either), [3, 1, 2, 1, 0, 2, 2], prior)
    assert one_by_one.mean == pytest.approx(at_once.mean, rel=1e-10)
    assert one_by_one.sample(20_000, rng=1).mean(axis=0) == pytest.approx(at_once.mean, abs=0.01)


def test_components_are_weighed_by_how_likely_they_make_the_reports():
    mixture = dc.DirichletMixture([[8, 1, 1], [0.5, 1, 2]], [0.25, 0.75])
    counts = [2, 0, 2, 1]
    posterior = dc.frequency_posterior(dc.Channel(EXCLUDING), counts, mixture)
    parts = [Enumerated(EXCLUDING, counts, alpha) for alpha in mixture.alpha.tolist()]
    evidence = [Fraction(w) * part.evidence for w, part in zip(mixture.weights.tolist(), parts, strict=True)]
    for x in range(3):
        mean = sum(e * part.moment(unit(3, x)) for e, part in zip(evidence, parts, strict=True)) / sum(evidence)
        assert posterior.mean[x] == exactly(mean)


def test_the_truth_of_a_billion_people_weighs_components_to_all_digits():
    mixture = dc.DirichletMixture([[1, 1], [2, 1]], [0.5, 0.5])
    counts = [400_000_000, 600_000_000]
    posterior = dc.frequency_posterior(dc.RandomizedResponse(2, p=1), counts, mixture)
    # B(α + t)/B(α) of the second is 2 (t + 1)/(n + 2) times that of the first.
    odds = Fraction(2 * (counts[0] + 1), sum(counts) + 2)
    weights = [1 / (1 + odds), odds / (1 + odds)]
    means = [Fraction(counts[0] + 1, sum(counts) + 2), Fraction(counts[0] + 2, sum(counts) + 3)]
    assert posterior.as_population().weights == pytest.approx([float(w) for w in weights[::-1]][::-1], rel=1e-10)
    assert posterior.mean[0] == exactly(sum(w * m for w, m in zip(weights, means, strict=True)))


def test_points_and_one_component_keep_their_laws():
    points = dc.PointMixture([[1, 0], [0.5, 0.5]], [0.5, 0.5])
    assert isinstance(dc.frequency_posterior(dc.Channel(BINARY), [1, 1], points).as_population(), dc.PointMixture)
    certain = dc.frequency_posterior(dc.RandomizedResponse(2, p=1), [3, 4]).as_population()
    assert certain.alpha.tolist() == [3.5, 4.5]


def test_a_sampled_posterior_is_no_prior(sampled):
    posterior = dc.frequency_posterior(dc.Channel(BINARY), [5, 3], rng=1)
    with pytest.raises(dc.errors.UnsupportedError, match="add the counts"):
        posterior.as_population()
    with pytest.raises(dc.errors.TooLargeError, match="add the counts"):
        dc.frequency_posterior(dc.Channel(BINARY), [5, 3], dc.DirichletMixture([[1, 2], [2, 1]], [0.5, 0.5]))
