"""In a notebook every figure is an SVG image that the installed renderer draws: no network, unless the user asks."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import altair as alt
import numpy as np
import pytest

import discretion as dc
from discretion import charts
from discretion.anonymity import ClassSizes
from discretion.reproduce import PAPERS

MATRIX = [[0.75, 0.25], [0.25, 0.75]]
POINT = {"epsilon": 1.0, "worst_case_privacy": 0.37, "effective_participation": 0.16, "given": True}
FIGURES: dict[str, Callable[[], Any]] = {
    "layers": lambda: charts.answered_shares([{"answers": ["f"], "share": 0.25}]),
    "panels": lambda: charts.bayes_security_over_epsilon([1e-5]),
    "trade-off": lambda: charts.tradeoff({"krr": [POINT]}, "there is one point", None, "A figure"),
    "exposure curve": lambda: ClassSizes([1, 3], [2, 1]).curve().chart(),
    "attack curve": lambda: dc.tradeoff(dc.Channel(MATRIX)).chart(),
    "posteriors": lambda: dc.hyper(dc.Channel(np.eye(3))).chart(),
    "order": lambda: dc.refinement.compare_all({"a": dc.Channel(np.eye(2)), "b": dc.Channel(MATRIX)}).chart(),
    "with a title of the user's": lambda: ClassSizes([1, 3], [2, 1]).curve().chart().properties(title="mine"),
    "of a paper": lambda: PAPERS["ldp"].items["figure-2"].reproduce().chart(),
}


@pytest.mark.one_in(7)
@pytest.mark.parametrize("figure", FIGURES)
def test_a_notebook_gets_an_image_that_loads_nothing(figure: str) -> None:
    drawn = FIGURES[figure]()
    bundle = drawn._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    image = bundle["image/svg+xml"]
    assert ET.fromstring(image).tag == "{http://www.w3.org/2000/svg}svg"
    assert "http" not in re.sub(r' xmlns(:\w+)?="[^"]*"', "", image)
    assert bundle["text/plain"] == drawn.to_dict()["description"]


def test_a_renderer_that_the_user_enables_is_theirs() -> None:
    figure = FIGURES["exposure curve"]()
    with alt.renderers.enable("html"):
        assert "vega" in figure._repr_mimebundle_()["text/html"]
    assert "image/svg+xml" in figure._repr_mimebundle_()
