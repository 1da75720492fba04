"""Run the services of several tasks in one process, each at the path of its own address."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount

from discretion.collection.services.operations import RequestBounds
from discretion.collection.services.service import Service
from discretion.collection.wire.addresses import WebAddress
from discretion.errors import InvalidValueError


def common_address(services: Sequence[Service]) -> WebAddress:
    """Return the address of a party that takes part in several tasks, without a path.

    Raises
    ------
    InvalidValueError
        If its addresses in two tasks have the same path, or different hosts or ports.
    """
    first, paths = services[0].home.party.address, set[str]()
    for service in services:
        address = service.home.party.address
        if (address.scheme, address.host, address.port) != (first.scheme, first.host, first.port):
            raise InvalidValueError(
                f"one process answers at one host and port, and these tasks have {first.url} and {address.url}; "
                "start a process for each"
            )
        if address.path in paths:
            raise InvalidValueError(
                f"two of these tasks have the address {address.url}; each needs a path of its "
                f"own, as {first.url}/second"
            )
        paths.add(address.path)
    return first


def application_of(
    services: Sequence[Service], bounds: RequestBounds, certificate_expires: float | None = None,
    offering: Starlette | None = None,
) -> Starlette:  # fmt: skip
    """Return the services as one ASGI application: each at its path, a single one also at the root.

    The keys that are offered for new tasks are at the root, too. A single service answers at both places because a
    proxy may remove the path before it passes a request on.
    """
    inner = [service.application(bounds, certificate_expires) for service in services]
    at = {service.home.party.address.path: each for service, each in zip(services, inner, strict=True)}
    if offering is not None:
        at[""] = offering
    elif len(inner) == 1:
        at[""] = inner[0]

    @asynccontextmanager
    async def working(_: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for each in inner:
                await stack.enter_async_context(each.router.lifespan_context(each))
            yield

    async def nobody(_: Request, __: Exception) -> Response:
        return JSONResponse({"error": "no task has this path"}, 404)

    mounts = [Mount(path, each) for path, each in sorted(at.items(), key=lambda item: -len(item[0]))]
    return Starlette(routes=mounts, exception_handlers={404: nobody}, lifespan=working)
