"""What a release is asked: its numbers checked, and the goal that they are."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from discretion.anonymity import as_fraction
from discretion.anonymity.choosing.constraints import GUESS_BUDGET
from discretion.anonymity.releasing.diversity import Closeness, Distinct, Diversity, Entropy
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.suppression import SUPPRESS
from discretion.anonymity.releasing.utility import UTILITIES
from discretion.errors import InvalidValueError
from discretion.validation import as_count, as_real

_SHARES = ("budget", "max_suppressed", "guess_budget", "certain_budget", "t")


def asked_goal(
    people: int, guarded: Sequence[str], asked: Mapping[str, Any]
) -> tuple[ReleaseGoal, int, dict[str, Any]]:
    """Return the goal of what was asked by name, how many rows may be left out, and what was asked with plain shares.

    ``guarded`` are the sensitive columns that go out.
    """
    for name, known in (("suppress", SUPPRESS), ("utility", UTILITIES)):
        if asked[name] not in known:
            raise InvalidValueError(f"{name} must be one of {', '.join(known)}, got {asked[name]!r}")
    told = {**asked, "guess_budget": GUESS_BUDGET if asked["guess_budget"] is None else asked["guess_budget"]}
    shares: dict[str, Fraction] = {}
    for name in (name for name in _SHARES if told[name] is not None):
        try:
            shares[name] = as_fraction(told[name])
        except InvalidValueError:
            raise InvalidValueError(f"{name} is a share, in [0, 1], got {told[name]!r}") from None
    if shares["max_suppressed"] == 1:
        raise InvalidValueError("max_suppressed must be below 1: with everybody left out nothing is released")
    goal = ReleaseGoal(
        as_count(asked["k"], "k", at_least=1), shares["budget"], list(_diversity(guarded, asked, shares.get("t"))),
        shares["guess_budget"], shares.get("certain_budget"),
    )  # fmt: skip
    return (
        goal,
        math.floor(shares["max_suppressed"] * people),
        {**asked, **{name: float(s) for name, s in shares.items()}},
    )


def _diversity(guarded: Sequence[str], asked: Mapping[str, Any], t: Fraction | None) -> Iterator[Diversity]:
    """Yield what groups must have of the sensitive columns that go out."""
    least = as_count(asked["l"], "l", at_least=1)
    entropy = None if asked["entropy_l"] is None else as_real(asked["entropy_l"], "entropy_l")
    if entropy is not None and entropy <= 1:
        raise InvalidValueError(f"entropy_l must be above 1, the entropy of one value, got {entropy:g}")
    wanted = {"l": least > 1, "entropy_l": entropy is not None, "t": t is not None}
    if not guarded and any(wanted.values()):
        name = next(name for name, told in wanted.items() if told)
        raise InvalidValueError(f"{name} is of sensitive columns that go out; name one with sensitive and keep it")
    for column in guarded:
        if least > 1:
            yield Distinct(column, least)
        if entropy is not None:
            yield Entropy(column, entropy)
        if t is not None:
            yield Closeness(column, t)
