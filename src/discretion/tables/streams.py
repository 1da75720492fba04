"""Streams that cannot be read twice, as temporary files without a name."""

import codecs
import gzip
import io
import os
import re
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
_WIDE = ("utf-16", "utf-32")  # whose letters are none of UTF-8, although their bytes may be
_ONLY_CONTROLS = re.compile("[\x80-\x9f]")


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
def in_utf8(file: BinaryIO, encoding: str | None) -> Generator[BinaryIO]:
    """Give a file of text in UTF-8, under its name: the file itself if it is UTF-8, or if nothing else is named.

    Raises
    ------
    InvalidTableError
        If it is neither UTF-8 nor in the encoding.
    """
    if encoding is None or (not encoding.startswith(_WIDE) and _is_utf8(file)):
        yield file
        return
    file.seek(0)
    text = io.TextIOWrapper(file, encoding, newline="")
    try:
        with _spool(_Encoded(text, file.name), file.name) as whole:
            yield whole
    finally:
        text.detach()


class _Encoded:
    """A text as the bytes of UTF-8, to be read."""

    def __init__(self, text: io.TextIOWrapper, name: str) -> None:
        self._text, self._name = text, name
        self._is_latin = text.encoding == "iso8859-1"

    def read(self, size: int) -> bytes:
        try:
            text = self._text.read(size)
            content = text.encode()
        except UnicodeError:
            raise InvalidTableError(
                f"{self._name} is not UTF-8 text, nor {self._text.encoding}; name its encoding (--encoding, encoding=)"
            ) from None
        if self._is_latin and _ONLY_CONTROLS.search(text):
            raise InvalidTableError(
                f"{self._name} has characters that are none in latin-1; use --encoding cp1252 (encoding=), as Windows "
                "writes it"
            )
        return content


def _is_utf8(file: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    file.seek(0)
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    finally:
        file.seek(0)
    return True


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
def _spool(content: BinaryIO | gzip.GzipFile | _Encoded, name: str) -> Generator[BinaryIO]:
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
