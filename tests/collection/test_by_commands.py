"""A whole collection by commands: each party a process with a home of its own, twenty people, both rounds."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discretion.collection import Task
from support.cli_runner import run
from support.collection.certificates import Certified, certified
from support.collection.parties import Parties, eventually, process, refused, running, said
from support.json_schemas import faults_of_answer

pytestmark = pytest.mark.long
PEOPLE = 20


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    return certified(tmp_path_factory.mktemp("tls") / "ours")


@pytest.fixture(scope="module")
def parties(tmp_path_factory: pytest.TempPathFactory, tls: Certified) -> Iterator[Parties]:
    with running(tmp_path_factory.mktemp("parties"), 2, tls=tls) as held:
        yield held


class People:
    """Those who are asked, each with a token, answers, and a file of what she has sent."""

    def __init__(self, of: Parties, folder: Path, count: int) -> None:
        self.of, self.folder = of, folder
        assert of.ask("admit", "shuffler-1", "--count", count, "--out", folder / "all")["invitations"] == count
        assert (folder / "all" / "invitations").stat().st_mode & 0o777 == 0o600
        for place, link in enumerate((folder / "all" / "invitations").read_text().split()):
            (folder / f"token-{place}").write_text(link.rpartition(".")[2] + "\n")
            (folder / f"invitation-{place}").write_text(link + "\n")
            answers: dict[str, Any] = {"sex": "fm"[place % 2], "town": ["Arica", "Lima"][place // 2 % 2]}
            (folder / f"answers-{place}").write_text(json.dumps(answers))

    def arguments(self, place: int, *more: object) -> list[str]:
        """What she types, with what may come instead."""
        given = {f"--{name}": self.folder / f"{name}-{place}" for name in ("state", "token", "answers")}
        given |= dict([self.of.authority] if self.of.authority else [])
        given |= dict(zip(more[::2], more[1::2], strict=True))
        return ["collect", "submit", self.of.url, *(str(word) for pair in given.items() for word in pair)]


@pytest.fixture(scope="module")
def people(parties: Parties, tmp_path_factory: pytest.TempPathFactory) -> People:
    return People(parties, tmp_path_factory.mktemp("people"), PEOPLE + 1)


REFUSED = {
    "too small a batch": (("--smallest-batch", "11"), "opens batches of 10 people, and you require at least 11"),
    "too large a budget": (("--largest-budget", "0.19"), "a share of 0.2 of the people stand out"),
    "too few shufflers": (("--fewest-shufflers", "3"), "has 2 shufflers, and you require at least 3"),
    "another task": (("--digest", "00" * 32), "not the announced task"),
    "no digest": (("--digest", "0g"), "--digest must be 32 bytes in hexadecimal"),
    "a short digest": (("--digest", "00"), "--digest must be 32 bytes in hexadecimal"),
    "no batch": (("--smallest-batch", "0"), "--smallest-batch must be a whole number of at least 1"),
    "no budget": (("--largest-budget", "nan"), "--largest-budget must be a number"),
    "no address": (("--authority", "/dev/null"), "'/dev/null' is no file of certificates"),
    "no authority": (("--authority", "/none"), "'/none' is no file of certificates in PEM: no such file"),
    "no folder for what is sent": (("--state", "/none/state"), "cannot write /none/state"),
    "no token": (("--token", "/none"), "cannot read a token from '/none'"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_person_refuses_what_does_not_meet_her_terms(why: str, people: People) -> None:
    given, sentence = REFUSED[why]
    assert sentence in refused(*people.arguments(0, *given))
    assert not (people.folder / "state-0").exists()


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ("no JSON", "answers must be a JSON object"),
        ("[" * 100_000, "answers must be a JSON object"),
        ('["f"]', "answers must be a JSON object"),
        ('{"sex": 1}', "answers must be a JSON object"),
        ('{"age": "9"}', "does not ask for 'age'; it asks for sex, town"),
    ],
)
def test_answers_that_are_none_are_not_sent(answers: str, sentence: str, people: People, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text(answers)
    assert sentence in refused(*people.arguments(0, "--answers", tmp_path / "answers"))
    assert not (people.folder / "state-0").exists()


@pytest.mark.parametrize("token", ["ab" * 31, "ab" * 33, "secret", "é" * 64, ""])
def test_a_token_that_is_none_is_not_shown(token: str, people: People, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(token)
    sentence = refused(*people.arguments(0, "--token", tmp_path / "token"))
    assert "a token must be 32 bytes in hexadecimal, 64 digits" in sentence
    assert not token or token not in sentence


def test_a_stranger_is_not_let_in(people: People, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("00" * 32)
    told = people.arguments(0, "--token", tmp_path / "token", "--state", tmp_path / "state")
    assert "this token was not given out" in refused(*told)


def test_an_answer_that_is_not_listed_is_named_before_it_counts_as_other(people: People, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("00" * 32)
    (tmp_path / "answers").write_text('{"sex": "male", "town": "other"}')
    given = {"--token": tmp_path / "token", "--state": tmp_path / "state", "--answers": tmp_path / "answers"}
    _, _, told = run(*people.arguments(0, *(word for pair in given.items() for word in pair)))
    assert "note: male is not a listed answer to sex, and counts as other; listed: f, m" in " ".join(told.split())
    assert told.count("note:") == 1


def test_whom_nobody_vouches_for_is_asked_nothing(people: People, parties: Parties, tmp_path: Path) -> None:
    other = certified(tmp_path / "theirs").authority
    assert "a certificate that is not trusted here" in refused(*people.arguments(0, "--authority", other))
    for command in (["status"], ["close"], ["destroy"], ["admit", "--count", "1", "--out", tmp_path / "tokens"]):
        told = refused("collect", command[0], parties.homes["shuffler-1"], *command[1:], "--authority", other)
        assert "a certificate that is not trusted here" in told
        assert "--authority" in refused("collect", command[0], parties.homes["shuffler-1"], *command[1:])
    assert not (tmp_path / "tokens").exists()


def test_a_container_is_asked_whether_it_is_ready_as_compose_asks(parties: Parties) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: the group servers")
    held = yaml.safe_load((Path(__file__).parents[2] / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
    *_, code, _ = held["services"]["curator"]["healthcheck"]["test"]
    for path, ends in (("ready", 0), ("status", 1)):
        asked = [sys.executable, "-c", code, f"{parties.url}/{path}"]
        assert subprocess.run(asked, capture_output=True, check=False, timeout=60).returncode == ends


def test_twenty_people_are_counted_through_both_rounds(people: People, parties: Parties) -> None:
    task = Task.decoded(parties.task.read_bytes())
    announced = ("--digest", task.digest.hex())
    first = process(*people.arguments(0, *announced), "--json")
    out, err = first.communicate(timeout=120)
    assert (first.returncode, err) == (0, "")
    assert json.loads(out)["results"] == {"task": task.digest.hex(), "purpose": "to know", "all_sent": False}
    for place in range(1, PEOPLE):
        code, out, err = run(*people.arguments(place, *announced))
        assert (code, err) == (0, "")
        assert "run the command again once the next round has begun" in " ".join(out.split())
    assert said(*people.arguments(0))["all_sent"] is False  # again is as once
    (told,) = parties.ask("status", "shuffler-1")["rounds"]
    assert (told["state"], told["people"]) == ("open", PEOPLE)

    assert parties.ask("close", "shuffler-1") == {"round": 1, "state": "closed"}
    eventually(lambda: len(parties.ask("status", "shuffler-1")["rounds"]) == 2)
    late = people.arguments(PEOPLE)
    assert "round 1 is closed: this upload came too late" in refused(*late)
    for place in range(PEOPLE):
        assert said(*people.arguments(place))["all_sent"] is True
    assert "this was the last round" in run(*people.arguments(0))[1]
    eventually(lambda: parties.ask("status", "analyst")["counted"])
    assert [(held["people"], held["messages"]) for held in parties.ask("status", "shuffler-1")["rounds"]] == [
        (PEOPLE, 2 * PEOPLE), (PEOPLE, PEOPLE)
    ]  # fmt: skip
    told = said("collect", "result", parties.homes["analyst"])
    assert (told["people"], said("collect", "result", parties.homes["curator"])["task"]) == (PEOPLE, told["task"])
    for name in ("analyst", "curator"):
        assert faults_of_answer(run("collect", "result", str(parties.homes[name]), "--json")[1]) == []
    for name, home in parties.homes.items():
        code, out, err = run("collect", "status", str(home), *parties.authority)
        assert (code, err) == (0, "")
        assert f"task: {task.digest.hex()}" in out
        assert parties.ask("destroy", name) == {"destroyed": True}
        assert not any((home / "keys").iterdir())
        assert "discretion: " in refused("collect", "result", home)
    for each in parties.processes.values():
        each.send_signal(signal.SIGTERM)
        out, err = each.communicate(timeout=60)
        assert (each.returncode, out) == (143, "")
        assert "Traceback" not in err


def test_those_who_are_asked_choose_by_themselves_without_a_curator(tmp_path: Path) -> None:
    with running(tmp_path, 1, curated=False) as parties:
        people = People(parties, tmp_path, PEOPLE)
        home = parties.homes["shuffler-1"]
        assert "there is no report of round 1" in refused("collect", "open", home)
        for place in range(PEOPLE):
            assert said(*people.arguments(place))["all_sent"] is False
        parties.ask("close", "shuffler-1")
        eventually(lambda: parties.ask("status", "shuffler-1")["rounds"][0]["state"] == "delivered")
        told = parties.ask("open", "shuffler-1")
        assert (told["round"], told["chosen"], told["people"]) == (2, ["sex", "town"], PEOPLE)
        for place in range(PEOPLE):
            assert said(*people.arguments(place))["all_sent"] is True
        eventually(lambda: parties.ask("status", "analyst")["counted"])
        assert "the last one" in refused("collect", "open", home)
