"""How far two probability distributions are apart."""

import numpy as np
from numpy.typing import ArrayLike

from tacit.adversaries.priors import as_distribution
from tacit.errors import InvalidPriorError


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Return the total variation distance ``TV(p, q) = ½ Σ_y |p_y - q_y|``.

    Parameters
    ----------
    p, q
        Probabilities of the same outcomes, shape ``(m,)``.

    Returns
    -------
    float
        In [0, 1]: what an observer of one draw can gain over a coin flip in telling p from q, times two.

    Raises
    ------
    InvalidPriorError
        If p or q is not a distribution, or they are over different numbers of outcomes.

    Notes
    -----
    Source: Bayes-sec, section III.

    Examples
    --------
    >>> total_variation([0.5, 0.5, 0], [0.5, 0, 0.5])
    0.5
    """
    left, right = as_distribution(p, "p"), as_distribution(q, "q")
    if left.size != right.size:
        raise InvalidPriorError(f"p and q must be over the same outcomes, got {left.size} and {right.size}")
    return min(1.0, float(np.abs(left - right).sum()) / 2)
