"""Regulators' risks are what their definitions say of each record, and hold for every population that there may be."""

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.anonymity import PRESETS, ClassSizes, Population, inference, preset, reidentification_risks
from discretion.anonymity.attacks.population_classes import (
    expected_chances,
    least_marketer_risk,
    riskiest_matching,
    safest_matching,
)
from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError, UnsupportedError
from discretion.estimate import Estimate
from oracles import releases
from support.tables import population_of

row = st.tuples(*[st.sampled_from([None, "a", "b"])] * 3)
some_rows = st.lists(row, min_size=1, max_size=12)
few_sizes = st.lists(st.integers(1, 4), min_size=1, max_size=4)
more_sizes = st.lists(st.integers(1, 6), min_size=1, max_size=6)


def sizes_of(sizes: list[int]) -> ClassSizes:
    counts = Counter(sizes)
    return ClassSizes(sorted(counts), [counts[size] for size in sorted(counts)])


def values(risks: Any) -> dict[str, Any]:
    return {risk.name: risk.value for risk in risks}


def of_everybody(table: list[Any], everybody: list[Any]) -> dict[str, Fraction]:
    """Return what the definitions say, record by record, where all people and their values are known."""
    alike, among = Counter(table), Counter(everybody)
    records = [Fraction(1, among[record]) for record in table]
    persons = Fraction(len(alike), sum(among[value] for value in alike))
    marketer = sum(records) / len(table)
    return {
        "prosecutor risk, highest": max(Fraction(1, alike[record]) for record in table),
        "prosecutor risk, average": sum(Fraction(1, alike[record]) for record in table) / len(table),
        "people at risk": Fraction(sum(alike[record] < 3 for record in table), len(table)),
        "journalist risk, highest": max(records),
        "journalist risk, average": max(persons, marketer),
        "marketer risk": marketer,
        "singling out": Fraction(sum(alike[record] == 1 for record in table), len(table)),
        "linkability": sum(Fraction(1, alike[record]) for record in table) / len(table),
    }


@pytest.mark.long
@given(some_rows)
def test_risks_are_the_means_and_maxima_over_records(rows: list[Any]) -> None:
    P = population_of(rows)
    found = reidentification_risks(P, ["x", "y"], 3, sensitive="z")
    seen, secret = [r[:2] for r in rows], [r[2] for r in rows]
    expected = {name: float(value) for name, value in of_everybody(seen, seen).items()}
    prior, chances = releases.chances([()] * len(rows), secret)[0], releases.chances(seen, secret)
    expected["inference"] = float(sum(chances) / len(chances))
    expected["certain inference"] = chances.count(Fraction(1)) / len(chances)
    assert values(found) == pytest.approx(expected, rel=1e-12)
    assert f"{float(prior):.4g} without" in {risk.name: risk.meaning for risk in found}["inference"]
    assert values(reidentification_risks(P, sensitive="z"))["inference"] == inference(P, ["x", "y"], "z").posterior


@pytest.mark.long
@given(some_rows, some_rows)
def test_risks_against_a_population_hold_whoever_is_in_the_table(rows: list[Any], others: list[Any]) -> None:
    everybody = [*rows, *others]
    truth = of_everybody([r[:2] for r in rows], [r[:2] for r in everybody])
    for population in (population_of(everybody), population_of(everybody).class_sizes(["x", "y"]), len(everybody)):
        found = values(reidentification_risks(population_of(rows), ["x", "y"], 3, population=population))
        for name, value in truth.items():
            low, high = (found[name].low, found[name].high) if isinstance(found[name], Estimate) else (found[name],) * 2
            assert low - 1e-12 <= value <= high + 1e-12


def matchings(table: list[int], population: list[int]) -> list[tuple[int, float, float]]:
    """Return what every way to make the classes parts of the population's comes to."""
    ways = [way for way in permutations(population, len(table)) if all(f <= F for f, F in zip(table, way, strict=True))]
    return [
        (
            min(way),
            float(Fraction(len(table), sum(way))),
            float(sum(Fraction(f, F) for f, F in zip(table, way, strict=True)) / sum(table)),
        )
        for way in ways
    ]


@pytest.mark.long
@given(few_sizes, more_sizes)
def test_the_ends_are_those_of_all_matchings(table: list[int], population: list[int]) -> None:
    ways = matchings(table, population)
    if not ways:
        for extreme in (riskiest_matching, safest_matching):
            with pytest.raises(InvalidValueError, match="the table is not a part of this population"):
                extreme(sizes_of(table), sizes_of(population))
        return
    for end, extreme in ((max, riskiest_matching), (min, safest_matching)):
        found = extreme(sizes_of(table), sizes_of(population))
        smallest, inverse, records = zip(*ways, strict=True)
        assert found.smallest == (min if end is max else max)(smallest)
        assert (found.inverse, found.rate) == pytest.approx((end(inverse), end(records)), rel=1e-12)


@pytest.mark.long
@given(few_sizes, st.integers(0, 12))
def test_fewer_records_are_found_among_no_people_of_that_number(table: list[int], more: int) -> None:
    people = sum(table) + more
    bound = least_marketer_risk(sizes_of(table), people)
    spare = range(more + 1)
    found = [
        sum(f / (f + extra) for f, extra in zip(table, extras, strict=True)) / sum(table)
        for extras in product(spare, repeat=len(table))
        if sum(extras) <= more
    ]
    assert bound <= min(found)
    assert bound == pytest.approx(by_bisection(table, people), rel=1e-9)


