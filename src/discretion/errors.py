"""The exceptions that Discretion raises: each names the given value, the allowed values and a remedy.

::

    DiscretionError
    ├── InvalidValueError       (ValueError)   a number or option outside its range
    │   ├── InvalidChannelError                a matrix that is not a channel
    │   ├── InvalidPriorError                  a vector that is not a probability distribution
    │   ├── InvalidGainError                   a gain function that does not fit
    │   ├── InvalidTableError                  a table that cannot be read as it stands
    │   │   └── UnknownColumnError             a column that the table does not have
    │   └── TooLargeError                      an answer that would not fit; names a route that would
    ├── UnsupportedError        (TypeError)    a combination that has no meaning
    │   └── MissingExtraError                  a part that is installed by an extra (ModuleNotFoundError, too)
    ├── EngineError             (ValueError)   an engine that holds a table failed before it answered
    ├── MissedGoalError         (ValueError)   no file keeps to a goal, or a written file misses it when read back
    └── InternalError           (RuntimeError) two algorithms of Discretion disagree, so there is no answer

Every public function checks its arguments before it computes. An argument outside its documented range raises
`InvalidValueError` or a subclass of it. A system or a population for which the question has no meaning raises
`UnsupportedError`. A result that would not fit in memory raises `TooLargeError`. The *Raises* sections list only
further errors.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_SHOWN = 5  # names of columns in a sentence, and characters of one of them below
_LONGEST = 60
_COMPARED = 1000  # names in which the nearest is looked for: some milliseconds


class DiscretionError(Exception):
    """The base class of all errors that Discretion raises on purpose; the text is one sentence for a terminal."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild the error from its sentence when it is copied or comes from another process."""
        return _remade, (type(self), self.args), vars(self)


def _remade(kind: type[DiscretionError], args: tuple[Any, ...]) -> DiscretionError:
    return kind.__new__(kind, *args)


class InvalidValueError(DiscretionError, ValueError):
    """A number or an option outside its range."""


class InvalidChannelError(InvalidValueError):
    """A matrix that is not a channel, naming the row at fault."""


class InvalidPriorError(InvalidValueError):
    """A vector that is not a probability distribution of the right length."""


class InvalidGainError(InvalidValueError):
    """A gain function that does not fit its secrets, or gives no meaningful measure."""


class InvalidTableError(InvalidValueError):
    """A table that cannot be read as it stands."""


class UnknownColumnError(InvalidTableError):
    """A column that the table does not have."""

    def __init__(self, column: str, columns: Iterable[str]) -> None:
        known = list(columns)
        by_lower = {name.lower(): name for name in reversed(known[:_COMPARED]) if len(name) <= _LONGEST}
        nearest = get_close_matches(column[:_LONGEST].lower(), by_lower, n=1)
        more = f" and {len(known) - _SHOWN:,} more" if len(known) > _SHOWN else ""
        hint = (
            f"did you mean {by_lower[nearest[0]]!r}?"
            if nearest
            else f"the columns are {', '.join(map(_short, known[:_SHOWN]))}{more}"
        )
        super().__init__(f"there is no column {_short(column)}; {hint}")


def _short(name: str) -> str:
    return repr(name) if len(name) <= _LONGEST else f"{name[:_LONGEST]!r}…"


class TooLargeError(InvalidValueError):
    """An explicit object that would not fit in memory."""


class UnsupportedError(DiscretionError, TypeError):
    """A combination of system, adversary and measure that has no meaning or no algorithm."""


class MissingExtraError(UnsupportedError, ModuleNotFoundError):
    """A part of Discretion that is installed by an extra, and is not."""


class MissedGoalError(DiscretionError, ValueError):
    """No file keeps to a goal, or a written file misses it when it is read back; no file is left."""


class EngineError(DiscretionError, ValueError):
    """An engine that holds a table failed before it answered."""


class InternalError(DiscretionError, RuntimeError):
    """Two algorithms of Discretion disagree: there is no answer. Please report the sentence."""


def one_of(word: str, words: Iterable[str], what: str) -> str:
    """Return the word if it is among the allowed words, or raise an error that suggests the nearest one.

    Examples
    --------
    >>> one_of("krr", ["krr", "oue"], "mechanism")
    'krr'
    """
    known = list(words)
    if word in known:
        return word
    nearest = get_close_matches(word, known, n=1)
    hint = f"did you mean {nearest[0]!r}?" if nearest else "it is one of " + ", ".join(known)
    raise InvalidValueError(f"there is no {what} {word!r}; {hint}")
