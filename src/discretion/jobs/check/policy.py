"""Policies in TOML: limits on the exposure of a file of people, with the line of each key."""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, cast

from discretion.anonymity import preset as find_preset
from discretion.anonymity.choosing.constraints import GUESS_BUDGET
from discretion.errors import InvalidValueError, one_of
from discretion.input_files import read_toml
from discretion.jobs.gates import Gate, gates_of, limit_of
from discretion.jobs.options.tables import AuditOptions
from discretion.jobs.persons import NO_PERSON
from discretion.jobs.release.plan import toml_value
from discretion.jobs.table_measures import ALL_COLUMNS, OF_TABLE_ALONE, OF_WILDCARDS, table_measures
from discretion.presenting.names import short
from discretion.tables.layouts.names import distinct_names
from discretion.tables.layouts.text_format import TextFormat

Columns = tuple[str, ...]

KEYS = (
    "person",
    "header",
    "delimiter",
    "encoding",
    "columns",
    "together",
    "preset",
    "k",
    "budget",
    "sensitive",
    "guess_budget",
    "certain_budget",
    "l",
    "t",
    "missing",
    "wildcards",
    "fail_over",
    "ledger",
    "counts",
)
# The keys that a policy for tables of counts may have, and the parts of its key counts.
_OF_COUNTS = ("columns", "together", "preset", "k", "ledger", "counts")
_COUNTED = {"column": str, "complete": bool, "where": dict}
# Numbers of people, classes or values: not shares. Some of them are never below 1.
_FROM_ONE = {"people", "classes", "k_anonymity", "l_diversity", "wildcard_k_anonymity"}
_WHOLE = {*_FROM_ONE, "exposed_people", "unique_people", "people_with_wildcards", "wildcard_exposed_people"}
_OF_K = {"exposure", "exposed_people", "wildcard_exposure", "wildcard_exposed_people"}
# Numbers that may be above 1 without being whole.
_UNBOUNDED = {"recursive_c", "beta_likeness", "delta_disclosure"}
# Measures that are better when higher, and measures that are neither good nor bad; all others are better when lower.
_BETTER_HIGH = {"k_anonymity", "l_diversity", "wildcard_k_anonymity"}
_NEUTRAL = {"people", "classes", "people_with_wildcards"}
# The verdict on the limit of a sensitive column that the file lacks.
_MISSING: Mapping[str, Literal["not decided", "failed"]] = {"undecided": "not decided", "fail": "failed"}
_OF_SENSITIVE: Mapping[str, tuple[str, Literal["<", ">"]]] = {
    "guess_budget": ("guess_rise", ">"),
    "certain_budget": ("certain", ">"),
    "l": ("l_diversity", "<"),
    "t": ("t_closeness", ">"),
}
# The k of an audit by default.
_FEW = 10


@dataclass(frozen=True)
class Policy:
    """The limits on a file.

    Parameters
    ----------
    path
        The file of the policy.
    person
        The column that names a person with several rows, "none" if every row is a person, or None if it is not set.
    form
        The form of a CSV file.
    columns
        The columns that a file may have; None allows any.
    together
        Sets of columns, one of which must contain all columns of a file; None allows any.
    sensitive
        The columns whose guesses are limited.
    k
        A person is exposed if fewer than k people share their values.
    l
        The least number of values of a sensitive column in an equivalence class.
    missing
        The verdict on the limits of a sensitive column that a file lacks.
    wildcards
        The values that match any value; an empty one stands for a blank.
    gates
        Each rule's key, with its gate.
    ledger
        The file of earlier publications about the same people, or None.
    counts
        The form of the counts, if the files are tables of counts and not of people.
    lines
        A key → the line that it begins in.
    """

    path: str
    person: str | None
    form: TextFormat
    columns: Columns | None
    together: tuple[Columns, ...] | None
    sensitive: Columns
    k: int
    l: int  # noqa: E741 - as it is called
    missing: Literal["not decided", "failed"]
    wildcards: tuple[str, ...]
    gates: tuple[tuple[str, Gate], ...]
    ledger: str | None
    counts: "CountForm | None"
    lines: Mapping[str, int]


@dataclass(frozen=True)
class CountForm:
    """The form of a table of counts: the column of the counts, the people counted, and whether it has all values."""

    column: str
    complete: bool = True
    where: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


