"""What the collection's benchmarks are run on: sealed messages, and the bare ways to do what it does with them."""

import os
import resource
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

from discretion.collection.parts.decrypting import Opener
from discretion.collection.wire.sealing import SEAL_BYTES, public_bytes, sealed
from discretion.collection.wire.uploads import Upload

FEATURES, INNER = 10, 22 + SEAL_BYTES  # a single answer, with one seal more inside
WIDTH, INFO = INNER + SEAL_BYTES, bytes(81)


@dataclass(frozen=True)
class Boxes:
    """Some messages, and the key that opens them."""

    key: bytes
    messages: list[bytes]

    def opener(self, cores: int = 1) -> Opener:
        return Opener(self.key, INFO, WIDTH, cores)


def boxes(count: int) -> Boxes:
    private = X25519PrivateKey.generate()
    layer = (public_bytes(private), INFO)
    return Boxes(private.private_bytes_raw(), [sealed(os.urandom(INNER), [layer]) for _ in range(count)])


def bare_opens(key: bytes, messages: Iterable[bytes]) -> None:
    """Open messages by a loop over HPKE, and let go of them."""
    suite, private = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM), X25519PrivateKey.from_private_bytes(key)
    for message in messages:
        suite.decrypt(message, private, INFO)


def bare_opens_on_all_cores(key: bytes, messages: list[bytes], cores: int) -> None:
    """Do so in as many processes, each of which has its share from the start."""
    shares = [messages[place::cores] for place in range(cores)]
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        list(pool.map(bare_opens, [key] * cores, shares))


def uploads(count: int) -> list[Upload]:
    return [Upload(os.urandom(32), os.urandom(FEATURES * WIDTH)) for _ in range(count)]


def bare_rows(path: Path, of: list[Upload], group: int) -> None:
    """Insert uploads into SQLite, durably and so many at once, and look at nothing else."""
    with sqlite3.connect(path, isolation_level=None) as bare:
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            bare.execute(f"PRAGMA {pragma}")
        bare.execute("CREATE TABLE uploads (hash BLOB PRIMARY KEY, digest BLOB, messages BLOB)")
        for start in range(0, len(of), group):
            bare.execute("BEGIN IMMEDIATE")
            rows = [(one.token_hash, one.digest, one.messages) for one in of[start : start + group]]
            bare.executemany("INSERT INTO uploads VALUES (?, ?, ?)", rows)
            bare.execute("COMMIT")
    bare.close()


def cpu_seconds(ask: Callable[[], Any]) -> float:
    """Return the seconds that all cores together work for something, here and in processes that have ended."""

    def now() -> float:
        used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(each.ru_utime + each.ru_stime for each in used)

    start = now()
    ask()
    return now() - start
