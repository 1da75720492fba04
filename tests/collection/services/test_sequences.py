"""A first shuffler's service beside a model: uploads, repeats, late ones, closing, restarts, choices in any order."""

from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from discretion.collection import Choice
from discretion.collection.parts.inbox import Inbox
from discretion.collection.services.shuffler import ShufflerService
from discretion.collection.wire.reports import encoded_reports
from support.collection.homes import AsOperator, housed, person, token
from support.collection.in_process import certified

PEOPLE = 4  # who have tokens; one more has none
places, versions = st.integers(0, PEOPLE), st.integers(0, 1)


class Asked(RuleBasedStateMachine):
    """The service by its operations alone; its batches are taken by an inbox, as the next party's are."""

    def __init__(self) -> None:
        super().__init__()
        self.stack, self.folder = ExitStack(), TemporaryDirectory()
        self.of = housed(Path(self.folder.name), curated=False)
        self.after = Inbox(Path(self.folder.name) / "after")
        self.clients = {
            (place, version): person(self.of.task, place, sex="fm"[version])
            for place in range(PEOPLE + 1)
            for version in range(2)
        }
        self.choices = [
            certified(Choice(self.of.task.digest, self.of.task.digest, 2, "analyst", (group,), 0.05, 20), self.of.task)
            for group in ((0,), (0, 1))
        ]
        # Of each round, which of two uploads counts of each person.
        self.sent: dict[int, dict[int, int]] = {1: {}, 2: {}}
        self.state = {1: "open", 2: "not begun"}
        self.choice: Choice | None = None
        self.start()
        hashes = b"".join(sha256(token(place)).digest() for place in range(PEOPLE))
        assert self.ask("POST", "/tokens", hashes) == 200

    def start(self) -> None:
        """The service without what it does by itself: here this is done when a rule says so."""
        self.service = ShufflerService(self.of.homes["shuffler-0"])
        self.service.step()
        self.http = AsOperator(self.service)

    def ask(self, method: str, path: str, body: bytes = b"") -> int:
        self.answer = self.http.request(method, path, content=body, headers=self.http.operator)
        return self.answer.status_code

    @rule(place=places, version=versions, number=st.integers(0, 3))
    def upload(self, place: int, version: int, number: int) -> None:
        client = self.clients[place, version]
        body = client.upload(self.choice) if number == 2 and self.choice else client.upload()
        status = self.ask("POST", f"/rounds/{number}/uploads", body)
        assert status == self.expected(place, version, number)

    def expected(self, place: int, version: int, number: int) -> int:
        if self.state.get(number, "not begun") == "not begun":
            return 404
        let_in = range(PEOPLE) if number == 1 else self.sent[1]
        if place not in let_in:
            return 403
        sent = self.sent[number]
        if place not in sent and self.state[number] == "open":
            sent[place] = version
        return 200 if sent.get(place) == version else 409

    @rule(number=st.integers(1, 2), discard=st.booleans())
    def close(self, number: int, discard: bool) -> None:
        status = self.ask("POST", f"/rounds/{number}/{'discard' if discard else 'close'}")
        if self.state[number] == "not begun":
            assert status == 404
            return
        if self.state[number] == "open" and len(self.sent[number]) < self.of.task.smallest_batch and not discard:
            assert status == 409
            return
        if self.state[number] == "open":
            self.state[number] = "closed" if len(self.sent[number]) >= self.of.task.smallest_batch else "discarded"
        assert self.answer.json() == {"round": number, "state": self.state[number]}

    @rule()
    def shuffle(self) -> None:
        """What the service does by itself, as far as the batch is in order."""
        for number, state in self.state.items():
            if state == "closed":
                self.service._shuffle(number)
                self.state[number] = "shuffled"

    @rule(all_of_it=st.booleans())
    def deliver(self, all_of_it: bool) -> None:
        """Of what is in order the next party takes all, or what was sent until it was cut."""
        for number, state in self.state.items():
            if state == "shuffled":
                batch = self.service._shuffler.batch(number)
                assert batch is not None
                self.after.put(number, batch.batch, 0, batch.piece(0))
                if all_of_it:
                    self.after.complete(number, batch.batch, batch.pieces, batch.digest, encoded_reports(batch.reports))
                    self.service._shuffler.delivered(number)
                    self.state[number] = "delivered"
                    each = 2 if number == 1 else 1
                    assert batch.messages == each * len(self.sent[number])

    @rule(which=st.integers(0, 1))
    def publish(self, which: int) -> None:
        status = self.ask("POST", "/rounds/2/choice", self.choices[which].encoded)
        if self.state[1] != "delivered":
            assert status == 409
        else:
            if self.choice is None:
                self.choice, self.state[2] = self.choices[which], "open"
            assert status == (204 if self.choice == self.choices[which] else 409)

    @rule()
    def restart(self) -> None:
        self.service._store.close()
        self.start()

    @invariant()
    def what_is_told_is_what_was_acknowledged(self) -> None:
        assert self.ask("GET", "/status") == 200
        told = {held["round"]: (held["state"], held["people"]) for held in self.answer.json()["rounds"]}
        assert told == {
            number: (state, len(self.sent[number])) for number, state in self.state.items() if state != "not begun"
        }
        assert self.ask("GET", "/rounds/2/choice") == (404 if self.choice is None else 200)

    def teardown(self) -> None:
        self.service._store.close()
        self.folder.cleanup()


TestAsked = pytest.mark.long(Asked.TestCase)
TestAsked.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
