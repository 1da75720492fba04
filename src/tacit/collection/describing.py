"""A task as its organizer describes it, in TOML: questions, promises, times, and who takes part."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from secrets import token_bytes
from typing import Any, cast

from tacit.collection.errors import MalformedError
from tacit.collection.randomizers import randomizer_of
from tacit.collection.services.home import Role
from tacit.collection.services.keys import Key, Kind
from tacit.collection.wire.task import Feature, Party, Task
from tacit.errors import InvalidValueError
from tacit.input_files import read_toml
from tacit.spelling import one_of

_KEYS = {
    "task": (
        "purpose",
        "k",
        "budget",
        "smallest_batch",
        "opens",
        "closes",
        "features",
        "shufflers",
        "curator",
        "analyst",
    ),
    "feature": ("name", "values", "randomizer"),
    "party": ("url", "key", "signer"),
}  # fmt: skip
# Who has no key in the description is given one: by its role and its place among those of it.
Furnished = Callable[[Role, int], Mapping[Kind, Key]]


def read_task(path: str | os.PathLike[str], furnished: Furnished) -> Task:
    """Return the task that a TOML file describes.

    Parameters
    ----------
    path
        The file; docs/collecting.md says all that it may have.
    furnished
        What makes keys for a party that has none there.

    Raises
    ------
    InvalidValueError
        If it is not TOML, or describes no task: the key that is wrong is named.
    """
    given, _ = read_toml(path, "a task")
    _check_keys(given, "task", given)
    needed = [key for key in _KEYS["task"] if key not in (*given, "curator", "k", "budget")]
    if needed:
        raise MalformedError(f"the task in {os.fspath(path)!r} does not say its {', '.join(needed)}")
    shufflers = [_Party(each, "shuffler", place, furnished) for place, each in enumerate(_list(given, "shufflers"))]
    analyst = _Party(given["analyst"], "analyst", 0, furnished)
    curator = _Party(given["curator"], "curator", 0, furnished) if "curator" in given else None
    task = Task(
        id=token_bytes(16),
        purpose=given["purpose"],
        features=tuple(_feature(each) for each in _list(given, "features")),
        k=given.get("k", 10),
        budget=str(given.get("budget", "0.01")),
        smallest_batch=given["smallest_batch"],
        opens=_seconds(given, "opens"),
        closes=_seconds(given, "closes"),
        shufflers=tuple(each.party for each in shufflers),
        analyst=analyst.party,
        curator=None if curator is None else curator.party,
        signer=None if curator is None else curator.public("sign"),
    )
    for feature in task.features:
        if feature.randomizer is not None:
            randomizer_of(feature)
    return task


class _Party:
    def __init__(self, given: Any, role: Role, place: int, furnished: Furnished) -> None:
        _check_keys(given, "party", given)
        self._given = given
        self._made: Mapping[Kind, Key] = {} if "key" in given else furnished(role, place)

    @property
    def party(self) -> Party:
        return Party(self._given.get("url"), self.public("seal"))

    def public(self, kind: Kind) -> bytes:
        if kind in self._made:
            return self._made[kind].public
        name = {"seal": "key", "sign": "signer"}[kind]
        try:
            return bytes.fromhex(self._given[name])
        except (KeyError, ValueError, TypeError):
            raise MalformedError(f"a party's {name} is a public key of 32 bytes in hexadecimal") from None


def _feature(given: Any) -> Feature:
    _check_keys(given, "feature", given)
    values = given.get("values")
    if not isinstance(values, list):
        raise MalformedError(f"the feature {str(given.get('name'))[:100]!r} needs its values, as a list of texts")
    return Feature(given.get("name"), tuple(cast("list[str]", values)), given.get("randomizer"))


def _check_keys(given: Any, what: str, of: object) -> None:
    if not isinstance(given, dict):
        raise MalformedError(f"a {what} is a table of keys and values, got {of!r:.60}")
    for key in cast("dict[str, Any]", given):
        try:
            one_of(key, _KEYS[what], f"key of a {what} called")
        except InvalidValueError as error:
            raise MalformedError(str(error)) from None


def _list(given: Mapping[str, Any], key: str) -> Sequence[Any]:
    if not isinstance(given[key], list):
        raise MalformedError(f"{key} are given as [[{key}]], one or more")
    return cast("list[Any]", given[key])


def _seconds(given: Mapping[str, Any], key: str) -> int:
    at = given[key]
    if isinstance(at, datetime):
        return int((at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp())
    raise MalformedError(f"{key} is a date and a time, as 2027-01-31T12:00:00Z, got {at!r:.60}")
