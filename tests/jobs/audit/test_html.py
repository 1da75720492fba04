"""The page says everything the audit found, and nothing that the table's names could turn it into."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import pyarrow
import pytest

import discretion as dc
from discretion.presenting.views.result_views import page as to_html
from jobs.audit import samples

_LOADING = {"src", "href", "data", "action", "poster", "srcset", "background", "formaction", "ping", "xlink:href"}


class Page(HTMLParser):
    """The page as a browser would take it apart."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self._cells: list[list[str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in {"td", "th"}:
            self._cells.append([])
        if tag not in {"meta", "link", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))
        if {"td", "th"} & {*self.open}:
            self._cells[-1].append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def inside(self, tag: str) -> list[str]:
        return [data for where, data in self.texts if where == tag]

    @property
    def words(self) -> str:
        shown = "".join(data for where, data in self.texts if where not in {"script", "style"})
        return re.sub(r"\s+", " ", shown)

    @property
    def cells(self) -> list[str]:
        """What stands in each cell."""
        return ["".join(cell) for cell in self._cells]

    @property
    def figures(self) -> list[dict]:
        data = [attributes.get("type") == "application/json" for attributes in self.all("script")]
        return [json.loads(text) for text, is_data in zip(self.inside("script"), data, strict=True) if is_data]


@cache
def page_of(name: str) -> Page:
    return Page(to_html(getattr(samples, name)()))


@pytest.fixture(params=["usual", "hostile", "bare", "wide"])
def page(request) -> Page:
    return page_of(request.param)


def test_every_section_stands_in_order(page):
    headings = [(where, text) for where, text in page.texts if where in {"h2", "h3"}]
    assert [text for where, text in headings if where == "h2"] == [
        "What to publish", "What to do with each column", "What would go wrong with the whole table", "Details"
    ]  # fmt: skip
    assert [text.partition(" ")[0] for where, text in headings if where == "h3"] == [f"{i}." for i in range(1, 11)]


def test_the_decision_stands_before_the_details_and_these_are_folded(page):
    words = page.words
    decision, whole, details = map(
        words.rindex, ("What to do with each column", "The risks as regulators name them", "Details")
    )
    assert decision < whole < details < words.rindex("1. What each column gives away alone")
    sections = [attributes for attributes in page.all("details") if attributes.get("class") == "section"]
    assert len(sections) == 10
    assert not any("open" in attributes for attributes in page.all("details"))


def test_before_the_details_no_jargon_is_used(page):
    before = page.words[: page.words.rindex("Details Each section")]
    assert not re.search(r"[εδβ]|\b[tl] =|k-anonym|diversity|closeness|entropy|quasi", before)


def test_the_decision_says_what_to_publish_what_that_gives_away_and_what_comes_next():
    usual, wide = (page_of(name).words.replace("\N{NO-BREAK SPACE}", " ") for name in ("usual", "wide"))
    for sentence in (
        "Publish 3 of 4 columns, 1 generalized as listed below: city, job, sick. 3 people are left out (0.3 %).",
        "The file exposes about 1 in 120 people (8, 0.8 %); the budget is 1 %; sick is guessed correctly 52 % of the "
        "time instead of 50 %, and certain for 3 people.",
        "The file keeps 60 % of the table's information, 3.25 bits a person; no other file within "
        "the goal keeps more: proved.",
        "discretion release people.csv --sensitive=sick '--publish=city,job=rare values merged,sick' "
        "--out=published.parquet",
        "For more columns, publish 3, 1 generalized: city, sick, age. They have 3 bits, expose 0.5 %; sick guessed "
        "52 %, certain for 3.",
        "A blind guess of sick is right about 1 in 2 times (50 %); by an adversary that knows city, "
        "job, about 75 in 100 times (75 %).",
    ):
        assert sentence in usual, sentence
    for sentence in (
        "First a question: number 0 has 400 values in 1,000 rows: if each is a person, name it with --person.",
        "If every row is a person of its own, publish 13 of 42 columns",
        "They expose nobody; the budget is 1 %",
        "this one has 12: the search reached its time limit.",
        "14 more columns to drop",
    ):
        assert sentence in wide, sentence
    bare = page_of("bare").words.replace("\N{NO-BREAK SPACE}", " ")
    assert "No column can go out within the budget of 1 %." in bare
    assert "Next, audit these columns by themselves" not in bare


