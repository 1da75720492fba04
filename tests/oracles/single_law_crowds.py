"""What a crowd leaks among known others, by going through all datasets' reports one user after the other.

Nothing of histograms, laws of counts or likelihood ratios is taken from the library: only the mechanism's channel.
"""

import itertools
import math

import numpy as np


def rows(channel, senders):
    """P(h | x), a dictionary from the sorted reports to a probability for each value, by enumeration of all reports.

    ``senders`` has the law of each other user's report.
    """
    k, m = channel.shape
    found = {}
    for others in itertools.product(range(m), repeat=len(senders)):
        weight = math.prod(law[y] for law, y in zip(senders, others, strict=True))
        if weight:
            for own in range(m):
                seen = tuple(sorted((*others, own)))
                found[seen] = found.get(seen, np.zeros(k)) + weight * channel[:, own]
    return np.stack(list(found.values()), axis=1)


def information(likelihoods, prior):
    drawn = prior @ likelihoods
    ratios = np.divide(likelihoods, drawn, out=np.ones_like(likelihoods), where=(likelihoods > 0) & (drawn > 0))
    return float(prior @ (likelihoods * np.log(ratios)).sum(axis=1))


def gain(likelihoods, prior, table):
    return float(((table * prior) @ likelihoods).max(axis=0).sum())


def unary_among_one_value(mechanism, users, crowds, rng):
    """Draws of ``P(h | x) / P(h | 0)`` for each x, from crowds of unary encoding whose others all hold the value 0.

    Reports are then all of the law q of a holder of 0, and the ratio is the mean of ``Q[x, y] / q_y`` over the rows.
    """
    bits = rng.random((crowds, users + 1, mechanism.k)) < mechanism.lam
    bits[:, :, 0] = rng.random((crowds, users + 1)) < mechanism.kappa
    own = _own(mechanism, bits)
    ratios = own / own[:, :, [0]]
    return ratios.mean(axis=1)


def unary_among_strangers(mechanism, n, crowds, rng):
    """The same over ``P(h)``, from crowds whose others' values are uniform: means of ``own_x / mean_j own_j``."""
    means = np.empty((crowds, mechanism.k))
    for i in range(crowds):
        bits = rng.random((n, mechanism.k)) < mechanism.lam
        bits[np.arange(n), rng.integers(mechanism.k, size=n)] = rng.random(n) < mechanism.kappa
        own = _own(mechanism, bits)
        means[i] = (own / own.mean(axis=1, keepdims=True)).mean(axis=0)
    return means


def _own(mechanism, bits):
    """How much likelier each bit is if it is the sender's own."""
    return np.where(bits, mechanism.kappa / mechanism.lam, (1 - mechanism.kappa) / (1 - mechanism.lam))
