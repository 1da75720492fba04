"""Figures from plain data: each is valid, fills its container, needs no colour and says what it shows."""

from functools import cache

import pytest

from discretion import charts
from discretion.charts.panels import apart
from discretion.charts.style import DIM, GRID, INK, PALE
from discretion.errors import InvalidValueError
from discretion.reproduce.charts.cells import channel_cells
from discretion.reproduce.charts.published import beside_published

K, BUDGET = 10, 0.01


def column(name="sex", exposure=0.2, **changes):
    plain = {"column": name, "exposure": exposure, "exposed_people": 20, "identifier_like": False}
    return {**plain, **changes}


def released(*columns, exposure=0.2):
    return {"columns": list(columns), "exposure": exposure, "exposed_people": 20, "unique_people": 3}


def certified(*columns, exposure=0.02, bound=0.3):
    return {"columns": list(columns), "exposure": exposure, "bound": {"value": bound}}


def chosen(*columns, exposure=0.02):
    return {"columns": list(columns), "exposure": exposure, "utility": float(len(columns))}


def guessed(*known, posterior=0.6):
    return {"sensitive": "income", "known": list(known), "prior": 0.5, "posterior": posterior}


def asked(*options):
    return {"column": "sex", "options": list(options), "recommended": options[-1]}


def option(epsilon, report, guess):
    shares = {"blind": 0.5, "report": report, "knows_all": guess}
    return {"epsilon": epsilon, "best": {"error_share": 0.01}, "shares": shares}


OPTIONS = asked(option(4.0, 0.98, 0.54), option(1.0, 0.73, {"value": 0.51, "high": 0.51}))
FIGURES = {
    "exposure_by_column": lambda: charts.exposure_by_column([column(), column("race", 0.0)], K, BUDGET),
    "exposure_by_set": lambda: charts.exposure_by_set([released("sex", "race")], K, BUDGET),
    "answered_shares": lambda: charts.answered_shares([{"answers": ["sex", "race"], "share": 0.25}]),
    "certified_beside_truth": lambda: charts.certified_beside_truth([certified("sex", "race")], K),
    "inference_before_and_after": lambda: charts.inference_before_and_after([guessed("sex")]),
    "collection_options": lambda: charts.collection_options(OPTIONS),
    "front_of_sets": lambda: charts.front_of_sets([chosen("sex"), chosen("sex", "race", exposure={"high": 0.3})]),
}
EMPTY = {
    "exposure_by_column": lambda: charts.exposure_by_column([], K, BUDGET),
    "exposure_by_set": lambda: charts.exposure_by_set([], K, BUDGET),
    "answered_shares": lambda: charts.answered_shares([]),
    "certified_beside_truth": lambda: charts.certified_beside_truth([], K),
    "inference_before_and_after": lambda: charts.inference_before_and_after([]),
    "front_of_sets": lambda: charts.front_of_sets([]),
}


@cache
def figure_of(name):
    return FIGURES[name]()


def records(chart, *fields):
    """Return the records of the figure's data that have these fields."""
    data = chart.to_dict()["datasets"].values()
    return [record for some in data for record in some if set(fields) <= set(record)]


def values(node, key):
    """Return everything that stands under the key anywhere in a specification."""
    if isinstance(node, dict):
        here = [node[key]] if key in node else []
        return here + [found for item in node.values() for found in values(item, key)]
    return [found for item in node for found in values(item, key)] if isinstance(node, list) else []


@pytest.fixture(params=FIGURES)
def figure(request):
    return figure_of(request.param)


def test_every_figure_is_a_valid_specification_that_fills_its_container(figure):
    specification = figure.to_dict(validate=True)
    assert specification["width"] == "container"
    assert specification["autosize"]["type"] == "fit-x"


def test_every_figure_says_in_words_what_it_shows(figure):
    assert len(figure.to_dict()["description"]) > 40


