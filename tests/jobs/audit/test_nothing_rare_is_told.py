"""What fewer than max(k, 2) people hold is in no output of any command and in no result of the library.

Beside `tests/hostile/planted.py`, which plants texts at random and breaks files: numbers, dates and times here, in
typed tables too, however they are written; every command that reads a table or takes one by mistake; and results,
reports and whole tracebacks in Python.
"""

import base64
import html
import json
import re
import traceback
import urllib.parse
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import discretion as dc
from discretion import anonymity
from discretion.errors import DiscretionError
from discretion.presenting.views.result_views import page as to_html
from discretion.presenting.views.terminal import to_text
from support.cli_runner import run

pytestmark = pytest.mark.long

PEOPLE, K = 240, 10
MARK = "Zq7x"
# Held by one person, and by one less than k.
TOWNS = (f"{MARK}Ödetown", f"{MARK}<b>&town")
SALARIES = (735194682, 618273549)
WEIGHTS = (48391.627, 57284.913)
BIRTHS = (date(1873, 4, 19), date(1869, 11, 23))
VISITS = (datetime(1871, 2, 17, 3, 41, 59), datetime(1866, 8, 28, 22, 17, 53))
FIRST_PIN = 846213000


def with_rare(common: list[Any], rare: tuple[Any, Any], shift: int) -> list[Any]:
    """Return what people have in a column: the rare values somewhere among the common ones."""
    values = [common[number % len(common)] for number in range(PEOPLE)]
    values[shift] = rare[0]
    values[shift + 1 : shift + K] = [rare[1]] * (K - 1)
    return values


TABLE = pa.table(
    {
        "town": with_rare(["Oslo", "Rome", None], TOWNS, 5),
        "salary": with_rare([30_000, 40_000, 50_000], SALARIES, 20),
        "weight": with_rare([60.5, 70.25], WEIGHTS, 40),
        "born": with_rare([date(1980, 1, 1), date(1990, 5, 5)], BIRTHS, 60),
        "seen": with_rare([datetime(2020, 1, 1), datetime(2020, 6, 1, 12)], VISITS, 80),
        "id": [f"{MARK}{number:03}" for number in range(PEOPLE)],
        "pin": [FIRST_PIN + number for number in range(PEOPLE)],
        "note": [f"a note of many words on {MARK}{number % 120}" for number in range(PEOPLE)],
        "job": [("nurse", "clerk")[number % 2] for number in range(PEOPLE)],
    }
)


def spellings() -> Iterator[str]:
    """Yield how any of the rare values may be written."""
    yield MARK
    yield str(FIRST_PIN)[:6]
    yield f"{FIRST_PIN:,}"[:7]
    for salary in SALARIES:
        yield from (f"{salary}"[:6], f"{salary:,}"[:7], f"{salary:_}"[:7], f"{salary:.4e}"[:6])
    for weight in WEIGHTS:
        yield from (f"{weight:.1f}", f"{weight:,.1f}", f"{weight:.3e}"[:5] + "e+04", f"{weight:.3e}"[:6] + "e+04")
    for day in (*BIRTHS, *VISITS):
        for form in ("%Y-%m", "%Y/%m", "%m/%d/%Y", "%d.%m.%Y", "%Y%m%d", "%d %b %Y", "%b %d, %Y", "%B %d, %Y"):
            yield day.strftime(form)
        moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
        yield str((moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1))[:-3]
        yield f"date({day.year}, {day.month}"
        yield f"datetime({day.year}, {day.month}"


SPELLINGS = tuple(dict.fromkeys(spellings()))


def readings(text: str) -> Iterator[str]:
    """Yield a text as it stands, and with whatever hides letters of it undone."""
    yield text
    yield html.unescape(text)
    yield urllib.parse.unquote(text)
    yield re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)
    for blob in re.findall(r"(?:[A-Za-z0-9+/]{4}){6,}", text):
        yield base64.b64decode(blob).decode("latin-1")


def told(text: str) -> list[str]:
    """Return the rare values that a text tells, each with what is around it."""
    return [
        f"{rare}: …{reading[max(0, reading.find(rare) - 60) : reading.find(rare) + 60]}…"
        for reading in readings(text)
        for rare in SPELLINGS
        if rare in reading
    ]


def as_csv(folder: Path) -> Path:
    csv.write_csv(TABLE, folder / "people.csv")
    return folder / "people.csv"


def as_parquet(folder: Path) -> Path:
    parquet.write_table(TABLE, folder / "people.parquet")
    return folder / "people.parquet"


def as_json(folder: Path) -> Path:
    path = folder / "people.json"
    path.write_text(json.dumps(TABLE.to_pylist(), default=str))
    return path


FILES: dict[str, Callable[[Path], Path]] = {"csv": as_csv, "parquet": as_parquet, "json": as_json}


