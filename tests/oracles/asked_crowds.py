"""Asking people through a protocol, by definition: its error from the papers' formulas, guesses from all histograms."""

import math
from collections import Counter
from itertools import product

import numpy as np


def best_error(k: int, epsilon: float, n: int) -> tuple[str, float]:
    """Return the protocol whose estimated shares are least off, root mean square over the values, and by how much."""
    errors = {name: math.sqrt(variance / n) for name, variance in mean_variances(k, epsilon).items()}
    name = min(errors, key=errors.__getitem__)
    return name, errors[name]


def mean_variances(k: int, epsilon: float) -> dict[str, float]:
    """Return the mean variance of a share at one report: of Wang et al. (2017), Ye and Barg (2018), Acharya (2019)."""
    e = math.exp(epsilon)
    root = math.exp(epsilon / 2)
    sizes = [
        _mean(
            k, d * e / (d * e + k - d), (math.comb(k - 2, d - 2) * e if d > 1 else 0.0) + math.comb(k - 2, d - 1), d, e
        )
        for d in range(1, k)
    ]
    hashed = [(e / (e + g - 1), 1 / g) for g in range(2, int(4 * e) + 8) if _is_prime_power(g)]
    # OLH takes the classes that are best of a rare value.
    own, other = min(hashed, key=lambda support: support[1] * (1 - support[1]) / (support[0] - support[1]) ** 2)
    return {
        "krr": _pure(k, e / (e + k - 1), 1 / (e + k - 1)),
        "oue": _pure(k, 0.5, 1 / (e + 1)),
        "olh": _pure(k, own, other),
        "hadamard": _pure(k, e / (e + 1), 0.5),
        "rappor": _pure(k, root / (root + 1), 1 / (root + 1)),
        "blh": _pure(k, e / (e + 1), 0.5),
        "ss": min(sizes),
    }


def guess_among(channel, others, prior) -> float:
    """Return the best guess of a target among others, each with a law of her own value, from all histograms."""
    matrix = np.asarray(channel)
    crowd = {(): 1.0}
    for law in others:
        crowd = _with(crowd, np.asarray(law) @ matrix)
    best: Counter = Counter()
    for x, weight in enumerate(prior):
        for histogram, probability in _with(crowd, matrix[x]).items():
            best[histogram] = max(best[histogram], weight * probability)
    return math.fsum(best.values())


def excess_among(channel, others, epsilon) -> float:
    """Return δ(ε) over all ordered pairs of the target's values among others with known values."""
    matrix = np.asarray(channel)
    crowd = {(): 1.0}
    for value in others:
        crowd = _with(crowd, matrix[value])
    laws = [_with(crowd, row) for row in matrix]
    seen = set().union(*laws)
    return max(
        math.fsum(max(0.0, a.get(h, 0.0) - math.exp(epsilon) * b.get(h, 0.0)) for h in seen)
        for a, b in product(laws, repeat=2)
    )


def _with(crowd, report):
    law: Counter = Counter()
    for histogram, probability in crowd.items():
        for y, likely in enumerate(report):
            law[tuple(sorted((*histogram, y)))] += probability * likely
    return law


def _pure(k: int, own: float, other: float) -> float:
    return (own * (1 - own) + (k - 1) * other * (1 - other)) / (k * (own - other) ** 2)


def _mean(k: int, own: float, sets: float, size: int, e: float) -> float:
    return _pure(k, own, sets / (math.comb(k - 1, size - 1) * e + math.comb(k - 1, size)))


def _is_prime_power(g: int) -> bool:
    prime = next(p for p in range(2, g + 1) if g % p == 0)
    while g % prime == 0:
        g //= prime
    return g == 1
