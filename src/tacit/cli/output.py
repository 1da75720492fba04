"""What commands print: one JSON object, or text; and how long they have been at it."""

import json
import math
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from threading import Event, Thread
from typing import Any, TextIO, cast

from tacit.errors import InvalidValueError
from tacit.estimate import Estimate
from tacit.printable import printable

SCHEMA_VERSION = 1


def print_json(command: str, inputs: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """Print the object that every command's --json prints."""
    answer = {"schema_version": SCHEMA_VERSION, "command": command, "inputs": inputs, "results": results}
    # In ASCII, whatever stdout's encoding: nothing in it can fail to be written, or steers a terminal.
    text = json.dumps(_jsonable(answer), indent=2, allow_nan=False).replace("\x7f", "\\u007f")
    sys.stdout.write(text + "\n")


class Progress:
    """Says on a terminal's stderr what is being worked on, and for how long, once a second has passed."""

    _PERIOD = 1.0

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._what = ""
        self._shown = False
        self._ended = Event()
        self._clock: Thread | None = None

    def __call__(self, what: str) -> None:
        """Say it."""
        self._what = what
        if self._clock is None and sys.stderr is not None and sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison] - it may be closed
            self._clock = Thread(target=self._tick, args=(sys.stderr,), daemon=True)
            self._clock.start()

    def done(self) -> None:
        """Wipe the line."""
        self._ended.set()
        if self._clock is not None:
            self._clock.join()
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            self._shown = False

    def _tick(self, terminal: TextIO) -> None:
        while not self._ended.wait(self._PERIOD):
            self._shown = True
            with suppress(OSError, ValueError):  # a terminal that has gone is no reason to stop
                terminal.write(f"\r\x1b[2K{self._said()}")
                terminal.flush()

    def _said(self) -> str:
        """Return it in one line of the terminal: what wraps could not be wiped."""
        from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 - answers in JSON need no rich

        passed = f" … {time.monotonic() - self._start:.0f} s"
        room, said = max(shutil.get_terminal_size().columns - len(passed) - 1, 0), printable(self._what)
        return set_cell_size(said, min(cell_len(said), room)) + passed


def check_share(value: float | None, name: str) -> None:
    """Refuse a share of the people that is not in [0, 1]."""
    if value is not None and not 0 <= value <= 1:
        raise InvalidValueError(f"{name} is a share of the people, in [0, 1], got {value!r}")


def check_not_an_input(output: str | None, *inputs: str | Path) -> None:
    """Refuse to write over a file that is read, by whatever name, or into a folder that is."""
    for given in inputs:
        if output is not None and _lies_in(output, given):
            what = "lies in the folder" if Path(given).is_dir() else "is the file"
            raise InvalidValueError(f"cannot write {output}: it {what} that is read; name another place")


def _lies_in(path: str, given: str | Path) -> bool:
    with suppress(OSError, ValueError):  # whoever reads or writes it says what is wrong with the path
        target, read = Path(path).resolve(), Path(given)
        places = set(_files((target, *target.parents)))
        # What is linked into a folder is read with it.
        return any(file in places for file in _files(chain((read,), read.rglob("*"))))
    return False


def _files(paths: Iterable[Path]) -> Iterator[tuple[int, int]]:
    """Yield which files and folders are there by these names."""
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            yield status.st_dev, status.st_ino


def _jsonable(value: Any) -> Any:
    """Return the value with Estimates as objects and non-finite numbers as the strings that stand for them."""
    if isinstance(value, Estimate):
        return _jsonable(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in cast(Mapping[object, Any], value).items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in cast(list[Any], value)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
