"""`discretion design`: a question's protocol, ε and number of people on the command line."""

import json
import shlex
from pathlib import Path

import pytest

from discretion.jobs.shipping import FILES, TASK
from support.cli_runner import run

SMALL = (
    "design",
    "--answers",
    "3",
    "--users",
    "12",
    "--protocols",
    "krr,hadamard",
    "--adversary",
    "all-but-one:11,0,0",
)


def test_json_has_the_recommendation_and_all_protocols() -> None:
    code, out, err = run(*SMALL, "--guess", "+0.1", "--seed", "1", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["command"], answer["inputs"]["answers"]) == ("design", 3)
    results = answer["results"]
    assert results["goals"] == ["best guess at most 43.33 %"]
    assert {*results["protocols"]} == {"krr", "hadamard"}
    assert results["recommended"] in results["protocols"].values()
    assert run(*SMALL, "--guess", "+0.1", "--seed", "1", "--json")[1] == out


def test_the_text_fits_eighty_columns_and_names_the_adversary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(*SMALL, "--guess", "40%")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith("A question with 3 answers for 12 people")
    assert "knows all other answers" in " ".join(out.split())


def test_a_recommended_command_runs() -> None:
    _, out, _ = run(*SMALL, "--guess", "40%")
    command = out.partition("Measure it again:")[2].strip().partition("\n\n")[0].replace("\\\n", "").splitlines()[0]
    program, *arguments = command.split()
    assert program == "discretion"
    code, measured, _ = run(*arguments)
    assert code == 0
    assert "posterior_vulnerability" in measured


def test_gates_are_about_the_recommended_protocol() -> None:
    assert run(*SMALL, "--guess", "40%", "--fail-over", "posterior_vulnerability>0.4")[0] == 0
    assert run(*SMALL, "--guess", "40%", "--fail-over", "frequency_error.people>0.001")[0] == 1


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--answers", "1", "--users", "10", "--guess", "0.7"), "answers must be a whole number of at least 2, got 1"),
        (("--answers", "3", "--users", "10", "--guess", "0.5", "--shares", "0.5,0.4,0.3"), "sum"),
        (("--answers", "3", "--users", "10", "--guess", "0.2"), "33.33 %"),
        (("--answers", "3", "--users", "10"), "a design needs a goal"),
        (("--answers", "3", "--users", "10", "--guess", "+0.1", "--protocols", "laplace"), "protocol"),
        (("--users", "10", "--guess", "+0.1"), "--answers"),
        (
            ("--answers", "4", "--users", "9", "--guess", "+0.01", "--error", "0.001", "--protocols", "krr"),
            "meets both",
        ),
    ],
)
def test_bad_input_ends_in_one_sentence(arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("design", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_shares_may_stand_in_a_file(tmp_path: Path) -> None:
    for name, text in {"row.csv": "0.7,0.2,0.1\n", "column.csv": "0.7\n0.2\n0.1\n"}.items():
        (tmp_path / name).write_text(text)
        code, out, _ = run(*SMALL, "--guess", "0.75", "--shares", str(tmp_path / name), "--json")
        assert code == 0
        assert json.loads(out)["results"]["prior_vulnerability"] == 0.7


@pytest.mark.long
def test_a_page_and_a_figure_are_written(tmp_path: Path) -> None:
    page, figure = tmp_path / "design.html", tmp_path / "design.svg"
    assert run(*SMALL, "--guess", "40%", "--html", str(page), "--chart", str(figure))[0] == 0
    assert "k-ary randomized response" in page.read_text()
    assert figure.read_text().startswith("<svg")


def test_what_is_shipped_runs_and_checks_the_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "question"
    code, out, _ = run(*SMALL, "--guess", "40%", "--shares", "0.3,0.35,0.35", "--ship", str(folder))
    assert code == 0
    assert f"Ship: {', '.join([*FILES, TASK])}" in out
    assert {path.name for path in folder.iterdir()} == {*FILES, TASK}
    notebook, names = json.loads((folder / "check.ipynb").read_text()), {}
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        exec(cell, names)
    assert sum(cell.startswith("check(") for cell in cells) == 6
    command = (
        "".join("".join(cell["source"]) for cell in notebook["cells"]).partition("`discretion ")[2].partition("`")[0]
    )
    again, expected = (
        run(*shlex.split(command), "--json"),
        run(*SMALL, "--guess", "40%", "--shares", "0.3,0.35,0.35", "--json"),
    )
    results = [json.loads(each[1])["results"]["recommended"] for each in (again, expected)]
    assert results[0] == results[1]


def test_nothing_is_shipped_where_it_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, out, err = run(*SMALL, "--guess", "40%", "--ship", str(tmp_path / "file"))
    assert (code, out) == (2, "")
    assert "not a folder" in err
