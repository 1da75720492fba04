"""Population uniqueness by Zayatz' model: classes are as large in the population as they are in the sample."""

import numpy as np

from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.numerics.laws.hypergeometric import hypergeometric_pmf
from discretion.tables.counting.class_sizes import ClassSizes

_ASSUMPTION = "classes of the population have sizes as often as those of the sample have them"


def zayatz(sizes: ClassSizes, population: int) -> UniquenessModel:
    """Return what the model says of a sample's classes, at least one of them of one person.

    ``P(F=1 | f=1) = u_1·P(f=1|F=1) / Σ_i u_i·P(f=1|F=i)`` with u_i classes of i people in the sample, and f of F drawn
    among n of N people. Source: Zayatz, "Estimation of the percent of unique population elements on a microdata file
    using the sample", 1991.

    Examples
    --------
    >>> found = zayatz(ClassSizes([1, 2, 9], [10, 20, 5]), 950)
    >>> round(found.of_sample_unique, 4)
    0.1527
    """
    n = sizes.people
    of_one = np.array([float(hypergeometric_pmf(1, size, population, n)) for size in sizes.sizes.tolist()])
    chance = float(of_one[0] * sizes.counts[0] / (of_one @ sizes.counts))
    return UniquenessModel("Zayatz", _ASSUMPTION, sizes.unique / n * chance, chance)
