"""A table of people for analysts, as a CSV file."""

import csv
from pathlib import Path
from random import Random


def people(n: int = 400, seed: int = 3) -> dict[str, list[str]]:
    """Return people whose pay follows from their age, with a shirt that says nothing and one rare job."""
    draw = Random(seed)
    ages = [draw.randrange(20, 60) for _ in range(n)]
    return {
        "age": [str(age) for age in ages],
        "job": ["wombat keeper", *draw.choices(["smith", "cook", "nurse"], [9, 5, 3], k=n - 1)],
        "shirt": draw.choices(["red", "blue"], k=n),
        "pay": ["high" if age >= 40 else "low" for age in ages],
    }


def written(table: dict[str, list[str]], folder: Path) -> str:
    file = folder / "in.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([[*table], *zip(*table.values(), strict=True)])
    return str(file)
