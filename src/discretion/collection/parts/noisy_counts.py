"""What counts with dummies in them say of people: how many gave an answer at least, about, and with which confidence.

How many messages came is known, and how many of them are dummies: each shuffler reports how many it added to all counts
of a group. That says nothing of what people answered, since everybody sends one message to each group.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion.collection.wire.task import Task
from discretion.estimate import Estimate
from discretion.numerics.arrays import Integers, Reals

METHOD = "counts less the mean of the dummies, with limits by their law"


@dataclass(frozen=True)
class NoiseInCounts:
    """The noise that all shufflers of a task add together, none in a task without noise.

    Parameters
    ----------
    task
        The task.
    """

    task: Task

    @property
    def most(self) -> int:
        """How many dummies there are in a count at most."""
        return 0 if self.task.noise is None else self.task.noise.most * len(self.task.shufflers)

    @property
    def mean(self) -> int:
        """How many there are on average."""
        return self.most // 2

    @property
    def error(self) -> float:
        """The standard deviation of their number."""
        law = self._law
        return float(np.sqrt(law @ (np.arange(len(law)) - self.mean) ** 2))

    @cached_property
    def _law(self) -> Reals:
        """The probabilities of 0, 1, … dummies in a count."""
        law = np.ones(1)
        if self.task.noise is not None:
            for _ in self.task.shufflers:
                law = np.convolve(law, self.task.noise.probabilities)
        return law

    def draws(self, rng: np.random.Generator, counts: int) -> Integers:
        """Return how many dummies come into counts, to plan with."""
        return rng.choice(self.most + 1, counts, p=self._law) if self.most else np.zeros(counts, np.int64)

    def least(self, counts: Integers) -> Integers:
        """Return of how many people at least these are the counts."""
        return np.maximum(counts - self.most, 0)

    def about(self, counts: Integers) -> Integers:
        """Return of how many people these are the counts, unbiased: it may be below 0."""
        return counts - self.mean

    def reach(self, confidence: float, counts: int) -> int:
        """Return how far from their mean the dummies are at most, in so many counts together with a confidence."""
        tails = np.cumsum(self._law)  # rounding is far below what is looked for
        return self.mean - int(np.searchsorted(tails[: self.mean], (1 - confidence) / (2 * counts), side="right"))

    def estimate(self, about: int, reach: int, confidence: float) -> Estimate:
        """Return a number of people with its interval."""
        low, high = max(0, about - reach), max(0, about + reach)
        return Estimate(float(max(0, about)), float(low), float(high), confidence, METHOD)
