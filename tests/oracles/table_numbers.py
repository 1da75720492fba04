"""A table's numbers by the names that gates use, counted person by person in fractions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf, log
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def numbers_of(
    rows: Rows, sensitive: Sequence[str] = (), k: int = 10, person: str | None = None
) -> dict[str, int | float | Fraction]:
    """Every measure of a table: plain ones by all columns but the sensitive ones, those of all columns by all.

    t-closeness in order is of columns of numbers, and of people with one row each.
    """
    columns = [name for name in rows[0] if name != person]
    known = [name for name in columns if name not in sensitive]
    numbers: dict[str, int | float | Fraction] = {"people": len(_people(rows, columns, person))}
    for prefix, seen in (("", known), ("all_columns.", columns)):
        numbers |= {prefix + name: value for name, value in _of_classes(_people(rows, seen, person), k).items()}
    for secret in sensitive:
        others = [name for name in columns if name != secret]
        for prefix, seen in (("", known), ("all_columns.", others)):
            of_secret = _of_secret(_people(rows, seen, person), _people(rows, [secret], person))
            if person is None and all(isinstance(row[secret], int | float) for row in rows):
                seen_by, values = _people(rows, seen, None), [row[secret] for row in rows]
                of_secret["t_closeness_ordered"] = t_in_order(seen_by, values, sorted(set(values)))
            numbers |= {f"{prefix}{name}:{secret}": value for name, value in of_secret.items()}
    return numbers


def t_in_order(
    seen: Sequence[Any], values: Sequence[Any], places: Sequence[Any], whole: Sequence[Any] | None = None
) -> Fraction:
    """The largest distance of people who look alike from a whole, by the places of their values in order."""
    compared = values if whole is None else whole

    def reached(some: Sequence[Any]) -> list[Fraction]:
        counts = Counter(some)
        return [Fraction(sum(counts[place] for place in places[: i + 1]), len(some)) for i in range(len(places))]

    groups: dict[Any, list[Any]] = {}
    for each, value in zip(seen, values, strict=True):
        groups.setdefault(each, []).append(value)
    everybody = reached(compared)
    return max(
        sum((abs(own - all_) for own, all_ in zip(reached(group), everybody, strict=True)), Fraction(0))
        / max(1, len(places) - 1)
        for group in groups.values()
    )


def _people(rows: Rows, columns: Sequence[str], person: str | None) -> list[Any]:
    """What each person has of some columns: her row, or the bag of her rows."""
    if person is None:
        return [tuple(row[name] for name in columns) for row in rows]
    held: dict[Any, list[Any]] = {}
    for row in rows:
        held.setdefault(row[person], []).append(repr(tuple(row[name] for name in columns)))
    return [tuple(sorted(bag)) for bag in held.values()]


def _of_classes(people: list[Any], k: int) -> dict[str, int | float | Fraction]:
    n, alike = len(people), Counter(people)
    exposed = sum(alike[each] < k for each in people)
    unique = sum(alike[each] == 1 for each in people)
    highest, average = Fraction(1, min(alike.values())), Fraction(len(alike), n)
    return {
        "exposure": Fraction(exposed, n), "exposed_people": exposed, "unique_people": unique, "classes": len(alike),
        "k_anonymity": min(alike.values()), "prosecutor_highest": highest, "prosecutor_average": average,
        "journalist_highest": highest, "journalist_average": average, "marketer": average,
        "singling_out": Fraction(unique, n), "linkability": average,
    }  # fmt: skip


def _of_secret(people: list[Any], secrets: list[Any]) -> dict[str, int | float | Fraction]:
    n, everybody = len(people), Counter(secrets)
    groups: dict[Any, list[Any]] = {}
    for seen, secret in zip(people, secrets, strict=True):
        groups.setdefault(seen, []).append(secret)
    right = sum(max(Counter(group).values()) for group in groups.values())
    distances = [
        sum(abs(Fraction(group.count(value), len(group)) - Fraction(everybody[value], n)) for value in everybody) / 2
        for group in groups.values()
    ]
    times = [
        Fraction(group.count(value) * n, len(group) * everybody[value])
        for group in groups.values()
        for value in everybody
    ]
    ranked = [sorted(Counter(group).values(), reverse=True) for group in groups.values()]
    return {
        "recursive_c": max(best / sum(others) if others else inf for best, *others in ranked),
        "guess": Fraction(right, n),
        "guess_rise": Fraction(right - max(everybody.values()), n),
        "certain": Fraction(sum(len(group) for group in groups.values() if len(set(group)) == 1), n),
        "l_diversity": min(len(set(group)) for group in groups.values()),
        "t_closeness": max(distances),
        "beta_likeness": max(times) - 1,
        "delta_disclosure": max(abs(log(each)) if each else inf for each in times),
    }
