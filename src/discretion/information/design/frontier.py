"""The bound on effective participation that an average privacy S implies: at most 1 - S, which erasure attains.

*Erasure* sends the value with probability 1 - S, and otherwise an empty report. Its average privacy is S, and its
information on the population is 1 - S times that of the truth, so that its effective participation is F = 1 - S.

Theorem (Discretion). Under a symmetric Dirichlet law with ``α <= 1``, as Jeffreys' prior, F <= 1 - S for every
channel.

Proof. Given P, let σ_i be the singular values of ``diag(P)^(1/2) C diag(1/PC)^(1/2)``, the largest of which is 1 and
left out. The mean of logarithms is at most the logarithm of the mean, twice:

    F = exp(E Σ log σ_i² / (k-1)) <= E Σ σ_i² / (k-1) = E χ²(X; Y | P) / (k-1) = Σ_y c(s_y) / (k-1)

with ``c(s) = E Σ_x P_x (s_x - s·P)²/(s·P)`` of a column s. Also ``1 - S = Σ_y l(s_y)/H`` with ``l(s) = E Σ_x P_x s_x
log(s_x/(s·P))`` and ``H = H(X | P)``. So it suffices that ``c/(k-1) <= l/H`` for each column s. Write P = γ/G with
independent Gamma(α) variables, ``A = kα`` and ``v_x = log(1 + s_x t)``. As ``∫ (e^-ty - e^-tz) dt/t²`` gives ``y log y
- z log z`` for means of equal y and z,

    A c(s) = ∫ t^-2 e^(-α Σv) Σ_{x<y} α² 4 sinh²((v_x - v_y)/2) dt
    A l(s) = ∫ t^-2 [1/k Σ_x e^(-A v_x) - e^(-α Σv)] dt.

1. With ``d_x = α (v_x - mean v)``, ``1/k Σ_x e^(-k d_x) - 1 >= Σ_{x<y} f(|d_x - d_y|)`` where ``(k-1) f(d) =
   (e^(-(k-1)d) + (k-1) e^d)/k - 1``. For order the d_x, and let them grow from 0 to their values, the gap between the
   last two first, then the gap before it, and so on. When the gap behind the first m grows, these m are equal and the
   least. Both sides times k grow by the sums over i <= m < j of ``e_i - e_j``, with ``e_i = exp Σ_l (d_l - d_i)``, and
   of ``e^d - e^(-(k-1) d)``, with ``d = d_j - d_i``; as ``e_i = e_j e^(kd)`` and ``e_j >= e^(-(k-1)d)``, the first is
   no less than the second. They are equal if k - 1 of the d_x are equal and the last one is larger, as for the columns
   of the truth.
2. So ``A (l/H - c/(k-1)) >= Σ_{x<y} ∫ t^-2 e^(-α Σv) g(|v_x - v_y|) dt`` with ``g(v) = f(αv)/H - 4α²
   sinh²(v/2)/(k-1)``. For a pair with ``s_x > s_y`` take ``r = e^(v_x - v_y)`` as the variable. The integral is, up to
   a factor, that of ``r^-α (r-1)^-2 g(log r) w(r)``, where ``w = (s_x - r s_y)^2α Π_{others} (1 + s t)^-α`` falls in
   r, and is 0 from ``s_x/s_y`` on. For a column of the truth w is 1 and the integral is 0, since there ``l/H =
   c/(k-1)``.
3. The ratio of f(αv) to sinh²(v/2) falls in v, as does that of the derivatives, ``e^(-(k-2)αv/2) sinh(kαv/2)/sinh v``:
   the derivative of its logarithm is ``b coth(bv) - coth v - (b - α)``, with ``b = kα/2``, and ``b coth(bv) - coth v``
   is at most ``max(0, b - 1)``, as ``x coth x`` rises and ``x/(e^(xv) - 1)`` falls in x. So g is positive first and
   negative then, and a weight that falls makes the integral of 2. at least 0.  ∎

With ``α > 1`` it is false: of the truth with a little noise t in every report, c falls like t and l like t log(1/t),
and erasure is not optimal at any S. It is also false where ``E P_x log(1/P_x)`` is not proportional to ``E (1 - P_x)``
over the values x, as under most laws that are not symmetric: there it is better to erase some values more often than
others.
"""

import math

import numpy as np

from discretion.adversaries.populations import Dirichlet, PopulationLaw
from discretion.channels.channel import Channel

ERASURE = (
    "over all mechanisms: under a symmetric Dirichlet law with alpha up to 1 the effective participation is at most 1 "
    "less the average privacy"
)


def has_frontier(population: PopulationLaw) -> bool:
    """Return whether the theorem holds for a law: effective participation is at most 1 less average privacy."""
    return isinstance(population, Dirichlet) and population.is_symmetric and float(population.alpha[0]) <= 1


def frontier_utility(truth: float, privacy: float) -> float:
    """Return the asymptotic utility of erasure, given that of the truth: ``C + ½ log(1 - S)``."""
    return truth + math.log1p(-privacy) / 2


def erasure(k: int, honest: float) -> Channel:
    """Return the channel that sends the value with a probability, and otherwise an empty report, its last output."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only this needs it

    values = np.arange(k)
    entries = np.concatenate([np.full(k, honest), np.full(k, 1 - honest)])
    places = np.tile(values, 2), np.concatenate([values, np.full(k, k)])
    return Channel(csr_array((entries, places), shape=(k, k + 1)))
