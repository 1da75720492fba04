"""An HTTP service as a list of operations, each with its allowed caller, its longest body and its answer."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Literal, cast

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from discretion.collection.errors import (
    BusyError,
    CollectionError,
    MalformedError,
    SlowError,
    TooLongError,
    UnavailableError,
)
from discretion.collection.services.credentials import check_credential
from discretion.collection.services.monitoring import Log, Meter
from discretion.collection.services.networks import sender_of
from discretion.errors import DiscretionError

Answer = bytes | dict[str, Any] | Path | None
Who = Literal["anybody", "operator", "sender", "participant"]


@dataclass(frozen=True)
class Operation:
    """An operation of a service.

    Parameters
    ----------
    method, path
        The request; the parts of the path in braces are arguments of ``does``.
    summary
        The description of the operation, in a sentence.
    who
        The allowed caller: the operator, the party that passes batches to this one (sender), a participant (to read a
        board), or anybody.
    does
        The function that answers, from the arguments in the path, and from the body if ``most`` is given. It returns
        bytes, a file, an object or None. A function that is not a coroutine runs in a thread, so it may take long.
    most
        A function that returns the most bytes of the body; None means no body.
    """

    method: str
    path: str
    summary: str
    who: Who
    does: Callable[..., Answer | Awaitable[Answer]]
    most: Callable[[], int] | None = None


async def _alive() -> dict[str, Any]:
    return {"alive": True}


#: The operation that every service answers as long as its process runs.
HEALTH = Operation("GET", "/health", "Confirm that the process answers.", "anybody", _alive)


@dataclass(frozen=True)
class RequestBounds:
    """The limits of a service on requests, in number and in time.

    Parameters
    ----------
    rate
        The most requests a second from one address; twice as many may come at once. None is no limit.
    seconds
        The most seconds until a body is received.
    connections
        The most connections from one address at once; None is no limit.
    head_seconds
        The most seconds until TLS begins, and then until the head of a request is received.
    unread_seconds
        The most seconds that an answer may wait to be read.
    """

    rate: float | None = 100.0
    seconds: float = 20.0
    connections: int | None = 100
    head_seconds: float = 10.0
    unread_seconds: float = 60.0


class RequestRates:
    """The remaining requests of each address, which grow with time up to those of two seconds."""

    def __init__(self, per_second: float | None) -> None:
        self._rate = per_second
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, address: str) -> None:
        """Count one request, or raise an error if the address has none left."""
        if self._rate is None:
            return
        address, now = sender_of(address), time.monotonic()
        left, at = self._left.get(address, (2 * self._rate, now))
        left = min(2 * self._rate, left + (now - at) * self._rate)
        if left < 1:
            raise BusyError(f"a sender may send at most {self._rate:g} requests a second; try again later")
        self._left[address] = left - 1, now
        if len(self._left) > 1 << 16:  # an address without requests for two seconds has all requests left
            self._left = {key: entry for key, entry in self._left.items() if now - entry[1] < 2}


# The operations of a service whose task was destroyed.
_OF_WHAT_IS_OVER = ("/health", "/ready", "/status", "/metrics", "/destroy", "/openapi.json")


def application(
    operations: Sequence[Operation],
    *,
    is_over: Callable[[], bool],
    operator: Callable[[], str],
    sender: str | None,
    participant: str | None,
    bounds: RequestBounds,
    log: Log,
    meter: Meter,
    **more: Any,
) -> Starlette:
    """Return a service of these operations as an ASGI application.

    ``is_over`` returns whether the task was destroyed: then only the operations to look and to destroy the rest remain.
    ``operator`` returns the current credential of the operator. ``sender`` is the credential of the neighbor that
    passes batches to this party, and ``participant`` the one of everybody who has sent answers.
    """
    rates, fixed = RequestRates(bounds.rate), {"sender": sender, "participant": participant}

    def route(operation: Operation) -> Route:
        async def answer(request: Request) -> Response:
            began = time.monotonic()
            try:
                rates.take(request.client.host if request.client else "")
                if operation.who != "anybody":
                    right = operator() if operation.who == "operator" else fixed[operation.who]
                    check_credential(request.headers.get("authorization"), right or "")
                if is_over() and operation.path not in _OF_WHAT_IS_OVER:
                    raise UnavailableError("the task was destroyed here")
                words: list[Any] = [_small(word) for word in request.path_params.values()]
                if operation.most is not None:
                    words.append(await _body(request, operation.most(), bounds.seconds))
                does = cast("Any", operation.does)
                answer = await (does(*words) if iscoroutinefunction(does) else run_sync(does, *words))
                response = _response(answer)
            except DiscretionError as error:
                response = refusal(error)
            except ClientDisconnect:
                response = Response(status_code=400)
            except Exception as error:
                # Without its message: that of a library may quote data from a sender.
                log("error", of=type(error).__name__, operation=operation.path)
                response = JSONResponse({"error": f"an error of the service ({type(error).__name__})"}, 500)
            seconds = time.monotonic() - began
            meter.request(f"{operation.method} {operation.path}", response.status_code, seconds)
            return response

        return Route(operation.path, answer, methods=[operation.method])

    def other(_: Request, error: Exception) -> Response:
        # The route of a number with more digits than Python reads is a ValueError.
        status = error.status_code if isinstance(error, HTTPException) else 404
        return JSONResponse({"error": "there is no such operation; /openapi.json lists them"}, status)

    handlers = {HTTPException: other, ValueError: other}
    return Starlette(routes=[route(each) for each in operations], exception_handlers=handlers, **more)


def refusal(error: DiscretionError) -> Response:
    """Return the HTTP response for an error."""
    status = error.status if isinstance(error, CollectionError) else 400
    return JSONResponse({"error": str(error)}, status, {"retry-after": "1"} if status in (429, 503) else None)


def _small(word: Any) -> Any:
    """Return an argument in a path; a number that is too large for databases and files is refused."""
    if isinstance(word, int) and word >= 1 << 31:
        raise MalformedError("the number in the path is too large for a round or a piece")
    return word


def _response(answer: Answer) -> Response:
    if answer is None:
        return Response(status_code=204)
    if isinstance(answer, Path):
        return FileResponse(answer, media_type="application/octet-stream")
    if isinstance(answer, bytes):
        return Response(answer, media_type="application/octet-stream")
    return JSONResponse(answer)


async def _body(request: Request, most: int, seconds: float) -> bytes:
    """Return the body of a request, and refuse a longer or slower one without holding it."""
    declared = request.headers.get("content-length", "0")
    if not (declared.isascii() and declared.isdigit() and len(declared) < 20):
        raise MalformedError("content-length must be a whole number of bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            if int(declared) <= most:
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > most:
                        break
    except TimeoutError:
        raise SlowError(f"the body did not arrive within {seconds:g} seconds") from None
    if max(len(body), int(declared)) > most:
        raise TooLongError(f"the body may have at most {most:,} bytes")
    return bytes(body)


_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_REASON = {
    "description": "The reason of the refusal.",
    "content": {"application/json": {"schema": {"type": "object", "properties": {"error": {"type": "string"}}}}},
}


def openapi_document(role: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the document that lists the operations of a party."""
    paths: dict[str, Any] = {}
    for each in operations:
        description: dict[str, Any] = {
            "summary": each.summary,
            "operationId": re.sub(r"\W+", "_", f"{each.method.lower()}{each.path}").rstrip("_"),
            "parameters": [
                {
                    "name": name, "in": "path", "required": True,
                    "schema": {"type": "integer", "minimum": 0} if kind else {"type": "string"},
                }
                for name, kind in re.findall(r"{(\w+)(:int)?}", each.path)
            ],
            "responses": {"2XX": {"description": "Done, or the result."}, "4XX": _REASON, "5XX": _REASON},
        }  # fmt: skip
        if each.most is not None:
            description["requestBody"] = {"required": True, "content": _BYTES}
        if each.who != "anybody":
            description["security"] = [{each.who: []}]
        paths.setdefault(re.sub(r":int}", "}", each.path), {})[each.method.lower()] = description
    schemes = {who: {"type": "http", "scheme": "bearer"} for who in ("operator", "sender", "participant")}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Discretion: the {role} of a collection", "version": "1"},
        "paths": paths,
        "components": {"securitySchemes": schemes},
    }
