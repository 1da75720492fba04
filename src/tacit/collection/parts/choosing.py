"""The choice of what goes out together, certified from the counts of single answers alone.

Anonymity, section 5.1: the curator knows no more than these, and needs no more.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from tacit.anonymity import ClassSizes, Marginals, select_columns
from tacit.collection.wire.rounds import Round
from tacit.collection.wire.selection import Choice, Receiver, Rule
from tacit.collection.wire.task import Task
from tacit.estimate import Estimate


def choice_of(task: Task, counts: Mapping[str, NDArray[np.int64]], after: Round | None = None) -> Choice | None:
    """Return the most features that are certified to keep to the task's budget, or None if none is.

    Whoever has the counts comes to the same choice. A person of whose answer to a feature nothing came is taken to
    stand out by it: for all that is known she may. The choice is for the round after ``after``, the first by default.
    """
    people = people_of(counts)
    alone = Marginals({name: sizes_of(held, people) for name, held in counts.items()})
    return certified_choice(after or Round(task), alone, people)


def certified_choice(after: Round, alone: Marginals, people: int, rules: Iterable[Rule] = ()) -> Choice | None:
    """Return the choice of most features that single counts certify, with the rules for these."""
    task = after.task
    found = select_columns(alone, Decimal(task.budget), k=task.k, by="certified").best
    if found is None or not found.columns:
        return None
    exposure = found.exposure.value if isinstance(found.exposure, Estimate) else found.exposure
    chosen = places_of(task, found.columns)
    ruled = tuple(rule for rule in rules if rule.place in chosen)
    return next_of(after, "analyst", [chosen], exposure=exposure, people=people, rules=ruled)


def next_of(
    after: Round,
    receiver: Receiver,
    groups: Iterable[tuple[int, ...]],
    *,
    exposure: float,
    people: int,
    rules: tuple[Rule, ...] = (),
) -> Choice:
    """Return a choice for the round after one."""
    return Choice(
        after.task.digest, after.published, after.number + 1, receiver, tuple(groups), exposure, people, rules
    )


def people_of(counts: Mapping[str, NDArray[np.int64]]) -> int:
    """Return how many people answered, at least."""
    return max(int(held.sum()) for held in counts.values())


def sizes_of(counts: NDArray[np.int64], people: int) -> ClassSizes:
    """Return the class sizes that counts are of so many people, those whom they leave out being like nobody else."""
    held = counts[counts > 0]
    lost = np.ones(people - int(held.sum()), np.int64)
    return ClassSizes(*np.unique(np.concatenate([held, lost]), return_counts=True))


def places_of(task: Task, names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the places of features, in order."""
    return tuple(place for place, feature in enumerate(task.features) if feature.name in names)
