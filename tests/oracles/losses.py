"""What is lost before and after looking, in Fractions; the extremes over priors, by trying them."""

import itertools
from fractions import Fraction

import numpy as np

from oracles.channels import exact


def blind(losses, prior):
    law = [Fraction(p) for p in prior]
    return min(sum(p * cost for p, cost in zip(law, guess, strict=True)) for guess in exact(np.array(losses)))


def seen(matrix, losses, prior):
    law = [Fraction(p) for p in prior]
    columns = zip(*exact(np.array(matrix)), strict=True)
    return sum(blind(losses, [p * entry for p, entry in zip(law, column, strict=True)]) for column in columns)


def grid(secrets, steps):
    for parts in itertools.product(range(steps + 1), repeat=secrets):
        if sum(parts) == steps:
            yield [Fraction(part, steps) for part in parts]


def bends(matrix, losses):
    """All priors of two secrets at which the best guess changes, before or after looking, and the ends."""
    points = {Fraction(0), Fraction(1)}
    columns = [*zip(*exact(np.array(matrix)), strict=True), (Fraction(1), Fraction(1))]
    for (left, right), (one, other) in itertools.product(columns, itertools.combinations(exact(np.array(losses)), 2)):
        # Where t·left·one[0] + (1-t)·right·one[1] is the same for both guesses.
        rise, start = left * (one[0] - other[0]), right * (one[1] - other[1])
        if rise != start:
            points.add(-start / (rise - start))
    return [[t, 1 - t] for t in points if 0 <= t <= 1]


def least_share(matrix, losses, some_priors):
    risks = ((seen(matrix, losses, prior), blind(losses, prior)) for prior in some_priors)
    return float(min(after / before for after, before in risks if before))


def least_share_of_two(matrix, losses):
    """Between bends both risks are linear, so that their ratio is monotone."""
    points = bends(matrix, losses)
    # Where one secret alone leaves nothing to lose, the ratio falls or rises towards it: a limit, not attained.
    nearly = [[t + (Fraction(1, 2) - t) / 10**15 for t in prior] for prior in points if not blind(losses, prior)]
    return least_share(matrix, losses, [*points, *nearly])


def least_share_on_a_grid(matrix, losses, steps):
    return least_share(matrix, losses, grid(len(matrix), steps))


def _rise(matrix, worth, prior):
    return blind(-worth, prior) - seen(matrix, -worth, prior)


def largest_rise_of_two(matrix, worth):
    return max(_rise(matrix, worth, prior) for prior in bends(matrix, worth))


def largest_rise_on_a_grid(matrix, worth, steps):
    return max(_rise(matrix, worth, prior) for prior in grid(len(matrix), steps))
