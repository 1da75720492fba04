"""What too few people hold to be shown is in no output, error, temporary file or chart, of whole and broken files.

Whatever is planted carries a mark that nothing else has.
"""

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow
from pyarrow import parquet

from discretion.cli import main
from discretion.presenting.progress import Progress

MARK = "Zq7x"
TOWNS = ("Oslo", "Rome", "Lima")
LEAST_NAMED = 10

Rows = list[dict[str, str | None]]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def case(draw: Random, folder: Path) -> None:
    given, written = folder / "given", folder / "written"
    given.mkdir()
    written.mkdir()
    command = draw.choice((audit, audit, exposure, estimate, check, diff, synthetic))(draw, given, written)
    code, said = run_in(written, command)
    assert code in ((0, 1, 2) if command[0] == "check" else (0, 2)), (command, code, said)
    found = {"output": said} | {str(path): path.read_bytes().decode(errors="replace") for path in files(written)}
    for where, text in found.items():
        at = text.find(MARK)
        assert at < 0, (command, where, text[max(0, at - 100) : at + 100])


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def run_in(folder: Path, command: list[str]) -> tuple[int, str]:
    """Run it with its temporary files and its working directory there, at a terminal that shows all progress."""
    out, err, here = io.StringIO(), Terminal(), Path.cwd()
    before = tempfile.tempdir, Progress._PERIOD
    tempfile.tempdir, Progress._PERIOD = str(folder), 0.002
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(command)
    finally:
        os.chdir(here)
        tempfile.tempdir, Progress._PERIOD = before
    return code, out.getvalue() + err.getvalue()


def audit(draw: Random, given: Path, written: Path) -> list[str]:
    k = draw.choice((1, 2, 3, 5, 10))
    rows, person = people(draw, k)
    command = ["audit", str(table(draw, given, rows)), "--k", str(k), "--budget", draw.choice(("0", "0.01", "0.5"))]
    command += person + draw.choice(([], ["--json"]))
    command += draw.choice(([], ["--sensitive", "town"], ["--sensitive", "job"]))
    command += ["--markdown", str(written / "r.md")] * (draw.random() < 0.5)
    return command + ["--html", str(written / "r.html")] * (draw.random() < 0.2)


def exposure(draw: Random, given: Path, written: Path) -> list[str]:
    rows, person = people(draw, 10)
    command = ["exposure", str(table(draw, given, rows)), "--k", "10", *person, *draw.choice(([], ["--json"]))]
    command += ["--columns", draw.choice(("town", "town,job", "job", "jobs"))]
    if not person:
        command += draw.choice(([], ["--bounds"]))
    return command + ["--chart", str(written / "c.svg")] * (draw.random() < 0.1)


def check(draw: Random, given: Path, _: Path) -> list[str]:
    rows, person = people(draw, 10)
    policy = given / "discretion.toml"
    rules = [
        "k = 10",
        "budget = 0.01",
        'columns = ["job"]',
        'sensitive = "town"',
        "guess_budget = 0.05",
        "l = 2",
        "t = 0.1",
    ]
    policy.write_text("\n".join([*rules, *(f'person = "{who}"' for who in person[1:])]))
    return ["check", str(table(draw, given, rows)), "--policy", str(policy), *draw.choice(([], ["--json"]))]


def diff(draw: Random, given: Path, _: Path) -> list[str]:
    k = draw.choice((1, 2, 3, 10))
    rows, person = people(draw, k)
    later = given / "later"
    later.mkdir()
    kept = rows[draw.randint(0, 3) :] + rows[: draw.randint(0, 3)]
    paths = [str(table(draw, given, rows)), str(table(draw, later, kept))]
    command = ["diff", *draw.choice((paths, paths[::-1])), "--k", str(k), *draw.choice(([], person, person))]
    return command + draw.choice(([], ["--sensitive", "town"])) + draw.choice(([], ["--json"]))


def estimate(draw: Random, given: Path, written: Path) -> list[str]:
    numbers = draw.random() < 0.5
    seen = [str(draw.randrange(5)) if numbers else draw.choice(TOWNS) for _ in range(100)]
    rows: Rows = [{"secret": draw.choice("ab"), "seen": one} for one in seen]
    for _ in range(draw.randint(0, 3)):
        secret = planted(draw)
        rows += [{"secret": secret, "seen": draw.choice(seen)}] * draw.randint(1, LEAST_NAMED - 1)
    for row in draw.sample(rows, draw.randint(0, 2)):
        row["seen"] = planted(draw)
    if draw.random() < 0.1:
        rows = [row | {"secret": rows[-1]["secret"]} for row in rows[-LEAST_NAMED + 1 :]]
    draw.shuffle(rows)
    command = ["estimate", str(table(draw, given, rows, (as_csv,)))]
    command += (
        draw.choice(([], ["--json"])) + draw.choice(([], ["--all-secrets"])) + draw.choice(([], ["--delta", "0"]))
    )
    command += draw.choice(([], ["--method", "nearest-neighbours"], ["--method", "frequentist"]))
    return command + ["--chart", str(written / "c.svg")] * (draw.random() < 0.1)


