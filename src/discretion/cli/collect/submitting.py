"""``discretion collect submit``: send one participant's answers."""

import json as json_
import sys
from time import time as now
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter

from discretion.cli.options import Whole
from discretion.cli.output import print_json
from discretion.cli.terminal import say_aside, say_folded
from discretion.errors import InvalidValueError
from discretion.input_files import opened
from discretion.presenting.files import writable
from discretion.presenting.names import short
from discretion.validation import as_count, as_epsilon, as_probability

if TYPE_CHECKING:
    from discretion.collection.client import Client, Terms
    from discretion.collection.wire.task import Task

_LISTED = 10  # answers in a note


def submit(
    url: str | None = None,
    /,
    *,
    state: str,
    answers: str | None = None,
    invitation: str | None = None,
    token: str | None = None,
    digest: str | None = None,
    smallest_batch: Whole = 2,
    largest_budget: float = 1.0,
    fewest_shufflers: Whole = 1,
    smallest_k: Whole = 1,
    admitter: Annotated[bool, Parameter(negative="")] = False,
    largest_epsilon: float | None = None,
    show: Annotated[bool, Parameter(negative="")] = False,
    yes: Annotated[bool, Parameter(negative="")] = False,
    authority: str | None = None,
    private_addresses: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Take part: send one participant's answers in the first round. Run the command again in each later round.

    The reports are drawn once and kept in the file --state until the collection is over: a report that is sent again
    counts once.

    Parameters
    ----------
    url
        The first shuffler's address; an invitation contains it.
    state
        A file to remember the answers between the rounds; only its owner can read it.
    answers
        A JSON file of the answers by the questions' names, needed the first time: {"sex": "f", "town": null}.
    invitation
        A file with the participant's invitation, a link: it replaces the address, --token and --digest.
    token
        A file with the participant's one-time token, needed the first time.
    digest
        The SHA-256 of the announced task; any other task is refused.
    smallest_batch
        Refuse a task that opens the answers of fewer people than this.
    largest_budget
        Refuse a task that exposes a larger share of the people than this.
    fewest_shufflers
        Refuse a task with fewer shufflers than this.
    smallest_k
        Refuse a task with a smaller k than this.
    admitter
        Refuse a task without an admitter: its first shuffler decides who takes part.
    largest_epsilon
        Refuse a task whose shufflers add no noise to the counts, or less than hides all answers by this ε (δ = 1e-6).
    show
        Show the questions of the task, what each party would learn, and the assumptions that you rely on; send nothing.
    yes
        Send without asking for consent at the terminal.
    authority
        A file of certificates to trust, in addition to those that the system trusts.
    private_addresses
        Also call the task's addresses in private networks and on this machine. By default they are called only if the
        first shuffler's address is in the same networks.
    json
        Print one JSON object.
    """
    from discretion.collection.client import Client, Terms  # noqa: PLC0415 - the extra collect
    from discretion.collection.parts.durable import write_whole  # noqa: PLC0415
    from discretion.collection.services.calls import Neighbour  # noqa: PLC0415
    from discretion.collection.services.taking_part import take_part  # noqa: PLC0415
    from discretion.collection.wire.invitations import secret_of  # noqa: PLC0415
    from discretion.collection.wire.task import LONGEST_TASK, Task  # noqa: PLC0415

    secret: bytes | None = None
    announced = None if digest is None else _of_32_bytes(digest, "--digest")
    if invitation is not None:
        if not (url is None and token is None and digest is None):
            raise InvalidValueError("--invitation contains the address, --token and --digest; leave these out")
        with opened(invitation, "an invitation", InvalidValueError) as file:
            url, secret, announced = secret_of(file.read(1000).decode("ascii", "replace"))
    if url is None:
        raise InvalidValueError("give --invitation, or the first shuffler's address")
    terms = Terms(
        as_count(smallest_batch, "--smallest-batch", at_least=1),
        as_probability(largest_budget, "--largest-budget"),
        as_count(fewest_shufflers, "--fewest-shufflers", at_least=1),
        as_count(smallest_k, "--smallest-k", at_least=1),
        admitter,
        None if largest_epsilon is None else as_epsilon(largest_epsilon),
        announced,
    )
    state_file = writable(state)
    with Neighbour(url, authority=authority) as first:
        if state_file.exists():
            with opened(state_file, "what was sent before", InvalidValueError) as file:
                client = Client.restored(file.read(), terms=terms)
        else:
            task = Task.decoded(first.ask("GET", "/task", at_most=LONGEST_TASK))
            if show:
                _show(task)
                terms.check(task, now())
                return 0
            client = _new(task, secret or _token_in(token), answers, terms)
            if not (yes or json) and sys.stdin.isatty() and not _agreed(task):
                raise InvalidValueError("nothing was sent: you did not agree")
        over = take_part(
            client, first, lambda: write_whole(state_file, client.state), authority,
            near=None if private_addresses else url,
        )  # fmt: skip
    results = {"task": client.task.digest.hex(), "purpose": client.task.purpose, "all_sent": over}
    if json:
        print_json("collect submit", {"url": url, "state": state}, results)
    else:
        say_folded(
            "the answers for the analyst are sent; this was the last round"
            if over
            else "the answers are sent; run the command again once the next round has begun"
        )
    return 0


def _show(task: "Task") -> None:
    """Show the information for a participant's consent, before anything is sent."""
    from discretion.collection.consent import consent_document  # noqa: PLC0415 - the extra collect
    from discretion.presenting.tables import Screen  # noqa: PLC0415 - JSON needs no rich
    from discretion.presenting.views.terminal import to_text  # noqa: PLC0415

    Screen().print(to_text(consent_document(task)))


def _agreed(task: "Task") -> bool:
    _show(task)
    say_folded("Send your answers? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _token_in(path: str | None) -> bytes:
    if path is None:
        raise InvalidValueError("the first time, give a file with --invitation or --token")
    with opened(path, "a token", InvalidValueError) as file:
        return _of_32_bytes(file.read(1000).decode("ascii", "replace").strip(), "a token")


def _new(task: "Task", secret: bytes, answers: str | None, terms: "Terms") -> "Client":
    from discretion.collection.client import Client  # noqa: PLC0415

    if answers is None:
        raise InvalidValueError("the first time, give a file with --answers")
    with opened(answers, "answers", InvalidValueError) as file:
        try:
            content: Any = json_.loads(file.read())
        except (ValueError, RecursionError):
            content = None
    if not isinstance(content, dict) or not all(value is None or isinstance(value, str) for value in content.values()):  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        raise InvalidValueError('answers must be a JSON object of texts or null, such as {"sex": "f", "town": null}')
    given = cast("dict[str, str | None]", content)
    client = Client(task, secret, given, terms=terms)
    for feature in task.features:
        answer = given.get(feature.name)
        if answer is not None and answer not in (*feature.values, "other"):
            say_aside(
                f"note: {short(answer)} is not a listed answer to {short(feature.name)}, and counts as other; listed: "
                f"{', '.join(map(short, feature.values[:_LISTED]))}{', …' * (len(feature.values) > _LISTED)}"
            )
    return client


def _of_32_bytes(text: str, what: str) -> bytes:
    """Return the bytes of a hexadecimal text, which may be a secret and is not quoted in errors."""
    try:
        data = bytes.fromhex(text)
    except ValueError:
        data = b""
    if len(data) != 32:
        raise InvalidValueError(f"{what} must be 32 bytes in hexadecimal, 64 digits")
    return data