def policy_text(options: AuditOptions, columns: Columns, k: int) -> str:
    """Return the policy in TOML with the limits of an audit and these columns.

    Parameters
    ----------
    options
        The options of the audit.
    columns
        The columns of the file.
    k
        The least size of an equivalence class that does not expose its people, by the options.

    Examples
    --------
    >>> print(policy_text(AuditOptions(sensitive=["ill"], keep=["ill"]), ("sex", "ill"), 10), end="")
    columns = ["sex", "ill"]
    k = 10
    budget = 0.01
    sensitive = ["ill"]
    guess_budget = 0.05
    """
    values: dict[str, Any] = {"person": NO_PERSON} if options.person == NO_PERSON else {}
    values |= {"columns": columns, "k": k, "budget": options.budget}
    if secret := [name for name in options.sensitive if name in columns]:
        values |= {
            "sensitive": secret,
            "guess_budget": GUESS_BUDGET if options.guess_budget is None else options.guess_budget,
            "certain_budget": options.certain_budget,
            "l": options.l if options.l > 1 else None,
            "t": options.t if options.t_distance == "equal" and options.t_against == "file" else None,
        }
    return "".join(f"{key} = {toml_value(value)}\n" for key, value in values.items() if value is not None)


def read_policy(path: str | os.PathLike[str]) -> Policy:
    r"""Return the policy in a TOML file.

    Raises
    ------
    InvalidValueError
        If the file does not exist, is not TOML, or has a key or value that no policy has.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "discretion.toml")
    >>> _ = path.write_text('columns = ["age", "sex"]\nk = 5\n')
    >>> policy = read_policy(path)
    >>> policy.columns, policy.gates, policy.lines["k"]
    (('age', 'sex'), (('k', Gate(measure='k_anonymity', operator='<', limit=Fraction(5, 1))),), 2)
    """
    given, text = read_toml(path, "a policy")
    return _Reader(os.fspath(path), given, {key: _line_of(key, text) for key in given}).policy()


def checked_gates(texts: Iterable[str], sensitive: Iterable[str], wildcards: Iterable[str] = ()) -> tuple[Gate, ...]:
    """Return the gates by their spelling, if they name a table's measures and fail files that give away more.

    Examples
    --------
    >>> checked_gates(["k_anonymity>5"], ())
    Traceback (most recent call last):
    ...
    discretion.errors.InvalidValueError: the gate 'k_anonymity>5' fails files that give away less; write 'k_anonymity<5'
    """
    spelled = tuple(texts)
    measures = (*table_measures(sensitive, OF_TABLE_ALONE), *(OF_WILDCARDS if tuple(wildcards) else ()))
    gates = gates_of(spelled, measures)
    for text, gate in zip(spelled, gates, strict=True):
        name = _measure(gate)
        right = "<" if name in _BETTER_HIGH else ">"
        if gate.operator != right and name not in _NEUTRAL:
            better = f"{gate.measure}{right}{text.rpartition(gate.operator)[2].strip()}"
            raise InvalidValueError(f"the gate {text!r} fails files that give away less; write {better!r}")
    return gates


def _measure(gate: Gate) -> str:
    return gate.measure.removeprefix(ALL_COLUMNS).partition(":")[0]


