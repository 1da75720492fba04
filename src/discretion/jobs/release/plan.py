"""A plan as a TOML file: the options of a release and, for each column, its generalization or "drop"."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from discretion.anonymity.releasing.generalizations import AS_IT_IS
from discretion.errors import InvalidValueError
from discretion.escaping import printable
from discretion.input_files import read_toml
from discretion.jobs.options.tables import ReleaseOptions

# The table of a plan that has the columns, and the value for those that do not go out.
_COLUMNS, DROP = "columns", "drop"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Options that a plan writes as the table of columns.
_ELSEWHERE = ("publish", "columns", "keep")
# The option that is a list of lines.
_LINES = "rules"


def plan_text(options: ReleaseOptions, choices: Mapping[str, Sequence[str]], dropped: Mapping[str, str]) -> str:
    """Return a plan as TOML.

    Parameters
    ----------
    options
        The options, ``publish`` among them.
    choices
        Each column that may go out → its generalizations.
    dropped
        Each column that does not go out → the reason.

    Examples
    --------
    >>> options = ReleaseOptions(publish=["sex", "age=in steps of 10"], sensitive=["income"])
    >>> print(plan_text(options, {"age": ["as it is", "in steps of 10"]}, {"zip": "by --drop"}), end="")
    # The columns of the file, one a line: "drop" or one of its generalizations. Edit it, and write the file with
    # discretion release TABLE --plan THIS_FILE --out FILE
    sensitive = ["income"]
    <BLANKLINE>
    [columns]
    sex = "as it is"
    age = "in steps of 10"  # or "as it is"
    zip = "drop"  # by --drop
    """
    default = ReleaseOptions()
    lines = [
        '# The columns of the file, one a line: "drop" or one of its generalizations. Edit it, and write the file with',
        "# discretion release TABLE --plan THIS_FILE --out FILE",
    ]
    lines += [
        f"{name} = {_lines(value) if name == _LINES else toml_value(value)}"
        for name, value in options.inputs().items()
        if name not in _ELSEWHERE and value != default.inputs()[name]
    ]
    return "\n".join([*lines, "", f"[{_COLUMNS}]", *_column_lines(options.publish, choices, dropped)]) + "\n"


def read_plan(path: str | Path) -> ReleaseOptions:
    r"""Return the options of a release from a plan file.

    Raises
    ------
    InvalidValueError
        If the file cannot be read, is not TOML, or has an option that no release has.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "plan.toml")
    >>> _ = path.write_text('k = 5\n[columns]\nsex = "as it is"\nage = "in steps of 10"\nzip = "drop"\n')
    >>> options = read_plan(path)
    >>> options.k, options.publish
    (5, ('sex=as it is', 'age=in steps of 10'))
    """
    given, _ = read_toml(path, "a plan")
    columns: Any = given.pop(_COLUMNS, None)
    if not isinstance(columns, dict) or not all(isinstance(how, str) for how in cast(dict[str, Any], columns).values()):
        raise InvalidValueError(
            f'{path} has no table [{_COLUMNS}]; add it with a line for each column, such as age = "in steps of 10"'
        )
    known = {field.name: field.default for field in fields(ReleaseOptions) if field.name not in _ELSEWHERE}
    if unknown := next((name for name in given if name not in known), None):
        raise InvalidValueError(
            f"{path} has {printable(unknown)}, which is no option of a release; a plan can have {', '.join(known)}, "
            f"and [{_COLUMNS}]"
        )
    for name, value in given.items():
        _check(path, name, value, known[name])
    shown = tuple(f"{name}={how}" for name, how in cast(dict[str, str], columns).items() if how != DROP)
    if not shown:
        raise InvalidValueError(f"{path} drops every column, so there is no file to write; give one a generalization")
    plain = {name: float(value) if isinstance(value, Decimal) else value for name, value in given.items()}
    return ReleaseOptions.of_parameters({**plain, "publish": shown})


def _column_lines(
    publish: Sequence[str], choices: Mapping[str, Sequence[str]], dropped: Mapping[str, str]
) -> Iterator[str]:
    for item in publish:
        # A name may have "=" in it: it is the longest beginning that is a column.
        name, how = max(
            ((name, item[len(name) + 1 :]) for name in choices if item.startswith(f"{name}=")),
            key=lambda each: len(each[0]),
            default=(item, AS_IT_IS),
        )
        others = [choice for choice in choices.get(name, ()) if choice != how]
        yield _line(name, how, f"or {', '.join(map(toml_value, others))}" if others else "")
    for name, why in dropped.items():
        yield _line(name, DROP, why)


def _line(name: str, how: str, comment: str) -> str:
    key = name if _BARE.fullmatch(name) else toml_value(name)
    return f"{key} = {toml_value(how)}" + (f"  # {printable(comment)}" if comment else "")


def _lines(values: Sequence[str]) -> str:
    """Return a list of texts in TOML, each on a line of its own."""
    return "\n".join(["[", *(f"  {toml_value(value)}," for value in values), "]"])


def toml_value(value: Any) -> str:
    """Return a value in TOML: JSON's spelling, except for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _check(path: str | Path, name: str, value: object, default: object) -> None:
    """Raise an error for a value whose type the option never has."""
    several = isinstance(value, list) and all(isinstance(each, str) for each in cast(list[Any], value))
    one = isinstance(value, str | int | Decimal)
    if not (several if default == () else several or one):
        what = "a text, a number, true or false"
        if default == ():
            what = f"a list of {_LINES if name == _LINES else 'columns'}"
        raise InvalidValueError(f"{path} has {name} = {printable(f'{value}')}; {name} must be {what}")
