"""What each adversary of a shuffled crowd sees, and differential privacy, by definition.

The others' values are enumerated and everybody's report is added to the histogram in turn. A channel is a list of rows
of Fractions, one per value of the target, over all histograms of reports; a ratio is ``e^ε``.
"""

import itertools
import math
from collections import defaultdict
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

from oracles.measures import decimal
from oracles.shuffling import histogram, multinomial


def all_counts(users, k):
    """How many of the users hold each value, in all ways."""
    return [counts for counts in itertools.product(range(users + 1), repeat=k) if sum(counts) == users]


def holders(counts):
    return [value for value, count in enumerate(counts) for _ in range(count)]


def law_of_reports(Q, values):
    """The law of the histogram of reports when the users hold these values."""
    law = {(0,) * len(Q[0]): Fraction(1)}
    for x in values:
        more = defaultdict(Fraction)
        for h, mass in law.items():
            for y, likelihood in enumerate(Q[x]):
                more[(*h[:y], h[y] + 1, *h[y + 1 :])] += mass * likelihood
        law = more
    return law


def crowd(Q, n, others):
    """Rows ``P(h | x)``; ``others(x)`` is the law of the others' values, as counts, when the target holds x."""
    rows = []
    for x in range(len(Q)):
        row = defaultdict(Fraction)
        for counts, weight in others(x).items():
            for h, mass in law_of_reports(Q, [x, *holders(counts)]).items():
                row[h] += weight * mass
        rows.append(row)
    return [[row[h] for h in all_counts(n, len(Q[0]))] for row in rows]


def all_but_one(Q, counts):
    return crowd(Q, sum(counts) + 1, lambda x: {tuple(counts): Fraction(1)})


def partly_informed(Q, n, known_counts, population):
    """Of the others some are known, the rest are drawn from the population."""
    k, law = len(Q), defaultdict(Fraction)
    for drawn in itertools.product(range(k), repeat=n - 1 - sum(known_counts)):
        counts = tuple(a + b for a, b in zip(known_counts, histogram(drawn, k), strict=True))
        law[counts] += math.prod((population[x] for x in drawn), start=Fraction(1))
    return crowd(Q, n, lambda x: law)


def uninformed(Q, n, population):
    return partly_informed(Q, n, [0] * len(Q), population)


def exchangeable(Q, n, alpha):
    """All n values, the target's first, are drawn one after the other from a Pólya urn that holds alpha."""
    k, prior = len(Q), exchangeable_prior(alpha)

    def others(x):
        law = defaultdict(Fraction)
        for rest in itertools.product(range(k), repeat=n - 1):
            law[histogram(rest, k)] += urn([x, *rest], alpha) / prior[x]
        return law

    return crowd(Q, n, others)


def urn(values, alpha):
    """``P(values) = ∫ Π r_{x_i} Dirichlet(alpha)(dr)``: every draw adds one ball of its kind."""
    balls, probability = list(alpha), Fraction(1)
    for x in values:
        probability *= Fraction(balls[x]) / sum(balls)
        balls[x] += 1
    return probability


def exchangeable_prior(alpha):
    return [Fraction(a) / sum(alpha) for a in alpha]


def worst_all_but_one(Q, n, quantity, worst=max):
    """The worst of a quantity of the channel over everything that the others can hold."""
    return worst(quantity(all_but_one(Q, counts)) for counts in all_counts(n - 1, len(Q)))


def vulnerability_by_the_formula(Q, n, population, prior, gain):
    """MATHS 2b: the n reports are drawn from ``q = population Q`` and the target's is any of them."""
    k, m = len(Q), len(Q[0])
    q = [sum(population[x] * Q[x][y] for x in range(k)) for y in range(m)]
    seen = [y for y in range(m) if q[y]]
    total = Fraction(0)
    for counts in all_counts(n, len(seen)):
        weight = multinomial(counts) * math.prod(q[y] ** c for y, c in zip(seen, counts, strict=True))
        likelihood = [sum(Q[x][y] * c / q[y] for y, c in zip(seen, counts, strict=True)) * weight / n for x in range(k)]
        total += best(prior, likelihood, gain)
    # A report that no stranger makes is the target's own.
    return total + sum(best(prior, [Q[x][y] for x in range(k)], gain) for y in range(m) if not q[y])


def best(prior, likelihood, gain):
    return max(sum(p * c * g for p, c, g in zip(prior, likelihood, guess, strict=True)) for guess in gain)


def hockey_stick(p, q, ratio):
    return sum((max(Fraction(0), a - ratio * b) for a, b in zip(p, q, strict=True)), Fraction(0))


def ordered_pairs(C):
    return itertools.permutations(range(len(C)), 2)


def privacy_profile(C, ratio):
    return max((hockey_stick(C[a], C[b], ratio) for a, b in ordered_pairs(C)), default=Fraction(0))


def epsilon(profile, delta, largest=1000.0):
    """The least ε >= 0 at which a profile (of the ratio) is at most δ, by bisection; infinite beyond e^largest."""
    if profile(Fraction(1)) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while profile(power(high)) > delta:
        low, high = high, 2 * high
        if low > largest:
            return math.inf
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if profile(power(middle)) <= delta else (middle, high)
    return high


def power(exponent):
    """``e^exponent`` to 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(exponent).exp())


def renyi_divergence(p, q, order):
    """In nats, the orders 1 and ∞ by their limits."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, MAX_EMAX, MIN_EMIN
        both = [(decimal(a), decimal(b)) for a, b in zip(p, q, strict=True) if a and b]
        impossible = any(a and not b for a, b in zip(p, q, strict=True))
        if not both or (impossible and order >= 1):
            return Decimal("Infinity")
        if order == 1:
            return sum(a * (a / b).ln() for a, b in both)
        if math.isinf(order):
            return max(a / b for a, b in both).ln()
        alpha = Decimal(order)
        return sum(b * (alpha * (a / b).ln()).exp() for a, b in both).ln() / (alpha - 1)
