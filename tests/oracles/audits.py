"""The audit's numbers from the rows, by loops over tuples."""

from collections import Counter
from itertools import combinations


def classes(rows: list[dict], columns: tuple[str, ...]) -> Counter:
    """Return how many rows have each combination of values."""
    return Counter(tuple(row[column] for column in columns) for row in rows)


def exposed_people(rows: list[dict], columns: tuple[str, ...], k: int) -> int:
    """Return how many people share their values with fewer than k, themselves included."""
    sizes = classes(rows, columns)
    return sum(sizes[tuple(row[column] for column in columns)] < k for row in rows)


def subsets(columns: list[str]) -> list[tuple[str, ...]]:
    """Return all non-empty sets of columns."""
    return [chosen for size in range(1, len(columns) + 1) for chosen in combinations(columns, size)]


def best_guesses(rows: list[dict], known: tuple[str, ...], sensitive: str) -> int:
    """Return how many people's sensitive value is the likeliest one in their class."""
    tally: dict[tuple, Counter] = {}
    for row in rows:
        tally.setdefault(tuple(row[column] for column in known), Counter())[row[sensitive]] += 1
    return sum(max(counter.values()) for counter in tally.values())
