"""Keys, tasks and tokens."""

from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from discretion.cli.options import Whole
from discretion.cli.output import print_json
from discretion.cli.terminal import say, say_folded
from discretion.errors import InvalidValueError
from discretion.presenting.files import writable
from discretion.validation import as_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discretion.collection.services.keys import Key, Kind

Json = Annotated[bool, Parameter(negative="")]


def keys(
    home: str,
    /,
    *,
    role: Literal["shuffler", "curator", "analyst"],
    days: Whole = 90,
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
    json
        Print one JSON object.
    """
    from discretion.collection.services.home import Home  # noqa: PLC0415 - the extra collect

    new_keys = Home(Path(home)).furnish(role, as_count(days, "--days", at_least=1))
    public = {{"seal": "key", "sign": "signer"}[kind]: key.public.hex() for kind, key in new_keys.items()}
    if json:
        print_json("collect keys", {"home": home, "role": role, "days": days}, public)
    else:
        for name, value in public.items():
            say(f'{name} = "{value}"')
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

        task = read_task(description, furnished)
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


def tokens(home: str, /, *, count: Whole, out: str, authority: str | None = None, json: Json = False) -> int:
    """Make one-time tokens, and register them at the first shuffler's service.

    Parameters
    ----------
    home
        The first shuffler's folder, which has its operator's credential; its service must be running.
    count
        The number of participants.
    out
        A file for the tokens, a line each, which only its owner can read: give every participant one, then destroy it.
    authority
        A file of certificates to trust, beside those that the system trusts.
    json
        Print one JSON object.
    """
    from hashlib import sha256  # noqa: PLC0415

    from discretion.cli.collect.operating import service_of  # noqa: PLC0415 - the extra collect
    from discretion.collection.parts.durable import write_whole  # noqa: PLC0415

    new_tokens = [token_bytes(32) for _ in range(as_count(count, "--count", at_least=1))]
    target = writable(out)
    with service_of(home, authority) as service:
        for start in range(0, count, 1 << 14):
            body = b"".join(sha256(token).digest() for token in new_tokens[start : start + (1 << 14)])
            service.ask("POST", "/tokens", content=body)
    write_whole(target, b"".join(token.hex().encode() + b"\n" for token in new_tokens))
    results = {"tokens": count, "out": out}
    if json:
        print_json("collect tokens", {"home": home, "count": count, "out": out}, results)
    else:
        say(f"{count:,} tokens in {out}")
    return 0
