"""The pages: a home with its doors, a form and its answer for each door, the open files, and the papers."""

import asyncio
import json
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from discretion.errors import DiscretionError, InvalidValueError, TooLargeError
from discretion.jobs.options.column_roles import ROLES
from discretion.presenting.views.page import page_file
from discretion.web.answering import Answered, Asked, Refused
from discretion.web.doors import DOORS, Field, Question, Texts, settled
from discretion.web.elsewhere import Elsewhere
from discretion.web.files import OpenFiles
from discretion.web.guarding import MOST_FORM
from discretion.web.pages import file, page
from discretion.web.workers import Workers

# Answers that are kept, so that back, forward and JSON are at once.
_MOST_ANSWERS_KEPT = 100
_LISTED = {path: door for path, door in DOORS.items() if door.is_listed}
# The doors whose forms choose what the columns of a table are for.
_OF_COLUMNS = ("table", "columns")
_Form = Literal["page", "part", "json", "file"]
_CANCELLED = Refused("the question was canceled; ask it again if you need it")
# How long each form waits for the answer before it shows the progress, in seconds; JSON and files wait for ever.
_PATIENCE: Mapping[_Form, float | None] = {"page": 0.3, "part": 2.0, "json": None, "file": None}
# The work on a question of a script or a program ends this many seconds after its last request; a reader of a page may
# come back to it without a script.
SECONDS_UNSEEN = 20.0


