"""The Rényi divergence of one step of the subsampled Gaussian mechanism, of any order and in either direction.

Let ``w = q (e^t - 1)``, where t is the loss of the Gaussian noise alone: ``Q = (1 + w) P`` and ``E_P w = 0``. With
``s = α`` for Q from P, and ``s = 1 - α`` for P from Q,

    exp((α - 1) D_α) = E_P (1 + w)^s = 1 + α (α - 1) E_P φ_s(w)

where ``φ_s(w) = ((1 + w)^s - 1 - s w) / (s (s - 1)) = w² ∫_0^1 (1 - u) (1 + u w)^(s-2) du`` is nowhere negative. So
nothing cancels near order 0 and 1 or at small rates. For a whole s it is a sum (Mironov, Talwar and Zhang, Rényi
differential privacy of the sampled Gaussian mechanism, 2019, section 3.3). Else the trapezoidal rule sums it. Its error
falls exponentially, since the integrand is analytic in a strip around the real line (Trefethen and Weideman, The
exponentially convergent trapezoidal rule, SIAM Review 2014, Theorem 5.1).
"""

import math
from functools import cache

import numpy as np

from discretion.estimate import Estimate, settled
from discretion.mechanisms.noise.gaussian_losses import GaussianLosses
from discretion.numerics.arrays import Reals

METHOD = "trapezoidal rule with a certified remainder"
# The largest whole order with a sum over all terms, and the largest numbers of nodes and places.
_MAX_WHOLE, _MAX_NODES = 1 << 16, 1 << 22
# The log of a negligible share of the whole, and the rounding error of both bounds.
_NEGLIGIBLE, _ROUNDING = 50.0, 1e-12
# Beyond this an exponential overflows.
_LARGEST = 600.0
# The strip's half width in standard deviations of the noise, at most.
_WIDEST = 5.0


def one_step(sigma: float, rate: float, order: float, backwards: bool) -> float | Estimate:
    """Return ``D_α(Q‖P)``, or backwards ``D_α(P‖Q)``, for a rate below 1.

    Parameters
    ----------
    sigma
        The standard deviation of the noise over the clipping norm.
    rate
        q in (0, 1).
    order
        α > 0, infinity included.
    backwards
        Whether to return the divergence of P from Q.

    Returns
    -------
    float or Estimate
        In nats; exact, or certified bounds where the noise or the order is extreme.
    """
    if math.isinf(order):
        return -math.log1p(-rate) if backwards else math.inf
    power = 1 - order if backwards else order
    if power == int(power) and 2 <= power <= _MAX_WHOLE:
        return _from_mean(_whole_mean(sigma, rate, int(power)), order)
    logarithm = _Mean(sigma, rate, power).logarithm()
    if logarithm is None:
        return _elementary(sigma, rate, order, power)
    mean, error = logarithm
    value = _from_mean(mean, order)
    off = value * (math.exp(error) + _ROUNDING)
    return settled(Estimate(value, max(0.0, value - off), value + off, None, METHOD))


def _from_mean(log_mean: float, order: float) -> float:
    """Return the divergence, given the logarithm of ``E_P φ_s(w)``."""
    above = order - 1
    if above == 0:
        return math.exp(log_mean)
    exponent = math.log(order) + math.log(abs(above)) + log_mean
    if exponent > 700:
        return exponent / above
    return math.log1p(math.copysign(math.exp(exponent), above)) / above


def _whole_mean(sigma: float, rate: float, order: int) -> float:
    """Return the logarithm of ``Σ_k C(α, k) (1-q)^(α-k) q^k (e^(k(k-1)/2σ²) - 1) / (α (α-1))``: terms of one sign."""
    from scipy.special import gammaln  # noqa: PLC0415 - what needs no sum need not wait for it

    k = np.arange(2, order + 1, dtype=np.float64)
    ways = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    exponents = k * (k - 1) / 2 / sigma / sigma
    log_excess = np.where(
        exponents > 1,
        exponents + np.log1p(-np.exp(-np.maximum(exponents, 1.0))),
        np.log(np.expm1(np.minimum(exponents, 1.0))),
    )
    return (
        _log_sum(ways + (order - k) * math.log1p(-rate) + k * math.log(rate) + log_excess)
        - math.log(order)
        - math.log(order - 1)
    )


