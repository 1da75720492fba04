"""A shuffled crowd exactly, beside what its users would have to take instead: the published bounds, or a sum."""

import itertools
import math
import time

import numpy as np
import pytest
from scipy import stats

import discretion as dc
from discretion.estimate import highest
from oracles import published_bounds as published

DELTA = 1e-6


def crowd(k: int, n: int) -> tuple[dc.Shuffled, dc.AllButOne]:
    return dc.Shuffled(dc.RandomizedResponse(k, epsilon=1), n), dc.AllButOne([n - 1] + [0] * (k - 1))


def exact_delta(k: int, n: int, epsilon: float) -> float:
    s, adversary = crowd(k, n)
    return float(dc.privacy_profile(s.seen_by(adversary), epsilon))


def exact_epsilon(k: int, n: int) -> float:
    s, adversary = crowd(k, n)
    return float(dc.dp_epsilon(s.seen_by(adversary), DELTA))


def summed_delta(k: int, n: int, epsilon: float) -> float:
    """Add up both likelihoods of two values over a window of counts, in NumPy and SciPy."""
    p, q = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    mean, spread = (n - 1) * q, math.sqrt((n - 1) * p * q)
    counts = np.arange(max(0, math.floor(mean - 12 * spread)), min(n, math.ceil(mean + 12 * spread)) + 1)
    stay, move = stats.binom.pmf(counts, n - 1, q), stats.binom.pmf(counts - 1, n - 1, q)
    laws = p * stay + q * move, q * stay + p * move
    return max(float(np.maximum(0, a - math.exp(epsilon) * b).sum()) for a, b in (laws, laws[::-1]))


def clones(k: int, n: int, epsilon: float) -> float:
    return published.clones(k, n, 1.0, epsilon)


def clones_epsilon(k: int, n: int) -> float:
    return published.least_epsilon(published.clones, k, n, 1.0, DELTA)


@pytest.mark.benchmark(group="δ(ε), k=2, n=10⁷")
@pytest.mark.parametrize("how", [exact_delta, summed_delta, clones])
def test_two_values(benchmark, how) -> None:
    found = benchmark(how, 2, 10**7, 1e-3)
    exact = exact_delta(2, 10**7, 1e-3)
    assert found >= exact * (1 - 1e-6)
    if how is not clones:
        assert found == pytest.approx(exact, rel=1e-6)


@pytest.mark.benchmark(group="δ(ε), k=2, n=10⁹")
@pytest.mark.parametrize("how", [exact_delta, summed_delta])
def test_two_values_of_a_billion_users(benchmark, how) -> None:
    assert benchmark(how, 2, 10**9, 1e-4) == pytest.approx(exact_delta(2, 10**9, 1e-4), rel=1e-5)


@pytest.mark.benchmark(group="ε(δ), k=2, n=10⁷")
@pytest.mark.parametrize("how", [exact_epsilon, clones_epsilon])
def test_epsilon_of_two_values(benchmark, how) -> None:
    benchmark.pedantic(how, args=(2, 10**7), rounds=3, warmup_rounds=1)


@pytest.mark.benchmark(group="δ(ε), k=10, n=10⁶")
@pytest.mark.parametrize("how", [exact_delta, clones])
def test_ten_values(benchmark, how) -> None:
    assert benchmark(how, 10, 10**6, 2e-3) >= exact_delta(10, 10**6, 2e-3) * (1 - 1e-9)


@pytest.mark.benchmark(group="ε(δ), k=10, n=10⁶")
@pytest.mark.parametrize("how", [exact_epsilon, clones_epsilon])
def test_epsilon_of_ten_values(benchmark, how) -> None:
    benchmark.pedantic(how, args=(10, 10**6), rounds=3, warmup_rounds=1)


FASTEST = [
    (lambda: exact_delta(2, 10**7, 1e-3), 0.01),
    (lambda: exact_epsilon(2, 10**7), 0.01),
    (lambda: exact_delta(10, 10**6, 2e-3), 0.1),
    (lambda: exact_epsilon(10, 10**6), 0.6),
]


@pytest.mark.parametrize(("ask", "seconds"), FASTEST)
def test_what_was_promised(ask, seconds) -> None:
    ask()
    assert min(_timed(ask) for _ in range(5)) < seconds


def _timed(ask) -> float:
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start


def counts_of(users: int, k: int):
    return [counts for counts in itertools.product(range(users + 1), repeat=k) if sum(counts) == users]


def worst_delta(k: int, n: int, epsilon: float) -> float:
    return float(
        dc.privacy_profile(dc.Shuffled(dc.RandomizedResponse(k, epsilon=1), n).seen_by(dc.WorstAllButOne()), epsilon)
    )


def tried_delta(k: int, n: int, epsilon: float) -> float:
    """Try all that the others can hold, one after the other."""
    s = dc.Shuffled(dc.RandomizedResponse(k, epsilon=1), n)
    return max(float(dc.privacy_profile(s.seen_by(dc.AllButOne(counts)), epsilon)) for counts in counts_of(n - 1, k))


@pytest.mark.benchmark(group="δ(ε) of the worst others")
@pytest.mark.parametrize("how", [worst_delta, tried_delta])
@pytest.mark.parametrize(("k", "n"), [(2, 500), (3, 20)])
def test_the_worst_others(benchmark, how, k: int, n: int) -> None:
    found = benchmark.pedantic(how, args=(k, n, 0.2), rounds=1, warmup_rounds=0)
    assert found == pytest.approx(worst_delta(k, n, 0.2), rel=1e-9)


