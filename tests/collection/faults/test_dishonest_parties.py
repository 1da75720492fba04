"""Attacks on running services by parties and people that cheat: each is noticed, and ends the task."""

from hashlib import sha256
from pathlib import Path

import pytest

from discretion.collection.parts.promises import CONTRADICTING, FEW_MESSAGES, OTHER_NOISE, REPEATED
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import SEAL_BYTES
from support.cli_runner import run
from support.collection.dishonest import Dishonest, answer_all, clients_of, messages_of, published, round_of, status
from support.collection.parties import Parties, eventually, running, said

PEOPLE = [{"sex": "fm"[place % 2], "town": ("Arica", "Lima")[place % 3 == 0]} for place in range(30)]


def kept_of(parties: Parties, name: str) -> bytes:
    """Return all bytes in a party's home."""
    return b"".join(path.read_bytes() for path in parties.homes[name].rglob("*") if path.is_file())


@pytest.mark.long
@pytest.mark.parametrize("victims", [1, 2])
@pytest.mark.parametrize("curated", [True, False])
def test_a_shuffler_that_passes_a_person_s_messages_on_twice_ends_the_round(
    victims: int, curated: bool, tmp_path: Path
) -> None:
    """It would know her messages again by their number, and link them; each victim by another multiplicity."""
    with running(tmp_path, 2, curated=curated) as parties:
        first = Dishonest(parties.homes["shuffler-1"])
        round_ = Round(first.task)
        inner = first.opened_of(clients_of(parties, PEOPLE), round_)
        marked = [message for victim in range(victims) for message in inner[2 * victim : 2 * victim + 2] * (victim + 1)]
        first.pass_on(first.task.shufflers[1], round_, [*inner, *marked])
        record = round_of(parties, "shuffler-2")
        assert (record["state"], record["reason"]) == ("discarded", REPEATED)
        assert inner[0] not in kept_of(parties, "shuffler-2")
        if curated:
            assert not status(parties, "curator")["counts"][0]["counted"]


@pytest.mark.long
def test_the_last_shuffler_that_passes_messages_on_twice_ends_the_task_at_the_curator(tmp_path: Path) -> None:
    with running(tmp_path, 1) as parties:
        only = Dishonest(parties.homes["shuffler-1"])
        round_ = Round(only.task)
        inner = only.opened_of(clients_of(parties, PEOPLE), round_)
        assert only.task.curator is not None
        only.pass_on(only.task.curator, round_, [*inner, *inner[:2]])
        eventually(lambda: status(parties, "curator")["discarded"] == REPEATED)
        assert not status(parties, "curator")["counts"][0]["counted"]
        kept = kept_of(parties, "curator")
        assert not any(message[-SEAL_BYTES:] in kept for message in inner)


@pytest.mark.long
def test_a_shuffler_whose_report_contradicts_its_batch_ends_the_round(tmp_path: Path) -> None:
    with running(tmp_path, 3) as parties:
        second = Dishonest(parties.homes["shuffler-2"])
        first = Dishonest(parties.homes["shuffler-1"])
        round_ = Round(first.task)
        inner = first.opened_of(clients_of(parties, PEOPLE), round_)
        inner = second.opened(inner, round_)
        more = ShufflerReport(len(inner) + 5, 0, 0, bytes(32))
        second.pass_on(first.task.shufflers[2], round_, inner, [more])
        record = round_of(parties, "shuffler-3")
        assert (record["state"], record["reason"]) == ("discarded", CONTRADICTING)


@pytest.mark.long
def test_a_shuffler_cannot_pass_its_noise_or_its_people_off_as_others(tmp_path: Path) -> None:
    """It says that it added no dummies; the party after it knows that the task has noise."""
    with running(tmp_path, 2, more="noise = { epsilon = 8, delta = 1e-3 }") as parties:
        first = Dishonest(parties.homes["shuffler-1"])
        round_ = Round(first.task)
        inner = first.opened_of(clients_of(parties, PEOPLE), round_)
        first.pass_on(first.task.shufflers[1], round_, inner)
        record = round_of(parties, "shuffler-2")
        assert (record["state"], record["reason"]) == ("discarded", OTHER_NOISE)


@pytest.mark.long
@pytest.mark.parametrize("curated", [True, False])
def test_a_crowd_that_sends_what_does_not_open_is_no_crowd(curated: bool, tmp_path: Path) -> None:
    """29 of 30 holders of tokens send random bytes: nobody gets to see the one whose messages open."""
    with running(tmp_path, 1, curated=curated) as parties:
        home = Home(parties.homes["shuffler-1"])
        clients = clients_of(parties, PEOPLE)
        round_ = Round(home.task)
        with Neighbour(home.party.url, operator_credential(home.folder)) as first:
            first.ask("POST", "/tokens", content=b"".join(sha256(client._token).digest() for client in clients))
            for place, client in enumerate(clients):
                upload = client.upload()
                sent = upload if place == 0 else upload[:32] + upload[:-32]
                first.ask("POST", "/rounds/1/uploads", content=sent)
            first.ask("POST", "/rounds/1/close")
        record = round_of(parties, "shuffler-1")
        assert (record["state"], record["reason"]) == ("discarded", FEW_MESSAGES)
        mine = messages_of([clients[0].upload()], round_)
        assert mine[0] not in kept_of(parties, "shuffler-1")


@pytest.mark.long
def test_a_group_that_too_few_answered_ends_the_task_at_the_curator(tmp_path: Path) -> None:
    """Enough messages in all, of which only one answers the second question."""
    with running(tmp_path, 1) as parties:
        only = Dishonest(parties.homes["shuffler-1"])
        round_ = Round(only.task)
        inner = only.opened_of(clients_of(parties, PEOPLE), round_)
        assert only.task.curator is not None
        only.pass_on(only.task.curator, round_, [inner[1], *inner[::2]])
        eventually(lambda: status(parties, "curator")["discarded"] == FEW_MESSAGES)
        assert not status(parties, "curator")["counts"][0]["counted"]


@pytest.mark.long
@pytest.mark.parametrize("leavers", [0, 1, 2])
@pytest.mark.parametrize("curated", [True, False])
def test_no_two_results_show_by_their_difference_what_a_few_who_left_answered(
    curated: bool, leavers: int, tmp_path: Path
) -> None:
    """Of 30 people one leaves after the first round: 77 − 76 people under 30 would be her. k is 2."""
    with running(tmp_path, 1, curated=curated) as parties:
        clients = clients_of(parties, PEOPLE)
        answer_all(parties, clients, 1)
        if not curated:
            eventually(lambda: run("collect", "open", str(parties.homes["shuffler-1"]))[0] == 0)
        answer_all(parties, clients[leavers:], 2, published(parties, 2))
        eventually(lambda: status(parties, "analyst")["counted"])
        analysed = said("collect", "result", parties.homes["analyst"])
        assert (analysed["people"], analysed["left"]) == (30 - leavers, leavers)
        if not curated:  # all participants have seen the board
            assert bool(analysed["shares"]) == (leavers != 1)
            return
        assert analysed["shares"]
        eventually(lambda: status(parties, "curator")["analysed"] == 30 - leavers)
        for feature in said("collect", "result", parties.homes["curator"])["features"]:
            assert bool(feature["counts"]) == (leavers != 1)
