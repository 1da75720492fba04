"""The analyst's data as a file: every combination of answers, including rare ones, without metadata."""

from importlib import import_module
from io import BytesIO
from itertools import count
from typing import Any

import numpy as np

from discretion.collection.results.analyst import AnalystResult

_OF_SHARES = ("people", "share", "standard_error", "low", "high")


def to_parquet(result: AnalystResult) -> bytes:
    """Return all joint answers that were sent, or with randomizers all possible ones, as a Parquet file.

    There is a row for each combination, in the order of the task's answers. It has a text for each feature, with null
    for a missing answer; the number of ``people`` who sent the combination, after randomization; the ``share`` of
    people who have it, an unbiased estimate if answers were randomized, and its ``standard_error``; and the limits
    ``low`` and ``high``, which hold together with the result's confidence. The file has no statistics and no metadata.
    It is for the analyst alone; the page is the form to show to others.
    """
    pa: Any = import_module("pyarrow")
    joint = result.joint
    order = np.lexsort(joint.codes.T[::-1])
    columns: dict[str, Any] = {}
    for place, (name, its) in enumerate(zip(joint.features, result.round.labels[0], strict=True)):
        labels = pa.array(its, pa.string())
        columns[name] = labels.take(pa.array(joint.codes[order, place]))
    for name, numbers in zip(_OF_SHARES, (joint.counts, joint.shares, joint.errors, *result.limits), strict=True):
        # A feature may have the same name.
        columns[next(f"{name}{'_' * more}" for more in count() if f"{name}{'_' * more}" not in columns)] = pa.array(
            numbers[order]
        )
    file = BytesIO()
    table = pa.table(columns)
    import_module("pyarrow.parquet").write_table(table, file, write_statistics=False, store_schema=False)
    return file.getvalue()
