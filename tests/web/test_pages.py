"""The page to work on in a browser: from an empty form to an answer, with and without a mouse, a script or light."""

import re
import time
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.long]
pytest.importorskip("playwright")

# What Chromium writes to its console where a browser is not let in.
_REFUSED = "Failed to load resource: the server responded with a status of 4"
_SLOW = {"answers": "300", "users": "1000000", "guess": "+0.01"}
_QUICK = {"answers": "4", "users": "1000", "local_epsilon": "1", "unshuffled": "yes"}
_DOORS = ["/", "/table", "/exposure", "/design", "/mechanism", "/compare", "/black-box"]
_ANSWERED = {
    "columns": "/exposure?about=example:adult&columns=sex,race",
    "question": "/design?" + "&".join(f"{name}={value}" for name, value in _QUICK.items()),
    "mechanism": "/mechanism?about=krr:k%3D4,epsilon%3D1",
    "comparison": "/compare?about=krr:k%3D4,epsilon%3D1%0Akrr:k%3D4,epsilon%3D2",
    "table": "/table?about=example:adult&columns=age,sex&sensitive=sex",
    "refused": "/design?answers=many",
}
_SCROLL_WIDTH = "document.scrollingElement.scrollWidth"


def _fields(reader) -> dict[str, list[str]]:
    return parse_qs(urlsplit(reader.page.url).query)


