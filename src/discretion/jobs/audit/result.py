"""The result of an audit, as plain frozen data: every number with its kind, and the parts that were not examined."""

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

#: The reason for a column that never goes out.
BY_DROP = "by --drop"


@dataclass(frozen=True)
class Offer:
    """A file that may go out, or a set of unchanged columns if no release can be written.

    Parameters
    ----------
    by
        The utility that the file maximizes; or "unchanged" if no file can be written, for unchanged columns of which
        none is a function of another.
    columns
        The columns that go out.
    plan
        The options of the release that writes the file, with each column's generalization; None if there is no file.
    suppressed
        The number of people who are not in the file.
    exposed_people, exposure
        The number of exposed people in the file, and their share.
    bits
        The information of all its columns together about a person, in bits.
    utility, bound, ended
        The share of the whole table's utility that the file keeps, or the number of columns; an upper bound on the
        utility of any other choice within the goal; and "proved" if the search proved that none is better, or the
        reason why it ended before.
    guesses
        The best guess of each sensitive column by an adversary that knows the other columns.
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
    """A set of columns within the budgets, with its utility and the people that it exposes."""

    columns: Columns
    utility: float
    exposed_people: int
    exposure: float


@dataclass(frozen=True)
class ColumnDecision:
    """The verdict on a column, the reason in a few words, and the column's possible generalizations."""

    column: str
    verdict: Verdict
    reason: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """The decision of an audit: each column's verdict, and the recommended file.

    Parameters
    ----------
    columns
        The verdict on each column.
    offers
        The recommended file, and a file with more columns if there is one; empty if nothing is within the goal.
    question, key
        The question to answer before publishing, or None; and the column that it is about.
    functions, nearly
        A column that another one determines, or nearly determines → that one.
    front
        Examined sets of unchanged columns, by rising utility, each exposing more people than the one before.
    kept
        The columns that always go out, if a choice with them is within the goal.
    refusal, ways_out
        If no choice is within the goal: the nearest one; and the options of releases with one limit eased, of which
        each has a file within its goal.
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


# This many of the largest sets are examined, and ranked lists show at most this many.
SHOWN = 10


def least_holders(k: int) -> int:
    """Return the least number of holders of a value that is shown: k, but at least 2.

    Examples
    --------
    >>> least_holders(10), least_holders(1)
    (10, 2)
    """
    return max(k, 2)


@dataclass(frozen=True)
class ColumnReport:
    """One column alone. ``rarest_value`` is None for NULL, and also if it is withheld since too few people hold it."""

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
    """A set of columns released together: the people that it exposes, and how often a row identifies its person."""

    columns: Columns
    classes: int
    unique_people: int
    smallest_class: int
    exposed_people: int
    exposure: float
    reidentification_vulnerability: float


@dataclass(frozen=True)
class SetsReport:
    """The results of the search over the sets of columns.

    ``smallest_over_budget``: some sets over a budget that without any one of their columns are within it. ``complete``:
    every set that was not examined contains one over a budget, and so gives away at least as much.
    """

    whole: SetReport
    smallest_over_budget: tuple[SetReport, ...]
    identifier_like: Columns
    examined: int
    possible: int
    complete: bool


@dataclass(frozen=True)
class RiskReport:
    """A risk as regulators name it, of the whole table and of the recommended columns (None without these).

    The adversary knows the columns that are not sensitive.
    """

    name: str
    meaning: str
    whole: float | Estimate
    recommended: float | Estimate | None


@dataclass(frozen=True)
class CertifiedReport:
    """The bound that the marginals alone certify for a set of columns, and its exact exposure.

    ``theorems`` is the bound of the paper's Theorems 2 and 3, ``if_independent`` the exposure of independent columns:
    an assumption, and no bound.
    """

    columns: Columns
    bound: Estimate
    exposure: float
    theorems: float
    if_independent: Estimate


@dataclass(frozen=True)
class CertifiedSet:
    """A set of columns that the marginals alone certify to be within the budget, with its exact exposure."""

    columns: Columns
    bound: Estimate
    exposure: float


@dataclass(frozen=True)
class ReleaseReport:
    """The guarantees of releasing a set of columns for its equivalence classes, and the exposure of another release.

    The diversities and the closeness are those of the first sensitive column in the equivalence classes by the other
    columns, and None if no sensitive column is named. ``future_exposure`` is the expected exposure of the same number
    of other people drawn from the same population; it is computed for the first set only, and None for the others and
    if a person has several rows.
    """

    columns: Columns
    k_anonymity: int
    l_diversity: int | None
    entropy_l_diversity: float | None
    t_closeness: float | None
    future_exposure: Estimate | None


@dataclass(frozen=True)
class InferenceReport:
    """The share of correct guesses of a sensitive value from known columns; ``prior`` is the share without them.

    ``worst_person`` is the highest chance of a correct guess over the people, ``certain_people`` the number of people
    with a chance of 1. ``exposure`` and ``unique_people`` are those of the known columns: where most people are unique,
    a guess repeats the table.
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
    """A protocol as the command line spells it, and the standard error of a share estimated with it."""

    mechanism: str
    error_share: float
    error_people: float