@dataclass
class _Asking:
    """The running or finished work on a question."""

    step: str = "starting"
    task: "asyncio.Task[Answered | Refused]" = field(init=False)
    looks: int = 0
    is_given_up: bool = False
    end: asyncio.TimerHandle | None = None

    def tell(self, what: str) -> None:
        """Set the current step."""
        self.step = what

    async def look(self, seconds: float | None, gone: "asyncio.Task[None]", *, comes_back: bool) -> None:
        """Wait for the answer for this many seconds, or until the client is gone.

        If no client asks again for a while, the work ends; unless the client ``comes_back``, which may be at any time.
        """
        if self.end is not None:
            self.end.cancel()
        self.looks += 1
        try:
            await asyncio.wait([self.task, gone], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.looks -= 1
            if not comes_back and not self.looks and not self.task.done():
                self.end = asyncio.get_running_loop().call_later(SECONDS_UNSEEN, self._give_up_unseen)

    def give_up(self) -> None:
        """End the work; a client that asks again starts it again."""
        self.is_given_up = True
        self.task.cancel()

    def _give_up_unseen(self) -> None:
        if not self.looks:
            self.give_up()


@dataclass(frozen=True)
class _View:
    """The parts of a requested address: a door, the texts of its fields, and the form of the answer."""

    path: str
    texts: Texts
    form: _Form
    file: str
    refusal: int = 422

    @classmethod
    def of(cls, path: str, query: str, request: Request) -> "_View":
        texts: dict[str, list[str]] = parse_qs(query, keep_blank_values=True)
        as_json = texts.pop("format", [""])[-1] == "json" or "application/json" in request.headers.get("accept", "")
        as_part = request.headers.get("x-part") == "answer"
        file = texts.pop("file", [""])[-1]
        form: _Form = "json" if as_json else "file" if file else "part" if as_part else "page"
        return cls(path, texts, form, file, _status_of_refusal(request))

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"/{self.path}?{urlencode(self.texts, doseq=True)}"

    @property
    def shown_address(self) -> str:
        """The requested address: of the page, or of its JSON."""
        return self.address + ("&format=json" if self.form == "json" else "")


@dataclass(frozen=True)
class _Shown:
    """A question as a page shows it: its address, its answer or progress, and other places to ask it."""

    address: str
    reply: Answered | Refused | _Asking | None
    elsewhere: Elsewhere | None = None

    @property
    def kind(self) -> str:
        """The type of the reply: an answer, an error, running work or nothing."""
        return type(self.reply).__name__


class Pages:
    """The pages of one server."""

    def __init__(self, files: OpenFiles) -> None:
        self._files, self._workers = files, Workers(files.folder)
        # New at every start, so that a browser may keep what stands there until the server ends, and no longer.
        self._charts_address = f"/charts.js?{secrets.token_hex(4)}"
        self._asked: OrderedDict[tuple[str, ...], _Asking] = OrderedDict()

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
                Route("/release", self._write, methods=["POST"]),
                Route("/{door}", self._door),
            ],
            exception_handlers={404: self._missing, 405: self._missing},
            lifespan=self._working,
        )

    @asynccontextmanager
    async def _working(self, _: Starlette) -> AsyncGenerator[None]:
        self._workers.prepare()
        try:
            yield
        finally:
            self._files.end()
            asked = [asking.task for asking in self._asked.values()]
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
            self._workers.end()

    async def _home(self, request: Request) -> Response:
        return self._page("home.html.j2", problem="")

    async def _door(self, request: Request) -> Response:
        path = request.path_params["door"]
        if path not in DOORS:
            return await self._missing(request, None)
        view = _View.of(path, request.url.query, request)
        try:
            if view.path in _OF_COLUMNS and (texts := settled(view.texts)) is not None:
                return RedirectResponse(replace(view, texts=texts).shown_address, 303)
            question = Question.of_texts(view.path, view.texts)
        except DiscretionError as error:
            return self._shown(view, _Shown(view.address, Refused(str(error))))
        return await self._answered(view, question, request)

    async def _answered(self, view: "_View", question: Question, request: Request) -> Response:
        """Return the answer to a question in the requested form, or its progress."""
        if view.path == "columns" and view.form == "page":  # it stands on the table's page
            return RedirectResponse(replace(view, path="table").address, 303)
        if question.is_empty:
            nothing = _Shown(view.address, Refused("nothing is asked; fill in a field"))
            return self._shown(view, nothing if view.texts else None)
        columns = None
        if view.path == "table" and view.form == "page":
            of_columns = Question.of_texts("columns", view.texts)
            columns = await self._reply(replace(view, path="columns"), of_columns, request)
        shown = await self._reply(view, question, request)
        if view.form == "part" and isinstance(shown.reply, _Asking):
            return Response(shown.reply.step, 202, media_type="text/plain")
        return self._shown(view, shown, columns)

    async def _reply(self, view: "_View", question: Question, request: Request) -> "_Shown":
        """Return the answer to a question, or its progress after a while; a job that writes a file is not started."""
        asking = self._asked.get(self._key(question)) if question.door.writes else self._asking(question)
        if asking is None:
            return _Shown(view.address, None, Elsewhere.of(question, self._files.paths))
        gone = asyncio.create_task(_gone(request))
        try:
            comes_back = question.door.writes or view.form == "page"
            await asking.look(_PATIENCE[view.form], gone, comes_back=comes_back)
        finally:
            gone.cancel()
        reply = asking if not asking.task.done() else _CANCELLED if asking.task.cancelled() else asking.task.result()
        if isinstance(reply, Refused) and not question.door.writes:  # asked again: a file may be open by then
            self._asked.pop(self._key(question), None)
        elsewhere = reply.elsewhere if isinstance(reply, Answered) else Elsewhere.of(question, self._files.paths)
        return _Shown(view.address, reply, elsewhere)

    async def _write(self, request: Request) -> Response:
        """Start to write a file, and redirect to the address that shows its result."""
        texts = parse_qs(request.url.query)
        out = (await _form(request)).get("out", [""])[0].strip()
        texts["out"] = [str(Path(out).expanduser().absolute())] if out else []
        view = _View("release", texts, "page", "", _status_of_refusal(request))
        try:
            question = Question.of_texts(view.path, view.texts)
            if not question.options.texts().get("out"):
                raise InvalidValueError("name a new file to write, such as published.parquet")
        except DiscretionError as error:
            return self._shown(view, _Shown(view.address, Refused(str(error))))
        written = self._asked.get(self._key(question))
        if written is not None and written.task.done():
            del self._asked[self._key(question)]
        self._asking(question)
        return RedirectResponse(view.address, 303)

    def _shown(self, view: "_View", shown: "_Shown | None", columns: "_Shown | None" = None) -> Response:
        """Return a door's page, the requested part of it, or the answer as JSON."""
        reply = None if shown is None else shown.reply
        if view.form == "file" and isinstance(reply, Answered):
            named = {"content-disposition": f'attachment; filename="{view.file}"'}
            if (content := reply.elsewhere.files.get(view.file)) is None:
                return HTMLResponse("There is no such file.", 404)
            return Response(content, media_type="application/octet-stream", headers=named)
        if view.form == "json":
            if isinstance(reply, Answered):
                return Response(reply.json, media_type="application/json")
            sentence = reply.sentence if isinstance(reply, Refused) else "nothing is asked; fill in a field"
            return JSONResponse({"error": sentence}, 422)
        part = "columns.html.j2" if view.path == "columns" else "answer.html.j2"
        return self._page(
            part if view.form == "part" else "release.html.j2" if view.path == "release" else "door.html.j2",
            view.refusal if isinstance(reply, Refused) and reply is not _CANCELLED else 200,
            door=DOORS[view.path],
            texts=view.texts,
            shown=shown,
            wrong=_wrong(view.path, reply),
            columns=shown if view.path == "columns" else columns,
            roles=ROLES,
        )

    def _page(self, template: str, status: int = 200, **parts: Any) -> Response:
        given = {"doors": _LISTED, "files": [*self._files.places], "charts": self._charts_address}
        return HTMLResponse(page(template, **given, **parts), status)

    def _key(self, question: Question) -> tuple[str, ...]:
        """Return the key that identifies a question: its texts, and the current state of its files."""
        files = [self._files.version(name) for name in question.about]
        return question.door.path, json.dumps(question.asked_texts, sort_keys=True), *files

    def _asking(self, question: Question) -> _Asking:
        """Return the work on a question; start it if there is none."""
        key = self._key(question)
        asking = self._asked.get(key)
        if asking is None or asking.is_given_up:
            asked = Asked(question.door.path, question.asked_texts, dict(self._files.places), self._files.paths)
            asking = self._asked[key] = _Asking()
            asking.task = asyncio.create_task(self._workers.ask(asked, asking.tell))
        self._asked.move_to_end(key)
        done = [each for each, asking in self._asked.items() if asking.task.done()]
        for each in done[: max(0, len(self._asked) - _MOST_ANSWERS_KEPT)]:
            del self._asked[each]
        return asking

    async def _cancel(self, request: Request) -> Response:
        form = await _form(request)
        address = form.get("address", [""])[0]
        path, _, query = address.removeprefix("/").partition("?")
        if path not in DOORS:
            return await self._missing(request, None)
        view = _View.of(path, query, request)
        try:
            question = Question.of_texts(path, view.texts)
        except DiscretionError as error:
            return JSONResponse({"error": str(error)}, 422)
        if (asking := self._asked.get(self._key(question))) is not None:
            asking.give_up()
        return self._shown(view, _Shown(view.address, _CANCELLED))

    async def _open(self, request: Request) -> Response:
        """Open a file by its path, or receive one that the page sends."""
        sent = request.query_params.get("name")
        try:
            if sent is not None:
                declared = int(request.headers.get("content-length", 0))
                name = await self._files.receive(sent, declared, _content(request))
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
                refusal = _status_of_refusal(request)
                status = 413 if refusal != 200 and isinstance(error, TooLargeError) else refusal
                return JSONResponse({"error": str(error)}, status)
            return self._page("home.html.j2", _status_of_refusal(request), problem=str(error))
        chosen = door if door in DOORS else "table"
        return RedirectResponse(f"/{chosen}?{urlencode({'about': name})}", 303)

    async def _charts(self, request: Request) -> Response:
        """Return the script that draws figures, from the installed package; it contains no data of a table."""
        from discretion.charts.embedded import library  # noqa: PLC0415 - Altair takes half a second

        kept = {"cache-control": "private, max-age=86400, immutable"}
        return Response(await asyncio.to_thread(library), headers=kept, media_type="text/javascript")

    async def _missing(self, request: Request, error: Exception | None) -> Response:
        problem = "There is no such page; choose one of these."
        return self._page("home.html.j2", getattr(error, "status_code", 404), problem=problem)


