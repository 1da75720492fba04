"""Both rounds: nobody learns more than its part, everybody counts once, and what comes out is the table's."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from secrets import token_bytes

import numpy as np
import pytest

from discretion.collection import Choice, Client, Feature
from discretion.collection.board import Board
from discretion.collection.errors import ConflictError, RefusedTaskError, StrangerError
from discretion.collection.parts.counting import tallies_of
from discretion.collection.parts.joint import joint_shares
from discretion.collection.parts.promises import FEW_MESSAGES
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.uploads import Upload
from discretion.errors import TooLargeError
from support.collection.in_process import SEX_AND_TOWN, Run, certified, made, round_of, together
from support.lowering import lowered

People = list[dict[str, str | None]]


def people(count: int = 200) -> People:
    draw = Random(1)
    return [
        {"sex": draw.choice("fm"), "town": draw.choice(["Kyiv", "Kyiv", "Lagos", "Lima", "Rome", None])}
        for _ in range(count)
    ]


def said(person: dict[str, str | None], feature: Feature) -> str | None:
    answer = person.get(feature.name)
    return answer if answer is None or answer in feature.values else "other"


def first_choice(run: Run) -> Choice:
    run.ask()
    choice = run.choice()
    assert choice is not None
    return choice


@pytest.mark.long
@pytest.mark.parametrize("shufflers", [1, 2, 3])
@pytest.mark.parametrize("curated", [True, False])
def test_marginals_are_the_table_s_and_then_the_joint_counts_are(shufflers: int, curated: bool, tmp_path: Path) -> None:
    table = people()
    run = Run(made(shufflers=shufflers, curated=curated), table, tmp_path)
    first = run.ask()
    assert (first.dropped, first.repeated, first.unknown) == (0, 0, 0)
    counts = tallies_of(first, Round(run.task))
    for feature, tally in zip(SEX_AND_TOWN, counts, strict=True):
        told = Counter(said(person, feature) for person in table)
        assert dict(zip(feature.labels, tally.tolist(), strict=True)) == {
            label: told[label] for label in feature.labels
        }
    choice = run.choice()
    assert choice is not None
    assert [run.task.features[place].name for place in choice.chosen] == ["sex", "town"]
    joint = joint_shares(run.ask(choice).answers, Round(run.task, choice))
    told = Counter((said(person, SEX_AND_TOWN[0]), said(person, SEX_AND_TOWN[1])) for person in table)
    assert {answer: share * 200 for answer, share in zip(joint.answers, joint.shares, strict=True)} == pytest.approx(
        told
    )
    assert joint.people == 200


@pytest.mark.long
def test_randomized_answers_come_out_within_their_standard_errors(tmp_path: Path) -> None:
    table = people(3000)
    features = [Feature(f.name, f.values, "krr:epsilon=2") for f in SEX_AND_TOWN]
    run = Run(made(features, budget="1"), table, tmp_path)
    choice = first_choice(run)
    joint = joint_shares(run.ask(choice).answers, Round(run.task, choice))
    told = Counter((said(person, SEX_AND_TOWN[0]), said(person, SEX_AND_TOWN[1])) for person in table)
    truth = np.array([told[answer] / 3000 for answer in joint.answers])
    assert (np.abs(joint.shares - truth) <= 5 * joint.errors).all()  # the system's coins: 20 cells, once in 90,000 runs
    assert joint.shares.sum() == pytest.approx(1)
    assert joint.reach_of_one > 1 / 3000


@pytest.mark.long
def test_both_rounds_tell_the_same_randomized_answer(tmp_path: Path) -> None:
    """Or two answers of one person could be averaged, and the counts would not be of what the analyst sees."""
    features = [Feature(f.name, f.values, "krr:epsilon=0.5") for f in SEX_AND_TOWN]
    run = Run(made(features, budget="1"), people(), tmp_path)
    first = run.ask()
    choice = run.choice()
    assert choice is not None
    second, counts = run.ask(choice).answers, tallies_of(first, Round(run.task))
    for place, feature in enumerate(features):
        assert np.bincount(second[:, place], minlength=feature.codes).tolist() == counts[place].tolist()


def test_what_the_analyst_gets_exposes_no_more_than_was_certified(tmp_path: Path) -> None:
    table = people(60)
    run = Run(made(k=5, budget="0.5"), table, tmp_path)
    choice = first_choice(run)
    second = run.ask(choice)
    alike = Counter(map(tuple, second.answers.tolist()))
    assert sum(count for count in alike.values() if count < 5) / 60 <= choice.exposure <= 0.5


@pytest.mark.long
def test_unshuffled_stores_what_anybody_said(tmp_path: Path) -> None:
    run = Run(made(shufflers=2), people(), tmp_path)
    choice = first_choice(run)
    run.ask(choice)
    held = b"".join(path.read_bytes() for path in tmp_path.glob("shuffler-*/**/*") if path.is_file())
    for client in run.clients:
        assert not any(message in held for message in client.messages(1))
        assert client._token not in held


def test_nothing_is_left_of_messages_once_they_are_passed_on(tmp_path: Path) -> None:
    run = Run(made(), people(), tmp_path)
    run.ask()
    held = b"".join(path.read_bytes() for path in (tmp_path / "shuffler-0").rglob("*") if path.is_file())
    width = Round(run.task).width()
    for upload in run.uploads[1]:
        assert not any(upload[start : start + 32] in held for start in range(32, len(upload), width))


def test_messages_leave_a_shuffler_alike_in_length_and_with_nothing_in_common(tmp_path: Path) -> None:
    run = Run(made(), people(), tmp_path)
    run.ask()
    passed = b"".join(run.curator.blocks(1))
    width = Round(run.task).width(1)
    messages = [passed[start : start + width] for start in range(0, len(passed), width)]
    assert len({message[:32] for message in messages}) == len(messages) == 400  # a fresh key each
    assert not any(message[:16] in upload for message in messages for upload in run.uploads[1])


def test_a_batch_under_the_minimum_is_destroyed_unopened(tmp_path: Path) -> None:
    run = Run(made(smallest_batch=201), people(), tmp_path)
    (shuffler,) = run.shufflers
    shuffler.open()
    uploads = [Upload.decoded(client.upload(), Round(run.task)) for client in run.clients]
    shuffler.add(1, uploads)
    assert shuffler.close(1) == "discarded"
    shuffler.shuffle(1)
    assert shuffler.batch(1) is None
    assert not any(messages for messages in shuffler.store.messages(1))


def test_there_is_one_choice_a_task_and_it_comes_after_the_first_round(tmp_path: Path) -> None:
    run = Run(made(), people(), tmp_path)
    (shuffler,) = run.shufflers
    choice = first_choice(run)
    other = certified(replace(choice, groups=((0,),)), run.task).signed(run.made.signer)
    shuffler.open(choice.encoded)
    with pytest.raises(ConflictError, match=r"another choice|one choice"):
        shuffler.open(other.encoded)
    run.clients[0].upload(choice)
    with pytest.raises(ConflictError, match=r"another choice|one choice"):
        run.clients[0].upload(other)


def test_a_choice_before_the_first_round_is_over_is_refused(tmp_path: Path) -> None:
    run = Run(made(), people(), tmp_path)
    (shuffler,) = run.shufflers
    shuffler.open()
    with pytest.raises(ConflictError, match="comes after round 1"):
        shuffler.open(together(run.task, 0, 1).signed(run.made.signer).encoded)


def test_only_who_was_counted_is_asked_again(tmp_path: Path) -> None:
    run = Run(made(), people(), tmp_path)
    left_out, run.clients = run.clients[-1], run.clients[:-1]
    choice = first_choice(run)
    (shuffler,) = run.shufflers
    shuffler.open(choice.encoded)
    (why,) = shuffler.add(2, [Upload.decoded(left_out.upload(choice), Round(run.task, choice))])
    assert isinstance(why, StrangerError)


@pytest.mark.long
def test_everybody_finds_her_messages_on_the_board_and_the_same_choice(tmp_path: Path) -> None:
    run = Run(made(shufflers=2, curated=False), people(), tmp_path)
    choice = first_choice(run)
    board = run.shufflers[-1].board().read_bytes()
    of = Round(run.task)

    *before, last = run.shufflers[-1].reports(1)

    def check(client: Client, messages: bytes, choice: Choice = choice) -> None:
        seen, count = Board(), len(messages) // of.plain_form.size
        seen.add(of, messages, [*before, replace(last, messages=count, dropped=last.messages - count)])
        seen.check(client, choice)

    for client in run.clients[:20]:
        check(client, board)
    mine = run.clients[0].messages(1)[0]
    start = board.index(mine)
    without = board[:start] + board[start + of.plain_form.size :]
    with pytest.raises(RefusedTaskError, match="1 of your 2 messages are missing"):
        check(run.clients[0], without)
    with pytest.raises(RefusedTaskError, match="messages came twice"):
        check(run.clients[0], board + mine)
    with pytest.raises(RefusedTaskError, match="not the one"):
        check(run.clients[0], board, replace(choice, groups=((0,),)))


@pytest.mark.long
def test_a_board_with_invented_people_is_refused_by_everybody(tmp_path: Path) -> None:
    """A last shuffler posts messages of people who do not exist, so that the choice becomes another one."""
    run = Run(made(shufflers=2, curated=False, invited=200), people(), tmp_path)
    first_choice(run)
    of, board = Round(run.task), run.shufflers[-1].board().read_bytes()
    *before, last = run.shufflers[-1].reports(1)
    invented = b"".join(of.plain_form.pack(place % 2, 0, token_bytes(16)) for place in range(20_000))
    count = last.messages + 20_000
    honest, false = [*before, last], [replace(last, messages=count)] * 2
    for reports, why in ((honest, "more messages than all invited people"), (false, "more messages than")):
        with pytest.raises(RefusedTaskError, match=why):
            Board().add(of, board + invented, reports)
    open_task = Round(replace(run.task, invited=None))
    with pytest.raises(RefusedTaskError, match="contradict the received"):
        Board().add(open_task, board + invented, honest)
    Board().add(of, board, honest)


def test_a_message_that_a_person_sends_twice_counts_once(tmp_path: Path) -> None:
    run = Run(made(), people(), tmp_path)
    shuffler, of = run.shufflers[0], Round(run.task)
    shuffler.open()
    uploads = [Upload.decoded(client.upload(), of) for client in run.clients]
    half = of.width()
    doubled = [Upload(uploads[0].token, uploads[0].messages[:half] * 2), *uploads[1:]]
    found = run.pass_round(of, [upload.encoded for upload in doubled])
    progress = shuffler.store.progress(1)
    assert progress is not None
    assert (progress.repeated, found.repeated, len(found.answers)) == (1, 0, 399)
    choice = run.choice()  # she of whom one answer is lost may stand out by it
    assert choice is None or choice.exposure >= 1 / 200


def test_messages_of_another_task_do_not_open(tmp_path: Path) -> None:
    run = Run(made(), people(20), tmp_path)
    other = Run(made(), people(20), tmp_path / "other") if (tmp_path / "other").mkdir() is None else run
    (shuffler,) = run.shufflers
    shuffler.open()
    of = Round(run.task)
    strangers = [Upload.decoded(client.upload(), of) for client in other.clients[:5]]
    own = [Upload.decoded(client.upload(), of) for client in run.clients[5:]]
    shuffler.add(1, [*strangers, *own])
    shuffler.close(1)
    shuffler.shuffle(1)
    held = shuffler.store.progress(1)
    assert held is not None
    assert (held.messages, held.dropped) == (30, 10)


@pytest.mark.parametrize("curated", [True, False])
@pytest.mark.parametrize("spoilt", [1, 20])
def test_a_batch_of_which_fewer_messages_open_than_a_batch_has_is_destroyed(
    spoilt: int, curated: bool, tmp_path: Path
) -> None:
    alike: People = [{"sex": "f", "town": "Lima"}] * 20
    run = Run(made(smallest_batch=20, curated=curated, budget="1"), alike, tmp_path)
    (shuffler,) = run.shufflers
    shuffler.open()
    uploads = [client.upload() for client in run.clients]
    uploads[:spoilt] = [upload[:32] + bytes(len(upload) - 32) for upload in uploads[:spoilt]]
    shuffler.add(1, [Upload.decoded(upload, Round(run.task)) for upload in uploads])
    assert shuffler.close(1) == "closed"
    shuffler.shuffle(1)
    progress = shuffler.store.progress(1)
    assert progress is not None
    assert (progress.state, progress.reason) == ("discarded", FEW_MESSAGES)
    assert shuffler.batch(1) is None
    assert not (shuffler.folder / "round-1").exists()


def test_what_cannot_be_undone_is_refused() -> None:
    wide = [Feature(name, tuple(map(str, range(4000))), "krr:epsilon=1") for name in "ab"]
    with pytest.raises(TooLargeError, match="combinations"):
        joint_shares(np.zeros((1, 2), np.int64), round_of(made(wide).task, 0, 1))
    few = round_of(made([Feature("a", ("1", "2"), "krr:epsilon=1")]).task, 0)
    assert len(joint_shares(np.zeros((1, 1), np.int64), few).shares) == 4
    with lowered(MAX_ANSWERS_COMBINED=3), pytest.raises(TooLargeError, match="4 combinations, and at most 3 "):
        joint_shares(np.zeros((1, 1), np.int64), few)
