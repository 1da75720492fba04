"""The target that mechanisms are to meet."""

import re
from dataclasses import dataclass

from tacit.adversaries import AllButOne, Exchangeable, Knowledge, PartlyInformed
from tacit.errors import InvalidValueError
from tacit.estimate import highest, lowest
from tacit.jobs.questions import LEVEL_OF, Asked, CrowdQuestion, Result
from tacit.measures import privacy_profile
from tacit.spelling import one_of
from tacit.spelling.numbers import numbers_of
from tacit.validation import as_real

# What may be a target, and which way safety lies.
TARGETS = {
    "posterior_vulnerability": "<=",
    "leakage": "<=",
    "bayes_risk": ">=",
    "bayes_security": ">=",
    "mutual_information": "<=",
    "privacy_profile": "<=",
    "dp_epsilon": "<=",
}


@dataclass(frozen=True)
class Goal:
    """A target, and the question with which to look for where it is met."""

    name: str
    operator: str
    level: float
    search: CrowdQuestion
    search_level: float

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """At most and at least what the answer to the search must be."""
        return (self.search_level, None) if self.operator == "<=" else (None, self.search_level)

    def is_met(self, result: Result) -> bool | None:
        """Whether a result meets the target; None if its interval does not tell."""
        low, high = lowest(result), highest(result)
        surely, maybe = (high, low) if self.operator == "<=" else (-low, -high)
        level = self.level if self.operator == "<=" else -self.level
        return True if surely <= level else None if maybe <= level else False


def goal_of(text: str, asked: Asked) -> Goal:
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
    (level,) = numbers_of(number, "the target's level", float)
    level = as_real(level, "the target's level")
    questions = asked.questions_of_crowds()
    if name not in questions:
        raise InvalidValueError(f"a target for {name} needs {LEVEL_OF[name]}; add it")
    if name == "dp_epsilon" and asked.delta is not None and level >= 0:
        # The same target, without looking for ε at every step.
        knowledge = asked.against(name)
        return Goal(name, operator, level, lambda s: privacy_profile(s.seen_by(knowledge), level), asked.delta)
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
