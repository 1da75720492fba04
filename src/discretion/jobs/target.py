"""The target that mechanisms are to meet, and what it takes to meet it."""

import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from discretion.adversaries import AllButOne, Exchangeable, Knowledge, PartlyInformed
from discretion.channels import System
from discretion.errors import InvalidValueError, UnsupportedError, one_of
from discretion.estimate import End, Estimate, highest, lowest
from discretion.jobs.scenario import LEVEL_OF, CrowdQuestion, Result, Scenario
from discretion.measures import privacy_profile
from discretion.numerics.draws import fresh_seed
from discretion.shuffling import Shuffled, largest_epsilon, smallest_crowd
from discretion.spelling.numbers import numbers_of
from discretion.validation import as_real

# What may be a target, and which way safety lies.
TARGETS = {
    "posterior_vulnerability": "<=",
    "leakage": "<=",
    "additive_leakage": "<=",
    "bayes_risk": ">=",
    "bayes_security": ">=",
    "mutual_information": "<=",
    "privacy_profile": "<=",
    "dp_epsilon": "<=",
}

# By what an ε that just meets a target may be off.
_BESIDE = 2e-9


@dataclass(frozen=True)
class Target:
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
        """Whether a result meets the target; None if its interval decides neither."""
        low, high = lowest(result), highest(result)
        surely, maybe = (high, low) if self.operator == "<=" else (-low, -high)
        level = self.level if self.operator == "<=" else -self.level
        return True if surely <= level else None if maybe <= level else False


def spelled_target(text: str, targets: Mapping[str, str]) -> tuple[str, float]:
    """Return the measure and the level of a target spelled as ``measure<=number`` or ``measure>=number``.

    ``targets`` has the measures that there may be, each with the side on which it is safe.
    """
    parts = re.fullmatch(r"\s*(\w+)\s*(<=|>=)\s*(\S+)\s*", text)
    if parts is None:
        raise InvalidValueError(
            f'--target must be a measure, <= or >=, and a number, as in "posterior_vulnerability<=0.25", got {text!r}'
        )
    name, operator, number = parts.groups()
    one_of(name, targets, "target called")
    if operator != targets[name]:
        raise InvalidValueError(
            f"a target for {name} must be {targets[name]} a number, since {'more' if operator == '<=' else 'less'} is "
            f"better; ask for {name}{targets[name]}{number}"
        )
    (level,) = numbers_of(number, "the target's level", float)
    return name, as_real(level, "the target's level")


def target_of(text: str, scenario: Scenario) -> Target:
    """Return the target spelled as ``measure<=number`` or ``measure>=number``."""
    name, level = spelled_target(text, TARGETS)
    operator = TARGETS[name]
    if scenario.seed is None:  # all crowds are sampled from one start, so that a larger one is not safer by chance
        scenario = replace(scenario, seed=fresh_seed())
    questions = scenario.questions_of_crowds()
    if name not in questions:
        raise InvalidValueError(f"a target for {name} needs {LEVEL_OF[name]}; add it")
    if name == "dp_epsilon" and scenario.delta is not None and level >= 0:
        # The same target, without looking for ε at every step.
        knowledge = scenario.against(name)
        seed = scenario.seed
        return Target(
            name, operator, level, lambda s: privacy_profile(s.seen_by(knowledge, seed), level), scenario.delta
        )
    return Target(name, operator, level, questions[name], level)


def check_scales(adversary: Knowledge | None) -> None:
    """Refuse an adversary against whom no size of the crowd is safe by itself."""
    if isinstance(adversary, AllButOne | PartlyInformed):
        raise InvalidValueError(
            "how many of the others hold each value is known of one number of users only; give --users N, or for the "
            "smallest crowd the adversary uninformed or worst"
        )
    if isinstance(adversary, Exchangeable):
        raise InvalidValueError(
            "from a larger crowd an exchangeable adversary learns more about the population, so it need not be safer; "
            "give --users N, or for the smallest crowd the adversary uninformed or worst"
        )


