"""Hash functions that are linear over a finite field, and the number of them that map each number to a given class.

A number v below k is written in d digits over GF(q), the least d with ``q^d >= k``. Function a in ``0..q^d-1``, of as
many digits, takes it to ``h_a(v) = Σ_i a_i v_i``. Where v ≠ w, one of the ``v_i - w_i`` has an inverse, so that for a
uniform a the difference ``h_a(v) - h_a(w) = Σ_i a_i (v_i - w_i)`` is exactly uniform on GF(q): they collide with
probability ``1/q`` (Carter and Wegman, Universal classes of hash functions, JCSS 1979).
"""

import itertools
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import AnyIntegers, Booleans, Integers, Reals
from discretion.numerics.hashing.finite_field import FiniteField
from discretion.numerics.hashing.walsh_hadamard import walsh_hadamard

LARGEST_TRANSFORM = 1 << 22
_LARGEST_TABLE = 1 << 16
# Half as wide as the numbers that NumPy draws, so that twice as many are done at once.
NARROW = np.uint32


class LinearHashing:
    """All linear functions from the numbers ``0..k-1`` to GF(q).

    Attributes
    ----------
    classes, digits, functions : int
        q, d and q^d.
    """

    def __init__(self, k: int, q: int) -> None:
        self.k, self.classes = k, q
        self._field = FiniteField(q)
        self.digits = next(d for d in itertools.count(1) if q**d >= k)
        self.functions = q**self.digits
        # Some digits at a time are looked up in a table, if there is one: a row per function, a column per number.
        most = next(m for m in itertools.count(1) if q ** (2 * m + 2) > _LARGEST_TABLE)
        self._lookups = -(-self.digits // most)
        together = -(-self.digits // self._lookups)
        self._step: int = q**together
        self._table = _sums_of_products(self._field, together) if self._step**2 <= _LARGEST_TABLE else None

    def recipe(self) -> dict[str, int]:
        """Return the parameters that a program needs to compute the functions: the field, and the numbers of digits.

        The digits of an element to the base ``characteristic``, the lowest first, are the coefficients of a polynomial
        in x; ``power_of_x`` is the element that x to the power of ``degree`` is, in an extension (degree over 1).
        """
        field = self._field
        p, degree = field.characteristic, field.degree
        power = int(field.multiply(np.array(p ** (degree - 1)), p)) if degree > 1 else 0
        return {
            "classes": self.classes, "digits": self.digits, "functions": self.functions,
            "characteristic": p, "degree": degree, "power_of_x": power,
        }  # fmt: skip

    def classes_of(self, functions: AnyIntegers, numbers: AnyIntegers) -> NDArray[np.uint32]:
        """Return the class to which each function maps its number."""
        if self._table is not None and self.functions <= 1 << 32:
            functions, numbers = functions.astype(NARROW), numbers.astype(NARROW)
        terms: list[AnyIntegers] = []
        for _ in range(self._lookups - 1):
            functions, a = split(functions, self._step)
            numbers, v = split(numbers, self._step)
            terms.append(self._terms(a, v))
        terms.append(self._terms(functions, numbers))
        return reduce(self._field.add, terms).astype(NARROW, copy=False)

    def _terms(self, a: AnyIntegers, v: AnyIntegers) -> AnyIntegers:
        return self._field.multiply(a, v) if self._table is None else self._table.take(a * self._step + v)

    def hits(self, functions: AnyIntegers, classes: AnyIntegers) -> Booleans:
        """Return for each function the numbers that it maps to its class, shape ``(functions, k)``."""
        high, low = split(functions, self._step)
        missing = self._field.subtract(classes[:, None], self._images(high, -(-self.k // self._step)))
        small = np.min_scalar_type(self.classes - 1)
        totals = self._images(low, min(self.k, self._step)).astype(small)
        return (missing.astype(small)[:, :, None] == totals[:, None, :]).reshape(functions.size, -1)[:, : self.k]

    def _images(self, functions: AnyIntegers, numbers: int) -> AnyIntegers:
        """Return the classes of the numbers below the given one under each function, shape ``(functions, numbers)``."""
        images, place = np.zeros((functions.size, 1), dtype=np.int64), 1
        while place < numbers:
            functions, a = split(functions, self._step)
            rest = min(self._step, -(-numbers // place))
            terms = self._field.multiply(a[:, None], np.arange(rest)) if self._table is None else self._table[a, :rest]
            images = self._field.add(terms[:, :, None], images[:, None, :]).reshape(functions.size, -1)
            place *= self._step
        return images[:, :numbers]

    def hit_counts(self, functions: AnyIntegers, classes: AnyIntegers, weights: AnyIntegers) -> Integers:
        """Return for each number the weight of the functions that map it to their class, shape ``(k,)``."""
        return self._hit_counts(self.digits, self.k, functions, classes, weights)

    def _hit_counts(
        self, digits: int, k: int, functions: AnyIntegers, classes: AnyIntegers, weights: AnyIntegers
    ) -> Integers:
        q, field = self.classes, self._field
        if digits > 1 and q**digits > LARGEST_TRANSFORM:
            # One value of the highest digit after the other.
            block = q ** (digits - 1)
            high, rest = split(functions, block)
            parts = (
                self._hit_counts(
                    digits - 1, min(block, k - start), rest, field.subtract(classes, field.multiply(high, v)), weights
                )
                for v, start in enumerate(range(0, k, block))
            )
            return np.concatenate(list(parts))
        # A function that is 0 takes all numbers to class 0. Any other one is c times one whose highest digit is 1, and
        # takes to y what that one takes to y/c.
        everywhere = weights[(functions == 0) & (classes == 0)].sum()
        functions, classes, weights = (part[functions > 0] for part in (functions, classes, weights))
        multiples = self._multiples(digits)
        place = np.empty(q**digits, dtype=np.int64)
        place[multiples.ravel()] = np.arange(multiples.size)
        line, factor = split(place[functions], q - 1)
        classes = field.multiply(classes, field.inverse(np.arange(1, q))[factor])
        tally = np.asarray(np.bincount(line * q + classes, weights, minlength=len(multiples) * q), dtype=np.float64)
        if digits > 1:
            tally = self._backprojected(digits, multiples, tally.reshape(-1, q))
        return np.rint(tally.ravel()[:k]).astype(np.int64) + everywhere

    def _backprojected(self, digits: int, multiples: AnyIntegers, tally: Reals) -> Reals:
        """Return ``Σ_a tally[a, h_a(v)]`` for every number v, over functions a whose highest digit is 1.

        Expanded in characters, ``1{h_a(v) = y} = (1/q) Σ_c ψ(c h_a(v)) ψ(-c y)``: the Fourier coefficient of the sum at
        ``b = c·a`` is that of ``tally[a]`` at c, and each b other than 0 is one such product.
        """
        q, p, duals = self.classes, self._field.characteristic, self._field.dual(np.arange(self.classes))
        axes = (p,) * self._field.degree
        along_classes = np.fft.fftn(tally.reshape(-1, *axes), axes=range(1, len(axes) + 1)).reshape(tally.shape)
        coefficients = np.empty(q**digits, dtype=np.complex128)
        coefficients[multiples] = along_classes[:, duals[1:]]
        coefficients[0] = tally.sum()
        if p == 2:  # where all is real
            sums = walsh_hadamard(coefficients.real)
        else:
            half = coefficients.reshape(axes * digits)[..., : p // 2 + 1]
            sums = np.fft.irfftn(half, axes * digits, axes=range(half.ndim), norm="forward")
        return sums.reshape((q,) * digits)[np.ix_(*[duals] * digits)] / q

    def _multiples(self, digits: int) -> AnyIntegers:
        """Return ``c·a`` for functions a whose highest digit is 1 and c in ``1..q-1``, shape ``(functions, q-1)``."""
        q, factors = self.classes, np.arange(1, self.classes)
        rows, below = [factors[None, :]], np.zeros((1, q - 1), dtype=np.int64)
        for place in (q**j for j in range(1, digits)):
            products = self._field.multiply(np.arange(q)[:, None], factors) * (place // q)
            below = (products[:, None, :] + below).reshape(-1, q - 1)
            rows.append(factors * place + below)
        return np.concatenate(rows)


def _sums_of_products(field: FiniteField, digits: int) -> NDArray[np.uint32]:
    """Return ``Σ_i a_i v_i`` for all a and v of this number of digits."""
    numbers = np.arange(field.order)
    table = products = field.multiply(numbers[:, None], numbers)
    for _ in range(digits - 1):
        size = len(table) * field.order
        table = field.add(products[:, None, :, None], table[:, None, :]).reshape(size, size)
    return table.astype(NARROW)


def split(numbers: AnyIntegers, place: int) -> tuple[AnyIntegers, AnyIntegers]:
    """Return quotients and remainders, several times faster than NumPy's divmod."""
    high = numbers // place
    low = high * place
    return high, np.subtract(numbers, low, out=low)
