"""An admitter: nobody else can let people in, each counts once in each question, and nobody knows a token again."""

import json
from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes

import pytest

from discretion.collection import Choice, Client
from discretion.collection.errors import ConflictError, RefusedTaskError, StrangerError
from discretion.collection.parts.promises import FEW_MESSAGES
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.home import Home
from discretion.collection.services.taking_part import ask_admitter
from discretion.collection.services.tallies import read_tallies
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import sealed
from support.cli_runner import run
from support.collection.dishonest import (
    Dishonest,
    admitted,
    answer_all,
    clients_of,
    published,
    status,
)
from support.collection.parties import Parties, eventually, refused, running, said

pytestmark = pytest.mark.long
PEOPLE = [{"sex": "fm"[place % 2], "town": ("Arica", "Lima")[place % 3 == 0]} for place in range(20)]


def sent_by(parties: Parties, messages: Sequence[bytes]) -> None:
    """Have the only shuffler pass on what it likes."""
    only = Dishonest(parties.homes["shuffler-1"])
    assert only.task.curator is not None
    only.pass_on(only.task.curator, Round(only.task), messages)


def opened(parties: Parties, clients: Sequence[Client]) -> list[bytes]:
    only = Dishonest(parties.homes["shuffler-1"])
    round_ = Round(only.task)
    return only.opened_of(clients, round_)


def made_up(parties: Parties, count: int) -> list[bytes]:
    """Return messages of people who do not exist, as a shuffler seals them: with tokens of no admitter."""
    task = Home(parties.homes["shuffler-1"]).task
    round_ = Round(task)
    assert task.curator is not None
    layer = [(task.curator.key, round_.info(0))]
    return [
        sealed(round_.plain_form.pack(group, 0, token_bytes(round_.random_bytes)), layer)
        for _ in range(count)
        for group in range(2)
    ]


def counted(parties: Parties) -> tuple[list[int], int]:
    """Return how many answers to each question the curator counted, and how many messages had no token."""
    eventually(lambda: status(parties, "curator")["counts"][0]["counted"])
    tallies = read_tallies(parties.homes["curator"] / "counted-1")
    return [int(tally.sum()) for tally in tallies.groups], tallies.unadmitted


@pytest.mark.parametrize("curated", [True, False])
def test_a_collection_with_an_admitter_goes_through_by_commands(curated: bool, tmp_path: Path) -> None:
    with running(tmp_path, 2, curated=curated, admitted=True) as parties:
        made = parties.ask("admit", "admitter", "--count", 12, "--out", tmp_path / "invited", "--split", 5, "--qr")
        assert (made["invitations"], len([*(tmp_path / "invited").glob("*.svg")])) == (12, 12)
        parties.ask("admit", "shuffler-1", "--hashes", made["uploads"])
        files = sorted((tmp_path / "invited").glob("invitations-*"))
        links = [link for path in files for link in path.read_text().split()]
        assert [len(path.read_text().split()) for path in files] == [5, 5, 2]
        for place, link in enumerate(links):
            (tmp_path / f"invitation-{place}").write_text(link)
            (tmp_path / f"answers-{place}").write_text(json.dumps(PEOPLE[place]))

        def submit(place: int) -> bool:
            names = ("invitation", "answers") if not (tmp_path / f"state-{place}").exists() else ()
            given = [word for name in names for word in (f"--{name}", tmp_path / f"{name}-{place}")]
            return said("collect", "submit", "--state", tmp_path / f"state-{place}", *(given or [parties.url]))[
                "all_sent"
            ]

        assert not any(submit(place) for place in range(11))
        absent = parties.ask("status", "shuffler-1", "--invitations", made["uploads"])
        assert absent["missing"] == [12]
        assert not submit(11)
        parties.ask("close", "shuffler-1")
        if not curated:
            eventually(lambda: run("collect", "open", str(parties.homes["shuffler-1"]))[0] == 0)
        published(parties, 2)
        assert all(submit(place) for place in range(12))
        eventually(lambda: status(parties, "analyst")["counted"])
        result = said("collect", "result", parties.homes["analyst"])
        assert (result["people"], result["unadmitted"], result["left"]) == (12, 0, 0)
        assert parties.ask("status", "admitter")["admitted"] == [12, 12]


