"""What all publications about the same people expose together, against an outer join made directly."""

from functools import reduce

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import discretion as dc
from discretion.anonymity import CountTable, Ledger, PublishedTable, joint_exposure
from discretion.errors import InvalidTableError, InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate
from discretion.limits import Limits, within
from oracles.ledgers import jointly_exposed, left_exposed

COLUMNS = (["age", "sex"], ["town", "sex"], ["job", "town"])


def population(rng: np.random.Generator, n: int, values: int) -> pd.DataFrame:
    table = pd.DataFrame({name: rng.integers(values, size=n).astype(str) for name in ("age", "sex", "town", "job")})
    return table.mask(rng.random(table.shape) < 0.05).assign(id=rng.permutation(10 * n)[:n])


def releases(rng: np.random.Generator, n: int, values: int) -> list[pd.DataFrame]:
    """Three tables of two columns each: of some of the people, of whom a few have moved since the last one."""
    people, tables = population(rng, n, values), []
    for columns in COLUMNS:
        moved = rng.random(n) < 0.1
        people["town"] = people["town"].where(~moved, rng.permutation(people["town"].to_numpy()))
        tables.append(people[rng.random(n) < 0.8][["id", *columns]].sample(frac=1, random_state=rng.integers(10**6)))
    return tables


def ledger_of(tables: list[pd.DataFrame], person: str | None = "id", **options: bool) -> Ledger:
    columns = [tuple(name for name in table.columns if name != "id") for table in tables]
    return Ledger(
        PublishedTable(table if person else table.drop(columns="id"), person, own, name=f"release {i}", **options)
        for i, (table, own) in enumerate(zip(tables, columns, strict=True))
    )


def records(table: pd.DataFrame) -> dict[int, tuple[object, ...]]:
    values = table.drop(columns="id").astype(object).where(lambda t: t.notna(), None)
    return dict(zip(table["id"].tolist(), map(tuple, values.to_numpy().tolist()), strict=True))


@pytest.mark.one_in(23)
@pytest.mark.parametrize("seed", range(25))
def test_three_releases_expose_what_their_join_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, values, k = int(rng.integers(3, 60)), int(rng.integers(1, 4)), int(rng.choice([1, 2, 3, 5, 100]))
    tables = releases(rng, n, values)
    if min(map(len, tables)) == 0 or not all({*table["id"]} & {*tables[-1]["id"]} for table in tables):
        return
    *old, new = tables
    result = joint_exposure(dc.Population(new, person="id"), ledger_of(old), k)
    renamed = [table.set_index("id").add_prefix(f"{i} ").assign(**{f"in {i}": 1}) for i, table in enumerate(tables)]
    joined = reduce(lambda one, other: one.join(other, how="outer"), renamed)
    sizes = joined.groupby([*joined.columns], dropna=False)["in 2"].transform("size")
    assert result.exposed_people == int(((sizes < k) & joined["in 2"].notna()).sum())
    assert result.exposed_people == jointly_exposed([*map(records, tables)], k)
    assert result.left == left_exposed([*map(records, tables)], k)
    assert result.exposure == result.exposed_people / len(new)
    assert result.in_both == {f"release {i}": len({*table["id"]} & {*new["id"]}) for i, table in enumerate(old)}


@pytest.mark.long
@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("followed", [0, 1])
def test_without_persons_the_join_is_within_the_certified_bounds(seed: int, followed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(50, 3000)), int(rng.choice([1, 2, 5, 10]))
    *old, new = releases(rng, n, 3)
    exact = joint_exposure(dc.Population(new, person="id"), ledger_of(old), k)
    some = Ledger([*ledger_of(old[:followed]).tables, *ledger_of(old[followed:], None).tables])
    bound = joint_exposure(dc.Population(new, person="id"), some, k)
    assert isinstance(bound.exposed_people, Estimate)
    assert bound.exposed_people.certified
    assert bound.alone <= bound.exposed_people.low <= exact.exposed_people <= bound.exposed_people.high <= len(new)
    assert isinstance(bound.exposure, Estimate)
    assert bound.exposure.low <= exact.exposure <= bound.exposure.high


