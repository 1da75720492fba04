"""Limits of rare values and bounds made of them, one value, set and cut after the other; and all samples there are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import comb, factorial, prod, sqrt

Law = Sequence[float]


def histograms(people: int, values: int) -> Iterator[tuple[int, ...]]:
    """All ways in which people have values."""
    if values == 1:
        yield (people,)
    else:
        yield from ((first, *rest) for first in range(people + 1) for rest in histograms(people - first, values - 1))


def chance_of(counts: Sequence[int], law: Law) -> float:
    return factorial(sum(counts)) * prod(p**c / factorial(c) for p, c in zip(law, counts, strict=True))


def outside(law: Law, kept: int) -> float:
    """How probable a value is that is none of so many most probable ones."""
    return sum(sorted(law, reverse=True)[kept:])


def fewer_or_as_many(hits: int, trials: int, p: float) -> float:
    return sum(comb(trials, x) * p**x * (1 - p) ** (trials - x) for x in range(hits + 1))


def _where(holds: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """The place between both at which it stops to hold."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def upper(hits: int, trials: int, risk: float) -> float:
    return 1.0 if hits == trials else _where(lambda p: fewer_or_as_many(hits, trials, p) > risk, 0.0, 1.0)[1]


def least_share(hits: int, trials: int, misses: float) -> float:
    """The least probability of a value that as many have, each missing at a risk in proportion to it."""
    if hits <= 1:
        return 0.0
    return _where(lambda p: 1 - fewer_or_as_many(hits - 1, trials, p) < misses * p / 2, 0.0, hits / trials)[0]


def largest_share(hits: int, trials: int, misses: float) -> float:
    if hits == trials:
        return 1.0
    return _where(lambda p: fewer_or_as_many(hits, trials, p) >= misses * p / 2, hits / trials, 1.0)[1]


def rare_limits(
    counts: Sequence[int], people: int, misses: float, domain: int | None, response: tuple[float, float] = (1.0, 0.0)
) -> list[tuple[float, int]]:
    """Limits of a rare value, and how many are frequent: by all sets of values, and by all values' limits.

    The response is how often a report names the value of the person, and each other one.
    """
    truth, lie = response
    lost, seen = people - sum(counts), [count for count in counts if count]
    gap = truth - lie
    found: list[tuple[float, int]] = []
    if domain is not None:
        found.append((0.0, domain))
        if domain == 1 or gap == 0:
            return found
        misses /= 2
        # Values that as many people have are frequent together.
        for n in {sum(count >= least for count in seen) for least in seen} - {domain}:
            risk = misses / (domain - 1) / comb(domain, n)
            for some in combinations(range(len(seen)), n):
                rest = people - sum(seen[place] for place in some)
                found.append(((upper(rest, people, risk) - (domain - n) * lie) / gap, n))
    shares, share = [], 1.0
    while not shares or shares[-1] > (1 + 1e-9) / people:
        shares.append(share)
        share /= sqrt(2)
    everything = seen if domain is None else [*seen, *[0] * (domain - len(seen))]
    for share in shares:
        reported = lie + gap * share
        if domain is None and largest_share(0, people, 0.3 * misses) >= reported:
            continue
        frequent = sum(largest_share(count + lost, people, 0.3 * misses) >= reported for count in everything)
        frequent = max(1, min(frequent, int(1 / share + 1e-9)))
        rest = lost + sum(count for count in everything if least_share(count, people, 0.3 * misses) < reported)
        limit = upper(rest, people, 0.7 * misses / len(shares))
        found.append(((limit - (0 if domain is None else domain - frequent) * lie) / gap, frequent))
    return found


def least_with(lines: Sequence[tuple[float, float]], kept: int) -> float:
    """The least limit with so many frequent values at most."""
    return min((max(0.0, limit) for limit, n in lines if n <= kept), default=1.0)


def least_bound(
    lines: Mapping[tuple[str, ...], Sequence[tuple[float, float]]], columns: Sequence[str], slack: float
) -> float:
    """The least ``Σ u + slack·Π N`` over all covers of the columns and all cuts."""
    groups, least = list(lines), 1.0
    for size in range(1, len(columns) + 1):
        for cover in combinations(groups, size):
            if set().union(*cover) == set(columns):
                for cut in product(*(lines[group] for group in cover)):
                    least = min(least, sum(rare for rare, _ in cut) + slack * prod(kept for _, kept in cut))
    return least