def test_colours_are_ink_and_greys_only(figure):
    specification = {key: value for key, value in figure.to_dict().items() if key != "config"}
    assert set(values(specification, "color")) <= {INK, DIM, PALE, "white"}
    assert "scheme" not in str(specification)


def test_bars_and_axes_start_at_zero(figure):
    domains = [domain for domain in values(figure.to_dict(), "domain") if isinstance(domain, list)]
    assert {domain[0] for domain in domains if not isinstance(domain[0], str)} == {0}


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_to_show_is_still_a_figure(name):
    assert EMPTY[name]().to_dict(validate=True)["layer"]


def test_a_front_says_utilities_and_what_is_only_a_bound_as_one():
    drawn = records(charts.front_of_sets([chosen(), chosen("sex", exposure={"high": 0.12345})]), "name", "label")
    assert {(row["name"], row["label"]) for row in drawn} == {
        ("no column (utility 0)", "2 %"),
        ("sex (utility 1)", "≤ 12.4 %"),
    }


def test_of_a_long_front_the_most_useful_sets_are_drawn():
    front = [chosen(*(f"c{i}" for i in range(size))) for size in range(40)]
    drawn = records(charts.front_of_sets(front), "name", "share")
    assert {row["name"].rpartition("utility ")[2] for row in drawn} == {f"{size})" for size in range(15, 40)}


def test_identifiers_are_not_drawn_beside_traits():
    chart = charts.exposure_by_column([column(), column("email", 1.0, identifier_like=True)], K, BUDGET)
    assert {record["name"] for record in records(chart, "name")} == {"sex"}


def test_columns_come_most_exposing_first_and_are_capped():
    chart = charts.exposure_by_column([column(f"c{i}", i / 100) for i in range(60)], K, BUDGET)
    drawn = sorted((record["row"], record["name"]) for record in records(chart, "row", "people"))
    assert drawn[0] == (0, "c59")
    assert len(drawn) == charts.MOST_ROWS


def test_a_bound_is_labelled_as_one_and_an_exact_guess_is_not():
    guesses = [(record["kind"], record["guess"]) for record in records(figure_of("collection_options"), "guess")]
    assert guesses[:2] == [("their report alone", "73 %"), ("shuffled", "at most 51 %")]
    assert records(figure_of("certified_beside_truth"), "bound")[0]["label"] == "≤ 30 %"


def test_the_recommended_noise_is_marked_and_the_most_noise_comes_first():
    rows = records(figure_of("collection_options"), "best")
    assert [(row["name"], row["best"]) for row in rows] == [("ε = 1", True), ("ε = 4", False)]
    assert rows[0]["label"] == "recommended: off by 1 points"


def test_the_best_guess_comes_first():
    chart = charts.inference_before_and_after([guessed("sex"), guessed("age", posterior=0.9)])
    assert [record["name"] for record in records(chart, "after")] == ["age", "sex"]


@pytest.mark.long
def test_a_figure_draws_without_a_browser():
    vl_convert = pytest.importorskip("vl_convert")
    specification = charts.exposure_by_column([column()], K, BUDGET).properties(width=400).to_dict()
    assert vl_convert.vegalite_to_svg(specification).startswith("<svg")


