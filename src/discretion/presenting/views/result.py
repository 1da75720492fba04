"""What every job returns: a frozen result that makes one document, which all faces show."""

from typing import Any

from discretion.notebook import Chartable
from discretion.presenting.objects import as_json, plain
from discretion.presenting.views.document import Document


class JobResult(Chartable):
    """A job's result: its document, and that as a page, as Markdown, in a notebook and in one line.

    A subclass is a frozen dataclass with ``repr=False`` that defines `document`.
    """

    def document(self) -> Document:
        """Return the result as a document."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the result as dicts, lists, numbers and strings."""
        return plain(self)

    def to_json(self) -> str:
        """Return the result as JSON; numbers that are not finite are strings."""
        return as_json(self.to_dict())

    def __repr__(self) -> str:
        document = self.document()
        return f"{type(self).__name__}({document.line or document.title})"
