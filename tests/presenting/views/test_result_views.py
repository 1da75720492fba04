"""Results in words and tables: what they say is what they hold, of whatever the columns are called."""

import re
from functools import cache
from html import unescape

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.anonymity import ClassSizes, ExposureBoundCurve, exposure_bound_curve
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.escaping import printable
from discretion.presenting.numbers import percent, percent_upwards, within
from discretion.presenting.views import result_views
from discretion.refinement import Order, Refinement

KINDS = (
    "Estimate",
    "AttackCurve",
    "banded AttackCurve",
    "ClassSizes",
    "ExposureCurve",
    "ExposureBoundCurve",
    "Selection",
    "certified Selection",
    "Hyper",
    "Order",
    "Audit",
)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
ROUND = (2, 5, 10, 20, 50, 100)
HOSTILE = "<img src=x onerror=alert(1)>|*a*\n# b"
SIZES = st.dictionaries(st.integers(1, 60), st.integers(1, 9), min_size=1, max_size=8)


def class_sizes(of: dict[int, int]) -> ClassSizes:
    return ClassSizes(sorted(of), [of[size] for size in sorted(of)])


def people(name: str = "town") -> dc.Population:
    """Five columns of 60 people, of which one value is held by one person, and another by two."""
    towns = [*["Oslo"] * 40, *["Bergen"] * 17, "Rarest", "Rare", "Rare"]
    rows = {name: towns, "sex": ["f", "m"] * 30, "job": [f"job {i % 7}" for i in range(60)], "club": ["a"] * 60}
    return dc.Population(pa.table(rows | {"age": [i % 12 for i in range(60)]}))


PARTS = [[1, 0], [0.5, 0.5], [0, 1]]


def response(p: float) -> dc.RandomizedResponse:
    return dc.RandomizedResponse(3, p=p)


@cache
def shown(name: str = "town") -> dict[str, object]:
    """Every kind of result."""
    those = people(name)
    return {
        "Estimate": dc.exposure_bound(those, k=5),
        "AttackCurve": dc.tradeoff(dc.Channel([[0.75, 0.25], [0.25, 0.75]], inputs=[name, "other"]), (name, "other")),
        "banded AttackCurve": dc.blackbox.estimate_tradeoff([0.0, 1.0, 2.0], [1.0, 2.0, 3.0]),
        "ClassSizes": those.class_sizes(),
        "ExposureCurve": dc.exposure_curve(those, columns=[name, "sex"]),
        "ExposureBoundCurve": exposure_bound_curve(those),
        "Selection": dc.select_columns(those, budget=0.2, k=5),
        "certified Selection": dc.select_columns(those, budget=0.5, k=5, by="certified"),
        "Hyper": dc.hyper(dc.Channel(np.eye(3), inputs=[name, "sex", "job"])),
        "Order": dc.refinement.compare_all(
            {name: dc.Channel(np.eye(3)), "same": dc.Channel(np.eye(3)), "a": response(0.8), "b": dc.Channel(PARTS)}
        ),
        "Audit": dc.audit(pa.table({name: ["Oslo"] * 30 + ["Rarest"], "sex": [*"fm" * 15, "f"]}), k=5),
    }


def words(of: str) -> str:
    """HTML or Markdown without its marks."""
    return re.sub(r"\\(?=[^\w\s])", "", unescape(re.sub(r"<[^<>]*>", " ", of))).replace("\u00a0", " ")


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_what_a_document_says(kind):
    result = shown()[kind]
    in_html, in_markdown = words(result._repr_html_()), words(result.to_markdown())
    assert sorted(NUMBER.findall(in_html)) == sorted(NUMBER.findall(in_markdown))


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_name_is_words(kind):
    result, tame = shown(HOSTILE)[kind], shown()[kind]
    for page in (result._repr_html_(), result.to_markdown()):
        assert "<img" not in page
        assert HOSTILE not in page
    assert re.findall(r"<\w+", result._repr_html_()) == re.findall(r"<\w+", tame._repr_html_())
    assert len(result.to_markdown().splitlines()) == len(tame.to_markdown().splitlines())
    if "Selection" in kind:
        assert printable(HOSTILE) in unescape(result._repr_html_())


