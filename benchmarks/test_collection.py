"""A shuffler beside bare HPKE opens, its store beside bare inserts, and closing on Spark beside closing here."""

import importlib.util
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from discretion.collection.parts.at_rest import AtRest
from discretion.collection.parts.decrypting import opened_block
from discretion.collection.parts.shuffling import shuffle_messages
from discretion.collection.parts.spark_shuffling import shuffled_on_spark
from discretion.collection.parts.store import Store
from discretion.collection.wire.uploads import Upload
from oracles.bare_collection import (
    FEATURES,
    INFO,
    WIDTH,
    Boxes,
    bare_opens,
    bare_opens_on_all_cores,
    bare_rows,
    boxes,
    cpu_seconds,
    uploads as some_uploads,
)
from support.engines import ON_SPARK
from support.servers import PASSWORD, started

CORES = min(os.cpu_count() or 1, 2)


@pytest.fixture(scope="module")
def held() -> Boxes:
    return boxes(20_000)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.mark.benchmark(group="20,000 opens on a core")
@pytest.mark.parametrize("how", ["bare", "opened", "shuffled"])
def test_opens(benchmark, held: Boxes, out: Path, how: str) -> None:
    block = b"".join(held.messages)
    asked = {
        "bare": lambda: bare_opens(held.key, held.messages),
        "opened": lambda: opened_block(block, private=held.key, info=INFO, width=WIDTH),
        "shuffled": lambda: shuffle_messages(held.messages, WIDTH, held.opener(), out),
    }
    benchmark.pedantic(asked[how], rounds=3, warmup_rounds=1)


@pytest.mark.benchmark(group="100,000 opens on two cores")
@pytest.mark.parametrize("how", ["bare", "shuffled", pytest.param("shuffled on Spark", marks=ON_SPARK[1:])])
def test_opens_on_all_cores(benchmark, held: Boxes, out: Path, how: str) -> None:
    """Starting processes is part of it, and of Spark's too but for the Java that is there after the first round."""
    if "Spark" in how and (importlib.util.find_spec("pyspark") is None or shutil.which("java") is None):
        pytest.skip("Spark is not here")
    messages = held.messages * 5
    asked = {
        "bare": lambda: bare_opens_on_all_cores(held.key, messages, CORES),
        "shuffled": lambda: shuffle_messages(messages, WIDTH, held.opener(CORES), out),
        "shuffled on Spark": lambda: shuffled_on_spark(messages, WIDTH, held.opener(), out),
    }
    benchmark.pedantic(asked[how], rounds=3, warmup_rounds=1)


def test_a_shuffle_opens_at_four_fifths_of_what_bare_opens_do(held: Boxes, out: Path) -> None:
    """In seconds of cores, by which it does not matter what else they do; and in time, side by side."""
    messages = held.messages * 5
    ratios = [
        cpu_seconds(lambda: bare_opens(held.key, messages))
        / cpu_seconds(lambda: shuffle_messages(messages, WIDTH, held.opener(CORES), out))
        for _ in range(3)
    ]
    times = [
        timed(lambda: bare_opens_on_all_cores(held.key, messages, CORES))
        / timed(lambda: shuffle_messages(messages, WIDTH, held.opener(CORES), out))
        for _ in range(3)
    ]
    print(f"of bare opens: {sorted(ratios)} in seconds of cores, {sorted(times)} in time on {CORES} cores")
    assert max(ratios) > 0.8
    assert max(times) > 0.8


def timed(ask: Callable[[], object]) -> float:
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Make a store that is durable."""
    if request.param == "sqlite":
        held = Store(f"sqlite:///{tmp_path / 'store.sqlite'}", AtRest(tmp_path / "at-rest", 2))
        yield held
        held.close()
        return
    with started() as server:
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        held = Store(
            server.address().replace("postgres://", "postgresql+psycopg://", 1), AtRest(tmp_path / "at-rest", 2)
        )
        yield held
        held.close()


@pytest.mark.benchmark(group=f"2,000 uploads of {FEATURES} messages stored")
@pytest.mark.parametrize("group", [1, 10, 100, 500])
def test_uploads_are_stored(benchmark, store: Store, group: int) -> None:
    """So many in a transaction, each on disk before it is acknowledged."""
    store.open_round(1, bytes(16))

    def fresh() -> tuple[tuple[list[Upload]], dict[str, object]]:
        held = some_uploads(2_000)
        store.add_tokens(one.token_hash for one in held)
        return (held,), {}

    def add(held: list[Upload]) -> None:
        for start in range(0, len(held), group):
            assert store.add(1, held[start : start + group]) == [None] * group

    benchmark.pedantic(add, setup=fresh, rounds=3)


@pytest.mark.benchmark(group=f"2,000 uploads of {FEATURES} messages stored")
@pytest.mark.parametrize("group", [1, 10, 100, 500])
def test_bare_rows_are_inserted(benchmark, tmp_path: Path, group: int) -> None:
    places = iter(range(100))

    def fresh() -> tuple[tuple[Path, list[Upload], int], dict[str, object]]:
        return (tmp_path / f"bare-{next(places)}.sqlite", some_uploads(2_000), group), {}

    benchmark.pedantic(bare_rows, setup=fresh, rounds=3)
