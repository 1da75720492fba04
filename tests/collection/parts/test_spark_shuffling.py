"""The closing job on Spark comes to what the one on this machine comes to, and leaves nothing on the way."""

import base64
import json
import os
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection.parts.decrypting import Opener
from discretion.collection.parts.shuffler import Shuffler
from discretion.collection.parts.shuffling import Shuffle, forget, parts_of, shuffle_messages
from discretion.collection.parts.spark_shuffling import read_partition, shuffled_on_spark, write_partitions
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import public_bytes, sealed
from discretion.errors import UnsupportedError
from support.collection.closed_on_spark import WIDTH
from support.collection.in_process import Run, made
from support.engines import LOOPBACK, ON_SPARK, SOON_READY, Cluster

TESTS = Path(__file__).parents[2]
PLANTED = b"planted "


def on_spark(test: Any) -> Any:
    for mark in ON_SPARK:
        test = mark(test)
    return test


def round_of(folder: Path, count: int = 3000) -> list[bytes]:
    """A round's messages, every seventh of which does not open; and in the folder what closes it."""
    key = X25519PrivateKey.generate()
    (folder / "key").write_bytes(key.private_bytes_raw())
    (folder / "info").write_bytes(b"info")
    layer = (public_bytes(key), b"info")
    # Random bytes, as what is sealed has: a bin is a hash of the content, by which places alone come in some order.
    messages = [
        sealed(PLANTED + secrets.token_bytes(12) + place.to_bytes(2), [layer])
        if place % 7
        else secrets.token_bytes(WIDTH)
        for place in range(count)
    ]
    (folder / "messages").write_bytes(b"".join(messages))
    return messages


def encrypting(secret: str, folder: Path) -> dict[str, str]:
    """Settings that a session needs before it is given a key; it says as much as it can in its logs."""
    return {
        "spark.authenticate": "true", "spark.authenticate.secret": secret, "spark.io.encryption.enabled": "true",
        "spark.network.crypto.enabled": "true", "spark.driver.bindAddress": LOOPBACK, "spark.driver.host": LOOPBACK,
        "spark.ui.enabled": "false", "spark.eventLog.enabled": "true", "spark.eventLog.dir": str(folder / "logs"),
        "spark.eventLog.compress": "false", "spark.executor.memory": "512m", "spark.local.dir": str(folder / "local"),
        "spark.executor.extraJavaOptions": SOON_READY, "spark.log.level": "INFO",
    }  # fmt: skip


@on_spark
@pytest.mark.parametrize("whose", ["cluster", "session of Discretion's own"])
def test_spark_closes_as_this_machine_does_and_keeps_nothing(whose: str, with_spark: None, tmp_path: Path) -> None:
    messages, settings = round_of(tmp_path), dict[str, str]()
    with ExitStack() as running:
        if whose == "cluster":
            (tmp_path / "logs").mkdir()
            secret = secrets.token_hex()
            settings = encrypting(secret, tmp_path)
            java = (
                f"-D{name}={value}" for name, value in settings.items() if ".authenticate" in name or "crypto" in name
            )
            cluster = Cluster(tmp_path, running, " ".join(java))
            cluster.start_workers()
            settings["spark.master"] = cluster.master
        ended = subprocess.run(
            [sys.executable, "-m", "support.collection.closed_on_spark", str(tmp_path), json.dumps(settings)],
            env={**os.environ, "PYTHONPATH": str(TESTS), "PYSPARK_PYTHON": sys.executable, "TMPDIR": str(tmp_path)},
            capture_output=True, timeout=300, check=False,
        )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    key, out = (tmp_path / "key").read_bytes(), tmp_path / "out"
    here = shuffle_messages(messages, WIDTH, Opener(key, b"info", WIDTH), tmp_path / "here")
    count, dropped, digest, tasks = json.loads(ended.stdout)
    assert (count, dropped) == (here.messages, here.dropped) == (2571, 429)
    assert bytes.fromhex(digest) == sha256(out.read_bytes()).digest()
    assert min(tasks) > 8
    told, expected = (rows(path) for path in (out, tmp_path / "here"))
    assert Counter(told) == Counter(expected)
    numbers = [int.from_bytes(row[-2:]) for row in told]
    early = sum(number < 1500 for number in numbers[:1285])
    assert abs(early - 1285 / 2) < 6 * (2571 / 16) ** 0.5  # both halves of the senders in both of the order
    assert sum(after == number + 1 for number, after in pairwise(numbers)) < 20  # one is expected
    mine = {out, *(tmp_path / name for name in ("here", "key", "info", "messages"))}
    for path in tmp_path.rglob("*"):
        if path.is_file() and path not in mine:
            assert not leaks(path.read_bytes(), key), path
    assert not leaks(ended.stderr, key)
    assert not any(tmp_path.glob(".out*"))


def leaks(held: bytes, key: bytes) -> bool:
    """Whether a key, or what was inside a seal, is there in any spelling that a log may have."""
    spelled = (key, key.hex().encode(), base64.b64encode(key)[:-4], repr(key)[2:-1].encode(), PLANTED)
    return any(each in held for each in spelled)


def rows(path: Path) -> list[bytes]:
    held = path.read_bytes()
    return [held[start : start + WIDTH - 48] for start in range(0, len(held), WIDTH - 48)]


@on_spark
def test_a_session_that_does_not_encrypt_is_given_no_key(spark: Any, tmp_path: Path) -> None:
    messages = round_of(tmp_path, 10)
    opener = Opener((tmp_path / "key").read_bytes(), b"info", WIDTH)
    with pytest.raises(UnsupportedError, match=r"set spark.authenticate and .* to true"):
        shuffled_on_spark(messages, WIDTH, opener, tmp_path / "out")
    assert not any("out" in path.name for path in tmp_path.iterdir())


def test_partitions_hold_the_messages_in_their_order_however_they_were_cut(tmp_path: Path) -> None:
    messages = secrets.token_bytes(70 * 1000 + 5)
    paths = write_partitions([messages[:33], messages[33:]], 70, tmp_path)
    assert b"".join(block for path in paths for block in read_partition(path)) == messages


def test_an_opener_does_not_show_its_key() -> None:
    opener = Opener(b"k" * 32, b"info", WIDTH)
    assert "kkk" not in repr(opener)
    assert replace(opener, cores=2).private == opener.private


def test_a_shuffler_closes_by_the_job_that_it_is_told(tmp_path: Path) -> None:
    run, asked = Run(made(), [{"sex": "f", "town": "Lima"}] * 5, tmp_path), list[int]()

    def noted(messages: Iterable[bytes], width: int, opened: Opener, out: Path) -> Shuffle:
        asked.append(width)
        return shuffle_messages(messages, width, opened, out)

    first = run.shufflers[0]
    run.shufflers[0] = Shuffler(run.task, 0, first._private, first.store, first.folder, shuffle=noted)
    assert len(run.ask().answers) == 10
    assert asked == [Round(run.task).width()]


def test_nothing_is_left_of_shuffles_that_were_killed(tmp_path: Path) -> None:
    out = tmp_path / "round-1"
    for path in (out, tmp_path / ".round-1.part"):
        path.write_bytes(b"in no order")
    parts_of(out).mkdir()
    (parts_of(out) / "run").write_bytes(b"in order")
    forget(out)
    assert not any(tmp_path.iterdir())


def test_an_empty_round_is_an_empty_file(tmp_path: Path) -> None:
    assert shuffle_messages([], WIDTH, Opener(bytes(32), b"", WIDTH), tmp_path / "out") == Shuffle(
        0, 0, 0, 0, sha256().digest()
    )
