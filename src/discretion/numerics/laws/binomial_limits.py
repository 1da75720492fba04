"""Confidence limits of probabilities from counts: of a single one, and of all parts of a whole at once."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.laws.binomial import WINDOW, binomial_pmf


def empirical_bernstein(sample: Reals, width: float, misses: float) -> tuple[float, float]:
    """Return the sample's mean and the half-width of an interval that misses the true mean with at most ``misses``.

    ``√(2 V log(4/α) / N) + 7 w log(4/α) / (3(N-1))`` for a variable within an interval of width w, with V its sample
    variance and α the misses (Maurer and Pontil, Empirical Bernstein Bounds, COLT 2009, Theorem 4, for either side). At
    α = 5 % the first part is 1.51 times the normal law's half-width; the second part vanishes for large samples.
    """
    nats = math.log(4 / misses)
    half = math.sqrt(2 * float(sample.var(ddof=1)) * nats / sample.size) + 7 * width * nats / (3 * (sample.size - 1))
    return float(sample.mean()), half


def fitted_mix(values: Reals, controls: Reals) -> Reals:
    """Return the mix of the controls (a column each) that best follows the values."""
    centred = controls - controls.mean(axis=0)
    return np.asarray(np.linalg.lstsq(centred, values - values.mean(), rcond=1e-8)[0], dtype=np.float64)


def excess_limits(  # noqa: PLR0917 - two rates and how they compare
    hits: float, trials: int, other_hits: float, other_trials: int, scale: float, misses: float
) -> tuple[float, float, float]:
    """Return ``1 − (1 − p)/(1 − s·q)`` for two binomial rates p and q, and its lower and upper limit, each at least −1.

    The Clopper–Pearson limits of both rates, each of which misses on either side with half of ``misses``, are squared
    and added (MOVER): a ratio r is within them if ``(1 − p) − r(1 − s·q)`` is 0 within ``√(δ² + (r·δ')²)``, where δ and
    δ' are how far the limits of ``1 − p`` and ``1 − s·q`` are on the side that matters. (Donner and Zou, Closed-form
    confidence intervals for functions of the normal mean and standard deviation, 2012, by the roots that keep their
    digits.)

    Examples
    --------
    >>> [round(end, 3) for end in excess_limits(60, 100, 20, 100, 1.0, 0.05)]
    [0.5, 0.352, 0.626]
    """
    fails, least, most = _of_failures(hits, trials, 1.0, misses)
    others, least_of_others, most_of_others = _of_failures(other_hits, other_trials, scale, misses)
    ratio = fails / others if others else math.inf if fails else 1.0
    lower, upper = fails - least, most_of_others - others
    product, rest = fails * others, fails**2 - lower**2
    root = math.sqrt(max(0.0, product**2 - (others**2 - upper**2) * rest))
    smallest = rest / (product + root) if product + root > 0 else math.inf if rest > 0 else 0.0
    lower, upper = most - fails, others - least_of_others
    lead = others**2 - upper**2
    if lead > 0:
        largest = (product + math.sqrt(max(0.0, product**2 - lead * (fails**2 - lower**2)))) / lead
    else:
        largest = math.inf
    low, high = max(-1.0, 1 - largest), max(-1.0, 1 - smallest)
    return min(max(1 - ratio, low), high), low, high


def _of_failures(hits: float, trials: int, scale: float, misses: float) -> tuple[float, float, float]:
    """Return the failure rate of an event that succeeds ``scale`` times as often as observed, and its limits."""
    low, high = (float(limit(hits, trials, misses / 2)) for limit in (lower_limit, upper_limit))
    rate, least, most = (max(0.0, 1 - scale * p) for p in (hits / trials, high, low))
    return rate, least, most


def hypergeometric_pmf(hits: ArrayLike, marked: int, total: int, draws: int) -> Reals:
    """Return the probabilities that ``hits`` of the draws, without replacement from ``total``, are marked.

    A binomial law of the marked and one of the others, given their sum; each to full precision by Loader's form.
    """
    hits = np.asarray(hits)
    p, q = draws / total, (total - draws) / total
    possible = (hits >= max(0, draws - (total - marked))) & (hits <= min(marked, draws))
    inside = np.where(possible, hits, max(0, draws - (total - marked)))
    law = binomial_pmf(inside, marked, p, q) * binomial_pmf(draws - inside, total - marked, p, q)
    return np.where(possible, law / binomial_pmf(draws, total, p, q), 0.0)


@lru_cache(maxsize=1 << 14)
def hypergeometric_cdf(most: int, marked: int, total: int, draws: int) -> float:
    """Return the probability that at most ``most`` draws are marked, without a rest below 2·exp(-50) in all.

    The window's half-width is that of the binomial law, whose tails are no lighter (Hoeffding, 1963, Theorem 4).
    """
    mean = draws * marked / total
    spread = WINDOW / 3 + math.sqrt(WINDOW**2 / 9 + 2 * WINDOW * mean)
    if most >= min(marked, draws, mean + spread):
        return 1.0
    first = max(0, draws - (total - marked), math.floor(mean - spread))
    if first > most:
        return 0.0
    return min(1.0, float(hypergeometric_pmf(np.arange(first, most + 1), marked, total, draws).sum()))


_HALVINGS = 80


def lower_limit(hits: ArrayLike, trials: ArrayLike, misses: float) -> Reals:
    """Return the p with ``P(Binomial(trials, p) >= hits) = misses``, 0 without hits (Clopper–Pearson)."""
    from scipy.special import betaincinv  # noqa: PLC0415

    x, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    return np.where(x > 0, betaincinv(np.maximum(x, 1), n - x + 1, misses), 0.0)


def upper_limit(hits: ArrayLike, trials: ArrayLike, misses: ArrayLike) -> Reals:
    """Return the p with ``P(Binomial(trials, p) <= hits) = misses``, 1 where all are hits (Clopper–Pearson)."""
    from scipy.special import betainccinv  # noqa: PLC0415

    x, n, risk = (np.asarray(each, dtype=np.float64) for each in (hits, trials, misses))
    return np.where(x < n, betainccinv(x + 1, np.maximum(n - x, 1), risk), 1.0)


def limits_of_parts(hits: ArrayLike, trials: int, misses: float) -> tuple[Reals, Reals]:
    """Return limits of the probabilities of outcomes, which all hold at once except with probability ``misses``.

    This holds for any number of outcomes: an outcome of probability p may miss its limits with probability
    ``misses·p``,
    which sums to ``misses``. So its limits are the least and the largest p with ``P(Binomial(trials, p) >= hits)``
    and ``P(Binomial(trials, p) <= hits)`` at least ``misses·p/2``, found by bisection and rounded outwards. (The
    first over p rises with p up to ``(hits-1)/(trials-1)``, as the beta density does of which it is the integral.)
    """
    from scipy.special import betainc, betaincc  # noqa: PLC0415

    x = np.asarray(hits, dtype=np.float64)
    some, mean = np.maximum(x, 1), x / trials

    def too_few(p: Reals) -> Booleans:
        return betainc(some, trials - some + 1, p) < misses * p / 2

    def few_enough(p: Reals) -> Booleans:
        return betaincc(x + 1, np.maximum(trials - x, 1), p) >= misses * p / 2

    low, _ = bisected(too_few, np.zeros_like(x), mean, _HALVINGS)
    _, missed = bisected(few_enough, mean, np.ones_like(x), _HALVINGS)
    return np.where(x > 1, low, 0.0), np.where(x < trials, missed, 1.0)


# A probability summed from a window is this near to the law's, relatively: so near to a limit it counts as beyond it.
_ROUNDING = 1e-9

Rates = tuple[float, float]


def split_limits(hits: Integers, trials: int, first: Rates, second: Rates, misses: float) -> tuple[Integers, Integers]:
    """Return limits of the number of trials that hit as in ``first``, if the others hit as in ``second``, less often.

    With c such trials the hits are ``S_c = Binomial(c, p) + Binomial(trials - c, q)``. The limits are the least c with
    ``P(S_c >= hits) > misses/2`` and the largest with ``P(S_c <= hits) > misses/2``. The first probability rises with c
    and the second falls, as p >= q: so for every c the limits miss it with probability ``misses`` at most, at any
    number of trials. That is the test of Clopper and Pearson on the exact law.

    Parameters
    ----------
    hits
        Numbers of hits, each with its own limits, shape ``(k,)``.
    trials
        The number of trials.
    first, second
        Their probabilities to hit and to miss.
    misses
        The largest probability that the limits miss c, in (0, 1).

    Returns
    -------
    tuple of numpy.ndarray
        The lower and the upper limits, in 0..trials. If the hits are too many or too few for every c, both limits are
        the c that explains them best.

    Examples
    --------
    >>> [limit.tolist() for limit in split_limits(np.array([25, 60]), 100, (0.75, 0.25), (0.25, 0.75), 0.05)]
    [[0, 53], [17, 88]]
    """
    distinct, places = np.unique(hits, return_inverse=True)
    low = _least_splits(distinct, trials, first, second, misses / 2)
    # The misses are hits of the mirror image, in which the others hit more often.
    misses_of_first, misses_of_second = (first[1], first[0]), (second[1], second[0])
    mirrored = _least_splits(trials - distinct[::-1], trials, misses_of_second, misses_of_first, misses / 2)
    return low[places], (trials - mirrored[::-1])[places]


def _least_splits(hits: Integers, trials: int, first: Rates, second: Rates, tail: float) -> Integers:
    """Return for rising numbers of hits the least c with ``P(S_c >= hits) > tail``, ``trials`` if there is none."""
    gap, level = first[0] - second[0], _normal_quantile(tail)
    least, excluded = np.empty(hits.size, dtype=np.int64), -1
    guess = 0.0
    counts: list[int] = hits.tolist()
    for place, count in enumerate(counts):
        # What is excluded for fewer hits is excluded for more.
        low, high = excluded, trials
        spread = math.sqrt(trials * max(first[0] * first[1], second[0] * second[1])) / gap
        guess = (count - trials * second[0]) / gap + level * spread
        seen: list[tuple[int, float]] = []
        while high - low > 1:
            c = min(max(low + 1, round(guess)), high - 1)
            probability = _tail_of_split(c, trials, first, second, count)
            low, high = (low, c) if probability > tail * (1 - _ROUNDING) else (c, high)
            # The quantiles of the normal law make it nearly a straight line.
            seen = [*seen[-1:], (c, _normal_quantile(probability))]
            guess = _crossing(seen, level, low, high, spread)
        least[place], excluded = high, max(low, -1)
    return least


def _normal_quantile(probability: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415

    return float(ndtri(probability))


def _crossing(seen: list[tuple[int, float]], level: float, low: int, high: int, spread: float) -> float:
    """Return where the line through the points is at the level, or the middle if that is not between low and high."""
    (c, quantile), slope = seen[-1], 1 / spread if spread else math.nan
    if len(seen) > 1 and seen[0][0] != c:
        slope = (quantile - seen[0][1]) / (c - seen[0][0])
    if math.isfinite(quantile) and slope > 0:
        guess = c + (level - quantile) / slope
        if low < guess < high:
            return guess
    return (low + high) / 2


def _tail_of_split(c: int, trials: int, first: Rates, second: Rates, hits: int) -> float:
    """Return ``P(S_c >= hits)``."""
    start, law = _law_from_its_mode(c, *first)
    start_of_others, others = _law_from_its_mode(trials - c, *second)
    at_least = np.append(np.cumsum(others[::-1])[::-1], 0.0)
    needed = np.arange(hits - start - start_of_others, hits - start - start_of_others - law.size, -1)
    return float(law @ at_least[np.clip(needed, 0, others.size)])


def _law_from_its_mode(n: int, p: float, q: float) -> tuple[int, Reals]:
    """Return the window of `binomial_window`, ten times as fast, with a relative error that grows with its width.

    Each probability is its neighbor's times a quotient: 10⁵ quotients from the mode the relative error is 1e-11.
    """
    spread = WINDOW / 3 + math.sqrt(WINDOW**2 / 9 + 2 * WINDOW * n * p * q)
    start, last = max(0, math.floor(n * p - spread)), min(n, math.ceil(n * p + spread))
    mode = min(last, max(start, math.floor((n + 1) * p)))
    if p == 0 or q == 0:
        return mode, np.ones(1)
    above, below = np.arange(mode + 1.0, last + 1.0), np.arange(float(mode), float(start), -1.0)
    rising = np.cumprod((n - above + 1) / above * (p / q))
    falling = np.cumprod(below / (n - below + 1) * (q / p))
    law = np.concatenate([falling[::-1], [1.0], rising])
    return start, law / law.sum()