@pytest.mark.parametrize("kind", KINDS)
def test_no_rare_value_is_in_any_of_them(kind):
    result = shown()[kind]
    said = [result._repr_html_(), result.to_html(), result.to_markdown()]
    if hasattr(result, "to_frame"):
        said.append(str(result.to_frame().to_pydict()))
    if hasattr(result, "chart"):
        said.append(result.chart().to_json())
    assert not [each for each in said if "Rare" in each]


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_what_is_no_page_is_an_element_that_runs_and_loads_nothing(kind):
    element = shown()[kind].to_html()
    assert element == shown()[kind]._repr_html_()
    assert element.startswith("<div") and element.endswith("</div>")
    assert not re.search(r"<(script|style|link|img|iframe)|\b(src|href)=", element)
    assert not re.search(r"\d(px|pt|cm)\b|color|background", element)


def test_an_estimate_says_where_the_number_is_and_how_surely():
    estimate = dc.Estimate(0.25, 0.1, 0.4, 0.95, "tries", "independent tries")
    assert within(estimate) in words(estimate.to_html())
    assert within(estimate) in words(estimate.to_markdown())
    assert not hasattr(estimate, "to_frame")


@given(SIZES)
def test_class_sizes_are_a_table_of_all_people(of):
    sizes = class_sizes(of)
    frame = sizes.to_frame().to_pydict()
    assert dict(zip(frame["size"], frame["classes"], strict=True)) == of
    assert sum(frame["people"]) == sizes.people
    assert ("more, in .to_frame()" in words(sizes.to_markdown())) == (len(of) > 10)


@given(SIZES)
def test_a_curve_s_table_is_the_exposure_where_it_changes(of):
    sizes = class_sizes(of)
    frame = sizes.curve().to_frame().to_pydict()
    for k, exposed, exposure in zip(*frame.values(), strict=True):
        alike = sum(size * count for size, count in of.items() if size < k)
        assert (exposed, exposure) == (alike, alike / sizes.people)
        assert exposure == sizes.exposure(k=k)


@given(SIZES)
def test_a_curve_says_the_exposure_at_round_numbers(of):
    sizes = class_sizes(of)
    said = sizes.curve().to_markdown()
    last = next(k for k in ROUND if sizes.exposed(k=k) == sizes.people)
    assert said.splitlines()[-1] == f"| {last:,} | {sizes.people:,} | 100 % |"
    for k in (k for k in ROUND if k <= last):
        assert f"| {k} | {sizes.exposed(k=k):,} | {percent(sizes.exposure(k=k))} |" in said


def test_of_one_person_a_curve_says_that_she_is_unique():
    said = ClassSizes([1], [1]).curve().to_markdown()
    assert "1 person is unique" in said
    assert "| 2 | 1 | 100 % |" in said


def test_a_bound_is_said_rounded_upwards():
    those = people()
    curve, bound = exposure_bound_curve(those, ["town", "sex"]), dc.exposure_bound(those, k=5, columns=["town", "sex"])
    assert 0 < bound.high < 1
    assert f"| 5 | {int(curve.at_most(4))} | {percent_upwards(bound.high)} |" in curve.to_markdown()


