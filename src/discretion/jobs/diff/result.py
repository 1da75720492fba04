"""The result of comparing two tables, and its document: the decision, its reasons, the remedies and the numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Literal

from discretion.anonymity import as_fraction
from discretion.anonymity.pairs.differences import Changes, Differencing, RowMatching
from discretion.estimate import Estimate
from discretion.jobs.diff.parts import OF_PERSONS, SMALLEST, ComparedColumns, Join, SideExposure, Without, diff_measures
from discretion.jobs.gates import Number, numbers_in
from discretion.jobs.options.tables import ReleaseOptions
from discretion.presenting.json_answers import finite, plain
from discretion.presenting.names import briefly, listed
from discretion.presenting.numbers import between, is_any_share, people, percent, percent_upwards
from discretion.presenting.sentences import exposed, not_read
from discretion.presenting.shell import Command
from discretion.presenting.views.document import Abridged, Block, Bullets, Document, Grid, Section
from discretion.presenting.views.result import JobResult, number_row

Decision = Literal["publish", "do not publish", "not decided"]


@dataclass(frozen=True, repr=False)
class Diff(JobResult):
    """The comparison of two tables of people.

    Parameters
    ----------
    old, new
        The tables that were read.
    k, budget, sensitive, person
        The options.
    columns
        The columns of both tables, and the form in which they are compared.
    before, after
        The exposure of each table by its own columns, without the sensitive ones.
    shared_before, shared_after
        The exposure of each table by the shared columns alone.
    matching
        The matching of rows on all shared columns.
    differencing
        The people who are singled out by comparing the tables, on the shared columns that are not sensitive.
    values_told
        A shared sensitive column → the number of people whose value the difference reveals with certainty.
    changes
        The people who came, went and changed, if a column names the persons.
    join
        The exposure by a join; None if one table has no columns other than the shared ones.
    old_numbers, new_numbers
        The numbers of each table by the names that gates use.
    not_read
        The parts of either table's source that were not read, such as other sheets of a workbook.
    without
        The exposure if the new table goes out without one of its columns; empty if it may go out unchanged.
    """

    old: str
    new: str
    k: int
    budget: float
    sensitive: tuple[str, ...]
    person: str | None
    columns: ComparedColumns
    before: SideExposure
    after: SideExposure
    shared_before: SideExposure
    shared_after: SideExposure
    matching: RowMatching
    differencing: Differencing
    values_told: Mapping[str, int]
    changes: Changes | None
    join: Join | None
    old_numbers: Mapping[str, Number]
    new_numbers: Mapping[str, Number]
    not_read: tuple[str, ...] = ()
    without: tuple[Without, ...] = ()

    @property
    def is_the_same(self) -> bool:
        """Whether the tables are the same: the same columns, and the same rows equally often."""
        columns = self.columns
        apart = columns.only_old or columns.only_new or columns.left_out or columns.coarsened
        return not (apart or self.matching.only_old or self.matching.only_new)

    @property
    def is_of_others(self) -> bool:
        """Whether fewer than half of the smaller table's rows are in the other: hardly two versions of one table."""
        return 2 * self.matching.in_both < min(self.before.people, self.after.people)

    @property
    def may_be_of_the_same(self) -> bool:
        """Whether rows hardly match although both tables may be of the same people: most stayed, or it is not known."""
        stayed = None if self.changes is None else self.changes.stayed
        return self.is_of_others and (stayed is None or 2 * stayed >= min(self.before.people, self.after.people))

    @property
    def found(self) -> int:
        """The number of people whom the difference singles out."""
        return self.differencing.added_found + self.differencing.removed_found

    @property
    def decision(self) -> Decision:
        """The decision whether to publish the new table in addition to the old one.

        It is "do not publish" if the new table by itself or joined exposes more than the budget, or if the difference
        of two versions singles out anybody or reveals a sensitive value. It is "not decided" if only the upper bound on
        the join is above the budget, or if rows hardly match although both may be of the same people. An identical
        table reveals nothing new.
        """
        if self.is_the_same:
            return "publish"
        singles_out = not self.is_of_others and (self.found or any(self.values_told.values()))
        most = as_fraction(self.budget) * self.after.people
        joined = self.after.exposed_people if self.join is None else self.join.exposed_people
        low, high = (joined.low, joined.high) if isinstance(joined, Estimate) else (joined, joined)
        if singles_out or low > most:
            return "do not publish"
        return "publish" if high <= most and not self.may_be_of_the_same else "not decided"

    @property
    def measures(self) -> dict[str, Number | None]:
        """The numbers that a gate may name, None for a number that is missing."""
        numbers: dict[str, Number | None] = dict.fromkeys(diff_measures(self.sensitive))
        before: dict[str, Number] = {**self.old_numbers, SMALLEST: self.before.smallest_class}
        after: dict[str, Number] = {**self.new_numbers, SMALLEST: self.after.smallest_class}
        numbers |= {f"old.{name}": value for name, value in before.items()}
        numbers |= {f"new.{name}": value for name, value in after.items()}
        for name, value in after.items():
            was = before.get(name)
            if was is not None and not isinstance(value, Estimate) and not isinstance(was, Estimate):  # all are counted
                numbers[f"rise.{name}"] = 0 if value == was else value - was  # both may be infinite
        numbers |= {
            "rows_in_both": self.matching.in_both,
            "rows_only_in_old": self.matching.only_old,
            "rows_only_in_new": self.matching.only_new,
            "linked_people": self.matching.linked,
            "added_found": self.differencing.added_found,
            "removed_found": self.differencing.removed_found,
            "found_only_by_both": self.differencing.hidden,
        }
        joined = self.join
        exposed = self.after.exposed_people if joined is None else joined.exposed_people
        numbers["join.exposed_people"] = exposed
        if isinstance(exposed, int):
            numbers["join.exposure"] = Fraction(exposed, self.after.people)
        elif joined is not None:
            numbers["join.exposure"] = joined.exposure
        numbers |= {f"values_told:{name}": singles_out for name, singles_out in self.values_told.items()}
        if self.changes is not None:
            numbers |= {f"persons.{name}": getattr(self.changes, name) for name in ("added", "removed", "changed")}
        return numbers

    @property
    def missing(self) -> dict[str, str]:
        """The reason for each number that may be missing."""
        reasons = dict.fromkeys(diff_measures(self.sensitive), "it cannot be counted for these two tables")
        reasons |= dict.fromkeys(OF_PERSONS, "no column names the people; name it with --person")
        for name in diff_measures(self.sensitive):
            side, secret = name.partition(".")[0], name.partition(":")[2]
            which = "OLD" if side == "old" else "NEW" if side == "new" else "both tables"
            if secret and secret in self.columns.left_out:
                reasons[name] = f"the values of {secret} in the two tables hardly overlap, so they are not compared"
            elif secret:
                reasons[name] = f"the sensitive column {secret} is not in {which}"
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dicts, lists, numbers and strings, ready for JSON."""
        measures = {
            name: float(value) if isinstance(value, Fraction) else value
            for name, value in self.measures.items()
            if value is not None
        }
        inside = [field.name for field in fields(self) if field.name not in ("old_numbers", "new_numbers")]
        results = {"decision": self.decision} | {name: plain(getattr(self, name)) for name in inside}
        return results | {"measures": finite(plain(measures))}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number."""
        return (number_row(name, value) for name, value in numbers_in(self.measures).items())

    def document(self) -> Document:
        """Return the document."""
        return _document(self)


