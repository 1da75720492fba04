"""In a plain Jupyter kernel, without ipywidgets and without a notebook's server, results show themselves."""

from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.long

WITHOUT_WIDGETS = "import sys; sys.modules['ipywidgets'] = None"
HTML = "text/html"


class Kernel:
    """A kernel as a notebook starts it, and what it answers."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def shows(self, code: str) -> dict[str, str]:
        """Run a cell, and return what is displayed of its last line, by its type."""
        displayed: dict[str, str] = {}

        def keep(message: dict[str, Any]) -> None:
            if message["msg_type"] in ("execute_result", "display_data"):
                displayed.update(message["content"]["data"])

        answer = self._client.execute_interactive(code, output_hook=keep, timeout=120)["content"]
        assert answer["status"] == "ok", "\n".join(answer["traceback"])
        return displayed


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: uv sync --group notebook")
    manager = pytest.importorskip(
        "jupyter_client.manager", reason="jupyter-client is not installed: uv sync --group notebook"
    )
    started, client = manager.start_new_kernel(startup_timeout=120)
    try:
        answers = Kernel(client)
        answers.shows(f"{WITHOUT_WIDGETS}; import discretion as dc")
        answers.shows("adult = dc.Population('example:adult', ['sex', 'race', 'workclass'])")
        yield answers
    finally:
        client.stop_channels()
        started.shutdown_kernel(now=True)


def test_a_population_is_counted(kernel):
    assert kernel.shows("adult")["text/plain"] == "Population(32561 people; sex, race, workclass)"
    assert kernel.shows("round(dc.exposure(adult, k=10), 6)")["text/plain"] == "0.002856"


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("dc.audit(adult, ['sex', 'race'])", "exposes nobody"),
        ("dc.select_columns(adult, budget=0.01, k=10)", "can go out together"),
        ("dc.exposure_bound(adult, k=10)", "certified in"),
        ("dc.exposure_curve(adult)", "Who stands out"),
        ("dc.anonymity.exposure_bound_curve(adult)", "Upper bounds on exposure"),
        ("adult.class_sizes()", "Equivalence classes"),
    ],
)
def test_a_result_shows_itself(kernel, result, said):
    assert said in kernel.shows(result)[HTML]


@pytest.mark.parametrize(
    "chart",
    [
        "dc.audit(adult, ['sex', 'race', 'workclass']).chart()",
        "dc.select_columns(adult, budget=0.01, k=10).chart()",
        "dc.exposure_curve(adult).chart()",
        "dc.anonymity.exposure_bound_curve(adult).chart()",
    ],
)
def test_a_chart_shows_itself_without_a_network_and_otherwise_where_that_is_asked_for(kernel, chart):
    shown = kernel.shows(chart)
    assert shown["image/svg+xml"].startswith("<svg")
    assert HTML not in shown
    online = f"import altair\nwith altair.renderers.enable('html'): display({chart})"
    assert "vega" in kernel.shows(online)[HTML]


def test_a_table_goes_on_to_pandas(kernel):
    pytest.importorskip("pandas")
    assert HTML in kernel.shows("adult.class_sizes().to_frame().to_pandas()")
