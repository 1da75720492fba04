"""The refusal where nothing useful is within a goal: what comes nearest, what it misses, and the ways out."""

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
    """Return that nothing meets the goal, and by how much the coarsest views of what is kept, or of a column, miss it.

    ``secrets`` are the sensitive columns, and ``most_suppressed`` people may be left out. ``chosen``: there is no other
    choice than these views.
    """
    coarsest = {name: some[-1] for name, some in views.items()}
    if not any(view.bits for view in coarsest.values()):
        return f"the file would show nothing: all people have the same {', '.join(coarsest)}; give columns that differ"
    together = [name for name in kept if name in coarsest]
    if not together:
        together = [min(coarsest, key=lambda name: _failing(coarsest[name].column, secrets, goal))]
    missed = list(_missed([coarsest[name] for name in together], secrets, goal, most_suppressed)) or [
        ("takes more people to be left out than may be", ("raise max_suppressed",))  # for others that are left out
    ]
    ways = list(dict.fromkeys(way for _, some in missed for way in some))
    if len(together) > 1:
        ways.append("keep fewer columns")
    subject = (
        f"what was chosen to go out is not within the goal: {', '.join(together)}, generalized as given,"
        if chosen
        else f"no useful release is within the goal: what comes nearest, {', '.join(together)} as coarse as can be,"
    )
    misses = " and ".join(what for what, _ in missed)
    return f"{subject} {misses}; {', '.join(ways[:-1])}{' or ' if ways[:-1] else ''}{ways[-1]}"


def _failing(classes: Column, secrets: Secrets, goal: ReleaseGoal) -> tuple[int, int]:
    """Return how many people are exposed, and how many are guessed right."""
    right = sum(best_guesses(classes, secret)[0] for secret in secrets.values())
    return int(goal.failing(classes, secrets).sum()), right


def _missed(
    shown: Sequence[Generalization], secrets: Secrets, goal: ReleaseGoal, most_suppressed: int
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what the generalizations miss of the goal with nobody left out, and what to do about each."""
    classes = reduce(refined, [view.column for view in shown])
    people = classes.codes.size
    more = ("raise budget or max_suppressed",)
    if (exposed := goal.exposed(classes)) > goal.budget * people:
        yield f"has {percent(exposed / people)} of the people in groups of fewer than {goal.k}", (*more, "lower k")
    elif (rare := int(np.logical_or.reduce([view.shows_rare(goal.k) for view in shown]).sum())) > most_suppressed:
        yield f"shows of {rare:,} people what fewer than {goal.k} have", ("raise max_suppressed", "lower k")
    for diversity in goal.diversity:
        groups = count_class_values(classes, secrets[diversity.column], 0)
        failing = int(groups.sizes[diversity.fails(groups)].sum())
        if failing > goal.budget * people:
            yield f"has {percent(failing / people)} in groups without {diversity}", (*more, "ask for less of that")
    for name, secret in secrets.items():
        right, certain = best_guesses(classes, secret)
        rise = right - int(np.bincount(secret.codes).max())
        if rise > goal.rise * people:
            yield f"has {name} guessed right of {percent(rise / people)} more of the people", ("raise guess_budget",)
        if goal.certain is not None and certain > goal.certain * people:
            yield f"has {name} certain of {percent(certain / people)} of the people", ("raise certain_budget",)
