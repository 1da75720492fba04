"""Bodies that nobody means well by, for every operation of every party and for everything that is decoded.

None brings a service down, none is an error of its own, and none counts.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import redirect_stderr
from hashlib import sha256
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import cbor2

from discretion.collection import Choice, Client, Task
from discretion.collection.errors import CollectionError
from discretion.collection.services.admitter import AdmitterService
from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.curator import CuratorService
from discretion.collection.services.operations import Operation, RequestBounds
from discretion.collection.services.service import Service
from discretion.collection.services.shuffler import ShufflerService
from discretion.collection.wire.invitations import admission_credential
from discretion.collection.wire.reports import ShufflerReport, encoded_reports
from support.collection.homes import NOW, Housed, housed, person, token
from support.collection.in_process import certified

BODIES = 1_000  # of each case, and as many for the decoders
_AT_ONCE = 20
_PARTIES: dict[str, Callable[[Any], Service]] = {
    "shuffler-0": ShufflerService, "shuffler-1": ShufflerService, "curator": CuratorService, "analyst": AnalystService,
    "admitter": AdmitterService,
}  # fmt: skip
_REPORTS = encoded_reports([ShufflerReport(4, 0, 0, bytes(32))]).hex()
_HUGE = encoded_reports([ShufflerReport(1 << 62, 0, 1 << 62, bytes(32))]).hex()
_COMPLETION = json.dumps({"pieces": 1, "reports": _REPORTS}).encode()
_VALUES = (
    None, True, -1, 0, 1, 7, 2**31, 2**63 - 1, 2**64, -(2**64), 2**600, 0.5, float("nan"), "", "x", "x" * 300, "0x1p-4",
    "-0x1p+2000", b"", bytes(16), bytes(31), bytes(32), [], [0], [[0, 1]], [[1, 0]], [[[[[[[[[[0]]]]]]]]]], {},
    {"a": 1}, {1: 2}, cbor2.CBORTag(2, b"x"), cbor2.CBORTag(28, []), cbor2.undefined,
)  # fmt: skip


def case(draw: Random, folder: Path) -> None:
    name = draw.choice([*_PARTIES])
    curated, admitted = name == "curator" or draw.random() < 0.5, name == "admitter"
    of = housed(folder, shufflers=2, curated=curated, rounds=2, admitted=admitted)
    with redirect_stderr(StringIO()):
        service = _PARTIES[name](of.homes[name])
        asyncio.run(_asked(draw, service, of))
    _decoded(draw, of)


async def _asked(draw: Random, service: Service, of: Housed) -> None:
    app = service.application(RequestBounds(rate=1e9))
    credentials = {"operator": operator_credential(service.home.folder)}
    if service.home.before is not None:
        credentials["sender"] = service.home.credential(service.home.before)
    clients = [person(of.task, place) for place in range(2)]
    first = isinstance(service, ShufflerService) and service.home.place == 0
    service.step()
    if first:
        for path, body in [
            ("/tokens", b"".join(sha256(token(place)).digest() for place in range(3))),
            *(("/rounds/1/uploads", client.upload()) for client in clients),
        ]:
            assert await _status(app, "POST", path, body, credentials["operator"]) < 300
    if of.task.admitter is not None:
        hashes = b"".join(sha256(admission_credential(client._token)).digest() for client in clients)
        assert await _status(app, "POST", "/invitations", hashes, credentials["operator"]) < 300
        for client in clients:
            body = client.admission_request()
            assert await _status(app, "POST", "/admission/0", body, credentials["operator"]) < 300
    sent = clients[0].upload() if of.task.admitter is None else clients[0].admission_request()
    operations = [
        each for each in [*service._common(), *service.operations()]
        if each.path not in ("/destroy", "/rounds/{number:int}/close", "/rounds/{number:int}/discard")
    ]  # fmt: skip
    whole = [sent, _choice(of).encoded, of.task.encoded, _COMPLETION]
    for _ in range(BODIES // _AT_ONCE):
        asked = [_drawn(draw, draw.choice(operations), whole) for _ in range(_AT_ONCE)]
        statuses = await asyncio.gather(*(
            _status(app, method, path, body, credentials.get(who, "")) for method, path, body, who in asked
        ))  # fmt: skip
        for (method, path, body, _), status in zip(asked, statuses, strict=True):
            assert status < 500, (method, path[:100], body[:300].hex(), status)
    service.step()
    assert await _status(app, "GET", "/ready", b"") == 200
    if isinstance(service, ShufflerService):
        assert [held["people"] for held in service.status()["rounds"]][:1] == [2 if first else 0]


def _drawn(draw: Random, operation: Operation, whole: list[bytes]) -> tuple[str, str, bytes, str]:
    path = operation.path
    for name, values in {
        "{number:int}": ("1", "2", "3", "0", "9", "1" * 20, "9" * 5000),
        "{place:int}": ("0", "1", str(10**8), "9" * 30),
        "{batch}": ("00" * 16, "ab" * 16, "x", "é", "00", "%00", "."),
    }.items():  # fmt: skip
        path = path.replace(name, draw.choice(values))
    body = _spoilt(draw, whole)
    if operation.path.endswith("/uploads") and body[:32] == whole[0][:32]:
        body = draw.randbytes(32) + body[32:]  # what her token comes with is hers to say
    return operation.method, path, body, operation.who


def _spoilt(draw: Random, whole: list[bytes]) -> bytes:
    """Return a body that was one that is taken."""
    body = draw.choice(whole)
    at = draw.randrange(len(body))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: draw.randbytes(draw.choice((0, 1, 31, 32, 33, 64, len(body), 1000, 5000))),
        lambda: body[:at],
        lambda: body + draw.randbytes(draw.choice((1, 48, 3000))),
        lambda: body[:at] + bytes([body[at] ^ 1 << draw.randrange(8)]) + body[at + 1 :],
        lambda: body[:at] + draw.randbytes(draw.randrange(9)) + body[at + draw.randrange(9) :],
        lambda: body[at:] + body[:at],
        lambda: _spoilt_json(draw),
        *[lambda: _spoilt_record(draw, body)] * 2,
    )
    return draw.choice(ways)()


def _spoilt_json(draw: Random) -> bytes:
    pieces, reports = draw.choice(_VALUES), draw.choice((_REPORTS, "x", 5, None, "00" * 31, "80", [_REPORTS], _HUGE))
    text = json.dumps({"pieces": pieces, "reports": reports}, default=str)
    return draw.choice((text, f"[{text}]", "[" * 900, text * 2, '"pieces"', "1e999", "null")).encode()


def _spoilt_record(draw: Random, body: bytes) -> bytes:
    """Return a record with another value somewhere."""
    try:
        held: Any = cbor2.loads(body)
    except (cbor2.CBORError, ValueError, OverflowError, MemoryError):  # no record, as uploads are none
        return body[::-1]
    inside = held
    while isinstance(inside, (dict, list)) and inside:
        key = draw.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        if draw.random() < 0.4 or not isinstance(inside[key], (dict, list)) or not inside[key]:
            inside[key] = draw.choice(_VALUES)
            break
        inside = inside[key]
    return cbor2.dumps(held, canonical=draw.random() < 0.9)


async def _status(app: Any, method: str, path: str, body: bytes, credential: str = "") -> int:
    """Return what an application answers to a request that comes in two parts."""
    parts = [body[: len(body) // 2], body[len(body) // 2 :]]
    said: list[int] = []

    async def receive() -> dict[str, Any]:
        part = parts.pop(0) if parts else b""
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            said.append(message["status"])

    await app({
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"authorization", b"Bearer " + credential.encode())], "http_version": "1.1", "scheme": "http",
        "server": ("127.0.0.1", 1), "client": ("127.0.0.1", 2), "root_path": "", "asgi": {"version": "3.0"},
    }, receive, send)  # fmt: skip
    (status,) = said
    return status


def _choice(of: Housed) -> Choice:
    choice = certified(Choice(of.task.digest, of.task.digest, 2, "analyst", ((0, 1),), 0.05, 20), of.task)
    if of.task.signer is None:
        return choice
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return choice.signed(Ed25519PrivateKey.from_private_bytes(of.homes["curator"].key(of.task.signer).private))


def _decoded(draw: Random, of: Housed) -> None:
    """Check that what is decoded is written in the one way that it is, or is refused."""
    client = person(of.task)
    choice = _choice(of)
    if of.task.admitter is None:
        client.upload(choice)
    else:
        client.admission_request()
    decoders: list[tuple[bytes, Callable[[bytes], bytes]]] = [
        (of.task.encoded, lambda body: Task.decoded(body).encoded),
        (choice.encoded, lambda body: Choice.decoded(body, of.task).encoded),
        (client.state, lambda body: Client.restored(body, now=lambda: NOW).state),
    ]
    for _ in range(BODIES):
        whole, decode = draw.choice(decoders)
        body = _spoilt(draw, [whole])
        try:
            again = decode(body)
        except CollectionError:
            continue
        assert again == body, body.hex()
