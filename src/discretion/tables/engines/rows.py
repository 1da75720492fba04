"""The rows of a table that queries count: an Ibis table on the engine that holds it."""

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

# A function from a table's column names to those to keep; it may raise.
Choose = Callable[[Sequence[str]], Sequence[str]]

_KEEPING_ENGINES = ("duckdb", "pyspark")
# Each query reads the table, and moves rows between workers, whatever it counts.
_READING_ENGINES = ("pyspark",)
_SORTING_ENGINES = ("duckdb", "pyspark")
UNKNOWN_TO_ENGINE = (OperationNotDefinedError, UnsupportedBackendType, UnsupportedOperationError)


@dataclass(frozen=True)
class Rows(ProcessBound):
    """A table, with its columns under names that every engine accepts.

    Parameters
    ----------
    table
        An Ibis table. Only the equality of values, or of their codes, and nulls matter.
    fields
        The user's name of a column → its name in ``table``.
    answer
        A function that runs an Ibis table expression where the rows are, and returns its result as tuples.
    texts
        For the columns that hold codes: the name in ``table`` → an Ibis table of ``code`` and ``text``. Null has none.
    spell
        A function from a value's text in the engine to the user's text.
    turns
        A lock that is held while tables are kept, since other threads must not query the engine meanwhile.
    kept
        Tables that stay as long as the engine. Ibis drops a table whenever Python frees it, in any thread, and so
        possibly during the query of another thread.
    arrow
        A function that returns the rows of an expression as an Arrow table, in the order of the table, if they are in
        this process.
    left_out
        The parts of the source that are not among the rows, such as other sheets of a workbook.
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
        """Whether the engine can keep a table for a while without a write to the user's database."""
        return self.table.get_backend().name in _KEEPING_ENGINES

    @property
    def sorts_structs(self) -> bool:
        """Whether the engine sorts lists of several values each, and groups by such lists."""
        return self.table.get_backend().name in _SORTING_ENGINES

    @cached_property
    def are_read_anew(self) -> bool:
        """Whether the engine reads the rows for each query, so that several queries should be put as one.

        Not for texts with collations of their own, under which equal texts may differ: they cannot share a column.
        """
        engine = self.table.get_backend()
        return engine.name in _READING_ENGINES and not any(
            " collate " in kind for _, kind in engine.raw_sql(engine.compile(self.table)).dtypes
        )

    def spellings(self, value: str) -> list[str]:
        """Return the possible spellings of a value in the engine: itself, or in JSON a text or something else."""
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
                "the engine that holds the Ibis table cannot answer this query; pass the table's to_pyarrow() instead"
            ) from None


def text_of(value: Any) -> Any:
    """Return a value, an Ibis expression, as text, with the same text for equal values such as 0.0 and -0.0."""
    return (value + 0.0 if value.type().is_floating() else value).cast("string")


def _in_json(character: str) -> str:
    """Return a character as DuckDB spells it in a JSON text: its escapes have capital letters."""
    plain = json.dumps(character, ensure_ascii=False)[1:-1]
    return f"\\u{ord(character):04X}" if plain.startswith("\\u") else plain


def safe_fields(names: Iterable[str]) -> dict[str, str]:
    """Return a plain name for each column, for any characters or keywords in the user's names."""
    return {name: f"c{i}" for i, name in enumerate(names)}


def check_names(names: Iterable[str], source: str) -> tuple[str, ...]:
    """Return the column names if every engine distinguishes them.

    Raises
    ------
    InvalidTableError
        If there are no names, a name is empty, or two are the same or differ only by case. The message gives their
        places instead of the names, since in a file without a header they are a person's values.
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
