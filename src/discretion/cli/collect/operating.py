"""Commands of an operator to a running service."""

import json as json_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from discretion.cli.options import Whole
from discretion.cli.output import print_json
from discretion.cli.terminal import say, say_folded
from discretion.validation import as_count

if TYPE_CHECKING:
    from discretion.collection.services.calls import Neighbour

Flag = Annotated[bool, Parameter(negative="")]
Json = Flag


def service_of(home: str, authority: str | None = None) -> "Neighbour":
    """Return the running service of a home, to be asked as its operator."""
    from discretion.collection.services.calls import Neighbour  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.credentials import operator_credential  # noqa: PLC0415
    from discretion.collection.services.home import Home  # noqa: PLC0415

    folder = Path(home)
    return Neighbour(Home(folder).party.url, operator_credential(folder), authority)


def open_(home: str, /, *, authority: str | None = None, private_addresses: Flag = False, json: Json = False) -> int:
    """Begin the next round of a task without a curator, with the choice that the boards determine.

    Every participant computes the same choice, and refuses any other.

    Parameters
    ----------
    home
        The first shuffler's folder; its service and the last shuffler's must be running.
    authority
        A file of certificates to trust, beside those that the system trusts.
    private_addresses
        Call the last shuffler in a private network or on this machine too, where this party's own address is in none.
    json
        Print one JSON object.
    """
    from discretion.collection.services.calls import Neighbour  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.home import Home  # noqa: PLC0415
    from discretion.collection.services.without_curator import open_next  # noqa: PLC0415

    party_home = Home(Path(home))
    task, near = party_home.task, None if private_addresses else party_home.party.url
    with (
        Neighbour(task.shufflers[-1].url, authority=authority, near=near) as last,
        service_of(home, authority) as first,
    ):
        choice = open_next(task, first, last)
    if choice is None:
        return _say("open", home, {"round": None}, "nothing is certified to go out together: the task ends here", json)
    chosen = [task.features[place].name for place in choice.chosen]
    results = {"round": choice.number, "chosen": chosen, "people": choice.people, "exposure": choice.exposure}
    return _say("open", home, results, f"round {choice.number} asks for {', '.join(chosen)}", json)


def close(
    home: str,
    /,
    *,
    round: Whole = 1,  # noqa: A002
    discard: Flag = False,
    authority: str | None = None,
    json: Json = False,
) -> int:
    """Take no more answers in a round, whatever the time is.

    Parameters
    ----------
    home
        The first shuffler's folder; its service must be running.
    round
        Which round.
    discard
        Close it even if fewer people have sent answers than the task asks for: these answers are destroyed unopened,
        and the task ends.
    authority
        A file of certificates to trust, beside those that the system trusts.
    json
        Print one JSON object.
    """
    number = as_count(round, "--round", at_least=1)
    results = _ask(home, authority, "POST", f"/rounds/{number}/{'discard' if discard else 'close'}")
    return _say("close", home, results, f"round {number} is {results['state']}", json)


def status(home: str, /, *, authority: str | None = None, json: Json = False) -> int:
    """Show how far a task is at a party.

    Parameters
    ----------
    home
        The party's folder; its service must be running.
    authority
        A file of certificates to trust, beside those that the system trusts.
    json
        Print one JSON object.
    """
    results = _ask(home, authority, "GET", "/status")
    lines = [f"{key.replace('_', ' ')}: {value}" for key, value in results.items() if key not in ("rounds", "counts")]
    lines += [
        f"round {record['round']}: {record['state']}, {record['people']:,} people, "
        f"{record['messages']:,} messages passed on, {record['dropped']:,} did not open"
        for record in results.get("rounds", [])
    ]
    lines += [
        f"round {record['round']}: {'counted' if record['counted'] else 'not counted'}"
        + (", published" if record["published"] else "")
        for record in results.get("counts", [])
    ]
    return _say("status", home, results, "\n".join(lines), json)


def destroy(home: str, /, *, authority: str | None = None, json: Json = False) -> int:
    """Destroy all that a party stores of a task, and its keys: nobody can open what was sealed to them any more.

    Parameters
    ----------
    home
        The party's folder; its service must be running.
    authority
        A file of certificates to trust, beside those that the system trusts.
    json
        Print one JSON object.
    """
    results = _ask(home, authority, "POST", "/destroy")
    return _say("destroy", home, results, "the task and its keys are destroyed here", json)


def _ask(home: str, authority: str | None, method: str, path: str) -> Any:
    with service_of(home, authority) as service:
        return json_.loads(service.ask(method, path))


def _say(command: str, home: str, results: Any, sentences: str, json: bool) -> int:
    if json:
        print_json(f"collect {command}", {"home": home}, results)
    else:
        for sentence in sentences.splitlines():
            (say if len(sentence) < 60 else say_folded)(sentence)
    return 0
