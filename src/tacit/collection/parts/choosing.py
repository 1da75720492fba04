"""The choice of what goes out together, certified from the counts of single answers alone.

Anonymity, section 5.1: the curator knows no more than these, and needs no more.
"""

from collections.abc import Mapping
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from tacit.anonymity import Marginals, select_columns
from tacit.collection.wire.selection import Choice
from tacit.collection.wire.task import Task
from tacit.estimate import Estimate


def choice_of(task: Task, counts: Mapping[str, NDArray[np.int64]]) -> Choice | None:
    """Return the most features that are certified to keep to the task's budget, or None if none is.

    Whoever has the counts comes to the same choice. A person of whose answer to a feature nothing came is taken to
    stand out by it: for all that is known she may.
    """
    people = max(int(held.sum()) for held in counts.values())
    alone = {
        name: {
            **{code: int(count) for code, count in enumerate(held) if count},
            **{f"lost {place}": 1 for place in range(people - int(held.sum()))},
        }
        for name, held in counts.items()
    }
    found = select_columns(Marginals(alone), Decimal(task.budget), k=task.k, by="certified").best
    if found is None or not found.columns:
        return None
    places = {feature.name: place for place, feature in enumerate(task.features)}
    certified = found.exposure.high if isinstance(found.exposure, Estimate) else found.exposure
    return Choice(task.digest, tuple(sorted(places[name] for name in found.columns)), certified, people)
