"""No output of a command takes the place of what it reads, by whatever name."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from discretion.tables.locations import EXAMPLE, path_of
from support.cli_runner import run


def table(folder: Path) -> Path:
    (folder / "read.csv").write_text("a,b\nx,1\ny,2\nx,1\n")
    return folder / "read.csv"


def table_by_a_policy(folder: Path) -> Path:
    (folder / "policy.toml").write_text("k = 2\n")
    return table(folder)


def parts(folder: Path) -> Path:
    (folder / "read.parquet" / "year=2020").mkdir(parents=True)
    for part in ("part-0000.parquet", "year=2020/part-0001.parquet"):
        pyarrow.parquet.write_table(pa.table({"a": [1, 2]}), folder / "read.parquet" / part)
    return folder / "read.parquet"


def matrix(folder: Path) -> Path:
    (folder / "read.csv").write_text("0.5,0.5\n0.25,0.75\n")
    return folder / "read.csv"


def named_as_a_figure(make: Callable[[Path], Path]) -> Callable[[Path], Path]:
    """The same with a name that a figure may have."""
    return lambda folder: make(folder).rename(folder / "read.svg")


def stored(folder: Path) -> Path:
    np.save(folder / "read.npy", [[0.5, 0.5], [0.25, 0.75]])
    return folder / "read.npy"


def weights(folder: Path) -> Path:
    (folder / "read.csv").write_text("0.5,0.9,0.1\n0.5,0.2,0.8\n")
    return folder / "read.csv"


def hierarchy(folder: Path) -> Path:
    (folder / "people.csv").write_text("town,job\n" + "oslo,cook\nrome,smith\n" * 10)
    (folder / "town.csv").write_text("oslo,*\nrome,*\n")
    return folder / "town.csv"


def policy(folder: Path) -> Path:
    (folder / "read.toml").write_text("k = 2\n")
    return folder / "read.toml"


KRR, ADULT = "krr:k=2,epsilon=1", "example:adult"

# How an input is made, and the command with it and an output.
COMMANDS: dict[str, tuple[Callable[[Path], Path], list[str]]] = {
    "audit": (table, ["audit", "{read}", "--html", "{written}"]),
    "audit to a document": (table, ["audit", "{read}", "--markdown", "{written}"]),
    "audit on Spark": (table, ["audit", "{read}", "--engine", "spark", "--html", "{written}"]),
    "exposure": (table, ["exposure", "{read}", "--k", "2", "--chart", "{written}"]),
    "estimate": (table, ["estimate", "{read}", "--chart", "{written}"]),
    "measure": (matrix, ["measure", "channel:{read}", "--chart", "{written}"]),
    "compare": (matrix, ["compare", "krr:k=2,p=0.7", "channel:{read}", "--chart", "{written}"]),
    "a gain": (named_as_a_figure(matrix), ["measure", KRR, "--gain", "matrix:{read}", "--chart", "{written}"]),
    "distances": (named_as_a_figure(matrix), ["measure", KRR, "--gain", "distance:{read}", "--chart", "{written}"]),
    "a loss": (named_as_a_figure(matrix), ["measure", KRR, "--gain", "loss:{read}", "--chart", "{written}"]),
    "a population": (
        named_as_a_figure(weights),
        ["measure", KRR, "--population", "mixture:{read}", "--chart", "{written}"],
    ),
    "scores": (matrix, ["measure", "exponential:epsilon=1,scores={read}", "--chart", "{written}"]),
    "scores compared": (matrix, ["compare", KRR, "exponential:epsilon=1,scores={read}", "--chart", "{written}"]),
    "a hierarchy": (
        hierarchy,
        ["release", "{folder}/people.csv", "--hierarchies", "{read}", "--out", "{written}", "--k", "2"],
    ),
    "a hierarchy and a page": (
        hierarchy,
        ["release", "{folder}/people.csv", "--hierarchies", "{read}", "--out", "{folder}/o.csv", "--html", "{written}"],
    ),
    "release": (table, ["release", "{read}", "--out", "{folder}/out.csv", "--k", "2", "--html", "{written}"]),
    "diff": (table, ["diff", "{read}", "example:adult", "--markdown", "{written}"]),
    "diff of the new one": (table, ["diff", "example:adult", "{read}", "--html", "{written}"]),
    "synthetic": (table, ["synthetic", ADULT, ADULT, "--control", "{read}", "--html", "{written}"]),
    "check": (table_by_a_policy, ["check", "{read}", "--policy", "{folder}/policy.toml", "--html", "{written}"]),
    "a policy": (policy, ["check", ADULT, "--policy", "{read}", "--markdown", "{written}"]),
    "compare a stored one": (stored, ["compare", "channel:{read}", "--chart", "{written}"]),
}


def itself(read: Path) -> Path:
    return read


def roundabout(read: Path) -> Path:
    return read.parent / ".." / read.parent.name / "." / read.name


def symlink(read: Path) -> Path:
    (read.parent / f"link{read.suffix}").symlink_to(read.name)
    return read.parent / f"link{read.suffix}"


def hard_link(read: Path) -> Path:
    os.link(read, read.parent / f"link{read.suffix}")
    return read.parent / f"link{read.suffix}"


def linked_folder(read: Path) -> Path:
    (read.parent / "folder").symlink_to(".")
    return read.parent / "folder" / read.name


SPELLINGS = (itself, roundabout, symlink, hard_link, linked_folder)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(command: list[str], read: object, written: object, reason: str) -> None:
    places = {"{read}": read, "{written}": written, "{folder}": Path(str(read)).parent}
    words = list(command)
    for mark, place in places.items():
        words = [word.replace(mark, str(place)) for word in words]
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert reason in err


@pytest.mark.one_in(11)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_output_is_not_the_input(command: str, spelling: Callable[[Path], Path], tmp_path: Path) -> None:
    make, words = COMMANDS[command]
    read = make(tmp_path)
    written = spelling(read)
    before = contents(tmp_path)
    refused(words, read, written, "it is an input file")
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "name", ["part-0000.parquet", "year=2020/part-0001.parquet", "new.html", "year=2020/new.html", "_SUCCESS"]
)
@pytest.mark.parametrize("spelling", SPELLINGS[:3] + SPELLINGS[4:])
def test_an_output_is_not_in_the_folder_that_is_read(
    name: str, spelling: Callable[[Path], Path], tmp_path: Path
) -> None:
    read = parts(tmp_path)
    written = spelling(read) / name
    before = contents(tmp_path)
    refused(COMMANDS["audit on Spark"][1], read, written, "it lies in an input folder")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("written", ["part.parquet", "new.html"])
def test_an_output_is_not_what_is_linked_into_the_folder_that_is_read(written: str, tmp_path: Path) -> None:
    read, elsewhere = parts(tmp_path), tmp_path / "elsewhere"
    elsewhere.mkdir()
    pyarrow.parquet.write_table(pa.table({"a": [3]}), elsewhere / "part.parquet")
    (read / "part-0002.parquet").symlink_to(elsewhere / "part.parquet")
    (read / "year=2021").symlink_to(elsewhere)
    before = contents(tmp_path)
    refused(COMMANDS["audit on Spark"][1], read, elsewhere / written, "it lies in an input folder")
    assert contents(tmp_path) == before


def test_an_output_is_not_the_bundled_example(tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to(path_of(EXAMPLE))
    before = path_of(EXAMPLE).stat()
    refused(COMMANDS["audit"][1], EXAMPLE, tmp_path / "link.html", "it is an input file")
    assert path_of(EXAMPLE).stat() == before


@pytest.mark.long
def test_an_output_may_be_a_neighbour_of_the_input(tmp_path: Path) -> None:
    code, _, err = run("exposure", str(table(tmp_path)), "--k", "2", "--chart", str(tmp_path / "read.svg"))
    assert (code, err) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["read.csv", "read.svg"]


@pytest.mark.long
def test_an_output_is_not_what_arrives_on_standard_input(tmp_path: Path) -> None:
    read = table(tmp_path)
    command = [sys.executable, "-m", "discretion", "audit", "-", "--html", str(read)]
    before = contents(tmp_path)
    with read.open() as arriving:
        ended = subprocess.run(command, stdin=arriving, capture_output=True, text=True, check=False)
    assert (ended.returncode, contents(tmp_path)) == (2, before)
    assert "it is an input file" in ended.stderr


@pytest.mark.long
def test_a_table_arrives_on_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "discretion", "exposure", "-", "--k", "2", "--json"]
    ended = subprocess.run(command, input=table(tmp_path).read_bytes(), capture_output=True, check=True)
    assert json.loads(ended.stdout)["results"]["people"] == 3
