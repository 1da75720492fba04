"""The columns job: the role of each column of a table, and the exposure of those that go out, set by set."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np

from discretion.anonymity import ClassSizes, ColumnKind, Population, column_kinds, inference
from discretion.anonymity.choosing.constraints import constraints_of
from discretion.anonymity.choosing.problem import check_kept_or_dropped
from discretion.anonymity.people.hierarchies import read_hierarchies
from discretion.anonymity.releasing.generalizations import AS_IT_IS, Generalization, identity_generalization
from discretion.errors import InvalidValueError
from discretion.escaping import printable
from discretion.jobs.audit.job import goal_of
from discretion.jobs.audit.sets import AuditGoal
from discretion.jobs.options.column_roles import GENERALIZED, ColumnChoiceOptions, Role, roles_of
from discretion.jobs.options.tables import FileOptions
from discretion.jobs.persons import AS_IT_IS as AS_WRITTEN, open_people, whose_rows
from discretion.jobs.release.candidates import check_generalization, generalizations_by_options, named_views
from discretion.jobs.table_measures import GuessReport
from discretion.numerics.equivalence_classes import Column
from discretion.numerics.packed_rows import PackedPeople, PackedRows
from discretion.presenting.names import briefly, listed
from discretion.presenting.numbers import bits, odds, people, percent, times
from discretion.presenting.sentences import not_read
from discretion.presenting.views.document import Abridged, Advice, Block, Document, Grid
from discretion.presenting.views.result import JobResult, number_row
from discretion.tables.counting.codes import column_codes, column_values
from discretion.tables.counting.threshold import least_unexposed, most_exposed
from discretion.tables.layouts.text_format import TextFormat

Columns = tuple[str, ...]
# A generalized column → the place of its generalization among the packed columns.
Views = Mapping[str, int]
_AS_THEY_ARE: Views = MappingProxyType({})
# Sets whose classes are cached, and sets that a search for the nearest safe ones counts: with packed rows, and with an
# engine.
_MOST_SETS_KEPT = 10_000
_MOST_SETS_COUNTED, _MOST_SETS_ASKED = 200, 20
# Stands for the finest generalization, if an option names a column without one.
_FINEST = ""
# The search ends after this many nearest safe sets.
_ENOUGH = 5
_MOST_LEFT_OUT = 2


class OpenTable:
    """A table that stays open, to count one set of its columns after another, each once.

    Parameters
    ----------
    table, memory
        As for `discretion.Population`.
    person
        The column that names a person with several rows; "none" if every row is a person of its own; None if this is
        not known.
    form
        The form of a CSV file.

    Examples
    --------
    >>> table = OpenTable("example:adult")
    >>> table.class_sizes(["sex", "race"]).exposed(k=500), table.guesses(["sex"], "income")
    (928, (24720, 24720, 0))
    >>> [*table.generalizations("age", FileOptions(), 10)][:3]
    ['as it is', 'rare merged', 'in steps of 5']
    """

    def __init__(
        self, table: Any, person: str | None = None, form: TextFormat = AS_WRITTEN, *, memory: int | str | None = None
    ) -> None:
        keys: list[ColumnKind] = []
        self.people = open_people(table, None, person, form, memory=memory, repeats=keys.append)
        self.kinds = {kind.column: kind for kind in column_kinds(self.people)}
        self.question = whose_rows(keys[0]) if keys else None
        self._place = {name: place for place, name in enumerate(self.people.columns)}
        self._packed = _packed(self.people)
        self._rows = self._packed if isinstance(self._packed, PackedRows) else None  # which may be generalized
        self._sizes = lru_cache(_MOST_SETS_KEPT)(self._counted)
        self._right = lru_cache(_MOST_SETS_KEPT)(self._guessed)
        self._generalizations: dict[Hashable, Mapping[str, tuple[float, Column]]] = {}
        self._views: dict[Hashable, int] = {}
        # Small sets that are over the budgets of a goal, by the goal and the generalized columns.
        self.over: defaultdict[Hashable, list[frozenset[str]]] = defaultdict(list)

    @property
    def columns(self) -> Columns:
        """All columns, the one that names persons last."""
        return (*self.people.columns, *filter(None, [self.people.person]))

    @property
    def most_sets(self) -> int:
        """The number of sets of columns that may be counted while a user waits."""
        return _MOST_SETS_ASKED if self._packed is None else _MOST_SETS_COUNTED

    def class_sizes(self, columns: Iterable[str], views: Views = _AS_THEY_ARE) -> ClassSizes:
        """Return the sizes of the equivalence classes by the columns, some of which may be generalized."""
        return self._sizes(frozenset(views.get(name, self._place[name]) for name in columns))

    def guesses(self, columns: Iterable[str], sensitive: str, views: Views = _AS_THEY_ARE) -> tuple[int, int, int]:
        """Return the numbers of correct best guesses without and with the columns, and of certain ones."""
        return self._right(frozenset(views.get(name, self._place[name]) for name in columns), self._place[sensitive])

    def generalizations(self, column: str, options: FileOptions, k: int) -> Mapping[str, float]:
        """Return the generalizations of a column, itself first, each with the share of its entropy that it keeps.

        Raises
        ------
        InvalidValueError
            If there are none, since the rows are not in this process, or a person has several rows.
        """
        return {how: kept for how, (kept, _) in self._generalized(column, options, k).items()}

    def view(self, column: str, how: str, options: FileOptions, k: int) -> int:
        """Return the place of a column's generalization, which is packed with the columns if it is new."""
        key = how, _reading(column, options, k)
        if key not in self._views:
            generalized = self._generalized(column, options, k)
            check_generalization(column, how, generalized)
            assert self._rows is not None
            _, of_values = generalized[how]
            codes = of_values.codes[self._rows.codes(self._place[column])]
            (self._views[key],) = self._rows.extend([Column(codes, of_values.count)])
        return self._views[key]

    def _generalized(self, column: str, options: FileOptions, k: int) -> Mapping[str, tuple[float, Column]]:
        """Return each generalization of a column, with the share that it keeps and its codes of the column's codes."""
        key = _reading(column, options, k)
        if key not in self._generalizations:
            coded = None
            if self._rows is not None:
                coded = self.people.read_rows(lambda rows, length: column_values(rows, [column], length))
            if coded is None:
                raise InvalidValueError(
                    f"the column {printable(column)} cannot be generalized here: this needs a table with one row per "
                    "person that fits into memory; leave the column unchanged, or make a smaller table"
                )
            codes, values = coded[column]
            given = {column: identity_generalization(codes, values.to_pylist())}
            by_files = {} if options.hierarchies is None else read_hierarchies(options.hierarchies, [column])
            every = generalizations_by_options(given, options, k, by_files, {})[column]
            self._generalizations[key] = {
                each.how: (_kept(each, every[0]), self._of_values(column, each)) for each in every
            }
        return self._generalizations[key]

    def _of_values(self, column: str, view: Generalization) -> Column:
        """Return the code of a generalization for each code of its column."""
        assert self._rows is not None
        codes = self._rows.codes(self._place[column])
        of_values = np.zeros(int(codes.max(initial=0)) + 1, np.int32)
        of_values[codes] = view.column.codes
        return Column(of_values, view.column.count)

    def _counted(self, places: frozenset[int]) -> ClassSizes:
        columns = [self.people.columns[place] for place in places if place < len(self.people.columns)]
        if self._packed is None or (len(places) <= 1 and len(columns) == len(places)):
            return self.people.class_sizes(columns)  # single ones were counted for their kinds
        of_size = np.bincount(self._packed.class_sizes(places))
        sizes = np.flatnonzero(of_size)
        return ClassSizes(sizes, of_size[sizes])

    def _guessed(self, places: frozenset[int], sensitive: int) -> tuple[int, int, int]:
        if self._packed is None:
            names = self.people.columns
            attack = inference(self.people, [names[place] for place in places], names[sensitive])
            before, after = (round(chance * self.people.people) for chance in (attack.prior, attack.posterior))
            return before, after, attack.certain_people
        right, certain = self._packed.best_guesses(places, sensitive)
        return self._sizes(frozenset([sensitive])).largest, right, certain


