"""Who is unique among all people: certain ends, and models that are right about the people whom they assume."""

from collections import Counter
from math import exp, gamma, lgamma, log

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.anonymity import ClassSizes, Population, UniquenessModel, population_uniqueness
from discretion.anonymity.uniqueness.model import likeliest_pitman, pitman, slide_negative_binomial, zayatz
from discretion.anonymity.uniqueness.population_uniqueness import most_unique
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.tables.locations import path_of
from oracles import unique_people
from support.adult_hierarchies import COLUMNS

MODELS = [zayatz, pitman, slide_negative_binomial]
some_sizes = st.lists(st.integers(1, 6), min_size=1, max_size=12).map(lambda rest: sorted([1, *rest]))


def counted(sizes: list[int]) -> ClassSizes:
    found = Counter(sizes)
    return ClassSizes(sorted(found), [found[size] for size in sorted(found)])


@given(some_sizes, st.integers(0, 40))
def test_zayatz_model_takes_the_sample_for_the_population(sizes: list[int], others: int) -> None:
    people = sum(sizes)
    found = zayatz(counted(sizes), people + others)
    chance = unique_people.zayatz(sizes, people + others)
    assert found.of_sample_unique == pytest.approx(float(chance), rel=1e-9)
    assert found.population_unique == pytest.approx(float(chance) * sizes.count(1) / people, rel=1e-9)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("population", [10**8, 10**10, 10**15, 10**30])
def test_of_however_many_people_no_digits_are_lost(population: int) -> None:
    sizes = [1] * 10 + [2] * 20 + [9] * 5
    chance = float(unique_people.zayatz(sizes, population))
    assert zayatz(counted(sizes), population).of_sample_unique == pytest.approx(chance, rel=1e-12)
    alpha, theta = likeliest_pitman(counted(sizes))
    for_many = gamma(theta + sum(sizes)) / gamma(theta + alpha + sum(sizes) - 1) * float(population) ** (alpha - 1)
    found = pitman(counted(sizes), population).of_sample_unique
    assert found == pytest.approx(for_many, rel=max(1e-10, 100 / population))


@pytest.mark.long
@settings(deadline=None)
@given(some_sizes.filter(lambda sizes: max(sizes) > 1))
def test_no_other_parameters_make_the_sample_likelier_by_pitman(sizes: list[int]) -> None:
    alpha, theta = likeliest_pitman(counted(sizes))
    best = unique_people.pitman_log_likelihood(sizes, alpha, theta)
    for other in np.linspace(0.01, 0.99, 15):
        for new in (*np.geomspace(1e-3, 1e4, 15), 1e-6):
            assert unique_people.pitman_log_likelihood(sizes, other, new - other) <= best + 1e-6


def test_a_person_stays_alone_as_long_as_nobody_joins_her() -> None:
    sizes = counted([1] * 10 + [2] * 20 + [9] * 5)
    alpha, theta = likeliest_pitman(sizes)
    found = pitman(sizes, 950)
    n = sizes.people
    assert found.of_sample_unique == pytest.approx(
        float(np.prod([(theta + alpha + i - 1) / (theta + i) for i in range(n, 950)])), rel=1e-9
    )
    assert found.population_unique == pytest.approx(
        float(np.prod([(theta + alpha + i - 1) / (theta + i) for i in range(1, 950)])), rel=1e-9
    )


def population_of(model: str, rng: np.random.Generator) -> list[int]:
    """Return the class of each person of a population that is as a model assumes."""
    if model == "Pitman":
        return unique_people.restaurant(40_000, 0.6, 500.0, rng)
    sizes = 1 + rng.negative_binomial(0.3, 0.05, 40_000)
    return np.repeat(np.arange(sizes.size), sizes).tolist()


@pytest.mark.long
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("model", ["Pitman", "slide negative binomial"])
def test_a_model_is_right_about_the_people_whom_it_assumes(model: str, share: float) -> None:
    rng = np.random.default_rng(4)
    asked = {"Pitman": pitman, "slide negative binomial": slide_negative_binomial}[model]
    errors: list[tuple[float, float]] = []
    for _ in range(5):
        classes = population_of(model, rng)
        sampled = rng.choice(len(classes), int(share * len(classes)), replace=False)
        unique, of_sample, sizes = unique_people.truth(classes, sampled.tolist())
        found = asked(counted(sizes), len(classes))
        assert found.population_unique is not None
        assert found.of_sample_unique is not None
        errors.append((found.population_unique / unique - 1, found.of_sample_unique / of_sample - 1))
    mean, scatter = np.mean(errors, axis=0), np.std(errors, axis=0, ddof=1)
    assert (np.abs(mean) < 0.03 + 3 * scatter / 5**0.5).all(), errors
    assert (scatter < 0.3).all(), errors


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 20), st.sampled_from([0.05, 0.47, 0.001]))
def test_no_more_people_are_unique_than_the_certain_end_says(
    sample: int, seen: int, others: int, misses: float
) -> None:
    seen = min(seen, sample)
    assert most_unique(seen, sample, sample + others, misses) == unique_people.most_unique(
        seen, sample, sample + others, misses
    )


@pytest.mark.long
def test_the_certain_end_holds_as_often_as_it_says() -> None:
    rng, held = np.random.default_rng(0), 0
    classes = population_of("Pitman", rng)
    for _ in range(200):
        sampled = rng.choice(len(classes), 2_000, replace=False)
        unique, _, sizes = unique_people.truth(classes, sampled.tolist())
        ones = sizes.count(1)
        held += unique * len(classes) <= most_unique(ones, 2_000, len(classes), 0.05)
    assert held >= 190


