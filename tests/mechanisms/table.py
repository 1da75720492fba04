"""Every mechanism, as constructors to be tested through all generic properties: a new one is one more line."""

import math

import numpy as np
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
    "UnaryEncoding(2, 0.75, 0.5)": lambda: tc.UnaryEncoding(2, kappa=0.75, lam=0.5),
    "UnaryEncoding(3, 0.4, 0.4)": lambda: tc.UnaryEncoding(3, kappa=0.4, lam=0.4),
    "UnaryEncoding(3, 0, 0)": lambda: tc.UnaryEncoding(3, kappa=0, lam=0),
    "UnaryEncoding(3, 1, 1)": lambda: tc.UnaryEncoding(3, kappa=1, lam=1),
    "UnaryEncoding(3, 0.4, 0)": lambda: tc.UnaryEncoding(3, kappa=0.4, lam=0),
    "UnaryEncoding(3, 1, 0.3)": lambda: tc.UnaryEncoding(3, kappa=1, lam=0.3),
    "UnaryEncoding(3, 1, 0)": lambda: tc.UnaryEncoding(3, kappa=1, lam=0),
    "UnaryEncoding(4, 0.9, 1e-3)": lambda: tc.UnaryEncoding(4, kappa=0.9, lam=1e-3),
    "UnaryEncoding.rappor(3, 0)": lambda: tc.UnaryEncoding.rappor(3, epsilon=0),
    "UnaryEncoding.rappor(4, 1)": lambda: tc.UnaryEncoding.rappor(4, epsilon=1),
    "UnaryEncoding.rappor(2, 700)": lambda: tc.UnaryEncoding.rappor(2, epsilon=700),
    "UnaryEncoding.rappor(3, inf)": lambda: tc.UnaryEncoding.rappor(3, epsilon=math.inf),
    "UnaryEncoding.oue(3, 0)": lambda: tc.UnaryEncoding.oue(3, epsilon=0),
    "UnaryEncoding.oue(3, 1e-9)": lambda: tc.UnaryEncoding.oue(3, epsilon=1e-9),
    "UnaryEncoding.oue(4, 2)": lambda: tc.UnaryEncoding.oue(4, epsilon=2),
    "UnaryEncoding.oue(2, 700)": lambda: tc.UnaryEncoding.oue(2, epsilon=700),
    "UnaryEncoding.oue(3, inf)": lambda: tc.UnaryEncoding.oue(3, epsilon=math.inf),
    "UnaryEncoding.blh(3, 1)": lambda: tc.UnaryEncoding.blh(3, epsilon=1),
    "UnaryEncoding.blh(3, 700)": lambda: tc.UnaryEncoding.blh(3, epsilon=700),
    "UnaryEncoding.blh(2, inf)": lambda: tc.UnaryEncoding.blh(2, epsilon=math.inf),
}

MECHANISMS = [pytest.param(make(), id=name) for name, make in _CONSTRUCTORS.items()]
INFORMATIVE = [pytest.param(make(), id=name) for name, make in _CONSTRUCTORS.items() if make().epsilon > 1e-6]


def observed(mechanism, reports):
    """The column of the mechanism's channel that each report is."""
    columns = {label: y for y, label in enumerate(mechanism.channel().outputs)}
    rows = (tuple(report) if isinstance(report, list) else report for report in reports.tolist())
    return np.array([columns[row] for row in rows])
