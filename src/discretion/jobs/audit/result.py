"""What an audit shows, as plain frozen data: every number with its kind, and what was not examined."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from discretion.anonymity import Preset
from discretion.anonymity.releasing.utility import Utility
from discretion.anonymity.uniqueness.population_uniqueness import PopulationUniqueness
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.jobs.gates import Number
from discretion.jobs.options.tables import AuditOptions, ReleaseOptions
from discretion.jobs.release.plan import plan_text
from discretion.jobs.release.ways_out import WayOut
from discretion.jobs.table_measures import GuessReport
from discretion.numerics.search.explored_ideals import Ended
from discretion.presenting.json_answers import finite, plain
from discretion.presenting.names import among, listed
from discretion.presenting.views.document import Cell, Document
from discretion.presenting.views.result import JobResult

Columns = tuple[str, ...]
Verdict = Literal["publish", "generalize", "suppress", "drop"]

#: Why a column is dropped that goes out in no case.
BY_DROP = "by --drop"


@dataclass(frozen=True)
class Offer:
    """What may go out: a file, or columns as they are where no release can be written.

    Parameters
    ----------
    by
        What the file keeps most of, a utility of a release; or "unchanged", columns as they are of which none is a
        function of another, where no file can be written.
    columns
        The columns that go out.
    plan
        The options of the release that writes the file, with each column's generalization; None where there is none.
    suppressed
        How many people are not in the file.
    exposed_people, exposure
        How many of the people in it are exposed, and which share of them.
    bits
        The information that all columns in it together have of a person.
    utility, bound, ended
        The share of the whole table's utility that the file keeps, or the number of columns; no other choice within
        the goal has more than ``bound``; and "proved" if that is its utility, or what ended the search before.
    guesses
        The best guess of each sensitive column by an adversary who knows the other columns.
    """

    by: Utility | Literal["unchanged"]
    columns: Columns
    plan: ReleaseOptions | None
    suppressed: int
    exposed_people: int
    exposure: float
    bits: float
    utility: float
    bound: float
    ended: Ended | Literal["chosen"]
    guesses: tuple[GuessReport, ...]


@dataclass(frozen=True)
class FrontSet:
    """A set of columns within the budgets: what it is worth, and how many people it exposes."""

    columns: Columns
    utility: float
    exposed_people: int
    exposure: float


@dataclass(frozen=True)
class ColumnDecision:
    """What to do with a column, why in a few words, and the generalizations that it has."""

    column: str
    verdict: Verdict
    reason: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What to do: each column's verdict, and the file that is recommended.

    Parameters
    ----------
    columns
        What to do with each column.
    offers
        What may go out, the recommended one first, and a file with more columns, if there is one; empty if nothing is
        within the goal.
    question, key
        What has to be answered first, or None, and the column that it is about.
    functions, nearly
        A column that another one determines, or nearly determines → that one.
    front
        Sets of columns as they are that were examined, by rising utility, each exposing more people than the one
        before.
    kept
        The columns that go out in any case, if something with them is within the goal.
    refusal, ways_out
        If nothing is: what comes nearest; and the options of releases with one limit eased, each with a file within it.
    """

    columns: tuple[ColumnDecision, ...]
    offers: tuple[Offer, ...]
    question: str | None
    functions: Mapping[str, str]
    nearly: Mapping[str, str]
    front: tuple[FrontSet, ...]
    kept: Columns
    key: str | None = None
    refusal: str | None = None
    ways_out: tuple[WayOut, ...] = ()

    @property
    def plan(self) -> ReleaseOptions | None:
        """The options of the release that writes the recommended file; None if there is none."""
        return self.offers[0].plan if self.offers else None

    @property
    def recommended(self) -> Columns:
        """The columns that go out together."""
        return self.offers[0].columns if self.offers else ()


# So many of the largest sets are looked into, and lists that rank show as many.
SHOWN = 10


def least_holders(k: int) -> int:
    """Return how many people must hold a value before it is shown: k, and never one alone, whatever k is.

    Examples
    --------
    >>> least_holders(10), least_holders(1)
    (10, 2)
    """
    return max(k, 2)


@dataclass(frozen=True)
class ColumnReport:
    """One column alone. ``rarest_value`` is None for NULL, and withheld when too few people hold it."""

    column: str
    values: int
    entropy_bits: float
    rarest_people: int
    rarest_value: str | None
    rarest_withheld: bool
    most_common_share: float
    exposed_people: int
    exposure: float
    identifier_like: bool


@dataclass(frozen=True)
class SetReport:
    """A set of columns released together: who stands out, and how well a row points at its person."""

    columns: Columns
    classes: int
    unique_people: int
    smallest_class: int
    exposed_people: int
    exposure: float
    reidentification_vulnerability: float


@dataclass(frozen=True)
class SetsReport:
    """What is known of the sets of columns.

    ``smallest_over_budget``: some that are over a budget while all with a column less are within. ``complete``: every
    set that was not examined contains one over a budget, and so gives away at least as much.
    """

    whole: SetReport
    smallest_over_budget: tuple[SetReport, ...]
    identifier_like: Columns
    examined: int
    possible: int
    complete: bool


