"""Homes of all parties of a task, and their services in this process."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from discretion.collection import Client, Feature, Party, Task
from discretion.collection.describing import admission_widths
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home, Role
from discretion.collection.services.operations import RequestBounds
from discretion.collection.services.service import Service
from discretion.collection.services.shuffler import ShufflerService
from support.collection.in_process import SEX_AND_TOWN

NOW = 500.0


@dataclass
class Housed:
    """A task, and the homes of its parties by their names."""

    task: Task
    homes: dict[str, Home]


def housed(
    folder: Path,
    features: Sequence[Feature] = SEX_AND_TOWN,
    shufflers: int = 1,
    *,
    curated: bool = True,
    admitted: bool = False,
    **changed: Any,
) -> Housed:
    """Return homes with keys and a task; nobody listens at their addresses."""
    roles: dict[str, Role] = {f"shuffler-{place}": "shuffler" for place in range(shufflers)}
    roles |= {"curator": "curator", "analyst": "analyst"} if curated else {"analyst": "analyst"}
    roles |= {"admitter": "admitter"} if admitted else {}
    homes = {name: Home(folder / name, now=lambda: NOW) for name in roles}
    keys = {name: home.furnish(roles[name], 1) for name, home in homes.items()}
    parties = {
        name: Party(f"http://127.0.0.1:{port}", held["seal"].public)
        for port, (name, held) in enumerate(keys.items(), 1)
    }
    of = {"k": 2, "budget": "0.1", "smallest_batch": 2, "opens": 0, "closes": 2_000} | changed
    if admitted:
        widths = admission_widths(len(features), of.get("rounds", 1))
        of |= {"admitter": parties["admitter"], "admission": homes["admitter"].furnish_admission(widths, 1)}
    task = Task(
        id=bytes(16), purpose="to know", features=tuple(features), analyst=parties["analyst"],
        shufflers=tuple(party for name, party in parties.items() if name.startswith("shuffler")),
        curator=parties.get("curator"), signer=keys["curator"]["sign"].public if curated else None, **of,
    )  # fmt: skip
    for home in homes.values():
        home.take(task)
    return Housed(task, homes)


class AsOperator(TestClient):
    """A service in this process, and its operator's credential for whoever wants to show it."""

    def __init__(self, service: Service, bounds: RequestBounds | None = None) -> None:
        super().__init__(service.application(bounds or RequestBounds(rate=1e9)), raise_server_exceptions=False)
        self.service = service
        self.operator = {"authorization": f"Bearer {operator_credential(service.home.folder)}"}


@contextmanager
def first_shuffler(
    of: Housed, people: int = 3, bounds: RequestBounds | None = None, **more: Any
) -> Iterator[AsOperator]:
    """Give the first shuffler's service, which so many people may send to."""
    with AsOperator(ShufflerService(of.homes["shuffler-0"], **more), bounds) as service:
        hashes = b"".join(sha256(token(place)).digest() for place in range(people))
        assert service.post("/tokens", content=hashes, headers=service.operator).json() == {"tokens": people}
        while not service.get("/status", headers=service.operator).json()["rounds"]:
            pass
        yield service


def token(place: int) -> bytes:
    return sha256(place.to_bytes(4)).digest()


def person(task: Task, place: int = 0, **answers: str | None) -> Client:
    return Client(task, token(place), {"sex": "f", "town": "Lima", **answers}, now=lambda: NOW)