def check(folder: Path, *arguments: str, fails: bool = False) -> None:
    """Run a command and look for rare values in what it says and writes; its own files are in the folder ``given``."""
    code, out, err = run(*arguments)
    assert code in ((0, 2) if fails else (0, 1, 3)), (arguments, err)
    written = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "given"]
    for where, text in {"stdout": out, "stderr": err, **{str(path): path.read_text() for path in written}}.items():
        assert told(text) == [], (arguments, where)


@pytest.fixture
def given(tmp_path: Path) -> Path:
    (tmp_path / "given").mkdir()
    return tmp_path / "given"


@pytest.fixture(params=FILES)
def people(request: pytest.FixtureRequest, given: Path) -> Path:
    return FILES[request.param](given)


def options_of(command: str) -> set[str]:
    return set(re.findall(r"--[a-z-]+", run(command, "--help")[1]))


def test_the_search_finds_what_is_told(people: Path, tmp_path: Path) -> None:
    """Where rare values are asked for they are there, in each kind of output and of every type."""
    page = tmp_path / "page.html"
    columns = "town,salary,weight,born,seen,id,pin"
    _, out, _ = run("audit", str(people), "--columns", columns, "--show-rare", "--full", "--html", str(page))
    _, answer, _ = run("audit", str(people), "--columns", columns, "--show-rare", "--json")
    for text in (out, answer, page.read_text()):
        found = {rare.partition(":")[0] for rare in told(text)}
        assert {MARK, "735194", "48391.6", "1871-02"} <= found
        assert {"1869-11", "1873-04"} & found


def test_an_audit_tells_nothing_rare(people: Path, tmp_path: Path) -> None:
    options = options_of("audit")
    page, markdown = ["--html", str(tmp_path / "page.html")], ["--markdown", str(tmp_path / "page.md")]
    check(tmp_path, "audit", str(people), "--sensitive", "town", *page, *(markdown if "--markdown" in options else []))
    check(tmp_path, "audit", str(people), "--json", *(["--full"] if "--full" in options else []))


@pytest.mark.parametrize("sensitive", ["salary", "born", "id"])
def test_an_audit_of_sensitive_numbers_dates_and_names_tells_nothing_rare(
    given: Path, tmp_path: Path, sensitive: str
) -> None:
    columns = ["--columns", f"town,job,{sensitive}", "--sensitive", sensitive, "--budget", "0.5"]
    for asked in (["--html", str(tmp_path / "page.html")], ["--json"]):
        check(tmp_path, "audit", str(as_parquet(given)), *columns, *asked)


def test_an_audit_tells_no_single_person_s_value_whatever_k_is(people: Path) -> None:
    """At k = 1 and 2 the values that nine people hold are not rare."""
    for k in ("1", "2"):
        for asked in ([], ["--json"]):
            _, out, err = run("audit", str(people), "--columns", "town,salary,born,id,pin,job", "--k", k, *asked)
            for rare in (
                TOWNS[0],
                str(SALARIES[0]),
                f"{SALARIES[0]:,}",
                str(BIRTHS[0]),
                f"{MARK}0",
                str(FIRST_PIN)[:6],
            ):
                assert rare not in out + err


def test_an_audit_cut_short_failed_or_of_people_with_several_rows_tells_nothing_rare(
    given: Path, tmp_path: Path
) -> None:
    table = str(as_csv(given))
    check(tmp_path, "audit", table, "--time", "0.5", "--html", str(tmp_path / "short.html"), fails=True)
    check(tmp_path, "audit", table, "--fail-over", "exposure>0", "--columns", "town,salary")
    check(tmp_path, "audit", table, "--person", "note", "--sensitive", "salary", "--columns", "town,salary,job,born")
    check(tmp_path, "audit", table, "--person", "town", fails=True)  # some rows are nobody's
    check(tmp_path, "audit", table, "--person", "id", "--json", "--columns", "town,salary,job")


@pytest.mark.parametrize("columns", ["town", "salary,weight", "born,seen,pin", "id,note"])
def test_exposure_tells_nothing_rare(people: Path, tmp_path: Path, columns: str) -> None:
    chart = ["--chart", str(tmp_path / "curve.svg")]
    check(tmp_path, "exposure", str(people), "--columns", columns, "--person", "none", "--k", "10", "--bounds", *chart)
    check(tmp_path, "exposure", str(people), "--columns", columns, "--person", "none", "--threshold", "1/100", "--json")


@pytest.mark.parametrize(
    "more",
    [
        ["--person", "none"],
        ["--person", "none", "--sensitive", "salary"],
        ["--person", "id"],
        ["--person", "none", "--columns", "town,born,job"],
    ],
)
def test_a_diff_tells_nothing_rare(people: Path, given: Path, tmp_path: Path, more: list[str]) -> None:
    later = given / "later.csv"
    csv.write_csv(TABLE.slice(1).drop_columns(["weight"]), later)
    for old, new in ((people, later), (later, people)):
        for asked in ([], ["--json"], ["--fail-over", "linked_people>0"]):
            check(tmp_path, "diff", str(old), str(new), *more, *asked)
    check(tmp_path, "diff", str(people), str(later), "--person", "town", fails=True)


