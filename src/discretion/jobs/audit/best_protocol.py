"""Which protocol asks best at an ε: the one through which an estimated share is least off."""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from discretion.jobs.audit.result import ProtocolReport
from discretion.mechanisms import Mechanism, frequency_error
from discretion.spelling import mechanism_of

# All that are made from k and ε, of equals the plainest first.
PROTOCOLS = ("krr", "ss", "oue", "olh", "hadamard", "rappor", "blh")


def compared(k: int, epsilon: float, shares: Sequence[float], n: int) -> tuple[ProtocolReport, ...]:
    """Return the protocols by the error of a share at this ε, the best first.

    Examples
    --------
    >>> found = compared(91, 1.0, [1 / 91] * 91, 299_285)
    >>> [(report.mechanism, round(100 * report.error_share, 2)) for report in found][::6]
    [('ss:k=91,epsilon=1', 0.35), ('krr:k=91,epsilon=1', 1.03)]
    """
    found: list[ProtocolReport] = []
    for name in PROTOCOLS:
        spelled = f"{name}:k={k},epsilon={epsilon:.12g}"
        error = frequency_error(_made(spelled), n, shares)
        found.append(ProtocolReport(spelled, error.share, error.people))
    return tuple(sorted(found, key=lambda report: float(f"{report.error_share:.12g}")))


def mechanism_in(report: ProtocolReport) -> Mechanism:
    """Return the mechanism that a report is about."""
    return _made(report.mechanism)


@lru_cache(maxsize=256)  # the columns of a table ask the same questions again and again
def _made(spelled: str) -> Mechanism:
    return cast(Mechanism, mechanism_of(spelled))
