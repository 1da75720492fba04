"""The pages: a home with its doors, a form and its answer for each door, the files that are open, and the papers."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from discretion.errors import DiscretionError, InvalidValueError, TooLargeError
from discretion.presenting.shell import Command
from discretion.presenting.views.page import page_file
from discretion.web.answering import Answered, Asked, Refused
from discretion.web.doors import DOORS, Question, Texts
from discretion.web.files import OpenFiles
from discretion.web.guarding import MOST_FORM
from discretion.web.pages import file, page
from discretion.web.workers import Workers

# Answers that are kept, so that back, forward and JSON are at once.
_MOST_ANSWERS_KEPT = 100
_Form = Literal["page", "part", "json", "file"]
# How long each waits for the answer before it shows how far that is, in seconds; JSON and files wait for ever.
_PATIENCE: Mapping[_Form, float | None] = {"page": 0.3, "part": 2.0, "json": None, "file": None}


@dataclass
class _Asking:
    """A question that is being answered, or was."""

    step: str = "starting"
    task: "asyncio.Task[Answered | Refused]" = field(init=False)

    def tell(self, what: str) -> None:
        """Note what is being done now."""
        self.step = what


@dataclass(frozen=True)
class _View:
    """What an address asks for: a door, the texts of its fields, and in which form."""

    path: str
    texts: Texts
    form: _Form
    file: str

    @classmethod
    def of(cls, request: Request) -> "_View":
        texts: dict[str, list[str]] = parse_qs(request.url.query, keep_blank_values=True)
        as_json = texts.pop("format", [""])[-1] == "json" or "application/json" in request.headers.get("accept", "")
        as_part = request.headers.get("x-part") == "answer"
        file = texts.pop("file", [""])[-1]
        form: _Form = "json" if as_json else "file" if file else "part" if as_part else "page"
        return cls(request.path_params["door"], texts, form, file)

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"/{self.path}?{urlencode(self.texts, doseq=True)}"


class Pages:
    """The pages of one server."""

    def __init__(self, files: OpenFiles) -> None:
        self._files, self._workers = files, Workers()
        self._asked: OrderedDict[tuple[str, str], _Asking] = OrderedDict()

    def application(self) -> Starlette:
        """Return the pages as an ASGI application."""
        return Starlette(
            routes=[
                Route("/", self._home),
                Route("/files", self._open, methods=["POST"]),
                Route("/cancel", self._cancel, methods=["POST"]),
                Route("/style.css", _style),
                Route("/page.js", _script),
                Route("/charts.js", self._charts),
                Route("/{door}", self._door),
            ],
            exception_handlers={404: _missing, 405: _missing},
            lifespan=self._working,
        )

    @asynccontextmanager
    async def _working(self, _: Starlette) -> AsyncGenerator[None]:
        preparing = asyncio.get_running_loop().run_in_executor(None, self._workers.prepare)
        try:
            yield
        finally:
            await preparing
            for asking in self._asked.values():
                asking.task.cancel()
            self._workers.end()
            self._files.end()

    async def _home(self, request: Request) -> Response:
        return self._page("home.html.j2", problem="")

    async def _door(self, request: Request) -> Response:
        if request.path_params["door"] not in DOORS:
            return _missing(request, None)
        view = _View.of(request)
        try:
            question = Question.of_texts(view.path, view.texts)
        except DiscretionError as error:
            return self._shown(view, Refused(str(error)))
        if question.is_empty:
            return self._shown(view, None)
        asking = self._asking(question)
        done, _ = await asyncio.wait([asking.task], timeout=_PATIENCE[view.form])
        if not done and view.form == "part":
            return Response(asking.step, 202, media_type="text/plain")
        cancelled = Refused("it was cancelled; ask again")
        reply = asking if not done else cancelled if asking.task.cancelled() else asking.task.result()
        if isinstance(reply, Refused):  # asked again it is asked anew: what was not open may be by then
            self._asked.pop(self._key(question), None)
        return self._shown(view, reply, question)

    def _shown(
        self, view: "_View", reply: Answered | Refused | _Asking | None, question: Question | None = None
    ) -> Response:
        """Return a door's page, the part of it that is asked for, or the answer as JSON."""
        if view.form == "file" and isinstance(reply, Answered):
            if view.file not in reply.files:
                return _missing(None, None)
            named = {"content-disposition": f'attachment; filename="{view.file}"'}
            return Response(reply.files[view.file], media_type="application/octet-stream", headers=named)
        if view.form == "json":
            if isinstance(reply, Answered):
                return Response(reply.json, media_type="application/json")
            sentence = reply.sentence if isinstance(reply, Refused) else "nothing is asked; fill in a field"
            return JSONResponse({"error": sentence}, 422)
        return self._page(
            "answer.html.j2" if view.form == "part" else "door.html.j2",
            door=DOORS[view.path],
            texts=view.texts,
            reply=reply,
            kind=type(reply).__name__,
            address=view.address,
            commands=[] if question is None else [str(Command(each)) for each in question.commands],
            python="" if question is None else question.python,
        )

    def _page(self, template: str, status: int = 200, **parts: Any) -> Response:
        return HTMLResponse(page(template, doors=DOORS, files=[*self._files.places], **parts), status)

    def _asking(self, question: Question) -> _Asking:
        """Return the work on a question, which is begun if nobody has asked it."""
        key = self._key(question)
        asking = self._asked.get(key)
        if asking is None:
            asked = Asked(question.door.path, question.texts, dict(self._files.places))
            asking = self._asked[key] = _Asking()
            asking.task = asyncio.create_task(self._workers.ask(asked, asking.tell))
        self._asked.move_to_end(key)
        done = [each for each, asking in self._asked.items() if asking.task.done()]
        for each in done[: max(0, len(self._asked) - _MOST_ANSWERS_KEPT)]:
            del self._asked[each]
        return asking

    def _key(self, question: Question) -> tuple[str, str]:
        """Return what makes two questions the same: a file that has changed since is another one."""
        versions = [self._files.version(name) for name in question.about]
        return question.door.path, json.dumps([question.texts, versions], sort_keys=True)

    async def _cancel(self, request: Request) -> Response:
        form = await _form(request)
        address = form.get("address", [""])[0]
        path, _, query = address.removeprefix("/").partition("?")
        if path not in DOORS:
            return _missing(request, None)
        try:
            question = Question.of_texts(path, parse_qs(query))
        except DiscretionError as error:
            return JSONResponse({"error": str(error)}, 422)
        if (asking := self._asked.get(self._key(question))) is not None:
            asking.task.cancel()
        return RedirectResponse(f"/{path}", 303)

    async def _open(self, request: Request) -> Response:
        """Open a file by its path, or take one that the page sends."""
        sent = request.query_params.get("name")
        try:
            if sent is not None:
                name = await self._files.receive(sent, _content(request))
                return JSONResponse({"name": name})
            form = await _form(request)
            path = form.get("path", [""])[0].strip()
            if not path:
                raise InvalidValueError("name a file, such as people.csv, or choose one")
            door = form.get("door", ["table"])[0]
            name = await asyncio.to_thread(self._files.open, path)
        except ClientDisconnect:
            return Response(status_code=400)
        except DiscretionError as error:
            if sent is not None:
                return JSONResponse({"error": str(error)}, 413 if isinstance(error, TooLargeError) else 422)
            return self._page("home.html.j2", 422, problem=str(error))
        chosen = door if door in DOORS else "table"
        return RedirectResponse(f"/{chosen}?{urlencode({'about': name})}", 303)

    async def _charts(self, request: Request) -> Response:
        """Return what draws figures, out of the installed package."""
        from discretion.charts.embedded import library  # noqa: PLC0415 - Altair takes half a second

        return Response(await asyncio.to_thread(library), media_type="text/javascript")


async def _content(request: Request) -> AsyncIterable[bytes]:
    async for part in request.stream():
        yield part


async def _form(request: Request) -> Mapping[str, Sequence[str]]:
    """Return the fields of a form; one that is larger than any page's is not read to its end."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM:
            raise TooLargeError(f"a form has at most {MOST_FORM:,} bytes")
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


def _style(request: Request) -> Response:
    return Response(page_file("page.css") + file("site.css"), media_type="text/css")


def _script(request: Request) -> Response:
    return Response(page_file("page.js") + file("site.js"), media_type="text/javascript")


def _missing(_: Request | None, error: Exception | None) -> Response:
    return HTMLResponse(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Discretion: no such page</title>'
        '<h1>There is no such page</h1><p><a href="/">All doors</a></p></html>',
        getattr(error, "status_code", 404),
    )
