"""A release for a terminal: what became of each column, what the file shows, and what it cost."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType

from discretion.jobs.release.result import Release
from discretion.presenting.numbers import bits, people, percent
from discretion.presenting.tables import plain_table, plain_words

# A bound above this says nothing.
_NEARLY_ALL = 0.9999
_WORTH = {
    "entropy": "what the table's columns tell of people (their entropy), those not in the file included",
    "precision": "the precision of the table's columns, those not in the file included",
    "discernibility": "the pairs of people that the table's columns tell apart, those not in the file included",
}


def to_text(found: Release) -> Group:
    """Return what a terminal shows of a release."""
    return Group(*_parts(found))


def _parts(found: Release) -> Iterator[RenderableType]:
    checked, goal = found.checked, found.goal
    share = percent(checked.failing_people / checked.people)
    exposed = f"{people(checked.failing_people)} ({share})" if checked.failing_people else "nobody"
    yield plain_words(
        f"{found.out}: {people(checked.people)} of {found.people:,}. Read back and audited, it exposes {exposed}; the "
        f"goal is at most {percent(goal['budget'])} in groups of fewer than {goal['k']}{_or_alike(goal)}. The smallest "
        f"group has {people(checked.smallest_class)}."
    )
    for guess in checked.guesses:
        rate, chance = percent(guess.after), percent(guess.before)
        yield plain_words(f"{guess.sensitive} is guessed right {rate} of the time instead of {chance}.")
    table = plain_table("column", "do", "how", "bits", "lost", "values")
    table.columns[1].justify = table.columns[2].justify = "left"
    for each in found.columns:
        table.add_row(each.column, each.verdict, each.how, bits(each.bits), bits(each.bits_lost), f"{each.values:,}")
    yield table
    if found.ended == "proved":
        proof = "no other choice of views within the goal keeps more: proved"
    elif found.bound < _NEARLY_ALL:
        proof = (
            f"no choice of views within the goal keeps more than {percent(found.bound)}: the search ended before its "
            "proof"
        )
    else:
        proof = "the search ended before it could say how much another choice of views keeps at most"
    yield plain_words(f"It keeps {percent(found.kept)} of {_WORTH[goal['utility']]}; {proof}.")
    if found.suppressed or found.blanked:
        blank = f", {people(found.blanked)} with {found.blank_cells:,} cells left blank" if found.blanked else ""
        left = people(found.suppressed) if found.suppressed else "Nobody"
        yield plain_words(f"{left} left out{blank}: {percent(found.suppression_cost)} of it.")
    for part in found.left_out:
        yield plain_words(f"Not read: {part}.")
    yield plain_words(f"What was asked and done: {found.out}.discretion.json")


def _or_alike(goal: Mapping[str, Any]) -> str:
    """Return what else exposes the people of a group."""
    asked = [f"l={goal['l']}"] if goal["l"] > 1 else []
    asked += [f"{said}={goal[name]:g}" for name, said in (("entropy_l", "entropy l"), ("t", "t")) if goal[name]]
    return f" or without {' and '.join(asked)}" if asked else ""
