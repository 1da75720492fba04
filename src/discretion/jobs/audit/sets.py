"""The search for the columns that may go out together, and the exposure of the sets that it finds."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from discretion.anonymity import ClassSizes, ColumnKind, Population, Selection
from discretion.anonymity.choosing.choices import Weights
from discretion.anonymity.choosing.problem import SelectionProblem, selection_problem
from discretion.anonymity.choosing.selection import selection_of
from discretion.anonymity.people.column_kinds import NAMING
from discretion.jobs.audit.result import SHOWN, ColumnReport, Columns, SetReport, SetsReport, least_holders
from discretion.numerics.search.monotone_sets import MAX_SETS_EXAMINED, sets_within_work

# A column whose values alone single out every second person, on average, is an identifier and not a trait.
IDENTIFIER_LIKE = 0.5
# An engine takes as long for one set as this many sets take by codes of the rows.
_BY_ENGINE = 10
# The default time limit of the search for the best set, in seconds, if the rows stay in an engine elsewhere.
_ELSEWHERE_SECONDS = 60.0


@dataclass(frozen=True)
class AuditGoal:
    """The goal of an audit: k, the budgets, the sensitive columns, and the columns that always or never go out."""

    k: int
    budget: float
    sensitive: Columns
    guess_budget: float
    certain_budget: float | None
    keep: Columns
    drop: Columns


def problem_of_sets(population: Population, kinds: Mapping[str, ColumnKind], goal: AuditGoal) -> SelectionProblem:
    """Return the problem of finding the most useful of the columns that do not name their person."""
    naming = [name for name, kind in kinds.items() if kind.kind in NAMING and name not in goal.keep]
    return selection_problem(
        population,
        goal.budget,
        k=goal.k,
        columns=list(kinds),
        keep=goal.keep,
        drop=list(dict.fromkeys([*goal.drop, *naming])),
        sensitive=goal.sensitive,
        guess_budget=goal.guess_budget,
        certain_budget=goal.certain_budget,
    )


def search(
    problem: SelectionProblem,
    weights: Weights,
    seconds: float | None,
    progress: Callable[[str], None],
    searching: Callable[[], AbstractContextManager[None]],
) -> Selection:
    """Return the most useful columns within the budgets, found within a time limit.

    Without a time limit, and if the rows are here, the search ends after a fixed number of sets, so that it finds the
    same on every machine. ``searching`` surrounds the search after its first set within the budgets: a
    KeyboardInterrupt then ends only the search.
    """
    most, begun = 0, ExitStack()

    def better(columns: Columns) -> None:
        nonlocal most
        if not most:
            begun.enter_context(searching())
        if len(columns) >= most:
            most = max(1, len(columns))
            progress(f"columns that may go out together: {most} so far")

    sets, seconds = _work_limit(problem) if seconds is None else (MAX_SETS_EXAMINED, seconds)
    with begun:
        return selection_of(problem, weights, sets=sets, time_limit=seconds, progress=better)


def _work_limit(problem: SelectionProblem) -> tuple[int, float | None]:
    """Return the limit on the number of sets without a time limit; and a time limit if the rows are elsewhere."""
    population, sets = problem.population, sets_within_work(problem.population.people)
    if problem.codes is not None:
        return sets, None
    assert isinstance(population, Population)
    are_here = population.read_rows(lambda rows, _: rows.arrow is not None)
    return sets // _BY_ENGINE, None if are_here else _ELSEWHERE_SECONDS


def set_report(columns: Columns, sizes: ClassSizes, k: int) -> SetReport:
    """Return the report on a set of columns from its class sizes."""
    exposed = sizes.exposed(k=k)
    return SetReport(
        columns=columns,
        classes=sizes.classes,
        unique_people=sizes.unique,
        smallest_class=sizes.smallest,
        exposed_people=exposed,
        exposure=exposed / sizes.people,
        reidentification_vulnerability=sizes.classes / sizes.people,
    )


def is_identifier_like(sizes: ClassSizes) -> bool:
    """Return whether a column's value alone identifies its person in more than half of the cases."""
    return sizes.classes > IDENTIFIER_LIKE * sizes.people


def set_reports(population: Population, sets: Iterable[Columns], k: int) -> tuple[SetReport, ...]:
    """Return a report on each set of columns."""
    chosen = list(sets)
    sizes = population.class_sizes_of_all(chosen)
    return tuple(set_report(columns, each, k) for columns, each in zip(chosen, sizes, strict=True))


def sets_report(population: Population, whole: Columns, traits: Columns, selection: Selection, k: int) -> SetsReport:
    """Return the results of the search over the sets of columns, and the report on all columns together."""
    over = [chosen.columns for chosen in selection.smallest_over[:SHOWN]]
    return SetsReport(
        whole=set_report(whole, population.class_sizes(whole), k),
        smallest_over_budget=set_reports(population, filter(None, over), k),
        identifier_like=tuple(column for column in whole if column not in traits),
        examined=selection.examined,
        possible=selection.possible,
        complete=selection.complete,
    )


def column_reports(
    population: Population, alone: Mapping[str, ClassSizes], k: int, show_rare: bool
) -> Iterator[ColumnReport]:
    """Yield the report on each column, with its rarest value if that may be shown (no other is looked up)."""
    open_to = show_rare or population.person is not None
    shown_columns = [column for column, sizes in alone.items() if open_to or sizes.smallest >= least_holders(k)]
    rarest = population.rarest_values(shown_columns)
    for column, sizes in alone.items():
        value, holders = rarest.get(column, (None, sizes.smallest))
        shown, exposed = show_rare or holders >= least_holders(k), sizes.exposed(k=k)
        yield ColumnReport(
            column=column,
            values=sizes.classes,
            entropy_bits=sizes.entropy,
            rarest_people=holders,
            rarest_value=value if shown else None,
            rarest_withheld=not shown,
            most_common_share=sizes.largest / sizes.people,
            exposed_people=exposed,
            exposure=exposed / sizes.people,
            identifier_like=is_identifier_like(sizes),
        )
