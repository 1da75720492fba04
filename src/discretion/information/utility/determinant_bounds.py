"""Certified bounds on ``E log det M``, ``M = C diag(1/PC) Cᵀ``, for protocols whose reports support sets of values.

They need no explicit channel. On shares, ``log det M = log k + log det UᵀMU`` with U an orthonormal basis of the
vectors that sum to 0 (LDP-info, Lemma C.7). Three bounds, Discretion's own:

- An upper bound, at a symmetric law. Let ``d_x = a + bP_x`` be weights, ``W = diag(√d)``, and V a basis of the
  complement of ``√d``. Then ``log det M = log Σd - Σ log d_x + log det VᵀWMWV``, and the last is at most
  ``(k-1) log(tr/(k-1))``, whose mean is at most that of the mean trace (Jensen). A report that supports s values with
  the share B of the population has a probability in proportion to ``odds + (1-odds)B``, so that the trace is a sum over
  s of integrals over one beta law.
- A lower bound, for unary encoding and subset selection. A report has at least the information of its k support bits
  used linearly: ``M ⪰ gap² (BᵀΣ⁻¹B)``. On differences of bits Σ is diagonal minus a matrix of rank one, and the
  diagonal is linear in P, so that the determinant's logarithm is concave in sums of single shares' integrals.
- Both bounds, for Hadamard response and local hashing. On all ``N`` numbers of the transform or the field, M is
  diagonal in blocks, one for each direction, and ``det M_k = det M_N · det (M_N⁻¹)_RR`` with R the numbers that are no
  values (Jacobi). The latter is near the identity: let it be ``I + E``, the eigenvalues of E being above -θ; then
  ``tr E - κ‖E‖² <= log det(I + E) <= tr E``. Where every number is a value, the bounds coincide: the closed form.
"""

import math
from collections.abc import Callable
from functools import singledispatch
from typing import NamedTuple

import numpy as np

from discretion.adversaries.populations import Dirichlet
from discretion.channels.channel import System
from discretion.mechanisms.protocols.hadamard_response import HadamardResponse
from discretion.mechanisms.protocols.local_hashing import LocalHashing
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.protocols.subset_selection import SubsetSelection
from discretion.mechanisms.protocols.unary_encoding import UnaryEncoding
from discretion.mechanisms.reporting import SupportSizes
from discretion.numerics.arrays import Reals
from discretion.numerics.hashing.walsh_hadamard import walsh_hadamard
from discretion.numerics.histograms.histograms import sequence_count
from discretion.numerics.means.dirichlet_means import mean_inverse, mean_log
from discretion.numerics.means.simplex import logit_simplex

_STEP = 0.25
_ROUNDING = 1e-14
_MANY_BITS = 64
_SCALES = 4.0 ** np.arange(-2, 3)
LOUD = 300.0  # beyond this ε lies are as good as none


class Ends(NamedTuple):
    """Certified lower and upper bounds on a number."""

    low: float
    high: float


class _BitNoise(NamedTuple):
    """The variance of the support bits on vectors that sum to 0: ``diag(a + bP) - gap² PPᵀ``.

    ``total`` is the variance of the number of bits that are set.
    """

    a: float
    b: float
    total: float


def determinant_bounds(system: PureProtocol, population: Dirichlet) -> Ends:
    """Return the bounds on ``E log det M`` for a faithful protocol with ε of at most `LOUD`."""
    ends = _ends(system, population)
    sizes = system.support_sizes if population.is_symmetric else None
    if sizes is None:
        return ends
    a, b = _variance(system) if (noise := _bit_noise(system)) is None else noise[:2]
    above = _trace_bound(system, sizes, float(population.alpha[0]), a, b)
    return Ends(ends.low, max(ends.low, min(ends.high, above)))


@singledispatch
def has_closed_determinant(system: PureProtocol, population: Dirichlet) -> bool:
    """Return whether every number of the transform, or of the field, is a value, so that the bounds coincide."""
    return False