# What ARX's own tests expect of Adult's nine columns as a sample (TestRiskMetrics): the share, and the model's.
ARX = [(0.1, zayatz, 0.3207402393466189), (0.2, zayatz, 0.3577099234829125)]


@pytest.fixture(scope="module")
def adult() -> ClassSizes:
    """The classes of the people with a value in each of ARX's nine columns."""
    texts = {name: pq.read_table(path_of("example:adult"))[name].cast(pa.string()).to_pylist() for name in COLUMNS}
    rows = [row for row in zip(*texts.values(), strict=True) if None not in row and "?" not in row]
    return counted(sorted(Counter(rows).values()))


@pytest.mark.parametrize(("share", "model", "value"), ARX)
def test_zayatz_model_says_what_arx_says(adult: ClassSizes, share: float, model: object, value: float) -> None:
    assert zayatz(adult, round(adult.people / share)).population_unique == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("share", "value"), [(0.1, 0.27684993883653597), (0.01, 0.1446083531167384)])
def test_pitmans_model_says_what_arx_says_but_for_a_limit(adult: ClassSizes, share: float, value: float) -> None:
    people = round(adult.people / share)
    alpha, theta = likeliest_pitman(adult)
    limit = exp(log(people) * (alpha - 1) + lgamma(theta + 1) - lgamma(theta + alpha))
    assert limit == pytest.approx(value, rel=1e-6)
    assert pitman(adult, people).population_unique == pytest.approx(value, rel=0.004)  # ARX takes the limit of large N


def table(sizes: list[int]) -> Population:
    return Population(pa.table({"kind": [str(i) for i, size in enumerate(sizes) for _ in range(size)]}))


def test_if_everybody_is_in_the_table_the_number_is_counted() -> None:
    found = population_uniqueness(table([1, 1, 3]), 5)
    assert (found.population_unique, found.models, found.advised) == (0.4, (), None)


def test_nobody_else_is_unique_where_nobody_in_the_sample_is() -> None:
    found = population_uniqueness(table([2] * 100), 2_000)
    assert found.unique_people == 0
    assert found.models == ()
    assert isinstance(found.population_unique, dc.Estimate)
    assert 0 < found.population_unique.high < 0.02


def test_where_all_are_unique_only_zayatz_says_something() -> None:
    found = population_uniqueness(table([1] * 30), 3_000)
    told = {model.name: model for model in found.models}
    assert told["Zayatz"].of_sample_unique == 1
    for name in ("Pitman", "slide negative binomial"):
        assert told[name].population_unique is told[name].of_sample_unique is None
        assert "everybody in the sample is unique" in str(told[name].why_not)
    assert found.advised == "Zayatz"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("sizes", [[1], [1, 2], [1, 10**6], [1] * 50 + [2]])
@pytest.mark.parametrize("others", [1, 10**9])
def test_shares_are_shares_at_the_extremes(model: object, sizes: list[int], others: int) -> None:
    assert callable(model)
    found = model(counted(sizes), sum(sizes) + others)
    assert isinstance(found, UniquenessModel)
    for value in (found.population_unique, found.of_sample_unique):
        assert (value is None) == (found.why_not is not None)
        assert value is None or 0 <= value <= 1


@pytest.mark.long
def test_the_rule_of_dankar_takes_another_model_of_a_large_sample() -> None:
    people = Population("example:adult")
    columns = ["age", "sex", "race", "education"]
    assert population_uniqueness(people, 326_000, columns).advised == "Pitman"
    large = population_uniqueness(people, 65_000, columns)
    told = {model.name: model.population_unique or 2 for model in large.models}
    assert large.advised == min(("Zayatz", "slide negative binomial"), key=told.__getitem__)


def test_who_is_in_the_table_is_in_the_population() -> None:
    with pytest.raises(InvalidValueError, match="at least 5, the number of people in the table; got 3"):
        population_uniqueness(table([1, 4]), 3)
    people = Population(pa.table({"id": [1, 1], "kind": ["a", "b"]}), person="id")
    with pytest.raises(UnsupportedError, match="one row per person"):
        population_uniqueness(people, 10)


@pytest.mark.long
@given(st.lists(st.integers(1, 30), min_size=1, max_size=20), st.integers(0, 10**6))
def test_the_certain_end_is_above_what_is_seen(sizes: list[int], others: int) -> None:
    people = sum(sizes)
    value = population_uniqueness(table(sizes), people + others).population_unique
    if not others:
        assert value == sizes.count(1) / people
    else:
        assert isinstance(value, dc.Estimate)
        assert sizes.count(1) / (people + others) <= value.high <= 1


@pytest.mark.long
def test_rows_in_another_order_say_the_same_where_some_values_are_no_numbers() -> None:
    rng = np.random.default_rng(1)
    ages = rng.normal(size=400).round(1) + 0.0
    heights = (ages + rng.normal(size=400) / 10).round(1) + 0.0
    ages[rng.random(400) < 0.1] = np.nan
    told = [
        [model.population_unique for model in population_uniqueness(Population(table), 2000).models]
        for order in (np.arange(400), rng.permutation(400), rng.permutation(400))
        for table in [pa.table({"age": ages[order], "height": heights[order]})]
    ]
    assert told[1] == pytest.approx(told[0])
    assert told[2] == pytest.approx(told[0])
