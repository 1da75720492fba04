"""What one report tells, divided among the reports of others, by going through all histograms of small crowds."""

import math
from collections import defaultdict

import numpy as np


def convolved(measure, law):
    """The histograms of one more report, whose law may be the difference of two."""
    result = defaultdict(float)
    for histogram, mass in measure.items():
        for y, q in enumerate(law):
            result[(*histogram[:y], histogram[y] + 1, *histogram[y + 1 :])] += mass * q
    return result


def histograms(laws):
    """The law of the histogram of reports with these laws."""
    measure = {(0,) * len(laws[0]): 1.0}
    for law in laws:
        measure = convolved(measure, law)
    return measure


def densities(senders, parts, mean):
    """The histograms' law where the target reports by ``mean``, and the densities of both parts relative to it."""
    law = convolved(histograms(senders), mean)
    first, second = defaultdict(float), defaultdict(float)
    for i, (sender, part) in enumerate(zip(senders, parts, strict=True)):
        others = [each for j, each in enumerate(senders) if j != i]
        without = convolved(histograms(others) if others else {(0,) * len(mean): 1.0}, part)
        for histogram, mass in convolved(without, mean).items():
            first[histogram] += mass
        for histogram, mass in convolved(without, sender - mean).items():
            second[histogram] += mass
    masses = np.array(list(law.values()))
    return law, *(np.array([part[histogram] for histogram in law]) / masses for part in (first, second))


def best_parts(senders, told):
    """The parts ``g_i`` of sum 0 that add up to what is told, of the least ``Σ g_i²/Q_i``."""
    n, m = senders.shape
    equations = np.zeros((m + n, n, m))
    for i, sender in enumerate(senders):
        equations[range(m), i, range(m)] = equations[m + i, i] = np.sqrt(sender)
    wanted = np.concatenate([told, np.zeros(n)])
    solution = np.linalg.lstsq(equations.reshape(m + n, n * m), wanted, rcond=1e-12)[0].reshape(n, m)
    return solution * np.sqrt(senders)


def remainder(senders, parts, mean, blanket, share):
    """The bound of the second density's mean square."""
    own = senders - mean
    hidden = (parts**2 / blanket).sum(axis=1) * (own**2 / blanket).sum(axis=1) + (parts * own / blanket).sum(
        axis=1
    ) ** 2
    return hidden.sum() / (len(senders) * share**4)


def information(channel, senders, prior):
    """The mutual information between the target's value and the histogram."""
    rows = [np.array(list(convolved(histograms(senders), law).values())) for law in channel]
    mean = prior @ np.array(rows)
    return math.fsum(
        p * math.fsum(row[row > 0] * np.log(row[row > 0] / mean[row > 0])) for p, row in zip(prior, rows, strict=True)
    )
