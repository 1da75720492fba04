"""Read a task from its organizer's description in TOML: questions, guarantees, times and parties."""

import os
import re
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from math import comb
from secrets import token_bytes
from typing import Any, Protocol, cast

from discretion.collection.errors import CollectionError, MalformedError
from discretion.collection.randomizers import randomizer_of
from discretion.collection.rules import with_rules
from discretion.collection.services.home import Role
from discretion.collection.services.keys import Kind
from discretion.collection.wire.noise import Noise, noise_for
from discretion.collection.wire.task import MOST_ROUNDS, Feature, Party, Task, counts_of_one
from discretion.errors import InvalidValueError, one_of
from discretion.input_files import read_toml

_NEEDED = ("purpose", "smallest_batch", "opens", "closes", "features", "shufflers", "analyst")
_KEYS = (
    *_NEEDED, "k", "budget", "rounds", "by_value", "other_people", "redaction", "rules", "invited", "noise", "curator",
    "admitter",
)  # fmt: skip
_KEYS_OF_NOISE = ("epsilon", "delta")
_KEYS_OF_FEATURE = ("name", "values", "randomizer")
_KEYS_OF_PARTY = {
    "shuffler": ("url", "key"), "curator": ("url", "key", "signer"), "analyst": ("url", "key"),
    "admitter": ("url", "key", "admission"),
}  # fmt: skip
#: The most groups that the curator may ask for in one round of a task with an admitter, which has a key for each.
MOST_ADMITTED_GROUPS = 64
_FROM_NOW = re.compile(r"(\d{1,6}) (minute|hour|day)s?")
_SECONDS = {"minute": 60, "hour": 3600, "day": 24 * 3600}


class KeySource(Protocol):
    """The source of the public keys of each party that has none in the description."""

    def keys(self, role: Role, place: int, url: str, closes: int) -> Mapping[Kind, bytes]:
        """Return the keys of a party, by its role, its place in that role, its address, and when the task closes."""
        ...

    def admission(self, url: str, widths: Sequence[int], closes: int) -> tuple[tuple[bytes, ...], ...]:
        """Return an admitter's keys for tokens, as many for each round as ``widths`` lists."""
        ...


def read_task(path: str | os.PathLike[str], source: KeySource) -> Task:
    """Return the task that a TOML file describes.

    Parameters
    ----------
    path
        The file; docs/how-to/collecting.md lists all its keys.
    source
        The source of the keys of parties that have none in the file.

    Raises
    ------
    InvalidValueError
        If the file is not TOML, or does not describe a task; the message names the wrong key.
    """
    given, _ = read_toml(path, "a task")
    _check_keys(given, _KEYS, "the task")
    if needed := [key for key in _NEEDED if key not in given]:
        raise MalformedError(f"the task in {os.fspath(path)!r} has no {', '.join(needed)}; add what is missing")
    closes = _seconds(given, "closes")

    def party(role: Role, of: Any, place: int = 0) -> _Party:
        return _Party(of, role, place, source, closes)

    shufflers = [party("shuffler", each, place) for place, each in enumerate(_tables(given, "shufflers"))]
    analyst = party("analyst", given["analyst"])
    curator = party("curator", given["curator"]) if "curator" in given else None
    admitter = party("admitter", given["admitter"]) if "admitter" in given else None
    features = tuple(_feature(each, place) for place, each in enumerate(_tables(given, "features")))
    features = with_rules(features, _lines(given.get("rules", [])))
    widths = admission_widths(len(features), given.get("rounds", 1))
    task = Task(
        id=token_bytes(16),
        purpose=given["purpose"],
        features=features,
        k=given.get("k", 10),
        budget=str(given.get("budget", "0.01")),
        smallest_batch=given["smallest_batch"],
        opens=_seconds(given, "opens"),
        closes=closes,
        shufflers=tuple(each.party for each in shufflers),
        analyst=analyst.party,
        curator=None if curator is None else curator.party,
        signer=None if curator is None else curator.public("sign"),
        rounds=given.get("rounds", 1),
        by_value=given.get("by_value", False),
        other_people=str(given["other_people"]) if "other_people" in given else None,
        redaction=str(given["redaction"]) if "redaction" in given else None,
        invited=given.get("invited"),
        admitter=None if admitter is None else admitter.party,
        admission=() if admitter is None else admitter.admission(widths),
        noise=_noise(given["noise"], len(features)) if "noise" in given else None,
    )
    for feature in task.features:
        if feature.randomizer is not None:
            randomizer_of(feature)
    return task


