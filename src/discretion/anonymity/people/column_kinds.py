"""Kinds of columns: trait, identifier, key, date, coordinate, weight, free text, measurement, constant."""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discretion.anonymity.people.conversion import People, as_population
from discretion.escaping import printable
from discretion.numerics.equivalence_classes import are_row_numbers
from discretion.tables.counting.class_sizes import ClassSizes

if TYPE_CHECKING:
    from discretion.tables.counting.contents import ColumnContents
    from discretion.tables.engines.rows import Rows

Kind = Literal[
    "trait",
    "identifier",
    "key",
    "measurement",
    "free text",
    "date",
    "coordinate",
    "weight",
    "constant",
    "nearly constant",
]

#: Kinds of columns that name their person, and so are published only if they are kept.
NAMING: tuple[Kind, ...] = ("identifier", "key", "free text")

# Of the rows that have a value: where there are more values than this, one mostly names its row.
_OWN_VALUES = 0.5
# At least this many whole numbers that hardly repeat are no measurements.
_NUMBERING = 200
# Fewer values are no people, show nothing of how they spread, or name no rows.
_ENOUGH_PEOPLE = 10
_ENOUGH_TO_SPREAD = 30
_ENOUGH = 20
# More are, say, a sampled cluster.
_ROWS_OF_ONE = 15
# Rows that fall on values by chance vary in number as much as their mean, or more.
_MIN_SPREAD = 0.5
_NEARLY_ALL = 0.99
_MOSTLY = 0.95
_WORDS_OF_A_TEXT = 6

_IDENTIFYING = {"id", "ids", "idnum", "idno", "identifier", "pid", "uid", "uuid", "guid", "ssn", "mrn", "caseid"}
_PEOPLE = {
    "account", "applicant", "beneficiary", "cardholder", "citizen", "client", "customer", "donor", "driver", "email",
    "employee", "enrollee", "individual", "inmate", "insured", "learner", "login", "member", "mobile", "nhs",
    "participant", "passenger", "passport", "patient", "person", "phone", "player", "policyholder", "pupil",
    "resident", "respondent", "student", "subj", "subject", "subscriber", "taxpayer", "telephone", "tenant", "user",
    "username", "visitor", "voter", "worker",
}  # fmt: skip
_BESIDE_AN_ID = {
    "address", "anon", "case", "code", "hash", "hashed", "key", "nbr", "no", "nr", "num", "number", "pseudonym",
    "record", "ref", "reference", "row", "study", "the", "token", "unique",
}  # fmt: skip
_NAMES = {"full", "fullname", "name"}
_TIMES = {
    "age", "date", "day", "days", "hour", "index", "minute", "month", "order", "period", "quarter", "rank", "round",
    "second", "sequence", "session", "step", "t", "time", "trial", "visit", "wave", "week", "weeks", "year", "years",
}  # fmt: skip
_ROW_NUMBERS = {"index", "nr", "number", "obs", "obsno", "row", "rowid", "seq", "seqno", "unnamed"}
# Of few people each may have another one.
_AGES = {"age", "ages", "alter"}
# Whole numbers with these words are amounts though all of them differ; with the second words, numbers of accounts.
_AMOUNTS = _AGES | {
    "amount", "amounts", "area", "betrag", "charge", "charges", "cost", "costs", "distance", "duration", "earnings",
    "einkommen", "expenditure", "expenses", "gehalt", "gross", "income", "incomes", "length", "lohn", "mass", "net",
    "pay", "population", "preis", "price", "profit", "rent", "revenue", "salaries", "salary", "sales", "spending",
    "steps", "sum", "total", "turnover", "umsatz", "value", "volume", "wage", "wages",
}  # fmt: skip
_NUMBERED = {"contract", "invoice", "order", "policy", "reference", "serial", "ticket", "transaction"}
# Things that have a dozen rows each and are not people.
_GROUPS = (
    "batch", "block", "city", "class", "cluster", "commune", "county", "country", "district", "famil", "group",
    "household", "julday", "litter", "neighb", "point", "province", "region", "sample", "school", "site", "state",
    "strat", "street", "town", "tract", "village", "zip",
)  # fmt: skip
_DAYS = {"birth", "birthday", "date", "dates", "day", "dob", "dod", "dt", "ymd"}
_EPOCHS = {"at", "created", "date", "epoch", "modified", "seconds", "time", "timestamp", "ts", "unix", "updated"}
_YEARS = {"year", "yr", "yyyy", "yob"}
_LATITUDES, _LONGITUDES = {"lat", "latitude"}, {"lon", "lng", "long", "longitude"}
_WEIGHTS = {"weight", "weights", "wgt", "wght", "wt", "wts"}
_OF_SAMPLES = {
    "design", "expansion", "fnl", "instance", "prob", "probability", "replicate", "samp", "sample", "sampling", "strat",
    "survey",
}  # fmt: skip
# These words may go with the weight of a body, which has no more values than this.
_OF_SAMPLES_OR_BODIES = {"base", "case", "final", "hh", "household", "person", "population", "post", "respondent"}
_WEIGHTS_OF_BODIES = 200
_WEIGHTS_OF_NO_BODY = 650_000  # the heaviest people had as many grams
_WEIGHTS_BY_NAME = {
    "anweight", "asecwt", "dweight", "finalwgt", "finalwt", "fnlwgt", "fnlwt", "hhwt", "instweight", "perwt", "pspwght",
    "pweight", "pwgtp", "sampwt", "sampweight", "wgtp", "wtfinl", "wtint", "wtmec", "wtss", "wtssall",
}  # fmt: skip


