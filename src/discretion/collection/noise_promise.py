"""The guarantee of noise for a person if at least one shuffler is honest: ε, δ, and the best guess of an answer."""

import math
from dataclasses import dataclass

from discretion.collection.wire.task import Task

#: The δ for which ε is shown, where the dummies are enough for it.
DELTA = 1e-6
# Two answers to one question are two counts in the first round, and two in the last one.
_COUNTS_OF_AN_ANSWER = 4


@dataclass(frozen=True)
class NoisePromise:
    """The guarantee of one honest shuffler's dummies, whatever all other parties and people do.

    Parameters
    ----------
    most
        The most dummies that a shuffler adds to a count; half of it on average.
    epsilon, delta
        The differential privacy of all answers of a person together, in both rounds.
    guess
        The largest probability with which an adversary that knows everything else guesses correctly which of two
        answers a person gave to a question.
    """

    most: int
    epsilon: float
    delta: float
    guess: float


def noise_promise(task: Task) -> NoisePromise | None:
    """Return the guarantee of a task's noise, or None for a task without noise."""
    noise = task.noise
    if noise is None:
        return None
    deltas = (DELTA * 10**more for more in range(6))
    delta = next((each for each in deltas if math.isfinite(noise.epsilon(each, task.counts_of_one))), 1.0)
    epsilon = noise.epsilon(delta, task.counts_of_one)
    return NoisePromise(noise.most, epsilon, delta, noise.guess(_COUNTS_OF_AN_ANSWER))
