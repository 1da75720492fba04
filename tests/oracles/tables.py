"""Exposure and its relatives on lists of tuples: slow, obvious, exact."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product

Row = tuple[Hashable, ...]


def restrict(rows: Iterable[Row], positions: Sequence[int]) -> list[Row]:
    """Return what each row holds at the positions."""
    return [tuple(row[j] for j in positions) for row in rows]


def bags(rows: Iterable[Row], person: int, positions: Sequence[int]) -> list[Hashable]:
    """Return, per person, the bag of what her rows hold at the positions."""
    held: dict[Hashable, Counter[Row]] = defaultdict(Counter)
    for row in rows:
        held[row[person]][tuple(row[j] for j in positions)] += 1
    return [frozenset(held[who].items()) for who in sorted(held, key=repr)]


def class_sizes(people: Sequence[Hashable]) -> dict[int, int]:
    """Return class size → how many classes have it."""
    return dict(sorted(Counter(Counter(people).values()).items()))


def exposure_below(people: Sequence[Hashable], k: int) -> Fraction:
    """Return the share of the people with fewer than k alike."""
    alike = Counter(people)
    return Fraction(sum(alike[v] < k for v in people), len(people))


def exposure_at(people: Sequence[Hashable], threshold: Fraction) -> Fraction:
    """Return Q(t) as the paper writes it."""
    shares = {v: Fraction(c, len(people)) for v, c in Counter(people).items()}
    return sum((p for p in shares.values() if p < threshold), Fraction(0))


def inference(seen: Sequence[Hashable], secret: Sequence[Hashable]) -> Fraction:
    """Return the posterior Bayes vulnerability of the secret through what is seen."""
    joint = Counter(zip(seen, secret, strict=True))
    best: dict[Hashable, int] = defaultdict(int)
    for (v, _), count in joint.items():
        best[v] = max(best[v], count)
    return Fraction(sum(best.values()), len(seen))


def counting_bound(marginals: Sequence[Mapping[int, int]], people: int, slack: Fraction) -> Fraction:
    """Return the counting bound with a given slack per cell, minimised over every choice of breakpoints."""
    choices = [_cuts(marginal, people) for marginal in marginals]
    best = min(
        sum((rare for rare, _ in cuts), Fraction(0)) + slack * _product(kept for _, kept in cuts)
        for cuts in product(*choices)
    )
    return min(best, Fraction(1))


def theorem_bounds(marginals: Sequence[Mapping[int, int]], people: int, threshold: Fraction) -> Fraction:
    """Return a bound that Theorems 2 and 3 give at least one of, at thresholds t_j taken from the breakpoints.

    Theorem 3 with ``c = t / Π t_j``.
    """
    best = Fraction(1)
    for cuts in product(*(sorted(marginal) for marginal in marginals)):
        shares = [Fraction(cut, people) for cut in cuts]
        rare = sum(
            (
                Fraction(size * count, people)
                for m, cut in zip(marginals, cuts, strict=True)
                for size, count in m.items()
                if size < cut
            ),
            Fraction(0),
        )
        best = min(best, rare + threshold / _product(shares))
        if _product(shares) >= threshold:
            spread = [s * sum(m.values()) for s, m in zip(shares, marginals, strict=True)]
            best = min(best, rare + sum(spread) - max(spread))
    return best


def _cuts(marginal: Mapping[int, int], people: int) -> list[tuple[Fraction, int]]:
    edges = [*marginal, people + 1]
    return [
        (
            Fraction(sum(size * count for size, count in marginal.items() if size < edge), people),
            sum(count for size, count in marginal.items() if size >= edge),
        )
        for edge in edges
    ]


def _product(factors: Iterable[Fraction | int]) -> Fraction:
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result
