"""Other people are asked for joint answers than for single ones: each in one round, as their token says."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest

from discretion.collection import Choice, Client, Feature
from discretion.collection.coalitions import coalitions
from discretion.collection.consent import consent_document
from discretion.collection.errors import ConflictError, MalformedError, RefusedTaskError, StrangerError
from discretion.collection.parts.choosing import certified_of
from discretion.collection.parts.counting import tallies_of
from discretion.collection.results.analyst import analyst_result
from discretion.collection.results.curator import curator_result
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.taking_part import take_part
from discretion.collection.wire.noise import Noise
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.uploads import Upload
from discretion.presenting.views.markdown import to_markdown
from support.collection.in_process import NOW, SEX_AND_TOWN, Run, features, made, people

OTHERS: dict[str, Any] = {"other_people": "0.95", "k": 3, "budget": "0.2", "smallest_batch": 100}


def of_others(folder: Path, count: int = 300) -> Run:
    draw = Random(1)
    table = [(draw.randrange(2), draw.randrange(2)) for _ in range(count)]
    return Run(made(features(2, 2), **OTHERS), people(table), folder)


@pytest.mark.long
def test_nobody_answers_both_rounds_and_each_result_is_of_its_own_people(tmp_path: Path) -> None:
    run = of_others(tmp_path)
    first = run.ask()
    choice = run.choice()
    assert choice is not None
    assert choice.terms == ((),)
    last = run.ask(choice)
    groups = Counter(client.asked_in for client in run.clients)
    assert set(groups) == {1, 2}
    assert min(groups.values()) > 100
    assert (int(first.times.sum()) // 2, int(last.times.sum())) == (groups[1], groups[2])
    for client in run.clients:
        assert client.answered == client.asked_in
        assert Client.restored(client.state, now=lambda: NOW).state == client.state
    counts = dict(zip(("f0", "f1"), tallies_of(first, Round(run.task)), strict=True))
    certified = certified_of(run.task, counts, choice, run.task.confidence)
    assert (certified.confidence, certified.high) == (0.95, choice.exposure)
    assert float(analyst_result(last, Round(run.task, choice)).exposure) <= choice.exposure
    result = curator_result(run.task, counts, first, choice, run.task.confidence)
    assert [each.withheld for each in result.features] == [None, None]  # nobody is in both results


def test_whoever_is_asked_in_the_other_round_sends_nothing_and_is_taken_in_neither(tmp_path: Path) -> None:
    run = of_others(tmp_path)
    run.ask()
    choice = run.choice()
    assert choice is not None
    run.shufflers[0].open(choice.encoded)
    of_first = next(client for client in run.clients if client.asked_in == 1)
    of_last = next(client for client in run.clients if client.asked_in == 2)
    with pytest.raises(ConflictError, match="your token is for round 1"):
        of_first.upload(choice)
    with pytest.raises(ConflictError, match="your token is for round 2"):
        of_last.upload()
    assert of_last.answered == 0
    # A client that sends all the same: the shuffler says no, and takes the upload of somebody who is asked.
    token, good = of_first._token, of_last.upload(choice)
    forged = Upload(token, good[32:])
    invented = Upload(
        next(token for place in range(99) if Upload(token := bytes([place] * 32), b"").asked_in == 2), good[32:]
    )
    verdicts = run.shufflers[0].add(2, [forged, Upload.decoded(good, Round(run.task, choice)), invented])
    assert [type(verdict) for verdict in verdicts] == [StrangerError, type(None), StrangerError]


CHANGED: dict[str, dict[str, Any]] = {
    "over the budget": {"exposure": 0.21},
    "below nothing": {"exposure": -0.1},
    "of no number": {"exposure": float("nan")},
    "after something else": {"before": bytes(32)},
    "of fewer people than a batch": {"people": 99},
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("case", CHANGED)
def test_a_choice_for_others_is_refused(case: str, tmp_path: Path) -> None:
    run = of_others(tmp_path)
    run.ask()
    choice = run.choice()
    assert choice is not None
    changed = replace(choice, **CHANGED[case]).signed(run.made.signer)
    of_last = next(client for client in run.clients if client.asked_in == 2)
    with pytest.raises((RefusedTaskError, MalformedError)):
        of_last.upload(changed)
    of_last.upload(choice)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"by_value": True}, "questions by value"),
        ({"redaction": "0.5"}, "redaction by the curator"),
        ({"noise": Noise(5_000, 4)}, "noise"),
        ({"rounds": 2}, "more than one round"),
        ({"curator": None, "signer": None}, "without a curator"),
        ({"other_people": "1"}, "a confidence in text"),
        ({"other_people": 0.95}, "a confidence in text"),
    ],
)
def test_to_ask_other_people_excludes_what_their_certificate_does_not_cover(changed: dict[str, Any], said: str) -> None:
    task = made(SEX_AND_TOWN, other_people="0.95").task
    with pytest.raises(MalformedError, match=said):
        replace(task, **changed)


def test_a_participant_reads_that_they_answer_one_round_and_no_difference_is_to_be_feared() -> None:
    task = made(SEX_AND_TOWN, other_people="0.95").task
    assert "you answer one round" in to_markdown(consent_document(task))
    assert {each.means for each in coalitions(task)} == {"opens", "invents"}
    assert {each.means for each in coalitions(replace(task, other_people=None))} == {"opens", "invents", "leaves out"}


@pytest.mark.long
def test_what_is_certified_of_others_holds_as_surely_as_it_says() -> None:
    """People are drawn from a law, as are the others: of 200 collections at most a few expose more on average."""
    rng, asked = np.random.default_rng(4), (Feature("f0", ("0", "1", "2", "3")), Feature("f1", ("0", "1", "2")))
    task = made(asked, other_people="0.9", k=4, budget="1", smallest_batch=150).task
    law = rng.dirichlet([0.3] * 12)
    cells = np.stack(np.unravel_index(np.arange(12), (4, 3)), axis=1)

    def exposure(sample: Any) -> float:
        counts = np.bincount(sample, minlength=12)
        return float(counts[counts < 4].sum()) / len(sample)

    on_average = np.mean([exposure(rng.choice(12, 150, p=law)) for _ in range(2000)])
    missed = 0
    for _ in range(200):
        rows = cells[rng.choice(12, 150, p=law)]
        counts = {f"f{axis}": np.bincount(rows[:, axis], minlength=asked[axis].codes) for axis in range(2)}
        choice = Choice(task.digest, task.digest, 2, "analyst", ((0, 1),), 0.0, 150, terms=((),))
        missed += certified_of(task, counts, choice, task.confidence).high < on_average
    assert missed <= 35  # 20 on average at most, and four standard errors


def test_the_shufflers_keys_are_asked_for_before_anything_is_sent_in_the_last_round_too(tmp_path: Path) -> None:
    """A shuffler without the task's key would get the answers of those who are asked in the last round only."""
    run, called = of_others(tmp_path), list[tuple[str, str]]()
    run.ask()
    choice = run.choice()
    assert choice is not None

    class Impostor:
        url = "http://127.0.0.1:1"

        def ending(self) -> None:
            """Go on."""

        def ask(self, method: str, path: str, **_: Any) -> bytes:
            called.append((method, path))
            return json.dumps({"task": None, "keys": []}).encode() if path == "/keys" else choice.encoded

    of_last = next(client for client in run.clients if client.asked_in == 2)
    with pytest.raises(RefusedTaskError, match="does not have this task"):
        take_part(of_last, cast("Neighbour", Impostor()), lambda: None)
    assert called == [("GET", "/rounds/2/choice"), ("GET", "/keys")]