def test_a_shuffler_cannot_invent_people(tmp_path: Path) -> None:
    """One person among nineteen invented ones would be read: nothing of them counts, and too few are left."""
    with running(tmp_path, 1, admitted=True) as parties:
        victim = admitted(parties, clients_of(parties, PEOPLE[:1]))
        sent_by(parties, [*opened(parties, victim), *made_up(parties, 19)])
        eventually(lambda: status(parties, "curator")["discarded"] == FEW_MESSAGES)
        assert not status(parties, "curator")["counts"][0]["counted"]


def test_invented_people_beside_real_ones_do_not_count(tmp_path: Path) -> None:
    with running(tmp_path, 1, admitted=True) as parties:
        people = admitted(parties, clients_of(parties, PEOPLE[:12]))
        sent_by(parties, [*opened(parties, people), *made_up(parties, 30)])
        assert counted(parties) == ([12, 12], 60)


def test_a_token_counts_once_and_in_its_own_question_alone(tmp_path: Path) -> None:
    """A liar sends both messages for one question, another one a token twice with two answers."""
    with running(tmp_path, 1, admitted=True) as parties:
        people = admitted(parties, clients_of(parties, PEOPLE[:14]))
        task = people[0].task
        round_ = Round(task)
        assert task.curator is not None
        layer = [(task.curator.key, round_.info(0))]
        tokens = [
            [message[-round_.random_bytes :] for message in client.messages(1)] for client in people if client.upload()
        ]
        liar = [round_.plain_form.pack(0, 0, token) for token in tokens[12]]
        twice = [round_.plain_form.pack(group, code, tokens[13][group]) for group in (0, 1) for code in (0, 1)]
        sent_by(parties, [*opened(parties, people[:12]), *(sealed(each, layer) for each in [*liar, *twice])])
        assert counted(parties) == ([14, 13], 3)


def test_an_admitter_signs_once_for_each_person_and_round(tmp_path: Path) -> None:
    with running(tmp_path, 1, admitted=True) as parties:
        (one,) = admitted(parties, clients_of(parties, PEOPLE[:1]))
        again = Client(one.task, one._token, PEOPLE[0])
        with pytest.raises(ConflictError, match="other tokens were signed with this invitation in this round"):
            ask_admitter(again, None, lambda: None)
        ask_admitter(Client.restored(one.state), None, lambda: None)
        stranger = Client(one.task, token_bytes(32), PEOPLE[0])
        with pytest.raises(StrangerError, match="was not given out"):
            ask_admitter(stranger, None, lambda: None)
        with pytest.raises(ConflictError, match="has not signed the tokens of round 1"):
            stranger.upload()


def test_a_choice_of_more_people_than_were_admitted_is_refused(tmp_path: Path) -> None:
    """A curator that claims a crowd which there is not."""
    with running(tmp_path, 1, admitted=True) as parties:
        people = admitted(parties, clients_of(parties, PEOPLE[:12]))
        answer_all(parties, people, 1)
        choice = Choice.decoded(published(parties, 2), people[0].task)
        assert choice.people == 12
        home = Home(parties.homes["admitter"])
        with Neighbour(home.party.url) as admitter:
            assert json.loads(admitter.ask("GET", "/admitted"))["admitted"] == [12, 0]
        from dataclasses import replace

        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        from support.collection.in_process import certified

        curator = Home(parties.homes["curator"])
        signer = Ed25519PrivateKey.from_private_bytes(curator.key(curator.task.signer or b"").private)
        false = certified(replace(choice, people=400), people[0].task).signed(signer)
        with pytest.raises(RefusedTaskError, match="from 400 people, and the admitter has signed tokens for 12"):
            ask_admitter(people[0], false, lambda: None)


def test_the_admitter_lets_nobody_in_whom_the_task_has_no_room_for(tmp_path: Path) -> None:
    with running(tmp_path, 1, admitted=True, more="invited = 10") as parties:
        sentence = refused("collect", "admit", parties.homes["admitter"], "--count", 11, "--out", tmp_path / "invited")
        assert "the task invites at most 10 people; with these there would be 11" in sentence
        assert not (tmp_path / "invited").exists()
        assert "in this task the admitter makes the invitations" in refused(
            "collect", "admit", parties.homes["shuffler-1"], "--count", 1, "--out", tmp_path / "invited"
        )