def test_a_bound_without_persons_is_often_below_everybody() -> None:
    *old, new = releases(np.random.default_rng(0), 20_000, 3)
    bound = joint_exposure(dc.Population(new, person="id"), ledger_of(old, None), 5)
    assert bound.exposure.high < 0.55


def test_the_join_of_two_tables_of_the_same_people_is_that_of_diff() -> None:
    people = population(np.random.default_rng(3), 400, 4)
    old, new = people[["id", "age", "sex"]], people[["id", "sex", "town"]]
    result = joint_exposure(dc.Population(new, person="id"), ledger_of([old]), 5)
    assert result.exposed_people == dc.diff(old, new, k=5, person="id").join.exposed_people
    assert result.alone == dc.diff(old, new, k=5, person="id").after.exposed_people


@pytest.mark.one_in(13)
@pytest.mark.parametrize("seed", range(10))
def test_people_who_come_and_go_are_exposed_at_least_as_diff_counts_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = population(rng, 300, 3)
    old, new = (people[rng.random(300) < 0.9][["id", *columns]] for columns in (["age", "sex"], ["sex", "town"]))
    result = joint_exposure(dc.Population(new, person="id"), ledger_of([old]), 5)
    assert result.exposed_people >= dc.diff(old, new, k=5, person="id").join.exposed_people


def test_people_with_several_rows_have_the_bag_of_them() -> None:
    visits = pd.DataFrame({"id": [1, 1, 2, 2, 3], "year": ["a", "b", "b", "a", "a"]})
    new = pd.DataFrame({"id": [3, 2, 1], "sex": ["f", "f", "f"]})
    result = joint_exposure(dc.Population(new, person="id"), ledger_of([visits]), 2)
    assert (result.exposed_people, result.alone) == (1, 0)


def test_persons_may_be_numbers_here_and_text_there() -> None:
    old = pd.DataFrame({"id": ["1", "2", "3"], "age": ["a", "a", "b"]})
    new = pd.DataFrame({"id": [3, 2, 1], "sex": ["f", "f", "f"]})
    assert joint_exposure(dc.Population(new, person="id"), ledger_of([old]), 2).exposed_people == 1


def test_what_the_adversary_does_not_know_is_in_no_class() -> None:
    old = pd.DataFrame({"id": [1, 2], "ill": ["flu", "cold"]})
    new = pd.DataFrame({"id": [1, 2], "sex": ["f", "f"]})
    people = dc.Population(new, person="id")
    assert joint_exposure(people, ledger_of([old]), 2, sensitive=["ill"]).exposed_people == 0
    assert joint_exposure(people, ledger_of([old]), 2).exposed_people == 2


def test_an_empty_ledger_adds_nothing() -> None:
    adult = dc.Population("example:adult", ["sex", "race"])
    result = joint_exposure(adult, Ledger(), 300)
    assert result.exposed_people == result.alone == adult.class_sizes().exposed(k=300)
    assert (result.left, result.found, result.in_both) == (0, {}, {})


# The attacks.


def three_of_two_columns() -> list[pd.DataFrame]:
    """People whom any two of three columns hide among 10, and all three among one."""
    cells = [(a, b, (a + b) % 10) for a in range(10) for b in range(10)]
    people = pd.DataFrame([cell for cell in cells for _ in range(10)], columns=["age", "sex", "town"])
    people = people.astype(str).assign(id=range(1000))
    # Of each ten who are alike on age and sex, nine have other towns: all pairs of columns stay even.
    people["town"] = ((people["age"].astype(int) + people["id"] % 10) % 10).astype(str)
    return [people[["id", *pair]] for pair in (["age", "sex"], ["sex", "town"], ["age", "town"])]


def test_three_harmless_tables_single_everybody_out_together() -> None:
    tables = three_of_two_columns()
    for i, table in enumerate(tables):
        people = dc.Population(table, person="id")
        assert people.class_sizes().smallest >= 10
        result = joint_exposure(people, ledger_of(tables[:i]), 10)
        assert result.alone == 0
        assert result.exposed_people == (0 if i == 0 else 1000)


