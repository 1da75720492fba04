"""The shuffle: remove a layer from every message, drop those that do not open or are repeated, and reorder the rest.

Repeated messages are dropped before the layer is removed and after it: if a person's messages were there twice, they
would stand out together. Three passes through disk keep memory constant. The first pass puts each sealed message into
one of 256 files by a secret hash, and drops repeated ones. The second does the same with the opened messages. The third
orders the messages of each file by random numbers. The order depends on the bytes of the messages, the secret and the
system's randomness only, not on the senders or the time.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion.collection.parts.buckets import open_buckets, rows_of
from discretion.collection.parts.durable import keep_name
from discretion.collection.wire.sealing import SEAL_BYTES

# Messages that a process opens in a tenth of a second: long enough for a task, short enough for an even load.
AT_ONCE = 1 << 11


@dataclass(frozen=True)
class Shuffle:
    """The result of a shuffle.

    Parameters
    ----------
    messages
        The number of messages in the file.
    dropped
        The number of messages that did not open.
    repeated_sealed, repeated
        The numbers of messages that were equal to another one: before the layer was removed, and after.
    digest
        The SHA-256 of the file.
    """

    messages: int
    dropped: int
    repeated_sealed: int
    repeated: int
    digest: bytes


def shuffle_messages(
    messages: Iterable[bytes], width: int, opened: Callable[[Iterable[bytes]], Iterable[tuple[bytes, int]]], out: Path
) -> Shuffle:
    """Write the messages to a file, without their outer layer and in random order; whole or not at all.

    Parameters
    ----------
    messages
        Blocks of messages of ``width`` bytes each.
    opened
        A function that removes the layer, and yields blocks of opened messages with the number that did not open.
    out
        The file; its disk needs room for three times its size.
    """
    inner, dropped, repeated = width - SEAL_BYTES, 0, 0
    distinct = DistinctMessages(messages, width, out.parent)

    def in_new_order() -> Iterator[bytes]:
        nonlocal repeated
        for rows, more in files.drain():
            repeated += more
            yield in_random_order(rows).tobytes()

    with open_buckets(inner, out.parent) as files:
        for block, missing in opened(distinct):
            dropped += missing
            files.add(rows_of(block, inner))
        length, digest = write_file(in_new_order(), out)
    return Shuffle(length // inner, dropped, distinct.repeated, repeated, digest)


class DistinctMessages:
    """The different messages of one width, in blocks.

    Parameters
    ----------
    messages
        Pieces of the messages, cut anywhere; an incomplete rest is yielded last.
    width
        The bytes of a message.
    folder
        The folder for files on disk; None is the folder for temporary files.
    """

    def __init__(self, messages: Iterable[bytes], width: int, folder: Path | None) -> None:
        self._messages, self._width, self._folder = messages, width, folder
        #: The number of messages that equal another one; known at the end.
        self.repeated = 0

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        with open_buckets(self._width, self._folder) as files:
            for block in blocks_of(self._messages, self._width):
                whole = len(block) - len(block) % self._width
                files.add(rows_of(block[:whole], self._width))
                rest = block[whole:]
            for rows, more in files.drain():
                self.repeated += more
                yield from blocks_of([rows.tobytes()], self._width)
        if rest:
            yield rest


def write_file(pieces: Iterable[bytes], out: Path) -> tuple[int, bytes]:
    """Write a file whole or not at all, and return its length and SHA-256."""
    part, length, digest = _part(out), 0, sha256()
    try:
        with part.open("wb") as whole:
            for piece in pieces:
                length += len(piece)
                digest.update(piece)
                whole.write(piece)
            whole.flush()
            os.fsync(whole.fileno())
        part.replace(out)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    keep_name(out.parent)
    return length, digest.digest()


def parts_of(out: Path) -> Path:
    """Return the folder for the parts of a shuffle on several machines."""
    return out.with_name(f".{out.name}.parts")


def forget(out: Path) -> None:
    """Remove the file of a shuffle, and the rest of an interrupted one."""
    for path in (out, _part(out)):
        path.unlink(missing_ok=True)
    rmtree(parts_of(out), ignore_errors=True)


def blocks_of(parts: Iterable[bytes], width: int, at_once: int = AT_ONCE) -> Iterator[bytes]:
    """Yield the messages in blocks of ``at_once``, from parts cut anywhere; an incomplete rest comes last."""
    buffer, length = bytearray(), at_once * width
    for part in parts:
        buffer += part
        whole = len(buffer) - len(buffer) % length
        for start in range(0, whole, length):
            yield bytes(buffer[start : start + length])
        del buffer[:whole]
    if buffer:
        yield bytes(buffer)


def in_random_order(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the rows in a uniformly random order: that of different random numbers of the system."""
    return rows[_random_order(len(rows))]


def _random_order(count: int) -> NDArray[np.intp]:
    while True:
        numbers = np.frombuffer(os.urandom(8 * count), np.uint64)
        order = np.argsort(numbers)
        if not (np.diff(numbers[order]) == 0).any():
            return order


def _part(out: Path) -> Path:
    return out.with_name(f".{out.name}.part")
