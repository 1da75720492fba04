"""The figure of how an estimate settles."""

import pytest

from discretion import charts
from discretion.blackbox import convergence


def figure(sizes, errors, low, high, confidence=0.95):
    return charts.convergence_over_samples(sizes, errors, low, high, confidence, "frequentist")


def panel(chart):
    return chart.to_dict()["vconcat"][1]["layer"]


def points(chart, mark):
    data = chart.to_dict()["datasets"]
    return [
        [(p["x"], p["y"]) for p in data[layer["data"]["name"]]]
        for layer in panel(chart)
        if layer["mark"]["type"] == mark
    ]


def upwards(chart):
    return panel(chart)[0]["encoding"]["y"]


def words(chart):
    return [row["label"] for some in chart.to_dict()["datasets"].values() for row in some if "label" in row]


SETTLING = figure([100, 1000, 10_000], [0.3, 0.25, 0.22], [0.1, 0.15, 0.2], [0.5, 0.35, 0.23])


@pytest.mark.long
def test_it_shows_errors_and_both_ends():
    assert points(SETTLING, "point") == [[(100, 0.3), (1000, 0.25), (10_000, 0.22)]]
    (ends,) = points(SETTLING, "line")
    assert set(ends) == {(100, 0.5), (1000, 0.35), (10_000, 0.23), (100, 0.1), (1000, 0.15), (10_000, 0.2)}
    assert "from 0.1 to 0.5 at 100 samples to 0.2 to 0.23 at 10,000 samples" in SETTLING.to_dict()["description"]
    assert charts.to_png(SETTLING).startswith(b"\x89PNG")


def test_labels_are_rounded_outwards():
    assert set(words(figure([10, 20], [0.5, 0.5], [0.0, 0.000123456], [1.0, 0.000456789]))) == {
        "at least 0.0001234",
        "at most 0.0004568",
    }


def test_a_single_block_is_a_bar():
    chart = figure([50], [0.3], [0.1], [0.6])
    assert [set(line) for line in points(chart, "line")] == [{(50, 0.1), (50, 0.6)}]
    low, high = panel(chart)[0]["encoding"]["x"]["scale"]["domain"]
    assert low < 50 < high
    assert "interval of the Bayes risk: 0.1 to 0.6 at 50 samples" in chart.to_dict()["description"].replace("The ", "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("low", "high"), [([0.6660, 0.6664], [0.6675, 0.6671]), ([0.0, 0.0], [2e-4, 4e-5]), ([0.0, 0.0], [1.0, 0.2])]
)
def test_the_interval_takes_most_of_the_height(low, high):
    chart = figure([10**6, 10**7], low, low, high)
    bottom, top = upwards(chart)["scale"]["domain"]
    assert bottom <= min(low)
    assert max(high) <= top <= 1
    assert max(high) - min(low) >= 0.9 * (top - bottom)
    assert ("(not from 0)" in upwards(chart)["title"]) == (bottom > 0)


def test_confidence_is_told_to_its_last_digit():
    assert (
        "with probability 0.99999, not"
        in figure([10, 20], [0, 0], [0, 0], [1, 1], 0.99999).to_dict()["title"]["subtitle"][0]
    )


def test_all_letters_are_in_ordinary_fonts():
    curve = convergence([0, 1] * 50, [i * 0.37 for i in range(100)], method="nearest-neighbours", rng=1)
    assert curve.method.isascii()