CELLS = [
    {"row": "a", "column": "seen", "ours": 0.25, "printed": "p²", "remark": ""},
    {"row": "b", "column": "seen", "ours": 1.0, "printed": "1", "remark": "a slip"},
]
PANEL = charts.Panel(
    [
        charts.Curve([(1, 0.9), (10, 0.51)], "shuffled", "p = 0.9"),
        charts.Curve([(1, 0.8), (10, 0.509)], "shuffled", "p = 0.8"),
        charts.Curve([(1, 0.9), (10, 0.9)], "alone"),
    ],
    charts.Axis("people", 1, 10, logarithmic=True),
    charts.Axis("guess", 0.5, 1),
)
POINTS = [
    {"epsilon": 1, "hidden": 0.9, "worth": 0.02},
    {"epsilon": 2, "hidden": 0.5, "worth": 0.2, "given": True},
    {"epsilon": 3, "hidden": 0.4, "worth": 0.0},
]
HIDDEN = charts.Quantity("hidden", "hidden", "towards one", marks=charts.percentages([0, 0.9, 0.5, 0.51]))
WORTH = charts.Quantity("worth", "worth", "logarithmic", marks=charts.percentages([0.1, 0.01]))
NUMBER = {"where": "section I", "what": "a guess", "printed": "0.52", "ours": 0.523, "difference": 0.003}
NUMBERS = [NUMBER | {"agrees": True, "remark": ""}, NUMBER | {"printed": "0.56", "agrees": False, "remark": "a slip"}]
POSTERIORS = [
    {"probability": 0.2, "posterior": [0.0, 0.5, 0.5]},
    {"probability": 0.8, "posterior": [1.0, 0.0, 0.0]},
]
STANDING_ALONE = {
    "barycentric": lambda: charts.barycentric(POSTERIORS, ["ann", "bob", "cyd"], "Barycentric"),
    "channel_cells": lambda: channel_cells(CELLS, "Cells", ["A note."]),
    "curves": lambda: charts.curves([PANEL], {"shuffled": "solid", "alone": "dotted"}, "Curves", [], "Three curves."),
    "beside_published": lambda: beside_published(NUMBERS, "Numbers"),
    "privacy_utility": lambda: charts.privacy_utility(
        [(HIDDEN, WORTH)],
        [charts.Protocol("k-RR", POINTS), charts.Protocol("other", POINTS[:1])],
        "Utility",
        ["A note."],
        "Two curves.",
        best=charts.Protocol("the most", POINTS[:2]),
        frontier=charts.Protocol(
            "the line", [{"epsilon": 1, HIDDEN.key: share, "worth": 1 - share} for share in (0.9, 0.5)]
        ),
    ),
    "refinement_order": lambda: charts.refinement_order(
        [["a"], ["b", "c"], ["d"], ["e"]],
        [{"refined": ["a"], "by": ["b", "c"]}, {"refined": ["a"], "by": ["d"]}, {"refined": ["d"], "by": ["e"]}],
        "Order",
    ),
}


@cache
def alone(name):
    return STANDING_ALONE[name]()


@pytest.mark.parametrize("name", STANDING_ALONE)
def test_a_figure_for_a_page_of_its_own_is_valid_and_titled(name):
    specification = alone(name).to_dict(validate=True)
    assert specification["title"]["text"] == name.split("_")[-1].replace("published", "numbers").capitalize()
    assert specification["description"]


@pytest.mark.parametrize("name", STANDING_ALONE)
def test_a_figure_for_a_page_of_its_own_needs_no_colour(name):
    specification = {key: value for key, value in alone(name).to_dict().items() if key != "config"}
    plain = [found for key in ("color", "stroke", "fill") for found in values(specification, key)]
    assert {colour for colour in plain if isinstance(colour, str)} <= {INK, DIM, PALE, GRID, "white"}
    assert "scheme" not in str(specification)


@pytest.mark.long
@pytest.mark.parametrize("name", STANDING_ALONE)
def test_a_figure_is_drawn_in_every_format(name):
    assert charts.to_svg(alone(name)).startswith("<svg")
    assert charts.to_png(alone(name)).startswith(b"\x89PNG")
    assert charts.to_pdf(alone(name)).startswith(b"%PDF")


