"""A path is a name, whatever it is made of: what is read is that file, and what is written is no other."""

import json
import os
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from support.cli_runner import run

PIECES = (
    "[x]", "[a-z]", "[!a]", "[", "]", "*", "**", "?", "\\", "\\\\", "{a,b}", "{", "}", "~", "$HOME",
    "${x}", "%20", "%", ":", "a:b", "s3:", "file:", "'", '"', "''", ";", "--", "#", "&", " ", "  ",
    "\xe9", "e\u0301", "\u753a", ".", "..", "=", "a=1", "\t", "\n", "\x1b[2J", "\u202e", "a", "b",
    "x", "people", "example:adult", ",", "(", "^", "+", "@", "!", "|", "<", ">", "`",
)  # fmt: skip


def case(draw: Random, folder: Path) -> None:
    suffix = draw.choice((".csv", ".parquet", ".json", ".jsonl", ".npy"))
    while (
        path := folder / name(draw) / f"{name(draw)}{suffix}"
    ).parent == folder or folder not in path.resolve().parents:
        continue
    people = draw.randint(20, 40)
    make(path, people)
    for number, decoy in enumerate(decoys(path)):
        if folder in decoy.resolve().parents and not decoy.exists() and len(decoy.name) < 250:
            make(decoy, 3 + number % 9)
    asked, before = str(path), contents(folder)
    if draw.random() < 0.5:  # as people name a file from where they are
        here = Path.cwd()
        os.chdir(folder)
        try:
            found = size(f"./{os.path.relpath(path, folder)}", suffix)  # which is no option
        finally:
            os.chdir(here)
    else:
        found = size(asked, suffix)
    assert found == people, (asked, found, people)
    overwrite(draw, path, folder)
    assert contents(folder) == before, asked


def name(draw: Random) -> str:
    return "".join(draw.choices(PIECES, k=draw.randint(1, 4)))


def decoys(path: Path) -> list[Path]:
    """Return what a pattern, an escape or an address in the path would lead to."""
    text = str(path)
    readings = [
        text.replace("\\", ""), text.replace("\\", "/"), text.replace("[x]", "x"), text.replace("[a-z]", "b"),
        text.replace("*", "x"), text.replace("?", "x"), text.replace("{a,b}", "a"), text.replace("%20", " "),
        text.replace("**", "x/y"), text.replace("''", "'"), text.replace("file:", ""), text.replace("\\[", "["),
    ]  # fmt: skip
    return [Path(reading) for reading in readings if reading != text]


def make(path: Path, people: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    towns = [f"town {'ab'[number % 2]}" for number in range(people)]
    match path.suffix:
        case ".csv":
            path.write_text("\n".join(["place", *towns]) + "\n")
        case ".parquet":
            pyarrow.parquet.write_table(pa.table({"place": towns}), path)
        case ".npy":
            with path.open("wb") as file:
                np.save(file, np.full((people, 2), 0.5))
        case _:
            path.write_text("\n".join(json.dumps({"place": town}) for town in towns))


def size(path: str, suffix: str) -> int:
    """Return how many people a command finds in a table, or secrets in a channel."""
    if suffix == ".npy":
        code, out, err = run("measure", f"channel:{path}", "--only", "bayes_risk", "--json")
        assert (code, err) == (0, ""), (path, err)
        return round(1 / (1 - json.loads(out)["results"]["bayes_risk"]))
    code, out, err = run("exposure", path, "--k", "2", "--json")
    assert (code, err) == (0, ""), (path, err)
    return json.loads(out)["results"]["people"]


def overwrite(draw: Random, path: Path, folder: Path) -> None:
    """Try to write over what is read, by some name of it."""
    link = folder / "link.svg"
    match draw.randrange(3):
        case 0:
            link.symlink_to(path)
        case 1:
            os.link(path, link)
        case _:
            link = path.parent / ".." / path.parent.name / path.name
    if path.suffix == ".npy":
        code, out, err = run("compare", f"channel:{path}", "--chart", link)
    else:
        code, out, err = run("exposure", path, "--k", "2", "--chart", link)
    if link.parent == folder:
        link.unlink()
    assert (code, out) == (2, ""), (str(path), str(link))
    assert "it is an input file" in err, (str(path), err)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