def _status_of_refusal(request: Request) -> int:
    """Return 200 for a browser, which shows the sentence and would only log another status; 422 otherwise."""
    is_read = "x-part" in request.headers or "text/html" in request.headers.get("accept", "")
    return 200 if is_read else 422


async def _gone(request: Request) -> None:
    """Wait until the client has closed the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _content(request: Request) -> AsyncIterable[bytes]:
    async for part in request.stream():
        yield part


async def _form(request: Request) -> Mapping[str, Sequence[str]]:
    """Return the fields of a form; a form that is larger than any page's is not read to its end."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM:
            raise HTTPException(413, f"a form has at most {MOST_FORM:,} bytes")
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


def _wrong(path: str, reply: Answered | Refused | _Asking | None) -> Field | None:
    """Return the field whose name is the first word of an error sentence."""
    if not isinstance(reply, Refused):
        return None
    begins = reply.sentence.partition(" ")[0].removeprefix("--").replace("-", "_")
    return next((field for field in DOORS[path].all_fields if field.name == begins), None)


def _style(request: Request) -> Response:
    return Response(page_file("page.css") + file("site.css"), media_type="text/css")


def _script(request: Request) -> Response:
    return Response(file("site.js") + page_file("page.js") + file("table.js"), media_type="text/javascript")
