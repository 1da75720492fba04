"""Counts of columns in a file are read as they are meant or refused in a sentence that says no value."""

import csv
import json
from pathlib import Path
from random import Random

import discretion as dc
from discretion.errors import DiscretionError

PLANTED = "Rumpelstiltskin"
TEXTS = ("", " ", "a", "A", '"', '""', ",", ";", "\n", "\r", "\r\n", "\t", "\0", "é", "\u202e", "'", "1", "NULL", "\\")


def case(draw: Random, folder: Path) -> None:
    counts = {
        text(draw) or draw.choice(("", "q", "r", "s")): {
            f"{PLANTED}{text(draw)}": draw.randint(1, 99) for _ in range(draw.randint(1, 5))
        }
        for _ in range(draw.randint(1, 4))
    }
    people = max(sum(of.values()) for of in counts.values())
    for of in counts.values():
        if missing := people - sum(of.values()):
            of[""] = missing
    content, path = draw.choice((as_csv, as_json))(draw, folder, counts)
    meant = draw.random() < 0.5
    path.write_bytes(content if meant else spoilt(draw, content))
    try:
        found = dc.Marginals(path)
    except DiscretionError as error:
        said = str(error)
        assert PLANTED not in said.replace(str(path), "")
        assert "\n" not in said.replace(str(path), "")
        assert not meant or "" in counts, (counts, said)
    else:
        assert PLANTED not in found.to_json()
        if meant:
            assert found == dc.Marginals(counts), counts


def text(draw: Random) -> str:
    return "".join(draw.choices(TEXTS, k=draw.randint(0, 3)))


def as_csv(draw: Random, folder: Path, counts: dict[str, dict[str, int]]) -> tuple[bytes, Path]:
    path = folder / "counts.csv"
    order = draw.sample(range(3), 3)
    rows = [
        ("column", "value", "count"),
        *((name, value, str(n)) for name, of in counts.items() for value, n in of.items()),
    ]
    # A carriage return is quoted where it must be only if rows end by one.
    ends, quoting = draw.choice((("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator=ends, quoting=quoting)
        writer.writerows([row[i] for i in order] for row in rows)
    return path.read_bytes(), path


def as_json(draw: Random, folder: Path, counts: dict[str, dict[str, int]]) -> tuple[bytes, Path]:
    held = dc.Marginals(counts).to_json() if "" not in counts and draw.random() < 0.5 else json.dumps(counts)
    return held.encode(), folder / "counts.json"


def spoilt(draw: Random, content: bytes) -> bytes:
    at = draw.randrange(len(content))
    match draw.randrange(4):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + draw.choice((b'"', b",", b"\xff", b"0", b"{", b"\n", b"-", b"9" * 30)) + content[at:]
        case 2:
            return content[:at] + content[at + 1 :]
        case _:
            return content[:at] + content[draw.randrange(len(content)) :]
