"""The shuffle model by enumerating datasets, and the published sums over integer partitions."""

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction


def datasets(n, k):
    return list(itertools.product(range(k), repeat=n))


def histogram(dataset, k):
    return tuple(dataset.count(value) for value in range(k))


def noise(Q, n):
    """The channel N over whole datasets (Shuffle, Definition 10), for any local channel Q."""
    return [
        [math.prod(Q[a][b] for a, b in zip(x, y, strict=True)) for y in datasets(n, len(Q[0]))]
        for x in datasets(n, len(Q))
    ]


def shuffle(n, k):
    """The channel S by applying all n! orders to every dataset."""
    column = {y: i for i, y in enumerate(datasets(n, k))}
    rows = []
    for x in datasets(n, k):
        row = [Fraction(0)] * len(column)
        for order in itertools.permutations(x):
            row[column[order]] += Fraction(1, math.factorial(n))
        rows.append(row)
    return rows


def single_target_gain(n, k):
    """Shuffle, Definition 13: the guess is the value of user 0."""
    return [[int(x[0] == w) for x in datasets(n, k)] for w in range(k)]


def reported_histograms(Q, values):
    """The law of the histogram of reports when the users hold these values, over every outcome of the noise."""
    law = defaultdict(Fraction)
    for reports in itertools.product(range(len(Q[0])), repeat=len(values)):
        law[histogram(reports, len(Q[0]))] += math.prod(Q[x][y] for x, y in zip(values, reports, strict=True))
    return law


def among_strangers(Q, n, population):
    """Rows: the target's value. The others are enumerated, drawn from the population."""
    rows = [defaultdict(Fraction) for _ in Q]
    for others in itertools.product(range(len(Q)), repeat=n - 1):
        weight = math.prod(population[x] for x in others)
        if weight:
            for x, row in enumerate(rows):
                for h, mass in reported_histograms(Q, (x, *others)).items():
                    row[h] += weight * mass
    return as_channel(rows)


def among_acquaintances(Q, known_counts):
    """Rows: the target's value. The others hold the known values."""
    others = [value for value, count in enumerate(known_counts) for _ in range(count)]
    return as_channel([reported_histograms(Q, (x, *others)) for x in range(len(Q))])


def as_channel(rows):
    seen = sorted({h for row in rows for h in row})
    return [[row[h] for h in seen] for row in rows]


def partitions(n, parts, largest=None):
    """The integer partitions of n into at most so many parts."""
    if n == 0:
        yield ()
        return
    if parts == 0:
        return
    for first in range(min(n, largest or n), (n - 1) // parts, -1):
        for rest in partitions(n - first, parts - 1, first):
            yield (first, *rest)


def multinomial(counts):
    return math.factorial(sum(counts)) // math.prod(math.factorial(c) for c in counts)


def maximum_load_by_datasets(n, k):
    return Fraction(sum(max(histogram(x, k)) for x in datasets(n, k)), k**n)


def maximum_load_by_partitions(n, k):
    """Shuffle, equation 22, times n."""
    total = 0
    for parts in partitions(n, k):
        same = math.prod(math.factorial(m) for m in Counter(parts).values())
        # The coefficient of k over the multiplicities and the k - ℓ empty values, without k!.
        total += multinomial(parts) * (math.perm(k, len(parts)) // same) * parts[0]
    return Fraction(total, k**n)


def maximum_load_by_brown(n, k):
    """Brown's sum, Shuffle, equation 24, divided by the number of datasets."""
    total = 0
    for parts in partitions(n, k):
        same = math.prod(math.factorial(m) for m in Counter(parts).values())
        orders = Fraction(math.factorial(n), math.prod(math.factorial(part) for part in parts) * same)
        total += parts[0] * orders * math.factorial(len(parts)) * math.comb(k, len(parts))
    return Fraction(total, k**n)
