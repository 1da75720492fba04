"""What entropy says of exposure, and what values say of people, is what the definitions say."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes, Population
from discretion.anonymity.exposure.entropy import column_entropies, entropy_exposure_bound, entropy_of_curve
from discretion.anonymity.people.surprisal import given_away, surprisal
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError
from oracles import tables
from oracles.promise import exactly
from support.tables import population_of

some_sizes = st.lists(st.integers(1, 50), min_size=1, max_size=30)
row = st.tuples(*[st.sampled_from([None, "a", "b"])] * 3)
some_rows = st.lists(row, min_size=1, max_size=12)
few = settings(max_examples=25, deadline=None)


def sizes_of(classes: list[int]) -> ClassSizes:
    counted = Counter(classes)
    return ClassSizes(sorted(counted), [counted[size] for size in sorted(counted)])


def entropy_of(classes: list[int]) -> float:
    n = sum(classes)
    return math.fsum(size / n * math.log2(n / size) for size in classes)


@given(some_sizes)
def test_the_curve_gives_back_the_entropy(classes: list[int]) -> None:
    assert entropy_of_curve(sizes_of(classes).curve()) == pytest.approx(entropy_of(classes), rel=1e-12, abs=1e-12)


@given(some_sizes, st.fractions(0, 1), st.integers(1, 60))
def test_the_entropy_bounds_the_exposure(classes: list[int], t: Fraction, k: int) -> None:
    sizes, bits = sizes_of(classes), entropy_of(classes)
    for at in ({"threshold": t}, {"k": k}):
        bound = entropy_exposure_bound(bits, **at, people=sizes.people)
        assert bound.certified
        assert Fraction(sizes.exposed(**at), sizes.people) <= bound.high
        assert bound.value == exactly(bound.high)
    assert (
        entropy_exposure_bound(bits, threshold=t).value
        >= entropy_exposure_bound(bits, threshold=t, people=sizes.people).value
    )


@pytest.mark.parametrize(("n", "k", "bits"), [(1000, 2, 3.0), (1000, 11, 2.5), (2**16, 2, 8.0)])
def test_it_is_proposition_9(n: int, k: int, bits: float) -> None:
    assert entropy_exposure_bound(bits, k=k, people=n).value == pytest.approx(bits / math.log2(n / (k - 1)), rel=1e-12)
    assert entropy_exposure_bound(bits, threshold=Fraction(1, n)).value == pytest.approx(bits / math.log2(n), rel=1e-12)


def test_half_of_65536_people_may_be_unique_at_8_bits() -> None:
    assert entropy_exposure_bound(8, threshold=2**-16).value == 0.5


@pytest.mark.parametrize(("values", "one_in"), [(1, 8), (30, 64), (500, 1024), (10**4, 10**5)])
def test_proposition_13_is_nearly_attained(values: int, one_in: int) -> None:
    # Values of share t, and one with the rest: B = -m t log t. With a strict <, these are exposed just above t.
    sizes = ClassSizes([1, one_in - values], [values, 1])
    exposed = sizes.exposure(threshold=Fraction(1, one_in) + Fraction(1, 10**9))
    assert exposed == values / one_in
    assert sizes.exposure(threshold=Fraction(1, one_in)) == 0
    spent = exposed * math.log2(one_in)
    assert spent <= sizes.entropy <= spent + 1 / (math.e * math.log(2))
    bound = entropy_exposure_bound(sizes.entropy, k=2, people=one_in).value
    assert exposed <= bound <= exposed + 1 / math.e / math.log(one_in)


def test_the_bound_of_a_population_is_that_of_its_entropy() -> None:
    adult = Population("example:adult")
    for columns in (["sex"], ["sex", "race"], ()):
        bits = adult.class_sizes(columns).entropy
        for at in ({"k": 10}, {"threshold": "0.001"}):
            bound = entropy_exposure_bound(adult, **at, columns=columns)
            told = entropy_exposure_bound(bits, **at, people=adult.people)
            assert (bound.value, bound.method, bound.low) == (told.value, told.method, told.low)
            assert bound.high >= told.high == exactly(bound.high)
            assert adult.class_sizes(columns).exposure(**at) <= bound.value
    assert column_entropies(adult, ["race"]) == {"race": adult.class_sizes(["race"]).entropy}


def test_the_bounds_ends() -> None:
    for at in ({"k": 1}, {"threshold": 0}):
        assert entropy_exposure_bound(5.0, **at, people=100).value == 0
    for at in ({"k": 101}, {"k": 10**30}):
        assert entropy_exposure_bound(0.0, **at, people=100).value == 1
    assert entropy_exposure_bound(0.0, threshold="0.999").value == 0
    assert entropy_exposure_bound(1000.0, threshold="0.5").value == 1
    assert entropy_exposure_bound(1e-9, threshold=1 - Fraction(1, 10**9)).value == pytest.approx(math.log(2), rel=1e-8)


@pytest.mark.long
@few
@given(some_rows, st.integers(1, 5))
def test_surprisals_are_those_of_the_values(rows: list[Any], k: int) -> None:
    P, n = population_of(rows), len(rows)
    for j, column in enumerate("xyz"):
        held = Counter(r[j] for r in rows)
        told = surprisal(P, column, k)
        assert {s.value: s.people for s in told.values} == {v: c for v, c in held.items() if c >= k}
        assert [s.bits for s in told.values] == pytest.approx([math.log2(n / s.people) for s in told.values])
        assert told.hidden_values == sum(c < k for c in held.values())
        assert told.hidden_people == sum(c for c in held.values() if c < k)
        shown = surprisal(P, column, k, show_rare=True)
        assert math.fsum(s.people / n * s.bits for s in shown.values) == pytest.approx(told.bits, abs=1e-12)
        assert (shown.hidden_values, len(shown.values)) == (0, len(held))


@pytest.mark.long
@few
@given(some_rows, row)
def test_what_a_person_gives_away(rows: list[Any], person: tuple[Any, ...]) -> None:
    values = dict(zip("xyz", person, strict=True))
    for given_of in given_away(population_of(rows), values):
        positions = ["xyz".index(column) for column in given_of.columns]
        alike = sum(seen == tuple(person[j] for j in positions) for seen in tables.restrict(rows, positions))
        assert given_of.people == alike
        assert given_of.bits == (math.log2(len(rows) / alike) if alike else math.inf)


def test_every_subset_of_few_columns_is_told_and_of_many_each_and_all() -> None:
    P = Population(pa.table({f"c{j}": ["1", "2"] for j in range(12)}))
    told = [g.columns for g in given_away(P, {f"c{j}": "1" for j in range(4)})]
    names = [f"c{j}" for j in range(4)]
    assert told == [subset for size in range(1, 5) for subset in combinations(names, size)]
    assert len(given_away(P, dict.fromkeys(P.columns, "1"))) == 13


def test_values_of_any_type_are_matched_by_their_text() -> None:
    P = Population(
        pa.table({"n": [1, 1, None], "f": [0.5, float("nan"), 0.5], "b": [True, False, True], "s": ["é", "", None]})
    )
    person = {"n": 1, "f": 0.5, "b": True, "s": "é"}
    assert [g.people for g in given_away(P, person)[:4]] == [2, 2, 2, 1]
    assert given_away(P, person)[-1].people == 1
    assert [given_away(P, {"s": value})[0].people for value in ("", None, "nobody's")] == [1, 1, 0]


def test_values_of_json_are_matched_as_they_are_spelled(tmp_path: Any) -> None:
    file = tmp_path / "people.json"
    file.write_text('[{"x": "a\\"b"}, {"x": "é"}, {"x": 2}, {}]', encoding="utf-8")
    P = Population(file)
    assert [given_away(P, {"x": value})[0].people for value in ('a"b', "é", 2, None)] == [1, 1, 1, 1]
    assert {s.value for s in surprisal(P, "x", 1).values} == {'a"b', "é", "2", None}


def test_rare_values_are_not_shown_unless_asked_for() -> None:
    adult = Population("example:adult")
    told = surprisal(adult, "workclass")
    assert all(s.people >= 10 for s in told.values)
    assert "Never-worked" not in {s.value for s in told.values}
    assert (told.hidden_values, told.hidden_people) == (1, 7)
    assert "Never-worked" in {s.value for s in surprisal(adult, "workclass", show_rare=True).values}


def test_what_cannot_be_asked() -> None:
    adult = Population("example:adult")
    people = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    for ask in (lambda: surprisal(people, "x"), lambda: given_away(people, {"x": "a"})):
        with pytest.raises(UnsupportedError, match="several rows"):
            ask()
    with pytest.raises(UnknownColumnError, match="did you mean 'sex'"):
        given_away(adult, {"sexx": "Male"})
    with pytest.raises(InvalidValueError, match="at least one column"):
        given_away(adult, {})
    with pytest.raises(UnsupportedError, match="a value must be text"):
        given_away(adult, {"sex": ["Male"]})  # type: ignore[dict-item]
    with pytest.raises(InvalidValueError, match="k must be"):
        surprisal(adult, "sex", 0)
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        entropy_exposure_bound(3.0)
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        entropy_exposure_bound(3.0, threshold=0.1, k=3)
    with pytest.raises(UnsupportedError, match="give the number of people too"):
        entropy_exposure_bound(3.0, k=3)
    with pytest.raises(UnsupportedError, match="own number of people"):
        entropy_exposure_bound(adult, k=3, people=4)
    with pytest.raises(UnsupportedError, match="an entropy has no columns"):
        entropy_exposure_bound(3.0, k=3, people=4, columns=["sex"])
    with pytest.raises(
        UnsupportedError, match="entropy_exposure_bound takes a Population, a table or an entropy in bits; got list"
    ):
        entropy_exposure_bound(["adult"], k=3)  # type: ignore[arg-type]
    for bits in (-1.0, math.inf, math.nan):
        with pytest.raises(InvalidValueError, match="entropy must be"):
            entropy_exposure_bound(bits, k=3, people=4)