@pytest.fixture
def samples(tmp_path) -> Path:
    path = tmp_path / "samples.csv"
    rows = [f"{secret},{secret if turn % 3 else 'a'}" for turn in range(100) for secret in "ab"]
    path.write_text("\n".join(["secret,seen", *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("door", "fields", "answer"),
    [
        ("I have a table", {"about": "example:adult", "columns": "age,sex", "k": "5"}, "What example:adult gives away"),
        ("Who stands out by some", {"about": "example:adult", "columns": "sex,race"}, "sex, race: "),
        ("I want to ask people", _QUICK, "A question with 4 answers for 1,000 people"),
        ("I have a mechanism", {"about": "krr:k=4,epsilon=1"}, "krr:k=4,epsilon=1"),
        ("I have several mechanisms", {"about": "krr:k=4,epsilon=1\nkrr:k=4,epsilon=2"}, "2 mechanisms"),
    ],
)
def test_a_door_answers_a_form_that_is_filled_in(reader, door, fields, answer):
    reader.page.click(f"text={door}")
    assert reader.ask(**fields).startswith(answer)
    assert {name: "\n".join(given) for name, given in _fields(reader).items()} == fields
    assert reader.page.inner_text("#state").startswith(f"Answered: {answer}")
    for figure in reader.page.query_selector_all("#reply figure[data-chart]"):
        reader.wait_until(lambda figure=figure: figure.get_attribute("data-state") in ("drawn", None))
    reader.check_quiet()


def test_a_black_box_answers_a_file_that_is_sent(reader, samples):
    reader.page.click("text=I have a black box")
    if not reader.page.is_visible("#sent"):
        reader.page.click("summary:has-text('Open a file')")
    reader.page.set_input_files("#sent", samples)
    reader.page.wait_for_url("**/black-box?about=samples*.csv")
    assert reader.title().startswith("samples")
    assert "/discretion-" not in reader.page.content()
    reader.check_quiet()


def test_a_link_opens_the_same_view_for_who_has_the_token(visitor):
    known, unknown = visitor(), visitor()
    known.enter(_ANSWERED["mechanism"])
    assert known.title() == "krr:k=4,epsilon=1"
    assert "token" not in known.page.url
    assert known.page.input_value("[name=about]") == "krr:k=4,epsilon=1"
    unknown.page.goto(known.page.url)
    assert "has a token that lets you in" in unknown.page.inner_text("body")
    unknown.check_quiet(_REFUSED)


def test_back_and_forward_show_the_question_and_the_answer_of_then(reader):
    reader.enter("/mechanism")
    for name in ("krr:k=4,epsilon=1", "krr:k=4,epsilon=2"):
        assert reader.ask(about=name) == name
    for step, name in (("go_back", "krr:k=4,epsilon=1"), ("go_forward", "krr:k=4,epsilon=2")):
        getattr(reader.page, step)()
        reader.wait_until(lambda name=name: reader.title() == name)
        assert reader.page.input_value("[name=about]") == name
    reader.check_quiet()


def test_undo_goes_back_to_the_question_before_and_no_further_than_the_form(reader):
    reader.enter("/mechanism")
    assert reader.page.get_attribute("#undo", "aria-disabled") == "true"
    reader.ask(about="krr:k=4,epsilon=1")
    reader.ask(about="krr:k=4,epsilon=2")
    reader.page.click("#undo")
    reader.wait_until(lambda: reader.title() == "krr:k=4,epsilon=1")
    reader.page.click("#undo")
    reader.wait_until(lambda: reader.page.inner_text("#reply") == "")
    assert reader.page.input_value("[name=about]") == ""
    assert reader.page.get_attribute("#undo", "aria-disabled") == "true"
    reader.page.click("#undo", force=True)
    assert reader.page.url.endswith("/mechanism")
    reader.check_quiet()


@pytest.mark.parametrize(
    ("address", "name", "given", "sentence"),
    [
        ("/design", "answers", "many", "Not answered: Answers must be a whole number, got 'many'"),
        ("/mechanism", "about", "krr:k=4", "epsilon"),
        ("/compare", "about", " ", "Fill in a field"),
    ],
)
def test_a_bad_field_ends_in_one_sentence_that_is_announced(reader, address, name, given, sentence):
    reader.enter(address)
    reader.fill(**{name: given})
    reader.page.click("button.main")
    if given.strip():
        assert sentence in reader.problem()
    else:
        reader.wait_until(lambda: sentence in reader.page.inner_text("#state"))
    assert "\n" not in reader.page.inner_text("#reply").strip()
    reader.check_quiet()


def test_a_bad_field_is_marked_until_it_is_mended(reader):
    reader.enter("/design")
    reader.fill(answers="many")
    reader.page.keyboard.press("Enter")
    reader.problem()
    field = reader.page.locator("[name=answers]")
    assert field.get_attribute("aria-invalid") == "true"
    reader.page.click("#wrong a")
    assert reader.page.evaluate("document.activeElement.name") == "answers"
    assert reader.ask(**_QUICK)
    assert field.get_attribute("aria-invalid") is None


def test_a_bad_file_ends_in_one_sentence_that_is_announced(reader, tmp_path):
    nothing = tmp_path / "nothing.csv"
    nothing.touch()
    reader.page.set_input_files("#sent", nothing)
    reader.page.wait_for_selector("#sent-problem:not([hidden])")
    assert reader.page.inner_text("#sent-problem[role=alert]").startswith("the file is empty")
    reader.page.fill("#path", str(tmp_path / "none.csv"))
    reader.page.click("button:text-is('Open')")
    assert "there is no such file on this machine" in reader.page.inner_text(".problem[role=alert]")
    reader.check_quiet()


def test_a_cancelled_search_says_so_and_its_process_is_free(reader):
    reader.enter("/design")
    reader.fill(**_SLOW)
    for _ in range(5):  # more than are answered at once
        reader.page.click("button.main")
        reader.page.wait_for_selector("#cancel:visible")
        assert reader.page.inner_text("#state").startswith("Working: ")
        reader.page.click("#cancel")
        assert "was canceled" in reader.problem()
    assert reader.page.evaluate("document.activeElement.textContent") == "Answer"
    assert reader.ask(**_QUICK, guess="")
    reader.check_quiet()


def test_a_slow_question_in_one_tab_does_not_hold_up_another(reader):
    reader.enter("/design")
    reader.fill(**_SLOW)
    reader.page.click("button.main")
    reader.page.wait_for_selector("#cancel:visible")
    other = reader.new_page()
    other.goto(reader.server.base + _ANSWERED["mechanism"])
    assert reader.title(other) == "krr:k=4,epsilon=1"
    assert reader.page.is_visible("#cancel")
    reader.page.click("#cancel")
    assert "was canceled" in reader.problem()
    reader.check_quiet()


def test_two_tabs_ask_one_table(reader):
    other = reader.new_page()
    addresses = {reader.page: "sex", other: "race"}
    for page, column in addresses.items():
        page.goto(f"{reader.server.base}/exposure?about=example:adult&columns={column}")
    for page, column in addresses.items():
        assert reader.title(page).startswith(f"{column}: ")
    reader.check_quiet()


def test_a_slider_changes_the_address_and_the_answer_and_is_undone_at_once(reader):
    reader.enter("/design")
    reader.ask(**_QUICK)
    slider = reader.page.locator("input[type=range]")
    assert slider.input_value() == "1"
    slider.focus()
    for _ in range(30):
        reader.page.keyboard.press("ArrowRight")
    reader.wait_until(lambda: "1.3" in reader.page.inner_text("#reply .command >> nth=-2"))
    assert _fields(reader)["local_epsilon"] == ["1.3"] == [reader.page.input_value("[name=local_epsilon]")]
    reader.page.click("#undo")
    reader.wait_until(lambda: slider.input_value() == "1")
    assert _fields(reader)["local_epsilon"] == ["1"]
    reader.check_quiet()


def test_an_answer_keeps_what_is_unfolded_and_in_view(reader):
    reader.enter(_ANSWERED["table"])
    reader.title()
    reader.page.click("#reply details.section summary >> nth=0")
    reader.page.evaluate("scrollTo(0, 900)")
    reader.page.fill("[name=k]", "7")
    before = reader.page.evaluate("scrollY")
    reader.page.keyboard.press("Enter")
    reader.wait_until(lambda: re.search(r"fewer than\s7\speople", reader.page.inner_text("#reply")))
    assert reader.page.evaluate("document.querySelectorAll('#reply details.section[open]').length") == 1
    assert reader.page.evaluate("scrollY") == before


def test_it_works_without_scripts(visitor):
    reader = visitor(java_script_enabled=False)
    reader.enter("/mechanism")
    assert not reader.page.is_visible("#undo")
    reader.page.fill("[name=about]", "krr:k=4,epsilon=1")
    reader.page.click("button.main")
    while reader.page.is_visible(".working"):
        time.sleep(0.2)
        reader.page.click("text=Look again")
    assert reader.title() == "krr:k=4,epsilon=1"
    reader.page.goto(reader.server.base + "/design?" + "&".join(f"{n}={quote(v)}" for n, v in _SLOW.items()))
    reader.page.click(".working button")
    assert "was canceled" in reader.page.inner_text("[role=alert]")
    assert reader.page.input_value("[name=answers]") == _SLOW["answers"]
    reader.check_quiet()


def test_it_works_by_keyboard(reader):
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("document.activeElement.getAttribute('href')") == "#main"
    assert reader.page.query_selector(".skip").bounding_box()["x"] >= 0
    reader.enter("/mechanism")
    focused = "(({ activeElement: { name, id, textContent } }) => name || id || textContent)(document)"
    order: list[str] = []
    while "Answer" not in order:
        reader.page.keyboard.press("Tab")
        order.append(reader.page.evaluate(focused))
        assert reader.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        if order[-1] == "about":
            reader.page.keyboard.type("krr:k=4,epsilon=1")
    assert order[:2] == ["Skip to the question", "Discretion"]
    assert order[-6:] == ["about", "users", "shuffled", "adversary", "More", "Answer"]
    reader.page.keyboard.press("Enter")
    assert reader.title() == "krr:k=4,epsilon=1"
    assert reader.page.evaluate(focused) == "Answer"
    reader.check_quiet()


@pytest.mark.parametrize("width", [400, 800, 1600])
def test_no_page_is_wider_than_the_screen(visitor, width):
    reader = visitor(viewport={"width": width, "height": 900})
    reader.enter()
    for address in [*_DOORS, *_ANSWERED.values()]:
        reader.page.goto(reader.server.base + address)
        if "?" in address:
            reader.page.wait_for_selector("#reply:not(.stale) :is([data-title], [role=alert])")
        assert reader.page.evaluate(_SCROLL_WIDTH) <= width, address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visitor, scheme):
    axe = pytest.importorskip("axe_playwright_python")
    script = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    reader = visitor(color_scheme=scheme)
    reader.enter()
    found = {}
    for address in [*_DOORS, *_ANSWERED.values(), "/nothing"]:
        reader.page.goto(reader.server.base + address)
        if "?" in address:
            reader.page.wait_for_selector("#reply:not(.stale) :is([data-title], [role=alert])")
        reader.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        drawn = "[...document.querySelectorAll('figure')].every(figure => figure.dataset.state === 'drawn')"
        reader.wait_until(lambda drawn=drawn: reader.page.evaluate(drawn))
        reader.page.evaluate(script)  # by the protocol, which the page's policy does not hold for
        violations = reader.page.evaluate("axe.run().then(({ violations }) => violations)")
        found[address] = [
            (each["id"], [node["target"] for node in each["nodes"]][:3])
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]
    assert {address: problems for address, problems in found.items() if problems} == {}
    paper = reader.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(int(each) for each in paper[4:-1].split(",")) < 60) == (scheme == "dark")


def test_what_draws_figures_is_loaded_for_the_first_figure_and_once(reader):
    reader.enter(_ANSWERED["comparison"])
    reader.title()
    assert not any("/charts.js" in each for each in reader.requests)
    reader.page.goto(reader.server.base + _ANSWERED["columns"])
    reader.page.wait_for_selector("figure[data-state=drawn]")
    assert sum("/charts.js" in each for each in reader.requests) == 1


def test_a_page_is_there_at_once_and_what_it_loads_is_small(reader):
    times = []
    for _ in range(3):
        reader.page.goto(reader.server.base + "/design")
        times.append(reader.page.evaluate("performance.getEntriesByType('navigation')[0].responseEnd"))
    assert min(times) < 100
    sizes = reader.page.evaluate("performance.getEntriesByType('resource').map(each => each.encodedBodySize)")
    assert 0 < sum(sizes) < 40_000
