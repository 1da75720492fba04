"""Attacks with the synthetic records nearest to a person: linkability and inference."""

from collections.abc import Callable, Sequence
from functools import partial
from math import comb

import numpy as np

from discretion.anonymity.synthetic.attack import AttackCount, SyntheticAttack
from discretion.anonymity.synthetic.tables import MISSING, Tables
from discretion.numerics.arrays import Booleans, Codes, Integers, Reals
from discretion.numerics.compiled import compiled, on_all_cores
from discretion.numerics.distances.gower import Records, gower_distances

#: How far from the truth a guess of a number may be, as a part of it.
TOLERANCE = 0.05
# Distances that are held at once by a core.
_AT_ONCE = 1 << 20


def linkability(
    tables: Tables, first: Sequence[str], second: Sequence[str], neighbours: int, people: tuple[Integers, Integers]
) -> SyntheticAttack:
    """Return the rate at which a synthetic record links two parties' columns of a person.

    A record links them if it is among the nearest by the columns of both parties. The nearest are all records at most
    at the distance of the k-th nearest, with k = ``neighbours``. Source: as for :meth:`SyntheticAttack.risk`.
    """
    known_to_first, known_to_second = tables.records(first), tables.records(second)
    size = tables.sizes[1]
    k = min(neighbours, size)

    def linked(targets: tuple[Records, Records], some: slice) -> Booleans:
        near = [
            _nearest(target.select(some), known, k)
            for target, known in zip(targets, (known_to_first[1], known_to_second[1]), strict=True)
        ]
        return np.any(near[0] & near[1], axis=1)

    hits, others = (
        _hits(
            partial(linked, (known_to_first[part].select(chosen), known_to_second[part].select(chosen))), chosen, size
        )
        for part, chosen in zip((0, 2), people, strict=True)
    )
    return SyntheticAttack("linkability", hits, others, naive=1 - comb(size - k, k) / comb(size, k))


def neighbour_inference(
    tables: Tables, known: Sequence[str], sensitive: str, people: tuple[Integers, Integers]
) -> SyntheticAttack:
    """Return the rate at which the synthetic records nearest by the known columns reveal a sensitive value.

    The guess is the commonest value among the nearest records; of tied values, the commonest in the whole synthetic
    table. Where records equal the person on the known columns, it is the guess of a Bayes adversary. A guess of a
    number counts as correct within a twentieth of it. The naive guess is the commonest value of the table.
    """
    records, column = tables.records(known), tables.columns[sensitive]
    shifted = [part - MISSING for part in column.parts]
    by_count = np.argsort(-np.bincount(shifted[1], minlength=column.count + 1), kind="stable")
    rank = np.empty(by_count.size, np.int64)
    rank[by_count] = np.arange(by_count.size)
    voting = rank[shifted[1]].astype(np.int32)

    def right(targets: Records, truth: Integers, some: slice) -> Booleans:
        guesses = np.empty(truth[some].size, np.int32)
        away = gower_distances(targets.select(some), records[1])
        compiled(_vote)(away, voting, np.zeros(by_count.size, np.int32), guesses)
        return _is_right(by_count[guesses] + MISSING, truth[some], column.numbers)

    truths = [column.parts[part][chosen].astype(np.int64) for part, chosen in zip((0, 2), people, strict=True)]
    hits, others = (
        _hits(partial(right, records[part].select(chosen), truth), chosen, tables.sizes[1])
        for part, chosen, truth in zip((0, 2), people, truths, strict=True)
    )
    always = np.full(truths[0].size, by_count[0] + MISSING)
    naive = float(_is_right(always, truths[0], column.numbers).mean())
    return SyntheticAttack(f"inference:{sensitive}", hits, others, naive=naive)


def _hits(is_right: Callable[[slice], Booleans], people: Integers, size: int) -> AttackCount:
    """Return the number of people on whose records an attack succeeds, computed for some of them at a time."""
    step = max(1, _AT_ONCE // size)
    parts = [slice(start, start + step) for start in range(0, people.size, step)]
    return AttackCount(int(sum(part.sum() for part in on_all_cores(is_right, parts))), people.size)


def _nearest(targets: Records, known: Records, k: int) -> Booleans:
    """Return for each target which known records are at most at the distance of its k-th nearest."""
    away = gower_distances(targets, known)
    furthest = away.min(axis=1) if k == 1 else np.partition(away, k - 1, axis=1)[:, k - 1]
    return away <= furthest[:, None]


def _is_right(guesses: Integers, truth: Integers, numbers: Reals | None) -> Booleans:
    same = guesses == truth
    if numbers is None or not numbers.size:
        return same
    given = (guesses != MISSING) & (truth != MISSING)
    true_numbers = numbers[truth]
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(numbers[guesses] - true_numbers) <= TOLERANCE * np.abs(true_numbers)
    return same | (given & np.isfinite(true_numbers) & near)


def _vote(away: Reals, voting: Codes, votes: Codes, guesses: Codes) -> None:
    for i in range(away.shape[0]):
        least = away[i, 0]
        for j in range(away.shape[1]):
            least = min(least, away[i, j])
        best = -1
        for j in range(away.shape[1]):
            if away[i, j] == least:
                code = voting[j]
                votes[code] += 1
                if best < 0 or votes[code] > votes[best] or (votes[code] == votes[best] and code < best):
                    best = code
        guesses[i] = best
        for j in range(away.shape[1]):
            if away[i, j] == least:
                votes[voting[j]] = 0
