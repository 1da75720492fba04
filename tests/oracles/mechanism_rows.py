"""The laws of reports of local mechanisms, straight from their definitions, for `oracles.rows`."""

import itertools

import pytest

mpmath = pytest.importorskip("mpmath")
mpf = mpmath.mpf


def randomized_response(k, epsilon):
    return _two_levels([[x == y for y in range(k)] for x in range(k)], epsilon)


def subset_selection(k, epsilon, size):
    subsets = list(itertools.combinations(range(k), size))
    return _two_levels([[x in subset for subset in subsets] for x in range(k)], epsilon)


def hadamard_response(k, epsilon):
    columns = 1
    while columns <= k:
        columns *= 2
    return _two_levels([[((x + 1) & y).bit_count() % 2 == 0 for y in range(columns)] for x in range(k)], epsilon)


def local_hashing(k, epsilon, g):
    """Over the linear functions ``h(x) = a·x`` of the digits of x to the base g, a prime."""
    digits = 1
    while g**digits < k:
        digits += 1
    hashed = [
        [sum(a * (x // g**i % g) for i, a in enumerate(key)) % g for key in itertools.product(range(g), repeat=digits)]
        for x in range(k)
    ]
    return _two_levels([[answer == y for answer in row for y in range(g)] for row in hashed], epsilon)


def unary_encoding(k, kappa, lam):
    kappa, lam = mpf(kappa), mpf(lam)
    chances = [[kappa if bit == x else lam for bit in range(k)] for x in range(k)]
    reports = list(itertools.product((0, 1), repeat=k))
    return [
        [mpmath.fprod(p if bit else 1 - p for p, bit in zip(row, report, strict=True)) for report in reports]
        for row in chances
    ]


def exponential(scores, epsilon):
    return [_normalised([mpmath.exp(mpf(score) * mpf(epsilon) / 2) for score in row]) for row in scores]


def geometric(epsilon, sensitivity):
    """The truncated mechanism, a row per value from 0 to the sensitivity."""
    odds, values = mpmath.exp(-mpf(epsilon) / sensitivity), range(sensitivity + 1)
    inside = [[odds ** abs(x - y) / (1 + odds) for y in values] for x in values]
    return [[p * (1 if y in (0, sensitivity) else 1 - odds) for y, p in enumerate(row)] for row in inside]


def discrete_gaussian(sigma, sensitivity):
    """The rows of 0 and the sensitivity, as far out as either's probabilities are more than 1e-340."""
    reach = int(40 * sigma) + 2 * sensitivity + 2
    weights = {z: mpmath.exp(-((z / mpf(sigma)) ** 2) / 2) for z in range(-reach, reach + 1)}
    total, outputs = mpmath.fsum(weights.values()), range(-reach, reach + sensitivity + 1)
    return [[weights.get(y - x, mpf(0)) / total for y in outputs] for x in (0, sensitivity)]


def _two_levels(supported, epsilon):
    """Reports that support the value are e^ε times as likely as those that do not; as many support each value."""
    rarity = mpmath.exp(-mpf(epsilon))
    total = sum(supported[0]) + (len(supported[0]) - sum(supported[0])) * rarity
    return [[(1 if cell else rarity) / total for cell in row] for row in supported]


def _normalised(weights):
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights]
