"""The other users as the adversary sees them: groups whose reports follow one law each, and what reports then say.

Every local randomizer reports, with some probability, from one law whatever the value (Balle, Bell, Gascón and Nissim's
privacy blanket, CRYPTO 2019): ``min_x Q[x, y]``, normalised. Users in that blanket are a group too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discretion.adversaries.knowledge import AllButOne, Knowledge, PartlyInformed, Uninformed
from discretion.channels.channel import System
from discretion.mechanisms.reporting import Sender, reporting
from discretion.numerics.arrays import Reals


@dataclass(frozen=True, eq=False)
class Group(Sender):
    """Users whose values the adversary knows as much about, and how many there are."""

    count: int


Others = tuple[Group, ...]


def others(knowledge: Knowledge, n: int) -> Others:
    """Return the n-1 others by what is known of them, without empty groups."""
    known: dict[int, int] = {}
    strangers = 0
    population: tuple[float, ...] | None = None
    if isinstance(knowledge, AllButOne | PartlyInformed):
        known = {value: count for value, count in enumerate(knowledge.known_counts) if count}
    if isinstance(knowledge, Uninformed | PartlyInformed):
        strangers, population = n - 1 - sum(known.values()), knowledge.population
    if population is not None and max(population) == 1.0:  # whose value is certain is not a stranger
        certain = population.index(1.0)
        known[certain] = known.get(certain, 0) + strangers
        strangers = 0
    groups = [Group(count, value=value) for value, count in sorted(known.items()) if count]
    if strangers:
        uniform = population is None or all(share == 1 / len(population) for share in population)
        groups.append(Group(strangers, population=None if uniform else np.array(population)))
    return tuple(groups)


def is_symmetric(mechanism: System) -> bool:
    """Whether the mechanism treats all values alike: renaming them renames the reports."""
    return reporting(mechanism).is_symmetric


def blanket_probability(mechanism: System) -> float:
    """Return how likely a report is to be of the blanket."""
    return reporting(mechanism).blanket_probability


def report_types(mechanism: System, groups: Others, values: Sequence[int]) -> Reals:
    """Return what a report tells about the target: how likely is each type of report, a row per value, then per group.

    Reports of one type have the same likelihood ratios throughout, so that merging them before the shuffle tells the
    adversary as much; a type is a column.
    """
    return reporting(mechanism).report_types(values, groups)


def log_report_types(mechanism: System, groups: Others, values: Sequence[int]) -> Reals:
    """Return the logarithms of the types of report, as `report_types` has them but where those underflow."""
    return reporting(mechanism).log_report_types(values, groups)
