"""Inverse problems: the smallest crowd, or the least noise, that is enough for a target.

Both are bisections, since leaks are monotone. An adversary can make up the reports of one more independent user itself,
and a larger ε only reveals more. So a leak falls in n and rises in ε, and a measure of security does the opposite. Only
for an exchangeable adversary the users are not independent: a larger crowd reveals more of the population.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from discretion import limits
from discretion.channels.channel import System
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate, quantity
from discretion.exact import Answer
from discretion.measures.privacy_loss.differential_privacy import confirm_inverse
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.numerics.bisection import Place, bracketed
from discretion.shuffling.crowd import Shuffled
from discretion.validation import as_crowd, as_real

Question = Callable[[Shuffled], float | Answer]
Family = Callable[[float], System]
Number = TypeVar("Number", int, float)

_PRECISION = 1e-9
_FARTHEST = 353.0  # so that all logarithms of ε are of floats
_LARGE, _LEAST_STEP = 2.0, 0.02  # logarithms: where ∞ is tried first, and the smallest step to it


def smallest_crowd(
    mechanism: System,
    question: Question,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
    up_to: int | None = None,
) -> int:
    """Return the smallest number of users that reaches the target.

    ``min {n : question(Shuffled(mechanism, n)) <= at_most}``, or ``>= at_least``

    Parameters
    ----------
    mechanism
        A local mechanism or a channel from one user's value to their report.
    question
        A function of the crowd that is monotone in n, such as `discretion.posterior_vulnerability` or
        ``lambda s: dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), epsilon=0.1)``. A function that samples needs a
        fixed seed: ``lambda s: dc.leakage(s.seen_by(dc.Uninformed(), seed=1))``.
    at_most, at_least
        The target; give exactly one of the two. An `Estimate` meets it if its whole interval does.
    up_to
        The largest number of users to consider, at most ten billion; None is ten billion.

    Returns
    -------
    int
        At least 1. It meets the target, and one user fewer does not. If the results of the question are bounds, it is
        sufficient: an upper bound of the smallest number.

    Raises
    ------
    InvalidValueError
        If not exactly one target is given, no crowd reaches it, or ``up_to`` users do not reach it.
    TooLargeError
        If the question cannot be computed for a crowd that the search needs.

    Notes
    -----
    For `discretion.Exchangeable` a larger crowd can reveal more; then there is no such number.

    ``privacy_profile(…, ε) <= δ`` and ``dp_epsilon(…, δ) <= ε`` are the same target, and the first is far faster. If
    certified bounds replace exact numbers from some n on, they may miss a target that fewer users meet exactly; then n
    is enough, but may not be the smallest. The question is computed once more at the result to confirm it.

    Examples
    --------
    >>> import discretion as dc
    >>> mechanism = dc.RandomizedResponse(2, epsilon=1)
    >>> smallest_crowd(mechanism, dc.posterior_vulnerability, at_most=0.51)
    340
    >>> smallest_crowd(mechanism, dc.bayes_security, at_least=0.99)
    1360
    """
    goal = _goal("smallest_crowd", question, at_most, at_least)
    most = limits.current().people if up_to is None else as_crowd(up_to, "up_to")

    def answer(n: int) -> float | Answer:
        return _answer(question, Shuffled(mechanism, n), f"n = {n:,}")

    alone = answer(1)
    if goal.is_met(alone):
        return 1
    _check_some_crowd_reaches(goal, question, mechanism, alone)

    @cache
    def margin(n: int) -> float:
        return goal.margin(answer(n))

    fails: Place = 1, goal.margin(alone)
    while fails[0] < most:
        n, nearer = (min(factor * int(fails[0]), most) for factor in (4, 2))
        try:
            reached = n, margin(n)
        except TooLargeError:
            reached = nearer, margin(nearer)
        if reached[1] >= 0:
            return _confirm(_least_users(margin, fails, reached), answer, goal, "smallest_crowd")
        fails = reached
    raise InvalidValueError(
        f"even with {most:,} users the question's answer is not {goal}: it is {_formatted(answer(most))}; "
        "take a mechanism with more noise, or another target"
    )


@quantity
def largest_epsilon(
    family: Family, n: int, question: Question, *, at_most: float | None = None, at_least: float | None = None
) -> float:
    """Return the largest ε, that is the least noise, that reaches the target among n users.

    ``max {ε : question(Shuffled(family(ε), n)) <= at_most}``, or ``>= at_least``

    Parameters
    ----------
    family
        A function that returns the mechanism for every ε in [0, ∞], such as ``lambda e: dc.RandomizedResponse(5, e)``.
    n
        The number of users, including the target.
    question
        A function of the crowd that is monotone in ε, such as `discretion.posterior_vulnerability` or
        ``lambda s: dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), epsilon=0.1)``. A function that samples needs a
        fixed seed: ``lambda s: dc.leakage(s.seen_by(dc.Uninformed(), seed=1))``.
    at_most, at_least
        The target; give exactly one of the two. An `Estimate` meets it if its whole interval does.

    Returns
    -------
    float
        At least 0; infinite if the crowd reaches the target without noise. It meets the target itself, and is within a
        relative error of 1e-9 of the largest ε. If the results of the question are bounds, it is sufficient: a lower
        bound of the largest ε. The question is computed once more at the result to confirm it.

    Raises
    ------
    UnsupportedError
        If the family is not a function of ε.
    InvalidValueError
        If not exactly one target is given, or ε = 0 does not meet it.
    TooLargeError
        If the question cannot be computed for this crowd.

    Examples
    --------
    >>> import discretion as dc
    >>> epsilon = largest_epsilon(lambda e: dc.RandomizedResponse(2, e), 200, dc.posterior_vulnerability, at_most=0.51)
    >>> round(epsilon, 6)
    0.742156
    """
    goal = _goal("largest_epsilon", question, at_most, at_least)
    if not callable(family):
        raise UnsupportedError(f"family must be a function of epsilon that returns a mechanism, got {family!r:.80}")
    users = as_crowd(n, "n")

    def answer(epsilon: float) -> float | Answer:
        return _answer(question, Shuffled(family(epsilon), users), f"epsilon = {epsilon:g}")

    @cache
    def margin(epsilon: float) -> float:
        return goal.margin(answer(epsilon))

    if margin(1.0) < 0 and not goal.is_met(silent := answer(0.0)):
        raise InvalidValueError(
            f"no epsilon makes the question's answer {goal} among {users:,} users: with epsilon = 0, where the reports "
            f"reveal nothing, it is {_formatted(silent)}"
        )
    return _confirm(_greatest_epsilon(margin), answer, goal, "largest_epsilon")


@dataclass(frozen=True)
class _Goal:
    at_most: float | None
    at_least: float | None

    def margin(self, answer: float | Answer) -> float:
        """Return how far the answer, or the worst value in its interval, is within the goal; negative beyond it."""
        low, high = _ends(answer)
        return self._margin(high, low)

    def is_met(self, answer: float | Answer) -> bool:
        """Whether every value in the answer's interval meets the goal."""
        return self.margin(answer) >= 0

    def may_be_met(self, answer: float | Answer) -> bool:
        """Whether at least one value in the answer's interval meets the goal."""
        return self._margin(*_ends(answer)) >= 0

    def _margin(self, large: float, small: float) -> float:
        if self.at_most is not None:
            return 0.0 if large == self.at_most else self.at_most - large
        return 0.0 if small == self._floor else small - self._floor

    @property
    def _floor(self) -> float:
        return -math.inf if self.at_least is None else self.at_least

    def __str__(self) -> str:
        return f"at most {self.at_most:g}" if self.at_most is not None else f"at least {self.at_least:g}"


