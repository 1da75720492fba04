"""The columns that go out, one set after another: the numbers of the other jobs, and the nearest sets that are safe."""

from collections.abc import Sequence
from importlib.resources import files
from itertools import combinations, product
from random import Random

import pyarrow as pa
import pyarrow.parquet
import pytest

import discretion as dc
from discretion.anonymity.choosing.constraints import GUESS_BUDGET
from discretion.anonymity.releasing.generalizations import Generalization, generalizations_of, identity_generalization
from discretion.errors import DiscretionError
from discretion.jobs.columns import OpenTable, choose_columns
from discretion.jobs.exposure import table_exposure
from discretion.jobs.options.column_roles import GENERALIZED, ColumnChoiceOptions, roles_of, with_roles
from discretion.jobs.options.tables import ExposureOptions, FileOptions
from discretion.tables.counting.codes import column_values

ADULT = dc.Population("example:adult")
ADULT_FILE = files("discretion.tables") / "adult.parquet"
OPEN = OpenTable("example:adult")
VISITS = pa.table({"id": [*range(40)] * 2, "visit": [1] * 40 + [2] * 40, "ill": ["a", "b", "c", "d"] * 20})


@pytest.mark.one_in(11)
@pytest.mark.parametrize("seed", range(12))
def test_numbers_are_those_of_the_exposure_and_of_inference(seed: int) -> None:
    random = Random(seed)
    columns = random.sample(ADULT.columns, random.randint(1, len(ADULT.columns)))
    sensitive, k = columns[: random.randint(0, 2)], random.choice([2, 10, 500])
    choice = choose_columns(OPEN, ColumnChoiceOptions(columns=columns, sensitive=sensitive, k=k))
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
    choice = choose_columns(OPEN, ColumnChoiceOptions(columns=columns, keep=keep, sensitive=sensitive, budget=budget))

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
    roles = ("goes out", "does not go out", "must go out", "sensitive", "sensitive, and must go out", *GENERALIZED)
    for chosen in product(roles, repeat=3):
        given = dict(zip(columns, chosen, strict=True))
        options = with_roles(ColumnChoiceOptions(k=3, columns=["a"]), given, {"b": "years"})
        assert roles_of(options, columns, [each.removesuffix("=years") for each in options.generalize]) == given
        assert ("b=years" in options.generalize) == (given["b"] in GENERALIZED)
    named = {"a": "names the person", "b": "weight", "c": "goes out"}
    nobody = ColumnChoiceOptions(person="none")
    assert roles_of(with_roles(nobody, named, {}), columns) == named
    assert with_roles(nobody, {"a": "goes out"}, {}).person == "none"


def test_rows_of_a_person_are_counted_as_one() -> None:
    unsaid = choose_columns(OpenTable(VISITS), ColumnChoiceOptions(drop=["id"], k=3))
    assert unsaid.people == 80
    assert "--person id" in str(unsaid.question)
    people = choose_columns(OpenTable(VISITS, "id"), ColumnChoiceOptions(person="id", sensitive=["ill"], k=3))
    assert (people.people, people.exposed_people, people.question) == (40, 0, None)
    assert [(each.column, each.role) for each in people.columns] == [
        ("visit", "goes out"), ("ill", "sensitive"), ("id", "names the person"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        ColumnChoiceOptions(drop=["no"]),
        ColumnChoiceOptions(keep=["sex"], drop=["sex"]),
        ColumnChoiceOptions(generalize=["no"]),
        ColumnChoiceOptions(generalize=["sex"]),
        ColumnChoiceOptions(generalize=["sex=no"]),
        ColumnChoiceOptions(generalize=["sex"], drop=["sex"]),
        ColumnChoiceOptions(generalize=["sex"], sensitive=["sex"], keep=["sex"]),
    ],
)
def test_columns_that_are_not_there_or_in_two_roles_are_refused(options: ColumnChoiceOptions) -> None:
    with pytest.raises(DiscretionError, match=r"no|sex"):
        choose_columns(OPEN, options)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("seed", range(8))
