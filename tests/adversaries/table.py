"""Every gain by its name, and its definition as a double loop over guesses and secrets: a new one is one more line."""

import itertools
from fractions import Fraction

import numpy as np

import discretion as dc


def tabulated(guesses, k, worth):
    return [[Fraction(worth(w, x)) for x in range(k)] for w in guesses]


def k_tries(k, tries):
    return tabulated(itertools.combinations(range(k), min(k, tries)), k, lambda w, x: x in w)


def whether_in(k, members):
    return tabulated([True, False], k, lambda w, x: w == (x in members))


def block(labels):
    return tabulated(sorted(set(labels)), len(labels), lambda w, x: w == labels[x])


def near(k, distance):
    furthest = max(distance(w, x) for w in range(k) for x in range(k)) or 1
    return tabulated(range(k), k, lambda w, x: Fraction(furthest - distance(w, x), furthest))


def distances(k, distance):
    return [[distance(w, x) for x in range(k)] for w in range(k)]


def away(w, x):
    return abs(w - x)


def apart(w, x):
    return (w - x) ** 2


# For k secrets: the gain, and what it is.
GAINS = {
    "identity": (dc.identity_gain, lambda k: k_tries(k, 1)),
    "one try": (lambda k: dc.k_tries_gain(k, 1), lambda k: k_tries(k, 1)),
    "two tries": (lambda k: dc.k_tries_gain(k, 2), lambda k: k_tries(k, 2)),
    "all but one": (lambda k: dc.k_tries_gain(k, max(1, k - 1)), lambda k: k_tries(k, max(1, k - 1))),
    "as many tries as secrets": (lambda k: dc.k_tries_gain(k, k), lambda k: k_tries(k, k)),
    "more tries than secrets": (lambda k: dc.k_tries_gain(k, k + 3), lambda k: k_tries(k, k)),
    "the first or not": (lambda k: dc.set_gain(k, [0]), lambda k: whether_in(k, {0})),
    "even or not": (lambda k: dc.set_gain(k, range(0, k, 2)), lambda k: whether_in(k, range(0, k, 2))),
    "in no set": (lambda k: dc.set_gain(k, []), lambda k: whether_in(k, [])),
    "in the whole set": (lambda k: dc.set_gain(k, range(k)), lambda k: whether_in(k, range(k))),
    "one block": (lambda k: dc.partition_gain(["a"] * k), lambda k: block(["a"] * k)),
    "a block each": (lambda k: dc.partition_gain(range(k)[::-1]), lambda k: block(range(k))),
    "modulo 3": (lambda k: dc.partition_gain([x % 3 for x in range(k)]), lambda k: block([x % 3 for x in range(k)])),
    "near": (lambda k: dc.distance_gain(distances(k, away)), lambda k: near(k, away)),
    "squared": (lambda k: dc.distance_gain(np.array(distances(k, apart))), lambda k: near(k, apart)),
    "a function": (
        lambda k: dc.gain_function(lambda w, x: w * x % 5 - 1, range(3), range(k)),
        lambda k: tabulated(range(3), k, lambda w, x: w * x % 5 - 1),
    ),
    "a loss": (
        lambda k: dc.loss_matrix(distances(k, away)),
        lambda k: tabulated(range(k), k, lambda w, x: -away(w, x)),
    ),
    "a matrix": (
        lambda k: dc.gain_matrix([[1.0] * k, list(range(k))]),
        lambda k: tabulated(range(2), k, lambda w, x: (1, x)[w]),
    ),
}