def test_a_row_says_what_to_do_with_a_column_and_why_or_what_a_risk_is_and_means():
    rows = " | ".join(page_of("usual").cells).replace("\N{NO-BREAK SPACE}", " ")
    for row in (
        "job | generalize | values of fewer than 20 merged: 2.000 of 3.000 bits",
        "email | drop | identifier: a value of her own for nearly everybody",
        "prosecutor risk, average The chance to find a person drawn at random. | 98.7 % | 1.2 %",
        "journalist risk, highest The chance to find whose record it is among everybody. | at most 50 % | at most 20 %",
    ):
        assert row in rows, row
    assert "among everybody. | at most 50 % | –" in " | ".join(page_of("bare").cells).replace("\N{NO-BREAK SPACE}", " ")


def test_columns_to_publish_come_first_and_those_to_drop_last():
    verdicts = [text for where, text in page_of("usual").texts if text in {"publish", "generalize", "suppress", "drop"}]
    assert verdicts == ["publish", "publish", "generalize", "drop"]


def test_no_cell_of_a_wide_table_has_more_than_six_names():
    page = page_of("wide")
    counts = [len(re.findall(r"column number \d+", cell)) for cell in page.cells]
    assert 0 < max(counts) <= 6
    assert "all but a rather long name of column number 0" in page.words
    assert "13 columns (set 9)" in page.words
    assert "12 columns (set 15)" in page.words
    assert "The columns of sets 1 to 15" in page.words


def test_what_fewer_columns_expose_stands_beside_what_they_are_worth():
    words = page_of("usual").words
    assert "Fewer columns, fewer people exposed" in words
    assert words.index("city, sick20.8") < words.index("sick10.3")
    assert "jobnearly city" in words


def test_no_mark_of_a_wide_table_has_more_than_six_names():
    names = re.findall(r'"name": "([^"]*)"', json.dumps(page_of("wide").figures))
    assert names
    assert max(name.count("column number") for name in names) <= 6


def test_all_names_of_a_set_are_where_its_number_stands():
    titles = [attributes["title"] for attributes in page_of("wide").all("span") if "title" in attributes]
    assert max(title.count("column number") for title in titles) > 40


def test_a_figure_of_equal_values_or_of_one_mark_is_left_out():
    found = samples.usual()
    equal = tuple(replace(one, exposure=0.0, exposed_people=0) for one in found.columns)
    few = replace(
        found, columns=equal, selected=found.selected[:1], certified=found.certified[:1], inference=found.inference[:1],
        decision=replace(found.decision, front=found.decision.front[:1]),
    )  # fmt: skip
    drawn = re.findall(r'data-chart="(\w+)', to_html(few))
    assert set(drawn) <= {"ask"}
    assert {"columns", "selected", "front", "certified", "guesses"} <= set(
        re.findall(r'data-chart="(\w+)', to_html(found))
    )


def test_each_sensitive_column_has_its_own_guesses():
    found = samples.usual()
    other = tuple(
        replace(guess, sensitive="job", known=("city",), posterior=0.6 + i / 10)
        for i, guess in enumerate(found.inference[:2])
    )
    html = to_html(replace(found, sensitive=("sick", "job"), inference=(*found.inference, *other)))
    assert ('data-chart="guesses"' in html, 'data-chart="guesses-1"' in html) == (True, True)
    words = Page(html).words
    assert "Correct guesses of sick" in words
    assert "Correct guesses of job" in words


def test_where_nobody_is_exposed_everybody_is_said_to_be_alike():
    found = samples.usual()
    whole = replace(found.sets.whole, exposed_people=0, exposure=0.0, unique_people=0)
    words = Page(to_html(replace(found, sets=replace(found.sets, whole=whole)))).words.replace(
        "\N{NO-BREAK SPACE}", " "
    )
    assert "Published whole, the table exposes nobody: everybody shares all 4 values with at least 9 others." in words
    assert "fewer than 9 others" not in words


def test_tags_are_closed_in_order(page):
    assert page.open == []


def test_contents_lead_to_sections_that_exist(page):
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    links = [attributes["href"] for attributes in page.all("a")]
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_nothing_is_loaded_from_anywhere(page):
    for _, attributes in page.tags:
        for name in _LOADING & set(attributes):
            assert attributes[name].startswith(("#", "data:,")), (name, attributes[name])
    assert not any("url(" in css or "@import" in css for css in page.inside("style"))
    assert not any("url(" in (attributes.get("style") or "") for _, attributes in page.tags)
    assert '"url"' not in json.dumps(page.figures)


