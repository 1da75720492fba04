"""What commands print: one JSON object, or text; and files written whole or not at all."""

import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Any, TextIO, cast

from tacit.errors import InvalidValueError
from tacit.estimate import Estimate

SCHEMA_VERSION = 1


def print_json(command: str, inputs: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """Print the object that every command's --json prints."""
    answer = {"schema_version": SCHEMA_VERSION, "command": command, "inputs": inputs, "results": results}
    sys.stdout.write(json.dumps(_jsonable(answer), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def written_whole(path: str) -> Generator[list[str | bytes]]:
    """Give a list for the file's contents, text or bytes, and put the file in its place only when all went well.

    The temporary file is made first, so that an unwritable place is refused before any work.
    """
    try:
        target = Path(path).resolve()
        _check_target(target, path)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:32]}.", suffix=".part")
    except OSError as error:
        raise InvalidValueError(f"cannot write {path}: {_reason(error)}; name a file in a writable folder") from None
    try:
        with os.fdopen(handle, "wb") as file:
            contents: list[str | bytes] = []
            yield contents
            file.writelines(part.encode() if isinstance(part, str) else part for part in contents)
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except OSError as error:
        raise InvalidValueError(f"cannot write {path}: {_reason(error)}") from None
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def folder_written_whole(folder: str, names: Iterable[str]) -> Generator[dict[str, list[str | bytes]]]:
    """Give for each name a list for that file's contents, and put the files in the folder only when all went well."""
    made = _make_folder(folder)
    try:
        with ExitStack() as stack:
            yield {name: stack.enter_context(written_whole(str(Path(folder, name)))) for name in names}
    except BaseException:
        with suppress(OSError):  # it may hold something by now
            for path in made:
                path.rmdir()
        raise


def _make_folder(folder: str) -> list[Path]:
    """Make the folder with those above it, and return those that were missing, the innermost first."""
    target = Path(folder).absolute()
    try:
        missing = [path for path in (target, *target.parents) if not path.exists()]
        target.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InvalidValueError(f"cannot write into {folder}: it is not a folder; name another one") from None
    except OSError as error:
        raise InvalidValueError(f"cannot make the folder {folder}: {_reason(error)}; name a writable one") from None
    return missing


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
        if self._clock is None and sys.stderr.isatty():
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
                terminal.write(f"\r\x1b[2K{self._what} … {time.monotonic() - self._start:.0f} s")
                terminal.flush()


def _check_target(target: Path, path: str) -> None:
    if target.is_dir():
        raise InvalidValueError(f"cannot write {path}: it is a directory; name a file in it")
    if target.exists() and not target.is_file():
        raise InvalidValueError(f"cannot write {path}: it is not a regular file; name another one")


def _mode(target: Path) -> int:
    """Return the mode of the file that is replaced, or of a new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


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
        target = Path(path).resolve()
        return any(place.exists() and place.samefile(given) for place in (target, *target.parents))
    return False


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


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
