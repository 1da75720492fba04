"""What the literature says of δ(ε) of shuffled k-RR, for every adversary who knows all others' values.

Three bounds count who, of the others, can be taken for the target: the clones. A report of the target's is a clone of
kind 0 with probability u, of kind 1 with v, and neither else; with the target's other value u and v swap. Each of the
others' is a clone of either kind with probability r. The pair of laws is that of the two counts of clones.

- Clones: Feldman, McMillan and Talwar, "Hiding among the clones", FOCS 2021: Theorem 3.1 (closed form) and the pair in
  its proof, for every local randomizer.
- Stronger clones: the same, "Stronger privacy amplification by shuffling", SODA 2023. Its pair holds where every report
  is at least ``(Q[a, y] + Q[b, y]) / (e^ε0 + 1)`` likely from anybody: so in k-RR, but not in general (its erratum).
- Variation-ratio reduction: Wang and others, "Privacy amplification via shuffling: unified, simplified, and tightened",
  VLDB 2024, with the parameters of k-RR. Here the pair is the law of the counts of the target's two values alone. With
  three values and more, the rest of the histogram tells something too, and this is no upper bound.
- Privacy blanket: Balle, Bell, Gascón and Nissim, CRYPTO 2019, ``δ <= E[(L_1 + … + L_M)₊] / (γn)``, M ~ Bin(n, γ), with
  Hoeffding's or Bennett's inequality for the sum.
"""

import math

import numpy as np
from scipy import optimize, stats


def clone_profile(n, r, u, v, epsilon):
    """The excess of one law over e^ε times the other, by how many clones there are: given that, they are fair coins."""
    ratio, none = math.exp(epsilon), 1 - u - v
    if u <= ratio * v:
        return 0.0
    others = stats.binom(n - 1, 2 * r)
    deviations = 9 * others.std() + 60
    first, last = max(1, math.floor(others.mean() - deviations)), min(n, math.ceil(others.mean() + deviations))
    total = np.arange(first, last + 1)
    with_target, without = others.pmf(total - 1), others.pmf(total)
    # The likelihood ratio grows with the clones of kind 0: where it passes e^ε.
    even = with_target * (ratio * u - v) * 2 + without * none * (ratio - 1)
    share = even / np.where(with_target > 0, 2 * with_target * (u - v) * (1 + ratio), 1)
    least = np.where(with_target > 0, np.floor(np.minimum(total * share, total)) + 1, total + 1)
    up, flat = stats.binom.sf(least - 2, total - 1, 0.5), stats.binom.sf(least - 1, total - 1, 0.5)
    neither = none * without * stats.binom.sf(least - 1, total, 0.5)
    excess = with_target * ((u - ratio * v) * up - (ratio * u - v) * flat) - (ratio - 1) * neither
    return float(np.maximum(excess, 0).sum())


def clones(k, n, local, epsilon):
    own = 1 / (1 + math.exp(-local))
    return clone_profile(n, math.exp(-local) / 2, own, 1 - own, epsilon)


def stronger_clones(k, n, local, epsilon):
    own = 1 / (1 + math.exp(-local))
    return clone_profile(n, 1 - own, own, 1 - own, epsilon)


def variation_ratio(k, n, local, epsilon):
    q = 1 / (math.exp(local) + k - 1)
    return clone_profile(n, q, math.exp(local) * q, q, epsilon)


def clones_closed_form(k, n, local, delta):
    """ε(δ): it has conditions, and nothing is known where they do not hold."""
    if local > math.log(n / (16 * math.log(2 / delta))):
        return local
    spread = 8 * math.sqrt(math.exp(local) * math.log(4 / delta) / n) + 8 * math.exp(local) / n
    return min(local, math.log1p(math.tanh(local / 2) * spread))


def blanket_hoeffding(k, n, local, epsilon):
    """L has mean ``1 - e^ε`` and a range of ``(1 + e^ε)(1 - γ)k``."""
    if epsilon >= local:
        return 0.0
    gamma, drift = _blanket(k, local), math.expm1(epsilon)
    if drift == 0:
        return 1.0
    width = (1 - gamma) * k * (1 + math.exp(epsilon))
    survives = n * math.log1p(gamma * math.expm1(-2 * drift**2 / width**2))
    return min(1.0, width**2 / (4 * drift) * math.exp(survives) / (gamma * n))


def blanket_bennett(k, n, local, epsilon):
    """L is at most b, and its mean square is c."""
    if epsilon >= local:
        return 0.0
    gamma, drift = _blanket(k, local), math.expm1(epsilon)
    if drift == 0:
        return 1.0
    b = -gamma * drift + (1 - gamma) * k
    if b <= 0:
        return 0.0
    c = gamma * (2 - gamma) * drift**2 + (1 - gamma) ** 2 * k * (1 + math.exp(2 * epsilon))
    rise = drift * b / c
    rate = c / b**2 * ((1 + rise) * math.log1p(rise) - rise)
    some = math.exp(n * math.log1p(gamma * math.expm1(-rate))) - math.exp(n * math.log1p(-gamma))
    return min(1.0, b / math.log1p(rise) * some / (gamma * n))


def _blanket(k, local):
    return k / (math.exp(local) + k - 1)


def least_epsilon(profile, k, n, local, delta):
    """ε(δ) of a falling profile."""
    if profile(k, n, local, 0.0) <= delta:
        return 0.0
    return optimize.brentq(lambda epsilon: profile(k, n, local, epsilon) - delta, 0.0, local, xtol=1e-12, rtol=1e-9)


# What holds for k-RR, and what is only claimed to.
UPPER_BOUNDS = {
    "clones": clones,
    "stronger clones": stronger_clones,
    "blanket, Hoeffding": blanket_hoeffding,
    "blanket, Bennett": blanket_bennett,
}
