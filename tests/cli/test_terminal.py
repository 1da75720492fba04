"""What reaches a terminal, or a program that reads JSON, whatever a table, a path or the environment says."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from discretion.cli.output import print_json
from discretion.presenting.progress import Progress
from support.cli_runner import run

TITLE = "\x1b]0;owned\x07"
# Steers a terminal, reorders a line, breaks it, or cannot be seen; and what no encoding has.
HOSTILE = {
    "control": "a\x1b[31m\x07\x7fb",
    "C1": "a\x9b31mb",
    "title": f"a{TITLE}b",
    "line breaks": "a\nb\rc\u2028d\u2029e\x85f\vg",
    "directions": "a\u202e\u2066\u200f\u061cb",
    "unseen": "a\u200b\u2060\ufeff\U000e0041\u3164\ufe0fb",
}
STEERING = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u2028\u2029\u202e\u2066\u200f\u061c\u200b\u2060"}
STEERING |= set("\ufeff\U000e0041\u3164\ufe0f") - {"\n"}


def shown_harmlessly(text: str) -> bool:
    return not (STEERING - {"\n"}).intersection(text)


def table(folder: Path, name: str) -> Path:
    (folder / "t.csv").write_text(f'"{name}",b\n' + "x,1\ny,2\ny,2\n" * 5, newline="")
    return folder / "t.csv"


# Line breaks apart: a header may be refused for them, and then shows nothing of the others.
BREAKS = HOSTILE["line breaks"]
NAMES = {"line breaks": BREAKS, "all others": "".join(name for name in HOSTILE.values() if name != BREAKS)}


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_columns_name_steers_no_terminal(tmp_path, name):
    path = str(table(tmp_path, name))
    tame = run("audit", str(table(tmp_path, "abc")))[1].count("\n")
    table(tmp_path, name)
    for command in (
        ["audit", path, "--sensitive", "b"],
        ["exposure", path, "--k", "2", "--bounds"],
        ["estimate", path],
    ):
        code, out, err = run(*command)
        assert code in (0, 2)
        assert shown_harmlessly(out + err)
    assert run("audit", path)[1].count("\n") >= tame
    code, _, err = run("audit", path, "--columns", "none")
    assert (code, err.count("\n")) == (2, 1)
    assert shown_harmlessly(err)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_path_steers_no_terminal(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    path = str(table(folder, "town"))
    for command in (
        ["audit", path, "--html", str(folder / "r.html")],
        ["audit", str(folder / "none.csv")],
        ["estimate", path, "--seed", "1"],
        ["measure", f"channel:{folder}/none.csv"],
        ["compare", "krr:k=3,epsilon=1", "--chart", str(folder / "c.svg")],
        ["reproduce", name],
    ):
        _, out, err = run(*command)
        assert shown_harmlessly(out + err), command


@pytest.mark.long
def test_letters_of_every_script_stay(tmp_path):
    for name in ("Größe", "年齢", "عمر", "גיל", "😀"):
        assert name in run("exposure", str(table(tmp_path, name)), "--k", "2")[1]


def test_progress_is_one_harmless_line_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    progress = Progress()
    progress._what = "column " + HOSTILE["title"] + HOSTILE["line breaks"] + "x" * 100
    said = progress._said()
    assert shown_harmlessly(said)
    assert "\n" not in said
    assert len(said) < 50
    assert said.endswith(" s")


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "discretion", *arguments], capture_output=True, check=False, env=os.environ | environment
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "cp1252:strict"},
        {"PYTHONIOENCODING": "utf-16"},
        {"PYTHONIOENCODING": "cp037"},
        {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "no_SUCH.locale"},
    ],
    ids=str,
)
def test_json_is_json_whatever_the_encoding_of_stdout(tmp_path, environment):
    name = "Größe\x7f\x9b\u202e\U0001f600" + HOSTILE["title"]
    done = command("exposure", str(table(tmp_path, name)), "--k", "2", "--json", **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    out = done.stdout.decode(environment.get("PYTHONIOENCODING", "ascii").partition(":")[0])
    assert json.loads(out)["inputs"]["columns"] == [name, "b"]
    assert out.isascii()
    assert shown_harmlessly(out)


@pytest.mark.long
def test_what_a_library_prints_by_itself_is_not_in_json() -> None:
    code = "import ctypes; from discretion.cli import main; main(); c = ctypes.CDLL(None); c.puts(b'x'); c.fflush(None)"
    done = subprocess.run([sys.executable, "-c", code, *QUICK, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["command"] == QUICK[0]


def test_what_no_encoding_has_is_in_json_as_it_was_given(capsys):
    inputs = {"table": "a\udce9\ud83d", "columns": list(HOSTILE.values())}
    print_json("audit", inputs, {})
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out)["inputs"] == inputs


AUDIT = ["audit", "example:adult", "--columns", "sex,race"]
WORDS = ["exposure", "example:adult", "--columns", "sex,race", "--k", "10"]
QUICK = ["measure", "krr:k=5,epsilon=1"]


@cache
def eighty_columns_wide() -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        return run(*AUDIT)[1]


@pytest.mark.long
@pytest.mark.parametrize("columns", ["0", "1", "²", "9" * 5000])
def test_no_width_of_a_terminal_loses_a_word(columns, monkeypatch):
    usual = eighty_columns_wide()
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("LINES", columns)
    code, out, err = run(*AUDIT)
    assert (code, err) == (0, "")
    assert len(out) < 10 * len(usual)
    assert "".join(out.split()).count("10,771") >= "".join(usual.split()).count("10,771") - 9
    assert run("audit", "--help")[0] == 0


@pytest.mark.long
@pytest.mark.parametrize(
    "environment",
    [{"TERM": ""}, {"TERM": "dumb"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}],
    ids=str,
)
def test_settings_of_the_terminal_change_no_word(environment):
    styled = command(*WORDS, **environment).stdout.decode()
    assert ("\x1b[" in styled) == ("FORCE_COLOR" in environment)
    assert re.sub(r"\x1b\[[\d;]*m", "", styled).splitlines() == run(*WORDS)[1].splitlines()


@pytest.mark.long
def test_without_docstrings_help_says_what_it_lacks_and_answers_are_the_same():
    done = command("audit", "--help", PYTHONOPTIMIZE="2")
    assert done.returncode == 0
    assert b"--show-rare" in done.stdout
    assert b"help has no explanations of options without docstrings (PYTHONOPTIMIZE=2, python -OO)" in done.stderr
    assert command(*QUICK, PYTHONOPTIMIZE="2").stdout.decode() == run(*QUICK)[1]


@pytest.mark.long
@pytest.mark.parametrize(("closed", "code"), [("<&- 2>&-", 0), (">&-", 2), ("<&- >&- 2>&-", 2)])
@pytest.mark.parametrize("words", [[*QUICK, "--json"], ["audit", "--help"]], ids=["json", "help"])
def test_a_closed_stream_ends_in_an_answer_or_a_sentence(closed, code, words):
    line = subprocess.list2cmdline([sys.executable, "-m", "discretion", *words])
    done = subprocess.run(["sh", "-c", f"{line} {closed}"], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert bool(done.stdout) == (code == 0)
    assert done.stderr.count("\n") == (code == 2 and "2>&-" not in closed)


@pytest.mark.long
@pytest.mark.parametrize("arguments", [["audit", "none.csv"], ["audit"], ["nonsense"]])
def test_bad_input_is_bad_input_with_nowhere_to_say_it(arguments):
    done = subprocess.run(["sh", "-c", f"{sys.executable} -m discretion {' '.join(arguments)} 2>&-"], check=False)
    assert done.returncode == 2


def test_an_error_of_ours_shows_where_it_was_and_no_words_that_may_quote_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from discretion.jobs import audit as job

    value = "Xanadu"

    def fail(*_: object, **__: object) -> None:
        raise KeyError(value)

    monkeypatch.setattr(job, "run_audit", fail)
    code, out, err = run("audit", "example:adult", "--columns", "sex")
    assert (code, out) == (70, "")
    assert "in fail" in err
    assert err.endswith("discretion: internal error (KeyError); please report it with the lines above\n")
    assert value not in err
