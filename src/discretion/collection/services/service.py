"""What all services have: health, metrics, the task, and work that goes on beside requests."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from threading import Lock
from typing import Any

import httpx2 as httpx
from anyio.to_thread import run_sync
from starlette.applications import Starlette

from discretion.collection.errors import UnavailableError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.connections import Refusals
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.services.monitoring import Log, Meter
from discretion.collection.services.operations import Operation, RequestBounds, application, openapi_document
from discretion.collection.wire.task import Party
from discretion.errors import DiscretionError

_PERIOD = 0.5  # seconds after which it looks whether there is something to be done


class Service(ABC):
    """A party's service.

    Parameters
    ----------
    home
        Its folder.
    authority
        A file of certificates that the other parties' are checked by, beside those that the system trusts.
    private_addresses
        Whether the task's addresses are called in private networks too, where this party's own is in none.
    """

    def __init__(self, home: Home, *, authority: str | None = None, private_addresses: bool = False) -> None:
        self.home, self.task, self.now = home, home.task, home.now
        self.log, self.meter = Log(), Meter()
        self.refusals = Refusals(self.log, self.meter)
        self.private = home.key(home.party.key).private
        self._authority = authority
        self._near = None if private_addresses else home.party.url
        self._names = {party.key: name for name, party in self.task.parties.items()}
        self._due = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._destroyed = False
        # What is being done ends before anything is destroyed: it would write anew.
        self._doing = Lock()

    @abstractmethod
    def operations(self) -> list[Operation]:
        """Return what this party does beside what all do."""

    @abstractmethod
    def step(self) -> None:
        """Do what is due, if anything; what was cut short before is done anew or goes on."""

    @abstractmethod
    def status(self) -> dict[str, Any]:
        """Return how far the task is here."""

    @abstractmethod
    def forget(self) -> None:
        """Destroy all that is stored of the task."""

    def neighbour(self, party: Party) -> Neighbour:
        """Return who can be called as this party."""
        return Neighbour(
            party.url, self.home.credential(party), self._authority, name=self._names[party.key], near=self._near
        )

    def wake(self) -> None:
        """Have what is due done now."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._due.set)

    def application(self, bounds: RequestBounds | None = None) -> Starlette:
        """Return the service as an ASGI application."""
        operations = [*self._common(), *self.operations()]
        document = openapi_document(self.home.role, operations)
        operations.append(Operation("GET", "/openapi.json", "This document.", "anybody", lambda: document))
        return application(
            operations,
            operator=lambda: operator_credential(self.home.folder),
            sender=None if (before := self.home.before) is None else self.home.credential(before),
            bounds=bounds or RequestBounds(),
            log=self.log,
            meter=self.meter,
            lifespan=self._working,
        )

    def _common(self) -> list[Operation]:
        async def alive() -> dict[str, Any]:
            return {"alive": True}

        return [
            Operation("GET", "/health", "Say that the process answers.", "anybody", alive),
            Operation("GET", "/ready", "Say that the task can be worked on.", "anybody", self._ready),
            Operation("GET", "/task", "Return the task's bytes.", "anybody", lambda: self.task.encoded),
            Operation("GET", "/status", "Say how far the task is here.", "operator", self.status),
            Operation("GET", "/metrics", "Return counts for Prometheus.", "operator", self.meter.prometheus_text),
            Operation("POST", "/destroy", "Destroy what is stored, and the keys.", "operator", self._destroy),
        ]  # fmt: skip

    def _ready(self) -> dict[str, Any]:
        if self._destroyed:
            raise UnavailableError("the task was destroyed here")
        self.status()
        return {"ready": True}

    def _destroy(self) -> dict[str, Any]:
        self._destroyed = True
        with self._doing:
            self.forget()
            self.home.destroy_keys()
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
                self.step()

    async def _work(self) -> None:
        while not self._destroyed:
            self._due.clear()
            try:
                await run_sync(self._step, abandon_on_cancel=True)
            except (DiscretionError, OSError, httpx.HTTPError) as error:  # tried again: nothing is lost by waiting
                self.log("waits", of=type(error).__name__)
            except Exception as error:
                self.log("error", of=type(error).__name__)
            try:
                async with asyncio.timeout(_PERIOD):
                    await self._due.wait()
            except TimeoutError:
                pass
