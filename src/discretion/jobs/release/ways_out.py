"""The ways out if nothing is within a goal: the smallest change of one limit that lets a file out."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor, log10
from typing import Any, Literal

import numpy as np

from discretion.errors import InvalidValueError
from discretion.jobs.options.tables import ReleaseOptions
from discretion.jobs.release.candidates import Candidates, NothingWithinGoalError, candidates_of
from discretion.jobs.release.decision import decide_release
from discretion.numerics.equivalence_classes import Column, best_guesses, refined

# At most this many choices of generalizations are examined to find a file within an eased goal.
_SETS = 300


Limit = Literal["k", "budget", "max_suppressed", "guess_budget"]
_LIMITS: tuple[Limit, ...] = ("k", "budget", "max_suppressed", "guess_budget")


@dataclass(frozen=True)
class WayOut:
    """The options of a release with one limit eased, and that limit: there is a file within these options."""

    limit: Limit
    options: ReleaseOptions


def ways_out(candidates: Candidates, options: ReleaseOptions) -> Iterator[WayOut]:
    """Yield options with one limit eased just enough for a file, each after a release within it is found.

    The limits are k, the budget, the share of people who may be left out, and the rise of correct guesses. Each is
    eased to the value that the coarsest generalizations of the columns to keep need, or those of the column that needs
    least.
    """
    coarsest = {name: some[-1].column for name, some in candidates.generalizations.items() if some[-1].bits}
    kept = [name for name in candidates.keep if name in coarsest]
    together = [reduce(refined, (coarsest[name] for name in kept))] if kept else list(coarsest.values())
    eased = [_needed(candidates, classes) for classes in together]
    for name in _LIMITS:
        values = [needed[name] for needed in eased if name in needed]
        if not values:
            continue
        way = WayOut(name, replace(options, **{name: max(values) if name == "k" else min(values)}))
        if _leads_out(candidates, way.options):
            yield way


def _needed(candidates: Candidates, classes: Column) -> dict[str, Any]:
    """Return the limits with which these classes would be within the goal, each with the other limits unchanged."""
    goal, people = candidates.goal, classes.codes.size
    sizes = np.sort(np.bincount(classes.codes))
    small = int(sizes[sizes < goal.k].sum())
    needed: dict[str, Any] = {}
    if small > goal.budget * people:
        within = np.cumsum(sizes) <= floor(goal.budget * people)
        # The smallest class that must not be small.
        largest = int(sizes[int(within.sum())])
        if 1 < largest < goal.k:
            needed["k"] = largest
        needed["budget"] = _rounded_up(Fraction(small, people))
        needed["max_suppressed"] = _rounded_up(Fraction(small + candidates.suppressed, candidates.people.people))
    for secret in candidates.secrets.values():
        rise = best_guesses(classes, secret)[0] - int(np.bincount(secret.codes).max())
        if rise > goal.rise * people:
            needed["guess_budget"] = max(needed.get("guess_budget", 0.0), _rounded_up(Fraction(int(rise), people)))
    return {name: value for name, value in needed.items() if value < 1 or name == "k"}


def _rounded_up(share: Fraction) -> float:
    """Return a share in two digits, rounded up."""
    scale = int(10 ** (1 - floor(log10(share))))
    return float(Fraction(ceil(share * scale), scale))


def _leads_out(candidates: Candidates, options: ReleaseOptions) -> bool:
    try:
        decide_release(candidates_of(candidates.people, options, kinds=candidates.kinds), sets=_SETS)
    except (NothingWithinGoalError, InvalidValueError):
        return False
    return True
