"""The open files: opened by a path on this machine, or sent by the page; addresses use their names."""

import os
import re
import tempfile
from collections.abc import AsyncIterable
from pathlib import Path
from types import MappingProxyType

from discretion.errors import InvalidValueError, TooLargeError
from discretion.escaping import printable
from discretion.input_files import opened

# Bytes of a file that a page sends, and files that are open.
MOST_SENT = 1 << 30
MOST_OPEN = 100
_EXAMPLE = "example:adult"


def file_state(place: str) -> str:
    """Return a text that changes when the file at a place changes; an empty text for an example or a missing file."""
    try:
        status = os.stat(place)  # noqa: PTH116 - as a path, no place at all would be a folder
    except OSError:
        return ""
    return f"{status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns}"


class OpenFiles:
    """The open files, by name.

    Files that a page sends are written to a folder that no other user can read. The folder is deleted at the end.
    """

    def __init__(self) -> None:
        self._places: dict[str, str] = {_EXAMPLE: _EXAMPLE}
        self._kept = tempfile.TemporaryDirectory(prefix="discretion-", ignore_cleanup_errors=True)
        self.folder = str(Path(self._kept.name).resolve())

    @property
    def places(self) -> MappingProxyType[str, str]:
        """Where each file is, by its name."""
        return MappingProxyType(self._places)

    @property
    def paths(self) -> dict[str, str]:
        """The path of each open file that was not sent by a page, by its name."""
        return {name: place for name, place in self._places.items() if not place.startswith(self.folder + os.sep)}

    def open(self, path: str) -> str:
        """Open a file on this machine, or the example, and return its name for addresses.

        Raises
        ------
        InvalidTableError, TooLargeError
            If the file cannot be read, or too many files are open.
        """
        if path == _EXAMPLE:
            return path
        try:
            whole = str(Path(path).expanduser())
        except RuntimeError:  # ~ of nobody
            whole = path
        with opened(whole, "a table"):
            pass
        # Where it is really: what a link on the way leads to later was not opened.
        real = os.path.realpath(whole)
        for name, place in self._places.items():
            if place == real:
                return name
        return self._called(real, whole)

    async def receive(self, name: str, declared: int, content: AsyncIterable[bytes]) -> str:
        """Receive a file that a page sends, and return its name for addresses once it is complete.

        Parameters
        ----------
        name
            The name of the file on the page.
        declared
            The number of bytes that the page announces; 0 if it announces none.
        content
            The bytes of the file, in parts.

        Raises
        ------
        TooLargeError
            If the file is larger than allowed, or too many files are open.
        """
        self._check_room()
        _check_size(declared)
        # Its suffix decides how it is read; the rest of a name is the page's.
        suffix = re.sub(r"[^A-Za-z0-9.]", "", "".join(Path(name.replace("\\", "/")).suffixes[-2:]))[-20:]
        handle, place = tempfile.mkstemp(suffix=suffix, dir=self.folder)  # for us only: mode 600
        size = 0
        try:
            with os.fdopen(handle, "wb") as file:
                async for part in content:
                    size += len(part)
                    _check_size(size)
                    file.write(part)
            if not size:
                raise InvalidValueError("the file is empty; choose one with a header and rows")
        except BaseException:
            Path(place).unlink(missing_ok=True)
            raise
        return self._called(place, name)

    def version(self, name: str) -> str:
        """Return a text that changes when the file of this name changes."""
        return file_state(self._places.get(name, ""))

    def end(self) -> None:
        """Destroy the files that were sent."""
        self._kept.cleanup()

    def _called(self, place: str, name: str) -> str:
        """Register a file under a unique name, its own or with a number, and return this name."""
        self._check_room()
        own = printable(Path(name.replace("\\", "/")).name)[:100] or "table"
        stem, dot, suffix = own.rpartition(".")
        tried, number = own, 1
        while tried in self._places:
            number += 1
            tried = f"{stem}-{number}{dot}{suffix}" if dot else f"{own}-{number}"
        self._places[tried] = place
        return tried

    def _check_room(self) -> None:
        if len(self._places) >= MOST_OPEN:
            raise TooLargeError(f"at most {MOST_OPEN} files may be open; restart discretion serve to close them")


def _check_size(size: int) -> None:
    if size > MOST_SENT:
        raise TooLargeError(f"a page may send {MOST_SENT >> 20:,} MiB, and the file is larger; open it by its path")
