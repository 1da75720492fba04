"""Two laws of noise by brute force: densities integrated between all sign changes, masses summed in fifty digits.

Where a law is written with e^x or √, the double that the library is given is taken for the number itself.
"""

import math
from decimal import Decimal, localcontext
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq


def laplace(scale, centre):
    return lambda y: math.exp(-abs(y - centre) / scale) / (2 * scale)


def gaussian(sigma, centre):
    return lambda y: math.exp(-(((y - centre) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))


class Densities:
    """Two densities, smooth but at the corners and nothing outside of the range."""

    def __init__(self, p, q, corners, low, high):
        self.p, self.q, self.corners, self.low, self.high = p, q, corners, low, high

    def integral(self, function, *changes):
        """``∫ function(p, q)``, cut where ``changes`` change their sign."""
        grid = np.linspace(self.low, self.high, 4001)
        cuts = {self.low, self.high, *self.corners, *np.linspace(self.low, self.high, 41)[1:-1]}
        for change in changes:
            cuts |= self._roots(lambda y, change=change: change(self.p(y), self.q(y)), grid)
        edges = sorted(cuts)
        parts = [
            quad(lambda y: function(self.p(y), self.q(y)), a, b, epsabs=1e-16, epsrel=1e-13, full_output=1)[0]
            for a, b in pairwise(edges)
        ]
        return math.fsum(parts)

    @staticmethod
    def _roots(function, grid):
        values = [function(y) for y in grid]
        return {
            brentq(function, grid[i], grid[i + 1], xtol=1e-15)
            for i in range(grid.size - 1)
            if values[i] * values[i + 1] < 0
        }

    def swapped(self):
        return Densities(self.q, self.p, self.corners, self.low, self.high)


class Masses:
    """Two laws on the same outputs."""

    def __init__(self, p, q):
        self.p, self.q = p, q

    def integral(self, function, *changes):
        with localcontext() as context:
            context.prec = 50
            return float(sum(Decimal(function(p, q)) for p, q in zip(self.p, self.q, strict=True)))

    def swapped(self):
        return Masses(self.q, self.p)


def geometric(epsilon, sensitivity):
    """The law of the noise and the shifted one, far enough out to leave less than 1e-30."""
    with localcontext() as context:
        context.prec = 50
        rate = Decimal(epsilon) / sensitivity
        reach = int(Decimal(75) / rate) + 2

        def mass(z):
            return (-rate * abs(z)).exp() * (1 - (-rate).exp()) / (1 + (-rate).exp())

        outputs = range(-reach, sensitivity + reach + 1)
        return Masses([mass(y) for y in outputs], [mass(y - sensitivity) for y in outputs])


def discrete_gaussian(sigma, sensitivity):
    with localcontext() as context:
        context.prec = 50
        reach = math.ceil(13 * sigma) + 4 * sensitivity
        weights = {z: (-Decimal(z * z) / (2 * Decimal(sigma) ** 2)).exp() for z in range(-reach, reach + 1)}
        total = sum(weights.values())
        outputs = range(-reach, sensitivity + reach + 1)
        return Masses(*([weights.get(y - x, Decimal(0)) / total for y in outputs] for x in (0, sensitivity)))


def hockey_stick(pair, epsilon):
    ratio = math.exp(epsilon)
    exceeds = _excess(pair, ratio)
    return pair.integral(lambda p, q: max(0, exceeds(p, q)), exceeds)


def _excess(pair, ratio):
    factor = Decimal(ratio) if isinstance(pair, Masses) else ratio
    return lambda p, q: p - factor * q


def expected_best(pair, weights):
    """``∫ max_w (a_w P + b_w Q)``."""
    rows = [(Decimal(a), Decimal(b)) if isinstance(pair, Masses) else (a, b) for a, b in weights]

    def contrast(left, right):
        return lambda p, q: (left[0] - right[0]) * p + (left[1] - right[1]) * q

    changes = [contrast(left, right) for i, left in enumerate(rows) for right in rows[:i]]
    return pair.integral(lambda p, q: max(a * p + b * q for a, b in rows), *changes)


def mutual_information(pair, prior):
    a, b = map(float, prior)

    def entropy(p, q):
        p, q = float(p), float(q)
        mixed = a * p + b * q
        return sum(w * x * math.log(x / mixed) for w, x in ((a, p), (b, q)) if w * x > 0 and mixed > 0)

    return pair.integral(entropy)


def renyi_divergence(pair, order):
    def power(p, q):
        if not p > 0 or not q > 0:
            return 0
        logs = (p.ln(), q.ln()) if isinstance(p, Decimal) else (math.log(p), math.log(q))
        if order == 1:
            return p * (logs[0] - logs[1])
        weights = type(p)(order), 1 - type(p)(order)
        exponent = weights[0] * logs[0] + weights[1] * logs[1]
        return exponent.exp() if isinstance(p, Decimal) else math.exp(exponent)

    moment = pair.integral(power)
    return moment if order == 1 else math.log(moment) / (order - 1)
