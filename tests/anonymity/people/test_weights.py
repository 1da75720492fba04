"""Sampling weights say of how many people each row is one, and risks go by it."""

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.anonymity import Population, reidentification_risks
from discretion.anonymity.people.weights import weighted_classes
from discretion.anonymity.uniqueness.population_uniqueness import most_unique
from discretion.errors import InvalidTableError, InvalidValueError, UnsupportedError
from oracles import unique_people

rows = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(1, 40) | st.floats(1, 500)),
    min_size=1, max_size=30,
)  # fmt: skip


def sample(held: list[Any]) -> Population:
    return Population(pa.table({
        "sex": [row[0] for row in held], "town": [row[1] for row in held], "w": [float(row[2]) for row in held],
    }))  # fmt: skip


@pytest.mark.long
@settings(deadline=None)
@given(rows)
def test_classes_add_up_the_weights_of_their_rows(held: list[Any]) -> None:
    found = weighted_classes(sample(held), ["sex", "town"], "w")
    added: dict[Any, list[float]] = defaultdict(list)
    for sex, town, weight in held:
        added[sex, town].append(weight)
    assert sorted(found.sizes.tolist()) == sorted(map(len, added.values()))
    assert sorted(found.weights.tolist()) == pytest.approx(sorted(map(math.fsum, added.values())))
    assert found.people == pytest.approx(math.fsum(row[2] for row in held))


@pytest.mark.long
@settings(deadline=None)
@given(rows)
def test_a_record_is_found_as_often_as_its_weights_say(held: list[Any]) -> None:
    classes = weighted_classes(sample(held), ["sex", "town"], "w")
    found = {risk.name: risk.value for risk in reidentification_risks(sample(held), ["sex", "town"], weight="w")}
    chances = [
        unique_people.chance_to_find(size, size / weight)
        for size, weight in zip(classes.sizes.tolist(), classes.weights.tolist(), strict=True)
    ]
    marketer = sum(size * chance for size, chance in zip(classes.sizes, chances, strict=True)) / len(held)
    assert float(found["journalist risk, highest"]) == pytest.approx(max(chances), rel=1e-6)
    assert float(found["marketer risk"]) == pytest.approx(marketer, rel=1e-6)


def test_equal_weights_are_a_population_of_so_many() -> None:
    people = Population(pa.table({"town": [*"aaabbc"], "w": [50.0] * 6}))
    weighed = {risk.name: risk.value for risk in reidentification_risks(people, ["town"], weight="w")}
    for risk in reidentification_risks(people, ["town"], population=300):
        assert float(weighed[risk.name]) == pytest.approx(float(risk.value), rel=1e-9)


def test_a_risk_that_rests_on_weights_says_so() -> None:
    found = dc.audit(sample([("a", "x", 1), ("b", "y", 2), ("a", "x", 3.5)] * 20), weight="w", k=2)
    assert "w" not in [column.column for column in found.columns]
    journalist = next(risk for risk in found.risks if risk.name == "journalist risk, highest")
    assert isinstance(journalist.whole, dc.Estimate)
    assert journalist.whole.assuming is not None
    assert not journalist.whole.certified
    assert "weight" in journalist.whole.assuming


def test_who_is_unique_among_all_is_not_said_of_people_likelier_than_others_to_be_in_the_table() -> None:
    found = dc.audit(sample([("a", "x", 1), ("b", "y", 2), ("a", "x", 3.5)] * 20), weight="w", k=2)
    assert found.uniqueness is None
    assert any("the weights w differ" in sentence for sentence in found.not_examined)


def test_weights_that_are_all_the_same_are_a_sample_drawn_with_equal_chances() -> None:
    held = [("a", "x", 5), ("b", "y", 5), ("a", "x", 5)] * 20
    weighed = dc.audit(sample(held), weight="w", k=2).uniqueness
    assert weighed is not None
    assert weighed == dc.audit(sample(held), ["sex", "town"], population=300, k=2).uniqueness


def test_the_end_for_who_is_unique_would_not_hold_with_weights_that_differ() -> None:
    """A tenth of all people are unique and hard to reach; the others are easily drawn, and alike."""
    rng, ended = np.random.default_rng(5), []
    for _ in range(40):
        unique = rng.random(10_000) < 1 / 1000
        alike = int((rng.random(90_000) < 1 / 10).sum())
        found = most_unique(int(unique.sum()), int(unique.sum()) + alike, 100_000, 0.05) / 100_000
        ended.append(found >= 10_000 / 100_000)
    assert not any(ended)


def test_people_with_several_rows_are_not_said_to_be_unique_among_all() -> None:
    people = Population(pa.table({"id": [1, 1, 2], "town": [*"aba"], "sex": [*"xyx"]}), person="id")
    found = dc.audit(people, k=2, population=50)
    assert found.uniqueness is None
    assert any("one row each" in sentence for sentence in found.not_examined)


FAULTS: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "missing": ([1.0, None], {}, InvalidTableError, "missing values or values that are not numbers"),
    "no numbers": (["many", "few"], {}, InvalidTableError, "not numbers"),
    "no weight at all": ([0.5, 3.0], {}, InvalidTableError, "below 1"),
    "infinite": ([math.inf, 3.0], {}, InvalidTableError, "not numbers"),
    "known too": ([2.0, 3.0], {"columns": ["w"]}, InvalidValueError, "so the adversary cannot know it"),
    "and a population": ([2.0, 3.0], {"population": 10}, InvalidValueError, "give weight or population, not both"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_weight_is_refused(fault: str) -> None:
    weights, asked, kind, said = FAULTS[fault]
    people = Population(pa.table({"town": ["a", "b"], "w": weights}))
    with pytest.raises(kind, match=said):
        reidentification_risks(people, **{"columns": ["town"], "weight": "w", **asked})


def test_people_with_several_rows_have_no_weight_each() -> None:
    people = Population(pa.table({"id": [1, 1], "town": ["a", "b"], "w": [2.0, 2.0]}), person="id")
    with pytest.raises(UnsupportedError, match="one row"):
        reidentification_risks(people, ["town"], weight="w")


def test_there_is_one_way_to_say_how_many_people_there_are() -> None:
    with pytest.raises(InvalidValueError, match="leave population out"):
        dc.audit(sample([("a", "x", 2), ("b", "y", 3)]), weight="w", population=9)
