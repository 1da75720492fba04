"""The result of every job: a frozen result that makes one document, which all outputs show."""

from collections.abc import Iterable, Mapping
from typing import Any

from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.notebook import Chartable, Tabular
from discretion.presenting.json_answers import as_json, plain
from discretion.presenting.views.document import Document


class JobResult(Tabular, Chartable):
    """A job's result: its document, as a page, as Markdown, in a notebook and in one line; and its table.

    A subclass is a frozen dataclass with ``repr=False`` that defines `document` and `table_rows`.
    """

    def document(self) -> Document:
        """Return the result as a document."""
        raise NotImplementedError

    def table_rows(self) -> Iterable[Mapping[str, Any]]:
        """Yield the rows of the result's table, by the names of its columns."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dicts, lists, numbers and strings."""
        return plain(self)

    def to_json(self) -> str:
        """Return the result as JSON; numbers that are not finite are strings."""
        return as_json(self.to_dict())

    def __repr__(self) -> str:
        document = self.document()
        return f"{type(self).__name__}({printable(document.line or document.title)})"


def number_row(measure: str, result: Any) -> dict[str, Any]:
    """Return a measure's row of a table: its value, its bounds and its kind.

    Examples
    --------
    >>> number_row("exposure", 0.25)
    {'measure': 'exposure', 'value': 0.25, 'low': 0.25, 'high': 0.25, 'kind': 'exact', 'confidence': None}
    """
    if not isinstance(result, Estimate):
        low = high = value = float(result)
        return {"measure": measure, "value": value, "low": low, "high": high, "kind": "exact", "confidence": None}
    ends = {"value": float(result.value), "low": float(result.low), "high": float(result.high)}
    return {"measure": measure, **ends, "kind": result.kind, "confidence": result.confidence}
