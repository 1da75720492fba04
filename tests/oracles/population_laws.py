"""The law of a population P twice over: its moments as Fractions, its expectations by quadrature.

Quadrature points are logarithms of P, so that shares of 1e-400 keep all their digits.
"""

import math
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import betaln, digamma, polygamma

# Of the trapezoidal rule, by how many values there are: each gives 1e-13 or better for columns of any size.
STEPS = {2: 0.02, 3: 0.05, 4: 0.1}


class DirichletLaw:
    def __init__(self, alpha):
        self.alpha = [float(a) for a in alpha]

    def moment(self, counts):
        """``E Π P_x^{t_x}``: what a Pólya urn that holds alpha gives for draws in any one order."""
        balls = [Fraction(a) for a in self.alpha]
        above = math.prod((_rising(a, t) for a, t in zip(balls, counts, strict=True)), start=Fraction(1))
        return above / _rising(sum(balls), sum(counts))

    @cached_property
    def nodes(self):
        return simplex_nodes(tuple(self.alpha))


class PointsLaw:
    def __init__(self, points, weights):
        self.points, self.weights = np.asarray(points), np.asarray(weights)

    def moment(self, counts):
        total = Fraction(0)
        for point, weight in zip(self.points, self.weights, strict=True):
            shares = [Fraction(float(share)) for share in point]
            total += Fraction(float(weight)) * math.prod(p**t for p, t in zip(shares, counts, strict=True))
        return total

    @cached_property
    def nodes(self):
        with np.errstate(divide="ignore"):
            return np.log(self.points), self.weights


class MixtureLaw:
    def __init__(self, parts, weights):
        self.parts, self.weights = parts, [float(weight) for weight in weights]

    def moment(self, counts):
        return sum(Fraction(w) * part.moment(counts) for w, part in zip(self.weights, self.parts, strict=True))

    @cached_property
    def nodes(self):
        log_p, weights = zip(*(part.nodes for part in self.parts), strict=True)
        return np.vstack(log_p), np.concatenate([w * own for w, own in zip(self.weights, weights, strict=True)])


def law_of(population):
    if getattr(population, "components", None):
        return MixtureLaw([DirichletLaw(law.alpha) for law in population.components], population.weights)
    if hasattr(population, "alpha"):
        return DirichletLaw(population.alpha)
    return PointsLaw(population.points, population.weights)


def expectation(law, function):
    """``E f(P)``; the function takes log P, a point in each row."""
    log_p, weights = law.nodes
    return float((weights * function(log_p)).sum())


@lru_cache(maxsize=64)
def beta_nodes(a, b, step=STEPS[2]):
    """Return ``log B, log(1-B)`` and weights for B ~ Beta(a, b).

    The trapezoidal rule in s, where ``logit B = its mean + its deviation · sinh s``: double exponential at both ends.
    """
    centre, width = digamma(a) - digamma(b), math.sqrt(polygamma(1, a) + polygamma(1, b))
    # log(u + v e^t) is singular where t has the imaginary part π, which is nearer the wider the law.
    step = min(step, 0.5 / width)
    s = np.arange(-6, 6 + step / 2, step)
    t = centre + width * np.sinh(s)
    log_own, log_rest = -np.logaddexp(0, -t), -np.logaddexp(0, t)
    weights = np.exp(a * log_own + b * log_rest - betaln(a, b)) * width * np.cosh(s) * step
    kept = weights > 1e-30
    return log_own[kept], log_rest[kept], weights[kept] / weights.sum()


@lru_cache(maxsize=64)
def simplex_nodes(alpha):
    """Return log P and weights for P ~ Dirichlet(alpha): a stick is broken a - 1 times, each time at a beta's share."""
    step = STEPS[len(alpha)]
    log_left, weights, log_p = np.zeros(1), np.ones(1), np.zeros((1, 0))
    for x in range(len(alpha) - 1):
        log_own, log_rest, w = beta_nodes(alpha[x], sum(alpha[x + 1 :]), step)
        share = (log_left[:, None] + log_own).ravel()
        log_p = np.column_stack([np.repeat(log_p, w.size, axis=0), share])
        log_left, weights = (log_left[:, None] + log_rest).ravel(), np.outer(weights, w).ravel()
    heavy = weights > 1e-22
    return np.column_stack([log_p, log_left])[heavy], weights[heavy]


def _rising(start, times):
    return math.prod((start + i for i in range(times)), start=Fraction(1))
