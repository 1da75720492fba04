"""Two tables side by side for a terminal: the decision, its reasons, what to do, and then the numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from rich.console import Group, RenderableType

from discretion.estimate import Estimate
from discretion.jobs.diff.result import Diff
from discretion.presenting.names import briefly, listed
from discretion.presenting.numbers import between, is_any_share, people, percent, percent_upwards
from discretion.presenting.tables import plain_table, plain_words, with_rest

Numbers = Mapping[str, int | Fraction]

_SHOWN = 5
# A measure as a table has it → what it is called there. The share says what the people exposed do.
_CALLED = {
    "people": "people",
    "exposure": "exposed",
    "unique_people": "unique people",
    "smallest_class": "smallest class",
}
_LESS_IS_WORSE = "smallest_class"


def to_text(found: Diff) -> Group:
    """Return what a terminal shows of two tables."""
    return Group(*_parts(found))


def _parts(found: Diff) -> Iterator[RenderableType]:
    yield plain_words(_decision(found), style="bold")
    if found.is_the_same:
        yield from map(plain_words, _followed(found))
        yield _measures(found)
        return
    yield from (plain_words(f"- {reason}") for reason in _reasons(found))
    if steps := [*_steps(found)]:
        yield plain_words("What to do:")
        yield from (plain_words(f"- {step}") for step in steps)
    if found.without:
        yield _without(found)
    yield _measures(found)
    yield from _matching(found)
    yield from map(plain_words, _columns(found))


def _decision(found: Diff) -> str:
    new, old = f"NEW ({found.new})", f"OLD ({found.old})"
    if found.is_the_same:
        return f"Nothing differs: {new} has the columns and the rows of {old}, so who has both learns no more."
    match found.decision:
        case "publish":
            return f"{new} may go out beside {old}: both find nobody, and expose no more than {percent(found.budget)}."
        case "do not publish":
            return f"Do not publish {new} beside {old} as it is."
        case _:
            hangs = "whether both are of the same people" if found.may_be_of_the_same else "what joining both exposes"
            return f"Not decided: whether {new} may go out beside {old} hangs on {hangs}."


def _reasons(found: Diff) -> Iterator[str]:
    after = found.after
    if found.is_of_others:
        share = percent(found.matching.in_both / min(found.before.people, after.people))
        yield (
            f"Only {share} of the rows match: the two are of different people, or in different forms. Who came or went "
            "between them says little then, and is left out of the decision."
        )
    else:
        yield from _differenced(found)
    yield from _followed(found)
    if after.exposure > found.budget:
        yield (
            f"NEW alone exposes {people(after.exposed_people)} ({percent(after.exposure)}) with fewer than {found.k} "
            f"alike; the budget is {percent(found.budget)}."
        )
    if found.join is not None:
        yield from _joined(found)
    for part in found.not_read:
        yield f"Not read of {part}."


def _followed(found: Diff) -> Iterator[str]:
    if (said := found.changes) is not None:
        yield (
            f"By {found.person}, {people(said.added)} came, {people(said.removed)} went and {said.stayed:,} stayed; of "
            f"these, {people(said.changed)} changed in what both share."
        )


def _differenced(found: Diff) -> Iterator[str]:
    told = found.differencing
    known = tuple(name for name in found.columns.shared if name not in found.sensitive)
    for count, of, how, verb in (
        (told.added_found, told.added, "added", "come"),
        (told.removed_found, told.removed, "removed", "go"),
    ):
        if count:
            was = "was" if count == 1 else "were"
            stands = "stands out" if count == 1 else "stand out"
            of_all = f" of {of:,}" if of > count else ""
            yield (
                f"{people(count)}{of_all} {was} {how} between the two and {stands}: who has both sees fewer than "
                f"{found.k} {verb} with the same values of {briefly(known)}."
            )
    if told.hidden:
        yield f"Each table alone hides {people(told.hidden)} of these among {found.k} or more; only both tell."
    if not found.found:
        yield "Nobody is found by taking one from the other."
    for name, secrets in found.values_told.items():
        if secrets:
            yield f"The difference tells the {name} of {people(secrets)} who came or went; neither table alone does."


def _joined(found: Diff) -> Iterator[str]:
    join = found.join
    assert join is not None
    certified = between(join.certified.low, join.certified.high)
    if isinstance(join.exposure, Estimate):
        same = ""
        if join.if_the_same is not None:
            least = percent(join.if_the_same / found.after.people)
            same = f" The shared columns agree row for row: if both are of the same people, it is {least} or more."
        if is_any_share(join.certified):
            yield (
                "Nothing can be concluded on how many people in NEW both expose if they are joined person by person."
                f"{same}"
            )
        else:
            yield f"Joined person by person, both expose {certified} of the people in NEW (certified).{same}"
    else:
        yield (
            f"Joined by {found.person}, both expose {percent(join.exposure)} of the people in NEW (counted; without "
            f"{found.person}, {certified} is certified)."
        )
    if linked := found.matching.linked:
        yield (
            f"Of {people(linked)} the row in each table matches that one row of the other and no more: whoever takes "
            "both for one person knows what only OLD tells beside what only NEW tells."
        )


def _steps(found: Diff) -> Iterator[str]:
    if found.decision == "publish":
        return
    told, join = found.differencing, found.join
    if found.found and not found.is_of_others:
        if told.added_found:
            yield f"Leave whoever was added out of NEW until {found.k} or more come with the same values."
        if told.removed_found:
            yield "Who was removed is in OLD in any case: keep her in NEW if she agrees, or withdraw OLD."
        best = min(found.without, key=lambda each: each.found, default=None)
        if best is not None and best.found < found.found:
            yield f"Or leave {listed((best.column,))} out of NEW: it is {people(best.found)} of {found.found:,} then."
        elif found.without:
            yield "Leaving a column out of NEW hides none of them."
    if found.may_be_of_the_same:
        yield "Compare only columns that stay as they are (--columns), or say who the people are (--person)."
    if found.after.exposure > found.budget and found.person is None:  # a release is of people with one row each
        sensitive = f" --sensitive {','.join(found.sensitive)}" if found.sensitive else ""
        yield f"Make NEW coarser with discretion release, with --k {found.k} --budget {found.budget:g}{sensitive}."
    if join is not None and join.certified.high > found.budget:
        best = min(
            (each for each in found.without if each.join is not None), key=lambda each: each.join or 0, default=None
        )
        if best is not None and best.join is not None and best.join < join.most:
            yield f"Leave {listed((best.column,))} out of NEW: then the join exposes {_share(found, best.join)}."
        if isinstance(join.exposure, Estimate):
            yield "Where the join may be made, have it counted: --person COLUMN, which names people in both."


def _share(found: Diff, join: float) -> str:
    return f"at most {percent_upwards(join)}" if found.person is None else percent(join)


def _without(found: Diff) -> RenderableType:
    joined = any(each.join is not None for each in found.without)
    table = plain_table("NEW without", "found", "exposed", *(["joined"] if joined else []))
    for each in found.without[:_SHOWN]:
        cells = [each.column, f"{each.found:,}", percent(each.exposure)]
        table.add_row(*cells, *(["" if each.join is None else _share(found, each.join)] if joined else []))
    return with_rest(table, len(found.without))


def _measures(found: Diff) -> RenderableType:
    own = [replace(each, guesses=()) for each in (found.before, found.after)]
    apart = own != [found.shared_before, found.shared_after]
    heads = ["by what both share, OLD", "NEW"] if apart else []
    table = plain_table("", "OLD", "NEW", "NEW is", *heads)
    before, after = found.before.numbers, found.after.numbers
    shared = [found.shared_before.numbers, found.shared_after.numbers] if apart else []
    for name in dict.fromkeys([*before, *after]):
        measure, _, column = name.partition(":")
        called = _CALLED.get(name) or f"{column} {'guessed' if measure == 'guess' else 'certain'}"
        if name != "exposed_people":
            cells = [_said(each.get(name)) for each in (before, after, *shared)]
            table.add_row(called, *cells[:2], _verdict(name, before, after, cells), *cells[2:])
    return table


def _said(value: int | Fraction | None) -> str:
    return "" if value is None else percent(float(value), 3) if isinstance(value, Fraction) else f"{value:,}"


def _verdict(name: str, before: Numbers, after: Numbers, said: list[str]) -> str:
    if name == "people" or name not in before or name not in after:
        return ""
    if said[0] == said[1]:
        return "the same"
    return "better" if (after[name] < before[name]) != (name == _LESS_IS_WORSE) else "worse"


def _matching(found: Diff) -> Iterator[RenderableType]:
    told = found.matching
    yield plain_words(
        f"Rows, by {briefly(found.columns.shared)}: {told.in_both:,} in both, {told.only_old:,} only in OLD, "
        f"{told.only_new:,} only in NEW."
    )
    table = plain_table("look-alikes in the other", "people", "none", "one", f"some, under {found.k}")
    for name, of, side in (("of OLD", told.of_old, found.before), ("of NEW", told.of_new, found.after)):
        table.add_row(
            name, f"{side.people:,}", *(percent(count / side.people, 3) for count in (of.none, of.one, of.few))
        )
    yield table


def _columns(found: Diff) -> Iterator[str]:
    columns = found.columns
    for names, where in ((columns.only_old, "OLD"), (columns.only_new, "NEW")):
        if names:
            yield f"Only in {where}: {listed(names)}."
    for name, which in columns.coarsened.items():
        yield f"{name} is compared as coarsely as {which.upper()} has it."
    for name, kinds in columns.retyped.items():
        yield f"{name} holds {kinds[0]} in OLD and {kinds[1]} in NEW: compared as text."
    for name in columns.left_out:
        yield (
            f"{name} is left out of the matching: {_overlap(found, name)}, so it is in another form, or of other "
            "people. What it tells of who came or went is not counted."
        )
    partly = [name for name in columns.overlaps if name not in columns.left_out]
    for name in partly[:_SHOWN]:
        yield f"{name}: {_overlap(found, name)}; the other rows match none."
    if len(partly) > _SHOWN:
        yield f"So it is with {len(partly) - _SHOWN:,} more columns, in --json."


def _overlap(found: Diff, name: str) -> str:
    old, new = found.columns.overlaps[name]
    return f"{percent(old, 3)} of the rows of OLD have a value that NEW has too, and {percent(new, 3)} of those of NEW"