def test_people_with_several_rows_have_the_numbers_of_the_exposure_and_of_inference(seed: int) -> None:
    random = Random(seed)
    rows = random.choice([1, 20, 300])
    table = pa.table(
        {
            "id": [random.randrange(1 + rows // 3) for _ in range(rows)],
            "town": [random.choice(["a", "b", None]) for _ in range(rows)],
            "visit": [random.randrange(3) for _ in range(rows)],
            "ill": [random.choice("xy") for _ in range(rows)],
        }
    )
    people = dc.Population(table, person="id")
    opened = OpenTable(table, "id")
    for known in ([], ["town"], ["town", "visit"], ["visit", "town", "ill"]):
        sizes, expected = opened.class_sizes(known), people.class_sizes(known)
        assert sizes.exposed(k=2) == expected.exposed(k=2)
        assert sizes.entropy == pytest.approx(expected.entropy, abs=1e-12)
        if "ill" not in known:
            attack = dc.anonymity.inference(people, known, "ill")
            chances = [each / people.people for each in opened.guesses(known, "ill")]
            assert chances == pytest.approx([attack.prior, attack.posterior, attack.certain_people / people.people])


def test_columns_of_persons_with_several_rows_are_not_generalized() -> None:
    with pytest.raises(DiscretionError, match="one row per person"):
        choose_columns(OpenTable(VISITS, "id"), ColumnChoiceOptions(person="id", generalize=["visit"]))


def generalizations(column: str, k: int) -> Sequence[Generalization]:
    """Return those of a column of the example, with the codes of its rows."""
    coded = ADULT.read_rows(lambda rows, length: column_values(rows, [column], length))
    assert coded is not None
    codes, values = coded[column]
    return generalizations_of(identity_generalization(codes, values.to_pylist()), k, column)


@pytest.mark.one_in(11)
@pytest.mark.parametrize("seed", range(12))
def test_generalized_columns_have_the_numbers_of_the_table_with_these_values(seed: int) -> None:
    random = Random(seed)
    columns = random.sample([name for name in ADULT.columns if name not in ("income", "fnlwgt")], random.randint(2, 6))
    k, views = random.choice([2, 10, 50]), dict[str, Generalization]()
    for name in columns:
        choices = generalizations(name, k)
        if len(choices) > 1 and random.random() < 0.7:
            views[name] = random.choice(choices)
    generalize = [f"{name}={view.how}" for name, view in views.items()]
    options = ColumnChoiceOptions(columns=columns, sensitive=["income"], k=k, budget=0.05, generalize=generalize)
    choice = choose_columns(OPEN, options)

    table = pyarrow.parquet.read_table(ADULT_FILE)
    for name, view in views.items():
        values = [view.labels[code] for code in view.column.codes]
        table = table.set_column(table.column_names.index(name), name, [[*map(str, values)]])
    people = dc.Population(table)
    whole, before = people.class_sizes(choice.known), ADULT.class_sizes(choice.known)
    attack = dc.anonymity.inference(people, choice.known, "income")
    (guess,) = choice.guesses
    assert (choice.exposed_people, choice.exposed_as_they_are) == (whole.exposed(k=k), before.exposed(k=k))
    assert (choice.bits, choice.bits_as_they_are) == pytest.approx((whole.entropy, before.entropy))
    assert (guess.after, guess.certain_people) == pytest.approx((attack.posterior, attack.certain_people))
    for each in choice.generalized:
        kept = people.class_sizes([each.column]).entropy / ADULT.class_sizes([each.column]).entropy
        assert each.generalizations[str(each.how)] == pytest.approx(kept)
    for safe in choice.nearest:
        assert safe.exposed_people == people.class_sizes(safe.columns).exposed(k=k)
        assert safe.exposure <= options.budget
    assert choice.exposed_people <= choice.exposed_as_they_are
    assert choice.is_safe == (whole.exposure(k=k) <= options.budget and attack.posterior - attack.prior <= GUESS_BUDGET)


def test_a_column_that_is_generalized_by_itself_has_its_finest_generalization() -> None:
    columns = ["age", "sex"]
    first = [*OPEN.generalizations("age", FileOptions(), 10)][1]
    alone, named = (
        choose_columns(OPEN, ColumnChoiceOptions(columns=columns, k=10, generalize=[each]))
        for each in ("age", f"age={first}")
    )
    assert alone == named
    assert alone.generalized[0].how == first
