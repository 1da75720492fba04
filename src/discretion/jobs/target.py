"""A target for mechanisms, and the crowd or the ε that meets it."""

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

# The measures that may be a target, each with the side on which it is safe.
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

# The relative error of an ε that just meets a target.
_BESIDE = 2e-9


@dataclass(frozen=True)
class Target:
    """A target, and the measure and level with which a search finds where it is met."""

    name: str
    operator: str
    level: float
    search: CrowdQuestion
    search_level: float

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The upper and the lower limit of the searched measure, one of them None."""
        return (self.search_level, None) if self.operator == "<=" else (None, self.search_level)

    def is_met(self, result: Result) -> bool | None:
        """Return whether a result meets the target; None if its interval leaves it open."""
        low, high = lowest(result), highest(result)
        surely, maybe = (high, low) if self.operator == "<=" else (-low, -high)
        level = self.level if self.operator == "<=" else -self.level
        return True if surely <= level else None if maybe <= level else False


def spelled_target(text: str, targets: Mapping[str, str]) -> tuple[str, float]:
    """Return the measure and the level of a target spelled as ``measure<=number`` or ``measure>=number``.

    ``targets`` has the allowed measures, each with the side on which it is safe.
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
            f"better; use {name}{targets[name]}{number}"
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
        # The same target, without a search for ε at every step.
        knowledge = scenario.against(name)
        seed = scenario.seed
        return Target(
            name, operator, level, lambda s: privacy_profile(s.seen_by(knowledge, seed), level), scenario.delta
        )
    return Target(name, operator, level, questions[name], level)


def check_scales(adversary: Knowledge | None) -> None:
    """Raise an error for an adversary for which a larger crowd need not be safer."""
    if isinstance(adversary, AllButOne | PartlyInformed):
        raise InvalidValueError(
            "this adversary knows the counts of the other users, which fix the number of users; give --users N, or "
            "for the smallest crowd use the adversary uninformed or worst"
        )
    if isinstance(adversary, Exchangeable):
        raise InvalidValueError(
            "an exchangeable adversary learns more about the population from a larger crowd, so a larger crowd need "
            "not be safer; give --users N, or for the smallest crowd use the adversary uninformed or worst"
        )


def sufficient_crowd(goal: Target, system: System) -> Result:
    """Return the smallest number of users that meets a target, or an interval of it if results are bounds.

    The upper bound of the interval is sufficient; fewer users than its lower bound are not.
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
    """Return the largest ε that meets a target with this number of users, or an interval of it if results are bounds.

    The lower bound of the interval is sufficient; an ε above its upper bound is not.
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
    """The measure that a search evaluates, with a cache of its results and their kinds."""

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
        """Return the bound of a result that is nearer to meeting the target.

        For a sampled result this bound is infinite, unless the result that meets the target is sampled too.
        """
        remembered = self._results.get(_key(crowd))
        result, falls = self(crowd) if remembered is None else remembered, self._goal.operator == "<="
        if self._certified and isinstance(result, Estimate) and not result.certified:
            return -math.inf if falls else math.inf
        return lowest(result) if falls else highest(result)

    def is_exact(self, meets: Shuffled, beside: Shuffled | None) -> bool:
        """Return whether a crowd that meets the target is certified to be the last one that does."""
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
        """Return an estimate between two bounds, with its methods and assumptions."""
        sampled = [estimate.confidence for estimate in self._estimates if estimate.confidence is not None]
        assuming = None
        if not self._certified:
            sure = f", each with {100 * min(sampled):g} % confidence" if sampled else ""
            assuming = f"none of {len(sampled):,} sampled results misses{sure}"
        method = "; ".join(dict.fromkeys(name for each in self._estimates for name in each.method.split("; ")))
        return Estimate(high if safe == "high" else low, low, high, None, method, assuming, safe=safe)


def _key(crowd: Shuffled) -> tuple[int, int]:
    """Return a key of a crowd in one search, whose mechanisms last as long as the search."""
    return id(crowd.mechanism), crowd.n