def test_the_policy_forbids_loads_and_allows_the_two_scripts_only(page):
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert not re.search(r"https?:|\*|unsafe-eval|'self'", policy)
    script_policy = policy.split(";")[1]
    assert "unsafe-inline" not in script_policy
    runs = [a.get("type") is None for a in page.all("script")]
    for script, is_run in zip(page.inside("script"), runs, strict=True):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert (f"'sha256-{digest}'" in script_policy) == is_run


def test_the_page_names_its_language_viewport_and_title(page):
    assert page.all("html") == [{"lang": "en"}]
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all("meta")
    assert page.inside("title")[0].endswith("gives away: a Discretion audit")
    assert page.all("link") == [{"rel": "icon", "href": "data:,"}]


def test_tables_have_a_caption_and_scopes(page):
    assert len(page.all("caption")) == len(page.all("table")) > 0
    assert all(attributes.get("scope") in {"row", "col"} for attributes in page.all("th"))


def test_every_figure_says_what_it_shows(page):
    for figure in page.figures:
        assert figure["description"]
        assert "$schema" not in figure


def test_sentences_in_odds_come_before_the_numbers():
    words = page_of("usual").words.replace("\N{NO-BREAK SPACE}", " ")
    for sentence in (
        "city exposes most by itself: fewer than 10 people share the value of about 1 in 500 people (2 people, 0.2 %).",
        "Published whole, the table exposes everybody (1,000 people, 100 %): fewer than 9 others share all 4 values; "
        "1,000 people are unique.",
        "2 columns are enough to exceed the budget of 1 %: city, job expose about 12 in 100 people (12 %).",
        "city, sick together expose at most about 1 in 110 people (certified upper bound: at most 0.95 %). "
        "In truth they expose about 1 in 120 people (exact 0.8 %).",
        "city, sick can go out together: about 1 in 120 people (8 people, 0.8 %) exposed, within the budget of 1 %.",
        "A blind guess of sick is right about 1 in 2 times (50 %)",
        "To each of these 2 sets no other column can be added within the budget, identifier-like ones aside.",
        "In another release of the same number of people, city, sick would expose an estimated 0.9 % (95 %: 0.1 % to "
        "6 %) of them.",
        "The counts of the single columns alone certify that city, sick expose at most 0.95 % of the people.",
        "by an adversary that knows city, job, about 75 in 100 times (75 %). Without any column the guess is the most "
        "common value. With these columns the value is certain for 17 people.",
        "an adversary that knows all other answers is right at most about 30 in 100 times (at most 30 %)",
        "2 columns have values that fewer than 10 people hold.",
        "With all rules applied, city, sick together would expose 0.85 % of the people, instead of 0.8 %.",
    ):
        assert sentence in words


def test_every_section_with_numbers_says_what_it_does_not_say():
    assert page_of("usual").words.count("Limits of this result.") == 7


def test_what_is_no_promise_is_named_as_what_it_is():
    words = page_of("usual").words.replace("\N{NO-BREAK SPACE}", " ")
    assert "if independent (an assumption)" in words
    assert "rests on an assumption and is no bound" in words
    assert "Estimated, with an interval that holds in 95 % of all cases (method: limits of all shares)." in words


def test_a_set_is_called_anonymous_diverse_and_close_only_as_far_as_it_is():
    words = page_of("usual").words.replace("\N{NO-BREAK SPACE}", " ")
    assert "All 3 columns together, identifier-like ones aside, are 4-anonymous, with l = 2 and t = 0.25." in words
    assert "–" in page_of("wide").words  # after the ten sets of which it was worked out
    assert "–" not in words
    without = Page(to_html(replace(samples.usual(), sensitive=(), inference=())))
    assert "4-anonymous." in without.words
    assert "l = 2" not in without.words


def test_a_column_that_everybody_would_redact_is_better_not_asked_for():
    words = page_of("usual").words
    assert "Everybody would redact sick: at least half of the people have rare values." in words
    assert "not counted" in words
    assert "Of city everybody" not in words


def test_the_recommended_way_is_marked_and_too_few_people_are_said_for_what():
    usual = page_of("usual")
    assert {"class": "strong"} in usual.all("tr")
    assert "krr:k=4,epsilon=1 recommended" in usual.words
    assert "For sick there are too few people to hide one answer among." in usual.words
    assert "off by more than a typical share" not in usual.words


