"""The maximum load: what the largest count of a uniform crowd is on average."""

from discretion.numerics.laws.occupancy import expected_maximum_load
from discretion.validation import as_count, as_crowd


def maximum_load(n: int, k: int) -> float:
    """Return the expected number of balls in the fullest bin when n balls fall uniformly into k bins.

    ``E[max_v h_v]`` for ``h ~ Multinomial(n, 1/k, …, 1/k)``

    Parameters
    ----------
    n
        Number of balls, at least 1; a billion is fine.
    k
        Number of bins, at least 2.

    Returns
    -------
    float
        In ``[n/k, n]``, with a relative error below 1e-10.

    Raises
    ------
    InvalidValueError
        If n is not a whole number of at least 1, or k of at least 2.
    TooLargeError
        If n is over ten billion.

    Notes
    -----
    Divided by n it is the guess of an uninformed adversary of a shuffled collection without noise (Shuffle,
    Proposition 20), which the paper could only sum term by term. Here it is read off the characteristic functions of
    truncated Poisson laws.

    Examples
    --------
    >>> round(maximum_load(1000, 3), 9)
    348.829392534
    """
    return expected_maximum_load(as_crowd(n, "n"), as_count(k, "k", at_least=2))
