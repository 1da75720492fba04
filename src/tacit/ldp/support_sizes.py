"""How many values a report supports: all that matters of a pure protocol where no value is commoner than another.

A report that supports c of k values is e^ε times as likely from each of those, so that under a symmetric law of the
population all reports of one size tell the same.
"""

from functools import singledispatch
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.mechanisms.hadamard_response import HadamardResponse, uniform_signs
from tacit.mechanisms.local_hashing import LocalHashing
from tacit.mechanisms.local_hashing_measures import laws_of_classes
from tacit.mechanisms.pure_protocol import PureProtocol
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.mechanisms.subset_selection import SubsetSelection
from tacit.mechanisms.unary_encoding import UnaryEncoding
from tacit.numerics.binomial import binomial_window

Reals = NDArray[np.float64]


class SupportSizes(NamedTuple):
    """The law of the number of values that a report supports, the sender's value being uniform."""

    sizes: NDArray[np.int64]
    probabilities: Reals


@singledispatch
def support_sizes(protocol: PureProtocol) -> SupportSizes | None:
    """Return the law of the support's size, or None where only the explicit channel has it."""
    return None


@support_sizes.register
def _(protocol: RandomizedResponse) -> SupportSizes:
    return SupportSizes(np.array([1]), np.ones(1))


@support_sizes.register
def _(protocol: UnaryEncoding) -> SupportSizes:
    first, others = binomial_window(protocol.k - 1, protocol.lam, protocol.not_lam)
    probabilities = np.zeros(others.size + 1)
    probabilities[1:] += protocol.kappa * others
    probabilities[:-1] += protocol.not_kappa * others
    return SupportSizes(first + np.arange(probabilities.size), probabilities)


@support_sizes.register
def _(protocol: SubsetSelection) -> SupportSizes:
    return SupportSizes(np.array([protocol.size]), np.ones(1))


@support_sizes.register
def _(protocol: HadamardResponse) -> SupportSizes:
    signs, shares = uniform_signs(protocol)
    plus, minus = (1 + signs) / 2, (1 - signs) / 2
    own, not_own = protocol.support.own, protocol.support.not_own
    return SupportSizes(np.rint(plus * protocol.k).astype(np.int64), 2 * shares * (plus * own + minus * not_own))


@support_sizes.register
def _(protocol: LocalHashing) -> SupportSizes | None:
    """Return the mean over the linear functions, of which those with as many low coefficients 0 are alike.

    LDP-info's equation 7.6 is the same mean over all functions.
    """
    family, *more = protocol.families
    if more:
        return None
    # The function that is 0 takes all values to one class.
    sizes = [np.array([protocol.k])]
    probabilities: list[Reals] = [np.array([float(protocol.g) ** -family.digits])]
    for zeros, law in enumerate(laws_of_classes(protocol)):
        counts, times = np.unique(np.rint(law * protocol.k).astype(np.int64), return_counts=True)
        sizes.append(counts)
        answered = protocol.answer.q + protocol.answer.gap * counts / protocol.k
        probabilities.append(float(protocol.g) ** -zeros * (1 - 1 / protocol.g) * times * answered)
    return SupportSizes(np.concatenate(sizes), np.concatenate(probabilities))
