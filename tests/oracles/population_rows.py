"""The information metrics of a matrix of laws under a Dirichlet law, in as many digits as mpmath is set to.

A report's probability is ``a B + b (1-B)`` for a beta B where a column has two different entries; its mean powers are
Gauss's hypergeometric function, whose derivative in the power makes ``E q log q`` and ``E log q``. The probability of a
tally is a polynomial's mean, by Pólya's urn.
"""

import math
from functools import lru_cache

import pytest

from oracles.crowd_rows import compositions, others

mpmath = pytest.importorskip("mpmath")
mpf, log = mpmath.mpf, mpmath.log
NoConvergence = mpmath.libmp.NoConvergence

# More terms than these take longer than another question.
_MOST_TERMS = 1_500


def information(rows, n, alpha):
    """``I(Y⃗; P) = H(Y⃗) - n H(Y | P)``."""
    told = -n * report_entropy(rows, alpha)
    for tally in compositions(n, len(rows[0])):
        mass = _evidence(rows, tally, alpha)
        told -= _orders(tally) * mass * log(mass) if mass else 0
    return told


def information_of_truth(n, alpha):
    """The same of the values themselves, for which ``H(X⃗)`` is a sum over single counts."""
    total, ends = mpmath.fsum(alpha), mpmath.loggamma
    entropy = ends(total + n) - ends(total)
    for a in alpha:
        mass = mpmath.rf(total - a, n) / mpmath.rf(total, n)
        for count in range(n + 1):
            entropy -= mass * (ends(a + count) - ends(a))
            if count < n:
                mass *= mpf(n - count) / (count + 1) * (a + count) / (total - a + n - count - 1)
    return entropy - n * value_entropy(alpha)


def information_of_tallies(rows, n, alpha):
    """``I(Y⃗; T)``: the reports tell of the values' tally T through their own."""
    told, marginal = mpf(0), {}
    laws = [(_weight(held, alpha), others(rows, held)) for held in compositions(n, len(rows))]
    for weight, law in laws:
        for tally, mass in law.items():
            marginal[tally] = marginal.get(tally, mpf(0)) + weight * mass
    for weight, law in laws:
        told += weight * mpmath.fsum(mass * log(mass / marginal[tally]) for tally, mass in law.items())
    return told


def tally_entropy(n, alpha):
    masses = [_weight(held, alpha) for held in compositions(n, len(alpha))]
    return -mpmath.fsum(mass * log(mass) for mass in masses)


def average_privacy(rows, alpha):
    """``1 - (H(Y | P) - H(Y | X)) / H(X | P)``."""
    total = mpmath.fsum(alpha)
    noise = -mpmath.fsum(
        a / total * mpmath.fsum(cell * log(cell) for cell in row if cell) for a, row in zip(alpha, rows, strict=True)
    )
    return 1 - (report_entropy(rows, alpha) - noise) / value_entropy(alpha)


def report_entropy(rows, alpha):
    return -mpmath.fsum(_derivative(column, alpha, 1) for column in zip(*rows, strict=True))


def value_entropy(alpha):
    total = mpmath.fsum(alpha)
    return mpmath.digamma(total + 1) - mpmath.fsum(a * mpmath.digamma(a + 1) for a in alpha) / total


def differential_entropy(alpha):
    total = mpmath.fsum(alpha)
    log_beta = mpmath.fsum(mpmath.loggamma(a) for a in alpha) - mpmath.loggamma(total)
    rest = mpmath.fsum((a - 1) * mpmath.digamma(a) for a in alpha)
    return log_beta + (total - len(alpha)) * mpmath.digamma(total) - rest


def log_determinant(rows, alpha):
    """``E log det(C diag(1/PC) Cᵀ)`` of a square C."""
    determinant = abs(mpmath.det(mpmath.matrix(rows)))
    return 2 * log(determinant) - mpmath.fsum(_derivative(column, alpha, 0) for column in zip(*rows, strict=True))


def log_determinant_of_truth(alpha):
    return mpmath.fsum(mpmath.digamma(mpmath.fsum(alpha)) - mpmath.digamma(a) for a in alpha)


def _derivative(column, alpha, power):
    """The derivative of ``E q^s`` at a power s."""
    low, high = min(column), max(column)
    if any(cell not in (low, high) for cell in column):
        raise NoConvergence("a column of more than two different entries")
    own, rest = (mpmath.fsum(a for a, cell in zip(alpha, column, strict=True) if cell == end) for end in (high, low))
    if low == high:
        return low**power * log(low) if low else mpf(0)
    return _slope((low, high), (own, rest), power, mpmath.mp.dps)


@lru_cache(maxsize=256)
def _slope(levels, parameters, power, digits):
    """By a central difference, which loses a third of the digits: they are made good for before."""
    with mpmath.workdps(digits + 60):
        step = mpf(10) ** (-mpmath.mp.dps // 3)
        after, before = (_mean_power(*levels, *parameters, power + by) for by in (step, -step))
        return (after - before) / (2 * step)


def _mean_power(low, high, own, rest, power):
    """``E (high B + low (1-B))^power``, by the series at 1 - low/high, else by those at low/high."""
    if not low:
        return high**power * mpmath.beta(own + power, rest) / mpmath.beta(own, rest)
    ratio, total, gamma = low / high, own + rest, mpmath.gammaprod
    try:
        return high**power * _gauss(-power, rest, total, 1 - ratio)
    except NoConvergence:
        near = gamma([total, own + power], [total + power, own]) * _gauss(-power, rest, 1 - own - power, ratio)
        far = gamma([total, -own - power], [-power, rest]) * _gauss(total + power, own, 1 + own + power, ratio)
        return high**power * (near + ratio ** (own + power) * far)


def _gauss(a, b, c, z):
    """The hypergeometric series of z, if it ends soon."""
    term = total = mpf(1)
    for m in range(_MOST_TERMS):
        term *= (a + m) * (b + m) / (c + m) / (m + 1) * z
        total += term
        if abs(term) < mpmath.eps * abs(total) * (1 - z):
            return total
    raise NoConvergence("a series that ends late")


def _evidence(rows, tally, alpha):
    """``E Π q_y^{s_y}``: of who sent the reports, only how many hold each value matters."""
    total = mpf(0)
    for held, mass in others(list(zip(*rows, strict=True)), tally).items():
        total += mass * mpmath.fprod(mpmath.rf(a, count) for a, count in zip(alpha, held, strict=True))
    return total / mpmath.rf(mpmath.fsum(alpha), sum(tally))


def _weight(held, alpha):
    urns = mpmath.fprod(mpmath.rf(a, count) for a, count in zip(alpha, held, strict=True))
    return _orders(held) * urns / mpmath.rf(mpmath.fsum(alpha), sum(held))


def _orders(counts):
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))
