"""Commands of an operator to a running service."""

import json as json_
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from discretion.cli.options import Whole
from discretion.cli.output import print_json
from discretion.cli.terminal import say, say_folded
from discretion.errors import InvalidValueError
from discretion.input_files import opened
from discretion.presenting.files import written_whole
from discretion.validation import as_count

if TYPE_CHECKING:
    from discretion.collection.services.calls import Neighbour

Flag = Annotated[bool, Parameter(negative="")]
Json = Flag
AT_ONCE = 1 << 14  # hashes in a request


def service_of(home: str, authority: str | None = None) -> "Neighbour":
    """Return the running service of a home, for requests of its operator."""
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
        A file of certificates to trust, in addition to those that the system trusts.
    private_addresses
        Also call the last shuffler in a private network or on this machine. By default it is called there only if this
        party's own address is in the same network.
    json
        Print one JSON object.
    """
    from discretion.collection.services.calls import Neighbour  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.home import Home  # noqa: PLC0415
    from discretion.collection.services.without_curator import open_next  # noqa: PLC0415

    party_home = Home(Path(home))
    task, near = party_home.task, None if private_addresses else party_home.party.url
    with (
        Neighbour(task.shufflers[-1].url, party_home.board_pass, authority, near=near) as last,
        service_of(home, authority) as first,
    ):
        choice = open_next(task, first, last)
    if choice is None:
        return _say("open", home, {"round": None}, "no questions are certified to go out together: the task ends", json)
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
    """Close a round before its time is over: accept no more answers.

    Parameters
    ----------
    home
        The first shuffler's folder; its service must be running.
    round
        The round to close.
    discard
        Close the round even if fewer people have sent answers than the task asks for: the service destroys these
        answers unopened, and the task ends.
    authority
        A file of certificates to trust, in addition to those that the system trusts.
    json
        Print one JSON object.
    """
    number = as_count(round, "--round", at_least=1)
    results = _ask(home, authority, "POST", f"/rounds/{number}/{'discard' if discard else 'close'}")
    return _say("close", home, results, f"round {number} is {results['state']}", json)


def status(
    home: str,
    /,
    *,
    invitations: str | None = None,
    missing: str | None = None,
    round: Whole = 1,  # noqa: A002
    authority: str | None = None,
    json: Json = False,
) -> int:
    """Show the progress of a task at a party, and how many of the invited people have sent their answers.

    Parameters
    ----------
    home
        The party's folder; its service must be running.
    invitations
        At the first shuffler: a file of invitations, or of an admitter's hashes; the result shows how many of these
        have sent their answers.
    missing
        A file for the numbers of the lines of --invitations that have not sent yet, one on each line.
    round
        The round to which --invitations applies.
    authority
        A file of certificates to trust, in addition to those that the system trusts.
    json
        Print one JSON object.
    """
    results = _ask(home, authority, "GET", "/status")
    if invitations is not None:
        with service_of(home, authority) as service:
            absent = _missing_of(service, invitations, as_count(round, "--round", at_least=1))
        results["missing"] = absent
        if missing is not None:
            with written_whole(missing) as contents:
                contents.append("".join(f"{line}\n" for line in absent))
    elif missing is not None:
        raise InvalidValueError("--missing needs --invitations, the file whose lines it lists")
    lines = [
        f"{key.replace('_', ' ')}: {value}"
        for key, value in results.items()
        if key not in ("rounds", "counts", "missing") and value is not None
    ]
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
    if "missing" in results:
        lines.append(f"round {round}: {len(results['missing']):,} of these invitations have not sent yet")
    return _say("status", home, results, "\n".join(lines), json)


def _missing_of(service: "Neighbour", invitations: str, number: int) -> list[int]:
    """Return the lines of a file of invitations, or of an admitter's hashes, without an upload in a round."""
    lines = invitation_hashes(invitations)
    missing: list[int] = []
    for start in range(0, len(lines), AT_ONCE):
        body = b"".join(lines[start : start + AT_ONCE])
        answer = json_.loads(service.ask("POST", f"/rounds/{number}/missing", content=body))
        missing += [start + place + 1 for place in answer["missing"]]
    return missing


def invitation_hashes(path: str) -> list[bytes]:
    """Return the hashes of upload tokens in a file: one per line, or an invitation's link without an admitter."""
    from discretion.collection.wire.invitations import secret_of  # noqa: PLC0415 - the extra collect

    with opened(path, "invitations", InvalidValueError) as file:
        lines = file.read().decode("ascii", "replace").split()
    try:
        hashes = [sha256(secret_of(line)[1]).digest() if "#" in line else bytes.fromhex(line) for line in lines]
    except ValueError:
        hashes = []
    if not hashes or any(len(each) != 32 for each in hashes):
        raise InvalidValueError(f"{path!r} must have an invitation, or the hash of one, on each line")
    return hashes


def destroy(home: str, /, *, authority: str | None = None, json: Json = False) -> int:
    """Destroy all data of a task at a party, and its keys: nobody can open messages that are sealed to them any more.

    Parameters
    ----------
    home
        The party's folder. If its service does not run, the command destroys the data in the folder, but no database
        elsewhere.
    authority
        A file of certificates to trust, in addition to those that the system trusts.
    json
        Print one JSON object.
    """
    from discretion.collection.errors import ConflictError  # noqa: PLC0415 - the extra collect
    from discretion.collection.services.home import Home  # noqa: PLC0415

    party_home = Home(Path(home))
    party_home.check_role(party_home.role)
    try:
        with party_home.alone():
            party_home.destroy()
        results = {"destroyed": True}
    except ConflictError:  # its service runs
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
