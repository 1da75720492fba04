"""Open the files that a user names: each once, by exactly its name, and without waiting."""

import os
import re
import stat
import tomllib
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from discretion.errors import InvalidTableError, InvalidValueError

PATTERNS = set("*?[]{}")
_LONGEST = 200  # characters of a path in a sentence
_LONGEST_TOML = 1_000_000  # bytes
# What is shown of the options of an address; any other may be a secret.
_SHOWN = ("table", "schema", "sslmode")
# The device and inode of each file opened so far, where they are recorded.
_files_read: ContextVar[set[tuple[int, int]] | None] = ContextVar("files read", default=None)
# The only files that may be opened, where not all may.
_allowed: ContextVar[frozenset[Path] | None] = ContextVar("files allowed", default=None)
# Everybody may open the examples in the package.
_OURS = Path(__file__).parent


@contextmanager
def recording_files_read() -> Generator[None]:
    """Record each file that is opened within the block, for any option, so that no output replaces it."""
    token = _files_read.set(set())
    try:
        yield
    finally:
        _files_read.reset(token)


@contextmanager
def only_these(paths: Iterable[str]) -> Generator[None]:
    """Allow only these files to be opened within the block, and the examples that come with the package.

    Each file is named by its real path: a path that has become a link since then is another file.
    """
    token = _allowed.set(frozenset(map(Path, paths)))
    try:
        yield
    finally:
        _allowed.reset(token)


def was_read(path: Path) -> bool:
    """Return whether this file was opened since the record began, by this name or another one."""
    read = _files_read.get()
    if not read:
        return False
    with suppress(OSError, ValueError):  # no such file
        status = path.stat()
        return (status.st_dev, status.st_ino) in read
    return False


@contextmanager
def opened(
    path: str | os.PathLike[str], what: str, error: type[InvalidValueError] = InvalidTableError
) -> Generator[BinaryIO]:
    """Open a regular file for reading; the ``name`` of the open file is the path as text.

    Parameters
    ----------
    path
        The path of the file: no pattern, no address, no ``~``.
    what
        The contents of the file in words, for the error message.
    error
        The type of the error if the file cannot be read.
    """
    try:
        file = _open(os.fspath(path))
    except (OSError, ValueError) as failure:
        raise error(f"cannot read {what} from {_shown(os.fspath(path))}: {_reason(failure)}") from None
    with file:
        yield file


def read_toml(path: str | os.PathLike[str], what: str) -> tuple[dict[str, Any], str]:
    """Return the contents of a TOML file, with its numbers as they are written, and its text.

    Raises
    ------
    InvalidValueError
        If there is no such file, or it is not TOML.
    """
    with opened(path, what, InvalidValueError) as file:
        content = file.read(_LONGEST_TOML + 1)
    if len(content) > _LONGEST_TOML:
        raise InvalidValueError(f"{what} has at most {_LONGEST_TOML:,} bytes, and {os.fspath(path)!r} has more")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        return tomllib.loads(text, parse_float=Decimal), text
    except UnicodeDecodeError:
        raise InvalidValueError(f"cannot read {what} from {os.fspath(path)!r}: it is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        reason = str(error) or "it is nested too deeply"
        raise InvalidValueError(f"cannot read {what} from {os.fspath(path)!r}: it is not TOML: {reason}") from None


def _open(path: str) -> BinaryIO:
    if "\0" in path:
        raise ValueError("no file has a NUL in its name")
    if any("\ud800" <= character <= "\udfff" for character in str(Path(path).absolute())):
        raise ValueError("its path is not in UTF-8; rename it")
    if (allowed := _allowed.get()) is not None:
        real = Path(os.path.realpath(path))
        if real not in allowed and _OURS not in real.parents:
            raise ValueError("it is not one of the files that were opened here")
    _check_regular(Path(path).stat())  # before opening it, which a device may notice
    file = open(path, "rb", opener=_at_once)  # noqa: SIM115 - its name is to be text, and the caller closes it
    try:
        _check_regular(status := os.fstat(file.fileno()))
        if (read := _files_read.get()) is not None:
            read.add((status.st_dev, status.st_ino))
        if not os.fstat(file.fileno()).st_size and file.read(1):  # as those in /proc
            raise ValueError("it gives data but no size; write what it gives to a file first")
    except BaseException:
        file.close()
        raise
    return file


def place(file: BinaryIO) -> str:
    """Return a path that leads an engine to this open file and to no other, even if the name looks like a pattern."""
    handle = f"/dev/fd/{file.fileno()}"
    if Path(handle).exists():
        return handle
    path = Path(file.name).absolute().as_posix()
    if PATTERNS & set(path):
        raise InvalidValueError(
            f"{file.name!r} could be read as a pattern on this system; rename the file or its folder"
        )
    return path


@contextmanager
def for_arrow(file: BinaryIO) -> Generator[Any]:
    """Open a file in Arrow, to read from its start.

    If Arrow read through Python's file object, its threads would call Python, and would crash a process that is about
    to end. If Arrow opened the path by itself, it would close the file late, and print a line if closing fails.
    """
    arrow: Any = import_module("pyarrow")  # a tenth of a second
    content = arrow.OSFile(place(file))
    try:
        content.seek(0)  # on some systems it is where Python left it
        yield content
    finally:
        with suppress(OSError):  # what was read was read
            content.close()


def _check_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ValueError("it is a folder; name one file")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file; write what it gives to one first")


def _at_once(path: str, flags: int) -> int:
    """Open without waiting: a pipe may have replaced the file just now."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def without_password(text: str) -> str:
    """Return a text without the password of an address in it, which stands between ``scheme://user:`` and ``@``.

    Examples
    --------
    >>> without_password("postgres://ada:secret@localhost/clinic?table=people&password=x")
    'postgres://ada@localhost/clinic?table=people'
    """
    if not (address := re.fullmatch(r"([A-Za-z][\w+.-]*:/{1,2})(.*)", text, re.DOTALL)):
        return text
    place, asks, options = address[2].partition("?")
    if "@" in options and "@" not in place:  # an unescaped question mark in a password
        place, asks, options = address[2].rpartition("?")
    user, at, host = place.rpartition("@")
    shown = "&".join(option for option in options.split("&") if option.partition("=")[0] in _SHOWN)
    return address[1] + user.partition(":")[0] + at + host + (asks + shown if shown else "")


def _shown(path: str) -> str:
    path = without_password(path)
    return repr(path) if len(path) <= _LONGEST else f"…{path[-_LONGEST:]!r}"


def _reason(failure: Exception) -> str:
    if isinstance(failure, FileNotFoundError):
        return "there is no such file on this machine"
    return (failure.strerror or str(failure)).lower() if isinstance(failure, OSError) else str(failure)
