"""Several rounds of a crowd by definition: all that others can hold in each, and every sequence of reports."""

import itertools
import math

import numpy as np

from oracles import adversaries, channels


def laws_of_a_round(mechanism, n):
    """P(h | x) for all counts of the others' values: a row per value, a column per histogram that can be."""
    exact = channels.exact(mechanism.channel().matrix)
    for counts in adversaries.all_counts(n - 1, mechanism.secrets):
        laws = [adversaries.law_of_reports(exact, [x, *adversaries.holders(counts)]) for x in range(len(exact))]
        seen = sorted({h for law in laws for h in law})
        yield np.array([[float(law.get(h, 0)) for h in seen] for law in laws])


def laws_of_rounds(mechanism, n, rounds, *, same=False):
    """P(what all rounds show | x), whatever the others hold: in each round, or the same in all."""
    once = list(laws_of_a_round(mechanism, n))
    chosen = [(law,) * rounds for law in once] if same else itertools.combinations_with_replacement(once, rounds)
    for laws in chosen:
        product = np.ones((mechanism.secrets, 1))
        for law in laws:
            product = (product[:, :, None] * law[:, None, :]).reshape(len(law), -1)
        yield product


def excess(a, b, epsilon):
    """``Σ max(0, a - e^ε b)``."""
    if math.isinf(epsilon):
        return float(a[b == 0].sum())
    return float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum())


def largest_excess(laws, epsilon):
    return max(excess(law[a], law[b], epsilon) for law in laws for a, b in itertools.permutations(range(len(law)), 2))


def renyi(laws, order):
    return max(
        math.log(float((law[a] ** order * law[b] ** (1 - order)).sum())) / (order - 1)
        for law in laws
        for a, b in itertools.permutations(range(len(law)), 2)
    )


def least_misses(a, b, rate):
    """The least false negatives of a test of b against a with this rate of false positives (Neyman and Pearson)."""
    order = np.argsort(-np.log(np.maximum(b, 1e-300)) + np.log(np.maximum(a, 1e-300)), kind="stable")
    positives, hits = np.cumsum(a[order]), np.cumsum(b[order])
    return 1 - float(np.interp(rate, np.append(0.0, positives), np.append(0.0, hits)))
