"""What each column of a table is for, as the options of an audit have it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from discretion.errors import one_of
from discretion.jobs.options.tables import NO_PERSON, AuditOptions

Role = Literal[
    "goes out",
    "does not go out",
    "must go out",
    "sensitive",
    "sensitive, and must go out",
    "names the person",
    "weight",
]
ROLES: tuple[Role, ...] = get_args(Role)


def roles_of(options: AuditOptions, columns: Sequence[str]) -> dict[str, Role]:
    """Return what options make of each column of a table.

    Examples
    --------
    >>> roles_of(AuditOptions(drop=["zip"], sensitive=["ill"], keep=["ill"]), ["sex", "zip", "ill"])
    {'sex': 'goes out', 'zip': 'does not go out', 'ill': 'sensitive, and must go out'}
    """
    return {name: _role(options, name) for name in columns}


def _role(options: AuditOptions, name: str) -> Role:
    if name == options.person:
        return "names the person"
    if name == options.weight:
        return "weight"
    if name in options.sensitive:
        return "sensitive, and must go out" if name in options.keep else "sensitive"
    if name in options.keep:
        return "must go out"
    examined = options.columns is None or name in options.columns
    return "goes out" if examined and name not in options.drop else "does not go out"


def with_roles(options: AuditOptions, roles: Mapping[str, str]) -> AuditOptions:
    """Return options that make this of each column of a table.

    Raises
    ------
    InvalidValueError
        If there is no such role.

    Examples
    --------
    >>> with_roles(AuditOptions(k=5), {"sex": "goes out", "zip": "does not go out", "ill": "sensitive"}).arguments()
    ['--sensitive=ill', '--drop=zip', '--k=5']
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
        keep=having("must go out", "sensitive, and must go out"),
        sensitive=having("sensitive", "sensitive, and must go out"),
        person=next(iter(having("names the person")), nobody),
        weight=next(iter(having("weight")), None),
    )