class _Reader:
    """A reader of the keys of a policy, whose errors have the line of a wrong key."""

    def __init__(self, path: str, given: Mapping[str, Any], lines: Mapping[str, int]) -> None:
        self._path, self._given, self._lines = path, given, lines

    def policy(self) -> Policy:
        """Return the policy, if every key is valid."""
        for key in self._given:
            try:
                one_of(key, KEYS, "key of a policy called")
            except InvalidValueError as error:
                raise InvalidValueError(f"{self._place(key)}: {error}") from None
        person, sensitive = self._text("person"), self._names("sensitive", alone=True) or ()
        if person is not None and person != NO_PERSON and person in sensitive:
            raise self._wrong(
                "sensitive", f"has {person!r}, which is also the person's column; remove it from one of them"
            )
        columns, together, k = self._names("columns"), self._sets(), self._k() or _FEW
        wildcards = self._wildcards()
        gates = tuple(self._gates(sensitive, wildcards))
        counts, ledger = self._counts(), self._text("ledger")
        others = columns is None and together is None and ledger is None
        if others and not any(_can_fail(gate, k) for _, gate in gates):
            idle = " that a file could break" if gates else ""
            raise InvalidValueError(
                f"the policy {self._path!r} has no rule{idle}, so there is nothing to check; add columns, together, "
                "k, preset, budget, a limit for a sensitive column, ledger, or fail_over"
            )
        return Policy(
            path=self._path,
            person=person,
            form=self._form(),
            columns=columns,
            together=together,
            sensitive=sensitive,
            k=k,
            l=self._count("l") if "l" in self._given else 1,
            missing=self._missing(),
            wildcards=wildcards,
            gates=gates,
            ledger=None if ledger is None else str(Path(self._path).parent / ledger),
            counts=counts,
            lines=self._lines,
        )

    def _gates(self, sensitive: Columns, wildcards: tuple[str, ...]) -> Iterator[tuple[str, Gate]]:
        given, k = self._given, self._k()
        if "budget" in given:
            yield "budget", Gate("exposure", ">", self._share("budget"))
        elif k is not None:
            yield "k" if "k" in given else "preset", Gate("k_anonymity", "<", Fraction(k))
        limits = [key for key in _OF_SENSITIVE if key in given]
        if limits and not sensitive:
            raise self._wrong(limits[0], 'limits sensitive columns; name them as sensitive = ["…"]')
        for key in limits:
            measure, operator = _OF_SENSITIVE[key]
            limit = Fraction(self._count(key)) if key == "l" else self._share(key)
            yield from ((key, Gate(f"{measure}:{column}", operator, limit)) for column in sensitive)
        spelled = given.get("fail_over", [])
        if not _is_texts(spelled):
            raise self._unfit("fail_over", 'must be a list of gates, such as ["exposure>0.01"]')
        try:
            gates = checked_gates(spelled, sensitive, wildcards)
        except InvalidValueError as error:
            raise InvalidValueError(f"{self._place('fail_over')}: {error}") from None
        limited = {gate.measure.partition(":")[2] for gate in gates}
        if not limits and (free := next((name for name in sensitive if name not in limited), None)) is not None:
            raise self._wrong("sensitive", f"has {free!r} without a limit; add one of {', '.join(_OF_SENSITIVE)}")
        if wildcards and not any(gate.measure in OF_WILDCARDS for gate in gates):
            raise self._wrong(
                "wildcards", f"needs a gate of {', '.join(OF_WILDCARDS[1:])}; add one to fail_over, or remove wildcards"
            )
        yield from (("fail_over", gate) for gate in gates)

    def _k(self) -> int | None:
        k = self._count("k") if "k" in self._given else None
        if (name := self._text("preset")) is None:
            return k
        try:
            least = find_preset(name).k
        except InvalidValueError as error:
            raise InvalidValueError(f"{self._place('preset')}: {error}") from None
        if k not in (None, least):
            raise self._wrong("k", f"is {k}, but the preset {name!r} has k = {least}; leave one of them out")
        return least

    def _counts(self) -> CountForm | None:
        value: Any = self._given.get("counts")
        if value is None:
            return None
        form: dict[str, Any] = {"column": value} if isinstance(value, str) else value if _is_table(value) else {}
        if (
            not isinstance(form.get("column"), str)
            or not all(isinstance(each, _COUNTED.get(name, type(None))) for name, each in form.items())
            or not all(isinstance(each, str) for each in form.get("where", {}).values())
        ):
            raise self._wrong(
                "counts",
                'must be the column of the counts, such as "people", or {column = "people", complete = false, where = '
                '{sex = "f"}}',
            )
        if other := next((key for key in self._given if key not in _OF_COUNTS), None):
            raise self._wrong(other, f"is no rule for a table of counts; the rules are {', '.join(_OF_COUNTS[:5])}")
        where = {name: each or None for name, each in form.get("where", {}).items()}
        return CountForm(form["column"], form.get("complete", True), where)

    def _header(self) -> bool | Columns | None:
        header = self._given.get("header")
        if header is None or isinstance(header, bool):
            return header
        if _is_texts(header):
            return self._names("header")
        raise self._unfit("header", "must be true, false or a list of names")

    def _form(self) -> TextFormat:
        delimiter, encoding = self._text("delimiter"), self._text("encoding")
        for key, option in (("delimiter", delimiter), ("encoding", encoding)):
            try:
                TextFormat(**{key: option})
            except InvalidValueError as error:
                raise InvalidValueError(f"{self._place(key)}: {error}") from None
        return TextFormat(header=self._header(), delimiter=delimiter, encoding=encoding)

    def _missing(self) -> Literal["not decided", "failed"]:
        value = self._given.get("missing", "undecided")
        if not isinstance(value, str) or value not in _MISSING:
            raise self._unfit("missing", 'must be "undecided" or "fail"')
        return _MISSING[value]

    def _text(self, key: str) -> str | None:
        value = self._given.get(key)
        if not isinstance(value, str | None):
            raise self._unfit(key, "must be text")
        return value

    def _names(self, key: str, *, alone: bool = False) -> Columns | None:
        value = self._given.get(key)
        if value is None:
            return None
        names = [value] if alone and isinstance(value, str) else value
        if not _is_texts(names) or not names:
            raise self._unfit(key, "must be a list of names of columns")
        return self._distinct(key, names)

    def _wildcards(self) -> tuple[str, ...]:
        value = self._given.get("wildcards", [])
        texts = [value] if isinstance(value, str) else value
        if not _is_texts(texts) or ("wildcards" in self._given and not texts):
            raise self._unfit("wildcards", 'must be a list of values, such as ["*"], or ["*", ""] with blanks')
        return tuple(dict.fromkeys(texts))

    def _sets(self) -> tuple[Columns, ...] | None:
        sets: Any = self._given.get("together")
        if sets is None:
            return None
        if not isinstance(sets, list) or not sets or not all(map(_is_texts, cast(list[Any], sets))):
            raise self._unfit("together", 'must be a list of lists of names of columns, such as [["age", "sex"]]')
        return tuple(self._distinct("together", names) for names in cast(list[list[str]], sets))

    def _distinct(self, key: str, names: list[str]) -> Columns:
        try:
            return distinct_names(names)
        except InvalidValueError as error:
            raise InvalidValueError(f"{self._place(key)}: {key}: {error}") from None

    def _count(self, key: str) -> int:
        value = self._given[key]
        if not isinstance(value, int) or isinstance(value, bool) or limit_of(str(value)) is None or value < 1:
            raise self._unfit(key, "must be a whole number of at least 1")
        return value

    def _share(self, key: str) -> Fraction:
        value = self._given[key]
        share = None if isinstance(value, bool) else limit_of(str(value))
        if isinstance(value, int | Decimal) and share is not None and 0 <= share <= 1:
            return share
        raise self._unfit(key, "must be a number in [0, 1]")

    def _unfit(self, key: str, what: str) -> InvalidValueError:
        value = self._given[key]
        return self._wrong(key, f"{what}, got {short(str(value) if isinstance(value, Decimal) else repr(value))}")

    def _wrong(self, key: str, what: str) -> InvalidValueError:
        return InvalidValueError(f"{self._place(key)}: {key} {what}")

    def _place(self, key: str) -> str:
        return f"{self._path}, line {self._lines[key]}"


def _can_fail(gate: Gate, k: int) -> bool:
    """Return whether some table breaks a gate.

    Examples
    --------
    >>> _can_fail(Gate("k_anonymity", "<", Fraction(1)), 10), _can_fail(Gate("exposure", ">", Fraction(0)), 10)
    (False, True)
    >>> _can_fail(Gate("beta_likeness:ill", ">", Fraction(2)), 10), _can_fail(Gate("certain:ill", ">", Fraction(2)), 10)
    (True, False)
    """
    name = _measure(gate)
    if gate.operator == "<":
        return gate.limit > (name in _FROM_ONE)
    return (name in _WHOLE | _UNBOUNDED or gate.limit < 1) and not (k == 1 and name in _OF_K)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in cast(list[object], value))


def _line_of(key: str, text: str) -> int:
    r"""Return the line in which a key of the policy begins: the text before it is TOML without the key.

    Examples
    --------
    >>> _line_of("k", "columns = [\n'k = 3',\n]\nk = 5")
    4
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if re.match(rf"\s*(\[+\s*)?[\"']?{re.escape(key)}(?![\w-])", line):
            with suppress(ValueError):
                if key not in tomllib.loads("\n".join(lines[:number])):
                    return number + 1
    return 1
