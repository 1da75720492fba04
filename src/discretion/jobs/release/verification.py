"""The verification of a written table: its numbers, counted independently by the engine."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from discretion.anonymity import Population
from discretion.anonymity.people.hierarchies import Hierarchy, read_hierarchies
from discretion.anonymity.releasing.diversity import MIN_RECURSIVE_L, Closeness, Disclosure, Likeness
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.errors import MissedGoalError
from discretion.jobs.gates import Number
from discretion.jobs.options.tables import ValueDistance
from discretion.jobs.release.candidates import Candidates
from discretion.jobs.release.goal import value_distance
from discretion.jobs.release.result import FileExposure
from discretion.jobs.table_measures import ALL_COLUMNS, CLOSENESS, ON_REQUEST, guess_reports, is_on_request
from discretion.jobs.table_numbers import EngineCounts, TableNumbers

# A model of a sensitive column that compares equivalence classes with a whole.
Compared = Closeness | Likeness | Disclosure


def compared_models(candidates: Candidates, gated: Iterable[str]) -> dict[str, Compared]:
    """Return the models whose number the file by itself does not determine, by the names of these numbers.

    The models of the goal are compared as in the goal: with the places of all values that may go out, and with the
    input if the goal is against it. t-closeness that only a gate names uses these places, too, and is against the file.

    Raises
    ------
    InvalidValueError
        If a gate names a distance that the values of its column do not have.
    """
    options, goal = candidates.options, candidates.goal
    names = {Closeness: CLOSENESS[options.t_distance], Likeness: "beta_likeness", Disclosure: "delta_disclosure"}
    models: dict[str, Compared] = {
        f"{names[type(model)]}:{model.column}": model
        for model in goal.diversity
        if isinstance(model, Compared) and (model.whole is not None or options.t_distance != "equal")
    }
    hierarchies: Mapping[str, Hierarchy] = {}
    wanted = {name.removeprefix(ALL_COLUMNS) for name in gated} - {*models}
    asked = [
        (distance, column)
        for distance, measure in CLOSENESS.items()
        for column in candidates.secrets
        if measure in ON_REQUEST and f"{measure}:{column}" in wanted
    ]
    if asked and options.hierarchies is not None:
        hierarchies = read_hierarchies(options.hierarchies, candidates.people.columns)
    for distance, column in asked:
        codes, values = candidates.secrets[column], candidates.values[column].to_pylist()
        counts = codes.sizes()
        ground = value_distance(cast(ValueDistance, distance), column, values, counts, hierarchies.get(column))
        models[f"{CLOSENESS[distance]}:{column}"] = Closeness(column, Fraction(1), ground)
    return models


def checked_table(
    table: Any,
    columns: Sequence[str],
    sensitive: Sequence[str],
    goal: ReleaseGoal,
    values: Mapping[str, Sequence[Any]],
    *,
    written: Population,
    l: int = MIN_RECURSIVE_L,  # noqa: E741 - as it is called
) -> tuple[FileExposure, dict[str, Number]]:
    """Return the exposure of an Arrow table, and its numbers by name; raise MissedGoalError if it misses the goal.

    ``columns`` are the columns that go out; the table also has the sensitive columns that do not. ``values`` are the
    values of the codes of the sensitive columns in the file, and ``written`` are the people of the table. An engine
    counts these people, and Arrow counts the table once more. ``l`` is that of recursive (c, l)-diversity.
    """
    known = [name for name in columns if name not in sensitive]
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
            missed.append(f"{guess.sensitive} is certain for {guess.certain_people:,} people")
    if missed:
        raise MissedGoalError(
            f"internal error: the file missed its goal when it was read back ({'; '.join(missed)}), so it was "
            "removed; please report this"
        )
    counted = TableNumbers(EngineCounts(written), columns, sensitive, k=goal.k, l=l)
    numbers = {name: counted[name] for name in counted if not is_on_request(name)}
    return FileExposure(people, exposed, exposed / people, failing, sizes.smallest, sizes.unique, guesses), numbers


def compared_numbers(
    table: Any,
    columns: Sequence[str],
    sensitive: Sequence[str],
    models: Mapping[str, Compared],
    values: Mapping[str, Sequence[Any]],
) -> dict[str, Number]:
    """Return the numbers of models in an Arrow table by name, for both adversaries: the largest over the classes.

    ``values`` are those of the models' columns; the other parameters are those of `checked_table`.
    """
    numbers: dict[str, Number] = {}
    known = [name for name in columns if name not in sensitive]
    for name, model in models.items():
        others = [each for each in columns if each != model.column]
        for prefix, seen in (("", known), (ALL_COLUMNS, others)):
            classes, everybody = _class_values(table, seen, model.column, values[model.column])
            numbers[prefix + name] = float(max(model.reached(counts, everybody) for counts in classes.values()))
    return numbers


def _failing(table: Any, known: Sequence[str], goal: ReleaseGoal, values: Mapping[str, Sequence[Any]]) -> int:
    """Return the number of people in classes that are too small or not diverse enough, grouped by Arrow."""
    failing: set[tuple[Any, ...]] = set()
    sizes = {tuple(_key(group[name]) for name in known): group["count_all"] for group in _groups(table, known)}
    failing |= {group for group, size in sizes.items() if size < goal.k}
    for diversity in goal.diversity:
        classes, everybody = _class_values(table, known, diversity.column, values[diversity.column])
        failing |= {group for group, counts in classes.items() if not diversity.holds(counts, everybody)}
    return sum(sizes[group] for group in failing)


def _class_values(
    table: Any, known: Sequence[str], sensitive: str, values: Sequence[Any]
) -> tuple[dict[tuple[Any, ...], dict[int, int]], dict[int, int]]:
    """Return the number of people with each code of a sensitive column, per class and in all, grouped by Arrow."""
    codes = {_key(value): code for code, value in enumerate(values)}
    classes: dict[tuple[Any, ...], dict[int, int]] = {}
    everybody: dict[int, int] = {}
    for cell in _groups(table, [*known, sensitive]):
        code, count = codes[_key(cell[sensitive])], cell["count_all"]
        classes.setdefault(tuple(_key(cell[name]) for name in known), {})[code] = count
        everybody[code] = everybody.get(code, 0) + count
    return classes, everybody


def _groups(table: Any, columns: Sequence[str]) -> list[dict[str, Any]]:
    return table.group_by(list(columns)).aggregate([([], "count_all")]).to_pylist()


def _key(value: Any) -> Any:
    """Return a value that equals itself, which NaN does not."""
    return value if value == value else "not a number"  # noqa: PLR0124
