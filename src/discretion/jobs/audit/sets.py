"""Which columns may go out together: the search for them, and what the sets that it names give away."""

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
# An engine takes as long for one set as so many take by codes of the rows.
_BY_ENGINE = 10
# How many seconds the search for the best set may take where rows stay in an engine elsewhere, unless told.
_ELSEWHERE_SECONDS = 60.0


@dataclass(frozen=True)
class AuditGoal:
    """The goal of an audit: who is exposed, how much may be given away, and what goes out always or never."""

    k: int
    budget: float
    sensitive: Columns
    guess_budget: float
    certain_budget: float | None
    keep: Columns
    drop: Columns


def problem_of_sets(population: Population, kinds: Mapping[str, ColumnKind], goal: AuditGoal) -> SelectionProblem:
    """Return the search for the most useful of the columns that do not name their person."""
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
    """Return the most useful columns that give away little enough, looking for so long at most.

    Without that time the search ends after so many sets that it finds the same on every machine, if the rows are here.
    ``searching`` surrounds the search from its first finding on: a KeyboardInterrupt there ends no more than that.
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
    """Return how many sets are looked at without a time limit; and where rows are elsewhere, for how long at most."""
    population, sets = problem.population, sets_within_work(problem.population.people)
    if problem.codes is not None:
        return sets, None
    assert isinstance(population, Population)
    are_here = population.read_rows(lambda rows, _: rows.arrow is not None)
    return sets // _BY_ENGINE, None if are_here else _ELSEWHERE_SECONDS


def set_report(columns: Columns, sizes: ClassSizes, k: int) -> SetReport:
    """Return what the class sizes of a set of columns say."""
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
    """Whether knowing this column's value names its person in more than every second try."""
    return sizes.classes > IDENTIFIER_LIKE * sizes.people


def set_reports(population: Population, sets: Iterable[Columns], k: int) -> tuple[SetReport, ...]:
    """Return what sets of columns give away."""
    chosen = list(sets)
    sizes = population.class_sizes_of_all(chosen)
    return tuple(set_report(columns, each, k) for columns, each in zip(chosen, sizes, strict=True))


def sets_report(population: Population, whole: Columns, traits: Columns, selection: Selection, k: int) -> SetsReport:
    """Return what the search says of the sets of columns, and what all columns together give away."""
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
    """Yield what is said of each column; its rarest value if that may be shown, which is looked up for no others."""
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
