"""Words that name one thing of several."""

from collections.abc import Iterable
from difflib import get_close_matches

from discretion.errors import InvalidValueError


def one_of(word: str, words: Iterable[str], what: str) -> str:
    """Return the word if it is one of those, or suggest the nearest.

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
