"""Every mechanism, as constructors to be tested through all generic properties: a new one is one more line."""

import math

import numpy as np
import pytest

import discretion as dc

_CONSTRUCTORS = {
    "RandomizedResponse(2, p=0.5)": lambda: dc.RandomizedResponse(2, p=0.5),
    "RandomizedResponse(2, p=0.75)": lambda: dc.RandomizedResponse(2, p=0.75),
    "RandomizedResponse(3, p=1/3)": lambda: dc.RandomizedResponse(3, p=1 / 3),
    "RandomizedResponse(3, p=0.34)": lambda: dc.RandomizedResponse(3, p=0.34),
    "RandomizedResponse(3, p=1)": lambda: dc.RandomizedResponse(3, p=1),
    "RandomizedResponse(4, p=0.999999)": lambda: dc.RandomizedResponse(4, p=0.999999),
    "RandomizedResponse(2, epsilon=0)": lambda: dc.RandomizedResponse(2, epsilon=0),
    "RandomizedResponse(5, epsilon=1e-9)": lambda: dc.RandomizedResponse(5, epsilon=1e-9),
    "RandomizedResponse(5, epsilon=1)": lambda: dc.RandomizedResponse(5, epsilon=1),
    "RandomizedResponse(6, epsilon=4.5)": lambda: dc.RandomizedResponse(6, epsilon=4.5),
    "RandomizedResponse(3, epsilon=30)": lambda: dc.RandomizedResponse(3, epsilon=30),
    "RandomizedResponse(3, epsilon=700)": lambda: dc.RandomizedResponse(3, epsilon=700),
    "RandomizedResponse(4, epsilon=inf)": lambda: dc.RandomizedResponse(4, epsilon=math.inf),
    "LocalHashing(2, 0)": lambda: dc.LocalHashing(2, epsilon=0),
    "LocalHashing(3, 1e-9)": lambda: dc.LocalHashing(3, epsilon=1e-9),
    "LocalHashing(3, 1)": lambda: dc.LocalHashing(3, epsilon=1),
    "LocalHashing(2, 2, g=4)": lambda: dc.LocalHashing(2, epsilon=2, g=4),
    "LocalHashing(5, 1, g=2)": lambda: dc.LocalHashing(5, epsilon=1, g=2),
    "LocalHashing(3, 4.5, g=3)": lambda: dc.LocalHashing(3, epsilon=4.5, g=3),
    "LocalHashing(4, 700, g=2)": lambda: dc.LocalHashing(4, epsilon=700, g=2),
    "LocalHashing(3, inf, g=3)": lambda: dc.LocalHashing(3, epsilon=math.inf, g=3),
    "UnaryEncoding(2, 0.75, 0.5)": lambda: dc.UnaryEncoding(2, kappa=0.75, lam=0.5),
    "UnaryEncoding(3, 0.4, 0.4)": lambda: dc.UnaryEncoding(3, kappa=0.4, lam=0.4),
    "UnaryEncoding(3, 0, 0)": lambda: dc.UnaryEncoding(3, kappa=0, lam=0),
    "UnaryEncoding(3, 1, 1)": lambda: dc.UnaryEncoding(3, kappa=1, lam=1),
    "UnaryEncoding(3, 0.4, 0)": lambda: dc.UnaryEncoding(3, kappa=0.4, lam=0),
    "UnaryEncoding(3, 1, 0.3)": lambda: dc.UnaryEncoding(3, kappa=1, lam=0.3),
    "UnaryEncoding(3, 1, 0)": lambda: dc.UnaryEncoding(3, kappa=1, lam=0),
    "UnaryEncoding(4, 0.9, 1e-3)": lambda: dc.UnaryEncoding(4, kappa=0.9, lam=1e-3),
    "UnaryEncoding.rappor(3, 0)": lambda: dc.UnaryEncoding.rappor(3, epsilon=0),
    "UnaryEncoding.rappor(4, 1)": lambda: dc.UnaryEncoding.rappor(4, epsilon=1),
    "UnaryEncoding.rappor(2, 700)": lambda: dc.UnaryEncoding.rappor(2, epsilon=700),
    "UnaryEncoding.rappor(3, inf)": lambda: dc.UnaryEncoding.rappor(3, epsilon=math.inf),
    "UnaryEncoding.oue(3, 0)": lambda: dc.UnaryEncoding.oue(3, epsilon=0),
    "UnaryEncoding.oue(3, 1e-9)": lambda: dc.UnaryEncoding.oue(3, epsilon=1e-9),
    "UnaryEncoding.oue(4, 2)": lambda: dc.UnaryEncoding.oue(4, epsilon=2),
    "UnaryEncoding.oue(2, 700)": lambda: dc.UnaryEncoding.oue(2, epsilon=700),
    "UnaryEncoding.oue(3, inf)": lambda: dc.UnaryEncoding.oue(3, epsilon=math.inf),
    "UnaryEncoding.blh(3, 1)": lambda: dc.UnaryEncoding.blh(3, epsilon=1),
    "UnaryEncoding.blh(3, 700)": lambda: dc.UnaryEncoding.blh(3, epsilon=700),
    "UnaryEncoding.blh(2, inf)": lambda: dc.UnaryEncoding.blh(2, epsilon=math.inf),
    "SubsetSelection(2, 1)": lambda: dc.SubsetSelection(2, epsilon=1),
    "SubsetSelection(5, 0)": lambda: dc.SubsetSelection(5, epsilon=0),
    "SubsetSelection(4, 1e-9)": lambda: dc.SubsetSelection(4, epsilon=1e-9),
    "SubsetSelection(5, 0.5)": lambda: dc.SubsetSelection(5, epsilon=0.5),
    "SubsetSelection(5, 2, size=3)": lambda: dc.SubsetSelection(5, epsilon=2, size=3),
    "SubsetSelection(4, 3, size=3)": lambda: dc.SubsetSelection(4, epsilon=3, size=3),
    "SubsetSelection(4, 30, size=2)": lambda: dc.SubsetSelection(4, epsilon=30, size=2),
    "SubsetSelection(4, 700, size=2)": lambda: dc.SubsetSelection(4, epsilon=700, size=2),
    "SubsetSelection(5, inf, size=2)": lambda: dc.SubsetSelection(5, epsilon=math.inf, size=2),
    "SubsetSelection(3, inf)": lambda: dc.SubsetSelection(3, epsilon=math.inf),
    "HadamardResponse(2, 1)": lambda: dc.HadamardResponse(2, epsilon=1),
    "HadamardResponse(2, inf)": lambda: dc.HadamardResponse(2, epsilon=math.inf),
    "HadamardResponse(3, 0)": lambda: dc.HadamardResponse(3, epsilon=0),
    "HadamardResponse(3, 1e-9)": lambda: dc.HadamardResponse(3, epsilon=1e-9),
    "HadamardResponse(3, 2)": lambda: dc.HadamardResponse(3, epsilon=2),
    "HadamardResponse(4, 700)": lambda: dc.HadamardResponse(4, epsilon=700),
    "HadamardResponse(5, 0.5)": lambda: dc.HadamardResponse(5, epsilon=0.5),
    "HadamardResponse(7, 3)": lambda: dc.HadamardResponse(7, epsilon=3),
    "HadamardResponse(8, inf)": lambda: dc.HadamardResponse(8, epsilon=math.inf),
    "ChannelMechanism(no noise)": lambda: dc.ChannelMechanism(dc.Channel(np.eye(3))),
    "ChannelMechanism(all alike)": lambda: dc.ChannelMechanism(dc.Channel([[0.25, 0.75], [0.25, 0.75]])),
    "ChannelMechanism(rank 2 of 3)": lambda: dc.ChannelMechanism(dc.Channel([[0.5, 0.5], [0.25, 0.75], [0, 1]])),
    "ChannelMechanism(3 x 4)": lambda: dc.ChannelMechanism(
        dc.Channel([[0.5, 0.25, 0.25, 0], [0.125, 0.5, 0.25, 0.125], [0.2, 0.3, 0, 0.5]])
    ),
    "ChannelMechanism(nearly alike)": lambda: dc.ChannelMechanism(dc.Channel([[0.5, 0.5], [0.5001, 0.4999]])),
    "ChannelMechanism(a column never seen)": lambda: dc.ChannelMechanism(
        dc.Channel([[0, 0.1, 0.9, 0], [0, 0.7, 0.3, 0]])
    ),
}

MECHANISMS = [pytest.param(make(), id=name) for name, make in _CONSTRUCTORS.items()]
INFORMATIVE = [
    pytest.param(make(), id=name)
    for name, make in _CONSTRUCTORS.items()
    if make().epsilon > 1e-6 and math.isfinite(make().frequency_variance(1)[0])
]

# One of each class: what is refused before its law is asked is the same for all of them.
KINDS = list({type(param.values[0]): param for param in reversed(INFORMATIVE)}.values())


def observed(mechanism, reports):
    """The column of the mechanism's channel that each report is."""
    columns = {label: y for y, label in enumerate(mechanism.channel().outputs)}
    rows = (tuple(report) if isinstance(report, list) else report for report in reports.tolist())
    return np.array([columns[row] for row in rows])
