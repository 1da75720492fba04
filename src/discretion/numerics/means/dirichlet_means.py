"""Means of logarithms of s·P for P with a Dirichlet law: one smooth integral each, whatever the dimension.

With γ_x independent Gamma(α_x) the sum G is independent of P = γ/G, and ``log w = ∫ (e^-t - e^-tw) dt/t`` (Frullani)
turns all means into integrals of the Laplace transforms of G and of s·γ = G(s·P), which are products. Where the mean
of s·P is 1, so that the ω_x = α_x s_x/A sum to 1,

    E log(s·P)                           = ∫ [(1+t)^-A - Π_x (1+s_x t)^-α_x] dt/t
    E (s·P) log(s·P)                     = ∫ [(1+t)^-(A+1) - Π_x (1+s_x t)^-α_x · Σ_x ω_x/(1+s_x t)] dt/t
    E Σ_x s_x P_x log(s_x / (s·P))       = Σ_x ω_x ∫ (1+s_x t)^-1 [Π_x' (1+s_x' t)^-α_x' - (1+s_x t)^-A] dt/t
    E Σ_x s_x P_x log((s·P) / (s_x P_x)) = Σ_x ω_x ∫ (1+s_x t)^-1 [(1+s_x t)^-α_x - Π_x' (1+s_x' t)^-α_x'] dt/t
    E 1/(s·P)                            = ∫ Π_x (1+s_x t)^-α_x · Σ_x α_x/(1+s_x t) dt,

the second being the first with a weight of s·P, that is, for α + e_x with probability ω_x. Of the last but one
nothing cancels, however little it is. The second and the third are of second order in ``d = s - 1``, where s is near 1:
there they are written with ``τ = t/(1+t)``, ``z_x = d_x τ`` and what the first order, which is Σ α d = 0, leaves,

    L = Σ_x α_x (z_x - log(1+z_x)),  V = Σ_x (α_x/A) d_x²/(1+z_x):  Π_x (1+s_x t)^-α_x = (1+t)^-A e^L,
    Σ_x ω_x/(1+z_x) = 1 - τ(1-τ) V.

In u = log t the integrands are analytic where |Im u| < π, and bounded where it is at most π/2, so that the trapezoid
rule with step h errs by about e^(-π²/h).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logsumexp

from discretion.numerics.arrays import Reals

_STEP = 0.25
_NEGLIGIBLE = 40.0  # e^-40 is below what a double adds to 1
_CELLS_AT_ONCE = 1 << 22
_NEAR, _SMALL, _TERMS = 0.5, 0.1, 18
_DUST = 1e-250


def mean_log(s: ArrayLike, alpha: ArrayLike) -> Reals:
    """Return ``E log(s·P)`` for each row of s.

    Parameters
    ----------
    s
        Shape ``(rows, m)``, at least 0 and some of each row positive.
    alpha
        Positive, shape ``(m,)`` or ``(rows, m)``.
    """
    return mean_log_of_powers(_log(np.asarray(s, dtype=np.float64)), alpha)


def mean_log_of_powers(logs: ArrayLike, alpha: ArrayLike) -> Reals:
    """Return `mean_log` from the logarithms of s, which may be below the range of doubles."""
    rows, parameters = _broadcast(logs, alpha)
    means = logsumexp(rows, axis=1, b=parameters / parameters.sum(axis=1, keepdims=True))
    relative = rows - means[:, None]
    return means + _in_parts(_logs, np.exp(relative), relative, parameters)


def mean_s_log_s(s: ArrayLike, excess: ArrayLike, alpha: ArrayLike) -> Reals:
    """Return ``E (s·P) log(s·P)`` for each row of s, to full relative precision even near 1.

    Parameters
    ----------
    s
        Shape ``(rows, m)``, at least 0, such that each ``s·P`` has mean 1.
    excess
        ``s - 1``, to its own precision.
    alpha
        At least 0, not all of a row, shape ``(m,)`` or ``(rows, m)``.
    """
    return _in_parts(_excesses, *_broadcast(_without_dust(s), excess, alpha))


def mean_information(s: ArrayLike, excess: ArrayLike, alpha: ArrayLike) -> Reals:
    """Return ``E Σ_x s_x P_x log(s_x / (s·P))`` for each row of s, as `mean_s_log_s`."""
    return _in_parts(_information, *_broadcast(_without_dust(s), excess, alpha))


def mean_uncertainty(s: ArrayLike, alpha: ArrayLike, times: ArrayLike) -> Reals:
    """Return ``E Σ_x s_x P_x log((s·P) / (s_x P_x))`` for each row of s.

    Parameters
    ----------
    s
        Shape ``(rows, m)``, at least 0 and some of each row positive.
    alpha
        Positive, shape ``(m,)`` or ``(rows, m)``.
    times
        The number of values with this s and α, of the same shape as ``alpha``.
    """
    arrays = (np.asarray(array, dtype=np.float64) for array in (s, alpha, times))
    rows, parameters, counts = np.broadcast_arrays(*arrays)
    groups = parameters * counts
    means = (rows * groups).sum(axis=1) / groups.sum(axis=1)
    return means * _in_parts(_uncertainty, rows / means[:, None], parameters, groups)


def mean_inverse(s: ArrayLike, alpha: ArrayLike) -> Reals:
    """Return ``E 1/(s·P)`` for each row of s.

    Parameters
    ----------
    s
        Positive, shape ``(rows, m)``.
    alpha
        At least 0, not all of a row, shape ``(m,)`` or ``(rows, m)``.
    """
    rows, parameters = _broadcast(s, alpha)
    means = (rows * parameters).sum(axis=1) / parameters.sum(axis=1)
    return _in_parts(_inverses, rows / means[:, None], parameters) / means


def _broadcast(*arrays: ArrayLike) -> tuple[Reals, ...]:
    return np.broadcast_arrays(*(np.asarray(array, dtype=np.float64) for array in arrays))


def _without_dust(s: ArrayLike) -> Reals:
    """Return s with 0 in place of negligible entries, whose inverse would overflow."""
    return np.where(np.asarray(s) < _DUST, 0.0, s)


def _in_parts(integral: Callable[..., Reals], *arrays: Reals) -> Reals:
    """Return an integral for each row of the arrays, the first of them s, the last alpha."""
    s, alpha = arrays[0], arrays[-1]
    # Rows of like spread need like nodes.
    at_once = max(1, _CELLS_AT_ONCE // (max(1, _nodes(s, alpha).size) * s.shape[1]))
    parts = [slice(i, i + at_once) for i in range(0, len(s), at_once)]
    return np.concatenate([integral(*(array[part] for array in arrays)) for part in parts])


def _uncertainty(s: Reals, alpha: Reals, groups: Reals) -> Reals:
    larger = _log_growth(_log(s), _nodes(s, groups))
    # Summed from either side, since a difference of sums would lose what is little beside the value's own.
    weighted = larger * groups[:, None, :]
    others = larger * (groups - alpha)[:, None, :]
    others[..., 1:] += np.cumsum(weighted[..., :-1], axis=-1)
    others[..., :-1] += np.cumsum(weighted[..., :0:-1], axis=-1)[..., ::-1]
    others = np.maximum(others, 0.0)  # below 0 only where a group is empty
    integrals = -(np.exp(-larger - larger * alpha[:, None, :]) * np.expm1(-others)).sum(axis=1)
    return _STEP * np.einsum("rx,rx->r", integrals, s * groups) / groups.sum(axis=1)


class _NearOne:
    """The common parts of the two means of second order: a node on the second axis, x on the third."""

    def __init__(self, s: Reals, excess: Reals, alpha: Reals) -> None:
        u, self.total = _nodes(s, alpha), alpha.sum(axis=1)[:, None]
        z, self.logs = _ratios_near_one(excess, _log(s), u)
        self.inverse, self.lags = np.exp(-self.logs), _lags(z, self.logs)
        self.excess = np.einsum("rux,rx->ru", self.lags, alpha)
        spread = np.einsum("rux,rx->ru", self.inverse, alpha / self.total * excess**2)
        self.lost = expit(u) * expit(-u) * spread
        self.decay = -(self.total + 1) * np.logaddexp(0, u)


def _inverses(s: Reals, alpha: Reals) -> Reals:
    u = _nodes(s, alpha)
    growth = _log_growth(_log(s), u)
    decay = u - np.einsum("rux,rx->ru", growth, alpha)
    integrand = np.einsum("rux,rx->ru", np.exp(decay[..., None] - growth), alpha)
    # Beyond the last node it is geometric.
    rest = integrand[:, -1] / np.expm1(np.minimum(_STEP * alpha.sum(axis=1), 700))
    return _STEP * (integrand.sum(axis=1) + rest)


def _step_up(start: Reals, rise: Reals, end: Reals | None = None) -> Reals:
    """Return ``e^end - e^start`` without cancellation or overflow; the end is ``start + rise`` unless given."""
    near = np.expm1(np.clip(rise, -1, 1)) * np.exp(start)
    return np.where(np.abs(rise) < 1, near, np.exp(start + rise if end is None else end) - np.exp(start))


def _lags(z: Reals, logs: Reals) -> Reals:
    """Return ``z - log(1 + z)``."""
    near = np.where(np.abs(z) < _SMALL, z, 0.0)
    series = np.zeros_like(near)
    for j in range(_TERMS, 1, -1):
        series = series * near + (-1.0) ** j / j
    return np.where(np.abs(z) < _SMALL, series * near * near, z - logs)


def _excesses(s: Reals, excess: Reals, alpha: Reals) -> Reals:
    parts = _NearOne(s, excess, alpha)
    integrand = np.exp(parts.excess + parts.decay) * parts.lost - _step_up(parts.decay, parts.excess)
    return _STEP * integrand.sum(axis=1)


def _information(s: Reals, excess: Reals, alpha: Reals) -> Reals:
    near = (np.abs(excess) < _NEAR).all(axis=1)
    information = np.empty(len(s))
    for rows, integral in ((near, _information_near_one), (~near, _information_far_from_one)):
        if rows.any():
            information[rows] = integral(s[rows], excess[rows], alpha[rows])
    return information


def _information_near_one(s: Reals, excess: Reals, alpha: Reals) -> Reals:
    """Return the integral of ``(e^L - 1)(1 - l) + A l - Σ_x ω_x/(1+z_x) [A λ_x + (1+z_x)^-A - 1 + A log(1+z_x)]``.

    With ``l = τ(1-τ)V`` and ``λ = z - log(1+z)``.
    """
    parts = _NearOne(s, excess, alpha)
    total, start = parts.total[..., None], parts.decay[..., None]
    decay, exponent = np.exp(start), -total * parts.logs
    second: Reals = _lags(np.expm1(np.clip(exponent, -1, 1)), exponent) * decay
    powers: Reals = np.where(np.abs(exponent) < _SMALL, second, _step_up(start, exponent) - exponent * decay)
    own: Reals = parts.inverse * (total * parts.lags * decay + powers)
    integrand = _step_up(parts.decay, parts.excess) * (1 - parts.lost) + parts.total * parts.lost * decay[..., 0]
    integrand -= np.einsum("rux,rx->ru", own, s * alpha / parts.total)
    return _STEP * integrand.sum(axis=1)


def _information_far_from_one(s: Reals, excess: Reals, alpha: Reals) -> Reals:
    parts = _NearOne(s, excess, alpha)
    total = parts.total[..., None]
    own = -(total + 1) * parts.logs + parts.decay[..., None]  # log (1+s_x t)^-(A+1)
    integrals: Reals = _step_up(own, total * parts.logs + parts.excess[..., None]).sum(axis=1)
    return _STEP * np.einsum("rx,rx->r", integrals, s * alpha / parts.total)


def _nodes(s: Reals, alpha: Reals) -> Reals:
    return _nodes_of_logs(_log(s), alpha)


def _nodes_of_logs(logs: Reals, alpha: Reals) -> Reals:
    largest, least = logs.max(), logs.min(where=np.isfinite(logs), initial=0.0)
    first = -largest - np.log(max(1.0, alpha.sum(axis=1).max())) - _NEGLIGIBLE
    return np.arange(first, -least + _NEGLIGIBLE + _STEP, _STEP)


def _log(s: Reals) -> Reals:
    with np.errstate(divide="ignore"):
        return np.log(s)


def _log_growth(logs: Reals, u: Reals) -> Reals:
    """Return ``log(1 + s t)`` at each node ``t = e^u``, given the logarithms of s."""
    return np.logaddexp(0, logs[:, None, :] + u[:, None])


def _ratios_near_one(excess: Reals, logs: Reals, u: Reals) -> tuple[Reals, Reals]:
    """Return ``z = (s - 1) t/(1 + t)`` and ``log(1 + z)``, which is ``log((1 + s t)/(1 + t))``, at each node."""
    z = excess[:, None, :] * expit(u)[:, None]
    # Where s is little, 1 + z is best had from it.
    far = np.minimum(_log_growth(logs, u) - np.logaddexp(0, u)[:, None], 0.0)
    return z, np.where(z < -0.5, far, np.log1p(np.maximum(z, -0.5)))


def _logs(s: Reals, logs: Reals, alpha: Reals) -> Reals:
    u = _nodes_of_logs(logs, alpha)
    total, present = alpha.sum(axis=1), (alpha * np.isfinite(logs)).sum(axis=1)
    _, near_one = _ratios_near_one(s - 1, logs, u)
    start, rise = -total[:, None] * np.logaddexp(0, u), -np.einsum("rux,rx->ru", near_one, alpha)
    # Both are large, far out under a large alpha, where their sum is not.
    integrand = -_step_up(start, rise, -np.einsum("rux,rx->ru", _log_growth(logs, u), alpha))
    # Beyond the last node both terms are geometric, the second one with the parameters of the positive entries.
    plain, product = (1 / np.expm1(np.minimum(_STEP * decay, 700)) for decay in (total, present))
    rest = integrand[:, -1] * product + np.exp(start[:, -1]) * (plain - product)
    return _STEP * (integrand.sum(axis=1) + rest)
