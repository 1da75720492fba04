"""A disk that is full refuses uploads for the moment, and corrupts nothing that was acknowledged."""

import json
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from collection.faults.collection import Collection
from discretion.collection import Client
from discretion.collection.errors import RefusedTaskError, UnavailableError, UnknownError

Switch = Callable[[Collection, bool], None]


def limited(held: Collection, full: bool) -> None:
    """No file may become longer."""
    held.served["shuffler-0"].fill_disk(0 if full else None)


def filled(held: Collection, full: bool) -> None:
    """No byte is free on the disk."""
    filler = held.folder / "filler"
    if not full:
        filler.unlink()
        return
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


@pytest.fixture(params=["limited", "filled"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, Switch]]:
    if request.param == "limited":
        yield tmp_path, limited
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(tmp_path)]
    mounted = subprocess.run(mount, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("only root mounts a disk of its own")
    yield tmp_path, filled
    subprocess.run(["umount", tmp_path], check=True)


@pytest.mark.long
def test_uploads_are_refused_as_long_as_it_is_full_and_then_taken(disk: tuple[Path, Switch]) -> None:
    folder, switch = disk
    held = Collection(Random(1), folder)
    assert held.by_hand  # it is not closed before
    for wire in held.wires.values():
        wire.calm()
    first, people = held.served["shuffler-0"], 30
    clients = [
        Client(held.task, sha256(b"%d" % place).digest(), {"who": str(place), "sex": "f"}) for place in range(people)
    ]
    uploads = [client.upload() for client in clients]
    acknowledged: set[int] = set()
    assert held.by_hand or held.people > 0

    def sent(place: int) -> bool:
        with held.calls("shuffler-0") as service:
            try:
                service.ask("POST", "/rounds/1/uploads", content=uploads[place])
            except UnavailableError as refused:
                assert "cannot store now" in str(refused)
                return False
        acknowledged.add(place)
        return True

    try:
        first.start()
        hashes = b"".join(sha256(upload[:32]).digest() for upload in uploads)
        with held.calls("shuffler-0") as service:
            held.insist(lambda: service.ask("POST", "/tokens", content=hashes))
            while not is_there(held):
                pass
        assert sent(0)
        switch(held, True)
        refused = [place for place in range(1, people) if not sent(place)]
        assert len(refused) > people // 2
        assert held.status("shuffler-0")["rounds"][0]["people"] == len(acknowledged)
        first.kill()
        switch(held, False)
        first.start()
        assert held.status("shuffler-0")["rounds"][0]["people"] == len(acknowledged)
        assert all(sent(place) for place in refused)
        assert held.status("shuffler-0")["rounds"][0]["people"] == people == len(acknowledged)
        first.kill()
        with closing(sqlite3.connect(held.homes["shuffler-0"].folder / "store.sqlite")) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("SELECT count(messages) FROM uploads").fetchall() == [(people,)]
    finally:
        held.end()


def is_there(held: Collection) -> bool:
    with suppress(UnknownError):
        return bool(held.status("shuffler-0")["rounds"])
    return False


@pytest.mark.long
def test_the_keys_are_destroyed_on_a_full_disk_too(disk: tuple[Path, Switch]) -> None:
    """They were destroyed last, after what takes room, and so not at all."""
    folder, switch = disk
    held = Collection(Random(1), folder)
    for wire in held.wires.values():
        wire.calm()
    first, home = held.served["shuffler-0"], held.homes["shuffler-0"]
    keys = [path.read_bytes() for path in (home.folder / "keys").iterdir()]
    client = Client(held.task, sha256(b"one").digest(), {"who": "1", "sex": "f"})
    try:
        first.start()
        with held.calls("shuffler-0") as service:
            held.insist(lambda: service.ask("POST", "/tokens", content=sha256(client.upload()[:32]).digest()))
            while not is_there(held):
                pass
            service.ask("POST", "/rounds/1/uploads", content=client.upload())
            switch(held, True)
            for _ in range(2):
                assert json.loads(service.ask("POST", "/destroy")) == {"destroyed": True}
            assert json.loads(service.ask("GET", "/status"))["destroyed"]
            with pytest.raises(UnavailableError, match="was destroyed here"):
                service.ask("POST", "/rounds/1/uploads", content=client.upload())
        left = b"".join(path.read_bytes() for path in home.folder.rglob("*") if path.is_file())
        assert not any(key in left for key in keys)
        assert client.upload()[32:64] not in left
        assert not [*(home.folder / "at-rest").iterdir()]
        first.kill()
        switch(held, False)
        with pytest.raises(RefusedTaskError, match="were destroyed; to destroy what is left"):
            _ = home.key(home.task.shufflers[0].key)
    finally:
        held.end()
