"""The ε and the number of people of each protocol: the solution for the free parameter, within the goals.

Every search is of a monotone function. A larger ε reveals more and makes counts more precise; more people hide each
person better, and make shares more precise.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from discretion.errors import InvalidValueError
from discretion.jobs.design.goals import Goal, Setting
from discretion.jobs.protocols import EPSILONS, PEOPLE, Protocol, last_place
from discretion.jobs.scenario import Result
from discretion.validation import as_epsilon

# Where the first search starts: ε = 1, and ten thousand people.
_USUAL_EPSILON, _USUAL_PEOPLE = 2700, 99 + 2 * 900
_OF_A_REPORT = ("ldp_epsilon", "average_privacy")

Step = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Solved:
    """A protocol's ε and number of people.

    Parameters
    ----------
    epsilon
        The ε; infinite if honest answers meet the goals.
    users
        The number of people who report.
    undecided
        The goals that bounds or samples do not decide.
    """

    epsilon: float
    users: int
    undecided: tuple[Goal, ...] = ()


class UnmetError(InvalidValueError):
    """No ε, or no number of people, meets the goals.

    Parameters
    ----------
    sentence
        The reason.
    goals
        The goal that is not met, and the goal in conflict with it, if there is one.
    """

    def __init__(self, sentence: str, *goals: Goal) -> None:
        super().__init__(sentence)
        self.goals = goals


class Solver:
    """Solves for the free parameters, one protocol after the other.

    Parameters
    ----------
    setting, goals
        The setting of the design, and its goals.
    epsilon
        The ε of each report, or None to find it.
    step
        A function that returns a context manager around each measure.
    """

    def __init__(self, setting: Setting, goals: Sequence[Goal], epsilon: float | None, step: Step) -> None:
        self._setting, self._step = setting, step
        self._privacy = [goal for goal in goals if not goal.is_accuracy]
        self._accuracy = [goal for goal in goals if goal.is_accuracy]
        self._given = None if epsilon is None else as_epsilon(epsilon)
        self._start = _USUAL_EPSILON  # from then on where the last protocol's search ended
        self._check()

    def _check(self) -> None:
        """Raise an error if the options leave too many parameters free."""
        is_free = self._setting.users is None
        if not (self._privacy or self._accuracy) and (is_free or self._given is None):
            raise InvalidValueError(
                "a design needs a goal; add --guess +0.01, --epsilon 1 --delta 1e-6, --error 0.002 or --target"
            )
        if is_free and self._given is None and not self._accuracy:
            raise InvalidValueError(
                "a design needs the number of people, or goals that determine it; add --users N, --error SHARE or "
                "--local-epsilon E"
            )
        of_crowds = self._setting.shuffled and any(goal.measure not in _OF_A_REPORT for goal in self._privacy)
        if is_free and not of_crowds and not any(goal.measure == "error" for goal in self._accuracy):
            raise InvalidValueError(
                "none of the goals depends on the number of people; add --users N, or a goal that does: --error SHARE"
            )

    def solve(self, protocol: Protocol) -> Solved:
        """Return the protocol's best ε and number of people.

        With a goal of accuracy that is the least ε that reaches it, since a larger one would reveal more; without one
        it is the largest ε within the goals of privacy.
        """
        users = self._setting.users
        if users is None:
            return self._fewest(protocol)
        if not self._accuracy and self._given is None:
            return self._loudest(protocol, users)
        epsilon = self._needed(protocol, users)
        return Solved(epsilon, users, self._checked(protocol, epsilon, users))

    def largest_epsilon(self, protocol: Protocol, users: int) -> float | None:
        """Return the largest ε within the goals of privacy; None without such goals."""
        return self._loudest(protocol, users).epsilon if self._privacy else None

    def may_be_better(self, protocol: Protocol, users: int, error: float) -> bool:
        """Whether the bounds allow that the protocol meets the goals with a larger ε, and has a smaller error."""
        place = _first(lambda place: error - self._setting.error(protocol.at(EPSILONS[place]), users), EPSILONS.last)
        return place is not None and all(
            goal.may_be_met(self._asked(goal, protocol, EPSILONS[place], users)) for goal in self._privacy
        )

    def _loudest(self, protocol: Protocol, users: int) -> Solved:
        # Of a protocol that reports answers, no noise is one ε more; others have no such report.
        if protocol.name == "krr" and self._margin(protocol, math.inf, users) >= 0:
            return Solved(math.inf, users)
        place = last_place(lambda place: self._margin(protocol, EPSILONS[place], users), EPSILONS.last, self._start)
        if place is not None:
            self._start = place
            return Solved(EPSILONS[place], users)
        epsilon = EPSILONS[0]
        undecided = self._checked(protocol, epsilon, users)
        return Solved(epsilon, users, undecided)

    def _fewest(self, protocol: Protocol) -> Solved:
        def margin(place: int) -> float:
            users = int(PEOPLE[place])
            try:
                epsilon = self._needed(protocol, users)
            except UnmetError:
                return -math.inf
            return self._margin(protocol, epsilon, users)

        place = _first(margin, PEOPLE.last, _USUAL_PEOPLE)
        users = int(PEOPLE[PEOPLE.last if place is None else place])
        epsilon = self._needed(protocol, users)
        return Solved(epsilon, users, self._checked(protocol, epsilon, users))

    def _needed(self, protocol: Protocol, users: int) -> float:
        """Return the least ε that reaches all goals of accuracy, or the given ε if it reaches them."""
        if self._given is not None:
            for goal in self._accuracy:
                if goal.margin(self._asked(goal, protocol, self._given, users)) < 0:
                    raise UnmetError(f"with {users:,} people and ε = {self._given:g} this goal is missed", goal)
            return self._given
        needed = 0
        for goal in self._accuracy:
            place = _first(
                lambda place, goal=goal: goal.margin(self._asked(goal, protocol, EPSILONS[place], users)), EPSILONS.last
            )
            if place is None:
                raise UnmetError(f"with {users:,} people every ε misses this goal", goal)
            needed = max(needed, place)
        return EPSILONS[needed]

    def _checked(self, protocol: Protocol, epsilon: float, users: int) -> tuple[Goal, ...]:
        """Return the goals of privacy that the results do not decide; raise an error for the first unmet one."""
        undecided: list[Goal] = []
        for goal in self._privacy:
            result = self._asked(goal, protocol, epsilon, users)
            if goal.margin(result) >= 0:
                continue
            if not goal.may_be_met(result):
                missed = "the first goal" if self._accuracy else "this goal"
                raise UnmetError(
                    f"with {users:,} people and ε = {epsilon:g} {missed} is missed",
                    goal,
                    *self._accuracy,
                )
            undecided.append(goal)
        return tuple(undecided)

    def _margin(self, protocol: Protocol, epsilon: float, users: int) -> float:
        """Return the least margin of the goals of privacy, or the first margin below 0."""
        least = math.inf
        for goal in self._privacy:
            least = min(least, goal.margin(self._asked(goal, protocol, epsilon, users)))
            if least < 0:
                break
        return least

    def _asked(self, goal: Goal, protocol: Protocol, epsilon: float, users: int) -> Result:
        with self._step(f"{protocol.spelled(epsilon)}, {users:,} people: {goal.measure}"):
            return goal.ask(protocol.at(epsilon), users)


def _first(margin: Callable[[int], float], last: int, start: int | None = None) -> int | None:
    """Return the first place in ``0..last`` whose margin is not negative, where margins rise."""
    start = last // 2 if start is None else start
    place = last_place(lambda reverse: margin(last - reverse), last, last - start)
    return None if place is None else last - place
