"""The common part of all services: health, metrics, the task, and work in the background."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from shutil import disk_usage
from threading import Lock
from typing import Any

import httpx2 as httpx
from anyio.to_thread import run_sync
from starlette.applications import Starlette

from discretion.collection.errors import UnavailableError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.clock import Clock
from discretion.collection.services.connections import Refusals
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.services.monitoring import Log, Meter
from discretion.collection.services.operations import (
    HEALTH,
    Operation,
    RequestBounds,
    application,
    openapi_document,
)
from discretion.collection.services.public_keys import key_list
from discretion.collection.services.waiting import Waiting
from discretion.collection.wire.task import Party
from discretion.errors import DiscretionError

NOTHING_GOES_OUT = "nothing is certified to go out together"
_READY_BYTES = 1 << 26  # of room on the disk


class Service(ABC):
    """A party's service.

    Parameters
    ----------
    home
        The home of the party.
    authority
        A file of certificates to check the other parties' certificates, in addition to those that the system trusts.
    private_addresses
        Whether the task's addresses may lead into private networks even if this party's own address does not.
    log
        The log of events; by default one without the name of the task.
    """

    def __init__(
        self, home: Home, *, authority: str | None = None, private_addresses: bool = False, log: Log | None = None
    ) -> None:
        self.home, self.task, self.now = home, home.task, home.now
        self.log, self.meter = log or Log(), Meter()
        self.refusals = Refusals(self.log, self.meter)
        key = home.key(home.party.key)
        self.private, self._key_expires = key.private, key.expires
        self._authority = authority
        self._near = None if private_addresses else home.party.url
        self._names = {party.key: name for name, party in self.task.parties.items()}
        self.clock = Clock(home.folder / "clock", home.now)
        self._doubted = False
        self._certificate_expires: float | None = None
        self._due = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._destroyed = False
        # A running step ends before anything is destroyed; otherwise it would write data again.
        self._doing = Lock()

    @abstractmethod
    def operations(self) -> list[Operation]:
        """Return the operations of this party in addition to the common ones."""

    @abstractmethod
    def step(self) -> None:
        """Do the work that is due, if any; interrupted work is repeated or continued."""

    @abstractmethod
    def status(self) -> dict[str, Any]:
        """Return the progress of the task at this party."""

    def ending(self) -> str | None:
        """Return the reason why the task ends before its last round, if this party knows of one, or None."""
        return None

    @abstractmethod
    def forget(self) -> None:
        """Destroy all stored data of the task."""

    def neighbour(self, party: Party) -> Neighbour:
        """Return a client of another party's service, with the credential of this party."""
        return Neighbour(
            party.url, self.home.credential(party), self._authority, name=self._names[party.key], near=self._near
        )

    def wake(self) -> None:
        """Do the work that is due at once."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._due.set)

    def application(self, bounds: RequestBounds | None = None, certificate_expires: float | None = None) -> Starlette:
        """Return the service as an ASGI application; the expiry of its certificate, if any, is for the metrics."""
        self._certificate_expires = certificate_expires
        self._watch()
        operations = [*self._common(), *self.operations()]
        document = openapi_document(self.home.role, operations)
        operations.append(Operation("GET", "/openapi.json", "This document.", "anybody", lambda: document))
        return application(
            operations,
            is_over=lambda: self._destroyed,
            operator=lambda: operator_credential(self.home.folder),
            sender=None if (before := self.home.before) is None else self.home.credential(before),
            participant=self.home.board_pass if self.home.role == "shuffler" else None,
            bounds=bounds or RequestBounds(),
            log=self.log,
            meter=self.meter,
            lifespan=self._working,
        )

    def _common(self) -> list[Operation]:
        keys = key_list(self.home.keys_of_task(), self.task.digest)

        return [
            HEALTH,
            Operation("GET", "/ready", "Confirm that the task can be worked on.", "anybody", self._ready),
            Operation("GET", "/task", "Return the task's bytes.", "anybody", lambda: self.task.encoded),
            Operation(
                "GET", "/keys", "Return the task's digest, and this party's public keys in it.", "anybody",
                lambda: keys,
            ),
            Operation(
                "GET", "/ending", "Return the reason why the task ends before its last round, or null.", "anybody",
                lambda: {"ending": self.ending()},
            ),
            Operation("GET", "/status", "Return the progress of the task at this party.", "operator", self._status),
            Operation("GET", "/metrics", "Return counts for Prometheus.", "operator", self.meter.prometheus_text),
            Operation("POST", "/destroy", "Destroy the stored data and the keys.", "operator", self._destroy),
        ]  # fmt: skip

    def _status(self) -> dict[str, Any]:
        if self._destroyed:
            return {"role": self.home.role, "task": self.task.digest.hex(), "destroyed": True}
        return self.status()

    def _ready(self) -> dict[str, Any]:
        if self._destroyed:
            raise UnavailableError("the task was destroyed here")
        self.status()
        for what, expires in self._expiring().items():
            if expires <= self.now():
                raise UnavailableError(f"the {what} has expired; docs/how-to/collecting.md has the remedy")
        if self._free_bytes() < _READY_BYTES:
            raise UnavailableError(f"the disk has less than {_READY_BYTES >> 20} MiB of room; make room")
        return {"ready": True}

    def _expiring(self) -> dict[str, float]:
        """Return the expiry of the certificate and of the key, if they have one."""
        ends = {"certificate": self._certificate_expires, "key": self._key_expires}
        return {what: end for what, end in ends.items() if end is not None}

    def _free_bytes(self) -> int:
        return disk_usage(self.home.folder).free

    def _watch(self) -> None:
        """Add the quantities that change by themselves to the metrics."""
        self.meter.watch("disk_free_bytes", "Bytes that are free on the disk of the home.", self._free_bytes)
        self.meter.watch("clock_doubtful", "1 where the clock has jumped, and closes no round.", self.clock.is_doubtful)
        for what, end in self._expiring().items():
            self.meter.watch(
                f"{what}_expires_seconds", f"Seconds until the {what} expires.", lambda end=end: end - self.now()
            )

    def _destroy(self) -> dict[str, Any]:
        self._destroyed = True
        # Keys first: without them the rest cannot be opened, even if the disk is full, or a running step is long.
        self.home.destroy_keys()
        with self._doing:
            self.forget()
        self.log("destroyed")
        return {"destroyed": True}

    @asynccontextmanager
    async def _working(self, _: Starlette) -> AsyncGenerator[None]:
        self._loop = asyncio.get_running_loop()
        self.log("started", role=self.home.role)
        work = asyncio.create_task(self._work())
        try:
            yield
        finally:
            work.cancel()
            self.log("stopped")

    def _step(self) -> None:
        with self._doing:
            if not self._destroyed:
                self._look_at_clock()
                self.step()

    def _look_at_clock(self) -> None:
        doubtful = self.clock.is_doubtful()
        if doubtful and not self._doubted:
            self.log("clock", why="it has jumped; no round is closed by it until its operator closes one")
        self._doubted = doubtful

    async def _work(self) -> None:
        waiting = Waiting(self.log)
        while not self._destroyed:
            self._due.clear()
            try:
                await run_sync(self._step, abandon_on_cancel=True)
                waiting.went_well()
            except (DiscretionError, OSError, httpx.HTTPError) as error:  # tried again: nothing is lost by waiting
                waiting.failed(error)
            except Exception as error:
                self.log("error", of=type(error).__name__)
            try:
                async with asyncio.timeout(waiting.pause):
                    await self._due.wait()
            except TimeoutError:
                pass
