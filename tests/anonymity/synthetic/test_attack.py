"""Attacks by a synthetic table: counted as by loops over records, and what they find where it is known."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity.synthetic.copies import copies
from discretion.anonymity.synthetic.neighbours import _vote, linkability, neighbour_inference
from discretion.anonymity.synthetic.singling_out import (
    Conditions,
    _among_fewer,
    _count,
    _multivariate,
    _taking_places,
    _univariate,
    singling_out,
)
from discretion.anonymity.synthetic.tables import MISSING
from discretion.numerics.compiled import compiled
from discretion.numerics.distances.gower import gower_distances
from oracles import synthetic as slow
from support.tables import as_tables

NUMBERS = st.sampled_from([None, -2, 0, 1, 2, 3, 20])
WORDS = st.sampled_from([None, "a", "b", "c"])
KINDS = (True, False, True, False)
record = st.tuples(NUMBERS, WORDS, NUMBERS, WORDS)
part = st.lists(record, min_size=1, max_size=9)


def everybody(tables):
    return np.arange(tables.sizes[0]), np.arange(tables.sizes[2])


def counted(attack):
    return attack.original.hits, attack.control.hits


@given(part, part, part, st.integers(1, 4))
def test_people_are_linked_where_a_record_is_among_the_nearest_of_both(original, synthetic, control, k):
    tables = as_tables(original, synthetic, control)
    ranges = slow.ranges_of(KINDS, synthetic)
    found = linkability(tables, ["c0", "c1"], ["c2", "c3"], k, everybody(tables))
    assert counted(found) == tuple(
        slow.links(people, synthetic, ranges, (0, 1), (2, 3), k) for people in (original, control)
    )


@pytest.mark.parametrize(("k", "linked", "naive"), [(1, 1, 1 / 4), (2, 4, 5 / 6), (3, 4, 1), (4, 4, 1)])
def test_links_are_those_that_anonymeter_s_tests_print(k, linked, naive):
    original, synthetic = [(0, 0), (0, 1), (4, 9), (0, 4)], [(0, 0), (1, 1), (4, 4), (9, 9)]
    found = linkability(as_tables(original, synthetic, original), ["c0"], ["c1"], k, (np.arange(4), np.arange(4)))
    assert counted(found) == (linked, linked)
    assert found.naive == pytest.approx(naive)


@pytest.mark.parametrize(
    ("made", "right"),
    [([("a", "b"), ("c", "d")], 2), ([("a", "b"), ("c", "e")], 1), ([("a", "h"), ("c", "g")], 0)],
)
def test_guesses_are_right_as_often_as_anonymeter_s_tests_print(made, right):
    people = [("a", "b"), ("c", "d")]
    tables = as_tables(people, made, people)
    assert counted(neighbour_inference(tables, ["c0"], "c1", everybody(tables))) == (right, right)


@given(part, part, part, st.sampled_from([0, 1]))
def test_the_guess_is_the_commonest_value_of_the_nearest(original, synthetic, control, secret):
    tables = as_tables(original, synthetic, control)
    ranges = slow.ranges_of(KINDS, synthetic)
    known = [place for place in range(4) if place != secret]
    found = neighbour_inference(tables, [f"c{place}" for place in known], f"c{secret}", everybody(tables))

    def order(value):
        return (value is not None, value if value is not None else 0)

    assert counted(found) == tuple(
        slow.guesses(people, synthetic, ranges, known, secret, KINDS[secret], order) for people in (original, control)
    )


def test_a_year_younger_is_as_near_as_a_year_older():
    synthetic = [(1, "a"), (3, "b"), (0, "a"), (9, "a")]
    tables = as_tables([(2, "a")], synthetic, [(2, "b")])
    assert counted(neighbour_inference(tables, ["c0"], "c1", everybody(tables))) == (1, 0)


@given(part, part)
def test_votes_are_the_same_compiled_and_not(people, synthetic):
    tables = as_tables(people, synthetic, people)
    records = tables.records(["c0", "c1"])
    away = gower_distances(records[0], records[1])
    voting = tables.columns["c3"].synthetic - np.int32(MISSING)
    guesses = [np.empty(len(people), np.int32) for _ in range(2)]
    for vote, made in zip((_vote, compiled(_vote)), guesses, strict=True):
        vote(away, voting, np.zeros(5, np.int32), made)
    assert (guesses[0] == guesses[1]).all()


@given(part, part, part)
def test_a_copy_is_a_row_that_is_there_word_for_word(original, synthetic, control):
    every, alone = copies(as_tables(original, synthetic, control))
    known, people = set(synthetic), [*original, *control]
    assert counted(every) == tuple(sum(x in known for x in rows) for rows in (original, control))
    assert counted(alone) == tuple(
        sum(x in known and people.count(x) == 1 for x in rows) for rows in (original, control)
    )


def told(tables, conditions, values):
    """Conditions in values instead of codes."""
    for columns, lows, highs in zip(conditions.columns, conditions.low, conditions.high, strict=True):
        yield [
            (place, None, None) if low == MISSING else (place, values[place][low], values[place][high])
            for place, low, high in zip(columns.tolist(), lows.tolist(), highs.tolist(), strict=True)
        ]


def values_of(parts):
    rows = [row for part in parts for row in part]
    return [sorted({row[place] for row in rows if row[place] is not None}) for place in range(len(rows[0]))]


@settings(deadline=None)
@given(part, part, part, st.integers(0, 99))
def test_conditions_single_one_record_out_and_are_counted_by_loops(original, synthetic, control, seed):
    parts = original, synthetic, control
    tables, values = as_tables(*parts), values_of(parts)
    for conditions in (_univariate(tables), _multivariate(tables, 50, np.random.default_rng(seed))):
        in_words = list(told(tables, conditions, values))
        assert len({str(each) for each in in_words}) == conditions.size
        assert all(slow.matches(synthetic, each) == 1 for each in in_words)
        for rows, codes in zip(parts, tables.codes, strict=True):
            assert conditions.matches(codes).tolist() == [slow.matches(rows, each) for each in in_words]


@given(part)
def test_one_column_singles_out_whoever_alone_has_a_value_or_none_or_the_least_or_greatest(synthetic):
    tables = as_tables(synthetic, synthetic, synthetic)
    made = _univariate(tables)
    expected = 0
    for place in range(4):
        held = [row[place] for row in synthetic]
        expected += sum(held.count(value) == 1 for value in set(held))
    assert made.size == expected


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("m", range(1, 7))
def test_held_out_people_take_the_places_of_others_in_all_ways(n, m):
    for of_original in range(n + 1):
        for of_control in range(m + 1):
            met = np.array([of_original], np.int32), np.array([of_control], np.int32)
            found = _taking_places(n, m, *met) * n / m if m <= n else _among_fewer(n, m, met[1])
            truth = slow.rate_of_others(n, m, of_original, of_control)
            assert abs(found[0] - float(truth)) < 1e-12


@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 2), (2, 5), (4, 1), (1, 3)])
@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1, 3), Fraction(3, 4)])
def test_on_average_held_out_people_are_singled_out_as_often_as_others(n, m, share):
    def likely(trials, hits):
        return comb(trials, hits) * share**hits * (1 - share) ** (trials - hits)

    others = sum(
        likely(n, x) * likely(m, y) * slow.rate_of_others(n, m, x, y) for x in range(n + 1) for y in range(m + 1)
    )
    assert others == likely(n, 1)


def test_conditions_are_counted_alike_compiled_and_not():
    rng = np.random.default_rng(3)
    codes = rng.integers(-1, 4, size=(3, 40)).astype(np.int32)
    low = rng.integers(-1, 3, size=(20, 2)).astype(np.int32)
    made = Conditions(rng.integers(3, size=(20, 2)).astype(np.int32), low, low + 1)
    for most in (1, 100):
        found = np.zeros(20, np.int32)
        _count(codes, made.columns, made.low, made.high, most, found)
        assert (found == made.matches(codes, most)).all()


def test_constants_single_nobody_out_and_link_everybody():
    people = [("x", 1)] * 30
    tables = as_tables(people, people, people)
    rng = np.random.default_rng(0)
    assert singling_out(tables, "univariate", 100, rng) is None
    assert singling_out(tables, "multivariate", 100, rng) is None
    linked = linkability(tables, ["c0"], ["c1"], 1, everybody(tables))
    assert counted(linked) == (30, 30)
    risk = linked.risk(0.95)
    assert (risk.value, risk.low, risk.high) == (1.0, -1.0, 1.0)


def drawn(rng, size):
    """People by a law under which columns hang together."""
    kind = rng.integers(4, size=size)
    age, town = rng.normal(30 + 5 * kind, 6).round().astype(int), (kind + rng.integers(3, size=size)) % 5
    pay = (1000 * rng.lognormal(kind / 4, 0.5)).astype(int)
    ill = (rng.random(size) < 0.1 + kind / 5).astype(int)
    return list(zip(age.tolist(), map(str, town), pay.tolist(), map(str, ill), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("sizes", [(150, 150, 150), (200, 100, 50), (60, 150, 180)])
def test_a_table_drawn_apart_is_found_to_tell_as_much_of_others_about_as_often_as_is_said(sizes):
    rng, runs = np.random.default_rng(11), 300
    missed = dict.fromkeys(["copied", "singling_out_univariate", "singling_out_multivariate", "link", "inference"], 0)
    for _ in range(runs):
        tables = as_tables(*(drawn(rng, size) for size in sizes))
        found = {
            "copied": copies(tables)[0],
            "singling_out_univariate": singling_out(tables, "univariate", 10_000, rng),
            "singling_out_multivariate": singling_out(tables, "multivariate", 10_000, rng),
            "link": linkability(tables, ["c0", "c1"], ["c2", "c3"], 1, everybody(tables)),
            "inference": neighbour_inference(tables, ["c0", "c1", "c2"], "c3", everybody(tables)),
        }
        for name, attack in found.items():
            risk = attack.risk(0.9)
            missed[name] += not risk.low <= 0 <= risk.high
    assert max(missed.values()) <= 0.1 * runs + 3 * (0.09 * runs) ** 0.5