def test_a_posterior_is_a_circle_between_its_secrets_whose_area_is_its_probability():
    drawn = alone("barycentric").to_dict()
    layers = drawn["vconcat"][0]["layer"]
    [circles] = [layer for layer in layers if layer["mark"]["type"] == "circle"]
    first, second = drawn["datasets"][circles["data"]["name"]]
    assert (first["x"], first["y"], first["share"]) == (0, 0, 0.8)  # the likeliest below, so that it hides no other
    assert (second["x"], second["y"]) == pytest.approx((0.75, 3**0.5 / 4))
    scale = circles["encoding"]["size"]["scale"]
    assert scale["domain"][0] == scale["range"][0] == 0
    [cross] = [layer for layer in layers if layer["mark"].get("shape") == "cross"]
    [prior] = drawn["datasets"][cross["data"]["name"]]
    assert prior["said"] == "ann: 80 %, bob: 10 %, cyd: 10 %"
    assert (prior["x"], prior["y"]) == pytest.approx((0.15, 3**0.5 / 20))
    # As long upwards as across.
    across, upwards = ((ends := layers[0]["encoding"][axis]["scale"]["domain"])[1] - ends[0] for axis in "xy")
    assert drawn["vconcat"][0]["width"] / across == pytest.approx(drawn["vconcat"][0]["height"] / upwards)


def test_of_many_posteriors_the_likeliest_are_said():
    many = [{"probability": share / 55, "posterior": [share / 10, 0, 1 - share / 10]} for share in range(1, 11)]
    said = charts.barycentric(many, "abc", "Many").to_dict()["description"]
    assert "18.2 % at a: 100 %" in said
    assert said.endswith("; and 4 more.")


@pytest.mark.parametrize("secrets", [["a"], ["a", "b"], list("abcd")])
def test_a_triangle_has_three_corners(secrets):
    with pytest.raises(InvalidValueError, match=rf"three secrets only, got {len(secrets)}.*discretion\.restricted"):
        charts.barycentric([{"probability": 1.0, "posterior": [1 / len(secrets)] * len(secrets)}], secrets, "None")


def test_each_system_stands_above_those_that_it_refines():
    drawn = {record["name"]: record for record in records(alone("refinement_order"), "name")}
    assert {name: record["level"] for name, record in drawn.items()} == {"a": 0, "b ≡ c": 1, "d": 1, "e": 2}
    assert drawn["b ≡ c"]["x"] != drawn["d"]["x"]
    lines = records(alone("refinement_order"), "x2")
    assert [(line["level"], line["level2"]) for line in lines] == [(0, 1), (0, 1), (1, 2)]
    nothing = charts.refinement_order([["a"], ["b"]], [], "Order").to_dict()
    assert nothing["description"].endswith("none refines another.")


def test_only_a_slip_is_framed_and_a_number_is_not_written_twice():
    layers = alone("channel_cells").to_dict()["vconcat"][0]["layer"]
    data = alone("channel_cells").to_dict()["datasets"]
    drawn = [[cell["row"] for cell in data[layer["data"]["name"]]] for layer in layers]
    assert drawn == [["a", "b"], ["b"], ["b"], ["a"], ["a"]]


def test_labels_of_curves_that_end_together_stand_apart_in_their_order():
    places = {record["label"]: record["place"] for record in records(alone("curves"), "place")}
    assert places["p = 0.9"] - places["p = 0.8"] == pytest.approx(15 * 0.5 / 360)


@pytest.mark.parametrize(
    ("places", "expected"),
    [([], []), ([3], [3]), ([0, 10], [0, 10]), ([0, 0, 0], [-10, 0, 10]), ([0, 4, 13], [-4, 6, 16])],
)
def test_labels_move_as_little_as_need_be(places, expected):
    assert apart(places, 10) == pytest.approx(expected, abs=0.5)


def test_what_agrees_is_filled_and_what_is_printed_wrong_is_hollow():
    kinds = [record["kind"] for record in records(alone("beside_published"), "kind", "label")]
    assert {"agrees to the digits printed", "printed wrong"} == set(kinds)


def test_protocols_lie_where_their_numbers_are_and_the_given_one_is_full():
    layers = alone("privacy_utility").to_dict()["vconcat"][1]["layer"]
    data = alone("privacy_utility").to_dict()["datasets"]
    marks = [layer["mark"] for layer in layers if layer["mark"]["type"] == "point"]
    points = [data[layer["data"]["name"]] for layer in layers if layer["mark"]["type"] == "point"]
    full = [(mark["fill"] == INK, some) for mark, some in zip(marks, points, strict=True) if some]
    assert [(filled, [(point["x"], point["y"]) for point in some]) for filled, some in full] == [
        (False, [(pytest.approx(0.1), 0.02), (pytest.approx(0.1), 0.02)]),
        (True, [(0.5, 0.2)]),
    ]


