"""Policies in TOML: what a file of people may give away, every key known, and the line of each."""

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
# What may be beside the counts of a table of counts, and what says how they are counted.
_OF_COUNTS = ("columns", "together", "preset", "k", "ledger", "counts")
_COUNTED = {"column": str, "complete": bool, "where": dict}
# Numbers of people, classes or values: not shares. Some of them are never below 1.
_FROM_ONE = {"people", "classes", "k_anonymity", "l_diversity", "wildcard_k_anonymity"}
_WHOLE = {*_FROM_ONE, "exposed_people", "unique_people", "people_with_wildcards", "wildcard_exposed_people"}
_OF_K = {"exposure", "exposed_people", "wildcard_exposure", "wildcard_exposed_people"}
# Numbers that may be above 1 without being whole.
_UNBOUNDED = {"recursive_c", "beta_likeness", "delta_disclosure"}
# What is better when it is higher, and what is neither good nor bad; all others are better when they are lower.
_BETTER_HIGH = {"k_anonymity", "l_diversity", "wildcard_k_anonymity"}
_NEUTRAL = {"people", "classes", "people_with_wildcards"}
# How a limit of a sensitive column ends that the file lacks.
_MISSING: Mapping[str, Literal["not decided", "failed"]] = {"undecided": "not decided", "fail": "failed"}
_OF_SENSITIVE: Mapping[str, tuple[str, Literal["<", ">"]]] = {
    "guess_budget": ("guess_rise", ">"),
    "certain_budget": ("certain", ">"),
    "l": ("l_diversity", "<"),
    "t": ("t_closeness", ">"),
}
# As of an audit.
_FEW = 10


@dataclass(frozen=True)
class Policy:
    """What a file may give away.

    Parameters
    ----------
    path
        Its file.
    person
        The column that names a person with several rows, "none" if every row is a person, or None if it does not say.
    form
        How a CSV file is written.
    columns
        Those that a file may have at all; None is any.
    together
        Sets of columns, one of which has to hold all those of a file; None is any.
    sensitive
        The columns whose guessing is limited.
    k
        Exposed are fewer than k people alike.
    l
        How many values at least occur among people who are alike.
    missing
        How the limits of a sensitive column end that a file lacks.
    wildcards
        The values that could be anything, an empty one standing for a blank.
    gates
        A rule's key, and what must not be.
    ledger
        The file of what was published before about the same people; None if nothing says.
    counts
        How the counts are written, if the files are tables of counts and not of people.
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
    """How a table of counts is written: the column of the counts, whom it is about, and whether it has all values."""

    column: str
    complete: bool = True
    where: Mapping[str, str | None] = field(default_factory=dict[str, str | None])


def policy_text(options: AuditOptions, columns: Columns, k: int) -> str:
    """Return the policy, as TOML, that a file with these columns keeps to if it is within the limits of an audit.

    Parameters
    ----------
    options
        The audit's.
    columns
        The columns of the file.
    k
        How many people alike are not exposed, by the options.

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
        If there is no such file, it is not TOML, or it says something that no policy says.

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
    """Return the gates that are spelled so, if they are of a table's measures and fail what gives away more.

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
    """Reads the keys of a policy, and names the line of a wrong one."""

    def __init__(self, path: str, given: Mapping[str, Any], lines: Mapping[str, int]) -> None:
        self._path, self._given, self._lines = path, given, lines

    def policy(self) -> Policy:
        """Return the policy, if all that is given is one."""
        for key in self._given:
            try:
                one_of(key, KEYS, "key of a policy called")
            except InvalidValueError as error:
                raise InvalidValueError(f"{self._place(key)}: {error}") from None
        person, sensitive = self._text("person"), self._names("sensitive", alone=True) or ()
        if person is not None and person != NO_PERSON and person in sensitive:
            raise self._wrong("sensitive", f"names {person!r}, which is the person's column; leave it in one of them")
        columns, together, k = self._names("columns"), self._sets(), self._k() or _FEW
        wildcards = self._wildcards()
        gates = tuple(self._gates(sensitive, wildcards))
        counts, ledger = self._counts(), self._text("ledger")
        others = columns is None and together is None and ledger is None
        if others and not any(_can_fail(gate, k) for _, gate in gates):
            idle = " that a file could break" if gates else ""
            raise InvalidValueError(
                f"the policy {self._path!r} has no rule{idle}, so nothing would be checked; add columns, together, k, "
                "preset, budget, a limit for a sensitive column, ledger, or fail_over"
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
            raise self._wrong(limits[0], 'is about sensitive columns; name them as sensitive = ["…"]')
        for key in limits:
            measure, operator = _OF_SENSITIVE[key]
            limit = Fraction(self._count(key)) if key == "l" else self._share(key)
            yield from ((key, Gate(f"{measure}:{column}", operator, limit)) for column in sensitive)
        spelled = given.get("fail_over", [])
        if not _is_texts(spelled):
            raise self._unfit("fail_over", 'must be a list of gates, as ["exposure>0.01"]')
        try:
            gates = checked_gates(spelled, sensitive, wildcards)
        except InvalidValueError as error:
            raise InvalidValueError(f"{self._place('fail_over')}: {error}") from None
        limited = {gate.measure.partition(":")[2] for gate in gates}
        if not limits and (free := next((name for name in sensitive if name not in limited), None)) is not None:
            raise self._wrong("sensitive", f"names {free!r} without a limit; add one of {', '.join(_OF_SENSITIVE)}")
        if wildcards and not any(gate.measure in OF_WILDCARDS for gate in gates):
            raise self._wrong(
                "wildcards", f"is of gates of {', '.join(OF_WILDCARDS[1:])}; add one to fail_over, or leave it out"
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
            raise self._wrong("k", f"is {k}, and the preset {name!r} has k = {least}; leave one of them")
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
                'is the column of a table of counts that has them, as "people", or {column = "people", complete = '
                'false, where = {sex = "f"}}',
            )
        if other := next((key for key in self._given if key not in _OF_COUNTS), None):
            raise self._wrong(other, f"is no rule for a table of counts; those are {', '.join(_OF_COUNTS[:5])}")
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
            raise self._unfit("wildcards", 'must be a list of values, as ["*"], or ["*", ""] with blanks')
        return tuple(dict.fromkeys(texts))

    def _sets(self) -> tuple[Columns, ...] | None:
        sets: Any = self._given.get("together")
        if sets is None:
            return None
        if not isinstance(sets, list) or not sets or not all(map(_is_texts, cast(list[Any], sets))):
            raise self._unfit("together", 'must be a list of lists of names of columns, as [["age", "sex"]]')
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
    """Whether some table breaks a gate.

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
    r"""Return the line that a key of the policy begins in: one before which all is TOML, without the key.

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
