"""Crowds of thousands that report one of two values, in long doubles: every sum has terms of one sign.

The law of a count is the convolution of its groups' binomials, each by ratios from its mode.
"""

import numpy as np

Number = np.longdouble


def views(rows, known_counts, strangers=0, population=None):
    """The law of how many of all report 0, if the target holds 0 and if she holds 1."""
    law = np.ones(1, Number)
    groups = [(count, row) for count, row in zip(known_counts, rows, strict=True) if count]
    if strangers:
        groups.append((strangers, population[0] * rows[0] + population[1] * rows[1]))
    for count, row in groups:
        law = np.convolve(law, _binomial(count, *row))
    return np.stack([np.append(Number(0), law) * row[0] + np.append(law, Number(0)) * row[1] for row in rows])


def posterior_vulnerability(laws, prior, gain):
    return np.max([(guess * prior) @ laws for guess in np.array(gain, Number)], axis=0).sum()


def bayes_risk(laws, prior):
    return (prior[:, None] * laws).min(axis=0).sum()


def bayes_security(laws):
    return laws.min(axis=0).sum()


def mutual_information(laws, prior):
    mean = prior @ laws
    seen = (laws > 0) & (mean > 0)
    ratios = np.divide(laws, mean, out=np.ones_like(laws), where=seen)
    return float(prior @ (laws * np.log(ratios)).sum(axis=1))


def hockey_stick(p, q, epsilon):
    return np.maximum(p - np.exp(Number(epsilon)) * q, 0).sum()


def least_epsilon(p, q, delta):
    order = np.argsort(-np.divide(p, q, out=np.full_like(p, np.inf), where=q > 0), kind="stable")
    above, below = np.cumsum(p[order]) - Number(delta), np.cumsum(q[order])
    with np.errstate(over="ignore"):  # e^ε of many hundreds
        most = np.divide(above, below, out=np.zeros_like(above), where=below > 0).max()
    return np.log(max(most, Number(1)))


def renyi_divergence(p, q, order):
    both = (p > 0) & (q > 0)
    powers = Number(order) * np.log(p[both]) + (1 - Number(order)) * np.log(q[both])
    return (powers.max() + np.log(np.exp(powers - powers.max()).sum())) / (Number(order) - 1)


def _binomial(n, p, q):
    mode = min(n, int((n + 1) * p))
    up, down = np.arange(mode, n, dtype=Number), np.arange(mode, 0, -1, dtype=Number)
    rising, falling = np.cumprod((n - up) / (up + 1) * (p / q)), np.cumprod(down / (n - down + 1) * (q / p))
    weights = np.concatenate([falling[::-1], np.ones(1, Number), rising])
    return weights / weights.sum()
