"""What an adversary gains from the columns of a person is what the definitions say of the channel to them."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population
from discretion.anonymity.attacks.reidentification_inference import Attack, attacks_on_all, inference, reidentification
from discretion.errors import InvalidValueError, TooLargeError, UnknownColumnError, UnsupportedError
from oracles import releases, tables
from support.tables import population_of

row = st.tuples(*[st.sampled_from([None, "a", "b"])] * 3)
some_rows = st.lists(row, min_size=1, max_size=12)
few = settings(max_examples=10, deadline=None)

# Two columns and a sensitive one.
EXTREMES = {
    "one person": [("a", "b", "c")],
    "all null": [(None, None, None)] * 4,
    "one class": [("a", "b", secret) for secret in "xxyz"],
    "all unique": [(str(i), "b", "x") for i in range(5)],
    "all unique, all secrets different": [(str(i), "b", str(i)) for i in range(5)],
    "the surest class is not the smallest": [("a", "b", s) for s in "xxxy"] + [("c", "d", s) for s in "xy"],
}


def of_chances(columns: tuple[str, ...], sensitive: str | None, prior: Fraction, chances: list[Fraction]) -> Attack:
    return Attack(
        columns,
        sensitive,
        prior=float(prior),
        posterior=float(sum(chances) / len(chances)),
        worst_person=float(max(chances)),
        certain_people=chances.count(Fraction(1)),
        people=len(chances),
    )


def expected(columns: tuple[str, ...], sensitive: str | None, seen: list[Any], secret: list[Any]) -> Attack:
    prior = releases.chances([()] * len(seen), secret)[0]
    return of_chances(columns, sensitive, prior, releases.chances(seen, secret))


def check(rows: list[Any]) -> None:
    P, who, secret = population_of(rows), list(range(len(rows))), [r[2] for r in rows]
    for names, positions in (((), ()), (("x",), (0,)), (("y", "x"), (1, 0))):
        seen = tables.restrict(rows, positions)
        assert reidentification(P, names) == expected(names, None, seen, who)
        assert inference(P, names, "z") == expected(names, "z", seen, secret)


@pytest.mark.long
@few
@given(some_rows)
def test_an_attack_is_made_of_the_chances_against_each_person(rows: list[Any]) -> None:
    check(rows)


@pytest.mark.parametrize("kind", EXTREMES)
def test_attacks_at_extremes(kind: str) -> None:
    check(EXTREMES[kind])


@pytest.mark.long
@few
@given(some_rows, st.data())
def test_attacks_on_people_with_several_rows(rows: list[Any], data: st.DataObject) -> None:
    who = data.draw(st.lists(st.sampled_from("pqr"), min_size=len(rows), max_size=len(rows)))
    told = [(*r, w) for r, w in zip(rows, who, strict=True)]
    P, secret = population_of(told, person="w"), tables.bags(told, 3, [2])
    sets = {("x",): [0], ("y",): [1], ("x", "y"): [0, 1]}
    seen = {names: tables.bags(told, 3, positions) for names, positions in sets.items()}
    inferred = [expected(names, "z", seen[names], secret) for names in sets]
    found = [expected(names, None, seen[names], list(range(P.people))) for names in sets]
    assert list(attacks_on_all(P, sensitive="z")) == [inference(P, names, "z") for names in sets] == inferred
    assert list(attacks_on_all(P, ["x", "y"])) == [reidentification(P, names) for names in sets] == found
    assert inference(P, (), "z") == expected((), "z", [()] * P.people, secret)


@pytest.mark.long
@few
@given(some_rows)
def test_the_attacks_on_all_are_those_on_each(rows: list[Any]) -> None:
    P = population_of(rows)
    assert attacks_on_all(P) == tuple(reidentification(P, c) for n in (1, 2, 3) for c in combinations("xyz", n))
    assert attacks_on_all(P, sensitive="y") == tuple(inference(P, c, "y") for c in (("x",), ("z",), ("x", "z")))


def test_the_sets_are_in_the_order_of_the_columns() -> None:
    P = population_of(EXTREMES["one class"])
    attacks = attacks_on_all(P, ["z", "x", "y"], sizes=iter([3, 2, 2]))
    assert [attack.columns for attack in attacks] == [("z", "x"), ("z", "y"), ("x", "y"), ("z", "x", "y")]
    assert attacks_on_all(P, []) == attacks_on_all(P, sizes=[]) == ()


@pytest.mark.long
def test_more_sets_than_are_asked_about_at_once() -> None:
    adult = Population(
        "example:adult", columns=["sex", "race", "workclass", "relationship", "education", "income", "age"]
    )
    attacks = attacks_on_all(adult, sensitive="income")
    assert len(attacks) == 63
    for attack in attacks[::20]:
        assert attack == inference(adult, attack.columns, "income")


@pytest.mark.long
def test_posteriors_count_classes_and_best_guesses() -> None:
    adult = Population("example:adult")
    for columns in ((), ("sex",), ("age", "education", "race")):
        assert reidentification(adult, columns).posterior == adult.class_sizes(columns).classes / adult.people
        assert inference(adult, columns, "income").posterior == adult.best_guesses(columns, "income") / adult.people


def test_leakage_compares_after_with_before() -> None:
    attack = inference(population_of(EXTREMES["the surest class is not the smallest"]), ["x"], "z")
    assert (attack.prior, attack.posterior, attack.worst_person, attack.certain) == (4 / 6, 4 / 6, 3 / 4, 0)
    unique = reidentification(population_of(EXTREMES["all unique"]), ["x"])
    assert (unique.multiplicative_leakage, unique.additive_leakage, unique.certain) == (5, 1 - 1 / 5, 1)


def test_attacks_are_the_same_on_every_engine(engine: Any) -> None:
    rows = [*EXTREMES["the surest class is not the smallest"], (None, "b", None), (None, None, "x")]
    here = population_of(rows)
    table = pa.table({name: pa.array([r[j] for r in rows], pa.string()) for j, name in enumerate("xyz")})
    there = Population(engine(table))
    assert attacks_on_all(there, sensitive="z") == attacks_on_all(here, sensitive="z")


def test_more_sets_than_there_are_digits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    P = population_of(EXTREMES["one class"])
    monkeypatch.setattr(Population, "columns", property(lambda _: tuple(map(str, range(15_000)))))
    with pytest.raises(TooLargeError, match="15000 columns have more than 100,000 such sets"):
        attacks_on_all(P)


def test_what_cannot_be_asked() -> None:
    P = population_of(EXTREMES["one class"])
    wide = Population(pa.table({f"c{i}": [1] for i in range(17)}))
    with pytest.raises(InvalidValueError, match="'x' is among the columns that the adversary knows"):
        inference(P, ["x"], "x")
    with pytest.raises(InvalidValueError, match="'x' is among the columns that the adversary knows"):
        attacks_on_all(P, ["x", "y"], sensitive="x")
    with pytest.raises(InvalidValueError, match=r"sizes must be numbers of columns, got 2; write \[2\]"):
        attacks_on_all(P, sizes=2)  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError, match="a size must be a whole number of at least 1, got 0"):
        attacks_on_all(P, sizes=[0, 1])
    with pytest.raises(InvalidValueError, match="at most 2, the number of columns; got 3"):
        attacks_on_all(P, sensitive="z", sizes=[1, 3])
    with pytest.raises(TooLargeError, match=r"17 columns have more than 100,000 such sets.*sizes=\[1, 2\]"):
        attacks_on_all(wide)
    for ask in (
        lambda P: reidentification(P, ["nobody"]),
        lambda P: inference(P, ["x"], "nobody"),
        lambda P: attacks_on_all(P, sensitive="nobody"),
    ):
        with pytest.raises(UnknownColumnError, match="no column 'nobody'"):
            ask(P)
        with pytest.raises(UnsupportedError, match=r"takes a Population or a table; got list; a table is a path"):
            ask([("f",)])
