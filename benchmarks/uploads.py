"""Acknowledged uploads a second through the first shuffler's service: one process and two, without TLS and with it.

    uv run python benchmarks/uploads.py

The load runs on the same cores. So the seconds of processor time that the services take for an upload say more than the
rate: both are printed. With TLS each upload has a connection of its own, as a person's has.
"""

import asyncio
import os
import resource
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory

from discretion.collection import Feature, Party, Task
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.simulation.parties import HOST, free_ports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.uploads import TOKEN_BYTES, upload_bytes

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.collection.certificates import Certified, certified

FEATURES, UPLOADS, CONNECTIONS = 10, 4_000, 64


def first_shuffler(folder: Path, scheme: str) -> Home:
    """Return the home of the only shuffler of a task that takes uploads now."""
    home, (port,), now = Home(folder), free_ports(1), int(time.time())
    key = home.furnish("shuffler", 1)["seal"]
    features = tuple(Feature(f"f{place}", ("yes", "no")) for place in range(FEATURES))
    curator, analyst = (Party(f"http://{HOST}:{place}", bytes([place]) * 32) for place in (1, 2))
    shuffler = Party(f"{scheme}://{HOST}:{port}", key.public)
    home.take(Task(
        token_bytes(16), "a benchmark", features, 10, "0.01", 2, now, now + 80_000, (shuffler,), analyst, curator,
        bytes(32),
    ))  # fmt: skip
    return home


async def send(ports: Sequence[int], requests: list[bytes], context: ssl.SSLContext | None) -> set[int]:
    """Send requests over so many connections at once, and return all statuses."""
    waiting, statuses = iter(enumerate(requests)), set[int]()

    async def one(place: int) -> None:
        port = ports[place % len(ports)]
        reader, writer = await asyncio.open_connection(HOST, port, ssl=context)
        for number, request in waiting:
            writer.write(request)
            statuses.add(int((await reader.readuntil(b"\r\n\r\n")).split()[1]))
            if context is not None:
                writer.close()
                reader, writer = await asyncio.open_connection(HOST, ports[number % len(ports)], ssl=context)
        writer.close()

    await asyncio.gather(*map(one, range(CONNECTIONS)))
    return statuses


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the processor time that processes have taken."""
    ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13] for pid in pids]
    return sum(int(each) for pair in ticks for each in pair) / os.sysconf("SC_CLK_TCK")


@contextmanager
def services(home: Home, count: int, options: list[str]) -> Iterator[list[tuple[int, int]]]:
    """Run the whole service, and further processes that take uploads; return their ports and numbers."""
    ports = [home.party.address.port, *free_ports(count - 1)]
    command = [sys.executable, "-m", "discretion", "collect", "shuffler", str(home.folder), *options]
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for port in ports:
            more = [] if not processes else ["--uploads-only", "--port", str(port)]
            processes.append(subprocess.Popen([*command, *more], stderr=subprocess.DEVNULL))
        yield [(port, process.pid) for port, process in zip(ports, processes, strict=True)]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def measure(processes: int, tls: Certified | None, folder: Path, *, questions: bool = False) -> tuple[float, float]:
    """Return the acknowledged uploads a second, and the milliseconds of processor time of the services for each.

    ``questions`` measures instead what every participant asks each shuffler, which takes TLS here.
    """
    home = first_shuffler(folder / "home", "http" if tls is None else "https")
    options = ["--rate", "1e9", "--behind-proxy"]  # all of the load comes from one address
    if tls is not None:
        options += ["--certificate", str(tls.certificate), "--certificate-key", str(tls.key)]
    uploads = [token_bytes(upload_bytes(Round(home.task))) for _ in range(UPLOADS)]
    context = None if tls is None else ssl.create_default_context(cafile=str(tls.authority))
    if context is not None:
        context.check_hostname = False
    authority = None if tls is None else str(tls.authority)
    with services(home, processes, options) as running:
        scheme, credential = home.party.address.scheme, operator_credential(home.folder)
        for port, _ in running:
            with Neighbour(f"{scheme}://{HOST}:{port}", credential, authority) as service:
                wait_for(service)
        with Neighbour(home.party.url, credential, authority) as service:
            service.ask("POST", "/tokens", content=b"".join(sha256(each[:TOKEN_BYTES]).digest() for each in uploads))
        ports, pids = zip(*running, strict=True)
        head = f"POST /rounds/1/uploads HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {len(uploads[0])}\r\n\r\n".encode()
        requests = [head + each for each in uploads]
        if questions:
            requests = [f"GET /keys HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()] * UPLOADS
        before, start = cpu_seconds(pids), time.perf_counter()
        statuses = asyncio.run(send(ports, requests, context))
        seconds, cpu = time.perf_counter() - start, cpu_seconds(pids) - before
        assert statuses == {200 if questions else 204}, statuses
    return UPLOADS / seconds, cpu / UPLOADS * 1000


def wait_for(service: Neighbour) -> None:
    """Return when a process answers."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            service.ask("GET", "/ready")
            return
        except ValueError:
            time.sleep(0.1)
    raise TimeoutError


def main() -> None:
    """Print a table."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    print(f"| uploads of {FEATURES} messages | processes | acknowledged a second | processor time for each |")
    print("|---|---|---|---|")
    for with_tls in (False, True):
        for processes in (1, 2):
            with TemporaryDirectory() as folder:
                tls = certified(Path(folder) / "tls") if with_tls else None
                rate, cpu = measure(processes, tls, Path(folder))
            how = "a TLS connection each" if with_tls else "kept connections"
            print(f"| {how} | {processes} | {rate:,.0f} | {cpu:.2f} ms |", flush=True)


if __name__ == "__main__":
    main()
