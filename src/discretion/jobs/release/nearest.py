"""The error message if nothing useful is within a goal: the nearest choice, how it misses, and the ways out."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from discretion.anonymity.releasing.diversity import count_class_values
from discretion.anonymity.releasing.generalizations import Generalization
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.numerics.equivalence_classes import Column, best_guesses, refined
from discretion.presenting.numbers import percent

Secrets = Mapping[str, Column]


def nearest(
    views: Mapping[str, Sequence[Generalization]],
    secrets: Secrets,
    goal: ReleaseGoal,
    kept: Sequence[str],
    most_suppressed: int,
    *,
    chosen: bool = False,
) -> str:
    """Return the message that nothing meets the goal, with how the coarsest kept columns, or one column, miss it.

    ``secrets`` are the sensitive columns, and ``most_suppressed`` people may be left out. ``chosen``: the user gave
    these generalizations.
    """
    coarsest = {name: some[-1] for name, some in views.items()}
    if not any(view.bits for view in coarsest.values()):
        return f"the file would show nothing: all people have the same {', '.join(coarsest)}; give columns that vary"
    together = [name for name in kept if name in coarsest]
    if not together:
        together = [min(coarsest, key=lambda name: _failing(coarsest[name].column, secrets, goal))]
    missed = list(_missed([coarsest[name] for name in together], secrets, goal, most_suppressed)) or [
        ("needs more people left out than max_suppressed allows", ("raise max_suppressed",))  # for others left out
    ]
    ways = list(dict.fromkeys(way for _, some in missed for way in some))
    if len(together) > 1:
        ways.append("keep fewer columns")
    subject = (
        f"the chosen generalizations are not within the goal: {', '.join(together)}, generalized as given,"
        if chosen
        else f"no useful release is within the goal: the nearest, {', '.join(together)} as coarse as possible,"
    )
    misses = " and ".join(what for what, _ in missed)
    return f"{subject} {misses}; {', '.join(ways[:-1])}{' or ' if ways[:-1] else ''}{ways[-1]}"


def _failing(classes: Column, secrets: Secrets, goal: ReleaseGoal) -> tuple[int, int]:
    """Return the number of exposed people, and the number of correct guesses."""
    right = sum(best_guesses(classes, secret)[0] for secret in secrets.values())
    return int(goal.failing(classes, secrets).sum()), right


def _missed(
    shown: Sequence[Generalization], secrets: Secrets, goal: ReleaseGoal, most_suppressed: int
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield how the generalizations miss the goal with nobody left out, and the remedies."""
    classes = reduce(refined, [view.column for view in shown])
    people = classes.codes.size
    more = ("raise budget or max_suppressed",)
    if (exposed := goal.exposed(classes)) > goal.budget * people:
        yield f"has {percent(exposed / people)} of the people in classes of fewer than {goal.k}", (*more, "lower k")
    elif (rare := int(np.logical_or.reduce([view.shows_rare(goal.k) for view in shown]).sum())) > most_suppressed:
        yield (
            f"shows values of {rare:,} people that fewer than {goal.k} people have",
            ("raise max_suppressed", "lower k"),
        )
    for diversity in goal.diversity:
        groups = count_class_values(classes, secrets[diversity.column], 0)
        failing = int(groups.sizes[diversity.fails(groups)].sum())
        if failing > goal.budget * people:
            yield f"has {percent(failing / people)} in classes without {diversity}", (*more, "require less of that")
    for name, secret in secrets.items():
        right, certain = best_guesses(classes, secret)
        rise = right - int(np.bincount(secret.codes).max())
        if rise > goal.rise * people:
            yield (
                f"raises the correct guesses of {name} by {percent(rise / people)} of the people",
                ("raise guess_budget",),
            )
        if goal.certain is not None and certain > goal.certain * people:
            yield f"makes {name} certain for {percent(certain / people)} of the people", ("raise certain_budget",)
