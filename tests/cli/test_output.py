"""Every command writes its result as the result writes itself, and prints it whole if you ask for it."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from discretion.cli import commands
from discretion.presenting.views.result import JobResult
from support.cli_options import option_names
from support.cli_runner import run

OUTPUTS = {"--html", "--markdown", "--full", "--json", "--fail-over"}
PEOPLE = "town,job,ill\n" + "".join(f"t{i % 3},j{i % 4},{'yn'[i % 7 == 0]}\n" for i in range(84))
OTHERS = PEOPLE.replace("t1", "t2").replace("j3", "j1")
COMMANDS = {
    "audit": ["people.csv", "--sensitive", "ill", "--k", "3"],
    "release": ["people.csv", "--out", "out.csv", "--sensitive", "ill", "--k", "3", "--budget", "1"],
    "diff": ["people.csv", "others.csv", "--sensitive", "ill", "--k", "3"],
    "synthetic": ["people.csv", "others.csv", "--control", "people.csv", "--sensitive", "ill", "--seed", "1"],
    "check": ["people.csv", "others.csv", "--policy", "policy.toml"],
    "exposure": ["people.csv", "--sensitive", "ill", "--k", "3", "--bounds"],
    "exposure of counts": ["counts.csv", "--marginals", "--k", "3"],
    "measure": ["krr:k=3,epsilon=1"],
    "compare": ["krr:k=3,epsilon=1", "oue:k=3,epsilon=1", "--seed", "1"],
    "estimate": ["samples.csv", "--seed", "1"],
    "design": [
        "--answers",
        "3",
        "--users",
        "12",
        "--guess",
        "40%",
        "--protocols",
        "krr",
        "--adversary",
        "all-but-one:11,0,0",
        "--seed",
        "1",
    ],
    "tally": ["reports.jsonl", "--mechanism", "krr:k=30,epsilon=1"],
    "reproduce": ["ldp", "example-3-2"],
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in {
        "people.csv": PEOPLE, "others.csv": OTHERS, "policy.toml": 'columns = ["town", "job", "ill"]\nk = 2\n',
        "counts.csv": "column,value,count\ntown,a,5\ntown,b,2\n",
        "reports.jsonl": "".join(f"{i * i % 30}\n" for i in range(99)),
        "samples.csv": "secret,shown\n" + "".join(f"{i % 2},{i * i % 7}\n" for i in range(100)),
    }.items():  # fmt: skip
        Path(name).write_text(content)


def shown(command: str, monkeypatch: pytest.MonkeyPatch, *options: str) -> tuple[JobResult, str]:
    """The result that a command shows, and what it prints."""
    module, results = import_module(f"discretion.cli.{command.split(maxsplit=1)[0]}"), []
    show: Any = module.show

    def record(name: str, inputs: Any, result: JobResult, *arguments: Any, **options: Any) -> int:
        results.append(result)
        return show(name, inputs, result, *arguments, **options)

    monkeypatch.setattr(module, "show", record)
    code, out, err = run(command.split(maxsplit=1)[0], *COMMANDS[command], *options)
    assert (code in (0, 1), err) == (True, ""), (code, err)
    return results[0], out


@pytest.mark.one_in(17)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_files_are_what_the_result_writes(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result, out = shown(command, monkeypatch, "--html", "page.html", "--markdown", "page.md")
    assert Path("page.html").read_text() == result.to_html()
    assert Path("page.md").read_text() == result.to_markdown()
    assert "Report: page.html\nReport: page.md\n" in out


@pytest.mark.one_in(17)
@pytest.mark.parametrize("command", COMMANDS)
def test_with_json_the_files_are_written_too(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result, out = shown(command, monkeypatch, "--json", "--html", "page.html")
    assert Path("page.html").read_text() == result.to_html()
    assert json.loads(out)["results"] == json.loads(result.to_json())


@pytest.mark.one_in(13)
@pytest.mark.parametrize("command", COMMANDS)
def test_in_full_every_heading_and_cell_is_printed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    result, out = shown(command, monkeypatch, "--full")
    document = result.document()
    assert document.title in out
    for section in document.sections:
        assert (section.heading in out) == (section.level in ("first", "full"))
    assert "More: --full" not in out


@pytest.mark.one_in(17)
@pytest.mark.parametrize("command", COMMANDS)
def test_without_full_only_an_abridged_document_leaves_something_out(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, brief = shown(command, monkeypatch)
    assert ("More: --full, --html FILE, --markdown FILE." in brief) == result.document().is_abridged
    if not result.document().is_abridged:
        assert shown(command, monkeypatch, "--full")[1] == brief


def test_every_command_is_here() -> None:
    assert {name.split()[0] for name in COMMANDS} == {*commands.COMMANDS} - {"collect", "serve"}


@pytest.mark.parametrize("command", sorted({name.split()[0] for name in COMMANDS}))
def test_every_command_has_the_same_options_for_its_result(command: str) -> None:
    assert option_names(command) >= OUTPUTS


@pytest.mark.parametrize("option", ["--html", "--markdown", "--chart"])
def test_two_outputs_of_one_name_are_refused(option: str) -> None:
    Path("page.svg").write_text("as it was")
    for other in {"--html", "--markdown"} - {option}:
        code, out, err = run("audit", "people.csv", option, "page.svg", other, "./page.svg")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "cannot write two files as" in err
    assert Path("page.svg").read_text() == "as it was"


@pytest.mark.parametrize("written", ["out.csv", "out.csv.discretion.json"])
def test_a_page_does_not_take_the_place_of_a_release(written: str) -> None:
    code, out, err = run("release", "people.csv", "--out", "out.csv", "--html", written)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cannot write two files as" in err
    assert not Path(written).exists()
