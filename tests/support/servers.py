"""A PostgreSQL server on the loopback, in a folder of its own, for as long as the tests run."""

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

LOOPBACK = "127.0.0.1"
PASSWORD = "pAsSwOrD"


@dataclass(frozen=True)
class Server:
    """Where it listens; its user ada has the password PASSWORD."""

    port: int

    def address(self, user: str = "ada", asks: str = "") -> str:
        return f"postgres://{user}@{LOOPBACK}:{self.port}/clinic{asks}"


def program(name: str) -> str | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((found for place in [None, *places] if (found := shutil.which(name, path=place))), None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with started("-c fsync=off") as server:
        yield server


@contextmanager
def started(asks: str = "") -> Iterator[Server]:
    """Start a server with some settings, or skip where there is none or no driver."""
    initdb, pg_ctl = program("initdb"), program("pg_ctl")
    if initdb is None or pg_ctl is None:
        pytest.skip("PostgreSQL is not installed")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: the extra postgres")
    user = "postgres" if os.geteuid() == 0 else None  # initdb refuses root
    folder = Path("/tmp", f"discretion-postgres-{os.getpid()}")  # sockets have short paths
    folder.mkdir(mode=0o700)
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    with socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
    (folder / "password").write_text(PASSWORD)
    (folder / "password").chmod(0o644)

    def run(*command: str) -> None:
        subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=120)

    data = str(folder / "data")
    settings = f"-c listen_addresses={LOOPBACK} -c port={port} -c unix_socket_directories={folder} {asks}"
    try:
        run(
            initdb,
            "--pgdata",
            data,
            "--username",
            "ada",
            "--pwfile",
            str(folder / "password"),
            "--auth",
            "scram-sha-256",
        )
        run(pg_ctl, "--pgdata", data, "--log", str(folder / "log"), "--options", settings, "--wait", "start")
        try:
            import psycopg

            with psycopg.connect(
                host=LOOPBACK, port=port, user="ada", password=PASSWORD, dbname="postgres", autocommit=True
            ) as made:
                made.execute("CREATE DATABASE clinic")
            yield Server(port)
        finally:
            run(pg_ctl, "--pgdata", data, "--mode", "immediate", "--wait", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
