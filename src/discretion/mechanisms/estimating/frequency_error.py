"""The error of estimated shares, and the number of people that brings it down to a target."""

import math
from collections.abc import Callable
from typing import Generic, Literal, NamedTuple, TypeVar, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from discretion import limits
from discretion.adversaries.populations import (
    Dirichlet,
    DirichletMixture,
    PointMixture,
    PopulationLaw,
    as_population_law,
)
from discretion.adversaries.priors import as_prior, prior_vector
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.escaping import short_repr
from discretion.estimate import Estimate, highest, lowest
from discretion.mechanisms.estimating.iterative_bayesian_update import iterative_bayesian_update
from discretion.mechanisms.estimating.postprocessing import POSTPROCESSING
from discretion.mechanisms.mechanism import Mechanism
from discretion.mechanisms.reporting import Support, own_measures
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.draws import Seed, generator
from discretion.numerics.laws.binomial import binomial_window
from discretion.validation import as_crowd, as_real

# Numbers drawn in all simulated collections.
MAX_SIMULATED = 1 << 26

CONFIDENCE = 0.95
Norm = Literal["rms", "l1", "max"]
Estimator = Literal["raw", "clipped", "norm_sub", "ibu"]
Shares = ArrayLike | PopulationLaw | Literal["mean", "worst"] | None
T_co = TypeVar("T_co", bound=float | Estimate, covariant=True)

_FEWEST, _RUNS = 32, 400
_LAWS_SUMMED = 1 << 8
_CONFIRMATIONS = 32


class FrequencyError(NamedTuple, Generic[T_co]):
    """The error of estimated shares, as a share and as a number of people."""

    share: T_co
    people: T_co


@overload
def frequency_error(mechanism: Mechanism, n: int, frequencies: Shares = None) -> FrequencyError[float]: ...
@overload
def frequency_error(
    mechanism: Mechanism,
    n: int,
    frequencies: Shares = None,
    norm: Norm = "rms",
    estimator: Estimator = "raw",
    *,
    rng: Seed = None,
) -> FrequencyError[float | Estimate]: ...
def frequency_error(
    mechanism: Mechanism,
    n: int,
    frequencies: Shares = None,
    norm: Norm = "rms",
    estimator: Estimator = "raw",
    *,
    rng: Seed = None,
) -> FrequencyError[float] | FrequencyError[float | Estimate]:
    """Return the error of estimated shares: by default the standard error, root mean square over the values.

    ``√(E mean_v (f̂_v - f_v)²)``, ``E Σ_v |f̂_v - f_v|`` or ``E max_v |f̂_v - f_v|``, and n times that.

    Parameters
    ----------
    mechanism
        A local mechanism.
    n
        Number of reports, at least 1.
    frequencies
        The true shares, shape ``(k,)``; None means all equal. A law of the shares, a `discretion.Dirichlet` or a
        `discretion.PointMixture`, sets the mean over populations of that law; "mean" sets the mean over Jeffreys' law.
        "worst" means the shares with the largest error. For the raw estimator and the norm "rms" these are known; else
        the function compares the populations in which 1, 2, 4, … or all values are equally frequent.
    norm
        "rms", "l1" or "max".
    estimator
        The post-processing of raw estimates: "raw" leaves them as they are; "clipped" stands for `clipped`, "norm_sub"
        for `norm_sub`, and "ibu" for `iterative_bayesian_update`.
    rng
        A generator or a seed, used where collections are simulated; None draws a fresh seed.

    Returns
    -------
    FrequencyError
        ``.share`` (0 without noise, infinite when ε = 0) and ``.people``: floats for the raw estimator with "rms", and
        with "l1" for protocols whose reports support values. Else an `Estimate` from simulated collections. For "worst"
        the interval of the raw "l1" is certified: it goes from the largest error that was found to ``k`` times the raw
        "rms". The other intervals assume that the worst population is one of those that were compared.

    Raises
    ------
    InvalidValueError
        If the norm or the estimator is unknown.
    TooLargeError
        If fewer than 32 collections can be simulated within the limits.
    UnsupportedError
        If ``frequencies`` is "worst" and the worst shares are not known, as for a mechanism whose reports do not
        support values.

    Notes
    -----
    The error includes only the mechanism's noise: the people are not a sample. For a protocol whose reports support
    values, the raw "rms" is the same for all shares. A simulation gives each value the nearest whole number of people.

    Examples
    --------
    >>> import discretion as dc
    >>> error = frequency_error(dc.RandomizedResponse(2, p=0.75), 10_000)
    >>> round(error.share, 6), round(error.people, 2)
    (0.00866, 86.6)
    >>> round(frequency_error(dc.RandomizedResponse(2, p=0.75), 10_000, norm="l1").share, 6)
    0.013819
    """
    if norm not in get_args(Norm) or estimator not in get_args(Estimator):
        raise InvalidValueError(
            f"norm must be 'rms', 'l1' or 'max', and estimator 'raw', 'clipped', 'norm_sub' or 'ibu'; got "
            f"{short_repr(norm)} and {short_repr(estimator)}"
        )
    if estimator == "raw" and norm == "rms":
        error = math.sqrt(_mean_variance(mechanism, n, frequencies))
        return FrequencyError(error, n * error)
    n = as_crowd(n, "n")
    of = norm, estimator
    if isinstance(frequencies, str) and frequencies == "worst":
        error = _worst_error(mechanism, n, of, generator(rng))
    else:
        law = _law(mechanism, frequencies)
        mechanism.check_informative()
        error = _mean_error(mechanism, n, law, of, generator(rng), confidence=CONFIDENCE)
    return FrequencyError(error, error * n)


