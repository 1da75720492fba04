"""The information that reports of n users hold, by definition: everything is enumerated, P is integrated out.

C is a float matrix with a row per value, a law one of `oracles.population_laws`; all results are in nats.
"""

import itertools
import math
from collections import defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from oracles.measures import decimal
from oracles.population_laws import expectation
from oracles.shuffling import histogram, multinomial


def logs(C):
    """The logarithms of C, columns that nobody reports left out."""
    C = np.asarray(C, dtype=float)
    with np.errstate(divide="ignore"):
        return np.log(C[:, C.any(axis=0)])


def log_reports(C, log_p):
    """Log of the law of one report, ``q = PC``, at every point."""
    return np.logaddexp.reduce(log_p[:, :, None] + logs(C), axis=1)


def entropies(log_p):
    """``Σ -p log p`` over the last axis, 0 log 0 being 0."""
    return -_plogs(log_p, log_p).sum(axis=-1)


def _plogs(log_p, log_ratio):
    """``p · log_ratio``, 0 where p is."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(log_p), 0.0, np.exp(log_p) * log_ratio)


def entropy_of_value(law):
    """H(X | P) of one user."""
    return expectation(law, entropies)


def entropy_of_report(C, law):
    """H(Y | P) of one user."""
    return expectation(law, lambda log_p: entropies(log_reports(C, log_p)))


def hidden_entropy(C, law):
    """H(X | Y, P) of one user, by terms of one sign: no digits are lost however small it is."""

    def hidden(log_p):
        joint = log_p[:, :, None] + logs(C)
        with np.errstate(invalid="ignore"):
            surprise = log_reports(C, log_p)[:, None, :] - joint
        return _plogs(joint, surprise).sum(axis=(1, 2))

    return expectation(law, hidden)


def average_privacy(C, law):
    return hidden_entropy(C, law) / entropy_of_value(law)


def differential_entropy(law):
    """h(P), the density being over all shares but the last."""
    alpha = np.array(law.alpha)
    log_beta = sum(map(math.lgamma, law.alpha)) - math.lgamma(sum(law.alpha))
    return expectation(law, lambda log_p: log_beta - log_p @ (alpha - 1))


def log_determinants(C, log_p):
    """``log det(C diag(1/PC) Cᵀ)`` as the sum over sets of a columns (Cauchy and Binet), which are all positive."""
    C = np.asarray(C, dtype=float)
    C = C[:, C.any(axis=0)]
    log_q, total = log_reports(C, log_p), np.full(len(log_p), -np.inf)
    for columns in itertools.combinations(range(C.shape[1]), len(C)):
        minor = determinant([[Fraction(float(C[x, y])) for y in columns] for x in range(len(C))])
        if minor:
            total = np.logaddexp(total, 2 * math.log(abs(minor)) - log_q[:, list(columns)].sum(axis=1))
    return total


def determinant(rows):
    if not rows:
        return Fraction(1)
    minors = (determinant([[*row[:x], *row[x + 1 :]] for row in rows[1:]]) for x in range(len(rows)))
    return sum((-1) ** x * entry * minor for x, (entry, minor) in enumerate(zip(rows[0], minors, strict=True)))


def asymptotic_utility(C, law):
    """LDP-info, Definition 6.5."""
    mean = expectation(law, lambda log_p: log_determinants(C, log_p))
    return mean / (2 * len(C) - 2) - math.log(2 * math.pi * math.e) / 2


def effective_participation(C, law):
    return math.exp(2 * asymptotic_utility(C, law) - 2 * asymptotic_utility(np.eye(len(C)), law))


def tallies(n, kinds):
    if kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in tallies(n - first, kinds - 1):
            yield (first, *rest)


def population_information(C, n, law):
    """``I(Y⃗; P) = H(Y⃗) - n H(Y | P)``, the probability of every tally of reports by quadrature."""
    log_p, weights = law.nodes
    log_q = np.maximum(log_reports(C, log_p), -1e300)  # so that 0 reports of what is impossible are no surprise
    surprises = []
    for s in tallies(n, log_q.shape[1]):
        mass = float((weights * np.exp((log_q * s).sum(axis=1))).sum())
        surprises.append(-multinomial(s) * mass * math.log(mass) if mass else 0.0)
    return math.fsum(surprises) - n * entropy_of_report(C, law)


def joint_law(C, n, law):
    """P(x⃗, y⃗) of all users' values and reports, in Fractions; what cannot happen is left out."""
    C = [[Fraction(float(entry)) for entry in row] for row in np.asarray(C)]
    joint = {}
    for values in itertools.product(range(len(C)), repeat=n):
        held = law.moment(histogram(values, len(C)))
        for reports in itertools.product(range(len(C[0])), repeat=n):
            mass = held * math.prod(C[x][y] for x, y in zip(values, reports, strict=True))
            if mass:
                joint[values, reports] = mass
    return joint


