"""What a service that was killed left behind is gone once it is there again."""

from pathlib import Path

import pytest

from discretion.collection.services.home import Home
from discretion.collection.services.shuffler import ShufflerService
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.uploads import Upload
from support.collection.homes import NOW, housed, person, token


def a_round_that_was_passed_on(folder: Path, state: str) -> Path:
    """Return the home of a shuffler that was killed before it destroyed anything: its batch, and what it came from."""
    of = housed(folder, smallest_batch=2 if state == "delivered" else 9)
    home = of.homes["shuffler-0"]
    service = ShufflerService(home)
    service._store.add_tokens(Upload(token(place), b"").token_hash for place in range(3))
    service._shuffler.open()
    sent = [Upload.decoded(person(of.task, place).upload(), Round(of.task)) for place in range(3)]
    service._shuffler.add(1, sent)
    (home.folder / "round-1").write_bytes(b"in random order")
    (home.folder / "inbox" / "1-00").mkdir()
    (home.folder / "inbox" / "1-00" / "00000000").write_bytes(b"as they came")
    service._store.close_round(1, of.task.smallest_batch)
    if state == "delivered":
        service._store.set_shuffled(1, ShufflerReport(6, 0, 0, bytes(32)))
        service._store.set_delivered(1)
    service._store.close()
    return home.folder


@pytest.mark.parametrize("state", ["delivered", "discarded"])
def test_messages_and_order_of_a_round_that_is_over_are_destroyed_after_a_restart(state: str, tmp_path: Path) -> None:
    folder = a_round_that_was_passed_on(tmp_path, state)
    assert (folder / "round-1").exists()
    again = ShufflerService(Home(folder, now=lambda: NOW))
    again.step()
    held = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"in random order" not in held
    assert b"as they came" not in held
    assert again.status()["rounds"][0]["state"] == state
