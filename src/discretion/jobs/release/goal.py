"""The goal of a release, out of its options."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discretion.anonymity import as_fraction
from discretion.anonymity.choosing.constraints import GUESS_BUDGET
from discretion.anonymity.releasing.diversity import Closeness, Distinct, Diversity, Entropy
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.suppression import SUPPRESS
from discretion.anonymity.releasing.utility import UTILITIES
from discretion.errors import InvalidValueError
from discretion.jobs.options.tables import ReleaseOptions
from discretion.validation import as_count, as_real

_SHARES = ("budget", "max_suppressed", "guess_budget", "certain_budget", "t")


def release_goal(
    people: int, guarded: Sequence[str], options: ReleaseOptions
) -> tuple[ReleaseGoal, int, ReleaseOptions]:
    """Return the goal of a release, how many rows may be left out, and the options with plain shares.

    ``guarded`` are the sensitive columns that go out.
    """
    given = options.inputs()
    for name, known in (("suppress", SUPPRESS), ("utility", UTILITIES)):
        if given[name] not in known:
            raise InvalidValueError(f"{name} must be one of {', '.join(known)}, got {given[name]!r}")
    if options.guess_budget is None:
        given["guess_budget"] = GUESS_BUDGET
    shares: dict[str, Fraction] = {}
    for name in (name for name in _SHARES if given[name] is not None):
        try:
            shares[name] = as_fraction(given[name])
        except InvalidValueError:
            raise InvalidValueError(f"{name} is a share, in [0, 1], got {given[name]!r}") from None
    if shares["max_suppressed"] == 1:
        raise InvalidValueError("max_suppressed must be below 1: with everybody left out nothing is released")
    goal = ReleaseGoal(
        as_count(options.k, "k", at_least=1), shares["budget"], list(_diversity(guarded, options, shares.get("t"))),
        shares["guess_budget"], shares.get("certain_budget"),
    )  # fmt: skip
    plain: dict[str, Any] = {name: float(share) for name, share in shares.items()}
    return goal, math.floor(shares["max_suppressed"] * people), replace(options, **plain)


def _diversity(guarded: Sequence[str], options: ReleaseOptions, t: Fraction | None) -> Iterator[Diversity]:
    """Yield what groups must have of the sensitive columns that go out."""
    least = as_count(options.l, "l", at_least=1)
    entropy = None if options.entropy_l is None else as_real(options.entropy_l, "entropy_l")
    if entropy is not None and entropy <= 1:
        raise InvalidValueError(f"entropy_l must be above 1, the entropy of one value, got {entropy:g}")
    wanted = {"l": least > 1, "entropy_l": entropy is not None, "t": t is not None}
    if not guarded and any(wanted.values()):
        name = next(name for name, given in wanted.items() if given)
        raise InvalidValueError(f"{name} is of sensitive columns that go out; name one with sensitive and keep it")
    for column in guarded:
        if least > 1:
            yield Distinct(column, least)
        if entropy is not None:
            yield Entropy(column, entropy)
        if t is not None:
            yield Closeness(column, t)
