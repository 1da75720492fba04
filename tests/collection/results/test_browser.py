"""The page of a result in a browser: its figure draws, nothing is loaded, nothing is wider than the screen."""

import pytest

from discretion.collection.results.leaks import leaks_of
from discretion.collection.results.page import to_page
from support.chromium import running_chromium
from support.collection.drawn_results import drawn, features_of

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("randomizers", [(), ("krr:epsilon=2",), ("krr:epsilon=2",) * 3])
def test_it_fits_and_loads_nothing(width: int, randomizers, tmp_path) -> None:
    of = drawn(features_of(2, 9, 5, randomizers=randomizers), 2000, k=5)
    chosen = (0,) if len(randomizers) == 1 else (0, 1, 2)
    result = of.analysed(*chosen)
    page = tmp_path / "page.html"
    page.write_text(to_page(result, leaks_of(of.task, of.counts, of.choice(*chosen), result)), encoding="utf-8")
    with running_chromium() as running:
        opened = running.new_page(viewport={"width": width, "height": 900})
        requests, complaints = [], []
        opened.on("request", lambda request: requests.append(request.url))
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.goto(page.as_uri())
        opened.wait_for_selector("figure[data-state=drawn] svg", timeout=60_000)
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert requests == [page.as_uri()]
        assert complaints == []