class _Party:
    def __init__(self, given: Any, role: Role, place: int, source: KeySource, closes: int) -> None:
        self._name = f"shuffler {place + 1}" if role == "shuffler" else f"the {role}"
        _check_keys(given, _KEYS_OF_PARTY[role], self._name)
        if role == "curator" and ("key" in given) != ("signer" in given):
            raise MalformedError("the curator needs both a key and a signer in the description, or neither")
        self._given, self._source, self._closes = given, source, closes
        with _naming(self._name):
            self._found: Mapping[Kind, bytes] = (
                {} if "key" in given else source.keys(role, place, given.get("url"), closes)
            )

    @property
    def party(self) -> Party:
        with _naming(self._name):
            return Party(self._given.get("url"), self.public("seal"))

    def admission(self, widths: Sequence[int]) -> tuple[tuple[bytes, ...], ...]:
        if "admission" not in self._given and "key" not in self._given:
            with _naming(self._name):
                return self._source.admission(self._given.get("url"), widths, self._closes)
        try:
            return tuple(tuple(map(bytes.fromhex, keys)) for keys in self._given["admission"])
        except (KeyError, ValueError, TypeError):
            raise MalformedError(
                "the admitter's admission must be a list of lists of keys in hexadecimal, as discretion collect keys "
                "--role admitter prints it"
            ) from None

    def public(self, kind: Kind) -> bytes:
        if kind in self._found:
            return self._found[kind]
        name = {"seal": "key", "sign": "signer"}[kind]
        try:
            return bytes.fromhex(self._given[name])
        except (ValueError, TypeError):
            raise MalformedError(
                f"the {name} of {self._name} must be a public key of 32 bytes in hexadecimal"
            ) from None


def _noise(given: Any, features: int) -> Noise:
    _check_keys(given, _KEYS_OF_NOISE, "noise")
    if missing := [key for key in _KEYS_OF_NOISE if key not in given]:
        raise MalformedError(f"noise needs its {' and '.join(missing)}, as epsilon = 1 and delta = 1e-6")
    epsilon, delta = (float(each) if isinstance(each, Decimal) else each for each in (given["epsilon"], given["delta"]))
    return noise_for(epsilon, delta, counts_of_one(features))


def admission_widths(features: int, rounds: Any) -> list[int]:
    """Return how many keys an admitter needs in each round: for single answers, for groups, and for the analyst."""
    last = rounds if isinstance(rounds, int) else 1
    groups = [min(comb(features, number), MOST_ADMITTED_GROUPS) or 1 for number in range(2, min(last, MOST_ROUNDS) + 1)]
    return [features, *groups, 1]


def _feature(given: Any, place: int) -> Feature:
    which = f"feature {place + 1}"
    _check_keys(given, _KEYS_OF_FEATURE, which)
    values = given.get("values")
    if not isinstance(values, list):
        raise MalformedError(f"{which} needs its values, as a list of texts")
    with _naming(which):
        return Feature(given.get("name"), tuple(cast("list[str]", values)), given.get("randomizer"))


def _lines(given: Any) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(line, str) for line in cast("list[object]", given)):
        raise MalformedError('rules must be a list of lines, as rules = ["town: Lima when sex: f decoys 0.05"]')
    return cast("list[str]", given)


@contextmanager
def _naming(which: str) -> Generator[None]:
    """Prefix the errors within the block with the name of the party or feature."""
    try:
        yield
    except CollectionError as error:
        raise type(error)(f"{which}: {error}") from None


def _check_keys(given: Any, known: Sequence[str], which: str) -> None:
    if not isinstance(given, dict):
        raise MalformedError(f"{which} must be a table of keys and values, got {given!r:.60}")
    for key in cast("dict[str, Any]", given):
        try:
            one_of(key, known, "key")
        except InvalidValueError as error:
            raise MalformedError(f"{which}: {error}") from None


def _tables(given: Mapping[str, Any], key: str) -> Sequence[Any]:
    if not isinstance(given[key], list):
        raise MalformedError(f"{key} must be given as [[{key}]], one or more")
    return cast("list[Any]", given[key])


def _seconds(given: Mapping[str, Any], key: str) -> int:
    at = given[key]
    if isinstance(at, datetime):
        return int((at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp())
    if isinstance(at, str) and (match := _FROM_NOW.fullmatch(at)):
        return int(time.time()) + int(match[1]) * _SECONDS[match[2]]
    raise MalformedError(
        f'{key} must be a date and a time, as 2027-01-31T12:00:00Z, or a time from now, as "28 days", got {at!r:.60}'
    )
