"""The files that were opened here, by a path that the reader named or sent by the page; addresses have their names."""

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
    """Return another text when the file at a place has changed; none of an example, or where there is no file."""
    try:
        status = os.stat(place)  # noqa: PTH116 - as a path, no place at all would be a folder
    except OSError:
        return ""
    return f"{status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns}"


class OpenFiles:
    """The files that were opened, by name.

    What a page sends is written to a folder that nobody else can read, and which is gone at the end.
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
        """What a command on this machine calls each file: its path, if it was not sent."""
        return {name: place for name, place in self._places.items() if not place.startswith(self.folder + os.sep)}

    def open(self, path: str) -> str:
        """Return the name by which a file on this machine, or the example, is called from now on.

        Raises
        ------
        InvalidTableError, TooLargeError
            If it cannot be read, or too many are open.
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
        """Return the name of a file that a page sends, once all of it is there.

        Parameters
        ----------
        name
            What the page calls it.
        declared
            How many bytes the page announces; 0 if it does not.
        content
            What comes.

        Raises
        ------
        TooLargeError
            If it is larger than what is taken, or too many are open.
        """
        self._check_room()
        _check_size(declared)
        # Its suffix says how it is read; the rest of a name is the page's.
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
        """Return what a file of this name is as it is now: another text when it has changed."""
        return file_state(self._places.get(name, ""))

    def end(self) -> None:
        """Destroy what was sent."""
        self._kept.cleanup()

    def _called(self, place: str, name: str) -> str:
        """Give a file a name that no other one has: its own, or with a number."""
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
            raise TooLargeError(f"{MOST_OPEN} files are open, and that is the most; start discretion serve anew")


def _check_size(size: int) -> None:
    if size > MOST_SENT:
        raise TooLargeError(f"a page may send {MOST_SENT >> 20:,} MiB, and the file is larger; open it by its path")
