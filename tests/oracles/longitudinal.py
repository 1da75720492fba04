"""Several rounds of one client by enumeration: every permanent report, and every sequence of reports."""

import functools

import numpy as np

import discretion as dc


def _step(step):
    """How likely each report is from each permanent report."""
    if isinstance(step, dc.RandomizedResponse):
        return step.channel().dense()
    bit = np.array([[step.not_lam, step.lam], [step.not_kappa, step.kappa]])
    return functools.reduce(np.kron, [bit] * step.k)


def sequences(protocol, t):
    """The channel from the value to the sequence of the reports of t rounds."""
    step = _step(protocol.instantaneous)
    rounds = np.array([functools.reduce(np.kron, [row] * t) for row in step])
    return dc.Channel(protocol.permanent.channel().dense() @ rounds)
