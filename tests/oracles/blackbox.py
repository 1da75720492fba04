"""Black boxes with a known truth, and what their estimates count, sample by sample."""

from collections import Counter
from fractions import Fraction
from math import comb, erfc, sqrt

import numpy as np


def random_channel(k, m, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(m), size=k)


def geometric_channel(k, m, nu=0.1):
    """``P(o | s) ∝ exp(-ν |o - centre_s|)``, the centres m/k apart (Cherubin et al., S&P 2019, section V)."""
    centres = np.arange(k) * m / k
    weights = np.exp(-nu * np.abs(np.arange(m) - centres[:, None]))
    return weights / weights.sum(axis=1, keepdims=True)


def null_channel(k, m):
    return np.full((k, m), 1 / m)


def bayes_risk(C):
    """Under the uniform prior."""
    return 1 - C.max(axis=0).sum() / len(C)


def bayes_security(C):
    return 1 - max(np.abs(C - row).sum(axis=1).max() for row in C) / 2


def drawn(C, size, rng):
    """Secrets drawn uniformly, and what came out."""
    secrets = rng.integers(len(C), size=size)
    steps = (np.minimum(np.cumsum(C, axis=1), 1) + np.arange(len(C))[:, None]).ravel()
    steps[C.shape[1] - 1 :: C.shape[1]] = np.arange(1, len(C) + 1)
    return secrets, np.searchsorted(steps, secrets + rng.random(size), side="right") - secrets * C.shape[1]


def two_gaussians(size, dimensions, distance, rng):
    """Two spherical normal laws of variance 1, their means that far apart."""
    secrets = rng.integers(2, size=size)
    observations = rng.normal(size=(size, dimensions))
    observations[:, 0] += distance * secrets
    return secrets, observations


def gaussian_bayes_risk(distance):
    """``Φ(-Δ/2)``; β* is twice that."""
    return erfc(distance / 2 / sqrt(2)) / 2


def frequentist_errors(learned, tested):
    """Of (secret, observation) pairs; the never seen is guessed as the most frequent secret, ties as the lowest."""
    overall, seen = Counter(s for s, _ in learned), {}
    for secret, observation in learned:
        seen.setdefault(observation, Counter())[secret] += 1
    return sum(s != _most_frequent(seen.get(o, overall)) for s, o in tested)


def least_training_errors(samples):
    seen = {}
    for secret, observation in samples:
        seen.setdefault(observation, Counter())[secret] += 1
    return len(samples) - sum(max(counts.values()) for counts in seen.values())


def _most_frequent(counts):
    return min(counts, key=lambda secret: (-counts[secret], secret))


def pair_overlap(first, second):
    """``Σ_o min(count_a(o), count_b(o))`` of as many observations of either."""
    a, b = Counter(first), Counter(second)
    return sum(min(a[o], b[o]) for o in a)


def balanced_errors(learned, tested):
    """Errors of comparing frequencies of two secrets' observations, ties going to the first."""
    a, b = (Counter(observations) for observations in learned)
    sizes = [len(observations) for observations in learned]
    says_first = [{o: a[o] * sizes[1] >= b[o] * sizes[0] for o in observations} for observations in tested]
    return sum(not says_first[0][o] for o in tested[0]) + sum(says_first[1][o] for o in tested[1])


def neighbours_votes(samples, x, k):
    """Votes of the secrets of all samples that are as near to x as the k-th nearest."""
    distances = sorted(abs(observation - x) for _, observation in samples)
    furthest = distances[min(k, len(distances)) - 1]
    return Counter(secret for secret, observation in samples if abs(observation - x) <= furthest)


def binomial_tail(n, p, least):
    """``P(Binomial(n, p) >= least)``, exactly."""
    p = Fraction(p)
    return sum((comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(least, n + 1)), Fraction(0))


def errors_law(each, p, q):
    """The law of the errors in as many trials of p as of q, exactly."""
    law = [Fraction(1)]
    for chance in [Fraction(p)] * each + [Fraction(q)] * each:
        law = [a * (1 - chance) + b * chance for a, b in zip([*law, 0], [0, *law], strict=True)]
    return law


def wealth_of_bets(trials, ratio, delta, stakes):
    """What 1 becomes after each trial, on average over the stakes. A trial: 1 if right, -1 if wrong, else 0; and c."""
    after = []
    for end in range(1, len(trials) + 1):
        total = 0
        for stake in stakes:
            money = 1 if stake * (ratio + delta) <= 1 else 0
            for outcome, c in trials[:end]:
                money *= 1 + stake * ({1: 1, -1: -ratio, 0: 0}[outcome] - c * delta / 2)
            total += money
        after.append(total / len(stakes))
    return after
