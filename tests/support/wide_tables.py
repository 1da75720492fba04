"""A wide table of people, like an extract of a census: few columns that say much, many that say little."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

NAMES = (
    "age", "class of worker", "detailed industry recode", "detailed occupation recode", "education", "wage per hour",
    "enroll in edu inst last wk", "marital stat", "major industry code", "major occupation code", "race",
    "hispanic origin", "sex", "member of a labor union", "reason for unemployment", "full or part time employment stat",
    "capital gains", "capital losses", "dividends from stocks", "tax filer stat", "region of previous residence",
    "state of previous residence", "detailed household and family stat", "detailed household summary in household",
    "instance weight", "migration code-change in msa", "migration code-change in reg",
    "migration code-move within reg", "live in this house 1 year ago", "migration prev res in sunbelt",
    "num persons worked for employer", "family members under 18", "country of birth father",
    "country of birth mother", "country of birth self", "citizenship", "own business or self employed",
    "fill inc questionnaire for veteran's admin", "veterans benefits", "weeks worked in year", "year", "income",
)  # fmt: skip


def wide_table(rows: int = 3000, names: Sequence[str] = NAMES, seed: int = 0) -> pa.Table:
    """Return people with these columns: numbers, categories that lean on a few hidden ones, and a constant."""
    draw = np.random.default_rng(seed)
    hidden = [draw.integers(0, 4, rows) for _ in range(3)]
    columns: dict[str, Any] = {}
    for place, name in enumerate(names):
        if name == "age":
            columns[name] = draw.integers(0, 91, rows)
        elif name == "year":
            columns[name] = ["95"] * rows
        elif name == "instance weight":
            columns[name] = np.round(draw.gamma(4, 400, rows), 2)
        elif place % 6 == 5:
            columns[name] = np.where(draw.random(rows) < 0.9, 0, draw.integers(1, 40, rows) * 25)
        else:
            count = int(draw.integers(2, 18))
            likely = draw.dirichlet(np.full(count, 0.4), size=4)
            shares = likely.cumsum(axis=1)[hidden[place % 3]]
            columns[name] = [
                f"{name} {code}" for code in (draw.random((rows, 1)) > shares).sum(axis=1).clip(max=count - 1)
            ]
    return pa.table(columns)