def users_needed(
    mechanism: Mechanism,
    error: float,
    frequencies: Shares = None,
    norm: Norm = "rms",
    estimator: Estimator = "raw",
    *,
    rng: Seed = None,
) -> int:
    """Return the least number of people whose reports bring the error of the estimated shares down to a target.

    It is the least n with ``frequency_error(mechanism, n, …).share <= error``.

    Parameters
    ----------
    mechanism
        A local mechanism.
    error
        The largest error allowed, as a share, above 0.
    frequencies, norm, estimator, rng
        As for `frequency_error`.

    Returns
    -------
    int
        At least 1. Where the error is a float, the least such n. Where it is simulated, an n near the least at which
        the upper bound of the interval is at most the target. In both cases the error at n confirms the result.

    Raises
    ------
    InvalidValueError
        If the error is not above 0 and finite.
    UnsupportedError
        If the search does not converge on the simulated error.
    TooLargeError
        If it takes more people than the limit allows.

    Examples
    --------
    >>> import discretion as dc
    >>> users_needed(dc.RandomizedResponse(12, epsilon=1), 0.002)
    1198156
    """
    target = as_real(error, "error")
    if not 0 < target < math.inf:
        raise InvalidValueError(f"error must be above 0 and finite, got {short_repr(error)}")
    mechanism.check_informative()
    seed = int(generator(rng).integers(1 << 62))

    def reached(n: int) -> float:
        return highest(frequency_error(mechanism, n, frequencies, norm, estimator, rng=seed).share)

    n = _scaled(1, math.sqrt(_mean_variance(mechanism, 1, frequencies)), target)
    if estimator == "raw" and norm == "rms":
        while n > 1 and reached(n - 1) <= target:
            n -= 1
        while reached(n) > target:
            n += 1
        return n
    now = math.inf
    for _ in range(_CONFIRMATIONS):
        now = reached(n)
        if now <= target and (n == 1 or now >= 0.99 * target):
            return n
        n = max(1, _scaled(n, now * 1.004, target))
    raise UnsupportedError(f"the simulated error did not settle at {target:g}; it is {now:g} for n = {n:,}")


def _scaled(n: int, error: float, target: float) -> int:
    """Return the number of people at which an error that falls like ``1/√n`` reaches the target."""
    people = n * (error / target) ** 2
    if people > (most := limits.current().people):
        raise TooLargeError(f"an error of {target:g} needs more than {most:,} people; allow a larger error")
    return max(1, math.ceil(people))


def _law(mechanism: Mechanism, frequencies: Shares) -> PopulationLaw:
    """Return the law of the shares, one point if they are given."""
    if isinstance(frequencies, str):
        if frequencies != "mean":
            raise InvalidValueError(
                f"frequencies must be shares, a law of shares, 'mean' or 'worst', got {frequencies!r:.40}"
            )
        return Dirichlet.jeffreys(mechanism.k)
    if isinstance(frequencies, PopulationLaw):
        return as_population_law(frequencies, mechanism.k)
    shares = prior_vector(as_prior(frequencies, mechanism.k), mechanism.k)
    return PointMixture(shares[None], [1.0])


def _mean_variance(mechanism: Mechanism, n: int, frequencies: Shares) -> float:
    """Return the mean variance of the raw estimates, which is linear in the shares."""
    if isinstance(frequencies, str) and frequencies == "worst":
        corners = mechanism.k if mechanism.support is None else 1
        alone = (np.eye(1, mechanism.k, value)[0] for value in range(corners))
        return max(float(mechanism.frequency_variance(n, shares).mean()) for shares in alone)
    if isinstance(frequencies, str | PopulationLaw):
        frequencies = _law(mechanism, frequencies).mean
    return float(mechanism.frequency_variance(n, frequencies).mean())


def _worst_error(mechanism: Mechanism, n: int, of: tuple[Norm, Estimator], rng: np.random.Generator) -> Estimate:
    """Return the largest error of the populations in which 1, 2, 4, … or all values are equally frequent."""
    if mechanism.support is None:
        raise UnsupportedError(
            "the worst shares of a mechanism whose reports do not support values are known for estimator='raw' and "
            "norm='rms'; give the shares, or 'mean'"
        )
    k = mechanism.k
    mechanism.check_informative()
    sizes = sorted({k, *(1 << power for power in range(k.bit_length()) if 1 << power <= k)})
    laws = [PointMixture((np.arange(k) < size)[None] / size, [1.0]) for size in sizes]
    confidence = 1 - (1 - CONFIDENCE) / len(sizes)
    errors = [_mean_error(mechanism, n, law, of, rng, confidence=confidence) for law in laws]
    low, high = max(map(lowest, errors)), max(map(highest, errors))
    if of == ("l1", "raw") and not any(isinstance(error, Estimate) for error in errors):
        # By the Cauchy-Schwarz inequality, twice; the mean variance is the same for all shares.
        most = max(low, k * math.sqrt(_mean_variance(mechanism, n, None)))
        return Estimate.between(low, most, "a population, and the variance of all")
    value = max(map(float, errors))
    how = f"simulated collections of {len(sizes)} populations"
    assuming = "the worst population is one of equally frequent values, of which there are a power of two or all"
    return Estimate(value, low, high, CONFIDENCE, how, assuming)


