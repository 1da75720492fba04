"""Measure what a message costs, and say what a billion people would: the tables of ``docs/explanation/scale.md``.

``uv run python benchmarks/collection_costs.py [MESSAGES]``: memory is measured up to so many, a million by default.
"""

import os
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from discretion.collection import Choice, Feature, Party, Task
from discretion.collection.parts.at_rest import AtRest
from discretion.collection.parts.counting import count_batch
from discretion.collection.parts.shuffling import shuffle_messages, write_file
from discretion.collection.parts.spark_shuffling import write_partitions
from discretion.collection.parts.store import Store
from discretion.collection.wire.rounds import SALT_BYTES, Round
from discretion.collection.wire.sealing import SEAL_BYTES, public_bytes, sealed
from discretion.collection.wire.uploads import upload_bytes
from oracles.bare_collection import FEATURES, INFO, WIDTH, bare_opens, boxes, cpu_seconds, uploads
from support.collection.certificates import certified
from uploads import measure

PEOPLE, SHUFFLERS = 10**9, 2
OPENED, STORED, AT_ONCE = 20_000, 10_000, 500


@dataclass(frozen=True)
class Figures:
    """Microseconds of a core for a message, and for an upload stored, read again or served; and bytes on disk."""

    bare: float
    shuffled: float
    sealed: float
    counted: float
    spooled: float
    stored: float
    read: float
    stored_bytes: float
    token_bytes: float
    served: float
    served_over_tls: float
    asked_over_tls: float


