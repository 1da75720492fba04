"""A shuffler's store: what was acknowledged counts once, whatever is sent again, raced, late, or cut short."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from discretion.collection.errors import CollectionError, ConflictError, StrangerError, UnknownError
from discretion.collection.parts.at_rest import AtRest
from discretion.collection.parts.store import Store
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.uploads import Upload
from support.servers import PASSWORD, Server

TOKENS = [sha256(bytes([place])).digest() for place in range(6)]
KNOWN = TOKENS[:5]
places, contents = st.integers(0, 5), st.sampled_from([b"one", b"two"])


class Collected(RuleBasedStateMachine):
    """The store beside a dictionary: uploads, restarts and closing in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.url = f"sqlite:///{self.folder.name}/store.sqlite"
        self.store = Store(self.url, AtRest(Path(self.folder.name, "at-rest"), 2))
        self.store.add_tokens(Upload(token, b"").token_hash for token in KNOWN)
        self.held: dict[bytes, bytes] = {}
        self.state = "not begun"

    @rule()
    def begin(self) -> None:
        self.store.open_round(1, bytes(16))
        self.state = "open" if self.state == "not begun" else self.state

    @rule(sent=st.lists(st.tuples(places, contents), max_size=5))
    def upload(self, sent: list[tuple[int, bytes]]) -> None:
        uploads = [Upload(TOKENS[place], content) for place, content in sent]
        for upload, found in zip(uploads, self.store.add(1, uploads), strict=True):
            assert type(found) is self.expected(upload)

    def expected(self, upload: Upload) -> type[CollectionError | None]:
        if self.state == "not begun":
            return UnknownError
        if upload.token not in KNOWN:
            return StrangerError
        if upload.token not in self.held:
            if self.state != "open":
                return ConflictError
            self.held[upload.token] = upload.messages
        return type(None) if self.held[upload.token] == upload.messages else ConflictError

    @rule(least=st.integers(1, 5))
    def close(self, least: int) -> None:
        if self.state == "not begun":
            with pytest.raises(UnknownError):
                self.store.close_round(1, least)
            return
        if self.state == "open":
            self.state = "closed" if len(self.held) >= least else "discarded"
        assert self.store.close_round(1, least) == self.state

    @rule()
    def pass_on(self) -> None:
        if self.state == "closed":
            self.store.set_shuffled(1, ShufflerReport(0, 0, 0, bytes(32)))
            self.store.set_delivered(1)
            self.state = "delivered"

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = Store(self.url, AtRest(Path(self.folder.name, "at-rest"), 2))

    @invariant()
    def what_is_held_is_what_was_acknowledged(self) -> None:
        stored = [messages for messages in self.store.messages(1) if messages is not None]
        here = self.state in ("open", "closed")
        assert sorted(stored) == (sorted(self.held.values()) if here else [])
        assert self.store.people(1) == len(self.held)

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


TestCollected = pytest.mark.long(Collected.TestCase)
TestCollected.settings = settings(max_examples=100, stateful_step_count=20, deadline=None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    held = Store(f"sqlite:///{tmp_path / 'store.sqlite'}", AtRest(tmp_path / "at-rest", 2))
    yield held
    held.close()


def check_races(store: Store) -> None:
    """Check that of uploads by one token that race, one counts, and is acknowledged to whoever sent it."""
    tokens = [sha256(place.to_bytes(2)).digest() for place in range(40)]
    store.add_tokens(Upload(token, b"").token_hash for token in tokens)
    store.open_round(1, bytes(16))

    def send(which: int) -> list[CollectionError | None]:
        return [store.add(1, [Upload(token, bytes([which]) * 70)])[0] for token in tokens]

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(send, range(4)))
    assert [sum(each[place] is None for each in said) for place in range(40)] == [1] * 40
    counted = sorted(messages[0] for messages in store.messages(1))
    assert counted == sorted(which for each, which in zip(said, range(4), strict=True) for one in each if one is None)
    with ThreadPoolExecutor(2) as pool:
        closing = pool.submit(store.close_round, 1, 1)
        late = pool.submit(send, 9)
    assert closing.result() == "closed"
    assert all(isinstance(one, ConflictError) for one in late.result())
    assert store.people(1) == 40
    store.set_shuffled(1, ShufflerReport(40, 0, 0, bytes(32)))
    store.set_delivered(1)
    assert list(store.messages(1)) == []
    for _ in range(2):
        store.destroy()


@pytest.mark.long
def test_of_uploads_that_race_one_counts(store: Store) -> None:
    check_races(store)


@pytest.mark.postgres
def test_of_uploads_that_race_one_counts_in_postgres(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    url = postgres.address().replace("postgres://", "postgresql+psycopg://", 1)
    store = Store(url, AtRest(tmp_path / "at-rest", 2))
    try:
        check_races(store)
    finally:
        store.close()


def test_a_shuffle_gives_every_order_as_often(tmp_path: Path) -> None:
    """Of three messages, by their opened content; 600 shuffles, six orders, 5 degrees of freedom."""
    from discretion.collection.parts import shuffling

    counts: dict[bytes, int] = {}
    for _ in range(600):
        order = shuffling._random_order(3)
        counts[bytes(order.tolist())] = counts.get(bytes(order.tolist()), 0) + 1
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 35  # once in 600,000 runs
    assert len(counts) == 6


def test_a_shuffle_keeps_each_message_that_opens_and_counts_the_others(tmp_path: Path) -> None:
    from discretion.collection.parts.shuffling import shuffle_messages

    messages = [place.to_bytes(4) * 13 for place in range(20_000)]

    def opened(blocks):  # takes 48 bytes off, and every seventh message does not open
        for block in blocks:
            held = [block[start : start + 4] for start in range(0, len(block), 52)]
            kept = [message for message in held if int.from_bytes(message) % 7]
            yield b"".join(kept), len(held) - len(kept)

    found = shuffle_messages(messages, 52, opened, tmp_path / "out")
    out = (tmp_path / "out").read_bytes()
    numbers = [int.from_bytes(out[start : start + 4]) for start in range(0, len(out), 4)]
    assert sorted(numbers) == [place for place in range(20_000) if place % 7]
    assert numbers != sorted(numbers)
    assert (found.messages, found.dropped, found.digest) == (len(numbers), 20_000 - len(numbers), sha256(out).digest())
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    first = sum(number < 10_000 for number in numbers[: len(numbers) // 2])
    assert abs(first - len(numbers) / 4) < 6 * (len(numbers) / 16) ** 0.5
