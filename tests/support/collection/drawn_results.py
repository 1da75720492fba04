"""What a collection finds, drawn without messages: what people told is counted as if it had come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discretion.collection import Choice, Feature, Task
from discretion.collection.parts.counting import BatchCounts
from discretion.collection.randomizers import randomizer_of
from discretion.collection.results.analyst import AnalystResult, analyst_result
from support.collection.in_process import made, round_of, together


@dataclass
class Collected:
    """A task, the codes of what its people have, and of what they told."""

    task: Task
    rows: np.ndarray
    told: np.ndarray

    @property
    def counts(self) -> Mapping[str, np.ndarray]:
        """How many told each answer to each feature."""
        return {
            feature.name: np.bincount(self.told[:, place], minlength=feature.codes)
            for place, feature in enumerate(self.task.features)
        }

    def choice(self, *chosen: int) -> Choice:
        """A choice of these features, whatever is certified of them."""
        return together(self.task, *chosen, exposure=0.0, people=len(self.told))

    def analysed(self, *chosen: int, confidence: float = 0.95) -> AnalystResult:
        """What the analyst gives out if these features are chosen."""
        return analyst_result(rows_counted(self.told[:, list(chosen)]), round_of(self.task, *chosen), confidence)


def rows_counted(rows: np.ndarray, dropped: int = 0, repeated: int = 0, unknown: int = 0) -> BatchCounts:
    """Rows of answers as a batch that was counted."""
    return BatchCounts(rows, np.ones(len(rows), np.int64), dropped, repeated, unknown)


def features_of(*values: int, randomizers: Sequence[str | None] = ()) -> list[Feature]:
    """Features called a, b, … with so many values each, which are called a0, a1, …"""
    told = [*randomizers, *[None] * len(values)]
    return [
        Feature(name, tuple(f"{name}{value}" for value in range(count)), told[place])
        for place, (name, count) in enumerate(zip("abcdef", values, strict=False))
    ]


def collected(features: Sequence[Feature], rows: Any, seed: int = 0, **task: Any) -> Collected:
    """What people with these codes told: themselves, or as the features' randomizers do."""
    held = np.asarray(rows, dtype=np.int64).reshape(-1, len(features))
    rng = np.random.default_rng(seed)
    told = [
        held[:, place] if feature.randomizer is None else randomizer_of(feature).sample(held[:, place], rng)
        for place, feature in enumerate(features)
    ]
    return Collected(made(features, **task).task, held, np.column_stack(told))


def drawn(features: Sequence[Feature], people: int, seed: int = 0, **task: Any) -> Collected:
    """What people told whose codes are drawn, the first ones being more frequent."""
    rng = np.random.default_rng(seed)
    rows = [rng.choice(f.codes, size=people, p=(w := 1.0 / np.arange(1, f.codes + 1) ** 2) / w.sum()) for f in features]
    return collected(features, np.column_stack(rows), seed, **task)
