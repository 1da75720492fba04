"""``E[(Σ_y c_y h_y)₊] / n`` of a multinomial histogram h: over all histograms in Fractions, or a tail in decimals."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

from oracles.laws import DIGITS, large_multinomial


def listed(n, steps, probabilities):
    """Over every histogram; steps and probabilities are taken as the Fractions that they are."""
    c, q = [Fraction(step) for step in steps], [Fraction(p) for p in probabilities]
    unit = math.lcm(*(step.denominator for step in c))
    whole = math.lcm(*(p.denominator for p in q))
    c, q = [int(step * unit) for step in c], [int(p * whole) for p in q]
    factorials = [math.factorial(h) for h in range(n + 1)]
    powers = [[p**h for h in range(n + 1)] for p in q]
    total = 0
    for head in itertools.product(range(n + 1), repeat=len(c) - 1):
        last = n - sum(head)
        if last < 0:
            continue
        counts = (*head, last)
        excess = sum(step * h for step, h in zip(c, counts, strict=True))
        if excess > 0:
            orders = factorials[n] // math.prod(factorials[h] for h in counts)
            total += excess * orders * math.prod(power[h] for power, h in zip(powers, counts, strict=True))
    return Fraction(total, whole**n * unit * n)


def of_binomial(n, p, threshold):
    """``E[(X - t)₊]``, X ~ Bin(n, p), from the threshold upwards until nothing more is added; n of any size."""
    p, t = Fraction(p), Fraction(threshold)
    if t <= 0:
        return _decimal(n * p - t)
    if t >= n:
        return Decimal(0)
    if t < n * p:  # as far as it is below, and what X is less than that
        return _decimal(n * p - t) + of_binomial(n, 1 - p, n - t)
    first, odds = math.ceil(t), _decimal(p / (1 - p))
    with localcontext() as context:
        context.prec = DIGITS
        total, mass, floor = Decimal(0), large_multinomial((first, n - first), (p, 1 - p)), _decimal(t)
        for x in range(first, n + 1):
            term = (x - floor) * mass
            total += term
            if x > first and term <= total * Decimal("1e-18"):
                break
            mass *= odds * (n - x) / (x + 1)
        return total


def of_two_kinds(n, steps, p):
    """The lower step with probability 1-p, the higher one with p."""
    low, high = map(Fraction, steps)
    return of_binomial(n, p, -n * low / (high - low)) * _decimal((high - low) / n)


def of_lazy_walk(n):
    """Steps -1, 0 and 1 with probabilities ¼, ½ and ¼: half of a fair walk of 2n steps, ``C(2n, n) / (2·4ⁿ)``."""
    return large_multinomial((n, n), (Fraction(1, 2), Fraction(1, 2))) / 2


def _decimal(x):
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(x.numerator) / Decimal(x.denominator)
