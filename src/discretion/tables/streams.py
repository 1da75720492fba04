"""Streams that cannot be read twice, as temporary files without a name."""

import gzip
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from discretion import limits
from discretion.errors import InvalidTableError, TooLargeError, UnsupportedError
from discretion.memory import said_size

# Bytes that are unpacked, or that arrive on standard input; and half of the disk.
MAX_BYTES_SPOOLED = 1 << 38

STANDARD_INPUT = ("-", "/dev/stdin")

_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"


@contextmanager
def unpack_gzip(file: BinaryIO) -> Generator[BinaryIO]:
    """Give what a gzip file holds, under the file's name.

    Raises
    ------
    InvalidTableError
        If it is cut short or damaged, or holds another gzip file.
    TooLargeError
        If it holds more than the limits or the disk allow.
    """
    file.seek(0)
    try:
        with gzip.GzipFile(fileobj=file) as content, _spool(content, file.name) as whole:
            if whole.read(len(_GZIP)) == _GZIP:
                raise InvalidTableError(f"{file.name} is a gzip file inside of a gzip file; unpack it once")
            whole.seek(0)
            yield whole
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InvalidTableError(f"{file.name} is not a gzip file, or is cut short or damaged") from None


@contextmanager
def standard_input() -> Generator[BinaryIO]:
    """Give what arrives on standard input until its end.

    Raises
    ------
    InvalidTableError
        If nothing can arrive there.
    TooLargeError
        If more arrives than the limits or the disk allow.
    """
    arriving: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    if arriving is None or sys.stdin.isatty():
        raise InvalidTableError("nothing arrives on standard input; send a CSV table there (… | discretion audit -)")
    with _spool(arriving, "standard input") as whole:
        yield whole


@contextmanager
def _spool(content: BinaryIO | gzip.GzipFile, name: str) -> Generator[BinaryIO]:
    room = min(limits.current().numbers(MAX_BYTES_SPOOLED, each=1), shutil.disk_usage(tempfile.gettempdir()).free // 2)
    with tempfile.TemporaryFile() as spool:
        size = 0
        while chunk := content.read(_CHUNK):
            size += len(chunk)
            if size > room:
                raise TooLargeError(
                    f"{name} holds more than {said_size(room)}, half of what is free in {tempfile.gettempdir()} or the "
                    "most that is unpacked; write it as Parquet, or name a folder with more room by TMPDIR"
                )
            spool.write(chunk)
        spool.flush()
        if not Path(f"/dev/fd/{spool.fileno()}").exists():
            raise UnsupportedError(f"this system cannot open a file twice that has no name; write {name} to one first")

        def second(_: str, __: int) -> int:
            return os.dup(spool.fileno())

        with open(name, "rb", opener=second) as whole:  # by the name that people know it under
            whole.seek(0)
            yield whole
