"""What is stored opens under the keys of the home alone, and under none once these are destroyed."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from discretion.collection.errors import UnavailableError
from discretion.collection.parts.at_rest import AtRest
from discretion.collection.parts.store import Store
from discretion.collection.wire.uploads import Upload
from support.servers import PASSWORD, Server

UPLOADS = [Upload(place.to_bytes(32), (b"sealed message %03d " % place) * 40) for place in range(50)]


def stored(url: str, folder: Path) -> Store:
    store = Store(url, AtRest(folder / "at-rest", 2))
    store.add_tokens(upload.token_hash for upload in UPLOADS)
    store.open_round(1, bytes(16))
    assert store.add(1, UPLOADS) == [None] * len(UPLOADS)
    return store


def traces(folder: Path) -> list[bytes]:
    """Return what in any file of a folder is part of a message, or what a token is known by."""
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    known = [piece for upload in UPLOADS for piece in (upload.messages[:40], upload.token_hash, upload.digest)]
    return [piece for piece in known if any(piece in file for file in files)]


def test_no_file_has_a_message_or_a_token_before_or_after_delivery(tmp_path: Path) -> None:
    store = stored(f"sqlite:///{tmp_path / 'store.sqlite'}", tmp_path)
    assert sorted(store.messages(1)) == sorted(upload.messages for upload in UPLOADS)
    assert traces(tmp_path) == []
    store.close()


def test_a_copy_that_somebody_made_opens_no_more_once_the_round_is_passed_on(tmp_path: Path) -> None:
    store = stored(f"sqlite:///{tmp_path / 'store.sqlite'}", tmp_path)
    store.close_round(1, 2)
    copies = {path.name: path.read_bytes() for path in tmp_path.glob("store.sqlite*")}
    store.set_delivered(1)
    store.destroy_key(1)
    store.close()
    for name, content in copies.items():
        (tmp_path / name).write_bytes(content)
    again = Store(f"sqlite:///{tmp_path / 'store.sqlite'}", AtRest(tmp_path / "at-rest", 2))
    with pytest.raises(UnavailableError, match="it was destroyed"):
        list(again.messages(1))
    again.close()


def test_a_row_that_was_moved_to_another_person_or_changed_does_not_open(tmp_path: Path) -> None:
    keys = AtRest(tmp_path / "at-rest", 2)
    one, other = keys.token(sha256(b"1").digest()), keys.token(sha256(b"2").digest())
    sealed = keys.seal(1, one, b"messages")
    assert keys.open(1, one, sealed) == b"messages"
    for number, row, box in ((1, other, sealed), (2, one, sealed), (1, one, sealed[:-1]), (1, one, b"")):
        with pytest.raises(UnavailableError, match="were changed; none is opened"):
            keys.open(number, row, box)
    assert AtRest(tmp_path / "at-rest", 2).open(1, one, sealed) == b"messages"
    keys.destroy()
    for again in (keys, AtRest(tmp_path / "at-rest", 2)):
        with pytest.raises(UnavailableError, match="it was destroyed"):
            again.open(1, one, sealed)


@pytest.mark.postgres
def test_the_log_of_postgres_has_nothing_that_opens(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """pg_wal keeps rows that were deleted, after DROP TABLE too."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    store = stored(postgres.address().replace("postgres://", "postgresql+psycopg://", 1), tmp_path)
    try:
        rows = [upload.messages for upload in UPLOADS]
        assert sorted(store.messages(1)) == sorted(rows)
        assert traces(Path("/tmp", f"discretion-postgres-{os.getpid()}")) == []
        store.close_round(1, 2)
        store.set_delivered(1)
        store.destroy_key(1)
    finally:
        store.destroy()
        store.close()
    assert traces(Path("/tmp", f"discretion-postgres-{os.getpid()}")) == []
