"""How option values are spelled: whole numbers, names, headers, seeds."""

import csv
import io
from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter, Token

from discretion.errors import InvalidValueError
from discretion.numerics.draws.randomness import fresh_seed
from discretion.validation import as_count


def _whole(_: object, tokens: Sequence[Token]) -> int:
    """Return the whole number, where cyclopts would round."""
    return int(tokens[0].value)


Whole = Annotated[int, Parameter(converter=_whole)]
# Given once for each gate.
FailOver = Annotated[tuple[str, ...], Parameter(negative="")]


def as_names(text: str | None) -> list[str] | None:
    """Return the names in a comma-separated list; a name that holds a comma goes in double quotes."""
    if text is None:
        return None
    try:
        (names,) = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise InvalidValueError(
            f"names must be separated by commas, in double quotes where they hold a comma, got {text!r}"
        ) from None
    return names


def as_header_option(text: str | None) -> bool | list[str] | None:
    """Return what a file's first line is said to be: ``yes``, it holds names, ``no``, or the names."""
    return {"yes": True, "no": False}[text] if text in ("yes", "no") else as_names(text)


def as_seed(seed: int | None) -> int:
    """Return the seed, at least 0; without one, one that is drawn here, so that the answer can show it."""
    return fresh_seed() if seed is None else as_count(seed, "--seed", at_least=0)
