"""Who is unique in a population, by loops: laws of classes' sizes, likelihoods as products, samples of people."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb, log

import numpy as np


def zayatz(sizes: Sequence[int], population: int) -> Fraction:
    """Return P(F=1 | f=1) where classes of the population have sizes as often as those of the sample."""
    n = sum(sizes)

    def seen_once(large: int) -> Fraction:
        return Fraction(large * comb(population - large, n - 1), comb(population, n))

    return sizes.count(1) * seen_once(1) / sum(seen_once(size) for size in sizes)


def pitman_log_likelihood(sizes: Sequence[int], alpha: float, theta: float) -> float:
    """Return the logarithm of Pitman's sampling formula, people coming one after the other."""
    total, placed = 0.0, 0
    for kind, size in enumerate(sizes):
        for already in range(size):
            weight = theta + kind * alpha if already == 0 else already - alpha
            if placed:
                total += log(weight) - log(theta + placed)
            placed += 1
    return total


def restaurant(people: int, alpha: float, theta: float, rng: np.random.Generator) -> list[int]:
    """Return the class of each person, who come one by one as Pitman's formula has it."""
    sizes: list[int] = []
    seats: list[int] = []
    for i in range(people):
        draw = rng.random() * (theta + i)
        if not sizes or draw < theta + alpha * len(sizes):
            seats.append(len(sizes))
            sizes.append(1)
        else:
            while True:  # a class with probability (size − α)/…: anybody's, and then with (size − α)/size
                at = seats[int(rng.integers(i))]
                if rng.random() < (sizes[at] - alpha) / sizes[at]:
                    break
            seats.append(at)
            sizes[at] += 1
    return seats


def thinned(law: Sequence[float], share: float, most: int) -> list[float]:
    """Return the law of how many of a class's people are in a sample, by the law of how many there are."""
    return [
        sum(
            p * comb(size, seen) * share**seen * (1 - share) ** (size - seen)
            for size, p in enumerate(law)
            if size >= seen
        )
        for seen in range(most + 1)
    ]


def truth(classes: Sequence[int], sampled: Sequence[int]) -> tuple[float, float, list[int]]:
    """Return which share of all is unique, which of the sample's unique ones, and the sizes of the sample's classes."""
    everybody, here = Counter(classes), Counter(classes[i] for i in sampled)
    alone = [name for name, count in here.items() if count == 1]
    unique = sum(count == 1 for count in everybody.values())
    of_sample = sum(everybody[name] == 1 for name in alone) / max(len(alone), 1)
    return unique / len(classes), of_sample, sorted(here.values())


def most_unique(seen: int, sample: int, population: int, misses: float) -> int:
    """Return the most unique people of whom so few are in a sample with a probability above ``misses``."""

    def few(unique: int) -> Fraction:
        ways = sum(comb(unique, x) * comb(population - unique, sample - x) for x in range(seen + 1))
        return Fraction(ways, comb(population, sample))

    return max(s for s in range(seen, population - (sample - seen) + 1) if few(s) > misses)


def chance_to_find(seen: int, share: float) -> float:
    """Return E[1/F] for F the trials until so many people are drawn with this chance each, term by term."""
    total, left, size = 0.0, 1.0, seen
    term = share**seen
    while left > 1e-13 and size < 100_000:
        total += term / size
        left -= term
        size += 1
        term *= (size - 1) / (size - seen) * (1 - share)
    return total
