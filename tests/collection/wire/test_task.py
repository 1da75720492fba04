"""A task refuses what would make a promise of it false."""

from dataclasses import replace

import pytest

from discretion.collection import Feature, Party, Task
from discretion.collection.errors import MalformedError
from discretion.collection.wire.noise import Noise
from support.collection.in_process import SEX_AND_TOWN, made

TASK = made(shufflers=2).task
ADMITTER = Party("http://127.0.0.1:99", bytes([7] * 32))
KEYS = [bytes([255, place]) + bytes(253) + b"\1" for place in range(8)]
ADMITTED = replace(TASK, admitter=ADMITTER, admission=((KEYS[0], KEYS[1]), (KEYS[2],)))

WRONG = {
    "two shufflers with one key": ({"shufflers": (TASK.shufflers[0],) * 2}, "two parties have the same key"),
    "an analyst with the curator's key": ({"analyst": TASK.curator}, "two parties have the same key"),
    "two parties on one machine": (
        {"analyst": Party("https://a.example:9", bytes(32)), "curator": Party("https://A.example", bytes([1] * 32))},
        "curator and analyst are both at a.example",
    ),
    "fewer invited than a batch has": ({"invited": 1}, "invited must be a whole number from 2 on"),
    "an admitter without keys": ({"admitter": ADMITTER}, "an admitter needs keys"),
    "keys without an admitter": ({"admission": ((KEYS[0],), (KEYS[1],))}, "need an admitter"),
    "too few keys": ({"admitter": ADMITTER, "admission": ((KEYS[0],), (KEYS[1],))}, "for each of the 2 questions"),
    "one key for two questions": (
        {"admitter": ADMITTER, "admission": ((KEYS[0], KEYS[0]), (KEYS[1],))}, "different RSA moduli",
    ),
    "a short key": ({"admitter": ADMITTER, "admission": ((KEYS[0], KEYS[1]), (b"\1",))}, "moduli of 2,048 bits"),
    "noise without a curator": (
        {"noise": Noise(9_000, 20), "curator": None, "signer": None}, "noise excludes a task without a curator",
    ),
    "noise with an admitter": (
        {"noise": Noise(9_000, 20), "admitter": ADMITTER, "admission": ((KEYS[0], KEYS[1]), (KEYS[2],))},
        "noise excludes an admitter",
    ),
    "noise with a randomizer": (
        {"noise": Noise(9_000, 20), "features": (replace(SEX_AND_TOWN[0], randomizer="krr:epsilon=1"),)},
        "noise excludes randomized answers",
    ),
    "noise in too many combinations": (
        {
            "noise": Noise(9_900, 1_000),
            "features": tuple(Feature(name, tuple("abcdefgh")) for name in ("a", "b", "c", "d")),
        },
        "needs 5,000,000 dummies of each shuffler",
    ),
    "an extension": ({"extensions": ("pairs",)}, "does not know extension"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_task_that_would_break_its_promise_is_refused(case: str) -> None:
    changed, why = WRONG[case]
    with pytest.raises(MalformedError, match=why):
        replace(TASK, **changed)


@pytest.mark.parametrize("task", [
    TASK, ADMITTED, replace(TASK, invited=500), replace(TASK, noise=Noise(9_000, 20))
])  # fmt: skip
def test_a_task_is_read_as_it_was_written(task: Task) -> None:
    assert Task.decoded(task.encoded) == task


def test_parties_are_named_by_their_role_and_place() -> None:
    assert list(ADMITTED.parties) == ["shuffler 1", "shuffler 2", "curator", "analyst", "admitter"]
    assert ADMITTED.features == SEX_AND_TOWN
