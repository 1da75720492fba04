"""The shuffle: a layer off every message, those that do not open dropped and counted, the others in random order.

Two passes through disk, so that memory stays flat. The first puts each message into one of 256 files by a random byte;
the second orders each file's by random numbers. Every order is as likely as any other: how many messages come into each
file has the law that a cut of a random order has, whichever they are.
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
    """What came of a shuffle: how many messages opened and how many did not, and the SHA-256 of the file."""

    messages: int
    dropped: int
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
        The file; the disk that it is on has room for it twice.
    """
    inner, dropped = width - SEAL_BYTES, 0
    with open_buckets(inner, out.parent) as files:
        for block, missing in opened(blocks_of(messages, width)):
            dropped += missing
            rows = rows_of(block, inner)
            files.add(rows, np.frombuffer(os.urandom(len(rows)), np.uint8))
        length, digest = write_file((in_random_order(rows).tobytes() for rows in files.drain()), out)
    return Shuffle(length // inner, dropped, digest)


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
