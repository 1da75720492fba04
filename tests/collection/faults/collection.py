"""A whole collection of people who all answer something else, among faults; what was acknowledged is remembered."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from collection.faults.processes import Served
from collection.faults.wire import HOST, Wire
from discretion.collection import Choice, Client, Feature, Party, Task
from discretion.collection.errors import ConflictError, StrangerError, UnavailableError, UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.services.without_curator import open_next
from discretion.collection.simulation.parties import free_ports

_LONGEST = 120.0  # seconds; without faults a collection takes one
_LINES = 450  # different ones that a party's code begins, at most
_Answer = TypeVar("_Answer")


class Collection:
    """Parties, wires to them, and people, all drawn from a source of randomness."""

    def __init__(self, draw: Random, folder: Path) -> None:
        self.draw, self.folder = draw, folder
        self.curated, shufflers = draw.random() < 0.6, draw.choice((1, 2))
        self.people = draw.randint(6, 12)
        self.by_hand = draw.random() < 0.5
        roles = {f"shuffler-{place}": "shuffler" for place in range(shufflers)}
        roles |= {"curator": "curator", "analyst": "analyst"} if self.curated else {"analyst": "analyst"}
        self.homes = {name: Home(folder / name) for name in roles}
        self.keys = {name: home.furnish(roles[name], 1) for name, home in self.homes.items()}
        ports = dict(zip(roles, free_ports(len(roles)), strict=True))
        self.wires = {name: Wire(port, Random(draw.random())) for name, port in ports.items()}
        parties = {
            name: Party(f"http://{HOST}:{self.wires[name].port}", held["seal"].public)
            for name, held in self.keys.items()
        }
        now = int(time.time())
        # Nobody is like anybody else, and with k = 1 all may be known of everybody.
        self.task = Task(
            id=bytes(16), purpose="to know", k=1, budget="1", smallest_batch=2, opens=now, closes=now + 10_000,
            features=(Feature("who", tuple(map(str, range(3 * self.people)))), Feature("sex", ("f", "m"))),
            shufflers=tuple(party for name, party in parties.items() if name.startswith("shuffler")),
            analyst=parties["analyst"], curator=parties.get("curator"),
            signer=self.keys["curator"]["sign"].public if self.curated else None,
        )  # fmt: skip
        for home in self.homes.values():
            home.take(self.task)
        closes_at = None if self.by_hand else self.people
        self.served = {
            name: Served(home.folder, roles[name], ports[name], closes_at) for name, home in self.homes.items()
        }
        self.acknowledged: dict[int, set[int]] = {1: set(), 2: set()}
        self.clients: dict[int, Client] = {}
        self.sealed: list[bytes] = []
        self.happened: Counter[str] = Counter()
        self.until = time.monotonic() + _LONGEST
        self._over = threading.Event()

    def run(self) -> None:
        """Have both rounds, among faults; the second one only if the first had people enough."""
        for served in self.served.values():
            served.start(self._line())
        with ThreadPoolExecutor(self.people + 3) as pool:
            chaos = pool.submit(self._chaos)
            try:
                with self.calls("shuffler-0") as first:
                    hashes = b"".join(sha256(_token(place)).digest() for place in range(self.people))
                    self.insist(lambda: first.ask("POST", "/tokens", content=hashes))
                closing = pool.submit(self._close, 1)
                for sent in [pool.submit(self._answer_first, place) for place in range(self.people)]:
                    sent.result()
                closing.result()
                if self.state(1) != "discarded":
                    choice = self._choice(pool)
                    closing = pool.submit(self._close, 2)
                    for sent in [pool.submit(self._answer, says, choice) for says in self.acknowledged[1]]:
                        sent.result()
                    closing.result()
                    if self.state(2) != "discarded":
                        self.wait(lambda: self.status("analyst")["counted"])
            finally:
                self._over.set()
                chaos.result()

    def insist(self, ask: Callable[[], _Answer]) -> _Answer:
        """Return what an operation answers, asked until it does."""
        while True:
            try:
                return ask()
            except UnavailableError:
                assert time.monotonic() < self.until, "nobody answers"
                time.sleep(0.03)

    def wait(self, holds: Callable[[], bool]) -> None:
        while not holds():
            assert time.monotonic() < self.until, (self.statuses(), self.logs())
            time.sleep(0.05)

    def calls(self, name: str) -> Neighbour:
        return Neighbour(self.homes[name].party.url, operator_credential(self.homes[name].folder))

    def status(self, name: str) -> Any:
        with self.calls(name) as party:
            return json.loads(self.insist(lambda: party.ask("GET", "/status")))

    def statuses(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, served in self.served.items():
            with suppress(UnavailableError):
                found[name] = self.status(name) if served.is_alive else "dead"
        return found

    def logs(self) -> str:
        return "\n".join(f"{name}: {(home.folder / 'log').read_text()[-600:]}" for name, home in self.homes.items())

    def state(self, number: int) -> str:
        return next(held["state"] for held in self.status("shuffler-0")["rounds"] if held["round"] == number)

    def calm(self) -> None:
        """Let all be well from now on."""
        for wire in self.wires.values():
            wire.calm()
        for served in self.served.values():
            served.fill_disk(None)
            if not served.is_alive:
                served.start()

    def end(self) -> None:
        for served in self.served.values():
            served.kill()
        for wire in self.wires.values():
            wire.close()

    def _line(self) -> int:
        return self.draw.choice((0, self.draw.randrange(1, _LINES)))

    def _chaos(self) -> None:
        """Kill, start, and fill disks, some times; those that die by themselves are started again."""
        left = self.draw.randrange(6)
        full: set[str] = set()
        while not self._over.is_set():
            time.sleep(self.draw.uniform(0, 0.3))
            for name, served in self.served.items():
                if not served.is_alive:
                    self.happened["died"] += 1
                    served.kill()
                    served.start(self._line() if left else 0)
                    left = max(0, left - 1)
                    full.discard(name)
            if left == 0:
                self.calm()
                continue
            left -= 1
            name = self.draw.choice(list(self.served))
            for filled in full:
                self.served[filled].fill_disk(None)
            full.clear()
            if self.draw.random() < 0.6:
                self.served[name].kill()
            else:
                self.served[name].fill_disk(self.draw.choice((0, 100, 5_000, 40_000)))
                self.happened["full"] += 1
                full.add(name)
        self.calm()

    def _answer_first(self, place: int) -> None:
        """Send what a person sends, at times with who has her token too, or one that nobody was given, at her side."""
        tokens = [place] + [place] * (self.draw.random() < 0.3) + [place + self.people] * (self.draw.random() < 0.3)
        says = [place + turn * self.people for turn in range(len(tokens))]
        for one, token in zip(says, tokens, strict=True):
            self.clients[one] = Client(self.task, _token(token), {"who": str(one), "sex": "fm"[place % 2]})
        self._race([(one, self.clients[one].upload()) for one in says], 1)

    def _answer(self, says: int, choice: Choice) -> None:
        self._race([(says, self.clients[says].upload(choice))], 2)

    def _race(self, tries: list[tuple[int, bytes]], number: int) -> None:
        """Send all of these at the same time, some twice."""
        tries += [one for one in tries if self.draw.random() < 0.3]
        with ThreadPoolExecutor(len(tries)) as pool:
            for sent in [pool.submit(self._send, *one, number, self.draw.uniform(0, 0.4)) for one in tries]:
                sent.result()

    def _send(self, says: int, upload: bytes, number: int, wait: float) -> None:
        time.sleep(wait)
        self.sealed.append(upload[32:])
        with Neighbour(self.task.shufflers[0].url) as first:
            while True:
                try:
                    self.insist(lambda: first.ask("POST", f"/rounds/{number}/uploads", content=upload))
                    self.acknowledged[number].add(says)
                    return
                except UnknownError:  # the round has not begun
                    time.sleep(0.03)
                except (ConflictError, StrangerError):
                    return

    def _close(self, number: int) -> None:
        """Close a round by hand at some moment, however few have sent, or wait until all have and it is closed."""
        if self.by_hand:
            time.sleep(self.draw.uniform(0.2, 1.2))
            with self.calls("shuffler-0") as first:
                while True:
                    with suppress(UnknownError):  # it has not begun
                        self.insist(lambda: first.ask("POST", f"/rounds/{number}/discard"))
                        break
        self.wait(lambda: any(
            held["round"] == number and held["state"] != "open" for held in self.status("shuffler-0")["rounds"]
        ))  # fmt: skip

    def _choice(self, pool: ThreadPoolExecutor) -> Choice:
        board_pass = self.homes["shuffler-0"].board_pass
        with self.calls("shuffler-0") as first, Neighbour(self.task.shufflers[-1].url, board_pass) as last:
            while True:
                assert time.monotonic() < self.until, (self.statuses(), self.logs())
                with suppress(UnavailableError, UnknownError, ConflictError):
                    if not self.curated:
                        open_next(self.task, first, last)
                    return Choice.decoded(first.ask("GET", "/rounds/2/choice"), self.task)
                time.sleep(0.05)


def _token(place: int) -> bytes:
    return sha256(place.to_bytes(4)).digest()
