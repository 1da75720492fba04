"""Two continuous noises, one shifted by r times its scale, through the law of their loss ``log Q/P``, in mpmath."""

import itertools

import pytest

mpmath = pytest.importorskip("mpmath")
mpf, exp, log = mpmath.mpf, mpmath.exp, mpmath.log
INF = mpf("inf")


class Pair:
    """P and Q = P shifted by r. A subclass gives the masses that both have where the loss is within an interval."""

    atoms = ()

    def __init__(self, r):
        self.r = mpf(r)

    def hockey_stick(self, epsilon):
        p, q = self.masses(mpf(epsilon), INF)
        return max(q - exp(mpf(epsilon)) * p, mpf(0)) + self.beyond(epsilon)

    def beyond(self, epsilon):
        return sum((q - exp(mpf(epsilon)) * p for at in self.atoms if at > epsilon for p, q in [self.atom(at)]), mpf(0))

    def posterior_vulnerability(self, prior, gain):
        lines = [(prior[0] * left, prior[1] * right) for left, right in gain]
        cuts = {log((a - c) / (d - b)) for (a, b), (c, d) in itertools.permutations(lines, 2) if (a - c) * (d - b) > 0}
        edges = [-INF, *sorted(cuts | set(self.atoms)), INF]
        cells = [self.masses(*cell) for cell in itertools.pairwise(edges)] + [self.atom(at) for at in self.atoms]
        return mpmath.fsum(max(a * p + b * q for a, b in lines) for p, q in cells)

    def bayes_risk(self, prior):
        return 1 - self.posterior_vulnerability(prior, [(1, 0), (0, 1)])

    def least_epsilon(self, delta):
        """By halving, the profile being a falling function."""
        low, high = mpf(0), mpf(1)
        if self.hockey_stick(low) <= delta:
            return low
        while self.hockey_stick(high) > delta:
            low, high = high, 2 * high
        while high - low > high * mpf("1e-18"):
            middle = (low + high) / 2
            low, high = (middle, high) if self.hockey_stick(middle) > delta else (low, middle)
        return high


class Gaussian(Pair):
    ldp_epsilon = INF

    def masses(self, low, high):
        """Above a loss ℓ lie the outputs over ``ℓ/r + r/2``."""
        left, right = (-end / self.r - self.r / 2 for end in (low, high))
        return self._between(right, left), self._between(right + self.r, left + self.r)

    @staticmethod
    def _between(low, high):
        if low == -INF:
            return mpmath.ncdf(high) if high < INF else mpf(1)
        if low > 0:
            low, high = -high, -low
        return (mpmath.ncdf(high) if high < INF else mpf(1)) - (mpmath.ncdf(low) if low > -INF else mpf(0))

    def renyi_divergence(self, order):
        return mpf(order) * self.r**2 / 2


class Laplace(Pair):
    @property
    def atoms(self):
        return (-self.r, self.r)

    @property
    def ldp_epsilon(self):
        return self.r

    def atom(self, at):
        near, far = mpf(1) / 2, exp(-self.r) / 2
        return (near, far) if at < 0 else (far, near)

    def masses(self, low, high):
        """Between both centres the loss of output y is ``2y - r``; beyond either it stays what it is there."""
        low, high = max(low, -self.r), min(high, self.r)
        if low >= high:
            return mpf(0), mpf(0)
        near, far = (low + self.r) / 2, (high + self.r) / 2
        return (exp(-near) - exp(-far)) / 2, (exp(far - self.r) - exp(near - self.r)) / 2

    def renyi_divergence(self, order):
        r = self.r
        if order == mpmath.inf:
            return r
        if order == 1:
            return r + mpmath.expm1(-r)
        if order == 0.5:
            return r - 2 * log(1 + r / 2)
        a = mpf(order)
        return log(a / (2 * a - 1) * exp((a - 1) * r) + (a - 1) / (2 * a - 1) * exp(-a * r)) / (a - 1)
