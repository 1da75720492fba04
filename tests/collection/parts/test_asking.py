"""Rounds of pairs and triples, asked for as far as the answers so far certify; and one chain of them for all."""

import struct
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import cbor2
import numpy as np
import pytest

from discretion.anonymity import hierarchical_rounds
from discretion.collection import Choice, Client, Task
from discretion.collection.board import Board
from discretion.collection.errors import ConflictError, RefusedTaskError
from discretion.collection.parts.asking import KnownCounts
from discretion.collection.parts.counting import tallies_of
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import unsealed
from discretion.collection.wire.uploads import upload_bytes
from support.collection.in_process import (
    NOW,
    Codes,
    Made,
    Run,
    certified,
    counts_of_table,
    drawn,
    exposed,
    features,
    first_of,
    made,
    people,
    population,
    together,
)

TOKEN = bytes(range(32))


def places_in_places(count: int = 80) -> Codes:
    """A quarter is in a city, and a city in a region; somebody's age has to do with neither."""
    draw = Random(2)
    return [
        (zip_ // 4, zip_ // 2, zip_, age)
        for zip_ in (draw.randrange(8) for _ in range(count))
        for age in (draw.randrange(3),)
    ]


NESTED = features(2, 4, 8, 3)


def ran(run: Run) -> list[Choice]:
    """All rounds of a run, and what was published for each after the first."""
    published: list[Choice] = []
    run.ask()
    while not published or published[-1].receiver == "curator":
        choice = run.choice()
        assert choice is not None
        published.append(choice)
        run.ask(choice)
    return published


@pytest.mark.long
@pytest.mark.parametrize(("shufflers", "curated"), [(1, True), (2, False)])
def test_the_curator_asks_for_what_rounds_on_the_table_itself_would(
    shufflers: int, curated: bool, tmp_path: Path
) -> None:
    table = places_in_places()
    run = Run(made(NESTED, shufflers, curated=curated, rounds=3, budget="0.5"), people(table), tmp_path)
    *asked, choice = ran(run)
    expected = hierarchical_rounds(population(table), "0.5", k=2, rounds=3)
    names = [feature.name for feature in NESTED]
    assert [question.groups for question in asked] == [
        tuple(tuple(map(names.index, each.columns)) for each in level.questions) for level in expected[1:]
    ]
    assert [question.exposure for question in asked] == [
        max(each.certified.value for each in level.questions) for level in expected[1:]
    ]
    assert [question.number for question in asked] == [2, 3]
    assert choice.chosen == tuple(map(names.index, expected[-1].largest_certified))
    assert choice.exposure == expected[-1].largest_certified_bound.value
    assert exposed(table, choice.chosen, 2) / 80 <= choice.exposure <= 0.5
    for of, found in run.learnt[1:]:
        answers = found.answers
        for place, group in enumerate(of.groups):
            told = Counter(map(tuple, answers[answers[:, 0] == place, 1:].tolist()))
            assert told == Counter(tuple(row[feature] for feature in group) for row in table)
            assert sorted(tallies_of(found, of)[place].tolist()) == sorted(told.values())


@pytest.mark.long
def test_answers_in_pairs_let_more_out_and_no_more_is_asked_than_that_takes(tmp_path: Path) -> None:
    table = [row[:3] for row in places_in_places()]
    few = Run(made(NESTED[:3], budget="0.5"), people(table), tmp_path)
    (alone,) = ran(few)
    (tmp_path / "more").mkdir()
    more = Run(made(NESTED[:3], budget="0.5", rounds=8), people(table), tmp_path / "more")
    question, choice = ran(more)
    assert len(alone.chosen) == 2
    assert (question.number, question.receiver) == (2, "curator")
    assert (choice.number, choice.chosen) == (3, (0, 1, 2))


@pytest.mark.long
def test_all_messages_of_a_round_are_equally_long_and_bound_to_all_that_was_published(tmp_path: Path) -> None:
    """The info is put together here as docs/explanation/protocol.md says, and opens each layer; nothing else does."""
    of = made(NESTED, 2, rounds=3, budget="0.5")
    run = Run(of, people(places_in_places()), tmp_path)
    published = ran(run)
    before = of.task.digest
    for choice in (None, *published):
        asked = Round(of.task, choice)
        if choice is not None:
            held = cbor2.loads(choice.encoded)
            del held["signature"]
            assert held["before"] == before
            before = sha256(cbor2.dumps(held, canonical=True)).digest()
        info = b"discretion collect 3" + bytes([asked.number]) + of.task.digest + before
        uploads = run.uploads[asked.number]
        assert {len(upload) for upload in uploads} == {upload_bytes(asked)}
        message = uploads[0][32:][: asked.width()]
        receiver = of.analyst if asked.to_analyst else of.curator
        plain = message
        for layer, key in [(1, of.shufflers[0]), (2, of.shufflers[1]), (0, receiver)]:
            for other in (None, *published):
                if other is not choice:
                    assert unsealed(plain, key, Round(of.task, other).info(layer)) is None
            opened = unsealed(plain, key, info + bytes([layer]))
            assert opened is not None
            plain = opened
        group = asked.groups[0]
        place, *codes, _ = struct.unpack(f">H{len(group)}I16s", plain)
        assert (place, codes) == (0, [int(places_in_places()[0][feature]) for feature in group])
        assert plain == run.clients[0].messages(asked.number)[0]
        for upload, client in zip(uploads, run.clients[:20], strict=False):
            assert not any(salt in upload for *_, salt in map(asked.plain_form.unpack, client.messages(asked.number)))
    held = b"".join(path.read_bytes() for path in tmp_path.glob("shuffler-*/**/*") if path.is_file())
    for client in run.clients:
        assert not any(message in held for number in (1, 2, 3, 4) for message in client.messages(number))
    salts = [message[-16:] for number in (1, 2, 3, 4) for client in run.clients for message in client.messages(number)]
    assert len(set(salts)) == len(salts)


@pytest.mark.long
def test_groups_tell_the_same_randomized_answers_as_single_ones(tmp_path: Path) -> None:
    table = places_in_places()
    run = Run(made(features(2, 4, 8, 3, randomizer="krr:epsilon=1"), rounds=2, budget="0.9"), people(table), tmp_path)
    run.ask()
    choice = run.choice()
    assert choice is not None
    if choice.receiver == "analyst":  # all goes out together by single answers, so that nothing more is asked
        pytest.fail("the budget is to need pairs")
    run.ask(choice)
    (first, single), (second, pairs) = ((of, found.answers) for of, found in run.learnt)
    for place, group in enumerate(second.groups):
        told = pairs[pairs[:, 0] == place, 1:]
        for column, feature in enumerate(group):
            alone = single[single[:, 0] == feature, 1]
            assert sorted(told[:, column].tolist()) == sorted(alone.tolist())
    for client in run.clients[:10]:
        codes = [struct.unpack(">HI16s", message)[1] for message in client.messages(1)]
        for message, group in zip(client.messages(2), second.groups, strict=True):
            assert list(struct.unpack(">HII16s", message)[1:3]) == [codes[place] for place in group]
    assert first.number == 1


def chain(of: Made) -> list[Choice]:
    """A question of pairs, one of triples, and a choice."""
    task = of.task
    two = certified(Choice(task.digest, task.digest, 2, "curator", ((0, 1), (0, 2), (1, 2)), 0.05, 20), task)
    three = certified(Choice(task.digest, two.digest, 3, "curator", ((0, 1, 2),), 0.05, 20), task)
    last = certified(Choice(task.digest, three.digest, 4, "analyst", ((0, 1),), 0.05, 20), task)
    return [choice.signed(of.signer) for choice in (two, three, last)]


def asked_once(task: Task) -> Client:
    return Client(task, TOKEN, {"f0": "1", "f1": "3", "f2": "5"}, now=lambda: NOW)


def test_a_person_answers_one_chain_of_publications_and_no_other() -> None:
    of = made(NESTED, rounds=3, smallest_batch=20)
    two, three, last = chain(of)
    other = replace(two, groups=two.groups[:2], terms=two.terms[:2]).signed(of.signer)
    one = asked_once(of.task)
    with pytest.raises(ConflictError, match="round 2 is next"):
        one.upload(three)
    sent = one.upload(two)
    with pytest.raises(ConflictError, match="a round has one choice"):
        one.upload(other)
    for false in (replace(three, before=other.digest), replace(three, before=of.task.digest)):
        with pytest.raises(RefusedTaskError, match="follows other choices"):
            one.upload(false.signed(of.signer))
    with pytest.raises(ConflictError, match="round 3 is next"):
        one.upload(last)
    one = Client.restored(one.state, now=lambda: NOW)
    assert one.upload(two) == sent
    one.upload(three)
    one.upload(last)
    with pytest.raises(ConflictError, match="a round has one choice"):
        one.upload(certified(replace(last, groups=((0, 2),)), of.task).signed(of.signer))
    assert one.upload(two) == sent
    assert [len(one.messages(number)) for number in (1, 2, 3, 4)] == [4, 3, 1, 1]


def test_nothing_follows_the_analyst_s_round() -> None:
    of = made(NESTED, rounds=3, smallest_batch=20)
    last = together(of.task, 0, 1).signed(of.signer)
    after = certified(Choice(of.task.digest, last.digest, 3, "analyst", ((0, 1, 2),), 0.05, 20), of.task).signed(
        of.signer
    )
    one = asked_once(of.task)
    one.upload(last)
    with pytest.raises(ConflictError, match="last one"):
        one.upload(after)


@pytest.mark.long
def test_a_shuffler_takes_one_chain_of_publications_and_no_other(tmp_path: Path) -> None:
    run = Run(made(NESTED, rounds=3, budget="0.5"), people(places_in_places()), tmp_path)
    (shuffler,) = run.shufflers
    run.ask()
    two = run.choice()
    assert two is not None

    def next_one(before: Choice, number: int, receiver: Any = "analyst") -> bytes:
        groups = (tuple(range(number)),)
        choice = Choice(run.task.digest, before.digest, number, receiver, groups, 0.1, 80)
        return certified(choice, run.task).signed(run.made.signer).encoded

    with pytest.raises(ConflictError, match="not over yet"):
        shuffler.open(next_one(two, 3))
    run.ask(two)
    with pytest.raises(ConflictError, match="does not follow"):
        shuffler.open(next_one(replace(two, people=79), 3))
    with pytest.raises(ConflictError, match="already"):
        shuffler.open(certified(replace(two, people=79), run.task).signed(run.made.signer).encoded)
    last = certified(replace(together(run.task, 0, 1), before=two.digest, number=3, people=80), run.task)
    last = last.signed(run.made.signer)
    run.ask(last)
    with pytest.raises(ConflictError, match="does not follow"):
        shuffler.open(next_one(last, 4))
    shuffler.destroy()
    assert not list((tmp_path / "shuffler-0").glob("round-*"))


def test_who_was_told_another_question_is_not_counted_for_this_one(tmp_path: Path) -> None:
    """So a curator who asks some people otherwise than the rest gets nothing of what those say."""
    of = made(NESTED, rounds=2, smallest_batch=20)
    asked = certified(Choice(of.task.digest, of.task.digest, 2, "curator", ((0, 1), (0, 2)), 0.04, 25), of.task)
    question = asked.signed(of.signer)
    other = certified(replace(asked, groups=((0, 1), (2, 3))), of.task).signed(of.signer)
    run = Run(of, people(places_in_places(25)), tmp_path)
    run.ask()
    (shuffler,) = run.shufflers
    shuffler.open(question.encoded)
    asked = Round(of.task, question)
    uploads = [client.upload(other if place < 5 else question) for place, client in enumerate(run.clients)]
    found = run.pass_round(asked, uploads)
    held = shuffler.store.progress(2)
    assert held is not None
    assert (held.messages, held.dropped, len(found.answers)) == (40, 10, 40)


@pytest.mark.long
def test_everybody_checks_the_board_of_each_round(tmp_path: Path) -> None:
    run = Run(made(NESTED, curated=False, rounds=3, budget="0.5"), people(places_in_places()), tmp_path)
    published = ran(run)
    (shuffler,) = run.shufflers
    rounds = [Round(run.task), *(Round(run.task, choice) for choice in published)]
    boards = [shuffler.board(number).read_bytes() for number in (1, 2, 3)]
    client, board = run.clients[7], Board()
    for of, messages, choice in zip(rounds, boards, published, strict=False):
        board.add(of, messages, shuffler.reports(of.number))
        board.check(client, choice)
        with pytest.raises(RefusedTaskError, match="not the one"):
            board.check(client, replace(choice, groups=choice.groups[:1], people=79))
    mine, without = client.messages(2)[1], Board()
    for of, messages in zip(rounds, [boards[0], boards[1].replace(mine, b""), boards[2]], strict=False):
        (report,) = shuffler.reports(of.number)
        left = len(messages) // of.plain_form.size
        without.add(of, messages, [replace(report, messages=left, dropped=report.messages - left)])
    with pytest.raises(RefusedTaskError, match="1 of your 6 messages are missing on the board of round 2"):
        without.check(client, published[-1])


@pytest.mark.long
def test_who_leaves_a_round_is_taken_to_stand_out() -> None:
    """Of each pair other people are missing; what is certified of those who were counted at first holds nonetheless."""
    draw, tried = Random(5), Counter[str]()
    for _ in range(150):
        table, k = drawn(draw), draw.randint(2, 4)
        task = made(features(8, 8, 8), rounds=2, budget=str(draw.randint(10, 40) / 100), k=k).task
        counts = counts_of_table(task.features, table)
        learnt = KnownCounts()
        question = learnt.next_choice(Round(task), list(counts.values()), ())
        if question is None or question.receiver == "analyst":
            continue
        tried["pairs"] += 1
        alike = {}
        for group in question.groups:
            assert exposed(table, group, k) / len(table) <= question.exposure
            there = draw.sample(table, len(table) - draw.choice([0, 0, 3, 60]))
            tried["left"] += len(there) < len(table)
            alike[group] = np.array(list(Counter(tuple(row[place] for place in group) for row in there).values()))
        choice = learnt.next_choice(Round(task, question), [alike[group] for group in question.groups], ())
        if choice is not None:
            assert choice.receiver == "analyst"
            assert exposed(table, choice.chosen, k) / len(table) <= choice.exposure <= float(task.budget)
            tried["by pairs"] += len(choice.chosen) == 3
    assert min(tried["pairs"], tried["left"], tried["by pairs"]) >= 10, tried


def test_a_budget_that_is_met_just_so_is_kept() -> None:
    """0.3 is a little less in floating point, and its certified end a little more."""
    table: Codes = [(0,)] * 7 + [(1,), (2,), (3,)]
    of = made(features(4), budget="0.3")
    choice = first_of(of.task, counts_of_table(of.task.features, table))
    assert choice is not None
    assert choice.exposure == 0.3
    assert Choice.decoded(choice.signed(of.signer).encoded, of.task) == choice.signed(of.signer)
