"""The published test vectors are what a client sends and the other parties read."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from discretion.collection import Choice, Client, Task, client as clients
from discretion.collection.wire.blind_tokens import blinded_by, sign_blinded
from discretion.collection.wire.invitations import secret_of
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import unsealed
from discretion.collection.wire.uploads import Upload
from support.collection.vectors import CODES, FEATURES, FILE, text, vectors_of

PUBLISHED = json.loads(FILE.read_text())


@pytest.fixture(params=PUBLISHED["tasks"], ids=lambda written: written["name"])
def written(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.param


def rounds_of(written: dict[str, Any], task: Task) -> Iterator[tuple[Round, dict[str, Any]]]:
    for each in written["rounds"]:
        yield Round(task, Choice.decoded(bytes.fromhex(each["choice"]), task) if "choice" in each else None), each


def test_the_published_vectors_are_those_of_this_version() -> None:
    assert FILE.read_text() == f"{text()}\n", "write them again, in tests: python -m support.collection.vectors"


def test_the_parties_read_what_the_vectors_send(written: dict[str, Any]) -> None:
    task = Task.decoded(bytes.fromhex(written["task"]))
    private = {
        bytes.fromhex(key): X25519PrivateKey.from_private_bytes(bytes.fromhex(key))
        for name, key in written["private_keys"].items()
        if name not in ("signer", "admission")
    }
    key_of = {each.public_key().public_bytes_raw(): each for each in private.values()}
    for of, sent in rounds_of(written, task):
        upload = Upload.decoded(bytes.fromhex(sent["upload"]), of)
        assert upload.token.hex() == written["invitation"]["upload_token"]
        width = of.width()
        for place, message in enumerate(sent["messages"]):
            box = upload.messages[width * place : width * (place + 1)]
            for key, info in reversed(of.layers):
                opened = unsealed(box, key_of[key], info)
                assert opened is not None
                box = opened
            codes, random = of.plain_form.unpack(box)[1:-1], of.plain_form.unpack(box)[-1]
            assert box.hex() == message["plain"]
            assert list(codes) == message["codes"] == [CODES[feature] for feature in of.groups[place]]
            assert len(random) == of.random_bytes


def test_a_client_that_draws_the_same_sends_the_same(written: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task.decoded(bytes.fromhex(written["task"]))
    _, secret, digest = secret_of(written["invitation"]["link"])
    client = Client(task, secret, written["answers"], now=lambda: 1_000.0)
    assert (digest, len(FEATURES)) == (task.digest, len(task.features))
    for of, sent in rounds_of(written, task):
        tokens = [each.get("token", {"nonce": each.get("random")}) for each in sent["messages"]]
        drawn = iter([bytes.fromhex(token["nonce"]) for token in tokens])
        monkeypatch.setattr(clients, "token_bytes", lambda length, drawn=drawn: next(drawn))
        if task.admitter is not None:
            hidden = iter([(bytes.fromhex(token["salt"]), int(token["factor"], 16)) for token in tokens])
            monkeypatch.setattr(
                clients, "blind", lambda modulus, nonce, hidden=hidden: blinded_by(modulus, nonce, *next(hidden))
            )
            assert client.admission_request(of.choice).hex() == sent["admission_request"]
            answers = [
                sign_blinded(key, bytes.fromhex(token["blinded"]))
                for key, token in zip(vectors_of(written["name"]).admission[of.number - 1], tokens, strict=True)
            ]
            assert [answer.hex() for answer in answers] == [token["answer"] for token in tokens]
            client.admit(b"".join(answers), of.choice)
        upload = client.upload(of.choice)
        assert [message.hex() for message in client.messages(of.number)] == [each["plain"] for each in sent["messages"]]
        assert len(upload) == len(bytes.fromhex(sent["upload"]))
        assert upload[:32].hex() == written["invitation"]["upload_token"]
