"""Samples of a black box in a CSV file: the secret in the first column, what was observed in the others."""

import math
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.anonymity.csv_layout import csv_layout
from tacit.errors import InvalidTableError

_WHOLE = re.compile(r"[+-]?\d+")


@dataclass(frozen=True)
class SamplesFile:
    """Secrets and observations of a file.

    Parameters
    ----------
    secrets
        The text of each, shape ``(m,)``.
    codes
        For each column of the observation, which of its distinct texts it is, shape ``(m, d)``.
    numbers
        The observations as numbers, shape ``(m, d)``, or None where they are text.
    continuous
        Whether some of them are decimals.
    columns
        Their names.
    """

    secrets: NDArray[Any]
    codes: NDArray[np.int32]
    numbers: NDArray[np.float64] | None
    continuous: bool
    columns: tuple[str, ...]


def read_samples(path: str) -> SamplesFile:
    """Return the samples in a CSV file with a header, or say what is wrong with it."""
    file = Path(path)
    if not file.is_file():
        raise InvalidTableError(f"cannot read samples from {path!r}: there is no such file; name a CSV file")
    layout = csv_layout(file)
    if len(layout.names) < 2:
        raise InvalidTableError(
            f"{path} must have the secret in its first column and what was observed in others, got the only column "
            f"{', '.join(layout.names)!r}"
        )
    if not layout.rows:
        raise InvalidTableError(f"{path} has a header and no samples")
    inputs, *outputs = _columns(file, len(layout.names), layout.multiline)
    (names, secrets), observed = _texts(inputs), [_texts(column) for column in outputs]
    if "" in names:
        row = int(np.argmax(secrets == names.index("")))
        raise InvalidTableError(f"{path} has no secret in sample {row + 1}; leave such samples out")
    kinds = [_numbers(values, name, path) for (values, _), name in zip(observed, layout.names[1:], strict=True)]
    numeric = [kind for kind in kinds if kind is not None]
    numbers = None
    if len(numeric) == len(kinds):
        pairs = zip(numeric, observed, strict=True)
        numbers = np.column_stack([values[codes] for (values, _), (_, codes) in pairs])
    return SamplesFile(
        np.array(names, dtype=object)[secrets],
        np.column_stack([codes for _, codes in observed]),
        numbers,
        numbers is not None and any(decimals for _, decimals in numeric),
        layout.names[1:],
    )


def _columns(file: Path, width: int, multiline: bool) -> list[Any]:
    """Return each column as chunks of text with a dictionary."""
    arrow: Any = import_module("pyarrow")
    csv: Any = import_module("pyarrow.csv")
    names = [str(column) for column in range(width)]
    text = arrow.dictionary(arrow.int32(), arrow.string())
    table = csv.read_csv(
        file,
        read_options=csv.ReadOptions(column_names=names, skip_rows_after_names=1),
        parse_options=csv.ParseOptions(newlines_in_values=multiline, ignore_empty_lines=False),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, text), strings_can_be_null=False),
    )
    return [table.column(name) for name in names]


def _texts(column: Any) -> tuple[list[str], NDArray[np.int32]]:
    """Return the distinct texts of a column, and which of them each entry is."""
    whole = column.unify_dictionaries().combine_chunks()
    chunk = whole.chunk(0) if hasattr(whole, "chunk") else whole
    return chunk.dictionary.to_pylist(), chunk.indices.to_numpy()


def _numbers(texts: list[str], name: str, path: str) -> tuple[NDArray[np.float64], bool] | None:
    """Return the texts as numbers and whether some are decimals; None where most are none."""
    values = [_number(text) for text in texts]
    known = [value for value in values if value is not None]
    if 2 * len(known) < len(values):
        return None
    if len(known) < len(values):
        other = next(text for text, value in zip(texts, values, strict=True) if value is None)
        raise InvalidTableError(
            f"column {name!r} of {path} holds numbers, but also {other!r}; leave those samples out, or name all its "
            "values by text to have them compared as they are"
        )
    if not all(map(math.isfinite, known)):
        raise InvalidTableError(f"column {name!r} of {path} must hold finite numbers; leave the other samples out")
    return np.array(known), not all(map(_WHOLE.fullmatch, texts))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