def _mean_error(
    mechanism: Mechanism,
    n: int,
    law: PopulationLaw,
    of: tuple[Norm, Estimator],
    rng: np.random.Generator,
    *,
    confidence: float,
) -> float | Estimate:
    """Return the error as a share: the mean over the populations of a law."""
    support = mechanism.support
    if of == ("l1", "raw") and support is not None and isinstance(law, PointMixture):
        counts = np.concatenate([_people(n, point) for point in law.points])
        weights = np.repeat(law.weights, mechanism.k)
        if (different := np.unique(counts)).size <= _LAWS_SUMMED:
            errors = np.array([_mean_deviation(support, n, int(count)) for count in different])
            return float(weights @ errors[np.searchsorted(different, counts)])
    return _simulated(mechanism, n, law, of, rng, confidence=confidence)


def _people(n: int, shares: Reals) -> Integers:
    """Return the whole numbers of people nearest to the shares, n in all."""
    exact = n * shares
    counts = np.floor(exact).astype(np.int64)
    missing = n - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:missing]] += 1
    return counts


def _mean_deviation(support: Support, n: int, count: int) -> float:
    """Return ``E |f̂_v - f_v|`` of a value that ``count`` of n people hold: of a sum of two binomial laws."""
    own, not_own, other, not_other, gap = support
    (first, held), (second, others) = (
        binomial_window(people, *chances)
        for people, chances in ((count, (own, not_own)), (n - count, (other, not_other)))
    )
    size = held.size + others.size - 1
    law = np.fft.irfft(np.fft.rfft(held, size) * np.fft.rfft(others, size), size)
    away = first + second + np.arange(size) - (count * own + (n - count) * other)
    return float(law @ np.abs(away)) / n / gap


def _simulated(
    mechanism: Mechanism,
    n: int,
    law: PopulationLaw,
    of: tuple[Norm, Estimator],
    rng: np.random.Generator,
    *,
    confidence: float,
) -> Estimate:
    from scipy.special import stdtrit  # noqa: PLC0415 - closed forms need no SciPy, which is slow to import

    norm, estimator = of
    # Tallies that are not drawn at once take a person's report each.
    at_once = (mechanism.bits is not None or mechanism.response is not None) and estimator != "ibu"
    runs = min(_RUNS, limits.current().steps(MAX_SIMULATED, each=8) // (mechanism.k + (0 if at_once else n)))
    if runs < _FEWEST:
        raise TooLargeError(
            f"the error of {n:,} people's reports on k = {mechanism.k:,} values takes too long to simulate; take fewer "
            "people and multiply their error by √(fewer/n), or take estimator='raw' and norm='rms'"
        )
    errors = np.empty(runs)
    for run in range(runs):
        counts = _people(n, _drawn_shares(law, rng))
        away = _estimated(mechanism, counts, estimator, rng) - counts / n
        errors[run] = {"rms": np.mean(away**2), "l1": np.abs(away).sum(), "max": np.abs(away).max()}[norm]
    mean, reach = float(errors.mean()), float(stdtrit(runs - 1, (1 + confidence) / 2))
    half = reach * float(errors.std(ddof=1)) / math.sqrt(runs)
    error = Estimate(mean, max(0.0, mean - half), mean + half, confidence, f"{runs} simulated collections")
    return error.map(math.sqrt) if norm == "rms" else error


def _drawn_shares(law: PopulationLaw, rng: np.random.Generator) -> Reals:
    if isinstance(law, Dirichlet):
        return rng.dirichlet(law.alpha)
    if isinstance(law, DirichletMixture):
        return rng.dirichlet(law.alpha[rng.choice(law.weights.size, p=law.weights)])
    return law.points[rng.choice(law.weights.size, p=law.weights)]


def _estimated(mechanism: Mechanism, counts: Integers, estimator: Estimator, rng: np.random.Generator) -> Reals:
    if estimator == "ibu":
        values = np.repeat(np.arange(mechanism.k), counts)
        return iterative_bayesian_update(mechanism, mechanism.sample(values, rng)).frequencies
    raw = mechanism.estimate_from_aggregate(mechanism.sample_aggregate(counts, rng), int(counts.sum()))
    return POSTPROCESSING[estimator](raw)


@own_measures.register
def _own_measures_of_mechanism(system: Mechanism, users: int | None) -> dict[str, Callable[[], dict[str, float]]]:
    return {} if users is None else {"frequency_error": lambda: frequency_error(system, users)._asdict()}