def test_a_check_tells_nothing_rare(people: Path, given: Path, tmp_path: Path) -> None:
    policy = given / "discretion.toml"
    for secret in ("town", "salary", "born", "id"):
        policy.write_text(
            'person = "none"\n'
            f'columns = ["job"]\ntogether = [["job", "town"]]\nk = 5\nsensitive = ["{secret}"]\nguess_budget = 0.05\n'
            'certain_budget = 0\nl = 2\nt = 0.1\nfail_over = ["singling_out>0", "prosecutor_highest>0.1"]'
        )
        for asked in ([], ["--json"], ["--fail-over", "exposure>0"]):
            check(tmp_path, "check", str(people), "--policy", str(policy), *asked)
    for wrong in ("columns = ['job']\nsensitiv = 'job'\nl = 2", "k = 2\nperson = 'town'", "k = 2\nheader = ['a']"):
        policy.write_text(wrong)
        check(tmp_path, "check", str(people), "--policy", str(policy), fails=True)
    check(tmp_path, "check", str(policy), "--policy", str(people), fails=True)
    check(tmp_path, "check", str(people), "--policy", str(people), fails=True)


def test_counts_of_columns_tell_nothing_rare(given: Path, tmp_path: Path) -> None:
    path = given / "counts.csv"
    rows = [
        f'{column},"{value}",{sum(held == value for held in TABLE[column].to_pylist())}'
        for column in ("town", "salary", "born")
        for value in dict.fromkeys(TABLE[column].drop_null().to_pylist())
    ]
    path.write_text("\n".join(["column,value,count", *rows, f"town,,{TABLE['town'].null_count}"]) + "\n")
    for asked in ([], ["--json"], ["--fail-over", "exposure_bound>0"]):
        check(tmp_path, "exposure", str(path), "--marginals", "--k", "10", *asked)
    path.write_text(path.read_text().replace(f'"{SALARIES[0]}",1', f'"{SALARIES[0]}",many'))
    check(tmp_path, "exposure", str(path), "--marginals", "--k", "10", fails=True)


@pytest.mark.parametrize("secret", ["town", "salary", "id", "born"])
def test_estimates_from_a_table_of_people_tell_nothing_rare(given: Path, tmp_path: Path, secret: str) -> None:
    path = given / "samples.csv"
    samples = TABLE.select([secret, "job", "weight"])
    csv.write_csv(samples.set_column(0, secret, samples[secret].fill_null(samples[secret][0])), path)
    singles = secret == "id"  # of which no two can be compared
    check(tmp_path, "estimate", str(path), "--seed", "1", "--chart", str(tmp_path / "chart.svg"), fails=singles)
    check(
        tmp_path, "estimate", str(path), "--seed", "1", "--json", "--all-secrets", "--half-width", "0.1", fails=singles
    )


def test_a_table_of_people_where_a_matrix_is_meant_tells_nothing_rare(people: Path, tmp_path: Path) -> None:
    krr = "krr:k=3,epsilon=1"
    for command in (
        ["measure", f"channel:{people}"],
        ["measure", f"exponential:epsilon=1,scores={people}"],
        ["measure", krr, "--gain", f"matrix:{people}"],
        ["measure", krr, "--population", f"mixture:{people}"],
        ["compare", krr, f"channel-mechanism:{people}", "--users", "10"],
        ["estimate", str(people)],
        ["exposure", str(people), "--marginals", "--k", "10"],
    ):
        check(tmp_path, *command, fails=True)


def broken(given: Path) -> Iterator[Path]:
    """Yield files that cannot be read, each near what is rare in it."""
    content, at = as_csv(given).read_bytes(), as_csv(given).read_bytes().index(str(SALARIES[0]).encode())
    spoilt = {
        "cut.csv": content[: at + 4],
        "quote.csv": content[:at] + b'"' + content[at:],
        "comma.csv": content[:at] + b"," + content[at:],
        "line.csv": content[:at] + b"\n" + content[at:],
        "bytes.csv": content[:at] + b"\xff\x00" + content[at:],
        "headless.csv": content.split(b"\n", 6)[6],
        "twice.csv": b"\n".join([content.split(b"\n")[6].replace(b"Rome", b"Zq7xRome")] * 3),
        "tabs.csv": content.replace(b",", b"\t"),
        "really.parquet": content,
        "cut.parquet": as_parquet(given).read_bytes()[:-400],
        "really.json": content,
        "cut.json": as_json(given).read_bytes()[:-4000],
        "keys.json": as_json(given).read_bytes().replace(b'"salary": 735194682', b'"salary": 735194682, "salary": 1'),
        "really.csv": as_parquet(given).read_bytes(),
    }
    for name, damaged in spoilt.items():
        (given / name).write_bytes(damaged)
        yield given / name


