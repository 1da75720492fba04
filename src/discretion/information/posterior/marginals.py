"""The law of one value's share: a mixture of beta laws, or of a few known shares."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Reals
from discretion.numerics.bisection import root
from discretion.numerics.excess import deviance
from discretion.numerics.laws.binomial import gamma_error
from discretion.validation import NotNumbersError, as_probability, as_real, as_reals

_LEAST = float(np.log(np.nextafter(0.0, 1.0)))


class Marginal(ABC):
    """The law of one share in [0, 1]: a subclass evaluates it at points that this class has checked."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """The mean of the share."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance of the share."""

    @abstractmethod
    def _cdf(self, p: Reals) -> Reals: ...

    @abstractmethod
    def _density(self, p: Reals) -> Reals: ...

    @abstractmethod
    def _quantile(self, u: float) -> float: ...

    @overload
    def cdf(self, p: float) -> float: ...
    @overload
    def cdf(self, p: Reals | Sequence[float]) -> Reals: ...
    def cdf(self, p: ArrayLike) -> float | Reals:
        """Return the probability that the share is at most p, a number or an array of any numbers."""
        points = _points(p)
        return np.where(points < 0, 0.0, np.where(points >= 1, 1.0, self._cdf(np.clip(points, 0, 1))))[()]

    @overload
    def density(self, p: float) -> float: ...
    @overload
    def density(self, p: Reals | Sequence[float]) -> Reals: ...
    def density(self, p: ArrayLike) -> float | Reals:
        """Return the density at p, a number or an array; infinite at 0 or 1 where it grows beyond all bounds.

        Raises
        ------
        UnsupportedError
            If the population is a mixture of points, whose shares have no density.
        """
        points = _points(p)
        inside = self._density(np.clip(points, 0, 1))
        return np.where((points < 0) | (points > 1), 0.0, inside)[()]

    def quantile(self, u: float) -> float:
        """Return the smallest share that is exceeded with probability at most 1 - u, for u in [0, 1]."""
        return self._quantile(as_probability(u, "u"))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the equal-tailed credible interval, which contains the share with this posterior probability."""
        inside = as_real(level, "level")
        if not 0 < inside < 1:
            raise InvalidValueError(f"level must be in (0, 1), got {level!r}")
        return self._quantile((1 - inside) / 2), self._quantile((1 + inside) / 2)


class BetaMixture(Marginal):
    """A mixture of beta laws with the parameters ``(own, others)``, each with its weight."""

    def __init__(self, own: Reals, others: Reals, weights: Reals) -> None:
        pairs, which = np.unique(np.stack([own, others]), axis=1, return_inverse=True)
        self._weights = np.bincount(which.ravel(), weights)
        self._a: Reals = pairs[0]
        self._b: Reals = pairs[1]

    @property
    def mean(self) -> float:
        """The mean of the share."""
        return float(self._weights @ (self._a / (self._a + self._b)))

    @property
    def variance(self) -> float:
        """The variance of the share: the mean of the variances plus the variance of the means."""
        total = self._a + self._b
        means = self._a / total
        return float(self._weights @ (means * (self._b / total) / (total + 1) + (means - self.mean) ** 2))

    def _at_most(self, p: float) -> float:
        return float(self._weights @ np.asarray(betainc(self._a, self._b, p)))

    def _cdf(self, p: Reals) -> Reals:
        return np.minimum(1.0, np.reshape([self._at_most(point) for point in p.flat], p.shape))

    def _density(self, p: Reals) -> Reals:
        return np.reshape([self._weights @ _beta_density(self._a, self._b, point) for point in p.flat], p.shape)

    def _quantile(self, u: float) -> float:
        if u in {0.0, 1.0}:
            return u
        # Cantelli's inequality brackets it; in logarithms, since a share may be as small as the least float.
        deviation = np.sqrt(self.variance)
        least = self.mean - 1.01 * deviation * np.sqrt((1 - u) / u)
        low = float(np.log(least)) if least > 0 else _LEAST
        high = float(np.log(min(1.0, self.mean + 1.01 * deviation * np.sqrt(u / (1 - u)))))

        def over(log_share: float) -> float:
            return self._at_most(float(np.exp(log_share))) - u

        if over(low) >= 0:
            return 0.0 if low == _LEAST else float(np.exp(low))
        if over(high) <= 0:
            return float(np.exp(high))
        return float(np.exp(root(over, low, high, 1e-15, absolute=1e-13)))


class KnownShares(Marginal):
    """A share that is one of some known ones, each with a weight."""

    def __init__(self, shares: Reals, weights: Reals) -> None:
        self._shares, which = np.unique(shares, return_inverse=True)
        self._weights = np.bincount(which, weights)

    @property
    def mean(self) -> float:
        """The mean of the share."""
        return float(self._weights @ self._shares)

    @property
    def variance(self) -> float:
        """The variance of the share."""
        return float(self._weights @ (self._shares - self.mean) ** 2)

    def _cdf(self, p: Reals) -> Reals:
        upto = np.concatenate([[0.0], np.cumsum(self._weights)])
        return np.minimum(1.0, upto[np.searchsorted(self._shares, p, side="right")])

    def _density(self, p: Reals) -> Reals:
        raise UnsupportedError("shares of a mixture of points have no density; use cdf instead")

    def _quantile(self, u: float) -> float:
        # A sum of weights may miss the number that it is by rounding.
        reached = np.cumsum(self._weights) >= u - 1e-12
        return float(self._shares[reached.argmax() if reached.any() else -1])


def _points(p: ArrayLike) -> Reals:
    try:
        points = as_reals(p)
    except NotNumbersError:
        points = np.array(np.nan)
    if np.isnan(points).any():
        raise InvalidValueError(f"p must be a number or an array of numbers, got {short_repr(p)}")
    return points


def _beta_density(a: Reals, b: Reals, p: float) -> Reals:
    """Return ``p^(a-1) (1-p)^(b-1) / B(a, b)`` in Loader's form, which loses no digits to large parameters."""
    if p in {0.0, 1.0}:
        near, far = (a, b) if p == 0 else (b, a)
        return np.where(near < 1, np.inf, np.where(near == 1, far, 0.0))
    total = a + b
    log_scale = (np.log(a) + np.log(b) - np.log(total) - np.log(2 * np.pi)) / 2 - np.log(p) - np.log1p(-p)
    corrections = gamma_error(total) - gamma_error(a) - gamma_error(b)
    return np.exp(log_scale + corrections - deviance(a, total * p) - deviance(b, total * (1 - p)))
