"""The excess of every cut of every way to split draws between two kinds, one after the other, in long doubles."""

import numpy as np

Number = np.longdouble


def law(first, second, draws):
    """The law of the number of hits, one draw after the other: sums of positive terms."""
    masses = np.ones(1, Number)
    for count, (hit, miss) in zip((first, second), draws, strict=True):
        for _ in range(count):
            masses = np.append(masses, Number(0)) * Number(miss) + np.append(Number(0), masses) * Number(hit)
    return masses


def excess(first, second, draws, gain, cost):
    """The largest ``gain L(m) - cost F(m-1)`` of all m."""
    masses = law(first, second, draws)
    below = np.append(Number(0), np.cumsum(masses)[:-1])
    return (Number(gain) * masses - Number(cost) * below).max()


def all_excesses(total, draws, gain, cost):
    return np.array([excess(first, total - first, draws, gain, cost) for first in range(total + 1)])
