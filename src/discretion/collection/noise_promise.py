"""What noise promises a person as long as one shuffler is honest: ε and δ, and what these mean as a guess."""

import math
from dataclasses import dataclass

from discretion.collection.wire.task import Task

#: The δ for which ε is shown, where the dummies are enough for it.
DELTA = 1e-6
# Two answers to one question are two counts in the first round, and two in the last one.
_COUNTS_OF_AN_ANSWER = 4


@dataclass(frozen=True)
class NoisePromise:
    """What one honest shuffler's dummies promise, whatever all other parties and people do.

    Parameters
    ----------
    most
        How many dummies a shuffler adds to a count at most, half of it on average.
    epsilon, delta
        Of all answers of a person together, in both rounds.
    guess
        How often, at most, somebody who knows everything else guesses which of two answers a person gave to a question.
    """

    most: int
    epsilon: float
    delta: float
    guess: float


def noise_promise(task: Task) -> NoisePromise | None:
    """Return what a task's noise promises; None in a task without noise."""
    noise = task.noise
    if noise is None:
        return None
    deltas = (DELTA * 10**more for more in range(6))
    delta = next((each for each in deltas if math.isfinite(noise.epsilon(each, task.counts_of_one))), 1.0)
    epsilon = noise.epsilon(delta, task.counts_of_one)
    return NoisePromise(noise.most, epsilon, delta, noise.guess(_COUNTS_OF_AN_ANSWER))
