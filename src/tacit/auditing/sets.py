"""The search through sets of columns, pruned by monotonicity: a superset exposes at least as much."""

from collections.abc import Callable, Iterable
from itertools import combinations

from tacit.anonymity import ClassSizes, Population
from tacit.auditing.result import Columns, SetReport, SetsReport

# A column whose values alone single out every second person, on average, is an identifier and not a trait.
IDENTIFIER_LIKE = 0.5
# How many sets are examined at most, and how many rows are grouped in all.
MAX_SETS = 1000
MAX_ROWS_GROUPED = 200_000_000
_SHOWN = 10


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


def search_sets(
    population: Population,
    whole: Columns,
    traits: Columns,
    k: int,
    budget: float,
    *,
    progress: Callable[[str], None],
) -> SetsReport:
    """Examine sets of the columns in ``traits``, small ones first, and all columns together.

    All of them if they fit the work limit. Else a set that contains one over the budget is not examined: it exposes at
    least as much.
    """
    limit = min(MAX_SETS, max(len(traits), MAX_ROWS_GROUPED // population.rows))
    prune_above = budget if 2 ** len(traits) - 1 > limit else None
    examined: dict[Columns, SetReport] = {}
    level: list[Columns] = [(column,) for column in traits]
    complete = True
    while level and complete:
        room = limit - len(examined)
        population.class_sizes_of_all(level[:room])
        for columns in level[:room]:
            progress(f"sets of {len(columns)} columns")
            examined[columns] = set_report(columns, population.class_sizes(columns), k)
        complete = len(level) <= room
        level = _next_level(traits, level, examined, prune_above)
    reports = tuple(examined.values())
    return SetsReport(
        whole=examined.get(whole) or set_report(whole, population.class_sizes(whole), k),
        examined=reports,
        # Of a pruned search the worst is not known.
        worst=tuple(sorted(reports, key=lambda report: (-report.exposure, len(report.columns)))[:_SHOWN])
        if prune_above is None
        else (),
        smallest_over_budget=tuple(_minimal(report for report in reports if report.exposure > budget)),
        identifier_like=tuple(column for column in whole if column not in traits),
        possible=2 ** len(traits) - 1,
        complete=complete,
    )


def largest_within(reports: Iterable[SetReport], budget: float) -> tuple[SetReport, ...]:
    """Return the sets within the budget that no other one contains, largest first."""
    within = sorted(
        (report for report in reports if report.exposure <= budget),
        key=lambda report: (-len(report.columns), report.exposure),
    )
    maximal: list[SetReport] = []
    for report in within:
        if not any(set(report.columns) < set(larger.columns) for larger in maximal):
            maximal.append(report)
    return tuple(maximal)


def _minimal(over: Iterable[SetReport]) -> list[SetReport]:
    minimal: list[SetReport] = []
    for report in sorted(over, key=lambda report: (len(report.columns), -report.exposure)):
        if not any(set(smaller.columns) <= set(report.columns) for smaller in minimal):
            minimal.append(report)
    return minimal


def _next_level(
    traits: Columns, level: list[Columns], examined: dict[Columns, SetReport], budget: float | None
) -> list[Columns]:
    """Return the sets with one column more, all of whose subsets are within the budget, the safest first."""
    position = {column: i for i, column in enumerate(traits)}
    found: list[tuple[float, Columns]] = []
    for columns in level:
        if columns not in examined:
            continue
        for column in traits[position[columns[-1]] + 1 :]:
            candidate = (*columns, column)
            parts = [examined.get(part) for part in combinations(candidate, len(columns))]
            if all(part is not None and (budget is None or part.exposure <= budget) for part in parts):
                found.append((max(part.exposure for part in parts if part is not None), candidate))
    return [candidate for _, candidate in sorted(found)]
