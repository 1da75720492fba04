"""The verification of a written table: its numbers, counted by the engine, which had no part in making it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from discretion.anonymity import Population
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.errors import MissedGoalError
from discretion.jobs.gates import Number
from discretion.jobs.release.result import FileExposure
from discretion.jobs.table_measures import guess_reports
from discretion.jobs.table_numbers import EngineCounts, TableNumbers


def checked_table(
    table: Any,
    columns: Sequence[str],
    sensitive: Sequence[str],
    goal: ReleaseGoal,
    values: Mapping[str, Sequence[Any]],
) -> tuple[FileExposure, dict[str, Number]]:
    """Return what an Arrow table shows, and its numbers by name, or raise MissedGoalError if that misses the goal.

    ``columns`` are those that go out; the table has the sensitive columns that do not, too. ``values`` are of the
    sensitive columns that go out what each code stands for in the file.
    """
    known = [name for name in columns if name not in sensitive]
    written = Population(table)
    sizes = written.class_sizes(known)
    failing, exposed = _failing(table, known, goal, values), sizes.exposed(k=goal.k)
    guesses = guess_reports(written, known, sensitive)
    people = written.people
    missed = [f"{failing:,} people are exposed"] if failing > math.floor(goal.budget * people) else []
    if failing < exposed:
        missed.append(f"{exposed:,} people are exposed by another count")
    for guess in guesses:
        if round((guess.after - guess.before) * people) > math.floor(goal.rise * people):
            missed.append(f"{guess.sensitive} is guessed too well")
        if goal.certain is not None and guess.certain_people > math.floor(goal.certain * people):
            missed.append(f"{guess.sensitive} is certain of {guess.certain_people:,} people")
    if missed:
        raise MissedGoalError(
            f"the file missed its goal when it was read back ({'; '.join(missed)}), so nothing of it is left; please "
            "report this"
        )
    return FileExposure(people, exposed, exposed / people, failing, sizes.smallest, sizes.unique, guesses), dict(
        TableNumbers(EngineCounts(written), columns, sensitive, k=goal.k)
    )


def _failing(table: Any, known: Sequence[str], goal: ReleaseGoal, values: Mapping[str, Sequence[Any]]) -> int:
    """Return how many people are in groups too small or not diverse enough, grouped by Arrow."""
    failing: set[tuple[Any, ...]] = set()
    sizes = {tuple(group[name] for name in known): group["count_all"] for group in _groups(table, known)}
    failing |= {group for group, size in sizes.items() if size < goal.k}
    for diversity in goal.diversity:
        codes = {_key(value): code for code, value in enumerate(values[diversity.column])}
        counts_of: dict[tuple[Any, ...], dict[int, int]] = {group: {} for group in sizes}
        everybody: dict[int, int] = {}
        for cell in _groups(table, [*known, diversity.column]):
            code, count = codes[_key(cell[diversity.column])], cell["count_all"]
            counts_of[tuple(cell[name] for name in known)][code] = count
            everybody[code] = everybody.get(code, 0) + count
        failing |= {group for group, counts in counts_of.items() if not diversity.holds(counts, everybody)}
    return sum(sizes[group] for group in failing)


def _groups(table: Any, columns: Sequence[str]) -> list[dict[str, Any]]:
    return table.group_by(list(columns)).aggregate([([], "count_all")]).to_pylist()


def _key(value: Any) -> Any:
    """Return a value that equals itself: not a number does not."""
    return value if value == value else "not a number"  # noqa: PLR0124
