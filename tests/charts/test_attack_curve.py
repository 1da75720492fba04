"""The figure of attacks: logarithmic, in words too, with a band only where there is one to see."""

import numpy as np
import pytest

import discretion as dc
from discretion import charts


def drawn(chart):
    """The points of each line of the figure."""
    lines = {}
    for records in chart.to_dict()["datasets"].values():
        for record in records:
            if {"x", "y", "curve"} <= set(record):
                lines.setdefault(record["curve"], []).append((record["x"], record["y"]))
    return lines


def scales(chart):
    """The kinds of the axes."""
    layers = [layer for panel in chart.to_dict()["vconcat"] for layer in panel["layer"]]
    return {
        layer["encoding"][axis]["scale"]["type"]
        for layer in layers
        for axis in "xy"
        if "scale" in str(layer["encoding"].get(axis))
    }


def test_it_has_every_point_on_logarithmic_axes_and_blind_accusing_beside_it():
    found = [(1e-3, 0.02), (0.1, 0.4), (1.0, 1.0)]
    chart = charts.attack_curve(found)
    assert found in drawn(chart).values()
    assert [(1e-3, 1e-3), (1.0, 1.0)] in drawn(chart).values()
    assert scales(chart) == {"log"}
    assert "for sure" not in str(chart.to_dict())


def test_a_curve_draws_what_it_answers():
    curve = dc.tradeoff(dc.Laplace(1))
    line = max(drawn(curve.chart()).values(), key=len)
    assert all(hits == curve.true_positive_rate(rate) for rate, hits in line)
    assert line[0][0] == pytest.approx(1e-6)
    assert "any two secrets" in str(curve.chart().to_dict())


def test_a_band_is_drawn_with_what_it_is_worth():
    scores = np.random.default_rng(4).normal(size=(2, 300))
    curve = dc.blackbox.estimate_tradeoff(scores[0], scores[1] + 1)
    assert "between these with a confidence of 95 %" in str(curve.chart().to_dict())
    lines = [line for line in drawn(curve.chart()).values() if len(line) > 2]
    low, found, high = sorted(lines, key=lambda line: line[20][1])
    for below, at, above in zip(low, found, high, strict=True):
        assert below[1] <= at[1] <= above[1]
        assert at[1] == curve.true_positive_rate(at[0]).value


def test_certified_ends_that_nobody_could_tell_apart_are_one_line():
    curve = dc.tradeoff(dc.repeated(dc.Laplace(1), 3))
    assert len(drawn(curve.chart())) == 2


def test_a_pair_is_named():
    chart = dc.tradeoff(dc.Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["sick", "well"]), ("sick", "well")).chart()
    assert "'sick' and 'well'" in chart.to_dict()["title"]["text"]


def test_a_table_of_a_curve_has_what_it_answers():
    curve = dc.tradeoff(dc.RandomizedResponse(3, epsilon=1))
    for row in curve.to_frame().to_pylist():
        assert row["false_negative_rate"] == curve.at(row["false_positive_rate"])
        assert row["true_positive_rate_low"] == row["true_positive_rate"] == row["true_positive_rate_high"]
