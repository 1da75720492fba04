"""Rare answers are redacted by those who have them, with decoys; and what that is certified to expose."""

import struct
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from discretion.anonymity import RedactionRule, redacted_exposure
from discretion.collection import Client
from discretion.collection.parts.joint import joint_shares
from discretion.collection.parts.redacting import redacted_choice
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Rule
from support.collection.in_process import (
    NOW,
    Codes,
    Run,
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


def with_rare_answers(count: int = 1000) -> Codes:
    """Eight of the many towns have three people each, and so eight of the jobs."""
    draw = Random(4)
    rare = [value for value in range(3, 11) for _ in range(3)]
    towns = [*rare, *(draw.randrange(3) for _ in range(count - len(rare)))]
    jobs = [*(draw.randrange(3) for _ in range(count - len(rare))), *rare]
    return list(zip(towns, jobs, strict=True))


@pytest.mark.long
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
    joint = joint_shares(found.answers, of)
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


@pytest.mark.long
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


@pytest.mark.long
def test_a_rare_answer_is_always_redacted_and_any_other_by_a_coin_tossed_once() -> None:
    of = made(features(3, 2), smallest_batch=20, redaction="0.5")
    choice = replace(together(of.task, 0, 1), rules=(Rule(0, (2,), 0.25),)).signed(of.signer)
    told: Counter[tuple[int, int]] = Counter()
    for place in range(600):
        answer = str(place % 3)
        one = Client(of.task, TOKEN, {"f0": answer, "f1": "1"}, now=lambda: NOW)
        sent = one.upload(choice)
        (message,) = one.messages(2)
        _, code, other, _ = struct.unpack(">HII16s", message)
        assert other == 1
        told[int(answer), code] += 1
        again = Client.restored(one.state, now=lambda: NOW)
        assert (again.upload(choice), again.messages(2)) == (sent, [message])
    assert told[2, 5] == 200
    assert told[0, 0] + told[0, 5] == told[1, 1] + told[1, 5] == 200
    decoys = told[0, 5] + told[1, 5]
    assert abs(decoys - 100) < 6 * (400 * 0.25 * 0.75) ** 0.5  # once in half a billion runs


def test_randomized_answers_are_not_redacted() -> None:
    of = made(features(3, 2, randomizer="krr:epsilon=1"), redaction="0.5", k=5, budget="1")
    counts = {"f0": np.array([90, 7, 1, 1, 1]), "f1": np.array([90, 10, 0, 0])}
    choice = first_of(of.task, counts)
    assert choice is not None
    assert choice.rules == ()
