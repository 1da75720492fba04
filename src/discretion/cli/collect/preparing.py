"""Keys and tasks."""

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

    from discretion.collection.services.keys import Key, Kind

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
        The days for which the keys are valid: a task must close before.
    questions
        For an admitter: the number of the task's questions, each of which needs a key for its tokens.
    rounds
        For an admitter: the task's rounds before the analyst's.
    json
        Print one JSON object.
    """
    from discretion.collection.describing import admission_widths  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.home import Home  # noqa: PLC0415

    if (role == "admitter") != (questions is not None):
        raise InvalidValueError("an admitter, and nobody else, needs --questions: the number of the task's questions")
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


def init(description: str, /, *, out: str, days: Whole = 90, json: Json = False) -> int:
    """Make a task from its description, and a folder with keys for each party that has no key there.

    Parameters
    ----------
    description
        A TOML file, as docs/collecting.md describes it; docs/collect.toml is an example.
    out
        A new folder: its file task is for everybody, and each party's folder is for that party alone.
    days
        The days for which the new keys are valid: the task must close before.
    json
        Print one JSON object.
    """
    from discretion.collection.describing import read_task  # noqa: PLC0415 - the extra collect
    from discretion.collection.parts.durable import write_whole  # noqa: PLC0415
    from discretion.collection.services.home import Home, Role  # noqa: PLC0415

    folder, days = Path(out), as_count(days, "--days", at_least=1)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidValueError(f"{out} is there already and not empty; name a new folder")
    names: list[str] = []
    # Beside it first: what describes no task leaves no keys behind.
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as temporary:
        part = Path(temporary, "part")
        part.mkdir()

        def furnished(role: Role, place: int) -> "Mapping[Kind, Key]":
            names.append(f"shuffler-{place + 1}" if role == "shuffler" else role)
            return Home(part / names[-1]).furnish(role, days)

        def furnished_admission(widths: "Sequence[int]") -> tuple[tuple[bytes, ...], ...]:
            return Home(part / "admitter").furnish_admission(widths, days)

        task = read_task(description, furnished, furnished_admission)
        write_whole(part / "task", task.encoded, 0o644)
        for home in (Home(part / name) for name in names):
            home.take(task)
            home.key(home.party.key)
        part.rename(folder)
    homes = [Home(folder / name) for name in names]
    results = {"task": str(folder / "task"), "digest": task.digest.hex(), "homes": [str(home.folder) for home in homes]}
    if json:
        print_json("collect init", {"description": description, "out": out, "days": days}, results)
    else:
        say(f"task {results['task']}, SHA-256 {results['digest']}")
        for home in homes:
            say_folded(f"{home.role}: discretion collect {home.role} {home.folder}")
    return 0
