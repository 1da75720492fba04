"""A shuffler's service over the loopback: uploads acknowledged once on disk, by a load that shares its cores."""

import asyncio
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes

import pytest

from discretion.collection import Feature, Party, Task
from discretion.collection.services.home import Home
from discretion.collection.simulation.parties import HOST, Parties, free_ports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.uploads import TOKEN_BYTES, upload_bytes
from support.servers import PASSWORD, started

# A service accepts so many connections from one address.
FEATURES, UPLOADS, CONNECTIONS = 10, 10_000, 100
# What is asked of it: on two cores that the load shares.
MESSAGES_A_SECOND = 10_000


@pytest.fixture(params=["sqlite", "postgres"])
def options(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    free = ["--rate", "1e9"]
    if request.param == "sqlite":
        yield free
        return
    with started() as server:
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        yield [*free, "--store", server.address().replace("postgres://", "postgresql+psycopg://", 1)]


def test_messages_are_acknowledged_as_fast_as_is_asked(options: list[str], tmp_path: Path) -> None:
    home, task = first_shuffler(tmp_path / "shuffler")
    # What is sent is not opened before the round is closed: random bytes do.
    length = upload_bytes(Round(task)) - TOKEN_BYTES
    uploads = [token_bytes(TOKEN_BYTES) + token_bytes(length) for _ in range(UPLOADS)]
    with Parties((home,), {"shuffler": options}) as parties:
        for start in range(0, UPLOADS, 5_000):
            some = uploads[start : start + 5_000]
            parties.ask(home, "POST", "/tokens", content=b"".join(sha256(each[:TOKEN_BYTES]).digest() for each in some))
        start = time.perf_counter()
        statuses = asyncio.run(sent(home.party.url, uploads))
        seconds = time.perf_counter() - start
        assert statuses == {204}
        assert f'"people":{UPLOADS}' in parties.ask(home, "GET", "/status").decode()
    rate = UPLOADS * FEATURES / seconds
    print(f"{rate:,.0f} messages a second, {UPLOADS / seconds:,.0f} uploads of {FEATURES} messages")
    assert rate >= MESSAGES_A_SECOND


def first_shuffler(folder: Path) -> tuple[Home, Task]:
    home = Home(folder)
    key, (port,) = home.furnish("shuffler", 1)["seal"], free_ports(1)
    curator, analyst = (Party(f"http://{HOST}:{place}", bytes([place]) * 32) for place in (1, 2))
    now = int(time.time())
    features = tuple(Feature(f"f{place}", ("yes", "no")) for place in range(FEATURES))
    task = Task(
        bytes(16), "a benchmark", features, 10, "0.01", 2, now, now + 80_000,
        (Party(f"http://{HOST}:{port}", key.public),), analyst, curator, bytes(32),
    )  # fmt: skip
    home.take(task)
    return home, task


async def sent(url: str, uploads: list[bytes]) -> set[int]:
    """Send uploads over so many connections, each when the one before it is acknowledged, and return all statuses."""
    waiting, statuses = iter(uploads), set[int]()
    head = f"POST /rounds/1/uploads HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {len(uploads[0])}\r\n\r\n".encode()

    async def send() -> None:
        reader, writer = await asyncio.open_connection(HOST, int(url.rpartition(":")[2]))
        for upload in waiting:
            writer.write(head + upload)
            answer = await reader.readuntil(b"\r\n\r\n")
            statuses.add(int(answer.split()[1]))
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(send() for _ in range(CONNECTIONS)))
    return statuses
