"""A collection among processes comes to what the table says, whoever takes part in it."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discretion.anonymity import Population
from discretion.collection.errors import MalformedError
from discretion.collection.simulation.document import simulation_document
from discretion.collection.simulation.questionnaire import Questionnaire, questionnaire_of
from discretion.collection.simulation.simulate import simulate
from discretion.errors import InvalidValueError
from discretion.presenting.views.markdown import to_markdown

COLUMNS = ["sex", "race", "relationship", "income"]
KINDS: dict[str, dict[str, Any]] = {
    "one shuffler": {},
    "two shufflers": {"shufflers": 2},
    "without a curator": {"curatorless": True, "shufflers": 2},
    "in rounds of pairs": {"rounds": 2},
    "in rounds without a curator": {"rounds": 2, "curatorless": True},
    "with an admitter": {"admitter": True, "shufflers": 2},
    "with an admitter and no curator": {"admitter": True, "curatorless": True, "rounds": 2},
    "randomized": {"randomize": {"": "krr:epsilon=2"}},
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_the_result_is_the_table_s(kind: str) -> None:
    found = simulate("example:adult", COLUMNS, users=150, k=5, budget="0.2", cores=1, seed=1, **KINDS[kind])
    assert found.measures["counted"] == 150
    assert found.measures["lost"] == found.measures["differing"] == 0
    assert found.ran.chosen is not None
    assert found.leaks.exposure is not None
    assert found.leaks.certified is not None
    assert found.leaks.exposure <= found.leaks.certified.high <= 0.2
    assert (found.ran.curated is None) == ("curatorless" in KINDS[kind])
    assert [status["role"] for status in found.ran.statuses.values()].count("shuffler") == KINDS[kind].get(
        "shufflers", 1
    )
    text = to_markdown(simulation_document(found, full=True))
    assert "agree with the table" in text
    assert found.to_dict()["beside"]["agrees"]


@pytest.mark.long
def test_with_noise_each_count_is_the_table_s_and_the_dummies() -> None:
    found = simulate(
        "example:adult", ["sex", "income"], users=600, k=5, budget="0.9", shufflers=2, noise=3.0, cores=1, seed=1
    )
    assert found.measures["counted"] == 600
    assert found.measures["lost"] == found.measures["differing"] == 0
    assert found.truth.agrees
    assert found.ran.task.noise is not None
    assert [each.parties for each in found.leaks.trust if each.means == "invents"] == [("shuffler 1", "shuffler 2")]
    text = to_markdown(simulation_document(found, full=True))
    assert "each shuffler adds 0 to" in text.replace("Each", "each")
    assert "agree with the table" in text
    assert "hidden by ε = " in text
    assert "At most" in text


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"curatorless": True}, "excludes a task without"), ({"rounds": 2}, "excludes more than one round"),
        ({"admitter": True}, "excludes an admitter"), ({"randomize": {"": "krr:epsilon=1"}}, "excludes randomized"),
    ],
)  # fmt: skip
def test_what_noise_excludes_is_said(other: dict[str, Any], why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        simulate("example:adult", ["sex"], users=20, k=2, noise=3.0, cores=1, seed=1, **other)


@pytest.mark.long
def test_nothing_goes_out_that_is_not_certified() -> None:
    found = simulate("example:adult", ["age"], users=60, k=30, budget="0", cores=1, seed=1)
    assert (found.ran.chosen, found.ran.analysed, found.leaks.exposure) == (None, None, None)
    assert found.measures["differing"] == 0
    assert "went out together: none" in to_markdown(simulation_document(found))


def asked(table: Any, columns: list[str] | None = None, people: int | None = None, **randomizers: str) -> Questionnaire:
    return questionnaire_of(table, columns, people, randomizers, np.random.default_rng(0))


def test_each_column_is_a_question_and_each_row_a_person(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("sex,town\nf,Lima\nm,\nf,other\n")
    found = asked(str(path), sex="krr:epsilon=1")
    assert [(each.name, each.values, each.randomizer) for each in found.features] == [
        ("sex", ("f", "m"), "krr:epsilon=1"), ("town", ("Lima", "other"), None),
    ]  # fmt: skip
    assert [*found.answers()] == [
        {"sex": "f", "town": "Lima"}, {"sex": "m", "town": None}, {"sex": "f", "town": "other"},
    ]  # fmt: skip
    assert found.codes.tolist() == [[0, 0], [1, 3], [0, 1]]


def test_of_many_answers_the_most_frequent_ones_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n\n" + "".join(f"{number}\n" for number in [*range(1200), *range(1200, 1500), *range(1200, 1500)]))
    (feature,) = (found := asked(str(path))).features
    assert len(feature.values) == 1000
    assert {*map(str, range(1200, 1500))} <= {*feature.values}
    told = Counter(found.codes[:, 0].tolist())
    assert told[1000] == 500


@pytest.mark.long
def test_people_are_drawn_by_seed_and_nobody_twice() -> None:
    one, same = (asked("example:adult", ["fnlwgt", "age"], 500) for _ in range(2))
    assert one.places.tolist() == same.places.tolist()
    everybody = Counter(map(tuple, asked("example:adult", ["fnlwgt", "age"]).places.tolist()))
    assert not Counter(map(tuple, one.places.tolist())) - everybody
    assert one.people == 500


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="32,561 people; got 99,999"):
        asked("example:adult", ["sex"], 99_999)
    path = tmp_path / "table.csv"
    path.write_text("sex,town\nf,\nm,\n")
    with pytest.raises(InvalidValueError, match="nobody has a value of 'town'"):
        asked(str(path))
    with pytest.raises(MalformedError, match="no column 'sexx'"):
        simulate("example:adult", ["sex"], users=10, randomize={"sexx": "krr:epsilon=1"})
    with pytest.raises(InvalidValueError, match="users"):
        simulate("example:adult", ["sex"], users=0)


def test_the_table_s_people_are_those_who_are_asked() -> None:
    found = asked("example:adult", ["race"])
    sizes = Population("example:adult", ["race"]).class_sizes()
    assert sorted(Counter(found.codes[:, 0].tolist()).values()) == sorted(
        size for size, count in zip(sizes.sizes, sizes.counts, strict=True) for _ in range(count)
    )
