"""A shuffler that is killed at any line on the way of a batch passes it on once, and keeps nothing of it."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from collection.faults.processes import CONTEXT, pass_on
from discretion.collection import Feature
from discretion.collection.parts.counting import count_batch
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.uploads import Upload
from support.collection.in_process import Made, Run, made

PEOPLE = 5
# Every fourth line in the suite; DISCRETION_FAULT_LINES=1 is every one, by hand.
EVERY = int(os.environ.get("DISCRETION_FAULT_LINES", "4"))
MEMORY = Path("/dev/shm")  # where there is one, nothing waits for a disk


@pytest.mark.long
@pytest.mark.parametrize("smallest", [2, PEOPLE + 1])
def test_a_batch_is_passed_on_once_or_never_wherever_its_shuffler_is_killed(smallest: int) -> None:
    of = made([Feature("who", tuple(map(str, range(PEOPLE))))], smallest_batch=smallest)
    kills = 0
    with tempfile.TemporaryDirectory(prefix="lines", dir=MEMORY if MEMORY.is_dir() else None) as memory:
        base = Path(memory, "base")
        base.mkdir()
        uploads = stored(of, base)
        for folder in killed(of, base, Path(memory)):
            kills += 1
            before = pieces(folder)
            pass_on(of.task, of.shufflers[0].private_bytes_raw(), folder)
            after = pieces(folder)
            if smallest > PEOPLE:
                assert after == {}
            else:
                assert before.items() <= after.items()
                found = count_batch(after.values(), Round(of.task), of.curator.private_bytes_raw())
                assert sorted(found.answers[:, 1]) == list(range(PEOPLE))
            kept = [path for path in (folder / "shuffler-0").rglob("*") if path.is_file()]
            sent = [*uploads, *(piece[:48] for piece in after.values())]
            assert [path for path in kept if any(each in path.read_bytes() for each in sent)] == []
    print(f"killed at {kills} lines")
    assert kills > 10


def pieces(folder: Path) -> dict[str, bytes]:
    """What the next party has been given."""
    return {path.name: path.read_bytes() for path in (folder / "next").glob("1-*/[0-9]*")}


def stored(of: Made, folder: Path) -> list[bytes]:
    """Have everybody's uploads stored, and return their messages."""
    run = Run(of, [{"who": str(place)} for place in range(PEOPLE)], folder)
    (shuffler,) = run.shufflers
    shuffler.open()
    uploads = [Upload.decoded(client.upload(), Round(of.task)) for client in run.clients]
    assert shuffler.add(1, uploads) == [None] * PEOPLE
    shuffler.store.close()
    return [upload.messages for upload in uploads]


def killed(of: Made, base: Path, folder: Path) -> Iterator[Path]:
    """Yield folders of a shuffler that was killed, each later than the one before."""
    lines = 1
    while True:
        here = folder / str(lines)
        shutil.copytree(base, here)
        given = (of.task, of.shufflers[0].private_bytes_raw(), here, lines)
        process = CONTEXT.Process(target=pass_on, args=given, daemon=True)
        process.start()
        process.join()
        if process.exitcode == 0:
            return
        assert process.exitcode == -signal.SIGKILL
        yield here
        shutil.rmtree(here)
        lines += EVERY