@given(st.integers(1, 3000), st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=4))
def test_a_drawn_bound_is_nowhere_below_the_bound(n, lines):
    lines = sorted((rare, cells) for rare, cells in lines if rare < n) or [(0, 1)]
    curve = ExposureBoundCurve(n, *(np.array(side, np.int64) for side in zip(*lines, strict=True)))
    [drawn] = curve.chart().to_dict(validate=False)["datasets"].values()
    for size in {1, 2, 3, n // 3 + 1, n // 2 + 1, n}:
        before = [step["share"] for step in drawn if step["threshold"] <= size / n]
        assert before[-1] >= int(curve.at_most(size)) / n


def test_a_bound_that_is_the_exposure_itself_is_drawn_and_tabled_as_that():
    those = people()
    itself = exposure_bound_curve(those, ["town", "sex"], groups=[("town", "sex")])
    frame, exact = itself.to_frame(), dc.exposure_curve(those, ["town", "sex"]).to_frame()
    assert frame.select(["fewer_than", "people"]) == exact.select(["fewer_than", "people"])
    assert frame["exposure"].to_pylist() == pytest.approx(exact["exposure"].to_pylist(), rel=1e-15)
    [drawn] = itself.chart().to_dict()["datasets"].values()
    assert drawn[1:-1] == [
        {"threshold": (row["fewer_than"] - 1) / 60, "share": row["people"] / 60} for row in exact.to_pylist()
    ]


@pytest.mark.parametrize("by", ["measured", "certified"])
def test_a_selection_s_table_has_each_set_once(by):
    found = dc.select_columns(people(), budget=0.5, k=5, by=by)
    frame = found.to_frame().to_pylist()
    names = [tuple(row["columns"]) for row in frame]
    assert sorted(names) == sorted(set(names))
    assert [tuple(row["columns"]) for row in frame if row["in_front"]] == [each.columns for each in found.front]
    assert {tuple(row["columns"]) for row in frame if row["maximal"]} == {each.columns for each in found.maximal}
    over = [tuple(row["columns"]) for row in frame if not row["within_budget"]]
    assert over == [each.columns for each in found.smallest_over]
    assert all(row["exposure"] == float(each.exposure) for row, each in zip(frame, found.front, strict=False))


def test_an_order_s_table_has_what_its_figure_joins():
    order = shown()["Order"]
    pairs = [(tuple(row["refined"]), tuple(row["by"])) for row in order.to_frame().to_pylist()]
    assert pairs == list(order.covers)


def test_an_audit_s_table_has_a_row_for_each_column():
    audit = shown()["Audit"]
    assert [row["column"] for row in audit.to_frame().to_pylist()] == [report.column for report in audit.columns]


def test_a_selection_of_nothing_says_so_and_has_nothing_to_draw():
    nothing = dc.select_columns(people(), budget=0, k=100)
    assert "even the empty set exposes too many" in nothing.to_markdown()
    assert nothing.to_frame().schema.names == [
        "columns", "kept", "utility", "exposure", "within_budget", "in_front", "maximal"
    ]  # fmt: skip
    with pytest.raises(InvalidValueError, match="this Selection has nothing to draw"):
        nothing.chart()


def test_what_a_certified_selection_leaves_out_is_not_said_to_be_over_the_budget():
    said = dc.select_columns(people(), budget=0.3, k=5, by="certified").to_markdown()
    assert "not certified to be within the budget" in said
    assert "over the budget" not in said


def test_an_unknown_figure_is_an_error_that_names_those_there_are():
    with pytest.raises(InvalidValueError, match="this ExposureCurve has no figure 'front'; it has 'exposure'"):
        ClassSizes([1], [1]).curve().chart("front")


@pytest.mark.parametrize("asked", [result_views.document, result_views.frame, result_views.figures])
def test_what_no_room_has_said_how_to_show_is_refused(asked):
    with pytest.raises(UnsupportedError, match=r"a float has nothing to be .*; see its attributes"):
        asked(0.5)


def test_an_order_says_what_is_not_decided():
    unknown = Refinement(None, reason="both are too large")
    order = Order(("a", "b"), {("a", "b"): unknown, ("b", "a"): unknown})
    assert "a, b: both are too large." in words(order.to_markdown())


def _other_results() -> dict[str, object]:
    """Results and systems that are no document, which show themselves in a line all the same."""
    C, D = response(0.9), response(0.8)
    secrets, observations = [0, 1] * 50, [0, 1] * 40 + [1, 0] * 10
    return {
        "Refinement": dc.refines(D, C),
        "Witness": dc.refines(D, C).witness,
        "Game": dc.security.chosen_secrets_game(C),
        "gain": dc.gain_matrix(np.arange(300.0).reshape(30, 10)),
        "Convergence": dc.blackbox.convergence(secrets, observations, rng=1),
        "PointwiseLeakage": dc.measures.pointwise_maximal_leakage(C),
        "noises": dc.Laplace(1.0) & dc.Gaussian(2.0),
        "report beside noise": dc.Channel([[0.9, 0.1], [0.2, 0.8]]) & dc.repeated(dc.Laplace(1.0), 3),
        "reports beside noise": C & dc.Laplace(1.0),
        "crowd": dc.Shuffled(C, 10).seen_by(dc.WorstAllButOne(), seed=1),
    }


@pytest.mark.parametrize("kind", [*KINDS, *_other_results()])
def test_a_result_shows_itself_in_a_line_without_its_arrays(kind):
    line = repr((shown() | _other_results())[kind])
    assert "array(" not in line
    assert "\n" not in line
    assert len(line) <= 200
