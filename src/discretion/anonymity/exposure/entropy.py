"""Bounds between entropy and exposure."""

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from discretion.anonymity.people.conversion import People, as_population, is_table
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.estimate import Estimate, quantity
from discretion.intervals import above
from discretion.tables.counting.class_sizes import ExposureCurve
from discretion.tables.counting.threshold import Threshold, as_fraction, least_unexposed
from discretion.validation import as_count, as_real

METHOD = "entropy"


@quantity
def entropy_of_curve(curve: ExposureCurve) -> float:
    """Return the entropy in bits of the table with an exposure curve.

    ``H = ∫₀¹ Q(t)/t dt``, in bits ``/ log 2``

    Parameters
    ----------
    curve
        The exposure at every threshold.

    Returns
    -------
    float
        At least 0, exact: the step function is integrated step by step.

    Notes
    -----
    Source: Anonymity, Proposition 9.

    Examples
    --------
    >>> from discretion.anonymity import ClassSizes
    >>> entropy_of_curve(ClassSizes([1, 2], [2, 1]).curve())
    1.5
    """
    ends = np.append(curve.sizes[1:], curve.people)
    return float(curve.exposed @ np.log1p((ends - curve.sizes) / curve.sizes)) / (curve.people * math.log(2))


def column_entropies(P: People | Marginals, columns: Iterable[str] | None = None) -> dict[str, float]:
    """Return the entropy of each column, its bits about a random person: ``H_j = Σ_v p_j(v) log₂ 1/p_j(v)``.

    Parameters
    ----------
    P
        The people, or the counts of their columns.
    columns
        The columns; None is all of them.

    Returns
    -------
    dict
        A column → its entropy in bits, at least 0, exact.

    Notes
    -----
    Source: Anonymity, section 7.3. Few bits do not guarantee a low exposure: see
    :func:`entropy_exposure_bound`.

    Examples
    --------
    >>> bits = column_entropies("example:adult", ["sex"])
    >>> {column: round(of, 3) for column, of in bits.items()}
    {'sex': 0.916}
    """
    population = P if isinstance(P, Marginals) else as_population(P)
    return {column: population.class_sizes([column]).entropy for column in population.known(columns)}


def entropy_exposure_bound(
    P: People | float | Estimate,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    people: int | None = None,
) -> Estimate:
    """Return the upper bound on exposure that follows from an entropy.

    ``Q(t) ≤ H / log₂(1/t)``; for classes of fewer than k of n people ``P ≤ H / log₂(n/(k-1))``, with H in bits

    Parameters
    ----------
    P
        The people; or an upper bound on their entropy in bits, such as a sum over columns; or an interval for the
        entropy of a law, of which the upper bound is used.
    k, threshold
        Exactly one: a number of people, or a share of them in [0, 1].
    columns
        With a Population, the columns that the adversary knows; None is all columns.
    people
        With an entropy, the number n of people, or of people who will be drawn from the law; needed for k.

    Returns
    -------
    Estimate
        Certified, or with the confidence of the interval: ``value`` and ``high`` are the bound, at most 1; ``low`` is
        0. For a law it bounds Q(t), and with k the statistical exposure 𝒬(n, k).

    Raises
    ------
    UnsupportedError
        If columns or people does not fit P, or k is given with an entropy but not the number of people.

    Notes
    -----
    Markov's inequality for ``log 1/p``. B bits do not mean that everybody is in a class of n/2^B people: with n = 2¹⁶
    and 8 bits, half of the people may be unique. Where n is known, the size of the largest exposed class, an integer,
    replaces t·n. The entropy of n people drawn from a law is on average at most the law's, so their exposure is on
    average at most the bound by the law's entropy. Source: Anonymity, Proposition 9 (its displayed entropy lacks a
    minus sign), nearly attained by its Proposition 13.

    Examples
    --------
    >>> entropy_exposure_bound(8.0, k=2, people=2**16).value
    0.5
    >>> from discretion.anonymity import sampled_entropy
    >>> bits = sampled_entropy("example:adult", columns=["sex", "race"], domain=10)
    >>> bound = entropy_exposure_bound(bits, k=2, people=10**6)
    >>> round(bound.value, 3), bound.confidence
    (0.089, 0.95)
    """
    confidence = P.confidence if isinstance(P, Estimate) else None
    assuming = P.assuming if isinstance(P, Estimate) else None
    if isinstance(P, Population) or is_table(P):
        if people is not None:
            raise UnsupportedError("a population has its own number of people; give people= with an entropy only")
        sizes = as_population(P).class_sizes(columns)
        bits, people, added = sizes.entropy, sizes.people, len(sizes.sizes)
    else:
        bits, added = _as_bits(P), 0
        if columns is not None:
            raise UnsupportedError("an entropy has no columns; give columns= with a Population only")
        people = None if people is None else as_count(people, "people", at_least=1)
    if people is not None:
        largest = least_unexposed(people, k, threshold) - 1
        bound = 0.0 if largest < 1 else 1.0 if largest >= people else bits / _log2_inverse(largest, people)
    else:
        if k is not None and threshold is None:
            raise UnsupportedError("with an entropy and k, give the number of people too: people=")
        if threshold is None or k is not None:
            least_unexposed(1, k, threshold)  # says that exactly one is wanted
        share = as_fraction(threshold if threshold is not None else 0)
        bound = 0.0 if share == 0 else 1.0 if share == 1 else bits / _log2_inverse(share.numerator, share.denominator)
    # Of each logarithm, and for each class size that is added, less than two units in the last place are rounded away.
    high = min(Fraction(1), Fraction(min(bound, 1.0)) * (1 + (added + 32) * Fraction(2) ** -51))
    return Estimate(min(bound, 1.0), 0.0, above(high), confidence, METHOD, assuming)


def _as_bits(entropy: object) -> float:
    """Return an entropy in bits; for an interval its upper bound, which may be infinite."""
    if isinstance(entropy, Estimate):
        return entropy.high if entropy.high == math.inf else _as_bits(entropy.high)
    if isinstance(entropy, bool) or not isinstance(entropy, int | float | np.floating):
        raise UnsupportedError(
            f"entropy_exposure_bound takes a Population, a table or an entropy in bits; got {type(entropy).__name__}"
            + ("; give the sum of their column_entropies" if isinstance(entropy, Marginals) else "")
        )
    bits = as_real(entropy, "entropy")
    if not 0 <= bits < math.inf:
        raise InvalidValueError(f"entropy must be at least 0 bits and finite, got {entropy!r}")
    return bits


def _log2_inverse(numerator: int, denominator: int) -> float:
    """Return ``log₂(denominator/numerator)`` of integers to full precision, also near 1 and beyond floats."""
    if denominator < numerator << 1000:
        return math.log1p((denominator - numerator) / numerator) / math.log(2)
    return math.log2(denominator) - math.log2(numerator)