def _reading(column: str, options: FileOptions, k: int) -> Hashable:
    """Return the options that determine the generalizations of a column, as a key."""
    return column, k, options.bins, options.missing, options.dates, options.hierarchies


def _packed(people: Population) -> PackedRows | PackedPeople | None:
    """Return the rows in this process, if they may be taken from the engine."""
    names = [*people.columns, *filter(None, [people.person])]
    coded = people.read_rows(lambda rows, length: column_codes(rows, names, length))
    if coded is None:
        return None
    columns = [coded[name] for name in people.columns]
    return PackedRows(columns, people.rows) if people.person is None else PackedPeople(columns, coded[people.person])


@dataclass(frozen=True)
class TableColumn:
    """A column, its likely kind with the reason, and its role.

    Parameters
    ----------
    column, kind, reason, role
        The column, its likely kind, the reason for the kind, and its role.
    how
        The name of its generalization, or None.
    generalizations
        If it is generalized, its possible generalizations, the column itself first, each with the share of the
        column's own information that it keeps.
    """

    column: str
    kind: str
    reason: str
    role: Role
    how: str | None = None
    generalizations: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class SafeSet:
    """Columns within the budgets: the columns to leave out, and the exposure of the others."""

    left_out: Columns
    columns: Columns
    exposed_people: int
    exposure: float
    guesses: tuple[GuessReport, ...]