def test_asking_is_drawn_only_where_the_shuffled_guess_depends_on_the_way():
    found = samples.usual()
    assert page_of("usual").words.count("All ways to ask for") == 2
    alike = replace(found.collection[0], options=(samples.option(0.5, 0.26), samples.option(1.0, 0.26)))
    drawn = to_html(replace(found, collection=(alike, found.collection[1])))
    assert ('data-chart="ask-0"' in drawn, 'data-chart="ask-1"' in drawn) == (False, True)


def test_bounds_are_marked_and_exact_numbers_are_not():
    words = page_of("usual").words.replace("\N{NO-BREAK SPACE}", " ")
    assert "at most 30 %" in words
    assert "47.5 %" in words
    assert "at most 47.5 %" not in words
    assert "(method: counting)" in words
    assert "(method: blanket of uniform reports)" in words


def test_an_empty_cell_is_named_and_a_withheld_value_is_not():
    words = page_of("usual").words.replace("\N{NO-BREAK SPACE}", " ")
    assert "empty cell (NULL): 40 people" in words
    assert "held by fewer than 10 people, withheld" in words
    assert "“flu”: 40 people" in words


def test_a_withheld_value_never_occurs_even_if_the_audit_carries_it():
    found = samples.usual()
    careless = replace(found.columns[0], rarest_value="Thule", rarest_withheld=True)
    assert "Thule" not in to_html(replace(found, columns=(careless, *found.columns[1:])))


@pytest.mark.long
def test_no_rare_value_of_a_real_table_reaches_the_page():
    table = pyarrow.table({"city": ["Oslo"] * 12 + ["Thule"], "sick": ["no"] * 12 + [None]})
    html = to_html(dc.audit(table, sensitive="sick")).replace("\N{NO-BREAK SPACE}", " ")
    assert "Thule" not in html
    assert "held by fewer than 10 people, withheld" in html


def test_the_page_says_when_rare_values_are_shown():
    found = samples.usual()
    shown = replace(found.columns[0], rarest_value="Thule", rarest_withheld=False)
    assert "This audit shows values held by fewer than" in to_html(
        replace(found, columns=(shown, *found.columns[1:]), show_rare=True)
    )
    assert "This audit shows values held by fewer than" not in page_of("usual").words


def test_hostile_names_stay_words():
    hostile, usual = page_of("hostile"), page_of("usual")
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in usual.tags]
    assert not any(name.startswith("on") for _, attributes in hostile.tags for name in attributes)
    for words in (samples.HOSTILE, '{{ 7 * 6 }} & "quoted" <b>', "<svg onload=alert(4)>"):
        assert words in hostile.words
    assert samples.HOSTILE in json.dumps(hostile.figures)


def test_sections_without_findings_say_so():
    bare = page_of("bare")
    assert bare.figures == []
    for sentence in (
        "1,000 people in 3,000 rows (a person is one value of id)",
        "Every column is identifier-like",
        "Nothing is certified here",
        "None: every column that was examined exposes more than",
        "Name a sensitive column with --sensitive COLUMN",
        "Nothing was left out.",
    ):
        assert sentence in bare.words.replace("\N{NO-BREAK SPACE}", " ")
    assert bare.words.count("This was not examined, since a person has several rows.") == 2


def test_long_tables_are_folded_and_crowded_figures_say_what_they_leave_out():
    wide = page_of("wide").words.replace("\N{NO-BREAK SPACE}", " ")
    assert "32 more rows" in wide
    assert (
        "1,000 of 4,398,046,511,103 possible sets were examined; section 8 lists what is known of the others." in wide
    )
    assert "(the 25 columns that expose most)" in wide


@pytest.mark.long
def test_the_same_audit_is_the_same_page():
    assert to_html(samples.usual()) == to_html(samples.usual())


@pytest.mark.long
def test_no_name_or_value_reorders_the_words_around_it():
    marks = "\u202e\u2066\u200f\u061c\u2028\x9b\x7f\u200b"
    name, hebrew, value = f"a{marks}b", "גיל", f"x{marks}y"
    table = pyarrow.table({name: [value] * 20, hebrew: ["no"] * 10 + ["yes"] * 10})
    html = to_html(dc.audit(table, sensitive=hebrew, show_rare=True))
    assert not set(marks) & set(html)
    page = Page(html)
    for figure in page.figures:
        assert not set(marks) & set(json.dumps(figure, ensure_ascii=False))
    # Letters that run leftwards are set apart wherever they stand in text.
    assert all(where == "bdi" for where, text in page.texts if hebrew in text and where not in {"script", "title"})
    assert page.inside("bdi").count(hebrew) > 5
