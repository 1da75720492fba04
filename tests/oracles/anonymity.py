"""Statistical exposure and its relatives on small laws and tables: slow, obvious, exact."""

from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import comb, e, sqrt


def statistical_exposure(p: Sequence[Fraction], n: int, k: int) -> Fraction:
    """The first line of Appendix D: the expected number of people in classes of fewer than k, over n."""
    exposed = sum(j * comb(n, j) * share**j * (1 - share) ** (n - j) for share in p for j in range(min(k, n + 1)))
    return Fraction(exposed) / n


def fewer_alike(p: float, n: int, k: int) -> Decimal:
    """``P(Bin(n-1, p) ≤ k-2)``, term by term in forty digits, from the last of them down until nothing is added."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**15), 10**15
        share, others, last = Decimal(p), n - 1, k - 2
        binomial = log_factorial(others) - log_factorial(last) - log_factorial(others - last)
        term = (binomial + last * share.ln() + (others - last) * (1 - share).ln()).exp()
        largest = total = term
        odds = (1 - share) / share
        for j in range(last, 0, -1):
            term *= odds * j / (others - j + 1)
            total, largest = total + term, max(largest, term)
            if term < largest * Decimal("1e-20"):
                break
        return +total


def log_factorial(n: int) -> Decimal:
    """Exact below 300, then Stirling's series, whose error is under its first omitted term."""
    if n < 300:
        product = Decimal(1)
        for j in range(2, n + 1):
            product *= j
        return product.ln()
    x = Decimal(n)
    half_log_two_pi = Decimal("0.918938533204672741780329736405617639861397473637783412817")
    terms = ((12, 1), (-360, 3), (1260, 5), (-1680, 7), (1188, 9))
    series = sum((1 / (divisor * x**power) for divisor, power in terms), Decimal(0))
    return (x + Decimal("0.5")) * x.ln() - x + half_log_two_pi + series


def exposure_of_law(p: Iterable[Fraction], threshold: Fraction) -> Fraction:
    return sum((share for share in p if share < threshold), Fraction(0))


def mean_exposure_of_subsets(people: Sequence[str], n: int, k: int) -> Fraction:
    """Averaged over all n of the people: the share of these with fewer than k alike among these."""
    subsets = list(combinations(people, n))
    exposed = sum(subset.count(v) < k for subset in subsets for v in subset)
    return Fraction(exposed, n * len(subsets))


def printed_theorem_8(values: int, n: int, distance: float) -> float:
    """The bound at the end of Appendix G, which does not hold."""
    return values * (sqrt(e * (n + 1)) / (2 * sqrt(values - 1)) + 1) * distance
