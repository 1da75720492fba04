"""Several observations of two secrets by brute force: one after another, or all sequences listed."""

import math
from decimal import Decimal, localcontext
from itertools import pairwise, product

from scipy.integrate import quad


def after_laplace(scale, profile, epsilon, sensitivity=1.0):
    """``∫ max(0, Q - e^ε P)`` of Laplace noise and then what has this profile: by each loss of the first."""
    most = sensitivity / scale
    told = 0.5 * profile(epsilon - most) + 0.5 * math.exp(-most) * profile(epsilon + most)
    corners = sorted({-most, most, *(c for c in (epsilon, epsilon - most, epsilon + most) if -most < c < most)})
    parts = [
        quad(lambda loss: math.exp((loss - most) / 2) / 4 * profile(epsilon - loss), a, b, epsabs=1e-15, epsrel=1e-13)[
            0
        ]
        for a, b in pairwise(corners)
    ]
    return told + math.fsum(parts)


def listed(laws, epsilon):
    """``Σ max(0, P - e^ε Q)`` over all sequences of outputs, one of each pair of laws."""
    with localcontext() as context:
        context.prec = 40
        ratio, told = Decimal(epsilon).exp(), Decimal(0)
        for sequence in product(*(list(zip(law.p, law.q, strict=True)) for law in laws)):
            p = math.prod((a for a, _ in sequence), start=Decimal(1))
            q = math.prod((b for _, b in sequence), start=Decimal(1))
            told += max(Decimal(0), p - ratio * q)
        return float(told)


def told_sometimes(told, epsilon, n, level):
    """The same for n observations: each shows the one secret with ``told``, or the other less often, or nothing."""
    with localcontext() as context:
        context.prec = 60
        p = Decimal(told)
        q = p * (-Decimal(epsilon)).exp()
        rest, ratio, total = 1 - p - q, Decimal(level).exp(), Decimal(0)
        for ones in range(n + 1):
            for others in range(n + 1 - ones):
                ways = Decimal(math.comb(n, ones) * math.comb(n - ones, others)) * rest ** (n - ones - others)
                total += max(Decimal(0), ways * (p**ones * q**others - ratio * q**ones * p**others))
        return float(total)
