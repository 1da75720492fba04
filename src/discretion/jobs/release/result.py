"""The result of a release: each column's generalization and loss, the numbers of the written file, and its document."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal

from discretion.anonymity import JointExposure
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.jobs.gates import Number
from discretion.jobs.release.blanks import BlankedColumn, blanks_section
from discretion.jobs.release.usefulness import ACCURACIES, ColumnDistribution, Prediction, usefulness_sections
from discretion.jobs.table_measures import ALL_COLUMNS, ON_REQUEST, GuessReport, table_measures
from discretion.numerics.search.explored_ideals import Ended
from discretion.presenting.json_answers import finite, plain
from discretion.presenting.names import briefly
from discretion.presenting.numbers import bits, people, percent
from discretion.presenting.sentences import exposed, not_read
from discretion.presenting.views.document import Abridged, Block, Document, Grid, Section
from discretion.presenting.views.result import JobResult
from discretion.spelling.rules import rule_of

_OF_FILE = ("failing_people", "smallest_class")
_OF_COST = (
    "suppressed", "kept", "bound", "suppression_cost", "blanked", "blank_cells", "information", "information_kept",
    "entropy_kept", "precision", "discernibility",
)  # fmt: skip


def release_measures(sensitive: Iterable[str], target: str | None = None) -> tuple[str, ...]:
    """Return the names of the numbers that a gate may name: of the file, of its cost, and of a prediction."""
    return (*table_measures(sensitive, ON_REQUEST), *_OF_FILE, *_OF_COST, *(ACCURACIES if target is not None else ()))


@dataclass(frozen=True)
class ReleasedColumn:
    """The verdict on a column and its loss of information.

    ``how`` describes the change in words. ``bits`` is the column's entropy, ``bits_lost`` the part of it that is lost
    by generalizing or dropping, and ``values`` the number of its values in the file. ``missing`` are the marks that
    were read as a missing value.
    """

    column: str
    verdict: Literal["publish", "generalize", "suppress", "drop"]
    how: str
    bits: float
    bits_lost: float
    values: int
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileExposure:
    """The exposure of the written file: exact, for the people in it.

    ``exposed_people`` are the people in classes of fewer than k, and ``failing_people`` those in classes that are that
    small or less diverse than the goal requires: the goal limits the latter. The adversary knows the columns that are
    not sensitive. ``guesses`` has an entry for each sensitive column, whether it is in the file or not.
    """

    people: int
    exposed_people: int
    exposure: float
    failing_people: int
    smallest_class: int
    unique_people: int
    guesses: tuple[GuessReport, ...]


@dataclass(frozen=True, repr=False)
class Release(JobResult):
    """A written table, its exposure and its cost.

    Parameters
    ----------
    table, out
        The table that was read, and the path of the file.
    goal
        The options, by name.
    people
        The number of people in the table.
    suppressed
        The number of these who are not in the file.
    columns
        The verdict on each column.
    publish
        The columns in the file and their generalizations, as the option ``publish`` takes them.
    kept
        The share of the whole table's utility that the file keeps, over all columns: of their joint information,
        unless another utility is given.
    bound
        An upper bound on the share that any choice of generalizations within the goal keeps, if the smallest classes
        are suppressed first.
    ended
        "proved", or the reason why the search ended before; "chosen" if the user gave the generalizations.
    suppression_cost
        The share of the utility that is lost with people who are left out and with blank cells.
    blanked, blank_cells
        The number of people in the file with a blank cell, and the number of such cells.
    information, information_kept
        The joint information of the file's columns in bits per person of the table, and its share of the whole
        table's information.
    entropy_kept, precision
        The share of the non-uniform entropy that the file keeps, and its precision, from 0 (nothing) to 1.
    discernibility
        Σ over classes of their size squared, and n for each person who is left out: lower is more useful.
    checked
        The exposure of the file when it is read back.
    sha256, version
        The SHA-256 of the file's bytes, and the version of Discretion.
    numbers
        The file's numbers by the names that gates use.
    left_out
        The parts of the table's source that were not read, such as other sheets of a workbook.
    distributions
        The distribution of each column of the file, in the table and in the file.
    prediction
        The accuracy of models of the table and of the file for the target, if there is one.
    blanks
        The cells that rules left blank in columns of the file, and their leakage.
    joint
        The exposure of the file together with a ledger, if it was entered in one.
    """

    table: str
    out: str
    goal: Mapping[str, Any]
    people: int
    suppressed: int
    columns: tuple[ReleasedColumn, ...]
    publish: tuple[str, ...]
    kept: float
    bound: float
    ended: Ended | Literal["chosen"]
    suppression_cost: float
    blanked: int
    blank_cells: int
    information: float
    information_kept: float
    entropy_kept: float
    precision: float
    discernibility: int
    checked: FileExposure
    sha256: str
    version: str
    numbers: Mapping[str, Number]
    left_out: tuple[str, ...] = ()
    distributions: tuple[ColumnDistribution, ...] = ()
    prediction: Prediction | None = None
    blanks: tuple[BlankedColumn, ...] = ()
    joint: JointExposure | None = None

    @property
    def measures(self) -> dict[str, Number | None]:
        """The numbers that a gate may name."""
        of_file: dict[str, Number | None] = {name: getattr(self.checked, name) for name in _OF_FILE}
        accuracies = {} if self.prediction is None else self.prediction.measures
        return {**self.numbers, **of_file, **accuracies, **{name: getattr(self, name) for name in _OF_COST}}

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dicts, lists, numbers and strings, ready for JSON."""
        results = {field.name: plain(getattr(self, field.name)) for field in fields(self) if field.name != "numbers"}
        measures = {name: float(x) if isinstance(x, Fraction) else x for name, x in self.measures.items()}
        return results | {"measures": finite(plain(measures))}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each column of the table."""
        return (vars(column) for column in self.columns)

    def document(self) -> Document:
        """Return the document."""
        return _document(self)


# A bound above this is not shown.
_NEARLY_ALL = 0.9999
#: The utility that a file maximizes, in words, by its name.
KEPT = {
    "information": "the table's information",
    "columns": "the information of the table's columns, each column counted equally",
    "entropy": "the information of the table's columns one by one",
    "precision": "the precision of the table's columns",
    "discernibility": "the pairs of people whom the table's columns distinguish",
}
# The most on a terminal's first screen: columns of the file, names of those dropped for a reason, sensitive columns.
_FIRST, _NAMED, _GUESSED = 12, 6, 5
# The guesses of more sensitive columns are a table.
_SENTENCES = 2
_MODELS = {"entropy_l": "entropy l", "beta_likeness": "beta", "delta_disclosure": "delta", "t": "t"}


def _document(release: Release) -> Document:
    """Return the document of a release."""
    file = release.checked
    return Document(
        f"{release.out}: {people(file.people)} of {release.people:,}",
        (),
        (
            Section("What the file shows", tuple(_exposure(release))),
            *([blanks_section(release.blanks)] if release.blanks else []),
            Section("What is in the file", tuple(_contents(release))),
            Section("What it cost", tuple(_costs(release))),
            *usefulness_sections(release.distributions, release.prediction),
            Section("The file in numbers", (_numbers(release),), "full"),
        ),
        kind="release",
        line=f"{release.out}: {people(file.people)} of {release.people:,}, {exposed(file.failing_people, file.people)}",
    )


def _exposure(release: Release) -> Iterator[Block]:
    file, goal = release.checked, release.goal
    yield (
        f"Discretion read the file back and audited it: {exposed(file.failing_people, file.people)}. The goal allows "
        f"at most {percent(goal['budget'])} of the people in equivalence classes of fewer than "
        f"{goal['k']}{_diversity(release)}. "
        f"The smallest class has {people(file.smallest_class)}."
    )
    secrets = {guess.sensitive for guess in file.guesses}
    if secret := tuple(each.column for each in release.columns if each.verdict != "drop" and each.column in secrets):
        known, few = briefly(secret), int(release.numbers[f"{ALL_COLUMNS}exposed_people"])
        least = int(release.numbers[f"{ALL_COLUMNS}k_anonymity"])
        if (few, least) != (file.exposed_people, file.smallest_class):
            yield (
                f"This adversary does not know {known}. If it knows {known} too, {exposed(few, file.people)}, and the "
                f"smallest class has {people(least)}."
            )
    if (joint := release.joint) is not None:
        number = joint.exposed_people
        most, bound = (round(number.high), "at most ") if isinstance(number, Estimate) else (number, "")
        yield f"Together with the tables in its ledger, the file exposes {bound}{people(most)}."
    if len(file.guesses) > _SENTENCES:
        most_first = sorted(file.guesses, key=lambda guess: guess.before - guess.after)
        brief, whole = _guesses(most_first[:_GUESSED], file, len(most_first) - _GUESSED), _guesses(file.guesses, file)
        yield Abridged((brief,), (whole,))
        return
    for guess in file.guesses:
        yield (
            f"The best guess names the exact value of {printable(guess.sensitive)} for {percent(guess.after)} of the "
            f"people with the file, and for {percent(guess.before)} without it. With the file it is certain for "
            f"{people(guess.certain_people)} ({percent(guess.certain_people / file.people)})."
        )


def _guesses(guesses: Sequence[GuessReport], file: FileExposure, more: int = 0) -> Grid:
    heads = ("sensitive column", "guess before", "guess after", "certain")
    explained = "the share of people with a correct guess, or a certain value"
    return Grid(
        heads,
        tuple(
            (
                guess.sensitive,
                percent(guess.before),
                percent(guess.after),
                percent(guess.certain_people / file.people),
            )
            for guess in guesses
        ),
        frozenset(heads[:1]),
        note="\n".join(([f"and {more:,} more: --full"] if more > 0 else []) + [explained]),
        caption="The best guess of each sensitive column without the file and with it",
    )


def _diversity(release: Release) -> str:
    """Return the other requirements on equivalence classes, as a clause."""
    goal = release.goal
    recursive = goal["recursive_c"]
    parts = [f"l={goal['l']}"] if goal["l"] > 1 and not recursive else []
    parts += [f"recursive (c={recursive:g}, l={goal['l']})"] if recursive else []
    parts += [f"{name}={goal[key]:g}" for key, name in _MODELS.items() if goal[key] is not None]
    distance = "" if goal["t_distance"] == "equal" else f" ({goal['t_distance']} distance)"
    against = "" if goal["t_against"] == "file" else " against the input"
    return f" or without {' and '.join(parts)}{distance}{against}" if parts else ""


def _contents(release: Release) -> Iterator[Block]:
    """Yield the columns in the file, those with most information first, and the columns that are dropped."""
    shown = [each for each in release.columns if each.verdict != "drop"]
    dropped = [each for each in release.columns if each.verdict == "drop"]
    unchanged = sum(each.verdict == "publish" for each in shown)
    how_many = "all" if unchanged == len(shown) else f"{unchanged:,}" if unchanged else "none"
    yield (
        f"{len(shown):,} of {len(release.columns):,} columns {'is' if len(shown) == 1 else 'are'} in the file, "
        f"{how_many} of them unchanged; “kept” is the share of a column's information."
    )
    shown.sort(key=lambda each: each.bits_lost - each.bits)
    informative = [each for each in shown if each.values > 1]
    brief: list[Block] = []
    if informative:
        brief.append(_file_columns(informative[:_FIRST], more=len(informative) - _FIRST))
    if constant := tuple(each.column for each in shown if each.values <= 1):
        brief.append(f"With only one value, and so without information: {_some(constant)}.")
    if dropped:
        brief.append(_dropped_by_reason(dropped))
    ruled = {rule_of(line).column for line in release.goal["rules"]}
    if idle := tuple(each.column for each in dropped if each.column in ruled):
        brief.append(f"Without effect, since their columns are not in the file: the rules for {_some(idle)}.")
    whole: list[Block] = [_file_columns(shown)] if shown else []
    if dropped:
        whole.append(
            Grid(
                ("column", "information", "why"),
                tuple((each.column, f"{bits(each.bits)} bits", each.how) for each in dropped),
                frozenset(("column", "why")),
                caption="The columns that are dropped",
                rest="more dropped columns",
            )
        )
    if marked := [each for each in shown if each.missing]:
        brief.append(_missing_marks(marked, most=_NAMED))
        whole.append(_missing_marks(marked, most=len(marked)))
    yield Abridged(tuple(brief), tuple(whole))


def _missing_marks(columns: Sequence[ReleasedColumn], *, most: int) -> str:
    """Return a sentence on the marks that were read as a missing value, by column.

    Examples
    --------
    >>> _missing_marks([ReleasedColumn("age", "generalize", "in steps of 5", 6.0, 2.0, 9, ("", "NA"))], most=6)
    'Read as missing: blanks and NA in age. --missing sets the marks.'
    """
    named = [
        f"{' and '.join(printable(mark.strip()) or 'blanks' for mark in each.missing)} in {printable(each.column)}"
        for each in columns[:most]
    ]
    more = [f"marks in {len(columns) - most:,} more"] if len(columns) > most else []
    return f"Read as missing: {'; '.join([*named, *more])}. --missing sets the marks."


def _file_columns(columns: Sequence[ReleasedColumn], *, more: int | None = None) -> Grid:
    """Return the columns in the file; on a first screen (with ``more``), without the bits that they keep."""
    heads = ("column", "in the file", "values", "information", "kept")
    rows = [
        (
            each.column,
            each.how,
            f"{each.values:,}",
            f"{bits(each.bits - each.bits_lost)} bits",
            percent((each.bits - each.bits_lost) / each.bits, 3) if each.bits else "–",
        )
        for each in columns
    ]
    if more is None:
        return Grid(heads, tuple(rows), frozenset(heads[:2]), caption="The columns in the file", rest="more columns")
    note = f"and {more:,} more in the file: --full" if more > 0 else ""
    return Grid((*heads[:3], heads[4]), tuple((*row[:3], row[4]) for row in rows), frozenset(heads[:2]), note)


def _dropped_by_reason(dropped: Sequence[ReleasedColumn]) -> str:
    """Return the dropped columns by their reasons, the reason with most columns first.

    Examples
    --------
    >>> drops = {"id": "identifier: 9 values in 9 rows", "age": "by --drop", "town": "by --drop"}
    >>> _dropped_by_reason([ReleasedColumn(name, "drop", why, 1.0, 1.0, 0) for name, why in drops.items()])
    'Dropped: 2 by --drop (age, town); 1 identifier (id).'
    """
    reasons: dict[str, list[str]] = {}
    for each in dropped:
        reasons.setdefault(each.how.partition(":")[0], []).append(each.column)
    parts = (
        f"{len(names):,} {'for which ' * reason.startswith('no ')}{reason} ({_some(names)})"
        for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1]))
    )
    return f"Dropped: {'; '.join(parts)}."


def _some(names: Sequence[str]) -> str:
    """Return the first names."""
    return ", ".join((*map(printable, names[:_NAMED]), *(["…"] if len(names) > _NAMED else [])))


def _costs(release: Release) -> Iterator[Block]:
    yield (
        f"The file keeps {percent(release.kept)} of {_utility(release)}, dropped columns included; {_proof(release)}."
    )
    out = f"{people(release.suppressed)} ({percent(release.suppressed / release.people)})"
    parts = [f"leaves {out} out"] if release.suppressed else []
    if release.blanked:
        parts.append(f"blanks {release.blank_cells:,} cells of {people(release.blanked)}")
    if parts:
        lost = f"{percent(release.suppression_cost)} of {KEPT[release.goal['utility']]}"
        yield f"It {' and '.join(parts)}; {lost} is lost with them."
    yield from not_read(release.left_out)
    yield f"{release.out}.discretion.json lists the options and the results."


def _utility(release: Release) -> str:
    """Return the utility of the file in words, for the joint information with its bits per person."""
    utility = release.goal["utility"]
    if utility != "information" or not release.information_kept:
        return KEPT[utility]
    whole = release.information / release.information_kept
    return f"{KEPT[utility]} ({bits(release.information)} of {bits(whole)} bits a person)"


def _proof(release: Release) -> str:
    if release.ended == "chosen":
        return "the generalizations were given, and no other choice was searched for"
    if release.ended == "proved":
        return "no other choice of generalizations within the goal keeps more (proved)"
    if release.bound < _NEARLY_ALL:
        return (
            f"no choice of generalizations within the goal keeps more than {percent(release.bound)}: the search "
            "reached its limit before proving that this one is optimal"
        )
    return "the search ended before it found a bound on what other choices of generalizations keep"


def _numbers(release: Release) -> Grid:
    file = release.checked
    numbers = {
        f"people in classes of fewer than {release.goal['k']}": f"{file.exposed_people:,}",
        "people in classes that miss the goal": f"{file.failing_people:,}",
        "unique people": f"{file.unique_people:,}",
        "people in the smallest class": f"{file.smallest_class:,}",
        "information (bits a person)": bits(release.information),
        "information kept": percent(release.information_kept),
        "entropy kept": percent(release.entropy_kept),
        "precision": percent(release.precision),
        "discernibility (pairs of people)": f"{release.discernibility:,}",
    }
    return Grid(("in the file", "exact"), tuple(numbers.items()), frozenset(["in the file"]))