def test_one_person_who_came_is_found_though_both_tables_hide_them() -> None:
    old = pd.DataFrame({"id": range(20), "sex": "f"})
    new = pd.DataFrame({"id": range(21), "sex": "f"})
    result = joint_exposure(dc.Population(new, person="id"), ledger_of([old]), 10)
    assert (result.alone, result.exposed_people) == (0, 1)
    unfollowed = joint_exposure(new[["sex"]], ledger_of([old], None, linkable=False), 10)
    assert (unfollowed.exposed_people, unfollowed.found) == (0, {"release 0": 1})


def test_one_person_who_left_is_found() -> None:
    old, new = pd.DataFrame({"id": range(20), "sex": "f"}), pd.DataFrame({"id": range(19), "sex": "f"})
    result = joint_exposure(dc.Population(new, person="id"), ledger_of([old]), 10)
    assert (result.exposed_people, result.left) == (0, 1)


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        (CountTable(["sex"], {("f",): 20, ("m",): 30}), 1),
        (CountTable(["sex"], {("f",): 21, ("m",): 30}), 0),
        (CountTable(["sex"], {("f",): None, ("m",): 30}, k=10), 0),
        (CountTable([], {(): 50}), 1),
        (CountTable(["sex", "job"], {("f", "a"): 8, ("f", "b"): 12, ("m", "a"): 30}), 1),
        (CountTable(["sex", "job"], {("f", "a"): 20, ("f", "b"): None, ("m", "a"): 30}, k=10), 0),
        (CountTable([], {(): 20}, where={"sex": "f"}), 1),
        (CountTable([], {(): 20}, where={"job": "a"}), 0),
        (CountTable(["sex", "job"], {("f", "a"): 20, ("m", "a"): 30}, k=10, complete=False), 0),
        (CountTable(["sex"], {("f",): 4_000, ("m",): 9_000}), 0),
    ],
)
def test_one_person_who_came_since_a_table_of_counts_is_found(counts: CountTable, found: int) -> None:
    new = pd.DataFrame({"sex": ["f"] * 21 + ["m"] * 30})
    assert joint_exposure(new, Ledger(counts=[counts]), 10).found == {counts.name: found}


def test_a_ledger_of_other_people_is_refused() -> None:
    new, old = pd.DataFrame({"id": [1], "sex": ["f"]}), pd.DataFrame({"id": [2], "sex": ["f"]})
    with pytest.raises(InvalidTableError, match="release 0 has none of the people of the new table"):
        joint_exposure(dc.Population(new, person="id"), ledger_of([old]), 2)


def test_bad_entries_are_refused_in_a_sentence() -> None:
    with pytest.raises(InvalidValueError, match="'id' names the persons, so it cannot be among columns"):
        PublishedTable(pa.table({"id": [1], "sex": ["f"]}), "id", ("id",))
    with pytest.raises(UnsupportedError, match="takes a Population or a table"):
        joint_exposure(3, Ledger(), 2)
    with within(Limits(bytes=8)), pytest.raises(TooLargeError, match="the new table has 2 rows in 2 columns"):
        joint_exposure(pa.table({"id": [1, 2], "sex": ["f", "m"]}), Ledger(), 2)


@pytest.mark.one_in(13)
@pytest.mark.parametrize("seed", range(10))
def test_marginals_of_the_same_people_certify_what_three_releases_expose(seed: int) -> None:
    """A curator who holds no table: each release is a group of columns that were counted together."""
    rng = np.random.default_rng(seed)
    people = population(rng, int(rng.integers(20, 4000)), 3)
    counts = dc.Population(people.drop(columns="id")).marginals(groups=COLUMNS)
    *old, new = (people[["id", *columns]] for columns in COLUMNS)
    exact = joint_exposure(dc.Population(new, person="id"), ledger_of(old), 5).exposure
    bound = dc.exposure_bound(counts, k=5, groups=COLUMNS)
    assert bound.low <= exact <= bound.high
