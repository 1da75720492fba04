"""The file of a release: its rows in a random order, without statistics of suppressed values."""

import io
import secrets
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from discretion.anonymity.releasing.generalizations import Generalization
from discretion.anonymity.releasing.search import BestRelease
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Booleans, Codes

SUFFIXES = (".parquet", ".csv")


def check_suffix(out: str) -> str:
    """Return the suffix of a release's file, if it is a known one."""
    suffix = Path(out).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidValueError(f"the name of a release must end in {' or '.join(SUFFIXES)}, got {out}")
    return suffix


def shuffled_rows(best: BestRelease) -> Codes:
    """Return the numbers of the rows that go out, in a random order.

    The order comes from the system's randomness: somebody might undo an order that comes from a seed.
    """
    left = np.flatnonzero(~best.cut.out).astype(np.int32)
    return left[np.argsort(np.frombuffer(secrets.token_bytes(8 * left.size), np.uint64))]


def table_of(
    views: Mapping[str, Generalization],
    values: Mapping[str, Any],
    columns: Sequence[str],
    best: BestRelease,
    rows: Codes,
) -> Any:
    """Return an Arrow table of these rows and columns, each column generalized.

    ``values`` are the values of unchanged columns, which keep their types.
    """
    pa: Any = import_module("pyarrow")
    blank = dict(zip(best.views, best.cut.blank, strict=True))
    shown: dict[str, Any] = {}
    for name in columns:
        view = views[name]
        labels = (
            values[name]
            if view.is_as_it_was
            else pa.array(view.labels, values[name].type if view.is_redacted else pa.string())
        )
        shown[name] = _coded(labels, view.column.codes[rows], blank[name][rows] if name in blank else None)
    return pa.table(shown)


def _coded(labels: Any, codes: Codes, blank: Booleans | None) -> Any:
    """Return the label of each code, null where it is blank; texts as a dictionary, which takes a tenth of the room."""
    pa: Any = import_module("pyarrow")
    if not pa.types.is_string(labels.type) or len(labels.unique()) < len(labels):
        return labels.take(pa.array(codes, mask=blank))
    absent = np.asarray(labels.is_null())[codes]
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=absent if blank is None else absent | blank), labels)


def as_bytes(table: Any, suffix: str) -> bytes:
    """Return the bytes of the file."""
    pa: Any = import_module("pyarrow")
    file = io.BytesIO()
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(field.type.value_type))
    if suffix == ".csv":
        import_module("pyarrow.csv").write_csv(table, file)
    else:
        import_module("pyarrow.parquet").write_table(table, file, write_statistics=False, store_schema=False)
    return file.getvalue()


def read_back(file: BinaryIO, suffix: str) -> Any:
    """Return the Arrow table in a file."""
    if suffix != ".csv":
        return import_module("pyarrow.parquet").read_table(file)
    pa: Any = import_module("pyarrow")
    csv: Any = import_module("pyarrow.csv")
    start = file.tell()
    lines = csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    names = csv.open_csv(file, parse_options=lines).schema.names
    file.seek(start)
    as_text = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    return csv.read_csv(file, parse_options=lines, convert_options=as_text)


def values_in_file(values: Any, suffix: str) -> list[Any]:
    """Return values as they are read back from a file of this kind."""
    pa: Any = import_module("pyarrow")
    # Each with its number: a line with nothing but a null would be empty.
    table = pa.table({"number": pa.array(range(len(values))), "value": values})
    return read_back(io.BytesIO(as_bytes(table, suffix)), suffix)["value"].to_pylist()