def values(outcome):
    return outcome[0]


def reports(outcome):
    return outcome[1]


def tally(outcome):
    """Of the values."""
    return tuple(sorted(outcome[0]))


def both(*parts):
    return lambda outcome: tuple(part(outcome) for part in parts)


def entropy(joint, part):
    """H of a function of the outcome."""
    masses = defaultdict(Fraction)
    for outcome, mass in joint.items():
        masses[part(outcome)] += mass
    with localcontext() as context:
        context.prec = 40
        return -sum((decimal(mass) * decimal(mass).ln() for mass in masses.values()), Decimal(0))


def information(joint, one, other):
    """``I(U; V) = H(U) + H(V) - H(U, V)``."""
    return float(entropy(joint, one) + entropy(joint, other) - entropy(joint, both(one, other)))


def information_given(joint, one, other, given):
    """``I(U; V | W) = H(U, W) + H(V, W) - H(U, V, W) - H(W)``."""
    pairs = entropy(joint, both(one, given)) + entropy(joint, both(other, given))
    return float(pairs - entropy(joint, both(one, other, given)) - entropy(joint, given))


def population_information_by_enumeration(C, n, law):
    return float(entropy(joint_law(C, n, law), reports)) - n * entropy_of_report(C, law)


def tally_utility(C, n, law):
    joint = joint_law(C, n, law)
    return information(joint, reports, tally) / float(entropy(joint, tally))


def distribution_utility(C, n, law):
    return population_information(C, n, law) / population_information(np.eye(len(C)), n, law)


def digit_utility(C, n, law):
    return (population_information(C, n, law) - differential_entropy(law)) / (len(C) - 1)


def entropy_of_tally_given_population(k, n, law):
    """H(T | P): the entropy of a multinomial, averaged."""

    def conditional(log_p):
        p, total = np.exp(log_p), np.zeros(len(log_p))
        for t in tallies(n, k):
            mass = multinomial(t) * np.prod(p ** np.array(t), axis=1)
            total -= np.where(mass > 0, mass * np.log(np.maximum(mass, 1e-300)), 0.0)
        return total

    return expectation(law, conditional)


def information_on_tally_given_population(C, n, law):
    """I(Y⃗; T | P), summed over tallies and report vectors at every point."""
    C = np.asarray(C, dtype=float)
    holders = defaultdict(list)
    for held in itertools.product(range(len(C)), repeat=n):
        holders[histogram(held, len(C))].append(held)
    likelihoods = {
        (t, ys): np.mean([math.prod(C[x, y] for x, y in zip(xs, ys, strict=True)) for xs in vectors])
        for t, vectors in holders.items()
        for ys in itertools.product(range(C.shape[1]), repeat=n)
    }

    def conditional(log_p):
        p, q, total = np.exp(log_p), np.exp(log_p) @ C, np.zeros(len(log_p))
        held = {t: multinomial(t) * np.prod(p ** np.array(t), axis=1) for t in holders}
        sent = {ys for _, ys in likelihoods}
        reported = {ys: np.maximum(np.prod(q[:, list(ys)], axis=1), 1e-300) for ys in sent}
        for (t, ys), likelihood in likelihoods.items():
            if likelihood:
                total += held[t] * likelihood * np.log(likelihood / reported[ys])
        return total

    return expectation(law, conditional)


def information_split(C, n, law):
    """Table 4.1 of LDP-info: the users' and the aggregator's parts, then their totals, each by its own definition."""
    joint = joint_law(C, n, law)
    return {
        ("users", "nonprivate"): float(entropy(joint, values)) - n * entropy_of_value(law),
        ("users", "group_private"): entropy_of_tally_given_population(len(C), n, law),
        ("users", "individual_private"): float(entropy(joint, both(values, tally)) - entropy(joint, tally)),
        ("users", "total"): float(entropy(joint, values)),
        ("aggregator", "nonprivate"): float(entropy(joint, reports)) - n * entropy_of_report(C, law),
        ("aggregator", "group_private"): information_on_tally_given_population(C, n, law),
        ("aggregator", "individual_private"): information_given(joint, reports, values, tally),
        ("aggregator", "total"): information(joint, reports, values),
    }
