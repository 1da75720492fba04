"""The table that comes along: UCI Adult."""

import os
from importlib.resources import files
from pathlib import Path

EXAMPLE = "example:adult"


def path_of(table: str | os.PathLike[str]) -> Path:
    """Return the path that is meant: the given one, or that of the example by its name."""
    return Path(str(files("discretion.tables") / "adult.parquet")) if table == EXAMPLE else Path(table)
