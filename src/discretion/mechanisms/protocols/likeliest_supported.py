"""What a report of a pure protocol lets guess, where all reports support alike.

If every report is either ``c`` or ``c·e^-ε`` as likely, as it supports the value or not, then the best guess is the
likeliest value that the report supports, or the likeliest of all. So all that counts is how often a report that
supports a value supports none that is likelier.
"""

import math

import numpy as np

from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.numerics.arrays import Reals


def bayes_vulnerability(system: PureProtocol, ranked: Reals, first: Reals) -> float:
    """Return the probability that the best guess is right.

    ``ranked`` is the prior, the likeliest value first, and ``first`` how many of the reports that support each value
    support none before it, as a share; every report must support some value.
    """
    likeliest, others = float(ranked[0]), ranked[1:]
    guessed = np.maximum(others, math.exp(-system.epsilon) * likeliest)
    return system.support.own * (likeliest + float(first[1:] @ guessed))


def bayes_risk(system: PureProtocol, ranked: Reals, first: Reals) -> float:
    """Return the probability that the best guess is wrong, so that a small one keeps its digits.

    A value but the likeliest is missed unless it is the first to be supported; there, either it or the likeliest is
    missed.
    """
    own, not_own = system.support[:2]
    others, first = ranked[1:], first[1:]
    missed = not_own + own * (1 - first)
    undecided = np.minimum(others, math.exp(-system.epsilon) * ranked[0])
    return float(others @ missed) + own * float(first @ undecided)