Numbers = Mapping[str, int | Fraction]

# A first screen shows the effect of leaving out each of at most this many columns.
_SHOWN = 5
# A measure → its name in a table. The number of exposed people is not shown next to their share.
_NAMES = {
    "people": "people",
    "exposure": "exposed",
    "unique_people": "unique people",
    "smallest_class": "smallest class",
}
_LESS_IS_WORSE = "smallest_class"


def _document(diff: Diff) -> Document:
    """Return the document of two tables."""
    measures = Section("Each table by itself", (_measures(diff),))
    title = _decision(diff)
    if diff.is_the_same:
        return Document(title, tuple(_changes(diff)), (measures,), kind="diff", line=title)
    reasons = (*_reasons(diff), *_left_out(diff))
    sections = [measures, Section("How the rows match", tuple(_matching(diff)), "full")]
    if diff.without:
        sections.insert(0, Section("Leaving one column out of NEW", (_without(diff),)))
    if steps := tuple(_steps(diff)):
        sections.insert(0, Section("What to do", (Bullets(steps),)))
    if notes := tuple(_columns(diff)):
        sections.append(Section("How the columns fit each other", (Bullets(notes),), "full"))
    return Document(title, (Bullets(reasons),), tuple(sections), kind="diff", line=title)


def _decision(diff: Diff) -> str:
    new, old = f"NEW ({diff.new})", f"OLD ({diff.old})"
    if diff.is_the_same:
        return (
            f"Nothing differs: {new} has the same columns and rows as {old}, so both together reveal no more than one."
        )
    match diff.decision:
        case "publish":
            return (
                f"You can publish {new} in addition to {old}: together they single out nobody, and expose at most "
                f"{percent(diff.budget)} of the people."
            )
        case "do not publish":
            return f"Do not publish {new} unchanged in addition to {old}."
        case _:
            open_question = (
                "whether both tables are of the same people"
                if diff.may_be_of_the_same
                else "the exposure by joining the tables"
            )
            return f"Not decided: whether you can publish {new} in addition to {old} depends on {open_question}."