@dataclass(frozen=True, repr=False)
class ColumnChoice(JobResult):
    """The exposure of the columns that go out, and the nearest sets of them within the budgets.

    Parameters
    ----------
    columns
        All columns of the table.
    known
        The columns that the adversary knows: those that go out and are not sensitive.
    people, exposed_people, exposure
        The number of people; and the number and share of exposed people, whose values of ``known`` fewer than ``k``
        people share.
    k, budget
        The options.
    bits, bits_as_they_are
        The joint information of the known columns about one person: as they go out, and if none were generalized.
    exposed_as_they_are
        The number of exposed people if none were generalized.
    guesses
        The share of correct guesses of each sensitive column without these columns and with them.
    nearest
        Sets of them within the budgets, with as few columns left out as possible, those with most information first;
        all of them if they are within the budgets.
    all_compared
        Whether all sets with one or two columns fewer were compared, not only some.
    question
        The open question whether a column names the persons, or None.
    left_out
        The parts of the table's source that were not read.
    """

    columns: tuple[TableColumn, ...]
    known: Columns
    people: int
    exposed_people: int
    exposure: float
    bits: float
    bits_as_they_are: float
    exposed_as_they_are: int
    k: int
    budget: float
    guesses: tuple[GuessReport, ...]
    nearest: tuple[SafeSet, ...]
    all_compared: bool
    question: str | None
    left_out: tuple[str, ...]

    @property
    def is_safe(self) -> bool:
        """Whether the columns that go out are within the budgets."""
        return any(each.columns == self.known for each in self.nearest)

    @property
    def generalized(self) -> tuple[TableColumn, ...]:
        """The columns that go out generalized."""
        return tuple(each for each in self.columns if each.how is not None)

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number."""
        numbers = {"exposure": self.exposure, "exposed_people": self.exposed_people, "people": self.people}
        numbers |= {f"guess:{each.sensitive}": each.after for each in self.guesses}
        return (number_row(name, value) for name, value in numbers.items())

    def document(self) -> Document:
        """Return the document: the exposure, the guesses of sensitive columns, and the sets within the budgets."""
        names = briefly(self.known) if self.known else "no columns"
        rate = odds(self.exposure)
        who = {"none": "nobody is", "all": "everybody is"}.get(rate, f"{rate} people are")
        blocks: list[Block] = [] if self.question is None else [Advice(f"First a question: {self.question}.")]
        blocks.append(
            f"{self.exposed_people:,} of {people(self.people)} ({percent(self.exposure)}, exact) are exposed: fewer "
            f"than {self.k:,} people, the person included, share their values. The budget is {percent(self.budget)}."
        )
        blocks += [
            f"{printable(each.sensitive)} is guessed correctly {times(each.before)} without these columns "
            f"({percent(each.before)}), and {times(each.after)} with them ({percent(each.after)}); it is certain "
            f"for {people(each.certain_people)}."
            for each in self.guesses
        ]
        blocks += [*self._cost(), *self._nearest(), *not_read(self.left_out)]
        if names != listed(self.known) and self.known:
            blocks.append(Abridged((), (f"The columns: {listed(self.known)}.",)))
        title = f"{names}: {who} exposed"
        return Document(title, tuple(blocks), kind="exposure", line=f"{title} ({percent(self.exposure)})")

    def _cost(self) -> Iterator[Block]:
        if not self.generalized:
            return
        exposed = f"{self.exposed_as_they_are:,} people ({percent(self.exposed_as_they_are / self.people)})"
        yield (
            f"Together these columns have {bits(self.bits)} bits of information about a person. Unchanged, they would "
            f"have {bits(self.bits_as_they_are)} bits, and expose {exposed}."
        )
        heads = ("column", "goes out", "information kept")
        rows = ((each.column, str(each.how), percent(each.generalizations[str(each.how)])) for each in self.generalized)
        yield Grid(heads, tuple(rows), frozenset(heads[:2]), caption="The information that each generalization keeps")

    def _nearest(self) -> Iterator[Block]:
        if self.is_safe:
            yield "These columns are within the budgets."
            return
        if not self.nearest:
            which = "none with one or two columns fewer is" if self.all_compared else "none was found that is"
            yield (
                f"These columns are not within the budgets, and {which}. Generalize or leave out more columns: the "
                "audit finds the best file."
            )
            return
        heads = ("leave out", "exposed", "people exposed", *(f"{each.sensitive} guessed" for each in self.guesses))
        yield Grid(
            heads,
            tuple(
                (
                    listed(each.left_out),
                    percent(each.exposure),
                    f"{each.exposed_people:,}",
                    *(percent(guess.after) for guess in each.guesses),
                )
                for each in self.nearest
            ),
            frozenset(heads[:1]),
            caption="Not within the budgets; leave out one of these sets to be within them",
        )


def choose_columns(table: OpenTable, options: ColumnChoiceOptions) -> ColumnChoice:
    """Return the exposure of the columns that go out, and the nearest sets of them within the budgets.

    Parameters
    ----------
    table
        The table, opened with the person's column of the options.
    options
        The role of each column, its generalization, and the budgets.

    Raises
    ------
    UnknownColumnError
        If the table lacks a column.
    InvalidValueError
        If a column that is generalized does not go out, or has no such generalization.

    Examples
    --------
    >>> table = OpenTable("example:adult")
    >>> choice = choose_columns(table, ColumnChoiceOptions(columns=["sex", "race", "fnlwgt"]))
    >>> choice.exposed_people, [(each.left_out, each.exposed_people) for each in choice.nearest]
    (32277, [(('fnlwgt',), 0)])
    >>> generalize = ["fnlwgt=in 5 ranges"]
    >>> choice = choose_columns(table, ColumnChoiceOptions(columns=["sex", "race", "fnlwgt"], generalize=generalize))
    >>> choice.exposed_people, choice.is_safe
    (17, True)
    """
    goal, population = goal_of(options), table.people
    for named in (options.columns, goal.sensitive, goal.keep, goal.drop, filter(None, [options.weight])):
        population.known(named)
    check_kept_or_dropped(goal.keep, goal.drop)
    generalized = named_views("generalize", population.columns, options.generalize, _FINEST)
    roles = roles_of(options, table.columns, [*generalized])
    if unused := next((name for name in generalized if roles[name] not in GENERALIZED), None):
        raise InvalidValueError(
            f"generalize has {printable(unused)}, which does not go out, or is sensitive and goes out unchanged; "
            "leave it out of generalize, or let it go out"
        )
    known = tuple(name for name, role in roles.items() if role in ("goes out", "must go out", *GENERALIZED))
    coarser = {name: table.generalizations(name, options, goal.k) for name in generalized}
    hows = {name: how or _finest(name, coarser[name]) for name, how in generalized.items()}
    views = {name: table.view(name, how, options, goal.k) for name, how in hows.items() if how != AS_IT_IS}
    allowed = constraints_of(
        population, least_unexposed(population.people, goal.k, None), most_exposed(population.people, goal.budget),
        goal.sensitive, goal.guess_budget, goal.certain_budget,
    )  # fmt: skip

    def is_exposed(columns: Columns) -> bool:
        return table.class_sizes(columns, views).exposed(k=goal.k) > allowed.exposed

    def is_guessed(columns: Columns) -> bool:
        for name, most in allowed.guessed.items():
            _, right, certain = table.guesses(columns, name, views)
            if right > most or (allowed.certain is not None and certain > allowed.certain):
                return True
        return False

    telling = sorted(known, key=lambda name: -table.class_sizes([name], views).entropy)
    over = table.over[replace(goal, keep=(), drop=()), frozenset(views.items())]
    safe, all_compared = _nearest(telling, goal.keep, (is_exposed, is_guessed), over, table.most_sets)
    sizes, as_they_are = table.class_sizes(known, views), table.class_sizes(known)
    return ColumnChoice(
        columns=tuple(
            TableColumn(
                name,
                table.kinds[name].kind,
                table.kinds[name].reason,
                role,
                hows.get(name),
                coarser.get(name, {}),
            )
            if name in table.kinds
            else TableColumn(name, "key", "names the person of each row", role)
            for name, role in roles.items()
        ),
        known=known,
        people=population.people,
        exposed_people=sizes.exposed(k=goal.k),
        exposure=sizes.exposure(k=goal.k),
        bits=sizes.entropy,
        bits_as_they_are=as_they_are.entropy,
        exposed_as_they_are=as_they_are.exposed(k=goal.k),
        k=goal.k,
        budget=goal.budget,
        guesses=_guess_reports(table, known, goal, views),
        nearest=tuple(
            sorted(
                (_safe_set(table, known, left_out, goal, views) for left_out in safe),
                key=lambda each: -table.class_sizes(each.columns, views).entropy,
            )
        ),
        all_compared=all_compared,
        question=table.question,
        left_out=population.left_out,
    )


def _finest(column: str, generalizations: Mapping[str, float]) -> str:
    """Return the finest generalization of a column that changes it."""
    if len(generalizations) == 1:
        raise InvalidValueError(f"the column {printable(column)} has no generalization; leave it unchanged, or drop it")
    return [*generalizations][1]


def _kept(view: Generalization, whole: Generalization) -> float:
    return min(1.0, view.bits / whole.bits) if whole.bits else 1.0


def _guess_reports(table: OpenTable, columns: Columns, goal: AuditGoal, views: Views) -> tuple[GuessReport, ...]:
    n = table.people.people
    reports = ((name, table.guesses(columns, name, views)) for name in goal.sensitive)
    return tuple(GuessReport(name, before / n, after / n, certain) for name, (before, after, certain) in reports)


def _safe_set(table: OpenTable, known: Columns, left_out: Columns, goal: AuditGoal, views: Views) -> SafeSet:
    columns = tuple(name for name in known if name not in left_out)
    sizes = table.class_sizes(columns, views)
    guesses = _guess_reports(table, columns, goal, views)
    return SafeSet(left_out, columns, sizes.exposed(k=goal.k), sizes.exposure(k=goal.k), guesses)


def _nearest(
    columns: Sequence[str],
    kept: Columns,
    limits: Sequence[Callable[[Columns], bool]],
    over: list[frozenset[str]],
    most: int,
) -> tuple[list[Columns], bool]:
    """Return the sets of at most two columns to leave out to keep all limits, and whether all sets were compared.

    More columns give away more: a set that contains a set that breaks a limit breaks it too, and is not counted. Such
    sets are made small, and apart from each other: three that share no column rule out every set. They are added to the
    sets that are known to be ``over``.
    """
    counted = 0

    def breaks(some: Sequence[str], among: Sequence[Callable[[Columns], bool]]) -> Callable[[Columns], bool] | None:
        nonlocal counted
        counted += 1
        return next((limit for limit in among if limit(tuple(some))), None)

    def is_safe(some: Sequence[str]) -> bool:
        broken = breaks(some, limits)
        if broken is None:
            return True
        used = frozenset[str]().union(*over)
        fresh_first = sorted(some, key=lambda name: name in used)
        sizes = range(1, len(some))
        size = next((size for size in sizes if breaks(fresh_first[:size], [broken])), len(some))
        over.append(frozenset(fresh_first[:size]))
        return False

    safe: list[Columns] = []
    for number in range(_MOST_LEFT_OUT + 1):
        for left_out in combinations([name for name in columns if name not in kept], number):
            rest = [name for name in columns if name not in left_out]
            if any(each.issubset(rest) for each in over):
                continue
            if counted >= most or len(safe) == _ENOUGH:
                return safe, False
            if is_safe(rest):
                safe.append(left_out)
        if safe:
            break
    return safe, True
