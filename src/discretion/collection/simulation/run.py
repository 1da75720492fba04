"""Run a whole collection on this machine: services over sockets, people who answer, and the results."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory
from typing import Any

from discretion.collection.describing import admission_widths
from discretion.collection.errors import CollectionError, UnavailableError
from discretion.collection.parts.choosing import Counts
from discretion.collection.parts.counting import count_batch, tallies_of
from discretion.collection.results.analyst import AnalystResult
from discretion.collection.results.curator import CuratorResult
from discretion.collection.services.analyst import read_analyst_result
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.curator import read_curator_result
from discretion.collection.services.home import Home, Role
from discretion.collection.services.keys import Key, Kind
from discretion.collection.services.tallies import read_tallies
from discretion.collection.services.without_curator import open_next
from discretion.collection.simulation.parties import HOST, Parties, free_ports
from discretion.collection.simulation.people import send_answers
from discretion.collection.simulation.questionnaire import Questionnaire
from discretion.collection.wire.invitations import admission_credential, shown_token, upload_token
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import Party, Task
from discretion.collection.wire.uploads import Upload
from discretion.errors import InvalidValueError

_TIME = 24 * 3600  # of a task, in seconds
_DAYS = 2  # of its keys, which last longer
_LOOK = 0.2


@dataclass(frozen=True)
class SimulationRun:
    """The outcome of a collection.

    Parameters
    ----------
    task
        The task.
    choices
        The published choices of the rounds after the first; if none is for the analyst, nothing was certified to go
        out.
    statuses
        The status of each service, by the party's name.
    counts
        The number of people with each answer, as the curator or every reader of the board counted.
    curated, analysed : CuratorResult, AnalystResult
        The curator's and the analyst's result; None if there is no curator, or if nothing went out.
    asked_in
        The round that each person answered; None if everybody answered all rounds.
    """

    task: Task
    choices: tuple[Choice, ...]
    statuses: Mapping[str, Any]
    counts: Counts
    curated: CuratorResult | None
    analysed: AnalystResult | None
    asked_in: tuple[int, ...] | None = None

    @property
    def chosen(self) -> Choice | None:
        """The choice for the analyst, or None."""
        return self.choices[-1] if self.choices and self.choices[-1].receiver == "analyst" else None


def run(
    questionnaire: Questionnaire, promises: Mapping[str, Any], *, shufflers: int, with_curator: bool,
    with_admitter: bool, cores: int, tell: Callable[[str], None],
) -> SimulationRun:  # fmt: skip
    """Run a collection of the answers of everybody in a table, with each party in a separate process.

    ``promises`` are fields of the task: its k, budget, rounds and other guarantees.

    Raises
    ------
    UnavailableError
        If a party or the people stop midway; with their last message.
    InvalidValueError
        If there are too few people for other people to answer each round.
    """
    with TemporaryDirectory(prefix="discretion-collection-") as folder, ExitStack() as stack:
        roles: dict[str, Role] = {f"shuffler {place + 1}": "shuffler" for place in range(shufflers)}
        roles |= {"curator": "curator", "analyst": "analyst"} if with_curator else {"analyst": "analyst"}
        roles |= {"admitter": "admitter"} if with_admitter else {}
        homes = {name: Home(Path(folder) / name.replace(" ", "-")) for name in roles}
        keys = {name: home.furnish(roles[name], _DAYS) for name, home in homes.items()}
        admission = ()
        if with_admitter:
            widths = admission_widths(len(questionnaire.features), promises["rounds"])
            admission = homes["admitter"].furnish_admission(widths, _DAYS)
        tokens = [token_bytes(32) for _ in range(questionnaire.people)]
        asked_in = None if promises["other_people"] is None else _asked_in(tokens, with_admitter)
        groups = [len(tokens)] if asked_in is None else [asked_in.count(number) for number in (1, 2)]
        if not min(groups):
            raise InvalidValueError(f"{len(tokens)} people are too few for two rounds of other people; take more")
        smallest_batch = min(len(tokens), max(2, promises["k"])) if asked_in is None else min(groups)
        task = _task(keys, questionnaire, admission=admission, smallest_batch=smallest_batch, **promises)
        for home in homes.values():
            home.take(task)
        tell("the parties start")
        free = ["--rate", "1e9", "--cores", str(cores)]
        options = {
            "shuffler": [*free, "--people", str(questionnaire.people)], "curator": free, "analyst": free,
            "admitter": free,
        }  # fmt: skip
        parties = stack.enter_context(Parties(tuple(homes.values()), options))
        for start in range(0, len(tokens), 1 << 14):
            some = tokens[start : start + (1 << 14)]
            uploads = b"".join(sha256(upload_token(task, token)).digest() for token in some)
            parties.ask(homes["shuffler 1"], "POST", "/tokens", content=uploads)
            if with_admitter:
                credentials = b"".join(sha256(admission_credential(token)).digest() for token in some)
                parties.ask(homes["admitter"], "POST", "/invitations", content=credentials)
        people = stack.enter_context(_People(task, questionnaire, tokens, cores))
        tell("people send their answers")
        choices = _until_over(task, homes, parties, people, groups, tell)
        statuses: dict[str, Any] = {
            name: json.loads(parties.ask(home, "GET", "/status")) for name, home in homes.items()
        }
        return SimulationRun(
            task, choices, statuses, _counts(task, homes, parties),
            read_curator_result(homes["curator"])[0] if "curator" in homes else None,
            read_analyst_result(homes["analyst"]) if choices and choices[-1].receiver == "analyst" else None,
            asked_in,
        )  # fmt: skip


def _status(parties: Parties, home: Home) -> dict[str, Any]:
    return json.loads(parties.ask(home, "GET", "/status"))


def _counts(task: Task, homes: Mapping[str, Home], parties: Parties) -> Counts:
    if "curator" in homes:
        tallies = read_tallies(homes["curator"].folder / "counted-1").groups
    else:
        with Neighbour(task.shufflers[-1].url, homes["shuffler 1"].board_pass) as last:
            board = last.ask("GET", "/rounds/1/board")
        tallies = tallies_of(count_batch([board], Round(task), None), Round(task))
    return {feature.name: tally for feature, tally in zip(task.features, tallies, strict=True)}


def _task(keys: Mapping[str, Mapping[Kind, Key]], questionnaire: Questionnaire, **others: Any) -> Task:
    ports = free_ports(len(keys))
    parties = {
        name: Party(f"http://{HOST}:{port}", party_keys["seal"].public)
        for port, (name, party_keys) in zip(ports, keys.items(), strict=True)
    }
    now = int(time.time())
    return Task(
        id=token_bytes(16), purpose="a simulation", features=questionnaire.features,
        opens=now, closes=now + _TIME,
        shufflers=tuple(party for name, party in parties.items() if name.startswith("shuffler")),
        analyst=parties["analyst"], curator=parties.get("curator"),
        signer=keys["curator"]["sign"].public if "curator" in keys else None,
        invited=questionnaire.people, admitter=parties.get("admitter"), **others,
    )  # fmt: skip


def _asked_in(tokens: Sequence[bytes], with_admitter: bool) -> tuple[int, ...]:
    """Return the round that each of these people answers."""
    shown = [shown_token(token, with_admitter) for token in tokens]
    return tuple(Upload(token, b"").asked_in for token in shown)


def _until_over(  # noqa: PLR0917
    task: Task,
    homes: dict[str, Home],
    parties: Parties,
    people: "_People",
    groups: Sequence[int],
    tell: Callable[[str], None],
) -> tuple[Choice, ...]:
    """Wait until the analyst has counted, or nothing is certified to go out; return the published choices.

    If other people answer each round, no service knows their number, so a round is closed here once all have sent.
    """
    choices: list[Choice] = []
    with (
        Neighbour(task.shufflers[0].url, operator_credential(homes["shuffler 1"].folder)) as first,
        Neighbour(task.shufflers[-1].url, homes["shuffler 1"].board_pass) as last,
    ):
        while True:
            parties.check()
            people.check()
            if task.other_people is not None:
                for record in _status(parties, homes["shuffler 1"])["rounds"]:
                    if record["state"] == "open" and record["people"] == groups[record["round"] - 1]:
                        first.ask("POST", f"/rounds/{record['round']}/close")
            number = len(choices) + 2
            if choices and choices[-1].receiver == "analyst":
                # The curator's result depends on the number of people that the analyst counted.
                party, state = ("curator", "analysed") if task.curator else ("analyst", "counted")
                if _status(parties, homes[party])[state]:
                    return tuple(choices)
            elif task.curator is None:
                with suppress(CollectionError):  # the boards do not exist yet
                    choice = open_next(task, first, last)
                    if choice is None:
                        return tuple(choices)
                    choices.append(choice)
            else:
                with suppress(CollectionError):
                    choices.append(Choice.decoded(first.ask("GET", f"/rounds/{number}/choice"), task))
                if _status(parties, homes["curator"])["nothing_may_go_out"]:
                    return tuple(choices)
            tell(f"round {len(choices) + 1}")
            time.sleep(_LOOK)


class _People:
    """All participants, in as many processes as there are cores."""

    def __init__(self, task: Task, questionnaire: Questionnaire, tokens: list[bytes], processes: int) -> None:
        context, answers = get_context("spawn"), list(questionnaire.answers())
        self._hears: list[Any] = []
        self._running: list[Any] = []
        for place in range(min(processes, len(answers))):
            hears, says = context.Pipe(duplex=False)
            self._hears.append(hears)
            given = (task.encoded, answers[place::processes], tokens[place::processes], says)
            self._running.append(context.Process(target=send_answers, args=given, daemon=True))

    def __enter__(self) -> "_People":
        for each in self._running:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._running:
            each.terminate()
            each.join()

    def check(self) -> None:
        """Raise an `UnavailableError` if a participant failed."""
        for hears in self._hears:
            while hears.poll():
                try:
                    message = hears.recv()
                except EOFError:
                    break
                if isinstance(message, str):
                    raise UnavailableError(f"the people stopped: {message}")