def _reasons(diff: Diff) -> Iterator[str]:
    after = diff.after
    if diff.is_of_others:
        share = percent(diff.matching.in_both / min(diff.before.people, after.people))
        yield (
            f"Only {share} of the rows match: the tables are of different people, or in different forms. Rows that "
            "were added or removed between them then show little, and the decision does not count them."
        )
    else:
        yield from _differencing(diff)
    yield from _changes(diff)
    if after.exposure > diff.budget:
        yield (
            f"In NEW alone {exposed(after.exposed_people, after.people)}: fewer than {diff.k} people share their "
            f"values. The budget is {percent(diff.budget)}."
        )
    if diff.join is not None:
        yield from _join(diff)
    yield from not_read(diff.not_read)


def _changes(diff: Diff) -> Iterator[str]:
    if (changes := diff.changes) is not None:
        yield (
            f"By {diff.person}, {people(changes.added)} came, {people(changes.removed)} went and {changes.stayed:,} "
            f"stayed; of these, {people(changes.changed)} changed in the shared columns."
        )


def _differencing(diff: Diff) -> Iterator[str]:
    counts = diff.differencing
    known = tuple(name for name in diff.columns.shared if name not in diff.sensitive)
    for count, whole, how, verb in (
        (counts.added_found, counts.added, "added", "come"),
        (counts.removed_found, counts.removed, "removed", "go"),
    ):
        if count:
            was = "was" if count == 1 else "were"
            stands = "stands out" if count == 1 else "stand out"
            of_all = f" of {whole:,}" if whole > count else ""
            yield (
                f"{people(count)}{of_all} {was} {how} between the two and {stands}: an adversary with both tables "
                f"sees fewer than {diff.k} people {verb} with the same values of {briefly(known)}."
            )
    if counts.hidden:
        yield (
            f"Each table alone hides {people(counts.hidden)} of these among {diff.k} or more; only both together "
            "reveal them."
        )
    if not diff.found:
        yield "Comparing the tables singles out nobody."
    for name, count in diff.values_told.items():
        if count:
            yield (f"The difference reveals the {name} of {people(count)} who came or went; neither table alone does.")


def _join(diff: Diff) -> Iterator[str]:
    join = diff.join
    assert join is not None
    certified = between(join.certified.low, join.certified.high)
    if isinstance(join.exposure, Estimate):
        same = ""
        if join.if_the_same is not None:
            least = percent(join.if_the_same / diff.after.people)
            same = f" The shared columns agree row for row: if both tables are of the same people, at least {least}."
        if is_any_share(join.certified):
            yield (
                "Nothing can be concluded on how many people in NEW are exposed if the tables are joined person by "
                f"person.{same}"
            )
        else:
            yield f"Joined person by person, the tables expose {certified} of the people in NEW (certified).{same}"
    else:
        yield (
            f"Joined by {diff.person}, the tables expose {percent(join.exposure)} of the people in NEW (exact; "
            f"without {diff.person}, {certified} is certified)."
        )
    if linked := diff.matching.linked:
        yield (
            f"For {people(linked)} the row in each table matches exactly one row of the other: an adversary that "
            "takes both rows for one person learns the columns of both tables about them."
        )


def _steps(diff: Diff) -> Iterator[str]:
    if diff.decision == "publish":
        return
    counts, join = diff.differencing, diff.join
    if diff.found and not diff.is_of_others:
        if counts.added_found:
            yield f"Leave the added people out of NEW until at least {diff.k} come with the same values."
        if counts.removed_found:
            yield "The removed people are still in OLD: keep them in NEW if they agree, or withdraw OLD."
        best = min(diff.without, key=lambda each: each.found, default=None)
        if best is not None and best.found < diff.found:
            yield (
                f"Or leave {listed((best.column,))} out of NEW: the comparison then singles out "
                f"{people(best.found)} instead of {diff.found:,}."
            )
        elif diff.without:
            yield "Leaving a single column out of NEW hides none of them."
    if diff.may_be_of_the_same:
        yield "Compare only columns that do not change (--columns), or name the column of the persons (--person)."
    if diff.after.exposure > diff.budget and diff.person is None:  # a release is of people with one row each
        same = ReleaseOptions(k=diff.k, budget=diff.budget, sensitive=diff.sensitive).arguments()
        yield f"Generalize NEW with {Command(['discretion', 'release', diff.new, *same, '--out=new.parquet'])}."
    if join is not None and join.certified.high > diff.budget:
        best = min(
            (each for each in diff.without if each.join is not None), key=lambda each: each.join or 0, default=None
        )
        if best is not None and best.join is not None and best.join < join.most:
            yield f"Leave {listed((best.column,))} out of NEW: the join then exposes {_share(diff, best.join)}."
        if isinstance(join.exposure, Estimate):
            yield "If you may join the tables, count the join: --person COLUMN, a column that names people in both."


