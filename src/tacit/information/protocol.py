"""A local protocol as the information measures see it: a matrix without columns that say the same."""

import numpy as np
from numpy.typing import NDArray

from tacit.channels.channel import System, as_system
from tacit.measures.measure import Method, reported_alone
from tacit.mechanisms.reporting import Response

_NEVER = 1e-100

NOTHING = Method("nothing is told", "exact")


def as_protocol(system: object) -> System:
    """Return the system, or say that the reports of a crowd are measured by n and not by a shuffler."""
    return reported_alone(as_system(system))


def tells_the_values(matrix: NDArray[np.float64]) -> bool:
    """Whether each value has a report of its own, given a channel without columns that say the same."""
    return matrix.shape[0] == matrix.shape[1] == np.count_nonzero(matrix)


def reduced_matrix(system: System) -> NDArray[np.float64]:
    """Return the dense ``P(y | x)``, a row per value, proportional columns merged and empty ones left out."""
    return system.channel().reduced().dense()


def nobody_lies(response: Response, n: int) -> bool:
    """Return whether n people all tell the truth but with a probability that no information is moved by.

    Nor by as much as 1e-96: entropies are continuous (Fannes).
    """
    return n * response.k * response.q < _NEVER
