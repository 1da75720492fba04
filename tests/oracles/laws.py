"""Laws of counts: exactly in Fractions when small, to 60 digits in decimals when large."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

DIGITS = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707")
_BERNOULLI = [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798)]
_BERNOULLI += [(-174611, 330), (854513, 138), (-236364091, 2730), (8553103, 6)]


def binomial(n, x, p):
    return math.comb(n, x) * p**x * (1 - p) ** (n - x)


def multinomial(counts, probabilities):
    orders = math.factorial(sum(counts)) // math.prod(math.factorial(c) for c in counts)
    return orders * math.prod(p**c for p, c in zip(probabilities, counts, strict=True))


def walk(steps):
    """E|S| of a fair ±1 walk."""
    return Fraction(sum(math.comb(steps, up) * abs(2 * up - steps) for up in range(steps + 1)), 2**steps)


def stirling_error(n):
    """``log n! - log(√(2πn)(n/e)ⁿ)``."""
    with localcontext() as context:
        context.prec = DIGITS
        x = Decimal(n)
        return log_factorial(n) - ((2 * PI * x).ln() / 2 + x * x.ln() - x)


def log_factorial(n):
    with localcontext() as context:
        context.prec = DIGITS + 20
        if n < 2000:
            return Decimal(math.factorial(n)).ln()
        x = Decimal(n)
        series = sum(
            Decimal(top) / bottom / (2 * j * (2 * j - 1) * x ** (2 * j - 1))
            for j, (top, bottom) in enumerate(_BERNOULLI, 1)
        )
        return (2 * PI * x).ln() / 2 + x * x.ln() - x + series


def large_multinomial(counts, probabilities):
    """``counts`` of any size; the probabilities are taken as the Fractions that they are."""
    with localcontext() as context:
        context.prec = DIGITS + 20
        log = log_factorial(sum(counts))
        for count, p in zip(counts, map(Fraction, probabilities), strict=True):
            if count:
                log += count * (Decimal(p.numerator) / Decimal(p.denominator)).ln() - log_factorial(count)
        return log.exp()


def large_poisson(x, rate):
    with localcontext() as context:
        context.prec = DIGITS + 20
        r = Decimal(rate.numerator) / Decimal(rate.denominator)
        return (x * r.ln() - r - log_factorial(x)).exp()


def relative_excess(u):
    with localcontext() as context:
        context.prec = DIGITS
        v = Decimal(u)
        if abs(v) < Decimal(10) ** -15:
            return v * v / 2 - v**3 / 6 + v**4 / 12
        return Decimal(1) if v == -1 else (1 + v) * (1 + v).ln() - v


def binary_advantage(n):
    """``2^-n C(n-1, ⌊(n-1)/2⌋)`` of Shuffle, Theorem 17."""
    with localcontext() as context:
        context.prec = DIGITS
        half = (n - 1) // 2
        log = log_factorial(n - 1) - log_factorial(half) - log_factorial(n - 1 - half) - n * Decimal(2).ln()
        return log.exp()


def sparse_maximum_load(n, k):
    """``1 + P(M > 1) + P(M > 2)`` for n balls in so many bins k that four in one never happen."""
    with localcontext() as context:
        context.prec = DIGITS
        # The probability that j bins hold two balls and no bin more, j = 0 first.
        doubles = math.prod((Decimal(k - i) / k for i in range(n)), start=Decimal(1))
        at_most_one, at_most_two = doubles, doubles
        for j in range(1, n // 2 + 1):
            doubles *= Decimal((n - 2 * j + 2) * (n - 2 * j + 1)) / (2 * j * (k - n + j))
            at_most_two += doubles
            if doubles < at_most_two * Decimal(10) ** -40:
                break
        return 3 - at_most_one - at_most_two
