"""People of the original among those held out show by the rows that both tables have, and chance hardly looks so."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from discretion.anonymity.synthetic.copies import _halves, overlap
from support.tables import as_tables


def overlap_of(original, control):
    return overlap(as_tables(original, original[:2], control))


def unique(count, first=0):
    return [("x", first + i) for i in range(count)]


@pytest.mark.parametrize(("n", "m"), [(2, 2), (5, 3), (6, 7), (1, 8)])
def test_two_persons_are_parted_as_often_as_splits_part_them(n, m):
    splits = [{*split} for split in itertools.combinations(range(n + m), n)]
    parted = Fraction(sum((0 in split) != (1 in split) for split in splits), len(splits))
    assert parted == Fraction(2 * n * m, (n + m) * (n + m - 1))


# What rows a hundred people have: all different, two each, families, few values, and some of all.
POOLS = {
    "unique": list(range(100)),
    "twins": [i // 2 for i in range(100)],
    "families": [i // 4 for i in range(100)],
    "few": [i % 9 for i in range(100)],
    "sexes": [i % 2 for i in range(100)],
    "mixed": [*range(40), *[i // 2 for i in range(100, 130)], *[7] * 30],
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("held_out", [20, 50, 80])
def test_people_held_out_at_random_hardly_ever_look_like_those_of_the_original(pool, held_out):
    draw, taken = np.random.default_rng(7), 0
    for _ in range(100):
        people = [("x", POOLS[pool][place]) for place in draw.permutation(100)]
        taken += overlap_of(people[held_out:], people[:held_out]) is not None
    assert taken <= 1


@pytest.mark.parametrize(
    ("n", "m", "both"), [(400, 400, 20), (400, 40, 10), (60, 60, 12), (1000, 20, 20), (30, 600, 8)]
)
def test_people_in_both_tables_are_counted(n, m, both):
    original, control = unique(n), [*unique(both), *unique(m - both, n)]
    found = overlap_of(original, control)
    assert found is not None
    assert (found.people, found.by_chance) == (both, 0.0)


def test_rows_that_chance_makes_equal_are_set_aside():
    original = [*unique(200), *[("twin", i // 2) for i in range(40)]]
    control = [*unique(100), *unique(100, 200), *[("twin", i // 2) for i in range(40, 80)]]
    found = overlap_of(original, control)
    assert found is not None
    assert found.people == 100
    assert found.by_chance == pytest.approx(40, rel=0.01)  # of 40 rows of two persons of a table, as n and m are equal


def test_the_same_rows_in_any_order_are_the_same_people():
    few = [("x", i % 12) for i in range(70)]
    assert overlap_of(few, few[::-1]).people == 70
    assert overlap_of(few, [*few[1:], ("x", 1)]) is None
    sexes = [("x", i % 2) for i in range(70)]  # of which chance makes halves alike
    assert overlap_of(sexes, sexes) is None


@pytest.mark.parametrize("counts", [(1,), (3,), (1, 1), (2, 1), (1, 1, 1), (2, 2, 1)])
def test_halves_are_alike_as_often_as_halves_of_the_same_people_are(counts):
    people = [row for row, count in enumerate(counts) for _ in range(2 * count)]
    halves = [*itertools.combinations(range(len(people)), len(people) // 2)]
    alike = sum(all([people[i] for i in half].count(row) == c for row, c in enumerate(counts)) for half in halves)
    assert _halves(np.array(counts)) == pytest.approx(alike / len(halves))