@has_closed_determinant.register
def _is_every_column_a_value(system: HadamardResponse, population: Dirichlet) -> bool:
    return system.columns == system.k + 1


@has_closed_determinant.register
def _is_every_number_a_value(system: LocalHashing, population: Dirichlet) -> bool:
    return population.is_symmetric and system.functions == system.k


@singledispatch
def report_count(system: System) -> float:
    """Return the number of different reports, without listing them where the protocol has a formula."""
    return system.channel().shape[1]


@report_count.register
def _names(system: RandomizedResponse) -> float:
    return system.k


@report_count.register
def _rows_of_bits(system: UnaryEncoding) -> float:
    return 2.0 ** min(system.k, _MANY_BITS)


@report_count.register
def _sets(system: SubsetSelection) -> float:
    return sequence_count(system.k - system.size, system.size + 1)


@report_count.register
def _columns(system: HadamardResponse) -> float:
    return system.columns


@report_count.register
def _functions_and_classes(system: LocalHashing) -> float:
    return system.functions * system.g


def _variance(system: PureProtocol) -> tuple[float, float]:
    """Return a and b such that a support bit has the variance ``a + bP - gap² P²``."""
    _, _, other, not_other, gap = system.support
    return other * not_other, gap * (not_other - other)


@singledispatch
def _bit_noise(system: PureProtocol) -> _BitNoise | None:
    """Return the noise of the support bits, or None where it depends on more than the values' own shares."""
    return None


@_bit_noise.register
def _noise_of_unary_encoding(system: UnaryEncoding) -> _BitNoise:
    own, not_own, other, not_other, gap = system.support
    total = own * not_own + (system.k - 1) * other * not_other
    return _BitNoise(other * not_other, gap * (not_other - other), total)


@_bit_noise.register
def _noise_of_subset_selection(system: SubsetSelection) -> _BitNoise:
    own, not_own, other, not_other, gap = system.support
    k, size = system.k, system.size
    beside_own = own * (size - 1) / (k - 1)  # both bits set, one of them the sender's
    neither = (own * (size - 1) * (size - 2) + not_own * size * (size - 1)) / ((k - 1) * max(1, k - 2))
    a, slope = other * not_other - neither + other * other, beside_own - neither
    return _BitNoise(a, gap * (not_other - other) - 2 * (slope - other * gap), 0.0)


@singledispatch
def _ends(system: PureProtocol, population: Dirichlet) -> Ends:
    """Return the bounds that the protocol's own structure gives."""
    noise = _bit_noise(system)
    low = _trace_bound_of_bits(system, population) if noise is None else _linear_bound(system, noise, population)
    return Ends(low, _of_truth(population))


def _of_truth(population: Dirichlet) -> float:
    """Return ``E log det diag(1/P)``, an upper bound: no report has more information than the value itself."""
    single, times = population.single_shares
    logs = times * mean_log(np.broadcast_to([1.0, 0.0], single.shape), single)
    return -float(logs.sum()) + _ROUNDING * float(np.abs(logs).sum())


def _trace_bound(system: PureProtocol, law: SupportSizes, alpha: float, a: float, b: float) -> float:
    """Return the upper bound, for the best of some weights in proportion to ``a·scale + bP_x``."""
    k, odds, step = system.k, math.exp(-system.epsilon), -math.expm1(-system.epsilon)
    telling = (law.sizes > 0) & (law.sizes < k)
    s, probabilities = law.sizes[telling].astype(np.float64), law.probabilities[telling]
    # E B^i (1-B)^j/(odds + step B), i + j = 2, is the mean of the inverse for i and j more, times a moment.
    first, second, whole = alpha * s, alpha * (k - s), alpha * k
    ratios = np.broadcast_to([1.0, odds], (s.size, 2))
    moments = ((0, 2, second * (second + 1)), (1, 1, first * second), (2, 0, first * (first + 1)))
    none, one, both = (
        moment / (whole * (whole + 1)) * mean_inverse(ratios, np.stack([first + i, second + j], axis=1))
        for i, j, moment in moments
    )
    likely = step * step * probabilities * k / (s + (k - s) * odds)
    each, own = float(likely @ (s * none + (k - s) * both)), float(likely @ one)
    common = float(likely @ (s * s * none - 2 * s * (k - s) * one + (k - s) ** 2 * both))

    def bound(a: float, b: float) -> float:
        trace = a * each + b * own - a * a / (a * k + b) * common  # the last is what the direction √d takes
        logs = k * float(mean_log([[a + b, a]], [alpha, whole - alpha])[0])
        spread = (k - 1) * math.log(trace / (k - 1))
        return math.log(a * k + b) - logs + spread + 100 * _ROUNDING * (abs(logs) + abs(spread) + k)

    return min([bound(1.0, 0.0), *(bound(a * scale, b) for scale in _SCALES if a > 0 and b > 0)])


