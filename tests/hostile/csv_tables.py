"""A CSV file is the table that its text says, or is refused: by every engine, whatever its cells, quotes and lines."""

import csv
import io
from collections import Counter
from pathlib import Path
from random import Random

from discretion.anonymity import Population
from discretion.errors import InvalidTableError
from discretion.tables.layouts.csv_layout import csv_layout
from oracles import tables

ONE_LINE = (
    "", '""', '"a,b"', '"say ""x"""', '""""', '""""""', "a", "A", " a", "a ", " ", "\t", '" "', "#", "#a", "\\", "a\\",
    '"\\"', '"\\""a"', "'a'", "a;b", "NULL", "null", "NaN", "-", "01", "1", "\x00", "a\x00b", '"\x00"', "\x01", "\x0b",
    "\x0c", "\x1a", "\x85", "\xa0", "\u2028", "\ufeff", "\ufeffa", '"\ufeff"', "😀", "é", "e\u0301", '"x\ry"', '"\r"',
)  # fmt: skip
SEVERAL_LINES = ('"x\ny"', '"x\r\ny"', '"\n"', '"\r\n"', '"\n\n"', '"""\n"', '"\n"""', '"\r\r\n"', '"\n,"', '"\x00\n"')
LONG = '"' + 'x""' * 20_000 + '"'

Row = tuple[str | None, ...]


def case(draw: Random, folder: Path) -> None:
    path = folder / "people.csv"
    header = write(draw, path)
    expected = meant(path, header)
    try:
        population = Population(path, header=header)
    except InvalidTableError as refusal:
        assert expected is None or not expected[1] or not told_apart(expected[0]), (path.read_bytes(), str(refusal))
        return
    assert expected is not None, path.read_bytes()
    names, rows = expected
    assert population.columns == names, path.read_bytes()
    for chosen in [[j] for j in range(len(names))] + [list(range(len(names)))]:
        sizes = population.class_sizes([names[j] for j in chosen])
        found = dict(zip(sizes.sizes.tolist(), sizes.counts.tolist(), strict=True))
        assert found == tables.class_sizes(tables.restrict(rows, chosen)), path.read_bytes()
    for j, name in enumerate(names):
        held = Counter(row[j] for row in rows)
        value, people = population.rarest_value(name)
        assert held[value] == people == min(held.values()), path.read_bytes()


def write(draw: Random, path: Path) -> bool:
    """Write a table of few cells that recur, so that people are alike, and return whether names stand over them.

    Sometimes there is one character more somewhere.
    """
    width, line_end, separator = draw.choice((1, 1, 2, 3)), draw.choice(("\n", "\r\n")), draw.choice(",,;")
    cells = ["a", *draw.sample(ONE_LINE, 3), *draw.sample(SEVERAL_LINES, draw.random() < 0.4)]
    cells += [LONG] * (draw.random() < 0.03)
    names = [draw.choice(cells) if draw.random() < 0.2 else f"n{j}" for j in range(width)]
    people = [[draw.choice(cells) for _ in range(width)] for _ in range(draw.randint(0, 6))]
    people += [names] * (draw.random() < 0.1)
    text = draw.choice(("", "", "\ufeff")) + line_end.join(separator.join(row) for row in [names, *people])
    text += draw.choice(("", line_end, line_end, 3 * line_end))
    if draw.random() < 0.15:
        place = draw.randint(0, len(text))
        text = text[:place] + draw.choice(("\r", "\n", '"', ",", ";", "\x00", "\ufeff", "#")) + text[place:]
    path.write_bytes(text.encode("utf-8" if draw.random() < 0.95 else "utf-16"))
    return draw.random() < 0.8


def meant(path: Path, header: bool) -> tuple[Row, list[Row]] | None:
    """Return the names and rows that Python's reader finds in what the scan lets through, empty as None."""
    try:
        layout = csv_layout(path, header)
    except InvalidTableError:
        return None
    text = path.read_bytes().decode().removeprefix("\ufeff")
    read = csv.reader(io.StringIO(text, newline=""), delimiter=layout.separator, strict=True)
    if len(layout.names) > 1:  # a blank line at the end is no row
        read = filter(None, read)
    names, *rows = (tuple(value or None for value in row or [""]) for row in read)
    if header and len(names) > 1 and names[0] is None:
        names = ("row", *names[1:])
    return (names, rows) if header else (tuple(f"column{number + 1}" for number in range(len(names))), [names, *rows])


def told_apart(names: Row) -> bool:
    return all(names) and len({str(name).casefold() for name in names}) == len(names)
