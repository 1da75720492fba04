"""What help shows, and what a shell completes."""

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import discretion as dc
from discretion.anonymity.releasing.utility import UTILITIES
from discretion.cli.collect import SUBCOMMANDS
from discretion.cli.commands import COMMANDS
from support.cli_runner import run

EVERY = [[name] for name in COMMANDS if name != "collect"] + [["collect", name] for name in SUBCOMMANDS]


def broken_lines(help_shown: str) -> list[tuple[str, str, int]]:
    """Each line of an option's text, the one after it, and how many characters a line holds."""
    found: list[tuple[str, str, int]] = []
    for panel in re.findall(r"^╭.*?^╰", help_shown, re.MULTILINE | re.DOTALL):
        lines = [line.removeprefix("│").removesuffix("│") for line in panel.splitlines()[1:-1]]
        first = re.match(r"[* ]*(?:-\S+|[A-Z]\S*)(?: \S+)*?  +(?=\S)", lines[0])
        assert first is not None
        start = first.end()
        for line, after in pairwise(lines):
            if not after[: start - 1].strip(" *"):
                found.append((line[start:].strip(), after[start:].strip(), len(line) - start - 1))
    return found


@pytest.mark.one_in(7)
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_the_text_of_an_option_fills_the_lines(command: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first word of a line would not have fitted on the line before."""
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = run(*command, "--help")
    assert code == 0
    assert all(len(line) <= width for line in out.splitlines())
    for line, after, room in broken_lines(out):
        assert len(line) + 1 + len(after.split()[0]) > room, (line, after)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_a_flag_has_no_default(command: list[str]) -> None:
    out = run(*command, "--help")[1]
    assert "False]" not in out
    assert "None]" not in out
    assert "--no-" not in out


SHELLS = {"bash": ".local/share/bash-completion/completions/discretion", "zsh": "", "fish": ""}


@pytest.mark.long
@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_installed(shell: str, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}
    words = [sys.executable, "-m", "discretion", "--install-completion", "--shell", shell]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    scripts = [path for path in files if "guess-budget" in path.read_text()]
    assert [str(path) in done.stdout.replace("\n", "") for path in scripts] == [True]
    assert SHELLS[shell] in str(scripts[0])


def test_a_completion_script_goes_where_it_is_sent_and_completes(tmp_path: Path) -> None:
    script = tmp_path / "script"
    code, out, err = run("--install-completion", "--shell", "bash", "--output", str(script))
    assert (code, out.count("\n"), err) == (0, 1, "")
    completing = f"source {script}; COMP_WORDS=(discretion audit --guess); COMP_CWORD=2; _discretion; echo $COMPREPLY"
    done = subprocess.run(["bash", "-c", completing], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "--guess-budget\n"


def test_a_shell_that_is_not_known_is_refused() -> None:
    code, out, err = run("--install-completion", "--shell", "csh")
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("command", ["audit", "release"])
def test_each_utility_of_a_release_is_described_where_it_is_chosen(command: str) -> None:
    words = " ".join(run(command, "--help")[1].replace("│", " ").split())
    assert all(f"{utility}: " in words for utility in UTILITIES)
    assert all(f'"{utility}", ' in str(dc.release.__doc__) for utility in UTILITIES)