def _share(diff: Diff, join: float) -> str:
    return f"at most {percent_upwards(join)}" if diff.person is None else percent(join)


def _without(diff: Diff) -> Block:
    joined = any(each.join is not None for each in diff.without)
    heads = ("NEW without", "singled out", "exposed", *(["joined"] if joined else []))
    rows: list[tuple[str, ...]] = []
    for each in diff.without:
        cells = (each.column, f"{each.found:,}", percent(each.exposure))
        rows.append((*cells, *(["" if each.join is None else _share(diff, each.join)] if joined else [])))
    whole = Grid(heads, tuple(rows), frozenset(heads[:1]))
    if len(rows) <= _SHOWN:
        return whole
    brief = replace(whole, rows=whole.rows[:_SHOWN], note=f"and {len(rows) - _SHOWN:,} more, in --full")
    return Abridged((brief,), (whole,))


def _measures(diff: Diff) -> Grid:
    own = [replace(each, guesses=()) for each in (diff.before, diff.after)]
    apart = own != [diff.shared_before, diff.shared_after]
    heads = ("", "OLD", "NEW", "NEW is", *(("OLD, shared columns", "NEW, shared columns") if apart else ()))
    before, after = diff.before.numbers, diff.after.numbers
    shared = [diff.shared_before.numbers, diff.shared_after.numbers] if apart else []
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys([*before, *after]):
        measure, _, column = name.partition(":")
        words = _NAMES.get(name) or f"{column} {'guessed' if measure == 'guess' else 'certain'}"
        if name != "exposed_people":
            cells = [_cell(each.get(name)) for each in (before, after, *shared)]
            rows.append((words, *cells[:2], _verdict(name, before, after, cells), *cells[2:]))
    return Grid(heads, tuple(rows), frozenset(["", "NEW is"]))


def _cell(value: int | Fraction | None) -> str:
    return "" if value is None else percent(float(value), 3) if isinstance(value, Fraction) else f"{value:,}"


def _verdict(name: str, before: Numbers, after: Numbers, cells: list[str]) -> str:
    if name == "people" or name not in before or name not in after:
        return ""
    if cells[0] == cells[1]:
        return "the same"
    return "better" if (after[name] < before[name]) != (name == _LESS_IS_WORSE) else "worse"


def _matching(diff: Diff) -> Iterator[Block]:
    matching = diff.matching
    yield (
        f"Rows, by {briefly(diff.columns.shared)}: {matching.in_both:,} in both, {matching.only_old:,} only in OLD, "
        f"{matching.only_new:,} only in NEW."
    )
    heads = ("rows with the same values in the other table", "people", "none", "one", f"some, under {diff.k}")
    sides = (("of OLD", matching.of_old, diff.before), ("of NEW", matching.of_new, diff.after))
    yield Grid(
        heads,
        tuple(
            (name, f"{side.people:,}", *(percent(count / side.people, 3) for count in (rows.none, rows.one, rows.few)))
            for name, rows, side in sides
        ),
        frozenset(heads[:1]),
    )


def _columns(diff: Diff) -> Iterator[str]:
    columns = diff.columns
    for names, where in ((columns.only_old, "OLD"), (columns.only_new, "NEW")):
        if names:
            yield f"Only in {where}: {listed(names)}."
    for name, which in columns.coarsened.items():
        yield f"{name} is compared in the coarser form of {which.upper()}."
    for name, kinds in columns.retyped.items():
        yield f"{name} has {kinds[0]} in OLD and {kinds[1]} in NEW: it is compared as text."
    partly = [name for name in columns.overlaps if name not in columns.left_out]
    for name in partly[:_SHOWN]:
        yield f"{name}: {_overlap(diff, name)}; the other rows match no row."
    if len(partly) > _SHOWN:
        yield f"{len(partly) - _SHOWN:,} more columns overlap only in part; --json lists them."


def _left_out(diff: Diff) -> Iterator[str]:
    """Yield a sentence for each column that the decision does not count, with the reason."""
    for name in diff.columns.left_out:
        yield (
            f"{name} is left out of the matching: {_overlap(diff, name)}, so it has another form, or the people are "
            "others. The decision does not count what it reveals about people who came or went."
        )


def _overlap(diff: Diff, name: str) -> str:
    old, new = diff.columns.overlaps[name]
    return f"{percent(old, 3)} of the rows of OLD and {percent(new, 3)} of those of NEW have a value of the other table"
