"""Every mechanism, as constructors to be tested through all generic properties: a new one is one more line."""

import math

import pytest

import tacit as tc

_CONSTRUCTORS = {
    "RandomizedResponse(2, p=0.5)": lambda: tc.RandomizedResponse(2, p=0.5),
    "RandomizedResponse(2, p=0.75)": lambda: tc.RandomizedResponse(2, p=0.75),
    "RandomizedResponse(3, p=1/3)": lambda: tc.RandomizedResponse(3, p=1 / 3),
    "RandomizedResponse(3, p=0.34)": lambda: tc.RandomizedResponse(3, p=0.34),
    "RandomizedResponse(3, p=1)": lambda: tc.RandomizedResponse(3, p=1),
    "RandomizedResponse(4, p=0.999999)": lambda: tc.RandomizedResponse(4, p=0.999999),
    "RandomizedResponse(2, epsilon=0)": lambda: tc.RandomizedResponse(2, epsilon=0),
    "RandomizedResponse(5, epsilon=1e-9)": lambda: tc.RandomizedResponse(5, epsilon=1e-9),
    "RandomizedResponse(5, epsilon=1)": lambda: tc.RandomizedResponse(5, epsilon=1),
    "RandomizedResponse(6, epsilon=4.5)": lambda: tc.RandomizedResponse(6, epsilon=4.5),
    "RandomizedResponse(3, epsilon=30)": lambda: tc.RandomizedResponse(3, epsilon=30),
    "RandomizedResponse(3, epsilon=700)": lambda: tc.RandomizedResponse(3, epsilon=700),
    "RandomizedResponse(4, epsilon=inf)": lambda: tc.RandomizedResponse(4, epsilon=math.inf),
}

MECHANISMS = [pytest.param(make(), id=name) for name, make in _CONSTRUCTORS.items()]
INFORMATIVE = [pytest.param(make(), id=name) for name, make in _CONSTRUCTORS.items() if make().epsilon > 1e-6]
