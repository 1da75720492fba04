"""The columns chosen are the most useful ones within the budget, whatever the search leaves out."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import (
    Marginals,
    Population,
    SampledMarginals,
    exposure,
    exposure_bound,
    statistical_exposure,
)
from discretion.anonymity.choosing.selection import Selection, select_columns
from discretion.anonymity.sampling.statistical_exposure import largest_exposed_part
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError
from discretion.estimate import Estimate
from discretion.mechanisms import RandomizedResponse
from oracles import selections, tables
from oracles.future_bounds import least_bound

NAMES = "wxyz"
COARSER = {"a": "ab", "b": "ab", "c": "c", None: None}
row = st.tuples(*[st.sampled_from([None, "a", "b", "c"])] * 3)
some_rows = st.lists(row, min_size=1, max_size=16)
several = settings(max_examples=15, deadline=None)
budgets = st.fractions(0, 1, max_denominator=20)
weightings = st.fixed_dictionaries({name: st.integers(0, 3) for name in NAMES})
hierarchies = st.sampled_from([(), (("w", "x"),), (("w", "x"), ("y",)), (("w", "x"), ("z", "y"))])


@pytest.fixture(scope="module")
def adult() -> Population:
    return Population("example:adult")


def with_coarser(rows: list[Any]) -> list[Any]:
    """Return rows of which x is a coarser view of w, and so is y of z."""
    return [(w, COARSER[w], None if z is None else "told", z) for w, z, _ in rows]


def table_of(rows: list[Any]) -> pa.Table:
    return pa.table({name: pa.array([r[j] for r in rows], pa.string()) for j, name in enumerate(NAMES)})


def positions(columns: Iterable[str]) -> list[int]:
    return [NAMES.index(column) for column in columns]


def told(selection: Selection) -> selections.Choice:
    return selections.Choice(
        None if selection.best is None else selection.best.columns,
        *([found.columns for found in each] for each in (selection.maximal, selection.front, selection.smallest_over)),
    )


@pytest.mark.long
@several
@given(some_rows, st.integers(1, 18), budgets, weightings, hierarchies)
def test_by_measured_exposure_it_is_the_choice_among_all_sets(
    rows: list[Any], k: int, budget: Fraction, weights: dict[str, int], chains: Any
) -> None:
    rows = with_coarser(rows)
    selection = select_columns(Population(table_of(rows)), budget, k=k, weights=weights, hierarchies=chains)

    def exposed(columns: selections.Columns) -> Fraction:
        return tables.exposure_below(tables.restrict(rows, positions(columns)), k)

    assert told(selection) == selections.choose(NAMES, chains, exposed, budget, weights)
    for found in (*selection.maximal, *selection.front, *selection.smallest_over):
        assert found.exposure == float(exposed(found.columns))
        assert found.utility == sum(weights[column] for column in found.columns)
    assert selection.possible == len(selections.sets_of(NAMES, chains)) - 1
    assert len(selection.smallest_over) - 1 <= selection.examined <= selection.possible


@pytest.mark.long
@several
@given(some_rows, st.integers(1, 18), budgets, weightings, hierarchies)
def test_by_certified_exposure_it_is_the_choice_among_all_sets(
    rows: list[Any], k: int, budget: Fraction, weights: dict[str, int], chains: Any
) -> None:
    rows = with_coarser(rows)
    P = Population(table_of(rows))
    selection = select_columns(P, budget, k=k, by="certified", weights=weights, hierarchies=chains)

    def bound(columns: selections.Columns) -> Fraction:
        if len(columns) <= 1:
            return tables.exposure_below(tables.restrict(rows, positions(columns)), k)
        marginals = [tables.class_sizes(tables.restrict(rows, [j])) for j in positions(columns)]
        return tables.counting_bound(marginals, len(rows), Fraction(k - 1, len(rows)))

    assert told(selection) == selections.choose(NAMES, chains, bound, budget, weights)
    for found in (*selection.maximal, *selection.front, *selection.smallest_over):
        assert found.exposure == exposure_bound(P, k=k, columns=found.columns)


@pytest.mark.long
@several
@given(some_rows, st.data(), st.integers(1, 6), budgets)
def test_of_people_with_several_rows(rows: list[Any], data: st.DataObject, k: int, budget: Fraction) -> None:
    who = data.draw(st.lists(st.sampled_from("pqrst"), min_size=len(rows), max_size=len(rows)))
    rows, chains = with_coarser(rows), [("w", "x")]
    P = Population(table_of(rows).append_column("who", pa.array(who)), person="who")
    selection = select_columns(P, budget, k=k, hierarchies=chains, weights=dict.fromkeys(NAMES, 1))

    def exposed(columns: selections.Columns) -> Fraction:
        if not columns:
            return Fraction(int(P.people < k))
        full = [(*r, person) for r, person in zip(rows, who, strict=True)]
        return tables.exposure_below(tables.bags(full, len(NAMES), positions(columns)), k)

    weights = dict.fromkeys(NAMES, Fraction(1))
    assert told(selection) == selections.choose(NAMES, chains, exposed, budget, weights)


@pytest.mark.long
@several
@given(some_rows, st.fractions(0, 1), st.sampled_from(["measured", "certified"]))
def test_a_set_exposes_at_least_as_much_as_each_below_it(rows: list[Any], t: Fraction, by: Any) -> None:
    P, chains = Population(table_of(with_coarser(rows))), [("w", "x"), ("z", "y")]
    measure = exposure if by == "measured" else exposure_bound
    exposed = {some: float(measure(P, threshold=t, columns=some)) for some in selections.sets_of(NAMES, chains)}
    for lower, less in exposed.items():
        assert all(less <= more for upper, more in exposed.items() if selections.is_below(lower, upper, chains))


@pytest.mark.long
@several
@given(some_rows, st.fractions(0, 1), budgets)
def test_a_share_of_the_people_is_a_number_of_them(rows: list[Any], t: Fraction, budget: Fraction) -> None:
    P = Population(table_of(rows_of_four(rows)))
    k = max(math.ceil(t * len(rows)), 1)
    for by in ("measured", "certified"):
        assert told(select_columns(P, budget, threshold=t, by=by)) == told(select_columns(P, budget, k=k, by=by))


def rows_of_four(rows: list[Any]) -> list[Any]:
    return [(*r, r[0]) for r in rows]


FOUR = {"w": ["a", "a", "b", "b"], "x": ["a", "b", "a", "b"], "y": [None] * 4, "z": ["a"] * 4}


@pytest.mark.parametrize(
    ("values", "k", "budget", "chosen"),
    [
        pytest.param({"w": ["a"], "x": ["b"]}, 1, 0, ("w", "x"), id="one person of whom nobody is to be alike"),
        pytest.param({"w": ["a"], "x": ["b"]}, 2, 0, None, id="one person who is to have one alike"),
        pytest.param({"w": ["a"], "x": ["b"]}, 2, 1, ("w", "x"), id="one person, anything goes"),
        pytest.param(FOUR, 5, "0.99", None, id="k above the number of people"),
        pytest.param(FOUR, 4, 0, ("y", "z"), id="null and a constant tell nothing"),
        pytest.param(FOUR, 2, 0, ("w", "y", "z"), id="ties go to the first"),
        pytest.param({"w": ["a", "b", "c"]}, 2, 0, (), id="no column fits"),
        pytest.param({"w": ["a", "b", "c"]}, 2, 1, ("w",), id="all unique and allowed"),
    ],
)
def test_at_the_ends(values: Any, k: int, budget: Any, chosen: Any) -> None:
    table = pa.table({name: pa.array(held, pa.string()) for name, held in values.items()})
    selection = select_columns(Population(table), budget, k=k)
    assert selection.columns == (chosen or ())
    assert (selection.best is None) == (chosen is None)
    if chosen is None:
        assert (selection.maximal, selection.front, selection.complete) == ((), (), True)
        assert [over.columns for over in selection.smallest_over] == [()]


def test_the_budget_is_met_exactly() -> None:
    seventh = Population(pa.table({"x": ["a"] * 6 + ["b"]}))
    for budget in (1 / 7, "1/7", Fraction(1, 7), 0.142857142857142857):
        assert select_columns(seventh, budget, k=2).columns == ("x",)
    assert select_columns(seventh, "0.142857", k=2).columns == ()


def test_of_equally_useful_sets_the_least_exposed_is_the_best() -> None:
    P = Population(pa.table({"x": ["a", "a", "b"], "y": ["a", "a", "a"], "z": ["a", "a", "a"]}))
    assert select_columns(P, "1/3", k=2, weights={"x": 1, "y": 1, "z": 0}).columns == ("x", "y")
    assert select_columns(P, "1/3", k=2, weights={"x": 0, "y": 1, "z": 1}).columns == ("y", "z")
    assert select_columns(P, "1/3", k=2, weights={"x": 0, "y": 0, "z": 1}).columns == ("z",)


def test_utilities_are_added_up_without_rounding() -> None:
    crossing = ["a", "a", "b", "b"] * 2
    P = Population(pa.table({"x": crossing, "y": crossing, "z": ["a"] * 4 + ["b"] * 4}))
    for weights, best in [
        ({"x": 0.1, "y": 0.2, "z": 0.3}, ("z",)),  # worth the same, and fewer
        ({"x": 1 / 3, "y": 2 / 3, "z": 1}, ("z",)),
        ({"x": 1e300, "y": 1, "z": 1}, ("x", "y")),
        ({"x": 1e300, "y": 5e-324, "z": 1}, ("x", "y")),
    ]:
        selection = select_columns(P, 0, k=3, weights=weights)
        assert selection.columns == selection.front[-1].columns == best
        assert len(selection.front) == 1


def test_a_coarser_column_is_worth_its_share_of_the_entropy() -> None:
    ages = ["10", "11", "20", "21"]
    P = Population(pa.table({"age": ages, "decade": [age[0] for age in ages], "born": ["x"] * 4, "same": ["y"] * 4}))
    chains = [("age", "decade"), ("born", "same")]
    for k, weights, best, utility in [
        (1, {}, ("age", "born"), 2.0),
        (2, {}, ("decade", "born"), 1.5),
        (2, {"age": 4}, ("decade", "born"), 3.0),
        (2, {"decade": 3}, ("decade", "born"), 4.0),
        (1, {"decade": 3, "born": 0}, ("decade",), 3.0),
        (4, {}, ("born",), 1.0),
    ]:
        selection = select_columns(P, 0, k=k, hierarchies=chains, weights=weights)
        assert (selection.columns, selection.best and selection.best.utility) == (best, utility)


def test_a_set_over_the_budget_spares_those_with_a_finer_column() -> None:
    ages = pa.table({"age": ["10", "11", "20"], "decade": ["1", "1", "2"], "sex": ["f", "f", "f"]})
    selection = select_columns(Population(ages), 0, k=2, hierarchies=[("age", "decade")])
    assert [over.columns for over in selection.smallest_over] == [("decade",)]
    assert (selection.columns, selection.complete, selection.possible) == (("sex",), True, 5)


def test_of_people_with_several_rows_each_level_is_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    of_all = Population.class_sizes_of_all

    def counted(self: Population, sets: Any) -> Any:
        sets = list(sets)
        asked.append(len(sets))
        return of_all(self, sets)

    rows = table_of(rows_of_four([("a", "b", "c"), ("b", "b", "a")]))
    P = Population(rows.append_column("who", pa.array([1, 2])), person="who")
    monkeypatch.setattr(Population, "class_sizes_of_all", counted)
    assert select_columns(P, "0.9", k=1).complete
    assert asked[-5:] == [1, 4, 6, 4, 1]


@pytest.mark.long
def test_adult_within_a_hundredth(adult: Population) -> None:
    columns = [column for column in adult.columns if column != "fnlwgt"]
    measured, certified = (
        select_columns(adult, 0.01, k=10, by=by, columns=columns) for by in ("measured", "certified")
    )
    assert measured.columns == ("occupation", "relationship", "sex", "income")
    assert measured.functions == {"education_num": "education"}
    assert certified.columns == ("race", "sex", "income")
    assert (measured.examined, certified.examined, measured.possible) == (173, 116, 2**13 - 1)
    for found in (*measured.maximal, *measured.front):
        assert found.exposure == exposure(adult, k=10, columns=found.columns) <= 0.01
    for found in (*certified.maximal, *certified.front):
        assert found.exposure == exposure_bound(adult, k=10, columns=found.columns)
        assert exposure(adult, k=10, columns=found.columns) <= float(found.exposure) <= 0.01
    assert measured.complete
    assert measured.proved


@pytest.mark.long
def test_of_a_hundred_columns_that_tell_nothing_all_go_out() -> None:
    P = Population(pa.table({f"c{i}": ["a", "a"] for i in range(100)}))
    selection = select_columns(P, 0, k=2)
    assert (len(selection.columns), selection.proved, selection.bound) == (100, True, 0)


@pytest.mark.parametrize("budget", [-0.1, 1.1, math.nan, math.inf, "a tenth", None, True], ids=repr)
def test_a_budget_is_a_share(adult: Population, budget: Any) -> None:
    with pytest.raises(InvalidValueError, match=r"budget must be a share of the people in \[0, 1\], got"):
        select_columns(adult, budget, k=2)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({}, UnsupportedError, "either threshold=.* or k="),
        ({"k": 2, "threshold": 0.1}, UnsupportedError, "either threshold=.* or k="),
        ({"threshold": 1.5}, InvalidValueError, r"threshold must be a number in \[0, 1\]"),
        ({"k": 2, "by": "guessed"}, InvalidValueError, "'certified' or 'statistical', got 'guessed'"),
        ({"k": 2, "by": "statistical"}, UnsupportedError, "by='statistical' certifies .*; give their number, n="),
        ({"k": 2, "by": "statistical", "n": 0}, InvalidValueError, "n must be"),
        ({"k": 2, "by": "statistical", "n": 9, "confidence": 1}, InvalidValueError, "confidence must be in"),
        ({"k": 2, "by": "statistical", "n": 9, "sensitive": ["sex"]}, UnsupportedError, "do not bound .* sensitive"),
        ({"k": 2, "n": 9}, UnsupportedError, "only by='statistical' certifies a release of other people"),
        ({"k": 2, "by": "certified", "confidence": 0.9}, UnsupportedError, "only by='statistical'"),
        ({"k": 2, "weights": {"sexx": 1}}, UnknownColumnError, "did you mean 'sex'"),
        ({"k": 2, "weights": {"sex": -1}}, InvalidValueError, "weight of 'sex' must be at least 0 and finite"),
        ({"k": 2, "weights": {"sex": math.inf}}, InvalidValueError, "weight of 'sex' must be at least 0 and finite"),
        ({"k": 2, "weights": {"sex": math.nan}}, InvalidValueError, "weight of 'sex' must be a number"),
        ({"k": 2, "weights": {"sex": 1e308, "race": 1e308}}, InvalidValueError, "weights add up to more than a float"),
        (
            {"k": 2, "weights": ["sex"]},
            InvalidValueError,
            r"weights must be 'columns', 'bits' or a mapping .* got \['sex'",
        ),
        ({"k": 2, "weights": 3}, InvalidValueError, "weights must be 'columns', 'bits' or a mapping .* got 3"),
        ({"k": 2, "keep": ["sex"], "drop": ["sex"]}, InvalidValueError, "'sex' cannot be both kept and dropped"),
        ({"k": 2, "keep": "sex"}, InvalidValueError, "sequence of names"),
        ({"k": 2, "sensitive": ["sexx"]}, UnknownColumnError, "did you mean 'sex'"),
        ({"k": 2, "sensitive": ["sex"], "guess_budget": 2}, InvalidValueError, r"guess_budget .* in \[0, 1\], got 2"),
        ({"k": 2, "sensitive": ["sex"], "certain_budget": -1}, InvalidValueError, "^certain_budget must be a share"),
        ({"k": 2, "certain_budget": 2}, InvalidValueError, r"^certain_budget must be a share .* \[0, 1\], got 2"),
        ({"k": 2, "time_limit": 0}, InvalidValueError, "time_limit must be a number of seconds above 0, or None"),
        ({"k": 2, "hierarchies": ["sex"]}, InvalidValueError, "sequence of names"),
        ({"k": 2, "hierarchies": [["sex", "sexx"]]}, UnknownColumnError, "did you mean 'sex'"),
        ({"k": 2, "hierarchies": [["sex", "race"]]}, InvalidValueError, "'race' is not a generalization of 'sex'"),
        (
            {"k": 2, "hierarchies": [["education", "education_num"], ["education_num"]]},
            InvalidValueError,
            "'education_num' is in two hierarchies",
        ),
        (
            {"k": 2, "columns": ["education"], "hierarchies": [["education", "education_num"]]},
            InvalidValueError,
            "'education_num' of a hierarchy is not in columns=",
        ),
    ],
    ids=lambda value: None,
)
def test_what_cannot_be_selected_from(adult: Population, arguments: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        select_columns(adult, 0.01, **arguments)


def test_nobody_with_several_rows_is_certified() -> None:
    people = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="several rows"):
        select_columns(people, 0.5, k=2, by="certified")
    with pytest.raises(UnsupportedError, match="select_columns takes a Population or a table; got list"):
        select_columns([("f",)], 0.5, k=2)  # pyright: ignore[reportArgumentType]


def test_a_coarser_column_is_a_function_in_every_row_and_not_only_of_the_bags() -> None:
    rows = {"id": [1, 1, 2, 2], "fine": ["a"] * 4, "coarse": ["p", "q", "p", "q"], "x": ["1", "2", "2", "1"]}
    people = Population(pa.table(rows), person="id")
    assert people.class_sizes(["fine", "coarse"]).classes == people.class_sizes(["fine"]).classes == 1
    assert exposure(people, k=2, columns=["coarse", "x"]) > exposure(people, k=2, columns=["fine", "x"])
    with pytest.raises(InvalidValueError, match="'coarse' is not a generalization of 'fine'"):
        select_columns(people, 0.5, k=2, hierarchies=[("fine", "coarse")])


@pytest.mark.long
@several
@given(some_rows, st.integers(1, 18), st.integers(1, 4000), budgets, weightings, hierarchies, st.booleans())
def test_by_statistical_exposure_it_is_the_choice_among_all_sets(  # noqa: PLR0917 - what a selection takes
    rows: list[Any], k: int, n: int, budget: Fraction, weights: dict[str, int], chains: Any, is_known: bool
) -> None:
    rows = with_coarser(rows * 40)
    P = SampledMarginals(Population(table_of(rows)), domain=dict.fromkeys(NAMES, 4) if is_known else {})
    selection = select_columns(
        P, budget, k=k, by="statistical", n=n, confidence=0.9, weights=weights, hierarchies=chains
    )
    finer = {"x": "w"} if chains else {}
    finer |= {"y": "z"} if ("z", "y") in chains else {}
    lines = {name: P.values((name,)).rare_lines(0.1 / len(NAMES)) for name in NAMES}

    def bound(columns: selections.Columns) -> Fraction:
        if k > n or k == 1 or not columns:
            return Fraction(int(k > n))
        each = {
            (name,): [(rare, kept) for of in {name, finer.get(name, name)} for rare, kept, _ in lines[of]]
            for name in columns
        }
        return Fraction(least_bound(each, columns, largest_exposed_part(n, k)))

    assert told(selection) == selections.choose(NAMES, chains, bound, budget, weights)
    for found in (*selection.maximal, *selection.front, *selection.smallest_over):
        assert isinstance(found.exposure, Estimate)
        assert found.exposure.high == pytest.approx(float(bound(found.columns)), rel=2e-10)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(4))
def test_a_release_of_other_people_keeps_to_the_budget_whatever_goes_together(seed: int) -> None:
    """An adversary chooses who has which values together; the curator sees counts of single columns of a sample."""
    rng = np.random.default_rng(seed)
    values, n, k, budget = 6, 2000, 8, 0.05
    common = rng.dirichlet(np.full(values, 0.5))
    joint = np.zeros((values,) * 3)
    for value in range(values):  # the same value everywhere, or the next one
        joint[value, value, value] += 0.6 * common[value]
        joint[value, (value + 1) % values, (value + 2) % values] += 0.4 * common[value]
    sample, release = (
        pa.table(dict(zip("abc", np.unravel_index(drawn, joint.shape), strict=True)))
        for drawn in (rng.choice(joint.size, people, p=joint.ravel()) for people in (10_000, n))
    )
    selection = select_columns(sample, budget, k=k, by="statistical", n=n, confidence=0.99)
    assert selection.best is not None
    for found in selection.maximal:
        kept = joint.sum(axis=tuple(place for place, name in enumerate("abc") if name not in found.columns))
        assert statistical_exposure(kept.ravel() / kept.sum(), n, k) <= found.exposure.high <= budget
        assert exposure(Population(release), k=k, columns=found.columns) <= budget


def test_of_other_people_fewer_columns_go_out_than_the_domain_lets() -> None:
    counts = Marginals({"a": {0: 700, 1: 300}, "b": {0: 640, 1: 359, 2: 1}})
    known = SampledMarginals(counts, domain={"a": 2, "b": 3})
    reports = SampledMarginals(counts, domain={"a": 2}, randomizers={"b": RandomizedResponse(3, epsilon=1)})
    chosen = [
        select_columns(each, 0.002, k=5, by="statistical", n=100_000).columns for each in (counts, known, reports)
    ]
    assert chosen == [(), ("a", "b"), ("a", "b")]
    with pytest.raises(UnsupportedError, match="randomized reports do not show the entropy of a column"):
        select_columns(reports, 0.5, k=5, by="statistical", n=10, weights="bits")
    with pytest.raises(UnsupportedError, match="only by='statistical'"):
        select_columns(known, 0.5, k=5, by="certified")
