"""Generalized columns: ages as decades, places as regions, for larger equivalence classes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from discretion.anonymity.people.conversion import People, as_population
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, UnsupportedError

if TYPE_CHECKING:
    from discretion.tables.engines.rows import Rows

_UNTELLABLE = re.compile("[\0\ud800-\udfff]")


def generalised(
    P: People,
    column: str,
    name: str,
    values: Mapping[str | None, str | None],
    other: str | None = None,
) -> Population:
    """Return the population with one more column: a generalization of one of its columns.

    ``v ↦ values[v]``, so people who share a value of the column share its generalization

    Parameters
    ----------
    P
        The people.
    column
        The finer column.
    name
        The name of the coarser column, which no other column has.
    values
        The column's values → the coarser values, as text; None is null on either side.
    other
        The coarser value of all values without an entry, including null; None if each value has an entry.

    Returns
    -------
    Population
        The same people, on the same engine; no row is copied.

    Raises
    ------
    UnsupportedError
        If the values are not a mapping of texts, or a text has a null character or half a surrogate pair.
    InvalidTableError
        If a column has the new name, or one that differs only by case.
    InvalidValueError
        If there are values without an entry.

    Notes
    -----
    Source: Discretion; the recoding of a whole column is from Samarati, "Protecting Respondents' Identities in
    Microdata Release", 2001.

    Examples
    --------
    >>> spouse = {"Married-civ-spouse": "married", "Married-AF-spouse": "married"}
    >>> adult = generalised("example:adult", "marital_status", "married", spouse, other="not married")
    >>> adult.common_values("married", 10)
    [('not married', 17562), ('married', 14999)]
    """
    population = as_population(P)
    population.known([column])
    if not isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UnsupportedError(f"values must be a mapping from values to coarser ones, got {type(values).__name__}")
    for text in (name, *values, *values.values(), other):
        if text is not None and not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(f"names and values must be text, or None for null; got {text!r}")
        if text is not None and _UNTELLABLE.search(text):
            raise UnsupportedError(
                f"text must not have a null character or half a surrogate pair; got {text!r}; "
                "use other= for such values"
            )
    return population.with_rows(lambda rows: _with_coarser(rows, column, name, values, other), population.person)


def _with_coarser(
    rows: "Rows", column: str, name: str, values: Mapping[str | None, str | None], other: str | None
) -> "Rows":
    from discretion.tables.engines.rows import check_names, safe_fields  # noqa: PLC0415 - imports Ibis

    fields = safe_fields(check_names([*rows.fields, name], "the population"))
    finer, coarser = fields[column], fields[name]
    views = _views(rows, finer, values)
    ((missing,),) = rows.ask(views.filter(~views["told"]).count().as_table())
    if missing and other is None:
        raise InvalidValueError(
            f"values has no entry for {missing} of the values of {column!r}; add them, or give other= for the rest"
        )
    if other is not None:
        views = views.mutate(coarser=views["told"].ifelse(views["coarser"], rows.spellings(other)[0]))
    joined = rows.table.left_join(views, rows.table[finer].identical_to(views["finer"]))
    kept = [rows.table[field] for field in rows.fields.values()]
    return replace(rows, table=joined.select(*kept, **{coarser: views["coarser"]}), fields=fields)


def _views(rows: "Rows", field: str, values: Mapping[str | None, str | None]) -> Any:
    """Return a row per value of a field: the value, its coarser value if it has an entry, and whether it has one."""
    from discretion.tables.engines.rows import text_of  # noqa: PLC0415

    ibis: Any = import_module("ibis")
    pairs = [
        (spelling, None if coarser is None else rows.spellings(coarser)[0])
        for value, coarser in values.items()
        for spelling in ([None] if value is None else rows.spellings(value))
    ]
    between, after = _unused(text for pair in pairs for text in pair if text)
    # Not a memtable, which Spark does not see when it is cached; nor an array, which takes Ibis a millisecond a value.
    listing = "".join(between.join("" if text is None else f"={text}" for text in pair) + after for pair in pairs)
    listed = ibis.literal(listing, "string").split(after).unnest().name("listed").as_table()
    sides = listed.filter(listed["listed"] != "").select(side=listed["listed"].split(between))
    key, coarser = (
        (side != "").ifelse(side.substr(1), ibis.null("string")) for side in (sides["side"][0], sides["side"][1])
    )
    known = sides.select(key=key, coarser=coarser, told=True)
    finer_values = rows.table.select(finer=rows.table[field]).distinct()
    if field in rows.texts:
        texts = rows.texts[field]
        finer_values = finer_values.left_join(texts, finer_values["finer"] == texts["code"]).select("finer", "text")
    else:
        finer_values = finer_values.mutate(text=text_of(finer_values["finer"]))
    views = finer_values.left_join(known, finer_values["text"].identical_to(known["key"]))
    views = views.select("finer", "coarser", told=views["told"].fill_null(False))
    if not rows.can_keep:
        return views
    with rows.turns:  # it would be worked out anew for every question
        rows.kept.append(views.cache())
        return rows.kept[-1]


def _unused(texts: Iterable[str]) -> tuple[str, str]:
    """Return two characters of Unicode's private use area that are in none of the texts."""
    used = set[str]().union(*texts)
    first, second = islice((own for own in map(chr, range(0xF0000, 0x10FFFE)) if own not in used), 2)
    return first, second
