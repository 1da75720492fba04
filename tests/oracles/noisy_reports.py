"""Reports beside continuous noise on the same secret, by their densities in mpmath."""

import itertools

import pytest

mpmath = pytest.importorskip("mpmath")
mpf, exp, log = mpmath.mpf, mpmath.exp, mpmath.log
INF = mpf("inf")


class Gaussian:
    """P is normal around 0, and Q around the sensitivity or, with a rate, there only so often."""

    def __init__(self, sigma, sensitivity=1.0, rate=1.0):
        self.sigma, self.shift, self.rate = mpf(sigma), mpf(sensitivity), mpf(rate)

    def p_above(self, z):
        return mpmath.ncdf(-z / self.sigma)

    def q_above(self, z):
        return (1 - self.rate) * self.p_above(z) + self.rate * mpmath.ncdf((self.shift - z) / self.sigma)

    def p(self, z):
        return mpmath.npdf(z, 0, self.sigma)

    def loss(self, z):
        """``log q/p``, which rises with z."""
        noise = (2 * z - self.shift) * self.shift / (2 * self.sigma**2)
        return log(1 - self.rate + self.rate * exp(noise))

    def places(self, order):
        far = 40 * self.sigma
        middle = self.shift / 2 + self.sigma**2 / self.shift * log(1 / self.rate)
        peaks = (mpf(0), self.shift, 2 * self.shift, order * self.shift, (1 - order) * self.shift, middle)
        return sorted({peak + step * self.sigma for peak in peaks for step in (-40, -9, -3, 0, 3, 9, 40)} | {-far, far})


class Laplace(Gaussian):
    def __init__(self, scale, sensitivity=1.0):
        self.scale, self.shift = mpf(scale), mpf(sensitivity)

    def p_above(self, z):
        tail = exp(-abs(z) / self.scale) / 2
        return tail if z > 0 else 1 - tail

    def q_above(self, z):
        return self.p_above(z - self.shift)

    def p(self, z):
        return exp(-abs(z) / self.scale) / (2 * self.scale)

    def loss(self, z):
        return (abs(z) - abs(z - self.shift)) / self.scale

    def places(self, order):
        return [-400 * self.scale, -30 * self.scale, mpf(0), self.shift, self.shift + 30 * self.scale, 400 * self.scale]


def threshold(noise, level):
    """Where the loss of the noise passes a level, by halving."""
    low, high = -(mpf(2) ** 20), mpf(2) ** 20
    if noise.loss(low) > level:
        return -INF
    if noise.loss(high) <= level:
        return INF
    for _ in range(140):
        middle = (low + high) / 2
        low, high = (middle, high) if noise.loss(middle) <= level else (low, middle)
    return high


def excess(p, q, noise, epsilon, reverse):
    """``Σ_y ∫ max(0, q_y Q - e^ε p_y P)``, or in reverse ``Σ_y ∫ max(0, p_y P - e^ε q_y Q)``."""
    total, ratio = mpf(0), exp(mpf(epsilon))
    for a, b in zip(p, q, strict=True):
        if reverse:
            below = threshold(noise, log(a) - log(b) - epsilon) if a > 0 < b else INF if a > 0 else -INF
            total += a * (1 - noise.p_above(below)) - ratio * b * (1 - noise.q_above(below))
        else:
            above = threshold(noise, epsilon + log(a) - log(b)) if a > 0 < b else -INF if b > 0 else INF
            total += b * noise.q_above(above) - ratio * a * noise.p_above(above)
    return total


def profile(rows, noise, epsilon):
    """The largest over all pairs, in both directions."""
    return max(excess(p, q, noise, epsilon, reverse) for p, q in pairs(rows) for reverse in (False, True))


def pairs(rows):
    """The first of two secrets goes with the first value of the noise; of more any two, in either order."""
    return [rows] if len(rows) == 2 else itertools.permutations(rows, 2)


def renyi(rows, noise, order):
    """The same of divergences: those of the reports and of the noise add up."""
    return max(
        reports(x, y, order) + of_noise(noise, order, reverse)
        for p, q in pairs(rows)
        for reverse, x, y in ((False, q, p), (True, p, q))
    )


def reports(q, p, order):
    if order == 1:
        return mpmath.fsum(b * log(b / a) for a, b in zip(p, q, strict=True))
    return log(mpmath.fsum(b**order * a ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)


def of_noise(noise, order, reverse):
    """The divergence of Q from P, or in reverse of P from Q, as an integral over P."""
    order = mpf(order)
    if order == 1:
        weigh = (lambda loss: -loss) if reverse else (lambda loss: exp(loss) * loss)
        return mpmath.quad(lambda z: noise.p(z) * weigh(noise.loss(z)), noise.places(order))
    power = 1 - order if reverse else order
    return log(mpmath.quad(lambda z: noise.p(z) * exp(power * noise.loss(z)), noise.places(order))) / (order - 1)
