"""Every measure by its definition: double loops over Fractions, 50-digit decimals where a logarithm is needed."""

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction


def fractions(vector):
    return [Fraction(float(entry)) for entry in vector]


def identity(k):
    return [[Fraction(int(w == x)) for x in range(k)] for w in range(k)]


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def prior_vulnerability(prior, gain):
    return max(sum(p * g for p, g in zip(prior, guess, strict=True)) for guess in gain)


def posterior_vulnerability(C, prior, gain):
    total = Fraction(0)
    for column in zip(*C, strict=True):
        joint = [p * q for p, q in zip(prior, column, strict=True)]
        total += max(sum(p * g for p, g in zip(joint, guess, strict=True) if g) for guess in gain)
    return total


def bayes_risk(C, prior):
    """Summed as what the best guess leaves, so that rows which sum to 1 only nearly do not matter."""
    total = Fraction(0)
    for y in range(len(C[0])):
        column = [prior[x] * C[x][y] for x in range(len(C))]
        total += sum(column) - max(column)
    return total


def bayes_security_at(C, prior):
    return bayes_risk(C, prior) / (sum(prior) - max(prior))


def total_variation(p, q):
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def pair_distances(C):
    pairs = itertools.combinations(range(len(C)), 2)
    return {(a, b): total_variation(C[a], C[b]) for a, b in pairs}


def bayes_security(C):
    return 1 - max(pair_distances(C).values(), default=Fraction(0))


def multiplicative_bayes_capacity(C):
    return sum(max(column) for column in zip(*C, strict=True))


def mutual_information(C, prior):
    """In nats."""
    with localcontext() as context:
        context.prec = 50
        total = Decimal(0)
        for y in range(len(C[0])):
            marginal = sum(prior[x] * C[x][y] for x in range(len(C)))
            for x in range(len(C)):
                joint = prior[x] * C[x][y]
                if joint:
                    total += decimal(joint) * decimal(C[x][y] / marginal).ln()
        return total


def entropy(prior):
    """In nats."""
    with localcontext() as context:
        context.prec = 50
        return -sum((decimal(p) * decimal(p).ln() for p in prior if p), Decimal(0))


def posterior_entropy(C, prior):
    """In nats: what is not known of the secret, whatever is seen."""
    with localcontext() as context:
        context.prec = 50
        total = Decimal(0)
        for column in zip(*C, strict=True):
            joint = [p * q for p, q in zip(prior, column, strict=True)]
            total -= sum((decimal(each) * decimal(each / sum(joint)).ln() for each in joint if each), Decimal(0))
        return total


def guessing_entropy(prior):
    return sum(i * p for i, p in enumerate(sorted(prior, reverse=True), start=1))


def posterior_guessing_entropy(C, prior):
    columns = zip(*C, strict=True)
    return sum(guessing_entropy([p * q for p, q in zip(prior, column, strict=True)]) for column in columns)


def ldp_epsilon(C):
    with localcontext() as context:
        context.prec = 50
        largest = Fraction(1)
        for column in zip(*C, strict=True):
            if any(column) and not all(column):
                return Decimal("Infinity")
            if any(column):
                largest = max(largest, max(column) / min(column))
        return decimal(largest).ln()
