"""Exposure of the law of a sample's people, as a confidence interval for every law."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

import numpy as np

from discretion.anonymity.people.conversion import People, as_population
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.estimate import Estimate
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, as_fraction
from discretion.validation import as_confidence, as_count

# The part of the misses of either side for recognizing the frequent values; the rest is for their share.
_ON_CUTS = 0.1

Method = Literal["auto", "theorem5"]


def sampled_exposure(
    P: People | ClassSizes,
    threshold: Threshold,
    confidence: float = 0.95,
    *,
    columns: Iterable[str] | None = None,
    domain: int | None = None,
    method: Method = "auto",
) -> Estimate:
    """Return a confidence interval for the exposure of the law that the people of a table were drawn from.

    ``Q(t) = Σ_v p(v)·1{p(v) < t}`` for the unknown p, given n people drawn from it independently

    Parameters
    ----------
    P
        The sampled people, or the sizes of their equivalence classes.
    threshold
        The share t below which a class is exposed, in [0, 1].
    confidence
        The confidence of the interval, in (0, 1).
    columns
        The columns that the adversary knows; None is all columns. Not with class sizes.
    domain
        The number of possible values, including values that are not in the sample; None if it is not known.
    method
        ``"auto"``: the counts show which values have a share of at least t, and their joint share has binomial limits;
        the domain is not needed. ``"theorem5"``: the paper's interval, ``Q̂(t ± γ) ± γ|V|``, which needs the domain.

    Returns
    -------
    Estimate
        ``value`` is the exposure of the sample. The interval misses with probability at most ``1 - confidence``, for
        every p and n.

    Raises
    ------
    InvalidValueError
        If the domain has fewer values than the sample or is missing for Theorem 5, or there is no such method.
    UnsupportedError
        If columns is given with class sizes.

    Notes
    -----
    At most ``M = min(|V|, 1/t)`` values have a share of at least t. The sample has at least c people with each of them,
    except with probability ``M·P(Bin(n, t) < c)``. For c above the mean, it has at least c people with some rarer value
    with probability at most ``M·P(Bin(n, t) ≥ c)``, since ``P(Bin(n, p) ≥ c)/p`` rises with p. The number of sampled
    people with the frequent values is binomial, so limits of their share need no union over values: the interval has no
    ``γ|V|``. Theorem 5 holds with ``n ≥ log(2|V|/δ)/(2γ²)``; the paper lacks the 2. No estimator comes closer than
    1/(16|V|) in the worst case (Theorem 6). Source: Anonymity, Theorem 5; "auto": Discretion.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> sample = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> exposed = sampled_exposure(sample, "0.001")
    >>> exposed.low < 0.02 < exposed.high < 0.05, round(exposed.value, 10), exposed.confidence
    (True, 0.0206074752, 0.95)
    """
    sizes = sizes_of(P, columns)
    t = as_fraction(threshold)
    confidence = as_confidence(confidence)
    misses = 1 - confidence
    if domain is not None:
        domain = as_count(domain, "domain", at_least=1)
        if domain < sizes.classes:
            raise InvalidValueError(f"domain must be at least the {sizes.classes} values in the sample; got {domain}")
    value = sizes.exposure(threshold=t)
    match method:
        case "auto":
            low, high, how = *_by_frequent_values(sizes, t, misses, domain), "counts of frequent values"
        case "theorem5":
            if domain is None:
                raise InvalidValueError("Theorem 5 needs domain=, the number of possible values; or use method='auto'")
            low, high, how = *_theorem5(sizes, t, misses, domain), "Theorem 5"
        case _:
            raise InvalidValueError(f"method must be 'auto' or 'theorem5', got {method!r}")
    return Estimate(value, low, high, confidence, how)


def sizes_of(P: People | ClassSizes, columns: Iterable[str] | None) -> ClassSizes:
    """Return the class sizes of a population, or the given class sizes."""
    if not isinstance(P, ClassSizes):
        return as_population(P, "future_exposure_bound").class_sizes(columns)
    if columns is not None:
        raise UnsupportedError("class sizes already belong to certain columns; give columns= only with a Population")
    return P


def _by_frequent_values(sizes: ClassSizes, t: Fraction, misses: float, domain: int | None) -> tuple[float, float]:
    if t == 0:
        return 0.0, 0.0
    n, frequent = sizes.people, math.floor(1 / t)
    if domain is not None and domain * t.numerator < t.denominator:
        frequent = domain
    on_cuts, on_share = misses / 2 * _ON_CUTS, misses / 2 * (1 - _ON_CUTS)
    rarer = min(1 / float(t), domain or math.inf)
    sure, possible = _cut_above(n, float(t), on_cuts / rarer), _cut_below(n, float(t), on_cuts / frequent)
    surely, possibly = (n - sizes.exposed(k=max(cut, 1)) for cut in (sure, possible))
    # With no value that could be frequent, everybody is exposed.
    low = 1 - float(upper_limit(possibly, n, on_share)) if possibly else 1.0
    return low, 1 - float(lower_limit(surely, n, on_share))


def _cut_above(n: int, t: float, misses: float) -> int:
    """Return the least c past the mean with ``P(Bin(n, t) ≥ c) ≤ misses``."""
    from scipy.special import betainc  # noqa: PLC0415

    low, high = min(math.ceil((n - 1) * t) + 1, n + 1), n + 1
    while low < high:
        middle = (low + high) // 2
        if float(betainc(middle, n - middle + 1, t)) <= misses:
            high = middle
        else:
            low = middle + 1
    return low


def _cut_below(n: int, t: float, misses: float) -> int:
    """Return the largest c with ``P(Bin(n, t) < c) ≤ misses``."""
    from scipy.special import betaincc  # noqa: PLC0415

    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        if float(betaincc(middle, n - middle + 1, t)) <= misses:
            low = middle
        else:
            high = middle - 1
    return low


def _theorem5(sizes: ClassSizes, t: Fraction, misses: float, domain: int) -> tuple[float, float]:
    n = sizes.people
    gap = math.sqrt(math.log(2 * domain / misses) / (2 * n))
    exposed = np.append(0, sizes.curve().exposed) / n
    below, above = sizes.sizes < (float(t) - gap) * n, sizes.sizes <= (float(t) + gap) * n
    low, high = float(exposed[below.sum()]) - gap * domain, float(exposed[above.sum()]) + gap * domain
    return max(low, 0.0), min(high, 1.0)
