"""Answer questions in a separate process, which runs the jobs and sends back parts of pages."""

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

# The most that a process may take: memory in addition to its libraries (less if the machine has less for all of them),
# and elementary steps of one algorithm.
_MOST_BYTES = 1 << 33
_MOST_OPERATIONS = 1 << 40


@dataclass(frozen=True)
class Asked:
    """A question as it is sent to a process.

    Parameters
    ----------
    path
        The path of the door.
    texts
        The texts of the fields.
    files
        The places of the open files, by their names in addresses.
    paths
        The paths of the open files that were not sent by the page, by the same names, for commands on this machine.
    """

    path: str
    texts: Texts
    files: Mapping[str, str]
    paths: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Answered:
    """An answer: a part of a page, the same as JSON, and other places to ask the question."""

    title: str
    markup: str
    json: str
    elsewhere: Elsewhere


@dataclass(frozen=True)
class Refused:
    """The error sentence with which a question ended."""

    sentence: str


@dataclass(frozen=True)
class Step:
    """The current step of the work."""

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
        The connection on which questions arrive, and steps and answers are sent.
    folder
        The folder of temporary files, which is deleted when the server ends.
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
    """End when the server is gone, even in the middle of a question, and delete its folder if it was killed."""
    server = multiprocessing.parent_process()
    assert server is not None
    server.join()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _load() -> None:
    """Load the modules that most answers need, while nobody waits."""
    from importlib import import_module  # noqa: PLC0415

    jobs = ("columns", "design", "measure")
    for name in (*(f"discretion.jobs.{job}" for job in jobs), "discretion.charts.embedded", "altair"):
        import_module(name)


def answered(asked: Asked, monitor: Monitor, tables: OpenTables) -> Reply:
    """Return the answer to a question, or the error sentence with which it ended."""
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
        # Without the message: that of a library may quote a value of the table.
        return Refused(f"internal error ({type(error).__name__}); please report it with what you asked")


def _place(question: Question, name: str, files: Mapping[str, str]) -> str:
    """Return the argument of the job for the subject of a question: for an open file, its place on this machine."""
    if not any(field.file for field in question.door.fields):
        return name
    if name not in files:
        raise InvalidValueError(f"{name[:100]!r} is not open here; open it on the first page, and ask again")
    return files[name]


def _without_places(text: str, files: Mapping[str, str], spelled: Callable[[str], str]) -> str:
    """Return a text with the names of open files in place of their places, which mean nothing to a reader."""
    for name, place in files.items():
        text = text.replace(spelled(place), spelled(name))
    return text


def _in_markup(text: str) -> str:
    return escape(printable(text))


def _in_json(text: str) -> str:
    return json.dumps(text)[1:-1]