def test_the_frontier_is_a_line_without_marks_and_in_the_key():
    key, panel = alone("privacy_utility").to_dict()["vconcat"]
    data = alone("privacy_utility").to_dict()["datasets"]
    lines = [data[layer["data"]["name"]] for layer in panel["layer"] if layer["mark"]["type"] == "line"]
    drawn = [[(point["x"], point["y"]) for point in some] for some in lines if some[0]["name"] == "the line"]
    assert drawn == [[(pytest.approx(0.1), pytest.approx(0.1)), (0.5, 0.5)]]
    assert "the line" in {record.get("name") for layer in key["layer"] for record in data[layer["data"]["name"]]}


def test_a_tradeoff_has_the_most_that_an_average_privacy_leaves():
    point = {"epsilon": 1.0, "worst_case_privacy": 0.37, "average_privacy": 0.87, "effective_participation": 0.04}
    more = point | {
        "epsilon": 2.0,
        "worst_case_privacy": 0.14,
        "average_privacy": 0.62,
        "effective_participation": 0.16,
    }
    curve = [point | {"given": True}, more | {"given": False}]
    data = charts.tradeoff({"krr:k=3,epsilon=1": curve}, "not sought", None, "Trade-off").to_dict()["datasets"]
    line = [r for some in data.values() for r in some if "F = 1 - S" in str(r.get("name")) and "x" in r]
    assert [(r["x"], r["y"]) for r in line] == [(pytest.approx(1 - s), pytest.approx(1 - s)) for s in (0.87, 0.62)]


def test_what_has_no_place_on_a_logarithmic_scale_is_not_drawn():
    assert {record["ε"] for record in records(alone("privacy_utility"), "ε")} == {"1", "2"}


def test_protocols_differ_in_shape_and_in_dashes():
    key, panel = alone("privacy_utility").to_dict()["vconcat"]
    for look in ("shape", "strokeDash"):
        for part in (key, panel):
            channels = [layer["encoding"][look] for layer in part["layer"] if look in layer["encoding"]]
            assert channels
            for channel in channels:
                assert channel["field"] == "curve"
                assert channel["scale"]["domain"] == [0, 1]
                assert len({*map(str, channel["scale"]["range"])}) == 2


def test_labels_of_an_axis_that_would_touch_are_left_out():
    (axis,) = (
        layer["encoding"]["x"]["axis"] for layer in alone("privacy_utility").to_dict()["vconcat"][1]["layer"][:1]
    )
    assert axis["values"] == [pytest.approx(0.1), 0.5]  # not 0.51, beside 0.5; and nothing is at 0


def test_a_page_holds_its_figure_and_loads_nothing():
    page = charts.to_html(alone("privacy_utility"), "Privacy & utility")
    assert page.startswith("<!doctype html>")
    assert "<title>Privacy &amp; utility</title>" in page
    assert 'aria-label="Two curves."' in page
    assert "<script" not in page
    assert not [word for word in ("src=", "href=", "url(") if word in page]


def test_shares_that_are_estimates_are_points_with_their_intervals():
    rows = [
        {"answers": ["f"], "share": 0.25, "low": 0.2, "high": 0.31},
        {"answers": ["m"], "share": 0.0, "low": 0, "high": 0.1},
    ]
    chart = charts.answered_shares(rows).to_dict()
    kinds = [layer["mark"]["type"] for layer in chart["layer"] if "mark" in layer]
    assert kinds[:2] == ["rule", "point"]
    found = records(charts.answered_shares(rows), "low", "high")
    assert [(row["low"], row["high"]) for row in found] == [(0.2, 0.31), (0, 0.1)]
    assert chart["description"] == "Points with intervals: the shares of people by 2 combinations of answers."
