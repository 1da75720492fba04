"""Numbers of people from counts with dummies: lower bounds, unbiased estimates, and intervals with a confidence.

The number of received messages is known, and the number of dummies among them, too: each shuffler reports how many it
added to all counts of a group. This reveals nothing about answers, since everybody sends one message to each group.
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
    """The noise that all shufflers of a task add together; zero for a task without noise.

    Parameters
    ----------
    task
        The task.
    """

    task: Task

    @property
    def most(self) -> int:
        """The most dummies in a count."""
        return 0 if self.task.noise is None else self.task.noise.most * len(self.task.shufflers)

    @property
    def mean(self) -> int:
        """The average number of dummies in a count."""
        return self.most // 2

    @property
    def error(self) -> float:
        """The standard deviation of the number of dummies in a count."""
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
        """Draw numbers of dummies in counts, for a plan."""
        return rng.choice(self.most + 1, counts, p=self._law) if self.most else np.zeros(counts, np.int64)

    def least(self, counts: Integers) -> Integers:
        """Return lower bounds of the numbers of people in counts."""
        return np.maximum(counts - self.most, 0)

    def about(self, counts: Integers) -> Integers:
        """Return unbiased estimates of the numbers of people in counts, which may be below 0."""
        return counts - self.mean

    def reach(self, confidence: float, counts: int) -> int:
        """Return the largest distance of the dummies from their mean, in all these counts with a confidence."""
        tails = np.cumsum(self._law)  # rounding errors are far below the probability searched for
        return self.mean - int(np.searchsorted(tails[: self.mean], (1 - confidence) / (2 * counts), side="right"))

    def estimate(self, about: int, reach: int, confidence: float) -> Estimate:
        """Return an estimate of a number of people with its interval."""
        low, high = max(0, about - reach), max(0, about + reach)
        return Estimate(float(max(0, about)), float(low), float(high), confidence, METHOD)
