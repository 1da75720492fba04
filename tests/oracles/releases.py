"""Attacks on a table and what its release promises, on lists of values: slow, obvious, mostly exact.

``seen`` and ``secret`` are what the adversary sees and what she guesses, person by person.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import exp, inf, log

import numpy as np
from scipy.optimize import linprog

Values = Sequence[Hashable]


def chances(seen: Values, secret: Values) -> list[Fraction]:
    """Return, person by person, how likely the adversary who sees that person is right."""
    result: list[Fraction] = []
    for mine in seen:
        alike = [value for theirs, value in zip(seen, secret, strict=True) if theirs == mine]
        result.append(Fraction(max(alike.count(value) for value in alike), len(alike)))
    return result


def classes(seen: Values, secret: Values) -> Iterator[list[Hashable]]:
    """Yield the sensitive values of each class."""
    for mine in dict.fromkeys(seen):
        yield [value for theirs, value in zip(seen, secret, strict=True) if theirs == mine]


def distinct_diversity(seen: Values, secret: Values) -> int:
    return min(len(set(values)) for values in classes(seen, secret))


def entropy_diversity(seen: Values, secret: Values) -> float:
    def entropy(values: list[Hashable]) -> float:
        return sum(-share(values, s) * log(share(values, s)) for s in set(values))

    return min(exp(entropy(values)) for values in classes(seen, secret))


def recursive_ratio(seen: Values, secret: Values, least: int) -> float:
    """Return the largest number of people with a value, over that of those with the l-th commonest and rarer ones."""
    ratios: list[float] = []
    for values in classes(seen, secret):
        counts = sorted((values.count(value) for value in set(values)), reverse=True)
        rest = sum(counts[least - 1 :])
        ratios.append(counts[0] / rest if rest else inf)
    return max(ratios)


def likeness(seen: Values, secret: Values) -> Fraction:
    """Return the largest relative gain of a value's share."""
    return max(
        (share(values, s) - share(secret, s)) / share(secret, s)
        for values in classes(seen, secret)
        for s in set(secret)
    )


def enhanced_likeness(seen: Values, secret: Values) -> Fraction | float:
    """Return the same if no gain is more than -log of the value's share, else infinity."""
    gains = [
        ((share(values, s) - share(secret, s)) / share(secret, s), -log(share(secret, s)))
        for values in classes(seen, secret)
        for s in set(secret)
    ]
    return max(gain for gain, _ in gains) if all(gain <= most for gain, most in gains) else inf


def disclosure(seen: Values, secret: Values) -> float:
    """Return the largest logarithm, without its sign, of how many times as common a value is."""
    times = [share(values, s) / share(secret, s) for values in classes(seen, secret) for s in set(secret)]
    return max(abs(log(each)) if each else inf for each in times)


def closeness(seen: Values, secret: Values, order: Values | None = None) -> Fraction:
    """Return the closeness by the closed forms of Li, Li and Venkatasubramanian."""
    domain = list(dict.fromkeys(secret)) if order is None else order
    largest = Fraction(0)
    for values in classes(seen, secret):
        gaps = [share(values, s) - share(secret, s) for s in domain]
        if order is None:
            distance = sum(map(abs, gaps), Fraction(0)) / 2
        elif len(domain) == 1:
            distance = Fraction(0)
        else:
            distance = sum((abs(sum(gaps[: i + 1])) for i in range(len(gaps))), Fraction(0)) / (len(domain) - 1)
        largest = max(largest, distance)
    return largest


def closeness_by_moving(seen: Values, secret: Values, order: Values | None = None) -> float:
    """Return the closeness by its definition: the least cost of moving one law into the other, a linear program."""
    domain = list(dict.fromkeys(secret)) if order is None else order
    m = len(domain)
    far = np.abs(np.subtract.outer(range(m), range(m))) / max(1, m - 1)
    cost = (1 - np.eye(m)) if order is None else far
    sums = np.vstack([np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))])
    distances: list[float] = []
    for values in classes(seen, secret):
        laws = [float(share(of, s)) for of in (values, secret) for s in domain]
        distances.append(linprog(cost.ravel(), A_eq=sums, b_eq=laws).fun)
    return max(distances)


def share(values: Values, value: Hashable) -> Fraction:
    return Fraction(list(values).count(value), len(values))


def least_cost(values: str, everybody: str, domain: str, costs: Mapping[tuple[str, str], Fraction]) -> float:
    """Return the least cost of moving one law into another; two values whose cost is not given are 1 apart."""
    far = [[0.0 if i == j else float(costs.get((min(i, j), max(i, j)), 1)) for j in domain] for i in domain]
    m = len(domain)
    sums = np.vstack([np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))])
    laws = [float(share(of, s)) for of in (values, everybody) for s in domain]
    return linprog(np.array(far).ravel(), A_eq=sums, b_eq=laws).fun