def sufficient_crowd(goal: Target, system: System) -> Result:
    """Return the smallest number of users that meets a target: an upper bound where the answers are bounds.

    So many users are sufficient. Fewer than its lower end are not.
    """
    search, (at_most, at_least) = _Search(goal), goal.limits
    enough = smallest_crowd(system, search, at_most=at_most, at_least=at_least)
    if search.is_exact(Shuffled(system, enough), None if enough == 1 else Shuffled(system, enough - 1)):
        return enough
    fewest = 1
    with suppress(InvalidValueError, UnsupportedError):
        fewest = smallest_crowd(system, search.at_best, at_most=at_most, at_least=at_least)
    return search.between(min(fewest, enough), enough, safe="high")


def sufficient_epsilon(goal: Target, family: Callable[[float], System], users: int) -> Result:
    """Return the largest ε that meets a target among so many users: a lower bound where the answers are bounds.

    So large an ε is sufficient. One above its upper end is not.
    """
    search, (at_most, at_least) = _Search(goal), goal.limits
    family = cache(family)
    enough = largest_epsilon(family, users, search, at_most=at_most, at_least=at_least)
    beside = enough * (1 + _BESIDE) + math.ulp(0.0)
    if search.is_exact(
        Shuffled(family(enough), users), None if enough == math.inf else Shuffled(family(beside), users)
    ):
        return enough
    most = math.inf
    with suppress(InvalidValueError, UnsupportedError):
        most = largest_epsilon(family, users, search.at_best, at_most=at_most, at_least=at_least)
    return search.between(enough, max(enough, most * (1 + _BESIDE)), safe="low")


class _Search:
    """A target's question, which remembers its answers and what they rest on."""

    def __init__(self, goal: Target) -> None:
        self._goal = goal
        self._estimates: list[Estimate] = []
        self._certified = True
        self._results: dict[tuple[int, int], Result] = {}

    def __call__(self, crowd: Shuffled) -> Result:
        result = self._results[_key(crowd)] = self._goal.search(crowd)
        if isinstance(result, Estimate):
            self._estimates.append(result)
        return result

    def at_best(self, crowd: Shuffled) -> float:
        """Return the end of the answer that is nearer to meeting the target.

        Of a sample that is no end at all, unless that the target is met rests on samples too.
        """
        remembered = self._results.get(_key(crowd))
        result, falls = self(crowd) if remembered is None else remembered, self._goal.operator == "<="
        if self._certified and isinstance(result, Estimate) and not result.certified:
            return -math.inf if falls else math.inf
        return lowest(result) if falls else highest(result)

    def is_exact(self, meets: Shuffled, beside: Shuffled | None) -> bool:
        """Return whether a crowd meets the target that surely is the last one to do so."""
        if not self._estimates:
            return True
        result = self(meets)
        self._certified = not isinstance(result, Estimate) or result.certified
        if beside is None or not self._certified:
            return self._certified
        at_most, at_least = self._goal.limits
        best = self.at_best(beside)
        return best > at_most if at_most is not None else at_least is not None and best < at_least

    def between(self, low: float, high: float, *, safe: End) -> Estimate:
        """Return what lies between two ends, and what they rest on."""
        sampled = [estimate.confidence for estimate in self._estimates if estimate.confidence is not None]
        assuming = None
        if not self._certified:
            sure = f"each {100 * min(sampled):g} % sure" if sampled else "whatever they assume"
            assuming = f"none of {len(sampled):,} sampled answers misses, {sure}"
        method = "; ".join(dict.fromkeys(name for each in self._estimates for name in each.method.split("; ")))
        return Estimate(high if safe == "high" else low, low, high, None, method, assuming, safe=safe)


def _key(crowd: Shuffled) -> tuple[int, int]:
    """Return a key of a crowd in one search, whose mechanisms last as long as the search."""
    return id(crowd.mechanism), crowd.n
