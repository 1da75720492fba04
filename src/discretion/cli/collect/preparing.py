"""``discretion collect keys`` and ``init``: make keys and tasks."""

import json as json_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from discretion.cli.options import Whole
from discretion.cli.output import print_json
from discretion.cli.terminal import say, say_folded
from discretion.errors import InvalidValueError
from discretion.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discretion.collection.services.home import Role
    from discretion.collection.services.keys import Kind

Json = Annotated[bool, Parameter(negative="")]


def keys(
    home: str,
    /,
    *,
    role: Literal["shuffler", "curator", "analyst", "admitter"],
    days: Whole = 90,
    questions: Whole | None = None,
    rounds: Whole = 1,
    json: Json = False,
) -> int:
    """Make a party's keys, in a folder that only its owner can read, and print the public ones for the task.

    Older keys stay until they expire or are destroyed, so that a task with these keys can end.

    Parameters
    ----------
    home
        The party's folder.
    role
        The party's role in the task.
    days
        The number of days for which the keys are valid: the task must close before they end.
    questions
        For an admitter: the number of the task's questions, each of which needs a key for its tokens.
    rounds
        For an admitter: the number of the task's rounds before the analyst's.
    json
        Print one JSON object.
    """
    from discretion.collection.describing import admission_widths  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.home import Home  # noqa: PLC0415

    if (role == "admitter") != (questions is not None):
        raise InvalidValueError("an admitter, and no other role, needs --questions: the number of the task's questions")
    valid, party_home = as_count(days, "--days", at_least=1), Home(Path(home))
    new_keys = party_home.furnish(role, valid)
    public: dict[str, Any] = {
        {"seal": "key", "sign": "signer"}[kind]: key.public.hex() for kind, key in new_keys.items()
    }
    if questions is not None:
        asked = as_count(questions, "--questions", at_least=1), as_count(rounds, "--rounds", at_least=1)
        moduli = party_home.furnish_admission(admission_widths(*asked), valid)
        public["admission"] = [[key.hex() for key in keys] for keys in moduli]
    if json:
        inputs = {"home": home, "role": role, "days": days, "questions": questions, "rounds": rounds}
        print_json("collect keys", inputs, public)
    else:
        for name, value in public.items():
            say(f"{name} = {json_.dumps(value)}")
    return 0


def init(
    description: str,
    /,
    *,
    out: str,
    offered_keys: Annotated[bool, Parameter(negative="")] = False,
    days: Whole = 90,
    authority: str | None = None,
    json: Json = False,
) -> int:
    """Make a task from its description, and a folder with keys for each party without a key in the description.

    Parameters
    ----------
    description
        A TOML file, as docs/how-to/collecting.md describes it; docs/collect.toml is an example.
    out
        A new folder: give its file task to all parties and participants, and each party's folder to that party alone.
    offered_keys
        Make no keys: ask each party without a key in the description for those that its service offers at /keys.
    days
        The number of days for which the keys are valid: the task must close before they end.
    authority
        With --offered-keys: a file of certificates to trust, in addition to those that the system trusts.
    json
        Print one JSON object.
    """
    from discretion.collection.describing import read_task  # noqa: PLC0415 - the extra collect
    from discretion.collection.parts.durable import write_whole  # noqa: PLC0415
    from discretion.collection.services.home import Home  # noqa: PLC0415
    from discretion.collection.services.public_keys import OfferedKeys  # noqa: PLC0415

    folder, days = Path(out), as_count(days, "--days", at_least=1)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidValueError(f"{out} exists already and is not empty; name a new folder")
        # In a temporary folder first: a description of no task leaves no keys behind.
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as temporary:
        part = Path(temporary, "part")
        part.mkdir()

        made = _NewKeys(part, days)
        task = read_task(description, OfferedKeys(authority) if offered_keys else made)
        write_whole(part / "task", task.encoded, 0o644)
        for home in (Home(part / name) for name in made.names):
            home.take(task)
            home.key(home.party.key)
        part.rename(folder)
    homes = [Home(folder / name) for name in made.names]
    results = {"task": str(folder / "task"), "digest": task.digest.hex(), "homes": [str(home.folder) for home in homes]}
    if json:
        inputs = {"description": description, "out": out, "offered_keys": offered_keys, "days": days}
        print_json("collect init", inputs, results)
    else:
        say(f"task {results['task']}, SHA-256 {results['digest']}")
        for home in homes:
            say_folded(f"{home.role}: discretion collect {home.role} {home.folder}")
        if offered_keys:
            for name, party in task.parties.items():
                say(f"{name}: key {party.key.hex()} at {party.url}")
    return 0


class _NewKeys:
    """Keys in new homes, in a folder."""

    def __init__(self, folder: Path, days: int) -> None:
        self._folder, self._days = folder, days
        self.names: list[str] = []

    def keys(self, role: "Role", place: int, url: str, closes: int) -> "Mapping[Kind, bytes]":
        from discretion.collection.services.home import Home  # noqa: PLC0415 - the extra collect

        self.names.append(f"shuffler-{place + 1}" if role == "shuffler" else role)
        return {kind: key.public for kind, key in Home(self._folder / self.names[-1]).furnish(role, self._days).items()}

    def admission(self, url: str, widths: "Sequence[int]", closes: int) -> tuple[tuple[bytes, ...], ...]:
        from discretion.collection.services.home import Home  # noqa: PLC0415 - the extra collect

        return Home(self._folder / "admitter").furnish_admission(widths, self._days)
