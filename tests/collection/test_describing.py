"""A task in TOML: what each key means, and what is said of one that is wrong."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from discretion.collection.describing import _KEYS, read_task
from discretion.collection.services.home import Role
from discretion.collection.services.keys import Kind
from discretion.collection.wire.task import Feature, Task
from discretion.errors import InvalidValueError

EXAMPLE = Path(__file__).parents[2] / "docs" / "collect.toml"
ROLES = ("shuffler", "curator", "analyst")
SMALL = """
purpose = "to know"
smallest_batch = 20
opens = 2027-01-01T00:00:00Z
closes = 2027-01-02T00:00:00Z
features = [{ name = "sex", values = ["f", "m"] }]
shufflers = [{ url = "https://first.example" }]
analyst = { url = "https://analyst.example" }
curator = { url = "https://curator.example" }
"""


def read(folder: Path, text: str) -> Task:
    (folder / "task.toml").write_text(text, encoding="utf-8")
    return read_task(folder / "task.toml", Keys())


class Keys:
    """Keys that differ by role and place, the same ones each time; and who was given one."""

    def __init__(self) -> None:
        self.given: list[tuple[Role, int]] = []

    def keys(self, role: Role, place: int, url: str, closes: int) -> dict[Kind, bytes]:
        self.given.append((role, place))
        return {"seal": bytes([10 * ROLES.index(role) + place + 1]) * 32, "sign": bytes([2]) * 32}

    def admission(self, url: str, widths: Sequence[int], closes: int) -> tuple[tuple[bytes, ...], ...]:
        raise AssertionError(url)


def test_the_documents_example_is_a_task_with_every_key() -> None:
    source = Keys()
    task = read_task(EXAMPLE, source)
    assert source.given == [("analyst", 0)]
    assert (task.k, task.budget, task.rounds, task.redaction) == (10, "0.01", 1, "0.5")
    assert task.features[1:] == (
        Feature("town", ("Arica", "Lima", "Tacna")),
        Feature("service", ("doctor", "dentist", "midwife"), "krr:epsilon=2"),
    )
    assert task.closes - task.opens == 28 * 24 * 3600
    assert [party.url for party in task.shufflers] == ["https://first.example", "https://second.example"]
    assert task.signer != task.analyst.key == source.keys("analyst", 0, "", 0)["seal"]
    text = EXAMPLE.read_text(encoding="utf-8")
    assert [key for key in _KEYS if not re.search(rf"^(# )?(\[+{key}\]|{key} = )", text, re.M)] == []


def test_what_is_left_out_has_its_usual_value(tmp_path: Path) -> None:
    task = read(tmp_path, SMALL)
    assert (task.k, task.budget, task.rounds, task.redaction) == (10, "0.01", 1, None)
    without = read(tmp_path, SMALL.replace("curator", "#"))
    assert (without.curator, without.signer) == (None, None)
    assert without == replace(task, id=without.id, curator=None, signer=None)


def test_a_time_without_a_zone_is_utc(tmp_path: Path) -> None:
    assert read(tmp_path, SMALL.replace("00:00:00Z", "00:00:00")).opens == read(tmp_path, SMALL).opens


def test_no_two_tasks_are_the_same(tmp_path: Path) -> None:
    assert read(tmp_path, SMALL).digest != read(tmp_path, SMALL).digest


# What is replaced, by what, and what the sentence says: the key, what was given, and the nearest key if it is none.
WRONG = {
    "a key that is nearly one": ("smallest_batch", "smalest_batch", "the task: .*'smalest_batch'.*'smallest_batch'"),
    "a key that is none": ('purpose = "', 'xyz = 1\npurpose = "', "there is no key 'xyz'; it is one of purpose, "),
    "a key of a feature": ("values", "vlaues", "feature 1: there is no key 'vlaues'; did you mean 'values'"),
    "a key of a shuffler": ('{ url = "https://f', '{ ulr = "https://f', "shuffler 1: there is no key 'ulr'; .*'url'"),
    "a signer of a shuffler": ("first.example\"", "first.example\", signer = \"\"", "shuffler 1: .*key 'signer'"),
    "no purpose": ('purpose = "to know"', "", "has no purpose; add"),
    "no times and no analyst": ("opens", "#", "has no opens"),
    "a purpose of numbers": ('"to know"', "1", "purpose must be a text"),
    "a time without a day": ("2027-01-01T00:00:00Z", "08:00:00", "opens must be a date and a time, .*datetime.time"),
    "a day without a time": ("2027-01-02T00:00:00Z", "2027-01-02", "closes must be a date and a time"),
    "the end before the beginning": ("2027-01-02", "2026-01-02", "closes must be a whole number from"),
    "a batch of nobody": ("batch = 20", "batch = 0", "smallest_batch must be .* got 0"),
    "a batch of a half": ("batch = 20", "batch = 20.5", "smallest_batch must be .* got Decimal"),
    "no round": ("purpose", "rounds = 0\npurpose", "rounds must be a whole number from 1 on and below 9, got 0"),
    "too many rounds": ("purpose", "rounds = 9\npurpose", "rounds must be .* got 9"),
    "rounds in words": ("purpose", 'rounds = "two"\npurpose', "rounds must be .* got 'two'"),
    "a budget above 1": ("purpose", "budget = 1.01\npurpose", "budget must be a share .* got '1.01'"),
    "a budget in words": ("purpose", "budget = true\npurpose", "budget must be a share .* got 'True'"),
    "no k": ("purpose", "k = 0\npurpose", "k must be .* got 0"),
    "redaction of nothing": ("purpose", "redaction = 0\npurpose", "redaction must be a probability above 0 .* got '0'"),
    "redaction above 1": ("purpose", 'redaction = "2"\npurpose', "redaction must be a probability .* got '2'"),
    "no values": ('["f", "m"]', '"f"', "feature 1 needs its values, as a list of texts"),
    "a value twice": ('["f", "m"]', '["f", "f"]', "feature 1: the answers of 'sex' must be different"),
    "a value that is a number": ('["f", "m"]', '["f", 1]', "feature 1: the answers of 'sex'"),
    "no name": ('name = "sex", ', "", "feature 1: a feature needs a name"),
    "a feature that is a text": ('features = [{ name = "sex", values = ["f", "m"] }]', 'features = ["sex"]',
                                 "feature 1 must be a table of keys and values, got 'sex'"),
    "one feature alone": ('[{ name = "sex", values = ["f", "m"] }]', '{ name = "sex" }', r"given as \[\[features\]\]"),
    "an unknown randomizer": ('["f", "m"]', '["f", "m"], randomizer = "oue:epsilon=1"', "randomizer of 'sex' .*'oue'"),
    "a randomizer without ε": ('["f", "m"]', '["f", "m"], randomizer = "krr:"', "randomizer of 'sex'"),
    "an address of no web": ("https://first", "ftp://first", "shuffler 1: a party needs a web address"),
    "no port": ("https://first.example", "https://first.example:99999", "shuffler 1: a party needs a web address"),
    "no host": ("https://first.example", "https://:8443", "shuffler 1: a party needs a web address"),
    "no address": ('analyst = { url = "https://analyst.example" }', "analyst = {}", "the analyst: .*web address"),
    "a key that is no hexadecimal": ('first.example"', 'first.example", key = "x"', "the key of shuffler 1 must be"),
    "a key that is too short": ('first.example"', 'first.example", key = "00"', "shuffler 1: .* 32 bytes"),
    "a key without a signer": ('curator.example"', f'curator.example", key = "{"1" * 64}"', "both a key and a signer"),
    "a signer without a key": ('curator.example"', f'curator.example", signer = "{"1" * 64}"', "both a key and a"),
    "a signer that is none": (
        'curator.example"', f'curator.example", key = "{"1" * 64}", signer = 1', "the signer of the curator must be a"
    ),
    "noise without δ": ("purpose", "noise = { epsilon = 1 }\npurpose", "noise needs its delta"),
    "noise of no ε": ("purpose", "noise = { epsilon = 0, delta = 0.1 }\npurpose", "the epsilon of noise must .* got 0"),
    "noise of a wrong key": ("purpose", "noise = { epsilon = 1, delta = 0.1, k = 1 }\npurpose", "noise: .*key 'k'"),
    "noise in two rounds": (
        "purpose", "rounds = 2\nnoise = { epsilon = 1, delta = 0.1 }\npurpose", "noise excludes more than one round"
    ),
    "noise and redaction": (
        "purpose", "redaction = 0.5\nnoise = { epsilon = 1, delta = 0.1 }\npurpose", "noise excludes redaction"
    ),
    "no TOML": ("purpose", "purpose purpose", "is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_the_key_that_is_wrong_is_named(wrong: str, tmp_path: Path) -> None:
    old, new, said = WRONG[wrong]
    assert old in SMALL
    with pytest.raises(InvalidValueError, match=said) as refused:
        read(tmp_path, SMALL.replace(old, new, 1))
    assert "\n" not in str(refused.value)


def test_noise_is_the_least_that_keeps_what_is_asked_for(tmp_path: Path) -> None:
    task = read(tmp_path, SMALL.replace("purpose", "noise = { epsilon = 1.5, delta = 1e-6 }\npurpose", 1))
    assert task.noise is not None
    assert task.noise.epsilon(1e-6, 4) <= 1.5 < task.noise.epsilon(1e-6, 4) + 0.01
    assert Task.decoded(task.encoded) == task


def test_redaction_takes_a_curator(tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="redaction needs a curator"):
        read(tmp_path, SMALL.replace("curator", "#").replace("purpose", "redaction = 0.5\npurpose"))