def synthetic(draw: Random, given: Path, _: Path) -> list[str]:
    rows = people(draw, 10)[0] * 2
    kind = draw.choice((as_csv, as_json, as_parquet))
    held_out, made = kind(rows[::-1], given / "held"), kind(draw.sample(rows, len(rows) // 2), given / "made")
    original = table(draw, given, rows, (kind,))
    command = ["synthetic", str(original), str(made), "--control", str(held_out), *draw.choice(([], ["--json"]))]
    return command + draw.choice(([], ["--sensitive", "job"], ["--columns", "town,job,jobs"]))


def planted(draw: Random) -> str:
    shape = draw.choice(("{}", "{}", "{} x", "{}'", "'{}", "<{}>", "{},1", "=cmd|{}", "1{}", "é{}", "{}\n", '"{}"'))
    return shape.format(f"{MARK}{draw.randrange(10**9)}")


def people(draw: Random, k: int) -> tuple[Rows, list[str]]:
    """Return rows of people, in which fewer than max(k, 2) hold each planted value; and how to say who is who."""
    jobs = [planted(draw) for _ in range(draw.randint(0, 3))]
    several = draw.random() < 0.3
    rows: Rows = []
    for number in range(draw.randint(12, 40)):
        row = {"town": draw.choice(TOWNS), "job": draw.choice("abc"), "note": draw.choice(("x", None))}
        if several:
            row["who"] = planted(draw) if draw.random() < 0.3 else f"p{number}"
        rows += [row] * (draw.randint(1, 12) if several else 1)
    for job in jobs:
        column = draw.choice(("town", "job", "note"))
        for number in range(draw.randint(1, max(k, 2) - 1)):
            row = {"town": "Oslo", "job": "a", "note": "x", column: job}
            rows += [row | ({"who": f"q{number}"} if several else {})] * (draw.randint(1, 12) if several else 1)
    if not several and draw.random() < 0.3:  # an identifier
        rows = [row | {"mark": f"{MARK}{number}"} for number, row in enumerate(rows)]
    draw.shuffle(rows)
    return rows, ["--person", "who"] if several else []


def table(draw: Random, folder: Path, rows: Rows, kinds: tuple[Callable[[Rows, Path], Path], ...] = ()) -> Path:
    path = draw.choice(kinds or (as_csv, as_csv, as_json, as_parquet))(rows, folder / "t")
    if draw.random() < 0.5:
        path.write_bytes(broken(draw, path.read_bytes()))
    return path


def as_csv(rows: Rows, path: Path) -> Path:
    def cell(value: str | None) -> str:
        text = "" if value is None else value
        return '"' + text.replace('"', '""') + '"' if set(text) & set('",\n') else text

    path = path.with_suffix(".csv")
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    path.write_text("".join(",".join(map(cell, line)) + "\n" for line in lines), newline="")
    return path


def as_json(rows: Rows, path: Path) -> Path:
    path = path.with_suffix(".json")
    path.write_text(json.dumps(rows, ensure_ascii=False))
    return path


def as_parquet(rows: Rows, path: Path) -> Path:
    path = path.with_suffix(".parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


def broken(draw: Random, content: bytes) -> bytes:
    """Break a file near what is planted in it."""
    places = [at for at in range(len(content)) if content.startswith(MARK.encode(), at)] or [len(content) // 2]
    at = max(0, draw.choice(places) + draw.randint(-3, 12))
    damage = draw.choice(
        (b'"', b",", b"\n", b"\xff", b"\x00", b"\r", b"{", b"}", b"[", b"]", b":", b"\\", b"\xed\xa0\x80", b"\n\n")
    )
    return draw.choice(
        (
            content[:at] + damage + content[at:],
            content[:at] + damage + content[at + 1 :],
            content[:at],
            content + damage,
            damage + content,
            content[:at] + content[at + draw.randint(1, 20) :],
            content.replace(b"\n", b"\r\n", draw.randint(0, 5)),
            content.replace(b",", draw.choice((b";", b"\t")), draw.randint(1, 3)),
            content.decode(errors="replace").encode("utf-16"),
            content.decode(errors="replace").encode("latin-1", errors="replace"),
        )
    )
