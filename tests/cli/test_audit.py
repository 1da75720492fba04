"""`discretion audit`: the main job from the shell."""

import json
import os
import re
import subprocess
import sys

import pytest

import discretion as dc
from support.cli_runner import run

COLUMNS = "sex,income,race,workclass"


@pytest.mark.long
def test_json_has_the_sections_of_the_contract_and_is_the_functions_answer() -> None:
    code, out, err = run("audit", "example:adult", "--columns", COLUMNS, "--sensitive", "income", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["schema_version"], answer["command"]) == (1, "audit")
    assert list(answer["results"]) == [
        "people", "rows", "decision", "risks", "uniqueness", "columns", "sets", "certified", "certified_selection",
        "selected", "release", "inference", "collection", "redaction", "cut_short", "not_examined",
        "measures",
    ]  # fmt: skip
    found = dc.audit("example:adult", columns=COLUMNS.split(","), sensitive="income")
    assert answer["results"] == json.loads(json.dumps(found.to_dict()))


@pytest.mark.long
def test_text_has_every_section_in_odds(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    code, out, _ = run("audit", "example:adult", "--columns", COLUMNS, "--sensitive", "income", "--full")
    assert code == 0
    for number in range(1, 9):
        assert f"\n{number}. " in out
    assert "about 76 in 100" in out
    for words in (
        "if independent (an assumption)",
        "alone certify that sex, income, race expose at most 0.5529 %",
        "In another release of the same number of people, ",
        " the value is certain for ",
        "With all rules applied, ",
    ):
        assert words in " ".join(out.split())
    assert "The ε of questions to the same people add up: all 4 questions" in " ".join(out.split())


@pytest.mark.long
def test_the_report_is_one_file_of_html(tmp_path) -> None:
    file = tmp_path / "report.html"
    code, out, _ = run("audit", "example:adult", "--columns", COLUMNS, "--html", file)
    assert code == 0
    assert str(file) in out
    assert file.read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [file]


def test_an_unwritable_report_is_refused_and_leaves_nothing(tmp_path) -> None:
    for place in (tmp_path / "no" / "report.html", tmp_path):
        code, out, err = run("audit", "example:adult", "--columns", "sex", "--html", place)
        assert (code, out) == (2, "")
        assert "cannot write" in err
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_report_replaces_regular_files_only_and_never_the_table(tmp_path) -> None:
    table, pipe, private = tmp_path / "people.csv", tmp_path / "pipe", tmp_path / "private.html"
    table.write_text("a\n1\n2\n")
    os.mkfifo(pipe)
    private.touch(mode=0o600)
    link = tmp_path / "link.html"
    link.symlink_to(private)
    for place in (table, pipe):
        code, _, err = run("audit", table, "--html", place)
        assert (code, err.count("\n")) == (2, 1)
        assert "cannot write" in err
    assert run("audit", table, "--html", link)[0] == 0
    assert link.is_symlink()
    assert private.stat().st_mode & 0o777 == 0o600
    assert "<!doctype html>" in private.read_text(encoding="utf-8")
    assert table.read_text() == "a\n1\n2\n"


def test_odd_names_are_shown_as_they_are(tmp_path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("[/foo],:smile:,esc\x1b[2J\n[red]x,1,2\n[red]x,1,2\n")
    code, out, _ = run("audit", file, "--k", "1", "--full")
    assert code == 0
    for words in ("[/foo]", ":smile:", "esc\\x1b[2J", "[red]x"):
        assert words in out
    assert "\x1b" not in out


@pytest.mark.long
@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_terminal_of_any_width_shows_how_to_ask_each_column(monkeypatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = run("audit", "example:adult", "--columns", "sex,race,native_country", "--full")[1]
    table = out[out.index("6. Asking the people instead") : out.index("7. If people")]
    for column, values in (("sex", 2), ("race", 5), ("native_country", 42)):
        assert re.search(rf"^(?: {column}|{column}\n  ask by:) +krr:k={values},", table, re.MULTILINE)
    assert max(map(len, table.splitlines())) <= width


@pytest.mark.long
def test_a_terminal_of_100_columns_shows_every_cell_of_the_wide_tables_on_a_line(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    out = run("audit", "example:adult", "--columns", COLUMNS, "--sensitive", "income", "--full")[1]
    assert max(map(len, out.splitlines())) <= 100
    for heads in (
        "columns +certified upper bound +exact +if independent",
        "columns +exposed +people exposed +people unique +classes +k-anonymous +l +t",
        "known +guess before +guess after +times +known for certain +released alone",
        "column +rare values +held by +decoys +redacted +exposed before +exposed after",
    ):
        assert re.search(rf"^ {heads}", out, re.MULTILINE), heads


@pytest.mark.long
def test_a_reader_that_goes_away_is_no_error() -> None:
    for arguments in (["--help"], ["measure", "krr:k=2,p=0.7"], ["measure", "krr:k=2,p=0.7", "--json"]):
        with subprocess.Popen(
            [sys.executable, "-m", "discretion", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            process.stdout.close()
            assert (process.wait(), process.stderr.read()) == (0, b"")


def test_a_failed_audit_leaves_no_part_of_a_report(tmp_path) -> None:
    file = tmp_path / "report.html"
    file.write_text("the old one")
    assert run("audit", "example:adult", "--columns", "nosuch", "--html", file)[0] == 2
    assert file.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.long
def test_a_document_is_what_the_terminal_shows_in_markdown(tmp_path) -> None:
    file = tmp_path / "report.md"
    code, out, _ = run("audit", "example:adult", "--columns", "sex,race", "--markdown", file)
    assert (code, out.splitlines()[-1]) == (0, f"Report: {file}")
    said = file.read_text(encoding="utf-8")
    assert said == dc.audit("example:adult", ["sex", "race"]).to_markdown()
    assert said.startswith("# What example:adult gives away\n\n32,561 people, 2 columns. ")


def test_two_outputs_are_two_files(tmp_path) -> None:
    for other in (tmp_path / "report", tmp_path / "." / "report"):
        command = ("audit", "example:adult", "--columns", "sex", "--html", tmp_path / "report", "--markdown", other)
        code, out, err = run(*command)
        assert (code, out) == (2, "")
        assert "cannot write two files as" in err
        assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_fail_over_compares_all_columns_together() -> None:
    arguments = ["audit", "example:adult", "--columns", COLUMNS, "--json"]
    assert run(*arguments, "--fail-over", "exposure>0.9")[0] == 0
    assert run(*arguments, "--fail-over", "exposure>0.001")[0] == 1


@pytest.mark.long
def test_rare_values_need_to_be_asked_for(tmp_path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("town\n" + "Paris\n" * 20 + "Xanadu\n" * 2)
    for output in (["--json"], ["--full"]):
        assert "Xanadu" not in run("audit", file, *output)[1]
        assert "Xanadu" in run("audit", file, "--show-rare", *output)[1]


@pytest.mark.long
@pytest.mark.parametrize("person", [[], ["--person", "who"]], ids=["a row each", "several rows a person"])
@pytest.mark.parametrize("k", ["1", "2"])
def test_what_one_person_alone_holds_is_shown_at_no_k(tmp_path, k, person) -> None:
    # Thule is in three rows, all of the same person where rows name one; without, it is held by three.
    rows = [(f"p{i}", "Oslo", f"only{i}") for i in range(6)] + [("p9", "Thule", "only9")] * 3
    (tmp_path / "t.csv").write_text("who,town,mark\n" + "".join(f"{','.join(row)}\n" for row in rows))
    command = ["audit", str(tmp_path / "t.csv"), "--k", k, *person]
    columns = ["--columns", "town,mark"] if person else []
    answers = ([], ["--json", "--html", str(tmp_path / "r.html"), "--markdown", str(tmp_path / "r.md")])
    shown = "".join(run(*command, *columns, *answer)[1] for answer in answers)
    shown += (tmp_path / "r.html").read_text() + (tmp_path / "r.md").read_text()
    assert not re.search("only[0-8]", shown)
    assert ("Thule" in shown) == (not person)
    if person:
        assert "held by fewer than 2 people, withheld" in shown
        assert "Thule" in run(*command, *columns, "--show-rare", "--full")[1]


def test_names_with_commas_and_line_breaks_go_in_quotes(tmp_path) -> None:
    file = tmp_path / "people.csv"
    file.write_text('"a, b","c\nd",e\n1,2,3\n')
    code, out, _ = run("audit", file, "--columns", 'e, "a, b","c\nd"', "--json")
    assert code == 0
    assert json.loads(out)["inputs"]["columns"] == ["e", "a, b", "c\nd"]


@pytest.mark.long
def test_bad_options_are_one_sentence_and_exit_code_2() -> None:
    for arguments, expected in (
        (["--budget", "2"], "in [0, 1], got 2.0"),
        (["--k", "0"], "at least 1, got 0"),
        (["--k", "1.5"], "1.5"),
        (["--fail-over", "0.05"], 'as in "exposure>0.01" or "k_anonymity<5", got \'0.05\''),
        (["--fail-over", "exposure>nan"], "got 'exposure>nan'"),
        (["--fail-over", "exposed>0.1"], "did you mean 'exposure'"),
        (["--fail-over", "guess:income>0.1"], "there is no measure here called 'guess:income'"),
        (["--sensitive", "incom"], "did you mean 'income'"),
        (["--columns", "sex,sex"], "named twice"),
        (["--columns", ""], "separated by commas"),
        (["--columns", "sex\nrace"], "separated by commas"),
        (["--columns", '"sex'], "separated by commas"),
        (["--k", "ten"], "ten"),
    ):
        code, out, err = run("audit", "example:adult", *arguments)
        assert (code, out) == (2, "")
        assert expected in err
        assert err.count("\n") == 1


@pytest.mark.long
def test_the_module_runs_as_a_program_and_shows_what_it_can_do() -> None:
    shown = subprocess.run([sys.executable, "-m", "discretion", "--help"], capture_output=True, text=True, check=True)
    for command in ("audit", "measure", "compare", "exposure", "reproduce"):
        assert re.search(rf"^  {command} ", shown.stdout, re.MULTILINE)
        assert run(command, "--help")[0] == 0
    version = subprocess.run(
        [sys.executable, "-m", "discretion", "--version"], capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", version.stdout)


def loaded_by(arguments: list[str], modules: set[str]) -> str:
    """Return, as text, which of the modules a command has loaded."""
    code = (
        f"import sys; from discretion.cli import main; main({arguments}); print(sorted(set(sys.modules) & {modules}))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return shown.stdout.splitlines()[-1]


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_overview_and_the_version_load_no_library(option: str) -> None:
    assert (
        loaded_by([option], {"numpy", "rich", "ibis", "cyclopts", "importlib.metadata", "discretion.cli.run"}) == "[]"
    )


@pytest.mark.long
def test_measuring_a_closed_form_loads_neither_scipy_nor_the_table_engine() -> None:
    heavy = {"scipy", "ibis", "pyarrow", "pandas", "altair", "rich.table"}
    arguments = ["measure", "krr:k=5,epsilon=1", "--users", "1000", "--shuffled", "--json"]
    assert loaded_by(arguments, heavy) == "[]"
