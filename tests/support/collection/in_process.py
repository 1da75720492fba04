"""Tasks with all keys of their parties, and all rounds of them run in one process."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from numpy.typing import NDArray

from discretion.anonymity import Population
from discretion.collection import Choice, Client, Feature, Party, Task
from discretion.collection.parts.asking import KnownCounts
from discretion.collection.parts.at_rest import AtRest
from discretion.collection.parts.counting import BatchCounts, count_batch, tallies_of
from discretion.collection.parts.inbox import Inbox
from discretion.collection.parts.shuffler import Shuffler
from discretion.collection.parts.store import Store
from discretion.collection.wire.reports import ShufflerReport, encoded_reports
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.sealing import public_bytes
from discretion.collection.wire.selection import Term
from discretion.collection.wire.uploads import Upload

#: A table of answers by their codes, a person a row.
Codes = list[tuple[int, ...]]

SEX_AND_TOWN = (Feature("sex", ("f", "m")), Feature("town", ("Kyiv", "Lagos", "Lima")))
NOW = 1_000.0


@dataclass
class Made:
    """A task, and the secrets of its parties."""

    task: Task
    shufflers: list[X25519PrivateKey]
    analyst: X25519PrivateKey
    curator: X25519PrivateKey
    signer: Ed25519PrivateKey


def made(
    features: Sequence[Feature] = SEX_AND_TOWN, shufflers: int = 1, *, curated: bool = True, **changed: Any
) -> Made:
    """Return a task of these features with fresh keys."""
    shuffling = [X25519PrivateKey.generate() for _ in range(shufflers)]
    analyst, curator, signer = X25519PrivateKey.generate(), X25519PrivateKey.generate(), Ed25519PrivateKey.generate()

    ports = count(1)

    def party(key: X25519PrivateKey) -> Party:
        return Party(f"http://127.0.0.1:{next(ports)}", public_bytes(key))

    of = {"k": 2, "budget": "0.1", "smallest_batch": 2, "opens": 0, "closes": 2_000} | changed
    task = Task(
        id=bytes(16), purpose="to know", features=tuple(features), shufflers=tuple(map(party, shuffling)),
        analyst=party(analyst), curator=party(curator) if curated else None,
        signer=signer.public_key().public_bytes_raw() if curated else None, **of,
    )  # fmt: skip
    return Made(task, shuffling, analyst, curator, signer)


class Run:
    """All parties of a task in one process, and everybody who takes part."""

    def __init__(self, of: Made, people: Iterable[Mapping[str, str | None]], folder: Path) -> None:
        self.made, self.task = of, of.task
        self.clients = [
            Client(of.task, sha256(place.to_bytes(4)).digest(), answers, now=lambda: NOW)
            for place, answers in enumerate(people)
        ]
        self.shufflers: list[Shuffler] = []
        for place, key in enumerate(of.shufflers):
            home = folder / f"shuffler-{place}"
            home.mkdir()
            store = Store(f"sqlite:///{home / 'store.sqlite'}", AtRest(home / "at-rest", of.task.most_rounds))
            self.shufflers.append(Shuffler(of.task, place, key.private_bytes_raw(), store, home))
        self.curator, self.analyst = Inbox(folder / "curator"), Inbox(folder / "analyst")
        self.uploads: dict[int, list[bytes]] = {}
        self.learnt: list[tuple[Round, BatchCounts]] = []
        self.shufflers[0].store.add_tokens(Upload(client._token, b"").token_hash for client in self.clients)

    def pass_round(self, of: Round, uploads: list[bytes]) -> BatchCounts:
        """Have everybody upload, all shufflers pass the batch on, and return what is counted at last."""
        inbox, key = (self.analyst, self.made.analyst) if of.to_analyst else (self.curator, self.made.curator)
        self.uploads[of.number] = uploads
        first = self.shufflers[0]
        said = first.add(of.number, [Upload.decoded(upload, of) for upload in uploads])
        assert said == [None] * len(uploads)
        for shuffler, after in zip(self.shufflers, [*(s.inbox for s in self.shufflers[1:]), inbox], strict=True):
            assert shuffler.close(of.number) == "closed"
            shuffler.shuffle(of.number)
            batch = shuffler.batch(of.number)
            assert batch is not None
            for place in range(batch.pieces):
                after.put(of.number, batch.batch, place, batch.piece(place))
            after.complete(of.number, batch.batch, batch.pieces, batch.digest, encoded_reports(batch.reports))
            shuffler.delivered(of.number)
        found = count_batch(inbox.blocks(of.number), of, None if of.ends_open else key.private_bytes_raw())
        if not of.to_analyst:
            self.learnt.append((of, found))
        return found

    def ask(self, choice: Choice | None = None) -> BatchCounts:
        """Return what the curator or the analyst counts in a round, or everybody where the curator is nobody."""
        for shuffler in self.shufflers:
            shuffler.open(None if choice is None else choice.encoded)
        of = Round(self.task, choice)
        asked = [client for client in self.clients if client.asked_in in (None, of.number)]
        return self.pass_round(of, [client.upload(choice and choice.encoded) for client in asked])

    def choice(self) -> Choice | None:
        """Return what the counts so far lead to, signed if there is a curator."""
        learnt, choice = KnownCounts(), None
        for of, found in self.learnt:
            choice = learnt.next_choice(of, tallies_of(found, of), self.shufflers[-1].reports(of.number))
        return choice if choice is None or self.task.signer is None else choice.signed(self.made.signer)


def together(task: Task, /, *places: int, **changed: Any) -> Choice:
    """Return an unsigned choice by which these features go to the analyst after the first round."""
    choice = replace(Choice(task.digest, task.digest, 2, "analyst", (places,), 0.05, 20), **changed)
    return certified(choice, task)


def certified(choice: Choice, task: Task) -> Choice:
    """Return a choice with terms that add up to its exposure, in whole people, and reports of as many as it is of."""
    rare = round(choice.exposure * choice.people) if choice.exposure >= 0 else 0
    return replace(
        choice,
        exposure=rare / choice.people if choice.exposure >= 0 and choice.people else choice.exposure,
        terms=tuple((Term(group, rare, 0),) for group in choice.groups),
        reports=tuple(honest_reports(Round(task), choice.people) for _ in range(choice.number - 1)),
    )


def honest_reports(of: Round, people: int) -> tuple[ShufflerReport, ...]:
    """Return what shufflers report of so many people of whom no message is lost."""
    return (ShufflerReport(people * of.messages, 0, 0, bytes(32)),) * len(of.task.shufflers)


def features(*sizes: int, randomizer: str | None = None) -> list[Feature]:
    return [Feature(f"f{place}", tuple(map(str, range(size))), randomizer) for place, size in enumerate(sizes)]


def people(table: Codes) -> list[dict[str, str | None]]:
    return [{f"f{place}": str(code) for place, code in enumerate(row)} for row in table]


def population(table: Codes) -> Population:
    return Population(pa.table({f"f{place}": list(column) for place, column in enumerate(zip(*table, strict=True))}))


def counts_of_table(of: Sequence[Feature], table: Codes) -> dict[str, NDArray[np.int64]]:
    return {
        feature.name: np.bincount([row[place] for row in table], minlength=feature.codes)
        for place, feature in enumerate(of)
    }


def exposed(table: Codes, places: Sequence[int], k: int) -> int:
    """How many have fewer than k alike on these features, by definition."""
    alike = Counter(tuple(row[place] for place in places) for row in table)
    return sum(count for count in alike.values() if count < k)


def drawn(draw: Random) -> Codes:
    """Three features that hang together, and a few people with an answer that hardly anybody gives."""
    rows: Codes = []
    for _ in range(draw.randint(100, 300)):
        common = draw.randrange(4)
        row = [common // 2, common, draw.choice([common, draw.randrange(3)])]
        if draw.random() < 0.06:
            row[draw.randrange(3)] = draw.randint(4, 7)
        rows.append(tuple(row))
    return rows


def first_of(task: Task, counts: Mapping[str, NDArray[np.int64]]) -> Choice | None:
    """What is published after the first round by these counts."""
    tallies = list(counts.values())
    return KnownCounts().next_choice(Round(task), tallies, honest_reports(Round(task), int(tallies[0].sum())))


def round_of(task: Task, *places: int) -> Round:
    """The analyst's round of these features."""
    return Round(task, together(task, *places))
