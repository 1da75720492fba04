"""A party that does not keep to the protocol, among services that do: it holds its own home, keys and credentials."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection import Choice, Client
from discretion.collection.errors import CollectionError
from discretion.collection.parts.batch import BATCH_BYTES, Batch
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.services.taking_part import ask_admitter
from discretion.collection.wire.invitations import admission_credential, upload_token
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import unsealed
from discretion.collection.wire.task import Party
from support.collection.parties import Parties, eventually


class Dishonest:
    """A shuffler that takes its layer off as it should, and then passes on what it likes."""

    def __init__(self, home: Path) -> None:
        self.home = Home(home)
        self.task = self.home.task
        self.place = self.home.place

    def opened(self, messages: Iterable[bytes], round_: Round) -> list[bytes]:
        """Return the messages a layer less."""
        key = X25519PrivateKey.from_private_bytes(self.home.key(self.home.party.key).private)
        plain = [unsealed(message, key, round_.info(self.place + 1)) for message in messages]
        return [message for message in plain if message is not None]

    def opened_of(self, clients: Iterable[Client], round_: Round) -> list[bytes]:
        """Return what participants send in the first round, a layer less: those of a person one after the other."""
        return self.opened(messages_of([client.upload() for client in clients], round_), round_)

    def pass_on(
        self, to: Party, round_: Round, messages: Sequence[bytes], before: Sequence[ShufflerReport] = ()
    ) -> None:
        """Pass on these messages as a batch, with a report that fits them."""
        content = b"".join(messages)
        path = self.home.folder / "made-up"
        path.write_bytes(content)
        report = ShufflerReport(len(messages), 0, 0, sha256(content).digest())
        with Neighbour(to.url, self.home.credential(to)) as neighbour:
            published = None if round_.choice is None or to == self.task.curator else round_.choice.encoded
            neighbour.pass_on(Batch(round_.number, token_bytes(BATCH_BYTES), path, (*before, report)), published)


def messages_of(uploads: Iterable[bytes], round_: Round) -> list[bytes]:
    """Return the sealed messages of uploads, those of a person one after the other."""
    width = round_.width()
    return [upload[at : at + width] for upload in uploads for at in range(32, len(upload), width)]


def admitted(parties: Parties, clients: Sequence[Client], choice: Choice | None = None) -> Sequence[Client]:
    """Have the admitter invite participants and sign the tokens of a round."""
    home = Home(parties.homes["admitter"])
    with Neighbour(home.party.url, operator_credential(home.folder)) as admitter:
        if choice is None:
            credentials = [admission_credential(client._token) for client in clients]
            admitter.ask("POST", "/invitations", content=b"".join(sha256(each).digest() for each in credentials))
    for client in clients:
        ask_admitter(client, choice, lambda: None)
    return clients


def clients_of(parties: Parties, answers: Iterable[Mapping[str, str | None]]) -> list[Client]:
    """Return participants with tokens that the first shuffler does not know."""
    return [Client(parties.task.read_bytes(), token_bytes(32), each) for each in answers]


def status(parties: Parties, name: str) -> Any:
    """Return what a service reports to its operator."""
    home = Home(parties.homes[name])
    with Neighbour(home.party.url, operator_credential(home.folder)) as service:
        return json.loads(service.ask("GET", "/status"))


def round_of(parties: Parties, name: str, number: int = 1) -> Any:
    """Return what a shuffler reports of a round, once it is over there."""
    record: dict[str, Any] = {}

    def is_over() -> bool:
        nonlocal record
        with suppress(CollectionError, StopIteration):
            record = next(each for each in status(parties, name)["rounds"] if each["round"] == number)
        return record.get("state") in ("delivered", "discarded")

    eventually(is_over)
    return record


def answer_all(parties: Parties, clients: Sequence[Client], number: int, choice: bytes | None = None) -> None:
    """Have participants send what is due in a round, and close it."""
    home = Home(parties.homes["shuffler-1"])
    with Neighbour(home.party.url, operator_credential(home.folder)) as first:
        if number == 1:
            first.ask("POST", "/tokens", content=b"".join(map(_token_hash, clients)))
        for client in clients:
            first.ask("POST", f"/rounds/{number}/uploads", content=client.upload(choice))
        if round_state(parties, number) == "open":
            first.ask("POST", f"/rounds/{number}/close")


def _token_hash(client: Client) -> bytes:
    return sha256(upload_token(client.task, client._token)).digest()


def round_state(parties: Parties, number: int) -> str:
    """Return the state of a round at the first shuffler."""
    return next(each["state"] for each in status(parties, "shuffler-1")["rounds"] if each["round"] == number)


def published(parties: Parties, number: int) -> bytes:
    """Return what is published for a round, once it is."""
    home = Home(parties.homes["shuffler-1"])
    choice = b""

    def is_there() -> bool:
        nonlocal choice
        with suppress(CollectionError), Neighbour(home.party.url) as first:
            choice = first.ask("GET", f"/rounds/{number}/choice")
        return bool(choice)

    eventually(is_there)
    return choice
