"""Taking a layer off many messages, on as many cores as are wanted."""

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
    """Who takes a layer off: by a private key of 32 bytes, bound to an info, on so many cores."""

    private: bytes = field(repr=False)
    info: bytes
    width: int
    cores: int = 1

    def __call__(self, blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """Yield each block's messages opened, and how many did not open; blocks come out in the order they went in."""
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
    """Return the messages of a block a layer less, and how many did not open."""
    key = X25519PrivateKey.from_private_bytes(private)
    plain = [unsealed(block[start : start + width], key, info) for start in range(0, len(block), width)]
    kept = [message for message in plain if message is not None]
    return b"".join(kept), len(plain) - len(kept)