@dataclass(frozen=True)
class RiskReport:
    """A risk as regulators name it, of the whole table and of the recommended columns; None if there are none.

    The adversary knows the columns that are not sensitive.
    """

    name: str
    meaning: str
    whole: float | Estimate
    recommended: float | Estimate | None


@dataclass(frozen=True)
class CertifiedReport:
    """What the marginals alone certify for a set, beside the truth.

    ``theorems`` is the bound that the paper's Theorems 2 and 3 give, ``if_independent`` the exposure that the columns
    would have if they were independent: an assumption, and no bound.
    """

    columns: Columns
    bound: Estimate
    exposure: float
    theorems: float
    if_independent: Estimate


@dataclass(frozen=True)
class CertifiedSet:
    """A set of columns that the marginals alone certify to be within the budget, beside the truth."""

    columns: Columns
    bound: Estimate
    exposure: float


@dataclass(frozen=True)
class ReleaseReport:
    """What releasing a set of columns promises of people who are alike in it, and of others like them.

    The diversities and the closeness are of the first sensitive column among people alike on the others, and None if
    none was named. ``future_exposure`` is the expected one of as many other people drawn from the same population, of
    the first set; None of the others, and with several rows a person.
    """

    columns: Columns
    k_anonymity: int
    l_diversity: int | None
    entropy_l_diversity: float | None
    t_closeness: float | None
    future_exposure: Estimate | None


@dataclass(frozen=True)
class InferenceReport:
    """How often the sensitive value is guessed by who knows these columns; ``prior`` is without them.

    ``worst_person`` is the highest chance of guessing right of anybody, ``certain_people`` of how many it is 1.
    ``exposure`` and ``unique_people`` are those of the known columns: where most are unique, a guess repeats the table.
    """

    sensitive: str
    known: Columns
    prior: float
    posterior: float
    worst_person: float
    certain_people: int
    exposure: float
    unique_people: int


@dataclass(frozen=True)
class ProtocolReport:
    """A protocol as the command line spells it, and the standard error of a share that is estimated through it."""

    mechanism: str
    error_share: float
    error_people: float


@dataclass(frozen=True)
class AnswerGuesses:
    """How often one person's answer is guessed by who believes the same beforehand.

    ``blind``: by who sees nothing. ``report``: by who sees her report and that it is hers. Of all reports, shuffled:
    ``knows_none`` by who knows no other answer, ``knows_all`` by who knows all of them.
    """

    blind: float
    report: float
    knows_none: float | Estimate
    knows_all: float | Estimate


@dataclass(frozen=True)
class CollectionOption:
    """The best protocol at an ε: of those ``compared``, best first, an estimated share is least off.

    The guesses are of who believes all answers equally likely beforehand (``uniform``), or each as likely as its share.
    """

    epsilon: float
    best: ProtocolReport
    compared: tuple[ProtocolReport, ...]
    uniform: AnswerGuesses
    shares: AnswerGuesses


@dataclass(frozen=True)
class CollectionReport:
    """What it would mean to collect a column of n people and k values from the people instead.

    ``hides``: the recommended option leaves whoever knows all other answers enough of her error. ``tells``: its own
    error is smaller than a typical share, 1/k. ``shuffled_epsilon``: the reports without their senders are (ε, δ)-
    differentially private for this ε at ``delta``; None if that is not known. ``if_all_asked`` is the best protocol at
    the column's ε over the number of ``questions``, as when all the columns are asked of the same people.
    """

    column: str
    k: int
    n: int
    options: tuple[CollectionOption, ...]
    recommended: CollectionOption
    hides: bool
    tells: bool
    delta: float
    shuffled_epsilon: float | Estimate | None
    questions: int
    if_all_asked: ProtocolReport

    @property
    def advised(self) -> bool:
        """Whether one answer is hidden, and something learned of all."""
        return self.hides and self.tells


@dataclass(frozen=True)
class RedactedColumn:
    """A rule by which people redact their rare values of a column, some others redacting theirs as decoys.

    The exposures are of the column alone, before and, in expectation, after; None if that has too many answers.
    """

    column: str
    rarer_than: int
    decoys: float
    rare_values: int
    rare_people: int
    redacted: float
    suspicion: float
    exposure: float
    redacted_exposure: float | None


@dataclass(frozen=True)
class RuledGuess:
    """The share of right guesses of a column's value without a redacted column, and expected with it by itself."""

    about: str
    prior: float
    posterior: float


@dataclass(frozen=True)
class RuledColumn:
    """A column that people redact by given rules, each a line.

    ``people`` have to; in expectation a share ``redacted`` does. With ``enough_decoys`` half of these would be decoys.
    The exposures are of the column alone, before and, in expectation, after; None if that has too many answers.
    """

    column: str
    rules: tuple[str, ...]
    people: int
    redacted: float
    suspicion: float
    enough_decoys: float
    guesses: tuple[RuledGuess, ...]
    exposure: float
    redacted_exposure: float | None