def _goal(asker: str, question: Question, at_most: float | None, at_least: float | None) -> _Goal:
    if not callable(question):
        raise UnsupportedError(
            f"question must be a function of the crowd such as discretion.posterior_vulnerability, got {question!r:.80}"
        )
    if (at_most is None) == (at_least is None):
        raise InvalidValueError(
            f"{asker} needs exactly one of at_most and at_least, got " + ("none" if at_most is None else "both")
        )
    if at_most is not None:
        return _Goal(as_real(at_most, "at_most"), None)
    return _Goal(None, as_real(at_least, "at_least"))


def _ends(answer: float | Answer) -> tuple[float, float]:
    if isinstance(answer, Estimate):
        return answer.low, answer.high
    number = as_real(answer, "the question's answer")
    return number, number


def _formatted(answer: float | Answer) -> str:
    low, high = _ends(answer)
    return f"{low:.10g}" if low == high else f"in [{low:.10g}, {high:.10g}]"


def _answer(question: Question, crowd: Shuffled, where: str) -> float | Answer:
    try:
        return question(crowd)
    except InvalidValueError as error:
        kind = TooLargeError if isinstance(error, TooLargeError) else InvalidValueError
        raise kind(f"the question has no answer at {where}: {error}") from error


def _check_some_crowd_reaches(goal: _Goal, question: Question, mechanism: System, alone: float | Answer) -> None:
    """Raise an error if even reports without information miss the goal, and larger crowds only approach these."""
    if mechanism.secrets < 2:
        return
    try:
        silent = question(Shuffled(RandomizedResponse(mechanism.secrets, epsilon=0), 1))
    except InvalidValueError:
        return
    (low, high), (alone_low, alone_high) = _ends(silent), _ends(alone)
    falls = high <= alone_high if goal.at_most is not None else low >= alone_low
    if falls and not goal.may_be_met(silent):
        raise InvalidValueError(
            f"no crowd makes the question's answer {goal}: with reports that reveal nothing at all, it is "
            f"{_formatted(silent)}"
        )


