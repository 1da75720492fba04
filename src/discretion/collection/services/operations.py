"""An HTTP service as a list of operations: who may do what, with how long a body, and what comes back."""

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
    """Something that a service does.

    Parameters
    ----------
    method, path
        The request; what is in braces in the path is given to ``does``.
    summary
        What it does, in a sentence.
    who
        Who may ask for it: the operator, the party that passes batches on to this one, a participant (to read a board),
        or anybody.
    does
        What answers: of what is in the path, and the body where ``most`` is given. Bytes, a file, an object or nothing
        go back. It may take long where it is no coroutine: it has a thread then.
    most
        How many bytes the body may have; None is no body.
    """

    method: str
    path: str
    summary: str
    who: Who
    does: Callable[..., Answer | Awaitable[Answer]]
    most: Callable[[], int] | None = None


async def _alive() -> dict[str, Any]:
    return {"alive": True}


#: What every service answers while its process does.
HEALTH = Operation("GET", "/health", "Say that the process answers.", "anybody", _alive)


@dataclass(frozen=True)
class RequestBounds:
    """What a service takes from one sender, or waits for.

    Parameters
    ----------
    rate
        Requests a second from one address; twice as many may come at once. None is no limit.
    seconds
        How long a body may take to come.
    connections
        Connections from one address at once; None is no limit.
    head_seconds
        How long TLS may take to begin, and then the head of a request to come.
    unread_seconds
        How long an answer may wait to be read.
    """

    rate: float | None = 100.0
    seconds: float = 20.0
    connections: int | None = 100
    head_seconds: float = 10.0
    unread_seconds: float = 60.0


class RequestRates:
    """How much each address may still ask: it grows with time, up to two seconds' worth."""

    def __init__(self, per_second: float | None) -> None:
        self._rate = per_second
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, address: str) -> None:
        """Count one request, or say that it is one too many."""
        if self._rate is None:
            return
        address, now = sender_of(address), time.monotonic()
        left, at = self._left.get(address, (2 * self._rate, now))
        left = min(2 * self._rate, left + (now - at) * self._rate)
        if left < 1:
            raise BusyError("this is more than is taken from one sender in a second; try again in a while")
        self._left[address] = left - 1, now
        if len(self._left) > 1 << 16:  # who has asked nothing for two seconds is as one who never asked
            self._left = {key: entry for key, entry in self._left.items() if now - entry[1] < 2}


# What a service answers once its task was destroyed.
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
    """Return a service of these operations.

    ``is_over`` says whether the task was destroyed: then no more is done but to look and to destroy what is left.
    ``operator`` says the operator's credential of the moment, ``sender`` is that of the neighbour before, and
    ``participant`` that of everybody who has sent answers.
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
                # Not what it says: the words of a library may quote what was sent.
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
    """Return what says why something was refused."""
    status = error.status if isinstance(error, CollectionError) else 400
    return JSONResponse({"error": str(error)}, status, {"retry-after": "1"} if status in (429, 503) else None)


def _small(word: Any) -> Any:
    """Return what is in a path, if no number in it is beyond what databases and files take."""
    if isinstance(word, int) and word >= 1 << 31:
        raise MalformedError("there is no round and no piece of so large a number")
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
    """Return the body, of which no more is held than may come."""
    declared = request.headers.get("content-length", "0")
    if not (declared.isascii() and declared.isdigit() and len(declared) < 20):
        raise MalformedError("content-length is a whole number of bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            if int(declared) <= most:
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > most:
                        break
    except TimeoutError:
        raise SlowError(f"the body did not come within {seconds:g} seconds") from None
    if max(len(body), int(declared)) > most:
        raise TooLongError(f"at most {most:,} bytes are taken here")
    return bytes(body)


_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_REASON = {
    "description": "Why it is refused.",
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
            "responses": {"2XX": {"description": "It is done, or what was asked for."}, "4XX": _REASON, "5XX": _REASON},
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