@dataclass(frozen=True)
class RedactedSet:
    """What a set of columns exposes before and, in expectation, after all rules; None if that has too many answers."""

    columns: Columns
    exposure: float
    redacted_exposure: float | None


@dataclass(frozen=True)
class RedactionReport:
    """What it would mean if people redacted by given rules, and else the values that fewer than k of them hold."""

    columns: tuple[RedactedColumn, ...]
    together: tuple[RedactedSet, ...]
    ruled: tuple[RuledColumn, ...] = ()


@dataclass(frozen=True, repr=False)
class Audit(JobResult):
    """The main job's result: what a table of people gives away, and what to do about it.

    `document` is what all faces show: `to_html` a page, `to_markdown` Markdown, a terminal and a notebook. `to_plan` is
    the recommended file as a plan. `to_dict` is the same as plain data for JSON, and `chart` a figure of the page:
    "columns", "certified", "selected", "front", "guesses", "ask-0", ….
    """

    table: str
    people: int
    rows: int
    person: str | None
    sensitive: Columns
    k: int
    preset: Preset | None
    budget: float
    guess_budget: float
    show_rare: bool
    options: AuditOptions
    decision: Decision
    risks: tuple[RiskReport, ...]
    uniqueness: PopulationUniqueness | None
    columns: tuple[ColumnReport, ...]
    sets: SetsReport
    certified: tuple[CertifiedReport, ...]
    certified_selection: tuple[CertifiedSet, ...]
    selected: tuple[SetReport, ...]
    release: tuple[ReleaseReport, ...]
    inference: tuple[InferenceReport, ...]
    collection: tuple[CollectionReport, ...]
    redaction: RedactionReport
    cut_short: tuple[str, ...]
    not_examined: tuple[str, ...]
    measures: Mapping[str, Number] = field(default_factory=dict[str, Number])

    def document(self) -> Document:
        """Return the audit as a document: the decision first, then every section."""
        # Loaded by its name: it is made of what is defined here.
        return import_module("discretion.jobs.audit.document").document_of(self)

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each column."""
        return map(plain, self.columns)

    def to_plan(self) -> str:
        """Return the recommended file as a plan in TOML, to edit and to write with ``discretion release --plan``.

        Raises
        ------
        InvalidValueError
            If no file is recommended.
        """
        plan, columns = self.decision.plan, self.decision.columns
        if plan is None:
            raise InvalidValueError("this audit recommends no file to release, so there is no plan; see its decision")
        dropped = {each.column: each.reason for each in columns if each.verdict == "drop"}
        return plan_text(plan, {each.column: each.choices for each in columns}, dropped)

    @property
    def least_holders(self) -> int:
        """How many people hold every value that is shown, at least, unless the audit was told to show rare ones."""
        return least_holders(self.k)

    def to_dict(self) -> dict[str, Any]:
        """Return the sections as dicts, lists, numbers and strings, ready for JSON.

        Returns
        -------
        dict
            Keys ``people``, ``rows``, ``decision``, ``risks``, ``uniqueness``, ``columns``, ``sets``, ``certified``,
            ``certified_selection``, ``selected``, ``release``, ``inference``, ``collection``, ``redaction``,
            ``cut_short`` (sections that a limit left incomplete), ``not_examined``, ``measures`` (the numbers that a
            gate may name). An `Estimate` is a dict.
        """
        inputs = ("table", "person", "sensitive", "k", "preset", "budget", "guess_budget", "show_rare", "options")
        sections = {each.name: plain(getattr(self, each.name)) for each in fields(self) if each.name not in inputs}
        measures = {name: float(x) if isinstance(x, Fraction) else x for name, x in self.measures.items()}
        return sections | {"measures": finite(plain(measures))}


class SetNames:
    """Names of the sets of columns of an audit: their columns, those that are missing, or their number.

    Sets that may go out and that only their number would be said of are counted, so that they can be told apart.

    Parameters
    ----------
    audit
        The audit.
    """

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    @cached_property
    def counted(self) -> tuple[Columns, ...]:
        """The sets that are called by their place among these."""
        front = self._audit.decision.front[-SHOWN:]
        offered = (report.columns for report in (*self._audit.selected, *self._audit.certified_selection, *front))
        return tuple(dict.fromkeys(columns for columns in offered if self._is_brief(columns, None)))

    def of(self, columns: Columns, but: str | None = None) -> str:
        """Return what a set is called, among all columns but one."""
        name = among(columns, self._whole(but))
        if not self._is_brief(columns, but):
            return name
        places = (place for place, known in enumerate(self.counted, 1) if {*known} - {but} == {*columns})
        return next((f"{name} (set {place})" for place in places), name)

    def cell(self, columns: Columns, but: str | None = None) -> Cell:
        """Return the same for a table, with all names where not all are in it."""
        name, names = self.of(columns, but), listed(columns)
        return Cell(name, whole=names if name != names else "")

    def _is_brief(self, columns: Columns, but: str | None) -> bool:
        return among(columns, self._whole(but)) == f"{len(columns):,} columns"

    def _whole(self, but: str | None) -> Columns:
        return tuple(column for column in self._audit.sets.whole.columns if column != but)
