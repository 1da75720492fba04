"""The search through sets of columns, pruned by monotonicity: a superset exposes at least as much."""

import math
from collections.abc import Callable, Iterable, Iterator

from tacit import limits
from tacit.anonymity import ClassSizes, Population
from tacit.anonymity.choosing.subset_search import ColumnSets
from tacit.jobs.audit.result import SHOWN, Columns, SetReport, SetsReport
from tacit.jobs.audit.time_limit import TimeLimit

# A column whose values alone single out every second person, on average, is an identifier and not a trait.
IDENTIFIER_LIKE = 0.5
# Where there is a time limit, which costs what sets could share.
SETS_BETWEEN_LOOKS = 64


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
    time: TimeLimit,
) -> SetsReport:
    """Examine sets of the columns in ``traits``, small ones first, and all columns together.

    All of them if they fit the work limit, and the time. Else a set that contains one over the budget is not examined:
    it exposes at least as much.
    """
    allowed = limits.current()
    limit = min(allowed.most_sets_audited, max(len(traits), allowed.most_rows_grouped // population.rows))
    lattice = ColumnSets([(column,) for column in traits])
    possible = lattice.possible - 1
    pruned = possible > limit
    at_once = limit if math.isinf(time.seconds) else SETS_BETWEEN_LOOKS
    if not pruned and at_once == limit:
        progress("sets of columns")
        population.class_sizes_of_all(lattice)
    examined: dict[Columns, SetReport] = {}
    level: list[Columns] = [(column,) for column in traits]
    complete = True

    def within(columns: Columns) -> bool:
        return examined[columns].exposure <= budget

    def is_minimal(columns: Columns) -> bool:
        # What contains a set over the budget contains one with just a column less than itself, which is examined too.
        return all(within(part) for part in lattice.predecessors(columns) if part)

    def safety(columns: Columns) -> tuple[float, Columns]:
        return max(examined[part].exposure for part in lattice.predecessors(columns)), columns

    while level and complete:
        room = limit - len(examined)
        for part in time.left_for("sets", _batches(level[:room], at_once)):
            population.class_sizes_of_all(part)
            for columns in part:
                progress(f"sets of {len(columns)} columns")
                examined[columns] = set_report(columns, population.class_sizes(columns), k)
        complete = level[-1] in examined
        safe = set(filter(within, examined)) if pruned else examined
        level = sorted(lattice.next_level(filter(safe.__contains__, level), safe), key=safety)
    reports = tuple(examined.values())
    over = [report for columns, report in examined.items() if not within(columns) and is_minimal(columns)]
    return SetsReport(
        whole=examined.get(whole) or set_report(whole, population.class_sizes(whole), k),
        examined=reports,
        # Of a search that was pruned or cut short the worst is not known.
        worst=()
        if pruned or not complete
        else tuple(sorted(reports, key=lambda report: (-report.exposure, len(report.columns)))[:SHOWN]),
        smallest_over_budget=tuple(sorted(over, key=lambda report: (len(report.columns), -report.exposure))),
        identifier_like=tuple(column for column in whole if column not in traits),
        possible=possible,
        complete=complete,
    )


def _batches(sets: list[Columns], size: int) -> Iterator[list[Columns]]:
    return (sets[start : start + size] for start in range(0, len(sets), size))


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
