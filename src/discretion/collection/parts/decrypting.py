"""Remove a layer from many messages, on several cores."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection.wire.sealing import unsealed


@dataclass(frozen=True)
class Opener:
    """A function that removes a layer with a private key of 32 bytes and an info, on a number of cores."""

    private: bytes = field(repr=False)
    info: bytes
    width: int
    cores: int = 1

    def __call__(self, blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """Yield the opened messages of each block, in order, and the number of messages that did not open."""
        opened = partial(opened_block, private=self.private, info=self.info, width=self.width)
        if self.cores == 1:
            yield from map(opened, blocks)
            return
        with ProcessPoolExecutor(self.cores, mp_context=get_context("spawn")) as pool:
            # As many blocks are under way as keep the cores busy, so that memory stays flat.
            waiting: deque[Future[tuple[bytes, int]]] = deque()
            for block in blocks:
                waiting.append(pool.submit(opened, block))
                if len(waiting) > 2 * self.cores:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


def opened_block(block: bytes, *, private: bytes, info: bytes, width: int) -> tuple[bytes, int]:
    """Return the messages of a block without their outer layer, and the number of messages that did not open."""
    key = X25519PrivateKey.from_private_bytes(private)
    plain = [unsealed(block[start : start + width], key, info) for start in range(0, len(block), width)]
    kept = [message for message in plain if message is not None]
    return b"".join(kept), len(plain) - len(kept)
