"""The page in a browser: every figure draws, nothing is loaded, nothing is wider than the screen."""

import re
import time

import pytest

import discretion as dc
from discretion.presenting.views.result_views import page as to_html
from jobs.audit import samples
from support.chromium import running_chromium

pytestmark = [pytest.mark.browser, pytest.mark.long]

_DRAWN = "figure => figure.dataset.state === 'drawn'"
_MARKS = "figure => figure.querySelectorAll('.chart svg .role-mark path, .chart svg .role-mark text').length"


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as running:
        yield running


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return the addresses of pages, a real one and those made by hand."""
    folder = tmp_path_factory.mktemp("reports")
    columns = ["age", "fnlwgt", "sex", "race", "native_country", "income"]
    audits = {
        "adult": dc.audit("example:adult", columns=columns, sensitive="income"),
        "usual": samples.usual(),
        "hostile": samples.hostile(),
        "bare": samples.bare(),
        "wide": samples.wide(),
    }
    for name, found in audits.items():
        (folder / f"{name}.html").write_text(to_html(found), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in audits}


class Opened:
    """A page with what happened while it was open."""

    def __init__(self, browser, address: str, width: int, **options) -> None:
        self.address, self.width = address, width
        self.page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.goto(address)

    def unfold(self) -> list:
        """Unfold everything and return the figures, once they have drawn."""
        self.page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
        figures = self.page.query_selector_all("figure[data-chart]")
        self.wait_until(f"[...document.querySelectorAll('figure[data-chart]')].every({_DRAWN})")
        return figures

    def wait_until(self, true: str) -> None:
        """Ask until it is true: waiting inside the page would compile text, which the page's policy forbids."""
        patience = time.monotonic() + 30
        while not self.page.evaluate(true):
            assert time.monotonic() < patience, true
            time.sleep(0.02)

    def check_quiet(self) -> None:
        assert self.complaints == []
        assert self.requests == [self.address]

    def check_width(self) -> None:
        assert self.page.evaluate("document.scrollingElement.scrollWidth") <= self.width


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", ["adult", "usual", "hostile", "bare", "wide"])
def test_every_figure_draws_and_the_page_keeps_to_itself(browser, reports, name, width):
    opened = Opened(browser, reports[name], width)
    opened.check_width()
    for figure in opened.unfold():
        assert figure.evaluate(_MARKS) > 0
        chart, drawn = figure.query_selector(".chart"), figure.query_selector(".chart svg")
        assert drawn.bounding_box()["width"] <= chart.bounding_box()["width"] + 0.5
        assert chart.get_attribute("aria-label")
    opened.check_width()
    opened.check_quiet()
    opened.page.close()


def test_figures_follow_the_width_of_the_window(browser, reports):
    opened = Opened(browser, reports["usual"], 1400)
    figures = opened.unfold()
    opened.page.set_viewport_size({"width": 400, "height": 900})
    opened.wait_until("document.querySelector('.chart svg').getBoundingClientRect().width < 400")
    assert all(figure.query_selector(".chart svg").bounding_box()["width"] < 400 for figure in figures)
    assert opened.page.evaluate("document.scrollingElement.scrollWidth") <= 400
    opened.page.close()


@pytest.mark.parametrize("width", [1000, 1152, 1180, 1400])
def test_the_contents_stand_beside_the_page_or_not_at_all(browser, reports, width):
    opened = Opened(browser, reports["usual"], width)
    contents, page = opened.page.query_selector("nav").bounding_box(), opened.page.query_selector("main").bounding_box()
    if width >= 1152:
        assert contents["x"] >= 0
        assert contents["x"] + contents["width"] <= page["x"]
    else:
        assert contents is None
    opened.page.close()


def test_hovering_shows_hostile_names_as_words(browser, reports):
    opened = Opened(browser, reports["hostile"], 1400)
    opened.unfold()
    bar = opened.page.query_selector("figure[data-chart=columns] .mark-rect path")
    bar.scroll_into_view_if_needed()
    bar.hover()
    opened.page.wait_for_selector("#vg-tooltip-element.visible")
    assert samples.HOSTILE in opened.page.inner_text("#vg-tooltip-element")
    assert opened.page.query_selector_all("img") == []
    opened.check_quiet()
    opened.page.close()


def test_the_first_thing_to_focus_skips_to_the_answer(browser, reports):
    opened = Opened(browser, reports["usual"], 1400)
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.getAttribute('href')") == "#answer"
    assert opened.page.query_selector(".skip").bounding_box()["x"] >= 0
    opened.page.close()


def test_printing_unfolds_nothing_and_draws_what_is_unfolded(browser, reports):
    opened = Opened(browser, reports["usual"], 1400)
    opened.page.pdf()
    assert opened.page.evaluate("document.querySelectorAll('details[open]').length") == 0
    assert opened.page.evaluate("document.querySelectorAll('figure[data-state]').length") == 0
    opened.unfold()
    opened.page.pdf()
    states = opened.page.evaluate("[...document.querySelectorAll('figure[data-chart]')].map(f => f.dataset.state)")
    assert set(states) == {"drawn"}
    opened.page.close()


@pytest.mark.parametrize("name", ["adult", "wide"])
def test_the_decision_and_the_whole_table_fit_on_two_printed_pages(browser, reports, name):
    opened = Opened(browser, reports[name], 1400)
    opened.page.evaluate("for (const one of document.querySelectorAll('#details, #details ~ *')) one.remove()")
    pages = re.findall(
        rb"/Type */Page\b(?!s)", opened.page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom"), "1cm"))
    )
    assert len(pages) <= 2
    opened.page.close()


def test_a_link_unfolds_what_it_leads_to(browser, reports):
    opened = Opened(browser, reports["usual"], 1400)
    opened.page.click("a[href='#words']")
    opened.wait_until("document.querySelector('#words').closest('details').open")
    opened.page.click("nav a[href='#collection']")
    opened.wait_until("document.querySelector('#collection').closest('details').open")
    opened.page.click("a[href='#ask-0']")
    opened.wait_until("document.querySelector('#ask-0').open")
    opened.check_quiet()
    opened.page.close()


def test_the_tables_are_there_without_scripts(browser, reports):
    opened = Opened(browser, reports["usual"], 400, java_script_enabled=False)
    opened.page.click("summary:has(#columns)")
    assert "The tables have the same numbers" in opened.page.inner_text("figure")
    opened.check_quiet()
    opened.page.close()


@pytest.mark.parametrize("name", ["usual", "hostile", "wide"])
@pytest.mark.parametrize(("paper", "ink"), [("white", "rgb(20, 20, 20)"), ("black", "rgb(230, 230, 230)")])
def test_in_a_notebook_it_takes_the_room_and_the_colours_that_there_are(browser, name, paper, ink):
    page = browser.new_page(viewport={"width": 400, "height": 800})
    shown = getattr(samples, name)()._repr_html_().replace("<details>", "<details open>")
    page.set_content(f'<body style="background: {paper}; color: {ink}">{shown}</body>')
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    colours = page.evaluate("[...document.body.querySelectorAll('*')].map(one => getComputedStyle(one).color)")
    assert set(colours) == {ink}
    numbers = page.evaluate(
        "[...document.querySelectorAll('td')].filter(one => one.style.whiteSpace == 'nowrap')"
        ".every(one => one.scrollWidth <= one.offsetWidth)"
    )
    assert numbers
    page.close()
