"""Attacks on running services by parties and people that cheat: each is noticed, and ends the task."""

import json
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection import Choice, Client, Task
from discretion.collection.errors import OverError, RefusedTaskError, UnknownError
from discretion.collection.parts.promises import CONTRADICTING, FEW_MESSAGES, OTHER_NOISE, REPEATED
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.services.keys import Key
from discretion.collection.services.public_keys import key_list
from discretion.collection.services.taking_part import take_part
from discretion.collection.wire.reports import ShufflerReport, encoded_reports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import SEAL_BYTES, sealed
from discretion.collection.wire.selection import Term
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


class Hears(Neighbour):
    """A dishonest first shuffler: it answers what it likes, and keeps what is sent to it."""

    def __init__(self, client: Client, answers: Mapping[str, bytes]) -> None:
        super().__init__(client.task.shufflers[0].url)
        self._answers, self._task = answers, client.task
        self.uploads: list[bytes] = []

    def ask(self, method: str, path: str, **sent: Any) -> bytes:
        if path == "/keys":
            key = Key("seal", bytes(32))
            listed = key_list([key], self._task.digest)
            listed["keys"][0]["public_key"] = self._task.shufflers[0].key.hex()
            return json.dumps(listed).encode()
        if path == "/ending":
            return b'{"ending": null}'
        if path.endswith("/uploads"):
            self.uploads.append(sent["content"])
            return b""
        if path in self._answers:
            return self._answers[path]
        raise UnknownError(path)


@pytest.mark.long
@pytest.mark.parametrize("replaced", ["its key", "the whole task"])
def test_whoever_makes_a_task_cannot_be_a_shuffler_at_another_one_s_address(replaced: str, tmp_path: Path) -> None:
    """The organizer names an honest shuffler's address, with a key of its own: no party but its friends is asked."""
    with running(tmp_path, 2) as parties:
        task = Task.decoded(parties.task.read_bytes())
        second = task.shufflers[1]
        if replaced == "its key":
            second = replace(second, key=X25519PrivateKey.generate().public_key().public_bytes_raw())
        forged = replace(task, purpose="to know more", shufflers=(task.shufflers[0], second))
        client = Client(forged, token_bytes(32), PEOPLE[0])
        first = Hears(client, {})
        with pytest.raises(RefusedTaskError, match=r"shuffler 2, at .* does not have this task"):
            take_part(client, first, lambda: None)
        assert first.uploads == []


@pytest.mark.long
@pytest.mark.parametrize("curated", [True, False])
def test_a_choice_of_invented_people_is_noticed_by_who_asks_an_honest_shuffler(curated: bool, tmp_path: Path) -> None:
    """The curator and the first shuffler say that 1,000 people answered, so that more may go out; the second knows."""
    with running(tmp_path, 2, curated=curated) as parties:
        clients = clients_of(parties, PEOPLE)
        answer_all(parties, clients, 1)
        if not curated:
            eventually(lambda: run("collect", "open", str(parties.homes["shuffler-1"]))[0] == 0)
        genuine = Choice.decoded(published(parties, 2), clients[0].task)
        reports = tuple(replace(report, messages=2000, digest=bytes(32)) for report in genuine.reports[0])
        terms = (Term((0,), 0, 4), Term((1,), 0, 4))
        invented = replace(
            genuine, groups=((0, 1),), people=1000, reports=(reports,), terms=(terms,), exposure=16 / 1000
        )
        if curated:
            home = Home(parties.homes["curator"])
            signer = home.key(home.task.signer or b"").private
            invented = invented.signed(Ed25519PrivateKey.from_private_bytes(signer))
        first = Hears(clients[0], {
            "/rounds/2/choice": invented.encoded, "/rounds/1/reports": encoded_reports(invented.reports[0][:1]),
        })  # fmt: skip
        with pytest.raises(RefusedTaskError, match=r"shuffler 2, at .* made other reports of a round"):
            take_part(clients[0], first, lambda: None)
        assert len(first.uploads) == 1  # the first round's


@pytest.mark.long
@pytest.mark.parametrize("who", ["shuffler-2", "curator"])
def test_people_are_told_that_their_answers_were_destroyed(who: str, tmp_path: Path) -> None:
    """The party after the first shuffler destroys a batch: those who ask what comes next need not wait for ever."""
    with running(tmp_path, 2) as parties:
        clients = clients_of(parties, PEOPLE)
        home = Home(parties.homes["shuffler-1"])
        with Neighbour(home.party.url, operator_credential(home.folder)) as first:
            first.ask("POST", "/tokens", content=b"".join(sha256(client._token).digest() for client in clients))
            round_ = Round(home.task)
            opening = 1 if who == "shuffler-2" else 2  # layers that come off what most people send
            for client in clients:
                upload = client.upload()
                nonsense = [sealed(token_bytes(round_.width(opening)), round_.layers[-opening:]) for _ in round_.groups]
                sent = upload if client is clients[0] else upload[:32] + b"".join(nonsense)
                first.ask("POST", "/rounds/1/uploads", content=sent)
            first.ask("POST", "/rounds/1/close")
            ending: list[str | None] = [None]

            def is_known() -> bool:
                ending[0] = first.ending()
                return ending[0] is not None

            eventually(is_known)
            name = "shuffler 2" if who == "shuffler-2" else "the curator"
            assert ending[0] is not None
            assert ending[0].startswith(f"{name} destroyed the answers")
            assert FEW_MESSAGES in ending[0]
            with pytest.raises(OverError, match="need not send anything more"):
                take_part(clients[0], first, lambda: None)
        assert said("collect", "status", parties.homes["shuffler-1"])["ending"] == ending[0]


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
