"""The main job: audit a table of people, and recommend which columns to publish."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discretion.anonymity import (
    ClassSizes,
    ColumnKind,
    Population,
    Selection,
    column_kinds,
    exposure_bound,
    exposure_if_independent,
    preset as find_preset,
    theorem_bound,
)
from discretion.anonymity.attacks.reidentification_inference import inferences
from discretion.anonymity.choosing.constraints import GUESS_BUDGET
from discretion.anonymity.choosing.problem import SelectionProblem
from discretion.anonymity.people.hierarchies import Hierarchy, read_hierarchies
from discretion.anonymity.releasing.column_values import DateOrder
from discretion.anonymity.releasing.suppression import Suppress
from discretion.anonymity.releasing.utility import Utility
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.input_files import without_password
from discretion.jobs.audit.collection import collection_report, worth_collecting
from discretion.jobs.audit.decision import Recommendation, columns_as_they_are, front_of, offer_of, recommended_file
from discretion.jobs.audit.measures import always_measured, measured_in_time
from discretion.jobs.audit.omissions import not_examined
from discretion.jobs.audit.redaction import redaction_report
from discretion.jobs.audit.release import certified_selection, release_reports
from discretion.jobs.audit.result import (
    SHOWN,
    Audit,
    CertifiedReport,
    CertifiedSet,
    CollectionReport,
    Columns,
    Decision,
    InferenceReport,
    RedactionReport,
    SetReport,
    SetsReport,
)
from discretion.jobs.audit.risks import (
    Everybody,
    everybody_of,
    risk_reports,
    uniqueness_of,
    unsaid_of_uniqueness,
    unused_weights,
)
from discretion.jobs.audit.sets import (
    AuditGoal,
    column_reports,
    is_identifier_like,
    problem_of_sets,
    search,
    set_reports,
    sets_report,
)
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.jobs.gates import Number
from discretion.jobs.options.tables import Against, AuditOptions, ReleaseOptions, ValueDistance
from discretion.jobs.persons import AS_IT_IS, open_people, whose_rows, without_person
from discretion.jobs.release.candidates import check_rules
from discretion.jobs.table_measures import is_on_request
from discretion.jobs.table_numbers import EngineCounts, TableNumbers
from discretion.spelling.rules import rule_of
from discretion.tables.layouts.headers import Header
from discretion.tables.layouts.names import distinct_names
from discretion.validation import as_count, as_real

# Counting bounds are worked out for at most this many sets.
_CERTIFIED_SETS = 20
_COLUMNS_AT_ONCE = 64


def audit(
    table: Any,
    columns: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    k: int | None = None,
    budget: float = 0.01,
    *,
    guess_budget: float | None = None,
    certain_budget: float | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    redact: Sequence[str] = (),
    rules: Sequence[str] = (),
    hierarchies: str | Path | None = None,
    bins: Sequence[str] = (),
    missing: Sequence[str] = (),
    dates: DateOrder | None = None,
    max_suppressed: float = 0.02,
    suppress: Suppress = "rows",
    utility: Utility = "information",
    l: int = 1,  # noqa: E741 - as it is called
    entropy_l: float | None = None,
    recursive_c: float | None = None,
    t: float | None = None,
    t_distance: ValueDistance = "equal",
    t_against: Against = "file",
    beta_likeness: float | None = None,
    delta_disclosure: float | None = None,
    weights: Mapping[str, float] | None = None,
    preset: str | None = None,
    population: int | None = None,
    weight: str | None = None,
    person: str | None = None,
    header: Header = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    show_rare: bool = False,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
    seconds: float | None = None,
) -> Audit:
    """Measure the exposure by a table of people, and recommend the columns or the file to publish.

    Parameters
    ----------
    table
        Any table that `discretion.Population` takes: a path, ``"example:adult"``, a pandas, polars or Arrow table, an
        Ibis table; or a Population.
    columns
        The columns to examine; None means all.
    sensitive
        The sensitive columns, whose guesses are measured and limited: a name, or several.
    k
        A set of columns exposes a person if fewer than k people, that person included, share their values; 10 by
        default, or the k of the preset.
    budget
        The share of the people, in [0, 1], that a set of columns may expose and still go out.
    guess_budget
        The most by which such a set may raise the share of correct guesses of a sensitive column; 0.05 by default.
    certain_budget
        The share of the people whose sensitive value may be certain to an adversary; no limit by default.
    keep, drop
        Columns that always go out, or never.
    redact, rules, hierarchies, bins, missing, dates, max_suppressed, suppress, utility
        The changes that the file may make to the table, as for `discretion.release`.
    l, entropy_l, recursive_c, t, t_distance, t_against, beta_likeness, delta_disclosure
        The requirements on each equivalence class of the file, as for `discretion.release`.
    weights
        A column → its utility when unchanged, 1 by default, for the sets of columns that may go out unchanged. None
        counts columns: a column and those that it determines count once.
    preset
        A published threshold instead of k, by a name in ``discretion.anonymity.PRESETS``.
    population
        The size of the population that the table is a sample of, for the journalist risk and for uniqueness in the
        population; None if the table has everybody.
    weight
        Instead of ``population``, a column of sampling weights. It is not published.
    person
        The column that names a person with several rows; "none" if every row is a person of its own. With None, if a
        column repeats like the name of a person, the decision asks whether it is one, and there are no measures.
    header, delimiter, encoding
        The form of a CSV file, as for `discretion.Population`.
    show_rare
        Whether to show values that fewer than max(k, 2) people hold. By default these are withheld, and so a value that
        a single person holds is withheld for every k.
    progress
        A function that is called with the name of each step.
    memory
        The memory limit of the engine that holds the table, as for `discretion.Population`.
    seconds
        The time limit. After it no further section begins, and ``not_examined`` lists the missing ones; the columns by
        themselves and all together are always examined. Without a time limit, the searches end after a fixed number of
        sets of columns and of choices of generalizations, the same on every machine, and return an upper bound on how
        much better another choice could be.

    Returns
    -------
    Audit
        A decision on each column, exact numbers, and certified bounds marked as such.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read, or lacks a column.

    Examples
    --------
    >>> found = audit("example:adult", columns=["sex", "race"], sensitive="race")
    >>> found.people, found.sets.whole.classes, found.sets.whole.unique_people
    (32561, 10, 0)
    >>> [(each.column, each.verdict) for each in found.decision.columns]
    [('sex', 'publish'), ('race', 'drop')]
    """
    options = AuditOptions.of_parameters(locals())
    return run_audit(table, options, weights=weights, progress=progress, memory=memory, time=TimeLimit(seconds))


def run_audit(
    table: Any,
    options: AuditOptions,
    *,
    weights: Mapping[str, float] | None = None,
    progress: Callable[[str], None] | None = None,
    memory: int | str | None = None,
    time: TimeLimit,
    gated: Sequence[str] = (),
) -> Audit:
    """Audit a table by these options, as `audit` does; the time limit may have begun before.

    The measures on request that a gate names are computed first, even if the time is over.
    """
    report_progress: Callable[[str], None] = progress or (lambda _: None)
    subject = _subject(table, options, memory, report_progress)
    if options.rules:
        check_rules(subject.people, _release_options(subject, options), subject.kinds)
    people, columns, traits, goal, everybody = (
        subject.people, subject.columns, subject.traits, subject.goal, subject.everybody
    )  # fmt: skip
    k, secrets = goal.k, goal.sensitive
    among = everybody.people if everybody.weight is None else None
    hierarchies: Mapping[str, Hierarchy] = {}
    if options.hierarchies is not None and any(map(is_on_request, gated)):
        hierarchies = read_hierarchies(options.hierarchies, people.columns)
    counts = EngineCounts(people, among, everybody.weight, hierarchies)
    numbers = TableNumbers(counts, columns, secrets, k=k, l=options.l)
    report_progress("the measures of the gates")
    requested = numbers.requested(gated) if subject.key is None else {}
    problem = problem_of_sets(people, subject.kinds, goal)
    selection = _search(people, problem, weights, time, report_progress)
    recommendation = _recommendation(
        subject, options, problem, selection, memory=memory, time=time, progress=report_progress
    )
    decision = Decision(
        columns=recommendation.columns,
        offers=recommendation.offers,
        question=None if subject.key is None else whose_rows(subject.key),
        functions=selection.functions,
        nearly=selection.nearly,
        front=tuple(front_of(people, selection)),
        kept=goal.keep,
        key=None if subject.key is None else subject.key.column,
        refusal=recommendation.refusal,
        ways_out=recommendation.ways_out,
    )
    sets = sets_report(people, columns, traits, selection, k)
    selected = set_reports(people, [chosen.columns for chosen in selection.maximal if chosen.columns][:SHOWN], k)
    report_progress("the risks as regulators name them")
    file, published = recommendation.file, decision.recommended
    risks = tuple(risk_reports(people, columns, goal, everybody, file=file, recommended=published))
    measures: dict[str, Number] = {}
    if decision.question is None:
        measures = always_measured(people, numbers, decision, secrets, recommendation.numbers) | requested
        measures |= dict(time.left_for("measures", measured_in_time(numbers)))
    uniqueness = uniqueness_of(file or people, published or traits, everybody)
    report_progress("the bounds that the columns alone certify")
    certified: tuple[CertifiedReport, ...] = ()
    promised: tuple[CertifiedSet, ...] = ()
    if people.person is None:
        certified = tuple(time.left_for("certified", _certified(people, sets, selected, k)))
        promised = tuple(time.left_for("certified_selection", certified_selection(people, traits, k, goal.budget)))
    report_progress("the guarantees of a release")
    released = [report.columns for report in selected]
    promises = release_reports(people, _with_traits(released, traits), next(iter(secrets), None), k)
    release = tuple(time.left_for("release", promises))
    report_progress("guesses of the sensitive columns")
    guesses = tuple(time.left_for("inference", _inference(people, traits, released, secrets, k)))
    report_progress("redacting rare values")
    redaction = RedactionReport((), ())
    if people.person is None:
        redaction = redaction_report(people, traits, released, options.rules, k=k, time=time)
    report_progress("collecting the columns instead")
    reports = () if people.person else _collection({column: subject.alone[column] for column in traits})
    collection = tuple(time.left_for("collection", reports))
    alone = {column: subject.alone[column] for column in columns}
    return Audit(
        table=without_password(str(table)) if isinstance(table, str | Path) else "table",
        people=people.people,
        rows=people.rows,
        person=people.person,
        sensitive=secrets,
        k=k,
        preset=None if options.preset is None else find_preset(options.preset),
        budget=goal.budget,
        guess_budget=goal.guess_budget,
        show_rare=options.show_rare,
        options=options,
        decision=decision,
        risks=risks,
        uniqueness=uniqueness,
        columns=tuple(column_reports(people, alone, k, options.show_rare)),
        sets=sets,
        certified=certified,
        certified_selection=promised,
        selected=selected,
        release=release,
        inference=guesses,
        collection=collection,
        redaction=redaction,
        cut_short=time.cut,
        not_examined=(
            *not_examined(people, sets, selection, subject.alone, redaction, sensitive=secrets, time=time),
            *unused_weights(subject.kinds, everybody),
            *unsaid_of_uniqueness(people, everybody),
            *([recommendation.unsearched] if recommendation.unsearched else []),
        ),
        measures=measures,
    )


@dataclass(frozen=True)
class _Subject:
    """The table of an audit as it was read, and the goal of the audit.

    Parameters
    ----------
    people, everybody
        The people of the table, and the population that they are a sample of.
    columns, kinds
        The columns that are examined, and the kind of each.
    alone
        The class sizes of each of these, and of each sensitive column.
    key
        A column that repeats like the name of a person, if it is open whether it is one.
    goal
        The goal of the audit.
    """

    people: Population
    everybody: Everybody
    columns: Columns
    kinds: Mapping[str, ColumnKind]
    alone: Mapping[str, ClassSizes]
    key: ColumnKind | None
    goal: AuditGoal

    @property
    def traits(self) -> Columns:
        """The columns that do not name their person."""
        return tuple(column for column in self.columns if not is_identifier_like(self.alone[column]))


def _subject(table: Any, options: AuditOptions, memory: int | str | None, progress: Callable[[str], None]) -> _Subject:
    """Check the options, and read the table."""
    goal, weight = goal_of(options), options.weight
    form = options.form if options.engine == "duckdb" else AS_IT_IS  # Spark has read it
    chosen = None if options.columns is None else (*distinct_names(options.columns), *options.keep)
    asked_about = (name for rule in map(rule_of, options.rules) for name in (rule.column, *rule.when))
    named = (*goal.sensitive, *goal.drop, *(() if weight is None else (weight,)), *asked_about)
    keys: list[ColumnKind] = []  # an audit shows the question, and does not stop at it
    kinds: dict[str, ColumnKind] = {}

    def kinds_of(whole: Population, columns: Columns | None = None) -> Iterable[ColumnKind]:
        progress("what kind of column each is")
        kinds.update({kind.column: kind for kind in column_kinds(whole, columns)})
        return kinds.values()

    read = None if chosen is None else list(dict.fromkeys([*chosen, *named]))
    people = open_people(table, read, options.person, form, memory=memory, repeats=keys.append, kinds_of=kinds_of)
    if people.person is not None and people.rows == people.people:
        people = without_person(people)  # a file can be recommended of a table without persons
    everybody = everybody_of(people, options.population, weight)
    columns = tuple(
        name for name in people.known(None if chosen is None else list(dict.fromkeys(chosen))) if name != weight
    )
    sensitive = people.known(goal.sensitive)
    alone = _alone(people, tuple(dict.fromkeys([*columns, *sensitive])), progress)
    if not kinds:
        kinds_of(people, columns)
    goal = replace(goal, sensitive=sensitive, keep=people.known(goal.keep), drop=people.known(goal.drop))
    examined = {name: kinds[name] for name in columns}
    return _Subject(people, everybody, columns, examined, alone, next(iter(keys), None), goal)


def goal_of(options: AuditOptions) -> AuditGoal:
    """Check the numbers of the goal of an audit, and return the goal."""
    k, budget = _least_alike(options.k, options.preset), as_real(options.budget, "budget")
    if not 0 <= budget <= 1:
        raise InvalidValueError(f"budget must be a share of the people, in [0, 1], got {options.budget!r}")
    for name in ("guess_budget", "certain_budget"):
        if getattr(options, name) is not None and not options.sensitive:
            raise InvalidValueError(f"{name} limits the guesses of sensitive columns; name one with sensitive")
    guess_budget = GUESS_BUDGET if options.guess_budget is None else as_real(options.guess_budget, "guess_budget")
    return AuditGoal(
        k, budget, tuple(options.sensitive), guess_budget, options.certain_budget, tuple(options.keep),
        tuple(options.drop),
    )  # fmt: skip


def _search(
    people: Population,
    problem: SelectionProblem,
    weights: Mapping[str, float] | None,
    time: TimeLimit,
    progress: Callable[[str], None],
) -> Selection:
    """Return the most useful columns that may go out unchanged, within a quarter of the time left."""
    by = weights if time.left else weights or {}  # known weights take no questions
    seconds = time.for_search(1 / 4)
    selection = search(problem, by, seconds, progress, time.searching)
    if selection.ended == "time" and seconds is not None:
        time.cut_off("sets")
    return selection


def _recommendation(
    subject: _Subject,
    options: AuditOptions,
    problem: SelectionProblem,
    selection: Selection,
    *,
    memory: int | str | None,
    time: TimeLimit,
    progress: Callable[[str], None],
) -> Recommendation:
    """Return the file to publish; unchanged columns if no release can be written, or the persons are not known."""
    people, goal = subject.people, subject.goal
    progress("what to do with each column")
    unsearched = None
    # Ctrl-C asks for what there is.
    asked = subject.key is None and selection.ended != "interrupted"
    if asked and people.person is None:
        release = _release_options(subject, options)
        try:
            return recommended_file(
                people, release, selection, subject.kinds, memory=memory, time=time, progress=progress
            )
        except (TooLargeError, UnsupportedError) as refusal:
            unsearched = f"a file with generalized columns: {refusal}."
    offer = offer_of(people, selection)
    columns = columns_as_they_are(people, problem, subject.kinds, selection, goal, time=time)
    return Recommendation(
        tuple(columns), () if offer is None else (offer,), people if offer else None, unsearched=unsearched
    )


def _release_options(subject: _Subject, options: AuditOptions) -> ReleaseOptions:
    """Return the options of the release that an audit recommends."""
    goal, weight = subject.goal, () if options.weight is None else (options.weight,)
    drop = tuple(dict.fromkeys([*goal.drop, *weight]))
    given = {**vars(options), "k": goal.k, "sensitive": goal.sensitive, "keep": goal.keep, "drop": drop}
    return ReleaseOptions.of_parameters(given)


def _collection(traits: Mapping[str, ClassSizes]) -> Iterator[CollectionReport]:
    categorical = worth_collecting(traits)
    return (collection_report(column, traits[column], len(categorical)) for column in categorical)


def _least_alike(k: int | None, name: str | None) -> int:
    if name is None:
        return as_count(10 if k is None else k, "k", at_least=1)
    least = find_preset(name).k
    if k not in (None, least):
        raise InvalidValueError(f"the preset {name!r} sets k = {least}, but k = {k} is given too; leave one out")
    return least


def _alone(people: Population, columns: Columns, progress: Callable[[str], None]) -> dict[str, ClassSizes]:
    """Return the class sizes of each column, a batch of columns at a time."""
    alone: dict[str, ClassSizes] = {}
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        progress(f"column {columns[start]}")
        part = columns[start : start + _COLUMNS_AT_ONCE]
        alone.update(zip(part, people.class_sizes_of_all((column,) for column in part), strict=True))
    return alone


def _certified(
    population: Population, sets: SetsReport, selected: Sequence[SetReport], k: int
) -> Iterator[CertifiedReport]:
    chosen = {report.columns: report for report in (*selected, sets.whole, *sets.smallest_over_budget)}
    for report in [report for report in chosen.values() if len(report.columns) > 1][:_CERTIFIED_SETS]:
        yield CertifiedReport(
            columns=report.columns,
            bound=exposure_bound(population, k=k, columns=report.columns),
            exposure=report.exposure,
            theorems=theorem_bound(population, k=k, columns=report.columns).value,
            if_independent=exposure_if_independent(population, k=k, columns=report.columns),
        )


def _with_traits(released: list[Columns], traits: Columns) -> list[Columns]:
    """Return the released sets and all traits together, once, if there are any."""
    return [*released, traits] if traits and traits not in released else released


def _inference(
    people: Population, traits: Columns, released: Sequence[Columns], secrets: Columns, k: int
) -> Iterator[InferenceReport]:
    """Yield the guesses of each sensitive column from each column, each set that may go out, and all of them."""
    for secret in secrets:
        known = [*((column,) for column in traits), *released, traits]
        without = dict.fromkeys(tuple(column for column in columns if column != secret) for columns in known)
        for attack in inferences(people, list(filter(None, without)), secret):
            sizes = people.class_sizes(attack.columns)
            yield InferenceReport(
                sensitive=secret,
                known=attack.columns,
                prior=attack.prior,
                posterior=attack.posterior,
                worst_person=attack.worst_person,
                certain_people=attack.certain_people,
                exposure=sizes.exposure(k=k),
                unique_people=sizes.unique,
            )