def _linear_bound(system: PureProtocol, noise: _BitNoise, population: Dirichlet) -> float:
    """Return the lower bound: the log-determinant of the information of the support bits, used linearly."""
    (a, b, total), k, gap = noise, system.k, system.support.gap
    single, times = population.single_shares
    logs = times * mean_log(np.broadcast_to([a + b, a], single.shape), single)
    gained = 2 * (k - 1) * math.log(gap)
    if total > 0:
        # log det Σ is the sum of the logarithms and that of 1 - gap² Σ P²/d.
        squares = _sum_of_means(population, lambda p, _: p * p / (a + b * p))
        rest = math.log(total) - math.log1p(-gap * gap * squares)
    else:
        # det UᵀΣU is (Π d/k) times Σ 1/d - gap² Σ (1-kP)²/(k d d̄), d̄ = a + b/k.
        part = gap * gap / (k * a + b)
        inverse = _sum_of_means(population, lambda p, rest: (1 - part * (rest - (k - 1) * p) ** 2) / (a + b * p))
        rest = 2 * math.log(k) - math.log(inverse)
    return gained - float(logs.sum()) + rest - 100 * _ROUNDING * (float(np.abs(logs).sum()) + abs(gained) + k)


def _trace_bound_of_bits(system: PureProtocol, population: Dirichlet) -> float:
    """Return the lower bound from the bits' own variances, which holds for any dependence between bits.

    With ``d = a + bP``, the variance of a bit without its ``gap² P²``, ``log det UᵀΣU`` is at most
    ``Σ log d + log(Σ 1/d) - log k + (k-1) log(tr/(k-1))`` with the trace ``Σ (1 - gap² P²/d)``.
    """
    a, b, gap = *_variance(system), system.support.gap
    k = system.k
    single, times = population.single_shares
    logs = times * mean_log(np.broadcast_to([a + b, a], single.shape), single)
    inverse = _sum_of_means(population, lambda p, _: 1 / (a + b * p))
    trace = _sum_of_means(population, lambda p, _: 1 - gap * gap * p * p / (a + b * p))
    gained = 2 * (k - 1) * math.log(gap)
    low = gained + 2 * math.log(k) - float(logs.sum()) - math.log(inverse) - (k - 1) * math.log(trace / (k - 1))
    return low - 100 * _ROUNDING * (float(np.abs(logs).sum()) + abs(gained) + k)


def _sum_of_means(population: Dirichlet, function: Callable[[Reals, Reals], Reals]) -> float:
    """Return ``Σ_x E f(P_x, 1 - P_x)``."""
    single, times = population.single_shares
    return sum(int(count) * _mean(row, function) for count, row in zip(times, single, strict=True))


def _mean(parameters: Reals, function: Callable[[Reals, Reals], Reals]) -> float:
    points, weights = logit_simplex(parameters, _STEP)
    return float(weights @ function(points[:, 0], points[:, 1]))


