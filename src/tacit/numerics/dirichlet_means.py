"""Means of logarithms of s·P for P with a Dirichlet law: one smooth integral each, whatever the dimension.

With γ_x independent Gamma(α_x) the sum G is independent of P = γ/G, and ``log w = ∫ (e^-t - e^-tw) dt/t`` (Frullani)
turns both means into integrals of the Laplace transforms of G and of s·γ = G(s·P), which are products:

    E log(s·P)        = ∫ [(1+t)^-A     - Π_x (1+s_x t)^-α_x] dt/t
    E (s·P) log(s·P)  = ∫ [(1+t)^-(A+1) - Π_x (1+s_x t)^-α_x · Σ_x ω_x/(1+s_x t)] dt/t   for Σ ω = Σ α s/A = 1,

the second being the first with a weight of s·P, that is, for α + e_x with probability ω_x = α_x s_x/A. Likewise what
is not known of x after a report of which s says how likely it is from each,

    E Σ_x s_x P_x log((s·P) / (s_x P_x)) = Σ_x ω_x ∫ (1+s_x t)^-1 [(1+s_x t)^-α_x - Π_x' (1+s_x' t)^-α_x'] dt/t,

of which nothing cancels, however little it is. In u = log t the
integrands are analytic where |Im u| < π, and bounded where it is at most π/2, so that the trapezoid rule with step h
errs by about e^(-π²/h).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]

_STEP = 0.25
_NEGLIGIBLE = 40.0  # e^-40 is below what a double adds to 1
_CELLS_AT_ONCE = 1 << 22


def mean_log(s: ArrayLike, alpha: ArrayLike) -> Reals:
    """Return ``E log(s·P)`` for each row of s.

    Parameters
    ----------
    s
        Shape ``(rows, m)``, at least 0 and some of each row positive.
    alpha
        Positive, shape ``(m,)`` or ``(rows, m)``.
    """
    return _mean(s, alpha, weighted=False)


def mean_s_log_s(s: ArrayLike, alpha: ArrayLike) -> Reals:
    """Return ``E (s·P) log(s·P)`` for each row of s, as `mean_log`."""
    return _mean(s, alpha, weighted=True)


def mean_uncertainty(s: ArrayLike, alpha: ArrayLike, times: ArrayLike) -> Reals:
    """Return ``E Σ_x s_x P_x log((s·P) / (s_x P_x))`` for each row of s.

    Parameters
    ----------
    s
        Shape ``(rows, m)``, at least 0 and some of each row positive.
    alpha
        Positive, shape ``(m,)`` or ``(rows, m)``.
    times
        How many values there are with this s and α, of the same shape as ``alpha``.
    """
    arrays = (np.asarray(array, dtype=np.float64) for array in (s, alpha, times))
    rows, parameters, counts = np.broadcast_arrays(*arrays)
    groups = parameters * counts
    means = (rows * groups).sum(axis=1) / groups.sum(axis=1)
    scaled = rows / means[:, None]
    at_once = max(1, _CELLS_AT_ONCE // (_nodes(scaled, groups).size * rows.shape[1]))
    parts = [slice(i, i + at_once) for i in range(0, len(rows), at_once)]
    return means * np.concatenate([_uncertainty(scaled[p], parameters[p], groups[p]) for p in parts])


def _uncertainty(s: Reals, alpha: Reals, groups: Reals) -> Reals:
    grown = _log_growth(s, _nodes(s, groups))
    # Summed from either side, since a difference of sums would lose what is little beside the value's own.
    weighted = grown * groups[:, None, :]
    others = grown * (groups - alpha)[:, None, :]
    others[..., 1:] += np.cumsum(weighted[..., :-1], axis=-1)
    others[..., :-1] += np.cumsum(weighted[..., :0:-1], axis=-1)[..., ::-1]
    integrals = -(np.exp(-grown - grown * alpha[:, None, :]) * np.expm1(-others)).sum(axis=1)
    return _STEP * np.einsum("rx,rx->r", integrals, s * groups) / groups.sum(axis=1)


def _mean(s: ArrayLike, alpha: ArrayLike, *, weighted: bool) -> Reals:
    rows, parameters = np.broadcast_arrays(np.asarray(s, dtype=np.float64), np.asarray(alpha, dtype=np.float64))
    means = (rows * parameters).sum(axis=1) / parameters.sum(axis=1)
    scaled = rows / means[:, None]
    # Rows of like spread need like nodes.
    nodes = max(1, _nodes(scaled, parameters).size)
    at_once = max(1, _CELLS_AT_ONCE // (nodes * rows.shape[1]))
    parts = range(0, len(rows), at_once)
    integrals = [_integral(scaled[i : i + at_once], parameters[i : i + at_once], weighted) for i in parts]
    logs = np.log(means) + np.concatenate(integrals)
    return means * logs if weighted else logs


def _nodes(s: Reals, alpha: Reals) -> Reals:
    largest, least = s.max(), s.min(where=s > 0, initial=1.0)
    first = -np.log(largest * max(1.0, alpha.sum(axis=1).max())) - _NEGLIGIBLE
    return np.arange(first, -np.log(least) + _NEGLIGIBLE + _STEP, _STEP)


def _log_growth(s: Reals, u: Reals) -> Reals:
    """Return ``log(1 + s t)`` at each node ``t = e^u``."""
    with np.errstate(divide="ignore"):
        return np.logaddexp(0, np.log(s)[:, None, :] + u[:, None])


def _integral(s: Reals, alpha: Reals, weighted: bool) -> Reals:
    u = _nodes(s, alpha)
    total = alpha.sum(axis=1)
    decay, held = total + weighted, (alpha * (s > 0)).sum(axis=1)
    grown = _log_growth(s, u)
    product = np.exp(-np.einsum("rux,rx->ru", grown, alpha))
    if weighted:
        product *= np.einsum("rux,rx->ru", np.exp(-grown), alpha * s / total[:, None])
    # Beyond the last node both terms are geometric, the second one with the parameters of the positive entries.
    plain = np.exp(-decay[:, None] * np.logaddexp(0, u))
    rest = plain[:, -1] / np.expm1(np.minimum(_STEP * decay, 700)) - product[:, -1] / np.expm1(
        np.minimum(_STEP * (held + weighted), 700)
    )
    return _STEP * ((plain - product).sum(axis=1) + rest)