def _confirm(result: Number, answer: Callable[[Number], float | Answer], goal: _Goal, asker: str) -> Number:
    """Return the result if the question, computed there once more, meets the goal; a sample may miss it."""
    again = answer(result)
    if isinstance(again, Estimate) and not again.certified:
        return result
    # By the end that decides, so that a bound that only may meet the goal does not confirm it.
    return confirm_inverse(result, result, lambda _: -goal.margin(again), 0.0, f"{asker}(…, {goal})")


def _least_users(margin: Callable[[int], float], fails: Place, meets: Place) -> int:
    """Return the least n whose margin is not negative."""
    least = int(bracketed(lambda n: margin(int(n)), meets, fails, precision=1, whole=True))
    # Crowds of n and n+1 may be as safe; where rounding parts such a pair at the target, the first still counts.
    return least - 2 if least > 2 and margin(least - 2) >= 0 else least


def _greatest_epsilon(margin: Callable[[float], float]) -> float:
    """Return the greatest ε whose margin is not negative.

    The search starts at 1, since results for little noise can take long. It tries infinity if a large ε meets the
    target, or has no result.
    """

    def at(log: float) -> Place:
        return log, margin(math.exp(log))

    near = at(0.0)
    meets_at_first = near[1] >= 0
    step = math.copysign(0.69, near[1])
    while abs(step) < _FARTHEST:
        try:
            far = at(near[0] + step)
        except TooLargeError:
            if _is_met(margin, math.inf):
                return math.inf
            if not meets_at_first or step < _LEAST_STEP:
                raise
            step /= 2
            continue
        if (far[1] >= 0) != meets_at_first:
            meets, fails = (near, far) if meets_at_first else (far, near)
            return math.exp(bracketed(lambda log: at(log)[1], meets, fails, precision=_PRECISION))
        if near[0] < _LARGE <= far[0] and _is_met(margin, math.inf):
            return math.inf
        near, step = far, 2 * step
    if not meets_at_first:
        return 0.0
    return math.inf if _is_met(margin, math.inf) else math.exp(near[0])


def _is_met(margin: Callable[[float], float], epsilon: float) -> bool:
    try:
        return margin(epsilon) >= 0
    except TooLargeError:
        return False