class _Mean:
    """The mean of ``φ_s(w)`` over standard normal x, where ``t = x/σ - 1/(2σ²)``."""

    def __init__(self, sigma: float, rate: float, power: float) -> None:
        self._sigma, self._rate, self._power = sigma, rate, power
        self._losses = GaussianLosses(1 / sigma, rate)
        self._angle = 1 / math.sqrt(max(1.0, 2 - power))
        self._width = min(self._angle * sigma, _WIDEST)
        self._angle = self._width / sigma

    def logarithm(self) -> tuple[float, float] | None:
        """Return the logarithms of the mean and of a bound on its relative error; None if it takes too many nodes."""
        places = self._places()
        if places is None:
            return None
        step, needed = 1.0, _NEGLIGIBLE
        for _ in range(4):
            per_place = math.ceil(needed / (2 * math.pi * self._width))
            if places.size * per_place > _MAX_NODES:
                return None
            step = 1 / per_place
            x = (places[:, None] + step * np.arange(per_place)).ravel()
            t = (x - 0.5 / self._sigma) / self._sigma
            log_normal = -x * x / 2 - math.log(2 * math.pi) / 2
            log_kernel = self._log_kernel(t)
            mean = _log_sum(log_normal + log_kernel + 2 * self._log_w(t)) + math.log(step)
            # The same on the border of the strip: |e^(t+iθ) - 1|² = (e^t - 1)² + 2 e^t (1 - cos θ).
            beyond = 2 * math.log(self._rate) + t + math.log(2 - 2 * math.cos(self._angle))
            border = _log_sum(log_normal + log_kernel + np.logaddexp(2 * self._log_w(t), beyond)) + math.log(step)
            border += self._width**2 / 2 - max(0.0, 2 - self._power) * math.log(math.cos(self._angle))
            wanted = border - mean + math.log(4) + _NEGLIGIBLE - 10
            if 2 * math.pi * self._width * per_place >= wanted:
                return mean, border - mean + math.log(4) - 2 * math.pi * self._width * per_place
            needed = wanted + 1
        return None

    def _places(self) -> Reals | None:
        """Return whole numbers between which lies all but a negligible part of the mean."""
        # The integrand is at most q²/2 max(1, (1-q)^(s-2)) times a normal density, and above max(2, s)/σ falls faster.
        far, reach = max(2.0, self._power) / self._sigma, 40.0
        for _ in range(3):
            if far + 2 * reach > _MAX_NODES:
                return None
            x = np.arange(-math.ceil(reach), math.ceil(far + reach) + 1, dtype=np.float64)
            t = (x - 0.5 / self._sigma) / self._sigma
            logs = -x * x / 2 + self._log_kernel(t) + 2 * self._log_w(t)
            top = float(logs.max())
            left = 2 * math.log(self._rate) - min(0.0, self._power - 2) * -math.log1p(-self._rate)
            most = max(2.0, self._power)
            right = 2 * math.log(self._rate) + most * (most - 1) / 2 / self._sigma / self._sigma
            enough = math.sqrt(2 * max(0.0, max(left, right) - top + _NEGLIGIBLE))
            if enough <= reach:
                significant = logs > top - _NEGLIGIBLE - math.log(x.size)
                return x[:-1][significant[:-1] | significant[1:]]
            reach = enough + 1
        return None

    def _log_w(self, t: Reals) -> Reals:
        """Return ``log |q (e^t - 1)|``."""
        with np.errstate(divide="ignore"):
            near = np.log(np.abs(np.expm1(np.minimum(t, 1.0))))
        return math.log(self._rate) + np.where(t > 1, t + np.log1p(-np.exp(-np.maximum(t, 1.0))), near)

    def _log_kernel(self, t: Reals) -> Reals:
        """Return the logarithm of ``∫_0^1 (1 - u) (1 + u w)^(s-2) du``, which is ``φ_s(w) / w²``."""
        power, logs = self._power, self._losses.of_noise(t)  # logs = log(1 + w)
        small = np.abs(logs) * max(1.0, abs(power - 2)) < 1
        kernel = np.empty(t.size)
        nodes, weights = _gauss_legendre()
        near = np.log1p(np.multiply.outer(np.expm1(logs[small]), nodes))
        kernel[small] = np.log(np.exp((power - 2) * near) @ (weights * (1 - nodes)))
        far = logs[~small]
        with np.errstate(over="ignore"):
            if power >= 0.5:  # φ = (1 + w) ((e^((s-1) L) - 1) / (s-1) - w / (1+w)) / s, where L = log(1 + w)
                phi = far + _log_grown(power - 1, far, power - 1, np.expm1(-far)) - math.log(power)
            else:  # φ = (w - (e^(s L) - 1) / s) / (1 - s), in which w outgrows the other from where L is large on
                rest = np.expm1(np.minimum(far, _LARGEST))
                less = _log_grown(power, far, -power, rest) if power else np.log(rest - far)
                phi = np.where(far > _LARGEST, far, less) - math.log1p(-power)
        kernel[~small] = phi - 2 * self._log_w(t[~small])
        return kernel


