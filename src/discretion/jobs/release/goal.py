"""The goal of a release, from its options."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from discretion.anonymity import as_fraction
from discretion.anonymity.choosing.constraints import GUESS_BUDGET
from discretion.anonymity.people.ground_distances import (
    EQUAL_DISTANCE,
    GroundDistance,
    hierarchical_distance,
    ordered_distance,
)
from discretion.anonymity.people.hierarchies import Hierarchy
from discretion.anonymity.releasing.diversity import (
    MIN_RECURSIVE_L,
    Closeness,
    Disclosure,
    Distinct,
    Diversity,
    Entropy,
    Likeness,
    Recursive,
)
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.suppression import SUPPRESS
from discretion.anonymity.releasing.utility import UTILITIES
from discretion.errors import InvalidValueError
from discretion.jobs.options.tables import Against, ReleaseOptions, ValueDistance
from discretion.numerics.arrays import Integers
from discretion.numerics.equivalence_classes import Column
from discretion.validation import as_count, as_real

_SHARES = ("budget", "max_suppressed", "guess_budget", "certain_budget", "t")


def release_goal(
    people: int, guarded: Sequence[str], options: ReleaseOptions
) -> tuple[ReleaseGoal, int, ReleaseOptions]:
    """Return the goal of a release, the number of rows that may be left out, and the options with plain shares.

    ``guarded`` are the sensitive columns that go out.
    """
    given = options.inputs()
    for name, known in (
        ("suppress", SUPPRESS), ("utility", UTILITIES), ("t_distance", get_args(ValueDistance)),
        ("t_against", get_args(Against)),
    ):  # fmt: skip
        if given[name] not in known:
            raise InvalidValueError(f"{name} must be one of {', '.join(known)}, got {given[name]!r}")
    if options.guess_budget is None:
        given["guess_budget"] = GUESS_BUDGET
    shares: dict[str, Fraction] = {}
    for name in (name for name in _SHARES if given[name] is not None):
        try:
            shares[name] = as_fraction(given[name])
        except InvalidValueError:
            raise InvalidValueError(f"{name} must be a share, in [0, 1], got {given[name]!r}") from None
    if shares["max_suppressed"] == 1:
        raise InvalidValueError("max_suppressed must be below 1: with everybody left out nothing is released")
    goal = ReleaseGoal(
        as_count(options.k, "k", at_least=1), shares["budget"], list(_diversity(guarded, options, shares.get("t"))),
        shares["guess_budget"], shares.get("certain_budget"),
    )  # fmt: skip
    plain: dict[str, Any] = {name: float(share) for name, share in shares.items()}
    return goal, math.floor(shares["max_suppressed"] * people), replace(options, **plain)


def with_distributions(
    goal: ReleaseGoal,
    given: Mapping[str, tuple[Column, Any]],
    released: Mapping[str, Column],
    hierarchies: Mapping[str, Hierarchy],
    options: ReleaseOptions,
) -> ReleaseGoal:
    """Return the goal with the distributions and distances of the sensitive columns' values filled in.

    ``given`` are the codes and values of the columns, ``released`` the codes of the rows that may go out.
    """

    def distributed(diversity: Diversity) -> Diversity:
        if not isinstance(diversity, Closeness | Likeness | Disclosure):
            return diversity
        name = diversity.column
        column, values = given[name]
        if options.t_against == "input":
            counts = column.sizes()
            diversity = replace(diversity, whole=tuple(counts.tolist()))
        else:
            counts = np.bincount(released[name].codes, minlength=column.count)
        if isinstance(diversity, Closeness):
            distance = value_distance(options.t_distance, name, values.to_pylist(), counts, hierarchies.get(name))
            diversity = replace(diversity, distance=distance)
        return diversity

    return replace(goal, diversity=[distributed(diversity) for diversity in goal.diversity])


def value_distance(
    distance: ValueDistance, column: str, values: Sequence[Any], counts: Integers, hierarchy: Hierarchy | None
) -> GroundDistance:
    """Return the ground distance of the values of a sensitive column, given the number of people with each code."""
    if distance == "ordered":
        return ordered_distance(column, values, counts, hierarchy)
    if distance == "hierarchical":
        if hierarchy is None:
            raise InvalidValueError(
                f"the hierarchical distance needs a hierarchy of {column!r}; add its file to the folder of "
                "hierarchies (--hierarchies), or use the equal distance"
            )
        return hierarchical_distance(column, values, counts, hierarchy)
    return EQUAL_DISTANCE


def _diversity(guarded: Sequence[str], options: ReleaseOptions, t: Fraction | None) -> Iterator[Diversity]:
    """Yield the requirements on equivalence classes for the sensitive columns that go out."""
    least = as_count(options.l, "l", at_least=1)
    entropy = _above(options.entropy_l, "entropy_l", 1)
    c = _above(options.recursive_c, "recursive_c", 0)
    beta = _above(options.beta_likeness, "beta_likeness", 0)
    delta = _above(options.delta_disclosure, "delta_disclosure", 0)
    compared = {"t": t, "beta_likeness": beta, "delta_disclosure": delta}
    wanted = {"l": least if least > 1 else None, "entropy_l": entropy, "recursive_c": c, **compared}
    given = [name for name, value in wanted.items() if value is not None]
    if given and not guarded:
        raise InvalidValueError(
            f"{given[0]} needs a sensitive column that goes out; name one with sensitive and keep it"
        )
    if c is not None and least < MIN_RECURSIVE_L:
        raise InvalidValueError("recursive_c sets recursive (c, l)-diversity; set l too, to at least 2")
    if options.t_distance != "equal" and t is None:
        raise InvalidValueError(f"t_distance needs t-closeness, got {options.t_distance!r} without t; set t")
    if options.t_against != "file" and not {*compared} & {*given}:
        raise InvalidValueError(
            f"t_against needs {', '.join(compared)}, got {options.t_against!r} without any of them; set one"
        )
    for column in guarded:
        if c is not None:
            yield Recursive(column, Fraction(str(c)), least)  # which has l values, too
        elif least > 1:
            yield Distinct(column, least)
        if entropy is not None:
            yield Entropy(column, entropy)
        if t is not None:
            yield Closeness(column, t)
        if beta is not None:
            yield Likeness(column, Fraction(str(beta)))
        if delta is not None:
            yield Disclosure(column, delta)


def _above(value: float | None, name: str, least: int) -> float | None:
    number = None if value is None else as_real(value, name)
    if number is not None and not least < number < math.inf:
        raise InvalidValueError(f"{name} must be above {least} and finite, got {number:g}")
    return number
