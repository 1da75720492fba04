"""Risks of households are what the definitions give, household by household."""

import json
import math
from collections import Counter, defaultdict
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population, household_risks
from discretion.errors import InvalidTableError, InvalidValueError, UnsupportedError
from oracles.tables import bags, exposure_below
from support.cli_runner import run

rows_of_people = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([None, "f", "m"]), st.sampled_from(["0", "1"])),
    min_size=1,
    max_size=16,
)


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table({name: [row[j] for row in rows] for j, name in enumerate(["house", "sex", "age"])})


@pytest.mark.long
@given(rows_of_people, st.integers(1, 20))
@settings(max_examples=15, deadline=None)
def test_risks_are_those_of_the_definitions(rows, k):
    result = household_risks(table_of(rows), "house", k=k)
    homes = sorted({house for house, *_ in rows}, key=repr)
    assert result.households == len(homes)
    assert result.household_exposure == pytest.approx(float(exposure_below(bags(rows, 0, [1, 2]), k)))
    alike, at_home = Counter(row[1:] for row in rows), Counter(rows)
    assert result.certain_households == len({row[0] for row in rows if alike[row[1:]] == at_home[row]})
    chances: dict[int, list[float]] = defaultdict(list)
    for house, *known in rows:
        chances[house].append(1 / alike[tuple(known)])
    independent = [1 - math.prod(1 - chance for chance in chances[house]) for house, *_ in rows]
    assert result.risks.tolist() == pytest.approx(independent, abs=1e-12)
    n = len(rows)
    assert result.risk_if_independent.value == pytest.approx(sum(independent) / n, abs=1e-12)
    assert result.risk.low == pytest.approx(sum(max(chances[house]) for house, *_ in rows) / n)
    assert result.risk.high == pytest.approx(sum(min(1, sum(chances[house])) for house, *_ in rows) / n)
    assert result.risk.certified
    assert not result.risk_if_independent.certified
    assert result.risk.low <= result.risk_if_independent.value <= result.risk.high


EXTREMES = {
    "one person": ([(1, "f", "0")], (1, 1, 1), (1, 1, 1)),
    "one household": ([(1, "f", "0"), (1, "f", "0")], (1, 1, 1), (0.5, 0.75, 1)),
    "everybody alone and alike": ([(i, "f", "0") for i in range(4)], (4, 0, 0), (0.25, 0.25, 0.25)),
    "two of two like nobody": ([(1, "f", "0"), (1, "m", "0"), (2, "f", "1"), (2, "m", "1")], (2, 2, 2), (1, 1, 1)),
    "all missing": ([(1, None, None), (2, None, None)], (2, 0, 0), (0.5, 0.5, 0.5)),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name):
    rows, counts, risks = EXTREMES[name]
    result = household_risks(table_of(rows), "house", k=2)
    assert (result.households, result.exposed_households, result.certain_households) == counts
    assert (result.risk.low, result.risk_if_independent.value, result.risk.high) == pytest.approx(risks)


def test_a_crowd_of_people_hides_no_household_that_has_no_like():
    """Everybody has a hundred alike, and each household only itself."""
    rows = [(house, "f", str(house % 2 == member)) for house in range(100) for member in (0, 1)]
    rows += [(house, "m", str((house >> bit) % 2)) for house in range(100) for bit in range(7) if (house >> bit) % 2]
    result = household_risks(table_of(rows), "house", ["sex", "age"], k=2)
    alone = Population(table_of(rows), person="house").class_sizes(["sex", "age"])
    assert result.exposed_households == alone.exposed(k=2) > 0
    assert Population(table_of(rows)).class_sizes(["sex", "age"]).smallest >= 90
    assert result.certain_households == 0


def test_where_everybody_lives_alone_households_are_people():
    adult = Population("example:adult", ["sex", "race"])
    table = pa.table({"sex": ["f", "m", "m", "m"], "race": ["a", "a", "b", "b"], "id": [7, 8, 9, 10]})
    result = household_risks(table, "id", k=2)
    assert (result.exposed_households, result.risk.low, result.risk.high) == (2, 0.75, 0.75)
    assert household_risks(adult, "race", ["sex"], k=10).households == 5


def test_what_cannot_be_asked_is_refused():
    table = table_of([(1, "f", "0"), (2, "f", "1")])
    with pytest.raises(InvalidValueError, match="'house' names the household"):
        household_risks(table, "house", ["house", "sex"])
    with pytest.raises(InvalidValueError, match="k must be"):
        household_risks(table, "house", k=0)
    with pytest.raises(UnsupportedError, match="a row per person"):
        household_risks(Population(table, person="age"), "house")
    with pytest.raises(InvalidTableError, match="is empty in 1 rows"):
        household_risks(table_of([(None, "f", "0"), (2, "f", "1")]), "house")


def test_exposure_shows_the_households_and_gates_take_them(tmp_path):
    file = tmp_path / "people.csv"
    lines = [f"h{i // 3},{'fm'[i % 2]},{i % 4}" for i in range(60)]
    file.write_text("\n".join(["house,sex,age", *lines]) + "\n", encoding="utf-8")
    arguments = ["exposure", str(file), "--household", "house", "--k", "5"]
    code, out, _ = run(*arguments, "--json", "--fail-over", "exposed_households>3", "--fail-over", "classes>4")
    answer = json.loads(out)["results"]
    result = household_risks(str(file), "house", k=5)
    assert answer["households"]["exposed_households"] == result.exposed_households
    assert answer["classes"] == Population(str(file)).class_sizes(["sex", "age"]).classes
    assert code == int(result.exposed_households > 3 or answer["classes"] > 4)
    text = " ".join(run(*arguments)[1].split())
    assert f"{result.exposed_households} of 20 households" in text
    assert run(*arguments, "--threshold", "0.1")[0] == 2
    assert "use --k (k=)" in run("exposure", str(file), "--household", "house", "--threshold", "0.1")[2]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("gate", "code", "way_out"),
    [
        ("household_risk>0.9", 0, "passed household_risk"),
        ("household_risk>0.01", 1, "FAILED household_risk"),
        ("household_risk>0.1", 3, "a limit outside of this, or a gate of exposed_households, which is counted"),
        ("exposure_bound>0.1", 3, "a gate of exposure, which is counted"),
    ],
)
def test_a_gate_that_is_not_decided_names_what_decides_it(tmp_path, gate, code, way_out):
    """The households' risk is not decided by the people's exposure."""
    file = tmp_path / "people.csv"
    lines = [f"h{i // 3},{'fm'[i % 2]},{i % 4}" for i in range(60)]
    file.write_text("\n".join(["house,sex,age", *lines]) + "\n", encoding="utf-8")
    ended, out, _ = run("exposure", str(file), "--household", "house", "--bounds", "--k", "12", "--fail-over", gate)
    assert ended == code, out
    assert way_out in out.splitlines()[-1]
