"""Lower bounds of the Bayes risk at any prior, from the Bayes security and the Bayes capacity of a system."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from discretion.channels.channel import System
from discretion.estimate import highest, lowest
from discretion.measures.guesses.bayes_security import plan_bayes_security
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.measure import Method, Plan, as_plain, measure, prior_on


@dataclass(frozen=True)
class BayesRiskBounds:
    """Two lower bounds on the Bayes risk at a prior; made by `bayes_risk_bounds`.

    Parameters
    ----------
    by_bayes_security
        ``β*(C) · (1 - max π)``.
    by_capacity
        ``1 - ML^×(C) · max π``, or 0 where that is negative.
    """

    by_bayes_security: float
    by_capacity: float

    @property
    def bound(self) -> float:
        """The larger of the two bounds: the best guess is wrong with at least this probability."""
        return max(self.by_bayes_security, self.by_capacity)

    @property
    def tighter(self) -> Literal["bayes_security", "capacity"]:
        """The name of the larger bound."""
        return "bayes_security" if self.by_bayes_security >= self.by_capacity else "capacity"


@measure
def bayes_risk_bounds(system: System, prior: ArrayLike | None = None) -> Plan[BayesRiskBounds]:
    """Return the lower bounds of the Bayes risk at a prior that Bayes security and the Bayes capacity give.

    ``R*(π, C) >= β*(C) · (1 - max π)`` and ``R*(π, C) >= 1 - ML^×(C) · max π``

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system with k secrets.
    prior
        Probabilities of the secrets, shape ``(k,)``; None means uniform.

    Returns
    -------
    BayesRiskBounds
        ``.by_bayes_security``, ``.by_capacity``, ``.bound`` (the larger) and ``.tighter`` (the name of the larger).
        Where β* or the capacity is an `Estimate`, the bound uses its safe end and holds with its confidence.

    Notes
    -----
    Source: Bayes-sec, section V-E. Neither bound needs the channel, only β* or the capacity. The first is tight at the
    uniform prior on the leakiest pair, the second at the uniform prior on all secrets.

    Examples
    --------
    >>> import discretion as dc
    >>> mechanism = dc.RandomizedResponse(4, p=0.7)
    >>> bounds = bayes_risk_bounds(mechanism)
    >>> round(bounds.by_bayes_security, 12), round(bounds.by_capacity, 12), bounds.tighter
    (0.3, 0.3, 'bayes_security')
    >>> bayes_risk_bounds(mechanism, [0.5, 0.5, 0, 0]).tighter
    'bayes_security'
    """
    plain = as_plain(system)
    law = prior_on(plain, prior)
    security, capacity = plan_bayes_security(plain), plan_multiplicative_bayes_capacity(plain)
    likeliest = 1 / plain.secrets if law is None else float(law.max())
    error = 1 - likeliest if law is None else float(np.delete(law, law.argmax()).sum())

    def bounds() -> BayesRiskBounds:
        by_capacity = max(0.0, 1 - highest(capacity.compute()) * likeliest)
        return BayesRiskBounds(lowest(security.compute()) * error, by_capacity)

    rung = "estimate" if "estimate" in (security.rung, capacity.rung) else "bound"
    return Plan(Method(f"β*: {security.method.name}; capacity: {capacity.method.name}", rung), bounds)
