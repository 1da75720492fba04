"""A batch is passed on in pieces, each of which counts once, and whole or not at all."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from discretion.collection.errors import ConflictError, MalformedError, UnknownError
from discretion.collection.parts.inbox import Inbox

BATCH = bytes(16)
WHOLE = sha256(b"one" + b"two").digest()


def test_pieces_in_any_order_and_again_are_the_batch_once_also_after_a_restart(tmp_path: Path) -> None:
    for place, piece in [(1, b"two"), (0, b"one"), (1, b"two")]:
        Inbox(tmp_path).put(1, BATCH, place, piece)
    with pytest.raises(UnknownError, match="not arrived yet"):
        list(Inbox(tmp_path).blocks(1))
    for _ in range(2):
        Inbox(tmp_path).complete(1, BATCH, 2, WHOLE)
        assert list(Inbox(tmp_path).blocks(1)) == [b"one", b"two"]
    assert Inbox(tmp_path).is_whole(1)
    assert not Inbox(tmp_path).is_whole(2)


def test_another_piece_or_batch_of_a_round_is_refused(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    inbox.put(1, BATCH, 0, b"one")
    with pytest.raises(ConflictError, match="with other bytes"):
        inbox.put(1, BATCH, 0, b"two")
    with pytest.raises(ConflictError, match="another batch"):
        inbox.put(1, bytes(15) + b"1", 0, b"one")
    inbox.put(2, bytes(15) + b"1", 0, b"of the second round")


def test_what_is_not_all_there_is_not_whole(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    inbox.put(1, BATCH, 0, b"one")
    with pytest.raises(ConflictError, match="1 of 2 pieces"):
        inbox.complete(1, BATCH, 2, WHOLE)
    with pytest.raises(MalformedError, match="do not have its digest"):
        inbox.complete(1, BATCH, 1, WHOLE)
    inbox.put(1, BATCH, 1, b"two")
    inbox.complete(1, BATCH, 2, WHOLE)
    with pytest.raises(ConflictError, match="another digest"):
        inbox.complete(1, BATCH, 2, bytes(32))
    with pytest.raises(ConflictError, match="already complete"):
        inbox.put(1, BATCH, 2, b"three")


def test_what_was_cut_short_while_it_was_written_is_in_nobody_s_way(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    inbox.put(1, BATCH, 0, b"onetwo")
    folder = tmp_path / f"1-{BATCH.hex()}"
    for name in ("00000000", "00000001", "whole"):
        (folder / f".{name}.part").write_bytes(b"on")
    inbox.complete(1, BATCH, 1, WHOLE)
    assert list(inbox.blocks(1)) == [b"onetwo"]
    inbox.forget(1)
    assert [path.name for path in folder.iterdir()] == ["whole"]


def test_a_batch_of_no_end_of_pieces_takes_no_memory(tmp_path: Path) -> None:
    tracemalloc.start()
    with pytest.raises(ConflictError, match="99,999,999 of 99,999,999 pieces"):
        Inbox(tmp_path).complete(1, BATCH, 10**8 - 1, WHOLE)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_piece_that_is_sent_again_while_it_is_written_is_kept_once(tmp_path: Path) -> None:
    for turn in range(20):
        inbox, piece = Inbox(tmp_path / str(turn)), bytes([turn]) * 100_000
        with ThreadPoolExecutor(8) as pool:
            sent = [pool.submit(inbox.put, 1, BATCH, 0, piece) for _ in range(8)]
        assert [each.result() for each in sent] == [None] * 8
        inbox.complete(1, BATCH, 1, sha256(piece).digest())
        assert list(inbox.blocks(1)) == [piece]


def test_a_forgotten_batch_is_remembered_to_have_been_there(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path)
    inbox.put(1, BATCH, 0, b"onetwo")
    inbox.complete(1, BATCH, 1, WHOLE)
    inbox.forget(1)
    assert not any(b"one" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    with pytest.raises(ConflictError, match="another batch"):
        inbox.put(1, bytes(15) + b"1", 0, b"one")
    inbox.destroy()
    assert not tmp_path.exists()
