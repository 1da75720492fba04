"""How far an estimated share is from the true one."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discretion.mechanisms.mechanism import Mechanism
from discretion.mechanisms.reporting import own_measures


class FrequencyError(NamedTuple):
    """The standard error of an estimated share, and the same in people."""

    share: float
    people: float


def frequency_error(mechanism: Mechanism, n: int, frequencies: ArrayLike | None = None) -> FrequencyError:
    """Return the standard error of an estimated share, root mean square over the values.

    ``√(mean_v Var f̂_v)``, and n times that.

    Parameters
    ----------
    mechanism
        A local mechanism.
    n
        Number of reports, at least 1.
    frequencies
        The true shares, shape ``(k,)``; None means all equal.

    Returns
    -------
    FrequencyError
        ``.share`` (0 without noise, infinite when ε = 0) and ``.people``.

    Examples
    --------
    >>> import discretion as dc
    >>> error = frequency_error(dc.RandomizedResponse(2, p=0.75), 10_000)
    >>> round(error.share, 6), round(error.people, 2)
    (0.00866, 86.6)
    """
    share = float(np.sqrt(mechanism.frequency_variance(n, frequencies).mean()))
    return FrequencyError(share, n * share)


@own_measures.register
def _own_measures_of_mechanism(system: Mechanism, users: int | None) -> dict[str, Callable[[], dict[str, float]]]:
    return {} if users is None else {"frequency_error": lambda: frequency_error(system, users)._asdict()}