@_ends.register
def _ends_of_hadamard_response(system: HadamardResponse, population: Dirichlet) -> Ends:
    k, columns, theta = system.k, system.columns, 2 * system.support.gap
    likely, rare = 2 * system.support.own, 2 * system.support.not_own
    alpha = np.zeros(columns)
    alpha[1 : k + 1] = population.alpha
    plus = np.clip((population.total + walsh_hadamard(alpha)[1:]) / 2, 0.0, population.total)
    plus, times = np.unique(np.round(plus / population.total, 14), return_counts=True)
    plus *= population.total
    logs = times * mean_log([[likely, rare]] * plus.size, np.stack([plus, population.total - plus], axis=1))
    known = 2 * (k - 1) * math.log(theta) + math.log(likely) - float(logs.sum())
    room = 100 * _ROUNDING * (float(np.abs(logs).sum()) + k * (1 + abs(math.log(theta))))
    unused = columns - 1 - k
    if not unused:
        known += math.log(columns / likely - 1)
        return Ends(known - room, known + room)
    rows = np.zeros(columns)
    rows[k + 1 :] = 1.0
    pairs = np.rint(walsh_hadamard(walsh_hadamard(rows) ** 2) / columns)[1 : k + 1]
    mean = population.mean
    second = mean * (population.alpha + 1) / (population.total + 1)
    kappa = (-math.log(rare) - theta) / theta**2
    off = kappa * theta * theta * float(pairs @ second)
    least = rare * (theta * theta + k) / likely**2
    most = columns / likely - 1 - unused**2 / (unused + theta * float(pairs @ mean))
    low = max(_trace_bound_of_bits(system, population), known - off + math.log(least) - room)
    return Ends(low, known + math.log(most) + room)


@_ends.register
def _ends_of_local_hashing(system: LocalHashing, population: Dirichlet) -> Ends:
    by_bits = _trace_bound_of_bits(system, population)
    family, *more = system.families
    if more or not population.is_symmetric:
        return Ends(by_bits, _of_truth(population))
    k, q, gap, lie = system.k, system.g, system.answer.gap, system.answer.q
    whole, unused, alpha = family.functions, family.functions - k, float(population.alpha[0])
    directions = (whole - 1) // (q - 1)
    kappa = (-math.log(q * lie) - gap) / gap**2
    fixed = directions * ((q - 1) * math.log((q - 1) * gap * gap / q) - math.log(q))
    fixed -= unused * math.log((q - 1) * gap * gap)
    logs = trace = square = magnitude = 0.0
    for zeros, law in enumerate(system.laws_of_classes()):
        alike = float(q) ** (family.digits - 1 - zeros)
        sizes, times = np.unique(np.rint(law * k), return_counts=True)
        share, left = sizes / k, whole / q - sizes
        rows = np.broadcast_to([system.answer.p, lie], (sizes.size, 2))
        own = times * mean_log(rows, np.stack([alpha * sizes, alpha * (k - sizes)], axis=1))
        logs, magnitude = logs + alike * float(own.sum()), magnitude + alike * float(np.abs(own).sum())
        if not unused:
            continue
        reported, wobble = lie + gap * share, gap * gap / (alpha * k + 1)
        spread = times @ (left * (reported - reported**2 - wobble * share * (1 - share)))
        sums = times @ (left**2 * reported) - (times @ (left * reported)) ** 2
        sums -= wobble * (times @ (left**2 * share) - (times @ (left * share)) ** 2)
        trace += alike * float(spread + sums / k) * q * q / whole
        even = (times @ left) * (q - 1) / q**2 + (times @ left**2 / q - (unused / q) ** 2) / k
        away = times @ (gap * gap * (share - 1 / q) ** 2 + wobble * share * (1 - share))
        bent = gap * gap / 2 if q == 2 else 1 - 2 / q + 2 * gap / q + gap * gap * (1 - 1 / q)
        square += alike * float(even * away) * bent * q**4 / whole
    room = 100 * _ROUNDING * (magnitude + abs(fixed) + whole)
    known = math.log(k) + fixed - logs
    if not unused:
        return Ends(known - room, known + room)
    return Ends(max(by_bits, known + trace - unused - kappa * square - room), known + trace - unused + room)
