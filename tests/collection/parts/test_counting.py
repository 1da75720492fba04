"""A batch is counted as by going through its messages one by one, wherever its pieces are cut."""

import secrets
from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from discretion.collection import Feature
from discretion.collection.parts.counting import BatchCounts, count_batch, tallies_of
from discretion.collection.parts.joint import joint_shares
from discretion.collection.parts.shuffling import blocks_of
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import sealed
from support.collection.in_process import Made, made, together


def singles(of: Made) -> Round:
    return Round(of.task)


def pairs(of: Made) -> Round:
    return Round(of.task, together(of.task, 0, 1))


def one_by_one(messages: list[bytes], of: Round) -> tuple[Counter[tuple[int, ...]], int, int]:
    """What is said and how often, and how many messages were there already, or name no answer."""
    said, unknown, codes = Counter[tuple[int, ...]](), 0, [feature.codes for feature in of.task.features]
    for message in dict.fromkeys(messages):
        group, *told, _ = of.plain_form.unpack(message)
        if group < len(of.groups) and all(
            code < codes[each] for each, code in zip(of.groups[group], told, strict=True)
        ):
            said[tuple(told) if of.to_analyst else (group, *told)] += 1
        else:
            unknown += 1
    return said, len(messages) - len(set(messages)), unknown


def drawn(of: Round, count: int) -> list[bytes]:
    """Messages, some of which name no answer, some with one salt, and some of which are there again."""
    draw, highest = Random(1), 6
    salts = [b"always the same!" if draw.random() < 0.1 else secrets.token_bytes(16) for _ in range(count)]
    numbers = len(of.groups[0])
    messages = [
        of.plain_form.pack(draw.randrange(3), *(draw.randrange(highest) for _ in range(numbers)), salt)
        for salt in salts
    ]
    return messages + draw.choices(messages, k=count // 10)


@pytest.mark.parametrize("asked", [singles, pairs])
def test_counts_are_those_of_going_through_all_messages(asked: Callable[[Made], Round]) -> None:
    run = made()
    of = asked(run)
    messages = drawn(of, 400)
    assert of.receiver is not None
    layer = (of.receiver.key, of.info(0))
    boxes = [*(sealed(message, [layer]) for message in messages), bytes(of.width(1)), bytes(of.width(1) - 1)]
    key = (run.analyst if of.to_analyst else run.curator).private_bytes_raw()
    batch = b"".join(boxes)
    found = count_batch([batch[start : start + 1000] for start in range(0, len(batch), 1000)], of, key)
    said, repeated, unknown = one_by_one(messages, of)
    assert dict(zip(map(tuple, found.combinations.tolist()), found.times.tolist(), strict=True)) == said
    assert (found.dropped, found.repeated, found.unknown) == (2, repeated, unknown)
    assert Counter(map(tuple, found.answers.tolist())) == said


@pytest.mark.long
def test_many_open_messages_are_counted_from_disk() -> None:
    of = Round(made(curated=False).task)
    messages = drawn(of, 200_000)
    batch = b"".join(messages) + b"a rest"
    found = count_batch([batch[start : start + (1 << 16)] for start in range(0, len(batch), 1 << 16)], of, None)
    said, repeated, unknown = one_by_one(messages, of)
    assert dict(zip(map(tuple, found.combinations.tolist()), found.times.tolist(), strict=True)) == said
    assert (found.dropped, found.repeated, found.unknown) == (1, repeated, unknown)


@pytest.mark.parametrize("randomizer", [None, "krr:epsilon=1"])
def test_how_often_each_is_told_says_what_a_row_for_each_does(randomizer: str | None) -> None:
    features = [Feature(name, ("1", "2", "3"), randomizer) for name in "ab"]
    draw = np.random.default_rng(1)
    answers = draw.integers(0, 5, (300, 2))
    told, times = np.unique(answers, axis=0, return_counts=True)
    of = pairs(made(features))
    alone, together = joint_shares(answers, of), joint_shares(told, of, times)
    assert (alone.answers, alone.people, alone.reach_of_one) == (together.answers, 300, together.reach_of_one)
    assert alone.shares.tolist() == together.shares.tolist()
    assert alone.errors.tolist() == together.errors.tolist()
    first = Round(of.task)
    single = np.column_stack([answers[:, 0] % 2, answers[:, 1]])
    told, times = np.unique(single, axis=0, return_counts=True)
    tallies = tallies_of(BatchCounts(told, times, 0, 0, 0), first)
    for place, tally in enumerate(tallies):
        assert tally.tolist() == np.bincount(single[single[:, 0] == place, 1], minlength=5).tolist()


@pytest.mark.parametrize("cut", [1, 7, 70, 71, 5000])
def test_blocks_are_of_whole_messages_wherever_parts_were_cut(cut: int) -> None:
    batch = secrets.token_bytes(70 * 333 + 9)
    *blocks, rest = blocks_of((batch[start : start + cut] for start in range(0, len(batch), cut)), 70, at_once=10)
    assert b"".join([*blocks, rest]) == batch
    assert {len(block) for block in blocks} == {700}
    assert len(rest) == 3 * 70 + 9
