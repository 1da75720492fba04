"""The shuffle: a layer off every message, without those that do not open or are there already, in a new order.

Equal messages are dropped before a layer is taken off and after: a person's messages that are there twice would stand
out together. Three passes through disk, so that memory stays flat. The first puts each sealed message into one of 256
files by a secret hash, and drops those that are there already; the second does the same with what is opened; the third
orders each file's by random numbers. The order depends on what the messages are, on the secret and on the system's
randomness, and on nothing else: not on who sent them, or when.
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

# Messages a process opens in a tenth of a second: worth asking it, and no core is long alone with the last ones.
AT_ONCE = 1 << 11


@dataclass(frozen=True)
class Shuffle:
    """What came of a shuffle.

    Parameters
    ----------
    messages
        How many messages are in the file.
    dropped
        How many did not open.
    repeated_sealed, repeated
        How many were equal to another one: before the layer was taken off, and after.
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
    """Write the messages to a file, a layer less each and in random order; whole or not at all.

    Parameters
    ----------
    messages
        Blocks of messages of ``width`` bytes each.
    opened
        What takes the layer off: it gives blocks of opened messages, and how many of each did not open.
    out
        The file; the disk that it is on has room for it three times.
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
    """Messages of one width, each once, in blocks.

    Parameters
    ----------
    messages
        Pieces, wherever they are cut; a rest that is no message comes last.
    width
        The bytes of a message.
    folder
        Where they go through disk; None is the folder for temporary files.
    """

    def __init__(self, messages: Iterable[bytes], width: int, folder: Path | None) -> None:
        self._messages, self._width, self._folder = messages, width, folder
        #: How many messages equal another one; known at the end.
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
    """Return the folder in which a shuffle that is made by several machines keeps its parts."""
    return out.with_name(f".{out.name}.parts")


def forget(out: Path) -> None:
    """Remove the file of a shuffle, and what is left of one that was cut short."""
    for path in (out, _part(out)):
        path.unlink(missing_ok=True)
    rmtree(parts_of(out), ignore_errors=True)


def blocks_of(parts: Iterable[bytes], width: int, at_once: int = AT_ONCE) -> Iterator[bytes]:
    """Yield the messages again, so many at once, wherever the parts were cut; a rest that is none comes last."""
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
    """Return the rows in an order as likely as any other: that of numbers the system draws, of which none is twice."""
    return rows[_random_order(len(rows))]


def _random_order(count: int) -> NDArray[np.intp]:
    while True:
        numbers = np.frombuffer(os.urandom(8 * count), np.uint64)
        order = np.argsort(numbers)
        if not (np.diff(numbers[order]) == 0).any():
            return order


def _part(out: Path) -> Path:
    return out.with_name(f".{out.name}.part")
