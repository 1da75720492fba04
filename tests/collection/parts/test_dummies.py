"""Dummies come to every count, to nobody who looks apart, and never more or fewer than what was drawn and reported."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discretion.collection.errors import RefusedTaskError
from discretion.collection.parts.counting import people_in, tallies_of
from discretion.collection.parts.dummies import Dummies
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.parts.promises import CONTRADICTING, FEW_MESSAGES, MANY_MESSAGES, OTHER_NOISE, broken_promise
from discretion.collection.results.analyst import analyst_result
from discretion.collection.results.curator import curator_result
from discretion.collection.results.leaks import leaks_of
from discretion.collection.results.truth import compare_with_truth
from discretion.collection.wire.noise import Noise
from discretion.collection.wire.reports import ShufflerReport, decoded_reports, dummies_in, encoded_reports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import Task
from discretion.collection.wire.uploads import Upload
from discretion.estimate import Estimate
from support.collection.in_process import Made, Run, features, made, people

NOISE = Noise(7_000, 12)
TABLE = [(place % 2, place % 3) for place in range(180)]


def noisy(shufflers: int = 2, **changed: Any) -> Made:
    return made(features(2, 3), shufflers, **{"budget": "0.9", "smallest_batch": 100, "noise": NOISE} | changed)


def told(run: Run, number: int) -> tuple[ShufflerReport, ...]:
    return run.shufflers[-1].reports(number)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("shufflers", [1, 2, 3])
def test_each_count_has_the_people_and_the_dummies_of_all_shufflers(shufflers: int, tmp_path: Path) -> None:
    run = Run(noisy(shufflers), people(TABLE), tmp_path)
    found, round_ = run.ask(), Round(run.task)
    reports = told(run, 1)
    truth = [np.bincount([row[place] for row in TABLE], minlength=size + 2) for place, size in enumerate((2, 3))]
    added = [tally - true for tally, true in zip(tallies_of(found, round_), truth, strict=True)]
    assert all((each >= 0).all() and (each <= shufflers * NOISE.most).all() for each in added)
    assert [int(each.sum()) for each in added] == dummies_in(reports, 2)
    assert people_in(tallies_of(found, round_), reports) == [len(TABLE)] * 2
    progress = [shuffler.store.progress(1) for shuffler in run.shufflers]
    assert [None if each is None else each.people for each in progress] == [len(TABLE)] * shufflers
    assert all(len(report.added) == 2 and (report.dropped, report.repeated) == (0, 0) for report in reports)
    assert [report.received for report in reports] == [
        2 * len(TABLE) + sum(map(sum, (earlier.added for earlier in reports[:place]))) for place in range(shufflers)
    ]
    noise = NoiseInCounts(run.task)
    for tally, true in zip(tallies_of(found, round_), truth, strict=True):
        assert (noise.least(tally) <= true).all()
        assert (noise.about(tally) + noise.mean == tally).all()


@pytest.mark.long
def test_the_analyst_s_combinations_have_dummies_too_and_the_result_is_right(tmp_path: Path) -> None:
    run = Run(noisy(), people(TABLE), tmp_path)
    found = run.ask()
    first, counts = told(run, 1), dict(zip(("f0", "f1"), tallies_of(found, Round(run.task)), strict=True))
    choice = run.choice()
    assert choice is not None
    assert choice.chosen == (0, 1)
    assert (choice.people, choice.reports) == (len(TABLE), (first,))
    assert Choice.decoded(choice.encoded, run.task) == choice
    joint = run.ask(choice)
    result = analyst_result(joint, Round(run.task, choice), reports=told(run, 2))
    assert result.joint.people == len(TABLE)
    assert result.is_estimated
    codes = np.array(TABLE)
    beside = compare_with_truth(run.task, codes, counts, result)
    assert beside.agrees
    assert beside.counted == len(TABLE)
    assert {"standard errors of the truth"} <= {beside.verdict.partition("within 4 ")[2].rstrip(".")}
    for answers, share, error in result.frequent():
        assert isinstance(share, Estimate)
        assert share.confidence == 0.95
        assert error == pytest.approx(NoiseInCounts(run.task).error / len(TABLE))
        assert share.low * len(TABLE) >= run.task.k
        assert answers[0] in ("0", "1")
    true = sum(count for count in Counter(TABLE).values() if count < run.task.k) / len(TABLE)
    assert isinstance(result.exposure, Estimate)
    assert true <= result.exposure.high
    curated = curator_result(run.task, counts, joint, choice, reports=first, analysed=len(TABLE))
    assert curated.people == len(TABLE)
    for place, each in enumerate(curated.features):
        assert each.lost == 0
        for answer, number in each.counts:
            assert isinstance(number, Estimate)
            assert number.low <= sum(str(row[place]) == answer for row in TABLE) + NOISE.most
    leaks = leaks_of(run.task, counts, choice, result, people=curated.people)
    assert leaks.noise is not None
    assert leaks.people == len(TABLE)
    assert leaks.certified is not None
    assert true <= leaks.certified.high == choice.exposure


def test_intervals_hold_as_often_as_they_claim() -> None:
    noise = NoiseInCounts(noisy(3).task)
    reach = noise.reach(0.9, 1)
    drawn = sum(np.array([NOISE.draw() for _ in range(6_000)]) for _ in range(3))
    held = float((abs(drawn - noise.mean) <= reach).mean())
    assert held > 0.89
    assert float((abs(drawn - noise.mean) <= reach - 1).mean()) < 0.92  # and no wider than they must be
    assert drawn.std() == pytest.approx(noise.error, rel=0.05)
    assert noise.reach(1 - 1e-15, 10**6) == noise.mean


@pytest.mark.parametrize("place", [0, 1])
def test_dummies_are_as_long_as_what_comes_to_the_shuffler_and_no_two_are_alike(place: int) -> None:
    round_ = Round(noisy().task)
    dummies = Dummies(round_, place)
    messages = [*dummies]
    assert len(messages) == len(set(messages)) == sum(dummies.added)
    assert {*map(len, messages)} == {round_.width(place)}


def test_a_task_without_noise_has_none() -> None:
    round_ = Round(made(features(2, 3)).task)
    dummies = Dummies(round_, 0)
    assert (dummies.added, [*dummies]) == ((), [])


REPORT = ShufflerReport(400, 0, 0, bytes(32), (20, 20))
LIES = {
    "more dummies than can be drawn": (replace(REPORT, added=(4 * 12 + 1, 0)), 400, OTHER_NOISE),
    "dummies of one question alone": (replace(REPORT, added=(20,)), 400, OTHER_NOISE),
    "no dummies": (replace(REPORT, added=()), 400, OTHER_NOISE),
    "fewer messages than it says": (REPORT, 399, CONTRADICTING),
    "a crowd of dummies": (replace(REPORT, messages=220, added=(30, 30)), 220, FEW_MESSAGES),
    "more people than are invited": (replace(REPORT, messages=900), 900, MANY_MESSAGES),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_batch_whose_noise_cannot_be_is_destroyed(lie: str) -> None:
    report, received, why = LIES[lie]
    round_ = Round(noisy(invited=400).task)
    valid = received - sum(report.added)
    assert broken_promise(round_, [report], valid=valid, received=received, repeated=0) == why


def test_noise_that_a_task_does_not_have_ends_it() -> None:
    round_ = Round(made(features(2, 3), smallest_batch=100).task)
    assert broken_promise(round_, [REPORT], valid=360, received=400, repeated=0) == OTHER_NOISE


def test_a_choice_that_counts_dummies_as_people_is_refused(tmp_path: Path) -> None:
    run = Run(noisy(), people(TABLE), tmp_path)
    run.ask()
    choice = run.choice()
    assert choice is not None
    bounded = round(choice.exposure * choice.people)
    more = choice.people + 30
    lie = replace(choice, people=more, exposure=bounded / more).signed(run.made.signer)
    with pytest.raises(RefusedTaskError, match="the first shuffler reports 360 messages"):
        Choice.decoded(lie.encoded, run.task)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("added", [(), (30,), (30, 30, 30), (4 * 12 + 1, 0)])
def test_a_choice_of_other_noise_than_the_task_s_is_refused(added: tuple[int, ...], tmp_path: Path) -> None:
    run = Run(noisy(1), people(TABLE), tmp_path)
    run.ask()
    choice = run.choice()
    assert choice is not None
    ((report,),) = choice.reports
    other = replace(report, messages=report.messages + sum(added) - sum(report.added), added=added)
    with pytest.raises(RefusedTaskError, match="noise in round 1 that the task does not allow"):
        Choice.decoded(replace(choice, reports=((other,),)).signed(run.made.signer).encoded, run.task)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("added", [(30,), (30, 30, 30), (49, 0)])
def test_a_shuffler_destroys_a_batch_whose_noise_cannot_be(added: tuple[int, ...], tmp_path: Path) -> None:
    run = Run(noisy(2), people(TABLE), tmp_path)
    first, second = run.shufflers
    for shuffler in run.shufflers:
        shuffler.open()
    first.add(1, [Upload.decoded(client.upload(), Round(run.task)) for client in run.clients])
    assert first.close(1) == "closed"
    first.shuffle(1)
    batch = first.batch(1)
    assert batch is not None
    lie = replace(batch.reports[0], added=added)
    for place in range(batch.pieces):
        second.inbox.put(1, batch.batch, place, batch.piece(place))
    second.inbox.complete(1, batch.batch, batch.pieces, batch.digest, encoded_reports([lie]))
    assert second.close(1) == "closed"
    second.shuffle(1)
    progress = second.store.progress(1)
    assert progress is not None
    assert (progress.state, progress.reason) == ("discarded", OTHER_NOISE)


@pytest.mark.parametrize("reports", [(), (REPORT,), (REPORT, replace(REPORT, added=()))])
def test_reports_are_read_as_they_were_written(reports: tuple[ShufflerReport, ...]) -> None:
    assert decoded_reports(encoded_reports(reports), None) == reports


def test_a_task_with_noise_is_read_as_it_was_written() -> None:
    task = noisy().task
    assert Task.decoded(task.encoded) == task


def test_too_few_people_certify_nothing_beside_so_much_noise(tmp_path: Path) -> None:
    """What is certain without the dummies is no more than each count less all that they may be."""
    run = Run(noisy(1, budget="0.2", noise=Noise(9_500, 100)), people(TABLE), tmp_path)
    run.ask()
    assert run.choice() is None
