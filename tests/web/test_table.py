"""The door of a table: what its columns are for, who is exposed at once, and the file that the page writes."""

import re
from collections import Counter
from collections.abc import Generator
from html import unescape
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import discretion as dc
from discretion.jobs.exposure import table_exposure
from discretion.jobs.options.tables import AuditOptions, ExposureOptions
from discretion.web.doors import settled
from discretion.web.open_tables import MOST_TABLES_KEPT, OpenTables
from support.chromium import running_chromium
from support.cli_runner import run
from support.page_client import Browser, Reply, let_in
from support.served_page import serving

ADULT = "example:adult"
#: Of whom nobody but one person has the values that begin with "Only".
RARE = {
    "sex": ["f", "m"] * 300 + ["OnlySex"],
    "town": ["north", "south", "east"] * 200 + ["OnlyTown"],
    "job": ["cook"] * 600 + ["OnlyJob"],
    "ill": (["flu"] * 5 + ["well"]) * 100 + ["OnlyIll"],
    "born": [f"{1950 + number % 40}-01-01" for number in range(600)] + ["1871-12-31"],
}
ONLY = re.compile("Only(Sex|Town|Job|Ill)|1871")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    pyarrow.csv.write_csv(pa.table(RARE), folder / "rare.csv")
    return folder


@pytest.fixture(scope="module")
def browser(folder: Path) -> Generator[Browser]:
    with serving(folder) as server:
        yield let_in(server, str(folder / "rare.csv"))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_numbers_are_those_of_the_command(browser: Browser, seed: int) -> None:
    random = Random(seed)
    columns = random.sample(dc.Population(ADULT).columns, random.randint(2, 15))
    sensitive, k = columns[: random.randint(0, 1)], random.choice([2, 10, 500])
    texts = {"about": ADULT, "columns": ",".join(columns), "sensitive": ",".join(sensitive), "k": k}
    results = browser.json("/columns", texts).results
    exposure = table_exposure(ADULT, ExposureOptions(columns=columns, sensitive=sensitive, k=k))
    assert (results["exposed_people"], results["exposure"]) == (exposure.exposed_people, exposure.exposure)
    for guess in results["guesses"]:
        attack = dc.anonymity.inference(ADULT, exposure.columns, guess["sensitive"])
        assert guess["after"] == pytest.approx(attack.posterior, abs=1e-15)


@pytest.mark.long
def test_the_audit_is_that_of_the_command(browser: Browser) -> None:
    texts = {"about": ADULT, "columns": "sex,race,income", "sensitive": "income", "keep": "sex"}
    decision = browser.json("/table", texts).results["decision"]
    audit = dc.audit(ADULT, ["sex", "race", "income"], "income", keep=["sex"])
    assert decision == audit.to_dict()["decision"]


@pytest.mark.long
def test_the_columns_are_choices_that_say_what_the_address_says(browser: Browser) -> None:
    texts = {"about": ADULT, "drop": "age,fnlwgt", "keep": "sex", "sensitive": "income,race", "weight": "education_num"}
    page = browser.part("/columns", texts).text
    chosen = dict(re.findall(r'name="as:(\w+)".*?<option selected>([^<]*)', page, re.DOTALL))
    expected = dict.fromkeys(["age", "fnlwgt"], "does not go out") | dict.fromkeys(["income", "race"], "sensitive")
    expected |= {"sex": "must go out", "education_num": "weight"}
    assert {name: role for name, role in chosen.items() if role != "goes out"} == expected
    assert set(chosen) == {*dc.Population(ADULT).columns}
    for name in chosen:
        assert re.search(rf'<label for="(role-\d+)">{name}</label>\s*<select id="\1"', page)


@pytest.mark.long
def test_choices_of_a_form_become_options_of_the_address(browser: Browser) -> None:
    form = {
        "about": ADULT,
        "k": "5",
        "person": "sex",
        "as:sex": "sensitive",
        "as:age": "does not go out",
        "rows": "each",
    }
    for path in ("/table", "/columns"):
        reply = browser.get(path, form, **{"X-Part": "answer"})
        assert reply.path == f"{path}?about=example%3Aadult&sensitive=sex&person=none&drop=age&k=5"
    assert settled({"about": ["a.csv"], "drop": ["sex"]}) is None
    assert browser.get("/table", {"about": ADULT, "as:sex": "goes away"}).status == 422


