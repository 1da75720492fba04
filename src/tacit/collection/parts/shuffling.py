"""The shuffle: a layer off every message, those that do not open dropped and counted, the others in random order.

Two passes through disk, so that memory stays flat. The first puts each message into one of 256 files by a random byte;
the second orders each file's by random numbers. Every order is as likely as any other: how many messages come into each
file has the law that a cut of a random order has, whichever they are.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.collection.parts.durable import keep_name
from tacit.collection.wire.sealing import SEAL_BYTES

_FILES = 256
_AT_ONCE = 1 << 13  # messages


@dataclass(frozen=True)
class Shuffle:
    """What came of a shuffle: how many messages opened and how many did not, and the SHA-256 of the file."""

    messages: int
    dropped: int
    digest: bytes


def shuffled(
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
        The file; beside it a folder of parts is made and removed.
    """
    inner, dropped = width - SEAL_BYTES, 0
    with TemporaryDirectory(dir=out.parent, prefix=f"{out.name}.parts-") as folder:
        paths = [Path(folder) / str(place) for place in range(_FILES)]
        with ExitStack() as stack:
            files = [stack.enter_context(path.open("wb")) for path in paths]
            for block, missing in opened(blocks_of(messages, width)):
                dropped += missing
                rows = _rows(block, inner)
                which = np.frombuffer(os.urandom(len(rows)), np.uint8)
                order = np.argsort(which, kind="stable")
                ends = np.searchsorted(which[order], np.arange(_FILES + 1))
                rows = rows[order]
                for place in range(_FILES):
                    files[place].write(rows[ends[place] : ends[place + 1]].tobytes())
        count, digest, part = 0, sha256(), Path(folder) / "whole"
        with part.open("wb") as whole:
            for path in paths:
                rows = _rows(path.read_bytes(), inner)
                path.unlink()
                content = rows[_random_order(len(rows))].tobytes()
                count += len(rows)
                digest.update(content)
                whole.write(content)
            whole.flush()
            os.fsync(whole.fileno())
        part.replace(out)
    keep_name(out.parent)
    return Shuffle(count, dropped, digest.digest())


def blocks_of(parts: Iterable[bytes], width: int) -> Iterator[bytes]:
    """Yield the messages again, so many at once that a process is worth asking."""
    held = bytearray()
    for part in parts:
        held += part
        if len(held) >= _AT_ONCE * width:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def _rows(block: bytes, width: int) -> NDArray[Any]:
    return np.frombuffer(block, np.dtype((np.void, width)))


def _random_order(count: int) -> NDArray[np.intp]:
    """Return an order of so many, each as likely: that of numbers the system draws, of which none is twice."""
    while True:
        numbers = np.frombuffer(os.urandom(8 * count), np.uint64)
        order = np.argsort(numbers)
        if not (np.diff(numbers[order]) == 0).any():
            return order
