"""What an audit found, as plain frozen data: every number with its kind, and what was not examined."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from discretion.anonymity import Preset
from discretion.anonymity.uniqueness.population_uniqueness import PopulationUniqueness
from discretion.estimate import Estimate
from discretion.jobs.audit.decision_result import Columns, Decision
from discretion.jobs.gates import Number
from discretion.notebook import Chartable
from discretion.presenting.objects import plain

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
class RedactedSet:
    """What a set of columns exposes before and, in expectation, after all rules; None if that has too many answers."""

    columns: Columns
    exposure: float
    redacted_exposure: float | None


@dataclass(frozen=True)
class RedactionReport:
    """What it would mean if people redacted the values that fewer than k of them hold."""

    columns: tuple[RedactedColumn, ...]
    together: tuple[RedactedSet, ...]


@dataclass(frozen=True)
class Audit(Chartable):
    """The main job's answer: what a table of people gives away, and what to do about it.

    `to_dict` gives the same as plain data for JSON, `to_html` a page, `to_markdown` a document, and `chart` a figure of
    the page: "columns", "certified", "selected", "front", "guesses", "ask-0", …; `discretion.jobs.audit.to_text` is for
    a terminal.
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
    options: tuple[str, ...]
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

    def __repr__(self) -> str:
        return f"Audit({self.table!r}, {self.people} people, {len(self.columns)} columns, k={self.k})"

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
        found = {each.name: plain(getattr(self, each.name)) for each in fields(self) if each.name not in inputs}
        measures = {name: float(x) if isinstance(x, Fraction) else x for name, x in self.measures.items()}
        return found | {"measures": plain(measures)}