def listed_guess(n: int) -> float:
    crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), n)
    return float(dc.posterior_vulnerability(crowd.seen_by(dc.Exchangeable([1, 1]))))


def integrated_guess(n: int) -> float:
    """Integrate over the population by Gauss and Legendre, all reports being binomial given it."""
    p, q = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    nodes, weights = np.polynomial.legendre.leggauss(n // 2 + 2)
    r = (1 + nodes[:, None]) / 2
    sent, other = (stats.binom.pmf(np.arange(n + 1) - own, n - 1, p * r + q * (1 - r)) for own in (1, 0))
    held = weights / 2 @ (r * (p * sent + q * other)), weights / 2 @ ((1 - r) * (q * sent + p * other))
    return float(np.maximum(*held).sum())


@pytest.mark.benchmark(group="guess of an exchangeable target, k=2, n=1000")
@pytest.mark.parametrize("how", [listed_guess, integrated_guess])
def test_an_exchangeable_target(benchmark, how) -> None:
    assert benchmark.pedantic(how, args=(1000,), rounds=1) == pytest.approx(listed_guess(1000), rel=1e-9)


def test_a_sample_of_eight_values_has_four_digits_within_ten_seconds() -> None:
    s = dc.Shuffled(dc.UnaryEncoding.oue(8, 1), 1000)
    start = time.perf_counter()
    guess = dc.posterior_vulnerability(s.seen_by(dc.Uninformed(), seed=0))
    assert time.perf_counter() - start < 10
    assert isinstance(guess, dc.Estimate)
    assert (guess.high - guess.low) / 2 < 1e-4


@pytest.mark.parametrize(("k", "n"), [*itertools.product([2, 3, 10], [10**3, 10**4, 10**6])])
@pytest.mark.parametrize("local", [0.5, 1.0, 2.0, 4.0])
def test_the_gap_to_the_published_bounds(k: int, n: int, local: float) -> None:
    s = dc.Shuffled(dc.RandomizedResponse(k, epsilon=local), n)
    alike = float(dc.dp_epsilon(s.seen_by(dc.AllButOne([n - 1] + [0] * (k - 1))), DELTA))
    bounds = {
        name: published.least_epsilon(bound, k, n, local, DELTA) for name, bound in published.UPPER_BOUNDS.items()
    }
    assert all(alike <= bound for bound in bounds.values())
    # Not a bound with three values and more: by how much ε is above it, others on one value.
    exceeded = alike / published.least_epsilon(published.variation_ratio, k, n, local, DELTA) - 1
    assert exceeded <= (1e-6 if k == 2 else 0.01)
    print(f"k={k} n={n} ε₀={local}: exact {alike:.6g}, variation ratio exceeded by {max(exceeded, 0):.2%}, {bounds}")


PROTOCOLS = {
    "krr": lambda k: dc.RandomizedResponse(k, epsilon=1),
    "oue": lambda k: dc.UnaryEncoding.oue(k, 1),
    "rappor": lambda k: dc.UnaryEncoding.rappor(k, 1),
    "olh": lambda k: dc.LocalHashing(k, 1),
    "subset": lambda k: dc.SubsetSelection(k, 1),
    "hadamard": lambda k: dc.HadamardResponse(k, 1),
}


@pytest.mark.parametrize("n", [10**4, 10**6])  # at 10⁹ the sums of clones take minutes
@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_worst_others_are_never_bounded_more_loosely_than_was_published(protocol: str, k: int, n: int) -> None:
    """Clones hold for every local randomizer, the other bounds for k-RR."""
    crowd = dc.Shuffled(PROTOCOLS[protocol](k), n)
    bounds = published.UPPER_BOUNDS if protocol == "krr" else {"clones": published.clones}
    dc.dp_epsilon(crowd.seen_by(dc.WorstAllButOne()), DELTA)  # loads what is compiled
    begun = time.process_time()
    ours = highest(dc.dp_epsilon(crowd.seen_by(dc.WorstAllButOne()), DELTA))
    spent = {"ours": time.process_time() - begun}
    found = {"ours": ours}
    for name, bound in bounds.items():
        begun = time.process_time()
        found[name] = published.least_epsilon(bound, k, n, 1.0, DELTA)
        spent[name] = time.process_time() - begun
    print(protocol, k, n, {name: f"{found[name]:.6g} in {spent[name]:.3f} s" for name in found})
    assert ours <= min(found.values()) * (1 + 1e-9)


def ten_rounds(crowd: dc.Shuffled) -> float:
    return dc.dp_epsilon(dc.repeated(crowd.seen_by(dc.WorstAllButOne()), 10), DELTA).high


def ten_rounds_by_accountant(crowd: dc.Shuffled) -> float:
    loss = dc.shuffling.privacy_loss_distribution(crowd.seen_by(dc.WorstAllButOne()), interval=1e-2)
    return loss.self_compose(10).get_epsilon_for_delta(DELTA)


@pytest.mark.benchmark(group="ε(δ) of ten rounds against the worst adversary, k=100, n=10⁵")
@pytest.mark.parametrize("how", [ten_rounds, ten_rounds_by_accountant])
def test_ten_rounds(benchmark, how) -> None:
    crowd = dc.Shuffled(dc.RandomizedResponse(100, epsilon=3), 10**5)
    epsilon = benchmark.pedantic(how, args=(crowd,), rounds=1)
    exact = dc.repeated(crowd.seen_by(dc.WorstAllButOne()), 10)
    assert epsilon >= dc.dp_epsilon(exact, DELTA).low
