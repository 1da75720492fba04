"""Samples of a black box in a CSV file: the secret in one column, the observation in the others."""

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from discretion.blackbox.samples import are_mostly_single
from discretion.errors import InvalidTableError
from discretion.escaping import printable
from discretion.input_files import for_arrow, opened
from discretion.numerics.arrays import Codes, Reals
from discretion.tables.layouts.csv_layout import LONGEST_ROW, CsvLayout, layout_of
from discretion.tables.layouts.headers import Header
from discretion.tables.layouts.names import names_among

# Numbers as spreadsheets write them: ASCII digits without separators.
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
# At most this many columns are listed.
_MOST_NAMED = 5


@dataclass(frozen=True)
class SamplesFile:
    """Secrets and observations of a file.

    Parameters
    ----------
    secret
        The name of the column of secrets.
    secrets
        The text of each secret, shape ``(m,)``.
    codes
        The code of the text of each observation, by column, shape ``(m, d)``.
    numbers
        The observations as numbers, shape ``(m, d)``, or None if some are text.
    continuous
        Whether some observations are decimals.
    columns
        The names of the columns of the observation.
    """

    secret: str
    secrets: NDArray[Any]
    codes: Codes
    numbers: Reals | None
    continuous: bool
    columns: tuple[str, ...]

    def samples_of(self, secret: str) -> int:
        """Return the number of samples with this secret."""
        return int((self.secrets == secret).sum())


def read_samples(path: str, header: Header = None, secret: str | None = None) -> SamplesFile:
    """Return the samples in a CSV file; without a name, the first column is the secret."""
    with opened(path, "samples") as file:
        return _samples_in(file, header, secret)


def _samples_in(file: BinaryIO, header: Header, secret: str | None) -> SamplesFile:
    from discretion.tables.engines.rows import check_names  # noqa: PLC0415 - loads Ibis

    path = file.name
    layout = layout_of(file, header)
    check_names(layout.names, path)
    if len(layout.names) < 2:
        raise InvalidTableError(
            f"{path} must have the secret in one column and the observation in others, got a single column"
        )
    if not layout.rows:
        raise InvalidTableError(f"{path} has a header and no samples")
    if secret is not None:
        names_among([secret], layout.names)
    place = 0 if secret is None else layout.names.index(secret)
    outputs = _columns(file, layout)
    inputs, seen = outputs.pop(place), (*layout.names[:place], *layout.names[place + 1 :])
    (names, secrets), observed = _texts(inputs, layout), [_texts(column, layout) for column in outputs]
    if "" in names:
        row = int(np.argmax(secrets == names.index("")))
        raise InvalidTableError(f"{path} has no secret in sample {row + 1}; remove such samples")
    kinds = [_numbers(*column, name, path) for column, name in zip(observed, seen, strict=True)]
    numeric = [kind for kind in kinds if kind is not None]
    numbers = None
    if len(numeric) == len(kinds):
        pairs = zip(numeric, observed, strict=True)
        numbers = np.column_stack([values[codes] for (values, _), (_, codes) in pairs])
    single = int(np.count_nonzero(np.bincount(secrets) == 1))
    if are_mostly_single(single, secrets.size):
        others = ", ".join(map(printable, seen[:_MOST_NAMED])) + (", …" if len(seen) > _MOST_NAMED else "")
        raise InvalidTableError(
            f"{single:,} of the {secrets.size:,} samples in {path} have a secret (column {layout.names[place]!r}) "
            "that no other sample has, and nothing can be concluded from such samples; name the column of the secret "
            f"with --secret if it is another one ({others}), or take several samples of each secret"
        )
    return SamplesFile(
        layout.names[place],
        np.array(names, dtype=object)[secrets],
        np.column_stack([codes for _, codes in observed]),
        numbers,
        numbers is not None and any(decimals for _, decimals in numeric),
        seen,
    )


def _columns(file: BinaryIO, layout: CsvLayout) -> list[Any]:
    """Return each column as chunks of text with a dictionary."""
    arrow: Any = import_module("pyarrow")
    csv: Any = import_module("pyarrow.csv")
    names = [str(column) for column in range(len(layout.names))]
    text = arrow.dictionary(arrow.int32(), arrow.string())
    try:
        with for_arrow(file) as content:
            table = csv.read_csv(
                content,
                read_options=csv.ReadOptions(column_names=names, block_size=2 * LONGEST_ROW),  # a row must fit into two
                parse_options=csv.ParseOptions(delimiter=layout.separator, newlines_in_values=layout.multiline),
                convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, text), strings_can_be_null=False),
            )
    except arrow.ArrowException:  # which quotes the row
        raise InvalidTableError(f"{file.name} cannot be read; write it again as CSV in UTF-8") from None
    return [table.column(name) for name in names]


def _texts(column: Any, layout: CsvLayout) -> tuple[list[str], Codes]:
    """Return the distinct texts of a column below its header, and the code of each entry."""
    chunks = column.unify_dictionaries().chunks
    texts, codes = chunks[0].dictionary.to_pylist(), np.concatenate([chunk.indices.to_numpy() for chunk in chunks])
    if layout.header:  # told to skip a row, Arrow miscounts those with NULs
        codes = codes[1:]
        if codes.all():  # the header's text, which is the first, does not come again
            return texts[1:], codes - 1
    return texts, codes


def _numbers(texts: list[str], codes: Codes, name: str, path: str) -> tuple[Reals, bool] | None:
    """Return the texts as numbers and whether some are decimals; None if most are no numbers."""
    others = [text for text in texts if not _DECIMAL.fullmatch(text)]
    if 2 * len(others) > len(texts):
        return None
    strange = {text for text in others if not _NOT_FINITE.fullmatch(text)}
    if strange:
        first = next(row for row, code in enumerate(codes.tolist(), start=1) if texts[code] in strange)
        raise InvalidTableError(
            f"column {name!r} of {path} has numbers, but also text, first in sample {first}; remove those samples, or "
            "write all values of the column as text to compare them as text"
        )
    values = np.array([float(text) for text in texts])
    whole = all(map(_WHOLE.fullmatch, texts))
    if whole and not np.isfinite(values).all():
        return None  # too long for floats, they are compared as text
    if not np.isfinite(values).all():
        raise InvalidTableError(f"column {name!r} of {path} must have finite numbers; remove the other samples")
    return values, not whole