def measured(folder: Path) -> Figures:
    """Measure each by the seconds that cores work, the least of three turns."""
    held = boxes(OPENED)
    many = OPENED * 20
    layer = [(public_bytes(X25519PrivateKey.generate()), INFO)]
    people, store = uploads(STORED), Store(f"sqlite:///{folder / 'store.sqlite'}", AtRest(folder / "at-rest", 2))
    store.add_tokens(each.token_hash for each in people)
    store.wipe()
    tokens = (folder / "store.sqlite").stat().st_size
    store.open_round(1, bytes(16))
    groups = [people[start : start + AT_ONCE] for start in range(0, STORED, AT_ONCE)]
    stored = cpu_seconds(lambda: [store.add(1, group) for group in groups])
    store.close_round(1, 1)
    read = least(lambda: deque(store.messages(1), maxlen=0), STORED)
    store.close()
    size = (folder / "store.sqlite").stat().st_size - tokens
    tls = certified(folder / "tls")
    return Figures(
        bare=least(lambda: bare_opens(held.key, held.messages), OPENED),
        shuffled=least(lambda: shuffle_messages(held.messages, WIDTH, held.opener(), folder / "out"), OPENED),
        sealed=least(lambda: [sealed(bytes(WIDTH), layer) for _ in range(OPENED // 4)], OPENED // 4),
        counted=least(lambda: count_batch(open_messages(many), Round(task_of(2, curated=False)), None), many),
        spooled=least(lambda: spool([b"".join(held.messages)] * 20, folder), many),
        stored=stored / STORED * 1e6,
        read=read,
        stored_bytes=size / STORED,
        token_bytes=tokens / STORED,
        served=measure(1, None, folder / "served")[1] * 1000,
        served_over_tls=measure(1, tls, folder / "served-tls")[1] * 1000,
        asked_over_tls=measure(1, tls, folder / "asked", questions=True)[1] * 1000,
    )


def task_of(features: int, *, curated: bool = True) -> Task:
    """Return a task that asks so much, of which nothing but the lengths matters here."""
    asked = tuple(Feature(f"f{place}", ("yes",)) for place in range(features))
    analyst, curator, *shufflers = (
        Party(f"https://party-{place}.example", bytes([place]) * 32) for place in range(SHUFFLERS + 2)
    )
    return Task(
        bytes(16), "to measure", asked, 2, "0.01", 2, 0, 1, tuple(shufflers), analyst, curator if curated else None,
        bytes(32) if curated else None,
    )  # fmt: skip


def least(ask: Callable[[], Any], messages: int) -> float:
    return min(cpu_seconds(ask) for _ in range(3)) / messages * 1e6


def spool(messages: Iterable[bytes], folder: Path) -> None:
    """Do what Spark's driver does alone: write what the machines read, and put together what they wrote."""
    paths = write_partitions(messages, WIDTH, folder)
    write_file((path.read_bytes() for path in paths), folder / "out")


def open_messages(count: int) -> Iterator[bytes]:
    """Yield messages of two features without a seal."""
    for _ in range(0, count, 10_000):
        block = np.zeros(10_000, np.dtype([("feature", ">u2"), ("code", ">u4"), ("salt", np.void, SALT_BYTES)]))
        block["feature"] = np.arange(10_000) % 2
        block["salt"] = np.frombuffer(os.urandom(SALT_BYTES * 10_000), block["salt"].dtype)
        yield block.tobytes()


def cut(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Take a seal's bytes off messages without opening it, which takes no memory and most of the time."""
    for block in blocks:
        rows = np.frombuffer(block, np.uint8).reshape(-1, WIDTH)
        yield rows[:, SEAL_BYTES:].tobytes(), 0


def peak(what: str, messages: int) -> None:
    """Print the megabytes that a process has at most which shuffles or counts so many messages."""
    with TemporaryDirectory() as folder:
        if what == "shuffled":
            random = (os.urandom(WIDTH * FEATURES) for _ in range(messages // FEATURES))
            shuffle_messages(random, WIDTH, cut, Path(folder) / "out")
        else:
            count_batch(open_messages(messages), Round(task_of(2, curated=False)), None)
    # Not ru_maxrss, which a process has from the one that started it.
    (most,) = re.findall(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    print(int(most) // 1024)


def peak_of_another(what: str, messages: int) -> str:
    asked = [sys.executable, __file__, what, str(messages)]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def say(title: str, rows: Iterable[tuple[str, str]]) -> None:
    print(f"\n| {title} | |\n|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def main(most: int) -> None:
    with TemporaryDirectory() as folder:
        found = measured(Path(folder))
    bare, shuffle, seal, count, driver, store, read, size, token, served, over_tls, asked = astuple(found)
    say("measured here", [
        ("a bare open of HPKE", f"{bare:.1f} µs of a core, {1e6 / bare:,.0f} a second"),
        (f"a message of {WIDTH} bytes shuffled", f"{shuffle:.1f} µs: {bare / shuffle:.0%} of it are the bare open"),
        ("a message sealed once", f"{seal:.1f} µs"),
        ("an open message counted", f"{count:.2f} µs"),
        ("a message through Spark's driver, into Parquet and into the batch", f"{driver:.2f} µs"),
        (f"an upload of {FEATURES} messages stored in SQLite, {AT_ONCE} at once", f"{store:.0f} µs, {size:,.0f} bytes"),
        ("the same read again", f"{read:.1f} µs"),
        ("the same taken by the service, over kept connections", f"{served:.0f} µs"),
        ("the same over a TLS connection each", f"{over_tls:.0f} µs"),
        ("a shuffler's keys or reports told, over a TLS connection each", f"{asked:.0f} µs"),
        ("a token in SQLite", f"{token:.0f} bytes"),
        *((f"memory at most, {messages:,} messages", f"{peak_of_another('shuffled', messages)} MB to shuffle, "
           f"{peak_of_another('counted', messages)} MB to count")
          for messages in (10**power for power in range(5, 9)) if messages <= most),
    ])  # fmt: skip
    task = task_of(FEATURES)
    choice = Choice(task.digest, task.digest, 2, "analyst", ((0, 1, 2),), 0.01, 2)
    first, second = Round(task), Round(task, choice)
    messages = PEOPLE * (first.messages + second.messages)
    layers, hours = len(first.layers), 3600e6
    layer, after = messages * shuffle / hours, first.width(1)
    # What is read and written of a message: as it is, into a file and out of it; opened the same; and into the batch.
    moved = 3 * first.width() + 3 * after
    say(f"{PEOPLE:.0e} people, {FEATURES} features, {SHUFFLERS} shufflers, 3 features chosen".replace("1e+09", "10⁹"), [
        ("messages, both rounds", f"{messages:,}"),
        ("a person sends", f"{upload_bytes(first) + upload_bytes(second):,} bytes, sealed in "
         f"{(first.messages + second.messages) * layers * seal / 1000:.1f} ms"),
        ("all send", f"{PEOPLE * (upload_bytes(first) + upload_bytes(second)) / 1e12:.2f} TB"),
        ("opening a layer", f"{layer:,.0f} core-hours"),
        (f"opening all {layers} layers", f"{layer * layers:,.0f} core-hours; bare opens are "
         f"{messages * layers * bare / hours:,.0f}"),
        ("taking uploads, both rounds", f"{PEOPLE * 2 * over_tls / hours:,.0f} core-hours with a TLS connection each, "
         f"{PEOPLE * 2 * served / hours:,.0f} behind a proxy that keeps connections; the store takes "
         f"{PEOPLE * 2 * store / hours:,.0f} of them"),
        ("telling all their keys and reports, at each further shuffler, both rounds",
         f"{PEOPLE * 2 * asked / hours:,.0f} core-hours"),
        ("taking a round's uploads in a week", f"{PEOPLE * over_tls / hours / 168:.1f} cores"),
        ("the store's disk, first round", f"{PEOPLE * size / WIDTH * first.width() / 1e12:.2f} TB, its log as much "
         f"again at most, and {PEOPLE * token / 1e9:.0f} GB of tokens"),
        ("a shuffler's disk beside it, at most", f"{PEOPLE * FEATURES * (first.width() + 2 * after) / 1e12:.2f} TB"),
        ("counting", f"{messages * count / hours:,.1f} core-hours"),
        *((f"opening a layer with {cores:,} cores", f"{layer / cores:,.1f} hours") for cores in (2, 64)),
        ("what a core that opens reads and writes", f"{moved / shuffle:.1f} MB/s; a disk of 1 GB/s keeps "
         f"{1000 * shuffle / moved:,.0f} cores busy"),
        ("what Spark's driver does alone, first round", f"{PEOPLE * FEATURES * driver / hours:,.1f} hours, and "
         f"{PEOPLE * read / hours:,.1f} to read the store"),
        ("a file of 256, of which memory holds three", f"{PEOPLE * FEATURES * after / 256 / 1e9:.1f} GB"),
    ])  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) == 3:
        peak(sys.argv[1], int(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) == 2 else 10**6)
