"""The role of each column of a table in the options of an audit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from discretion.errors import one_of
from discretion.jobs.options import Names
from discretion.jobs.options.tables import NO_PERSON, AuditOptions

Role = Literal[
    "goes out",
    "goes out, generalized",
    "does not go out",
    "must go out",
    "must go out, generalized",
    "sensitive",
    "sensitive, and must go out",
    "names the person",
    "weight",
]
ROLES: tuple[Role, ...] = get_args(Role)
GENERALIZED: tuple[Role, ...] = ("goes out, generalized", "must go out, generalized")


@dataclass(frozen=True, kw_only=True)
class ColumnChoiceOptions(AuditOptions):
    """The options of an audit, with the generalizations of columns that a user tries.

    Parameters
    ----------
    generalize
        The columns that go out generalized, each with its generalization, as age=in steps of 10,…; a column without one
        gets its finest one. The other columns go out unchanged.
    """

    generalize: Names = ()


def roles_of(options: AuditOptions, columns: Sequence[str], generalized: Sequence[str] = ()) -> dict[str, Role]:
    """Return the role of each column of a table by the options, some of which go out generalized.

    Examples
    --------
    >>> roles_of(AuditOptions(drop=["zip"], sensitive=["ill"], keep=["ill"]), ["sex", "zip", "ill"], ["sex"])
    {'sex': 'goes out, generalized', 'zip': 'does not go out', 'ill': 'sensitive, and must go out'}
    """
    return {name: _role(options, name, name in generalized) for name in columns}


def _role(options: AuditOptions, name: str, is_generalized: bool) -> Role:
    if name == options.person:
        return "names the person"
    if name == options.weight:
        return "weight"
    if name in options.sensitive:
        return "sensitive, and must go out" if name in options.keep else "sensitive"
    if name in options.keep:
        return "must go out, generalized" if is_generalized else "must go out"
    if name in options.drop or (options.columns is not None and name not in options.columns):
        return "does not go out"
    return "goes out, generalized" if is_generalized else "goes out"


def with_roles(
    options: ColumnChoiceOptions, roles: Mapping[str, str], generalizations: Mapping[str, str]
) -> ColumnChoiceOptions:
    """Return the options that give each column of a table its role, and these generalizations.

    Raises
    ------
    InvalidValueError
        If there is no such role.

    Examples
    --------
    >>> roles = {"age": "goes out, generalized", "zip": "does not go out", "ill": "sensitive"}
    >>> with_roles(ColumnChoiceOptions(k=5), roles, {"age": "in steps of 10"}).arguments()
    ['--sensitive=ill', '--drop=zip', '--k=5', '--generalize=age=in steps of 10']
    """
    for role in roles.values():
        one_of(role, ROLES, "role of a column")

    def having(*wanted: Role) -> tuple[str, ...]:
        return tuple(name for name, role in roles.items() if role in wanted)

    nobody = options.person if options.person == NO_PERSON else None
    return replace(
        options,
        columns=None,
        drop=having("does not go out"),
        keep=having("must go out", "must go out, generalized", "sensitive, and must go out"),
        sensitive=having("sensitive", "sensitive, and must go out"),
        person=next(iter(having("names the person")), nobody),
        weight=next(iter(having("weight")), None),
        generalize=[
            f"{name}={generalizations[name]}" if name in generalizations else name for name in having(*GENERALIZED)
        ],
    )
