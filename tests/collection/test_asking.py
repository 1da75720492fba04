"""Rounds of pairs and triples, asked for as far as the answers so far certify; and rules to redact by."""

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import cbor2
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from collections_made import NOW, Made, Run, made, together
from tacit.anonymity import Population, RedactionRule, hierarchical_rounds, redacted_exposure
from tacit.collection import Choice, Client, Feature, Task
from tacit.collection.board import Board
from tacit.collection.errors import ConflictError, RefusedTaskError
from tacit.collection.parts.asking import Learnt
from tacit.collection.parts.counting import tallies_of
from tacit.collection.parts.joint import joint_of
from tacit.collection.parts.redacting import redacted_choice
from tacit.collection.wire.rounds import Round
from tacit.collection.wire.sealing import unsealed
from tacit.collection.wire.selection import Rule
from tacit.collection.wire.uploads import upload_bytes

Codes = list[tuple[int, ...]]
TOKEN = bytes(range(32))


def features(*sizes: int, randomizer: str | None = None) -> list[Feature]:
    return [Feature(f"f{place}", tuple(map(str, range(size))), randomizer) for place, size in enumerate(sizes)]


def places_in_places(count: int = 80) -> Codes:
    """A quarter is in a city, and a city in a region; somebody's age has to do with neither."""
    draw = Random(2)
    return [
        (zip_ // 4, zip_ // 2, zip_, age)
        for zip_ in (draw.randrange(8) for _ in range(count))
        for age in (draw.randrange(3),)
    ]


NESTED = features(2, 4, 8, 3)


def people(table: Codes) -> list[dict[str, str | None]]:
    return [{f"f{place}": str(code) for place, code in enumerate(row)} for row in table]


def population(table: Codes) -> Population:
    return Population(pa.table({f"f{place}": list(column) for place, column in enumerate(zip(*table, strict=True))}))


def counts_of_table(of: Sequence[Feature], table: Codes) -> dict[str, np.ndarray]:
    return {
        feature.name: np.bincount([row[place] for row in table], minlength=feature.codes)
        for place, feature in enumerate(of)
    }


def exposed(table: Codes, places: Sequence[int], k: int) -> int:
    """How many have fewer than k alike on these features, by definition."""
    alike = Counter(tuple(row[place] for place in places) for row in table)
    return sum(count for count in alike.values() if count < k)


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


@pytest.mark.parametrize("shufflers", [1, 2])
@pytest.mark.parametrize("curated", [True, False])
def test_the_curator_asks_for_what_rounds_on_the_table_itself_would(
    shufflers: int, curated: bool, tmp_path: Path
) -> None:
    table = places_in_places()
    run = Run(made(NESTED, shufflers, curated=curated, rounds=3, budget="0.5"), people(table), tmp_path)
    *asked, choice = ran(run)
    expected = hierarchical_rounds(population(table), "0.5", k=2, rounds=3)
    names = [feature.name for feature in NESTED]
    assert [question.groups for question in asked] == [
        tuple(tuple(map(names.index, each.columns)) for each in level.asked) for level in expected[1:]
    ]
    assert [question.exposure for question in asked] == [
        max(each.certified.value for each in level.asked) for level in expected[1:]
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


def test_all_messages_of_a_round_are_equally_long_and_bound_to_all_that_was_published(tmp_path: Path) -> None:
    """The info is put together here as docs/protocol.md says, and opens each layer; nothing else does."""
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
        info = b"tacit collect 1" + bytes([asked.number]) + of.task.digest + before
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
    two = Choice(task.digest, task.digest, 2, "curator", ((0, 1), (0, 2), (1, 2)), 0.05, 20).signed(of.signer)
    three = Choice(task.digest, two.digest, 3, "curator", ((0, 1, 2),), 0.05, 20).signed(of.signer)
    return [two, three, Choice(task.digest, three.digest, 4, "analyst", ((0, 1),), 0.05, 20).signed(of.signer)]


def asked_once(task: Task) -> Client:
    return Client(task, TOKEN, {"f0": "1", "f1": "3", "f2": "5"}, now=lambda: NOW)


def test_a_person_answers_one_chain_of_publications_and_no_other() -> None:
    of = made(NESTED, rounds=3, smallest_batch=20)
    two, three, last = chain(of)
    other = replace(two, groups=two.groups[:2]).signed(of.signer)
    one = asked_once(of.task)
    with pytest.raises(ConflictError, match="round 2 is next"):
        one.upload(three)
    sent = one.upload(two)
    with pytest.raises(ConflictError, match="one choice a round"):
        one.upload(other)
    for false in (replace(three, before=other.digest), replace(three, before=of.task.digest)):
        with pytest.raises(RefusedTaskError, match="comes after others"):
            one.upload(false.signed(of.signer))
    with pytest.raises(ConflictError, match="round 3 is next"):
        one.upload(last)
    one = Client.restored(one.state, now=lambda: NOW)
    assert one.upload(two) == sent
    one.upload(three)
    one.upload(last)
    with pytest.raises(ConflictError, match="one choice a round"):
        one.upload(replace(last, groups=((0, 2),)).signed(of.signer))
    assert one.upload(two) == sent
    assert [len(one.messages(number)) for number in (1, 2, 3, 4)] == [4, 3, 1, 1]


def test_nothing_follows_the_analyst_s_round() -> None:
    of = made(NESTED, rounds=3, smallest_batch=20)
    last = together(of.task, 0, 1).signed(of.signer)
    after = Choice(of.task.digest, last.digest, 3, "analyst", ((0, 1, 2),), 0.05, 20).signed(of.signer)
    one = asked_once(of.task)
    one.upload(last)
    with pytest.raises(ConflictError, match="last one"):
        one.upload(after)


def test_a_shuffler_takes_one_chain_of_publications_and_no_other(tmp_path: Path) -> None:
    run = Run(made(NESTED, rounds=3, budget="0.5"), people(places_in_places()), tmp_path)
    (shuffler,) = run.shufflers
    run.ask()
    two = run.choice()
    assert two is not None

    def next_one(before: Choice, number: int, receiver: Any = "analyst") -> bytes:
        groups = (tuple(range(number)),)
        return Choice(run.task.digest, before.digest, number, receiver, groups, 0.1, 80).signed(run.made.signer).encoded

    with pytest.raises(ConflictError, match="not over yet"):
        shuffler.open(next_one(two, 3))
    run.ask(two)
    with pytest.raises(ConflictError, match="does not follow"):
        shuffler.open(next_one(replace(two, people=79), 3))
    with pytest.raises(ConflictError, match="already"):
        shuffler.open(replace(two, people=79).signed(run.made.signer).encoded)
    last = replace(together(run.task, 0, 1), before=two.digest, number=3, people=80).signed(run.made.signer)
    run.ask(last)
    with pytest.raises(ConflictError, match="does not follow"):
        shuffler.open(next_one(last, 4))
    shuffler.destroy()
    assert not list((tmp_path / "shuffler-0").glob("round-*"))


def test_who_was_told_another_question_is_not_counted_for_this_one(tmp_path: Path) -> None:
    """So a curator who asks some people otherwise than the rest gets nothing of what those say."""
    of = made(NESTED, rounds=2, smallest_batch=20)
    question = Choice(of.task.digest, of.task.digest, 2, "curator", ((0, 1), (0, 2)), 0.05, 25).signed(of.signer)
    other = replace(question, groups=((0, 1), (2, 3))).signed(of.signer)
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


def test_everybody_checks_the_board_of_each_round(tmp_path: Path) -> None:
    run = Run(made(NESTED, curated=False, rounds=3, budget="0.5"), people(places_in_places()), tmp_path)
    published = ran(run)
    (shuffler,) = run.shufflers
    rounds = [Round(run.task), *(Round(run.task, choice) for choice in published)]
    boards = [shuffler.board(number).read_bytes() for number in (1, 2, 3)]
    client, board = run.clients[7], Board()
    for of, messages, choice in zip(rounds, boards, published, strict=False):
        board.add(of, messages)
        board.check(client, choice)
        with pytest.raises(RefusedTaskError, match="not the one"):
            board.check(client, replace(choice, groups=choice.groups[:1], people=79))
    mine, without = client.messages(2)[1], Board()
    for of, messages in zip(rounds, [boards[0], boards[1].replace(mine, b""), boards[2]], strict=False):
        without.add(of, messages)
    with pytest.raises(RefusedTaskError, match="0 times"):
        without.check(client, published[-1])


def first_of(task: Task, counts: Mapping[str, NDArray[np.int64]]) -> Choice | None:
    """What is published after the first round by these counts."""
    return Learnt().next_choice(Round(task), list(counts.values()))


def drawn(draw: Random) -> Codes:
    """Three features that hang together, and a few people with an answer that hardly anybody gives."""
    rows: Codes = []
    for _ in range(draw.randint(100, 300)):
        common = draw.randrange(4)
        row = [common // 2, common, draw.choice([common, draw.randrange(3)])]
        if draw.random() < 0.06:
            row[draw.randrange(3)] = draw.randint(4, 7)
        rows.append(tuple(row))
    return rows


def test_who_leaves_a_round_is_taken_to_stand_out() -> None:
    """Of each pair other people are missing; what is certified of those who were counted at first holds nonetheless."""
    draw, tried = Random(5), Counter[str]()
    for _ in range(150):
        table, k = drawn(draw), draw.randint(2, 4)
        task = made(features(8, 8, 8), rounds=2, budget=str(draw.randint(10, 40) / 100), k=k).task
        counts = counts_of_table(task.features, table)
        learnt = Learnt()
        question = learnt.next_choice(Round(task), list(counts.values()))
        if question is None or question.receiver == "analyst":
            continue
        tried["pairs"] += 1
        alike = {}
        for group in question.groups:
            assert exposed(table, group, k) / len(table) <= question.exposure
            there = draw.sample(table, len(table) - draw.choice([0, 0, 3, 60]))
            tried["left"] += len(there) < len(table)
            alike[group] = np.array(list(Counter(tuple(row[place] for place in group) for row in there).values()))
        choice = learnt.next_choice(Round(task, question), [alike[group] for group in question.groups])
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


def with_rare_answers(count: int = 1000) -> Codes:
    """Eight of the many towns have three people each, and so eight of the jobs."""
    draw = Random(4)
    rare = [value for value in range(3, 11) for _ in range(3)]
    towns = [*rare, *(draw.randrange(3) for _ in range(count - len(rare)))]
    jobs = [*(draw.randrange(3) for _ in range(count - len(rare))), *rare]
    return list(zip(towns, jobs, strict=True))


def test_rare_answers_are_redacted_with_decoys_so_that_more_goes_out(tmp_path: Path) -> None:
    table, asked = with_rare_answers(), features(12, 12)
    changed = {"k": 5, "budget": "0.075"}
    plain = first_of(made(asked, **changed).task, counts_of_table(asked, table))
    assert plain is not None
    assert len(plain.chosen) == 1
    run = Run(made(asked, redaction="0.5", **changed), people(table), tmp_path)
    run.ask()
    choice = run.choice()
    assert choice is not None
    assert choice.chosen == (0, 1)
    assert [rule.place for rule in choice.rules] == [0, 1]
    assert choice.rules[0].codes == tuple(range(3, 14))
    rules = [RedactionRule(f"f{rule.place}", 5, rule.decoys) for rule in choice.rules]
    assert redacted_exposure(population(table), rules, k=5) <= choice.exposure <= 0.075
    of = Round(run.task, choice)
    found = run.ask(choice)
    joint = joint_of(found.answers, of)
    told = Counter(dict(zip(joint.answers, (joint.shares * 1000).round().astype(int).tolist(), strict=True)))
    for row in table:
        assert told[str(row[0]), str(row[1])] == 0 if max(row) > 2 else True
    for place, rule in enumerate(choice.rules):
        redacted = sum(count for answer, count in told.items() if answer[place] == "redacted")
        expected = 24 + 976 * rule.decoys
        assert abs(redacted - expected) < 6 * expected**0.5  # the system's coins: once in a hundred million runs
        kept = Counter({a: c for a, c in Counter(str(row[place]) for row in table).items() if int(a) < 3})
        for value, count in kept.items():
            assert sum(c for answer, c in told.items() if answer[place] == value) <= count


def test_what_is_certified_of_redacted_answers_is_no_less_than_their_expected_exposure() -> None:
    """Exact, over everybody's coins, from the table of all answers that the curator has not."""
    draw, ruled = Random(6), Counter[int]()
    for _ in range(40):
        table, k = drawn(draw), draw.randint(3, 8)
        redaction, budget = draw.choice(["0.3", "0.5", "0.9"]), str(draw.randint(10, 90) / 100)
        task = made(features(8, 8, 8), budget=budget, k=k, redaction=redaction).task
        choice = redacted_choice(Round(task), counts_of_table(task.features, table))
        if choice is None:
            continue
        names = [f"f{place}" for place in choice.chosen]
        rules = [RedactionRule(f"f{rule.place}", k, rule.decoys) for rule in choice.rules]
        assert redacted_exposure(population(table), rules, k=k, columns=names) <= choice.exposure <= float(budget)
        ruled[len(choice.chosen)] += len(rules) > 0
    assert min(ruled[2], ruled[3]) >= 3, ruled  # and of single features in the test that follows


def test_answers_that_decoys_may_make_rare_are_not_taken_to_be_safe() -> None:
    """Twenty people are enough, ten answers have 21 each, and of these some redact by chance."""
    answers = [*range(10)] * 21 + [10, 11] * 900 + [*range(12, 32)] * 3
    table: Codes = [(answer,) for answer in answers]
    task = made(features(32), k=20, budget="0.9", redaction="0.5").task
    choice = redacted_choice(Round(task), counts_of_table(task.features, table))
    assert choice is not None
    (rule,) = choice.rules
    exact = redacted_exposure(population(table), [RedactionRule("f0", 20, rule.decoys)], k=20)
    assert 10 / len(table) < exact <= choice.exposure < exposed(table, (0,), 20) / len(table)


def test_a_rare_answer_is_always_redacted_and_any_other_by_a_coin_tossed_once() -> None:
    of = made(features(3, 2), smallest_batch=20, redaction="0.5")
    choice = replace(together(of.task, 0, 1), rules=(Rule(0, (2,), 0.25),)).signed(of.signer)
    told: Counter[tuple[int, int]] = Counter()
    for place in range(1200):
        answer = str(place % 3)
        one = Client(of.task, TOKEN, {"f0": answer, "f1": "1"}, now=lambda: NOW)
        sent = one.upload(choice)
        (message,) = one.messages(2)
        _, code, other, _ = struct.unpack(">HII16s", message)
        assert other == 1
        told[int(answer), code] += 1
        again = Client.restored(one.state, now=lambda: NOW)
        assert (again.upload(choice), again.messages(2)) == (sent, [message])
    assert told[2, 5] == 400
    assert told[0, 0] + told[0, 5] == told[1, 1] + told[1, 5] == 400
    decoys = told[0, 5] + told[1, 5]
    assert abs(decoys - 200) < 6 * (800 * 0.25 * 0.75) ** 0.5  # once in half a billion runs


def test_randomized_answers_are_not_redacted() -> None:
    of = made(features(3, 2, randomizer="krr:epsilon=1"), redaction="0.5", k=5, budget="1")
    counts = {"f0": np.array([90, 7, 1, 1, 1]), "f1": np.array([90, 10, 0, 0])}
    choice = first_of(of.task, counts)
    assert choice is not None
    assert choice.rules == ()