def test_what_is_wrong_with_a_file_is_said_without_a_value(given: Path, tmp_path: Path) -> None:
    for path in broken(given):
        check(tmp_path, "audit", str(path), "--columns", "town,salary,job", fails=True)
        check(tmp_path, "exposure", str(path), "--k", "10", fails=True)
        try:
            dc.Population(path)
        except DiscretionError:
            assert told(traceback.format_exc()) == [], path


@pytest.mark.parametrize(
    "wrong",
    [
        ["--columns", "nosuch"], ["--columns", "job,job"], ["--sensitive", "nosuch"], ["--person", "nosuch"],
        ["--k", "0"], ["--k", "many"], ["--budget", "2"], ["--header", "no"], ["--header", "a,b"], ["--memory", "1KB"],
        ["--time", "never"], ["--html", "/nowhere/page.html"],
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_command_is_said_without_a_value(given: Path, tmp_path: Path, wrong: list[str]) -> None:
    check(tmp_path, "audit", str(as_csv(given)), *wrong, fails=True)


def results() -> Iterator[tuple[str, Any]]:
    P = anonymity.Population(TABLE)
    traits = ("town", "salary", "weight", "born", "job")
    yield "population", P
    yield "class sizes", P.class_sizes(traits)
    yield "marginals", P.marginals(traits)
    yield "marginals as JSON", P.marginals(traits).to_json()
    yield "joint", P.joint(["town"], "salary")
    yield "kinds", (kinds := anonymity.column_kinds(P))
    yield "question", anonymity.person_question(kinds)
    yield "risks", anonymity.reidentification_risks(P, traits[:-1], sensitive="job", population=10_000)
    yield "surprisal", [anonymity.surprisal(P, column, k=K) for column in traits]
    yield "selection", anonymity.select_columns(P, 0.1, k=K)
    yield "rounds", anonymity.hierarchical_rounds(P, 0.1, k=K, columns=traits)
    yield "attacks", anonymity.attacks_on_all(P, ["town", "born", "job"], sensitive="salary")
    yield "inference", anonymity.inference(P, ["town"], "born")
    rules = anonymity.redaction_rules(P, K, traits)
    yield "rules", rules
    yield "leakage", [anonymity.redaction_leakage(P, rule) for rule in rules]
    yield "certified", anonymity.theorem_bound(P, k=K, columns=traits)
    yield "t", [anonymity.t_closeness(P, ["job"], column) for column in traits[:-1]]
    found = dc.audit(P, columns=[*traits, "id", "pin", "note"], sensitive="salary")
    yield "audit", found
    yield "audit as data", found.to_dict()
    yield "audit as a page", to_html(found)
    yield "audit as text", list(map(repr, to_text(found.document()).renderables))


def test_no_result_of_the_library_holds_anything_rare() -> None:
    for what, result in results():
        shown = [repr(result), str(result)]
        for way in ("_repr_html_", "to_html", "to_markdown", "to_dict", "to_frame"):
            if hasattr(result, way):
                shown.append(str(getattr(result, way)()))
        for text in shown:
            assert told(text) == [], what


def test_no_error_of_the_library_holds_anything_rare() -> None:
    """Not in its causes, contexts and notes either: whole tracebacks are what logs keep."""
    P = anonymity.Population(TABLE)
    typed = TABLE.set_column(1, "salary", TABLE["salary"].cast(pa.decimal256(40, 2)))
    two = TABLE.rename_columns(["town", "TOWN", *TABLE.column_names[2:]])
    for wrong in (
        lambda: P.class_sizes(["nosuch"]),
        lambda: P.best_guesses(["town"], "town"),
        lambda: anonymity.t_closeness(P, ["job"], "town", order=["Oslo", "Rome"]),
        lambda: anonymity.generalised(P, "town", "region", {"Oslo": "north"}),
        lambda: anonymity.generalised(P, "salary", "region", {}),
        lambda: anonymity.Population(TABLE, person="town"),
        lambda: anonymity.Population(typed),
        lambda: anonymity.Population(two),
        lambda: dc.audit(TABLE, sensitive="nosuch"),
        lambda: anonymity.reidentification_risks(P, ["town"], population=3),
    ):
        with pytest.raises(DiscretionError) as failed:
            wrong()
        assert told("".join(traceback.format_exception(failed.value))) == []
        error: BaseException | None = failed.value
        while error is not None:
            assert told(f"{error!r} {error.args} {getattr(error, '__notes__', '')}") == []
            error = error.__cause__ or error.__context__