@pytest.mark.long
def test_no_response_has_a_value_of_few_people(browser: Browser, folder: Path) -> None:
    asked = [
        {},
        {"sensitive": "ill"},
        {"k": "2", "keep": "town", "budget": "0.1"},
        {"generalize": "born=years,town,job,ill", "budget": "1"},
        {"generalize": "town=as it is,born"},
        {"drop": "born,ill", "budget": "0.5", "max_suppressed": "0"},
        {"person": "none", "weight": "sex"},
        {"person": "town"},
        {"missing": "no", "columns": "job,born"},
    ]
    replies: list[Reply] = []
    for texts in ({"about": "rare.csv", **given} for given in asked):
        for path in ("/columns", "/table"):
            replies += [browser.part(path, texts), browser.json(path, texts), browser.get(path, texts)]
        for action in re.findall(r'action="(/release[^"]*)"', replies[-1].text):
            written = browser.post(unescape(action), {"out": str(folder / f"{len(replies)}.csv")})
            replies += [written, browser.part(written.path), browser.get(written.path + "&format=json")]
    statuses = Counter(reply.status for reply in replies if reply.path.startswith("/release"))
    assert {*statuses} == {200, 422}  # as recommended, and as chosen
    assert statuses[200] >= 9
    for reply in replies:
        assert not ONLY.search(reply.text), reply.path


@pytest.mark.long
def test_the_page_writes_the_recommended_file_and_the_policy_that_it_keeps_to(browser: Browser, folder: Path) -> None:
    texts = {"about": ADULT, "columns": "sex,race,education,income", "sensitive": "income", "keep": "income"}
    answer = browser.part("/table", texts).text
    action = unescape(re.findall(r'action="(/release[^"]*)"', answer)[0])
    out = folder / "published.parquet"
    for origin in ("http://example.org", "null"):
        assert browser.post(action, {"out": str(out)}, origin=origin).status == 403
    assert browser.post(action, {"out": ""}).status == 422
    assert "Write this file" in browser.get(action).text
    assert not out.exists()
    written = browser.post(action, {"out": str(out)})
    results = browser.get(written.path + "&format=json").results
    table = pyarrow.parquet.read_table(out)
    assert table.column_names == [each["column"] for each in results["columns"] if each["verdict"] != "drop"]
    assert table.num_rows == results["people"] - results["suppressed"]

    policy = folder / "discretion.toml"
    policy.write_text(
        unescape(re.sub("<[^>]*>", "", re.findall(r'<code class="command lines">(.*?)</code>', answer, re.DOTALL)[0]))
    )
    code, said, _ = run("check", str(out), "--policy", str(policy))
    assert code == 0, said


