"""What parties of a collection can guess, and how far chance and lies move a result, by going through all there is."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np


def channel_of(features, randomizer_of) -> np.ndarray:
    """The law of what is told, for each combination of answers: rows and columns in the order of ``product``."""
    alone = []
    for feature in features:
        k = feature.codes
        if feature.randomizer is None:
            alone.append([[float(x == y) for y in range(k)] for x in range(k)])
        else:
            law = randomizer_of(feature)
            alone.append([[law.p if x == y else law.q for y in range(k)] for x in range(k)])
    codes = list(product(*(range(f.codes) for f in features)))
    return np.array([
        [np.prod([alone[j][x[j]][y[j]] for j in range(len(features))]) for y in codes] for x in codes
    ])  # fmt: skip


def shuffled_guess(channel: np.ndarray, law: np.ndarray, people: int) -> float:
    """How often the value of the first of some people is guessed, all drawn from a law, from the bag of reports."""
    joint: dict[tuple[int, ...], np.ndarray] = defaultdict(lambda: np.zeros(len(law)))
    for reports in product(range(channel.shape[1]), repeat=people):
        told = law @ channel
        others = float(np.prod([told[y] for y in reports[1:]]))
        for target in range(len(law)):
            joint[tuple(sorted(reports))][target] += law[target] * channel[target, reports[0]] * others
    return sum(float(each.max()) for each in joint.values())


def least_security_among_known(channel: np.ndarray, people: int) -> float:
    """Bayes security of the bag of reports for the worst values of all others: 1 less the largest total variation."""
    k, reports = channel.shape

    def law(values: Sequence[int]) -> dict[tuple[int, ...], float]:
        found: dict[tuple[int, ...], float] = defaultdict(float)
        for told in product(range(reports), repeat=people):
            found[tuple(sorted(told))] += float(np.prod([channel[x, y] for x, y in zip(values, told, strict=True)]))
        return found

    furthest = 0.0
    for others in product(range(k), repeat=people - 1):
        laws = [law((target, *others)) for target in range(k)]
        furthest = max(furthest, *(sum(abs(a[h] - b[h]) for h in a) / 2 for a in laws for b in laws))
    return 1 - furthest


def all_told(rows: np.ndarray, channels: Sequence[np.ndarray]) -> Iterator[tuple[np.ndarray, float]]:
    """Everything that people with these answers may tell, with its probability."""
    ranges = [range(channel.shape[1]) for _ in rows for channel in channels]
    for flat in product(*ranges):
        told = np.array(flat).reshape(rows.shape)
        chance = np.prod([channels[j][rows[i, j], told[i, j]] for i in range(len(rows)) for j in range(len(channels))])
        if chance > 0:
            yield told, float(chance)
