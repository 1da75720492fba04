"""Finite fields on arrays of whole numbers: prime ones by modular arithmetic, their extensions by logarithms."""

import itertools
from collections.abc import Iterable
from functools import cache

import numpy as np

from discretion.numerics.arrays import AnyIntegers

LARGEST_EXTENSION = 1 << 12


class FiniteField:
    """GF(q), for a prime q or a prime power up to 4096, with the numbers ``0..q-1`` as its elements.

    In an extension GF(pᵉ) an element's digits to the base p, the lowest first, are the coefficients of a polynomial in
    x, and x is the number p. The power xᵉ is the least number for which the powers of x reach every element but 0.
    """

    def __init__(self, order: int) -> None:
        ((self.characteristic, self.degree),) = prime_factors(order).items()
        self.order = order
        self._places = [self.characteristic**j for j in range(self.degree)]

    def add(self, a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
        """Return ``a + b``."""
        if self.characteristic == 2:
            return a ^ b
        if self.degree == 1:
            return (a + b) % self.order
        return self._number((a // place + b // place) % self.characteristic for place in self._places)

    def subtract(self, a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
        """Return ``a - b``."""
        return self.add(a, self.multiply(b, self.characteristic - 1))

    def multiply(self, a: AnyIntegers, b: AnyIntegers | int) -> AnyIntegers:
        """Return ``a · b``."""
        if self.degree == 1:
            return a * b % self.order
        powers, logarithms = _powers_and_logarithms(self.characteristic, self.degree)
        return powers[logarithms[a] + logarithms[b]]

    def inverse(self, a: AnyIntegers) -> AnyIntegers:
        """Return ``1/a = a^(q-2)``, for a other than 0."""
        power, square, exponent = np.ones_like(a), a, self.order - 2
        while exponent:
            if exponent & 1:
                power = self.multiply(power, square)
            square, exponent = self.multiply(square, square), exponent >> 1
        return power

    def dual(self, a: AnyIntegers) -> AnyIntegers:
        """Return the number ``a'`` with ``ψ(ab) = exp(2πi a'·b / p)``, the dot product being of digits to the base p.

        ψ is the additive character ``exp(2πi c/p)`` of an element's lowest digit c. The map is one to one and additive,
        and ``ψ(ab) = ψ(ba)``.
        """
        return self._number(self.multiply(a, power) % self.characteristic for power in self._places)

    def _number(self, digits: Iterable[AnyIntegers]) -> AnyIntegers:
        return np.add.reduce([digit * place for digit, place in zip(digits, self._places, strict=True)])


def prime_factors(number: int) -> dict[int, int]:
    """Return the prime factors of a whole number of at least 2, with their exponents."""
    factors: dict[int, int] = {}
    for prime in itertools.count(2):
        if prime * prime > number:
            break
        while number % prime == 0:
            factors[prime] = factors.get(prime, 0) + 1
            number //= prime
    if number > 1:
        factors[number] = factors.get(number, 0) + 1
    return factors


@cache
def _powers_and_logarithms(p: int, degree: int) -> tuple[AnyIntegers, AnyIntegers]:
    """Return the powers of x and the logarithms; that of 0 is so large that all powers from it on are 0.

    If the powers of x modulo a polynomial reach all ``q-1`` elements but 0, each of these has an inverse: the residues
    are a field.
    """
    q = p**degree
    powers = next(cycle for low in range(1, q) if len(cycle := _cycle(p, degree, low)) == q - 1)
    logarithms = np.empty(q, dtype=np.int64)
    logarithms[powers] = np.arange(q - 1)
    logarithms[0] = 2 * (q - 1)
    return np.concatenate([powers, powers, np.zeros(2 * q, dtype=np.int64)]), logarithms


def _cycle(p: int, degree: int, low: int) -> list[int]:
    """Return the powers of x from 1 on until they repeat, where ``x^degree`` is the polynomial ``low``."""
    lows = [low // p**j % p for j in range(degree)]
    one = [1] + [0] * (degree - 1)
    if lows[0] == 0:  # x divides the modulus, and its powers never come back to 1
        return []
    powers, now = [1], [0, *one[:-1]]
    while now != one:
        powers.append(sum(digit * p**j for j, digit in enumerate(now)))
        top = now[-1]
        now = [(digit + top * extra) % p for digit, extra in zip([0, *now[:-1]], lows, strict=True)]
    return powers