@dataclass(frozen=True)
class ColumnKind:
    """The kind of a column, as it appears from its name and values.

    Parameters
    ----------
    column
        The name of the column.
    kind
        ``"identifier"``: nearly every value has a row to itself. ``"key"``: it looks like the name of a person with
        several rows. ``"measurement"``: a number so fine that most values have a row to themselves. ``"free text"``,
        ``"date"`` (or time), ``"coordinate"``, ``"weight"`` (of a row in a survey), ``"constant"``, ``"nearly
        constant"``. ``"trait"``: none of these.
    reason
        The reason, in a few words without any value of the column.
    values
        The number of different values, without null.
    """

    column: str
    kind: Kind
    reason: str
    values: int


@dataclass(frozen=True)
class _ColumnSummary:
    """A summary of a column: the number of rows of each value, and the form of the values."""

    column: str
    rows: int
    sizes: ClassSizes
    like: "ColumnContents"

    @property
    def filled(self) -> int:
        return self.rows - self.like.nulls

    @property
    def values(self) -> int:
        return self.sizes.classes - (self.like.nulls > 0)

    @property
    def rows_of_values(self) -> Mapping[int, int]:
        """A number of rows → the number of values, without null, that have this many rows."""
        counts = dict(zip(self.sizes.sizes.tolist(), self.sizes.counts.tolist(), strict=True))
        if self.like.nulls:
            counts[self.like.nulls] -= 1
        return {size: count for size, count in counts.items() if count}

    @property
    def words(self) -> list[str]:
        """The words of the name, in small letters."""
        return name_words(self.column)

    def mostly(self, count: int, share: float = _MOSTLY) -> bool:
        """Whether this many of the examined values are nearly all of them."""
        return self.like.seen > 0 and count >= share * self.like.seen

    def description(self) -> str:
        """Return the numbers of values and rows in words."""
        values = f"{self.values:,} value{'s' * (self.values != 1)} in {self.filled:,} row{'s' * (self.filled != 1)}"
        return values + (f", empty in {self.like.nulls:,}" if self.like.nulls else "")


