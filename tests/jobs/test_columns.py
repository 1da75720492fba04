"""The columns that go out, one set after another: the numbers of the other jobs, and the nearest sets that are safe."""

from itertools import combinations, product
from random import Random

import pyarrow as pa
import pytest

import discretion as dc
from discretion.errors import DiscretionError
from discretion.jobs.columns import OpenTable, choose_columns
from discretion.jobs.exposure import table_exposure
from discretion.jobs.options.column_roles import roles_of, with_roles
from discretion.jobs.options.tables import AuditOptions, ExposureOptions

ADULT = dc.Population("example:adult")
OPEN = OpenTable("example:adult")
VISITS = pa.table({"id": [*range(40)] * 2, "visit": [1] * 40 + [2] * 40, "ill": ["a", "b", "c", "d"] * 20})


@pytest.mark.parametrize("seed", range(12))
def test_numbers_are_those_of_the_exposure_and_of_inference(seed: int) -> None:
    random = Random(seed)
    columns = random.sample(ADULT.columns, random.randint(1, len(ADULT.columns)))
    sensitive, k = columns[: random.randint(0, 2)], random.choice([2, 10, 500])
    choice = choose_columns(OPEN, AuditOptions(columns=columns, sensitive=sensitive, k=k))
    exposure = table_exposure(ADULT, ExposureOptions(columns=columns, sensitive=sensitive, k=k))
    assert set(choice.known) == {*exposure.columns}
    assert (choice.exposed_people, choice.exposure) == (exposure.exposed_people, exposure.exposure)
    for guess in choice.guesses:
        attack = dc.anonymity.inference(ADULT, choice.known, guess.sensitive)
        assert (guess.before, guess.after, guess.certain_people) == pytest.approx(
            (attack.prior, attack.posterior, attack.certain_people), abs=1e-15
        )


@pytest.mark.parametrize(
    ("columns", "keep", "sensitive", "budget"),
    [
        (["sex", "race"], [], [], 0.01),
        (["sex", "race", "fnlwgt"], [], [], 0.01),
        (["sex", "race", "age", "education", "workclass"], [], [], 0.01),
        (["sex", "race", "age", "education", "workclass"], ["age"], [], 0.1),
        (["sex", "race", "relationship", "marital_status", "income"], [], ["income"], 0.05),
        (["sex", "race", "age", "fnlwgt", "capital_gain", "hours_per_week"], [], [], 0.01),
    ],
)
def test_the_nearest_safe_sets_are_all_that_leave_out_the_fewest_columns(
    columns: list[str], keep: list[str], sensitive: list[str], budget: float
) -> None:
    choice = choose_columns(OPEN, AuditOptions(columns=columns, keep=keep, sensitive=sensitive, budget=budget))

    def is_safe(left_out: tuple[str, ...]) -> bool:
        rest = [name for name in choice.known if name not in left_out]
        rises = [(a.posterior - a.prior) for name in sensitive for a in [dc.anonymity.inference(ADULT, rest, name)]]
        return ADULT.class_sizes(rest).exposure(k=10) <= budget and all(rise <= 0.05 for rise in rises)

    able = [name for name in choice.known if name not in keep]
    by_number = [[some for some in combinations(able, number) if is_safe(some)] for number in range(3)]
    expected = next(filter(None, by_number), [])
    found = [each.left_out for each in choice.nearest]
    assert {*map(frozenset, found)} <= {*map(frozenset, expected)}
    assert len(found) == min(len(expected), 5)
    assert choice.all_compared or len(expected) > 5


def test_roles_are_options_and_options_roles() -> None:
    columns = ["a", "b", "c"]
    roles = ("goes out", "does not go out", "must go out", "sensitive", "sensitive, and must go out")
    for chosen in product(roles, repeat=3):
        given = dict(zip(columns, chosen, strict=True))
        assert roles_of(with_roles(AuditOptions(k=3, columns=["a"]), given), columns) == given
    named = {"a": "names the person", "b": "weight", "c": "goes out"}
    assert roles_of(with_roles(AuditOptions(person="none"), named), columns) == named
    assert with_roles(AuditOptions(person="none"), {"a": "goes out"}).person == "none"


def test_rows_of_a_person_are_counted_as_one() -> None:
    unsaid = choose_columns(OpenTable(VISITS), AuditOptions(drop=["id"], k=3))
    assert unsaid.people == 80
    assert "--person id" in str(unsaid.question)
    people = choose_columns(OpenTable(VISITS, "id"), AuditOptions(person="id", sensitive=["ill"], k=3))
    assert (people.people, people.exposed_people, people.question) == (40, 0, None)
    assert [(each.column, each.role) for each in people.columns] == [
        ("visit", "goes out"), ("ill", "sensitive"), ("id", "names the person"),
    ]  # fmt: skip


@pytest.mark.parametrize("options", [AuditOptions(drop=["no"]), AuditOptions(keep=["sex"], drop=["sex"])])
def test_columns_that_are_not_there_or_in_two_roles_are_refused(options: AuditOptions) -> None:
    with pytest.raises(DiscretionError, match=r"no|sex"):
        choose_columns(OPEN, options)
