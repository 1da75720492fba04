"""The figure of what differential privacy promises of Bayes security."""

import math
from functools import cache

import pytest

from discretion import charts
from discretion.charts.style import DIM, GRID, INK
from discretion.errors import InvalidValueError
from oracles.promise import exactly

LAPLACE = [(epsilon, math.exp(-epsilon / 2)) for epsilon in (0.5, 1.0, 4.0)]


@cache
def figure():
    return charts.bayes_security_over_epsilon(deltas=[0.2], mechanisms={"Laplace": LAPLACE}, most=2)


def drawn(chart, kind):
    """Return the points of each layer of the panel that is drawn so: all with the same dashes, or without."""
    data, layers = chart.to_dict()["datasets"], chart.to_dict()["vconcat"][1]["layer"]
    return [
        [(point["x"], point["y"]) for point in data[layer["data"]["name"]]]
        for layer in layers
        if layer["mark"]["type"] == kind
    ]


@pytest.mark.long
def test_the_figure_is_valid_and_says_in_words_what_it_shows():
    specification = figure().to_dict(validate=True)
    assert specification["title"]["text"] == "Bayes security that differential privacy guarantees"
    assert all(word in specification["description"] for word in ("δ = 0.2", "Yeom", "Laplace", "ε from 0 to 2"))
    assert charts.to_png(figure()).startswith(b"\x89PNG")


@pytest.mark.long
def test_curves_are_the_bounds_of_section_v():
    promised, approximate, yeom = drawn(figure(), "line")
    for epsilon, beta in promised:
        assert beta == exactly(2 / (1 + math.exp(epsilon)))
    for epsilon, beta in approximate:
        assert beta == exactly(0.8 * 2 / (1 + math.exp(epsilon)))
    for epsilon, beta in yeom:
        assert beta == exactly(max(0, 2 - math.exp(epsilon)))
    assert {curve[0][0] for curve in (promised, approximate, yeom)} == {0}
    assert {curve[-1][0] for curve in (promised, approximate, yeom)} == {2}


@pytest.mark.long
def test_mechanisms_are_points_where_they_are_given_and_within_the_figure():
    assert drawn(figure(), "point") == [LAPLACE[:2]]
    beyond = charts.bayes_security_over_epsilon(mechanisms={"Laplace": LAPLACE}, most=0.1)
    assert drawn(beyond, "point") == []


@pytest.mark.long
def test_each_mechanism_has_marks_of_its_own_and_its_name_at_the_last():
    gaussian = [(0.1, 0.99), (1.0, 0.925)]
    chart = charts.bayes_security_over_epsilon(mechanisms={"Laplace": LAPLACE, "Gaussian": gaussian}, most=2)
    assert drawn(chart, "point") == [LAPLACE[:2], gaussian]
    layers, data = chart.to_dict()["vconcat"][1]["layer"], chart.to_dict()["datasets"]
    assert len({layer["mark"]["shape"] for layer in layers if layer["mark"]["type"] == "point"}) == 2
    names = {row["name"]: (row["x"], row["y"]) for some in data.values() for row in some if "name" in row}
    assert names == {"Laplace": LAPLACE[1], "Gaussian": gaussian[1]}


@pytest.mark.parametrize("options", [{"most": 0}, {"most": math.nan}, {"most": math.inf}])
def test_bad_ranges_are_refused(options):
    with pytest.raises(InvalidValueError, match="most must be a finite number above 0"):
        charts.bayes_security_over_epsilon(**options)


@pytest.mark.parametrize("delta", [0, 1, -0.5, math.nan])
def test_bad_deltas_are_refused(delta):
    with pytest.raises(InvalidValueError, match=r"deltas must be in \(0, 1\)"):
        charts.bayes_security_over_epsilon(deltas=[0.1, delta])


@pytest.mark.long
def test_the_key_names_only_what_is_drawn():
    def named(chart):
        return [row["kind"] for some in chart.to_dict()["datasets"].values() for row in some if "kind" in row]

    assert "mechanisms" in named(figure())
    assert len(named(charts.bayes_security_over_epsilon(deltas=()))) == len(named(figure())) - 2


@pytest.mark.parametrize("chart", [figure, charts.bayes_security_over_epsilon], ids=["with mechanisms", "without"])
def test_no_colour_is_needed(chart):
    marks = [layer["mark"] for panel in chart().to_dict()["vconcat"] for layer in panel["layer"]]
    colours = {mark[key] for mark in marks for key in ("color", "stroke", "fill") if key in mark}
    assert colours <= {INK, DIM, GRID, "white"}
