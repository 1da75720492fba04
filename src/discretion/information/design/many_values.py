"""The best mechanism for many equivalent values: certified bounds on its asymptotic utility, by integrals over t.

Lower bound: the information of a report of subset selection is at least that of its support bits, one bit a value, used
linearly. Their covariance Σ is a diagonal matrix plus one of rank 2, so that the determinant of ``gap² Σ⁻¹`` has a
closed form: the diagonal's, times a function of ``Σ_x 1/Σ_xx'`` alone, and ``E log Z <= log E Z``.

Upper bound: let R be Σ/gap² for any one size w'. For every mixture with weights θ of the columns of all sizes w,

    log det M(θ) <= -log det R + (k-1) log(tr R M(θ) / (k-1)),   E tr R M(θ) = Σ_w θ_w T_w <= max_w T_w,

as the logarithm is concave. The variance of a set's bits depends on the set's share β of the population alone, so that
T_w is a mean over one beta law. For k-RR the bits are the report, nothing is lost, and the two bounds agree where k-RR
is optimal: the equivalence theorem of Kiefer and Wolfowitz. Source: Discretion.
"""

import math
from dataclasses import dataclass

import numpy as np

from discretion.adversaries.populations import Dirichlet
from discretion.information.design.staircase import Columns, orbits_of
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.means.dirichlet_means import mean_log

_STEP = 0.25
_NEGLIGIBLE = 40.0  # e^-40 is below what a double adds to 1
_CELLS_AT_ONCE = 1 << 21
_GRID = 60
_DIGITS = 1e-9
_HALF_ENTROPY = math.log(2 * math.pi * math.e) / 2


