"""The mean of Π_x (1 + β_x P_x)^s_x for a Dirichlet law of P, the likelihood of k-RR's tallies, as a contour integral.

A product of powers has mean ``Γ(A)/Γ(A+K) · Π Γ(α_x+K_x)/Γ(α_x)``. So by Hankel's ``1/Γ(A+K) = ∫ e^z z^-(A+K) dz/2πi``

    E Π_x (1 + β_x P_x)^s_x = Γ(A)/2πi ∫ e^z z^-A Π_x φ_s_x(β_x/z) dz,   φ_s(v) = E (1 + v γ)^s, γ ~ Gamma(α_x),

a sum over all K turned into a product per point of the contour. By partial integration the factors follow
``φ_(s+1) - φ_s = v α φ_s + v s (φ_s - φ_(s-1))``. On the parabola ``z = r(1+iv)²`` through the saddle point r the
integrand is a bell, and the trapezoid rule converges geometrically.

``1/Γ(A)`` is little where A is, so that the integral would cancel. As the P sum to 1, the mean is then taken over a
first draw: of parameters ``α + e_x`` with probability ``α_x/A``, which is one more factor ``Σ_x α_x/A φ⁺_s_x/φ_s_x``
under the integral of ``A + 1``, with φ⁺ that of ``α_x + 1``.
"""

import math

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import gamma_error

Counts = NDArray[np.integer]

_NEGLIGIBLE = 42.0
_AGREED = 1e-7  # of either half of the nodes: all of them together then err by about its square
_LITTLE = 0.1
_CELLS_AT_ONCE = 1 << 21


def log_shifted_moments(counts: Counts, alpha: Reals, beta: Reals) -> Reals:
    """Return ``log E Π_x (1 + β_x P_x)^s_x`` for each row s of the counts.

    Parameters
    ----------
    counts
        Shape ``(rows, k)``, at least 0.
    alpha
        Positive, shape ``(k,)``.
    beta
        At least 0, finite, shape ``(k,)``.
    """
    moments = _Moments(alpha, beta, int(counts.max(initial=0)))
    n = int(counts.sum(axis=1).max(initial=0))
    # The saddle point is A plus the mean of K, which is at most n; this far from it little is cancelled.
    steps = 2 + int(math.log1p(n / moments.total) * math.sqrt(moments.total + n) / 2)
    radii: Reals = moments.total * np.exp(np.arange(steps) / (steps - 1) * math.log1p(n / moments.total))
    nearest = np.empty(len(counts), dtype=np.int64)
    logs = np.empty(len(counts))
    at_saddles = moments.factors(radii)
    for part in _parts(len(counts), radii.size * alpha.size):
        heights = moments.bell(radii) + moments.products(at_saddles, counts[part])
        nearest[part] = heights.argmin(axis=1)
    for index in np.unique(nearest):
        rows = np.flatnonzero(nearest == index)
        logs[rows] = moments.integral(float(radii[index]), counts[rows])
    return logs


class _Moments:
    def __init__(self, alpha: Reals, beta: Reals, most: int) -> None:
        self._distinct, self._kinds = np.unique(np.stack([alpha, beta]), axis=1, return_inverse=True)
        self._most, self.total = most, float(alpha.sum())
        self._shares, self._next = alpha / self.total, self._distinct.shape[1]
        self._drawn = self.total < _LITTLE
        if self._drawn:
            self.total += 1
            self._distinct = np.hstack([self._distinct, self._distinct + np.array([[1.0], [0.0]])])

    def bell(self, z: NDArray[np.inexact]) -> NDArray[np.inexact]:
        """Return ``log(Γ(A) e^z z^-A)``, scaled by A so that a large A loses no digits."""
        scaled = z / self.total
        offset = math.log(2 * math.pi / self.total) / 2 + float(gamma_error(self.total))
        return self.total * (scaled - 1 - np.log(scaled)) + offset

    def factors(self, z: NDArray[np.inexact]) -> NDArray[np.inexact]:
        """Return ``log φ_s(β/z)`` for each distinct (α, β), each s up to the largest, each z."""
        table = np.zeros((self._distinct.shape[1], self._most + 1, z.size), dtype=z.dtype)
        for kind, (alpha, beta) in enumerate(self._distinct.T):
            v = beta / z
            step = v * alpha  # φ_s+1/φ_s less 1, of which nothing cancels
            for s in range(1, self._most + 1):
                table[kind, s] = table[kind, s - 1] + np.log1p(step)
                step = v * (alpha + s * (step / (1 + step)))
        return table

    def products(self, table: NDArray[np.inexact], counts: Counts) -> NDArray[np.inexact]:
        """Return the sum of the factors' logarithms of each row of counts, for each z."""
        total = table[self._kinds[0], counts[:, 0]]
        for x in range(1, counts.shape[1]):
            total = total + table[self._kinds[x], counts[:, x]]
        return total + self._first_draw(table, counts) if self._drawn else total

    def _first_draw(self, table: NDArray[np.inexact], counts: Counts) -> NDArray[np.inexact]:
        """Return ``log Σ_x α_x/A φ⁺_s_x/φ_s_x`` of each row of counts, for each z."""
        first = np.log(self._shares[0]) + self._ratios(table, counts, 0)
        for x in range(1, counts.shape[1]):
            second = np.log(self._shares[x]) + self._ratios(table, counts, x)
            largest = np.maximum(first.real, second.real)
            first = largest + np.log(np.exp(first - largest) + np.exp(second - largest))
        return first

    def _ratios(self, table: NDArray[np.inexact], counts: Counts, x: int) -> NDArray[np.inexact]:
        kind = self._kinds[x]
        return table[kind + self._next, counts[:, x]] - table[kind, counts[:, x]]

    def integral(self, radius: float, counts: Counts) -> Reals:
        """Return the logarithm of the integral along the parabola through the radius."""
        reach = np.sqrt(_NEGLIGIBLE / radius)
        step = 0.25 / np.sqrt(1 + 2 * radius)
        while True:
            v = step * np.arange(1 + int(reach / step))
            z = radius * (1 + 1j * v) ** 2
            table = self.factors(z)
            logs, agreed = np.empty(len(counts)), True
            for part in _parts(len(counts), v.size * 4):
                exponents = self.bell(z) + self.products(table, counts[part])
                peaks = exponents[:, 0].real
                terms = (np.exp(exponents - peaks[:, None]) * (1 + 1j * v)).real
                terms[:, 0] /= 2
                even, odd = terms[:, ::2].sum(axis=1), terms[:, 1::2].sum(axis=1)
                logs[part] = peaks + np.log(2 * step * radius / np.pi * (even + odd))
                agreed &= bool(np.all(np.abs(even - odd) <= _AGREED * (even + odd)))
            if agreed:
                return logs
            step /= 2


def _parts(rows: int, cells: int) -> list[slice]:
    at_once = max(1, _CELLS_AT_ONCE // cells)
    return [slice(i, i + at_once) for i in range(0, rows, at_once)]
