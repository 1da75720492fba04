"""Exposure and the vulnerabilities of a table are what their definitions say."""

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population, exposure, exposure_curve, inference, reidentification
from discretion.errors import InvalidValueError, UnsupportedError
from oracles import tables
from support.tables import population_of

ADULT = ["sex", "income", "race", "workclass"]
row = st.tuples(*[st.sampled_from([None, "a", "b"])] * 3)
some_rows = st.lists(row, min_size=1, max_size=12)
few = settings(max_examples=25, deadline=None)


@pytest.fixture(scope="module")
def adult() -> Population:
    return Population("example:adult")


@pytest.mark.long
@few
@given(some_rows, st.fractions(0, 1), st.integers(1, 14))
def test_exposure_is_the_share_of_people_with_too_few_alike(rows: list[Any], t: Fraction, k: int) -> None:
    P = population_of(rows)
    assert exposure(P, k=k) == float(tables.exposure_below(rows, k))
    assert exposure(P, threshold=t) == exposure_curve(P)(t) == float(tables.exposure_at(rows, t))
    assert exposure(P, k=k, columns=["z"]) == float(tables.exposure_below(tables.restrict(rows, [2]), k))


@pytest.mark.long
@few
@given(some_rows)
def test_vulnerabilities_are_those_of_the_channel_from_people_to_columns(rows: list[Any]) -> None:
    P = population_of(rows)
    secret = [r[2] for r in rows]
    for columns, positions in (((), ()), (("x",), (0,)), (("y", "x"), (1, 0))):
        seen = tables.restrict(rows, positions)
        assert inference(P, columns, "z").posterior == float(tables.inference(seen, secret))
        assert reidentification(P, columns).posterior == float(tables.inference(seen, range(len(rows))))


@pytest.mark.long
@few
@given(some_rows, st.data())
def test_vulnerabilities_of_people_with_several_rows(rows: list[Any], data: st.DataObject) -> None:
    who = data.draw(st.lists(st.sampled_from("pqr"), min_size=len(rows), max_size=len(rows)))
    told = [(*r, w) for r, w in zip(rows, who, strict=True)]
    columns = {name: pa.array([r[j] for r in told], pa.string()) for j, name in enumerate("xyzw")}
    P = Population(pa.table(columns), person="w")
    secret = tables.bags(told, 3, [2])
    for names, positions in (((), []), (("x",), [0]), (("x", "y"), [0, 1])):
        seen = tables.bags(told, 3, positions) if names else [()] * P.people
        assert inference(P, names, "z").posterior == float(tables.inference(seen, secret))
        assert reidentification(P, names).posterior == float(tables.inference(seen, range(P.people)))


@pytest.mark.parametrize(("t", "expected"), [("0.001", 0.0206074752), (0.01, 0.1515002610), ("1/20", 0.4236970609)])
def test_the_exposure_of_adult(adult: Population, t: Any, expected: float) -> None:
    assert exposure(adult, threshold=t, columns=ADULT) == pytest.approx(expected, abs=1e-10)
    assert exposure_curve(adult, ADULT)(t) == exposure(adult, threshold=t, columns=ADULT)


def test_the_classes_of_adult(adult: Population) -> None:
    assert adult.class_sizes(ADULT).classes == 131
    assert reidentification(adult, ADULT).posterior == 131 / 32561
    assert reidentification(adult, ()).posterior == 1 / 32561


def test_what_cannot_be_asked(adult: Population) -> None:
    with pytest.raises(InvalidValueError, match="'sex' is among the columns that the adversary knows"):
        inference(adult, ["sex"], "sex")
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        exposure(adult)
    for ask in (
        lambda table: exposure(table, k=2),
        exposure_curve,
        lambda table: reidentification(table, ()),
        lambda table: inference(table, (), "sex"),
    ):
        with pytest.raises(UnsupportedError, match=r"takes a Population or a table; got list; a table is a path"):
            ask([("f",)])  # type: ignore[arg-type]