@dataclass(frozen=True)
class SupportBits:
    """The covariance of the support bits of a report.

    ``Σ = diag(own + slope P) + constant 11ᵀ + cross (P1ᵀ + 1Pᵀ) - gap² PPᵀ``, for sets of one size of k values.
    """

    k: int
    size: int
    own: float
    slope: float
    constant: float
    cross: float
    gap: float

    @classmethod
    def from_column(cls, k: int, size: int, epsilon: float) -> "SupportBits":
        """Return the covariance for subset selection on three or more values."""
        column = orbits_of(k, np.array([size]), np.array([epsilon]))
        high, low, step = float(column.high[0]), float(column.low[0]), float(column.step[0])
        # The probability of another value's bit, of both bits of two other values; the excess with the own value's bit.
        other = size * ((size - 1) * high + (k - size) * low) / (k * (k - 1))
        both = size * (size - 1) * ((size - 2) * high + (k - size) * low) / (k * (k - 1) * (k - 2))
        gap = size * (k - size) / (k * (k - 1)) * step
        rise = gap * (size - 1) / (k - 2)
        slope = gap * (k - 2 * size) / (k - 2)
        return cls(k, size, other - both, slope, both - other**2, rise - other * gap, gap)

    def log_determinants(self, alpha: float) -> tuple[float, float]:
        """Return bounds on ``E log det(gap² Σ⁻¹)`` of all values but one, the upper one inf where digits are lost."""
        k = self.k
        largest = self.own + self.slope
        inverses = k * _mean_inverse(alpha, (k - 1) * alpha, largest, self.own)
        known = 2 * (k - 1) * math.log(self.gap) + 2 * math.log(k)
        known -= k * float(mean_log([[largest, self.own]], [alpha, (k - 1) * alpha])[0])
        # Its mean, and its values for one common value and for equal shares: its extremes, as it is convex in P.
        rest = self._rest(np.array([inverses, (k - 1) / self.own + 1 / largest, k / (self.own + self.slope / k)]))
        if rest is None:
            return known - math.log(inverses), math.inf
        mean, first, last = float(rest[0]), float(rest[1:].min()), float(rest[1:].max())
        slope = math.log(last / first) / (last - first) if last > first else 0.0
        return known - math.log(mean), known - min(math.log(mean), math.log(first) + slope * (mean - first))

    def _rest(self, inverses: Reals) -> Reals | None:
        """Return k² times the determinant of Σ on all values but one, over the product of the diagonal.

        It is ``Σ_x 1/Σ_xx' - gap² Σ_{x<y} (P_x - P_y)²/(Σ_xx' Σ_yy')``, and in general linear in the first sum.
        """
        if self.size == 1:
            return np.full(inverses.shape, float(self.k**2))
        if 2 * self.size == self.k:
            return None
        ratio = ((self.k - 2) / (self.k - 2 * self.size)) ** 2
        rest = ratio * self.k**2 + inverses * (1 - ratio * (self.slope + self.k * self.own))
        return rest if rest.min() > _DIGITS * ratio * self.k**2 else None

    def traces(self, columns: Columns, alpha: float) -> Reals:
        """Return ``E tr(Σ M)/gap²`` for each orbit of columns, M being the information of its reports alone.

        With β the share of a set of w values, its bits have the variance ``-w(k-w) constant - cross (w(1-β) + (k-w)β) +
        gap² β(1-β)``, all of whose terms are positive, and so are those of their means over the beta law.
        """
        traces, k, total = np.empty(len(columns)), self.k, self.k * alpha
        u = _nodes(total, float(columns.low.min()), float(columns.high.max()))
        at_once = max(1, _CELLS_AT_ONCE // u.size)
        for start in range(0, len(columns), at_once):
            part = columns[np.arange(start, min(start + at_once, len(columns)))]
            w = part.sizes[:, None].astype(np.float64)
            a, b = w * alpha, (k - w) * alpha
            inside, outside = (_log_growth(np.log(entries)[:, None], u) for entries in (part.high, part.low))
            # Each over 1/(1 + low t), which would be lost beside a t that is too large.
            of_set = a * np.exp(outside - inside)
            variance = -self.constant * w * (k - w) * (of_set + b) - self.cross * (w * b + (k - w) * of_set)
            variance += self.gap**2 / total * b * of_set * np.exp(-outside)
            means = _STEP * (variance * np.exp(u - outside - a * inside - b * outside)).sum(axis=1)
            traces[start : start + len(part)] = means * (part.step / self.gap) ** 2
        return traces


def best_size(population: Dirichlet, epsilon: float) -> tuple[int, float]:
    """Return the size of subset selection with the largest lower bound on its asymptotic utility, and that bound."""
    k = population.k

    def least(size: int) -> float:
        return least_utility(population, size, epsilon)

    sizes = trial_sizes(k).tolist()
    place = int(np.argmax([least(size) for size in sizes]))
    first, last = sizes[max(0, place - 1)], sizes[min(len(sizes) - 1, place + 1)]
    while last - first > 2:
        middle = (first + last) // 2
        first, last = (middle + 1, last) if least(middle) < least(middle + 1) else (first, middle)
    size = max({sizes[place], *range(first, last + 1)}, key=least)
    return size, least(size)


def trial_sizes(k: int) -> Integers:
    """Return sizes of subsets up to half of the values, closer to each other the smaller they are."""
    return np.unique(np.geomspace(1, k // 2, _GRID).astype(np.int64))


def least_utility(population: Dirichlet, size: int, epsilon: float) -> float:
    """Return a lower bound on the asymptotic utility of subset selection, for k-RR the utility itself."""
    bits = SupportBits.from_column(population.k, size, epsilon)
    return _utility(bits.log_determinants(float(population.alpha[0]))[0], population.k)


def greatest_utility(population: Dirichlet, size: int, epsilon: float) -> float:
    """Return an upper bound on the asymptotic utility of ε-LDP mechanisms, close where this size is the best one."""
    k, alpha = population.k, float(population.alpha[0])
    if 2 * size == k:
        size -= 1
    bits = SupportBits.from_column(k, size, epsilon)
    sizes: Integers = np.arange(1, k)
    most = float(bits.traces(orbits_of(k, sizes, np.array([epsilon])), alpha).max())
    return _utility(bits.log_determinants(alpha)[1] + (k - 1) * math.log(most / (k - 1)), k)


def _utility(log_determinant: float, k: int) -> float:
    return log_determinant / (2 * k - 2) - _HALF_ENTROPY


def _mean_inverse(a: float, b: float, high: float, low: float) -> float:
    """Return ``E 1/(low + (high - low) β)`` for β with the beta law of a and b."""
    u = _nodes(a + b, min(high, low), max(high, low))
    logs = _log_growth(math.log(high), u), _log_growth(math.log(low), u)
    least = np.minimum(*logs)
    parts = a * np.exp(least - logs[0]) + b * np.exp(least - logs[1])
    return _STEP * float((parts * np.exp(u - least - a * logs[0] - b * logs[1])).sum())


def _log_growth(log: float | Reals, u: Reals) -> Reals:
    """Return ``log(1 + s t)`` at each node ``t = e^u``, given the logarithm of s."""
    return np.logaddexp(0, log + u)


def _nodes(total: float, low: float, high: float) -> Reals:
    """Return the nodes ``u = log t`` of a sum of terms that grow like t, then fall like ``(1 + low t)^-total``."""
    first = -math.log(high * max(1.0, total)) - _NEGLIGIBLE
    decay = _NEGLIGIBLE / total
    last = decay + math.log(-math.expm1(-decay)) - math.log(low)
    return np.arange(first, last + 1, _STEP)
