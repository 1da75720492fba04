"""The spelling of redaction rules, one line each."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from discretion.anonymity import RedactionRule
from discretion.errors import InvalidValueError
from discretion.spelling.numbers import spelled_numbers
from discretion.spelling.spelled import spelled

_FORM = '"race: Other, null when sex: Female decoys 0.01", with "rarer than 10" or "any" instead of values'
_TOKEN = re.compile(r'\s*(?P<word>"(?:[^"\\]|\\.)*"|[:,]|[^\s:,"]+)')
_KEYWORDS = frozenset({"when", "and", "decoys", "rarer", "than", "any", "null"})
_LONGEST = 1 << 16
N = TypeVar("N", int, float)


def rule_of(text: str) -> RedactionRule:
    """Return the redaction rule of a line: a column, the redacted values, the conditions, and the share of decoys.

    A name or value with spaces, colons, commas or quotes, or that is a keyword of the rules, is written as a JSON
    string; ``null`` is a missing value.

    Raises
    ------
    InvalidValueError
        If the line is no rule.

    Examples
    --------
    >>> rule_of("race: rarer than 300 decoys 0.01")
    RedactionRule(column='race', rarer_than=300, decoys=0.01, values=None, when={})
    >>> rule = rule_of('income: any when workclass: "Without pay", null and sex: Female')
    >>> rule.when["workclass"], spelled(rule)
    (('Without pay', None), 'income: any when workclass: "Without pay", null and sex: Female')
    """
    return _Reader(text).rule()


class _Reader:
    """A reader of the words of a line, one by one."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0
        self._words: list[str] = []
        text = text.strip()
        if len(text) > _LONGEST:
            raise InvalidValueError(f"a redaction rule is one line of at most {_LONGEST:,} letters")
        while self._place < len(text):
            match = _TOKEN.match(text, self._place)
            if match is None:
                raise self._refusal("a quotation mark without a closing one")
            self._words.append(match["word"])
            self._place = match.end()
        self._place = 0

    def rule(self) -> RedactionRule:
        column = self._name()
        self._take(":")
        rarer_than, values = None, None
        if self._took("rarer"):
            self._take("than")
            rarer_than = self._number(int, "a whole number")
        elif not self._took("any"):
            values = self._values()
        when: dict[str, Sequence[str | None]] = {}
        if self._took("when"):
            while True:
                other = self._name()
                self._take(":")
                if other in when:
                    raise self._refusal(f"two conditions on {other!r}")
                when[other] = self._values()
                if not self._took("and"):
                    break
        decoys = self._number(float, "a probability") if self._took("decoys") else 0.0
        if self._place < len(self._words):
            raise self._refusal(f"{self._words[self._place]!r} after its end")
        return RedactionRule(column, rarer_than, decoys, values, when)

    def _values(self) -> list[str | None]:
        values = [self._value()]
        while self._took(","):
            values.append(self._value())
        return values

    def _value(self) -> str | None:
        return None if self._took("null") else self._name()

    def _name(self) -> str:
        word = self._next("a name or a value")
        if word.startswith('"'):
            try:
                return str(json.loads(word))
            except ValueError:
                raise self._refusal(f"{word}, which is no JSON string") from None
        if word in _KEYWORDS or word in (":", ","):
            raise self._refusal(f"{word!r} in place of a name or a value; put a name like this in quotation marks")
        return word

    def _number(self, kind: type[N], what: str) -> N:
        word = self._next(what)
        try:
            return kind(word)
        except ValueError:
            raise self._refusal(f"{word!r} in place of {what}") from None

    def _take(self, word: str) -> None:
        if not self._took(word):
            found = repr(self._words[self._place]) if self._place < len(self._words) else "nothing"
            raise self._refusal(f"{found} in place of {word!r}")

    def _took(self, word: str) -> bool:
        if self._place < len(self._words) and self._words[self._place] == word:
            self._place += 1
            return True
        return False

    def _next(self, what: str) -> str:
        if self._place == len(self._words):
            raise self._refusal(f"nothing in place of {what}")
        self._place += 1
        return self._words[self._place - 1]

    def _refusal(self, has: str) -> InvalidValueError:
        return InvalidValueError(f"a redaction rule is a line as {_FORM}; {self._text[:100]!r} has {has}")


@spelled.register
def _spelled_of_redaction_rule(rule: RedactionRule) -> str:
    what = "any" if rule.values is None else _spelled_values(rule.values)
    if rule.rarer_than is not None:
        what = f"rarer than {rule.rarer_than}"
    conditions = " and ".join(f"{_spelled_name(name)}: {_spelled_values(these)}" for name, these in rule.when.items())
    return (
        f"{_spelled_name(rule.column)}: {what}"
        + (f" when {conditions}" if conditions else "")
        + (f" decoys {spelled_numbers([rule.decoys])}" if rule.decoys else "")
    )


def _spelled_values(values: Iterable[str | None]) -> str:
    return ", ".join("null" if value is None else _spelled_name(value) for value in values)


def _spelled_name(name: str) -> str:
    is_plain = re.fullmatch(r'[^\s:,"]+', name) and name not in _KEYWORDS
    return name if is_plain else json.dumps(name, ensure_ascii=False)