@dataclass(frozen=True)
class AnswerGuesses:
    """How often adversaries with the same prior guess one person's answer correctly.

    ``blind``: the adversary observes nothing. ``report``: it observes the person's report and knows who sent it. For
    the other two, it observes all reports, shuffled: with ``knows_none`` it knows no other answer, with ``knows_all``
    it knows all of them.
    """

    blind: float
    report: float
    knows_none: float | Estimate
    knows_all: float | Estimate


@dataclass(frozen=True)
class CollectionOption:
    """The best protocol at an ε: of those ``compared`` (best first), the one with the least error of a share.

    The guesses are those of an adversary whose prior is uniform (``uniform``), or the shares of the answers
    (``shares``).
    """

    epsilon: float
    best: ProtocolReport
    compared: tuple[ProtocolReport, ...]
    uniform: AnswerGuesses
    shares: AnswerGuesses


@dataclass(frozen=True)
class CollectionReport:
    """The protection and the cost of collecting a column of n people and k values from the people instead.

    ``hides``: the recommended option leaves an adversary that knows all other answers enough of its error. ``tells``:
    the error of an estimated share is smaller than a typical share, 1/k. ``shuffled_epsilon``: the reports without
    their senders are (ε, δ)-differentially private for this ε at ``delta``; None if that is not known. ``if_all_asked``
    is the best protocol at the column's ε divided by the number of ``questions``, for when the same people answer all
    the columns.
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
        """Whether one answer is hidden, and the shares of all answers can be estimated."""
        return self.hides and self.tells


@dataclass(frozen=True)
class RedactedColumn:
    """A rule by which people redact their rare values of a column, and some others redact theirs as decoys.

    The exposures are those of the column alone, before redacting and (in expectation) after; None if there are too many
    answers.
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
    """The share of correct guesses of a column's value without a redacted column, and expected from it alone."""

    about: str
    prior: float
    posterior: float


@dataclass(frozen=True)
class RuledColumn:
    """A column that people redact by given rules, each a line of text.

    ``people`` is the number of people who must redact, ``redacted`` the expected share of people who do. With a decoy
    probability of ``enough_decoys``, half of them would be decoys. The exposures are those of the column alone, before
    redacting and (in expectation) after; None if there are too many answers.
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
    """The exposure of a set of columns before and, in expectation, after all rules; None with too many answers."""

    columns: Columns
    exposure: float
    redacted_exposure: float | None


@dataclass(frozen=True)
class RedactionReport:
    """The effect if people redacted by given rules, and in other columns the values that fewer than k of them hold."""

    columns: tuple[RedactedColumn, ...]
    together: tuple[RedactedSet, ...]
    ruled: tuple[RuledColumn, ...] = ()


@dataclass(frozen=True, repr=False)
class Audit(JobResult):
    """The result of the main job: the leakage of a table of people, and a recommended release.

    `document` returns the document that every format shows: `to_html` as a page, `to_markdown` as Markdown, and a
    terminal and a notebook. `to_plan` returns the recommended file as a plan. `to_dict` returns the same as plain data
    for JSON, and `chart` a figure of the page: "columns", "certified", "selected", "front", "guesses", "ask-0", ….
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
        # Loaded by its name: that module imports this one.
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
        """The least number of holders of a value that is shown, unless the audit shows rare values."""
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

    Sets that may go out and whose name would only be their number of columns get a number, to distinguish them.

    Parameters
    ----------
    audit
        The audit.
    """

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    @cached_property
    def counted(self) -> tuple[Columns, ...]:
        """The sets that are named by their place in this list."""
        front = self._audit.decision.front[-SHOWN:]
        offered = (report.columns for report in (*self._audit.selected, *self._audit.certified_selection, *front))
        return tuple(dict.fromkeys(columns for columns in offered if self._is_brief(columns, None)))

    def of(self, columns: Columns, but: str | None = None) -> str:
        """Return the name of a set, among all columns but one."""
        name = among(columns, self._whole(but))
        if not self._is_brief(columns, but):
            return name
        places = (place for place, known in enumerate(self.counted, 1) if {*known} - {but} == {*columns})
        return next((f"{name} (set {place})" for place in places), name)

    def cell(self, columns: Columns, but: str | None = None) -> Cell:
        """Return the name of a set as a cell of a table, with the full list of columns if the name is shorter."""
        name, names = self.of(columns, but), listed(columns)
        return Cell(name, whole=names if name != names else "")

    def _is_brief(self, columns: Columns, but: str | None) -> bool:
        return among(columns, self._whole(but)) == f"{len(columns):,} columns"

    def _whole(self, but: str | None) -> Columns:
        return tuple(column for column in self._audit.sets.whole.columns if column != but)
