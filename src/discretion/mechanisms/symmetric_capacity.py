"""Shannon's capacity where all values can change places: the uniform prior attains it."""

from discretion.estimate import Estimate
from discretion.measures.information.capacities import attained_uniformly, plan_shannon_capacity
from discretion.measures.measure import Plan
from discretion.mechanisms.mechanism import Mechanism


@plan_shannon_capacity.register
def _(system: Mechanism, tolerance: float) -> Plan[Estimate]:
    if system.is_symmetric:
        return attained_uniformly(system)
    return plan_shannon_capacity.dispatch(object)(system, tolerance)
