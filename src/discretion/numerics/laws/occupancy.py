"""The largest of k counts when n balls fall uniformly and independently into k bins: exact at any size.

Poissonization turns the multinomial into independent Poisson(λ) counts, λ = n/k, conditioned on their sum: so
``P(M <= m)`` is the coefficient of n in the k-th power of the Poisson law cut off above m, over the same coefficient
without the cut. The coefficients are read off characteristic functions centred at λ, where ``n!`` never appears:

    ψ(t) = exp(λ(e^{it} - 1 - it)),    T_m(t) = Σ_{x>m} pmf(x) e^{it(x-λ)}
    P(M <= m) = A_m / A_∞,    A_m = Σ_j Re[(ψ(t_j) - T_m(t_j))^k - (-T_m(t_j))^k],    t_j = 2πj/L

The subtracted term has coefficient 0 for m >= n/k and removes the slow frequencies of the cut edge. The period L is so
long that the sums that alias onto n have no mass to speak of.
"""

import math
from functools import lru_cache

import numpy as np

from discretion.numerics.arrays import Complexes, Integers, Reals
from discretion.numerics.excess import log1p, sine_excess
from discretion.numerics.laws.binomial import poisson_pmf

# The density is below 1e-20 outside, and no narrower than four steps inside, for k from 2 to 10⁸.
_LEFT, _RIGHT = -10, 12
_STEPS = 32


@lru_cache(maxsize=256)
def normal_maximum_moments(k: int) -> tuple[float, float]:
    """Return ``μ_k = E[Z_(k)]`` and ``E[Z_(k)²]``, each to 1e-12, of the largest of 2 <= k <= 10⁸ standard normals."""
    x = np.arange(_LEFT * _STEPS, _RIGHT * _STEPS + 1) / _STEPS
    tail = np.array([math.erfc(distance) / 2 for distance in np.abs(x) / math.sqrt(2)])
    log_cdf = np.where(x < 0, np.log(tail), np.log1p(-tail))
    density = k / math.sqrt(2 * math.pi) * np.exp((k - 1) * log_cdf - x * x / 2)
    return float(density @ x) / _STEPS, float(density @ (x * x)) / _STEPS


# Loads and frequencies that change the answer by less than exp(-NEGLIGIBLE) are left out.
NEGLIGIBLE = 50.0
_BLOCK = 1024


@lru_cache(maxsize=256)
def expected_maximum_load(n: int, k: int) -> float:
    """Return ``E[M] = m₀ + Σ_{m >= m₀} P(M > m)`` for n balls in k bins, where m₀ is a load that is always reached."""
    # P(M > 1) <= n²/(2k), so that the load rounds to 1; and k may be more than a double holds.
    if n == 1 or n * n < k >> 54:
        return 1.0
    loads = _undecided_loads(n, k)
    frequencies = _Frequencies(n, k, heaviest_tail=float(poisson_pmf(loads + 1, n / k).sum()))
    return float(loads[0]) + sum(float(np.sum(1 - block)) for block in frequencies.cumulative_probabilities(loads))


def _undecided_loads(n: int, k: int) -> Integers:
    """Return the loads m >= n/k at which P(M <= m) is neither 0 nor 1 to within exp(-NEGLIGIBLE)."""
    rate = n / k
    # Above: Bernstein's bound on one Poisson tail, the union over the bins taken into its exponent.
    exponent = NEGLIGIBLE + math.log(k)
    last = min(n - 1, math.ceil(rate + exponent / 3 + math.sqrt(exponent**2 / 9 + 2 * exponent * rate)))
    loads = np.arange(-(-n // k), last + 1)
    # Below: P(M <= m) <= (1 - tail)^k / P(sum = n), and P(Poisson(n) = n) > 1/(3√n).
    tails = np.cumsum(poisson_pmf(loads + 1, rate)[::-1])[::-1]
    return loads[k * tails < NEGLIGIBLE + math.log(3 * math.sqrt(n))]


class _Frequencies:
    """The frequencies t_j >= 0 that matter, with log ψ(t_j) and the weight of t_j and its conjugate."""

    def __init__(self, n: int, k: int, heaviest_tail: float) -> None:
        self.k, self.rate = k, n / k
        period = math.floor(min(24 * math.sqrt(n) + 64, n + 12 * math.sqrt(n) + 41))
        widest = math.acos(max(-1.0, 1 - NEGLIGIBLE / self.rate))
        t = 2 * math.pi / period * np.arange(min(period // 2, math.ceil(widest / (2 * math.pi) * period)) + 1)
        log_modulus = -2 * self.rate * np.sin(t / 2) ** 2
        # |(ψ-T)^k - (-T)^k| <= k|ψ|(|ψ|+|T|)^(k-1)
        bound = math.log(k) + log_modulus + (k - 1) * np.log(np.exp(log_modulus) + heaviest_tail)
        relevant = np.flatnonzero(bound > -NEGLIGIBLE)
        self.t: Reals = t[relevant].astype(np.float64)
        self.log_psi: Complexes = log_modulus[relevant] + 1j * self.rate * sine_excess(self.t)
        self.weight: Reals = np.where((relevant == 0) | (2 * relevant == period), 1.0, 2.0)
        self.normaliser = float(self._sum(np.exp(k * self.log_psi)))

    def cumulative_probabilities(self, loads: Integers) -> list[Reals]:
        """Return P(M <= m) for a run of loads up to the last relevant one, in blocks from the last to the first."""
        blocks: list[Reals] = []
        steps = np.exp(1j * np.outer(np.arange(min(_BLOCK, loads.size)), self.t))
        tail_above = np.zeros(self.t.size, dtype=np.complex128)
        for end in range(loads.size, 0, -_BLOCK):
            points = loads[max(0, end - _BLOCK) : end] + 1
            start = np.exp(1j * self.t * (points[0] - self.rate))
            terms = poisson_pmf(points, self.rate)[:, None] * steps[: points.size] * start
            tails = tail_above + np.cumsum(terms[::-1], axis=0)[::-1]
            tail_above = tails[0]
            blocks.append(self._probability(tails))
        return blocks

    def _probability(self, tails: Complexes) -> Reals:
        cut = np.exp(self.k * (self.log_psi + log1p(-tails * np.exp(-self.log_psi))))
        if np.abs(tails).max() > math.exp(-NEGLIGIBLE / self.k):
            cut -= (-tails) ** self.k
        return self._sum(cut) / self.normaliser

    def _sum(self, coefficients: Complexes) -> Reals:
        return np.real(coefficients) @ self.weight