@pytest.mark.long
@pytest.mark.parametrize("name", ["there.csv", "rare.csv", "link.csv", "beside.csv", "no/folder.csv", "published.txt"])
def test_no_file_is_replaced_and_none_written_where_none_can_be(browser: Browser, folder: Path, name: str) -> None:
    (folder / "there.csv").write_text("mine")
    (folder / "beside.csv.discretion.json").write_text("mine")
    if not (folder / "link.csv").is_symlink():
        (folder / "link.csv").symlink_to(folder / "there.csv")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    query = "/release?about=example:adult&publish=sex,race&out="
    browser.post("/release?about=example:adult&publish=sex,race", {"out": str(folder / name)})
    assert browser.get(f"{query}{folder / name}&format=json").status == 422
    assert "Not answered" in browser.part(f"{query}{folder / name}").text
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.long
def test_a_process_keeps_the_tables_that_were_asked_about_last_and_reads_a_file_anew_that_changed(
    tmp_path: Path,
) -> None:
    def written(name: str, people: int) -> str:
        pyarrow.csv.write_csv(pa.table({"sex": ["f", "m"] * (people // 2)}), tmp_path / name)
        return str(tmp_path / name)

    opened = OpenTables().opener(AuditOptions())
    places = [written(f"{number}.csv", 10) for number in range(MOST_TABLES_KEPT + 1)]
    first, *_, last = [opened(place) for place in places]
    assert opened(places[-1]) is last
    assert opened(places[0]) is not first
    assert opened(written("0.csv", 12)).people.people == 12


@pytest.mark.long
def test_the_page_writes_the_file_with_the_columns_as_they_were_chosen(browser: Browser, folder: Path) -> None:
    form = {"about": ADULT, "max_suppressed": "0", "budget": "0.02"}
    form |= {f"as:{name}": "does not go out" for name in dc.Population(ADULT).columns}
    form |= {"as:sex": "goes out", "as:age": "goes out, generalized", "how:age": "in steps of 5"}
    chosen = browser.part("/columns", form)
    assert "generalize=age%3Din+steps+of+5" in chosen.path
    options = dict(re.findall(r'<option value="([^"]*)"(?: selected)?>([^<]*) kept: \1<', chosen.text))
    assert options["in steps of 5"] == "60 %"
    assert next(iter(options)) == "as it is"
    action, out = unescape(re.findall(r'action="(/release[^"]*)"', chosen.text)[0]), folder / "chosen.parquet"
    written = browser.post(action, {"out": str(out)})
    assert browser.get(written.path + "&format=json").status == 200
    table = pyarrow.parquet.read_table(out)
    assert sorted(table.column_names) == ["age", "sex"]
    texts = {"about": ADULT, "columns": "sex,age", "generalize": "age=in steps of 5"}
    results = browser.json("/columns", texts).results
    whole = dc.Population(table).class_sizes(["sex", "age"])
    assert (results["exposed_people"], results["people"]) == (whole.exposed(k=10), whole.people)


@pytest.mark.long
def test_a_generalization_is_no_part_of_the_audit(browser: Browser) -> None:
    texts = {"about": ADULT, "columns": "sex,race", "k": "20"}
    plain, tried = (browser.json("/table", each) for each in (texts, texts | {"generalize": "race"}))
    assert plain.results == tried.results
    answer = browser.part("/table", texts | {"generalize": "race"}).text
    commands = re.findall(r'<code class="command">(.*?)</code>', answer)
    assert any("discretion audit" in each for each in commands)
    assert "generalize" not in "".join(commands)


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.parametrize("width", [400, 1280])
def test_a_generalization_is_chosen_by_the_keyboard_and_its_cost_is_seen(folder: Path, width: int) -> None:
    with serving(folder) as server, running_chromium() as running:
        page = running.new_page(viewport={"width": width, "height": 900})
        page.goto(server.address)
        page.wait_for_selector(".choices")
        page.goto(f"{server.base}/table?about=example:adult&columns=sex,age")
        role = page.get_by_label("age", exact=True)
        role.wait_for()
        role.focus()
        page.keyboard.press("ArrowDown")
        how = page.get_by_label("age goes out")
        how.wait_for()
        assert page.get_by_label("age", exact=True).evaluate("choice => choice === document.activeElement")
        how.select_option("in 5 ranges")
        page.wait_for_url("**generalize=age%3Din+5+ranges**")
        page.wait_for_selector("#at-once:not(.stale) >> text=information kept")
        assert how.evaluate("choice => choice.value") == "in 5 ranges"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.click("#undo")
        page.wait_for_selector("#at-once:not(.stale) >> text=rare merged")
        page.fill("#field-k", "12")
        page.press("#field-k", "Tab")
        page.wait_for_url("**k=12**")
        page.wait_for_selector("#at-once:not(.stale) >> text=fewer than 12")
        page.click("#undo")
        page.click("#undo")
        page.wait_for_selector("#at-once:not(.stale) h2:has-text('age, sex')")
        assert how.count() == 0
        running.close()


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.parametrize("width", [400, 1280])
def test_the_keyboard_stays_where_a_column_is_chosen_and_the_file_is_written(folder: Path, width: int) -> None:
    out = folder / f"written-{width}.csv"
    with serving(folder) as server, running_chromium() as running:
        page = running.new_page(viewport={"width": width, "height": 900})
        page.goto(server.address)
        page.wait_for_selector(".choices")
        page.goto(f"{server.base}/table?about=example:adult&columns=sex,race,education")
        page.wait_for_selector("#reply #again", timeout=120_000)
        education = page.get_by_label("education", exact=True)
        education.focus()
        page.keyboard.press("ArrowDown")
        page.wait_for_url("**drop=*education*")
        page.wait_for_selector("#at-once:not(.stale) h2:has-text('sex')")
        assert education.evaluate("choice => choice === document.activeElement")
        assert "has changed" in page.inner_text("#state")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.click("#undo")
        page.wait_for_selector("#at-once:not(.stale) h2:has-text('education')")
        assert page.get_by_label("education", exact=True).input_value() == "goes out"
        page.wait_for_selector("#reply #again", timeout=120_000)
        page.fill("#out", str(out))
        page.get_by_role("button", name="Write this file").click()
        page.wait_for_url("**/release?*")
        page.wait_for_selector("#reply #again", timeout=120_000)
        assert out.exists()
        running.close()