@cache
def _gauss_legendre() -> tuple[Reals, Reals]:
    """Return the nodes and the weights of a rule on [0, 1], from a module that not every start needs to load."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    return (nodes + 1) / 2, weights / 2


def _log_grown(power: float, logs: Reals, divisor: float, rest: Reals) -> Reals:
    """Return ``log((e^(power · logs) - 1) / divisor + rest)``, also where it overflows; the limit at power 0."""
    exponents = power * logs
    grown = np.expm1(np.minimum(exponents, _LARGEST)) / divisor if power else logs
    near = np.log(np.where(exponents > _LARGEST, 1.0, grown + rest))
    return np.where(exponents > _LARGEST, exponents - math.log(divisor or 1.0), near) if divisor > 0 else near


def _log_sum(logs: Reals) -> float:
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).sum()))


def _elementary(sigma: float, rate: float, order: float, power: float) -> float | Estimate:
    """Return bounds that are close where the noise is negligible or the order is very large.

    For s > 1 ``q^s e^(s(s-1)/2σ²) <= E_P (1+w)^s <= (1 - q + q e^((s-1)/2σ²))^s``, by Minkowski's inequality. For s
    between 0 and 1 ``(1-q)^s <= E_P (1+w)^s <= (1-q)^s + q^s e^(s(s-1)/2σ²)``. For s < 0 it is at most ``(1-q)^s``, and
    nearly as large wherever ``q e^t`` is negligible; the lower bound contains the probability of this event.
    """
    from scipy.special import log_ndtr  # noqa: PLC0415

    exponent = 1 / sigma / sigma / 2
    none, some = math.log1p(-rate), math.log(rate)
    if order == 1 and power:  # each part of Q by the part of the ratio that is largest there; and convexity
        ends = [rate * (some + exponent) + (1 - rate) * none, rate * exponent]
    elif order == 1:  # it is no less than of order 1/2, and a ratio is at least 1 - q
        ends = [-2 * float(np.logaddexp(none / 2, some / 2 - exponent / 4)), -none]
    else:
        if power > 1:
            moments = (
                power * (some + (power - 1) * exponent),
                power * float(np.logaddexp(none, some + (power - 1) * exponent)),
            )
        elif power > 0:
            moments = power * none, float(np.logaddexp(power * none, power * (some - (1 - power) * exponent)))
        else:
            rare = none - some - 40
            moments = float(log_ndtr(sigma * (rare + exponent))) + power * (none + math.exp(-40)), power * none
        ends = sorted(moment / (order - 1) for moment in moments)
    ends = [end * (1 + sign * _ROUNDING) for end, sign in zip(ends, (-1, 1), strict=True)]
    low, high = (max(0.0, end) for end in ends)
    return settled(Estimate.between(low, high, "bounds of the moment of the likelihood ratio"))
