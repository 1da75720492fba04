"""The rows that questions about exposure are put to: an Ibis table on the engine that holds it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ibis.common.exceptions import (  # pyright: ignore[reportMissingTypeStubs]
    OperationNotDefinedError,
    UnsupportedBackendType,
    UnsupportedOperationError,
)

from discretion.errors import InvalidTableError, UnsupportedError
from discretion.tables.engines.one_process import ProcessBound, Turns

# Takes a table's column names, returns those to keep; may raise.
Choose = Callable[[Sequence[str]], Sequence[str]]

_KEEPING_ENGINES = ("duckdb", "pyspark")
# A question reads the table, and moves rows between workers, whatever it is about.
_READING_ENGINES = ("pyspark",)
UNKNOWN_TO_ENGINE = (OperationNotDefinedError, UnsupportedBackendType, UnsupportedOperationError)


@dataclass(frozen=True)
class Rows(ProcessBound):
    """A table, with its columns under names that no engine stumbles on.

    Parameters
    ----------
    table
        An Ibis table. Equal values, or equal codes of values, and nulls: nothing else matters.
    fields
        The user's name of a column → its name in ``table``.
    answer
        Runs an Ibis table expression where the rows are, and returns what comes out as tuples.
    texts
        For the columns that hold codes: the name in ``table`` → an Ibis table of ``code`` and ``text``. Null has none.
    spell
        Turns a value's text in the engine into the user's.
    turns
        Taken while tables are kept, for other threads must not ask meanwhile.
    kept
        Tables that stay as long as the engine: Ibis drops one whenever Python happens to let go of it, in whatever
        thread, and so in the midst of another's question.
    arrow
        Returns the rows of an expression as an Arrow table, in the order of the table, if they are in this process.
    left_out
        What of the source is not among the rows, such as other sheets of a workbook.
    """

    table: Any
    fields: Mapping[str, str]
    answer: Callable[[Any], list[tuple[Any, ...]]]
    texts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    spell: Callable[[str], str] = str
    turns: Turns = field(default_factory=Turns)
    kept: list[Any] = field(default_factory=list[Any])
    arrow: Callable[[Any], Any] | None = None
    left_out: tuple[str, ...] = ()

    @property
    def can_keep(self) -> bool:
        """Whether the engine can keep a table for a while without writing into somebody's database."""
        return self.table.get_backend().name in _KEEPING_ENGINES

    @cached_property
    def are_read_anew(self) -> bool:
        """Whether the engine reads the rows for each question, so that several are to be put as one.

        Not of texts with collations of their own, by which equal texts may differ: those are in no column together.
        """
        engine = self.table.get_backend()
        return engine.name in _READING_ENGINES and not any(
            " collate " in kind for _, kind in engine.raw_sql(engine.compile(self.table)).dtypes
        )

    def spellings(self, value: str) -> list[str]:
        """Return how the engine may spell a value: as itself, or in JSON as a text or, say, as a number."""
        if self.spell is str:
            return [value]
        quoted = f'"{"".join(map(_in_json, value))}"'
        return [quoted] if value.startswith('"') else [quoted, value]

    def ask(self, question: Any) -> list[tuple[Any, ...]]:
        """Return the result of an Ibis table expression, or refuse if the engine cannot answer here."""
        self.turns.check()
        try:
            return self.answer(question)
        except UNKNOWN_TO_ENGINE:
            raise UnsupportedError(
                "the engine that holds the Ibis table cannot answer this; pass the table's to_pyarrow() instead"
            ) from None


def text_of(value: Any) -> Any:
    """Return a value, an Ibis expression, as text: equal ones alike, which 0.0 and -0.0 are."""
    return (value + 0.0 if value.type().is_floating() else value).cast("string")


def _in_json(character: str) -> str:
    """Return a character as DuckDB spells it in a JSON text: its escapes have large letters."""
    plain = json.dumps(character, ensure_ascii=False)[1:-1]
    return f"\\u{ord(character):04X}" if plain.startswith("\\u") else plain


def safe_fields(names: Iterable[str]) -> dict[str, str]:
    """Return a plain name for each column, whatever characters or keywords the user's names are made of."""
    return {name: f"c{i}" for i, name in enumerate(names)}


def check_names(names: Iterable[str], source: str) -> tuple[str, ...]:
    """Return the column names if every engine distinguishes them.

    Raises
    ------
    InvalidTableError
        If there is none, one is empty, or two are the same or differ only by case; it says which by their places, for
        what stands for names in a file without them are a person's values.
    """
    names = tuple(names)
    if not names:
        raise InvalidTableError(f"{source} has no columns; exposure needs at least one")
    seen: dict[str, tuple[int, str]] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise InvalidTableError(f"{source} has no name for column {position}; name every column")
        first, twin = seen.setdefault(name.casefold(), (position, name))
        if first != position:
            how = "have the same name" if twin == name else "have names that differ only by case"
            raise InvalidTableError(f"columns {first} and {position} of {source} {how}; rename one of them")
    return names
