"""What answers a question in a process of its own: it runs the job, and sends back parts of pages."""

import json
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from html import escape
from multiprocessing.connection import Connection
from typing import Any

from discretion.errors import DiscretionError, InvalidValueError
from discretion.escaping import printable
from discretion.input_files import only_these
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.tables import TableOptions
from discretion.web.doors import Question, Texts
from discretion.web.elsewhere import Elsewhere
from discretion.web.open_tables import OpenTables

# What a process takes at most, in memory beside its libraries (less, where there is less for all of them), and in
# elementary steps of one algorithm.
_MOST_BYTES = 1 << 33
_MOST_OPERATIONS = 1 << 40


@dataclass(frozen=True)
class Asked:
    """A question as a process is asked it.

    Parameters
    ----------
    path
        The door.
    texts
        The fields.
    files
        The files that were opened here, by the names that addresses call them by.
    paths
        What commands on this machine call those of them that were not sent.
    """

    path: str
    texts: Texts
    files: Mapping[str, str]
    paths: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Answered:
    """An answer: a part of a page, the same as JSON, and where else to ask for it."""

    title: str
    markup: str
    json: str
    elsewhere: Elsewhere


@dataclass(frozen=True)
class Refused:
    """The sentence that a question ended in."""

    sentence: str


@dataclass(frozen=True)
class Step:
    """What is being done now."""

    what: str


Reply = Answered | Refused | Step


class _Telling(Monitor):
    def __init__(self, connection: "Connection[Any, Any]") -> None:
        self._connection = connection

    @contextmanager
    def step(self, what: str) -> Generator[None]:
        self._connection.send(Step(what))
        yield


def serve_questions(connection: "Connection[Any, Any]", folder: str) -> None:
    """Answer one question after another until the other end is closed.

    Parameters
    ----------
    connection
        Where questions come from, and steps and answers go to.
    folder
        What goes with the server.
    """
    threading.Thread(target=_end_with_the_server, args=(folder,), daemon=True).start()
    with suppress(OSError):
        os.nice(5)  # the pages answer first
    _load()
    tables = OpenTables()
    with suppress(EOFError, OSError):
        while True:
            asked = connection.recv()
            connection.send(answered(asked, _Telling(connection), tables))


def _end_with_the_server(folder: str) -> None:
    """End when the server is gone, in the middle of a question too; if it was killed, it could not clean up."""
    server = multiprocessing.parent_process()
    assert server is not None
    server.join()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _load() -> None:
    """Load what most answers take, while nobody waits for it."""
    from importlib import import_module  # noqa: PLC0415

    jobs = ("columns", "design", "measure")
    for name in (*(f"discretion.jobs.{job}" for job in jobs), "discretion.charts.embedded", "altair"):
        import_module(name)


def answered(asked: Asked, monitor: Monitor, tables: OpenTables) -> Reply:
    """Return the answer to a question, or the sentence that it ended in."""
    from discretion import limits  # noqa: PLC0415
    from discretion.memory import available_memory  # noqa: PLC0415
    from discretion.presenting.json_answers import answer  # noqa: PLC0415
    from discretion.presenting.views.page import to_fragment  # noqa: PLC0415

    try:
        asked_about = Question.of_texts(asked.path, asked.texts)
        question = replace(
            asked_about, about=tuple(_place(asked_about, name, asked.files) for name in asked_about.about)
        )
        memory = max(1, min(_MOST_BYTES, available_memory() // 2))
        lowered = limits.Limits(bytes=memory, operations=_MOST_OPERATIONS)
        with limits.within(lowered), only_these(asked.files.values()):
            if question.door.keeps_table:
                assert isinstance(question.options, TableOptions)
                with monitor.step("reading the table"):
                    question = replace(question, about=tuple(map(tables.opener(question.options), question.about)))
            result = question.answer(monitor)
            document = result.document()
            inputs = {**({"about": asked.texts["about"]} if question.about else {}), **question.asked.inputs()}
            whole = answer(question.door.command, inputs, result.to_dict())
            return Answered(
                _without_places(document.title, asked.files, str),
                _without_places(to_fragment(document), asked.files, _in_markup),
                _without_places(whole, asked.files, _in_json),
                Elsewhere.of(asked_about, asked.paths, result),
            )
    except DiscretionError as error:
        return Refused(_without_places(str(error), asked.files, str))
    except (OSError, OverflowError, RecursionError, UnicodeError, MemoryError) as error:
        return Refused(f"this cannot be read, written or held: {type(error).__name__}")
    except Exception as error:
        # Not what it says: the words of a library may quote a value of the table.
        return Refused(f"internal error ({type(error).__name__}); please report it with what you asked")


def _place(question: Question, name: str, files: Mapping[str, str]) -> str:
    """Return what the job is given for what a question is about: of a file that was opened here, its place."""
    if not any(field.file for field in question.door.fields):
        return name
    if name not in files:
        raise InvalidValueError(f"{name[:100]!r} is not open here; open it on the first page, and come back")
    return files[name]


def _without_places(text: str, files: Mapping[str, str], spelled: Callable[[str], str]) -> str:
    """Return a text that calls files as pages do: where one that was sent is means nothing to its reader."""
    for name, place in files.items():
        text = text.replace(spelled(place), spelled(name))
    return text


def _in_markup(text: str) -> str:
    return escape(printable(text))


def _in_json(text: str) -> str:
    return json.dumps(text)[1:-1]