def name_words(name: str) -> list[str]:
    """Return the words of a column's name, in small letters."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def column_kinds(P: People, columns: Iterable[str] | None = None) -> tuple[ColumnKind, ...]:
    """Return the kind that each column appears to be, by its name, its class sizes and the form of its values.

    Parameters
    ----------
    P
        The people. If they have several rows each, no column is taken for a key.
    columns
        Some of the population's columns; None is all of them.

    Returns
    -------
    tuple
        A :class:`ColumnKind` for each column, in their order.

    Notes
    -----
    Numbers of rows are exact; the form of the values comes from a sample of some thousands of them, examined where they
    are. The kind is a heuristic for you to check, and no measure depends on it. Source: Discretion.

    Examples
    --------
    >>> kinds = column_kinds("example:adult")
    >>> [(kind.column, kind.kind, kind.reason) for kind in kinds if kind.kind != "trait"]
    [('fnlwgt', 'weight', 'named like a survey weight, 21,648 values in 32,561 rows')]
    """
    from discretion.tables.counting.contents import contents  # noqa: PLC0415 - imports Ibis

    population = as_population(P)
    chosen = population.known(columns)
    like: dict[str, ColumnContents] = {}

    def look(rows: "Rows") -> "Rows":
        like.update(contents(rows, chosen))
        return rows

    by_row = population.with_rows(look, None)
    by_person = population if population.person is None else by_row
    sizes = by_person.class_sizes_of_all((column,) for column in chosen)
    seen = [
        _ColumnSummary(column, population.rows, size, like[column]) for column, size in zip(chosen, sizes, strict=True)
    ]
    keys = set[str]() if population.person is not None else _keys(seen)
    return tuple(_kind(each, is_key=each.column in keys) for each in seen)


def person_question(kinds: Iterable[ColumnKind]) -> str | None:
    """Return the question to the user if a column appears to name people with several rows each, else None.

    Parameters
    ----------
    kinds
        The result of :func:`column_kinds`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> visits = pa.table({"ID": [*range(40), *range(40)], "visit": [1] * 40 + [2] * 40})
    >>> person_question(column_kinds(visits))
    'ID has 40 values in 80 rows, each in 2 rows: if it names the person of a row, add --person ID; without it, every \
row counts as a person'
    """
    keys = [kind for kind in kinds if kind.kind == "key"]
    if not keys:
        return None
    key = max(keys, key=lambda kind: kind.values)
    name = printable(key.column)
    return (
        f"{name} has {key.reason}: if it names the person of a row, add --person {shlex.quote(name)}; without it, "
        "every row counts as a person"
    )


def names_people(column: str) -> bool:
    """Return whether the name of a column is typical for columns that identify people.

    Examples
    --------
    >>> [names_people(name) for name in ("patient_id", "user", "school_id", "age")]
    [True, True, False, False]
    """
    words = {*name_words(column)}
    if words & _PEOPLE:
        return words <= _PEOPLE | _IDENTIFYING | _BESIDE_AN_ID | {"name"}
    return bool(words & _IDENTIFYING) and words <= _IDENTIFYING | _BESIDE_AN_ID


def _kind(seen: _ColumnSummary, *, is_key: bool) -> ColumnKind:
    kind, reason = next(filter(None, (rule(seen) for rule in _RULES if not is_key or rule is _constant)), (None, None))
    if is_key and kind is None:
        sizes = seen.rows_of_values
        least, most = f"{min(sizes):,}", f"{max(sizes):,}"
        each = f"{least} to {most} rows" if least != most else f"{most} rows"
        kind, reason = "key", f"{seen.description()}, each in {each}"
    return ColumnKind(seen.column, kind or "trait", reason or seen.description(), seen.values)


def _constant(seen: _ColumnSummary) -> tuple[Kind, str] | None:
    if seen.sizes.classes > 1:
        return None
    return "constant", "the same in every row" if seen.filled else "empty in every row"


def _date(seen: _ColumnSummary) -> tuple[Kind, str] | None:
    if seen.mostly(seen.like.moments):
        return "date", f"dates or times, {seen.description()}"
    if _DAYS & {*seen.words} and seen.mostly(seen.like.days):
        return "date", f"dates in digits, {seen.description()}"
    if _EPOCHS & {*seen.words} and seen.mostly(seen.like.epochs):
        return "date", f"seconds or milliseconds since 1970, {seen.description()}"
    if _YEARS & {*seen.words} and seen.mostly(seen.like.years):
        return "date", f"years, {seen.description()}"
    return None


def _coordinate(seen: _ColumnSummary) -> tuple[Kind, str] | None:
    if seen.mostly(seen.like.places):
        return "coordinate", f"pairs of coordinates, {seen.description()}"
    words = {*seen.words}
    for names, plausible in ((_LATITUDES, seen.like.latitudes), (_LONGITUDES, seen.like.longitudes)):
        if words & names and seen.mostly(plausible) and 2 * seen.like.fractions > seen.like.seen:
            return "coordinate", f"named and in the range of a coordinate, {seen.description()}"
    return None


def _weight(seen: _ColumnSummary) -> tuple[Kind, str] | None:
    words = {*seen.words}
    of_samples = _OF_SAMPLES | (_OF_SAMPLES_OR_BODIES if seen.values > _WEIGHTS_OF_BODIES else set[str]())
    of_no_body = seen.like.span > _WEIGHTS_OF_NO_BODY
    named = bool(words & _WEIGHTS_BY_NAME or (words & _WEIGHTS and (words & of_samples or of_no_body)))
    if named and seen.mostly(seen.like.positive) and seen.values >= min(_ENOUGH, seen.filled):
        return "weight", f"named like a survey weight, {seen.description()}"
    return None


def _free_text(seen: _ColumnSummary) -> tuple[Kind, str] | None:
    if seen.like.words >= _WORDS_OF_A_TEXT * max(seen.like.seen, 1) and seen.values > _OWN_VALUES * seen.filled:
        return "free text", f"{seen.like.words / seen.like.seen:.0f} words on average, {seen.description()}"
    return None


def _naming(seen: _ColumnSummary) -> tuple[Kind, str] | None:
    if seen.values <= _OWN_VALUES * seen.filled or seen.filled < min(_ENOUGH, seen.rows):
        return None
    enough = {*seen.words} <= _ROW_NUMBERS or (seen.filled >= _NUMBERING and not _names_an_amount(seen))
    numbering = (enough and seen.values >= _MOSTLY * seen.filled) or (
        seen.values == seen.filled and are_row_numbers(seen.filled, seen.like.span) and not {*seen.words} & _AGES
    )
    if not seen.mostly(seen.like.numbers) or names_people(seen.column) or (numbering and not seen.like.fractions):
        return "identifier", seen.description()
    return "measurement", f"fine numbers, {seen.description()}"


def _names_an_amount(seen: _ColumnSummary) -> bool:
    words = {*seen.words}
    return bool(words & _AMOUNTS) and not words & (_IDENTIFYING | _BESIDE_AN_ID | _ROW_NUMBERS | _NUMBERED)


def _nearly_constant(seen: _ColumnSummary) -> tuple[Kind, str] | None:
    if seen.sizes.largest < _NEARLY_ALL * seen.rows:
        return None
    return "nearly constant", f"the same in all but {seen.rows - seen.sizes.largest:,} of {seen.rows:,} rows"


_RULES = (_constant, _date, _coordinate, _weight, _free_text, _naming, _nearly_constant)


def _keys(seen: Iterable[_ColumnSummary]) -> set[str]:
    """Return the columns that appear to name people with several rows: all with fitting names, else the most even."""
    fit = [each for each in seen if _repeats(each)]
    if named := {each.column for each in fit if names_people(each.column) or _is_of_codes(each) or _is_of_names(each)}:
        return named
    even = [each for each in fit if _is_even(each)]
    return {max(even, key=lambda each: each.values).column} if even else set()


def _repeats(seen: _ColumnSummary) -> bool:
    """Whether a column has enough values to be a key, some of them with several rows, and is of no other kind.

    For a column with the name of an identifier two values are enough. With a word for people, such as member, three
    are enough if all have the same number of rows: otherwise the column may mark who is a member.
    """
    if not 2 <= seen.values < seen.filled or seen.like.fractions:
        return False
    if seen.values < _ENOUGH_PEOPLE and not _is_identifier(seen):
        as_many = len(seen.rows_of_values) == 1 and seen.values > 2
        if not (as_many and names_people(seen.column)):
            return False
    return not any(rule(seen) for rule in (_date, _coordinate, _weight, _free_text))


def _is_identifier(seen: _ColumnSummary) -> bool:
    """Whether the name of a column is that of an identifier of people, rather than only a word for people."""
    return names_people(seen.column) and bool({*seen.words} & (_IDENTIFYING | _BESIDE_AN_ID))


def _names_a_group(seen: _ColumnSummary) -> bool:
    return any(group in seen.column.lower() for group in _GROUPS)


def _is_of_codes(seen: _ColumnSummary) -> bool:
    """Whether values are UUIDs or hashes, and too many to be names of groups."""
    return seen.mostly(seen.like.codes) and seen.values**2 >= seen.filled and not _names_a_group(seen)


def _is_of_names(seen: _ColumnSummary) -> bool:
    """Whether values are names that repeat more often than namesakes would."""
    often = 2 * seen.values <= seen.filled <= _ROWS_OF_ONE * seen.values or seen.sizes.largest >= _ENOUGH_PEOPLE
    return bool(seen.words) and {*seen.words} <= _NAMES and often and not seen.mostly(seen.like.numbers)


def _is_even(seen: _ColumnSummary) -> bool:
    """Whether every value has several rows, and their numbers of rows are too similar to be chance."""
    counts = seen.rows_of_values
    mean = seen.filled / seen.values
    if seen.values < _ENOUGH_TO_SPREAD or min(counts) < 2 or mean > min(_ROWS_OF_ONE, seen.values):
        return False
    if _TIMES & {*seen.words} or _names_a_group(seen):
        return False
    spread = sum(count * (size - mean) ** 2 for size, count in counts.items()) / seen.values
    return spread < _MIN_SPREAD * mean