def by_bisection(table: list[int], people: int) -> float:
    low, high = 0.0, 1e6
    for _ in range(200):
        level = (low + high) / 2
        low, high = (level, high) if sum(max(f, level * f**0.5) for f in table) <= people else (low, level)
    return sum(f / max(f, low * f**0.5) for f in table) / sum(table)


@pytest.mark.parametrize(("f", "people"), [(1, 4), (1, 4000), (2, 5), (7, 9), (300, 2000), (40, 10**7)])
def test_of_a_random_sample_the_expected_chance_is_the_series(f: int, people: int) -> None:
    """A class of so many, which is the whole table: ``Σ_h C(h-1, f-1) p^f q^(h-f) / h``."""
    p = f / people
    term, series = p**f, 0.0
    for h in range(f, f + int(60 * people / f) + 2000 if people < 10**6 else f):
        series += term / h
        term *= h / (h - f + 1) * (1 - p)
    risks = values(reidentification_risks(population_of([("a",)] * f), population=people))
    got = risks["journalist risk, highest"]
    assert (got.low, got.high) == (1 / people, 1 / f)
    if series:
        assert got.value == pytest.approx(max(series, 1 / people), rel=1e-9)
    assert risks["marketer risk"].value == pytest.approx(f * got.value / f, rel=1e-9)
    assert got.assuming == f"a random sample of {people:,} people"
    assert not got.certified


@pytest.mark.parametrize("missed", [0.01, 0.5, 0.999, 1 - 1e-9])
def test_the_expected_chance_is_the_integral_at_any_size(missed: float) -> None:
    """``p·∫ (1-t)^(f-1) / (1 - q·t) dt``; with ``1-t = s^(1/f)`` it has no end where it is steep."""
    from scipy.integrate import quad

    share = 1 - missed
    for f in (1, 2, 3, 10, 23, 24, 25, 26, 100, 5000, 10**7):
        integral, _ = quad(lambda s, f=f: 1 / (f * (share + missed * s ** (1 / f))), 0, 1, epsabs=0, limit=500)
        (found,) = expected_chances(np.array([f]), share, missed)
        assert found == pytest.approx(share * integral, rel=1e-7)


def test_a_person_alone_in_half_a_population_is_found_as_sdcmicro_has_it() -> None:
    """For f = 1 it is ``p/(1-p)·log(1/p)``, for f = 2 ``p/(1-p) - (p/(1-p))²·log(1/p)``."""
    rows = [("a",), ("b",), ("b",)]
    risks = values(reidentification_risks(population_of(rows), population=6))
    assert risks["journalist risk, highest"].value == pytest.approx(math.log(2), rel=1e-12)
    both = (math.log(2) + 2 * (1 - math.log(2))) / 3
    assert risks["marketer risk"].value == pytest.approx(both, rel=1e-12)


def test_who_is_everybody_is_exact() -> None:
    rows = [("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("b", "x")]
    P = population_of(rows)
    alone = reidentification_risks(P, k=3)
    assert reidentification_risks(P, k=3, population=5) == alone
    assert reidentification_risks(P, k=3, population=P) == alone
    assert all(isinstance(risk.value, float) for risk in alone)


def test_what_cannot_hold_the_table_is_no_population_of_it() -> None:
    P = population_of([("a",)] * 3)
    with pytest.raises(InvalidValueError, match="at least 3, the number of people in the table; got 2"):
        reidentification_risks(P, population=2)
    with pytest.raises(InvalidValueError, match="not a part of this population"):
        reidentification_risks(P, population=population_of([("a",)] * 2 + [("b",)] * 2))
    with pytest.raises(UnknownColumnError):
        reidentification_risks(P, population=Population("example:adult"))
    with pytest.raises(InvalidValueError, match="k must be"):
        reidentification_risks(P, k=0)
    with pytest.raises(InvalidValueError, match="is among the columns that the adversary knows"):
        reidentification_risks(P, ["x"], sensitive="x")
    with pytest.raises((InvalidValueError, UnsupportedError)):
        reidentification_risks(P, population=["many"])  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidTableError, match="cannot read a table from 'many'"):
        reidentification_risks(P, population="many")


def test_people_with_several_rows_are_people() -> None:
    P = population_of([("a", "p"), ("b", "p"), ("a", "q")], person="y")
    assert values(reidentification_risks(P))["singling out"] == 1.0


def test_presets_are_found_by_name_and_have_a_source() -> None:
    assert {each.name: each.k for each in PRESETS} == {
        "ema": 11, "health-canada": 11, "cms": 11, "cdc-wonder": 10, "k5": 5, "k3": 3,
    }  # fmt: skip
    for each in PRESETS:
        assert preset(each.name) is each
        assert each.threshold == Fraction(1, each.k)
        assert each.source
        assert each.stated
    assert round(float(preset("ema").threshold), 2) == 0.09
    with pytest.raises(InvalidValueError, match="no preset of thresholds called 'EMA'; use one of ema, health-canada"):
        preset("EMA")
