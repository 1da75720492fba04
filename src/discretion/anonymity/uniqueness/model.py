"""What a model says of who is unique in a population: a number that rests on its assumption, or why it says none."""

from dataclasses import dataclass
from typing import Literal

ModelName = Literal[
    "Zayatz", "Pitman", "slide negative binomial", "Poisson log-linear", "Gaussian copula",
]  # fmt: skip


@dataclass(frozen=True)
class UniquenessModel:
    """What a model says of a population of which a sample is seen.

    Parameters
    ----------
    name
        The model.
    assumption
        What has to hold for its numbers to be right, in a sentence.
    population_unique
        The share of the population's people who are unique in it; None if it says nothing.
    of_sample_unique
        The probability that somebody who is unique in the sample is so in the population; None if it says nothing.
    error
        The standard error of the first where it was drawn at random, else 0: that of the drawing, not of the model.
    why_not
        Why it says nothing; None if it does.
    """

    name: ModelName
    assumption: str
    population_unique: float | None
    of_sample_unique: float | None
    error: float = 0.0
    why_not: str | None = None
