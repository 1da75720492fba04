"""What is asked of mechanisms that are compared, and the target that they are to meet."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tacit.adversaries import AllButOne, Exchangeable, Knowledge, PartlyInformed
from tacit.channels import System
from tacit.cli.options import as_numbers, one_of
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate
from tacit.measures import (
    bayes_risk,
    bayes_security,
    leakage,
    mutual_information,
    posterior_vulnerability,
    privacy_profile,
    shuffle_epsilon,
)
from tacit.validation import as_real

Result = float | Estimate
Question = Callable[[System], Result]

# What may be a target, and which way safety lies.
TARGETS = {
    "posterior_vulnerability": "<=",
    "leakage": "<=",
    "bayes_risk": ">=",
    "bayes_security": ">=",
    "mutual_information": "<=",
    "privacy_profile": "<=",
    "shuffle_epsilon": "<=",
}

_LEVEL_OF = {"privacy_profile": "--epsilon E", "shuffle_epsilon": "--delta D"}


@dataclass(frozen=True)
class Asked:
    """What is asked of every mechanism."""

    users: int | None
    adversary: Knowledge | None
    prior: list[float] | None
    epsilon: float | None
    delta: float | None
    rng: int | None

    def questions(self, adversary: Knowledge | None) -> dict[str, Question]:
        """Return what can be asked of a system, by its function's name."""
        prior, rng = self.prior, self.rng
        questions: dict[str, Question] = {
            "posterior_vulnerability": lambda s: posterior_vulnerability(s, prior, None, adversary, rng),
            "leakage": lambda s: leakage(s, prior, adversary=adversary, rng=rng),
            "bayes_risk": lambda s: bayes_risk(s, prior, adversary, rng),
            "bayes_security": lambda s: bayes_security(s, prior, adversary, rng),
            "mutual_information": lambda s: mutual_information(s, prior, adversary=adversary, rng=rng),
        }
        if (epsilon := self.epsilon) is not None:
            questions["privacy_profile"] = lambda s: privacy_profile(s, epsilon, adversary)
        if (delta := self.delta) is not None:
            questions["shuffle_epsilon"] = lambda s: shuffle_epsilon(s, delta, adversary)
        return questions

    @property
    def shown(self) -> list[str]:
        """The questions that have a column."""
        levels = {"privacy_profile": self.epsilon, "shuffle_epsilon": self.delta}
        return ["posterior_vulnerability", "bayes_security", *(name for name in levels if levels[name] is not None)]


@dataclass(frozen=True)
class Goal:
    """A target, and the question with which to look for where it is met."""

    name: str
    operator: str
    level: float
    search: Question
    search_level: float

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """At most and at least what the answer to the search must be."""
        return (self.search_level, None) if self.operator == "<=" else (None, self.search_level)

    def is_met(self, result: Result) -> bool | None:
        """Whether a result meets the target; None if its interval does not tell."""
        low, high = (result.low, result.high) if isinstance(result, Estimate) else (result, result)
        surely, maybe = (high, low) if self.operator == "<=" else (-low, -high)
        level = self.level if self.operator == "<=" else -self.level
        return True if surely <= level else None if maybe <= level else False


def as_goal(text: str, asked: Asked) -> Goal:
    """Return the target spelled as ``measure<=number`` or ``measure>=number``."""
    parts = re.fullmatch(r"\s*(\w+)\s*(<=|>=)\s*(\S+)\s*", text)
    if parts is None:
        raise InvalidValueError(
            f'--target must be a measure, <= or >=, and a number, as in "posterior_vulnerability<=0.25", got {text!r}'
        )
    name, operator, number = parts.groups()
    one_of(name, TARGETS, "target called")
    if operator != TARGETS[name]:
        raise InvalidValueError(
            f"{name} {'grows' if operator == '>=' else 'falls'} as the target's privacy is lost; ask for "
            f"{name}{TARGETS[name]}{number}"
        )
    (level,) = as_numbers(number, "the target's level", float)
    level = as_real(level, "the target's level")
    questions = asked.questions(asked.adversary)
    if name not in questions:
        raise InvalidValueError(f"a target for {name} needs {_LEVEL_OF[name]}; add it")
    if name == "shuffle_epsilon" and asked.delta is not None and level >= 0:
        # The same target, without looking for ε at every step.
        return Goal(name, operator, level, lambda s: privacy_profile(s, level, asked.adversary), asked.delta)
    return Goal(name, operator, level, questions[name], level)


def check_scales(adversary: Knowledge | None) -> None:
    """Refuse an adversary of whom it makes no sense to ask how large a crowd is safe from her."""
    if isinstance(adversary, AllButOne | PartlyInformed):
        raise InvalidValueError(
            "how many of the others hold each value is known of one number of users only; give --users N, or for the "
            "smallest crowd the adversary uninformed or worst"
        )
    if isinstance(adversary, Exchangeable):
        raise InvalidValueError(
            "a larger crowd tells an exchangeable adversary more of the population, and need not be safer; give "
            "--users N, or for the smallest crowd the adversary uninformed or worst"
        )
