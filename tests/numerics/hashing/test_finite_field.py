"""Finite fields are fields, and their dual numbers are their characters."""

import itertools
import math

import numpy as np
import pytest

from discretion.numerics.hashing.finite_field import LARGEST_EXTENSION, FiniteField, prime_factors

ORDERS = [q for q in range(2, 33) if sum(q % p == 0 and all(p % r for r in range(2, p)) for p in range(2, q + 1)) == 1]
each = pytest.mark.parametrize("q", ORDERS)


def test_the_orders_up_to_32():
    assert ORDERS == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]


@each
def test_the_axioms_of_a_field(q):
    field, elements = FiniteField(q), np.arange(q)
    a, b, c = elements[:, None, None], elements[:, None], elements
    for combine, neutral in ((field.add, 0), (field.multiply, 1)):
        assert np.array_equal(combine(elements, np.full(q, neutral)), elements)
        assert np.array_equal(combine(a, b), combine(b, a))
        assert np.array_equal(combine(combine(a, b), c), combine(a, combine(b, c)))
        table = combine(b, c)
        assert table.min() >= 0
        assert table.max() < q
    assert np.array_equal(field.multiply(a, field.add(b, c)), field.add(field.multiply(a, b), field.multiply(a, c)))
    assert not field.multiply(elements, np.zeros_like(elements)).any()
    assert np.all(field.multiply(elements[1:], field.inverse(elements[1:])) == 1)
    assert np.array_equal(field.add(field.subtract(b, c), c), np.broadcast_to(b, (q, q)))


@each
def test_sums_are_of_digits_to_the_base_p(q):
    field = FiniteField(q)
    p, e = field.characteristic, field.degree
    assert p**e == q
    for a, b in itertools.product(range(q), repeat=2):
        digits = [(a // p**j + b // p**j) % p for j in range(e)]
        assert field.add(np.array(a), np.array(b)) == sum(digit * p**j for j, digit in enumerate(digits))


@pytest.mark.parametrize("q", [*ORDERS, 3721, LARGEST_EXTENSION])
def test_x_is_p_and_its_powers_are_all_but_0(q):
    field = FiniteField(q)
    if field.degree > 1:
        power, seen = np.array(1), set()
        for j in range(q - 1):
            assert j >= field.degree or power == field.characteristic**j
            seen.add(int(power))
            power = field.multiply(power, field.characteristic)
        assert seen == set(range(1, q))


@each
def test_the_dual_of_a_number_is_its_character(q):
    field, elements = FiniteField(q), np.arange(q)
    p = field.characteristic
    lowest = field.multiply(elements[:, None], elements) % p
    duals = field.dual(elements)
    places = p ** np.arange(field.degree)
    dots = (duals[:, None] // places % p) @ (elements[:, None] // places % p).T % p
    assert np.array_equal(lowest, dots)
    assert np.array_equal(np.sort(duals), elements)
    # Orthogonal: every character but that of 0 sums to 0.
    sums = np.exp(2j * np.pi * dots / p).sum(axis=1)
    assert np.allclose(sums, np.where(elements == 0, q, 0), atol=1e-9)


@pytest.mark.parametrize("q", [997, 999_983, 3721, LARGEST_EXTENSION])
def test_large_fields_divide(q):
    field = FiniteField(q)
    a = np.random.default_rng(q).integers(1, q, size=1000)
    assert np.all(field.multiply(a, field.inverse(a)) == 1)


@pytest.mark.parametrize("number", [2, 3, 4, 12, 97, 360, 1024, 999_983, 999_999, 10**6])
def test_prime_factors(number):
    factors = prime_factors(number)
    assert math.prod(p**e for p, e in factors.items()) == number
    assert all(p % r for p in factors for r in range(2, math.isqrt(p) + 1))
    assert list(factors) == sorted(factors)
