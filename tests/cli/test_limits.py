"""What a process may have, and a command may take, ends in a sentence."""

import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from cli_runner import run

AUDIT = ["audit", "example:adult", "--columns", "sex,race"]


def run_under(limits: Mapping[str, int], *arguments: str) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of a command whose process is limited."""

    def limit() -> None:
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, value))

    command = [sys.executable, "-m", "tacit", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, preexec_fn=limit)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("limit", "value", "way_out"),
    [
        ("RLIMIT_AS", 300_000_000, "ulimit -v"),
        ("RLIMIT_DATA", 100_000_000, "ulimit -d"),
        ("RLIMIT_STACK", 300_000, "ulimit -s"),
        ("RLIMIT_NOFILE", 20, "ulimit -n"),
        ("RLIMIT_CPU", 3, "ulimit -t"),
    ],
)
def test_a_command_without_room_to_start_says_so(limit: str, value: int, way_out: str) -> None:
    code, out, err = run_under({limit: value}, *AUDIT)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("tacit: ")
    assert way_out in err


@pytest.mark.slow
def test_a_chart_that_cannot_be_drawn_leaves_nothing_behind(tmp_path: Path) -> None:
    code, out, err = run_under({"RLIMIT_AS": 3_000_000_000}, *AUDIT, "--html", str(tmp_path / "page.html"))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "draws charts does not start" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_chart_is_the_same_drawn_in_a_process_of_its_own(tmp_path: Path) -> None:
    files = [tmp_path / "here.svg", tmp_path / "apart.svg"]
    for file, limits in zip(files, ({}, {"RLIMIT_NOFILE": 60}), strict=True):
        code, _, err = run_under(
            limits, "exposure", "example:adult", "--columns", "sex,race", "--k", "10", "--curve", str(file)
        )
        assert (code, err) == (0, "")
    here, apart = (file.read_text() for file in files)
    assert here == apart
    assert here.startswith("<svg")


def test_every_exit_code_is_told() -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert all(number in out for number in ("0 fine", "1 over --fail-over", "2 bad input", "70", "129, 130, 143"))
