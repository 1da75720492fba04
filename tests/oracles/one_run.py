"""What the worst private program lets somebody guess of a few canaries: a linear program over all programs."""

import math
from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix


def most_likely(canaries, guesses, right, epsilon, delta):
    """The largest chance that so many guesses or more are right, over all (ε, δ)-private ways from coins to guesses.

    A variable for each row of coins and way to guess, its probability; and one for each pair of neighbouring rows and
    way to guess, by how much the one's exceeds e^ε times the other's.
    """
    coins = list(product((-1, 1), repeat=canaries))
    ways = [way for way in product((-1, 0, 1), repeat=canaries) if np.count_nonzero(way) == guesses]
    pairs = [
        (a, b) for a, s in enumerate(coins) for b, t in enumerate(coins) if np.count_nonzero(np.subtract(s, t)) == 1
    ]
    programs, excesses = len(coins) * len(ways), len(pairs) * len(ways)
    goal = np.zeros(programs + excesses)
    for a, row in enumerate(coins):
        for w, way in enumerate(ways):
            hits = sum(coin == guess for coin, guess in zip(row, way, strict=True))
            goal[a * len(ways) + w] = -(hits >= right) / len(coins)
    private, limit = lil_matrix((excesses + len(pairs), goal.size)), np.zeros(excesses + len(pairs))
    for i, (a, b) in enumerate(pairs):
        for w in range(len(ways)):
            row = i * len(ways) + w
            private[row, a * len(ways) + w], private[row, b * len(ways) + w] = 1, -math.exp(epsilon)
            private[row, programs + row] = -1
            private[excesses + i, programs + row] = 1
        limit[excesses + i] = delta
    whole = lil_matrix((len(coins), goal.size))
    for a in range(len(coins)):
        whole[a, a * len(ways) : (a + 1) * len(ways)] = 1
    found = linprog(goal, private.tocsr(), limit, whole.tocsr(), np.ones(len(coins)), bounds=(0, None), method="highs")
    return -found.fun
