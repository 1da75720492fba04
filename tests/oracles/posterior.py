"""The posterior of a population's shares, three times over: everybody's value enumerated, quadrature, polynomials."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from scipy.special import roots_jacobi


class Enumerated:
    """LDP-info, equations 9.4 and 9.5, term by term: a Dirichlet for each way that the people may hold values."""

    def __init__(self, matrix, counts, alpha):
        self.alpha = [Fraction(a) for a in alpha]
        rows = [[Fraction(float(p)) for p in row] for row in matrix]
        reports = [y for y, count in enumerate(counts) for _ in range(count)]
        values = range(len(rows))
        self.terms = []
        for held in itertools.product(values, repeat=len(reports)):
            tallies = [held.count(x) for x in values]
            chance = math.prod((rows[x][y] for x, y in zip(held, reports, strict=True)), start=Fraction(1))
            self.terms.append((chance * polya(self.alpha, tallies), tallies))
        self.evidence = sum(weight for weight, _ in self.terms)

    def moment(self, powers):
        """``E Π P_x^powers_x`` given the reports."""
        total = Fraction(0)
        for weight, tallies in self.terms:
            total += weight * polya([a + t for a, t in zip(self.alpha, tallies, strict=True)], powers)
        return total / self.evidence


class Shifted:
    """k-RR with odds e^ε = 1 + β: a density proportional to ``Π p_x^(α-1) (1 + β p_x)^s_x`` (LDP-info, equation 10.6).

    Its binomials are multiplied out and added up to 60 digits.
    """

    def __init__(self, beta, counts, alpha):
        with localcontext() as context:
            context.prec = 60
            self.beta, self.counts = Decimal(beta), counts
            self.alpha = [Decimal(float(a)) for a in alpha]
            self.evidence = self._mass(self.alpha)

    def moment(self, powers):
        with localcontext() as context:
            context.prec = 60
            raised = [a + p for a, p in zip(self.alpha, powers, strict=True)]
            return self._mass(raised) * polya(self.alpha, powers) / self.evidence

    def _mass(self, alpha):
        """``E Π (1 + β P_x)^s_x`` for P ~ Dirichlet(alpha)."""
        product = [Decimal(1)]
        for a, s in zip(alpha, self.counts, strict=True):
            factor = [Decimal(1)]
            for i in range(s):
                factor.append(factor[-1] * self.beta * (s - i) / (i + 1) * (a + i))
            product = np.convolve(np.array(product, dtype=object), np.array(factor, dtype=object))
        total, rising, mass = sum(alpha), Decimal(1), Decimal(0)
        for power, coefficient in enumerate(product):
            mass += coefficient / rising
            rising *= total + power
        return mass


class Binary:
    """Two values, by Gauss-Jacobi quadrature over the first one's share.

    With half as many nodes as reports it is exact for moments. SciPy's nodes lose digits where there are hundreds, but
    for Jeffreys' prior.
    """

    def __init__(self, matrix, counts, alpha, nodes=40):
        self.matrix, self.counts, self.alpha, self.nodes = np.asarray(matrix), np.asarray(counts), alpha, nodes
        a, b = alpha
        roots, weights = roots_jacobi(nodes, b - 1, a - 1)
        self.shares = (1 + roots) / 2
        self.top = self.log_likelihood(self.shares).max()
        weights = weights / 2 ** (a + b - 1) * self.likelihood(self.shares)
        self.evidence = weights.sum()
        self.weights = weights / self.evidence

    def log_likelihood(self, p):
        return np.log(np.outer(p, self.matrix[0]) + np.outer(1 - p, self.matrix[1])) @ self.counts

    def likelihood(self, p):
        return np.exp(self.log_likelihood(p) - self.top)

    @property
    def mean(self):
        return self.weights @ self.shares

    @property
    def variance(self):
        return self.weights @ (self.shares - self.mean) ** 2

    def density(self, p):
        a, b = self.alpha
        return (p ** (a - 1) * (1 - p) ** (b - 1) * self.likelihood(np.array([p])) / self.evidence)[0]

    def cdf(self, p):
        a, b = self.alpha
        roots, weights = roots_jacobi(self.nodes, 0, a - 1)
        below = (1 + roots) / 2 * p
        return weights @ ((1 - below) ** (b - 1) * self.likelihood(below)) * (p / 2) ** a / self.evidence


def polya(balls, drawn):
    """``B(α + t) / B(α)``: how likely an urn of α balls gives these draws, each put back with another, in one order."""
    above = math.prod((b + i for b, t in zip(balls, drawn, strict=True) for i in range(t)), start=1)
    return above / math.prod((sum(balls) + i for i in range(sum(drawn))), start=1)
