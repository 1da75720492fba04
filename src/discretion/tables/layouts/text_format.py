"""The format of a text file: the kind of its first line, the separator of its values, and its encoding."""

import codecs
from dataclasses import dataclass

from discretion.errors import InvalidValueError
from discretion.tables.layouts.headers import Header, as_header

#: What may separate values, in words.
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", ":": "colons"}
_SPELLED = {"tab": "\t", "\\t": "\t"}


@dataclass(frozen=True, kw_only=True)
class TextFormat:
    r"""The settings of a CSV file that its content does not show.

    Parameters
    ----------
    header
        Whether the first line holds names (True) or a person (False), or names for the columns; None detects it.
    delimiter
        The separator of values: one of ``, ; | :`` or a tab, also as ``"tab"``; None detects it.
    encoding
        The encoding of a file that is not in UTF-8, such as ``"latin-1"``; None refuses such a file.

    Examples
    --------
    >>> TextFormat(delimiter="tab").delimiter
    '\t'
    """

    header: Header = None
    delimiter: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "header", as_header(self.header))
        if self.delimiter is not None:
            delimiter = _SPELLED.get(self.delimiter, self.delimiter)
            if delimiter not in SEPARATORS:
                raise InvalidValueError(f"delimiter must be one of , ; | : or tab; got {self.delimiter!r:.40}")
            object.__setattr__(self, "delimiter", delimiter)
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _encoding(self.encoding))

    @property
    def about_a_text(self) -> str | None:
        """The option that is set and that only a text file has, other than its header; None if there is none."""
        named = {"delimiter": self.delimiter, "encoding": self.encoding}
        return next((name for name, value in named.items() if value is not None), None)


def _encoding(name: str) -> str:
    """Return Python's name of an encoding of text, or refuse another one."""
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError, TypeError):
        raise InvalidValueError(
            f"encoding must be one of text, such as latin-1, cp1252 or utf-16; got {name!r:.40}"
        ) from None
