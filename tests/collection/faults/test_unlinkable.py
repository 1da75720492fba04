"""Once shuffled, nothing tells whose message is whose: a classifier is given all that the curator is passed.

That is each message's place in the batch, with its piece, which come in the order of places, and its bytes, as long as
all others'. Secret is who sent early, whose token's hash is small (so they lie with the shuffler), and which two
messages are of one person. The system's randomness has no seed: the intervals fail once in a million runs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import discretion as dc
from discretion.collection import Feature
from discretion.collection.parts.counting import count_batch
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.uploads import Upload
from support.collection.in_process import Run, made

PEOPLE = 1_000
SURE = 1 - 1e-6
WHO = tuple(map(str, range(PEOPLE)))


@dataclass(frozen=True)
class Passed:
    """A batch as the curator is passed it, and what she is not to learn: of each message its sender."""

    boxes: NDArray[np.uint8]
    senders: NDArray[np.int64]
    by_hash: NDArray[np.int64]


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Passed:
    of = made([Feature("who", WHO), Feature("again", WHO)])
    run = Run(of, [{"who": who, "again": who} for who in WHO], tmp_path_factory.mktemp("passed"))
    (shuffler,), first = run.shufflers, Round(of.task)
    shuffler.open()
    uploads = [Upload.decoded(client.upload(), first) for client in run.clients]
    assert shuffler.add(1, uploads) == [None] * PEOPLE
    assert shuffler.close(1) == "closed"
    shuffler.shuffle(1)
    batch = shuffler.batch(1)
    assert batch is not None
    boxes = np.frombuffer(batch.path.read_bytes(), np.uint8).reshape(2 * PEOPLE, first.width(1))
    private = of.curator.private_bytes_raw()
    senders = np.array([count_batch([box.tobytes()], first, private).answers[0, 1] for box in boxes])
    assert sorted(senders) == sorted([*range(PEOPLE), *range(PEOPLE)])
    by_hash = np.empty(PEOPLE, np.int64)
    by_hash[np.argsort([upload.token_hash for upload in uploads])] = range(PEOPLE)
    return Passed(boxes, senders, by_hash)


def guessed(secrets: NDArray[Any], seen: NDArray[Any]) -> tuple[float, float]:
    """The share that is guessed right of two secrets alike likely, and at least how much it is."""
    risk = dc.estimate_bayes_risk(secrets, seen.astype(float), SURE, method="nearest-neighbours", rng=1)
    return 1 - risk.value, 1 - risk.high


@pytest.mark.long
def test_neither_place_nor_bytes_tell_who_sent_it(passed: Passed, capsys: pytest.CaptureFixture[str]) -> None:
    place = np.arange(2 * PEOPLE)[:, None]
    for order, of in (("sent", passed.senders), ("hashed", passed.by_hash[passed.senders])):
        early = of < PEOPLE // 2
        for what, seen in (("place", place), ("bytes", passed.boxes)):
            value, least = guessed(early, seen)
            with capsys.disabled():
                print(f"\n{order} early, by {what}: {value:.3f} guessed right, from {least:.3f} on; chance 0.5", end="")
            assert least <= 0.5
        value, least = guessed(np.sort(of) < PEOPLE // 2, place)  # an order that was kept is found
        assert least > 0.9


@pytest.mark.long
def test_two_messages_of_one_person_have_nothing_in_common(passed: Passed, capsys: pytest.CaptureFixture[str]) -> None:
    draw = np.random.default_rng(0)
    of_one = np.argsort(passed.senders, kind="stable").reshape(PEOPLE, 2)
    pairs = draw.permuted(of_one, axis=1)
    mixed = draw.random(PEOPLE) < 0.5
    pairs[mixed, 1] = np.roll(pairs[mixed, 1], 1)
    for what, seen in (
        ("distance", np.abs(pairs[:, :1] - pairs[:, 1:])),
        ("bytes", passed.boxes[pairs[:, 0]] ^ passed.boxes[pairs[:, 1]]),
    ):
        value, least = guessed(mixed, seen)
        with capsys.disabled():
            print(f"\none person's, by {what}: {value:.3f} guessed right, from {least:.3f} on; chance 0.5", end="")
        assert least <= 0.5
    assert guessed(mixed, np.where(mixed, 2, 1)[:, None])[1] > 0.9
