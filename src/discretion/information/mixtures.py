"""Mixtures of Dirichlet laws: a quantity that is linear in the law is the mean of its values under the components.

Let the component Z have the weights w as its law. Then ``I(Y⃗; P) = Σ_z w_z I_z + I(Y⃗; Z)``, as the reports Y⃗ depend
on Z through P alone, and ``0 <= I(Y⃗; Z) <= H(w)``. Source: Discretion, by the chain rule.
"""

from collections.abc import Callable

from scipy.special import entr

from discretion import limits
from discretion.adversaries.populations import Dirichlet, DirichletMixture
from discretion.errors import TooLargeError
from discretion.estimate import Estimate
from discretion.measures.measure import Method, Plan, Rung

# Components of a mixture, each of which is measured by itself.
MAX_COMPONENTS = 1 << 12

_RUNGS: tuple[Rung, ...] = ("closed form", "exact", "bound", "estimate")


def weighted_components(population: DirichletMixture) -> list[tuple[float, Dirichlet]]:
    """Return the components of positive weight, each after its weight."""
    possible = population.weights > 0
    if (count := int(possible.sum())) > (most := limits.current().steps(MAX_COMPONENTS, each=1 << 12)):
        raise TooLargeError(
            f"a mixture may have at most {most:,} Dirichlet laws, each of which is measured by itself; got {count:,}"
        )
    rows, weights = population.alpha[possible], population.weights[possible]
    return [(weight, Dirichlet(row)) for weight, row in zip(weights.tolist(), rows, strict=True)]


def component_entropy(population: DirichletMixture) -> float:
    """Return ``H(w)``, the entropy of the component."""
    return float(entr(population.weights).sum())


def at_most_a_bound(plan: Plan[float | Estimate], name: str) -> Method:
    """Return the method, with this name, of bounds that a plan's result leads to."""
    return Method(name, "estimate" if plan.rung == "estimate" else "bound")


def plan_mean(
    population: DirichletMixture, plan: Callable[[Dirichlet], Plan[float | Estimate]]
) -> Plan[float | Estimate]:
    """Plan the mean over the components; its kind is the weakest kind of the components' results."""
    parts = [(weight, plan(law)) for weight, law in weighted_components(population)]
    lowest = max((part for _, part in parts), key=lambda part: _RUNGS.index(part.rung))

    def mean() -> float | Estimate:
        total: float | Estimate = 0.0
        for weight, part in parts:
            total = total + weight * part.compute()
        return total

    return Plan(lowest.method, mean)
