"""A path is a name: of a file that is read, or of nothing, said in one sentence and at once."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.cli_runner import run

# A command that reads a file, the name's ending, and a content that is good.
INPUTS = {
    "a table in CSV": (["audit", "{}"], ".csv"),
    "a table in JSON": (["exposure", "--k", "2", "{}"], ".json"),
    "a table in Parquet": (["audit", "{}"], ".parquet"),
    "samples": (["estimate", "{}"], ".csv"),
    "reports": (["tally", "{}", "--mechanism", "krr:k=2,p=0.7"], ".jsonl"),
    "a channel": (["measure", "channel:{}"], ".csv"),
    "a stored channel": (["measure", "channel:{}"], ".npy"),
    "a stored table": (["compare", "channel:{}", "krr:k=2,p=0.7"], ".parquet"),
    "a channel in Arrow": (["measure", "channel:{}"], ".arrow"),
    "points": (["measure", "krr:k=2,p=0.7", "--population", "mixture:{}"], ".csv"),
    "gains": (["measure", "krr:k=2,p=0.7", "--gain", "matrix:{}"], ".csv"),
}


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def device(path: Path) -> Path:
    path.symlink_to("/dev/zero")
    return path


def terminal(path: Path) -> Path:
    path.symlink_to("/dev/tty")
    return path


def system(path: Path) -> Path:
    path.symlink_to("/proc/self/status")
    return path


def dangling(path: Path) -> Path:
    path.symlink_to(path.parent / "nowhere")
    return path


def loop(path: Path) -> Path:
    path.symlink_to(path)
    return path


STRANGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (pipe, "it is not a regular file"),
    "a folder": (folder, "it is a folder"),
    "a device": (device, "it is not a regular file"),
    "a terminal": (terminal, "it is not a regular file"),
    "a file of the system": (system, "it gives data but no size"),
    "a link to nothing": (dangling, "there is no such file on this machine"),
    "a link to itself": (loop, "too many levels of symbolic links"),
    "nothing": (Path, "there is no such file on this machine"),
    "a NUL": (lambda path: f"{path.with_suffix('')}\0{path.suffix}", "no file has a NUL in its name"),
    "an address": (lambda path: f"https://example.org/{path.name}", "there is no such file on this machine"),
    "a bucket": (lambda path: f"s3://people/{path.name}", "there is no such file on this machine"),
    "a drive": (lambda path: f"C:\\{path.name}", "there is no such file on this machine"),
    "somebody's home": (lambda path: f"~/{path.name}", "there is no such file on this machine"),
    "a pattern": (lambda path: f"{path.parent}/*{path.suffix}", "there is no such file on this machine"),
    "a name without end": (lambda path: "a" * 9999 + path.suffix, "file name too long"),
}


@pytest.mark.parametrize("read", INPUTS)
@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="makes pipes, devices and links")
def test_what_is_no_file_is_refused_at_once_in_one_sentence(read: str, strange: str, tmp_path: Path) -> None:
    (command, suffix), (make, reason) = INPUTS[read], STRANGE[strange]
    (tmp_path / f"decoy{suffix}").write_text("a,b\n1,2\n")
    given = make(tmp_path / f"given{suffix}")
    code, out, err = run(*(word.replace("{}", str(given)) for word in command))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert reason in err
    assert len(err) < 500


@pytest.mark.parametrize("name", ["a[b].npy", "a*.npy", "a\\[b].npy", "{a,b}.npy", "http:b.npy", "-.npy", "~.npy"])
def test_a_stored_channel_is_the_one_of_that_name(name: str, tmp_path: Path) -> None:
    for decoy in ("ab.npy", "a[b].npy", "ac.npy", "a.npy", "b.npy"):
        np.save(tmp_path / decoy, [[0.5, 0.5], [0.5, 0.5]])
    np.save(tmp_path / name, [[1.0, 0.0], [0.0, 1.0]])
    code, out, err = run("measure", f"channel:{tmp_path / name}", "--only", "bayes_risk", "--json")
    assert (code, err) == (0, "")
    assert '"bayes_risk": 0.0' in out
